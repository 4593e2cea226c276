// Scene files: bodies, loads, probes, time; and what the simulation asks of them.
#include "limber/scene.h"

#include "limber/file.h"
#include "scene/body.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scene_keys[] = { "limber", "gravity", "bodies", "loads",
                                          "probes", "time",    NULL };
static const char *const load_keys[] = { "body", "vertex", "force", "from", "to", NULL };
static const char *const probe_keys[] = { "body", "vertex", NULL };
static const char *const time_keys[] = {
  "step", "count", "integrator", "newton_iterations", "newton_tolerance", NULL
};

void lb_scene_destroy(lbScene *scene) {
  if (!scene) return;
  for (int32_t i = 0; i < scene->body_count; i++) lb_scene_release_body(&scene->bodies[i]);
  lb_free(scene->path);
  lb_free(scene->bodies);
  lb_free(scene->loads);
  lb_free(scene->probes);
  lb_free(scene);
}

// ---- reading -----------------------------------------------------------------------------------

static lbStatus read_instances(const lbField *body, int32_t *count, lbError *err) {
  lbField member = lb_field_member(body, "instances");
  *count = 1;
  return lb_field_integer(&member, 1, 10000, count, err);
}

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

static lbStatus read_bodies(const lbField *json, lbScene *scene, lbError *err) {
  if (!json_is_array(json->value) || json_array_size(json->value) == 0)
    return lb_field_fail(json, err, "must be a list with at least one body");
  size_t capacity = 0;
  for (size_t i = 0; i < json_array_size(json->value); i++) {
    lbField item = lb_field_item(json, i);
    int32_t instances;
    lbStatus status = read_instances(&item, &instances, err);
    for (int32_t k = 0; k < instances && !status; k++) {
      if (!lb_grow((void **)&scene->bodies, &capacity, (size_t)scene->body_count + 1,
                   sizeof(lbSceneBody)))
        return lb_fail_memory(err);
      if (!lb_progress("reading bodies", (double)k / instances))
        return lb_fail_interrupted(err, "reading bodies");
      status = lb_scene_read_body(&item, k, instances, &scene->bodies[scene->body_count++], err);
    }
    if (status) return status;
  }
  return check_names(json, scene, err);
}

// The "body" and "vertex" of a load or probe. A scene of one body need not name it.
static lbStatus read_point(const lbField *json, const lbScene *scene, int32_t *body,
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
  return status;
}

static lbStatus read_load(const lbField *json, const lbScene *scene, lbSceneLoad *load,
                          lbError *err) {
  *load = (lbSceneLoad){ .from = -INFINITY, .to = INFINITY };
  lbStatus status = lb_field_keys(json, load_keys, err);
  if (!status) status = read_point(json, scene, &load->body, &load->vertex, err);
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
    status = read_load(&item, scene, &scene->loads[scene->load_count++], err);
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
    if (!status) status = read_point(&item, scene, &probe->body, &probe->vertex, err);
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
  return status;
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
  member = lb_field_member(json, "time");
  if (!status) status = read_time(&member, scene, err);
  member = lb_field_member(json, "bodies");
  if (!status) status = read_bodies(&member, scene, err);
  member = lb_field_member(json, "loads");
  if (!status) status = read_loads(&member, scene, err);
  member = lb_field_member(json, "probes");
  if (!status) status = read_probes(&member, scene, err);
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
  scene->time_step = simulator.step;
  scene->integrator = simulator.integrator;
  scene->newton_iterations = simulator.newton_iterations;
  scene->newton_tolerance = simulator.newton_tolerance;
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
  status = load_mesh(path, defaults, scene, err);
  if (status)
    lb_scene_destroy(scene);
  else
    *out = scene;
  return status;
}

// ---- what the simulation asks ------------------------------------------------------------------

lbStatus lb_scene_fem(const lbSceneBody *body, lbFem **out, lbError *err) {
  lbFemDef def = lb_fem_def();
  char name[220];
  snprintf(name, sizeof name, "body \"%s\"", body->name);
  def.name = name;
  def.materials = body->materials;
  def.material_count = body->material_count;
  def.element_materials = body->element_materials;
  def.fixed = body->fixed;
  def.mass = body->mass;
  return lb_fem_create(body->mesh, &def, out, err);
}

int32_t lb_scene_vertex_count(const lbSceneBody *body) {
  return body->surface_ids ? body->surface->vertex_count : body->mesh->vertex_count;
}

static void add_load(const lbSceneBody *body, const lbSceneLoad *load, double *forces) {
  const lbEmbedding *e = body->embedding;
  if (!body->surface_ids) {
    for (int i = 0; i < 3; i++) forces[3 * (size_t)load->vertex + i] += load->force[i];
    return;
  }
  for (int32_t k = e->begin[load->vertex]; k < e->begin[load->vertex + 1]; k++)
    for (int i = 0; i < 3; i++)
      forces[3 * (size_t)e->nodes[k] + i] += e->weights[k] * load->force[i];
}

void lb_scene_forces(const lbScene *scene, int32_t body, const lbFem *fem, double t,
                     double *forces) {
  const double *masses = lb_fem_vertex_masses(fem);
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    for (int i = 0; i < 3; i++) forces[3 * (size_t)v + i] = masses[v] * scene->gravity[i];
  // End times are sums of steps: 3 x 0.1 must count as 0.3.
  double rounding = 1e-6 * scene->time_step;
  for (int32_t i = 0; i < scene->load_count; i++) {
    const lbSceneLoad *load = &scene->loads[i];
    if (load->body == body && load->from + rounding < t && t <= load->to + rounding)
      add_load(&scene->bodies[body], load, forces);
  }
}

void lb_scene_velocity(const lbSceneBody *body, const lbFem *fem, double *velocity) {
  const double *masses = lb_fem_vertex_masses(fem), *x = lb_fem_rest_positions(fem);
  const double *w = body->angular_velocity;
  double centre[3] = { 0 };
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    for (int i = 0; i < 3; i++)
      centre[i] += masses[v] / lb_fem_total_mass(fem) * x[3 * (size_t)v + i];
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      velocity[3 * (size_t)v + i] = body->linear_velocity[i] +
                                    w[j] * (x[3 * (size_t)v + k] - centre[k]) -
                                    w[k] * (x[3 * (size_t)v + j] - centre[j]);
    }
}

void lb_scene_vertex(const lbSceneBody *body, int32_t vertex, const double *displacement,
                     double rest[3], double moved[3]) {
  const lbMesh *mesh = body->surface_ids ? body->surface : body->mesh;
  const lbEmbedding *e = body->embedding;
  for (int i = 0; i < 3; i++) {
    rest[i] = mesh->positions[3 * (size_t)vertex + i];
    moved[i] = body->surface_ids ? 0 : displacement[3 * (size_t)vertex + i];
  }
  if (body->surface_ids)
    for (int32_t k = e->begin[vertex]; k < e->begin[vertex + 1]; k++)
      for (int i = 0; i < 3; i++)
        moved[i] += e->weights[k] * displacement[3 * (size_t)e->nodes[k] + i];
}
