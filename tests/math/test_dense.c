// Small Cholesky and L D L^T: residuals, refusals, untouched upper triangles.
#include "check.h"
#include "math/dense.h"

#include <float.h>

enum { LARGEST = 100, COLUMNS = 3 };
typedef struct System {
  int32_t n;
  double a[LARGEST * LARGEST], factor[LARGEST * LARGEST];
  double b[LARGEST * COLUMNS], x[LARGEST * COLUMNS];
} System;
static System s;

// A = B B^T + shift I with random B (n x rank), and random right-hand sides.
static void make_system(int32_t n, int32_t rank, double shift, uint64_t seed) {
  static double b[LARGEST * LARGEST];
  s.n = n;
  for (int32_t i = 0; i < n * rank; i++) b[i] = check_random(&seed);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = i == j ? shift : 0;
      for (int32_t k = 0; k < rank; k++) sum += b[i + n * k] * b[j + n * k];
      s.a[i + n * j] = sum;
    }
  for (int32_t i = 0; i < n * COLUMNS; i++) s.b[i] = check_random(&seed);
}

static int32_t count_negative_pivots(int32_t n, const double *ld) {
  int32_t count = 0;
  for (int32_t j = 0; j < n; j++) count += ld[j + n * j] < 0;
  return count;
}

static void poison_upper(void) {
  memcpy(s.factor, s.a, sizeof s.a);
  for (int32_t j = 0; j < s.n; j++)
    for (int32_t i = 0; i < j; i++) s.factor[i + s.n * j] = NAN;
  memcpy(s.x, s.b, sizeof s.b);
}

static void check_upper_untouched(void) {
  for (int32_t j = 0; j < s.n; j++)
    for (int32_t i = 0; i < j; i++) assert_true(isnan(s.factor[i + s.n * j]));
}

// max |A x - b| / (|A| |x|)
static double residual(void) {
  double worst = 0, a_size = 0, x_size = 0;
  for (int32_t i = 0; i < s.n * s.n; i++) a_size = fmax(a_size, fabs(s.a[i]));
  for (int32_t i = 0; i < s.n * COLUMNS; i++) x_size = fmax(x_size, fabs(s.x[i]));
  for (int32_t c = 0; c < COLUMNS; c++)
    for (int32_t i = 0; i < s.n; i++) {
      double sum = -s.b[i + s.n * c];
      for (int32_t j = 0; j < s.n; j++) sum += s.a[i + s.n * j] * s.x[j + s.n * c];
      worst = fmax(worst, fabs(sum));
    }
  return worst / (a_size * x_size);
}

static void cholesky_solves_every_size(void **state) {
  (void)state;
  for (int32_t n = 1; n <= LARGEST; n += n < 20 ? 1 : 16) {
    make_system(n, n, 1e-3, (uint64_t)n);
    poison_upper();
    assert_true(lb_small_cholesky_factor(n, s.factor));
    check_upper_untouched();
    lb_small_cholesky_solve(n, s.factor, COLUMNS, s.x);
    check_small(residual(), 1e-14);
  }
}

static void ldlt_solves_every_size_and_counts_no_negative_pivot(void **state) {
  (void)state;
  for (int32_t n = 1; n <= LARGEST; n += n < 20 ? 1 : 16) {
    make_system(n, n, 1e-3, (uint64_t)n);
    poison_upper();
    assert_true(lb_small_ldlt_factor(n, s.factor));
    check_upper_untouched();
    assert_int_equal(count_negative_pivots(n, s.factor), 0);
    lb_small_ldlt_solve(n, s.factor, COLUMNS, s.x);
    check_small(residual(), 1e-14);
  }
}

// y <- (n columns of `stride` numbers) x
static void multiply(int32_t n, int32_t stride, const double *matrix, const double *x, double *y) {
  for (int32_t i = 0; i < n; i++) y[i] = 0;
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) y[i] += matrix[i + stride * j] * x[j];
}

