// ln x, x^(-2/3) and atan2 over lanes against long double, in units of the last place.
#include "check.h"
#include "math/batch.h"

#include <float.h>

enum { COUNT = 200000 };
typedef void Batch(lbSimdLevel level, int32_t count, const double *x, double *y);

static long double exact_log(double x) { return logl((long double)x); }
static long double exact_power(double x) { return powl((long double)x, -2.0L / 3); }

// |y - exact| in units in the last place of the exact value.
static double error_in_units(double y, long double exact) {
  int exponent;
  (void)frexpl(exact, &exponent);
  if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
  return (double)(fabsl((long double)y - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

// A third over all exponents, a third around 1, a third within [0.1, 10].
static void fill(double *x) {
  uint64_t seed = 11;
  for (int i = 0; i < COUNT; i++) {
    double r = check_random(&seed), q = check_random(&seed);
    x[i] = i % 3 == 0   ? ldexp(1.5 + 0.5 * r, (int)(1022 * q))
           : i % 3 == 1 ? 1 + r * pow(10, 7 * (q - 1))
                        : pow(10, r);
  }
  const double special[] = { 1,
                             DBL_MIN,
                             DBL_MAX,
                             0x1p-1074,
                             0x1.8p-1060,
                             sqrt(0.5),
                             sqrt(2),
                             2,
                             0.5,
                             1 + DBL_EPSILON,
                             1 - DBL_EPSILON,
                             3,
                             1e-300,
                             0.70711,
                             1.41421,
                             8,
                             0.125,
                             nextafter(sqrt(0.5), 0),
                             nextafter(sqrt(2), 2) };
  memcpy(x, special, sizeof special);
}

static void check_function(Batch *batch, long double (*exact)(double), double units) {
  static double x[COUNT], y[COUNT];
  fill(x);
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    batch((lbSimdLevel)level, COUNT, x, y);
    double worst = 0, at = 0;
    for (int i = 0; i < COUNT; i++) {
      double error = error_in_units(y[i], exact(x[i]));
      if (!(error <= worst)) worst = error, at = x[i];
    }
    print_message("%s: worst %.3f units in the last place, at %a\n",
                  lb_simd_name((lbSimdLevel)level), worst, at);
    check_small(worst, units);
  }
}

static void log_is_within_one_unit_in_the_last_place(void **state) {
  (void)state;
  check_function(lb_log_batch, exact_log, 1.0);
}

static void inverse_cbrt_squared_is_within_two_units_in_the_last_place(void **state) {
  (void)state;
  check_function(lb_inverse_cbrt_squared_batch, exact_power, 2.0);
}

// Directions all around, with the axes and the diagonals, and lengths of all exponents.
static void atan2_is_within_three_units_in_the_last_place(void **state) {
  (void)state;
  static double x[COUNT], y[COUNT], angles[COUNT];
  uint64_t seed = 12;
  for (int i = 0; i < COUNT; i++) {
    double turn = i < 16 ? i * LB_PI / 8 : LB_PI * check_random(&seed);
    double length = ldexp(1.5, (int)(300 * check_random(&seed)));
    y[i] = length * sin(turn), x[i] = length * cos(turn);
    if (i % 3 == 0) y[i] *= ldexp(1, (int)(60 * check_random(&seed)));
  }
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    double worst = 0;
    lb_atan2_batch((lbSimdLevel)level, COUNT, y, x, angles);
    for (int i = 0; i < COUNT; i++)
      worst = fmax(worst, error_in_units(angles[i], atan2l((long double)y[i], (long double)x[i])));
    print_message("%s: worst %.3f units in the last place\n", lb_simd_name((lbSimdLevel)level),
                  worst);
    check_small(worst, 3);
    const double ys[] = { 0, 0, 1, -1 }, xs[] = { 0, -1, 0, 0 };
    double special[4];
    lb_atan2_batch((lbSimdLevel)level, 4, ys, xs, special);
    assert_true(special[0] == 0 && special[1] == LB_PI);
    assert_true(special[2] == LB_PI / 2 && special[3] == -LB_PI / 2);
  }
}

static void check_like(double y, double expected) {
  assert_int_equal(isnan(y) != 0, isnan(expected) != 0);
  if (!isnan(expected)) assert_true(y == expected);
}

static void special_arguments_behave_as_in_the_c_library(void **state) {
  (void)state;
  const double x[] = { 0, -0.0, -1, -INFINITY, INFINITY, NAN, -DBL_MIN, -0x1p-1074, 1 };
  enum { SPECIAL = sizeof x / sizeof *x };
  double logs[SPECIAL], powers[SPECIAL];
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    lb_log_batch((lbSimdLevel)level, SPECIAL, x, logs);
    lb_inverse_cbrt_squared_batch((lbSimdLevel)level, SPECIAL, x, powers);
    for (int i = 0; i < SPECIAL; i++) {
      check_like(logs[i], log(x[i]));
      // pow(-inf, -2/3) is 0; here everything below zero is NaN
      check_like(powers[i], x[i] < 0 ? NAN : pow(x[i], -2.0 / 3));
    }
  }
}

