// Constraints of subspace bodies. A correction of an implicit step solves A d = -G + F p with the
// forces p of hard constraints such that W d is what the rows lack: W A^-1 F p = lack - W A^-1
// (-G), by the pseudo-inverse, so that sets which contradict or repeat each other do no harm.
// Springs are part of G and A. Afterwards velocities and accelerations are brought along the hard
// rows in the mass metric, p' = (W M^-1 F)^+ lack: Newmark's rule by itself would let a held
// point's velocity swing from step to step and its acceleration grow.
#include "body/subspace_step.h"

#include "math/pseudo_inverse.h"

#include <string.h>

#define RANK_TOLERANCE 1e-9
#define REFINEMENTS 2

static const double *row_of(const lbBody *body, const double *rows, int32_t i) {
  return rows + (size_t)body->common->padded * (size_t)i;
}

// W_row x
static double along(const lbBody *body, int32_t row, const double *x) {
  return lb_subspace_dot(body->common->dimension, row_of(body, body->constraints->W, row), x);
}

static void add_column(const lbBody *body, const double *columns, int32_t i, double amount,
                       double *sum) {
  const double *column = row_of(body, columns, i);
  for (int32_t k = 0; k < body->common->dimension; k++) sum[k] += amount * column[k];
}

// ---- rows of a step ----------------------------------------------------------------------------

// system <- W X, X the columns `solved`; (rows x columns), column-major
static void form_system(const lbBody *body, const double *X, int32_t rows, int32_t columns) {
  lbConstraints *c = body->constraints;
  for (int32_t j = 0; j < columns; j++)
    for (int32_t i = 0; i < rows; i++)
      c->system[(size_t)i + (size_t)rows * (size_t)j] = along(body, i, row_of(body, X, j));
}

bool lb_rows_prepare(lbBody *body) {
  lbConstraints *c = body->constraints;
  const lbSubspace *s = &body->common->subspace;
  size_t padded = (size_t)body->common->padded;
  if (c->fresh && c->edition == s->edition) return c->solvable;
  lb_constraints_list(body);
  memcpy(c->moved, c->F, (size_t)c->column_count * padded * sizeof(double));
  for (int32_t i = 0; i < c->column_count; i++)
    lb_subspace_mobilise(s, c->moved + padded * (size_t)i);
  form_system(body, c->moved, c->hard_rows, c->hard_columns);
  c->rank = 0;
  c->solvable =
      c->hard_rows == 0 || lb_pseudo_inverse(c->hard_rows, c->hard_columns, c->system,
                                             RANK_TOLERANCE, c->mass_inverse, c->scratch, &c->rank);
  c->edition = s->edition;
  c->fresh = true;
  c->h = 0; // that of lb_rows_kick is to be made
  return c->solvable;
}

// solution <- inverse right
static void apply_inverse(lbConstraints *c, const double *inverse, int32_t rows, int32_t columns) {
  memset(c->solution, 0, (size_t)columns * sizeof(double));
  for (size_t j = 0; j < (size_t)rows; j++)
    for (size_t i = 0; i < (size_t)columns; i++)
      c->solution[i] += c->right[j] * inverse[i + (size_t)columns * j];
}

// ---- springs -----------------------------------------------------------------------------------

static int32_t spring_column(const lbConstraints *c, int32_t row) {
  return c->hard_columns + row - c->hard_rows;
}

double lb_springs_limit(lbBody *body, double stiffness_factor, double damping_factor, double cap) {
  lbConstraints *c = body->constraints;
  double largest = 0;
  for (int32_t row = c->hard_rows; row < c->row_count; row++) {
    const lbConstraintSlot *slot = lb_row_slot(c, row);
    const double *w = row_of(body, c->W, row);
    double most = 0;
    for (int32_t i = 0; i < body->common->dimension; i++) most = fmax(most, w[i] * w[i]);
    most *= stiffness_factor * slot->stiffness + damping_factor * slot->damping;
    c->spring_scale[row] = most > cap ? cap / most : 1;
    largest = fmax(largest, fmin(most, cap));
  }
  return largest;
}

void lb_springs_pull(lbBody *body, double extra_damping, const double *q, const double *v,
                     double factor, double *sum) {
  lbConstraints *c = body->constraints;
  for (int32_t row = c->hard_rows; row < c->row_count; row++) {
    const lbConstraintSlot *slot = lb_row_slot(c, row);
    double k = slot->stiffness, b = slot->damping + extra_damping * k;
    double pull = c->spring_scale[row] *
                  (k * (lb_row_target(body, row) - along(body, row, q)) - b * along(body, row, v));
    int32_t column = spring_column(c, row);
    c->pulls[column] = pull;
    add_column(body, c->F, column, factor * pull, sum);
  }
}

