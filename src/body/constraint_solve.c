// The forces of a body's constraints in a step, and the impulses that bring its velocities along
// them; body/constraints.h has the equations.
//
// A set without repetitions or contradictions is solved by factors of the symmetric matrix,
// everything else by a pseudo-inverse: the shortest forces that come nearest to the targets. Where
// the responses stay the same from step to step (modal bodies in frames that stand) so does what is
// worked out from them.
#include "body/constraints.h"

#include "math/dense.h"
#include "math/pseudo_inverse.h"
#include "solve/tolerances.h"

#include <string.h>

enum { FREE_PASSES = 4 }; // for the turn of a free frame, which is not linear in the forces
// Of the body's size: lag of a free body's points that one step makes up for. Doubled, bodies that
// were put back are thrown after their targets twice as fast.
#define LAG_MOST 0.05

static const double *column_of(const lbConstraints *c, const double *columns, int32_t j) {
  return columns + (size_t)c->width * (size_t)j;
}

static int32_t whole_rows(const lbConstraints *c) { // in whole lanes
  return (c->row_count + LB_BATCH - 1) / LB_BATCH * LB_BATCH;
}

// out (stride) <- W y; zeros follow the rows
static void measure(const lbBody *body, const double *y, double *out) {
  const lbConstraints *c = body->constraints;
  body->prepared->basis_kernels->apply(c->W, (size_t)c->stride, c->width, 0, whole_rows(c), y, out);
}

// out (width) <- Σ p_j columns_j
static void combine(const lbBody *body, const double *columns, const double *p, double *out) {
  const lbConstraints *c = body->constraints;
  body->prepared->basis_kernels->apply(columns, (size_t)c->width, c->column_count, 0, c->width, p,
                                       out);
}

// line (width) <- what a unit impulse at the step's end is, on a column: where forces act along
// what is constrained, the row, which belongs to the end (columns belong to the step's middle).
static const double *impulse_of(const lbConstraints *c, int32_t j) {
  if (!c->collocated) return column_of(c, c->F, j);
  for (int32_t i = 0; i < c->width; i++)
    c->line[i] = c->W[(size_t)i * (size_t)c->stride + (size_t)j];
  return c->line;
}

// ---- systems -----------------------------------------------------------------------------------

// k + b/h: the force of a spring for a metre's move in one step.
static double firmness(const lbConstraintSlot *slot, double h) {
  return slot->stiffness + slot->damping / h;
}

static bool acts(const lbConstraintSlot *slot, double h) {
  return !lb_is_spring(slot) || firmness(slot, h) > 0;
}

// What a row's own force adds to it; `unit` is 1 for places and h² for velocities.
static double compliance(const lbConstraintSlot *slot, double h, double unit) {
  return lb_is_spring(slot) && acts(slot, h) ? 1 / (unit * firmness(slot, h)) : 0;
}

// Whether the systems are the same in every step of a length.
static bool stays(const lbBody *body) {
  return body->prepared->method->responds_alike && lb_frame_is_still(body);
}

static bool factor(struct lbConstraintSystem *system, int32_t n, const double *matrix) {
  double largest = 0, least = INFINITY;
  memcpy(system->matrix, matrix, (size_t)n * (size_t)n * sizeof(double));
  for (int32_t i = 0; i < n; i++) {
    double d = matrix[(size_t)i * (size_t)(n + 1)];
    largest = fmax(largest, d);
    if (!(d > 0)) return false;
  }
  if (!lb_small_ldlt_factor(n, system->matrix)) return false;
  for (int32_t i = 0; i < n; i++) {
    size_t at = (size_t)i * (size_t)(n + 1);
    least = fmin(least, system->matrix[at] / matrix[at]);
  }
  return least > LB_NEGLIGIBLE;
}

