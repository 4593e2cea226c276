// Inside the warp layer: which nodes are neighbours, and where the blocks of elements go.
#ifndef LB_WARP_PATTERN_H
#define LB_WARP_PATTERN_H

#include "warp/warp.h"

// Neighbours and the plan of assembly, of elements that are there.
lbStatus lb_warp_make_pattern(lbWarp *warp, const lbWarpDef *def, lbError *err);
// values (pairs x 9) <- the sums of blocks.
void lb_warp_assemble(const lbWarp *warp, const double *blocks, double *values);
// force (length) <- the sums of the shares of elements.
void lb_warp_gather(const lbWarp *warp, const double *shares, double *force);

#endif
