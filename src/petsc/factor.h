// A = L D Lᵀ of a symmetric definite matrix in parts, by MUMPS.
//
// MUMPS is called by itself, not through PETSc, so that it eliminates in limber's order (order.h):
// Debian's has no ordering but its own, which cuts a body neither as small nor as evenly. The
// distribution of rows over ranks, which solves need, is found once.
#ifndef LB_PETSC_FACTOR_H
#define LB_PETSC_FACTOR_H

#include "petsc/parts.h"

typedef struct lbFactor lbFactor;

// LB_ERR_NUMERIC: A is not definite (lb_indefinite_tell says where); LB_ERR_MEMORY: there is no
// room. Collective, like all of these.
lbStatus lb_factor_create(const lbParts *parts, Mat A, lbFactor **out, lbError *err);
void lb_factor_destroy(lbFactor *factor); // NULL is legal
// X = A⁻¹ B, rows of this rank (3 own_count x count), all columns together, which takes MUMPS the
// time of a few. X may be B.
void lb_factor_solve(lbFactor *factor, int32_t count, const double *B, double *X);

#endif
