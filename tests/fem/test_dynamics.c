// The reference simulator against closed forms (tests/data/analytic_conservation and
// analytic_oscillator), conservation laws and its orders of convergence.
#include "fem_problems.h"

#include "fem/fem.h"

#include <jansson.h>

static lbSimulator *simulator(const lbFem *fem, const lbSimulatorDef *def, const double *u,
                              const double *v, const double *load) {
  lbSimulator *s = NULL;
  lbError err;
  check_ok(lb_simulator_create(fem, def, u, v, load, &s, &err), err);
  return s;
}

static double distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

// The error against a row of the table, over all vertices.
static double fall_error(const lbFem *fem, const lbSimulator *s, double z) {
  const double *u = lb_simulator_displacement(s);
  double worst = 0;
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
    worst = fmax(worst, fabs(u[i] - (i % 3 == 2 ? z : 0)));
  return worst;
}

static void free_fall_is_that_of_the_table(void **state) {
  (void)state;
  json_error_t fault;
  json_t *root = json_load_file("tests/data/analytic_conservation/conservation.json", 0, &fault);
  assert_non_null(root);
  const json_t *table = json_object_get(root, "table");
  const char *const keys[] = { "newmark_a0_consistent", "backward_euler" };
  for_each_law(kind, model) for (int integrator = 0; integrator < 2; integrator++) {
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 2, 1, 1, 0.2, 0.1, 0.1, &material, false);
    lbSimulatorDef def = lb_simulator_def();
    def.integrator = (lbIntegrator)integrator;
    double *load = gravity_load(fem, 0, 0, -9.81), worst = 0;
    lbSimulator *s = simulator(fem, &def, NULL, NULL, load);
    int32_t steps = model == LB_MATERIAL_STVK ? 100 : 10;
    for (int n = 1, row = 0; n <= steps; n++) {
      assert_int_equal(lb_simulator_step(s, load), 0);
      const json_t *at = json_array_get(table, (size_t)row);
      if (json_integer_value(json_object_get(at, "n")) != n) continue;
      double z = json_number_value(json_object_get(at, keys[integrator]));
      worst = fmax(worst, fall_error(fem, s, z) / fabs(z));
      row++;
    }
    if (integrator == 0) print_case(kind, model, worst, 1e-10);
    check_small(worst, 1e-10);
    check_near(lb_simulator_velocity(s)[2], -9.81 * 1e-3 * steps, 1e-11);
    check_near(lb_simulator_time(s), 1e-3 * steps, 1e-15);
    free(load);
    lb_simulator_destroy(s);
    lb_fem_destroy(fem);
  }
  json_decref(root);
}

static void linear_momentum_is_constant_without_loads(void **state) {
  (void)state;
  for_each_law(kind, model) for (int integrator = 0; integrator < 2; integrator++) {
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 2, 1, 1, 0.2, 0.1, 0.1, &material, false);
    lbSimulatorDef def = lb_simulator_def();
    def.integrator = (lbIntegrator)integrator;
    def.newton_tolerance = 1e-13;
    double *v = random_vector(fem, 0.3, 4), *load = zeros(fem);
    for (int32_t i = 0; i < lb_fem_vertex_count(fem); i++) v[3 * (size_t)i] += 2;
    lbSimulator *s = simulator(fem, &def, NULL, v, load);
    lbSimulatorState before = lb_simulator_state(s), after;
    for (int n = 0; n < 15; n++) lb_simulator_step(s, load);
    after = lb_simulator_state(s);
    double error =
        distance(after.linear_momentum, before.linear_momentum) / fabs(before.linear_momentum[0]);
    if (integrator == 0) print_case(kind, model, error, 1e-12);
    check_small(error, 1e-12);
    check_near(after.centre[0] - before.centre[0],
               before.linear_momentum[0] / lb_fem_total_mass(fem) * 0.015, 1e-12);
    free(v), free(load);
    lb_simulator_destroy(s);
    lb_fem_destroy(fem);
  }
}

