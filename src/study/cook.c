// Cooking a scene: its models, each once, and the world they stand in, in memory or in one file.
#include "limber/cook.h"

#include "limber/build_model.h"
#include "reduce/store_paths.h"
#include "study/cook_contact.h"
#include "study/recording.h"
#include "study/single.h"
#include "study/start.h"

#include <string.h>

typedef struct Cooking {
  const lbScene *scene;
  bool record;      // unreduced bodies get recordings, and so a model each
  lbModel **models; // (model_count), made here
  int32_t model_count;
  int32_t *body_models; // (bodies)
  lbStart *starts;      // (bodies)
  lbPath **body_paths;  // (bodies): of the frames of recorded free bodies, made here; others NULL
  lbArena arena;        // the world's arrays
  lbWorldDef world;
  int32_t integrator;
} Cooking;

static void release_cooking(Cooking *c) {
  for (int32_t i = 0; c->models && i < c->model_count; i++) lb_model_destroy(c->models[i]);
  for (int32_t i = 0; c->body_paths && i < c->scene->body_count; i++)
    lb_path_destroy(c->body_paths[i]);
  for (int32_t i = 0; c->starts && i < c->scene->body_count; i++) lb_start_release(&c->starts[i]);
  lb_free(c->models);
  lb_free(c->starts);
  lb_free(c->body_paths);
  lb_arena_release(&c->arena);
}

// ---- models ------------------------------------------------------------------------------------

static bool is_recorded_here(const Cooking *c, const lbSceneBody *body) {
  return c->record && body->method == LB_METHOD_FULL && !body->model;
}

// Twins share a model where they also share the method; the motion of recorded ones is their own.
static bool shares_model(const Cooking *c, const lbSceneBody *body) {
  return body->twin >= 0 && !is_recorded_here(c, body) &&
         (body->model || c->scene->bodies[body->twin].method == body->method);
}

static lbStatus make_cook_model(Cooking *c, int32_t index, lbModel **model, lbError *err) {
  const lbSceneBody *body = &c->scene->bodies[index];
  bool unreduced = body->method == LB_METHOD_FULL || body->method == LB_METHOD_RECORDED;
  if (!unreduced) return lb_scene_model(body, model, err);
  if (c->record && body->model && !lb_model_has(body->model, LB_METHOD_RECORDED))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: body \"%s\" has the method \"%s\" and a model without a recording: cook "
                   "the scene that has its mesh",
                   c->scene->path, body->name, lb_method_name(body->method));
  if (is_recorded_here(c, body) && c->scene->contact && !body->untouchable)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: body \"%s\" has the method \"full\", of which a file has a recording, and "
                   "recordings touch nothing: give it another method, or \"contact\": false",
                   c->scene->path, body->name);
  lbStatus status = lb_scene_full_model(body, model, err);
  if (status || !is_recorded_here(c, body)) return status;
  return lb_record_body(c->scene, index, model, &c->body_paths[index], err);
}

static lbStatus gather_models(Cooking *c, lbError *err) {
  const lbScene *scene = c->scene;
  size_t count = (size_t)scene->body_count;
  c->body_models = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  c->models = lb_alloc(count, sizeof *c->models);
  c->body_paths = lb_alloc(count, sizeof *c->body_paths);
  c->starts = lb_alloc(count, sizeof *c->starts);
  if (!c->models || !c->body_models || !c->body_paths || !c->starts) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < scene->body_count && !status; i++) {
    const lbSceneBody *body = &scene->bodies[i];
    bool shares = shares_model(c, body);
    c->body_models[i] = shares ? c->body_models[body->twin] : c->model_count;
    if (!shares) status = make_cook_model(c, i, &c->models[c->model_count++], err);
  }
  return status;
}

// ---- the world ---------------------------------------------------------------------------------

static char *join_cook_names(Cooking *c) {
  size_t bytes = 0;
  for (int32_t i = 0; i < c->scene->body_count; i++) bytes += strlen(c->scene->bodies[i].name) + 1;
  char *texts = lb_arena_alloc(&c->arena, bytes, 1), *next = texts;
  for (int32_t i = 0; texts && i < c->scene->body_count; i++) {
    size_t length = strlen(c->scene->bodies[i].name) + 1;
    memcpy(next, c->scene->bodies[i].name, length);
    next += length;
  }
  return texts;
}

