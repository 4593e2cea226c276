// Contacts of a world: bodies that rest, slide, bounce and press on colliders and on each other.
#include "contact_worlds.h"

static lbModel *subspace, *modal;

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

// ---- rest --------------------------------------------------------------------------------------

static void rest(const lbModel *model) {
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, model, lb_vec3(0, 0, 0.01));
  const lbBody *body = lb_world_body(world, id);
  double h = 1.0 / 120;
  for (int i = 0; i < 240; i++) lb_world_step(world, h);
  lbVec3 before = lb_body_report(body).centre, force = lb_vec3(0, 0, 0);
  for (int i = 0; i < 120; i++) {
    lb_world_step(world, h);
    force = lb_add_scaled(force, 1.0 / 120, lb_world_contact_force(world, id));
  }
  lbBodyReport report = lb_body_report(body);
  double weight = report.mass * 9.81;
  print_message("force %.6g of %.6g N, centre %.6g, drift %.3g m, kinetic %.3g J, %d contacts\n",
                force.z, weight, report.centre.z, lb_length(lb_sub(report.centre, before)),
                report.kinetic, (int)lb_world_contact_count(world));
  check_near(force.z / weight, 1, 1e-3);
  check_small(lb_length(lb_sub(report.centre, before)), 1e-4);
  check_small(report.kinetic, 1e-6);
  lb_world_destroy(world);
}

static void a_block_rests_on_the_ground_by_its_weight(void **state) {
  (void)state;
  rest(subspace);
  rest(modal);
}

// ---- friction ----------------------------------------------------------------------------------

// m: how far a block slides down an incline in a second, on a plane through the origin.
static double slide_down(const lbModel *model, double angle, double friction) {
  lbVec3 down = lb_vec3(9.81 * sin(angle), 0, -9.81 * cos(angle));
  lbWorld *world = world_with(down, friction);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, model, lb_vec3(0, 0, 0.0005));
  const lbBody *body = lb_world_body(world, id);
  double h = 1.0 / 240;
  for (int i = 0; i < 120; i++) lb_world_step(world, h);
  double start = lb_body_report(body).centre.x;
  for (int i = 0; i < 240; i++) lb_world_step(world, h);
  double way = lb_body_report(body).centre.x - start;
  lb_world_destroy(world);
  return way;
}

static void a_block_on_an_incline_slips_at_the_angle_of_friction(void **state) {
  (void)state;
  double friction = 0.4, angle = atan(friction);
  const lbModel *const models[] = { subspace, modal };
  for (int m = 0; m < 2; m++) {
    double held = slide_down(models[m], angle - 0.02, friction);
    double free = slide_down(models[m], angle + 0.02, friction);
    print_message("below the angle %.3g m, above it %.3g m\n", held, free);
    check_small(held, 2e-4);
    assert_true(free > 0.05);
  }
}

static void a_sliding_block_stops_where_coulomb_says(void **state) {
  (void)state;
  const lbModel *const models[] = { subspace, modal };
  for (int m = 0; m < 2; m++) {
    double friction = 0.3, speed = 1.5, h = 1.0 / 480;
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), friction);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, models[m], lb_vec3(0, 0, 0));
    lbBody *body = lb_world_body(world, id);
    for (int i = 0; i < 240; i++) lb_world_step(world, h); // comes to rest
    double start = lb_body_report(body).centre.x;
    lb_body_set_velocity(body, lb_vec3(speed, 0, 0), lb_vec3(0, 0, 0));
    for (int i = 0; i < 480; i++) lb_world_step(world, h);
    double way = lb_body_report(body).centre.x - start;
    double expected = speed * speed / (2 * friction * 9.81);
    print_message("slid %.5g m, Coulomb %.5g m\n", way, expected);
    check_near(way / expected, 1, 0.03);
    lb_world_destroy(world);
  }
}

// ---- bouncing ----------------------------------------------------------------------------------

