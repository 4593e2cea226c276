// Which constraints a body has: adding, moving and removing them. Slots give ids that stay valid;
// an id is its slot plus LB_CONSTRAINED_MOST times the slot's generation, so that the id of a
// removed constraint is known as such.
#include "body/constraints.h"
#include "body/point.h"

#include "math/pseudo_inverse.h"
#include "solve/pivoted_ldlt.h"

#include <stdio.h>
#include <string.h>

enum { GENERATION_MOST = INT32_MAX / LB_CONSTRAINED_MOST };

lbConstraintDef lb_constraint_def(void) { return (lbConstraintDef){ .stiffness = INFINITY }; }

// ---- memory ------------------------------------------------------------------------------------

static void place_system(struct lbConstraintSystem *system, size_t dofs, size_t width,
                         size_t stride, lbCarver *carver) {
  system->X = lb_carve(carver, dofs * width, sizeof(double));
  system->matrix = lb_carve(carver, dofs * dofs, sizeof(double));
  system->scale = lb_carve(carver, dofs, sizeof(double));
  system->lower = lb_carve(carver, dofs * stride, sizeof(double));
  system->upper = lb_carve(carver, dofs * stride, sizeof(double));
}

static void place_reaction(struct lbReaction *reaction, int32_t dofs, size_t width,
                           lbCarver *carver) {
  size_t rows = (size_t)dofs;
  reaction->lines = lb_carve(carver, rows * width, sizeof(double));
  reaction->moves = lb_carve(carver, rows * width, sizeof(double));
  reaction->sorted = lb_carve(carver, rows * width, sizeof(double));
  reaction->memory = lb_carve(carver, lb_row_factor_room(dofs), sizeof(double));
  reaction->order = lb_carve(carver, rows, sizeof *reaction->order);
  reaction->used = lb_carve(carver, rows, sizeof *reaction->used);
}

static lbConstraints *lay_out(lbConstraints *c, const lbPrepared *p, lbCarver *carver) {
  size_t count = (size_t)c->room, padded = (size_t)p->padded, dofs = 3 * count;
  size_t width = (size_t)c->width, stride = (size_t)c->stride;
  lbConstraints *at = lb_carve(carver, 1, sizeof *c);
  c->slots = lb_carve(carver, count, sizeof *c->slots);
  c->points = lb_carve(carver, count, sizeof *c->points);
  c->point_slots = lb_carve(carver, count, sizeof *c->point_slots);
  c->axes = lb_carve(carver, count, sizeof *c->axes);
  c->targets = lb_carve(carver, dofs, sizeof(double));
  c->moves = lb_carve(carver, dofs, sizeof(double));
  c->rests = lb_carve(carver, dofs, sizeof(double));
  c->rows = lb_carve(carver, dofs * padded, sizeof(double));
  c->force_points = lb_carve(carver, count, sizeof *c->force_points);
  c->force_slots = lb_carve(carver, count, sizeof *c->force_slots);
  c->force_axes = lb_carve(carver, count, sizeof *c->force_axes);
  c->force_rests = lb_carve(carver, dofs, sizeof(double));
  c->force_rows = lb_carve(carver, dofs * padded, sizeof(double));
  c->forces = lb_carve(carver, dofs, sizeof(double));
  c->row_points = lb_carve(carver, dofs, sizeof *c->row_points);
  c->row_axes = lb_carve(carver, dofs, sizeof *c->row_axes);
  c->column_points = lb_carve(carver, dofs, sizeof *c->column_points);
  c->column_axes = lb_carve(carver, dofs, sizeof *c->column_axes);
  c->W = lb_carve(carver, width * stride, sizeof(double));
  c->F = lb_carve(carver, dofs * width, sizeof(double));
  c->arms = lb_carve(carver, dofs, sizeof(double));
  c->starts = lb_carve(carver, stride, sizeof(double));
  c->rates = lb_carve(carver, stride, sizeof(double));
  place_system(&c->step, dofs, width, stride, carver);
  place_system(&c->velocity, dofs, width, stride, carver);
  place_reaction(&c->reaction, (int32_t)dofs, width, carver);
  c->system = lb_carve(carver, dofs * dofs, sizeof(double));
  c->scratch =
      lb_carve(carver, lb_pseudo_inverse_scratch((int32_t)dofs, (int32_t)dofs), sizeof(double));
  c->right = lb_carve(carver, stride, sizeof(double));
  c->p = lb_carve(carver, stride, sizeof(double));
  c->between = lb_carve(carver, stride, sizeof(double));
  c->total = lb_carve(carver, stride, sizeof(double));
  c->line = lb_carve(carver, width, sizeof(double));
  return at;
}

