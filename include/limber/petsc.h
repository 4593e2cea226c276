// limber/petsc.h: the engine "petsc": bodies in parts over MPI, for meshes that no one machine
// holds or that take too long. Rank 0 runs the program as if it were alone, with what the other
// headers offer; the other ranks carry out what it asks of bodies. Only limber-mpi links it.
#ifndef LIMBER_PETSC_H
#define LIMBER_PETSC_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// How modes and static solutions are found.
typedef enum lbPetscSolver {
  LB_PETSC_AUTO,     // direct up to LB_PETSC_DIRECT_ROWS, iterative beyond
  LB_PETSC_DIRECT,   // shift and invert, the matrix factored by MUMPS
  LB_PETSC_ITERATIVE // conjugate gradients and LOBPCG, preconditioned by algebraic multigrid that
                     // knows the rigid motions
} lbPetscSolver;

#define LB_PETSC_DIRECT_ROWS 600000

typedef struct lbPetscDef {
  lbPetscSolver solver; // default LB_PETSC_AUTO
  const char *restart;  // folder of what was finished, which is made; default NULL: none
} lbPetscDef;

lbPetscDef lb_petsc_def(void);

// Starts MPI, PETSc and SLEPc, whose own options are in PETSC_OPTIONS. All ranks, first.
lbStatus lb_petsc_start(lbError *err);
int lb_petsc_rank(void);
int lb_petsc_rank_count(void);
// Rank 0: from now on bodies are spread over the ranks.
void lb_petsc_install(const lbPetscDef *def);
// The other ranks: does what rank 0 asks for until it stops.
void lb_petsc_serve(void);
// The end of all ranks: rank 0 lets the others go first.
void lb_petsc_stop(void);

#ifdef __cplusplus
}
#endif
#endif
