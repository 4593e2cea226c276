// The reaction of constraints to forces of others (reaction.h).
#include "body/reaction.h"

#include "body/response_kernels.h"
#include "solve/pivoted_ldlt.h"

#include <string.h>

enum { GROUP = 6 }; // vectors m that are subtracted together

static double *vector_of(const lbConstraints *c, double *vectors, int32_t j) {
  return vectors + (size_t)c->width * (size_t)j;
}

// ---- factors -----------------------------------------------------------------------------------

static double dot_vectors(const lbConstraints *c, const double *a, const double *b) {
  return lb_row_dot(c->width, a, b);
}

// k + b/h of the spring of a row; 0 of one that does not act, infinite of a hard row.
static double firmness_of(const lbConstraints *c, int32_t row) {
  const lbConstraintSlot *slot = lb_row_slot(c, row);
  return lb_is_spring(slot) ? slot->stiffness + slot->damping / c->h : INFINITY;
}

// S of the rows in `lines` and what they move in `moves`; `unit` is 1 for places, h² for speeds.
static void fill_system(lbConstraints *c, double unit) {
  struct lbReaction *r = &c->reaction;
  int32_t n = c->row_count;
  for (int32_t i = 0; i < n; i++) {
    double firmness = firmness_of(c, i);
    for (int32_t k = 0; k <= i; k++) {
      double by = dot_vectors(c, vector_of(c, r->lines, i), vector_of(c, r->moves, k));
      c->system[(size_t)i * (size_t)n + (size_t)k] = by;
      c->system[(size_t)k * (size_t)n + (size_t)i] = by;
    }
    r->used[i] = firmness > 0;
    if (firmness > 0) c->system[(size_t)i * (size_t)(n + 1)] += 1 / (unit * firmness);
  }
}

// vectors <- those of the pivots, less what belongs to earlier pivots, scaled: V P L_S⁻ᵀ D^-½.
static void reduce_vectors(const lbConstraints *c, const lbRowFactor *f, double *vectors) {
  size_t width = (size_t)c->width, n = (size_t)f->count;
  double *sorted = c->reaction.sorted;
  for (int32_t k = 0; k < f->rank; k++) {
    double *own = vector_of(c, sorted, k);
    memcpy(own, vector_of(c, vectors, f->order[k]), width * sizeof *own);
    for (int32_t j = 0; j < k; j++) {
      double share = f->L[(size_t)k * n + (size_t)j];
      const double *other = vector_of(c, sorted, j);
      for (size_t i = 0; i < width; i++) own[i] -= share * other[i];
    }
  }
  for (int32_t k = 0; k < f->rank; k++) {
    double *own = vector_of(c, vectors, k), scale = sqrt(f->D[k]);
    for (size_t i = 0; i < width; i++) own[i] = scale * vector_of(c, sorted, k)[i];
  }
}

static lbRowFactor factor_of(const lbConstraints *c) {
  return lb_row_factor_place(c->row_count, c->reaction.memory, c->reaction.order);
}

static void factor_reaction(lbConstraints *c, double unit) {
  lbRowFactor f = factor_of(c);
  fill_system(c, unit);
  lb_row_factor_make(&f, c->system, c->reaction.used);
  reduce_vectors(c, &f, c->reaction.lines);
  reduce_vectors(c, &f, c->reaction.moves);
  c->reaction.rank = f.rank;
}

// ---- over a step -------------------------------------------------------------------------------

static void clear_frame(const lbBody *body, double *vector) {
  const lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->prepared->padded;
  memset(vector + padded, 0, ((size_t)c->width - padded) * sizeof *vector);
}

static void move_frame(const lbBody *body, double linear, double angular, lbMat3 mobility,
                       const double *line, double *moved) {
  size_t at = (size_t)body->prepared->padded;
  if (body->constraints->width == (int32_t)at) return;
  clear_frame(body, moved);
  lb_vec3_store(moved + at, lb_scale(linear, lb_vec3_load(line + at)));
  lbVec3 turned = lb_mat3_apply(mobility, lb_vec3_load(line + at + 3));
  lb_vec3_store(moved + at + 3, lb_scale(angular, turned));
}

void lb_reaction_find(lbBody *body, const lbStep *step, lbMat3 mobility) {
  lbConstraints *c = body->constraints;
  struct lbReaction *r = &c->reaction;
  double factor = 0.5 * step->h * step->h;
  r->rank = 0;
  if (!c->collocated) return;
  for (int32_t i = 0; i < c->row_count; i++) {
    double *line = vector_of(c, r->lines, i), *move = vector_of(c, r->moves, i);
    memcpy(line, vector_of(c, c->F, i), (size_t)c->width * sizeof *line);
    memcpy(move, vector_of(c, c->step.X, i), (size_t)c->width * sizeof *move);
    move_frame(body, factor / body->prepared->mass, factor, mobility, line, move);
  }
  factor_reaction(c, 1);
}

