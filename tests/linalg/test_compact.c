// Sparse Cholesky by fronts in either precision: refinement, falling back, threads.
#include "problems.h"

#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/fronts.h"
#include "linalg/sweep.h"
#include "threads/threads.h"

static lbCholesky *factor_compact(const lbSparse *A) {
  lbError err = { 0 };
  lbCholesky *factor = NULL;
  check_ok(lb_cholesky_create_compact(A, 0, &factor, &err), err);
  check_ok(lb_cholesky_factor(factor, A, &err), err);
  return factor;
}

// A + shift B
static lbSparse *add(const lbSparse *A, double shift, const lbSparse *B) {
  lbError err = { 0 };
  lbSparse *S = NULL;
  check_ok(lb_sparse_copy(A, &S, &err), err);
  assert_true(lb_sparse_add_scaled(S, shift, B));
  return S;
}

static double *random_columns(size_t count) {
  uint64_t seed = 5;
  double *X = test_malloc(count * sizeof *X);
  for (size_t i = 0; i < count; i++) X[i] = check_random(&seed);
  return X;
}

static double largest(size_t count, const double *x) {
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// The residual of a compact factor is no more than some times that of one in double precision, and
// near solutions agree with it.
static void check_beside_double(const lbSparse *A, int32_t count, bool single) {
  lbError err = { 0 };
  size_t n = (size_t)A->size, values = n * (size_t)count;
  double *B = random_columns(values), *X = test_malloc(values * sizeof *X);
  double *Y = test_malloc(values * sizeof *Y), *R = test_malloc(values * sizeof *R);
  lbCholesky *compact = factor_compact(A), *full = NULL;
  assert_true(lb_cholesky_info(compact).single == single);
  check_ok(lb_cholesky_create(A, &full, &err), err);
  check_ok(lb_cholesky_factor(full, A, &err), err);
  assert_false(lb_cholesky_info(full).single);
  double residuals[2], scale = 0;
  for (int k = 0; k < 2; k++) {
    memcpy(X, B, values * sizeof *X);
    check_ok(lb_cholesky_solve(k ? compact : full, count, X, &err), err);
    if (k == 0) memcpy(Y, X, values * sizeof *Y);
    lb_sparse_multiply_many(A, count, X, R);
    for (size_t i = 0; i < values; i++) R[i] -= B[i];
    residuals[k] = largest(values, R);
  }
  scale = largest(values, Y);
  check_near(residuals[1], 0, 8 * residuals[0] + 1e-14);
  memcpy(X, B, values * sizeof *X);
  check_ok(lb_cholesky_solve_near(compact, 1e-12, count, X, &err), err);
  for (size_t i = 0; i < values; i++) check_near(X[i], Y[i], 1e-9 * scale);
  lb_cholesky_destroy(compact), lb_cholesky_destroy(full);
  test_free(B), test_free(X), test_free(Y), test_free(R);
}

static void single_precision_is_refined_to_double(void **state) {
  (void)state;
  Pencil p = make_box(9, 8, 7);
  const double shifts[] = { 1, 1e-2, 1e-4 };
  for (int i = 0; i < 3; i++)
    for (int32_t count = 1; count < 40; count = 3 * count + 2) {
      lbSparse *S = add(p.K, shifts[i], p.M);
      check_beside_double(S, count, true);
      lb_sparse_destroy(S);
    }
  free_pencil(p);
}

// A free body is singular but for a shift that single precision does not see.
static void what_single_precision_cannot_do_is_done_in_double(void **state) {
  (void)state;
  Pencil p = make_box(7, 6, 5);
  lbSparse *S = add(p.K, 1e-9, p.M);
  check_beside_double(S, 5, false);
  lb_sparse_destroy(S);
  free_pencil(p);
}

static void large_and_small_units_are_solved(void **state) {
  (void)state;
  Pencil p = make_box(5, 5, 5);
  lbSparse *S = add(p.K, 1, p.M);
  for (double unit = 1e-60; unit < 1e80; unit *= 1e30) {
    for (int32_t k = 0; k < lb_sparse_nonzero_count(S); k++) S->values[k] *= unit;
    lbError err = { 0 };
    lbCholesky *factor = factor_compact(S);
    double *X = random_columns((size_t)S->size), *R = random_columns((size_t)S->size);
    double *B = random_columns((size_t)S->size);
    assert_true(lb_cholesky_info(factor).single);
    check_ok(lb_cholesky_solve(factor, 1, X, &err), err);
    lb_sparse_multiply(S, X, R);
    for (int32_t i = 0; i < S->size; i++) check_near(R[i], B[i], 1e-12);
    test_free(X), test_free(R), test_free(B);
    lb_cholesky_destroy(factor);
    for (int32_t k = 0; k < lb_sparse_nonzero_count(S); k++) S->values[k] /= unit;
  }
  lb_sparse_destroy(S);
  free_pencil(p);
}

static void failing_pivots_and_numbers_are_refused(void **state) {
  (void)state;
  lbError err = { 0 };
  lbSparse *A = make_laplacian(40, 30, 1);
  lbCholesky *factor = factor_compact(A);
  double *X = random_columns((size_t)A->size);
  X[7] = NAN;
  check_fails(lb_cholesky_solve(factor, 1, X, &err), LB_ERR_ARGUMENT, err, "not finite");
  A->values[lb_sparse_find(A, 77, 77)] = -3;
  check_fails(lb_cholesky_factor(factor, A, &err), LB_ERR_NUMERIC, err,
              "not positive definite at row");
  check_fails(lb_cholesky_solve(factor, 1, X, &err), LB_ERR_ARGUMENT, err, "before");
  test_free(X);
  lb_cholesky_destroy(factor);
  lb_sparse_destroy(A);
}

// Bytes of solutions, for several numbers of threads and precisions.
static void threads_do_not_change_the_bits(void **state) {
  (void)state;
  lbError err = { 0 };
  Pencil p = make_box(CHECK_SANITIZED ? 7 : 15, 12, 7);
  lbSparse *S = add(p.K, 1e-2, p.M);
  size_t values = (size_t)S->size * 19;
  double *first[2] = { random_columns(values), random_columns(values) };
  for (int32_t threads = 1; threads <= 3; threads++)
    for (int k = 0; k < 2; k++) {
      lbCholesky *factor = NULL;
      double *X = random_columns(values);
      check_ok(lb_threads_start(threads, &err), err);
      check_ok((k ? lb_cholesky_create_compact(S, 0, &factor, &err)
                  : lb_cholesky_create(S, &factor, &err)),
               err);
      check_ok(lb_cholesky_factor(factor, S, &err), err);
      check_ok(lb_cholesky_solve(factor, 19, X, &err), err);
      if (threads == 1) memcpy(first[k], X, values * sizeof *X);
      assert_memory_equal(first[k], X, values * sizeof *X);
      lb_cholesky_destroy(factor);
      test_free(X);
    }
  lb_threads_stop();
  test_free(first[0]), test_free(first[1]);
  lb_sparse_destroy(S);
  free_pencil(p);
}

// One dense front of several blocks, against the dense solver.
static void a_full_matrix_is_solved_as_the_dense_solver_does(void **state) {
  (void)state;
  enum { SIZE = 2 * LB_FRONT_BLOCK + 37 };
  Entries entries = { 0 };
  uint64_t seed = 3;
  lbError err = { 0 };
  for (int32_t i = 0; i < SIZE; i++)
    for (int32_t j = 0; j <= i; j++) add_entry(&entries, j, i, check_random(&seed) + (i == j) * 40);
  lbSparse *A = make_sparse(SIZE, &entries);
  double *D = test_calloc((size_t)SIZE * SIZE, sizeof *D);
  double *Y = random_columns(SIZE);
  for (int32_t j = 0; j < SIZE; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++)
      D[(size_t)j * SIZE + (size_t)A->rows[k]] = D[(size_t)A->rows[k] * SIZE + (size_t)j] =
          A->values[k];
  check_ok(lb_dense_solve(SIZE, D, 1, Y, &err), err);
  for (int k = 0; k < 2; k++) {
    lbCholesky *factor = NULL;
    double *B = random_columns(SIZE);
    check_ok(lb_cholesky_create_compact(A, k ? 0 : SIZE_MAX, &factor, &err), err);
    check_ok(lb_cholesky_factor(factor, A, &err), err);
    assert_true(lb_cholesky_info(factor).single == (k == 1));
    check_ok(lb_cholesky_solve(factor, 1, B, &err), err);
    for (int32_t i = 0; i < SIZE; i++) check_near(B[i], Y[i], 1e-13);
    lb_cholesky_destroy(factor);
    test_free(B);
  }
  test_free(D), test_free(Y);
  lb_sparse_destroy(A);
}

// A bar that bends: the condition grows with the fourth power of its length, beyond what single
// precision can do and then beyond what refinement can.
static void slender_bars_are_solved_as_in_double(void **state) {
  (void)state;
  bool single[2] = { false, false };
  for (int32_t size = 20; size < 4000; size *= 3) {
    Entries entries = { 0 };
    lbError err = { 0 };
    for (int32_t i = 0; i < size; i++) {
      add_entry(&entries, i, i, 6);
      if (i > 0) add_entry(&entries, i - 1, i, -4);
      if (i > 1) add_entry(&entries, i - 2, i, 1);
    }
    lbSparse *A = make_sparse(size, &entries);
    lbCholesky *compact = factor_compact(A), *full = NULL;
    check_ok(lb_cholesky_create(A, &full, &err), err);
    check_ok(lb_cholesky_factor(full, A, &err), err);
    size_t n = (size_t)size;
    double *X = random_columns(n), *Y = random_columns(n), *R = random_columns(n), residuals[2];
    for (int k = 0; k < 2; k++) {
      double *B = random_columns(n), *solution = k ? X : Y;
      check_ok(lb_cholesky_solve(k ? compact : full, 1, solution, &err), err);
      lb_sparse_multiply(A, solution, R);
      for (size_t i = 0; i < n; i++) R[i] -= B[i];
      residuals[k] = largest(n, R);
      test_free(B);
    }
    single[lb_cholesky_info(compact).single] = true;
    check_near(residuals[1], 0, 16 * residuals[0] + 1e-14);
    lb_cholesky_destroy(compact), lb_cholesky_destroy(full);
    test_free(X), test_free(Y), test_free(R);
    lb_sparse_destroy(A);
  }
  assert_true(single[0] && single[1]); // both kinds were met
}

// Every SIMD level's sweep kernels against plain loops, for every width and tail.
static void check_sweeps(lbSimdLevel level, int index, int32_t width, int32_t rows,
                         int32_t columns) {
  enum { MOST = 40 };
  const lbSweepSingle *kernels = &lb_sweeps(level)->singles[index];
  float L[MOST * MOST], X[MOST * 16], Y[MOST * 16], was[MOST * 16];
  uint64_t seed = 9;
  for (int i = 0; i < MOST * MOST; i++) L[i] = (float)check_random(&seed);
  for (int i = 0; i < MOST * 16; i++) {
    X[i] = (float)check_random(&seed);
    Y[i] = was[i] = (float)check_random(&seed);
  }
  kernels->subtract(rows, columns, columns + 1, L, X, Y);
  for (int32_t r = 0; r < rows; r++)
    for (int32_t k = 0; k < width; k++) {
      double sum = (double)was[r * width + k];
      for (int32_t c = 0; c < columns; c++)
        sum -= (double)L[r * (columns + 1) + c] * (double)X[c * width + k];
      check_near((double)Y[r * width + k], sum, 1e-5);
    }
  memcpy(was, X, sizeof was);
  kernels->subtract_transposed(rows, columns, columns + 1, L, Y, X);
  for (int32_t c = 0; c < columns; c++)
    for (int32_t k = 0; k < width; k++) {
      double sum = (double)was[c * width + k];
      for (int32_t r = 0; r < rows; r++)
        sum -= (double)L[r * (columns + 1) + c] * (double)Y[r * width + k];
      check_near((double)X[c * width + k], sum, 1e-4);
    }
}

static void sweep_kernels_agree_with_plain_loops(void **state) {
  (void)state;
  const int32_t widths[] = { 1, LB_FRONT_WIDTH_FEW, LB_FRONT_WIDTH_MANY };
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++)
    for (int32_t rows = 0; lb_simd_has((lbSimdLevel)level) && rows < 38; rows += 3)
      for (int32_t columns = 1; columns < 36; columns += 5)
        for (int i = 0; i < 3; i++) check_sweeps((lbSimdLevel)level, i, widths[i], rows, columns);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  Pencil p = make_box(3, 3, 2);
  lbSparse *S = add(p.K, 1, p.M);
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    lbCholesky *factor = NULL;
    double *X = random_columns((size_t)S->size * 3);
    lb_set_allocator(&allocator);
    lbStatus status = lb_cholesky_create_compact(S, 0, &factor, &err);
    if (!status) status = lb_cholesky_factor(factor, S, &err);
    if (!status) status = lb_cholesky_solve(factor, 3, X, &err);
    lb_cholesky_destroy(factor);
    lb_set_allocator(NULL);
    test_free(X);
    assert_int_equal(heap.live, 0);
    if (heap.count <= n) {
      check_ok(status, err);
      break;
    }
    assert_int_equal(status, LB_ERR_MEMORY);
  }
  lb_sparse_destroy(S);
  free_pencil(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(single_precision_is_refined_to_double),
    cmocka_unit_test(what_single_precision_cannot_do_is_done_in_double),
    cmocka_unit_test(large_and_small_units_are_solved),
    cmocka_unit_test(failing_pivots_and_numbers_are_refused),
    cmocka_unit_test(threads_do_not_change_the_bits),
    cmocka_unit_test(a_full_matrix_is_solved_as_the_dense_solver_does),
    cmocka_unit_test(slender_bars_are_solved_as_in_double),
    cmocka_unit_test(sweep_kernels_agree_with_plain_loops),
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
