// Energy, forces and tangent matrix of an lbFem at a displacement: the work space and the sum over
// elements. One assembler serves one thread; inside, the work is spread by lb_parallel_for.
#ifndef LB_FEM_ASSEMBLER_H
#define LB_FEM_ASSEMBLER_H

#include "fem/fem.h"

typedef struct lbAssembler {
  const lbFem *fem;
  double *energies;       // (slot_count), of each element; written by lb_assemble
  double *element_forces; // (force_count x 3)
  double *partials;       // (partial_count x 9), for lb_fem_sum_blocks
} lbAssembler;

lbStatus lb_assembler_create(const lbFem *fem, lbAssembler **out, lbError *err);
void lb_assembler_destroy(lbAssembler *assembler);

// Returns the elastic energy at a full displacement; +inf where an element has left its law.
// `forces` (full) gets ∂W/∂u and `tangent` (the pattern of the fem) ∂²W/∂u²; each may be NULL.
double lb_assemble(lbAssembler *assembler, const double *displacement, double *forces,
                   lbSparse *tangent);

// Runs the kernels of one chunk; `blocks` (as lbChunkFiller) may be NULL.
void lb_assemble_chunk(lbAssembler *assembler, int32_t chunk, const double *displacement,
                       bool forces, double *blocks);

// The first element (in mesh order) whose energy is not finite after lb_assemble; -1: none.
int32_t lb_assembler_invalid_element(const lbAssembler *assembler);

// Gathers the displacements of one batch: (nodes x 3 x LB_BATCH).
void lb_gather_displacements(const lbElementSet *set, int32_t batch, const double *displacement,
                             double *gathered);

#endif
