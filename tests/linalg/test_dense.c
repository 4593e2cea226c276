// Dense wrappers: each against its defining equation.
#include "check.h"

#include "linalg/dense.h"
#include "threads/threads.h"

static double *random_matrix(int32_t rows, int32_t columns, uint64_t seed) {
  size_t count = (size_t)rows * (size_t)columns;
  double *A = calloc(count + 1, sizeof *A);
  for (size_t i = 0; i < count; i++) A[i] = check_random(&seed);
  return A;
}

static double *copy_of(const double *A, int32_t rows, int32_t columns) {
  size_t count = (size_t)rows * (size_t)columns;
  double *copy = calloc(count, sizeof *copy);
  memcpy(copy, A, count * sizeof *copy);
  return copy;
}

// A' A + 1
static double *random_definite(int32_t size, uint64_t seed) {
  double *A = random_matrix(size, size, seed), *G = random_matrix(size, size, 0);
  lb_dense_gram(size, size, A, G);
  for (int32_t i = 0; i < size; i++) G[i * size + i] += 1;
  free(A);
  return G;
}

static void check_equal(int32_t count, const double *A, const double *B, double tolerance) {
  for (int32_t i = 0; i < count; i++) check_near(A[i], B[i], tolerance);
}

static void products_follow_their_definition(void **state) {
  (void)state;
  enum { ROWS = 5, COLUMNS = 4, INNER = 7 };
  double *A = random_matrix(ROWS, INNER, 1), *B = random_matrix(INNER, COLUMNS, 2);
  double At[ROWS * INNER], Bt[INNER * COLUMNS], C[ROWS * COLUMNS], plain[ROWS * COLUMNS];
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < INNER; k++) At[i * INNER + k] = A[k * ROWS + i];
  for (int k = 0; k < INNER; k++)
    for (int j = 0; j < COLUMNS; j++) Bt[k * COLUMNS + j] = B[j * INNER + k];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      plain[j * ROWS + i] = 1;
      for (int k = 0; k < INNER; k++) plain[j * ROWS + i] += 2 * A[k * ROWS + i] * B[j * INNER + k];
    }
  for (int way = 0; way < 4; way++) {
    for (int i = 0; i < ROWS * COLUMNS; i++) C[i] = 2;
    lb_dense_multiply(way & 1 ? LB_TRANSPOSED : LB_PLAIN, way & 2 ? LB_TRANSPOSED : LB_PLAIN, ROWS,
                      COLUMNS, INNER, 2, way & 1 ? At : A, way & 2 ? Bt : B, 0.5, C);
    check_equal(ROWS * COLUMNS, C, plain, 1e-14);
  }
  for (int j = 0; j < COLUMNS; j++) {
    double y[ROWS] = { 1, 1, 1, 1, 1 };
    lb_dense_multiply_vector(LB_PLAIN, ROWS, INNER, 2, A, B + j * INNER, 1, y);
    check_equal(ROWS, y, plain + j * ROWS, 1e-14);
    double z[ROWS] = { 1, 1, 1, 1, 1 };
    lb_dense_multiply_vector(LB_TRANSPOSED, INNER, ROWS, 2, At, B + j * INNER, 1, z);
    check_equal(ROWS, z, plain + j * ROWS, 1e-14);
  }
  free(A), free(B);
}

// Xᵀ Y, X C and X R⁻¹ of long vectors, by so many threads: one after another in a block.
static double *long_products(int32_t threads, int32_t rows, int32_t columns, const double *X,
                             const double *C) {
  lbError err;
  size_t n = (size_t)rows * (size_t)columns, square = (size_t)(columns * columns);
  double *all = calloc(square + 2 * n, sizeof *all), *product = all + square;
  double *divided = product + n;
  check_ok(lb_threads_start(threads, &err), err);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, columns, columns, rows, 1, X, X, 0, all);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, rows, columns, columns, 1, X, C, 0, product);
  memcpy(divided, product, n * sizeof *divided);
  lb_dense_divide_by_upper(rows, columns, C, divided);
  lb_threads_stop();
  return all;
}