lbStatus lb_constraints_make(lbBody *body) {
  if (body->constraints || body->constraint_room == 0) return LB_OK;
  lbConstraints draft = { .room = body->constraint_room, .width = lb_body_width(body) };
  draft.stride = (3 * draft.room + LB_BATCH - 1) / LB_BATCH * LB_BATCH;
  lbCarver carver = { 0 };
  lay_out(&draft, body->prepared, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(body->message);
  carver.used = 0;
  lbConstraints *c = lay_out(&draft, body->prepared, &carver);
  *c = draft;
  body->constraints = c;
  return LB_OK;
}

void lb_constraints_destroy(lbConstraints *constraints) { lb_free(constraints); }

lbStatus lb_constraints_grow(lbBody *body) {
  LB_ASSERT(!lb_body_is_constrained(body));
  lb_constraints_destroy(body->constraints);
  body->constraints = NULL;
  body->constraint_room++;
  lbStatus status = lb_constraints_make(body);
  if (status) body->constraint_room--;
  return status;
}

void lb_constraints_shrink(lbBody *body) {
  lb_constraints_destroy(body->constraints);
  body->constraints = NULL; // made again by the first constraint
  body->constraint_room--;
}

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_points(lbBody *body, const char *what, int32_t count, const lbPoint *points) {
  char name[48];
  for (int32_t i = 0; i < count; i++) {
    snprintf(name, sizeof name, "constraint: %s %d", what, (int)i);
    lbStatus status = lb_point_check(body->prepared->model, &points[i], name, body->message);
    if (status) return status;
  }
  return LB_OK;
}

static lbStatus check_targets(lbBody *body, int32_t count, const double *targets) {
  for (int32_t i = 0; i < 3 * count; i++)
    if (!lb_is_bounded(targets[i]))
      return lb_fail(body->message, LB_ERR_ARGUMENT,
                     "constraint: target %d of point %d is %g: not a number or beyond %g",
                     (int)(i % 3), (int)(i / 3), targets[i], LB_BODY_MOST);
  return LB_OK;
}

static lbStatus check_room(lbBody *body, const lbConstraintDef *def, int32_t force_count) {
  static const lbConstraints nothing;
  const lbConstraints *c = body->constraints ? body->constraints : &nothing;
  if (def->point_count > c->room - c->point_count)
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "constraint: no room for %d more points; %d of constrained_points = %d are used",
                   (int)def->point_count, (int)c->point_count, (int)c->room);
  if (force_count > c->room - c->force_count)
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "constraint: no room for %d more force points; %d of constrained_points = %d "
                   "are used",
                   (int)force_count, (int)c->force_count, (int)c->room);
  return LB_OK;
}

static lbStatus check_spring(lbBody *body, const lbConstraintDef *def) {
  lbError *err = body->message;
  if (!(def->stiffness >= 0 && (lb_is_bounded(def->stiffness) || isinf(def->stiffness))))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "constraint: stiffness is %g; it must be from 0 to %g, or infinite: hard",
                   def->stiffness, LB_BODY_MOST);
  if (!(def->damping >= 0 && lb_is_bounded(def->damping)))
    return lb_fail(err, LB_ERR_ARGUMENT, "constraint: damping is %g; it must be from 0 to %g",
                   def->damping, LB_BODY_MOST);
  if (isinf(def->stiffness) && def->damping != 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "constraint: damping is for springs: give a stiffness");
  if (isfinite(def->stiffness) &&
      (def->kind != LB_CONSTRAIN_POSITION || def->force_point_count != 0))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "constraint: a spring is for positions and acts at its own points");
  return LB_OK;
}

static lbStatus check_def(lbBody *body, const lbConstraintDef *def, int32_t force_count) {
  lbError *err = body->message;
  if ((int)def->kind < 0 || def->kind > LB_CONSTRAIN_ACCELERATION)
    return lb_fail(err, LB_ERR_ARGUMENT, "constraint: kind is %d", (int)def->kind);
  if (def->point_count < 1 || !def->points)
    return lb_fail(err, LB_ERR_ARGUMENT, "constraint: point_count is %d; it needs points",
                   (int)def->point_count);
  if (def->force_point_count < 0 || (def->force_point_count > 0 && !def->force_points))
    return lb_fail(err, LB_ERR_ARGUMENT, "constraint: force_point_count is %d; it needs points",
                   (int)def->force_point_count);
  lbStatus status = check_spring(body, def);
  if (!status) status = check_room(body, def, force_count);
  if (!status) status = check_points(body, "point", def->point_count, def->points);
  if (!status)
    status = check_points(body, "force point", def->force_point_count, def->force_points);
  if (!status && def->targets) status = check_targets(body, def->point_count, def->targets);
  for (int32_t i = 0; !status && def->axes && i < def->point_count; i++)
    if (def->axes[i] < 1 || def->axes[i] > 7)
      status = lb_fail(err, LB_ERR_ARGUMENT,
                       "constraint: axes of point %d are %d; they must be "
                       "1 to 7",
                       (int)i, (int)def->axes[i]);
  return status;
}

