// Clamped beams under refinement: frequencies against tests/data/analytic_beam_frequencies, and the
// tip's deflection against beam theory.
#include "fem_problems.h"

#include <jansson.h>

static double reference(const json_t *root, const char *key, size_t row, size_t column) {
  return json_number_value(json_array_get(json_array_get(json_object_get(root, key), row), column));
}

static void frequencies(lbElementKind kind, int n, double f[2]) {
  lbMaterial material = test_material(LB_MATERIAL_LINEAR);
  material.young = 210e9, material.density = 7850;
  lbFem *fem = box_fem(kind, n, n / 10, n / 10, 1, 0.1, 0.1, &material, true);
  lbModes *modes = NULL;
  lbError err;
  check_ok(lb_fem_modes(fem, 2, &modes, &err), err);
  assert_int_equal(modes->count, 2);
  assert_int_equal(modes->rigid_count, 0);
  f[0] = modes->frequencies[0], f[1] = modes->frequencies[1];
  lb_modes_destroy(modes);
  lb_fem_destroy(fem);
}

static void frequencies_under_refinement_are_those_of_the_reference(void **state) {
  (void)state;
  const char *const keys[] = { "fe_tet_f1f2_refinement_10_20_40",
                               "fe_hex_f1f2_refinement_10_20_40" };
  json_error_t fault;
  json_t *root = json_load_file("tests/data/analytic_beam_frequencies/beam.json", 0, &fault);
  assert_non_null(root);
  for_each_element(kind) {
    double before = INFINITY, f[2];
    for (int i = 0; i < 3; i++) {
      frequencies(kind, 10 << i, f);
      for (size_t k = 0; k < 2; k++) {
        double expected = reference(root, keys[kind], (size_t)i, k);
        print_message("  %s %d cells, mode %zu: %.9g Hz, residual %.2e, tolerance 1e-06\n",
                      lb_element_kind_name(kind), 10 << i, k, f[k], f[k] / expected - 1);
        check_near(f[k] / expected, 1, 1e-6);
      }
      assert_true(f[0] < before); // Rayleigh–Ritz from above
      before = f[0];
    }
  }
  json_decref(root);
}

// w = F L³ / (3 E I) + F L / (k G A), k = 5/6 without Poisson's effect.
static void tip_deflection_converges_to_beam_theory_from_below(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_LINEAR);
  material.young = 1e6, material.poisson = 0;
  double I = 1e-4 / 12, exact = 1 / (3 * 1e6 * I) + 1 / (5.0 / 6 * 5e5 * 0.01), error[3];
  for (int i = 0; i < 3; i++) {
    int n = 8 << i, m = 1 << i;
    lbFem *fem = box_fem(LB_ELEMENT_BRICK8, n, m, m, 1, 0.1, 0.1, &material, true);
    double *load = zeros(fem), *u = zeros(fem), tip = 0, shares = 0;
    const double *x = lb_fem_rest_positions(fem);
    for (int pass = 0; pass < 2; pass++) // one newton over the end, by masses
      for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
        if (x[3 * (size_t)v] > 1 - 1e-9) {
          if (pass == 0) shares += lb_fem_vertex_masses(fem)[v];
          if (pass == 1) load[3 * (size_t)v + 2] = lb_fem_vertex_masses(fem)[v] / shares;
        }
    lbStaticDef def = lb_static_def();
    lbStaticResult result;
    lbError err;
    check_ok(lb_fem_static(fem, load, &def, u, &result, &err), err);
    for (size_t k = 0; k < 3 * (size_t)lb_fem_vertex_count(fem); k++) tip += load[k] * u[k];
    error[i] = 1 - tip / exact;
    assert_int_equal(result.load_steps, 1);
    check_near(result.energy / (0.5 * tip), 1, 1e-9); // Clapeyron
    free(load), free(u);
    lb_fem_destroy(fem);
  }
  double order = log2(error[1] / error[2]);
  print_message("  errors %.4f %.4f %.4f, order %.2f, tolerance 2 +- 0.3\n", error[0], error[1],
                error[2], order);
  assert_true(error[0] > error[1] && error[1] > error[2] && error[2] > 0);
  check_near(order, 2, 0.3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(frequencies_under_refinement_are_those_of_the_reference),
    cmocka_unit_test(tip_deflection_converges_to_beam_theory_from_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
