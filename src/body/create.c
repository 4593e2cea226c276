// Making bodies: one block of memory for a body of its own or for all bodies of a batch.
#include "body/constraints.h"
#include "body/hand_rows.h"
#include "body/response.h"
#include "model/model.h"

#include <string.h>

lbBodyDef lb_body_def(void) {
  return (lbBodyDef){ .rotation = { 0, 0, 0, 1 },
                      .damping_mass = NAN,
                      .damping_stiffness = NAN,
                      .constrained_points = 16,
                      .newton_iterations = 1,
                      .newton_tolerance = 1e-10 };
}

// ---- the def -----------------------------------------------------------------------------------

static lbStatus check_range(double value, double least, double most, const char *name,
                            lbError *err) {
  if (value >= least && value <= most) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "%s is %g; it must be from %g to %g", name, value, least,
                 most);
}

// NAN leaves *damping as it is.
static lbStatus choose_damping(double chosen, const char *name, double *damping, lbError *err) {
  if (isnan(chosen)) return LB_OK;
  lbStatus status = check_range(chosen, 0, LB_EIGENVALUE_MOST, name, err);
  if (!status) *damping = chosen;
  return status;
}

static lbStatus check_def(const lbBodyDef *def, lbError *err) {
  lbStatus status =
      check_range(def->constrained_points, 0, LB_CONSTRAINED_MOST, "constrained_points", err);
  if (!status && ((int)def->integrator < 0 || def->integrator > LB_INTEGRATOR_CENTRAL))
    status = lb_fail(err, LB_ERR_ARGUMENT, "integrator is %d; it must be an lbIntegrator",
                     (int)def->integrator);
  if (!status && ((int)def->frame < 0 || def->frame > LB_FRAME_FREE))
    status =
        lb_fail(err, LB_ERR_ARGUMENT, "frame is %d; it must be an lbFrameKind", (int)def->frame);
  if (!status && def->newton_iterations == 0)
    status = lb_fail(err, LB_ERR_ARGUMENT,
                     "newton_iterations is 0; it must be from 1 to 100: start from lb_body_def()");
  if (!status) status = check_range(def->newton_iterations, 1, 100, "newton_iterations", err);
  if (!status) status = check_range(def->newton_tolerance, 0, 1, "newton_tolerance", err);
  if (!status) status = check_range(def->factor_reuse, 0, 0.999, "factor_reuse", err);
  return status;
}

static lbStatus start(lbBody *body, const lbBodyDef *def, lbVec3 position, lbQuat rotation,
                      lbScratch *scratch, lbError *err) {
  const lbPrepared *p = body->prepared;
  body->damping_mass = p->damping[0], body->damping_stiffness = p->damping[1];
  body->integrator = def->integrator;
  body->newton_iterations = def->newton_iterations;
  body->newton_tolerance = def->newton_tolerance;
  body->factor_reuse = def->factor_reuse;
  body->constraint_room = def->constrained_points;
  body->user_data = def->user_data;
  body->returns_to_rest = def->recover;
  lbStatus status = choose_damping(def->damping_mass, "damping_mass", &body->damping_mass, err);
  if (!status)
    status =
        choose_damping(def->damping_stiffness, "damping_stiffness", &body->damping_stiffness, err);
  if (!status) status = lb_frame_start(body, def, position, rotation, scratch, err);
  if (!status) status = p->method->furnish(body, err);
  if (!status) p->method->start(body, scratch);
  return status;
}

// ---- groups ------------------------------------------------------------------------------------

// What lies at the start of a group's block.
typedef struct Parts {
  lbBodyGroup group;
  lbError *messages; // (count)
} Parts;

static Parts *lay_out(const lbPrepared *p, Parts *parts, lbCarver *carver) {
  size_t count = (size_t)parts->group.count;
  Parts *at = lb_carve(carver, 1, sizeof *parts);
  parts->group.bodies = lb_carve(carver, count, sizeof(lbBody));
  parts->messages = lb_carve(carver, count, sizeof(lbError));
  p->method->place_group(p, &parts->group, carver);
  return at;
}