// ---- adding ------------------------------------------------------------------------------------

static size_t row_size(const lbBody *body) { return 3 * (size_t)body->prepared->padded; }

void lb_constraints_fill_point(lbConstraints *c, const lbBody *body, int32_t at) {
  lb_vec3_store(c->rests + 3 * (size_t)at, lb_point_rest(body->prepared->model, &c->points[at]));
  lb_point_rows(body->prepared, &c->points[at], c->rows + (size_t)at * row_size(body));
}

void lb_constraints_fill_force_point(lbConstraints *c, const lbBody *body, int32_t at) {
  lb_vec3_store(c->force_rests + 3 * (size_t)at,
                lb_point_rest(body->prepared->model, &c->force_points[at]));
  lb_point_rows(body->prepared, &c->force_points[at], c->force_rows + (size_t)at * row_size(body));
}

static void add_point(lbBody *body, const lbConstraintDef *def, int32_t i, int32_t slot) {
  lbConstraints *c = body->constraints;
  int32_t at = c->point_count++;
  c->points[at] = def->points[i];
  c->point_slots[at] = slot;
  c->axes[at] = def->axes ? def->axes[i] : 7;
  lbVec3 target = lb_vec3(0, 0, 0);
  if (def->targets)
    target = lb_vec3_load(def->targets + 3 * (size_t)i);
  else if (def->kind == LB_CONSTRAIN_POSITION)
    (void)lb_body_point(body, def->points[i], &target, NULL); // the point was checked
  lb_vec3_store(c->targets + 3 * (size_t)at, target);
  lbVec3 now = target; // the way to a first target counts as a move
  if (def->kind == LB_CONSTRAIN_POSITION) (void)lb_body_point(body, def->points[i], &now, NULL);
  lb_vec3_store(c->moves + 3 * (size_t)at, lb_sub(target, now));
  lb_constraints_fill_point(c, body, at);
}

static void add_force_point(lbBody *body, const lbPoint *point, int32_t slot, uint8_t axes) {
  lbConstraints *c = body->constraints;
  int32_t at = c->force_count++;
  c->force_points[at] = *point;
  c->force_slots[at] = slot;
  c->force_axes[at] = axes;
  memset(c->forces + 3 * (size_t)at, 0, 3 * sizeof(double));
  lb_constraints_fill_force_point(c, body, at);
}

lbStatus lb_body_add_constraint(lbBody *body, const lbConstraintDef *def, int32_t *id) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!def) return lb_refuse_null(body->message, "def");
  bool own = def->force_point_count == 0; // forces act at the points themselves
  int32_t force_count = own ? def->point_count : def->force_point_count;
  const lbPoint *force_points = own ? def->points : def->force_points;
  if (body->prepared->method->is_recording) return lb_body_refuse_recording(body, "constraint");
  lbStatus status = lb_constraints_make(body);
  if (!status) status = check_def(body, def, force_count);
  if (status) return status;
  lbConstraints *c = body->constraints;
  int32_t slot = 0;
  while (c->slots[slot].used) slot++; // one is free: each has a point, and there was room for one
  for (int32_t i = 0; i < def->point_count; i++) add_point(body, def, i, slot);
  for (int32_t i = 0; i < force_count; i++)
    add_force_point(body, &force_points[i], slot, own && def->axes ? def->axes[i] : 7);
  c->slots[slot] = (lbConstraintSlot){ .generation = c->slots[slot].generation,
                                       .used = true,
                                       .kind = def->kind,
                                       .point_count = def->point_count,
                                       .force_count = force_count,
                                       .stiffness = def->stiffness,
                                       .damping = def->damping };
  c->count++;
  c->listed = false;
  if (id) *id = c->slots[slot].generation * LB_CONSTRAINED_MOST + slot;
  return LB_OK;
}

// ---- changing and removing ---------------------------------------------------------------------

