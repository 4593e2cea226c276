// limber bench frames: steps of a turtle with seven frames and with two, by samples and by springs,
// what its weights, its surface and a frame more take; bars beside the unreduced ones.
#include "bench/bench.h"
#include "bench/frames_bars.h"
#include "bench/subject.h"
#include "limber/frames.h"

#include <stdio.h>

enum { STEPS = 20, SURFACE_SEGMENTS = 370 };

static lbMaterial soft(double young, double poisson) {
  lbMaterial material = lb_material();
  material.young = young, material.poisson = poisson;
  return material;
}

// ---- steps -------------------------------------------------------------------------------------

static void step_body(void *context) {
  for (int i = 0; i < STEPS; i++) lb_body_step(context, 0.01);
}

// What a row of steps is measured on.
typedef struct Stepping {
  int32_t frames, samples;
  bool springs;
  int32_t kept; // samples by cubature; 0: all
  double limit; // us
} Stepping;

static const char *name_of(const Stepping *x) {
  return x->springs ? "frames.springs" : x->kept ? "frames.reduced" : "frames.step";
}

static lbStatus bench_steps(const benchSubject *s, bool held, Stepping x, benchTable *table,
                            lbError *err) {
  lbModel *model = NULL;
  lbBody *body = NULL;
  lbReduceDef reduce = lb_reduce_def();
  lbFramesDef def = lb_frames_def();
  lbBodyDef body_def = lb_body_def();
  benchRow *row = NULL;
  int32_t moving = 0;
  def.count = x.frames, def.samples = x.samples, def.sample_limit = x.kept;
  if (x.springs) def.forces = LB_FRAME_SPRINGS;
  if (held) body_def.gravity = lb_vec3(0, 0, -9.81);
  lbStatus status = lb_reduce_frames(s->mesh, s->fem, &reduce, &def, &model, err);
  if (!status) status = lb_body_create(model, &body_def, &body, err);
  if (!status && !held)
    lb_body_apply_impulse(body, lb_point_node(0), lb_vec3(1, 2, 3)); // it turns and sways
  for (int32_t i = 0; i < x.frames && !status; i++) moving += !model->frame_fixed[i];
  if (!status) {
    json_t *parameters = json_pack("{s:i, s:i, s:s}", "frames", (int)x.frames, "samples",
                                   (int)(x.kept ? x.kept : model->size.sample_count), "body",
                                   held ? "held" : "free");
    row = bench_add(table, name_of(&x), parameters, "us");
    if (!row) status = lb_fail_memory(err);
  }
  if (row) {
    bench_time(row, 1e6 / STEPS, step_body, body);
    row->limit = x.limit;
    snprintf(row->note, sizeof row->note,
             "turtle, %d frames move, %.1f act at a sample, %d nodes, implicit Euler, 10 ms",
             (int)moving, (double)model->size.sample_entry_count / model->size.sample_count,
             (int)model->size.node_count);
  }
  lb_body_destroy(body);
  lb_model_destroy(model);
  return status;
}

typedef struct Weighing {
  const benchSubject *subject;
  lbFramesDef def;
  int32_t samples;
} Weighing;

static void make_weights(void *context) {
  Weighing *w = context;
  lbReduceDef reduce = lb_reduce_def();
  lbModel *model = NULL;
  if (lb_reduce_frames(w->subject->mesh, w->subject->fem, &reduce, &w->def, &model, NULL)) return;
  w->samples = model->size.sample_count;
  lb_model_destroy(model);
}

static lbStatus bench_weights(const benchSubject *s, benchTable *table, lbError *err) {
  Weighing w = { .subject = s, .def = lb_frames_def() };
  lbReduceDef reduce = lb_reduce_def();
  lbModel *model = NULL;
  double positions[3 * 7];
  lbStatus status = lb_reduce_frames(s->mesh, s->fem, &reduce, &w.def, &model, err);
  if (status) return status;
  for (int i = 0; i < 21; i++) positions[i] = model->frame_poses[7 * (i / 3) + i % 3];
  lb_model_destroy(model);
  w.def.samples = 15000, w.def.positions = positions;
  benchRow *row = bench_add(table, "frames.weights",
                            json_pack("{s:i, s:i}", "frames", 7, "samples", 15000), "s");
  if (!row) return lb_fail_memory(err);
  bench_time_long(row, 1, make_weights, &w);
  row->limit = 1;
  snprintf(row->note, sizeof row->note, "turtle, %d voxels: voxels, harmonic weights, model",
           (int)w.samples);
  return LB_OK;
}

// ---- skin and insertion ------------------------------------------------------------------------

typedef struct Toy {
  lbModel *model;
  lbBody *body;
  double *positions;
} Toy;

