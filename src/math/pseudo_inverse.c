// A^+ by singular values from one-sided Jacobi rotations.
//
// 1. Scale by a power of two, and turn A so that it is at least as tall as wide: m x n.
// 2. A P = Q R, Householder reflections with the longest remaining column first. What remains when
//    it is below the rounding of it all is cut off: R is k x n. This lets Jacobi's method begin
//    close to its end.
// 3. Rotate the columns of X = R^T (n x k) against each other until they are orthogonal,
//    W = X J (Hestenes), longest first (de Rijk): the singular values are their lengths s.
// 4. R = J W^T, so A^+ = P W diag(1/s^2) J^T Q^T.
//
// Columns are padded with zeros to a multiple of four; sums run in four partial sums, two vectors
// of two, whatever the machine.
#include "math/pseudo_inverse.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PAD = 4, MOST_SWEEPS = 40 };

typedef double Pair __attribute__((vector_size(16)));

static Pair load_lane_pair(const double *from) {
  Pair pair;
  memcpy(&pair, from, sizeof pair);
  return pair;
}

static void store_pair(double *to, Pair pair) { memcpy(to, &pair, sizeof pair); }

static double dot_rows(int32_t size, const double *x, const double *y) {
  Pair first = { 0, 0 }, second = { 0, 0 };
  for (int32_t i = 0; i < size; i += PAD) {
    first += load_lane_pair(x + i) * load_lane_pair(y + i);
    second += load_lane_pair(x + i + 2) * load_lane_pair(y + i + 2);
  }
  Pair sum = first + second;
  return sum[0] + sum[1];
}

// y += factor x
static void add_multiple(int32_t size, double factor, const double *x, double *y) {
  Pair f = { factor, factor };
  for (int32_t i = 0; i < size; i += 2)
    store_pair(y + i, load_lane_pair(y + i) + f * load_lane_pair(x + i));
}

// (x, y) <- (c x - s y, s x + c y)
static void rotate_columns(int32_t size, double c, double s, double *x, double *y) {
  Pair cosine = { c, c }, sine = { s, s };
  for (int32_t i = 0; i < size; i += 2) {
    Pair p = load_lane_pair(x + i), q = load_lane_pair(y + i);
    store_pair(x + i, cosine * p - sine * q);
    store_pair(y + i, sine * p + cosine * q);
  }
}

static void swap_columns(int32_t size, double *x, double *y) {
  for (int32_t i = 0; i < size; i += 2) {
    Pair p = load_lane_pair(x + i), q = load_lane_pair(y + i);
    store_pair(x + i, q);
    store_pair(y + i, p);
  }
}

// The matrices of the computation, in the caller's scratch.
typedef struct Work {
  int32_t m, n, k;          // rows >= columns of the turned A; rows of R that are kept
  int32_t m_stride, stride; // m and n padded: the lengths of columns
  double *a;                // (m x n) A, column by column replaced by the reflections' vectors
  double *result;           // (n x m)
  double *w, *j;            // (n x k) X, then W; (k x k) J
  double *betas, *squares;  // (n) of the reflections; squared lengths of columns
  double *line;             // (n) what a reflection subtracts
  int32_t *order;           // (n) the permutation: column i of A P is column order[i] of A
} Work;

static int32_t padded(int32_t count) { return (count + PAD - 1) / PAD * PAD; }

static double *a_column(const Work *t, int32_t i) { return t->a + (size_t)t->m_stride * (size_t)i; }
static double *w_column(const Work *t, int32_t i) { return t->w + (size_t)t->stride * (size_t)i; }
static double *j_column(const Work *t, int32_t i) { return t->j + (size_t)t->stride * (size_t)i; }
static double *result_column(const Work *t, int32_t i) {
  return t->result + (size_t)t->stride * (size_t)i;
}

size_t lb_pseudo_inverse_scratch(int32_t rows, int32_t columns) {
  size_t m = (size_t)padded(rows > columns ? rows : columns);
  size_t n = (size_t)padded(rows > columns ? columns : rows);
  return 2 * m * n + 2 * n * n + 4 * n;
}

