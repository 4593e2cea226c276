// Eigenvalues of symmetric matrices: A = Q T Q' with T tridiagonal, by panels of reflections
// (Dongarra, Hammarling and Sorensen), then the implicit QR method with Wilkinson's shift, which
// starts at the end of T where its values are large.
#include "linalg/own/decompose.h"

#include <float.h>
#include <string.h>

// ---- A = Q T Q' --------------------------------------------------------------------------------

// x (length) -= M[row:, :count] m[row of other, :count]'
static void subtract_tridiagonal_row(int32_t length, int32_t count, const double *M,
                                     const double *other, size_t stride, double *x) {
  double row[LB_OWN_PANEL];
  for (int32_t c = 0; c < count; c++) row[c] = other[(size_t)c * stride];
  lb_own()->add_product(length, count, -1, M, stride, row, x);
}

// w = tau (A - V W' - W V') v, less its part along v that the symmetric update needs; rows below i.
static void make_update(int32_t length, int32_t count, const double *A, size_t stride,
                        const double *V, const double *W, const double *v, double tau, double *w) {
  const lbOwnKernels *kernels = lb_own();
  double along_v[LB_OWN_PANEL] = { 0 }, along_w[LB_OWN_PANEL] = { 0 }, product = 0, one = 1;
  memset(w, 0, (size_t)length * sizeof *w);
  kernels->add_symmetric_product(length, tau, A, stride, v, w);
  kernels->add_turned_product(length, count, tau, V, stride, v, along_v);
  kernels->add_turned_product(length, count, tau, W, stride, v, along_w);
  kernels->add_product(length, count, -1, V, stride, along_w, w);
  kernels->add_product(length, count, -1, W, stride, along_v, w);
  kernels->add_turned_product(length, 1, -tau / 2, w, stride, v, &product);
  kernels->add_product(length, 1, product, v, stride, &one, w);
}

// The lower triangle of A loses V W' + W V', a block of columns at a time.
static void subtract_tridiagonal_products(int32_t size, double *A, size_t stride, const double *V,
                                          const double *W) {
  enum { COLUMNS = 64 };
  for (int32_t begin = 0; begin < size; begin += COLUMNS) {
    int32_t columns = size - begin < COLUMNS ? size - begin : COLUMNS;
    double *block = A + (size_t)begin * stride + begin;
    for (int turn = 0; turn < 2; turn++)
      lb_own_multiply_double(LB_PLAIN, LB_TRANSPOSED, size - begin, columns, LB_OWN_PANEL, -1,
                             (turn ? W : V) + begin, stride, (turn ? V : W) + begin, stride, 1,
                             block, stride);
  }
}

// A (size x size), whose lower triangle is read, becomes the reflections: v_i in column i, zeros
// down to row i, a one in row i + 1. W (size x LB_OWN_PANEL).
static void make_tridiagonal(int32_t size, double *A, double *d, double *e, double *tau,
                             double *W) {
  size_t n = (size_t)size;
  for (int32_t begin = 0; begin < size; begin += LB_OWN_PANEL) {
    int32_t end = begin + LB_OWN_PANEL < size ? begin + LB_OWN_PANEL : size;
    double *V = A + (size_t)begin * n;
    memset(W, 0, n * LB_OWN_PANEL * sizeof *W);
    for (int32_t i = begin; i < end; i++) {
      int32_t count = i - begin, length = size - i - 1;
      double *column = A + (size_t)i * n, *v = column + i + 1;
      subtract_tridiagonal_row(length + 1, count, V + i, W + i, n, column + i);
      subtract_tridiagonal_row(length + 1, count, W + i, V + i, n, column + i);
      d[i] = column[i];
      memset(column, 0, (size_t)(i + 1) * sizeof *column);
      if (!length) break;
      tau[i] = lb_own_reflection(length, v, &e[i]);
      make_update(length, count, v + n, n, V + i + 1, W + i + 1, v, tau[i],
                  W + (size_t)count * n + i + 1);
    }
    subtract_tridiagonal_products(size - end, A + (size_t)end * n + end, n, V + end, W + end);
  }
}

// ---- eigenvalues of T --------------------------------------------------------------------------

