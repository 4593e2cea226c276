// Inside the warp layer: loops over groups of nodes.
#ifndef LB_WARP_PASSES_H
#define LB_WARP_PASSES_H

#include "warp/kernels.h"
#include "warp/pattern.h"

size_t lb_warp_chunks(const lbWarp *warp); // of LB_WARP_CHUNK groups

typedef struct lbWarpSums {
  double first, second;
} lbWarpSums;

// The operation over all groups, on several threads where that pays; its sums in a fixed order.
lbWarpSums lb_warp_run(lbWarpOperation *operation, const lbWarpPass *pass, lbWarpWork *work);

#endif
