// L D L^T of a crowd, a matrix in each lane: the bits of a matrix alone, at every SIMD level.
#include "check.h"
#include "math/ldlt.h"
#include "math/ldlt_crowd.h"

enum { LARGEST = 64 };

static double a[8 * LARGEST * (LARGEST + 1) / 2], factors[8 * LARGEST * LARGEST], b[8 * LARGEST];
static double alone[LARGEST * LARGEST], x[LARGEST];

static size_t place(int32_t i, int32_t j) { return (size_t)i * ((size_t)i + 1) / 2 + (size_t)j; }

// Symmetric, diagonally dominant matrices in `count` lanes; the others hold `rest`.
static void make_matrices(int32_t n, int32_t count, double rest, uint64_t seed) {
  for (int32_t i = 0; i < n; i++)
    for (int32_t m = 0; m < 8; m++) {
      b[8 * i + m] = m < count ? check_random(&seed) : rest;
      for (int32_t j = 0; j <= i; j++)
        a[8 * place(i, j) + (size_t)m] = m < count ? check_random(&seed) + (i == j ? n : 0) : rest;
    }
}

static void take_alone(int32_t n, int32_t m, const double *right) {
  int32_t stride = lb_ldlt_padded(n);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j <= i; j++) alone[i + stride * j] = a[8 * place(i, j) + (size_t)m];
  for (int32_t i = 0; i < n; i++) x[i] = right[8 * i + m];
}

static double residual(int32_t n, int32_t m, const double *right) {
  double worst = 0;
  for (int32_t i = 0; i < n; i++) {
    double sum = -right[8 * i + m];
    for (int32_t j = 0; j < n; j++)
      sum += a[8 * (i > j ? place(i, j) : place(j, i)) + (size_t)m] * b[8 * j + m];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

static void check_crowd(lbSimdLevel level, int32_t n, int32_t count, double rest, uint64_t seed) {
  static double right[8 * LARGEST];
  const lbLdltKernels *kernels = lb_ldlt_kernels(level);
  const lbLdltCrowdKernels *crowd = lb_ldlt_crowd_kernels(level);
  make_matrices(n, count, rest, seed);
  memcpy(right, b, sizeof b);
  assert_int_equal(crowd->factor(n, count, a, factors), 0);
  crowd->solve(n, count, factors, b);
  for (int32_t m = 0; m < count; m++) {
    check_small(residual(n, m, right), 1e-14 * n);
    take_alone(n, m, right);
    assert_true(kernels->factor(n, alone));
    kernels->solve(n, alone, x);
    for (int32_t i = 0; i < n; i++) assert_true(b[8 * i + m] == x[i]);
  }
}

static void a_matrix_of_a_crowd_is_solved_to_the_bits_of_one_alone(void **state) {
  (void)state;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++)
    if (lb_simd_has((lbSimdLevel)level))
      for (int32_t n = 1; n <= LARGEST; n++)
        check_crowd((lbSimdLevel)level, n, 8, 0, (uint64_t)(n + level));
}

static void neither_the_number_of_matrices_nor_the_other_lanes_change_a_bit(void **state) {
  (void)state;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++)
    if (lb_simd_has((lbSimdLevel)level))
      for (int32_t count = 1; count <= 8; count++) {
        check_crowd((lbSimdLevel)level, 7, count, 0, 1);
        check_crowd((lbSimdLevel)level, 6, count, NAN, 2);
      }
}

// Indefinite, singular, infinite and NaN ones, each in another lane; the others are not refused.
static void what_is_not_positive_definite_is_named(void **state) {
  (void)state;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    for (int32_t n = 2; n <= 19; n++) {
      int32_t last = n - 1;
      make_matrices(n, 8, 0, (uint64_t)n);
      a[8 * place(last, last) + 1] = -1;
      a[8 * place(last, 0) + 3] = NAN;
      a[8 * place(last, last) + 4] = INFINITY;
      for (int32_t j = 0; j < n; j++) // the last unknown a copy of the first
        a[8 * place(last, j) + 6] = a[8 * place(j == last ? 0 : j, 0) + 6];
      assert_int_equal(lb_ldlt_crowd_kernels((lbSimdLevel)level)->factor(n, 8, a, factors),
                       1 << 1 | 1 << 3 | 1 << 4 | 1 << 6);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_matrix_of_a_crowd_is_solved_to_the_bits_of_one_alone),
    cmocka_unit_test(neither_the_number_of_matrices_nor_the_other_lanes_change_a_bit),
    cmocka_unit_test(what_is_not_positive_definite_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
