// One step of inverse iteration with a Rayleigh–Ritz projection, for eigenvectors that are already
// good: their residual parts in high modes, which K would magnify, are removed by a solve.
#ifndef LB_LINALG_POLISH_H
#define LB_LINALG_POLISH_H

#include "linalg/cholesky.h"
#include "linalg/sparse.h"

// X (size x count), column-major, M-orthonormal approximate eigenvectors of K w = lambda M w with
// these values, ascending; `factor` holds K + shift M. X and values are replaced by better ones, in
// ascending order.
lbStatus lb_eigen_polish(lbCholesky *factor, const lbSparse *M, double shift, int32_t count,
                         double *X, double *values, lbError *err);

#endif
