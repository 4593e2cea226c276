// Edit scripts: { "handles": [{ "name", "vertices" | "box" | "group", "translate", "rotate",
// "weight" }] }.
#include "scene/edit.h"

#include "limber/file.h"

#include <math.h>
#include <string.h>

static const char *const script_keys[] = { "handles", NULL };
static const char *const handle_keys[] = { "name",      "vertices", "box",    "group",
                                           "translate", "rotate",   "weight", NULL };
static const char *const rotate_keys[] = { "axis", "degrees", "centre", NULL };

// ---- one handle --------------------------------------------------------------------------------

static lbVec3 rest_of(const lbModel *model, const lbPoint *point) {
  const double *positions =
      point->kind == LB_POINT_VERTEX ? model->vertex_positions : model->node_positions;
  return lb_vec3_load(positions + 3 * (size_t)point->index);
}

static lbVec3 mean_of(const lbModel *model, const lbEditHandle *handle) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < handle->point_count; i++)
    sum = lb_add(sum, rest_of(model, &handle->points[i]));
  return lb_scale(1.0 / handle->point_count, sum);
}

static lbStatus read_script_vector(const lbField *json, lbVec3 *out, lbError *err) {
  double numbers[3];
  if (!lb_field_here(json)) return LB_OK;
  lbStatus status = lb_field_vector(json, 3, numbers, err);
  if (!status) *out = lb_vec3_load(numbers);
  return status;
}

static lbStatus read_script_rotate(const lbField *json, lbHandleMotion *motion, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  lbVec3 axis = lb_vec3(0, 0, 0);
  double degrees = 0;
  lbStatus status = lb_field_keys(json, rotate_keys, err);
  lbField member = lb_field_member(json, "axis");
  if (!status && !lb_field_here(&member)) status = lb_field_fail(json, err, "has no \"axis\"");
  if (!status) status = read_script_vector(&member, &axis, err);
  double length = sqrt(lb_dot(axis, axis));
  if (!status && !(length > 0 && isfinite(length)))
    status = lb_field_fail(&member, err, "has zero length, it must have a direction");
  member = lb_field_member(json, "degrees");
  if (!status && !lb_field_here(&member)) status = lb_field_fail(json, err, "has no \"degrees\"");
  if (!status) status = lb_field_number(&member, &degrees, err);
  member = lb_field_member(json, "centre");
  if (!status) status = read_script_vector(&member, &motion->centre, err);
  if (!status) motion->rotation = lb_scale(degrees * LB_PI / 180 / length, axis);
  return status;
}

static lbStatus read_script_handle(const lbField *json, const lbSceneBody *body,
                                   const lbModel *model, lbEditHandle *handle, lbError *err) {
  lbStatus status = lb_field_keys(json, handle_keys, err);
  lbField member = lb_field_member(json, "name");
  const char *name = status ? NULL : lb_field_text(&member, &status, err);
  if (!status && (!name || !name[0])) status = lb_field_fail(json, err, "has no \"name\"");
  if (!status && !(handle->name = lb_duplicate_text(name))) status = lb_fail_memory(err);
  if (!status) status = lb_edit_region(json, body, model, handle, err);
  if (status) return status;
  handle->weight = 1;
  handle->motion = (lbHandleMotion){ .centre = mean_of(model, handle) };
  member = lb_field_member(json, "weight");
  status = lb_field_positive(&member, &handle->weight, err);
  member = lb_field_member(json, "translate");
  if (!status) status = read_script_vector(&member, &handle->motion.translate, err);
  member = lb_field_member(json, "rotate");
  if (!status) status = read_script_rotate(&member, &handle->motion, err);
  return status;
}

// ---- the script --------------------------------------------------------------------------------

static lbStatus read_script(const lbField *json, const lbSceneBody *body, const lbModel *model,
                            lbEditScript *script, lbError *err) {
  lbField list = lb_field_member(json, "handles");
  size_t count = json_array_size(list.value);
  lbStatus status = lb_field_keys(json, script_keys, err);
  if (!status && (!json_is_array(list.value) || count == 0))
    status = lb_field_fail(&list, err, "must be a list with at least one handle");
  if (!status && count > LB_HANDLES_MAX)
    status =
        lb_field_fail(&list, err, "has %zu handles, at most %d can be used", count, LB_HANDLES_MAX);
  if (status) return status;
  script->handles = lb_alloc(count, sizeof *script->handles);
  if (!script->handles) return lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(&list, i);
    status = read_script_handle(&item, body, model, &script->handles[script->handle_count++], err);
  }
  return status;
}

// The script's document, with what the texts say.
static lbStatus load_document(const lbEditScriptDef *def, json_t **out, lbError *err) {
  json_t *root = NULL;
  char *content = NULL;
  size_t bytes = 0;
  lbStatus status = LB_OK;
  if (def->json) {
    status = lb_field_parse(def->path, def->json, strlen(def->json), &root, err);
  } else if (def->path) {
    status = lb_file_read(def->path, &content, &bytes, err);
    if (!status) status = lb_field_parse(def->path, content, bytes, &root, err);
    lb_free(content);
  } else {
    root = json_pack("{s:[]}", "handles");
  }
  json_t *handles = json_object_get(root, "handles");
  if (!status && def->text_count > 0 && !json_is_array(handles)) {
    json_object_set_new(root, "handles", json_array());
    handles = json_object_get(root, "handles");
  }
  for (int32_t i = 0; i < def->text_count && !status; i++)
    status = lb_edit_words(def->texts[i], handles, err);
  if (status)
    json_decref(root);
  else
    *out = root;
  return status;
}

lbStatus lb_edit_script_load(const lbEditScriptDef *def, const lbSceneBody *body,
                             const lbModel *model, lbEditScript **out, lbError *err) {
  json_t *root = NULL;
  lbEditScript *script = lb_alloc(1, sizeof *script);
  lbStatus status = script ? load_document(def, &root, err) : lb_fail_memory(err);
  lbField json = { def->path ? def->path : "--handle", root, "" };
  if (!status) status = read_script(&json, body, model, script, err);
  json_decref(root);
  if (status)
    lb_edit_script_destroy(script);
  else
    *out = script;
  return status;
}

void lb_edit_script_destroy(lbEditScript *script) {
  if (!script) return;
  for (int32_t i = 0; i < script->handle_count; i++) {
    lb_free(script->handles[i].name);
    lb_free(script->handles[i].points);
  }
  lb_free(script->handles);
  lb_free(script);
}

lbStatus lb_edit_script_apply(const lbEditScript *script, lbEditor *editor, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < script->handle_count && !status; i++) {
    const lbEditHandle *from = &script->handles[i];
    lbHandleDef def = lb_handle_def();
    int32_t handle;
    def.name = from->name;
    def.points = from->points;
    def.point_count = from->point_count;
    def.weight = from->weight;
    status = lb_editor_add_handle(editor, &def, &handle, err);
    if (!status) status = lb_editor_move_handle(editor, handle, &from->motion, err);
  }
  return status;
}
