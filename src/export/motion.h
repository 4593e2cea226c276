// A body's motion in few numbers. With x_f the vertices at frame f and c_f their centroid,
//   x_f ~ c_f + base + sum_i w_i(f) target_i,   0 <= w_i(f) <= 1,
// the targets being principal components of x_f - c_f about its mean over the frames.
#ifndef LB_EXPORT_MOTION_H
#define LB_EXPORT_MOTION_H

#include "limber/base.h"

typedef struct lbMotionInput {
  int32_t vertex_count;    // of the motion
  const int32_t *vertices; // (vertex_count), which vertices of `frames` take part
  int32_t frame_count;
  int32_t frame_vertex_count;
  const float *frames; // (frame_count x frame_vertex_count x 3), finite
  double tolerance;    // m
  int32_t targets_max;
} lbMotionInput;

typedef struct lbMotion {
  int32_t vertex_count, frame_count, target_count;
  bool moves;          // the centroid does
  float *translations; // (frame_count x 3), c_f
  float *base;         // (vertex_count x 3)
  float *targets;      // (target_count x vertex_count x 3)
  float *weights;      // (frame_count x target_count)
  double max_error;    // m, greatest distance of a vertex from x_f, of the float data
} lbMotion;

// The fewest components that meet the tolerance; targets_max of them, or as many as the floats can
// tell apart, when it cannot be met. LB_ERR_INTERRUPTED when the progress hook asks.
lbStatus lb_motion_analyse(const lbMotionInput *input, lbMotion *motion, lbError *err);
void lb_motion_release(lbMotion *motion);

#endif