static void long_products_have_the_same_bits_on_any_number_of_threads(void **state) {
  (void)state;
  enum { ROWS = 20011, COLUMNS = 37 }; // several tasks of either product
  double *X = random_matrix(ROWS, COLUMNS, 3), *C = random_matrix(COLUMNS, COLUMNS, 4);
  size_t n = (size_t)ROWS * COLUMNS, square = (size_t)COLUMNS * COLUMNS;
  for (size_t i = 0; i < COLUMNS; i++) // upper triangular, well conditioned
    for (size_t j = 0; j <= i; j++) C[j * COLUMNS + i] = i == j ? 4 : 0;
  double *one = long_products(1, ROWS, COLUMNS, X, C);
  for (int32_t threads = 2; threads <= 3; threads++) {
    double *more = long_products(threads, ROWS, COLUMNS, X, C);
    assert_memory_equal(one, more, (square + 2 * n) * sizeof *one);
    free(more);
  }
  double gram = 0, product = 0, divided = 0;
  for (size_t i = 0; i < COLUMNS; i++)
    for (size_t j = 0; j < COLUMNS; j++) {
      double sum = 0;
      for (size_t k = 0; k < ROWS; k++) sum += X[i * ROWS + k] * X[j * ROWS + k];
      gram = fmax(gram, fabs(sum - one[j * COLUMNS + i]));
    }
  for (size_t k = 0; k < n; k++) {
    double sum = 0;
    for (size_t i = 0; i < COLUMNS; i++) sum += X[i * ROWS + k % ROWS] * C[k / ROWS * COLUMNS + i];
    product = fmax(product, fabs(sum - one[square + k]));
    divided = fmax(divided, fabs(X[k] - one[square + n + k]));
  }
  printf("  gram %.2g, tolerance 1e-9; product %.2g, quotient %.2g, tolerance 1e-12\n", gram,
         product, divided);
  check_small(gram, 1e-9);
  check_small(product, 1e-12);
  check_small(divided, 1e-12);
  free(one), free(X), free(C);
}

static void parts_of_matrices_are_multiplied_in_place(void **state) {
  (void)state;
  enum { ROWS = 9, COLUMNS = 7 };
  double *A = random_matrix(ROWS, COLUMNS, 3), G[COLUMNS * COLUMNS], whole[COLUMNS * COLUMNS];
  for (int i = 0; i < COLUMNS * COLUMNS; i++) G[i] = 100;
  lb_dense_gram(ROWS, COLUMNS, A, whole);
  // rows [2, 7) of columns [1, 4)
  lb_dense_multiply_parts(LB_TRANSPOSED, LB_PLAIN, 5, 3, ROWS, 1, A + 2 * ROWS, ROWS, A + ROWS,
                          ROWS, 1, G + COLUMNS + 2, COLUMNS);
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < COLUMNS; i++)
      check_near(G[j * COLUMNS + i], 100 + (i >= 2 && j >= 1 && j < 4 ? whole[j * COLUMNS + i] : 0),
                 1e-13);
  free(A);
}

static void eigenvectors_diagonalise(void **state) {
  (void)state;
  enum { N = 23 };
  lbError err = { 0 };
  double *A = random_definite(N, 4), *V = copy_of(A, N, N), values[N], AV[N * N], G[N * N];
  for (int j = 0; j < N; j++)
    for (int i = j + 1; i < N; i++) V[j * N + i] = NAN; // not to be read
  check_ok(lb_dense_eigen(N, V, values, &err), err);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, N, N, N, 1, A, V, 0, AV);
  for (int j = 0; j < N; j++) {
    assert_true(j == 0 || values[j] >= values[j - 1]);
    for (int i = 0; i < N; i++) check_near(AV[j * N + i], values[j] * V[j * N + i], 1e-12);
  }
  lb_dense_gram(N, N, V, G);
  for (int i = 0; i < N * N; i++) check_near(G[i], i % (N + 1) == 0, 1e-13);
  free(A), free(V);
}

