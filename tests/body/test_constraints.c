// Constraints: targets are met, they come and go, and a body whose points are held keeps its energy
// bounded.
#include "constraint_points.h"

static void set_regime(const Toy *toy, int regime, lbBodyDef *def) {
  double slowest = sqrt(toy->model->modal_eigenvalues[0]),
         fastest = sqrt(toy->model->modal_eigenvalues[BAR_MODES - 1]);
  def->damping_stiffness = 0;
  def->damping_mass = regime == 0 ? 0.2 : regime == 1 ? 2 * slowest : 3 * fastest;
}

static void positions_are_met_in_every_regime(void **state) {
  (void)state;
  Toy toy = toy_bar();
  for (int regime = 0; regime < 3; regime++)
    for (int32_t count = 1; count <= 10; count += 3) {
      lbBodyDef def = toy_turned();
      set_regime(&toy, regime, &def);
      def.gravity = lb_vec3(0, 0, -9.81);
      lbBody *body = toy_body(&toy, &def);
      toy_shake(body, 0.01, 9);
      lbPoint points[10];
      double targets[30];
      pick_points(body, count, points, targets, 4);
      int32_t id = constrain(body, LB_CONSTRAIN_POSITION, count, points, targets);
      for (int step = 0; step < 5; step++) {
        for (int i = 0; i < 3 * count; i++) targets[i] += 1e-3 * step;
        body_ok(body, lb_body_set_target(body, id, targets));
        body_ok(body, lb_body_apply_force(body, lb_point_node(11), lb_vec3(1, 2, 3)));
        assert_int_equal(lb_body_step(body, 1e-3), 0);
        assert_int_equal(lb_body_constraint_rank(body), 3 * count);
        for (int i = 0; i < count; i++)
          check_small(toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i)), 1e-10);
      }
      lb_body_destroy(body);
    }
  toy_destroy(&toy);
}

