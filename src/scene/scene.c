// Scene files: bodies, loads, probes, time; and what the simulation asks of them.
#include "limber/scene.h"

#include "limber/file.h"
#include "scene/body.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scene_keys[] = { "limber",    "gravity", "bodies", "loads",
                                          "attach",    "probes",  "time",   "title",
                                          "try",       "view",    "up",     "ground",
                                          "colliders", "contact", "joints", NULL };
static const char *const load_keys[] = { "body", "vertex", "force", "from", "to", NULL };
static const char *const probe_keys[] = { "body", "vertex", NULL };
static const char *const time_keys[] = {
  "step",         "count",        "integrator", "newton_iterations", "newton_tolerance",
  "factor_reuse", "substeps_max", NULL
};

void lb_scene_destroy(lbScene *scene) {
  if (!scene) return;
  for (int32_t i = 0; i < scene->body_count; i++) {
    if (scene->bundle) scene->bodies[i].model = NULL;
    lb_scene_release_body(&scene->bodies[i]);
  }
  lb_bundle_destroy(scene->bundle);
  lb_free(scene->path);
  lb_free(scene->title);
  lb_free(scene->hint);
  lb_free(scene->bodies);
  for (int32_t i = 0; i < scene->path_count; i++) lb_path_destroy(scene->paths[i]);
  lb_free(scene->paths);
  lb_free(scene->loads);
  lb_free(scene->attachments);
  lb_free(scene->probes);
  lb_scene_release_colliders(scene);
  lb_scene_release_joints(scene);
  lb_free(scene);
}

// ---- reading -----------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static lbStatus check_names(const lbField *json, const lbScene *scene, lbError *err) {
  lbStatus status = LB_OK;
  size_t count = (size_t)scene->body_count;
  const char **names = lb_alloc(count, sizeof *names);
  if (!names) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) names[i] = scene->bodies[i].name;
  qsort(names, count, sizeof *names, compare_names);
  for (size_t i = 1; i < count && !status; i++)
    if (strcmp(names[i - 1], names[i]) == 0)
      status = lb_field_fail(json, err, "two bodies are called \"%s\", give each a name of its own",
                             names[i]);
  lb_free(names);
  return status;
}

static lbStatus read_scene_bodies(const lbField *json, lbScene *scene, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_array(json->value)) return lb_field_fail(json, err, "must be a list");
  lbBodyReader reader = { .scene = scene };
  lbStatus status = LB_OK;
  for (size_t i = 0; i < json_array_size(json->value) && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = lb_scene_read_entry(&reader, &item, err);
  }
  lb_scene_release_reader(&reader);
  return status;
}

lbStatus lb_scene_read_point(const lbField *json, const lbScene *scene, int32_t *body,
                             int32_t *vertex, lbError *err) {
  lbStatus status = LB_OK;
  lbField name_json = lb_field_member(json, "body"), vertex_json = lb_field_member(json, "vertex");
  const char *name = lb_field_text(&name_json, &status, err);
  if (status) return status;
  *body = -1;
  for (int32_t i = 0; i < scene->body_count; i++)
    if (name ? strcmp(scene->bodies[i].name, name) == 0 : scene->body_count == 1) *body = i;
  if (*body < 0 && !name) return lb_field_fail(json, err, "must name its \"body\"");
  if (*body < 0) return lb_field_fail(&name_json, err, "there is no body \"%.60s\"", name);
  if (!lb_field_here(&vertex_json)) return lb_field_fail(json, err, "must name its \"vertex\"");
  status = lb_field_integer(&vertex_json, 0, INT32_MAX, vertex, err);
  int32_t count = lb_scene_vertex_count(&scene->bodies[*body]);
  if (!status && *vertex >= count)
    return lb_field_fail(&vertex_json, err, "is %d, body \"%s\" has %d vertices (counted from 0)",
                         (int)*vertex, scene->bodies[*body].name, (int)count);
  const lbSceneBody *found = &scene->bodies[*body];
  lbPointKind kind;
  int32_t index;
  if (!status && found->model && !lb_scene_point(found, found->model, *vertex, &kind, &index))
    return lb_field_fail(&vertex_json, err, "is %d, the model of body \"%s\" does not have it",
                         (int)*vertex, found->name);
  return status;
}