static void general_eigenvectors_are_orthonormal_in_the_second_matrix(void **state) {
  (void)state;
  enum { N = 19 };
  lbError err = { 0 };
  double *A = random_definite(N, 5), *B = random_definite(N, 6);
  double *V = copy_of(A, N, N), *R = copy_of(B, N, N), values[N], AV[N * N], BV[N * N], G[N * N];
  check_ok(lb_dense_eigen_general(N, V, R, values, &err), err);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, N, N, N, 1, A, V, 0, AV);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, N, N, N, 1, B, V, 0, BV);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, N, N, N, 1, V, BV, 0, G);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      check_near(AV[j * N + i], values[j] * BV[j * N + i], 1e-11);
      check_near(G[j * N + i], i == j, 1e-13);
    }
  free(A), free(B), free(V), free(R);
}

static void check_svd(int32_t rows, int32_t columns) {
  lbError err = { 0 };
  int32_t least = rows < columns ? rows : columns;
  double *A = random_matrix(rows, columns, 7), *work = copy_of(A, rows, columns);
  double *U = random_matrix(rows, least, 0), *Vt = random_matrix(least, columns, 0);
  double *S = random_matrix(least, 1, 0), *alone = random_matrix(least, 1, 0);
  double *product = random_matrix(rows, columns, 0);
  check_ok(lb_dense_svd(rows, columns, work, U, S, Vt, &err), err);
  memcpy(work, A, (size_t)rows * (size_t)columns * sizeof *A);
  check_ok(lb_dense_svd(rows, columns, work, NULL, alone, NULL, &err), err);
  check_equal(least, S, alone, 1e-13);
  for (int32_t j = 0; j < least; j++)
    for (int32_t i = 0; i < rows; i++) U[j * rows + i] *= S[j];
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, rows, columns, least, 1, U, Vt, 0, product);
  check_equal(rows * columns, product, A, 1e-13);
  free(A), free(work), free(U), free(Vt), free(S), free(alone), free(product);
}

static void singular_values_rebuild_the_matrix(void **state) {
  (void)state;
  check_svd(12, 7);
  check_svd(7, 12);
  check_svd(9, 9);
}

static void solves_return_the_right_hand_side(void **state) {
  (void)state;
  enum { N = 17, COUNT = 3 };
  lbError err = { 0 };
  double *A = random_definite(N, 10), *R = copy_of(A, N, N), *B = random_matrix(N, COUNT, 11);
  double *X = copy_of(B, N, COUNT), *lu = copy_of(A, N, N), product[N * COUNT];
  check_ok(lb_dense_cholesky(N, R, &err), err);
  lb_dense_cholesky_solve(N, R, COUNT, X);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, N, COUNT, N, 1, A, X, 0, product);
  check_equal(N * COUNT, product, B, 1e-12);
  memcpy(X, B, N * COUNT * sizeof *X);
  check_ok(lb_dense_solve(N, lu, COUNT, X, &err), err);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, N, COUNT, N, 1, A, X, 0, product);
  check_equal(N * COUNT, product, B, 1e-12);

  double *Q = random_matrix(40, N, 12), G[N * N];
  lb_dense_gram(40, N, Q, G);
  check_ok(lb_dense_cholesky(N, G, &err), err);
  lb_dense_divide_by_upper(40, N, G, Q);
  lb_dense_gram(40, N, Q, G);
  for (int i = 0; i < N * N; i++) check_near(G[i], i % (N + 1) == 0, 1e-13);
  free(A), free(R), free(B), free(X), free(lu), free(Q);
}

