// Forces on unreduced bodies that a step finds or gets: springs, holds, balls, impulses.
#include "rig.h"

// From rest, without gravity, by the linear law: A u = 2 p at the step's end with A = 4M/h² + K,
// and p = k (target - u) along each axis.
static void a_spring_and_a_hold_do_in_a_step_what_a_dense_solve_says(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("linear", HELD));
  size_t n = 3 * (size_t)rig.model->size.node_count;
  double h = 1.0 / 60, *K = lb_alloc(n, n * sizeof(double)), *M = lb_alloc(n, n * sizeof(double));
  double *X = lb_alloc(3 * n, sizeof(double)), *u = nodes_of(&rig);
  dense_of(&rig, K, M);
  for (size_t i = 0; i < n * n; i++) K[i] += 4 / (h * h) * M[i];
  for (size_t k = 0; k < 3; k++) {
    X[n * k + 3 * TIP + k] = 2;
    dense_solve(&rig, K, X + n * k);
  }
  for (int hard = 0; hard < 2; hard++) {
    lbBodyDef def = full_def();
    def.gravity = lb_vec3(0, 0, 0);
    lbBody *body = body_of(&rig, &def);
    lbVec3 rest = where(body, TIP);
    double way[3] = { 0.003, -0.002, 0.01 }, stiffness = hard ? INFINITY : 700, force[3];
    double target[3] = { rest.x + way[0], rest.y + way[1], rest.z + way[2] };
    int32_t id = constrain(body, TIP, target, stiffness, 0);
    // (W X + 1/k) p = way
    lbMat3 S;
    for (size_t i = 0; i < 3; i++)
      for (size_t k = 0; k < 3; k++)
        S.m[3 * i + k] = X[n * k + 3 * TIP + i] + (i == k && !hard ? 1 / stiffness : 0);
    lbVec3 p = lb_mat3_apply(lb_mat3_inverse(S), lb_vec3_load(way));
    assert_int_equal(lb_body_step(body, h), 0);
    lb_body_node_displacements(body, u);
    for (size_t i = 0; i < n; i++)
      check_near(u[i], p.x * X[i] + p.y * X[n + i] + p.z * X[2 * n + i], 1e-12);
    if (hard) check_small(lb_length(lb_sub(where(body, TIP), lb_vec3_load(target))), 1e-14);
    body_ok(body, lb_body_constraint_force(body, id, force));
    assert_true(force[2] > 0);
    lb_body_destroy(body);
  }
  lb_free(K), lb_free(M), lb_free(X), lb_free(u);
  rig_release(&rig);
}

// At rest: the spring's force is k (target - x), and the body hangs as it does under that force.
static void a_spring_at_rest_bends_the_body_as_its_force_does(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  lbBodyDef def = full_def();
  def.damping_mass = 4;
  def.integrator = LB_INTEGRATOR_EULER;
  lbBody *body = body_of(&rig, &def);
  lbVec3 rest = where(body, TIP);
  double target[3] = { rest.x - 0.1, rest.y + 0.1, rest.z + 0.3 }, force[3];
  int32_t id = constrain(body, TIP, target, 60, 0.2);
  int32_t flags = 0;
  for (int step = 0; step < 400; step++) flags |= lb_body_step(body, 1.0 / 20);
  assert_int_equal(flags & ~LB_STEP_ADAPTED, 0);
  body_ok(body, lb_body_constraint_force(body, id, force));
  lbVec3 pull = lb_scale(60, lb_sub(lb_vec3_load(target), where(body, TIP)));
  check_small(lb_length(lb_sub(pull, lb_vec3_load(force))) / lb_length(pull), 1e-7);
  double *load = nodes_of(&rig), *u = nodes_of(&rig), *bent = nodes_of(&rig), largest = 0;
  lbStaticDef statics = lb_static_def();
  lbStaticResult result;
  lbError err;
  fill_load(&rig, pull, load);
  check_ok(lb_fem_static(rig.fem, load, &statics, u, &result, &err), err);
  lb_body_node_displacements(body, bent);
  for (size_t i = 0; i < 3 * (size_t)rig.model->size.node_count; i++) {
    check_near(bent[i], u[i], 1e-7);
    largest = fmax(largest, fabs(u[i]));
  }
  assert_true(largest > 0.05);
  lb_free(load), lb_free(u), lb_free(bent);
  lb_body_destroy(body);
  rig_release(&rig);
}

static int32_t count_failures(int32_t flags) {
  return (flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED)) != 0;
}

static const char *const soft_bodies[] = { SCENE("stvk", HELD DAMPED),
                                           SCENE("corotated", HELD DAMPED),
                                           SCENE("neohookean", HELD DAMPED),
                                           SCENE("stvk", DAMPED) };
static const double stiffnesses[] = { 500, 1e5, INFINITY };

static lbBody *soft_body(const Rig *rig, size_t which) {
  lbBodyDef def = full_def();
  if (which == 3) def.gravity = lb_vec3(0, 0, 0); // nothing holds it
  return body_of(rig, &def);
}