typedef struct Energies {
  double first, lowest, highest, kinetic; // total at the start and its range; the largest kinetic
  bool falls;                             // at every step
} Energies;

static Energies watch_energy(const lbFem *fem, const lbSimulatorDef *def, const double *u,
                             const double *v, int steps) {
  double *load = zeros(fem);
  lbSimulator *s = simulator(fem, def, u, v, load);
  lbSimulatorState state = lb_simulator_state(s);
  double before = state.kinetic + state.elastic;
  Energies e = { before, before, before, state.kinetic, true };
  for (int n = 0; n < steps; n++) {
    assert_int_equal(lb_simulator_step(s, load) & LB_STEP_NONFINITE, 0);
    state = lb_simulator_state(s);
    double total = state.kinetic + state.elastic;
    e.lowest = fmin(e.lowest, total), e.highest = fmax(e.highest, total);
    e.kinetic = fmax(e.kinetic, state.kinetic);
    e.falls = e.falls && total < before;
    before = total;
  }
  free(load);
  lb_simulator_destroy(s);
  return e;
}

// A bar bent by hand: u_z = amount x².
static double *bent(const lbFem *fem, double amount) {
  double *u = zeros(fem);
  const double *x = lb_fem_rest_positions(fem);
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    u[3 * (size_t)v + 2] = amount * x[3 * (size_t)v] * x[3 * (size_t)v];
  return u;
}

static void linear_newmark_keeps_the_energy_and_linear_euler_loses_it(void **state) {
  (void)state;
  for_each_element(kind) for (int held = 0; held < 2; held++) {
    lbMaterial material = test_material(LB_MATERIAL_LINEAR);
    lbFem *fem = box_fem(kind, 4, 1, 1, 0.4, 0.1, 0.1, &material, held);
    lbSimulatorDef def = lb_simulator_def();
    def.newton_tolerance = 1e-13;
    double *u = bent(fem, 0.2);
    Energies e = watch_energy(fem, &def, u, NULL, 150);
    print_case(kind, LB_MATERIAL_LINEAR, (e.highest - e.lowest) / e.first, 1e-10);
    check_small((e.highest - e.lowest) / e.first, 1e-10);
    assert_true(e.kinetic > 0.3 * e.first);
    def.integrator = LB_INTEGRATOR_EULER;
    e = watch_energy(fem, &def, u, NULL, 150);
    assert_true(e.falls);
    assert_true(e.lowest > 0 && e.lowest < 0.9 * e.first);
    free(u);
    lb_fem_destroy(fem);
  }
}