static lbStatus make_toy(const benchSubject *s, const lbMesh *surface, Toy *toy, lbError *err) {
  lbReduceDef reduce = lb_reduce_def();
  lbFramesDef def = lb_frames_def();
  lbBodyDef body = lb_body_def();
  lbEmbedding *embedding = NULL;
  def.samples = 2313;
  lbStatus status =
      surface ? lb_mesh_embed(s->mesh, surface->positions, surface->vertex_count, &embedding, err)
              : LB_OK;
  reduce.surface = surface, reduce.embedding = embedding;
  if (!status) status = lb_reduce_frames(s->mesh, s->fem, &reduce, &def, &toy->model, err);
  if (!status) status = lb_body_create(toy->model, &body, &toy->body, err);
  lb_embedding_destroy(embedding);
  return status;
}

static void release_toy(Toy *toy) {
  lb_body_destroy(toy->body);
  lb_model_destroy(toy->model);
  lb_free(toy->positions);
}

static void skin(void *context) {
  Toy *toy = context;
  lb_body_surface(toy->body, toy->positions);
}

static lbStatus bench_skin(const benchSubject *s, benchTable *table, lbError *err) {
  Toy toy = { 0 };
  lbMesh *surface = NULL;
  lbShapeDef shape = lb_shape_def("turtle");
  benchRow *row = NULL;
  shape.segments = SURFACE_SEGMENTS;
  lbStatus status = lb_shape_surface(&shape, &surface, err);
  if (!status) status = make_toy(s, surface, &toy, err);
  int32_t vertices = status ? 0 : toy.model->size.vertex_count;
  toy.positions = lb_alloc((size_t)vertices, 3 * sizeof(double));
  if (!status)
    row = bench_add(table, "frames.skin", json_pack("{s:i}", "vertices", (int)vertices), "us");
  if (!status && (!row || !toy.positions)) status = lb_fail_memory(err);
  if (!status) {
    bench_time(row, 1e6, skin, &toy);
    row->limit = 2000.0 * vertices / 100000;
    snprintf(row->note, sizeof row->note, "turtle, 7 frames, %d nodes: positions of the surface",
             (int)toy.model->size.node_count);
  }
  release_toy(&toy);
  lb_mesh_destroy(surface);
  return status;
}

static void insert(void *context) {
  Toy *toy = context;
  lbVec3 place;
  int32_t frame = -1;
  if (lb_body_point(toy->body, lb_point_node(toy->model->size.node_count / 2), &place, NULL))
    return;
  if (lb_body_frames_insert(toy->body, place, 0, &frame)) return;
  lb_body_frames_remove(toy->body, frame);
}

static lbStatus bench_insertion(const benchSubject *s, benchTable *table, lbError *err) {
  Toy toy = { 0 };
  lbStatus status = make_toy(s, NULL, &toy, err);
  benchRow *row = NULL;
  if (!status)
    row = bench_add(
        table, "frames.insert",
        json_pack("{s:i, s:i}", "frames", 7, "samples", (int)toy.model->size.sample_count), "us");
  if (!status && !row) status = lb_fail_memory(err);
  for (int i = 0; i < STEPS && !status; i++) lb_body_step(toy.body, 0.01);
  if (!status) {
    bench_time(row, 0.5e6, insert, &toy);
    row->limit = 10000;
    snprintf(row->note, sizeof row->note,
             "turtle, %d nodes: half of what inserting a frame and removing it takes",
             (int)toy.model->size.node_count);
  }
  release_toy(&toy);
  return status;
}

lbStatus bench_frames(benchTable *table, lbError *err) {
  static const Stepping all[] = {
    { 7, 2313, .limit = 2000 }, { 7, 15452, .limit = 12000 },
    { 2, 2323, .limit = 700 },  { 7, 2313, .springs = true, .limit = 20 },
    { 7, 2313, .kept = 200 },   { 100, 8000, .limit = 0 }
  };
  lbShapeDef shape = lb_shape_def("turtle");
  benchSubject held = { 0 }, free = { 0 };
  shape.element = LB_ELEMENT_BRICK8;
  lbStatus status = bench_subject_make(&shape, soft(2e5, 0.4), LB_MASS_CONSISTENT, 2, &held, err);
  if (!status)
    status = bench_subject_make(&shape, soft(2e5, 0.4), LB_MASS_CONSISTENT, -1, &free, err);
  for (size_t i = 0; i < 2 * (sizeof all / sizeof *all) && !status; i++) {
    if (all[i / 2].frames == 2 && i % 2 == 0) continue; // its feet hold both
    status = bench_steps(i % 2 ? &free : &held, i % 2 == 0, all[i / 2], table, err);
  }
  if (!status) status = bench_weights(&held, table, err);
  if (!status) status = bench_skin(&held, table, err);
  if (!status) status = bench_insertion(&held, table, err);
  bench_subject_release(&held), bench_subject_release(&free);
  return status ? status : bench_frame_bars(table, err);
}
