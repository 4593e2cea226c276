// The processes ("ranks") of one job: what they agree on, and how vectors go from rank 0, which has
// whole ones, to the ranks that have parts of them, and back.
//
// A failure that can be foreseen is an lbStatus on which all ranks agree. Anything else that PETSc,
// MUMPS or MPI report ends all ranks with a message: one that waits for another would wait for
// ever.
#ifndef LB_PETSC_RANKS_H
#define LB_PETSC_RANKS_H

#include "limber/base.h"

#include <petscsys.h>

int lb_ranks_rank(void);
int lb_ranks_count(void);

// Ends all ranks with "limber-mpi: rank R: what" where the code is a failure.
void lb_petsc_check(PetscErrorCode code, const char *what);
#define LB_PETSC(call) lb_petsc_check((call), #call)

// The first failure of any rank, on all of them; err gets its text. Collective.
lbStatus lb_ranks_agree(lbStatus status, lbError *err);

// lb_progress of rank 0. Collective.
lbStatus lb_ranks_progress(const char *stage, double fraction, lbError *err);

void lb_ranks_broadcast(void *bytes, size_t count); // from rank 0
void lb_ranks_sum(double *values, size_t count);    // over the ranks, the same on all of them
// Ends all ranks where there is no memory; for blocks that others wait for.
void *lb_ranks_alloc(size_t count, size_t item_bytes);

// Which of rank 0's items each rank has, in the rank's order. An item is three numbers: a vertex or
// a node.
typedef struct lbShare {
  int32_t count;           // of this rank
  int32_t total;           // rank 0: over all ranks
  int32_t *counts, *begin; // rank 0: (ranks)
  int32_t *items;          // rank 0: (total)
  double *buffer;          // rank 0: (total x 3)
} lbShare;

// Tells rank 0 which items (count) this rank has. Collective.
void lb_share_open(lbShare *share, int32_t count, const int32_t *items);
void lb_share_release(lbShare *share);
// whole (rank 0; NULL elsewhere) to own (count x 3). Collective.
void lb_share_scatter(const lbShare *share, const double *whole, double *own);
// own to whole, which is added to, or overwritten. Collective.
void lb_share_gather(const lbShare *share, const double *own, double *whole);
void lb_share_gather_add(const lbShare *share, const double *own, double *whole);

#endif
