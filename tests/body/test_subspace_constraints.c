// Springs and hard constraints: of subspace bodies, and springs of modal ones.
#include "toy_subspace.h"

static lbBodyDef turned_def(lbIntegrator integrator) {
  lbBodyDef def = toy_turned();
  def.method = LB_METHOD_SUBSPACE;
  def.integrator = integrator;
  def.gravity = lb_vec3(0.05, -0.1, -0.5);
  return def;
}

static int32_t add_spring(lbBody *body, lbPoint point, const double *target, double stiffness,
                          double damping) {
  lbConstraintDef def = lb_constraint_def();
  int32_t id = -1;
  def.point_count = 1, def.points = &point, def.targets = target;
  def.stiffness = stiffness, def.damping = damping;
  body_ok(body, lb_body_add_constraint(body, &def, &id));
  return id;
}

static double step_of(const lbBody *body) { // legal for both integrators
  double stable = lb_body_stable_step(body);
  return isinf(stable) ? 5e-3 : 0.4 * stable;
}

// ---- hard constraints --------------------------------------------------------------------------

static void positions_are_met_at_the_end_of_every_step(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int integrator = 0; integrator < 2; integrator++) {
    lbBodyDef def = turned_def((lbIntegrator)(2 * integrator));
    lbBody *body = sub_body(&sub, &def);
    lbPoint points[2];
    double targets[6], start[6];
    pick_points(body, 2, points, targets, 5);
    for (int i = 0; i < 2; i++) lb_vec3_store(start + 3 * i, where(body, points[i]));
    int32_t id = constrain(body, LB_CONSTRAIN_POSITION, 2, points, start);
    double worst = 0, h = step_of(body);
    for (int step = 1; step <= 200; step++) {
      double now[6];
      for (int i = 0; i < 6; i++)
        now[i] = start[i] + fmin(step / 100.0, 1) * (targets[i] - start[i]);
      body_ok(body, lb_body_set_target(body, id, now));
      assert_int_equal(lb_body_step(body, h), 0);
      for (int i = 0; i < 2; i++)
        worst = fmax(worst, toy_distance(where(body, points[i]), lb_vec3_load(now + 3 * i)));
    }
    assert_int_equal(lb_body_constraint_rank(body), 6);
    check_small(worst, 1e-10);
    lbVec3 velocity; // held since a while
    body_ok(body, lb_body_point(body, points[0], NULL, &velocity));
    check_small(lb_length(velocity), 1e-8);
    lb_body_destroy(body);
  }
  sub_destroy(&sub);
}

static void velocities_and_accelerations_are_met_too(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int integrator = 0; integrator < 2; integrator++) {
    lbBodyDef def = turned_def((lbIntegrator)(2 * integrator));
    lbBody *body = sub_body(&sub, &def);
    lbPoint points[2];
    double targets[6], wanted[3] = { 0.01, -0.02, 0.015 };
    pick_points(body, 2, points, targets, 5);
    constrain(body, LB_CONSTRAIN_VELOCITY, 1, points, wanted);
    double h = step_of(body), worst = 0;
    for (int step = 0; step < 100; step++) {
      assert_int_equal(lb_body_step(body, h), 0);
      lbVec3 velocity;
      body_ok(body, lb_body_point(body, points[0], NULL, &velocity));
      worst = fmax(worst, toy_distance(velocity, lb_vec3_load(wanted)));
    }
    check_small(worst, 1e-10);
    // From rest, an acceleration along one axis.
    lbBody *other = sub_body(&sub, &def);
    uint8_t axis = 4;
    double acceleration[3] = { 0, 0, 0.5 };
    lbConstraintDef one = lb_constraint_def();
    int32_t id;
    one.kind = LB_CONSTRAIN_ACCELERATION, one.point_count = 1, one.points = points + 1;
    one.targets = acceleration, one.axes = &axis;
    body_ok(other, lb_body_add_constraint(other, &one, &id));
    for (int step = 0; step < 20; step++) assert_int_equal(lb_body_step(other, h), 0);
    lbVec3 velocity;
    body_ok(other, lb_body_point(other, points[1], NULL, &velocity));
    check_near(velocity.z, 0.5 * 20 * h, 0.05 * 0.5 * 20 * h);
    double force[3];
    body_ok(other, lb_body_constraint_force(other, id, force));
    assert_true(force[0] == 0 && force[1] == 0 && force[2] != 0);
    lb_body_destroy(body);
    lb_body_destroy(other);
  }
  sub_destroy(&sub);
}

