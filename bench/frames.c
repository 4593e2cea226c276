// limber bench frames: steps of a turtle with seven frames and with two, by samples and by springs,
// what its weights, its surface and a frame more take; bars beside the unreduced ones.
#include "bench/bench.h"
#include "bench/frames_bars.h"
#include "bench/subject.h"
#include "limber/frames.h"

#include <stdio.h>

enum { STEPS = 20, SURFACE_CELLS = 130 };

static lbMaterial soft(double young, double poisson) {
  lbMaterial material = lb_material();
  material.young = young, material.poisson = poisson;
  return material;
}

// ---- steps -------------------------------------------------------------------------------------

static void step_body(void *context) {
  for (int i = 0; i < STEPS; i++) lb_body_step(context, 0.01);
}

static lbStatus bench_steps(const benchSubject *s, int32_t frames, int32_t samples, bool springs,
                            double limit, benchTable *table, lbError *err) {
  lbModel *model = NULL;
  lbBody *body = NULL;
  lbReduceDef reduce = lb_reduce_def();
  lbFramesDef def = lb_frames_def();
  lbBodyDef body_def = lb_body_def();
  benchRow *row = NULL;
  def.count = frames, def.samples = samples;
  if (springs) def.forces = LB_FRAME_SPRINGS;
  body_def.gravity = lb_vec3(0, 0, -9.81);
  lbStatus status = lb_reduce_frames(s->mesh, s->fem, &reduce, &def, &model, err);
  if (!status) status = lb_body_create(model, &body_def, &body, err);
  if (!status) {
    json_t *parameters =
        json_pack("{s:i, s:i}", "frames", (int)frames, "samples", (int)model->size.sample_count);
    row = bench_add(table, springs ? "frames.springs" : "frames.step", parameters, "us");
    if (!row) status = lb_fail_memory(err);
  }
  if (row) {
    bench_time(row, 1e6 / STEPS, step_body, body);
    row->limit = limit;
    snprintf(row->note, sizeof row->note,
             "turtle, %.1f frames act at a sample, %d nodes, implicit Euler, 10 ms",
             (double)model->size.sample_entry_count / model->size.sample_count,
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
  w.def.samples = 15000;
  benchRow *row = bench_add(table, "frames.weights",
                            json_pack("{s:i, s:i}", "frames", 7, "samples", 15000), "s");
  if (!row) return lb_fail_memory(err);
  bench_time_long(row, 1, make_weights, &w);
  row->limit = 1;
  snprintf(row->note, sizeof row->note,
           "turtle, %d voxels: voxels, places, harmonic weights, model", (int)w.samples);
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
  for (int i = 0; i < 3; i++) shape.cells[i] = SURFACE_CELLS;
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
  lbShapeDef shape = lb_shape_def("turtle");
  benchSubject s = { 0 };
  shape.element = LB_ELEMENT_BRICK8;
  lbStatus status = bench_subject_make(&shape, soft(2e5, 0.4), LB_MASS_CONSISTENT, 2, &s, err);
  if (!status) status = bench_steps(&s, 7, 2313, false, 2000, table, err);
  if (!status) status = bench_steps(&s, 7, 15452, false, 12000, table, err);
  if (!status) status = bench_steps(&s, 2, 2323, false, 700, table, err);
  if (!status) status = bench_steps(&s, 7, 2313, true, 20, table, err);
  if (!status) status = bench_weights(&s, table, err);
  if (!status) status = bench_skin(&s, table, err);
  if (!status) status = bench_insertion(&s, table, err);
  bench_subject_release(&s);
  return status ? status : bench_frame_bars(table, err);
}