// Soft springs are scaled down to what a hard row would be, so that a rank can be told; the same
// for rows and columns where they are the same, so that the matrix stays symmetric.
static void scale_matrix(struct lbConstraintSystem *system, const lbConstraints *c,
                         const double *own, double *matrix) {
  size_t rows = (size_t)c->row_count, columns = (size_t)c->column_count;
  for (size_t i = 0; i < rows; i++) {
    double moves = 0;
    for (size_t j = 0; j < columns; j++) moves = fmax(moves, fabs(matrix[i + rows * j]));
    double share = own[i] > 0 ? fmax((moves - own[i]) / moves, 1e-12) : 1;
    system->scale[i] = c->collocated ? sqrt(share) : share;
  }
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++)
      matrix[i + rows * j] *= system->scale[i] * (c->collocated ? system->scale[j] : 1);
}

// system <- W X and what the rows' own forces add, readied for solving; X is filled.
static void ready(const lbBody *body, struct lbConstraintSystem *system, double h, double unit) {
  lbConstraints *c = body->constraints;
  int32_t rows = c->row_count, columns = c->column_count;
  double *own = c->right; // not in use yet
  for (int32_t j = 0; j < columns; j++) {
    measure(body, column_of(c, system->X, j), c->p);
    memcpy(c->system + (size_t)rows * (size_t)j, c->p, (size_t)rows * sizeof(double));
  }
  for (int32_t i = 0; i < rows; i++) {
    const lbConstraintSlot *slot = lb_row_slot(c, i);
    own[i] = compliance(slot, h, unit);
    if (c->collocated) c->system[(size_t)i * (size_t)(rows + 1)] += own[i];
    if (acts(slot, h)) continue;
    for (int32_t j = 0; j < columns; j++) c->system[(size_t)i + (size_t)rows * (size_t)j] = 0;
    if (c->collocated) c->system[(size_t)i * (size_t)(rows + 1)] = 1; // its force is 0
  }
  system->rank = rows;
  system->solvable = true;
  system->factored = c->collocated && factor(system, rows, c->system);
  system->inverted = system->factored && stays(body);
  if (system->inverted)
    lb_small_ldlt_invert(rows, system->matrix, c->stride, system->lower, system->upper);
  if (system->factored) return;
  scale_matrix(system, c, own, c->system);
  system->solvable = lb_pseudo_inverse(rows, columns, c->system, LB_NEGLIGIBLE, system->matrix,
                                       c->scratch, &system->rank);
  if (!system->solvable) system->rank = 0;
}

// out (stride) <- a triangle times x
static void multiply(const lbBody *body, const double *triangle, const double *x, double *out) {
  const lbConstraints *c = body->constraints;
  body->prepared->basis_kernels->apply(triangle, (size_t)c->stride, c->row_count, 0, whole_rows(c),
                                       x, out);
}

// p <- the forces for what is missing in `right`.
static void solve(const lbBody *body, const struct lbConstraintSystem *system) {
  lbConstraints *c = body->constraints;
  size_t rows = (size_t)c->row_count, columns = (size_t)c->column_count;
  if (system->inverted) {
    multiply(body, system->lower, c->right, c->between);
    multiply(body, system->upper, c->between, c->p);
    return;
  }
  if (system->factored) {
    memcpy(c->p, c->right, rows * sizeof(double));
    lb_small_ldlt_solve((int32_t)rows, system->matrix, 1, c->p);
    return;
  }
  for (size_t j = 0; j < rows; j++) c->right[j] *= system->scale[j];
  body->prepared->basis_kernels->apply(system->matrix, columns, (int32_t)rows, 0, (int32_t)columns,
                                       c->right, c->p);
  for (size_t i = 0; i < columns && c->collocated; i++) c->p[i] *= system->scale[i];
}

// ---- the frame's part --------------------------------------------------------------------------

