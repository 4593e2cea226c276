// How much memory a body in parts takes, estimated before the work.
#ifndef LB_PETSC_MEMORY_H
#define LB_PETSC_MEMORY_H

#include "petsc/eigen.h"

typedef struct lbMemoryBody {
  const char *name;
  int32_t node_count, tet_count, brick_count; // free nodes
  bool outline;                               // rank 0 has one, and the modes that are found
} lbMemoryBody;

typedef struct lbMemoryNeed { // bytes of one rank, the first, which has most
  double iterative;           // elements, matrices, multigrid, vectors
  double direct;              // elements, matrices, the factor, vectors
} lbMemoryNeed;

// Of a body that is cut evenly for so many ranks, and so many modes. The factor is that of a
// compact body; a slender one's is smaller.
lbMemoryNeed lb_memory_need(const lbMemoryBody *body, int32_t mode_count, int ranks);
// Bytes of the factor of a compact body with so many rows.
double lb_memory_factor(double rows);
// Bytes that each rank may take: the least share of any machine, or what the caller says.
// Collective.
double lb_memory_available(const lbPetscDef *def);

// Refuses a body that no way of solving has memory for. Rank 0's counts, NULL elsewhere;
// collective.
lbStatus lb_memory_check(const lbMemoryBody *body, const lbPetscDef *def, lbError *err);

#endif
