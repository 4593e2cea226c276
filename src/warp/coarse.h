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
// z += P T C⁻¹ Tᵀ Pᵀ r, if it is ready; returns r times that.
double lb_warp_add_parts(const lbWarp *warp, lbWarpWork *work, const double *r, double *z);

#endif