// Columns' part for a free frame: what a force does to shift and turn.
static void move_frame(const lbBody *body, double linear, const lbMat3 *angular,
                       const double *column, double *moved) {
  size_t padded = (size_t)body->prepared->padded;
  if (body->constraints->width == (int32_t)padded) return;
  const double *from = column + padded;
  double *to = moved + padded;
  for (int k = 0; k < 3; k++) to[k] = linear * from[k];
  lb_vec3_store(to + 3, lb_mat3_apply(*angular, lb_vec3_load(from + 3)));
  to[6] = to[7] = 0;
}

// ---- forces ------------------------------------------------------------------------------------

// Places and velocities of the rows' points, world axes, at coordinates q and rates v (NULL: rates
// are not asked for) and the body's present frame. A frame that stands is that of the rows; others
// have turned meanwhile.
static void find_places(const lbBody *body, const double *q, const double *v, double *places,
                        double *velocities) {
  const lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->prepared->padded;
  int32_t r = body->prepared->dimension;
  double own[3], moving[3] = { 0, 0, 0 };
  if (!lb_frame_moves(body)) {
    const double origin[3] = { body->frame.position.x, body->frame.position.y,
                               body->frame.position.z };
    measure(body, q, places);
    for (int32_t i = 0; i < c->row_count; i++) places[i] += origin[c->row_axes[i]] + c->arms[i];
    if (v) measure(body, v, velocities);
    return;
  }
  for (int32_t i = 0, last = -1; i < c->row_count; i++) {
    if (c->row_points[i] != last) {
      last = c->row_points[i];
      const double *rows = c->rows + 3 * padded * (size_t)last;
      for (size_t k = 0; k < 3; k++) own[k] = lb_row_dot(r, rows + k * padded, q);
      for (size_t k = 0; k < 3 && v; k++) moving[k] = lb_row_dot(r, rows + k * padded, v);
      lbVec3 place = lb_add(lb_vec3_load(c->rests + 3 * (size_t)last), lb_vec3_load(own));
      lb_vec3_store(moving, lb_frame_velocity(body, place, lb_vec3_load(moving)));
      lb_vec3_store(own, lb_body_place(body, place));
    }
    places[i] = own[c->row_axes[i]];
    if (v) velocities[i] = moving[c->row_axes[i]];
  }
}

// How far a hard row's place lags behind where its target was at the step's start, beyond what a
// step of a free body may make up for: steps that were taken back leave such a lag.
static double excess_lag(const lbBody *body, const lbStep *step, int32_t row, size_t at) {
  const lbConstraints *c = body->constraints;
  double most = LAG_MOST * body->prepared->size;
  double lag = c->targets[at] - (1 - step->share_before) * c->moves[at] - c->starts[row];
  return lag - fmin(fmax(lag, -most), most);
}

// Where a row's place shall be at the step's end. A target that was moved goes there in the course
// of the whole step.
static double goal_of(const lbBody *body, int32_t row, const lbStep *step) {
  const lbConstraints *c = body->constraints;
  const lbConstraintSlot *slot = lb_row_slot(c, row);
  size_t at = 3 * (size_t)c->row_points[row] + (size_t)c->row_axes[row];
  double target = c->targets[at], start = c->starts[row], h = step->h;
  if (step->share < 1 && slot->kind == LB_CONSTRAIN_POSITION)
    target -= (1 - step->share) * c->moves[at];
  if (body->frame.kind == LB_FRAME_FREE && slot->kind == LB_CONSTRAIN_POSITION &&
      !lb_is_spring(slot))
    target -= excess_lag(body, step, row, at);
  if (slot->kind == LB_CONSTRAIN_VELOCITY) return start + h * target;
  if (slot->kind == LB_CONSTRAIN_ACCELERATION)
    return start + h * c->rates[row] + 0.5 * h * h * target;
  if (!lb_is_spring(slot) || slot->damping == 0) return target;
  return (slot->stiffness * target + slot->damping / h * start) / firmness(slot, h);
}

