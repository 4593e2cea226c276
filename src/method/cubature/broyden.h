// Broyden's method: the inverse of a matrix that was factored once, updated by what steps have
// shown of the true one. For pairs of a step s and the change y of the residual along it,
//
//   H <- (1 + u s^T) H,   u = (s - H y) / (s . H y),
//
// after which H y = s: rank-one updates of the inverse (Broyden 1965, his "good" one), from
// H = A^-1 on. Each costs two vectors; applying H costs a solve and two passes over each of them.
#ifndef LB_METHOD_CUBATURE_BROYDEN_H
#define LB_METHOD_CUBATURE_BROYDEN_H

#include "math/ldlt.h"

enum { LB_SECANTS = 16 }; // at most

typedef struct lbSecants {
  int32_t count;
  double *steps, *updates; // (LB_SECANTS x padded): s and u
} lbSecants;

// x (padded) <- H x
void lb_broyden_apply(const lbLdltKernels *ldlt, int32_t n, int32_t padded, const double *factors,
                      const lbSecants *secants, double *x);
// One more pair; y (padded) is spoiled. A pair that says nothing, or that there is no room for, is
// left out.
void lb_broyden_learn(const lbLdltKernels *ldlt, int32_t n, int32_t padded, const double *factors,
                      lbSecants *secants, const double *s, double *y);

#endif
