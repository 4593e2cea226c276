// Simulating a scene: every body by its method, step after step, with probes and recorded frames.
#include "limber/run.h"

#include "full/full.h"
#include "study/actor.h"
#include "study/run_contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lbRunDef lb_run_def(void) { return (lbRunDef){ .step_count = -1 }; }

void lb_run_destroy(lbRun *run) {
  if (!run) return;
  for (int32_t i = 0; run->bodies && i < run->body_count; i++) {
    lb_free(run->bodies[i].frames);
    lb_free(run->bodies[i].displacements);
    lb_free(run->bodies[i].joints);
    lb_free(run->bodies[i].coordinates);
    lb_free(run->bodies[i].placements);
  }
  for (int32_t i = 0; run->owned_ && i < run->owned_count; i++) {
    lb_model_destroy(run->owned_[i].model);
    lb_mesh_destroy(run->owned_[i].surface);
    lb_mesh_destroy(run->owned_[i].volume);
    lb_free(run->owned_[i].shapes);
  }
  lb_free(run->owned_);
  lb_free(run->bodies);
  lb_free(run->probes);
  lb_free(run->frame_times);
  lb_free(run->contacts);
  lb_free(run->joints);
  lb_free(run->events);
  lb_free(run);
}

// ---- the cast ----------------------------------------------------------------------------------

typedef struct Cast {
  lbWorld *world;
  lbActor *actors;
  int32_t count;
  int32_t *members; // (bodies), by actor
  lbRunContacts contacts;
} Cast;

static void release_cast(Cast *cast) {
  for (int32_t i = 0; cast->actors && i < cast->count; i++) {
    lb_actor_release(&cast->actors[i]);
    lb_free(cast->actors[i].times);
  }
  lb_run_release_contacts(&cast->contacts);
  lb_world_destroy(cast->world);
  lb_free(cast->actors);
  lb_free(cast->members);
}

// Numbers the actors: twins of one method have one in common, every other body has its own.
static int32_t group_bodies(const lbScene *scene, int32_t *groups) {
  int32_t count = 0;
  for (int32_t i = 0; i < scene->body_count; i++) {
    const lbSceneBody *body = &scene->bodies[i];
    bool joins = body->twin >= 0 && scene->bodies[body->twin].method == body->method;
    groups[i] = joins ? groups[body->twin] : count++;
  }
  return count;
}

static lbStatus allocate_cast(lbRun *run, const int32_t *groups, int32_t count, Cast *cast,
                              lbError *err) {
  cast->actors = lb_alloc((size_t)count, sizeof(lbActor));
  cast->members = lb_alloc((size_t)run->body_count, sizeof(int32_t));
  run->owned_ = lb_alloc((size_t)count, sizeof *run->owned_);
  if (!cast->actors || !cast->members || !run->owned_) return lb_fail_memory(err);
  cast->count = run->owned_count = count;
  for (int32_t i = 0; i < run->body_count; i++) cast->actors[groups[i]].count++;
  int32_t begin = 0;
  for (int32_t a = 0; a < count; a++) {
    lbActor *actor = &cast->actors[a];
    actor->run = run;
    actor->world = cast->world;
    actor->owned = &run->owned_[a];
    actor->bodies = cast->members + begin;
    actor->times = lb_alloc((size_t)run->step_count, sizeof(double));
    if (!actor->times) return lb_fail_memory(err);
    begin += actor->count;
    actor->count = 0;
  }
  for (int32_t i = 0; i < run->body_count; i++) {
    lbActor *actor = &cast->actors[groups[i]];
    cast->members[actor->bodies - cast->members + actor->count++] = i;
  }
  return LB_OK;
}