// right <- what the places at y lack to their goals.
static void find_way(const lbBody *body, const lbStep *step, const double *y) {
  lbConstraints *c = body->constraints;
  double origin[3];
  lb_vec3_store(origin, step->frame.position);
  measure(body, y, c->right);
  for (int32_t i = 0; i < c->row_count; i++) {
    double place = origin[c->row_axes[i]] + c->arms[i] + c->right[i];
    c->right[i] = acts(lb_row_slot(c, i), step->h) ? goal_of(body, i, step) - place : 0;
  }
}

static void find_missing(lbBody *body, const lbStep *step, const double *y) {
  lbConstraints *c = body->constraints;
  find_way(body, step, y);
  for (int32_t i = 0; i < c->row_count && c->collocated; i++)
    if (acts(lb_row_slot(c, i), step->h))
      c->right[i] -= compliance(lb_row_slot(c, i), step->h, 1) * c->total[i];
}

double lb_constraints_merit(const lbBody *body, const lbStep *step, const double *q) {
  const lbConstraints *c = body->constraints;
  double sum = 0;
  find_way(body, step, q);
  for (int32_t i = 0; i < c->row_count && c->collocated; i++) {
    const lbConstraintSlot *slot = lb_row_slot(c, i);
    double way = c->right[i];
    sum += lb_is_spring(slot) ? 0.5 * firmness(slot, step->h) * way * way
                              : 2 * fabs(c->total[i] * way);
  }
  return sum;
}

static bool is_current(const lbBody *body, const lbStep *step) {
  const lbConstraints *c = body->constraints;
  return c->constant && c->h == step->h && c->damping_mass == body->damping_mass &&
         c->damping_stiffness == body->damping_stiffness && c->version == body->prepared->version;
}

// Both systems of a step.
static void refresh(lbBody *body, const lbStep *step, lbScratch *s) {
  lbConstraints *c = body->constraints;
  const lbPrepared *p = body->prepared;
  size_t padded = (size_t)p->padded;
  lbMat3 turns = lb_frame_mobility(body, step->frame.turn),
         moves = lb_mat3_scale(0.5 * step->h * step->h, turns);
  double shift = 0.5 * step->h * step->h / p->mass;
  for (int32_t j = 0; j < c->column_count; j++) {
    const double *column = column_of(c, c->F, j);
    double *X = c->step.X + (size_t)c->width * (size_t)j;
    double *V = c->velocity.X + (size_t)c->width * (size_t)j;
    p->method->respond(body, step, s, column, X);
    move_frame(body, shift, &moves, column, X);
    const double *impulse = impulse_of(c, j);
    memcpy(V, impulse, padded * sizeof(double));
    lb_body_mobilise(body, s, V);
    move_frame(body, 1 / p->mass, &turns, impulse, V);
  }
  ready(body, &c->step, step->h, 1);
  if (step->iteration == 0) ready(body, &c->velocity, step->h, step->h * step->h);
  c->h = step->h;
  c->damping_mass = body->damping_mass, c->damping_stiffness = body->damping_stiffness;
  c->version = p->version;
  c->constant = true;
}

void lb_constraints_forget(lbBody *body) {
  if (!stays(body)) body->constraints->constant = false;
}

// forces <- amounts of the columns, world axes
static void report(lbConstraints *c, double factor, bool anew) {
  if (anew) memset(c->forces, 0, 3 * (size_t)c->force_count * sizeof *c->forces);
  for (int32_t i = 0; i < c->column_count; i++)
    c->forces[3 * (size_t)c->column_points[i] + (size_t)c->column_axes[i]] += factor * c->p[i];
}