static lbStatus place_cook_bodies(Cooking *c, lbError *err) {
  size_t count = (size_t)c->scene->body_count;
  double *positions = lb_arena_alloc(&c->arena, count, 3 * sizeof(double));
  double *rotations = lb_arena_alloc(&c->arena, count, 4 * sizeof(double));
  double *linear = lb_arena_alloc(&c->arena, count, 3 * sizeof(double));
  double *angular = lb_arena_alloc(&c->arena, count, 3 * sizeof(double));
  int32_t *methods = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  char *names = join_cook_names(c);
  if (!positions || !rotations || !linear || !angular || !methods || !names)
    return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    const lbSceneBody *body = &c->scene->bodies[i];
    lbStart *start = &c->starts[i];
    lbStatus status = lb_start_find(c->scene, body, c->models[c->body_models[i]], start, err);
    if (status) return status;
    const double q[4] = { start->rotation.x, start->rotation.y, start->rotation.z,
                          start->rotation.w };
    lb_vec3_store(positions + 3 * i, start->position);
    memcpy(rotations + 4 * i, q, sizeof q);
    c->world.size.shape_count += start->coordinates != NULL;
    c->world.size.shape_number_count += start->dimension;
    memcpy(linear + 3 * i, body->linear_velocity, sizeof body->linear_velocity);
    memcpy(angular + 3 * i, body->angular_velocity, sizeof body->angular_velocity);
    bool recorded = c->record && body->method == LB_METHOD_FULL;
    methods[i] = lb_method_code(recorded ? LB_METHOD_RECORDED : body->method);
  }
  c->world.size.body_count = c->scene->body_count;
  c->world.body_names = names;
  c->world.body_models = c->body_models;
  c->world.body_methods = methods;
  c->world.body_positions = positions;
  c->world.body_rotations = rotations;
  c->world.body_linear_velocities = linear;
  c->world.body_angular_velocities = angular;
  return LB_OK;
}

static lbStatus place_shapes(Cooking *c, lbError *err) {
  const lbWorldSizes *size = &c->world.size;
  int32_t *bodies = lb_arena_alloc(&c->arena, (size_t)size->shape_count, sizeof *bodies), shape = 0;
  double *numbers = lb_arena_alloc(&c->arena, (size_t)size->shape_number_count, sizeof *numbers);
  if (size->shape_count == 0) return LB_OK;
  if (!bodies || !numbers) return lb_fail_memory(err);
  c->world.shape_bodies = bodies;
  c->world.shape_coordinates = numbers;
  for (int32_t i = 0; i < c->scene->body_count; i++) {
    const lbStart *start = &c->starts[i];
    if (!start->coordinates) continue;
    bodies[shape++] = i;
    memcpy(numbers, start->coordinates, (size_t)start->dimension * sizeof *numbers);
    numbers += start->dimension;
  }
  return LB_OK;
}

// ---- motions -----------------------------------------------------------------------------------

// The scene's paths, then those that were recorded; their number.
static int32_t list_paths(const Cooking *c, const lbPath **paths) {
  int32_t count = c->scene->path_count;
  for (int32_t i = 0; i < count; i++) paths[i] = c->scene->paths[i];
  for (int32_t b = 0; b < c->scene->body_count; b++)
    if (c->body_paths[b]) paths[count++] = c->body_paths[b];
  for (int32_t b = 0; b < c->scene->body_count; b++)
    for (int32_t k = 0; k < c->scene->bodies[b].joint_path_count; k++)
      paths[count++] = c->scene->bodies[b].joint_paths[k];
  return count;
}

// Paths of the frames of a body: its own, or those of the body whose model it shares.
static const lbSceneBody *leader_of(const Cooking *c, int32_t body) {
  const lbSceneBody *own = &c->scene->bodies[body];
  return own->twin >= 0 ? &c->scene->bodies[own->twin] : own;
}

static int32_t index_of(const lbPath *path, const lbPath *const *paths, int32_t count) {
  int32_t i = count - 1;
  while (i >= 0 && paths[i] != path) i--;
  return i;
}

