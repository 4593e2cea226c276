// The four conditions that define the Moore-Penrose inverse, for every shape and rank; against an
// SVD of the build side; limits.
#include "check.h"
#include "linalg/dense.h"
#include "math/pseudo_inverse.h"

#include <float.h>

enum { LARGEST = 64, AREA = LARGEST * LARGEST };

typedef struct Problem {
  int32_t rows, columns, rank;
  double a[AREA], inverse[AREA];
  double scratch[5 * AREA];
} Problem;
static Problem p;

static double largest(const double *a, int32_t count) {
  double size = 0;
  for (int32_t i = 0; i < count; i++) size = fmax(size, fabs(a[i]));
  return size;
}

// A = B C^T, B and C random with `rank` columns; row i of B and of C times spread^(i / rows).
static void make(int32_t rows, int32_t columns, int32_t rank, double spread, uint64_t seed) {
  static double b[AREA], c[AREA];
  p.rows = rows, p.columns = columns;
  for (int32_t j = 0; j < rank; j++) {
    for (int32_t i = 0; i < rows; i++)
      b[i + rows * j] = check_random(&seed) * pow(spread, (double)i / rows);
    for (int32_t i = 0; i < columns; i++)
      c[i + columns * j] = check_random(&seed) * pow(spread, (double)i / columns);
  }
  memset(p.a, 0, sizeof p.a);
  if (rank > 0) lb_dense_multiply(LB_PLAIN, LB_TRANSPOSED, rows, columns, rank, 1, b, c, 0, p.a);
}

static void invert(double tolerance) {
  assert_true(lb_pseudo_inverse_scratch(p.rows, p.columns) <= 5 * AREA);
  assert_true(lb_pseudo_inverse(p.rows, p.columns, p.a, tolerance, p.inverse, p.scratch, &p.rank));
}

static double asymmetry(const double *a, int32_t n) {
  double worst = 0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < i; j++) worst = fmax(worst, fabs(a[i + n * j] - a[j + n * i]));
  return worst;
}

// A X A = A, X A X = X, A X and X A symmetric; relative to the sizes of A, X and A X.
static double penrose_residual(void) {
  static double ax[AREA], xa[AREA], rest[AREA];
  int32_t m = p.rows, n = p.columns;
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, m, m, n, 1, p.a, p.inverse, 0, ax);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, n, n, m, 1, p.inverse, p.a, 0, xa);
  double a_size = largest(p.a, m * n), x_size = largest(p.inverse, m * n);
  memcpy(rest, p.a, sizeof rest);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, m, n, m, 1, ax, p.a, -1, rest);
  double worst = fmax(asymmetry(ax, m), asymmetry(xa, n));
  worst = fmax(worst, largest(rest, m * n) / a_size);
  memcpy(rest, p.inverse, sizeof rest);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, n, m, n, 1, xa, p.inverse, -1, rest);
  return fmax(worst, largest(rest, m * n) / x_size);
}

static double length(const double *a, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) sum += a[i] * a[i];
  return sqrt(sum);
}

// |A| |A^+|: how much rounding of A is enlarged
static double condition(void) {
  return length(p.a, p.rows * p.columns) * length(p.inverse, p.rows * p.columns);
}

static void the_four_conditions_hold_for_every_shape_and_rank(void **state) {
  (void)state;
  const int32_t sizes[] = { 1, 2, 3, 4, 5, 7, 8, 13, 30, 31, 64 };
  enum { SIZES = sizeof sizes / sizeof *sizes };
  double worst = 0;
  for (int i = 0; i < SIZES; i++)
    for (int j = 0; j < SIZES; j++) {
      int32_t full = sizes[i] < sizes[j] ? sizes[i] : sizes[j];
      for (int32_t rank = full; rank > 0; rank /= 2) {
        make(sizes[i], sizes[j], rank, 1, (uint64_t)(i * SIZES + j));
        invert(1e-11);
        assert_int_equal(p.rank, rank);
        double residual = penrose_residual() / condition();
        worst = fmax(worst, residual);
        check_small(residual, 1e-14);
      }
    }
  print_message("worst residual / (|A| |A^+|): %.2e\n", worst);
}

// (B D)^+ = D^-1 B^+ when the columns are independent. Though D spreads them over 33 orders of
// magnitude, the largest row of the inverse is right to 1e-12: what counts is the condition of B,
// as Jacobi's rotations keep small singular values accurate.
static void graded_columns_keep_their_digits(void **state) {
  (void)state;
  enum { ROWS = 20, COLUMNS = 12 };
  static double product[COLUMNS * COLUMNS];
  make(ROWS, COLUMNS, COLUMNS, 1, 5);
  for (int32_t j = 0; j < COLUMNS; j++)
    for (int32_t i = 0; i < ROWS; i++) p.a[i + ROWS * j] *= pow(10, -3.0 * j);
  invert(0);
  assert_int_equal(p.rank, COLUMNS);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, COLUMNS, COLUMNS, ROWS, 1, p.inverse, p.a, 0, product);
  const int32_t last = COLUMNS - 1;
  for (int32_t j = 0; j < COLUMNS; j++)
    check_small((product[last + COLUMNS * j] - (j == last)) * pow(10, 3.0 * (j - last)), 1e-12);
}

static void graded_rows_and_columns_meet_the_conditions(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 10; seed++) {
    make(25, 25, 25, 1e-4, seed);
    invert(1e-14);
    check_small(penrose_residual() / condition(), 1e-14);
  }
}

