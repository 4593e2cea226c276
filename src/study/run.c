// Simulating a scene: every body by its method, step after step, with probes and recorded frames.
#include "limber/run.h"

#include "limber/file.h"
#include "limber/export.h"
#include "mesh/io/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lbRunDef lb_run_def(void) { return (lbRunDef){ .step_count = -1 }; }

void lb_run_destroy(lbRun *run) {
  if (!run) return;
  for (int32_t i = 0; run->bodies && i < run->body_count; i++) {
    lb_mesh_destroy(run->bodies[i].boundary);
    lb_free(run->bodies[i].frames);
  }
  lb_free(run->bodies);
  lb_free(run->probes);
  lb_free(run->frame_times);
  lb_free(run);
}

// ---- one body while it runs --------------------------------------------------------------------

typedef struct Actor {
  lbFem *fem;
  lbSimulator *simulator;
  double *forces;            // full
  double *times;             // (step_count) s of wall time
  int32_t *surface_vertices; // mesh vertex of each surface vertex; NULL: by the embedding
  double *surface_moved;     // (surface vertices x 3)
} Actor;

static void release_actor(Actor *actor) {
  lb_simulator_destroy(actor->simulator);
  lb_fem_destroy(actor->fem);
  lb_free(actor->forces);
  lb_free(actor->times);
  lb_free(actor->surface_vertices);
  lb_free(actor->surface_moved);
}

static lbSimulatorDef simulator_def(const lbScene *scene, const lbSceneBody *body) {
  lbSimulatorDef def = lb_simulator_def();
  def.integrator = scene->integrator;
  def.step = scene->time_step;
  def.newton_iterations = scene->newton_iterations;
  def.newton_tolerance = scene->newton_tolerance;
  def.damping_mass = body->damping_mass;
  def.damping_stiffness = body->damping_stiffness;
  return def;
}

static lbStatus create_actor(lbRun *run, int32_t index, Actor *actor, lbError *err) {
  const lbScene *scene = run->scene;
  const lbSceneBody *body = &scene->bodies[index];
  if (body->method != LB_METHOD_FULL)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: body \"%s\": method \"%s\" is not in this version, use \"full\"",
                   scene->path, body->name, lb_method_name(body->method));
  lbStatus status = lb_scene_fem(body, &actor->fem, err);
  if (status) return status;
  size_t full = 3 * (size_t)lb_fem_vertex_count(actor->fem);
  double *velocity = lb_alloc(full, sizeof(double));
  actor->forces = lb_alloc(full, sizeof(double));
  actor->times = lb_alloc((size_t)run->step_count, sizeof(double));
  if (!velocity || !actor->forces || !actor->times) {
    lb_free(velocity);
    return lb_fail_memory(err);
  }
  lbSimulatorDef def = simulator_def(scene, body);
  lb_scene_velocity(body, actor->fem, velocity);
  lb_scene_forces(scene, index, actor->fem, 0, actor->forces);
  status =
      lb_simulator_create(actor->fem, &def, NULL, velocity, actor->forces, &actor->simulator, err);
  lb_free(velocity);
  return status;
}

static void step_actor(lbRun *run, int32_t index, Actor *actor, int32_t step) {
  lbRunBody *body = &run->bodies[index];
  lb_scene_forces(run->scene, index, actor->fem, (step + 1) * run->scene->time_step, actor->forces);
  double start = lb_seconds();
  int32_t flags = lb_simulator_step(actor->simulator, actor->forces);
  actor->times[step] = lb_seconds() - start;
  body->not_converged_count += (flags & LB_STEP_NOT_CONVERGED) != 0;
  body->nonfinite_count += (flags & LB_STEP_NONFINITE) != 0;
}

