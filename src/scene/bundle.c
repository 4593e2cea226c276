// A scene from a model file or a cooked file: bodies that stand on the file's models, without JSON.
#include "scene/read.h"

#include "scene/body.h"

#include <string.h>

// A body with a model that the scene's bundle owns; `twin` has it already, or is -1.
static lbStatus begin_body(lbScene *scene, int32_t index, const char *name, const lbModel *model,
                           lbMethod method, int32_t twin, lbError *err) {
  lbSceneBody *body = &scene->bodies[index];
  lb_scene_begin_body(body);
  body->name = lb_duplicate_text(name);
  body->model = (lbModel *)model;
  body->method = method;
  body->up = model->up[0] == 1 ? 'y' : 'z';
  lbModelMethod view;
  if (lb_model_method(model, method, &view) && view.damping) {
    body->damping_mass = view.damping[0];
    body->damping_stiffness = view.damping[1];
  }
  body->twin = twin;
  if (twin < 0)
    lb_scene_number_model(body);
  else
    body->surface_ids = scene->bodies[twin].surface_ids;
  return body->name ? LB_OK : lb_fail_memory(err);
}

void lb_scene_let_fall(lbScene *scene, int up) {
  scene->gravity[up] = -9.81;
  scene->time_step = 1.0 / 120;
  scene->step_count = 240;
}

static lbStatus take_bundle_model(const char *path, const lbBundle *bundle, lbScene *scene,
                                  lbError *err) {
  const lbModel *model = bundle->models[0];
  lbMethod method = lb_model_default_method(model);
  if (method == LB_METHOD_DEFAULT)
    return lb_fail(err, LB_ERR_FORMAT, "%s: the model has no method, build it again", path);
  scene->body_count = 1;
  lbStatus status = begin_body(scene, 0, model->name, model, method, -1, err);
  lb_scene_let_fall(scene, model->up[0]);
  return status;
}

// ---- worlds ------------------------------------------------------------------------------------

static lbStatus take_paths(const lbWorldDef *w, lbScene *scene, lbError *err) {
  scene->paths = lb_alloc((size_t)w->size.path_count, sizeof *scene->paths);
  lbStatus status = scene->paths ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < w->size.path_count && !status; i++) {
    lbError why = { 0 };
    status = lb_world_path(w, i, &scene->paths[i], &why);
    if (status)
      lb_fail(err, status, "%s: %s", scene->path, why.text);
    else
      scene->path_count++;
  }
  return status;
}

static lbStatus take_bodies(const lbBundle *bundle, lbScene *scene, lbError *err) {
  const lbWorldDef *w = bundle->world;
  const char *name = w->body_names;
  int32_t *first = lb_alloc((size_t)bundle->model_count, sizeof *first); // body + 1 with that model
  if (!first) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < w->size.body_count && !status; i++, name += strlen(name) + 1) {
    lbSceneBody *body = &scene->bodies[i];
    int32_t model = w->body_models[i];
    scene->body_count++;
    status = begin_body(scene, i, name, bundle->models[model], lb_world_method(w, i),
                        first[model] - 1, err);
    memcpy(body->position, w->body_positions + 3 * (size_t)i, sizeof body->position);
    memcpy(body->rotation, w->body_rotations + 4 * (size_t)i, sizeof body->rotation);
    memcpy(body->linear_velocity, w->body_linear_velocities + 3 * (size_t)i,
           sizeof body->linear_velocity);
    memcpy(body->angular_velocity, w->body_angular_velocities + 3 * (size_t)i,
           sizeof body->angular_velocity);
    body->shape = lb_bundle_shape(bundle, i);
    body->untouchable = w->body_untouchable && w->body_untouchable[i];
    body->contact_material = lb_world_contact_material(w, i);
    body->filter = lb_world_filter(w->body_filters, i);
    if (w->body_contact_frames) {
      body->contact_frames = (int32_t)w->body_contact_frames[2 * (size_t)i];
      body->contact_spacing = w->body_contact_frames[2 * (size_t)i + 1];
    }
    if (w->body_paths && w->body_paths[i] >= 0) body->motion = scene->paths[w->body_paths[i]];
    if (first[model] == 0) first[model] = i + 1;
  }
  lb_free(first);
  return status;
}

// The id by which a scene would name a point of a body.
static lbStatus take_point(const lbScene *scene, const char *what, int32_t number, int32_t body,
                           int32_t kind, int32_t point, int32_t *vertex, lbError *err) {
  const lbSceneBody *b = &scene->bodies[body];
  lbPointKind found_kind;
  int32_t found;
  *vertex = kind == LB_POINT_VERTEX ? b->model->vertex_sources[point] : point;
  if (*vertex >= 0 && (kind == LB_POINT_VERTEX || !b->surface_ids) &&
      lb_scene_point(b, b->model, *vertex, &found_kind, &found))
    return LB_OK;
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "%s: %s %d is at a %s of body \"%s\" that has no number in its input", scene->path,
                 what, (int)number, kind == LB_POINT_VERTEX ? "vertex" : "node", b->name);
}

