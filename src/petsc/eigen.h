// The lowest modes of a body in parts, by SLEPc.
#ifndef LB_PETSC_EIGEN_H
#define LB_PETSC_EIGEN_H

#include "limber/petsc.h"
#include "petsc/parts.h"

// This rank's rows of the vectors found, on every rank; values, residuals and kinds alike.
typedef struct lbRows {
  int32_t count, rigid_count;
  double *values, *residuals; // (count)
  double *vectors;            // (3 own_count x count)
  double *rigid_vectors;      // (3 own_count x rigid_count)
  double seconds;
} lbRows;

void lb_rows_release(lbRows *rows);

// As lb_eigen_lowest, of parts that are assembled. Collective.
lbStatus lb_rows_modes(lbParts *parts, const lbPetscDef *def, int32_t count, lbRows *out,
                       lbError *err);

// Whether this body is to be solved directly. Collective.
bool lb_is_direct(const lbParts *parts, const lbPetscDef *def, int32_t mode_count);

// solver.c
// Sets a linear solver up for a symmetric definite matrix: conjugate gradients with multigrid.
void lb_solver_set_up(KSP solver);
// The rigid motions of the free nodes, as the near-null space of A, for multigrid.
void lb_solver_rigid_motions(const lbParts *parts, Mat A);
// X = A⁻¹ B, rows of this rank (3 own_count x count), all columns together. Collective.
void lb_solver_solve(KSP solver, const lbParts *parts, int32_t count, const double *B, double *X);

#endif
