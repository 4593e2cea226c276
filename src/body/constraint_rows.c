// The rows and columns of a body's constraints: what is constrained and where forces act, as
// vectors over the reduced coordinates and, of a free body, over the motion of its frame.
#include "body/constraints.h"

#include <string.h>

// m, own axes: where a point is by coordinates q, from the centre of mass at rest. A decoupled body
// turns as its rest shape does.
static lbVec3 arm_of(const lbBody *body, const double *own, lbVec3 rest, const double *q) {
  int32_t padded = body->prepared->padded;
  double by[3];
  if (body->frame.decoupled) return lb_sub(rest, body->prepared->centre);
  for (int k = 0; k < 3; k++) by[k] = lb_row_dot(padded, own + (size_t)(k * padded), q);
  return lb_sub(lb_add(rest, lb_vec3_load(by)), body->prepared->centre);
}

// line (width) <- the row of a point along a world axis, of a free body with coordinates q.
static void take_row(const lbBody *body, const lbMat3 *axes, const double *own, lbVec3 rest,
                     int32_t axis, const double *q, double *line) {
  const lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->prepared->padded;
  const double *turn = axes->m + 3 * axis;
  for (size_t i = 0; i < padded; i++)
    line[i] = turn[0] * own[i] + turn[1] * own[padded + i] + turn[2] * own[2 * padded + i];
  if (c->width == (int32_t)padded) return;
  double unit[3] = { 0, 0, 0 };
  unit[axis] = 1;
  lbVec3 arm = lb_mat3_apply(*axes, arm_of(body, own, rest, q));
  memset(line + padded, 0, LB_FRAME_ROOM * sizeof *line);
  memcpy(line + padded, unit, sizeof unit);
  lb_vec3_store(line + padded + 3, lb_cross(arm, lb_vec3_load(unit)));
}

static void list_rows(const lbBody *body, const lbMat3 *turn, const double *q) {
  lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->prepared->padded;
  c->accelerates = false;
  memset(c->W, 0, (size_t)c->width * (size_t)c->stride * sizeof *c->W);
  for (int32_t p = 0; p < c->point_count; p++)
    for (int32_t axis = 0; axis < 3; axis++) {
      if (!(c->axes[p] >> axis & 1)) continue;
      size_t row = (size_t)c->row_count++;
      lbVec3 rest = lb_vec3_load(c->rests + 3 * (size_t)p);
      double arm[3];
      lb_vec3_store(arm, lb_mat3_apply(*turn, rest));
      c->row_points[row] = p, c->row_axes[row] = axis, c->arms[row] = arm[axis];
      c->accelerates |= lb_row_slot(c, (int32_t)row)->kind == LB_CONSTRAIN_ACCELERATION;
      take_row(body, turn, c->rows + 3 * padded * (size_t)p, rest, axis, q, c->line);
      for (size_t i = 0; i < (size_t)c->width; i++) c->W[i * (size_t)c->stride + row] = c->line[i];
    }
}

static void list_columns(const lbBody *body, const lbMat3 *turn, const double *q) {
  lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->prepared->padded, width = (size_t)c->width;
  for (int32_t p = 0; p < c->force_count; p++)
    for (int32_t axis = 0; axis < 3; axis++) {
      if (!(c->force_axes[p] >> axis & 1)) continue;
      size_t column = (size_t)c->column_count++;
      c->column_points[column] = p, c->column_axes[column] = axis;
      take_row(body, turn, c->force_rows + 3 * padded * (size_t)p,
               lb_vec3_load(c->force_rests + 3 * (size_t)p), axis, q, c->F + width * column);
    }
}

static bool same_point(const lbPoint *a, const lbPoint *b) {
  return a->kind == b->kind && a->index == b->index &&
         memcmp(a->weights, b->weights, sizeof a->weights) == 0;
}

// Columns are the rows, one for one.
static bool is_collocated(const lbConstraints *c) {
  if (c->row_count != c->column_count) return false;
  for (int32_t i = 0; i < c->row_count; i++)
    if (c->row_axes[i] != c->column_axes[i] ||
        !same_point(&c->points[c->row_points[i]], &c->force_points[c->column_points[i]]))
      return false;
  return true;
}

// Forces that are held over a step in which the frame of a free body turns act, in the mean, as in
// its middle: then they do the work that their points' motion says.
static lbMat3 middle_turn(const lbBody *body, const lbFrameStep *frame) {
  if (body->frame.kind != LB_FRAME_FREE) return frame->turn;
  return lb_quat_to_mat3(lb_quat_slerp(body->frame.rotation, frame->rotation, 0.5));
}

// Coordinates in the step's middle, in `line`.
static const double *middle_of(lbConstraints *c, int32_t padded, const double *q0,
                               const double *q) {
  for (int32_t i = 0; i < padded; i++) c->line[i] = 0.5 * (q0[i] + q[i]);
  return c->line;
}

void lb_constraints_list(const lbBody *body, const lbFrameStep *frame, const double *q0,
                         const double *q) {
  lbConstraints *c = body->constraints;
  bool free = body->frame.kind == LB_FRAME_FREE;
  if (!free && c->listed && memcmp(&c->turn, &frame->turn, sizeof c->turn) == 0) return;
  lbMat3 middle = middle_turn(body, frame);
  c->row_count = c->column_count = 0;
  list_rows(body, &frame->turn, q);
  list_columns(body, &middle, free ? middle_of(c, body->prepared->padded, q0, q) : q);
  c->collocated = is_collocated(c);
  c->turn = frame->turn;
  c->listed = true;
  c->constant = false;
}
