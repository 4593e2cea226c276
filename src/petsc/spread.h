// From slabs to parts: which nodes are free, which rank has them, where elements go.
#ifndef LB_PETSC_SPREAD_H
#define LB_PETSC_SPREAD_H

#include "petsc/slab.h"

// Written stage by stage, on every rank.
typedef struct lbSpread {
  lbSlab *slab;
  int32_t node_count;    // free nodes of the body
  int32_t node_begin;    // the first of this slab's
  int32_t slab_nodes;    // how many this slab has
  int32_t *nodes;        // (slab's vertices) the node of each; -1: fixed, or in no element
  lbLookup corners;      // vertices of the slab's elements
  int32_t *places;       // (elements x 8) of each element's corners among them
  int32_t *corner_nodes; // (corners.count)
  int32_t *owners;       // (slab_nodes) the rank that has a node's rows
  int32_t *numbers;      // (slab_nodes) of a node among all rows
} lbSpread;

// spread.c: nodes, corners, places. Collective, like all of these.
lbStatus lb_spread_open(lbSpread *spread, lbSlab *slab, lbError *err);
void lb_spread_release(lbSpread *spread);
// cut.c: owners, by the graph of the free nodes, even and with short borders.
void lb_spread_cut(lbSpread *spread);
// spread.c: numbers, rank by rank in the order of nodes; this rank gets its own nodes and where
// they are: *own (count), *positions (count x 3).
void lb_spread_number(lbSpread *spread, int32_t *count, int32_t **own, double **positions);
// spread.c: the slab's elements to the ranks that have most of their nodes; *elements (count) by
// number.
void lb_spread_send(lbSpread *spread, int32_t *count, lbSlabElement **elements);

#endif
