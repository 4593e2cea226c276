// The largest eigenvalues θ of OP = (K + s M)⁻¹ M in parts, by block Lanczos with full
// reorthogonalisation in the mass and thick restarts: MUMPS solves for a block of right-hand sides
// in the time of a few, and shares that work out evenly, which it does not with one at a time.
#ifndef LB_PETSC_KRYLOV_H
#define LB_PETSC_KRYLOV_H

#include "petsc/parts.h"

// Whether a body is so large that the block Krylov search pays.
bool lb_krylov_fits(const lbParts *parts, int32_t count);

// Vectors (3 own_count x count) of the `count` largest θ, mass-orthonormal, by the solver of the
// parts, which is set up. Collective.
lbStatus lb_krylov_search(lbParts *parts, int32_t count, double *vectors, lbError *err);

// G = Xᵀ Y over all ranks; X (rows x m), Y (rows x n).
void lb_rows_product(size_t rows, int32_t m, int32_t n, const double *X, const double *Y,
                     double *G);
// X <- X + a Y C; X (rows x n), Y (rows x m).
void lb_rows_add(size_t rows, int32_t n, int32_t m, double a, const double *Y, const double *C,
                 double *X);

#endif
