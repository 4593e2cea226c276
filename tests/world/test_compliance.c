// Contacts with a compliance are asked for what rigid ones are: weight, friction, energy, momentum.
#include "contact_worlds.h"

static lbModel *subspace, *modal;
static const double compliances[] = { 1e-6, 1e-4 }; // m/N, of a body and of a collider

static int set_up(void **state) {
  (void)state;
  subspace = body_model(BLOCK "," SUBSPACE);
  modal = body_model(BLOCK "," MODAL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lb_model_destroy(subspace);
  lb_model_destroy(modal);
  return 0;
}

static lbWorld *compliant_world(lbVec3 gravity, double friction, double compliance) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = gravity;
  settings.contact = true;
  settings.friction = friction;
  settings.compliance = compliance;
  return world_of(&settings);
}

// Each contact overlaps by its force times the compliance of both.
static void a_block_rests_by_its_weight(void **state) {
  (void)state;
  for (int r = 0; r < 4; r++) {
    double compliance = compliances[r & 1], off = 0;
    lbWorld *world = compliant_world(lb_vec3(0, 0, -9.81), 0.5, compliance);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, r & 2 ? modal : subspace, lb_vec3(0, 0, 0.01));
    const lbBody *body = lb_world_body(world, id);
    for (int i = 0; i < 180; i++) lb_world_step(world, 1.0 / 60);
    lbVec3 before = lb_body_report(body).centre, force = lb_vec3(0, 0, 0);
    for (int i = 0; i < 60; i++) {
      lb_world_step(world, 1.0 / 60);
      force = lb_add_scaled(force, 1.0 / 60, lb_world_contact_force(world, id));
    }
    lbBodyReport report = lb_body_report(body);
    double weight = report.mass * 9.81, deepest = 0;
    for (int32_t c = 0; c < lb_world_contact_count(world); c++) {
      const lbContact *contact = &lb_world_contacts(world)[c];
      deepest = fmin(deepest, contact->gap);
      off = fmax(off, fabs(contact->gap + 2 * compliance * contact->force.z));
    }
    print_message("%g m/N: force %.6g of %.6g N, drift %.3g m, kinetic %.3g J, depth %.3g m, off "
                  "by %.2g m\n",
                  compliance, force.z, weight, lb_length(lb_sub(report.centre, before)),
                  report.kinetic, deepest, off);
    check_near(force.z / weight, 1, 1e-3);
    check_small(lb_length(lb_sub(report.centre, before)), 1e-4);
    check_small(report.kinetic, 1e-6);
    check_small(deepest, 2 * compliance * weight);
    check_small(off, 0.01 * compliance * weight + 1e-6);
    lb_world_destroy(world);
  }
}

// m: how far a block slides down an incline in half a second.
static double slide_down(double compliance, double angle, double friction) {
  lbVec3 down = lb_vec3(9.81 * sin(angle), 0, -9.81 * cos(angle));
  lbWorld *world = compliant_world(down, friction, compliance);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, modal, lb_vec3(0, 0, 0.0005));
  const lbBody *body = lb_world_body(world, id);
  for (int i = 0; i < 120; i++) lb_world_step(world, 1.0 / 240);
  double start = lb_body_report(body).centre.x;
  for (int i = 0; i < 120; i++) lb_world_step(world, 1.0 / 240);
  double way = lb_body_report(body).centre.x - start;
  lb_world_destroy(world);
  return way;
}

static void a_block_on_an_incline_slips_at_the_angle_of_friction(void **state) {
  (void)state;
  double friction = 0.4, angle = atan(friction);
  for (int r = 0; r < 2; r++) {
    double held = slide_down(compliances[r], angle - 0.02, friction);
    double free = slide_down(compliances[r], angle + 0.02, friction);
    print_message("%g m/N: below the angle %.3g m, above it %.3g m\n", compliances[r], held, free);
    check_small(held, 2e-4);
    assert_true(free > 0.02);
  }
}

static void a_bouncing_block_never_gains_energy(void **state) {
  (void)state;
  for (int trial = 0; trial < (CHECK_SANITIZED ? 4 : 16); trial++) {
    double compliance = compliances[trial & 1];
    lbWorld *world = compliant_world(lb_vec3(0, 0, -9.81), 0.5, compliance);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, trial & 2 ? modal : subspace, lb_vec3(0, 0, 1));
    lbBody *body = lb_world_body(world, id);
    lb_body_set_placement(body, lb_vec3(0, 0, 1),
                          lb_quat_from_axis_angle(lb_vec3(1, 0.4, 0.2), 0.8 * (trial / 4)));
    double most = energy_of(body), first = most, rise = 0, lowest = 0, highest = 0;
    for (int i = 0; i < 180; i++) {
      lb_world_step(world, 1.0 / 60);
      double energy = energy_of(body);
      rise = fmax(rise, energy - most);
      most = fmin(most, energy);
      for (int32_t c = 0; c < lb_world_contact_count(world); c++)
        lowest = fmin(lowest, lb_world_contacts(world)[c].gap);
      if (i > 35) highest = fmax(highest, lb_body_report(body).centre.z);
    }
    print_message("%g m/N: energy rose by %.2g of %.3g J, overlap %.2g m, rebound to %.3g m\n",
                  compliance, rise, first, lowest, highest);
    check_small(rise / first, 0.03);
    // A spring that stops m kg of speed v alone gives way by v sqrt(m compliance).
    double most_depth = sqrt(2 * 9.81 * 1.0) * sqrt(8 * 2 * compliance);
    check_small(lowest, 0.03 + most_depth);
    lb_world_destroy(world);
  }
}

static void colliding_bodies_keep_their_momentum(void **state) {
  (void)state;
  for (int r = 0; r < 2; r++) {
    lbWorld *world = compliant_world(lb_vec3(0, 0, 0), 0.5, compliances[r]);
    print_message("%g m/N: ", compliances[r]);
    check_collision(world, subspace, modal, 60);
    lb_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_rests_by_its_weight),
    cmocka_unit_test(a_block_on_an_incline_slips_at_the_angle_of_friction),
    cmocka_unit_test(a_bouncing_block_never_gains_energy),
    cmocka_unit_test(colliding_bodies_keep_their_momentum),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
