// Inside the warp layer: the coarse half of the preconditioner.
#ifndef LB_WARP_COARSE_H
#define LB_WARP_COARSE_H

#include "warp/warp.h"

// Divides free nodes into parts: part_count, part_of.
lbStatus lb_warp_make_parts(lbWarp *warp, lbError *err);
// Their matrices at rest, when all else is there.
lbStatus lb_warp_make_coarse(lbWarp *warp, lbError *err);
// Readies C⁻¹ and the turns of parts at a shape; not where C is not positive definite.
void lb_warp_ready_parts(const lbWarp *warp, lbWarpWork *work, const double *x);
// work->coarse_vector <- T C⁻¹ Tᵀ Pᵀ r, the motions of the parts, and six zeros, from the sums Pᵀ r
// in work->part_sums; returns r times P times that. 0 if it is not ready.
double lb_warp_move_parts(const lbWarp *warp, lbWarpWork *work);

#endif