static void velocities_and_accelerations_are_met_at_the_start(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  const double h = 1e-7; // so short that the end is nearly the start
  const double velocity[3] = { 0.3, -0.1, 0.2 }, acceleration[3] = { 5, 6, -7 };
  lbPoint point = lb_point_vertex(30);
  lbVec3 before, after;
  lbBody *body = toy_body(&toy, &def);
  toy_shake(body, 0.001, 2);
  constrain(body, LB_CONSTRAIN_VELOCITY, 1, &point, velocity);
  assert_int_equal(lb_body_step(body, h), 0);
  body_ok(body, lb_body_point(body, point, NULL, &after));
  check_small(toy_distance(after, lb_vec3_load(velocity)), 1e-3);
  lb_body_destroy(body);
  body = toy_body(&toy, &def);
  toy_shake(body, 0.001, 2);
  constrain(body, LB_CONSTRAIN_ACCELERATION, 1, &point, acceleration);
  body_ok(body, lb_body_point(body, point, NULL, &before));
  assert_int_equal(lb_body_step(body, h), 0);
  body_ok(body, lb_body_point(body, point, NULL, &after));
  lbVec3 rate = lb_scale(1 / h, lb_sub(after, before));
  check_small(toy_distance(rate, lb_vec3_load(acceleration)), 1e-2);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

// The rule of limber/body.h, for all kinds at once.
static void mixed_kinds_are_met_together_to_the_last_digits(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  def.damping_stiffness = 1e-4;
  lbBody *body = toy_body(&toy, &def);
  toy_shake(body, 0.01, 21);
  lbPoint points[6];
  double targets[18], h = 1e-3;
  pick_points(body, 6, points, targets, 3);
  const double velocities[6] = { 0.1, 0.2, 0.3, -1, 0, 1 },
               accelerations[6] = { 1, 2, 3, 9, 0, -9 };
  constrain(body, LB_CONSTRAIN_POSITION, 2, points, targets);
  constrain(body, LB_CONSTRAIN_VELOCITY, 2, points + 2, velocities);
  constrain(body, LB_CONSTRAIN_ACCELERATION, 2, points + 4, accelerations);
  lbVec3 start[6], rate[6];
  for (int i = 0; i < 6; i++) body_ok(body, lb_body_point(body, points[i], &start[i], &rate[i]));
  assert_int_equal(lb_body_step(body, h), 0);
  assert_int_equal(lb_body_constraint_rank(body), 18);
  for (int i = 0; i < 6; i++) {
    lbVec3 place, velocity, goal = lb_vec3_load(targets + 3 * i), speed;
    body_ok(body, lb_body_point(body, points[i], &place, &velocity));
    if (i >= 2) goal = lb_add_scaled(start[i], h, lb_vec3_load(velocities + 3 * (i % 2)));
    if (i >= 4) {
      lbVec3 a = lb_vec3_load(accelerations + 3 * (i - 4));
      goal = lb_add_scaled(lb_add_scaled(start[i], h, rate[i]), 0.5 * h * h, a);
      speed = lb_add_scaled(rate[i], h, a);
    } else
      speed = lb_scale(1 / h, lb_sub(goal, start[i]));
    check_small(toy_distance(place, goal), 1e-10);
    check_small(toy_distance(velocity, speed), 1e-7);
  }
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void single_axes_are_constrained_in_world_axes(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  lbBody *body = toy_body(&toy, &def), *other = toy_body(&toy, &def);
  toy_shake(body, 0.01, 6), toy_shake(other, 0.01, 6);
  lbPoint point = lb_point_vertex(30), elsewhere = lb_point_node(40);
  uint8_t axes = 5;
  double target[3];
  lb_vec3_store(target, lb_add(where(body, point), lb_vec3(0.01, 50, -0.01)));
  lbConstraintDef c = lb_constraint_def();
  c.point_count = 1, c.points = &point, c.axes = &axes, c.targets = target;
  c.force_point_count = 1, c.force_points = &elsewhere;
  body_ok(body, lb_body_add_constraint(body, &c, NULL));
  for (int turn = 0; turn < 2; turn++) {
    assert_int_equal(lb_body_step(body, 0.002), 0);
    assert_int_equal(lb_body_constraint_rank(body), 2);
    check_near(where(body, point).x, target[0], 1e-10);
    check_near(where(body, point).z, target[2], 1e-10);
    assert_true(fabs(where(body, point).y - target[1]) > 1);
    // a new rotation makes a new system
    body_ok(body, lb_body_set_placement(body, lb_vec3(0, 0, 0),
                                        lb_quat_from_axis_angle(lb_vec3(1, 1, 0), 2)));
    lb_vec3_store(target, lb_add(where(body, point), lb_vec3(0.001, 50, 0)));
    body_ok(body, lb_body_set_target(body, 0, target));
  }
  lb_body_destroy(body), lb_body_destroy(other);
  toy_destroy(&toy);
}

static void neighbours_that_can_hardly_be_told_apart_still_meet_their_targets(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBody *body = toy_body(&toy, NULL);
  const double apart = 1e-3;
  int32_t t = 0; // a triangle well away from the end that is held
  for (bool near = true; near; t += near) {
    near = false;
    for (int i = 0; i < 3; i++)
      near |= toy.model->vertex_positions[3 * toy.model->triangles[3 * t + i]] < 0.5;
  }
  lbPoint points[3] = { lb_point_triangle(t, 0.4, 0.3, 0.3),
                        lb_point_triangle(t, 0.4 - apart, 0.3 + apart, 0.3),
                        lb_point_triangle(t, 0.4 - apart, 0.3, 0.3 + apart) };
  double targets[9];
  for (int i = 0; i < 3; i++)
    lb_vec3_store(targets + 3 * i, lb_add(where(body, points[i]), lb_vec3(0.01, 0.02, -0.01)));
  constrain(body, LB_CONSTRAIN_POSITION, 3, points, targets);
  for (int step = 0; step < 10; step++) assert_int_equal(lb_body_step(body, 1e-3), 0);
  assert_int_equal(lb_body_constraint_rank(body), 9);
  for (int i = 0; i < 3; i++) {
    double missed = toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i));
    check_small(missed, 1e-12);
  }
  lb_body_destroy(body);
  toy_destroy(&toy);
}

// ---- holding -----------------------------------------------------------------------------------

static void holding_points_at_a_large_step_keeps_the_energy_bounded(void **state) {
  (void)state;
  Toy toy = toy_bar();
  const double h = 1.0 / 20;
  assert_true(sqrt(toy.model->modal_eigenvalues[BAR_MODES - 1]) * h >
              2 * LB_PI); // far above half the step rate
  assert_true(sqrt(toy.model->modal_eigenvalues[0]) * h < LB_PI);
  for (int32_t count = 1; count <= 2; count++) {
    lbBodyDef def = lb_body_def();
    def.damping_mass = def.damping_stiffness = 0; // nothing helps
    lbBody *body = toy_body(&toy, &def);
    toy_shake(body, 0.01, 13);
    lbBodyReport report = lb_body_report(body);
    double start = report.kinetic + report.elastic, most = 0;
    lbPoint points[2];
    double targets[6];
    pick_points(body, 2, points, targets, 1);
    constrain(body, LB_CONSTRAIN_POSITION, count, points, NULL);
    lbVec3 at = where(body, points[0]);
    for (int step = 0; step < 2000; step++) {
      assert_int_equal(lb_body_step(body, h), 0);
      if (step % 8) continue;
      report = lb_body_report(body);
      most = fmax(most, report.kinetic + report.elastic);
      check_small(toy_distance(where(body, points[0]), at), 1e-10);
    }
    print_message("%d points: energy at most %.3g of the start's\n", (int)count, most / start);
    assert_true(most <= (1 + 1e-12) * start);
    lb_body_destroy(body);
  }
  toy_destroy(&toy);
}