// One correction of all forces, for a frame that ends where `step` says; s->q, s->pull and c->total
// change by it. False: it is not finite or absurd.
static bool correct(lbBody *body, const lbStep *step, lbScratch *s) {
  lbConstraints *c = body->constraints;
  int32_t padded = body->prepared->padded;
  lb_constraints_list(body, &step->frame, s->q0, s->q);
  if (!is_current(body, step)) refresh(body, step, s);
  if (!c->step.solvable || !c->velocity.solvable) return false;
  memset(s->q + padded, 0, (size_t)(c->width - padded) * sizeof(double));
  find_missing(body, step, s->q);
  solve(body, &c->step);
  combine(body, c->F, c->p, c->line);
  for (int32_t i = 0; i < c->width; i++) {
    s->pull[i] += c->line[i];
    if (!lb_is_bounded(s->pull[i])) return false;
  }
  if (stays(body)) // X p is the response to F p, and that is found in no time
    body->prepared->method->respond(body, step, s, c->line, c->line);
  else
    combine(body, c->step.X, c->p, c->line);
  for (int32_t i = 0; i < c->width; i++)
    if (!lb_is_bounded(c->line[i])) return false;
  for (int32_t i = 0; i < padded; i++) s->q[i] += c->line[i];
  for (int32_t i = 0; i < c->column_count; i++) c->total[i] += c->p[i];
  return true;
}

// A free frame's turn is not linear in the forces: they are corrected where it came to.
int32_t lb_constraints_solve(lbBody *body, const lbStep *step, lbScratch *s) {
  lbConstraints *c = body->constraints;
  bool free = body->frame.kind == LB_FRAME_FREE;
  lb_constraints_list(body, &step->frame, s->q0, s->q);
  if (step->iteration == 0)
    find_places(body, s->q0, c->accelerates ? s->v0 : NULL, c->starts, c->rates);
  memset(s->pull, 0, (size_t)c->width * sizeof(double));
  memset(c->total, 0, (size_t)c->stride * sizeof(double));
  for (int pass = 0; pass < (free ? FREE_PASSES : 1); pass++) {
    lbStep trial = *step;
    if (pass > 0) lb_frame_try(body, &trial, s);
    if (!correct(body, &trial, s)) return LB_STEP_NONFINITE;
  }
  memcpy(c->p, c->total, (size_t)c->column_count * sizeof(double));
  report(c, 1, true);
  return 0;
}

// ---- velocities --------------------------------------------------------------------------------

// What a row's velocity shall be once the step is done.
static double wanted_velocity(const lbConstraints *c, int32_t row, double place, double h) {
  const lbConstraintSlot *slot = lb_row_slot(c, row);
  size_t at = 3 * (size_t)c->row_points[row] + (size_t)c->row_axes[row];
  if (slot->kind == LB_CONSTRAIN_VELOCITY) return c->targets[at];
  if (slot->kind == LB_CONSTRAIN_ACCELERATION) return c->rates[row] + h * c->targets[at];
  return (place - c->starts[row]) / h;
}

// right <- what the velocities of the rows lack, at the body's present state; spoils p.
static void find_lacking_velocities(const lbBody *body, double h, const lbScratch *s) {
  lbConstraints *c = body->constraints;
  find_places(body, s->q, s->v, c->p, c->right);
  for (int32_t i = 0; i < c->row_count; i++) {
    bool acting = acts(lb_row_slot(c, i), h);
    c->right[i] = acting ? wanted_velocity(c, i, c->p[i], h) - c->right[i] : 0;
  }
}

// The velocity of a row's target in the step.
static double target_velocity(const lbBody *body, int32_t row, const lbStep *step) {
  const lbConstraints *c = body->constraints;
  const lbConstraintSlot *slot = lb_row_slot(c, row);
  size_t at = 3 * (size_t)c->row_points[row] + (size_t)c->row_axes[row];
  if (!lb_is_spring(slot)) return (goal_of(body, row, step) - c->starts[row]) / step->h;
  return c->moves[at] * (step->share - step->share_before) / step->h;
}

