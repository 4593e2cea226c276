// Rigid cores in the solution: groups of nodes whose velocities have six unknowns w together, or
// one about an axis,
//
//   v_i = P_i w,   P_i = [I, −[x_i − c]×]   or   P_i = n × (x_i − p),
//
// c being the centre of their masses. Vectors keep all nodes; what the solver works with is the
// subspace of those that are rigid in each core, so that the constraint is exact: A v = b becomes
// Qᵀ A Q w = Qᵀ b, Q being P at cores and the identity elsewhere. Preconditioners map into it.
#ifndef LB_WARP_CORES_H
#define LB_WARP_CORES_H

#include "warp/warp.h"

// Lists the cores of a def: core_*, core_of.
lbStatus lb_warp_list_cores(lbWarp *warp, const lbWarpDef *def, lbError *err);
// P at a shape, the factors of PᵀP and of Pᵀ A P, A being what lb_warp_ready was told; the
// preconditioner's blocks of their nodes vanish. Hinges are where work->core_hinges has them.
void lb_warp_ready_cores(const lbWarp *warp, lbWarpWork *work, const double *x);
// After that: hinged cores stand still in solutions from v = 0 on.
void lb_warp_lock_hinges(const lbWarp *warp, lbWarpWork *work);
// z += P (Pᵀ A P)⁻¹ Pᵀ r of all cores; returns r times that.
double lb_warp_add_cores(const lbWarp *warp, const lbWarpWork *work, const double *r, double *z);

// Of one core, in lanes: g <- Pᵀ f; w <- (PᵀP)⁻¹ Pᵀ v, by which v is P w if it is rigid; v <- P w.
void lb_warp_core_sum(const lbWarp *warp, const lbWarpWork *work, int32_t core, const double *f,
                      double g[6]);
void lb_warp_core_fit(const lbWarp *warp, const lbWarpWork *work, int32_t core, const double *v,
                      double w[6]);
void lb_warp_core_move(const lbWarp *warp, const lbWarpWork *work, int32_t core, const double w[6],
                       double *v);
// f <- the forces P (PᵀP)⁻¹ g at the nodes of a core.
void lb_warp_core_push(const lbWarp *warp, const lbWarpWork *work, int32_t core, const double g[6],
                       double *f);
// v <- the nearest vector that is rigid in each core.
void lb_warp_make_rigid(const lbWarp *warp, const lbWarpWork *work, double *v);

#endif