// The energy of the trapezoidal rule oscillates with the square of the step and does not grow.
static void stvk_newmark_energy_oscillates_as_the_square_of_the_step(void **state) {
  (void)state;
  for_each_element(kind) {
    lbMaterial material = test_material(LB_MATERIAL_STVK);
    lbFem *fem = box_fem(kind, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
    lbSimulatorDef def = lb_simulator_def();
    double *u = bent(fem, 0.15), range[2];
    for (int i = 0; i < 2; i++) {
      def.step = i ? 5e-4 : 1e-3;
      Energies e = watch_energy(fem, &def, u, NULL, i ? 200 : 100);
      range[i] = (e.highest - e.lowest) / e.kinetic;
    }
    double order = log2(range[0] / range[1]);
    print_message("  %s: oscillation %.2e %.2e, tolerance 1e-02, order %.2f\n",
                  lb_element_kind_name(kind), range[0], range[1], order);
    check_small(range[0], 1e-2);
    check_near(order, 2, 0.7);
    free(u);
    lb_fem_destroy(fem);
  }
}

// Momentum of a held, moving body against the mass matrix of the same body without supports.
static void momentum_counts_the_rows_of_fixed_vertices(void **state) {
  (void)state;
  for_each_element(kind) for (int lumped = 0; lumped < 2; lumped++) {
    lbMaterial material = test_material(LB_MATERIAL_STVK);
    lbMesh *mesh = box_mesh(kind, 3, 1, 1, 0.3, 0.1, 0.1);
    lbMassKind mass = lumped ? LB_MASS_LUMPED : LB_MASS_CONSISTENT;
    bool *fixed = side(mesh, 0, 0);
    lbFem *held = fem_of_mesh(mesh, &material, fixed, mass);
    lbFem *loose = fem_of_mesh(mesh, &material, NULL, mass);
    double *u = random_vector(held, 0.01, 3), *v = random_vector(held, 1, 4), *p = zeros(held);
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
      if (fixed[i / 3]) u[i] = v[i] = 0;
    lb_sparse_multiply(loose->mass, v, p); // all vertices are nodes, in their order
    lbSimulatorDef def = lb_simulator_def();
    lbSimulator *s = NULL;
    lbError err;
    check_ok(lb_simulator_create(held, &def, u, v, NULL, &s, &err), err);
    lbSimulatorState at = lb_simulator_state(s);
    double linear[3] = { 0 }, angular[3] = { 0 };
    for (size_t n = 0; n < (size_t)mesh->vertex_count; n++)
      for (size_t i = 0; i < 3; i++) {
        size_t j = (i + 1) % 3, k = (i + 2) % 3;
        linear[i] += p[3 * n + i];
        angular[i] += (mesh->positions[3 * n + j] + u[3 * n + j]) * p[3 * n + k] -
                      (mesh->positions[3 * n + k] + u[3 * n + k]) * p[3 * n + j];
      }
    check_small(distance(at.linear_momentum, linear), 1e-14);
    check_small(distance(at.angular_momentum, angular), 1e-15);
    free(u), free(v), free(p), free(fixed);
    lb_simulator_destroy(s);
    lb_fem_destroy(held);
    lb_fem_destroy(loose);
    lb_mesh_destroy(mesh);
  }
}

static void a_spinning_body_keeps_its_angular_momentum_and_energy(void **state) {
  (void)state;
  for_each_law(kind, model) {
    if (model == LB_MATERIAL_LINEAR) continue; // does not turn
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 2, 1, 1, 0.3, 0.1, 0.1, &material, false);
    lbSimulatorDef def = lb_simulator_def();
    double *v = zeros(fem), *load = zeros(fem);
    const double *x = lb_fem_rest_positions(fem);
    for (int32_t i = 0; i < lb_fem_vertex_count(fem); i++) { // ω = (0, 0, 3)
      v[3 * (size_t)i] = -3 * (x[3 * (size_t)i + 1] - 0.05);
      v[3 * (size_t)i + 1] = 3 * (x[3 * (size_t)i] - 0.15);
    }
    lbSimulator *s = simulator(fem, &def, NULL, v, load);
    lbSimulatorState a = lb_simulator_state(s), b;
    for (int n = 0; n < 60; n++) lb_simulator_step(s, load);
    b = lb_simulator_state(s);
    double size = fabs(a.angular_momentum[2]);
    double drift = distance(a.angular_momentum, b.angular_momentum) / size;
    double energy = (b.kinetic + b.elastic) / (a.kinetic + a.elastic) - 1;
    print_case(kind, model, fmax(drift, fabs(energy)), 1e-4);
    check_small(drift, 1e-4);
    check_small(energy, 1e-4);
    free(v), free(load);
    lb_simulator_destroy(s);
    lb_fem_destroy(fem);
  }
}

// v(t) = -(g/α)(1 - exp(-α t)) under mass damping; stiffness damping does not act on translation.
static void mass_damping_slows_a_fall_and_stiffness_damping_does_not(void **state) {
  (void)state;
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 1, 1, 1, 0.2, 0.1, 0.1, &material, false);
    lbSimulatorDef def = lb_simulator_def();
    double *load = gravity_load(fem, 0, 0, -9.81), speed[3];
    for (int i = 0; i < 3; i++) {
      def.damping_mass = i < 2 ? 5 : 0;
      def.damping_stiffness = i < 2 ? 0 : 0.05;
      def.step = i == 1 ? 1e-3 : 2e-3;
      lbSimulator *s = simulator(fem, &def, NULL, NULL, load);
      for (int n = 0; n < (i == 1 ? 100 : 50); n++) lb_simulator_step(s, load);
      speed[i] = lb_simulator_velocity(s)[2];
      if (i == 2) check_small((fall_error(fem, s, -9.81 * 0.005)) / 0.05, 1e-10);
      lb_simulator_destroy(s);
    }
    double exact = -9.81 / 5 * (1 - exp(-0.5));
    check_near((speed[0] - exact) / (speed[1] - exact), 4, 0.05); // second order
    check_small((speed[1] - exact) / exact, 1e-5);
    check_near(speed[2], -0.981, 1e-11);
    free(load);
    lb_fem_destroy(fem);
  }
}