static lbStatus take_loads(const lbWorldDef *w, lbScene *scene, lbError *err) {
  lbStatus status = LB_OK;
  scene->loads = lb_alloc((size_t)w->size.load_count, sizeof(lbSceneLoad));
  if (!scene->loads) return lb_fail_memory(err);
  scene->load_count = w->size.load_count;
  for (int32_t i = 0; i < w->size.load_count && !status; i++) {
    lbSceneLoad *load = &scene->loads[i];
    load->body = w->load_bodies[i];
    load->from = w->load_times[2 * (size_t)i];
    load->to = w->load_times[2 * (size_t)i + 1];
    memcpy(load->force, w->load_forces + 3 * (size_t)i, sizeof load->force);
    status = take_point(scene, "load", i, load->body, w->load_kinds[i], w->load_points[i],
                        &load->vertex, err);
  }
  return status;
}

static lbStatus take_attachments(const lbWorldDef *w, lbScene *scene, lbError *err) {
  lbStatus status = LB_OK;
  scene->attachments = lb_alloc((size_t)w->size.attachment_count, sizeof *scene->attachments);
  if (!scene->attachments) return lb_fail_memory(err);
  scene->attachment_count = w->size.attachment_count;
  for (int32_t i = 0; i < w->size.attachment_count && !status; i++) {
    lbSceneAttachment *at = &scene->attachments[i];
    int32_t path = w->attachment_paths[i];
    at->body = w->attachment_bodies[i];
    at->path = path >= 0 ? scene->paths[path] : NULL;
    at->stiffness = w->attachment_springs[2 * (size_t)i];
    at->damping = w->attachment_springs[2 * (size_t)i + 1];
    at->from = w->attachment_times[2 * (size_t)i];
    at->to = w->attachment_times[2 * (size_t)i + 1];
    status = take_point(scene, "attachment", i, at->body, w->attachment_kinds[i],
                        w->attachment_points[i], &at->vertex, err);
  }
  return status;
}

static lbStatus take_probes(const lbWorldDef *w, lbScene *scene, lbError *err) {
  lbStatus status = LB_OK;
  scene->probes = lb_alloc((size_t)w->size.probe_count, sizeof(lbSceneProbe));
  if (!scene->probes) return lb_fail_memory(err);
  scene->probe_count = w->size.probe_count;
  for (int32_t i = 0; i < w->size.probe_count && !status; i++) {
    lbSceneProbe *probe = &scene->probes[i];
    probe->body = w->probe_bodies[i];
    status = take_point(scene, "probe", i, probe->body, w->probe_kinds[i], w->probe_points[i],
                        &probe->vertex, err);
  }
  return status;
}

// ---- settings for viewers and simulators -------------------------------------------------------

static lbStatus take_bundle_text(const char *text, char **out, lbError *err) {
  if (!text) return LB_OK;
  *out = lb_duplicate_text(text);
  return *out ? LB_OK : lb_fail_memory(err);
}

static lbStatus take_view(const lbWorldDef *w, lbScene *scene, lbError *err) {
  lbSceneView *view = &scene->view;
  view->placed = w->view_from != NULL;
  if (view->placed) {
    memcpy(view->from, w->view_from, sizeof view->from);
    memcpy(view->at, w->view_at, sizeof view->at);
  }
  if (w->view_fov) view->fov = w->view_fov[0];
  view->ground = lb_world_ground(w, &view->ground_height);
  lbStatus status = take_bundle_text(w->title, &scene->title, err);
  return status ? status : take_bundle_text(w->hint, &scene->hint, err);
}

static void take_time(const lbWorldDef *w, lbScene *scene) {
  scene->time_step = w->time_step[0];
  scene->step_count = w->step_count[0];
  if (w->integrator) scene->integrator = (lbIntegrator)w->integrator[0];
  if (w->newton_iterations) scene->newton_iterations = w->newton_iterations[0];
  if (w->newton_tolerance) scene->newton_tolerance = w->newton_tolerance[0];
  if (w->substeps_max) scene->substeps_max = w->substeps_max[0];
}

lbStatus lb_scene_read_bundle(const char *path, lbScene *scene, lbError *err) {
  lbStatus status = lb_bundle_load(path, &scene->bundle, err);
  if (status) return status;
  const lbBundle *bundle = scene->bundle;
  const lbWorldDef *w = bundle->world;
  if (!w && bundle->model_count != 1)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: holds %d models and no world, use a file with one model", path,
                   (int)bundle->model_count);
  if (w && w->size.body_count == 0)
    return lb_fail(err, LB_ERR_FORMAT, "%s: its world has no bodies", path);
  scene->bodies = lb_alloc(w ? (size_t)w->size.body_count : 1, sizeof(lbSceneBody));
  if (!scene->bodies) return lb_fail_memory(err);
  if (!w) return take_bundle_model(path, bundle, scene, err);
  memcpy(scene->gravity, w->gravity, sizeof scene->gravity);
  take_time(w, scene);
  status = take_view(w, scene, err);
  if (!status) status = take_paths(w, scene, err);
  if (!status) status = take_bodies(bundle, scene, err);
  if (!status) status = take_loads(w, scene, err);
  if (!status) status = take_attachments(w, scene, err);
  if (!status) status = take_probes(w, scene, err);
  if (!status) status = lb_scene_take_joints(w, scene, err);
  return status ? status : lb_scene_take_contact(w, scene, err);
}