// ---- impulses ----------------------------------------------------------------------------------

// The row of a constrained point along a world axis, where the point is now.
static void take_row(const lbBody *body, const lbScratch *s, int32_t row, double *line) {
  const lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->prepared->padded, point = (size_t)c->row_points[row];
  for (size_t i = 0; i < (size_t)c->width; i++) line[i] = c->W[i * (size_t)c->stride + (size_t)row];
  if (c->width == (int32_t)padded) return;
  double own[3];
  for (size_t k = 0; k < 3; k++)
    own[k] = lb_row_dot(body->prepared->dimension, c->rows + (3 * point + k) * padded, s->q0);
  lbVec3 place = lb_add(lb_vec3_load(c->rests + 3 * point), lb_vec3_load(own));
  lbVec3 arm = lb_sub(lb_body_place(body, place), lb_frame_centre(body));
  lb_vec3_store(line + padded + 3, lb_cross(arm, lb_vec3_load(line + padded)));
}

// move <- M⁻¹ line, with what shape and spin of a free body do to each other
// (lb_frame_apply_impulse).
static void move_coupled(const lbBody *body, lbMat3 mobility, const lbScratch *s,
                         const double *line, double *move) {
  const lbPrepared *p = body->prepared;
  size_t padded = (size_t)p->padded;
  lbMat3 turn = body->frame.turn;
  double M = p->inertia.scale;
  lbVec3 own = lb_mat3_apply_transpose(turn, lb_vec3_load(line + padded + 3));
  for (int32_t i = 0; i < p->dimension; i++)
    own = lb_add_scaled(own, -line[i] / M, lb_inertia_axis(s->moments, p->padded, i));
  lbVec3 spin = lb_mat3_apply(mobility, lb_mat3_apply(turn, own));
  own = lb_mat3_apply_transpose(turn, spin);
  memcpy(move, line, padded * sizeof *move);
  for (int32_t i = 0; i < p->dimension; i++)
    move[i] = (line[i] - lb_dot(lb_inertia_axis(s->moments, p->padded, i), own)) / M;
  clear_frame(body, move);
  lb_vec3_store(move + padded, lb_scale(1 / p->mass, lb_vec3_load(line + padded)));
  lb_vec3_store(move + padded + 3, spin);
}

void lb_reaction_find_speeds(const lbBody *body, lbMat3 mobility, bool coupled, lbScratch *s) {
  lbConstraints *c = body->constraints;
  struct lbReaction *r = &c->reaction;
  const lbFrameState *f = &body->frame;
  const lbFrameStep now = { .position = f->position, .rotation = f->rotation, .turn = f->turn };
  lb_constraints_list(body, &now, s->q0, s->q0);
  r->rank = 0;
  if (!c->collocated || !(c->h > 0)) return; // h: it has taken a step with constraints
  for (int32_t i = 0; i < c->row_count; i++) {
    double *line = vector_of(c, r->lines, i), *move = vector_of(c, r->moves, i);
    take_row(body, s, i, line);
    if (coupled && f->kind == LB_FRAME_FREE && !f->decoupled) {
      move_coupled(body, mobility, s, line, move);
      continue;
    }
    memcpy(move, line, (size_t)body->prepared->padded * sizeof *move);
    lb_body_mobilise(body, s, move);
    move_frame(body, 1 / body->prepared->mass, 1, mobility, line, move);
  }
  factor_reaction(c, c->h * c->h);
}

// ---- what others see ---------------------------------------------------------------------------

double lb_reaction_along(const lbBody *body, int32_t j, const double *reduced, lbVec3 force,
                         lbVec3 torque) {
  const lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->prepared->padded;
  const double *move = vector_of(c, c->reaction.moves, j);
  double sum = reduced ? lb_row_dot((int32_t)padded, reduced, move) : 0;
  if (c->width == (int32_t)padded) return sum;
  return sum + lb_dot(force, lb_vec3_load(move + padded)) +
         lb_dot(torque, lb_vec3_load(move + padded + 3));
}