// V diag(1/s) U^T from the engine with the same cut.
static void agrees_with_an_svd(void **state) {
  (void)state;
  static double a[AREA], u[AREA], s[LARGEST], vt[AREA], scaled[AREA], expected[AREA];
  const int32_t shapes[][3] = { { 30, 30, 30 }, { 30, 30, 17 }, { 64, 9, 9 }, { 9, 64, 5 },
                                { 30, 12, 12 }, { 1, 64, 1 },   { 64, 1, 1 } };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    int32_t m = shapes[i][0], n = shapes[i][1], k = m < n ? m : n, rank = 0;
    make(m, n, shapes[i][2], 1, i);
    invert(1e-10);
    memcpy(a, p.a, sizeof a);
    lbError err;
    check_ok(lb_dense_svd(m, n, a, u, s, vt, &err), err);
    for (int32_t j = 0; j < k; j++) {
      double inverse = s[j] > 1e-10 * s[0] ? 1 / s[j] : 0;
      rank += inverse > 0;
      for (int32_t c = 0; c < n; c++) scaled[j + k * c] = vt[j + k * c] * inverse;
    }
    lb_dense_multiply(LB_TRANSPOSED, LB_TRANSPOSED, n, m, k, 1, scaled, u, 0, expected);
    assert_int_equal(p.rank, rank);
    double tolerance = 1e-14 * condition() * largest(p.inverse, m * n);
    for (int32_t c = 0; c < m * n; c++) check_near(p.inverse[c], expected[c], tolerance);
  }
}

static void the_tolerance_counts_values_at_it_as_zero(void **state) {
  (void)state;
  p.rows = p.columns = 3;
  memcpy(p.a, (double[9]){ 4, 0, 0, 0, 1, 0, 0, 0, 0.5 }, 9 * sizeof(double));
  invert(0.125);
  assert_int_equal(p.rank, 2);
  const double expected[9] = { 0.25, 0, 0, 0, 1, 0, 0, 0, 0 };
  for (int i = 0; i < 9; i++) assert_true(p.inverse[i] == expected[i]);
  invert(0.124);
  assert_int_equal(p.rank, 3);
  assert_true(p.inverse[8] == 2);
  invert(1);
  assert_int_equal(p.rank, 0);
}

static void nothing_and_zero_have_a_zero_inverse(void **state) {
  (void)state;
  make(6, 4, 0, 1, 0);
  memset(p.inverse, 0xff, sizeof p.inverse);
  invert(0);
  assert_int_equal(p.rank, 0);
  for (int i = 0; i < 24; i++) assert_true(p.inverse[i] == 0);
  const int32_t shapes[][2] = { { 0, 0 }, { 0, 5 }, { 5, 0 } };
  for (int i = 0; i < 3; i++) {
    p.rank = 7, p.rows = shapes[i][0], p.columns = shapes[i][1];
    invert(0);
    assert_int_equal(p.rank, 0);
  }
}

static void huge_and_tiny_matrices_are_scaled(void **state) {
  (void)state;
  for (int power = -1000; power <= 1000; power += 200) {
    static double reference[AREA];
    make(10, 7, 7, 1, 3);
    invert(1e-12);
    memcpy(reference, p.inverse, sizeof reference);
    for (int i = 0; i < 70; i++) p.a[i] = ldexp(p.a[i], power);
    invert(1e-12);
    for (int i = 0; i < 70; i++) assert_true(p.inverse[i] == ldexp(reference[i], -power));
  }
  p.rows = p.columns = 1, p.a[0] = 0x1p-1074; // its inverse is not a number of this kind
  assert_false(lb_pseudo_inverse(1, 1, p.a, 0, p.inverse, p.scratch, NULL));
}

static void what_is_not_finite_is_refused(void **state) {
  (void)state;
  const double bad[] = { NAN, INFINITY, -INFINITY };
  for (int i = 0; i < 3; i++) {
    make(5, 4, 4, 1, 1);
    p.a[19 - 7 * i] = bad[i];
    assert_false(lb_pseudo_inverse(5, 4, p.a, 0, p.inverse, p.scratch, &p.rank));
  }
}

// No libm but square roots in it.
static void bits_are_the_same_under_every_compiler(void **state) {
  (void)state;
  uint64_t hash = 0, seed = 9;
  const int32_t shapes[][2] = { { 30, 30 }, { 17, 6 }, { 5, 23 } };
  for (int i = 0; i < 3; i++) {
    p.rows = shapes[i][0], p.columns = shapes[i][1];
    int32_t count = p.rows * p.columns;
    for (int32_t k = 0; k < count; k++) p.a[k] = check_random(&seed);
    invert(1e-10);
    hash = check_hash(hash, p.inverse, (size_t)count * sizeof(double));
  }
  print_message("hash %016llx\n", (unsigned long long)hash);
  assert_true(hash == UINT64_C(0x37b764f5af3061b1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_four_conditions_hold_for_every_shape_and_rank),
    cmocka_unit_test(graded_columns_keep_their_digits),
    cmocka_unit_test(graded_rows_and_columns_meet_the_conditions),
    cmocka_unit_test(agrees_with_an_svd),
    cmocka_unit_test(the_tolerance_counts_values_at_it_as_zero),
    cmocka_unit_test(nothing_and_zero_have_a_zero_inverse),
    cmocka_unit_test(huge_and_tiny_matrices_are_scaled),
    cmocka_unit_test(what_is_not_finite_is_refused),
    cmocka_unit_test(bits_are_the_same_under_every_compiler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