static lbStatus place_cook_leads(Cooking *c, const lbPath *const *paths, int32_t count,
                                 lbError *err) {
  size_t leads = 0, at = 0;
  for (int32_t b = 0; b < c->scene->body_count; b++)
    leads += (size_t)leader_of(c, b)->joint_path_count;
  if (leads == 0) return LB_OK;
  int32_t *bodies = lb_arena_alloc(&c->arena, leads, sizeof *bodies);
  int32_t *frames = lb_arena_alloc(&c->arena, leads, sizeof *frames);
  int32_t *followed = lb_arena_alloc(&c->arena, leads, sizeof *followed);
  double *arms = lb_arena_alloc(&c->arena, leads, 3 * sizeof *arms);
  if (!bodies || !frames || !followed || !arms) return lb_fail_memory(err);
  for (int32_t b = 0; b < c->scene->body_count; b++) {
    const lbSceneBody *leader = leader_of(c, b);
    const lbModel *model = c->models[c->body_models[b]];
    for (int32_t k = 0; k < leader->joint_path_count; k++, at++) {
      const double *rest = model->frame_poses + 7 * (size_t)leader->joint_numbers[k];
      bodies[at] = b, frames[at] = leader->joint_numbers[k];
      followed[at] = index_of(leader->joint_paths[k], paths, count);
      for (size_t i = 0; i < 3; i++) arms[3 * at + i] = leader->joints_move_space ? rest[i] : 0;
    }
  }
  c->world.size.lead_count = (int32_t)leads;
  c->world.lead_bodies = bodies;
  c->world.lead_frames = frames;
  c->world.lead_paths = followed;
  c->world.lead_arms = arms;
  return LB_OK;
}

// Which of them a body follows; -1: none.
static int32_t find_cook_path(const Cooking *c, int32_t body, const lbPath *const *paths,
                              int32_t count) {
  const lbPath *own = c->body_paths[body] ? c->body_paths[body] : c->scene->bodies[body].motion;
  for (int32_t i = count - 1; i >= 0; i--)
    if (paths[i] == own) return i;
  return -1;
}

static lbStatus fill_paths(Cooking *c, const lbPath *const *paths, int32_t count, lbError *err) {
  lbStoredPaths a;
  lbError why = { 0 };
  lbStatus status = lb_paths_store(paths, count, &c->arena, &a, &why);
  if (status) return lb_fail(err, status, "%s: %s", c->scene->path, why.text);
  int32_t *bodies = lb_arena_alloc(&c->arena, (size_t)c->scene->body_count, sizeof(int32_t));
  if (!bodies) return lb_fail_memory(err);
  for (int32_t b = 0; b < c->scene->body_count; b++) bodies[b] = find_cook_path(c, b, paths, count);
  lbWorldDef *w = &c->world;
  w->size.path_count = count;
  w->size.path_key_count = a.key_count;
  w->body_paths = bodies;
  w->path_begin = a.begin;
  w->path_interpolations = a.interpolations;
  w->path_cycles = a.cycles;
  w->path_parts = a.parts;
  w->path_times = a.times;
  w->path_positions = a.positions;
  w->path_rotations = a.rotations;
  w->path_position_tangents = a.position_tangents;
  w->path_rotation_tangents = a.rotation_tangents;
  return LB_OK;
}

static lbStatus place_paths(Cooking *c, lbError *err) {
  size_t most = (size_t)c->scene->path_count + (size_t)c->scene->body_count;
  for (int32_t b = 0; b < c->scene->body_count; b++)
    most += (size_t)c->scene->bodies[b].joint_path_count;
  const lbPath **paths = lb_alloc(most, sizeof *paths);
  if (!paths) return lb_fail_memory(err);
  int32_t count = list_paths(c, paths);
  lbStatus status = count ? fill_paths(c, paths, count, err) : LB_OK;
  if (!status) status = place_cook_leads(c, paths, count, err);
  lb_free(paths);
  return status;
}

// ---- loads and probes --------------------------------------------------------------------------

