// Inside the warp layer: the coarse half of the preconditioner.
#ifndef LB_WARP_COARSE_H
#define LB_WARP_COARSE_H

#include "warp/warp.h"

// Divides free nodes into parts: part_count, part_of.
lbStatus lb_warp_make_parts(lbWarp *warp, lbError *err);
// Readies (Pᵀ A P)⁻¹ at a shape; not where it is not positive definite, or K̂ not symmetric.
void lb_warp_ready_parts(const lbWarp *warp, lbWarpWork *work, const double *x);
// z += P (Pᵀ A P)⁻¹ Pᵀ r, if it is ready; returns r times that.
double lb_warp_add_parts(const lbWarp *warp, lbWarpWork *work, const double *r, double *z);

#endif
