// A body's motion in few numbers. With x_f the vertices at frame f in the body's own frame,
//   x_f ~ c_f + base + sum_i w_i(f) target_i,   0 <= w_i(f) <= 1,
// and in the world R_f x_f + p_f. The motion comes as positions at each frame, or as shapes with
// coordinates, x_f = rest + sum_i U_i q_i(f).
#ifndef LB_EXPORT_MOTION_H
#define LB_EXPORT_MOTION_H

#include "limber/base.h"

typedef struct lbMotionInput {
  int32_t vertex_count;    // of the motion
  const int32_t *vertices; // (vertex_count), which vertices of the source take part
  int32_t frame_count;
  int32_t source_vertex_count;
  const float *frames; // (frame_count x source_vertex_count x 3), finite; NULL: by shapes
  const double *rest;  // (source_vertex_count x 3), for shapes
  int32_t shape_count;
  const double *shapes;      // (shape_count x source_vertex_count x 3), finite, U_i
  const double *coordinates; // (frame_count x shape_count), finite, q_i(f)
  double tolerance;          // m
  int32_t targets_max;
} lbMotionInput;

typedef struct lbMotion {
  int32_t vertex_count, frame_count, target_count;
  bool moves, turns;   // the translations, the rotations change
  float *translations; // (frame_count x 3), c_f; R_f c_f + p_f once placed
  float *rotations;    // (frame_count x 4), x y z w, R_f; NULL: none
  float *base;         // (vertex_count x 3)
  float *targets;      // (target_count x vertex_count x 3)
  float *weights;      // (frame_count x target_count)
  int32_t *shape_ids;  // (target_count), which shape a target is; NULL: components
  double max_error;    // m, greatest distance of a vertex from x_f, of the float data
} lbMotion;

// By the shapes themselves, or by principal components where there are none or more than
// targets_max that move. LB_ERR_INTERRUPTED when the progress hook asks.
lbStatus lb_motion_make(const lbMotionInput *input, lbMotion *motion, lbError *err);
void lb_motion_release(lbMotion *motion);

// Puts the motion into the world: positions (frame_count x 3) and rotations (frame_count x 4, not
// zero), either may be NULL. Adds what the floats of the placement round off to max_error, as a
// bound.
lbStatus lb_motion_place(lbMotion *motion, const double *positions, const double *rotations,
                         lbError *err);

// The two ways; both leave `motion` empty when they fail.
// The fewest components that meet the tolerance; targets_max of them, or as many as the floats can
// distinguish, when it cannot be met.
lbStatus lb_motion_by_components(const lbMotionInput *input, lbMotion *motion, lbError *err);
// *fits is false, and the motion empty, when more than targets_max shapes move.
lbStatus lb_motion_by_shapes(const lbMotionInput *input, lbMotion *motion, bool *fits,
                             lbError *err);

// x_f of vertices [begin, end) at all frames: X (3 (end - begin) x frame_count), column-major.
// False: no memory.
bool lb_motion_positions(const lbMotionInput *input, int32_t begin, int32_t end, double *X);
// Vertices in a block whose X has about `entries` numbers, at least `least` where there are.
int32_t lb_motion_block(const lbMotionInput *input, int32_t entries, int32_t least);

#endif
