// Inside the reduce layer: rigid cores of warped bodies.
#ifndef LB_REDUCE_WARP_CORES_H
#define LB_REDUCE_WARP_CORES_H

#include "limber/reduce.h"

// draft <- the arrays of the cores, which live in the arena. `fixed` (vertices) may be NULL.
lbStatus lb_warp_draft_rigid(const lbMesh *mesh, const bool *fixed, const lbWarpSettings *warp,
                             lbArena *arena, lbModel *draft, lbError *err);

#endif
