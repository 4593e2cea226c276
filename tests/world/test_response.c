// The responses of contacts beside the default one: LCP and penalty, each asked for what is asked
// of all: weight, friction, energy, momentum, bodies that start inside each other.
#include "contact_worlds.h"

static lbModel *subspace, *modal;
static const lbContactResponse responses[] = { LB_RESPONSE_LCP, LB_RESPONSE_PENALTY };
static const char *const names[LB_RESPONSE_COUNT] = { "implicit", "lcp", "penalty" };

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

static void a_block_rests_by_its_weight(void **state) {
  (void)state;
  for (int r = 0; r < 4; r++) {
    lbWorld *world = world_that(lb_vec3(0, 0, -9.81), 0.5, responses[r & 1]);
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
    for (int32_t c = 0; c < lb_world_contact_count(world); c++)
      deepest = fmin(deepest, lb_world_contacts(world)[c].gap);
    print_message("%s: force %.6g of %.6g N, drift %.3g m, kinetic %.3g J, depth %.3g m\n",
                  names[responses[r & 1]], force.z, weight,
                  lb_length(lb_sub(report.centre, before)), report.kinetic, deepest);
    check_near(force.z / weight, 1, 1e-3);
    check_small(lb_length(lb_sub(report.centre, before)), 1e-4);
    check_small(report.kinetic, 1e-6);
    check_small(deepest, 1e-3);
    lb_world_destroy(world);
  }
}

// m: how far a block slides down an incline in half a second.
static double slide_down(lbContactResponse response, double angle, double friction) {
  lbVec3 down = lb_vec3(9.81 * sin(angle), 0, -9.81 * cos(angle));
  lbWorld *world = world_that(down, friction, response);
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
    double held = slide_down(responses[r], angle - 0.02, friction);
    double free = slide_down(responses[r], angle + 0.02, friction);
    print_message("%s: below the angle %.3g m, above it %.3g m\n", names[responses[r]], held, free);
    check_small(held, 2e-4);
    assert_true(free > 0.02);
  }
}

static void a_bouncing_block_never_gains_energy(void **state) {
  (void)state;
  for (int trial = 0; trial < (CHECK_SANITIZED ? 4 : 16); trial++) {
    lbContactResponse response = responses[trial & 1];
    lbWorld *world = world_that(lb_vec3(0, 0, -9.81), 0.5, response);
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
    print_message("%s: energy rose by %.2g of %.3g J, overlap %.2g m, rebound to %.3g m\n",
                  names[response], rise, first, lowest, highest);
    check_small(rise / first, 0.03);
    check_small(lowest, 0.03);
    lb_world_destroy(world);
  }
}

static void colliding_bodies_keep_their_momentum(void **state) {
  (void)state;
  for (int r = 0; r < 2; r++) {
    lbWorld *world = world_that(lb_vec3(0, 0, 0), 0.5, responses[r]);
    print_message("%s: ", names[responses[r]]);
    check_collision(world, subspace, modal, 60);
    lb_world_destroy(world);
  }
}

static void unknown_responses_are_refused_with_the_list(void **state) {
  (void)state;
  lbError err;
  check_refused(SCENE_WITH("'contact':{'response':'springs'}"), "one of implicit, lcp, penalty");
  lbScene *scene = scene_of(SCENE_WITH("'contact':{'response':'lcp','substeps':3}"));
  assert_int_equal(scene->response, LB_RESPONSE_LCP);
  assert_int_equal(scene->substeps, 3);
  lb_scene_destroy(scene);
  lbWorldSettings settings = lb_world_settings();
  lbWorld *world = NULL;
  settings.response = LB_RESPONSE_COUNT;
  check_fails(lb_world_create(&settings, &world, &err), LB_ERR_ARGUMENT, err, "response is 3");
  assert_null(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_rests_by_its_weight),
    cmocka_unit_test(a_block_on_an_incline_slips_at_the_angle_of_friction),
    cmocka_unit_test(a_bouncing_block_never_gains_energy),
    cmocka_unit_test(colliding_bodies_keep_their_momentum),
    cmocka_unit_test(unknown_responses_are_refused_with_the_list),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
