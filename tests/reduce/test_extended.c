// Extended modes: nine vectors a mode, affine maps for free bodies, rank detection.
#include "basis_problems.h"

static lbBasisDef extended_def(int32_t modes) {
  lbBasisDef def = lb_basis_def();
  def.kind = LB_BASIS_EXTENDED;
  def.mode_count = modes;
  return def;
}

// Component k of every displacement of a mode, moved along axis l.
static double *moved_component(const lbFem *fem, const double *mode, size_t k, size_t l) {
  double *x = zeros(fem);
  for (size_t v = 0; v < (size_t)fem->vertex_count; v++) x[3 * v + l] = mode[3 * v + k];
  return x;
}

static void the_span_holds_nine_vectors_a_mode(void **state) {
  (void)state;
  enum { MODES = 3 };
  for_each_element(kind) for (int held = 0; held < 2; held++) {
    lbFem *fem = small_bar(kind, held);
    lbBasisDef def = extended_def(MODES), linear = def;
    linear.kind = LB_BASIS_LINEAR;
    lbBasis *basis = make_basis(fem, &def), *modes = make_basis(fem, &linear);
    assert_int_equal(basis->candidate_count, 9 * MODES + (held ? 0 : 12));
    assert_in_range(basis->dimension, 9, basis->candidate_count);
    check_small(orthonormality(fem, fem->mass, basis->dimension, basis->vectors), 1e-10);
    for (int32_t m = 0; m < MODES; m++)
      for (size_t i = 0; i < 9; i++) {
        const double *mode = modes->vectors + 3 * (size_t)(m * fem->vertex_count);
        double *x = moved_component(fem, mode, i / 3, i % 3);
        if (vector_norm(3 * (size_t)fem->vertex_count, x) > 1e-6)
          check_small(outside_span(fem, basis, x), 1e-6);
        free(x);
      }
    lb_basis_destroy(basis);
    lb_basis_destroy(modes);
    lb_fem_destroy(fem);
  }
}

static void a_free_body_can_be_mapped_affinely(void **state) {
  (void)state;
  lbFem *fem = small_bar(LB_ELEMENT_TET4, false);
  lbBasisDef def = extended_def(2);
  lbBasis *basis = make_basis(fem, &def);
  uint64_t seed = 41;
  double *x = zeros(fem), map[12];
  for (int i = 0; i < 12; i++) map[i] = check_random(&seed);
  for (size_t i = 0; i < 3 * (size_t)fem->vertex_count; i++) {
    const double *X = fem->positions + i / 3 * 3, *row = map + 4 * (i % 3);
    x[i] = row[0] + row[1] * X[0] + row[2] * X[1] + row[3] * X[2];
  }
  check_small(outside_span(fem, basis, x), 1e-10);
  double energy = 0; // of the first six of a free basis: rigid ones are in it
  for (int32_t i = 0; i < basis->dimension; i++) energy = fmax(energy, basis->values[i]);
  for (int32_t i = 0; i < 3; i++) check_small(basis->values[i] / energy, 1e-12); // translations
  free(x);
  lb_basis_destroy(basis);
  lb_fem_destroy(fem);
}

static void values_are_the_stiffness_of_the_vectors(void **state) {
  (void)state;
  lbError err;
  for_each_element(kind) for (int held = 0; held < 2; held++) {
    lbFem *fem = small_bar(kind, held);
    lbBasisDef def = extended_def(2);
    lbBasis *basis = make_basis(fem, &def);
    lbSparse *K = NULL;
    check_ok(lb_fem_rest_stiffness(fem, &K, &err), err);
    double *x = zeros(fem), *y = zeros(fem), most = 0;
    for (int32_t i = 0; i < basis->dimension; i++) most = fmax(most, basis->values[i]);
    for (int32_t i = 0; i < basis->dimension; i++) {
      lb_fem_compress(fem, basis->vectors + 3 * (size_t)(i * fem->vertex_count), x);
      lb_sparse_multiply(K, x, y);
      check_small((vector_dot((size_t)K->size, x, y) - basis->values[i]) / most, 1e-12);
    }
    free(x), free(y);
    lb_sparse_destroy(K);
    lb_basis_destroy(basis);
    lb_fem_destroy(fem);
  }
}

static void a_basis_is_never_larger_than_the_body(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 1, 1, 1, 1, 0.9, 1.1, &material, false);
  lbBasisDef def = extended_def(15);
  lbBasis *basis = make_basis(fem, &def);
  assert_int_equal(basis->dimension, 24);
  check_small(orthonormality(fem, fem->mass, basis->dimension, basis->vectors), 1e-10);
  lb_basis_destroy(basis);
  lb_fem_destroy(fem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_span_holds_nine_vectors_a_mode),
    cmocka_unit_test(a_free_body_can_be_mapped_affinely),
    cmocka_unit_test(values_are_the_stiffness_of_the_vectors),
    cmocka_unit_test(a_basis_is_never_larger_than_the_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
