// A body in parts: every rank has some of the elements as an lbFem of its own, on vertices of its
// own, and the rows of some of the free nodes. Where rank 0 also has the outline of the whole
// (fem/engine.h), it knows which rank has what.
//
// Elements that share vertices with those of other ranks give sums that are not finished: whoever
// sums over vertices adds up the ranks' parts (lb_parts_finish, lb_share_gather_add).
#ifndef LB_PETSC_PARTS_H
#define LB_PETSC_PARTS_H

#include "fem/fem.h"
#include "limber/petsc.h"
#include "petsc/ranks.h"

#include <slepceps.h>

typedef struct lbParts {
  lbFem *whole; // rank 0: the outline; not its own; NULL: no rank has the whole
  bool shared;  // rank 0 has an outline, and the shares are open
  lbFem *fem;   // this rank's elements; NULL: it has none
  int32_t vertex_count, element_count; // of the whole
  int32_t node_count;                  // free nodes of the whole
  int32_t own_begin; // numbers of the nodes whose rows this rank has: those from here on,
  int32_t own_count; // so many
  int32_t *numbers;  // (fem->node_count) of the part's nodes among all
  int32_t *elements; // (fem->element_count) of the part's elements in the whole mesh
  int32_t *own;      // (own_count) the rows' nodes, as the whole body counts its free ones
  double *places;    // (own_count x 3) of the rows' nodes
  double total_mass; // of the whole
  lbShare vertices;  // the parts' vertices, of the whole's
  lbShare nodes;     // the rows' nodes, of the whole's
  bool definite;     // it is held: K is positive definite
  double memory;     // bytes a rank may take; 0: what there is

  // written by lb_parts_assemble
  Mat K, M;           // at rest; rows by number
  VecScatter to_part; // from rows to a part's nodes
  Vec rows, part;     // work: rows of this rank; of its part's nodes
  double scale;       // trace K / trace M
  double mass_trace;
  struct lbPartCubature *cubature; // what lb_part_cubature_begin made
  // written by lb_rows_modes
  struct lbFactor *factor; // of K + shift M, or NULL
  double shift;            //
} lbParts;

// Cuts and spreads the elements of the outline (rank 0; NULL elsewhere). Collective.
lbStatus lb_parts_create(lbFem *whole, const lbPetscDef *def, lbParts **out, lbError *err);
// Of slabs, which lose their elements; `shared`: rank 0 has the outline `whole`. Collective.
struct lbSlab;
lbStatus lb_parts_of_slab(struct lbSlab *slab, lbFem *whole, bool shared, lbParts **out,
                          lbError *err);
// read.c: a free body of one material from a mesh file, each rank reading a part of it. Path and
// material: rank 0's, NULL elsewhere. LB_ERR_UNSUPPORTED: rank 0 must read all of it. Collective.
lbStatus lb_parts_read(const char *path, const lbMaterial *material, const lbPetscDef *def,
                       lbParts **out, lbError *err);
void lb_parts_destroy(lbParts *parts);     // collective; NULL is legal
void lb_parts_drop_factor(lbParts *parts); // collective

// K, M and what goes with them, once. Collective.
lbStatus lb_parts_assemble(lbParts *parts, lbError *err);

// The first row of the whole body, as limber counts it, where the diagonal of A is not positive,
// and what is there; -1: none. Collective.
int32_t lb_parts_negative_row(const lbParts *parts, Mat A, double *value);

// The set of one of the slots of all sets, which becomes one of that set's; a vertex of a slot.
static inline const lbElementSet *lb_set_of_slot(const lbFem *fem, int32_t *slot) {
  int32_t s = fem->set_count - 1;
  while (fem->sets[s].slot_begin > *slot) s--;
  *slot -= fem->sets[s].slot_begin;
  return &fem->sets[s];
}

static inline int32_t lb_slot_vertex(const lbElementSet *set, int32_t slot, int32_t a) {
  size_t nodes = (size_t)lb_element_nodes(set->kind);
  return set->vertices[((size_t)(slot / LB_BATCH) * nodes + (size_t)a) * LB_BATCH +
                       (size_t)(slot % LB_BATCH)];
}

// Rows of this rank (own_count x 3) to nodes of its part (fem->node_count x 3), and sums over the
// part's elements to rows, those of all ranks added up. Collective.
void lb_parts_fetch(const lbParts *parts, const double *rows, double *nodes);
void lb_parts_finish(const lbParts *parts, const double *nodes, double *rows);

// Y = A X, rows of this rank (3 own_count x count). Collective.
void lb_parts_multiply(const lbParts *parts, Mat A, int32_t count, const double *X, double *Y);

#endif
