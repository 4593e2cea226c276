// limber bench frames: steps of a turtle with seven frames and with two, by samples and by springs,
// what its weights take, and a bar with more and more frames beside the unreduced one.
#include "bench/bench.h"
#include "bench/subject.h"
#include "limber/frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 20, BEAM_STEPS = 250 };

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

// ---- a bar beside the unreduced one ------------------------------------------------------------

static lbVec3 end_of(const lbBody *body, const lbModel *model) {
  lbVec3 sum = lb_vec3(0, 0, 0), at;
  double far = 0, count = 0;
  for (int32_t n = 0; n < model->size.node_count; n++)
    far = fmax(far, model->node_positions[3 * (size_t)n]);
  for (int32_t n = 0; n < model->size.node_count; n++) {
    if (model->node_positions[3 * (size_t)n] < far - 1e-9) continue;
    if (!lb_body_point(body, lb_point_node(n), &at, NULL)) sum = lb_add(sum, at), count++;
  }
  return lb_scale(1 / count, sum);
}

static lbStatus bench_beam(double length, benchTable *table, lbError *err) {
  static const int32_t counts[] = { 2, 3, 5 };
  lbShapeDef shape = lb_shape_def("bar");
  const double size[3] = { length, 1, 1 };
  const int32_t cells[3] = { (int32_t)(8 * length), 8, 8 };
  memcpy(shape.size, size, sizeof size), memcpy(shape.cells, cells, sizeof cells);
  shape.element = LB_ELEMENT_BRICK8;
  benchSubject s = { 0 };
  lbStatus status = bench_subject_make(&shape, soft(1e5, 0), LB_MASS_CONSISTENT, 0, &s, err);
  int32_t rows = status ? 0 : 3 * s.mesh->vertex_count;
  // g for a sag of about 5 %: w = ρ g A L⁴ / (8 E I)
  double g = 0.05 * length * 8 * 1e5 / 12 / (1000 * pow(length, 4));
  double *u = lb_alloc((size_t)rows, sizeof *u), *force = lb_alloc((size_t)rows, sizeof *force);
  if (!status && (!u || !force)) status = lb_fail_memory(err);
  for (int32_t i = 2; i < rows && !status; i += 3)
    force[i] = -g * lb_fem_vertex_masses(s.fem)[i / 3];
  lbStaticDef statics = lb_static_def();
  lbStaticResult result;
  if (!status) status = lb_fem_static(s.fem, force, &statics, u, &result, err);
  lbVec3 full = lb_vec3(0, 0, 0);
  double ends = 0;
  for (int32_t v = 0; v < rows / 3 && !status; v++) {
    if (s.mesh->positions[3 * v] < length - 1e-9) continue;
    full = lb_add(full, lb_add(lb_vec3_load(s.mesh->positions + 3 * v), lb_vec3_load(u + 3 * v)));
    ends++;
  }
  full = lb_scale(1 / fmax(ends, 1), full);
  for (size_t k = 0; k < sizeof counts / sizeof *counts && !status; k++) {
    double positions[15] = { 0 };
    for (int32_t i = 0; i < counts[k]; i++) {
      double margin = 0.5 / cells[0];
      positions[3 * i] = length * (margin + (1 - 2 * margin) * i / (counts[k] - 1));
      positions[3 * i + 1] = positions[3 * i + 2] = 0.5;
    }
    for (int linear = 0; linear < 2 && !status; linear++) {
      lbModel *model = NULL;
      lbBody *body = NULL;
      lbReduceDef reduce = lb_reduce_def();
      lbFramesDef def = lb_frames_def();
      lbBodyDef body_def = lb_body_def();
      def.count = counts[k], def.positions = positions, def.weights = linear ? 3 : 0;
      if (!linear) def.radius = 0.1 * length;
      reduce.damping_mass = 5;
      body_def.gravity = lb_vec3(0, 0, -g);
      status = lb_reduce_frames(s.mesh, s.fem, &reduce, &def, &model, err);
      if (!status) status = lb_body_create(model, &body_def, &body, err);
      for (int i = 0; i < BEAM_STEPS && !status; i++) lb_body_step(body, 0.2);
      if (!status) {
        json_t *parameters = json_pack("{s:i, s:s, s:f}", "frames", (int)counts[k], "weights",
                                       linear ? "linear" : "harmonic", "slenderness", length);
        benchRow *row = bench_add(table, "frames.bent", parameters, "%");
        if (row) {
          row->median = row->min = 100 * lb_length(lb_sub(end_of(body, model), full)) / length;
          row->repeats = 1;
          snprintf(row->note, sizeof row->note,
                   "end of a bar in gravity, off the unreduced one, of its length; sag %.1f %%",
                   100 * (0.5 - full.z) / length);
        }
      }
      lb_body_destroy(body);
      lb_model_destroy(model);
    }
  }
  lb_free(u), lb_free(force);
  bench_subject_release(&s);
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
  bench_subject_release(&s);
  if (!status) status = bench_beam(2.5, table, err);
  if (!status) status = bench_beam(5, table, err);
  return status;
}
