// Cholesky and L D L^T of small matrices, column by column (left-looking): column j receives the
// updates of all columns before it, each a contiguous sweep down the columns, then is scaled.
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double *column(double *a, int32_t n, int32_t j) { return a + (size_t)n * (size_t)j; }
static const double *const_column(const double *a, int32_t n, int32_t j) {
  return a + (size_t)n * (size_t)j;
}

// target[begin..n) -= factor * source[begin..n)
static void subtract_scaled(double *restrict target, double factor, const double *restrict source,
                            int32_t begin, int32_t n) {
  for (int32_t i = begin; i < n; i++) target[i] -= factor * source[i];
}

// A pivot counts as zero when it is within the rounding error of its own computation.
static double smallest_pivot(int32_t n, double size) { return n * DBL_EPSILON * size; }

bool lb_small_cholesky_factor(int32_t n, double *a) {
  for (int32_t j = 0; j < n; j++) {
    double *target = column(a, n, j), size = fabs(target[j]);
    for (int32_t k = 0; k < j; k++) {
      const double *source = const_column(a, n, k);
      subtract_scaled(target, source[j], source, j, n); // A_ij -= L_ik L_jk
    }
    if (!(target[j] > smallest_pivot(n, size)) || !isfinite(target[j])) return false;
    double root = sqrt(target[j]);
    target[j] = root;
    for (int32_t i = j + 1; i < n; i++) target[i] /= root;
  }
  return true;
}

void lb_small_cholesky_solve(int32_t n, const double *l, int32_t column_count, double *b) {
  for (int32_t c = 0; c < column_count; c++) {
    double *x = column(b, n, c);
    for (int32_t j = 0; j < n; j++) { // L y = b
      const double *source = const_column(l, n, j);
      x[j] /= source[j];
      subtract_scaled(x, x[j], source, j + 1, n);
    }
    for (int32_t j = n - 1; j >= 0; j--) { // L^T x = y
      const double *source = const_column(l, n, j);
      for (int32_t i = j + 1; i < n; i++) x[j] -= source[i] * x[i];
      x[j] /= source[j];
    }
  }
}

bool lb_small_ldlt_factor(int32_t n, double *a) {
  for (int32_t j = 0; j < n; j++) {
    double *target = column(a, n, j), size = fabs(target[j]);
    for (int32_t k = 0; k < j; k++) {
      const double *source = const_column(a, n, k);
      double factor = source[j] * source[k]; // L_jk d_k
      size += fabs(factor * source[j]);
      subtract_scaled(target, factor, source, j, n); // A_ij -= L_ik d_k L_jk
    }
    if (!(fabs(target[j]) > smallest_pivot(n, size)) || !isfinite(target[j])) return false;
    for (int32_t i = j + 1; i < n; i++) target[i] /= target[j];
  }
  return true;
}

void lb_small_ldlt_solve(int32_t n, const double *ld, int32_t column_count, double *b) {
  for (int32_t c = 0; c < column_count; c++) {
    double *x = column(b, n, c);
    for (int32_t j = 0; j < n; j++) // L y = b
      subtract_scaled(x, x[j], const_column(ld, n, j), j + 1, n);
    for (int32_t j = n - 1; j >= 0; j--) { // L^T x = D^-1 y
      const double *source = const_column(ld, n, j);
      x[j] /= source[j];
      for (int32_t i = j + 1; i < n; i++) x[j] -= source[i] * x[i];
    }
  }
}

void lb_small_ldlt_invert(int32_t n, const double *ld, int32_t stride, double *lower,
                          double *upper) {
  memset(lower, 0, (size_t)n * (size_t)stride * sizeof *lower);
  memset(upper, 0, (size_t)n * (size_t)stride * sizeof *upper);
  for (int32_t k = 0; k < n; k++) { // L x = e_k
    double *x = column(lower, stride, k);
    x[k] = 1;
    for (int32_t j = k; j < n; j++) subtract_scaled(x, x[j], const_column(ld, n, j), j + 1, n);
    for (int32_t i = k; i < n; i++) column(upper, stride, i)[k] = x[i] / const_column(ld, n, i)[i];
  }
}
