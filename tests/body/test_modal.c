// The modal method against the finite elements it came from.
#include "toy_model.h"

// M u'' + (α M + β K) u' + K u = f as a plain dense system of the whole mesh, by fourth-order
// Runge-Kutta in very small steps.
typedef struct Direct {
  int32_t n;                // 3 x vertices; fixed ones stay 0
  double *K, *mass, *u, *v; // K (n x n)
  double alpha, beta;
} Direct;

static Direct direct_make(const Toy *toy, double alpha, double beta) {
  int32_t n = 3 * toy->mesh->vertex_count;
  size_t bytes = (size_t)n * sizeof(double);
  Direct d = {
    n, calloc((size_t)n, bytes), malloc(bytes), calloc(1, bytes), calloc(1, bytes), alpha, beta
  };
  double *zero = calloc(1, bytes), *unit = calloc(1, bytes);
  lbEvaluation evaluation;
  lbError err;
  for (int32_t j = 0; j < n; j++) {
    d.mass[j] = lb_fem_vertex_masses(toy->fem)[j / 3];
    unit[j] = 1;
    check_ok(
        lb_fem_evaluate(toy->fem, zero, NULL, unit, d.K + (size_t)j * (size_t)n, &evaluation, &err),
        err);
    unit[j] = 0;
  }
  free(zero), free(unit);
  return d;
}

static void direct_free(Direct *d) { free(d->K), free(d->mass), free(d->u), free(d->v); }

static void direct_acceleration(const Direct *d, const uint8_t *fixed, const double *f,
                                const double *u, const double *v, double *a) {
  for (int32_t i = 0; i < d->n; i++) a[i] = f[i] - d->alpha * d->mass[i] * v[i];
  for (int32_t j = 0; j < d->n; j++)
    for (int32_t i = 0; i < d->n; i++)
      a[i] -= d->K[i + (size_t)j * (size_t)d->n] * (u[j] + d->beta * v[j]);
  for (int32_t i = 0; i < d->n; i++) a[i] = fixed[i / 3] ? 0 : a[i] / d->mass[i];
}

static void direct_step(Direct *d, const uint8_t *fixed, const double *f, double h, int count) {
  size_t n = (size_t)d->n;
  double *work = calloc(4 * n, sizeof(double)), *u = work, *v = work + n, *a = work + 2 * n;
  double *sums = calloc(2 * n, sizeof(double));
  const double nodes[4] = { 0, 0.5, 0.5, 1 }, weights[4] = { 1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0 };
  double dt = h / count;
  for (int step = 0; step < count; step++) {
    memset(sums, 0, 2 * n * sizeof(double));
    memset(work, 0, 3 * n * sizeof(double));
    for (int stage = 0; stage < 4; stage++) {
      for (size_t i = 0; i < n; i++) { // from the rates of the stage before: v and a
        double rate = v[i];
        u[i] = d->u[i] + nodes[stage] * dt * rate;
        v[i] = d->v[i] + nodes[stage] * dt * a[i];
      }
      direct_acceleration(d, fixed, f, u, v, a);
      for (size_t i = 0; i < n; i++)
        sums[i] += weights[stage] * v[i], sums[n + i] += weights[stage] * a[i];
    }
    for (size_t i = 0; i < n; i++) d->u[i] += dt * sums[i], d->v[i] += dt * sums[n + i];
  }
  free(work), free(sums);
}

static void with_all_modes_a_body_is_its_finite_elements(void **state) {
  (void)state;
  Toy toy = toy_whole();
  const double dampings[3][2] = { { 0, 0 },
                                  { 0.5, 1e-3 },
                                  { 40, 5e-2 } }; // none, some, beyond critical
  for (int k = 0; k < 3; k++) {
    lbBodyDef def = lb_body_def();
    def.damping_mass = dampings[k][0], def.damping_stiffness = dampings[k][1];
    def.gravity = lb_vec3(0.3, 0, -9.81);
    lbBody *body = toy_body(&toy, &def);
    Direct direct = direct_make(&toy, def.damping_mass, def.damping_stiffness);
    double u[36], f[36], h = 1.0 / 120, worst = 0, most = 0;
    for (int step = 0; step < 10; step++) {
      for (int i = 0; i < 36; i++)
        f[i] = direct.mass[i] * (i % 3 == 0 ? 0.3 : i % 3 == 2 ? -9.81 : 0);
      lbVec3 push = lb_vec3(step < 5 ? 3 : 0, -2 * step, 4);
      body_ok(body, lb_body_apply_force(body, lb_point_node(5), push));
      f[15] += push.x, f[16] += push.y, f[17] += push.z;
      assert_int_equal(lb_body_step(body, h), 0);
      direct_step(&direct, toy.model->node_fixed, f, h, k == 2 ? 1500 : 400);
      lb_body_node_displacements(body, u);
      for (int i = 0; i < 36; i++)
        worst = fmax(worst, fabs(u[i] - direct.u[i])), most = fmax(most, fabs(u[i]));
    }
    check_small(worst, 1e-8 * most);
    assert_true(most > 1e-3);
    check_near(lb_body_time(body), 10 * h, 1e-15);
    direct_free(&direct);
    lb_body_destroy(body);
  }
  toy_destroy(&toy);
}