static void inverted_factors_solve_as_the_factors_do(void **state) {
  (void)state;
  static double lower[LARGEST * (LARGEST + 8)], upper[LARGEST * (LARGEST + 8)], y[LARGEST];
  for (int32_t n = 1; n <= LARGEST; n += n < 20 ? 1 : 16) {
    int32_t stride = (n + 7) / 8 * 8;
    make_system(n, n, 1e-3, (uint64_t)n);
    poison_upper();
    assert_true(lb_small_ldlt_factor(n, s.factor));
    for (int32_t i = 0; i < n * stride; i++) lower[i] = upper[i] = NAN;
    lb_small_ldlt_invert(n, s.factor, stride, lower, upper);
    for (int32_t c = 0; c < COLUMNS; c++) {
      multiply(n, stride, lower, s.x + n * c, y);
      multiply(n, stride, upper, y, s.x + n * c);
    }
    check_small(residual(), 1e-13);
    for (int32_t i = 0; i < n * stride; i++)
      if (i % stride >= n) assert_true(lower[i] == 0 && upper[i] == 0);
  }
}

// [K B^T; B 0] with three constraints: three negative pivots.
static void ldlt_solves_a_saddle_point(void **state) {
  (void)state;
  enum { N = 20, CONSTRAINTS = 3 };
  make_system(N, N, 0.1, 5);
  for (int32_t j = N - CONSTRAINTS; j < N; j++)
    for (int32_t i = N - CONSTRAINTS; i < N; i++) s.a[i + N * j] = 0;
  poison_upper();
  assert_true(lb_small_ldlt_factor(N, s.factor));
  assert_int_equal(count_negative_pivots(N, s.factor), CONSTRAINTS);
  lb_small_ldlt_solve(N, s.factor, COLUMNS, s.x);
  check_small(residual(), 1e-13);
  poison_upper();
  assert_false(lb_small_cholesky_factor(N, s.factor));
}

// Singular: the last row and column repeat the first.
static void make_last_unknown_a_copy_of_the_first(void) {
  int32_t n = s.n, last = n - 1;
  for (int32_t i = 0; i < last; i++) s.a[i + n * last] = s.a[last + n * i] = s.a[i];
  s.a[last + n * last] = s.a[0];
}

static void semidefinite_indefinite_and_nan_are_refused(void **state) {
  (void)state;
  for (int32_t n = 2; n <= 60; n += 7) {
    make_system(n, n, 1, (uint64_t)n);
    make_last_unknown_a_copy_of_the_first();
    poison_upper();
    assert_false(lb_small_cholesky_factor(n, s.factor));
    poison_upper();
    assert_false(lb_small_ldlt_factor(n, s.factor));
    make_system(n, n, -1e3, (uint64_t)n);
    poison_upper();
    assert_false(lb_small_cholesky_factor(n, s.factor));
    make_system(n, n, 1, (uint64_t)n);
    s.a[n - 1] = NAN;
    poison_upper();
    assert_false(lb_small_cholesky_factor(n, s.factor));
    poison_upper();
    assert_false(lb_small_ldlt_factor(n, s.factor));
    s.a[n - 1] = 0, s.a[n * n - 1] = INFINITY;
    poison_upper();
    assert_false(lb_small_cholesky_factor(n, s.factor));
  }
  double zero = 0;
  assert_false(lb_small_cholesky_factor(1, &zero));
  assert_false(lb_small_ldlt_factor(1, &zero));
  assert_true(lb_small_cholesky_factor(0, &zero));
}

// The Hilbert matrix of six is still positive definite in double precision.
static void ill_conditioned_but_definite_is_accepted(void **state) {
  (void)state;
  enum { N = 6 };
  make_system(N, N, 0, 1);
  for (int32_t j = 0; j < N; j++)
    for (int32_t i = 0; i < N; i++) s.a[i + N * j] = 1.0 / (i + j + 1);
  poison_upper();
  assert_true(lb_small_cholesky_factor(N, s.factor));
  lb_small_cholesky_solve(N, s.factor, COLUMNS, s.x);
  check_small(residual(), 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cholesky_solves_every_size),
    cmocka_unit_test(ldlt_solves_every_size_and_counts_no_negative_pivot),
    cmocka_unit_test(inverted_factors_solve_as_the_factors_do),
    cmocka_unit_test(ldlt_solves_a_saddle_point),
    cmocka_unit_test(semidefinite_indefinite_and_nan_are_refused),
    cmocka_unit_test(ill_conditioned_but_definite_is_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
