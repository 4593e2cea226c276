// Rigid bodies: they tumble, roll, rest, and strike bodies that deform.
#include "rigid_bodies.h"

static const lbVec3 down = { 0, 0, -9.81 };

// ---- in the air --------------------------------------------------------------------------------

static void a_tumbling_box_keeps_its_momenta_and_its_energy(void **state) {
  (void)state;
  lbModel *model = rigid_box(0.2, 0.3, 0.5, 700);
  const lbVec3 spins[] = { { 0.05, 5, 0.02 }, { 3, 0.1, -8 }, { 0.1, 40, 0.3 } };
  for (size_t i = 0; i < sizeof spins / sizeof *spins; i++) {
    lbWorld *world = rigid_world(lb_vec3(0, 0, 0), false, 0);
    lbBodyId id = add_block(world, model, lb_vec3(1, 2, 3));
    lbBody *body = lb_world_body(world, id);
    lb_body_set_velocity(body, lb_vec3(0.3, -1, 0.2), spins[i]);
    lbBodyReport first = lb_body_report(body), last;
    double most = 0;
    for (int step = 0; step < 1200; step++) {
      assert_int_equal(lb_world_step(world, 1.0 / 60), 0);
      last = lb_body_report(body);
      most = fmax(most, fabs(last.kinetic / first.kinetic - 1));
    }
    double linear = lb_length(lb_sub(last.linear_momentum, first.linear_momentum)) /
                    lb_length(first.linear_momentum);
    double angular = lb_length(lb_sub(last.angular_momentum, first.angular_momentum)) /
                     lb_length(first.angular_momentum);
    print_message("momenta off by %.2g and %.2g, energy by at most %.2g\n", linear, angular, most);
    check_small(linear, 1e-13);
    check_small(angular, 1e-12);
    check_small(most, 2e-2);
    lb_world_destroy(world);
  }
  lb_model_destroy(model);
}

