// The vectorised L D L^T at every SIMD level: residuals, agreement with the plain one, refusals.
#include "check.h"
#include "math/dense.h"
#include "math/ldlt.h"

#include <float.h>

enum { LARGEST = 100 };
typedef struct System {
  int32_t n, stride;
  double a[LARGEST * LARGEST], factor[LARGEST * LARGEST], plain[LARGEST * LARGEST];
  double b[LARGEST], x[LARGEST], y[LARGEST];
} System;
static System s;

// A = B B^T + shift I with random B, symmetric, n x n; padded copies are made by start().
static void make_system(int32_t n, double shift, uint64_t seed) {
  static double b[LARGEST * LARGEST];
  s.n = n, s.stride = lb_ldlt_padded(n);
  for (int32_t i = 0; i < n * n; i++) b[i] = check_random(&seed);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = i == j ? shift : 0;
      for (int32_t k = 0; k < n; k++) sum += b[i + n * k] * b[j + n * k];
      s.a[i + n * j] = sum;
    }
  for (int32_t i = 0; i < n; i++) s.b[i] = check_random(&seed);
}

// The lower triangle alone; everything else must not be read.
static void start(void) {
  for (int32_t i = 0; i < s.stride * s.stride; i++) s.factor[i] = NAN;
  for (int32_t j = 0; j < s.n; j++)
    for (int32_t i = j; i < s.n; i++)
      s.factor[i + s.stride * j] = s.plain[i + s.n * j] = s.a[i + s.n * j];
  for (int32_t i = 0; i < s.stride; i++) s.x[i] = i < s.n ? s.b[i] : NAN;
  memcpy(s.y, s.b, sizeof s.b);
}

// max |A x - b| / (|A| |x|)
static double residual(void) {
  double worst = 0, a_size = 0, x_size = 0;
  for (int32_t i = 0; i < s.n * s.n; i++) a_size = fmax(a_size, fabs(s.a[i]));
  for (int32_t i = 0; i < s.n; i++) {
    double sum = -s.b[i];
    for (int32_t j = 0; j < s.n; j++) sum += s.a[i + s.n * j] * s.x[j];
    worst = fmax(worst, fabs(sum));
    x_size = fmax(x_size, fabs(s.x[i]));
  }
  return worst / (a_size * x_size);
}

static void check_against_plain(double tolerance) {
  double scale = 0;
  assert_true(lb_small_ldlt_factor(s.n, s.plain));
  lb_small_ldlt_solve(s.n, s.plain, 1, s.y);
  for (int32_t i = 0; i < s.n; i++) scale = fmax(scale, fabs(s.y[i]));
  for (int32_t i = 0; i < s.n; i++) check_near(s.x[i], s.y[i], tolerance * scale);
  for (int32_t j = 0; j < s.n; j++)
    for (int32_t i = j; i < s.n; i++) {
      double expected = s.plain[i + s.n * j], d = s.plain[j + s.n * j];
      check_near(s.factor[i + s.stride * j], expected, tolerance * (1 + fabs(expected)));
      if (i > j) check_near(s.factor[j + s.stride * i], expected * d, tolerance * (1 + fabs(d)));
    }
  for (int32_t i = s.n; i < s.stride; i++) assert_true(s.x[i] == 0);
}

static void every_size_is_solved_at_every_level_as_the_plain_one_does(void **state) {
  (void)state;
  static double first[LARGEST];
  for (int32_t n = 1; n <= LARGEST; n += n < 36 ? 1 : 16) {
    make_system(n, 0.5, (uint64_t)n);
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
      if (!lb_simd_has((lbSimdLevel)level)) continue;
      const lbLdltKernels *kernels = lb_ldlt_kernels((lbSimdLevel)level);
      start();
      assert_true(kernels->factor(n, s.factor));
      assert_int_equal(lb_ldlt_negative_count(n, s.factor), 0);
      kernels->solve(n, s.factor, s.x);
      check_small(residual(), 1e-14);
      check_against_plain(1e-10);
      if (level == LB_SIMD_PORTABLE) memcpy(first, s.x, sizeof first);
      if (level == LB_SIMD_BASE) assert_memory_equal(first, s.x, (size_t)n * sizeof(double));
    }
  }
}

// [K B^T; B 0] with three constraints: three negative pivots.
static void a_saddle_point_is_solved(void **state) {
  (void)state;
  enum { N = 21, CONSTRAINTS = 3 };
  make_system(N, 0.1, 5);
  for (int32_t j = N - CONSTRAINTS; j < N; j++)
    for (int32_t i = N - CONSTRAINTS; i < N; i++) s.a[i + N * j] = 0;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    start();
    assert_true(lb_ldlt_kernels((lbSimdLevel)level)->factor(N, s.factor));
    assert_int_equal(lb_ldlt_negative_count(N, s.factor), CONSTRAINTS);
    lb_ldlt_kernels((lbSimdLevel)level)->solve(N, s.factor, s.x);
    check_small(residual(), 1e-13);
  }
}

static bool factors(lbSimdLevel level) {
  start();
  return lb_ldlt_kernels(level)->factor(s.n, s.factor);
}

static void singular_and_not_finite_are_refused(void **state) {
  (void)state;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    for (int32_t n = 2; n <= 60; n++) {
      int32_t last = n - 1;
      make_system(n, 1, (uint64_t)n);
      assert_true(factors((lbSimdLevel)level));
      s.a[last] = NAN;
      assert_false(factors((lbSimdLevel)level));
      s.a[last] = 0, s.a[n * n - 1] = INFINITY;
      assert_false(factors((lbSimdLevel)level));
      make_system(n, 1, (uint64_t)n); // the last unknown a copy of the first
      for (int32_t i = 0; i < last; i++) s.a[i + n * last] = s.a[last + n * i] = s.a[i];
      s.a[last + n * last] = s.a[0];
      assert_false(factors((lbSimdLevel)level));
    }
    double zero[16] = { 0 };
    assert_false(lb_ldlt_kernels((lbSimdLevel)level)->factor(1, zero));
    assert_true(lb_ldlt_kernels((lbSimdLevel)level)->factor(0, zero));
    lb_ldlt_kernels((lbSimdLevel)level)->solve(0, zero, zero);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_size_is_solved_at_every_level_as_the_plain_one_does),
    cmocka_unit_test(a_saddle_point_is_solved),
    cmocka_unit_test(singular_and_not_finite_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