static lbStatus read_scene_load(const lbField *json, const lbScene *scene, lbSceneLoad *load,
                                lbError *err) {
  *load = (lbSceneLoad){ .from = -INFINITY, .to = INFINITY };
  lbStatus status = lb_field_keys(json, load_keys, err);
  if (!status) status = lb_scene_read_point(json, scene, &load->body, &load->vertex, err);
  lbField member = lb_field_member(json, "force");
  if (!status && !lb_field_here(&member)) status = lb_field_fail(json, err, "has no \"force\"");
  if (!status) status = lb_field_vector(&member, 3, load->force, err);
  member = lb_field_member(json, "from");
  if (!status) status = lb_field_number(&member, &load->from, err);
  member = lb_field_member(json, "to");
  if (!status) status = lb_field_number(&member, &load->to, err);
  return status;
}

static lbStatus check_list(const lbField *json, lbError *err) {
  return !json->value || json_is_array(json->value) ? LB_OK
                                                    : lb_field_fail(json, err, "must be a list");
}

static lbStatus read_loads(const lbField *json, lbScene *scene, lbError *err) {
  lbStatus status = check_list(json, err);
  size_t count = json_array_size(json->value);
  scene->loads = lb_alloc(count, sizeof(lbSceneLoad));
  if (!scene->loads) return lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = read_scene_load(&item, scene, &scene->loads[scene->load_count++], err);
  }
  return status;
}

static lbStatus read_probes(const lbField *json, lbScene *scene, lbError *err) {
  lbStatus status = check_list(json, err);
  size_t count = json_array_size(json->value);
  scene->probes = lb_alloc(count, sizeof(lbSceneProbe));
  if (!scene->probes) return lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    lbSceneProbe *probe = &scene->probes[scene->probe_count++];
    status = lb_field_keys(&item, probe_keys, err);
    if (!status) status = lb_scene_read_point(&item, scene, &probe->body, &probe->vertex, err);
  }
  return status;
}

static lbStatus read_time(const lbField *json, lbScene *scene, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  static const char *const integrators[] = { "newmark", "euler", NULL };
  int integrator = LB_INTEGRATOR_NEWMARK;
  lbStatus status = lb_field_keys(json, time_keys, err);
  lbField member = lb_field_member(json, "step");
  if (!status) status = lb_field_positive(&member, &scene->time_step, err);
  member = lb_field_member(json, "count");
  if (!status) status = lb_field_integer(&member, 0, INT32_MAX, &scene->step_count, err);
  member = lb_field_member(json, "integrator");
  if (!status) status = lb_field_choice(&member, integrators, &integrator, err);
  scene->integrator = (lbIntegrator)integrator;
  member = lb_field_member(json, "newton_iterations");
  if (!status) status = lb_field_integer(&member, 1, 10000, &scene->newton_iterations, err);
  member = lb_field_member(json, "newton_tolerance");
  if (!status) status = lb_field_positive(&member, &scene->newton_tolerance, err);
  member = lb_field_member(json, "substeps_max");
  if (!status) status = lb_field_integer(&member, 1, 64, &scene->substeps_max, err);
  member = lb_field_member(json, "factor_reuse");
  if (!status) status = lb_field_number(&member, &scene->factor_reuse, err);
  if (!status && member.value && !(scene->factor_reuse >= 0 && scene->factor_reuse < 1))
    return lb_field_fail(&member, err, "is %g, it must be from 0 to below 1", scene->factor_reuse);
  return status;
}

// Bodies of frames have implicit Euler only: warns where the scene names another integrator.
static void warn_of_integrator(const lbField *time, const lbScene *scene) {
  lbField asked = lb_field_member(time, "integrator");
  if (!lb_field_here(&asked) || scene->integrator == LB_INTEGRATOR_EULER) return;
  for (int32_t b = 0; b < scene->body_count; b++)
    if (scene->bodies[b].method == LB_METHOD_FRAMES)
      lb_log(LB_LOG_WARNING,
             "%s: %s: is ignored by body \"%s\", the method \"frames\" has \"euler\"", asked.file,
             asked.path, scene->bodies[b].name);
}

static lbStatus read_version(const lbField *json, lbError *err) {
  int32_t version = 0;
  if (!lb_field_here(json))
    return lb_fail(err, LB_ERR_FORMAT, "%s: has no \"limber\": 1, is it a scene?", json->file);
  lbStatus status = lb_field_integer(json, 1, INT32_MAX, &version, err);
  if (!status && version > 1)
    return lb_field_fail(json, err, "is version %d, this limber reads version 1; update limber",
                         (int)version);
  return status;
}

