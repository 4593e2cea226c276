// The "model" entry of a body: a model file instead of a mesh. Bodies that name the same file share
// what was read.
#include "scene/body.h"

#include "limber/file.h"

#include <math.h>
#include <string.h>

// What a model has settled already.
static lbStatus refuse_model_beside(const lbField *json, lbError *err) {
  static const char *const settled[] = { "mesh", "surface", "material", "fixed",
                                         "mass", "scale",   "look",     NULL };
  for (int i = 0; settled[i]; i++) {
    lbField member = lb_field_member(json, settled[i]);
    if (lb_field_here(&member))
      return lb_field_fail(&member, err, "a body with a \"model\" has its own, remove it");
  }
  static const char *const ignored[] = { "reduce", "warp", "frames", NULL };
  for (int i = 0; ignored[i]; i++) {
    lbField member = lb_field_member(json, ignored[i]);
    if (lb_field_here(&member))
      lb_log(LB_LOG_WARNING, "%s: %s: is ignored, the \"model\" is already reduced", json->file,
             member.path);
  }
  return LB_OK;
}

// The method that the scene names, or the one that the model is made for. Scenes say "full" for the
// recording, too.
static lbMethod resolve_method(const lbField *json, lbMethod named, const lbModel *model) {
  lbField method = lb_field_member(json, "method");
  if (!lb_field_here(&method)) return lb_model_default_method(model);
  bool plays = named == LB_METHOD_FULL && lb_model_has(model, LB_METHOD_RECORDED);
  return plays ? LB_METHOD_RECORDED : named;
}

static lbStatus choose_model_method(const lbField *json, lbSceneBody *body, lbError *err) {
  lbField method = lb_field_member(json, "method");
  lbMethod first = lb_model_default_method(body->model);
  if (first == LB_METHOD_DEFAULT)
    return lb_field_fail(json, err, "its model has no method, build it again");
  body->method = resolve_method(json, body->method, body->model);
  if (lb_model_has(body->model, body->method)) return LB_OK;
  return lb_field_fail(&method, err, "the model does not have \"%s\", use \"%s\"%s",
                       lb_method_name(body->method), lb_method_name(first),
                       body->method == LB_METHOD_FULL ? " or name its \"mesh\"" : "");
}

// The model's damping is the body's unless the scene says otherwise; then the body gets a model of
// its own, so that only the model decides how it moves.
static lbStatus apply_damping(const lbField *json, lbSceneBody *body, lbError *err) {
  lbModelMethod view = { 0 };
  lb_model_method(body->model, body->method, &view);
  const double *own = view.damping;
  body->damping_mass = own ? own[0] : 0;
  body->damping_stiffness = own ? own[1] : 0;
  lbField given = lb_field_member(json, "damping");
  if (body->method == LB_METHOD_RECORDED && lb_field_here(&given))
    return lb_field_fail(&given, err, "the model has a recording, which cannot be changed");
  if (body->method == LB_METHOD_RECORDED) return LB_OK;
  lbStatus status = lb_scene_read_damping(json, body, err);
  double damping[2] = { body->damping_mass, body->damping_stiffness };
  if (status || (own && memcmp(damping, own, sizeof damping) == 0)) return status;
  lbModel draft = *body->model, *changed;
  if (draft.modal_damping) draft.modal_damping = damping;
  if (draft.subspace_damping) draft.subspace_damping = damping;
  if (draft.warp_damping) draft.warp_damping = damping;
  if (draft.frame_damping) draft.frame_damping = damping;
  status = lb_model_create(&draft, &changed, err);
  if (status) return status;
  lb_model_destroy(body->model);
  body->model = changed;
  return LB_OK;
}

void lb_scene_number_model(lbSceneBody *body) {
  const lbModel *m = body->model;
  body->surface_ids = false;
  for (int32_t v = 0; v < m->size.vertex_count; v++) {
    bool is_node = false;
    for (int32_t k = m->carrier_begin[v]; k < m->carrier_begin[v + 1]; k++)
      is_node |= m->carrier_nodes[k] == m->vertex_sources[v] && m->carrier_weights[k] > 1 - 1e-9;
    if (m->vertex_sources[v] >= 0 && !is_node) body->surface_ids = true;
  }
}

static lbStatus load_model(const lbField *json, const char *path, lbSceneBody *body, lbError *err) {
  lbStatus status = lb_model_load(path, &body->model, err);
  if (!status) status = choose_model_method(json, body, err);
  if (!status) status = apply_damping(json, body, err);
  if (status) return status;
  lb_scene_number_model(body);
  body->up = body->model->up[0] == 1 ? 'y' : 'z';
  return LB_OK;
}

static bool same_value(const json_t *a, const json_t *b) { return (!a && !b) || json_equal(a, b); }

// A body that has read this file and moves in the same way; -1: none.
static int32_t find_model_twin(const lbBodyReader *reader, const lbField *json, const char *path,
                               const lbSceneBody *body) {
  lbField damping = lb_field_member(json, "damping");
  for (size_t i = 0; i < reader->file_count; i++) {
    const lbModelFile *file = &reader->files[i];
    const lbSceneBody *other = &reader->scene->bodies[file->body];
    bool same_method = resolve_method(json, body->method, other->model) == other->method;
    if (strcmp(file->path, path) == 0 && same_method && same_value(file->damping, damping.value))
      return file->body;
  }
  return -1;
}

static lbStatus remember_file(lbBodyReader *reader, const lbField *json, char *path, int32_t body,
                              lbError *err) {
  lbField damping = lb_field_member(json, "damping");
  if (!lb_grow((void **)&reader->files, &reader->file_capacity, reader->file_count + 1,
               sizeof(lbModelFile)))
    return lb_fail_memory(err);
  reader->files[reader->file_count++] = (lbModelFile){ path, body, damping.value };
  return LB_OK;
}

lbStatus lb_scene_read_model(lbBodyReader *reader, const lbField *json, int32_t index,
                             lbError *err) {
  lbSceneBody *body = &reader->scene->bodies[index];
  lbField member = lb_field_member(json, "model");
  lbStatus status = refuse_model_beside(json, err);
  char *path = NULL;
  if (!status) status = lb_field_file(&member, &path, err);
  if (status) return status;
  body->twin = find_model_twin(reader, json, path, body);
  if (body->twin >= 0) {
    lb_free(path);
    return LB_OK;
  }
  status = load_model(json, path, body, err);
  if (!status) status = remember_file(reader, json, path, index, err);
  if (status) lb_free(path);
  return status;
}