// The same without what a point that lags behind makes up for.
static double moved_velocity(const lbBody *body, int32_t row, const lbStep *step) {
  const lbConstraints *c = body->constraints;
  size_t at = 3 * (size_t)c->row_points[row] + (size_t)c->row_axes[row];
  if (lb_row_slot(c, row)->kind != LB_CONSTRAIN_POSITION) return target_velocity(body, row, step);
  return c->moves[at] * (step->share - step->share_before) / step->h;
}

lbVec3 lb_constraints_drift(const lbBody *body, const lbStep *step) {
  const lbConstraints *c = body->constraints;
  double sums[3] = { 0, 0, 0 }, counts[3] = { 0, 0, 0 };
  for (int32_t i = 0; i < c->row_count; i++) {
    if (lb_row_slot(c, i)->kind == LB_CONSTRAIN_ACCELERATION) continue;
    sums[c->row_axes[i]] += moved_velocity(body, i, step), counts[c->row_axes[i]] += 1;
  }
  for (int k = 0; k < 3; k++) sums[k] = counts[k] > 0 ? sums[k] / counts[k] : 0;
  lbVec3 drift = lb_vec3_load(sums);
  return lb_vec3_is_bounded(drift) ? drift : lb_vec3(0, 0, 0);
}

// J in a whole step: a hard row can give no more than speeds the whole body up to its target's
// velocity, twice over; a spring what is stored in it.
static double most_work(const lbBody *body, int32_t row, double speed) {
  const lbConstraintSlot *slot = lb_row_slot(body->constraints, row);
  if (lb_is_spring(slot) || slot->kind == LB_CONSTRAIN_ACCELERATION) return INFINITY;
  return 2 * body->prepared->mass * speed * speed;
}

double lb_constraints_work(const lbBody *body, const lbStep *step, lbVec3 drift,
                           const lbScratch *s) {
  const lbConstraints *c = body->constraints;
  const double carried[3] = { drift.x, drift.y, drift.z };
  double work = 0;
  if (!c->collocated) return 0;
  find_places(body, s->q, NULL, c->p, NULL);
  for (int32_t i = 0; i < c->row_count; i++) {
    size_t axis = (size_t)c->row_axes[i];
    double way = c->p[i] - c->starts[i] - step->h * carried[axis];
    double target =
        body->take.guarded ? moved_velocity(body, i, step) : target_velocity(body, i, step);
    double speed = target - carried[axis];
    double most = (step->share - step->share_before) * most_work(body, i, speed);
    work += fmin(c->total[i] * way, most);
  }
  return work;
}

void lb_constraints_settle(lbBody *body, const lbStep *step, lbScratch *s) {
  lbConstraints *c = body->constraints;
  const lbPrepared *p = body->prepared;
  size_t padded = (size_t)p->padded;
  find_lacking_velocities(body, step->h, s);
  solve(body, &c->velocity);
  bool along_rows = c->collocated && body->frame.kind == LB_FRAME_FREE; // else W = F
  if (!along_rows) combine(body, c->F, c->p, s->pull);
  for (int32_t i = 0; i < c->width && along_rows; i++)
    s->pull[i] = lb_row_dot(c->column_count, c->W + (size_t)i * (size_t)c->stride, c->p);
  for (int32_t i = 0; i < c->width; i++)
    if (!lb_is_bounded(s->pull[i])) return;
  lbVec3 impulse = lb_vec3(0, 0, 0), moment = impulse;
  if (c->width > (int32_t)padded) {
    impulse = lb_vec3_load(s->pull + padded);
    moment = lb_vec3_load(s->pull + padded + 3);
  }
  lb_frame_apply_impulse(body, impulse, moment, s->pull, s->q, s->v, s);
  p->method->put(body, NULL, s->v, NULL);
  lb_body_settle(body);
  report(c, 1 / step->h, false);
}

void lb_constraints_rest(lbBody *body) {
  lbConstraints *c = body->constraints;
  memset(c->moves, 0, 3 * (size_t)c->point_count * sizeof *c->moves);
}
