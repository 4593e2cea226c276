// Singular values: of a triangle (tall matrices go through QR first), which becomes bidiagonal, by
// the implicit QR method of Golub and Kahan with the zero shift and the tests of Demmel and Kahan,
// which starts at the end where values are large.
#include "linalg/own/decompose.h"

#include <float.h>
#include <string.h>

// ---- bidiagonal matrices -----------------------------------------------------------------------

// A block of a bidiagonal matrix B, or of its transpose read from the end: then left and right
// change places.
typedef struct Block {
  int32_t count; // rows
  double *d, *e;
  int step;
  lbOwnRotation *left, *right; // one less than count each, or NULL
} Block;

#define D(i) d[b->step * (i)]
#define E(i) e[b->step * (i)]

static void store_rotation(const Block *b, lbOwnRotation *to, int32_t i, lbOwnRotation t) {
  if (!to) return;
  if (b->step > 0)
    to[i] = t;
  else
    to[b->count - 2 - i] = (lbOwnRotation){ t.c, -t.s };
}

static void sweep_without_shift(const Block *b) {
  double *d = b->d, *e = b->e, r;
  int32_t last = b->count - 1;
  lbOwnRotation right = { 1, 0 }, left = { 1, 0 };
  for (int32_t i = 0; i < last; i++) {
    right = lb_own_rotation(D(i) * right.c, E(i), &r);
    if (i > 0) E(i - 1) = left.s * r;
    left = lb_own_rotation(left.c * r, D(i + 1) * right.s, &D(i));
    store_rotation(b, b->right, i, right);
    store_rotation(b, b->left, i, left);
  }
  double corner = D(last) * right.c;
  D(last) = corner * left.c;
  E(last - 1) = corner * left.s;
}

static void sweep_with_shift(const Block *b, double shift) {
  double *d = b->d, *e = b->e, r;
  int32_t last = b->count - 1;
  double f = (fabs(D(0)) - shift) * (copysign(1, D(0)) + shift / D(0)), g = E(0);
  for (int32_t i = 0; i < last; i++) {
    lbOwnRotation t = lb_own_rotation(f, g, &r);
    store_rotation(b, b->right, i, t);
    if (i > 0) E(i - 1) = r;
    f = t.c * D(i) + t.s * E(i);
    E(i) = t.c * E(i) - t.s * D(i);
    g = t.s * D(i + 1);
    D(i + 1) *= t.c;
    t = lb_own_rotation(f, g, &D(i));
    store_rotation(b, b->left, i, t);
    f = t.c * E(i) + t.s * D(i + 1);
    D(i + 1) = t.c * D(i + 1) - t.s * E(i);
    if (i + 1 < last) {
      g = t.s * E(i + 1);
      E(i + 1) *= t.c;
    }
  }
  E(last - 1) = f;
}

// The smaller singular value of (f g; 0 h).
static double least_of_two(double f, double g, double h) {
  double a = fabs(f), b = fabs(g), c = fabs(h);
  double low = fmin(a, c), high = fmax(a, c);
  if (low == 0) return 0;
  if (b < high) {
    double sum = 1 + low / high, difference = (high - low) / high, square = (b / high) * (b / high);
    return low * (2 / (sqrt(sum * sum + square) + sqrt(difference * difference + square)));
  }
  double ratio = high / b;
  if (ratio == 0) return low * high / b;
  double sum = (1 + low / high) * ratio, difference = (high - low) / high * ratio;
  return 2 * (low * (1 / (sqrt(1 + sum * sum) + sqrt(1 + difference * difference)))) * ratio;
}

static const double TOLERANCE = 16 * DBL_EPSILON; // of a value beside those that it joins

// Sets the values beside the diagonal to zero that are negligible, by Demmel and Kahan's tests, and
// says whether there was one. *least: no singular value of the block is much less.
static bool split_block(const Block *b, double *least) {
  double *d = b->d, *e = b->e, bound = fabs(D(0));
  int32_t last = b->count - 1;
  if (fabs(E(last - 1)) <= TOLERANCE * fabs(D(last))) {
    E(last - 1) = 0;
    return true;
  }
  *least = bound;
  for (int32_t i = 0; i < last; i++) {
    if (fabs(E(i)) <= TOLERANCE * bound) {
      E(i) = 0;
      return true;
    }
    bound = fabs(D(i + 1)) * (bound / (bound + fabs(E(i))));
    *least = fmin(*least, bound);
  }
  return false;
}

