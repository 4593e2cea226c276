// exp, expm1, sin and cos against long double, in units of the last place; special arguments; bits.
#include "check.h"
#include "math/functions.h"

#include <float.h>

enum { COUNT = 300000 };

// |y - exact| in units in the last place of the exact value.
static double error_in_units(double y, long double exact) {
  if (exact == 0) return y == 0 ? 0 : INFINITY;
  int exponent;
  (void)frexpl(exact, &exponent);
  if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
  return (double)(fabsl((long double)y - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

typedef struct Worst {
  double error, at;
} Worst;

static void note(Worst *worst, double x, double y, long double exact) {
  double error = error_in_units(y, exact);
  if (!(error <= worst->error)) *worst = (Worst){ error, x };
}

static void report(const char *name, Worst worst, double units) {
  print_message("%s: worst %.3f units in the last place, at %a\n", name, worst.error, worst.at);
  check_small(worst.error, units);
}

// In turn: the whole range, around zero, tiny, near multiples of ln(2)/2 where the series is worst.
static double exponential_argument(int i, uint64_t *seed) {
  double r = check_random(seed), q = check_random(seed);
  switch (i % 4) {
  case 0: return 20 + 725 * r;
  case 1: return 2 * r;
  case 2: return r * pow(10, 10 * (q - 1));
  default: return (0.5 + floor(60 * r)) * 0.6931471805599453 * (1 + 1e-13 * q);
  }
}

static void exp_is_within_one_unit_and_expm1_within_two(void **state) {
  (void)state;
  Worst exp_worst = { 0 }, expm1_worst = { 0 };
  uint64_t seed = 1;
  for (int i = 0; i < COUNT; i++) {
    double x = exponential_argument(i, &seed);
    if (x < 709.78) note(&exp_worst, x, lb_exp(x), expl((long double)x));
    if (x < 709.78) note(&expm1_worst, x, lb_expm1(x), expm1l((long double)x));
  }
  report("exp", exp_worst, 1);
  report("expm1", expm1_worst, 2);
}

// In turn: the first turns, up to 1e9, next to multiples of pi/2 up to 1e9, every exponent, tiny.
static double angle(int i, uint64_t *seed) {
  const long double quarter = 1.57079632679489661923132169163975144L;
  double r = check_random(seed), q = check_random(seed);
  switch (i % 5) {
  case 0: return 10 * r;
  case 1: return r * pow(10, 4.5 * (q + 1));
  case 2: return (double)(rintl((long double)(r * pow(10, 4.4 * (q + 1)))) * quarter);
  case 3: return ldexp(1.5 + 0.5 * r, (int)(1021 * fabs(q)));
  default: return r * pow(10, 10 * (q - 1));
  }
}

static void sin_and_cos_are_within_one_unit(void **state) {
  (void)state;
  const double hard[] = { 0x1.6ac5b262ca1ffp+849,
                          0x1.921fb54442d18p+0,
                          0x1.921fb54442d18p+1,
                          DBL_MAX,
                          1e9,
                          -1e9,
                          0x1p30,
                          -0x1.9p300,
                          nextafter(1e9, 0),
                          0x1.dcd64ffffffffp+29,
                          0x1.6ac5b262ca1ffp+850 };
  enum { HARD = sizeof hard / sizeof *hard };
  Worst sin_worst = { 0 }, cos_worst = { 0 };
  uint64_t seed = 2;
  for (int i = 0; i < COUNT; i++) {
    double x = i < HARD ? hard[i] : angle(i, &seed), sine, cosine;
    lb_sin_cos(x, &sine, &cosine);
    note(&sin_worst, x, sine, sinl((long double)x));
    note(&cos_worst, x, cosine, cosl((long double)x));
  }
  report("sin", sin_worst, 1);
  report("cos", cos_worst, 1);
}

static void check_like(double y, double expected) {
  assert_int_equal(isnan(y) != 0, isnan(expected) != 0);
  if (isnan(expected)) return;
  assert_true(y == expected);
  assert_int_equal(signbit(y) != 0, signbit(expected) != 0);
}

static void special_arguments_behave_as_in_the_c_library(void **state) {
  (void)state;
  const double x[] = { 0,         -0.0,       INFINITY, -INFINITY, NAN,  DBL_MIN, -DBL_MIN,
                       0x1p-1074, -0x1p-1074, DBL_MAX,  -DBL_MAX,  1000, -1000,   0x1p-60,
                       -0x1p-60,  710,        -746,     -800,      709.8 };
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
    check_like(lb_exp(x[i]), exp(x[i]));
    check_like(lb_expm1(x[i]), expm1(x[i]));
    double sine, cosine;
    lb_sin_cos(x[i], &sine, &cosine);
    if (fabs(x[i]) < 1 || !isfinite(x[i])) {
      check_like(sine, sin(x[i]));
      check_like(cosine, cos(x[i]));
    }
  }
  assert_true(lb_exp(-745.2) == 0 && lb_exp(-745.1) == 0x1p-1074);
  assert_true(isfinite(lb_exp(709.782712893384)) && isinf(lb_exp(709.7827128933842)));
}

static void sin_is_odd_and_cos_even_to_the_bit(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 20000; i++) {
    double x = angle(i, &seed), s, c, s_back, c_back;
    lb_sin_cos(x, &s, &c);
    lb_sin_cos(-x, &s_back, &c_back);
    assert_true(s == -s_back && c == c_back);
  }
}

// No libm in it, so gcc, clang and the page must agree.
static void bits_are_the_same_under_every_compiler(void **state) {
  (void)state;
  uint64_t seed = 4, hash = 0;
  for (int i = 0; i < 20000; i++) {
    double r = check_random(&seed);
    double x = i % 4 == 0 ? r : i % 4 == 1 ? 700 * r : i % 4 == 2 ? 9e8 * r : 1e250 * r;
    double y[4] = { lb_exp(x), lb_expm1(x) };
    lb_sin_cos(x, &y[2], &y[3]);
    hash = check_hash(hash, y, sizeof y);
  }
  print_message("hash %016llx\n", (unsigned long long)hash);
  assert_true(hash == UINT64_C(0x77027933f96c532c));
}

// In turn: any direction, near the axes, near the diagonals, of any size.
static void angles_are_within_three_units(void **state) {
  (void)state;
  uint64_t seed = 12;
  Worst worst = { 0, 0 };
  for (int i = 0; i < COUNT; i++) {
    double x = check_random(&seed), y = check_random(&seed), r = check_random(&seed);
    if (i % 4 == 1) y *= pow(10, 150 * (r - 1));
    if (i % 4 == 2) x *= pow(10, 150 * (r - 1));
    if (i % 4 == 3) y = x * (1 + 1e-9 * y), x *= pow(10, 250 * r), y *= pow(10, 250 * r);
    note(&worst, y / x, lb_atan2(y, x), atan2l((long double)y, (long double)x));
  }
  report("atan2", worst, 3);
  const double special[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, 5e-324, 1e308 };
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k++) {
      double angle = lb_atan2(special[i], special[k]), exact = atan2(special[i], special[k]);
      check_near(angle, exact, 1e-15);
      assert_int_equal(signbit(angle), signbit(exact));
    }
  assert_true(isnan(lb_atan2(NAN, 1)) && isnan(lb_atan2(1, NAN)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(angles_are_within_three_units),
    cmocka_unit_test(exp_is_within_one_unit_and_expm1_within_two),
    cmocka_unit_test(sin_and_cos_are_within_one_unit),
    cmocka_unit_test(special_arguments_behave_as_in_the_c_library),
    cmocka_unit_test(sin_is_odd_and_cos_even_to_the_bit),
    cmocka_unit_test(bits_are_the_same_under_every_compiler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