static lbStatus find_cook_point(const Cooking *c, const char *what, size_t number, int32_t body,
                                int32_t vertex, int32_t *kind, int32_t *point, lbError *err) {
  lbPointKind found;
  if (!lb_scene_point(&c->scene->bodies[body], c->models[c->body_models[body]], vertex, &found,
                      point))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: %s %d: the model of body \"%s\" has no vertex %d",
                   c->scene->path, what, (int)number, c->scene->bodies[body].name, (int)vertex);
  *kind = (int32_t)found;
  return LB_OK;
}

static lbStatus place_cook_loads(Cooking *c, lbError *err) {
  size_t count = (size_t)c->scene->load_count;
  int32_t *bodies = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  int32_t *kinds = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  int32_t *points = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  double *forces = lb_arena_alloc(&c->arena, count, 3 * sizeof(double));
  double *times = lb_arena_alloc(&c->arena, count, 2 * sizeof(double));
  lbStatus status = bodies && kinds && points && forces && times ? LB_OK : lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    const lbSceneLoad *load = &c->scene->loads[i];
    bodies[i] = load->body;
    memcpy(forces + 3 * i, load->force, sizeof load->force);
    times[2 * i] = load->from;
    times[2 * i + 1] = load->to;
    status = find_cook_point(c, "load", i, load->body, load->vertex, &kinds[i], &points[i], err);
  }
  c->world.size.load_count = c->scene->load_count;
  c->world.load_bodies = bodies;
  c->world.load_kinds = kinds;
  c->world.load_points = points;
  c->world.load_forces = forces;
  c->world.load_times = times;
  return status;
}

static lbStatus place_cook_attachments(Cooking *c, lbError *err) {
  size_t count = (size_t)c->scene->attachment_count;
  int32_t *bodies = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  int32_t *kinds = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  int32_t *points = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  int32_t *paths = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  double *springs = lb_arena_alloc(&c->arena, count, 2 * sizeof(double));
  double *times = lb_arena_alloc(&c->arena, count, 2 * sizeof(double));
  bool complete = bodies && kinds && points && paths && springs && times;
  lbStatus status = complete ? LB_OK : lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    const lbSceneAttachment *at = &c->scene->attachments[i];
    bodies[i] = at->body;
    paths[i] = lb_cook_path_index(c->scene, at->path);
    springs[2 * i] = at->stiffness, springs[2 * i + 1] = at->damping;
    times[2 * i] = at->from, times[2 * i + 1] = at->to;
    status = find_cook_point(c, "attachment", i, at->body, at->vertex, &kinds[i], &points[i], err);
  }
  c->world.size.attachment_count = c->scene->attachment_count;
  c->world.attachment_bodies = bodies;
  c->world.attachment_kinds = kinds;
  c->world.attachment_points = points;
  c->world.attachment_paths = paths;
  c->world.attachment_springs = springs;
  c->world.attachment_times = times;
  return status;
}

static lbStatus place_probes(Cooking *c, lbError *err) {
  size_t count = (size_t)c->scene->probe_count;
  int32_t *bodies = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  int32_t *kinds = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  int32_t *points = lb_arena_alloc(&c->arena, count, sizeof(int32_t));
  lbStatus status = bodies && kinds && points ? LB_OK : lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    const lbSceneProbe *probe = &c->scene->probes[i];
    bodies[i] = probe->body;
    status = find_cook_point(c, "probe", i, probe->body, probe->vertex, &kinds[i], &points[i], err);
  }
  c->world.size.probe_count = c->scene->probe_count;
  c->world.probe_bodies = bodies;
  c->world.probe_kinds = kinds;
  c->world.probe_points = points;
  return status;
}

static lbStatus place_cook_joints(Cooking *c, lbError *err) {
  size_t count = (size_t)c->scene->body_count;
  const lbModel **models = lb_alloc(count, sizeof *models);
  if (!models) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) models[i] = c->models[c->body_models[i]];
  lbStatus status = lb_cook_joints(c->scene, models, &c->arena, &c->world, err);
  lb_free(models);
  return status;
}

// ---- settings for viewers and simulators -------------------------------------------------------

static const int32_t one = 1;