lbStatus lb_group_create(const lbPrepared *prepared, const lbBodyDef *def, int32_t count,
                         const lbVec3 *positions, const lbQuat *rotations, lbBodyGroup **out,
                         lbError *err) {
  Parts draft = { .group = { .count = count } };
  lbCarver carver = { 0 };
  lbStatus status = check_def(def, err);
  if (status) return status;
  lay_out(prepared, &draft, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  lbScratch *scratch = carver.block ? lb_scratch_borrow(prepared) : NULL;
  if (!scratch) {
    lb_free(carver.block);
    return lb_fail_memory(err);
  }
  draft.group.bytes = carver.used;
  carver.used = 0;
  Parts *parts = lay_out(prepared, &draft, &carver);
  *parts = draft;
  for (int32_t i = 0; i < count; i++) {
    lbBody *body = &parts->group.bodies[i];
    body->prepared = lb_prepared_retain(prepared);
    body->group = &parts->group;
    body->message = &parts->messages[i];
  }
  for (int32_t i = 0; i < count && !status; i++) {
    lbError cause;
    status = start(&parts->group.bodies[i], def, positions ? positions[i] : def->position,
                   rotations ? rotations[i] : def->rotation, scratch, &cause);
    if (status && count > 1) lb_fail(err, status, "body %d: %.400s", (int)i, cause.text);
    if (status && count == 1) lb_fail(err, status, "%s", cause.text);
  }
  lb_scratch_return(prepared, scratch);
  if (status)
    lb_group_destroy(&parts->group);
  else
    *out = &parts->group;
  return status;
}

void lb_group_destroy(lbBodyGroup *group) {
  if (!group) return;
  for (int32_t i = 0; i < group->count; i++) {
    const lbPrepared *prepared = group->bodies[i].prepared;
    lb_touch_abandon(&group->bodies[i]);
    prepared->method->forget(&group->bodies[i]);
    lb_constraints_destroy(group->bodies[i].constraints);
    lb_contacts_destroy(group->bodies[i].contacts);
    lb_prepared_release(prepared);
  }
  lb_free(group); // the first thing in its block
}

// ---- one body ----------------------------------------------------------------------------------

lbStatus lb_body_create_at(const lbModel *model, const lbBodyDef *def, lbSimdLevel level,
                           lbBody **out, lbError *err) {
  if (!model) return lb_refuse_null(err, "model");
  if (!def) return lb_refuse_null(err, "def");
  if (!out) return lb_refuse_null(err, "out");
  const lbPrepared *prepared = NULL;
  lbBodyGroup *group = NULL;
  lbStatus status = lb_prepared_acquire(model, def, level, &prepared, err);
  if (!status) status = lb_group_create(prepared, def, 1, NULL, NULL, &group, err);
  lb_prepared_release(prepared); // the body keeps it
  if (!status) *out = group->bodies;
  return status;
}

lbStatus lb_body_create(const lbModel *model, const lbBodyDef *def, lbBody **out, lbError *err) {
  return lb_body_create_at(model, def, lb_simd_best(), out, err);
}

void lb_body_destroy(lbBody *body) {
  if (!body) return;
  LB_ASSERT(!body->in_batch);
  if (!body->in_batch) lb_group_destroy(body->group); // otherwise the batch owns it
}

lbStatus lb_body_set_damping(lbBody *body, double mass, double stiffness) {
  if (!body) return LB_ERR_ARGUMENT;
  double alpha = NAN, beta = NAN;
  lbStatus status = choose_damping(mass, "damping: mass", &alpha, body->message);
  if (!status) status = choose_damping(stiffness, "damping: stiffness", &beta, body->message);
  if (!status && (isnan(alpha) || isnan(beta)))
    status = lb_fail(body->message, LB_ERR_ARGUMENT, "damping is not a number");
  for (int32_t i = 0; i < body->group->count && !status; i++) {
    lbBody *one = &body->group->bodies[i];
    one->damping_mass = alpha, one->damping_stiffness = beta;
    lb_body_disturb(one);
  }
  return status;
}