static void held_forces_do_not_depend_on_the_step(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBody *coarse = toy_body(&toy, NULL), *fine = toy_body(&toy, NULL);
  double a[BAR_MODES], b[BAR_MODES];
  lbVec3 push = lb_vec3(1, 2, -0.5);
  for (int step = 0; step < 10; step++) {
    body_ok(coarse, lb_body_apply_force(coarse, lb_point_vertex(30), push));
    lb_body_step(coarse, 0.05);
    for (int i = 0; i < 16; i++) {
      body_ok(fine, lb_body_apply_force(fine, lb_point_vertex(30), push));
      lb_body_step(fine, 0.05 / 16);
    }
  }
  lb_body_get_state(coarse, a, NULL);
  lb_body_get_state(fine, b, NULL);
  for (int i = 0; i < BAR_MODES; i++) check_near(a[i], b[i], 1e-13);
  lb_body_step(coarse, 0.05); // the force is gone
  lb_body_step(fine, 0.05);
  lb_body_get_state(coarse, a, NULL);
  lb_body_get_state(fine, b, NULL);
  for (int i = 0; i < BAR_MODES; i++) check_near(a[i], b[i], 1e-13);
  lb_body_destroy(coarse), lb_body_destroy(fine);
  toy_destroy(&toy);
}

