// Inside the warp layer: an order of nodes and elements in which neighbours lie near each other.
#ifndef LB_WARP_ORDER_H
#define LB_WARP_ORDER_H

#include "warp/warp.h"

typedef struct lbWarpSorted {
  lbWarpDef def;  // in that order
  int32_t *ranks; // (nodes) what each node of the def is there
  void *arrays[5];
} lbWarpSorted;

// What a failure leaves is for lb_warp_sorted_release.
lbStatus lb_warp_sort(const lbWarpDef *def, lbWarpSorted *sorted, lbError *err);
void lb_warp_sorted_release(lbWarpSorted *sorted);

#endif
