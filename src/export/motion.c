// Choosing how a motion is coded, reading positions from either kind of source, placing the result.
#include "export/motion.h"

#include "limber/math.h"
#include "linalg/dense.h"

#include <string.h>

// ---- the source --------------------------------------------------------------------------------

int32_t lb_motion_block(const lbMotionInput *input, int32_t entries, int32_t least) {
  int32_t size = entries / 3 / input->frame_count;
  if (size < least) size = least;
  return size < input->vertex_count ? size : input->vertex_count;
}

// Rows of vertices [begin, begin + rows / 3) taken from (source_vertex_count x 3) values.
static void gather_vertex_rows(const lbMotionInput *input, int32_t begin, size_t rows,
                               const double *from, double *to) {
  const int32_t *vertices = input->vertices + begin;
  for (size_t i = 0; i < rows; i++) to[i] = from[3 * (size_t)vertices[i / 3] + i % 3];
}

// X = rest 1' + U Q, with Q (shape_count x frame_count) the coordinates
static bool positions_by_shapes(const lbMotionInput *input, int32_t begin, size_t rows, double *X) {
  for (size_t f = 0; f < (size_t)input->frame_count; f++)
    gather_vertex_rows(input, begin, rows, input->rest, X + rows * f);
  if (!input->shape_count) return true;
  double *U = lb_alloc(rows * (size_t)input->shape_count, sizeof *U);
  if (!U) return false;
  for (size_t i = 0; i < (size_t)input->shape_count; i++)
    gather_vertex_rows(input, begin, rows,
                       input->shapes + 3 * (size_t)input->source_vertex_count * i, U + rows * i);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, (int32_t)rows, input->frame_count, input->shape_count, 1, U,
                    input->coordinates, 1, X);
  lb_free(U);
  return true;
}

bool lb_motion_positions(const lbMotionInput *input, int32_t begin, int32_t end, double *X) {
  size_t rows = 3 * (size_t)(end - begin);
  if (!input->frames) return positions_by_shapes(input, begin, rows, X);
  const int32_t *vertices = input->vertices + begin;
  for (size_t f = 0; f < (size_t)input->frame_count; f++) {
    const float *frame = input->frames + 3 * f * (size_t)input->source_vertex_count;
    for (size_t i = 0; i < rows; i++)
      X[rows * f + i] = (double)frame[3 * (size_t)vertices[i / 3] + i % 3];
  }
  return true;
}

// ---- the code ----------------------------------------------------------------------------------

lbStatus lb_motion_make(const lbMotionInput *input, lbMotion *motion, lbError *err) {
  LB_ASSERT(input->vertex_count > 0 && input->frame_count > 0);
  bool fits = false;
  lbStatus status = input->frames ? LB_OK : lb_motion_by_shapes(input, motion, &fits, err);
  return status || fits ? status : lb_motion_by_components(input, motion, err);
}

void lb_motion_release(lbMotion *motion) {
  lb_free(motion->translations);
  lb_free(motion->rotations);
  lb_free(motion->base);
  lb_free(motion->targets);
  lb_free(motion->weights);
  lb_free(motion->shape_ids);
  *motion = (lbMotion){ 0 };
}

// ---- placement ---------------------------------------------------------------------------------

// No vertex of base + sum w_i target_i is farther from the origin.
static double reach(const lbMotion *motion) {
  size_t n = 3 * (size_t)motion->vertex_count;
  double farthest = 0;
  for (size_t v = 0; v < n; v += 3) {
    lbVec3 p = lb_vec3(0, 0, 0);
    for (size_t i = 0; i <= (size_t)motion->target_count; i++) {
      const float *x = i ? motion->targets + (i - 1) * n + v : motion->base + v;
      p = lb_add(p, lb_vec3(fabs((double)x[0]), fabs((double)x[1]), fabs((double)x[2])));
    }
    farthest = fmax(farthest, lb_length(p));
  }
  return farthest;
}

// R_f: of unit length, and on the same side as the one before it, q and -q being one rotation.
static lbQuat rotation_at(const double *rotations, size_t frame, lbQuat before) {
  const double *r = rotations + 4 * frame;
  lbQuat q = lb_quat_normalise(lb_quat(r[0], r[1], r[2], r[3]));
  return lb_quat_dot(q, before) < 0 ? lb_quat_scale(-1, q) : q;
}

static lbQuat write_motion_rotation(float *to, lbQuat q) {
  to[0] = (float)q.x, to[1] = (float)q.y, to[2] = (float)q.z, to[3] = (float)q.w;
  return lb_quat((double)to[0], (double)to[1], (double)to[2], (double)to[3]);
}

static lbVec3 put_translation(float *to, lbVec3 t) {
  to[0] = (float)t.x, to[1] = (float)t.y, to[2] = (float)t.z;
  return lb_vec3((double)to[0], (double)to[1], (double)to[2]);
}

static bool changes(const float *values, size_t frame_count, size_t width) {
  for (size_t i = width; i < frame_count * width; i++)
    if (values[i] != values[i % width]) return true;
  return false;
}

lbStatus lb_motion_place(lbMotion *motion, const double *positions, const double *rotations,
                         lbError *err) {
  if (!positions && !rotations) return LB_OK;
  size_t frame_count = (size_t)motion->frame_count;
  double radius = reach(motion), worst = 0;
  lbQuat q = lb_quat_identity();
  if (rotations) {
    motion->rotations = lb_alloc(4 * frame_count, sizeof(float));
    if (!motion->rotations) return lb_fail_memory(err);
  }
  for (size_t f = 0; f < frame_count; f++) {
    float *t = motion->translations + 3 * f;
    lbVec3 c = lb_vec3((double)t[0], (double)t[1], (double)t[2]);
    double off = 0;
    if (rotations) {
      q = rotation_at(rotations, f, q);
      lbQuat rounded = write_motion_rotation(motion->rotations + 4 * f, q);
      off = radius * lb_mat3_norm(lb_mat3_sub(lb_quat_to_mat3(rounded), lb_quat_to_mat3(q)));
    }
    lbVec3 target = lb_quat_rotate(q, c);
    if (positions) target = lb_add(target, lb_vec3_load(positions + 3 * f));
    off += lb_length(lb_sub(put_translation(t, target), target));
    worst = fmax(worst, off);
  }
  motion->moves = changes(motion->translations, frame_count, 3);
  motion->turns = rotations && changes(motion->rotations, frame_count, 4);
  motion->max_error += worst;
  return LB_OK;
}
