// The linear solve inside Newton: factor a matrix that should be positive definite; where it is not
// (materials in compression), shift it by a multiple of another until it is.
#ifndef LB_FEM_SOLVE_H
#define LB_FEM_SOLVE_H

#include "linalg/cholesky.h"
#include "linalg/sparse.h"

// Factors A, or A + s B with the smallest s = s0, 4 s0, 16 s0, ... that works, s0 = 1e-4 of the
// ratio of their traces. *shifted: whether; B is positive definite.
lbStatus lb_factor_or_shift(lbCholesky *factor, const lbSparse *A, const lbSparse *B, bool *shifted,
                            lbError *err);

double lb_norm(size_t count, const double *x); // Euclidean; does not overflow on finite results
double lb_dot_product(size_t count, const double *x, const double *y);

#endif
