// Places for a number of frames: k-means on distances inside the object, begun with the farthest
// points. Deterministic.
#ifndef LB_REDUCE_PLACEMENT_H
#define LB_REDUCE_PLACEMENT_H

#include "frames/voxels.h"

// The voxel that holds a point, or -1. A point on a face belongs to a filled one of the cells
// there.
int32_t lb_voxels_find(const lbVoxels *voxels, lbVec3 point);

// positions (count x 3) <- centres of voxels. Every part of the object gets at least one frame.
// masses (voxels): how much a voxel counts; NULL: all the same. Refuses count < 1, too few frames
// for the parts (the message names one that would go without) and more than voxels.
lbStatus lb_frames_place(const lbVoxels *voxels, const double *masses, int32_t count,
                         double *positions, lbError *err);
// The same around frames that are there: the first `given` positions stay as they are. They must be
// inside the voxels, no two in one.
lbStatus lb_frames_place_around(const lbVoxels *voxels, const double *masses, int32_t given,
                                int32_t count, double *positions, lbError *err);

// Moves each place to the nearest voxel of those that no place before it has taken, if it is
// outside the voxels or in a taken one: for joints of a rig, which may lie outside the flesh. A
// place that is moved gets a voxel's centre; *farthest (m, may be NULL) the greatest distance.
// Refuses more places than voxels.
lbStatus lb_frames_snap(const lbVoxels *voxels, int32_t count, double *positions, double *farthest,
                        lbError *err);

#endif
