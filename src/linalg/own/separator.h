// Vertices that separate a graph, and how to make them fewer: moves from between the parts into one
// of them, which pull the neighbours in the other part between (Fiduccia and Mattheyses's passes,
// for vertices).
#ifndef LB_LINALG_OWN_SEPARATOR_H
#define LB_LINALG_OWN_SEPARATOR_H

#include "linalg/own/graph.h"

typedef struct lbSeparatorKey {
  int64_t rank; // the gain, then how late it was found: of equals the newest comes first
  int32_t vertex;
} lbSeparatorKey;

// Vertices between the parts, the one whose move gains most at the front.
typedef struct lbSeparatorHeap {
  lbSeparatorKey *keys;
  int32_t *place; // (count of graph), -1: not in it
  int32_t count;
  uint32_t stamp;
} lbSeparatorHeap;

typedef struct lbSeparatorMove {
  int32_t vertex, pulled_begin;
  uint8_t part;
} lbSeparatorMove;

typedef struct lbSeparator {
  const lbGraph *graph;
  uint8_t *part;     // (count)
  int64_t weight[3]; // of the parts, and between
  int64_t most;      // weight of a part
  int32_t *sides;    // (2 x count): weight of the neighbours in either part, of vertices between
  lbSeparatorHeap heaps[2]; // of moves to either part
  bool *moved;              // (count), in this pass
  lbSeparatorMove *moves;   // (count)
  int32_t *pulled;          // (2 count)
  int32_t move_count, pulled_count;
} lbSeparator;

bool lb_separator_open(const lbGraph *graph, uint8_t *part, lbSeparator *separator);
void lb_separator_release(lbSeparator *separator);

// Part 0 grows from a vertex until both parts are as heavy.
void lb_separator_grow(lbSeparator *separator, int32_t seed);
// Repeats passes until one brings no gain, at most `most_passes`.
void lb_separator_refine(lbSeparator *separator, int32_t most_passes);
// Better is less; balance first, then few between.
double lb_separator_cost(const lbSeparator *separator);

#endif