static void a_bouncing_block_never_gains_energy(void **state) {
  (void)state;
  const lbModel *const models[] = { subspace, modal };
  for (int m = 0; m < 2; m++)
    for (int turned = 0; turned < (CHECK_SANITIZED ? 2 : 8); turned++) {
      lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
      add_plane(world, lb_vec3(0, 0, 1));
      lbBodyId id = add_block(world, models[m], lb_vec3(0, 0, 1));
      lbBody *body = lb_world_body(world, id);
      lb_body_set_placement(body, lb_vec3(0, 0, 1),
                            lb_quat_from_axis_angle(lb_vec3(1, 0.4, 0.2), 0.4 * turned));
      double most = energy_of(body), first = most, rise = 0, lowest = 0, highest = 0;
      for (int i = 0; i < 360; i++) {
        lb_world_step(world, 1.0 / 120);
        double energy = energy_of(body);
        rise = fmax(rise, energy - most);
        most = fmin(most, energy);
        for (int32_t c = 0; c < lb_world_contact_count(world); c++)
          lowest = fmin(lowest, lb_world_contacts(world)[c].gap);
        if (i > 70) highest = fmax(highest, lb_body_report(body).centre.z);
      }
      print_message("energy rose by %.2g of %.3g J, overlap %.2g m, rebound to %.3g m\n", rise,
                    first, lowest, highest);
      check_small(fmax(rise, 0) / first, 0.03);
      check_small(lowest, 0.02);
      lb_world_destroy(world);
    }
}

// ---- two bodies --------------------------------------------------------------------------------

static void colliding_bodies_keep_their_momentum(void **state) {
  (void)state;
  const lbModel *const models[] = { subspace, modal };
  for (int m = 0; m < (CHECK_SANITIZED ? 1 : 4); m++) {
    lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
    check_collision(world, models[m & 1], models[m >> 1], 90);
    lb_world_destroy(world);
  }
}

static void a_stack_of_five_stands(void **state) {
  (void)state;
  // Soft towers sway for long unless they are damped.
  const lbModel *const models[] = { subspace, modal };
  for (int m = CHECK_SANITIZED ? 1 : 0; m < 2; m++) {
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
    lbBodyId ids[5];
    add_plane(world, lb_vec3(0, 0, 1));
    for (int i = 0; i < 5; i++)
      ids[i] = add_block(world, models[m], lb_vec3(0.001 * i, 0, 0.201 * i));
    for (int i = 0; i < 5; i++) lb_body_set_damping(lb_world_body(world, ids[i]), 5, 0.01);
    for (int i = 0; i < 240; i++) lb_world_step(world, 1.0 / 120);
    double drift = 0, speed = 0;
    for (int i = 0; i < 5; i++) {
      lbBodyReport r = lb_body_report(lb_world_body(world, ids[i]));
      drift = fmax(drift, hypot(r.centre.x - 0.1 - 0.001 * i, r.centre.y - 0.1));
      speed = fmax(speed, lb_length(r.linear_momentum) / r.mass);
      print_message("%d: height %.4f, contact force %.4f N\n", i, r.centre.z,
                    lb_world_contact_force(world, ids[i]).z);
      check_near(r.centre.z, 0.1 + 0.2 * i, 0.03);
    }
    print_message("drift %.2g m, speed %.2g m/s\n", drift, speed);
    check_small(drift, 0.02);
    check_small(speed, 0.05);
    lb_world_destroy(world);
  }
}

// ---- repeatable --------------------------------------------------------------------------------