// The slot of an id; -1 with a message (or err NULL) when there is none.
static int32_t find_slot(const lbBody *body, int32_t id, lbError *err) {
  const lbConstraints *c = body->constraints;
  int32_t slot = id >= 0 ? id % LB_CONSTRAINED_MOST : -1;
  if (c && slot >= 0 && slot < c->room && c->slots[slot].used &&
      c->slots[slot].generation == id / LB_CONSTRAINED_MOST)
    return slot;
  lb_fail(err, LB_ERR_ARGUMENT, "there is no constraint %d, or it was removed", (int)id);
  return -1;
}

lbStatus lb_body_set_target(lbBody *body, int32_t id, const double *targets) {
  if (!body) return LB_ERR_ARGUMENT;
  lbConstraints *c = body->constraints;
  int32_t slot = find_slot(body, id, body->message), next = 0;
  if (slot < 0) return LB_ERR_ARGUMENT;
  if (!targets)
    return lb_fail(body->message, LB_ERR_ARGUMENT, "constraint %d: no targets given", (int)id);
  lbStatus status = check_targets(body, c->slots[slot].point_count, targets);
  if (status) return status;
  for (int32_t i = 0; i < c->point_count; i++) {
    if (c->point_slots[i] != slot) continue;
    double *from = c->targets + 3 * (size_t)i;
    const double *to = targets + 3 * (size_t)next++;
    for (size_t k = 0; k < 3; k++) c->moves[3 * (size_t)i + k] += to[k] - from[k];
    memcpy(from, to, 3 * sizeof *to);
  }
  return LB_OK;
}

static void keep_point(lbConstraints *c, size_t row, int32_t from, int32_t to) {
  if (from == to) return;
  size_t f = (size_t)from, t = (size_t)to;
  c->points[t] = c->points[f];
  c->point_slots[t] = c->point_slots[f];
  c->axes[t] = c->axes[f];
  memcpy(c->targets + 3 * t, c->targets + 3 * f, 3 * sizeof(double));
  memcpy(c->moves + 3 * t, c->moves + 3 * f, 3 * sizeof(double));
  memcpy(c->rests + 3 * t, c->rests + 3 * f, 3 * sizeof(double));
  memcpy(c->rows + t * row, c->rows + f * row, row * sizeof(double));
}

static void keep_force_point(lbConstraints *c, size_t row, int32_t from, int32_t to) {
  if (from == to) return;
  size_t f = (size_t)from, t = (size_t)to;
  c->force_points[t] = c->force_points[f];
  c->force_slots[t] = c->force_slots[f];
  c->force_axes[t] = c->force_axes[f];
  memcpy(c->forces + 3 * t, c->forces + 3 * f, 3 * sizeof(double));
  memcpy(c->force_rests + 3 * t, c->force_rests + 3 * f, 3 * sizeof(double));
  memcpy(c->force_rows + t * row, c->force_rows + f * row, row * sizeof(double));
}

lbStatus lb_body_remove_constraint(lbBody *body, int32_t id) {
  if (!body) return LB_ERR_ARGUMENT;
  lbConstraints *c = body->constraints;
  int32_t slot = find_slot(body, id, body->message), kept = 0, kept_forces = 0;
  if (slot < 0) return LB_ERR_ARGUMENT;
  size_t row = row_size(body);
  for (int32_t i = 0; i < c->point_count; i++)
    if (c->point_slots[i] != slot) keep_point(c, row, i, kept++);
  for (int32_t i = 0; i < c->force_count; i++)
    if (c->force_slots[i] != slot) keep_force_point(c, row, i, kept_forces++);
  c->point_count = kept;
  c->force_count = kept_forces;
  int32_t generation = c->slots[slot].generation;
  c->slots[slot] = (lbConstraintSlot){ .generation = (generation + 1) % GENERATION_MOST };
  c->count--;
  c->listed = false;
  return LB_OK;
}

lbStatus lb_body_constraint_force(const lbBody *body, int32_t id, double *forces) {
  if (!body || !forces) return LB_ERR_ARGUMENT;
  const lbConstraints *c = body->constraints;
  int32_t slot = find_slot(body, id, NULL), next = 0;
  if (slot < 0) return LB_ERR_ARGUMENT;
  for (int32_t i = 0; i < c->force_count; i++)
    if (c->force_slots[i] == slot)
      memcpy(forces + 3 * (size_t)next++, c->forces + 3 * (size_t)i, 3 * sizeof *forces);
  return LB_OK;
}

int32_t lb_body_constraint_rank(const lbBody *body) {
  if (!body) return 0;
  return body->constraints ? body->constraints->step.rank : 0;
}