static void reports_are_those_of_the_nodes(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBodyDef def = toy_turned();
  lbBody *body = toy_body(&toy, &def);
  toy_shake(body, 0.02, 11);
  lbBodyReport report = lb_body_report(body);
  lbVec3 centre = lb_vec3(0, 0, 0), momentum = centre, angular = centre;
  double kinetic = 0, mass = lb_fem_total_mass(toy.fem), u[36];
  for (int32_t n = 0; n < 12; n++) {
    lbVec3 x, v;
    double m = toy.model->node_masses[n];
    body_ok(body, lb_body_point(body, lb_point_node(n), &x, &v));
    centre = lb_add_scaled(centre, m / mass, x);
    momentum = lb_add_scaled(momentum, m, v);
    angular = lb_add_scaled(angular, m, lb_cross(x, v));
    kinetic += 0.5 * m * lb_dot(v, v);
  }
  lbEvaluation evaluation;
  lbError err;
  lb_body_node_displacements(body, u);
  check_ok(lb_fem_evaluate(toy.fem, u, NULL, NULL, NULL, &evaluation, &err), err);
  check_near(report.kinetic, kinetic, 1e-10 * kinetic);
  check_near(report.elastic, evaluation.energy, 1e-9 * evaluation.energy);
  check_small(toy_distance(report.centre, centre), 1e-12);
  check_small(toy_distance(report.linear_momentum, momentum), 1e-11);
  check_small(toy_distance(report.angular_momentum, angular), 1e-11);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void rigid_velocities_reach_the_nodes_that_can_move(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBodyDef def = toy_turned();
  lbBody *body = toy_body(&toy, &def);
  lbVec3 linear = lb_vec3(1, -2, 0.5), angular = lb_vec3(0.3, 0.7, -4);
  lbVec3 centre = lb_body_report(body).centre;
  body_ok(body, lb_body_set_velocity(body, linear, angular));
  for (int32_t n = 0; n < 12; n++) {
    lbVec3 x, v, expected = lb_vec3(0, 0, 0);
    body_ok(body, lb_body_point(body, lb_point_node(n), &x, &v));
    if (!toy.model->node_fixed[n]) expected = lb_add(linear, lb_cross(angular, lb_sub(x, centre)));
    check_small(toy_distance(v, expected), 1e-10);
  }
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void
energy_without_damping_stays_and_damped_bodies_come_to_rest_under_gravity(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = lb_body_def();
  def.damping_mass = def.damping_stiffness = 0;
  lbBody *body = toy_body(&toy, &def);
  toy_shake(body, 0.01, 5);
  lbBodyReport before = lb_body_report(body);
  for (int i = 0; i < 2000; i++) lb_body_step(body, 1.0 / 60);
  lbBodyReport after = lb_body_report(body);
  double start = before.kinetic + before.elastic;
  check_near(after.kinetic + after.elastic, start, 1e-10 * start);
  lb_body_destroy(body);
  def = toy_turned();
  def.damping_mass = 2 * sqrt(toy.model->modal_eigenvalues[0]); // critical for the slowest mode
  double h = 45 / sqrt(toy.model->modal_eigenvalues[0]) / 600;
  def.gravity = lb_vec3(0, 0, -9.81);
  body = toy_body(&toy, &def);
  for (int i = 0; i < 600; i++) lb_body_step(body, h);
  lbVec3 own = lb_mat3_apply_transpose(lb_quat_to_mat3(def.rotation), def.gravity);
  double q[BAR_MODES];
  lb_body_get_state(body, q, NULL);
  for (int i = 0; i < BAR_MODES; i++) {
    double sag = lb_dot(lb_vec3_load(toy.model->modal_gravity + 3 * i), own) /
                 toy.model->modal_eigenvalues[i];
    check_near(q[i], sag, 1e-13);
  }
  body_ok(body, lb_body_set_gravity(body, lb_vec3(0, 0, 0)));
  for (int i = 0; i < 600; i++) lb_body_step(body, h);
  lb_body_get_state(body, q, NULL);
  for (int i = 0; i < BAR_MODES; i++) check_small(q[i], 1e-13);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void forces_and_gravity_may_come_in_any_order(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  lbBody *a = toy_body(&toy, &def), *b = toy_body(&toy, &def);
  lbVec3 push = lb_vec3(1, 2, 3), gravity = lb_vec3(0, 0, -9.81);
  double qa[BAR_MODES], qb[BAR_MODES], v[BAR_MODES];
  body_ok(a, lb_body_apply_force(a, lb_point_vertex(30), push));
  body_ok(a, lb_body_set_gravity(a, gravity));
  body_ok(b, lb_body_set_gravity(b, gravity));
  body_ok(b, lb_body_apply_force(b, lb_point_vertex(30), push));
  for (int step = 0; step < 2; step++) { // in the second step only gravity is left
    lb_body_step(a, 0.05), lb_body_step(b, 0.05);
    lb_body_get_state(a, qa, v), lb_body_get_state(b, qb, v);
    for (int i = 0; i < BAR_MODES; i++) check_near(qa[i], qb[i], 1e-15);
  }
  lb_body_destroy(a), lb_body_destroy(b);
  toy_destroy(&toy);
}

static void fewer_modes_can_be_asked_for(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = lb_body_def();
  def.mode_count = 7;
  lbBody *few = toy_body(&toy, &def), *all = toy_body(&toy, NULL);
  assert_int_equal(lb_body_dimension(few), 7);
  assert_int_equal(lb_body_method(few), LB_METHOD_MODAL);
  assert_ptr_equal(lb_body_model(few), toy.model);
  double a[7], b[BAR_MODES];
  for (int i = 0; i < 10; i++) {
    body_ok(few, lb_body_apply_force(few, lb_point_vertex(9), lb_vec3(1, 2, 3)));
    body_ok(all, lb_body_apply_force(all, lb_point_vertex(9), lb_vec3(1, 2, 3)));
    lb_body_step(few, 0.01), lb_body_step(all, 0.01);
  }
  lb_body_get_state(few, a, NULL), lb_body_get_state(all, b, NULL);
  assert_memory_equal(a, b, sizeof a);
  lb_body_destroy(few), lb_body_destroy(all);
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(with_all_modes_a_body_is_its_finite_elements),
    cmocka_unit_test(held_forces_do_not_depend_on_the_step),
    cmocka_unit_test(reports_are_those_of_the_nodes),
    cmocka_unit_test(rigid_velocities_reach_the_nodes_that_can_move),
    cmocka_unit_test(energy_without_damping_stays_and_damped_bodies_come_to_rest_under_gravity),
    cmocka_unit_test(forces_and_gravity_may_come_in_any_order),
    cmocka_unit_test(fewer_modes_can_be_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
