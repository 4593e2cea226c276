// Places for a number of frames: k-means on distances inside the object, begun with the farthest
// points. Deterministic.
#ifndef LB_REDUCE_PLACEMENT_H
#define LB_REDUCE_PLACEMENT_H

#include "frames/voxels.h"

// positions (count x 3): centres of voxels. Every part of the object gets at least one frame.
// masses (voxels): how much a voxel counts; NULL: all the same. Refuses count < 1, fewer frames
// than parts (the message names a part that would go without) and more than voxels.
lbStatus lb_frames_place(const lbVoxels *voxels, const double *masses, int32_t count,
                         double *positions, lbError *err);

#endif
