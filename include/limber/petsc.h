// limber/petsc.h: the engine "petsc": bodies distributed over MPI ranks, for meshes that are too
// large or too slow for one machine. Rank 0 runs the program like a single process, with the other
// headers; the other ranks execute its operations on bodies. Only limber-mpi links it.
#ifndef LIMBER_PETSC_H
#define LIMBER_PETSC_H

#include "limber/fem.h"

#ifdef __cplusplus
extern "C" {
#endif

// How modes and static solutions are found.
typedef enum lbPetscSolver {
  LB_PETSC_AUTO,     // direct up to LB_PETSC_DIRECT_ROWS, where there is memory for it
  LB_PETSC_DIRECT,   // shift and invert, the matrix factored by MUMPS
  LB_PETSC_ITERATIVE // conjugate gradients and LOBPCG, preconditioned by algebraic multigrid that
                     // knows the rigid motions
} lbPetscSolver;

#define LB_PETSC_DIRECT_ROWS 600000

typedef struct lbPetscDef {
  lbPetscSolver solver; // default LB_PETSC_AUTO
  const char
      *restart;  // folder for finished parts of the work, created if missing; default NULL: none
  double memory; // bytes a rank may take; default 0: its share of the free memory of its machine
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
// A free body of one material from a mesh file that every rank reads a part of, so that none has
// the whole of it. Rank 0, like all of these.
typedef struct lbPetscBody {
  int32_t vertex_count, element_count;
  double total_mass; // kg
  int32_t id;        // the engine's
} lbPetscBody;

bool lb_petsc_reads(const char *path); // by its extension (.msh)
// LB_ERR_UNSUPPORTED: it cannot be read in parts, and the message says why; lb_mesh_load may do.
lbStatus lb_petsc_read(const char *path, const lbMaterial *material, lbPetscBody *out,
                       lbError *err);
void lb_petsc_close(lbPetscBody *body);
// As lb_fem_modes; the modes have no shapes.
lbStatus lb_petsc_modes(const lbPetscBody *body, int32_t count, lbModes **out, lbError *err);

// What the engine's own work takes, measured. Rank 0; the body was made after lb_petsc_install and
// is a solid.
typedef struct lbPetscFigures {
  int32_t rows, mode_count;
  bool direct;              // by a factor
  double open_seconds;      // the body was cut and spread
  double assemble_seconds;  // K and M
  double modes_seconds;     // the factor included
  double factor_seconds;    // of K alone, or the set-up of multigrid
  double solve_seconds;     // of one right-hand side
  double modes_residual;    // the largest |K w − λ M w| / |K w|
  double solve_residual;    // |K x − b| / |b|
  double most_bytes;        // of a rank, at its peak; the rank that takes most,
  double least_bytes;       // and the one that takes least
  double processor_seconds; // of the busiest rank, since its start; waiting may count
} lbPetscFigures;

// Without `solve`: modes alone, and of the solution nothing.
lbStatus lb_petsc_measure(const lbFem *fem, int32_t mode_count, bool solve, lbPetscFigures *out,
                          lbError *err);
lbStatus lb_petsc_measure_body(const lbPetscBody *body, int32_t mode_count, bool solve,
                               lbPetscFigures *out, lbError *err);

// The end of all ranks: rank 0 lets the others go first.
void lb_petsc_stop(void);

#ifdef __cplusplus
}
#endif
#endif
