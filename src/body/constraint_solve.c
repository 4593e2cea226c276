// The system of all constraints of a body in one step, after Hauser, Shen & O'Brien 2003 (12)-(15),
// with (15) put right: an impulse j at the step's start moves a mode by zv j until its end.
//
// With W_r the modal row of a constrained degree of freedom and W_c that of a force, entries are
// A_rc = sum over modes of W_ri D_i W_ci, and D depends on what row and column are:
//
//                     impulse j   force f held over the step
//   acceleration      -c          1       = a* - W (g - c v - lambda z)
//   velocity           1          0       = v* - W v
//   position           zv         zg      = d* - W (zz z + zv v + zg g)
//
// Rows of accelerations are multiplied by h and those of positions divided by it, columns of forces
// stand for h f: then all rows are velocities, all columns impulses, and a rank can be told.
//
// zv is negative for modes above half the step rate, and an impulse that holds a point would pump
// energy into them. Impulses of position constraints therefore act on slow modes alone; the targets
// see all modes and are still met. The pseudo-inverse is kept until the set, h or the rotation
// changes.
#include "body/constraints.h"

#include "math/pseudo_inverse.h"

#include <string.h>

#define RANK_TOLERANCE 1e-9

typedef enum ColumnKind { SLOW_IMPULSE, IMPULSE, HELD_FORCE, COLUMN_KIND_COUNT } ColumnKind;

static ColumnKind column_kind(const lbConstraints *c, int32_t force_point) {
  const lbConstraintSlot *slot = &c->slots[c->force_slots[force_point]];
  if (slot->kind == LB_CONSTRAIN_VELOCITY) return IMPULSE;
  if (slot->kind == LB_CONSTRAIN_ACCELERATION || slot->held) return HELD_FORCE;
  return SLOW_IMPULSE;
}

static lbConstraintKind row_kind(const lbConstraints *c, int32_t point) {
  return c->slots[c->point_slots[point]].kind;
}

static int32_t count_rows(const lbConstraints *c) {
  int32_t count = 0;
  for (int32_t p = 0; p < c->point_count; p++)
    for (int axis = 0; axis < 3; axis++) count += c->axes[p] >> axis & 1;
  return count;
}

// ---- the matrix --------------------------------------------------------------------------------

// D_i, scaled
static double response(const lbOscillators *o, int32_t i, lbConstraintKind row, ColumnKind column) {
  double h = o->h;
  if (column == SLOW_IMPULSE && !o->slow[i]) return 0;
  if (row == LB_CONSTRAIN_ACCELERATION) return column == HELD_FORCE ? 1 : -o->decay[i] * h;
  if (row == LB_CONSTRAIN_VELOCITY) return column == HELD_FORCE ? 0 : 1;
  return column == HELD_FORCE ? o->zg[i] / (h * h) : o->zv[i] / h;
}

// line[kind] <- W_r D for each kind of column, W_r the point's row along a world axis.
static void weigh_row(const lbBody *body, int32_t point, int axis) {
  lbConstraints *c = body->constraints;
  const lbBodyCommon *common = body->common;
  size_t padded = (size_t)common->padded;
  const double *own = c->rows + 3 * padded * (size_t)point, *turn = body->turn.m + 3 * axis;
  lbConstraintKind row = row_kind(c, point);
  for (int32_t i = 0; i < common->dimension; i++) {
    size_t at = (size_t)i;
    double w = turn[0] * own[at] + turn[1] * own[padded + at] + turn[2] * own[2 * padded + at];
    for (int kind = 0; kind < COLUMN_KIND_COUNT; kind++)
      c->line[(size_t)kind * padded + at] =
          w * response(&common->oscillators, i, row, (ColumnKind)kind);
  }
}

static double dot(int32_t count, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static void fill_row(const lbBody *body, int32_t row) {
  lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->common->padded;
  for (int32_t f = 0; f < c->force_count; f++) {
    const double *line = c->line + (size_t)column_kind(c, f) * padded;
    for (int32_t i = 0; i < 3; i++) {
      size_t column = 3 * (size_t)f + (size_t)i;
      c->system[(size_t)row + (size_t)c->row_count * column] =
          dot(body->common->dimension, line, c->force_rows + column * padded);
    }
  }
}

static void refresh(const lbBody *body) {
  lbConstraints *c = body->constraints;
  int32_t row = 0;
  c->row_count = count_rows(c);
  for (int32_t p = 0; p < c->point_count; p++)
    for (int axis = 0; axis < 3; axis++) {
      if (!(c->axes[p] >> axis & 1)) continue;
      weigh_row(body, p, axis);
      fill_row(body, row++);
    }
  c->rank = 0;
  c->solvable = lb_pseudo_inverse(c->row_count, 3 * c->force_count, c->system, RANK_TOLERANCE,
                                  c->inverse, c->scratch, &c->rank);
  if (!c->solvable) c->rank = 0;
  c->h = body->common->oscillators.h;
  c->fresh = true;
}

// ---- the right-hand side -----------------------------------------------------------------------

static void gather_state(const lbBody *body) {
  lbConstraints *c = body->constraints;
  const lbInstances *instances = body->instances;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    size_t at = lb_body_at(body, i);
    c->z[i] = instances->q[at], c->v[i] = instances->v[at], c->force[i] = instances->force[at];
  }
}