#ifdef LB_HAVE_BASE // the portable build has one level
static void levels_without_fused_multiply_add_give_the_same_bits(void **state) {
  (void)state;
  static double x[COUNT], portable[COUNT], base[COUNT];
  fill(x);
  Batch *const batches[] = { lb_log_batch, lb_inverse_cbrt_squared_batch };
  for (int f = 0; f < 2; f++) {
    batches[f](LB_SIMD_PORTABLE, COUNT, x, portable);
    batches[f](LB_SIMD_BASE, COUNT, x, base);
    assert_memory_equal(portable, base, sizeof base);
  }
}
#endif

// No libm in it, so gcc, clang and the page must agree.
static void portable_bits_are_the_same_under_every_compiler(void **state) {
  (void)state;
  enum { SOME = 10000 };
  static double x[SOME], y[SOME];
  uint64_t seed = 12, hash = 0;
  for (int i = 0; i < SOME; i++) x[i] = 1.0009765625 + check_random(&seed) * (i % 2 ? 1 : 0.01);
  lb_log_batch(LB_SIMD_PORTABLE, SOME, x, y);
  hash = check_hash(hash, y, sizeof y);
  lb_inverse_cbrt_squared_batch(LB_SIMD_PORTABLE, SOME, x, y);
  hash = check_hash(hash, y, sizeof y);
  print_message("hash %016llx\n", (unsigned long long)hash);
  assert_true(hash == UINT64_C(0x72e78dc88d2c6c94));
}

static void every_tail_length_gives_the_same_bits(void **state) {
  (void)state;
  double x[20], whole[20], y[21];
  for (int i = 0; i < 20; i++) x[i] = 0.3 * (i + 1);
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    lb_log_batch((lbSimdLevel)level, 20, x, whole);
    for (int count = 0; count <= 20; count++) {
      for (int i = 0; i <= 20; i++) y[i] = 777;
      lb_log_batch((lbSimdLevel)level, count, x, y);
      assert_memory_equal(y, whole, (size_t)count * sizeof *y);
      assert_true(y[count] == 777);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(log_is_within_one_unit_in_the_last_place),
    cmocka_unit_test(inverse_cbrt_squared_is_within_two_units_in_the_last_place),
    cmocka_unit_test(atan2_is_within_three_units_in_the_last_place),
    cmocka_unit_test(special_arguments_behave_as_in_the_c_library),
#ifdef LB_HAVE_BASE
    cmocka_unit_test(levels_without_fused_multiply_add_give_the_same_bits),
#endif
    cmocka_unit_test(portable_bits_are_the_same_under_every_compiler),
    cmocka_unit_test(every_tail_length_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
