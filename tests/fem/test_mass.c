// Mass: totals, the consistent matrices of tet and brick, row sums, gravity.
#include "fem_problems.h"

#include "fem/fem.h"

static double mass_entry(const lbFem *fem, int32_t row, int32_t column) {
  int32_t k = lb_sparse_find(fem->mass, row, column);
  return k < 0 ? 0 : fem->mass->values[k];
}

static void total_mass_is_density_times_volume_and_gravity_sums_to_weight(void **state) {
  (void)state;
  for_each_element(kind) for (int mass = 0; mass < 2; mass++) {
    lbMaterial material = test_material(LB_MATERIAL_STVK);
    material.density = 850;
    lbMesh *mesh = box_mesh(kind, 3, 2, 2, 1.5, 0.7, 0.4);
    bool *boundary = whole_boundary(mesh, 1.5, 0.7, 0.4), *fixed = side(mesh, 0, 0);
    shake_vertices(mesh, boundary, 0.05);
    lbFem *fem = fem_of_mesh(mesh, &material, fixed, (lbMassKind)mass);
    double expected = 850 * 1.5 * 0.7 * 0.4, sum = 0, weight = 0;
    double *load = gravity_load(fem, 0, 0, -9.81);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
      sum += lb_fem_vertex_masses(fem)[v], weight += load[3 * (size_t)v + 2];
    check_near(lb_fem_total_mass(fem) / expected, 1, 1e-14);
    check_near(sum / expected, 1, 1e-14);
    check_near(weight / (expected * -9.81), 1, 1e-14);
    free(load), free(boundary), free(fixed);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

static void one_tet_has_the_mass_matrix_of_the_books(void **state) {
  (void)state;
  double positions[12] = { 0, 0, 0, 1.1, 0.1, 0, 0.2, 0.9, 0, 0.1, 0.2, 0.8 };
  int32_t tets[4] = { 0, 1, 2, 3 };
  lbMesh mesh = { .vertex_count = 4, .positions = positions, .tet_count = 1, .tets = tets };
  lbMaterial material = test_material(LB_MATERIAL_LINEAR);
  lbFem *fem = fem_of_mesh(&mesh, &material, NULL, LB_MASS_CONSISTENT);
  double volume = (1.1 * 0.9 - 0.1 * 0.2) * 0.8 / 6;
  for (int32_t i = 0; i < 12; i++)
    for (int32_t j = 0; j < 12; j++) {
      double expected = i % 3 != j % 3 ? 0 : 1000 * volume / 20 * (i == j ? 2 : 1);
      check_small((mass_entry(fem, i, j) - expected) / (1000 * volume), 1e-15);
    }
  lb_fem_destroy(fem);
}

static void one_box_brick_has_the_exact_mass_matrix(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_LINEAR);
  lbMesh *mesh = box_mesh(LB_ELEMENT_BRICK8, 1, 1, 1, 0.5, 0.3, 0.2);
  lbFem *fem = fem_of_mesh(mesh, &material, NULL, LB_MASS_CONSISTENT);
  double m = 1000 * 0.5 * 0.3 * 0.2;
  for (int32_t a = 0; a < 8; a++)
    for (int32_t b = 0; b < 8; b++) {
      double expected = m; // a product of ∫N_a N_b = 1/3 or 1/6 along each axis
      for (int i = 0; i < 3; i++)
        expected *= mesh->positions[3 * a + i] == mesh->positions[3 * b + i] ? 1.0 / 3 : 1.0 / 6;
      check_small((mass_entry(fem, 3 * a, 3 * b) - expected) / m, 1e-15);
      check_small(mass_entry(fem, 3 * a, 3 * b + 1), 0);
    }
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
}

static void lumped_masses_are_the_row_sums_of_the_consistent_matrix(void **state) {
  (void)state;
  for_each_element(kind) {
    lbMaterial material = test_material(LB_MATERIAL_LINEAR);
    lbMesh *mesh = box_mesh(kind, 2, 2, 2, 1, 1, 1);
    bool *boundary = whole_boundary(mesh, 1, 1, 1);
    shake_vertices(mesh, boundary, 0.1);
    lbFem *consistent = fem_of_mesh(mesh, &material, NULL, LB_MASS_CONSISTENT);
    lbFem *lumped = fem_of_mesh(mesh, &material, NULL, LB_MASS_LUMPED);
    double *ones = zeros(consistent), *rows = zeros(consistent);
    int32_t size = 3 * lb_fem_node_count(consistent);
    for (int32_t i = 0; i < size; i++) ones[i] = 1;
    lb_sparse_multiply(consistent->mass, ones, rows);
    assert_int_equal(lb_sparse_nonzero_count(lumped->mass), size);
    for (int32_t i = 0; i < size; i++)
      check_small((mass_entry(lumped, i, i) - rows[i]) / 1000, 1e-15);
    free(ones), free(rows), free(boundary);
    lb_fem_destroy(consistent);
    lb_fem_destroy(lumped);
    lb_mesh_destroy(mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(total_mass_is_density_times_volume_and_gravity_sums_to_weight),
    cmocka_unit_test(one_tet_has_the_mass_matrix_of_the_books),
    cmocka_unit_test(one_box_brick_has_the_exact_mass_matrix),
    cmocka_unit_test(lumped_masses_are_the_row_sums_of_the_consistent_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
