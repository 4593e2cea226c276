// Springs between pairs of frames, which have the stiffness that samples have at rest, and lumped
// masses: forces whose cost does not depend on the samples.
#ifndef LB_FRAMES_SPRINGS_H
#define LB_FRAMES_SPRINGS_H

#include "frames/frames.h"

#define LB_FRAME_LOOPS_MOST 72 // frames: bodies of more are summed over samples

typedef struct lbFrameSpring {
  int32_t first, second; // frames
  lbVec3 joint;          // m, at rest
  double stiffness[36];  // symmetric; turn, move; axes of the rest shape
} lbFrameSpring;

typedef struct lbFrameSprings {
  int32_t frame_count, count;
  lbFrameSpring *springs;
  // Row sums of the mass matrix at rest, in the axes of each frame, about its origin.
  double *masses;      // (frames) kg
  lbVec3 *moments;     // (frames) Σ m r
  lbMat3 *seconds;     // (frames) Σ m r rᵀ
  int32_t pivot;       // springs_loops.c
  double *loops;       // (6 frames x 6 frames) stiffness at rest that springs lack; NULL: none
  double *batches;     // (⌈count / LB_BATCH⌉ x LB_SPRING_REST x LB_BATCH) springs in lanes
  int32_t loop_count;  // 3 x 3 matrices of `loops`: lower triangle, without the pivot, by rows
  double *loop_blocks; // (⌈loop_count / LB_BATCH⌉ x 9 x LB_BATCH) in lanes
} lbFrameSprings;

// K (6 count x 6 count, lower triangle): the stiffness of the samples at rest.
lbStatus lb_frame_springs_create(const lbFrameSamples *samples, int32_t count,
                                 const lbFramePose *rest, const uint8_t *fixed, const double *K,
                                 lbFrameSprings **out, lbError *err);
void lb_frame_springs_destroy(lbFrameSprings *springs); // NULL is legal

// Energy, and gradient and K where the options ask for them.
void lb_frame_springs_sum(const lbFrameSprings *springs, lbSimdLevel level, int32_t options,
                          const lbFramePose *rest, const lbFramePose *poses,
                          const lbFrameMotion *motions, lbFrameSystem *out);
// springs_loops.c: finds what springs lack, and adds it.
lbStatus lb_frame_springs_close(const lbFramePose *rest, const double *K, const uint8_t *fixed,
                                lbFrameSprings *springs, lbError *err);
void lb_frame_springs_add_loops(const lbFrameSprings *springs, lbSimdLevel level, int32_t options,
                                const lbFramePose *rest, const lbFramePose *poses,
                                const lbFrameMotion *motions, lbFrameSystem *out);
// M and, unless they are NULL, loads.
void lb_frame_springs_lump(const lbFrameSprings *springs, const lbFramePose *poses,
                           const double *velocity, lbVec3 gravity, lbFrameSystem *out);
void lb_frame_springs_survey(const lbFrameSprings *springs, const lbFramePose *rest,
                             const lbFramePose *poses, const double *velocity, lbFrameSurvey *out);

#endif
