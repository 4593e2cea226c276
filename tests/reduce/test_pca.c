// Mass-PCA and mass-orthonormalisation on matrices whose singular values are known.
#include "basis_problems.h"

#include "fem/reference.h"
#include "linalg/dense.h"
#include "reduce/pca.h"

enum { COUNT = 8 };

// Columns that are orthonormal in M, from random ones.
static double *orthonormal_columns(const lbFem *fem, const lbSparse *M, int32_t count) {
  double *Q = random_system(fem, (size_t)count, 17);
  lbError err;
  int32_t rank = 0;
  check_ok(lb_mass_orthonormalise(M->size, count, Q, M, 1e-8, &rank, &err), err);
  assert_int_equal(rank, count);
  return Q;
}

// A = Q diag(s) V', V a random orthonormal matrix, so s are its singular values in the metric.
static double *known_matrix(const lbFem *fem, const double *Q, const double *s, uint64_t seed) {
  size_t n = 3 * (size_t)fem->node_count;
  double V[COUNT * COUNT], U[COUNT * COUNT], S[COUNT], Vt[COUNT * COUNT];
  lbError err;
  for (int i = 0; i < COUNT * COUNT; i++) V[i] = check_random(&seed);
  check_ok(lb_dense_svd(COUNT, COUNT, V, U, S, Vt, &err), err);
  double *A = calloc(n * COUNT, sizeof(double));
  for (size_t c = 0; c < COUNT; c++)
    for (size_t k = 0; k < COUNT; k++)
      for (size_t i = 0; i < n; i++) A[c * n + i] += Q[k * n + i] * s[k] * Vt[c * COUNT + k];
  return A;
}

static double *lumped_masses(const lbFem *fem) {
  double *masses = malloc(3 * (size_t)fem->node_count * sizeof(double));
  for (size_t i = 0; i < 3 * (size_t)fem->node_count; i++)
    masses[i] = fem->vertex_masses[fem->vertex_of_node[i / 3]];
  return masses;
}

static void small_singular_values_are_found(void **state) {
  (void)state;
  // a Gram matrix would lose everything from the fifth on
  const double s[COUNT] = { 1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-11 };
  for (int lumped = 0; lumped < 2; lumped++) {
    lbFem *fem = small_bar(LB_ELEMENT_TET4, true);
    size_t n = 3 * (size_t)fem->node_count;
    double *masses = lumped_masses(fem), values[COUNT], *Mx = malloc(n * sizeof(double));
    lbSparse *M = NULL;
    lbError err;
    check_ok(lb_fem_mass_matrix(fem, lumped ? LB_MASS_LUMPED : LB_MASS_CONSISTENT, &M, &err), err);
    double *Q = orthonormal_columns(fem, M, COUNT), *A = known_matrix(fem, Q, s, 23);
    double *vectors = malloc(n * COUNT * sizeof(double));
    lbFemReference reference;
    lb_fem_reference(fem, M, &reference);
    check_ok(lb_mass_pca((int32_t)n, COUNT, A, lumped ? NULL : M, masses, &reference.fields, COUNT,
                         "test", vectors, values, &err),
             err);
    for (size_t i = 0; i < COUNT; i++) {
      lb_sparse_multiply(M, vectors + n * i, Mx);
      check_near(values[i], s[i], 1e-14);
      check_near(fabs(vector_dot(n, Q + n * i, Mx)), 1, i < 5 ? 1e-7 : 1e-2);
      for (size_t j = 0; j < COUNT; j++)
        check_near(vector_dot(n, vectors + n * j, Mx), i == j, 1e-12);
    }
    free(masses);
    free(Mx);
    free(Q);
    free(A);
    free(vectors);
    lb_sparse_destroy(M);
    lb_fem_destroy(fem);
  }
}

static void dependent_columns_are_counted(void **state) {
  (void)state;
  const double s[COUNT] = { 3, 2, 1, 0.5, 0.1, 0, 0, 0 };
  lbFem *fem = small_bar(LB_ELEMENT_TET4, true);
  size_t n = 3 * (size_t)fem->node_count;
  double *masses = lumped_masses(fem), values[COUNT], *vectors = malloc(n * COUNT * sizeof(double));
  double *Q = orthonormal_columns(fem, fem->mass, COUNT);
  lbError err;
  lbFemReference reference;
  lb_fem_reference(fem, fem->mass, &reference);
  for (int32_t ask = 5; ask <= 6; ask++) {
    double *A = known_matrix(fem, Q, s, 23);
    lbStatus status = lb_mass_pca((int32_t)n, COUNT, A, fem->mass, masses, &reference.fields, ask,
                                  "test", vectors, values, &err);
    if (ask == 5)
      check_ok(status, err);
    else
      check_fails(status, LB_ERR_ARGUMENT, err,
                  "test: dimension is 6, but only 5 of the 8 vectors are independent");
    free(A);
  }
  free(masses);
  free(vectors);
  free(Q);
  lb_fem_destroy(fem);
}

