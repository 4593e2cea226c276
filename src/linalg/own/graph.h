// Graphs of sparse matrices, and orders of elimination that keep a factor small.
//
// Nothing here depends on the processor or on the number of threads, and nothing recurses.
// Functions that return bool say false where there is no memory.
#ifndef LB_LINALG_OWN_GRAPH_H
#define LB_LINALG_OWN_GRAPH_H

#include "linalg/sparse.h"

typedef struct lbGraph {
  int32_t count;
  int64_t *begin;       // (count + 1), in to
  int32_t *to;          // neighbours of each vertex, never itself
  int32_t *weight;      // (count), of vertices
  int32_t *edge_weight; // as to
} lbGraph;

bool lb_graph_open(int32_t count, int64_t edge_count, lbGraph *graph); // edges count twice
void lb_graph_release(lbGraph *graph);

// The graph of A, or of its blocks of node x node entries, which have to be full (graph.c).
bool lb_graph_of_sparse(const lbSparse *A, int32_t node, lbGraph *graph);

// A graph of pairs of neighbours, tied by heavy edges, none heavier than most_weight; to_coarse
// (count of fine) gets where each vertex went. random: the state of a generator, NULL for pairs
// that do not depend on chance (coarsen.c).
bool lb_graph_coarsen(const lbGraph *fine, int32_t most_weight, uint64_t *random,
                      int32_t *to_coarse, lbGraph *coarse);

// What part of a cut a vertex belongs to; no edge joins parts 0 and 1.
enum { LB_PART_BETWEEN = 2 };

// part (count): two parts of about the same weight and few vertices between them (separate.c).
bool lb_graph_separate(const lbGraph *graph, uint8_t *part);
// The same where vertices have positions (3 x count), at least two of them (planes.c).
bool lb_graph_separate_by_planes(const lbGraph *graph, const double *positions, uint8_t *part);

// order (count): the first `count` vertices of a graph by approximate minimum degree. The others
// will be eliminated later. The seed mixes vertices of equal degree; 0: in the order of their
// numbers (degree.c).
bool lb_graph_order_by_degree(const lbGraph *graph, int32_t count, uint64_t seed, int32_t *order);

// order (count of graph): nested dissection, with minimum degree where parts are small; by planes
// where there are positions (3 x count), else NULL (dissect.c).
bool lb_graph_dissect(const lbGraph *graph, const double *positions, int32_t *order);

#endif