static void triangles_of_larger_matrices_are_solved_with(void **state) {
  (void)state;
  enum { N = 7, STRIDE = 11 };
  double R[N * STRIDE], x[N], plain[N] = { 0 }, transposed[N] = { 0 };
  uint64_t seed = 29;
  for (int i = 0; i < N * STRIDE; i++) R[i] = check_random(&seed) + (i % (STRIDE + 1) ? 0 : 3);
  for (int i = 0; i < N; i++) x[i] = check_random(&seed);
  for (int j = 0; j < N; j++)
    for (int i = 0; i <= j; i++) { // what is below the diagonal is not looked at
      plain[i] += R[j * STRIDE + i] * x[j];
      transposed[j] += R[j * STRIDE + i] * x[i];
    }
  lb_dense_solve_upper(LB_PLAIN, N, R, STRIDE, plain);
  lb_dense_solve_upper(LB_TRANSPOSED, N, R, STRIDE, transposed);
  for (int i = 0; i < N; i++) {
    check_near(plain[i], x[i], 1e-13);
    check_near(transposed[i], x[i], 1e-13);
  }
}

static void bad_matrices_are_refused(void **state) {
  (void)state;
  lbError err = { 0 };
  double A[9] = { 1, 0, 0, 0, -2, 0, 0, 0, 1 }, x[3] = { 1, 2, 3 }, S[3];
  check_fails(lb_dense_cholesky(3, A, &err), LB_ERR_NUMERIC, err, "not positive definite at row 1");
  double zero[9] = { 1, 0, 0, 0, 0, 0, 0, 0, 1 };
  check_fails(lb_dense_solve(3, zero, 1, x, &err), LB_ERR_NUMERIC, err, "singular at row 1");
  double bad[9] = { 1, 0, 0, 0, 1, 0, NAN, 0, 1 };
  check_fails(lb_dense_cholesky(3, bad, &err), LB_ERR_NUMERIC, err, "not finite");
  check_fails(lb_dense_eigen(3, bad, x, &err), LB_ERR_NUMERIC, err, "not finite");
  check_fails(lb_dense_svd(3, 3, bad, NULL, S, NULL, &err), LB_ERR_NUMERIC, err, "not finite");
  check_fails(lb_dense_solve(3, bad, 1, x, &err), LB_ERR_NUMERIC, err, "not finite");
}

static lbStatus use_all(double *A, double *B, double *U, double *Vt, double *S, lbError *err) {
  enum { N = 6 };
  double *G = random_definite(N, 3);
  lbStatus status = lb_dense_eigen(N, G, S, err);
  if (!status) status = lb_dense_svd(N, N, A, U, S, Vt, err);
  if (!status) status = lb_dense_solve(N, Vt, 1, B, err);
  free(G);
  return status;
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  enum { N = 6 };
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    double *A = random_matrix(N, N, 1), *B = random_matrix(N, 1, 2), U[N * N], Vt[N * N], S[N];
    lb_set_allocator(&allocator);
    lbStatus status = use_all(A, B, U, Vt, S, &err);
    lb_set_allocator(NULL);
    free(A), free(B);
    assert_int_equal(heap.live, 0);
    if (heap.count <= n) {
      check_ok(status, err);
      break;
    }
    assert_int_equal(status, LB_ERR_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(products_follow_their_definition),
    cmocka_unit_test(long_products_have_the_same_bits_on_any_number_of_threads),
    cmocka_unit_test(parts_of_matrices_are_multiplied_in_place),
    cmocka_unit_test(eigenvectors_diagonalise),
    cmocka_unit_test(general_eigenvectors_are_orthonormal_in_the_second_matrix),
    cmocka_unit_test(singular_values_rebuild_the_matrix),
    cmocka_unit_test(solves_return_the_right_hand_side),
    cmocka_unit_test(triangles_of_larger_matrices_are_solved_with),
    cmocka_unit_test(bad_matrices_are_refused),
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