void lb_springs_add(const lbBody *body, const double *X, double factor, double *sum) {
  const lbConstraints *c = body->constraints;
  for (int32_t j = c->hard_columns; j < c->column_count; j++)
    add_column(body, X, j, factor * c->pulls[j], sum);
}

void lb_springs_stiffen(lbBody *body, double stiffness_factor, double damping_factor, double factor,
                        double *A) {
  const lbConstraints *c = body->constraints;
  size_t n = (size_t)body->common->subspace.stride, r = (size_t)body->common->dimension;
  for (int32_t row = c->hard_rows; row < c->row_count; row++) {
    const lbConstraintSlot *slot = lb_row_slot(c, row);
    const double *w = row_of(body, c->W, row);
    double k = factor * c->spring_scale[row] *
               (stiffness_factor * slot->stiffness + damping_factor * slot->damping);
    for (size_t j = 0; j < r; j++)
      for (size_t i = j; i < r; i++) A[j * n + i] += k * w[i] * w[j];
  }
}

// ---- hard constraints --------------------------------------------------------------------------

// What a correction must do along a row.
static double lack(const lbBody *body, int32_t row, const lbHardRows *rows) {
  double target = lb_row_target(body, row);
  switch (lb_row_slot(body->constraints, row)->kind) {
  case LB_CONSTRAIN_VELOCITY: return (target - along(body, row, rows->v)) / rows->velocity_factor;
  case LB_CONSTRAIN_ACCELERATION:
    return (target - along(body, row, rows->a)) / rows->acceleration_factor;
  default: return target - along(body, row, rows->q);
  }
}

// inverse <- (W A^-1 F)^+, solved <- A^-1 F
static bool invert_hard(lbBody *body, const double *ldlt) {
  lbConstraints *c = body->constraints;
  const lbSubspace *s = &body->common->subspace;
  size_t padded = (size_t)body->common->padded;
  memcpy(c->solved, c->F, (size_t)c->hard_columns * padded * sizeof(double));
  for (int32_t j = 0; j < c->hard_columns; j++)
    s->ldlt->solve(body->common->dimension, ldlt, c->solved + padded * (size_t)j);
  form_system(body, c->solved, c->hard_rows, c->hard_columns);
  c->h = 0; // what lb_rows_kick had made is gone
  return lb_pseudo_inverse(c->hard_rows, c->hard_columns, c->system, RANK_TOLERANCE, c->inverse,
                           c->scratch, &c->rank);
}

static double acceleration_lack(const lbBody *body, int32_t row, const double *a) {
  bool asked = lb_row_slot(body->constraints, row)->kind == LB_CONSTRAIN_ACCELERATION;
  return (asked ? lb_row_target(body, row) : 0) - along(body, row, a);
}

bool lb_hard_accelerate(lbBody *body, const double *ldlt, double *a) {
  lbConstraints *c = body->constraints;
  if (c->hard_rows == 0) return true;
  if (!invert_hard(body, ldlt)) return false;
  for (int32_t i = 0; i < c->hard_rows; i++) c->right[i] = acceleration_lack(body, i, a);
  apply_inverse(c, c->inverse, c->hard_rows, c->hard_columns);
  for (int32_t j = 0; j < c->hard_columns; j++) {
    c->pulls[j] += c->solution[j];
    add_column(body, c->solved, j, c->solution[j], a);
  }
  return true;
}

bool lb_hard_correct(lbBody *body, const double *ldlt, const lbHardRows *rows, double *d) {
  lbConstraints *c = body->constraints;
  int32_t row_count = c->hard_rows, column_count = c->hard_columns;
  if (row_count == 0) return true;
  if (!invert_hard(body, ldlt)) return false;
  memset(c->pulls, 0, (size_t)column_count * sizeof(double));
  for (int pass = 0; pass <= REFINEMENTS; pass++) {
    for (int32_t i = 0; i < row_count; i++) c->right[i] = lack(body, i, rows) - along(body, i, d);
    apply_inverse(c, c->inverse, row_count, column_count);
    for (int32_t j = 0; j < column_count; j++) {
      c->pulls[j] += c->solution[j];
      add_column(body, c->solved, j, c->solution[j], d);
    }
  }
  return true;
}