// One mode w of a linear body under the load M w is the oscillator q̈ + (α + β ω²) q̇ + ω² q = 1.
static void one_mode_is_the_oscillator_of_the_table(void **state) {
  (void)state;
  json_error_t fault;
  json_t *root = json_load_file("tests/data/analytic_oscillator/oscillator.json", 0, &fault);
  assert_non_null(root);
  const json_t *cases = json_object_get(root, "cases");
  for_each_element(kind) for (size_t c = 0; c < json_array_size(cases); c++) {
    const json_t *one = json_array_get(cases, c);
    double hz = json_number_value(json_object_get(one, "freq_hz")), worst = 0;
    lbMaterial material = test_material(LB_MATERIAL_LINEAR);
    lbModes *modes = NULL;
    lbFem *fem = NULL;
    lbError err;
    for (int pass = 0; pass < 2; pass++) { // frequencies go with the square root of Young's modulus
      fem = box_fem(kind, 1, 1, 1, 0.3, 0.1, 0.08, &material, true);
      check_ok(lb_fem_modes(fem, 1, &modes, &err), err);
      if (pass == 1) break;
      material.young *= hz * hz / (modes->frequencies[0] * modes->frequencies[0]);
      lb_modes_destroy(modes);
      lb_fem_destroy(fem);
    }
    double w[256], Mw[256], *load = zeros(fem), values[256];
    size_t size = 3 * (size_t)lb_fem_node_count(fem);
    assert_true(size <= 256);
    lb_fem_compress(fem, modes->shapes, w);
    lb_sparse_multiply(fem->mass, w, Mw);
    lb_fem_expand(fem, Mw, load);
    lbSimulatorDef def = lb_simulator_def();
    def.damping_mass = json_number_value(json_object_get(one, "alpha"));
    def.damping_stiffness = json_number_value(json_object_get(one, "beta"));
    lbSimulator *s = simulator(fem, &def, NULL, NULL, load);
    for (int n = 1; n <= 500; n++) {
      lb_simulator_step(s, load);
      char step[12];
      snprintf(step, sizeof step, "%d", n);
      const json_t *at =
          json_object_get(json_object_get(one, "newmark_avg_accel_step_response"), step);
      if (!at) continue;
      double q = 0, expected = json_number_value(at);
      lb_fem_compress(fem, lb_simulator_displacement(s), values);
      for (size_t i = 0; i < size; i++) q += Mw[i] * values[i];
      worst = fmax(worst, fabs(q / expected - 1));
    }
    print_message("  %s %g Hz: residual %.2e, tolerance 1e-07\n", lb_element_kind_name(kind), hz,
                  worst);
    check_small(worst, 1e-7);
    free(load);
    lb_simulator_destroy(s);
    lb_modes_destroy(modes);
    lb_fem_destroy(fem);
  }
  json_decref(root);
}

