// A mesh on its way to the ranks: each has a slab of the vertices, in the order of the mesh, and
// some of the elements. Slabs are read from a file, each by its rank (msh.h), or sent by rank 0,
// which then has the outline of the whole body.
#ifndef LB_PETSC_SLAB_H
#define LB_PETSC_SLAB_H

#include "fem/fem.h"
#include "petsc/exchange.h"

typedef struct lbSlabElement {
  int32_t number;   // in the whole mesh
  int32_t corners;  // 4 or 8
  int32_t material; // of the body
  int32_t tag;      // in the file
  int32_t vertices[LB_ELEMENT_NODES_MAX];
} lbSlabElement;

typedef struct lbSlab {
  // alike on all ranks
  int32_t vertex_total, tet_total, brick_total;
  int32_t material_count;
  lbMassKind mass;
  bool held;    // supports hold every part of the body
  bool repeats; // elements that differ in their tags alone are one
  const lbMaterial *materials;
  const char *name; // of the body, for messages
  // this rank's
  int32_t vertex_begin, vertex_count;
  double *positions; // (vertex_count x 3)
  bool *fixed;       // (vertex_count)
  int32_t element_count;
  lbSlabElement *elements;
  lbMaterial *own_materials; // what `materials` points to, where it is the slab's own
} lbSlab;

void lb_slab_release(lbSlab *slab);
// Of the outline of rank 0 (NULL elsewhere), which sends one slab after another. Collective.
void lb_slab_of_whole(const lbFem *whole, lbSlab *slab);

#endif