static void sweep_singular_block(const Block *b, double least) {
  double *d = b->d, *e = b->e, largest = 0;
  int32_t last = b->count - 1;
  for (int32_t i = 0; i <= last; i++) largest = fmax(largest, fabs(D(i)));
  for (int32_t i = 0; i < last; i++) largest = fmax(largest, fabs(E(i)));
  double shift = 0;
  if (b->count * TOLERANCE * (least / largest) > DBL_EPSILON) {
    shift = least_of_two(D(last - 1), E(last - 1), D(last));
    double ratio = shift / fabs(D(0));
    if (!(ratio * ratio >= DBL_EPSILON)) shift = 0;
  }
  if (shift == 0)
    sweep_without_shift(b);
  else
    sweep_with_shift(b, shift);
}

#undef D
#undef E

bool lb_own_bidiagonal_values(int32_t size, double *d, double *e, lbOwnSweeps *U, lbOwnSweeps *V) {
  int32_t end = size - 1, old_begin = -1, old_end = -1; // of the block at hand, both within
  bool down = false;
  double largest = 0;
  for (int32_t i = 0; i < size; i++) largest = fmax(largest, fabs(d[i]));
  for (int32_t i = 0; i + 1 < size; i++) largest = fmax(largest, fabs(e[i]));
  double nothing = largest * 1e-290; // far below rounding, far above subnormal numbers
  for (int64_t left = 60 * (int64_t)size; end > 0; left--) {
    int32_t begin = end;
    while (begin > 0 && fabs(e[begin - 1]) > nothing) begin--;
    if (begin > 0) e[begin - 1] = 0;
    if (begin == end) {
      end--;
      continue;
    }
    if (left < 0) return false;
    if (begin > old_end || end < old_begin) down = fabs(d[begin]) < fabs(d[end]);
    old_begin = begin, old_end = end;
    Block b = { .count = end - begin + 1, .d = d + begin, .e = e + begin, .step = 1 };
    if (down) b = (Block){ .count = b.count, .d = d + end, .e = e + end - 1, .step = -1 };
    double least = 0;
    if (split_block(&b, &least)) continue;
    lbOwnRotation *of_u = U ? lb_own_sweeps_add(U, begin, end - begin, down) : NULL;
    lbOwnRotation *of_v = V ? lb_own_sweeps_add(V, begin, end - begin, down) : NULL;
    b.left = down ? of_v : of_u;
    b.right = down ? of_u : of_v;
    sweep_singular_block(&b, least);
  }
  return true;
}

// ---- all of it ---------------------------------------------------------------------------------

static double scale_of(size_t count, const double *A) { // keeps squares within range
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(A[i]));
  double scale = largest > 0 && (largest < 1e-100 || largest > 1e100) ? 1 / largest : 1;
  return isfinite(scale) ? scale : 1e300; // of subnormal numbers
}

// A square matrix, destroyed: A = U diag(S) V', U and V (size x size) or both NULL.
static lbStatus decompose_square(int32_t size, double *A, double *U, double *S, double *V,
                                 lbError *err) {
  size_t n = (size_t)size, room = 2 * n * LB_OWN_PANEL, reflecting = lb_own_reflect_work(size);
  lbOwnSweeps left = { 0 }, right = { 0 };
  double *P = lb_alloc(n * n, sizeof *P);
  double *work = lb_alloc(3 * n + (room > reflecting ? room : reflecting), sizeof *work);
  int32_t *order = lb_alloc(n, sizeof *order);
  lbStatus status = P && work && order ? LB_OK : lb_fail_memory(err);
  if (status) goto done;
  double *e = work, *tau_left = e + n, *tau_right = tau_left + n, *rest = tau_right + n;
  lb_own_bidiagonal(size, A, P, S, e, tau_left, tau_right, rest);
  if (U) {
    lb_own_multiply_reflections(size, size, 0, A, n, tau_left, size, U, rest);
    lb_own_multiply_reflections(size, size - 1, 1, P, n, tau_right, size, V, rest);
    if (!lb_own_sweeps_open(&left, size, size, U) || !lb_own_sweeps_open(&right, size, size, V)) {
      status = lb_fail_memory(err);
      goto done;
    }
  }
  if (!lb_own_bidiagonal_values(size, S, e, U ? &left : NULL, U ? &right : NULL)) {
    status = lb_fail(err, LB_ERR_NUMERIC, "singular values did not converge");
    goto done;
  }
  for (size_t i = 0; i < n; i++) tau_left[i] = S[i], S[i] = fabs(S[i]);
  lb_own_sort(size, -1, S, order);
  if (U) {
    lb_own_sweeps_finish(&left, order, U);
    lb_own_sweeps_finish(&right, order, V);
    for (size_t j = 0; j < n; j++)
      if (tau_left[order[j]] < 0)
        for (size_t i = 0; i < n; i++) V[j * n + i] = -V[j * n + i];
  }
done:
  lb_own_sweeps_close(&left);
  lb_own_sweeps_close(&right);
  lb_free(P);
  lb_free(work);
  lb_free(order);
  return status;
}