// A sweep of the QR method over `count` rows from d[0], e[0] on, or down from there (step -1).
static void sweep_tridiagonal(int32_t count, double *d, double *e, int step,
                              lbOwnRotation *rotations) {
#define D(i) d[step * (i)]
#define E(i) e[step * (i)]
  int32_t last = count - 1;
  double half = (D(last - 1) - D(last)) / (2 * E(last - 1));
  double shift = D(last) - E(last - 1) / (half + copysign(lb_own_length(half, 1), half));
  double f = D(0) - shift, g = E(0), r;
  for (int32_t i = 0; i < last; i++) {
    lbOwnRotation t = lb_own_rotation(f, g, &r);
    if (i > 0) E(i - 1) = r;
    // the two by two matrix at i, turned on both sides
    double a = D(i), b = E(i), c = D(i + 1);
    double ac = t.c * a + t.s * b, bc = t.c * b + t.s * c;
    double as = t.c * b - t.s * a, bs = t.c * c - t.s * b;
    D(i) = t.c * ac + t.s * bc;
    D(i + 1) = t.c * bs - t.s * as;
    f = E(i) = t.c * bc - t.s * ac;
    if (i + 1 < last) {
      g = t.s * E(i + 1);
      E(i + 1) *= t.c;
    }
    if (step > 0)
      rotations[i] = t;
    else
      rotations[last - 1 - i] = (lbOwnRotation){ t.c, -t.s };
  }
#undef D
#undef E
}

static bool is_negligible(double e, double a, double b) {
  return fabs(e) <= DBL_EPSILON * sqrt(fabs(a)) * sqrt(fabs(b)) || fabs(e) < DBL_MIN;
}

bool lb_own_tridiagonal_values(int32_t size, double *d, double *e, lbOwnSweeps *Z) {
  int32_t end = size - 1, old_begin = -1, old_end = -1; // of the block at hand, both within
  bool down = false;
  for (int64_t left = 40 * (int64_t)size; end > 0; left--) {
    int32_t begin = end;
    while (begin > 0 && !is_negligible(e[begin - 1], d[begin - 1], d[begin])) begin--;
    if (begin > 0) e[begin - 1] = 0;
    if (begin == end) {
      end--;
      continue;
    }
    if (left < 0) return false;
    if (begin > old_end || end < old_begin) down = fabs(d[begin]) < fabs(d[end]);
    old_begin = begin, old_end = end;
    lbOwnRotation *rotations = lb_own_sweeps_add(Z, begin, end - begin, down);
    if (down)
      sweep_tridiagonal(end - begin + 1, d + end, e + end - 1, -1, rotations);
    else
      sweep_tridiagonal(end - begin + 1, d + begin, e + begin, 1, rotations);
  }
  return true;
}

// ---- all of it ---------------------------------------------------------------------------------

// The upper triangle times scale, mirrored. What scale keeps away from the ends of the range.
static double fill_and_scale(size_t n, double *A) {
  double largest = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i <= j; i++) largest = fmax(largest, fabs(A[j * n + i]));
  double scale = largest > 0 && (largest < 1e-100 || largest > 1e100) ? 1 / largest : 1;
  if (!isfinite(scale)) scale = 1e300; // of subnormal numbers
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i <= j; i++) A[i * n + j] = A[j * n + i] *= scale;
  return scale;
}

lbStatus lb_own_eigen(int32_t size, double *A, double *values, lbError *err) {
  size_t n = (size_t)size, room = n * LB_OWN_PANEL, reflecting = lb_own_reflect_work(size);
  lbOwnSweeps Z = { 0 };
  double *work = lb_alloc(2 * n + (room > reflecting ? room : reflecting), sizeof *work);
  double *Q = lb_alloc(n * n, sizeof *Q);
  int32_t *order = lb_alloc(n, sizeof *order);
  lbStatus status = work && Q && order ? LB_OK : lb_fail_memory(err);
  if (status) goto done;
  double *e = work, *tau = e + n, *rest = tau + n, scale = fill_and_scale(n, A);
  make_tridiagonal(size, A, values, e, tau, rest);
  lb_own_multiply_reflections(size, size - 1, 1, A, n, tau, size, Q, rest);
  if (!lb_own_sweeps_open(&Z, size, size, Q))
    status = lb_fail_memory(err);
  else if (!lb_own_tridiagonal_values(size, values, e, &Z))
    status = lb_fail(err, LB_ERR_NUMERIC, "symmetric eigenproblem did not converge");
  if (status) goto done;
  for (size_t i = 0; i < n; i++) values[i] /= scale;
  lb_own_sort(size, 1, values, order);
  lb_own_sweeps_finish(&Z, order, A);
done:
  lb_own_sweeps_close(&Z);
  lb_free(order);
  lb_free(Q);
  lb_free(work);
  return status;
}
