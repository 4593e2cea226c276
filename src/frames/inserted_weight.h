// The weight of a frame that is inserted while a body runs.
#ifndef LB_FRAMES_INSERTED_WEIGHT_H
#define LB_FRAMES_INSERTED_WEIGHT_H

#include "frames/voxels.h"

// bump (voxels) is 1 at `point`, which voxel `home` holds, and falls with the geodesic distance d
// to 0 at `cutoff` c: (1 − (d/c)²)², smooth at both ends. With s from 0 to 1 the weights s b of the
// new frame and w_i (1 − s b) of the others keep their sum. *reached (may be NULL) is the number of
// voxels where the bump is positive.
lbStatus lb_weight_bump(const lbVoxels *voxels, lbVec3 point, int32_t home, double cutoff,
                        double *bump, int32_t *reached, lbError *err);

// u (voxels) at a point, continued linearly from the centre of `home` with central differences
// (one-sided at the boundary): lb_weight_row_apply (reduce/weights.h) without the curvature within
// a voxel, at a thirtieth of its cost.
double lb_weight_linear(const lbVoxels *voxels, int32_t home, lbVec3 point, const double *u,
                        double gradient[3]);

#endif