// A (rows x columns), rows >= columns, destroyed: A = U diag(S) V', U (rows x columns), V (columns
// x columns), or both NULL.
static lbStatus decompose_tall(int32_t rows, int32_t columns, double *A, double *U, double *S,
                               double *V, lbError *err) {
  if (rows == columns) return decompose_square(columns, A, U, S, V, err);
  size_t m = (size_t)rows, n = (size_t)columns;
  double *R = lb_alloc(n * n, sizeof *R), *small = lb_alloc(U ? n * n : 0, sizeof *small);
  double *work = lb_alloc(n + lb_own_reflect_work(columns) + m * LB_OWN_PANEL, sizeof *work);
  lbStatus status = R && small && work ? LB_OK : lb_fail_memory(err);
  if (!status) {
    double *tau = work, *rest = work + n;
    lb_own_qr(rows, columns, A, tau, rest);
    for (size_t j = 0; j < n; j++) { // R, and the reflections written out
      memcpy(R + j * n, A + j * m, (j + 1) * sizeof *R);
      memset(A + j * m, 0, j * sizeof *A);
      A[j * m + j] = 1;
    }
    status = decompose_square(columns, R, U ? small : NULL, S, V, err);
    if (!status && U) { // U = Q small: the reflections of small, zeros below it
      memset(U, 0, m * n * sizeof *U);
      for (size_t j = 0; j < n; j++) memcpy(U + j * m, small + j * n, n * sizeof *U);
      for (int32_t begin = (columns - 1) / LB_OWN_PANEL * LB_OWN_PANEL; begin >= 0;
           begin -= LB_OWN_PANEL) {
        int32_t count = columns - begin < LB_OWN_PANEL ? columns - begin : LB_OWN_PANEL;
        lb_own_reflect(LB_PLAIN, rows - begin, count, A + (size_t)begin * m + begin, m, tau + begin,
                       columns, U + begin, m, rest);
      }
    }
  }
  lb_free(R);
  lb_free(small);
  lb_free(work);
  return status;
}

static void transpose_matrix(size_t rows, size_t columns, const double *A, double *At) {
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++) At[i * columns + j] = A[j * rows + i];
}

lbStatus lb_own_svd(int32_t rows, int32_t columns, double *A, double *U, double *S, double *Vt,
                    lbError *err) {
  size_t m = (size_t)rows, n = (size_t)columns, k = m < n ? m : n;
  bool tall = rows >= columns, vectors = U && Vt;
  double scale = scale_of(m * n, A);
  for (size_t i = 0; i < m * n; i++) A[i] *= scale;
  // of a wide matrix the transpose, whose V is U: A' = V diag(S) U'
  double *turned = lb_alloc(tall ? 0 : m * n, sizeof *turned);
  double *V = lb_alloc(vectors ? (tall ? k * k : m * n) : 0, sizeof *V);
  lbStatus status = turned && V ? LB_OK : lb_fail_memory(err);
  if (!status && tall) {
    status = decompose_tall(rows, columns, A, vectors ? U : NULL, S, vectors ? V : NULL, err);
    if (!status && vectors) transpose_matrix(n, n, V, Vt);
  } else if (!status) {
    transpose_matrix(m, n, A, turned);
    status = decompose_tall(columns, rows, turned, vectors ? V : NULL, S, vectors ? U : NULL, err);
    if (!status && vectors) transpose_matrix(n, m, V, Vt);
  }
  for (size_t i = 0; !status && i < k; i++) S[i] /= scale;
  lb_free(turned);
  lb_free(V);
  return status;
}