// The same point twice, and more rows than vectors: the least squares are taken, energy stays.
static void too_many_constraints_do_no_harm(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBodyDef def = turned_def(LB_INTEGRATOR_NEWMARK);
  lbBody *body = sub_body(&sub, &def);
  lbPoint points[8];
  double targets[24];
  pick_points(body, 4, points, targets, 9);
  for (int i = 0; i < 4; i++) points[4 + i] = points[i];
  memcpy(targets + 12, targets, 12 * sizeof(double));
  constrain(body, LB_CONSTRAIN_POSITION, 8, points, targets);
  for (int step = 0; step < 500; step++) {
    assert_int_equal(lb_body_step(body, 5e-3) & LB_STEP_NONFINITE, 0);
    assert_true(lb_body_constraint_rank(body) <= 12);
  }
  lbBodyReport report = lb_body_report(body);
  print_message("kinetic %.2e J, elastic %.2e J, rank %d of 24\n", report.kinetic, report.elastic,
                (int)lb_body_constraint_rank(body));
  check_small(report.kinetic, 1e-9 + 1e-3 * report.elastic);
  for (int i = 0; i < 4; i++)
    check_small(toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i)), 1e-10);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

static void a_held_point_without_damping_keeps_its_energy_bounded(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int springs = 0; springs < 2; springs++) {
    lbBodyDef def = turned_def(LB_INTEGRATOR_NEWMARK);
    def.damping_mass = def.damping_stiffness = 0;
    def.gravity = lb_vec3(0, 0, 0);
    def.newton_iterations = 10;
    lbBody *body = sub_body(&sub, &def);
    lbPoint points[2];
    double targets[6];
    pick_points(body, 2, points, targets, 11);
    if (springs)
      for (int i = 0; i < 2; i++) add_spring(body, points[i], targets + 3 * i, 1e12, 0);
    else
      constrain(body, LB_CONSTRAIN_POSITION, 2, points, targets);
    double most = 0, last = 0;
    for (int step = 0; step < 2000; step++) {
      assert_int_equal(lb_body_step(body, 1.0 / 60) & LB_STEP_NONFINITE, 0);
      last = sub_energy(body);
      if (step < 100) most = fmax(most, last);
      assert_true(last <= 1.1 * most);
    }
    print_message("energy %.3g J at first, %.3g J after 2000 steps\n", most, last);
    lb_body_destroy(body);
  }
  sub_destroy(&sub);
}

// ---- springs -----------------------------------------------------------------------------------

// A body put where `body` is stays there under a force instead of a constraint.
static void check_balance(const lbBody *body, lbBody *pushed, lbPoint point, lbVec3 force,
                          double h) {
  double q[64], v[64] = { 0 };
  lb_body_get_state(body, q, NULL);
  body_ok(pushed, lb_body_set_state(pushed, q, v));
  for (int step = 0; step < 3; step++) {
    body_ok(pushed, lb_body_apply_force(pushed, point, force));
    lb_body_step(pushed, h);
  }
  check_small(sub_difference(body, pushed), 1e-6);
}

// At rest a spring pulls with k times its length, and the bar answers with the same force.
static void a_spring_ends_where_a_force_would(lbBody *body, lbBody *pushed, lbPoint point,
                                              double stiffness, double tolerance) {
  lbVec3 start = where(body, point);
  double target[3] = { start.x + 0.02, start.y - 0.03, start.z + 0.05 }, force[3];
  int32_t id = add_spring(body, point, target, stiffness, 0);
  double h = step_of(body), stable = isinf(lb_body_stable_step(body)) ? 1 : 0;
  int steps = stable ? 3000 : 40000;
  for (int step = 0; step < steps; step++) {
    assert_int_equal(lb_body_step(body, h), 0);
    if (step + 1 < steps) continue;
    body_ok(body, lb_body_constraint_force(body, id, force));
    lbVec3 x = where(body, point);
    double scale = lb_length(lb_vec3_load(force));
    print_message("k = %.0e: force %.4g N, %.2e m from its target\n", stiffness, scale,
                  toy_distance(x, lb_vec3_load(target)));
    if (stiffness < 1e6)
      check_small(
          toy_distance(lb_scale(stiffness, lb_sub(lb_vec3_load(target), x)), lb_vec3_load(force)) /
              scale,
          tolerance);
    else
      check_small(toy_distance(x, lb_vec3_load(target)), 1e-8);
  }
  check_balance(body, pushed, point, lb_vec3_load(force), h);
}

static void springs_of_both_methods_end_where_a_force_would(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  const double stiffness[3] = { 3, 300, 1e12 };
  for (int kind = 0; kind < 3; kind++)
    for (int i = 0; i < 3; i++) {
      lbBodyDef def = turned_def(kind == 2 ? LB_INTEGRATOR_CENTRAL : LB_INTEGRATOR_NEWMARK);
      if (kind == 0) def.method = LB_METHOD_MODAL;
      if (kind == 2 && i == 1) continue; // 40000 small steps each
      def.damping_mass = 4, def.damping_stiffness = 1e-3 * kind;
      lbBody *body = sub_body(&sub, &def), *pushed = sub_body(&sub, &def);
      a_spring_ends_where_a_force_would(body, pushed, lb_point_node(sub_tip(&sub)), stiffness[i],
                                        1e-4);
      lb_body_destroy(body);
      lb_body_destroy(pushed);
    }
  sub_destroy(&sub);
}

