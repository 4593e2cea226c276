// Merging points that are exactly equal, in order of first appearance.
#ifndef LB_MESHIO_MERGE_H
#define LB_MESHIO_MERGE_H

#include "limber/base.h"

typedef struct lbMerger {
  double *points; // (count x 3), every point once
  int32_t count;
  size_t point_capacity;
  int32_t *slots; // (slot_count), hash table of ids plus one; 0 = free
  size_t slot_count;
} lbMerger;

// The id of the point, new or known. -0 counts as 0, otherwise points are the same when their bits
// are. -1: no memory.
int32_t lb_merger_add(lbMerger *merger, double x, double y, double z);
void lb_merger_release(lbMerger *merger);

#endif