void lb_hard_pull(const lbBody *body, double *sum) {
  const lbConstraints *c = body->constraints;
  for (int32_t j = 0; j < c->hard_columns; j++) add_column(body, c->F, j, c->pulls[j], sum);
}

// ---- along the hard rows -----------------------------------------------------------------------

// x <- x + M^-1 F p with p = (W M^-1 F)^+ right
static void project(lbBody *body, double *x) {
  lbConstraints *c = body->constraints;
  apply_inverse(c, c->mass_inverse, c->hard_rows, c->hard_columns);
  for (int32_t j = 0; j < c->hard_columns; j++) add_column(body, c->moved, j, c->solution[j], x);
}

void lb_hard_project_velocity(lbBody *body, const double *q0, const double *q, double h,
                              double *v) {
  lbConstraints *c = body->constraints;
  if (c->hard_rows == 0) return;
  for (int32_t row = 0; row < c->hard_rows; row++) {
    lbConstraintKind kind = lb_row_slot(c, row)->kind;
    double now = along(body, row, v), wanted = now;
    if (kind == LB_CONSTRAIN_POSITION) wanted = (along(body, row, q) - along(body, row, q0)) / h;
    if (kind == LB_CONSTRAIN_VELOCITY) wanted = lb_row_target(body, row);
    c->right[row] = wanted - now;
  }
  project(body, v);
}

void lb_hard_project_acceleration(lbBody *body, double *a) {
  lbConstraints *c = body->constraints;
  if (c->hard_rows == 0) return;
  for (int32_t row = 0; row < c->hard_rows; row++) c->right[row] = acceleration_lack(body, row, a);
  project(body, a);
}

// ---- central differences -----------------------------------------------------------------------

static bool is_kicked(const lbConstraintSlot *slot) {
  return slot->kind != LB_CONSTRAIN_ACCELERATION;
}

// k h + b of a spring: its impulse over a step is h (k (d* - W q0) - (k h + b) W v).
static double spring_total(const lbConstraintSlot *slot, double h) {
  double total = slot->stiffness * h + slot->damping;
  return total > 0 ? total : 1;
}

// inverse <- (W M^-1 F, and the springs' own compliance)^+, rows scaled by row_scale
static bool form_kick(lbBody *body, double h) {
  lbConstraints *c = body->constraints;
  size_t rows = (size_t)c->row_count;
  form_system(body, c->moved, c->row_count, c->column_count);
  for (int32_t i = 0; i < c->row_count; i++) {
    double *line = c->system + i;
    c->row_scale[i] = is_kicked(lb_row_slot(c, i)) ? 1 : 0;
    if (i >= c->hard_rows) {
      double *own = line + rows * (size_t)spring_column(c, i);
      double compliance = 1 / (spring_total(lb_row_slot(c, i), h) * h);
      c->row_scale[i] = *own > 0 ? *own / (*own + compliance) : 1 / compliance;
      *own += compliance;
    }
    for (int32_t j = 0; j < c->column_count; j++)
      line[rows * (size_t)j] *= is_kicked(lb_column_slot(c, j)) ? c->row_scale[i] : 0;
  }
  c->h = h;
  return lb_pseudo_inverse(c->row_count, c->column_count, c->system, RANK_TOLERANCE, c->inverse,
                           c->scratch, &c->rank);
}

static double kick_lack(const lbBody *body, int32_t row, double h, const double *q0,
                        const double *v) {
  const lbConstraintSlot *slot = lb_row_slot(body->constraints, row);
  double target = lb_row_target(body, row), now = along(body, row, v);
  if (slot->kind == LB_CONSTRAIN_VELOCITY) return target - now;
  double moved = target - along(body, row, q0);
  if (lb_is_spring(slot)) {
    double forced = slot->stiffness * h + slot->damping; // 0: no force at all
    return slot->stiffness * moved / spring_total(slot, h) - (forced > 0 ? now : 0);
  }
  return moved / h - now;
}

bool lb_rows_kick(lbBody *body, double h, const double *q0, double *v) {
  lbConstraints *c = body->constraints;
  if (c->h != h && !(c->solvable = form_kick(body, h))) return false;
  for (int32_t i = 0; i < c->row_count; i++)
    c->right[i] = c->row_scale[i] * kick_lack(body, i, h, q0, v);
  apply_inverse(c, c->inverse, c->row_count, c->column_count);
  for (int32_t j = 0; j < c->column_count; j++) {
    add_column(body, c->moved, j, c->solution[j], v);
    c->pulls[j] = c->solution[j] / h;
  }
  return true;
}