// A point on a spring of any stiffness, dragged about: everything stays finite and near.
static void springs_are_stable_at_any_stiffness_and_step(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int kind = 0; kind < 3; kind++)
    for (double k = 1e-6; k <= 1e30; k *= 1e6)
      for (double h = 1e-4; h < 0.2; h *= 10) {
        lbBodyDef def = turned_def(kind == 2 ? LB_INTEGRATOR_CENTRAL : LB_INTEGRATOR_NEWMARK);
        if (kind == 0) def.method = LB_METHOD_MODAL;
        lbBody *body = sub_body(&sub, &def);
        if (kind == 2 && h > 0.5 * lb_body_stable_step(body)) {
          lb_body_destroy(body);
          continue;
        }
        lbPoint tip = lb_point_node(sub_tip(&sub));
        lbVec3 start = where(body, tip);
        double target[3], largest_seen = 0, push[3];
        lb_vec3_store(target, start);
        int32_t id = add_spring(body, tip, target, k, k * 1e-3 <= 1e100 ? 1e-3 * k : 0);
        for (int step = 0; step < 100; step++) {
          target[2] = start.z + 0.05 * sin(0.3 * step);
          body_ok(body, lb_body_set_target(body, id, target));
          assert_int_equal(lb_body_step(body, h) & LB_STEP_NONFINITE, 0);
          largest_seen = fmax(largest_seen, toy_distance(where(body, tip), start));
          body_ok(body, lb_body_constraint_force(body, id, push));
          assert_true(isfinite(push[0] + push[1] + push[2]));
        }
        if (!(largest_seen < 2)) print_message("method %d, k %g, h %g\n", kind, k, h);
        check_small(largest_seen, 2);
        lb_body_destroy(body);
      }
  sub_destroy(&sub);
}

static void the_force_of_a_held_point_is_what_holds_it(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int kind = 0; kind < 2; kind++) {
    lbBodyDef def = turned_def(kind ? LB_INTEGRATOR_CENTRAL : LB_INTEGRATOR_NEWMARK);
    def.damping_mass = 4, def.damping_stiffness = 0;
    lbBody *body = sub_body(&sub, &def), *pushed = sub_body(&sub, &def);
    lbPoint tip = lb_point_node(sub_tip(&sub));
    lbVec3 start = where(body, tip);
    double target[3] = { start.x, start.y + 0.01, start.z + 0.05 }, force[3], h = step_of(body);
    int32_t id = constrain(body, LB_CONSTRAIN_POSITION, 1, &tip, target);
    int steps = (int)(60 / h); // fast shapes die out slowly under Newmark's rule
    for (int i = 0; i < steps; i++) lb_body_step(body, h);
    body_ok(body, lb_body_constraint_force(body, id, force));
    check_balance(body, pushed, tip, lb_vec3_load(force), h);
    lb_body_destroy(body);
    lb_body_destroy(pushed);
  }
  sub_destroy(&sub);
}

static void springs_that_make_no_sense_are_refused(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBody *body = sub_body(&sub, NULL);
  lbPoint tip = lb_point_node(sub_tip(&sub));
  lbConstraintDef def = lb_constraint_def();
  int32_t id;
  assert_true(isinf(def.stiffness) && def.damping == 0);
  def.point_count = 1, def.points = &tip;
  def.stiffness = -1;
  body_refuses(body, lb_body_add_constraint(body, &def, &id), "stiffness");
  def.stiffness = NAN;
  body_refuses(body, lb_body_add_constraint(body, &def, &id), "stiffness");
  def.stiffness = INFINITY, def.damping = 1;
  body_refuses(body, lb_body_add_constraint(body, &def, &id), "springs");
  def.stiffness = 1, def.kind = LB_CONSTRAIN_VELOCITY;
  body_refuses(body, lb_body_add_constraint(body, &def, &id), "positions");
  def.kind = LB_CONSTRAIN_POSITION, def.force_point_count = 1, def.force_points = &tip;
  body_refuses(body, lb_body_add_constraint(body, &def, &id), "own points");
  double force[3];
  assert_int_equal(lb_body_constraint_force(body, 5, force), LB_ERR_ARGUMENT);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(positions_are_met_at_the_end_of_every_step),
    cmocka_unit_test(velocities_and_accelerations_are_met_too),
    cmocka_unit_test(too_many_constraints_do_no_harm),
    cmocka_unit_test(a_held_point_without_damping_keeps_its_energy_bounded),
    cmocka_unit_test(springs_of_both_methods_end_where_a_force_would),
    cmocka_unit_test(springs_are_stable_at_any_stiffness_and_step),
    cmocka_unit_test(the_force_of_a_held_point_is_what_holds_it),
    cmocka_unit_test(springs_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