static Work lay_out_pseudo_inverse(int32_t rows, int32_t columns, double *scratch) {
  Work t = { .m = rows > columns ? rows : columns, .n = rows > columns ? columns : rows };
  t.m_stride = padded(t.m), t.stride = padded(t.n);
  size_t m = (size_t)t.m_stride, n = (size_t)t.stride;
  memset(scratch, 0, lb_pseudo_inverse_scratch(rows, columns) * sizeof *scratch);
  t.a = scratch;
  t.result = t.a + m * n;
  t.w = t.result + m * n;
  t.j = t.w + n * n;
  t.betas = t.j + n * n;
  t.squares = t.betas + n;
  t.line = t.squares + n;
  t.order = (int32_t *)(t.line + n);
  for (int32_t i = 0; i < t.n; i++) t.order[i] = i;
  return t;
}

// ---- A P = Q R ---------------------------------------------------------------------------------

// Brings the longest column from `step` on to `step`; returns the sum of all squared lengths. Rows
// above `step` are zero: they were moved to R.
static double bring_longest(Work *t, int32_t step) {
  int32_t longest = step, from = step / PAD * PAD;
  double sum = 0;
  for (int32_t i = step; i < t->n; i++) {
    const double *column = a_column(t, i) + from;
    t->squares[i] = dot_rows(t->m_stride - from, column, column);
    sum += t->squares[i];
    if (t->squares[i] > t->squares[longest]) longest = i;
  }
  if (longest == step) return sum;
  swap_columns(t->m_stride, a_column(t, step), a_column(t, longest));
  int32_t kept = t->order[step];
  t->order[step] = t->order[longest], t->order[longest] = kept;
  t->squares[step] = t->squares[longest];
  return sum;
}

// Reflects column `step` onto its first entry, and the columns after it likewise; the row of R that
// is then finished becomes a column of X, in the order of A's columns.
static void reflect(Work *t, int32_t step) {
  int32_t from = step / PAD * PAD, length = t->m_stride - from;
  double *v = a_column(t, step), *x = w_column(t, step);
  double size = sqrt(t->squares[step]);
  x[t->order[step]] = v[step] > 0 ? -size : size;
  t->betas[step] = 1 / (size * (size + fabs(v[step]))); // 2 / v^2
  v[step] -= x[t->order[step]];
  for (int32_t i = step + 1; i < t->n; i++) {
    double *column = a_column(t, i);
    add_multiple(length, -t->betas[step] * dot_rows(length, v + from, column + from), v + from,
                 column + from);
    x[t->order[i]] = column[step];
    column[step] = 0;
  }
}

// Ends where the rest is below `cut` of the longest column.
static void factor_pivoted(Work *t, double cut) {
  double least = 0;
  for (t->k = 0; t->k < t->n; t->k++) {
    double rest = bring_longest(t, t->k);
    if (t->k == 0) least = cut * cut * t->squares[0];
    if (rest <= least) return;
    reflect(t, t->k);
  }
}

// ---- W = X J -----------------------------------------------------------------------------------

static void bring_longest_of_w(Work *t, int32_t step) {
  int32_t longest = step;
  for (int32_t i = step + 1; i < t->k; i++)
    if (t->squares[i] > t->squares[longest]) longest = i;
  if (longest == step) return;
  swap_columns(t->stride, w_column(t, step), w_column(t, longest));
  swap_columns(t->stride, j_column(t, step), j_column(t, longest));
  double kept = t->squares[step];
  t->squares[step] = t->squares[longest], t->squares[longest] = kept;
}

// Makes columns p and q orthogonal; false when they are.
static bool rotate_pair(Work *t, int32_t p, int32_t q, double tolerance) {
  double *x = w_column(t, p), *y = w_column(t, q);
  double *squares = t->squares, product = dot_rows(t->stride, x, y);
  if (fabs(product) <= tolerance * sqrt(squares[p]) * sqrt(squares[q])) return false;
  double z = (squares[q] - squares[p]) / (2 * product); // cotangent of twice the angle
  double tangent = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
  double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
  rotate_columns(t->stride, cosine, sine, x, y);
  rotate_columns(padded(t->k), cosine, sine, j_column(t, p), j_column(t, q));
  double before = squares[q];
  squares[p] -= tangent * product;
  squares[q] += tangent * product;
  if (squares[q] < 0.5 * before) squares[q] = dot_rows(t->stride, y, y); // digits were lost
  return true;
}

