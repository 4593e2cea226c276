// L D L^T of small symmetric matrices, up to a hundred unknowns or so, vectorised, at every SIMD
// level: factor in place, solve in place, no allocation. The order of summation is the same at
// every level. math/dense.h has the plain version.
//
// Matrices are (padded x padded), column-major, padded = lb_ldlt_padded(n): room for whole vectors.
#ifndef LB_MATH_LDLT_H
#define LB_MATH_LDLT_H

#include "math/simd.h"

static inline int32_t lb_ldlt_padded(int32_t n) { return (n + 3) / 4 * 4; }

typedef struct lbLdltKernels {
  // A = L D L^T with unit lower L, no pivoting: for positive definite and quasi-definite matrices.
  // Of A the lower triangle is read. Afterwards L is below the diagonal, D on it, D L^T above; the
  // padding holds zeros and ones. False when a pivot vanishes next to what it was subtracted from,
  // or is not finite; `a` then holds nothing useful.
  bool (*factor)(int32_t n, double *a);
  // b <- A^-1 b; b (padded), of which the padding is set to zero.
  void (*solve)(int32_t n, const double *factor, double *b);
} lbLdltKernels;

// The level must be one that lb_simd_has.
const lbLdltKernels *lb_ldlt_kernels(lbSimdLevel level);

// How many pivots are negative; 0 for a positive definite matrix.
int32_t lb_ldlt_negative_count(int32_t n, const double *factor);

#endif
