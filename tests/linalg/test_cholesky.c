// Sparse Cholesky: solves, reuse, refusals.
#include "problems.h"

#include "linalg/cholesky.h"

#ifdef LB_ENGINE_SUITESPARSE
void openblas_set_num_threads(int count); // BLAS's own, as a host program would call it
#endif

static lbCholesky *analyse(const lbSparse *A) {
  lbError err = { 0 };
  lbCholesky *factor = NULL;
  check_ok(lb_cholesky_create(A, &factor, &err), err);
  return factor;
}

// Random right-hand sides, one more at every call: |A X - B| against |B|.
static void check_solves(lbCholesky *factor, const lbSparse *A, int32_t most, double tolerance) {
  uint64_t seed = 11;
  size_t n = (size_t)A->size, values = n * (size_t)most;
  double *B = calloc(values, 8), *X = calloc(values, 8), *R = calloc(values, 8);
  for (size_t i = 0; i < values; i++) B[i] = check_random(&seed);
  for (int32_t count = 1; count <= most; count = 2 * count + 1) {
    lbError err = { 0 };
    memcpy(X, B, n * (size_t)count * sizeof *X);
    check_ok(lb_cholesky_solve(factor, count, X, &err), err);
    lb_sparse_multiply_many(A, count, X, R);
    for (size_t i = 0; i < n * (size_t)count; i++) check_near(R[i], B[i], tolerance);
  }
  free(B), free(X), free(R);
}

// Random sparse, made positive definite by its diagonal.
static lbSparse *make_random(int32_t size, uint64_t seed) {
  Entries entries = { 0 };
  for (int32_t i = 0; i < size; i++) add_entry(&entries, i, i, 20);
  for (int32_t k = 0; k < 6 * size; k++) {
    int32_t i = (int32_t)((check_random(&seed) + 1) / 2 * size);
    int32_t j = (int32_t)((check_random(&seed) + 1) / 2 * size);
    if (i != j) add_entry(&entries, i, j, check_random(&seed) / 2);
  }
  return make_sparse(size, &entries);
}

static void random_matrices_are_solved(void **state) {
  (void)state;
  for (int32_t size = 1; size < 400; size = 3 * size + 1) {
    lbError err = { 0 };
    lbSparse *A = make_random(size, (uint64_t)size);
    lbCholesky *factor = analyse(A);
    check_ok(lb_cholesky_factor(factor, A, &err), err);
    check_solves(factor, A, 15, 1e-12);
    lb_cholesky_destroy(factor);
    lb_sparse_destroy(A);
  }
}

static void a_free_body_is_solved_with_a_mass_added(void **state) {
  (void)state;
  lbError err = { 0 };
  Pencil p = make_box(6, 5, 4);
  lbCholesky *factor = analyse(p.K);
  check_ok(lb_cholesky_factor_shifted(factor, p.K, 0.01, p.M, &err), err);
  lbSparse *S = NULL;
  check_ok(lb_sparse_copy(p.K, &S, &err), err);
  assert_true(lb_sparse_add_scaled(S, 0.01, p.M));
  check_solves(factor, S, 150, 1e-10);

  lbCholeskyInfo info = lb_cholesky_info(factor);
  assert_int_equal(info.size, p.K->size);
  assert_true(info.factor_nonzero_count >= lb_sparse_nonzero_count(p.K));
  assert_true(info.factor_flops > 0 && info.memory_bytes > 0);
  assert_true(info.reciprocal_condition > 0 && info.reciprocal_condition <= 1);

  // other values, the same analysis
  lbSparse *lumped = make_identity(p.K->size, 3);
  check_ok(lb_cholesky_factor_shifted(factor, p.K, 0.5, lumped, &err), err);
  assert_true(lb_sparse_add_scaled(S, -0.01, p.M) && lb_sparse_add_scaled(S, 0.5, lumped));
  check_solves(factor, S, 3, 1e-11);
  check_ok(lb_cholesky_factor_shifted(factor, p.K, 1.5, NULL, &err), err);
  check_solves(factor, S, 3, 1e-11);
  check_ok(lb_cholesky_factor(factor, S, &err), err);
  check_solves(factor, S, 3, 1e-11);
  lb_cholesky_destroy(factor);
  lb_sparse_destroy(S), lb_sparse_destroy(lumped);
  free_pencil(p);
}

