// limber bench subspace: what bodies cost as an engine uses them: held, driven and free steps, a
// crowd, saved states, memory, the first pick and push of a further body.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 100, FIRSTS = 51 };

static const double time_step = 1e-3; // s

typedef struct BodyBench {
  const benchObject *object;
  benchTable *table;
  int32_t threads;
  const lbModel *model; // that rows are about now
  int32_t r;            // of its vectors, the first so many
} BodyBench;

static lbBodyDef body_def(const BodyBench *b, lbFrameKind frame) {
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_SUBSPACE;
  def.mode_count = b->r;
  def.frame = frame;
  return def;
}

static lbPoint tip(const lbModel *model) { return lb_point_vertex(model->size.vertex_count - 1); }

static benchRow *add_row(const BodyBench *b, const char *name, const char *key, const char *value,
                         const char *unit) {
  json_t *parameters = json_pack("{s:s, s:i}", "mesh", b->object->name, "r", (int)b->r);
  if (key) json_object_set_new(parameters, key, json_string(value));
  return bench_add(b->table, name, parameters, unit);
}

// ---- steps -------------------------------------------------------------------------------------

typedef struct StepWork {
  lbBody *body;
  lbBatch *batch;
  lbFrame frames[STEPS]; // of a driven body, one period
  void *state;
  size_t state_bytes;
} StepWork;

static void step_body(void *context) {
  StepWork *w = context;
  for (int i = 0; i < STEPS; i++) lb_body_step(w->body, time_step);
}

static void drive_body(void *context) {
  StepWork *w = context;
  for (int i = 0; i < STEPS; i++) {
    lb_body_drive(w->body, &w->frames[i]);
    lb_body_step(w->body, time_step);
  }
}

// Shaken by a millimetre and turned by a milliradian, ten times a second.
static void fill_frames(lbFrame *frames) {
  double speed = 2 * LB_PI / (STEPS * time_step), much = 1e-3;
  for (int i = 0; i < STEPS; i++) {
    double s = sin(2 * LB_PI * (i + 1) / STEPS), c = cos(2 * LB_PI * (i + 1) / STEPS);
    frames[i] = (lbFrame){ .position = lb_vec3(much * s, 0, 0),
                           .rotation = lb_quat_from_axis_angle(lb_vec3(0, 0, 1), much * s),
                           .linear_velocity = lb_vec3(much * speed * c, 0, 0),
                           .angular_velocity = lb_vec3(0, 0, much * speed * c) };
  }
}

static lbStatus bench_step(const BodyBench *b, lbFrameKind frame, const char *name, lbError *err) {
  StepWork w = { 0 };
  lbBodyDef def = body_def(b, frame);
  lbStatus status = lb_body_create(b->model, &def, &w.body, err);
  if (status) return status;
  benchRow *row = add_row(b, "subspace.step", "body", name, "us");
  if (row) {
    fill_frames(w.frames);
    lb_body_apply_impulse(w.body, tip(b->model), lb_vec3(0, 0, 1));
    if (frame == LB_FRAME_FREE) lb_body_set_velocity(w.body, lb_vec3(1, 0, 0), lb_vec3(1, 2, 3));
    bench_time(row, 1e6 / STEPS, frame == LB_FRAME_DRIVEN ? drive_body : step_body, &w);
    snprintf(row->note, sizeof row->note, "%s",
             frame == LB_FRAME_DRIVEN ? "lb_body_drive and a step of 1 ms"
             : frame == LB_FRAME_FREE ? "1 ms; thrown, spinning and bending"
                                      : "1 ms, after a push");
  }
  lb_body_destroy(w.body);
  return row ? LB_OK : lb_fail_memory(err);
}