static void record_probes(lbRun *run, const Actor *actors, int32_t row) {
  for (int32_t i = 0; i < run->scene->probe_count; i++) {
    const lbSceneProbe *probe = &run->scene->probes[i];
    double rest[3];
    lb_scene_vertex(&run->scene->bodies[probe->body], probe->vertex,
                    lb_simulator_displacement(actors[probe->body].simulator), rest,
                    run->probes + 3 * ((size_t)row * (size_t)run->scene->probe_count + (size_t)i));
  }
}

// ---- frames ------------------------------------------------------------------------------------

// How many frames a run of this length and rate has, and at which step each is taken.
static int32_t frame_count(const lbRun *run, double rate) {
  return rate > 0 ? 1 + (int32_t)floor(run->step_count * run->scene->time_step * rate + 1e-9) : 0;
}

static int32_t frame_step(const lbRun *run, double rate, int32_t frame) {
  double step = round(frame / (rate * run->scene->time_step));
  return step < run->step_count ? (int32_t)step : run->step_count;
}

static lbStatus prepare_frames(lbRun *run, const lbRunDef *def, Actor *actors, lbError *err) {
  double rate = def->frame_rate, rate_max = 1 / run->scene->time_step;
  if (!(rate > 0)) return LB_OK;
  run->frame_count = frame_count(run, fmin(rate, rate_max));
  run->frame_times = lb_alloc((size_t)run->frame_count, sizeof(double));
  if (!run->frame_times) return lb_fail_memory(err);
  for (int32_t f = 0; f < run->frame_count; f++)
    run->frame_times[f] = frame_step(run, fmin(rate, rate_max), f) * run->scene->time_step;
  for (int32_t i = 0; i < run->body_count; i++) {
    lbRunBody *body = &run->bodies[i];
    const lbSceneBody *source = &run->scene->bodies[i];
    if (!source->surface) {
      lbStatus status =
          lb_mesh_surface(source->mesh, &body->boundary, &actors[i].surface_vertices, err);
      if (status) return status;
    }
    body->surface = source->surface ? source->surface : body->boundary;
    size_t values = 3 * (size_t)body->surface->vertex_count;
    body->frames = lb_alloc((size_t)run->frame_count, values * sizeof(float));
    actors[i].surface_moved = lb_alloc(values, sizeof(double));
    if (!body->frames || !actors[i].surface_moved) return lb_fail_memory(err);
  }
  return LB_OK;
}

static void record_frame(lbRun *run, const Actor *actors, int32_t frame) {
  for (int32_t i = 0; i < run->body_count; i++) {
    lbRunBody *body = &run->bodies[i];
    size_t count = (size_t)body->surface->vertex_count;
    const double *u = lb_simulator_displacement(actors[i].simulator);
    double *moved = actors[i].surface_moved;
    if (!actors[i].surface_vertices) lb_embedding_apply(run->scene->bodies[i].embedding, u, moved);
    for (size_t v = 0; v < count && actors[i].surface_vertices; v++)
      memcpy(moved + 3 * v, u + 3 * (size_t)actors[i].surface_vertices[v], 3 * sizeof(double));
    float *to = body->frames + (size_t)frame * 3 * count;
    for (size_t k = 0; k < 3 * count; k++) to[k] = (float)(body->surface->positions[k] + moved[k]);
  }
}

// ---- the run -----------------------------------------------------------------------------------

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void summarise(lbRun *run, Actor *actors) {
  for (int32_t i = 0; i < run->body_count; i++) {
    lbRunBody *body = &run->bodies[i];
    body->vertices = lb_fem_vertex_count(actors[i].fem);
    body->elements = lb_fem_element_count(actors[i].fem);
    body->dimension = 3 * lb_fem_node_count(actors[i].fem);
    body->mass = lb_fem_total_mass(actors[i].fem);
    body->state = lb_simulator_state(actors[i].simulator);
    int32_t n = run->step_count;
    if (n == 0) continue;
    qsort(actors[i].times, (size_t)n, sizeof(double), compare_times);
    body->step_median = actors[i].times[n / 2];
    body->step_p99 = actors[i].times[(int32_t)ceil(0.99 * n) - 1];
    body->step_max = actors[i].times[n - 1];
  }
}