// What each kind of row sees without constraints, per mode: line[kind].
static void predict(const lbBody *body) {
  lbConstraints *c = body->constraints;
  const lbOscillators *o = &body->common->oscillators;
  const double *lambda = body->common->model->modal_eigenvalues;
  size_t padded = (size_t)body->common->padded;
  double *position = c->line + LB_CONSTRAIN_POSITION * padded;
  double *velocity = c->line + LB_CONSTRAIN_VELOCITY * padded;
  double *acceleration = c->line + LB_CONSTRAIN_ACCELERATION * padded;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    double z = c->z[i], v = c->v[i], g = c->force[i];
    position[i] = o->zz[i] * z + o->zv[i] * v + o->zg[i] * g;
    velocity[i] = v;
    acceleration[i] = g - o->decay[i] * v - lambda[i] * z;
  }
}

// What is missing at one point, in world axes, as a velocity.
static lbVec3 missing(const lbBody *body, int32_t point) {
  const lbConstraints *c = body->constraints;
  int32_t dimension = body->common->dimension;
  size_t padded = (size_t)body->common->padded;
  lbConstraintKind kind = row_kind(c, point);
  const double *rows = c->rows + 3 * padded * (size_t)point;
  const double *line = c->line + (size_t)kind * padded;
  lbVec3 own = lb_vec3(dot(dimension, rows, line), dot(dimension, rows + padded, line),
                       dot(dimension, rows + 2 * padded, line));
  lbVec3 target = lb_vec3_load(c->targets + 3 * (size_t)point);
  lbVec3 rest = lb_body_place(body, lb_vec3_load(c->rests + 3 * (size_t)point));
  if (kind == LB_CONSTRAIN_POSITION) target = lb_sub(target, rest);
  double scale = kind == LB_CONSTRAIN_POSITION   ? 1 / c->h
                 : kind == LB_CONSTRAIN_VELOCITY ? 1
                                                 : c->h;
  return lb_scale(scale, lb_sub(target, lb_mat3_apply(body->turn, own)));
}

static void fill_right(const lbBody *body) {
  lbConstraints *c = body->constraints;
  int32_t row = 0;
  for (int32_t p = 0; p < c->point_count; p++) {
    double values[3];
    lb_vec3_store(values, missing(body, p));
    for (int axis = 0; axis < 3; axis++)
      if (c->axes[p] >> axis & 1) c->right[row++] = values[axis];
  }
}

// ---- the solution ------------------------------------------------------------------------------

// x = A^+ b
static void solve(lbConstraints *c) {
  size_t rows = (size_t)c->row_count, columns = 3 * (size_t)c->force_count;
  memset(c->solution, 0, columns * sizeof(double));
  for (size_t j = 0; j < rows; j++)
    for (size_t i = 0; i < columns; i++)
      c->solution[i] += c->right[j] * c->inverse[i + columns * j];
}

// v and force <- what they become; false when that is absurd.
static bool add_solution(const lbBody *body) {
  lbConstraints *c = body->constraints;
  const lbBodyCommon *common = body->common;
  size_t padded = (size_t)common->padded;
  for (int32_t f = 0; f < c->force_count; f++) {
    ColumnKind kind = column_kind(c, f);
    double *to = kind == HELD_FORCE ? c->force : c->v;
    for (int32_t k = 0; k < 3; k++) {
      size_t column = 3 * (size_t)f + (size_t)k;
      const double *row = c->force_rows + column * padded;
      double amount = kind == HELD_FORCE ? c->solution[column] / c->h : c->solution[column];
      for (int32_t i = 0; i < common->dimension; i++)
        if (kind != SLOW_IMPULSE || common->oscillators.slow[i]) to[i] += amount * row[i];
    }
  }
  for (int32_t i = 0; i < common->dimension; i++)
    if (!lb_is_bounded(c->v[i]) || !lb_is_bounded(c->force[i])) return false;
  return true;
}

static void scatter_state(const lbBody *body) {
  const lbConstraints *c = body->constraints;
  lbInstances *instances = body->instances;
  bool forced = false;
  for (int32_t f = 0; f < c->force_count; f++) forced |= column_kind(c, f) == HELD_FORCE;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    instances->v[lb_body_at(body, i)] = c->v[i];
    if (forced) instances->force[lb_body_at(body, i)] = c->force[i];
  }
  if (forced) instances->forced = instances->touched = true;
}

int32_t lb_constraints_apply(lbBody *body) {
  lbConstraints *c = body->constraints;
  if (c->count == 0) return 0;
  if (!c->fresh || c->h != body->common->oscillators.h) refresh(body);
  if (!c->solvable) return LB_STEP_NONFINITE;
  gather_state(body);
  predict(body);
  fill_right(body);
  solve(c);
  if (!add_solution(body)) return LB_STEP_NONFINITE;
  scatter_state(body);
  return 0;
}