// How many times the step of a held body that of a moving one takes, in turns.
static lbStatus bench_ratio(const BodyBench *b, lbFrameKind frame, const char *name, lbError *err) {
  enum { TURNS = 101 };
  StepWork held = { 0 }, moving = { 0 };
  double times[2][TURNS];
  lbBodyDef def = body_def(b, LB_FRAME_HELD);
  lbStatus status = lb_body_create(b->model, &def, &held.body, err);
  def.frame = frame;
  if (!status) status = lb_body_create(b->model, &def, &moving.body, err);
  benchRow *row = status ? NULL : add_row(b, "subspace.moving", "body", name, "x held");
  if (!status && !row) status = lb_fail_memory(err);
  if (row) {
    fill_frames(moving.frames);
    lb_body_apply_impulse(held.body, tip(b->model), lb_vec3(0, 0, 0.1));
    lb_body_apply_impulse(moving.body, tip(b->model), lb_vec3(0, 0, 0.1));
    if (frame == LB_FRAME_FREE)
      lb_body_set_velocity(moving.body, lb_vec3(1, 0, 0), lb_vec3(1, 2, 3));
    for (int i = 0; i < TURNS; i++) {
      double start = bench_seconds();
      step_body(&held);
      double middle = bench_seconds();
      (frame == LB_FRAME_DRIVEN ? drive_body : step_body)(&moving);
      times[0][i] = middle - start, times[1][i] = bench_seconds() - middle;
    }
    benchRow both[2];
    for (int k = 0; k < 2; k++) bench_set_times(&both[k], 1, times[k], TURNS);
    row->median = both[1].median / both[0].median, row->min = both[1].min / both[0].min;
    row->p99 = both[1].p99 / both[0].p99, row->max = both[1].max / both[0].max;
    row->repeats = TURNS;
    snprintf(row->note, sizeof row->note, "a step of 1 ms, in turns; medians and minima");
  }
  lb_body_destroy(held.body);
  lb_body_destroy(moving.body);
  return status;
}

// ---- crowds ------------------------------------------------------------------------------------

static void step_crowd(void *context) {
  StepWork *w = context;
  lb_batch_step(w->batch, time_step);
}

static lbStatus bench_crowd(const BodyBench *b, int32_t count, lbError *err) {
  StepWork w = { 0 };
  lbBatchDef def = lb_batch_def();
  def.body = body_def(b, LB_FRAME_HELD);
  def.body.constrained_points = 0;
  def.count = count;
  lbStatus status = lb_batch_create(b->model, &def, &w.batch, err);
  if (status) return status;
  benchRow *row = bench_add(b->table, "subspace.crowd",
                            json_pack("{s:s, s:i, s:i, s:i}", "mesh", b->object->name, "r",
                                      (int)b->r, "bodies", (int)count, "threads", (int)b->threads),
                            "us");
  if (row) {
    for (int32_t i = 0; i < count; i++)
      lb_body_apply_impulse(lb_batch_body(w.batch, i), tip(b->model),
                            lb_vec3(0.3 * sin(i), 0.3 * cos(i), 1));
    bench_time(row, 1e6 / count, step_crowd, &w);
    snprintf(row->note, sizeof row->note, "a body, of a batch's step of 1 ms");
  }
  lb_batch_destroy(w.batch);
  return row ? LB_OK : lb_fail_memory(err);
}

// ---- a further body ----------------------------------------------------------------------------

static void save(void *context) {
  StepWork *w = context;
  for (int i = 0; i < STEPS; i++) lb_body_save_state(w->body, w->state, w->state_bytes);
}

static lbStatus bench_state(const BodyBench *b, lbBody *body, lbError *err) {
  StepWork w = { .body = body, .state_bytes = lb_body_state_bytes(body) };
  w.state = lb_alloc(w.state_bytes, 1);
  benchRow *row = w.state ? add_row(b, "state.save", NULL, NULL, "us") : NULL;
  if (row) {
    bench_time(row, 1e6 / STEPS, save, &w);
    snprintf(row->note, sizeof row->note, "%zu bytes", w.state_bytes);
  }
  lb_free(w.state);
  return row ? LB_OK : lb_fail_memory(err);
}