static lbStatus run_steps(lbRun *run, Actor *actors, lbError *err) {
  int32_t frame = 0;
  double h = run->scene->time_step;
  for (int32_t step = 0;; step++) {
    record_probes(run, actors, step);
    if (frame < run->frame_count && step == (int32_t)round(run->frame_times[frame] / h))
      record_frame(run, actors, frame++);
    if (step == run->step_count) return LB_OK;
    if (!lb_progress("run", (double)step / run->step_count)) return lb_fail_interrupted(err, "run");
    for (int32_t i = 0; i < run->body_count; i++) step_actor(run, i, &actors[i], step);
  }
}

lbStatus lb_run(const lbScene *scene, const lbRunDef *def, lbRun **out, lbError *err) {
  lbRun *run = lb_alloc(1, sizeof *run);
  if (!run) return lb_fail_memory(err);
  run->scene = scene;
  run->step_count = def->step_count >= 0 ? def->step_count : scene->step_count;
  run->time = run->step_count * scene->time_step;
  run->body_count = scene->body_count;
  run->bodies = lb_alloc((size_t)scene->body_count, sizeof(lbRunBody));
  run->probes =
      lb_alloc(((size_t)run->step_count + 1) * (size_t)scene->probe_count, 3 * sizeof(double));
  Actor *actors = lb_alloc((size_t)scene->body_count, sizeof(Actor));
  lbStatus status = run->bodies && run->probes && actors ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < scene->body_count && !status; i++)
    status = create_actor(run, i, &actors[i], err);
  if (!status) status = prepare_frames(run, def, actors, err);
  if (!status) status = run_steps(run, actors, err);
  if (!status) summarise(run, actors);
  for (int32_t i = 0; actors && i < scene->body_count; i++) release_actor(&actors[i]);
  lb_free(actors);
  if (status)
    lb_run_destroy(run);
  else
    *out = run;
  return status;
}

// ---- files -------------------------------------------------------------------------------------

lbStatus lb_run_write_probes(const lbRun *run, const char *path, lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  size_t count = (size_t)run->scene->probe_count;
  fprintf(writer.stream, "t");
  for (size_t i = 0; i < count; i++) fprintf(writer.stream, ",dx,dy,dz");
  fprintf(writer.stream, "\n");
  for (int32_t row = 0; row <= run->step_count; row++) {
    lb_print_number(writer.stream, row * run->scene->time_step, 15);
    for (size_t k = 0; k < 3 * count; k++) {
      fputc(',', writer.stream);
      lb_print_number(writer.stream, run->probes[(size_t)row * 3 * count + k], 15);
    }
    fprintf(writer.stream, "\n");
  }
  return lb_file_commit(&writer, err);
}

lbStatus lb_run_write_animation(const lbRun *run, const char *path, double *max_error,
                                lbError *err) {
  size_t count = (size_t)run->body_count;
  lbAnimationBody *bodies = lb_alloc(count, sizeof *bodies);
  lbAnimationInfo *info = lb_alloc(count, sizeof *info);
  lbStatus status = bodies && info ? LB_OK : lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++)
    bodies[i] = (lbAnimationBody){ .name = run->scene->bodies[i].name,
                                   .surface = run->bodies[i].surface,
                                   .frames = run->bodies[i].frames };
  lbAnimationDef def = lb_animation_def();
  def.frame_count = run->frame_count;
  def.times = run->frame_times;
  if (!status) status = lb_animation_write(path, bodies, (int32_t)count, &def, info, err);
  if (max_error) *max_error = 0;
  for (size_t i = 0; i < count && !status && max_error; i++)
    *max_error = fmax(*max_error, info[i].max_error);
  lb_free(bodies);
  lb_free(info);
  return status;
}
