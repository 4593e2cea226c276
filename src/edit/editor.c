// Editors: making them, and the shape that follows its handles.
#include "edit/editor.h"

#include <string.h>

#define PART_TURN (LB_PI / 12) // rad, largest rotation of a handle in one part of a long drag,
#define PART_SHIFT 0.1         // and its largest shift, in sizes of the body
#define PARTS_MOST 64          // of a drag
#define PART_ITERATIONS 30     // of each part

lbEditorDef lb_editor_def(void) {
  return (lbEditorDef){
    .seed = 1, .iterations = 12, .iterations_max = 2000, .tolerance = 1e-10, .history = 64
  };
}

// ---- making them -------------------------------------------------------------------------------

static lbStatus check_editor_def(const lbBody *body, const lbEditorDef *def, lbError *err) {
  if (!lb_body_has_subspace(body))
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "handles pose bodies of the subspace method, model \"%s\" is played by \"%s\"",
                   lb_body_model(body)->name, lb_method_name(lb_body_method(body)));
  if (def->samples < 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "samples: %d is negative", (int)def->samples);
  if (def->iterations < 1 || def->iterations > 1000)
    return lb_fail(err, LB_ERR_ARGUMENT, "iterations: %d is not between 1 and 1000",
                   (int)def->iterations);
  if (def->iterations_max < 1 || def->iterations_max > 100000)
    return lb_fail(err, LB_ERR_ARGUMENT, "iterations_max: %d is not between 1 and 100000",
                   (int)def->iterations_max);
  if (!(def->tolerance > 0 && def->tolerance < 1))
    return lb_fail(err, LB_ERR_ARGUMENT, "tolerance: %g is not between 0 and 1", def->tolerance);
  if (def->history < 1 || def->history > 1000)
    return lb_fail(err, LB_ERR_ARGUMENT, "history: %d is not between 1 and 1000",
                   (int)def->history);
  return LB_OK;
}

static lbEditor *lay_out_editor(lbEditor *e, lbCarver *carver) {
  const lbSubspace *s = lb_subspace_of(e->body->prepared);
  size_t n = (size_t)e->stride;
  lbEditor *at = lb_carve(carver, 1, sizeof *e);
  lb_bfgs_place(&e->bfgs, carver);
  e->factor = lb_carve(carver, n * n, sizeof(double));
  e->force = lb_carve(carver, s->forces->work_size(s->force_data), sizeof(double));
  e->zero = lb_carve(carver, (size_t)e->body->prepared->padded, sizeof(double));
  return at;
}

static lbStatus allocate_editor(lbEditor *draft, lbEditor **out, lbError *err) {
  lbCarver carver = { 0 };
  lay_out_editor(draft, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(err);
  carver.used = 0;
  lbEditor *e = lay_out_editor(draft, &carver);
  *e = *draft;
  e->bfgs.context = e;
  *out = e;
  return LB_OK;
}

static void begin_editor(lbEditor *e) {
  const lbFrameState *frame = &e->body->frame;
  const lbModel *model = e->body->prepared->model;
  e->is_free = frame->kind == LB_FRAME_FREE;
  e->base_turn = e->turn = frame->turn;
  e->base_position = e->position = frame->position;
  e->rotation = frame->rotation;
  e->size = e->body->prepared->size;
  if (e->def.samples == 0)
    e->def.samples =
        model->size.cubature_count > 0 ? model->size.cubature_count : LB_HANDLE_SAMPLES;
  const lbSubspaceState *state = e->body->own;
  memcpy(e->bfgs.x, state->q, (size_t)e->count * sizeof(double));
}

lbStatus lb_editor_create(lbBody *body, const lbEditorDef *def, lbEditor **out, lbError *err) {
  if (!body) return lb_refuse_null(err, "body");
  if (!def || !out) return lb_refuse_null(err, def ? "out" : "def");
  lbStatus status = check_editor_def(body, def, err);
  if (status) return status;
  const lbSubspace *s = lb_subspace_of(body->prepared);
  lbEditor draft = { .body = body, .def = *def, .count = s->count, .stride = s->stride };
  lbEditor *e = NULL;
  draft.bfgs.count = s->count;
  draft.bfgs.stride = s->stride;
  draft.bfgs.objective = lb_editor_value;
  draft.bfgs.solve = lb_editor_precondition;
  status = allocate_editor(&draft, &e, err);
  if (status) return status;
  begin_editor(e);
  status = lb_history_create(e, err);
  if (!status) status = lb_editor_measure(e, err);
  if (!status) {
    lb_editor_factor(e);
    status = lb_editor_show(e, err);
  }
  if (!status) status = lb_editor_remember(e, err);
  if (status)
    lb_editor_destroy(e);
  else
    *out = e;
  return status;
}

void lb_editor_destroy(lbEditor *e) {
  if (!e) return;
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) lb_handle_release(&e->handles[j]);
  lb_history_destroy(e);
  lb_free(e->places);
  lb_free(e);
}

lbBody *lb_editor_body(const lbEditor *e) { return e ? e->body : NULL; }

// ---- the shape ---------------------------------------------------------------------------------