static lbStatus bench_memory(const BodyBench *b, const lbBody *body, lbError *err) {
  benchRow *row = add_row(b, "body.memory", NULL, NULL, "B");
  if (!row) return lb_fail_memory(err);
  bench_set_value(row, (double)lb_body_bytes(body)), row->repeats = 1;
  snprintf(row->note, sizeof row->note, "of a further body, without what bodies share");
  return LB_OK;
}

static double seconds_of_pick(lbBody *body, lbVec3 place) {
  lbPick pick;
  bool hit;
  double start = bench_seconds();
  lb_body_pick(body, lb_add(place, lb_vec3(0, 0, 5)), lb_vec3(0, 0, -1), &pick, &hit);
  return bench_seconds() - start;
}

static double seconds_of_push(lbBody *body, lbVec3 place) {
  lbBall ball = { .centre = place, .radius = 0.02, .stiffness = 1e4 };
  double start = bench_seconds();
  lb_body_push_ball(body, &ball, time_step, NULL);
  return bench_seconds() - start;
}

// Of bodies that are made anew each time, beside one that lives on.
static lbStatus bench_first(const BodyBench *b, const char *name,
                            double (*work)(lbBody *body, lbVec3 place), lbError *err) {
  double times[FIRSTS];
  lbBodyDef def = body_def(b, LB_FRAME_HELD);
  lbVec3 place = lb_vec3_load(b->model->vertex_positions + 3 * (size_t)tip(b->model).index);
  for (int i = 0; i < FIRSTS; i++) {
    lbBody *body = NULL;
    lbStatus status = lb_body_create(b->model, &def, &body, err);
    if (status) return status;
    times[i] = work(body, place);
    lb_body_destroy(body);
  }
  benchRow *row = add_row(b, name, NULL, NULL, "us");
  if (!row) return lb_fail_memory(err);
  bench_set_times(row, 1e6, times, FIRSTS);
  snprintf(row->note, sizeof row->note, "a further body of the model; %d triangles",
           (int)b->model->size.triangle_count);
  return LB_OK;
}

static lbStatus bench_further(const BodyBench *b, lbError *err) {
  lbBody *first = NULL, *further = NULL;
  lbBodyDef def = body_def(b, LB_FRAME_HELD);
  lbStatus status = lb_body_create(b->model, &def, &first, err);
  if (!status) status = lb_body_create(b->model, &def, &further, err);
  if (!status && lb_body_prepare_queries(first))
    status = lb_fail(err, LB_ERR_NUMERIC, "%s", lb_body_message(first));
  if (!status) status = bench_state(b, further, err);
  if (!status) status = bench_memory(b, further, err);
  if (!status) status = bench_first(b, "body.first_pick", seconds_of_pick, err);
  if (!status) status = bench_first(b, "body.first_push", seconds_of_push, err);
  lb_body_destroy(further);
  lb_body_destroy(first);
  return status;
}

// ---- all of it ---------------------------------------------------------------------------------

lbStatus bench_held_bodies(const benchObject *object, const lbModel *model, int32_t r,
                           int32_t threads, benchTable *table, lbError *err) {
  BodyBench b = { object, table, threads, model, r };
  lbStatus status = bench_step(&b, LB_FRAME_HELD, "held", err);
  if (!status) status = bench_step(&b, LB_FRAME_DRIVEN, "driven", err);
  if (!status) status = bench_ratio(&b, LB_FRAME_DRIVEN, "driven", err);
  if (!status) status = bench_crowd(&b, 64, err);
  if (!status) status = bench_crowd(&b, 256, err);
  if (!status) status = bench_further(&b, err);
  return status;
}

lbStatus bench_free_body(const benchObject *object, const lbModel *model, int32_t r,
                         benchTable *table, lbError *err) {
  BodyBench b = { object, table, 1, model, r };
  lbStatus status = bench_step(&b, LB_FRAME_FREE, "free", err);
  return status ? status : bench_ratio(&b, LB_FRAME_FREE, "free", err);
}