// The tip's displacement at a fixed time with steps h, h/2, h/4: Richardson's order.
static void newmark_converges_with_order_two_and_euler_with_order_one(void **state) {
  (void)state;
  for_each_element(kind) for (int integrator = 0; integrator < 2; integrator++) {
    lbMaterial material = test_material(LB_MATERIAL_STVK);
    lbFem *fem = box_fem(kind, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
    lbSimulatorDef def = lb_simulator_def();
    def.integrator = (lbIntegrator)integrator;
    double *load = gravity_load(fem, 0, 0, -9.81), tip[3];
    for (int i = 0; i < 3; i++) {
      def.step = 5e-4 / (1 << i);
      lbSimulator *s = simulator(fem, &def, NULL, NULL, load);
      for (int n = 0; n < 80 << i; n++) assert_int_equal(lb_simulator_step(s, load), 0);
      tip[i] = lb_simulator_displacement(s)[3 * 4 + 2];
      lb_simulator_destroy(s);
    }
    double order = log2(fabs((tip[0] - tip[1]) / (tip[1] - tip[2])));
    print_message("  %s %s: order %.3f, tolerance 0.15\n", lb_element_kind_name(kind),
                  integrator ? "euler" : "newmark", order);
    check_near(order, integrator ? 1 : 2, 0.15);
    free(load);
    lb_fem_destroy(fem);
  }
}

static void a_kept_factor_gives_the_same_motion_with_fewer_factorisations(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
  double *load = gravity_load(fem, 0, 0, -9.81), worst = 0, largest = 0;
  lbSimulatorDef def = lb_simulator_def(), keeping = def;
  keeping.factor_reuse = 0.5;
  lbSimulator *s = simulator(fem, &def, NULL, NULL, load);
  lbSimulator *k = simulator(fem, &keeping, NULL, NULL, load);
  for (int n = 0; n < 40; n++) {
    assert_int_equal(lb_simulator_step(s, load), 0);
    assert_int_equal(lb_simulator_step(k, load), 0);
    const double *u = lb_simulator_displacement(s), *w = lb_simulator_displacement(k);
    for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++) {
      worst = fmax(worst, fabs(u[i] - w[i]));
      largest = fmax(largest, fabs(u[i]));
    }
  }
  check_small(worst / largest, 1e-7);
  assert_true(2 * lb_simulator_state(k).factor_count < lb_simulator_state(s).factor_count);
  keeping.factor_reuse = 1;
  lbError err;
  lbSimulator *none = NULL;
  check_fails(lb_simulator_create(fem, &keeping, NULL, NULL, load, &none, &err), LB_ERR_ARGUMENT,
              err, "factor_reuse");
  free(load);
  lb_simulator_destroy(s);
  lb_simulator_destroy(k);
  lb_fem_destroy(fem);
}

// Newton's matrix has the damping's own derivative: without it this takes three times as many
// iterations.
static void strong_stiffness_damping_does_not_slow_newton(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 8, 1, 1, 0.8, 0.1, 0.1, &material, true);
  double *load = gravity_load(fem, 0, 0, -40);
  lbSimulatorDef def = lb_simulator_def();
  def.step = 0.01, def.damping_stiffness = 0.05;
  lbSimulator *s = simulator(fem, &def, NULL, NULL, load);
  for (int n = 0; n < 20; n++) assert_int_equal(lb_simulator_step(s, load), 0);
  lbSimulatorState at_end = lb_simulator_state(s);
  print_message("  %d iterations in 20 steps\n", (int)at_end.newton_iterations);
  assert_true(at_end.newton_iterations <= 100);
  free(load);
  lb_simulator_destroy(s);
  lb_fem_destroy(fem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(free_fall_is_that_of_the_table),
    cmocka_unit_test(linear_momentum_is_constant_without_loads),
    cmocka_unit_test(linear_newmark_keeps_the_energy_and_linear_euler_loses_it),
    cmocka_unit_test(stvk_newmark_energy_oscillates_as_the_square_of_the_step),
    cmocka_unit_test(momentum_counts_the_rows_of_fixed_vertices),
    cmocka_unit_test(a_spinning_body_keeps_its_angular_momentum_and_energy),
    cmocka_unit_test(mass_damping_slows_a_fall_and_stiffness_damping_does_not),
    cmocka_unit_test(one_mode_is_the_oscillator_of_the_table),
    cmocka_unit_test(newmark_converges_with_order_two_and_euler_with_order_one),
    cmocka_unit_test(strong_stiffness_damping_does_not_slow_newton),
    cmocka_unit_test(a_kept_factor_gives_the_same_motion_with_fewer_factorisations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