// Dragged by a spring, or held, as a hand does it, at 30 steps a second, then let go.
static void a_soft_body_follows_a_hand_and_comes_to_rest(void **state) {
  (void)state;
  for (size_t i = CHECK_SANITIZED ? 3 : 0; i < 4; i++)
    for (size_t k = 0; k < 3; k++) {
      Rig rig = rig_of(soft_bodies[i]);
      lbBody *body = soft_body(&rig, i);
      lbVec3 rest = where(body, TIP);
      double target[3] = { rest.x, rest.y, rest.z };
      int32_t id = constrain(body, TIP, target, stiffnesses[k], 0), failed = 0;
      for (int step = 0; step < 60; step++) {
        double angle = 0.1 * step;
        target[0] = rest.x - 0.15 * sin(angle), target[1] = rest.y + 0.3 * sin(angle);
        target[2] = rest.z + 0.3 * sin(2 * angle);
        body_ok(body, lb_body_set_target(body, id, target));
        failed += count_failures(lb_body_step(body, 1.0 / 30));
      }
      double away = lb_length(lb_sub(where(body, TIP), lb_vec3_load(target)));
      assert_true(away < (k == 0 ? 0.35 : k == 1 ? 5e-3 : 1e-12));
      body_ok(body, lb_body_remove_constraint(body, id));
      for (int step = 0; step < 200; step++) failed += count_failures(lb_body_step(body, 1.0 / 30));
      assert_int_equal(failed, 0);
      assert_true(lb_body_report(body).kinetic < 1e-3);
      lb_body_destroy(body);
      rig_release(&rig);
    }
}

// A target that jumps by most of the body's length turns elements inside out; the body gets there
// nevertheless, and steps go on.
static void a_yank_does_not_stop_a_body(void **state) {
  (void)state;
  for (size_t i = CHECK_SANITIZED ? 3 : 0; i < 4; i++)
    for (size_t k = 0; k < 3; k++) {
      Rig rig = rig_of(soft_bodies[i]);
      lbBody *body = soft_body(&rig, i);
      lbVec3 rest = where(body, TIP);
      double target[3] = { rest.x - 0.5, rest.y + 0.6, rest.z + 0.5 };
      int32_t failed = 0;
      (void)constrain(body, TIP, target, stiffnesses[k], 0);
      for (int step = 0; step < 30; step++) failed += count_failures(lb_body_step(body, 1.0 / 30));
      double away = lb_length(lb_sub(where(body, TIP), lb_vec3_load(target)));
      if (k > 0) check_small(away, 0.05);
      assert_true(failed < 15);
      lb_body_destroy(body);
      rig_release(&rig);
    }
}

static void a_ball_keeps_the_surface_out(void **state) {
  (void)state;
  for (size_t i = 0; i < 4; i += 3) {
    Rig rig = rig_of(soft_bodies[i]);
    lbBody *body = soft_body(&rig, i);
    size_t count = (size_t)rig.model->size.vertex_count;
    double *surface = lb_alloc(count, 3 * sizeof(double)), least = INFINITY;
    lbVec3 force = lb_vec3(0, 0, 0), most = force;
    lbBall ball = { .radius = 0.1, .stiffness = INFINITY, .velocity = { 0, 0, 0.15 } };
    for (int step = 0; step < 60; step++) {
      ball.centre = lb_vec3(0.8, 0.1, -0.15 + 0.0025 * step);
      body_ok(body, lb_body_push_ball(body, &ball, 1.0 / 60, &force));
      if (lb_length(force) > lb_length(most)) most = force;
      assert_int_equal(count_failures(lb_body_step(body, 1.0 / 60)), 0);
      lb_body_surface(body, surface);
      for (size_t v = 0; v < count; v++)
        least = fmin(least, lb_length(lb_sub(lb_vec3_load(surface + 3 * v), ball.centre)));
    }
    assert_true(most.z < -0.5); // on the ball
    check_small(fmax(0, ball.radius - least), 0.02 * ball.radius);
    lb_free(surface);
    lb_body_destroy(body);
    rig_release(&rig);
  }
}

static void an_impulse_gives_its_momentum(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", ",'position':[1,2,3],'rotation':[0.1,0.2,0.3,1]"));
  lbBodyDef def = full_def();
  def.gravity = lb_vec3(0, 0, 0);
  def.position = lb_vec3(1, 2, 3);
  def.rotation = lb_quat(0.1, 0.2, 0.3, 1);
  lbBody *body = body_of(&rig, &def);
  lbVec3 impulse = lb_vec3(0.3, -0.2, 0.5), at = where(body, TIP);
  assert_int_equal(lb_body_frame_kind(body), LB_FRAME_FREE);
  body_ok(body, lb_body_apply_impulse(body, lb_point_node(TIP), impulse));
  for (int step = 0; step < 3; step++) {
    lbBodyReport report = lb_body_report(body);
    lbVec3 momentum = lb_scale(report.mass, lb_body_frame(body).linear_velocity);
    check_small(lb_length(lb_sub(report.linear_momentum, impulse)), 1e-9);
    check_small(lb_length(lb_sub(report.angular_momentum, lb_cross(at, impulse))),
                step ? 1e-3 : 1e-9); // Newmark's rule keeps it nearly
    check_small(lb_length(lb_sub(momentum, impulse)), 1e-9);
    assert_int_equal(lb_body_step(body, 1e-3), 0);
  }
  body_ok(body, lb_body_apply_radial_impulse(body, lb_vec3(1, 2, 2), 2, 5));
  assert_true(lb_body_report(body).linear_momentum.z > 0.6);
  lb_body_destroy(body);
  rig_release(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_spring_and_a_hold_do_in_a_step_what_a_dense_solve_says),
    cmocka_unit_test(a_spring_at_rest_bends_the_body_as_its_force_does),
    cmocka_unit_test(a_soft_body_follows_a_hand_and_comes_to_rest),
    cmocka_unit_test(a_yank_does_not_stop_a_body),
    cmocka_unit_test(a_ball_keeps_the_surface_out),
    cmocka_unit_test(an_impulse_gives_its_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
