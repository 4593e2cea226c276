// The system of all constraints of a modal body in one step, after Hauser, Shen & O'Brien 2003
// (12)-(15), with (15) put right: an impulse j at the step's start moves a mode by zv j until its
// end.
//
// With W_r the modal row of a constrained degree of freedom and W_c that of a force, entries are
// A_rc = sum over modes of W_ri D_i W_ci, and D depends on what row and column are:
//
//                     impulse j     force f held over the step
//   acceleration      -c            1             = a* - W (g - c v - lambda z)
//   velocity           1            0             = v* - W v
//   position           zv           zg            = d* - W (zz z + zv v + zg g)
//   spring             k zv + b vv  k zg + b zv   = k d* - W (k z_end + b v_end), and + f
//
// the last being f = k (d* - x) - b x' at the end of the step; b acts on slow modes alone. Rows of
// accelerations are multiplied by h, those of positions divided by it, those of springs by k h + b;
// columns of forces stand for h f: then all rows are velocities, all columns impulses, and a rank
// can be told. A soft spring's row is then scaled down to what a hard row would be.
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
enum { END_VELOCITY = 3 }; // a line beside those of the kinds of constraints

static ColumnKind column_kind(const lbConstraints *c, int32_t column) {
  const lbConstraintSlot *slot = lb_column_slot(c, column);
  if (slot->kind == LB_CONSTRAIN_VELOCITY) return IMPULSE;
  if (slot->kind == LB_CONSTRAIN_ACCELERATION || slot->held || lb_is_spring(slot))
    return HELD_FORCE;
  return SLOW_IMPULSE;
}

static double spring_total(const lbConstraintSlot *slot, double h) {
  double total = slot->stiffness * h + slot->damping;
  return total > 0 ? total : 1; // a spring without any force
}