static void a_restored_world_goes_on_to_the_bit(void **state) {
  (void)state;
  lbError err;
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  lbColliderDef ball = lb_collider_def();
  lbColliderId moved = 0;
  ball.shape = LB_COLLIDER_SPHERE;
  ball.radius = 0.1;
  ball.position = lb_vec3(-0.3, 0.1, 0.1);
  check_ok(lb_world_add_collider(world, &ball, &moved, &err), err);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId ids[2] = { add_block(world, subspace, lb_vec3(0, 0, 0)),
                      add_block(world, modal, lb_vec3(0.05, 0.02, 0.21)) };
  uint64_t hashes[2] = { 0, 0 };
  size_t bytes = 0;
  void *saved = NULL;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = pass == 0 ? 0 : 40; i < 80; i++) {
      if (pass == 0 && i == 40) {
        bytes = lb_world_state_bytes(world);
        saved = lb_alloc(bytes, 1);
        check_ok(lb_world_save_state(world, saved, bytes, &err), err);
      }
      lbVec3 place = lb_vec3(-0.3 + 0.004 * i, 0.1, 0.1);
      check_ok(lb_world_move_collider(world, moved, place, lb_quat_identity(), &err), err);
      lb_world_step(world, 1.0 / 120);
    }
    for (int b = 0; b < 2; b++) {
      double q[64], v[64];
      const lbBody *body = lb_world_body(world, ids[b]);
      lb_body_get_state(body, q, v);
      lbFrame frame = lb_body_frame(body);
      size_t count = (size_t)lb_body_dimension(body) * sizeof(double);
      hashes[pass] = check_hash(hashes[pass], q, count);
      hashes[pass] = check_hash(hashes[pass], v, count);
      hashes[pass] = check_hash(hashes[pass], &frame, sizeof frame);
    }
    if (pass == 0) check_ok(lb_world_restore_state(world, saved, bytes, &err), err);
  }
  assert_true(lb_world_contact_count(world) > 0);
  assert_true(hashes[0] == hashes[1]);
  lb_free(saved);
  lb_world_destroy(world);
}

static void wrong_colliders_are_refused(void **state) {
  (void)state;
  lbError err;
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  lbColliderDef def = lb_collider_def();
  lbColliderId id = 0;
  def.position.x = NAN;
  check_fails(lb_world_add_collider(world, &def, &id, &err), LB_ERR_ARGUMENT, err, "position");
  def = lb_collider_def();
  def.friction = -1;
  check_fails(lb_world_add_collider(world, &def, &id, &err), LB_ERR_ARGUMENT, err, "friction");
  def = lb_collider_def();
  def.shape = LB_COLLIDER_SPHERE;
  def.radius = -1;
  check_fails(lb_world_add_collider(world, &def, &id, &err), LB_ERR_ARGUMENT, err, "radius");
  def = lb_collider_def();
  check_ok(lb_world_add_collider(world, &def, &id, &err), err);
  check_ok(lb_world_remove_collider(world, id, &err), err);
  check_fails(lb_world_remove_collider(world, id, &err), LB_ERR_ARGUMENT, err, "any more");
  check_fails(lb_world_move_collider(world, id, lb_vec3(0, 0, 0), lb_quat_identity(), &err),
              LB_ERR_ARGUMENT, err, "any more");
  check_fails(lb_world_add_collider(NULL, &def, &id, &err), LB_ERR_ARGUMENT, err, "world");
  check_fails(lb_world_add_collider(world, NULL, &id, &err), LB_ERR_ARGUMENT, err, "def");
  check_fails(lb_world_add_collider(world, &def, NULL, &err), LB_ERR_ARGUMENT, err, "id");
  assert_int_equal(lb_world_contact_count(NULL), 0);
  lb_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_rests_on_the_ground_by_its_weight),
    cmocka_unit_test(a_block_on_an_incline_slips_at_the_angle_of_friction),
    cmocka_unit_test(a_sliding_block_stops_where_coulomb_says),
    cmocka_unit_test(a_bouncing_block_never_gains_energy),
    cmocka_unit_test(colliding_bodies_keep_their_momentum),
    cmocka_unit_test(a_stack_of_five_stands),
    cmocka_unit_test(a_restored_world_goes_on_to_the_bit),
    cmocka_unit_test(wrong_colliders_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