static lbStatus create_cast(lbRun *run, Cast *cast, lbError *err) {
  int32_t *groups = lb_alloc((size_t)run->body_count, sizeof *groups);
  if (!groups) return lb_fail_memory(err);
  int32_t count = group_bodies(run->scene, groups);
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = lb_vec3_load(run->scene->gravity);
  settings.contact = run->scene->contact;
  settings.friction = run->scene->contact_material.friction;
  settings.compliance = run->scene->contact_material.compliance;
  settings.restitution = run->scene->contact_material.restitution;
  settings.rolling_friction = run->scene->contact_material.rolling_friction;
  settings.substeps = run->scene->substeps;
  settings.substeps_max = run->scene->substeps_max;
  settings.self = run->scene->self;
  settings.contacts_most = LB_SCENE_CONTACTS_MOST;
  lbStatus status = lb_world_create(&settings, &cast->world, err);
  if (!status) status = allocate_cast(run, groups, count, cast, err);
  lb_free(groups);
  cast->contacts = (lbRunContacts){ .run = run,
                                    .world = cast->world,
                                    .bodies = lb_alloc((size_t)run->body_count, sizeof(lbBodyId)) };
  if (!status && !cast->contacts.bodies) status = lb_fail_memory(err);
  for (int32_t a = 0; a < count && !status; a++) {
    lbActor *actor = &cast->actors[a];
    actor->ids = cast->contacts.bodies;
    if (!lb_progress("making bodies", (double)a / count))
      return lb_fail_interrupted(err, "making bodies");
    status = lb_actor_create(actor, err);
  }
  if (!status) status = lb_run_add_colliders(&cast->contacts, err);
  return status ? status : lb_run_add_joints(&cast->contacts, err);
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

static lbStatus prepare_frames(lbRun *run, const lbRunDef *def, Cast *cast, lbError *err) {
  double rate = fmin(def->frame_rate, 1 / run->scene->time_step);
  if (!(rate > 0)) return LB_OK;
  run->frame_rate = rate;
  run->frame_count = frame_count(run, rate);
  run->frame_times = lb_alloc((size_t)run->frame_count, sizeof(double));
  if (!run->frame_times) return lb_fail_memory(err);
  for (int32_t f = 0; f < run->frame_count; f++)
    run->frame_times[f] = frame_step(run, rate, f) * run->scene->time_step;
  lbStatus status = LB_OK;
  for (int32_t a = 0; a < cast->count && !status; a++)
    status = lb_actor_begin_frames(&cast->actors[a], def->volume_frames, err);
  return status;
}

void lb_run_place(const lbRunBody *body, int32_t frame, const double own[3], double world[3]) {
  const double *p = body->placements + 7 * (size_t)frame, *q = p + 3;
  lbVec3 turned = lb_quat_rotate(lb_quat(q[0], q[1], q[2], q[3]), lb_vec3_load(own));
  lb_vec3_store(world, lb_add(lb_vec3_load(p), turned));
}

void lb_run_frame(const lbRun *run, int32_t index, int32_t frame, float *positions) {
  const lbRunBody *body = &run->bodies[index];
  size_t count = (size_t)body->surface->vertex_count, shapes = (size_t)body->shape_count;
  const double *q = body->coordinates ? body->coordinates + shapes * (size_t)frame : NULL;
  for (size_t v = 0; v < count; v++) {
    double x[3], world[3];
    memcpy(x, body->surface->positions + 3 * v, sizeof x);
    for (size_t i = 0; i < 3 && body->frames; i++)
      x[i] = body->frames[3 * (count * (size_t)frame + v) + i];
    for (size_t k = 0; k < shapes; k++)
      for (size_t i = 0; i < 3; i++) x[i] += body->shapes[3 * (count * k + v) + i] * q[k];
    lb_run_place(body, frame, x, world);
    for (int i = 0; i < 3; i++) positions[3 * v + (size_t)i] = (float)world[i];
  }
}

// ---- the run -----------------------------------------------------------------------------------

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void summarise_actor(const lbActor *actor) {
  int32_t n = actor->run->step_count;
  lb_actor_report(actor);
  if (n == 0) return;
  qsort(actor->times, (size_t)n, sizeof(double), compare_times);
  for (int32_t i = 0; i < actor->count; i++) {
    lbRunBody *body = &actor->run->bodies[actor->bodies[i]];
    body->step_median = actor->times[n / 2];
    body->step_p99 = actor->times[(int32_t)ceil(0.99 * n) - 1];
    body->step_max = actor->times[n - 1];
  }
}

void lb_run_count_flags(lbRunBody *body, int32_t flags) {
  body->not_converged_count += (flags & LB_STEP_NOT_CONVERGED) != 0;
  body->nonfinite_count += (flags & (LB_STEP_NONFINITE | LB_STEP_REFUSED)) != 0;
  body->adapted_count += (flags & LB_STEP_ADAPTED) != 0;
  body->jumped_count += (flags & LB_STEP_JUMPED) != 0;
}

static lbStatus run_steps(lbRun *run, Cast *cast, lbError *err) {
  int32_t frame = 0;
  double h = run->scene->time_step;
  for (int32_t step = 0;; step++) {
    double *row = run->probes + 3 * (size_t)step * (size_t)run->scene->probe_count;
    bool shown = frame < run->frame_count && step == (int32_t)round(run->frame_times[frame] / h);
    for (int32_t a = 0; a < cast->count; a++) {
      lbActor *actor = &cast->actors[a];
      lb_actor_probe(actor, row);
      if (shown) lb_actor_record(actor, frame);
    }
    frame += shown;
    if (step == run->step_count) return LB_OK;
    if (!lb_progress("run", (double)step / run->step_count)) return lb_fail_interrupted(err, "run");
    lbStatus status = run->scene->contact ? lb_run_keep_start(&cast->contacts, err) : LB_OK;
    if (status) return status;
    int32_t flags = lb_world_step(cast->world, h);
    run->dropped_count += (flags & LB_STEP_CONTACTS_DROPPED) != 0;
    for (int32_t a = 0; a < cast->count; a++) lb_actor_step(&cast->actors[a], step);
    if (run->scene->contact) status = lb_run_watch_contacts(&cast->contacts, (step + 1) * h, err);
    if (!status) status = lb_run_watch_joints(&cast->contacts, (step + 1) * h, err);
    if (!status) status = lb_run_watch_sleep(&cast->contacts, (step + 1) * h, err);
    if (status) return status;
  }
}

lbStatus lb_run(const lbScene *scene, const lbRunDef *def, lbRun **out, lbError *err) {
  lbRun *run = lb_alloc(1, sizeof *run);
  if (!run) return lb_fail_memory(err);
  Cast cast = { 0 };
  lb_full_register(); // for callers that did not call lb_build_start
  run->scene = scene;
  run->step_count = def->step_count >= 0 ? def->step_count : scene->step_count;
  run->time = run->step_count * scene->time_step;
  run->body_count = scene->body_count;
  run->bodies = lb_alloc((size_t)scene->body_count, sizeof(lbRunBody));
  run->probes =
      lb_alloc(((size_t)run->step_count + 1) * (size_t)scene->probe_count, 3 * sizeof(double));
  lbStatus status = run->bodies && run->probes ? LB_OK : lb_fail_memory(err);
  double start = lb_seconds();
  if (!status) status = create_cast(run, &cast, err);
  run->make_seconds = lb_seconds() - start;
  if (!status) status = prepare_frames(run, def, &cast, err);
  if (!status) status = run_steps(run, &cast, err);
  for (int32_t a = 0; a < cast.count && !status; a++) summarise_actor(&cast.actors[a]);
  if (!status) status = lb_run_report_contacts(&cast.contacts, err);
  run->guard = lb_world_guard(cast.world);
  release_cast(&cast);
  if (status)
    lb_run_destroy(run);
  else
    *out = run;
  return status;
}