lbStatus lb_editor_show(lbEditor *e, lbError *err) {
  lbBody *body = e->body;
  lbStatus status = lb_body_set_state(body, e->bfgs.x, e->zero);
  if (!status && e->is_free) status = lb_body_set_placement(body, e->position, e->rotation);
  if (!status && e->is_free)
    status = lb_body_set_velocity(body, lb_vec3(0, 0, 0), lb_vec3(0, 0, 0));
  return status ? lb_fail(err, status, "%s", lb_body_message(body)) : LB_OK;
}

// After a change of material: scales the springs of handles and refactors the matrix.
static lbStatus follow_material(lbEditor *e, lbError *err) {
  if (e->version == e->body->prepared->version) return LB_OK;
  lbStatus status = lb_editor_measure(e, err);
  if (status) return status;
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++)
    if (e->handles[j].block)
      e->handles[j].stiffness = e->handles[j].weight * e->follow / e->handles[j].sample_count;
  lb_editor_factor(e);
  return LB_OK;
}

// Starts from the present shape or from rest, whichever has the smaller value.
static void choose_start(lbEditor *e) {
  lbBfgs *b = &e->bfgs;
  lb_bfgs_evaluate(b);
  memset(b->trial, 0, (size_t)e->stride * sizeof(double));
  double at_rest = b->objective(b->context, b->trial, b->trial_gradient);
  b->evaluations++;
  if (!(at_rest < b->value) && isfinite(b->value)) return;
  memcpy(b->x, b->trial, (size_t)e->stride * sizeof(double));
  memcpy(b->gradient, b->trial_gradient, (size_t)e->count * sizeof(double));
  b->value = at_rest;
  lb_bfgs_forget(b);
}

// Decrease of the value at which the minimisation ends: that of a displacement in the lowest shape
// by tolerance times the body's size.
static double decrease_goal(const lbEditor *e) {
  return e->scale * e->def.tolerance * e->def.tolerance;
}

static lbStatus finish_edit(lbEditor *e, lbEditResult *result, lbError *err) {
  lb_bfgs_evaluate(&e->bfgs); // the last one may have been of a trial
  if (e->is_free) {
    e->rotation = lb_quat_from_mat3(e->turn);
    e->turn = lb_quat_to_mat3(e->rotation); // as the body has it
  }
  double asked;
  result->energy = e->elastic;
  result->handle_error = lb_editor_sample_error(e, &asked);
  result->evaluations = e->bfgs.evaluations;
  result->left = e->size * sqrt(fabs(e->bfgs.slope) / e->scale);
  if (result->handle_error > LB_HANDLE_BEYOND * asked + 1e-6 * e->size)
    result->flags |= LB_EDIT_BEYOND_SUBSPACE;
  return lb_editor_show(e, err);
}

// s of the way from the motion that was solved for to the present one.
static lbHandleMotion part_of(const lbHandle *h, double s) {
  const lbHandleMotion *a = &h->solved, *b = &h->motion;
  return (lbHandleMotion){ lb_add_scaled(lb_scale(1 - s, a->translate), s, b->translate),
                           lb_add_scaled(lb_scale(1 - s, a->rotation), s, b->rotation),
                           lb_add_scaled(lb_scale(1 - s, a->centre), s, b->centre) };
}

static int32_t parts_of(const lbEditor *e) {
  double parts = 1;
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    const lbHandle *h = &e->handles[j];
    if (!lb_handle_acts(e, j)) continue;
    double turn = lb_length(lb_sub(h->motion.rotation, h->solved.rotation));
    lbVec3 from = lb_motion_apply(&h->solved, h->mean), to = lb_motion_apply(&h->motion, h->mean);
    parts = fmax(parts, fmax(turn / PART_TURN, lb_length(lb_sub(to, from)) / e->size / PART_SHIFT));
  }
  return parts < PARTS_MOST ? (int32_t)ceil(parts) : PARTS_MOST;
}

static void aim_handles(lbEditor *e, double s) {
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    if (!lb_handle_acts(e, j)) continue;
    lbHandleMotion motion = s < 1 ? part_of(&e->handles[j], s) : e->handles[j].motion;
    lb_handle_aim(e, &e->handles[j], &motion);
  }
}

static lbStatus seek(lbEditor *e, int32_t iterations, int32_t parts, lbEditResult *result,
                     lbError *err) {
  if (!e) return lb_refuse_null(err, "editor");
  lbEditResult unused;
  if (!result) result = &unused;
  *result = (lbEditResult){ 0 };
  lbStatus status = follow_material(e, err);
  if (status) return status;
  bool converged = false;
  e->bfgs.evaluations = 0;
  for (int32_t part = 1; part <= parts; part++) {
    aim_handles(e, part < parts ? (double)part / parts : 1);
    choose_start(e);
    int32_t most = part < parts ? PART_ITERATIONS : iterations;
    result->iterations += lb_bfgs_minimise(&e->bfgs, most, decrease_goal(e), &converged);
  }
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) e->handles[j].solved = e->handles[j].motion;
  if (!converged) result->flags |= LB_EDIT_NOT_CONVERGED;
  return finish_edit(e, result, err);
}

lbStatus lb_editor_follow(lbEditor *e, lbEditResult *result, lbError *err) {
  return seek(e, e ? e->def.iterations : 0, 1, result, err);
}

lbStatus lb_editor_settle(lbEditor *e, lbEditResult *result, lbError *err) {
  return seek(e, e ? e->def.iterations_max : 0, e ? parts_of(e) : 1, result, err);
}
