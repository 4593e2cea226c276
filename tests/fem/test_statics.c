// Static equilibrium: hard loads in steps, failures, supports, indefinite tangents.
#include "fem_problems.h"

static lbStatus solve(const lbFem *fem, const double *load, double scale, double *u,
                      lbStaticResult *result, lbError *err) {
  lbStaticDef def = lb_static_def();
  double *scaled = zeros(fem);
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++) scaled[i] = scale * load[i];
  lbStatus status = lb_fem_static(fem, scaled, &def, u, result, err);
  free(scaled);
  return status;
}

// Forces at equilibrium are the load at every free vertex.
static double imbalance(const lbFem *fem, const double *u, const double *load) {
  double *f = zeros(fem), worst = 0;
  const double *x = lb_fem_rest_positions(fem);
  evaluate(fem, u, f, NULL, NULL);
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
    if (x[3 * (i / 3)] > 1e-9) worst = fmax(worst, fabs(f[i] - load[i]));
  worst /= largest(fem, load);
  free(f);
  return worst;
}

static void gravity_is_balanced_for_every_law(void **state) {
  (void)state;
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
    double *load = gravity_load(fem, 0, 0, -9.81), *u = zeros(fem);
    lbStaticResult result;
    lbError err;
    check_ok(solve(fem, load, 1, u, &result, &err), err);
    print_case(kind, model, imbalance(fem, u, load), 1e-9);
    check_small(imbalance(fem, u, load), 1e-9);
    check_small(result.residual, 1e-10);
    assert_true(result.energy > 0);
    if (model == LB_MATERIAL_LINEAR) assert_int_equal(result.iterations, 1);
    free(load), free(u);
    lb_fem_destroy(fem);
  }
}

// A soft bar pulled to a multiple of its length while it is bent.
static void hard_loads_are_put_on_in_steps_and_end_where_small_steps_end(void **state) {
  (void)state;
  const lbMaterialModel models[] = { LB_MATERIAL_NEOHOOKEAN, LB_MATERIAL_MOONEYRIVLIN };
  int32_t stepped = 0;
  for_each_element(kind) for (int m = 0; m < 2; m++) {
    lbMaterial material = test_material(models[m]);
    lbFem *fem = box_fem(kind, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
    double *load = gravity_load(fem, 300, 40, -120), *u = zeros(fem), *slow = zeros(fem);
    lbStaticResult result, step_result;
    lbStaticDef def = lb_static_def();
    def.iterations = 8; // few, so that the load has to be cut
    lbError err;
    check_ok(lb_fem_static(fem, load, &def, u, &result, &err), err);
    for (int i = 1; i <= 40; i++)
      check_ok(solve(fem, load, i / 40.0, slow, &step_result, &err), err);
    double error = largest_difference(fem, u, slow) / largest(fem, slow);
    print_case(kind, models[m], error, 1e-8);
    print_message("  %d load steps, %d iterations, stretched by %.2f m\n", result.load_steps,
                  result.iterations, largest(fem, u));
    check_small(error, 1e-8);
    assert_true(largest(fem, u) > 0.1);
    if (result.load_steps > 1) stepped++;
    free(load), free(u), free(slow);
    lb_fem_destroy(fem);
  }
  assert_true(stepped > 0);
}

static void a_failed_solve_says_so_and_leaves_the_displacement_alone(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_NEOHOOKEAN);
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 3, 1, 1, 0.3, 0.1, 0.1, &material, true);
  double *load = gravity_load(fem, 0, 0, -1e4), *u = random_vector(fem, 1e-4, 9);
  double *copy = zeros(fem);
  lbStaticDef def = lb_static_def();
  lbStaticResult result = { .iterations = -7 };
  lbError err;
  memcpy(copy, u, 3 * (size_t)lb_fem_vertex_count(fem) * sizeof(double));
  def.iterations = 1, def.load_steps_max = 1;
  check_fails(lb_fem_static(fem, load, &def, u, &result, &err), LB_ERR_NUMERIC, err,
              "no equilibrium found beyond");
  check_small(largest_difference(fem, u, copy), 0);
  assert_int_equal(result.iterations, -7);
  load[3] = NAN;
  check_fails(lb_fem_static(fem, load, &def, u, &result, &err), LB_ERR_NUMERIC, err, "body: ");
  check_small(largest_difference(fem, u, copy), 0);
  free(load), free(u), free(copy);
  lb_fem_destroy(fem);
}

