// The structure of L for an order of elimination of a graph: elimination tree, counts, supernodes.
#ifndef LB_LINALG_OWN_SUPERNODES_H
#define LB_LINALG_OWN_SUPERNODES_H

#include "linalg/own/graph.h"

// order (count) becomes a postorder of the elimination tree; parent (count; -1: a root) and the
// rows of each column of L with its diagonal, in that order (etree.c).
bool lb_graph_eliminate(const lbGraph *graph, int32_t *order, int32_t *parent, int32_t *rows);

typedef struct lbSupernodes {
  int32_t count;
  int32_t *column_begin; // (count + 1)
  int64_t *rows_begin;   // (count + 1)
  int32_t *rows;         // of each, ascending, its own columns first
} lbSupernodes;

// Supernodes, small ones joined where few zeros come into L; `node` unknowns are behind a vertex.
// Takes what lb_graph_eliminate gives; the order changes once more (supernodes.c).
bool lb_supernodes_find(const lbGraph *graph, int32_t node, const int32_t *parent,
                        const int32_t *column_rows, int32_t *order, lbSupernodes *supernodes);
void lb_supernodes_release(lbSupernodes *supernodes);

#endif