static void an_indefinite_matrix_is_refused_with_its_row(void **state) {
  (void)state;
  lbError err = { 0 };
  double x[12] = { 1 };
  lbSparse *A = make_laplacian(4, 3, 1);
  lbCholesky *factor = analyse(A);
  check_fails(lb_cholesky_solve(factor, 1, x, &err), LB_ERR_ARGUMENT, err, "before");
  A->values[lb_sparse_find(A, 7, 7)] = -3;
  check_fails(lb_cholesky_factor(factor, A, &err), LB_ERR_NUMERIC, err,
              "not positive definite at row");
  check_fails(lb_cholesky_solve(factor, 1, x, &err), LB_ERR_ARGUMENT, err, "before");
  A->values[lb_sparse_find(A, 7, 7)] = 4; // and it recovers
  check_ok(lb_cholesky_factor(factor, A, &err), err);
  check_solves(factor, A, 3, 1e-13);
  lb_cholesky_destroy(factor);
  lb_sparse_destroy(A);

  lbSparse *D = make_identity(30, 1);
  factor = analyse(D);
  D->values[17] = -1;
  check_fails(lb_cholesky_factor(factor, D, &err), LB_ERR_NUMERIC, err,
              "not positive definite at row 17");
  lb_cholesky_destroy(factor);
  lb_sparse_destroy(D);
}

static void what_is_no_number_is_refused_with_its_place(void **state) {
  (void)state;
  lbError err = { 0 };
  lbSparse *A = make_laplacian(5, 5, 1);
  lbCholesky *factor = analyse(A);
  A->values[lb_sparse_find(A, 6, 7)] = NAN;
  check_fails(lb_cholesky_factor(factor, A, &err), LB_ERR_NUMERIC, err, "row 6, column 7");
  A->values[lb_sparse_find(A, 6, 7)] = -INFINITY;
  check_fails(lb_cholesky_factor(factor, A, &err), LB_ERR_NUMERIC, err, "row 6, column 7");
  lb_cholesky_destroy(factor);
  lb_sparse_destroy(A);
}

static void another_pattern_is_refused(void **state) {
  (void)state;
  lbError err = { 0 };
  lbSparse *A = make_laplacian(5, 5, 1), *B = make_laplacian(25, 1, 1);
  lbCholesky *factor = analyse(A);
  check_fails(lb_cholesky_factor(factor, B, &err), LB_ERR_ARGUMENT, err, "pattern");
  lbCholesky *narrow = analyse(B);
  check_fails(lb_cholesky_factor_shifted(narrow, B, 1, A, &err), LB_ERR_ARGUMENT, err, "entries");
  lb_cholesky_destroy(factor), lb_cholesky_destroy(narrow);
  lb_sparse_destroy(A), lb_sparse_destroy(B);
}

#ifdef LB_ENGINE_SUITESPARSE
// A host program may have given BLAS as many threads as it likes.
static void blas_threads_of_the_host_do_not_change_the_bits(void **state) {
  (void)state;
  lbError err = { 0 };
  Pencil p = make_box(9, 8, 7);
  lbCholesky *factor = analyse(p.M);
  double *first = test_malloc((size_t)p.M->size * sizeof *first),
         *second = test_malloc((size_t)p.M->size * sizeof *second);
  for (int32_t i = 0; i < p.M->size; i++) first[i] = second[i] = i % 7 - 3;
  check_ok(lb_cholesky_factor(factor, p.M, &err), err);
  check_ok(lb_cholesky_solve(factor, 1, first, &err), err);
  openblas_set_num_threads(2);
  check_ok(lb_cholesky_factor(factor, p.M, &err), err);
  check_ok(lb_cholesky_solve(factor, 1, second, &err), err);
  assert_memory_equal(first, second, (size_t)p.M->size * sizeof *first);
  test_free(first), test_free(second);
  lb_cholesky_destroy(factor);
  free_pencil(p);
}
#endif

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  Pencil p = make_box(3, 3, 2);
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    lbCholesky *factor = NULL;
    lb_set_allocator(&allocator);
    lbStatus status = lb_cholesky_create(p.K, &factor, &err);
    if (!status) status = lb_cholesky_factor_shifted(factor, p.K, 1, p.M, &err);
    lb_cholesky_destroy(factor);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (heap.count <= n) {
      check_ok(status, err);
      break;
    }
    assert_int_equal(status, LB_ERR_MEMORY);
  }
  free_pencil(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_matrices_are_solved),
    cmocka_unit_test(a_free_body_is_solved_with_a_mass_added),
    cmocka_unit_test(an_indefinite_matrix_is_refused_with_its_row),
    cmocka_unit_test(what_is_no_number_is_refused_with_its_place),
    cmocka_unit_test(another_pattern_is_refused),
#ifdef LB_ENGINE_SUITESPARSE
    cmocka_unit_test(blas_threads_of_the_host_do_not_change_the_bits),
#endif
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