static void make_columns_orthogonal(Work *t) {
  double tolerance = 2 * DBL_EPSILON * sqrt(t->n);
  for (int32_t i = 0; i < t->k; i++) j_column(t, i)[i] = 1;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < MOST_SWEEPS; sweep++) {
    rotated = false;
    for (int32_t i = 0; i < t->k; i++)
      t->squares[i] = dot_rows(t->stride, w_column(t, i), w_column(t, i));
    for (int32_t p = 0; p < t->k; p++) {
      bring_longest_of_w(t, p);
      for (int32_t q = p + 1; q < t->k; q++) rotated |= rotate_pair(t, p, q, tolerance);
    }
  }
}

// ---- the inverse -------------------------------------------------------------------------------

// result = W diag(1/s^2) J^T Q^T over the singular values that count; returns how many do.
static int32_t combine_singular_vectors(Work *t, double relative_tolerance) {
  double largest = 0;
  for (int32_t i = 0; i < t->k; i++) {
    t->squares[i] = dot_rows(t->stride, w_column(t, i), w_column(t, i));
    if (t->squares[i] > largest) largest = t->squares[i];
  }
  int32_t rank = 0;
  double least = relative_tolerance * sqrt(largest);
  for (int32_t i = 0; i < t->k; i++) {
    double s = sqrt(t->squares[i]);
    if (s <= least || s < 1e-150) continue;
    rank++;
    for (int32_t c = 0; c < t->k; c++)
      add_multiple(t->stride, j_column(t, i)[c] / s / s, w_column(t, i), result_column(t, c));
  }
  for (int32_t step = t->k - 1; step >= 0; step--) { // Q^T = H_k ... H_2 H_1
    const double *v = a_column(t, step);
    memset(t->line, 0, (size_t)t->stride * sizeof *t->line);
    for (int32_t i = step; i < t->m; i++)
      add_multiple(t->stride, v[i], result_column(t, i), t->line);
    for (int32_t i = step; i < t->m; i++)
      add_multiple(t->stride, -t->betas[step] * v[i], t->line, result_column(t, i));
  }
  return rank;
}

// The exponent of the largest entry; false when one is not finite.
static bool find_exponent(size_t count, const double *a, int *exponent) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(a[i])) return false;
    if (fabs(a[i]) > largest) largest = fabs(a[i]);
  }
  (void)frexp(largest, exponent);
  return true;
}

bool lb_pseudo_inverse(int32_t rows, int32_t columns, const double *a, double relative_tolerance,
                       double *inverse, double *scratch, int32_t *rank) {
  LB_ASSERT(rows >= 0 && columns >= 0 && relative_tolerance >= 0);
  int exponent;
  if (!find_exponent((size_t)rows * (size_t)columns, a, &exponent)) return false;
  Work t = lay_out_pseudo_inverse(rows, columns, scratch);
  bool turned = rows < columns;
  for (int32_t i = 0; i < t.n; i++)
    for (int32_t r = 0; r < t.m; r++) {
      size_t at =
          turned ? (size_t)i + (size_t)rows * (size_t)r : (size_t)r + (size_t)rows * (size_t)i;
      a_column(&t, i)[r] = ldexp(a[at], -exponent);
    }
  double rounding = t.n * 0x1p-54; // of the factorisation, relative to A
  factor_pivoted(&t, relative_tolerance < 16 * rounding ? relative_tolerance / 16 : rounding);
  make_columns_orthogonal(&t);
  int32_t count = combine_singular_vectors(&t, relative_tolerance);
  if (rank) *rank = count;
  bool finite = true;
  for (int32_t r = 0; r < t.m; r++)
    for (int32_t i = 0; i < t.n; i++) {
      size_t at = turned ? (size_t)r + (size_t)columns * (size_t)i
                         : (size_t)i + (size_t)columns * (size_t)r;
      inverse[at] = ldexp(result_column(&t, r)[i], -exponent);
      finite &= isfinite(inverse[at]) != 0;
    }
  return finite;
}