void lb_reaction_move(const lbBody *body, int32_t j, lbMat3 turn, lbVec3 centre, int32_t count,
                      const lbContactPoint *contact_points, double *along) {
  const lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->prepared->padded;
  const double *move = vector_of(c, c->reaction.moves, j);
  for (int32_t i = 0; i < count; i++) {
    lbVec3 by = lb_touch_motion(body, turn, &contact_points[i], move);
    if (c->width > (int32_t)padded) {
      lbVec3 arm = lb_sub(contact_points[i].point, centre),
             turned = lb_vec3_load(move + padded + 3);
      if (contact_points[i].kind == LB_POINT_TORQUE)
        by = turned;
      else
        by = lb_add(lb_add(by, lb_vec3_load(move + padded)), lb_cross(turned, arm));
    }
    for (int k = 0; k < 3; k++) along[3 * i + k] = lb_dot(contact_points[i].axes[k], by);
  }
}

void lb_reaction_subtract(const lbBody *body, lbMat3 turn, lbVec3 centre, int32_t count,
                          const lbContactPoint *contact_points, double *matrix) {
  double rows[GROUP * 3 * LB_BODY_POINTS], opposite[GROUP * 3 * LB_BODY_POINTS];
  size_t stride = lb_touch_stride(3 * count);
  int32_t rank = lb_reaction_rank(body);
  for (int32_t first = 0; first < rank && count > 0; first += GROUP) {
    int32_t n = rank - first < GROUP ? rank - first : GROUP;
    memset(rows, 0, (size_t)n * stride * sizeof *rows);
    for (int32_t j = 0; j < n; j++)
      lb_reaction_move(body, first + j, turn, centre, count, contact_points,
                       rows + (size_t)j * stride);
    for (size_t i = 0; i < (size_t)n * stride; i++) opposite[i] = -rows[i];
    lb_touch_kernels(body->prepared->level)->add_product(n, 3 * count, rows, opposite, matrix);
  }
}

void lb_reaction_subtract_rows(const lbBody *body, lbMat3 turn, lbVec3 centre, int32_t count,
                               const lbContactPoint *contact_points, double *moved) {
  const lbConstraints *c = body->constraints;
  const size_t width = lb_touch_width(body), shape = (size_t)body->prepared->dimension;
  const size_t padded = (size_t)body->prepared->padded;
  double along[3 * LB_BODY_POINTS];
  for (int32_t j = 0; j < lb_reaction_rank(body); j++) {
    const double *move = vector_of(c, c->reaction.moves, j);
    lb_reaction_move(body, j, turn, centre, count, contact_points, along);
    for (size_t k = 0; k < 3 * (size_t)count; k++) {
      double *to = moved + k * width;
      for (size_t i = 0; i < shape; i++) to[i] -= along[k] * move[i];
      for (size_t i = 0; i < 6 && c->width > (int32_t)padded; i++)
        to[shape + i] -= along[k] * move[padded + i];
    }
  }
}

// The forces of the constraints <- with the impulses of the reaction whose shares of the lines are
// in `right`, as forces over the step.
static void report_impulses(lbConstraints *c) {
  lbRowFactor f = factor_of(c);
  double *x = c->right;
  for (int32_t k = 0; k < c->reaction.rank; k++) x[k] *= sqrt(f.D[k]);
  for (int32_t i = c->reaction.rank - 1; i >= 0; i--) {
    int32_t column = f.order[i];
    for (int32_t j = 0; j < i; j++) x[j] -= f.L[(size_t)i * (size_t)f.count + (size_t)j] * x[i];
    size_t at = 3 * (size_t)c->column_points[column] + (size_t)c->column_axes[column];
    c->forces[at] -= x[i] / c->h;
  }
}

void lb_reaction_apply_impulse(const lbBody *body, lbVec3 *impulse, lbVec3 *moment,
                               double *reduced) {
  lbConstraints *c = body->constraints;
  struct lbReaction *r = c ? &c->reaction : NULL;
  size_t padded = (size_t)body->prepared->padded;
  int32_t rank = lb_reaction_rank(body);
  if (rank == 0) return;
  for (int32_t j = 0; j < rank; j++)
    c->right[j] = lb_reaction_along(body, j, reduced, *impulse, *moment);
  for (int32_t j = 0; j < rank; j++) {
    const double *line = vector_of(c, r->lines, j);
    for (size_t i = 0; i < padded; i++) reduced[i] -= c->right[j] * line[i];
    if (c->width == (int32_t)padded) continue;
    *impulse = lb_add_scaled(*impulse, -c->right[j], lb_vec3_load(line + padded));
    *moment = lb_add_scaled(*moment, -c->right[j], lb_vec3_load(line + padded + 3));
  }
  report_impulses(c);
}
