// L D L^T of several small symmetric matrices at once, a matrix in each lane: for crowds of bodies.
// Bit for bit what math/ldlt.h does with each of them alone at the same SIMD level; a lane's result
// does not depend on the others, whatever they hold.
//
// Numbers of LB_BATCH (8) matrices lie side by side: number x of matrix m is at [8 x + m].
#ifndef LB_MATH_LDLT_CROWD_H
#define LB_MATH_LDLT_CROWD_H

#include "math/simd.h"

// `count` in [1, 8]: matrices that are there. Lanes beyond it may be worked on too (up to a whole
// vector), so what is read there must be initialised.
typedef struct lbLdltCrowdKernels {
  // a: (n (n + 1) / 2 x 8), entry (i, j), i >= j, at i (i + 1) / 2 + j (lb_packed2(j, i)).
  // factors: (n x n x 8), written. Returns which matrices are not positive definite to working
  // precision, bit m for matrix m: theirs must not be used.
  uint32_t (*factor)(int32_t n, int32_t count, const double *a, double *factors);
  // b (n x 8) <- A^-1 b
  void (*solve)(int32_t n, int32_t count, const double *factors, double *b);
} lbLdltCrowdKernels;

// The level must be one that lb_simd_has.
const lbLdltCrowdKernels *lb_ldlt_crowd_kernels(lbSimdLevel level);

#endif
