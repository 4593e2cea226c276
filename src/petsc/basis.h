// Bases of linear modes and modal derivatives, of bodies in parts.
#ifndef LB_PETSC_BASIS_H
#define LB_PETSC_BASIS_H

#include "petsc/eigen.h"
#include "linalg/eigen.h"
#include "reduce/pca.h"

// What the mass-PCA of modes and their derivatives has found. Vectors (rank 0) are of whole
// clusters, before they are made canonical.
typedef struct lbFoundBasis {
  int32_t mode_count;       // in
  lbPcaSize size;           // in and out
  int32_t candidate_count;  // out
  double *values, *vectors; // out: (whole), (system size x whole)
  double force_seconds, solve_seconds, pca_seconds;
} lbFoundBasis;

void lb_found_basis_release(lbFoundBasis *found);

// eigen: rank 0's modes, the first mode_count of which count. Collective; mode_count and size are
// those of rank 0.
lbStatus lb_parts_basis(lbParts *parts, const lbPetscDef *def, const lbEigen *eigen,
                        const char *name, lbFoundBasis *found, lbError *err);

// statics.c: solves K x = b, with the rigid motions of a free body held at as many rows.
typedef struct lbStatics {
  lbParts *parts;
  struct lbFactor *factor; // directly; NULL: by the solver
  bool own_factor;
  KSP solver;
  Mat held;            // K with those rows held; NULL: K itself
  int32_t rigid_count; //
  double *Z, *MZ;      // (3 own_count x rigid_count)
  PetscInt *pins;      // (rigid_count), rows among all
} lbStatics;

// Z (3 own_count x rigid_count): the rigid motions, mass-orthonormal. Collective, like all of
// these.
lbStatus lb_statics_open(lbStatics *statics, lbParts *parts, const lbPetscDef *def,
                         int32_t rigid_count, const double *Z, lbError *err);
void lb_statics_close(lbStatics *statics);
// Takes out of forces what would move a free body; X (3 own_count x count).
void lb_statics_balance(const lbStatics *statics, int32_t count, double *X);
// X <- K⁺ X with no rigid motion in it; X (3 own_count x count).
lbStatus lb_statics_solve(lbStatics *statics, int32_t count, double *X, lbError *err);

#endif