static void bodies_that_are_not_held_are_refused(void **state) {
  (void)state;
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbMesh *mesh = box_mesh(kind, 2, 1, 1, 0.2, 0.1, 0.1);
    bool *fixed = calloc((size_t)mesh->vertex_count, sizeof(bool));
    for (int held = 0; held < 3; held++) { // none, a point, an edge
      if (held == 1) fixed[0] = true;
      if (held == 2) fixed[3] = true; // the vertex next to it along y
      lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
      double *load = gravity_load(fem, 0, 0, -1), *u = zeros(fem);
      lbStaticResult result;
      lbError err;
      check_fails(solve(fem, load, 1, u, &result, &err), LB_ERR_ARGUMENT, err, "do not hold");
      free(load), free(u);
      lb_fem_destroy(fem);
    }
    free(fixed);
    lb_mesh_destroy(mesh);
  }
}

// Beyond Euler's load the straight column is no minimum: its tangent is indefinite.
static void a_compressed_column_has_its_tangents_shifted_and_stays_finite(void **state) {
  (void)state;
  int32_t shifts = 0;
  for_each_element(kind) {
    lbMaterial material = test_material(LB_MATERIAL_STVK);
    lbFem *fem = box_fem(kind, 8, 1, 1, 0.8, 0.1, 0.1, &material, true);
    double *load = zeros(fem), *u = zeros(fem);
    const double *x = lb_fem_rest_positions(fem);
    for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
      if (x[3 * (size_t)v] > 0.8 - 1e-9) load[3 * (size_t)v] = -25, load[3 * (size_t)v + 2] = 0.01;
    lbStaticResult result = { 0 };
    lbError err;
    lbStatus status = solve(fem, load, 1, u, &result, &err);
    if (status) assert_int_equal(status, LB_ERR_NUMERIC);
    if (!status) check_small(imbalance(fem, u, load), 1e-8);
    print_message("  %s: %s, %d shifts, %d iterations, moved %.3f m\n", lb_element_kind_name(kind),
                  lb_status_name(status), result.shift_count, result.iterations, largest(fem, u));
    assert_true(all_finite(fem, u));
    shifts += result.shift_count;
    free(load), free(u);
    lb_fem_destroy(fem);
  }
  assert_true(shifts > 0);
}

static bool stop(const char *stage, double fraction, void *context) {
  (void)stage, (void)fraction, (void)context;
  return false;
}

static void a_static_solve_can_be_stopped(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 2, 1, 1, 0.2, 0.1, 0.1, &material, true);
  double *load = gravity_load(fem, 0, 0, -9.81), *u = zeros(fem);
  lbStaticResult result;
  lbError err;
  lb_set_progress(stop, NULL);
  lbStatus status = solve(fem, load, 1, u, &result, &err);
  lb_set_progress(NULL, NULL);
  check_fails(status, LB_ERR_INTERRUPTED, err, "static solve");
  check_small(largest(fem, u), 0);
  free(load), free(u);
  lb_fem_destroy(fem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(gravity_is_balanced_for_every_law),
    cmocka_unit_test(hard_loads_are_put_on_in_steps_and_end_where_small_steps_end),
    cmocka_unit_test(a_failed_solve_says_so_and_leaves_the_displacement_alone),
    cmocka_unit_test(bodies_that_are_not_held_are_refused),
    cmocka_unit_test(a_compressed_column_has_its_tangents_shifted_and_stays_finite),
    cmocka_unit_test(a_static_solve_can_be_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