static void constraints_come_and_go_while_a_body_runs(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBody *body = toy_body(&toy, NULL);
  lbPoint points[8];
  double targets[24];
  int32_t ids[4];
  pick_points(body, 8, points, targets, 17);
  for (int i = 0; i < 4; i++)
    ids[i] = constrain(body, LB_CONSTRAIN_POSITION, 2, points + 2 * i, targets + 6 * i);
  assert_int_equal(lb_body_constraint_rank(body), 0);
  lb_body_step(body, 0.001);
  body_ok(body, lb_body_remove_constraint(body, ids[1]));
  body_refuses(body, lb_body_remove_constraint(body, ids[1]), "was removed");
  body_refuses(body, lb_body_set_target(body, ids[1], targets), "was removed");
  int32_t again = constrain(body, LB_CONSTRAIN_POSITION, 2, points + 2, targets + 6);
  assert_int_not_equal(again, ids[1]);
  body_refuses(body, lb_body_remove_constraint(body, ids[1]), "was removed");
  body_ok(body, lb_body_remove_constraint(body, ids[0]));
  for (int i = 6; i < 24; i++) targets[i] += 0.003;
  body_ok(body, lb_body_set_target(body, ids[3], targets + 18));
  body_ok(body, lb_body_set_target(body, again, targets + 6));
  body_ok(body, lb_body_set_target(body, ids[2], targets + 12));
  assert_int_equal(lb_body_step(body, 0.001), 0);
  for (int i = 2; i < 8; i++)
    check_small(toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i)), 1e-10);
  assert_int_equal(lb_body_step(body, 0.004), 0); // another step length, another system
  for (int i = 2; i < 8; i++)
    check_small(toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i)), 1e-10);
  body_ok(body, lb_body_remove_constraint(body, ids[2]));
  body_ok(body, lb_body_remove_constraint(body, ids[3]));
  body_ok(body, lb_body_remove_constraint(body, again));
  lbBody *other = toy_body(&toy, NULL); // free again: as if there had never been any
  double q[BAR_MODES], v[BAR_MODES], oq[BAR_MODES], ov[BAR_MODES];
  lb_body_get_state(body, q, v);
  body_ok(other, lb_body_set_state(other, q, v));
  lb_body_step(body, 0.01), lb_body_step(other, 0.01);
  lb_body_get_state(body, q, v), lb_body_get_state(other, oq, ov);
  assert_memory_equal(q, oq, sizeof q);
  assert_memory_equal(v, ov, sizeof v);
  lb_body_destroy(body), lb_body_destroy(other);
  toy_destroy(&toy);
}

static void constraints_that_make_no_sense_are_refused(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef body_def = lb_body_def();
  body_def.constrained_points = 3;
  lbBody *body = toy_body(&toy, &body_def);
  lbPoint points[4];
  double targets[12];
  uint8_t axes[4] = { 7, 0, 7, 7 };
  pick_points(body, 4, points, targets, 17);
  lbConstraintDef good = lb_constraint_def(), def = good;
  good.points = points, good.point_count = 3, good.targets = targets;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "point_count is 0");
  def = good, def.point_count = 4;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "no room for 4 more points");
  def = good, def.force_point_count = 4, def.force_points = points;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "no room for 4 more force points");
  def = good, def.force_point_count = 1;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "force_point_count is 1");
  def = good, def.kind = (lbConstraintKind)3;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "kind is 3");
  def = good, def.axes = axes;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "axes of point 1");
  targets[4] = NAN;
  body_refuses(body, lb_body_add_constraint(body, &good, NULL), "target 1 of point 1");
  targets[4] = 1e200;
  body_refuses(body, lb_body_add_constraint(body, &good, NULL), "target 1 of point 1");
  targets[4] = 0;
  body_refuses(body, lb_body_set_target(body, 0, targets), "no constraint 0");
  body_refuses(body, lb_body_remove_constraint(body, -1), "no constraint -1");
  body_refuses(body, lb_body_remove_constraint(body, INT32_MAX), "no constraint");
  int32_t id;
  body_ok(body, lb_body_add_constraint(body, &good, &id));
  def = good, def.point_count = 1;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "no room for 1 more points");
  body_refuses(body, lb_body_set_target(body, id, NULL), "no targets");
  targets[8] = -INFINITY;
  body_refuses(body, lb_body_set_target(body, id, targets), "target 2 of point 2");
  lb_body_destroy(body);
  body_def.constrained_points = 0;
  body = toy_body(&toy, &body_def);
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "no room");
  body_refuses(body, lb_body_remove_constraint(body, 0), "no constraint 0");
  lb_body_destroy(body);
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(positions_are_met_in_every_regime),
    cmocka_unit_test(velocities_and_accelerations_are_met_at_the_start),
    cmocka_unit_test(mixed_kinds_are_met_together_to_the_last_digits),
    cmocka_unit_test(single_axes_are_constrained_in_world_axes),
    cmocka_unit_test(neighbours_that_can_hardly_be_told_apart_still_meet_their_targets),
    cmocka_unit_test(holding_points_at_a_large_step_keeps_the_energy_bounded),
    cmocka_unit_test(constraints_come_and_go_while_a_body_runs),
    cmocka_unit_test(constraints_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