static void a_ball_falls_as_far_as_gravity_says(void **state) {
  (void)state;
  lbModel *model = rigid_ball(0.1, 2000);
  lbWorld *world = rigid_world(down, true, 0.5);
  lbBodyId id = add_block(world, model, lb_vec3(0, 0, 100));
  for (int step = 0; step < 120; step++) lb_world_step(world, 1.0 / 60);
  double z = lb_body_frame(lb_world_body(world, id)).position.z;
  check_near(z, 100 - 0.5 * 9.81 * 4, 1e-9);
  check_near(lb_body_report(lb_world_body(world, id)).mass, 4.0 / 3 * LB_PI * 1e-3 * 2000, 1e-9);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

// ---- on the ground -----------------------------------------------------------------------------

static void a_ball_that_slides_ends_up_rolling(void **state) {
  (void)state;
  double r = 0.1;
  lbModel *model = rigid_ball(r, 1000);
  lbWorld *world = rigid_world(down, true, 0.4);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, model, lb_vec3(0, 0, r));
  lbBody *body = lb_world_body(world, id);
  lb_body_set_velocity(body, lb_vec3(2, 0, 0), lb_vec3(0, 0, 0));
  double lowest = r, highest = r;
  for (int step = 0; step < 120; step++) {
    lb_world_step(world, 1.0 / 60);
    lowest = fmin(lowest, lb_body_frame(body).position.z);
    highest = fmax(highest, lb_body_frame(body).position.z);
  }
  lbFrame frame = lb_body_frame(body);
  print_message("v %.6g m/s of %.6g, r w %.6g, height %.3g to %.3g of r\n", frame.linear_velocity.x,
                2 * 5.0 / 7, r * frame.angular_velocity.y, lowest / r, highest / r);
  check_near(frame.linear_velocity.x, 2 * 5.0 / 7, 0.01);
  check_near(r * frame.angular_velocity.y, frame.linear_velocity.x, 1e-3);
  check_near(lowest, r, 1e-4);
  check_near(highest, r, 1e-4);
  double before = frame.linear_velocity.x; // and it rolls on
  for (int step = 0; step < 300; step++) lb_world_step(world, 1.0 / 60);
  check_near(lb_body_frame(body).linear_velocity.x, before, 1e-6);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

static void a_ball_rolls_down_a_slope_at_five_sevenths(void **state) {
  (void)state;
  double angle = 0.2, r = 0.2;
  lbModel *model = rigid_ball(r, 1000);
  lbWorld *world = rigid_world(lb_vec3(9.81 * sin(angle), 0, -9.81 * cos(angle)), true, 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, model, lb_vec3(0, 0, r));
  for (int step = 0; step < 120; step++) lb_world_step(world, 1.0 / 60);
  double v = lb_body_frame(lb_world_body(world, id)).linear_velocity.x;
  print_message("v %.6g m/s of %.6g\n", v, 5.0 / 7 * 9.81 * sin(angle) * 2);
  check_near(v / (5.0 / 7 * 9.81 * sin(angle) * 2), 1, 2e-3);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

static void what_rests_is_carried_by_its_weight(void **state) {
  (void)state;
  lbColliderDef capsule = lb_collider_def(), hull = capsule;
  capsule.shape = LB_COLLIDER_CAPSULE, capsule.radius = 0.1, capsule.size[2] = 0.3;
  const double corners[] = { -0.1, -0.1, -0.1, 0.2,  -0.1, -0.1, -0.1, 0.2,
                             -0.1, 0.15, 0.15, -0.1, 0.05, 0.05, 0.2 };
  hull.shape = LB_COLLIDER_HULL, hull.vertex_count = 5, hull.vertices = corners;
  lbModel *models[] = { rigid_box(0.2, 0.3, 0.1, 500), rigid_ball(0.1, 3000),
                        rigid_model(capsule, 1000), rigid_model(hull, 1000) };
  const double heights[] = { 0.05, 0.1, 0.25, 0.1 };
  for (int i = 0; i < 4; i++) {
    lbWorld *world = rigid_world(down, true, 0.5);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, models[i], lb_vec3(0, 0, heights[i] + 0.02));
    for (int step = 0; step < 240; step++) lb_world_step(world, 1.0 / 60);
    lbBodyReport report = lb_body_report(lb_world_body(world, id));
    double force = lb_world_contact_force(world, id).z;
    print_message("force %.9g of %.9g N, kinetic %.2g J, height %.6g\n", force, 9.81 * report.mass,
                  report.kinetic, report.centre.z);
    check_near(force / (9.81 * report.mass), 1, 1e-3);
    check_small(report.kinetic, 1e-8);
    lb_world_destroy(world);
    lb_model_destroy(models[i]);
  }
}

static double lowest_gap(const lbWorld *world) {
  double lowest = 0;
  for (int32_t c = 0; c < lb_world_contact_count(world); c++)
    lowest = fmin(lowest, lb_world_contacts(world)[c].gap);
  return lowest;
}

// A thousand times heavier below and in between.
static CHECK_LONG void piles_of_uneven_boxes_stand(void **state) {
  (void)state;
  lbModel *heavy = rigid_box(0.2, 0.2, 0.2, 5000), *light = rigid_box(0.2, 0.2, 0.2, 5);
  const int orders[3][3] = { { 0, 1, 1 }, { 1, 0, 1 }, { 1, 1, 1 } };
  for (int i = 0; i < 3; i++) {
    lbWorld *world = rigid_world(down, true, 0.5);
    lbBodyId ids[3];
    double worst = 0;
    add_plane(world, lb_vec3(0, 0, 1));
    for (int k = 0; k < 3; k++)
      ids[k] = add_block(world, orders[i][k] ? light : heavy, lb_vec3(0.01 * k, 0, 0.1 + 0.2 * k));
    for (int step = 0; step < 180; step++) {
      lb_world_step(world, 1.0 / 60);
      worst = fmin(worst, lowest_gap(world));
    }
    lbVec3 top = lb_body_frame(lb_world_body(world, ids[2])).position;
    print_message("top at %.5g %.5g %.5g, overlap %.2g m\n", top.x, top.y, top.z, worst);
    check_near(top.z, 0.5, 0.01);
    check_near(top.x, 0.02, 0.01);
    check_small(worst, 0.01);
    lb_world_destroy(world);
  }
  lb_model_destroy(heavy), lb_model_destroy(light);
}

// ---- against what deforms ----------------------------------------------------------------------

static void a_ball_falls_on_a_block(const lbModel *block, double density, double speed,
                                    const char *what) {
  lbModel *ball = rigid_ball(0.08, density);
  lbWorld *world = rigid_world(down, true, 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId ids[2] = { add_block(world, block, lb_vec3(-0.1, -0.1, 0)),
                      add_block(world, ball, lb_vec3(0.01, 0.005, 0.35)) };
  lbVec3 force = lb_vec3(0, 0, 0);
  double fastest = 0, worst = 0;
  for (int step = 0; step < (density > 1e5 ? 60 : 150); step++) {
    lb_world_step(world, 1.0 / 60);
    for (int k = 0; k < 2; k++)
      fastest =
          fmax(fastest, lb_length(lb_body_frame(lb_world_body(world, ids[k])).linear_velocity));
    worst = fmin(worst, lowest_gap(world));
  }
  force = lb_world_contact_force(world, ids[1]);
  lbFrame at = lb_body_frame(lb_world_body(world, ids[1]));
  lbBodyReport report = lb_body_report(lb_world_body(world, ids[1]));
  print_message(
      "%s, ball of %.3g kg: at %.3g m, %.4g of its weight, fastest %.3g m/s, overlap %.2g\n", what,
      report.mass, at.position.z, force.z / (9.81 * report.mass), fastest, worst);
  assert_true(fastest < speed);
  assert_true(at.position.z > 0.05);
  check_small(worst, 0.03);
  lb_world_destroy(world);
  lb_model_destroy(ball);
}

// Of 0.2 m, by few elements.
static lbModel *small_block(const char *method, double density) {
  char keys[700];
  snprintf(keys, sizeof keys,
           "'mesh':{'generate':'bar','size':[0.2,0.2,0.2],'cells':[2,2,2],'element':'brick8'},"
           "'material':{'model':'stvk','young':2e8,'poisson':0.3,'density':%g},%s,"
           "'damping':{'stiffness':0.002}",
           density, method);
  return body_model(keys);
}

static void balls_light_and_heavy_fall_on_blocks_of_every_method(void **state) {
  (void)state;
  static const char *const methods[] = { "'method':'subspace','reduce':{'modes':6,'dimension':15}",
                                         "'method':'modal','reduce':{'modes':12}",
                                         "'method':'warp'",
                                         "'method':'frames','frames':{'count':4,'samples':60}" };
  for (int m = 0; m < (CHECK_SANITIZED ? 1 : 4); m++) {
    lbModel *block = soft_block(methods[m], 1e5), *hard = soft_block(methods[m], 2e8);
    a_ball_falls_on_a_block(block, 1000, 3.2, methods[m]);
    a_ball_falls_on_a_block(block, 3.7, 3.2, methods[m]); // the block is 8 kg
    a_ball_falls_on_a_block(hard, 3.7e6, 8, methods[m]);  // it rolls off
    lb_model_destroy(block), lb_model_destroy(hard);
  }
}

// Blocks of 8 kg and 8 000 kg, either one on top: they stand, and nothing gains energy.
static void heavy_and_light_blocks_of_every_method_stand_on_each_other(void **state) {
  (void)state;
  static const char *const names[] = { "'method':'subspace','reduce':{'modes':6,'dimension':15}",
                                       "'method':'modal','reduce':{'modes':12}", "'method':'warp'",
                                       "'method':'frames','frames':{'count':4,'samples':60}" };
  for (int m = 0; m < (CHECK_SANITIZED ? 1 : 4); m++) {
    lbModel *models[2] = { small_block(names[m], 1000), small_block(names[m], 1e6) };
    for (int heavy = 0; heavy < 2; heavy++) {
      lbWorld *world = rigid_world(down, true, 0.5);
      add_plane(world, lb_vec3(0, 0, 1));
      lbBodyId ids[2] = { add_block(world, models[heavy], lb_vec3(-0.1, -0.1, 0)),
                          add_block(world, models[!heavy], lb_vec3(-0.09, -0.095, 0.21)) };
      double first = 0, least = INFINITY, rise = 0, gap = 0;
      for (int step = 0; step < 40; step++) {
        double energy =
            energy_of(lb_world_body(world, ids[0])) + energy_of(lb_world_body(world, ids[1]));
        if (step == 0) first = energy;
        rise = fmax(rise, energy - least), least = fmin(least, energy);
        lb_world_step(world, 1.0 / 60);
        gap = fmin(gap, lowest_gap(world));
      }
      lbVec3 low = lb_body_report(lb_world_body(world, ids[0])).centre;
      lbVec3 top = lb_body_report(lb_world_body(world, ids[1])).centre;
      print_message(
          "%s, %s below: centres at %.4g and %.4g m, %.4g aside, rise %.2g, overlap %.2g\n",
          names[m], heavy ? "heavy" : "light", low.z, top.z, hypot(top.x, top.y), rise / first,
          -gap);
      check_near(low.z, 0.1, 0.005);
      check_near(top.z, 0.3, 0.01);
      check_small(hypot(top.x, top.y), 0.03);
      check_small(rise / first, 0.005);
      check_small(gap, 0.005);
      lb_world_destroy(world);
    }
    lb_model_destroy(models[0]), lb_model_destroy(models[1]);
  }
}

static void collisions_keep_momenta(void **state) {
  (void)state;
  lbModel *box = rigid_box(0.2, 0.25, 0.15, 800), *ball = rigid_ball(0.1, 3000);
  lbModel *block = soft_block("'method':'subspace','reduce':{'modes':6,'dimension':15}", 1e5);
  const lbModel *pairs[3][2] = { { box, ball }, { box, box }, { block, box } };
  for (int i = 0; i < 3; i++) {
    lbWorld *world = rigid_world(lb_vec3(0, 0, 0), true, 0.5);
    lbBodyId ids[2] = { add_block(world, pairs[i][0], lb_vec3(0, 0, 0)),
                        add_block(world, pairs[i][1], lb_vec3(0.5, 0.05, 0.08)) };
    lb_body_set_velocity(lb_world_body(world, ids[0]), lb_vec3(2, 0, 0), lb_vec3(1, 2, -1));
    lbVec3 linear[2], angular[2];
    double pushed = 0;
    for (int step = 0; step <= 60; step++) {
      lbVec3 P = lb_vec3(0, 0, 0), L = P;
      for (int k = 0; k < 2; k++) {
        lbBodyReport r = lb_body_report(lb_world_body(world, ids[k]));
        P = lb_add(P, r.linear_momentum), L = lb_add(L, r.angular_momentum);
      }
      linear[step > 0] = P, angular[step > 0] = L;
      lb_world_step(world, 1.0 / 60);
      pushed = fmax(pushed, lb_length(lb_world_contact_force(world, ids[0])));
    }
    double p = lb_length(lb_sub(linear[1], linear[0])) / lb_length(linear[0]);
    double l = lb_length(lb_sub(angular[1], angular[0])) / lb_length(linear[0]);
    print_message("momenta changed by %.2g and %.2g m, largest force %.3g N\n", p, l, pushed);
    assert_true(pushed > 10);
    check_small(p, 1e-13);
    check_small(l, 1e-12);
    lb_world_destroy(world);
  }
  lb_model_destroy(box), lb_model_destroy(ball), lb_model_destroy(block);
}

// ---- files and states --------------------------------------------------------------------------

static void a_restored_world_goes_on_to_the_bit(void **state) {
  (void)state;
  lbModel *box = rigid_box(0.2, 0.25, 0.15, 800), *ball = rigid_ball(0.1, 3000);
  lbWorld *world = rigid_world(down, true, 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId ids[2] = { add_block(world, box, lb_vec3(0, 0, 0.3)),
                      add_block(world, ball, lb_vec3(0.05, 0, 0.6)) };
  lb_body_set_velocity(lb_world_body(world, ids[0]), lb_vec3(0, 0, 0), lb_vec3(3, 1, 0));
  for (int i = 0; i < 30; i++) lb_world_step(world, 1.0 / 60);
  check_goes_on_to_the_bit(world);
  lb_world_destroy(world);
  lb_model_destroy(box), lb_model_destroy(ball);
}

static void what_has_no_mass_is_refused(void **state) {
  (void)state;
  lbColliderDef shape = lb_collider_def();
  lbModel *model = NULL;
  lbError err;
  shape.shape = LB_COLLIDER_BOX;
  const double densities[] = { 0, -1, NAN, INFINITY };
  for (int i = 0; i < 4; i++) {
    check_fails(lb_rigid_model(&shape, densities[i], &model, &err), LB_ERR_ARGUMENT, err,
                "density");
  }
  shape.size[1] = 0;
  assert_int_not_equal(lb_rigid_model(&shape, 1000, &model, &err), LB_OK);
  shape.shape = LB_COLLIDER_PLANE;
  check_fails(lb_rigid_model(&shape, 1000, &model, &err), LB_ERR_ARGUMENT, err, "plane");
  shape.shape = LB_COLLIDER_MESH;
  check_fails(lb_rigid_model(&shape, 1000, &model, &err), LB_ERR_ARGUMENT, err, "mesh");
  assert_null(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_tumbling_box_keeps_its_momenta_and_its_energy),
    cmocka_unit_test(a_ball_falls_as_far_as_gravity_says),
    cmocka_unit_test(a_ball_that_slides_ends_up_rolling),
    cmocka_unit_test(a_ball_rolls_down_a_slope_at_five_sevenths),
    cmocka_unit_test(what_rests_is_carried_by_its_weight),
    cmocka_unit_test(balls_light_and_heavy_fall_on_blocks_of_every_method),
    cmocka_unit_test(heavy_and_light_blocks_of_every_method_stand_on_each_other),
    cmocka_unit_test(collisions_keep_momenta),
    cmocka_unit_test(a_restored_world_goes_on_to_the_bit),
    cmocka_unit_test(what_has_no_mass_is_refused),
#if !CHECK_SANITIZED // many steps that go the ways of the others
    cmocka_unit_test(piles_of_uneven_boxes_stand),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
