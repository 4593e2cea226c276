// What weights are made from: checked frames and their distances.
#ifndef LB_REDUCE_FRAME_DISTANCES_H
#define LB_REDUCE_FRAME_DISTANCES_H

#include "reduce/weights.h"

typedef struct lbFrameDistances {
  int32_t frame_count;
  int32_t *homes;        // (frames) voxel that holds it
  bool *painted;         // (frames) has a painted region, from which its distances are
  double *from;          // (frames x voxels) m; INFINITY in other parts
  double *between;       // (frames x frames) m
  double default_radius; // m, LB_WEIGHT_RADIUS of the least of those
} lbFrameDistances;

// Straight distances for LB_WEIGHTS_EUCLIDEAN, else inside the object. Refuses what
// lb_weights_create does.
lbStatus lb_frame_distances_create(const lbVoxels *voxels, int32_t frame_count,
                                   const double *positions, const lbWeightDef *def,
                                   lbFrameDistances *out, lbError *err);
void lb_frame_distances_free(lbFrameDistances *made);

#endif