static lbStatus read_scene(const lbField *json, lbScene *scene, lbError *err) {
  if (!json_is_object(json->value)) return lb_field_fail(json, err, "must be an object { ... }");
  lbField member = lb_field_member(json, "limber");
  lbStatus status = read_version(&member, err);
  if (!status) status = lb_field_keys(json, scene_keys, err);
  member = lb_field_member(json, "gravity");
  if (!status) status = lb_field_vector(&member, 3, scene->gravity, err);
  if (!status) status = lb_scene_read_view(json, scene, err);
  member = lb_field_member(json, "time");
  if (!status) status = read_time(&member, scene, err);
  member = lb_field_member(json, "bodies");
  if (!status) status = read_scene_bodies(&member, scene, err);
  if (!status) status = lb_scene_read_contact(json, scene, err);
  if (!status && scene->body_count == 0)
    status = lb_field_fail(&member, err, "must be a list with at least one body");
  if (!status) status = check_names(&member, scene, err);
  member = lb_field_member(json, "loads");
  if (!status) status = read_loads(&member, scene, err);
  member = lb_field_member(json, "probes");
  if (!status) status = read_probes(&member, scene, err);
  member = lb_field_member(json, "attach");
  if (!status) status = lb_scene_read_attachments(&member, scene, err);
  member = lb_field_member(json, "time");
  if (!status && lb_field_here(&member)) warn_of_integrator(&member, scene);
  member = lb_field_member(json, "joints");
  if (!status) status = lb_scene_read_joints(&member, scene, err);
  return status;
}

static lbStatus parse_scene(const char *path, const char *content, size_t bytes, lbScene *scene,
                            lbError *err) {
  json_t *root = NULL;
  lbStatus status = lb_field_parse(path, content, bytes, &root, err);
  if (!status) status = read_scene(&(lbField){ path, root, "" }, scene, err);
  json_decref(root);
  return status;
}

static lbStatus load_mesh(const char *path, const lbSceneDefaults *defaults, lbScene *scene,
                          lbError *err) {
  scene->bodies = lb_alloc(1, sizeof(lbSceneBody));
  if (!scene->bodies) return lb_fail_memory(err);
  scene->body_count = 1;
  return lb_scene_mesh_body(path, defaults, scene->bodies, err);
}

static lbStatus create_scene(const char *path, lbScene **out, lbError *err) {
  lbSimulatorDef simulator = lb_simulator_def();
  lbScene *scene = lb_alloc(1, sizeof *scene);
  if (!scene) return lb_fail_memory(err);
  scene->view.fov = LB_VIEW_FOV;
  scene->time_step = simulator.step;
  scene->integrator = simulator.integrator;
  scene->newton_iterations = simulator.newton_iterations;
  scene->newton_tolerance = simulator.newton_tolerance;
  scene->factor_reuse = -1;
  scene->up = 'z';
  scene->contact_material = (lbContactMaterial){ .friction = 0.5 };
  scene->substeps = 1;
  scene->hit_speed = LB_SCENE_HIT_SPEED;
  scene->substeps_max = lb_world_settings().substeps_max;
  scene->path = lb_duplicate_text(path);
  if (!scene->path) {
    lb_scene_destroy(scene);
    return lb_fail_memory(err);
  }
  *out = scene;
  return LB_OK;
}

lbStatus lb_scene_read(const char *path, const char *content, size_t bytes, lbScene **out,
                       lbError *err) {
  lbScene *scene;
  lbStatus status = create_scene(path, &scene, err);
  if (status) return status;
  status = parse_scene(path, content, bytes, scene, err);
  if (status)
    lb_scene_destroy(scene);
  else
    *out = scene;
  return status;
}

static lbStatus load_json(const char *path, lbScene **out, lbError *err) {
  char *content = NULL;
  size_t bytes;
  lbStatus status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_scene_read(path, content, bytes, out, err);
  lb_free(content);
  return status;
}

lbStatus lb_scene_load(const char *path, const lbSceneDefaults *defaults, lbScene **out,
                       lbError *err) {
  if (lb_path_has_extension(path, ".json")) return load_json(path, out, err);
  lbScene *scene;
  lbStatus status = create_scene(path, &scene, err);
  if (status) return status;
  status = lb_model_is_model_file(path) ? lb_scene_read_bundle(path, scene, err)
                                        : load_mesh(path, defaults, scene, err);
  if (status)
    lb_scene_destroy(scene);
  else
    *out = scene;
  return status;
}