// Only settings that differ from the defaults, so that old programs can read the file.
static void list_unusual_settings(Cooking *c) {
  const lbScene *scene = c->scene;
  const lbSceneView *view = &scene->view;
  lbSimulatorDef usual = lb_simulator_def();
  lbWorldDef *w = &c->world;
  w->gravity = scene->gravity;
  w->time_step = &scene->time_step;
  w->step_count = &scene->step_count;
  w->title = scene->title;
  w->hint = scene->hint;
  if (view->placed) w->view_from = view->from, w->view_at = view->at;
  if (view->fov != LB_VIEW_FOV) w->view_fov = &view->fov;
  if (view->ground == LB_GROUND_HEIGHT) w->ground = &view->ground_height;
  if (view->ground == LB_GROUND_NONE) w->no_ground = &one;
  c->integrator = (int32_t)scene->integrator;
  if (scene->integrator != usual.integrator) w->integrator = &c->integrator;
  if (scene->newton_iterations != usual.newton_iterations)
    w->newton_iterations = &scene->newton_iterations;
  if (scene->newton_tolerance != usual.newton_tolerance)
    w->newton_tolerance = &scene->newton_tolerance;
  if (scene->substeps_max != lb_world_settings().substeps_max)
    w->substeps_max = &scene->substeps_max;
}

// ---- cooking -----------------------------------------------------------------------------------

static lbStatus prepare_cooking(Cooking *c, lbError *err) {
  list_unusual_settings(c);
  lbStatus status = gather_models(c, err);
  if (!status) status = place_cook_bodies(c, err);
  if (!status) status = place_shapes(c, err);
  if (!status) status = place_paths(c, err);
  if (!status) status = place_cook_loads(c, err);
  if (!status) status = place_cook_attachments(c, err);
  if (!status) status = place_probes(c, err);
  if (!status) status = place_cook_joints(c, err);
  return status ? status : lb_cook_contact(c->scene, &c->arena, &c->world, err);
}

lbStatus lb_scene_bundle(const lbScene *scene, lbBundle **out, lbError *err) {
  Cooking c = { .scene = scene };
  lbStatus status = prepare_cooking(&c, err);
  if (!status) status = lb_bundle_create(c.models, c.model_count, &c.world, out, err);
  if (!status) c.model_count = 0; // the bundle has them
  release_cooking(&c);
  return status;
}

lbCookDef lb_cook_def(void) { return (lbCookDef){ 0 }; }

// With an empty viewable part.
static lbStatus save_bare(Cooking *c, const char *path, lbError *err) {
  lbBundle *bundle = NULL;
  lbStatus status = lb_bundle_create(c->models, c->model_count, &c->world, &bundle, err);
  if (status) return status;
  c->model_count = 0; // the bundle has them
  status = lb_bundle_save(bundle, path, err);
  lb_bundle_destroy(bundle);
  return status;
}

static lbCookReport report_on(const Cooking *c) {
  const lbScene *scene = c->scene;
  lbCookReport report = { .model_count = c->model_count,
                          .body_count = scene->body_count,
                          .load_count = scene->load_count,
                          .probe_count = scene->probe_count };
  for (int32_t i = 0; i < scene->body_count; i++)
    report.recorded_count += lb_world_method(&c->world, i) == LB_METHOD_RECORDED;
  return report;
}

lbStatus lb_scene_cook_with(const lbScene *scene, const lbCookDef *def, const char *path,
                            lbCookReport *report, lbError *err) {
  Cooking c = { .scene = scene, .record = true };
  lbCookReport found = { 0 };
  lbStatus status = prepare_cooking(&c, err);
  for (int32_t i = 0; i < c.model_count && def->single && !status; i++)
    status = lb_model_round(&c.models[i], err);
  if (!status && !lb_progress("cook", 1)) status = lb_fail_interrupted(err, "cook");
  if (!status) found = report_on(&c);
  if (!status)
    status = def->bare ? save_bare(&c, path, err)
                       : lb_build_save((const lbModel *const *)c.models, c.model_count, &c.world,
                                       path, err);
  if (!status && report) *report = found;
  release_cooking(&c);
  return status;
}

lbStatus lb_scene_cook(const lbScene *scene, const char *path, lbCookReport *report, lbError *err) {
  lbCookDef def = lb_cook_def();
  return lb_scene_cook_with(scene, &def, path, report, err);
}