static double dot(int32_t count, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

// ---- the matrix --------------------------------------------------------------------------------

static double spring_response(const lbOscillators *o, int32_t i, const lbConstraintSlot *slot,
                              ColumnKind column) {
  double h = o->h, b = o->slow[i] ? slot->damping : 0, total = spring_total(slot, h);
  if (column == HELD_FORCE) return (slot->stiffness * o->zg[i] + b * o->zv[i]) / (total * h);
  return (slot->stiffness * o->zv[i] + b * o->vv[i]) / total;
}

// D_i, scaled
static double response(const lbOscillators *o, int32_t i, const lbConstraintSlot *slot,
                       ColumnKind column) {
  double h = o->h;
  if (column == SLOW_IMPULSE && !o->slow[i]) return 0;
  if (lb_is_spring(slot)) return spring_response(o, i, slot, column);
  if (slot->kind == LB_CONSTRAIN_ACCELERATION) return column == HELD_FORCE ? 1 : -o->decay[i] * h;
  if (slot->kind == LB_CONSTRAIN_VELOCITY) return column == HELD_FORCE ? 0 : 1;
  return column == HELD_FORCE ? o->zg[i] / (h * h) : o->zv[i] / h;
}

// line[kind] <- W_r D for each kind of column.
static void weigh_row(const lbBody *body, int32_t row) {
  lbConstraints *c = body->constraints;
  const lbBodyCommon *common = body->common;
  size_t padded = (size_t)common->padded;
  const double *w = c->W + padded * (size_t)row;
  const lbConstraintSlot *slot = lb_row_slot(c, row);
  for (int32_t i = 0; i < common->dimension; i++)
    for (int kind = 0; kind < COLUMN_KIND_COUNT; kind++)
      c->line[(size_t)kind * padded + (size_t)i] =
          w[i] * response(&common->oscillators, i, slot, (ColumnKind)kind);
}

// A spring's own force on its row, and the row's scale.
static void tie_spring(const lbBody *body, int32_t row) {
  lbConstraints *c = body->constraints;
  const lbConstraintSlot *slot = lb_row_slot(c, row);
  double h = body->common->oscillators.h, compliance = 1 / (spring_total(slot, h) * h);
  size_t rows = (size_t)c->row_count;
  double *own = c->system + (size_t)row + rows * (size_t)(c->hard_columns + row - c->hard_rows);
  double moves = fabs(*own), scale = moves > 0 ? moves / (moves + compliance) : 1 / compliance;
  *own += compliance;
  for (int32_t j = 0; j < c->column_count; j++) c->system[(size_t)row + rows * (size_t)j] *= scale;
  c->row_scale[row] = scale;
}

static void fill_row(const lbBody *body, int32_t row) {
  lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->common->padded;
  weigh_row(body, row);
  for (int32_t j = 0; j < c->column_count; j++) {
    const double *line = c->line + (size_t)column_kind(c, j) * padded;
    c->system[(size_t)row + (size_t)c->row_count * (size_t)j] =
        dot(body->common->dimension, line, c->F + padded * (size_t)j);
  }
  c->row_scale[row] = 1;
  if (row >= c->hard_rows) tie_spring(body, row);
}

static void refresh(lbBody *body) {
  lbConstraints *c = body->constraints;
  lb_constraints_list(body);
  for (int32_t row = 0; row < c->row_count; row++) fill_row(body, row);
  c->rank = 0;
  c->solvable = lb_pseudo_inverse(c->row_count, c->column_count, c->system, RANK_TOLERANCE,
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
  const double *lambda = body->common->eigenvalues;
  size_t padded = (size_t)body->common->padded;
  double *position = c->line + LB_CONSTRAIN_POSITION * padded;
  double *velocity = c->line + LB_CONSTRAIN_VELOCITY * padded;
  double *acceleration = c->line + LB_CONSTRAIN_ACCELERATION * padded;
  double *end_velocity = c->line + END_VELOCITY * padded;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    double z = c->z[i], v = c->v[i], g = c->force[i];
    position[i] = o->zz[i] * z + o->zv[i] * v + o->zg[i] * g;
    velocity[i] = v;
    acceleration[i] = g - o->decay[i] * v - lambda[i] * z;
    end_velocity[i] = o->slow[i] ? o->vz[i] * z + o->vv[i] * v + o->zv[i] * g : 0;
  }
}

// What is missing on one row, as a velocity.
static double missing(const lbBody *body, int32_t row) {
  const lbConstraints *c = body->constraints;
  const lbConstraintSlot *slot = lb_row_slot(c, row);
  int32_t dimension = body->common->dimension;
  size_t padded = (size_t)body->common->padded;
  const double *w = c->W + padded * (size_t)row;
  double lack = lb_row_target(body, row) - dot(dimension, w, c->line + (size_t)slot->kind * padded);
  if (lb_is_spring(slot)) {
    double end_velocity = dot(dimension, w, c->line + END_VELOCITY * padded);
    return (slot->stiffness * lack - slot->damping * end_velocity) / spring_total(slot, c->h);
  }
  return slot->kind == LB_CONSTRAIN_POSITION   ? lack / c->h
         : slot->kind == LB_CONSTRAIN_VELOCITY ? lack
                                               : lack * c->h;
}

// ---- the solution ------------------------------------------------------------------------------

// x = A^+ b
static void solve(const lbBody *body) {
  lbConstraints *c = body->constraints;
  size_t rows = (size_t)c->row_count, columns = (size_t)c->column_count;
  for (size_t j = 0; j < rows; j++) c->right[j] = c->row_scale[j] * missing(body, (int32_t)j);
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
  for (int32_t j = 0; j < c->column_count; j++) {
    ColumnKind kind = column_kind(c, j);
    double *to = kind == HELD_FORCE ? c->force : c->v;
    const double *column = c->F + padded * (size_t)j;
    double amount = kind == HELD_FORCE ? c->solution[j] / c->h : c->solution[j];
    for (int32_t i = 0; i < common->dimension; i++)
      if (kind != SLOW_IMPULSE || common->oscillators.slow[i]) to[i] += amount * column[i];
  }
  for (int32_t i = 0; i < common->dimension; i++)
    if (!lb_is_bounded(c->v[i]) || !lb_is_bounded(c->force[i])) return false;
  return true;
}

static void scatter_state(lbBody *body) {
  lbConstraints *c = body->constraints;
  lbInstances *instances = body->instances;
  bool forced = false;
  for (int32_t j = 0; j < c->column_count; j++) forced |= column_kind(c, j) == HELD_FORCE;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    instances->v[lb_body_at(body, i)] = c->v[i];
    if (forced) instances->force[lb_body_at(body, i)] = c->force[i];
  }
  if (forced) instances->forced = instances->touched = true;
  for (int32_t j = 0; j < c->column_count; j++) c->solution[j] /= c->h;
  lb_constraints_report(body, c->solution);
}

int32_t lb_constraints_apply(lbBody *body) {
  lbConstraints *c = body->constraints;
  if (c->count == 0) return 0;
  if (!c->fresh || c->h != body->common->oscillators.h) refresh(body);
  if (!c->solvable) return LB_STEP_NONFINITE;
  gather_state(body);
  predict(body);
  solve(body);
  if (!add_solution(body)) return LB_STEP_NONFINITE;
  scatter_state(body);
  return 0;
}
