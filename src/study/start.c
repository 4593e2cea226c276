// Where the motion of a scene's body starts (study/start.h): poses by handles, found by an editor
// of a body that stands in its own axes.
#include "study/start.h"

#include "limber/edit_script.h"

#include <string.h>

void lb_start_release(lbStart *start) {
  lb_free(start->coordinates);
  start->coordinates = NULL;
}

static lbStatus take_start_pose(lbBody *body, lbStart *start, lbError *err) {
  size_t count = (size_t)lb_body_dimension(body);
  double *rates = lb_alloc(count, sizeof *rates);
  start->dimension = (int32_t)count;
  start->coordinates = lb_alloc(count, sizeof *start->coordinates);
  if (rates && start->coordinates) {
    lbFrame frame = lb_body_frame(body);
    lb_body_get_state(body, start->coordinates, rates);
    start->position = lb_add(start->position, lb_quat_rotate(start->rotation, frame.position));
    start->rotation = lb_quat_multiply(start->rotation, frame.rotation);
  }
  lbStatus status = rates && start->coordinates ? LB_OK : lb_fail_memory(err);
  lb_free(rates);
  return status;
}

static void warn_not_converged(const lbScene *scene, const lbSceneBody *body, int32_t flags) {
  if (flags & LB_EDIT_BEYOND_SUBSPACE)
    lb_log(LB_LOG_WARNING, "%s: body \"%s\": its shapes cannot follow the handles of its pose",
           scene->path, body->name);
}

static lbStatus pose_body(const lbScene *scene, const lbSceneBody *body, const lbModel *model,
                          lbStart *start, lbError *err) {
  lbEditScriptDef def = { .path = body->pose_from, .json = body->pose };
  lbEditorDef editor_def = lb_editor_def();
  lbBodyDef body_def = lb_body_def();
  lbEditScript *script = NULL;
  lbEditor *editor = NULL;
  lbBody *posed = NULL;
  lbEditResult result = { .flags = 0 };
  body_def.method = LB_METHOD_SUBSPACE;
  lbStatus status = lb_edit_script_load(&def, body, model, &script, err);
  if (!status) status = lb_body_create(model, &body_def, &posed, err);
  if (!status) status = lb_editor_create(posed, &editor_def, &editor, err);
  if (!status) status = lb_edit_script_apply(script, editor, err);
  if (!status) status = lb_editor_settle(editor, &result, err);
  if (!status) status = take_start_pose(posed, start, err);
  if (!status) warn_not_converged(scene, body, result.flags);
  lb_editor_destroy(editor);
  lb_body_destroy(posed);
  lb_edit_script_destroy(script);
  return status;
}

static lbStatus refuse_start(const lbScene *scene, const lbSceneBody *body, lbError *err) {
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "%s: body \"%s\" has a pose, which needs the method \"subspace\", not \"%s\"",
                 scene->path, body->name, lb_method_name(body->method));
}

lbStatus lb_start_find(const lbScene *scene, const lbSceneBody *body, const lbModel *model,
                       lbStart *start, lbError *err) {
  const double *p = body->position, *q = body->rotation;
  *start = (lbStart){ lb_vec3(p[0], p[1], p[2]), lb_quat(q[0], q[1], q[2], q[3]), 0, NULL };
  if (!body->pose && !body->shape) return LB_OK;
  if (body->method != LB_METHOD_SUBSPACE) return refuse_start(scene, body, err);
  if (body->pose) return pose_body(scene, body, model, start, err);
  lbModelMethod method;
  if (!lb_model_method(model, LB_METHOD_SUBSPACE, &method)) return refuse_start(scene, body, err);
  start->dimension = method.dimension;
  start->coordinates = lb_duplicate(body->shape, (size_t)method.dimension, sizeof(double));
  return start->coordinates ? LB_OK : lb_fail_memory(err);
}