// The PCA of A = Q diag(s) V', at a dimension that cuts the cluster of the third to fifth vector.
static lbPcaSize cut_pca(const lbFem *fem, const double *Q, const double *s, uint64_t seed,
                         double *vectors) {
  double *masses = lumped_masses(fem), values[COUNT], *A = known_matrix(fem, Q, s, seed);
  lbPcaSize sizes = { .dimension = 4 };
  lbFemReference reference;
  lbError err;
  lb_fem_reference(fem, fem->mass, &reference);
  check_ok(lb_mass_pca_sized(fem->mass->size, COUNT, A, fem->mass, masses, &reference.fields,
                             &sizes, "test", vectors, values, &err),
           err);
  for (int i = 0; i < 4; i++) check_near(values[i], s[i], 1e-13);
  free(masses);
  free(A);
  return sizes;
}

static void equal_singular_values_have_vectors_of_the_geometry_alone(void **state) {
  (void)state;
  const double s[COUNT] = { 3, 2, 1, 1 - 1e-9, 1 - 2e-9, 0.5, 0.25, 0.1 };
  lbFem *fem = small_bar(LB_ELEMENT_BRICK8, true);
  size_t n = 3 * (size_t)fem->node_count;
  double *Q = orthonormal_columns(fem, fem->mass, COUNT),
         *mixed = malloc(n * COUNT * sizeof *mixed);
  double *first = malloc(n * 4 * sizeof *first), *second = malloc(n * 4 * sizeof *second);
  memcpy(mixed, Q, n * COUNT * sizeof *mixed); // the same cluster, turned about two axes
  for (size_t i = 0; i < n; i++) {
    double a = Q[2 * n + i], b = Q[3 * n + i], c = Q[4 * n + i], ab = 0.6 * a - 0.8 * b;
    mixed[2 * n + i] = 0.28 * ab + 0.96 * c;
    mixed[3 * n + i] = -0.8 * a - 0.6 * b;
    mixed[4 * n + i] = 0.96 * ab - 0.28 * c;
  }
  lbPcaSize sizes = cut_pca(fem, Q, s, 23, first);
  assert_int_equal(sizes.dimension, 4);
  assert_int_equal(sizes.whole, 5);
  cut_pca(fem, mixed, s, 41, second);
  double difference = 0;
  for (size_t i = 0; i < 4 * n; i++) difference = fmax(difference, fabs(first[i] - second[i]));
  print_message("  difference %.1e, tolerance 1e-8\n", difference / vector_norm(n, first));
  check_small(difference / vector_norm(n, first), 1e-8);
  free(Q);
  free(mixed);
  free(first);
  free(second);
  lb_fem_destroy(fem);
}

static void orthonormalising_keeps_nested_spans_and_drops_dependents(void **state) {
  (void)state;
  lbFem *fem = small_bar(LB_ELEMENT_BRICK8, true);
  size_t n = 3 * (size_t)fem->node_count;
  double *A = random_system(fem, 6, 31), *Mx = malloc(n * sizeof(double));
  int32_t rank = 0;
  lbError err;
  for (size_t i = 0; i < n; i++) {
    A[2 * n + i] = 3 * A[i] - 1e5 * A[n + i];        // depends on the first two
    A[4 * n + i] = 0;                                // nothing
    A[5 * n + i] = 1e-3 * A[3 * n + i] + 1e3 * A[i]; // nearly the first, but not quite
  }
  double *copy = malloc(6 * n * sizeof(double));
  memcpy(copy, A, 6 * n * sizeof(double));
  check_ok(lb_mass_orthonormalise((int32_t)n, 6, A, fem->mass, 1e-8, &rank, &err), err);
  assert_int_equal(rank, 3);
  for (size_t i = 0; i < 3; i++) {
    lb_sparse_multiply(fem->mass, A + n * i, Mx);
    for (size_t j = 0; j < 3; j++) check_near(vector_dot(n, A + n * j, Mx), i == j, 1e-12);
    if (i > 0) check_small(vector_dot(n, copy, Mx) / vector_norm(n, copy), 1e-12);
  }
  free(A);
  free(copy);
  free(Mx);
  lb_fem_destroy(fem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_singular_values_are_found),
    cmocka_unit_test(dependent_columns_are_counted),
    cmocka_unit_test(equal_singular_values_have_vectors_of_the_geometry_alone),
    cmocka_unit_test(orthonormalising_keeps_nested_spans_and_drops_dependents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
