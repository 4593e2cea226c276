// limber bench frames: bars of frames beside unreduced ones.
#include "bench/frames_bars.h"
#include "bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 250 };
static const double young = 1e5, density = 1000;

// A bar along x of unit height and breadth, held at x = 0, ν = 0, that hangs in gravity g.
typedef struct Bar {
  double length, g;
  benchSubject subject;
  lbVec3 end; // of the unreduced one: mean over its end face
} Bar;

static lbStatus make_subject(double length, const int32_t cells[3], benchSubject *s, lbError *err) {
  lbShapeDef shape = lb_shape_def("bar");
  lbMaterial material = lb_material();
  const double size[3] = { length, 1, 1 };
  memcpy(shape.size, size, sizeof size), memcpy(shape.cells, cells, 3 * sizeof *cells);
  shape.element = LB_ELEMENT_BRICK8;
  material.young = young, material.poisson = 0, material.density = density;
  return bench_subject_make(&shape, material, LB_MASS_CONSISTENT, 0, s, err);
}

static lbStatus hang(const benchSubject *s, double length, double g, lbVec3 *end, lbError *err) {
  int32_t rows = 3 * s->mesh->vertex_count;
  double *u = lb_alloc((size_t)rows, sizeof *u), *force = lb_alloc((size_t)rows, sizeof *force);
  lbStatus status = u && force ? LB_OK : lb_fail_memory(err);
  lbStaticDef statics = lb_static_def();
  lbStaticResult result;
  double count = 0;
  for (int32_t i = 2; i < rows && !status; i += 3)
    force[i] = -g * lb_fem_vertex_masses(s->fem)[i / 3];
  if (!status) status = lb_fem_static(s->fem, force, &statics, u, &result, err);
  *end = lb_vec3(0, 0, 0);
  for (int32_t v = 0; v < rows / 3 && !status; v++) {
    lbVec3 X = lb_vec3_load(s->mesh->positions + 3 * (size_t)v);
    if (X.x < length - 1e-9) continue;
    *end = lb_add(*end, lb_add(X, lb_vec3_load(u + 3 * (size_t)v)));
    count++;
  }
  *end = lb_scale(1 / fmax(count, 1), *end);
  lb_free(u), lb_free(force);
  return status;
}

// sag: about what share of its length the end goes down by, w = ρ g A L⁴ / (8 E I).
static lbStatus make_bar(double length, double sag, Bar *bar, lbError *err) {
  const int32_t cells[3] = { (int32_t)(8 * length), 8, 8 };
  *bar = (Bar){ .length = length };
  bar->g = sag * length * 8 * young / 12 / (density * pow(length, 4));
  lbStatus status = make_subject(length, cells, &bar->subject, err);
  if (!status) status = hang(&bar->subject, length, bar->g, &bar->end, err);
  return status;
}

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

// The end of the same bar by frames along its axis; *sampled: how many samples it has.
static lbStatus hang_frames(const Bar *bar, int32_t frames, const char *weights, int32_t samples,
                            lbVec3 *end, int32_t *sampled, lbError *err) {
  double positions[15] = { 0 }, margin = 0.03;
  lbModel *model = NULL;
  lbBody *body = NULL;
  lbReduceDef reduce = lb_reduce_def();
  lbFramesDef def = lb_frames_def();
  lbBodyDef body_def = lb_body_def();
  for (int32_t i = 0; i < frames; i++) {
    positions[3 * i] = bar->length * (margin + (1 - 2 * margin) * i / (frames - 1));
    positions[3 * i + 1] = positions[3 * i + 2] = 0.5;
  }
  def.count = frames, def.positions = positions, def.samples = samples;
  while (strcmp(lb_frames_weight_names()[def.weights], weights) != 0) def.weights++;
  if (strcmp(weights, "harmonic") == 0) def.radius = 0.1 * bar->length;
  reduce.damping_mass = 5;
  body_def.gravity = lb_vec3(0, 0, -bar->g);
  lbStatus status =
      lb_reduce_frames(bar->subject.mesh, bar->subject.fem, &reduce, &def, &model, err);
  if (!status) status = lb_body_create(model, &body_def, &body, err);
  double step = 0.2 * pow(bar->length / 2.5, 4); // as the time in which it comes to rest
  for (int i = 0; i < STEPS && !status; i++) lb_body_step(body, step);
  if (!status) *end = end_of(body, model), *sampled = model->size.sample_count;
  lb_body_destroy(body);
  lb_model_destroy(model);
  return status;
}

static lbStatus add_row(benchTable *table, const char *name, json_t *parameters, const Bar *bar,
                        lbVec3 end, const char *note, lbError *err) {
  benchRow *row = bench_add(table, name, parameters, "%");
  if (!row) return lb_fail_memory(err);
  bench_set_value(row, 100 * lb_length(lb_sub(end, bar->end)) / bar->length);
  row->repeats = 1;
  snprintf(row->note, sizeof row->note, "%s; sag %.1f %%", note,
           100 * (0.5 - bar->end.z) / bar->length);
  return LB_OK;
}

static lbStatus bend(double length, benchTable *table, lbError *err) {
  static const int32_t counts[] = { 2, 3, 5 };
  static const char *const weights[] = { "harmonic", "linear", "geodesic", "spline" };
  Bar bar;
  lbStatus status = make_bar(length, 0.05, &bar, err);
  for (size_t k = 0; k < 12 && !status; k++) {
    int32_t count = counts[k / 4], sampled;
    lbVec3 end;
    status = hang_frames(&bar, count, weights[k % 4], 2000, &end, &sampled, err);
    json_t *parameters = json_pack("{s:i, s:s, s:f}", "frames", (int)count, "weights",
                                   weights[k % 4], "slenderness", length);
    if (!status)
      status = add_row(table, "frames.bent", parameters, &bar, end,
                       "end of a bar in gravity, off the unreduced one, of its length", err);
    else
      json_decref(parameters);
  }
  bench_subject_release(&bar.subject);
  return status;
}

// As many samples as the unreduced bar has nodes (figure 10 of the paper: 15 and 42 % at 2 x 2 x 2,
// 13 and 25 % at 4 x 4 x 4).
static lbStatus compare_coarse(const Bar *bar, int32_t points, int32_t frames, double paper,
                               double paper_full, benchTable *table, lbError *err) {
  const int32_t cells[3] = { points - 1, points - 1, points - 1 };
  benchSubject coarse = { 0 };
  char note[120];
  int32_t sampled = 0;
  lbVec3 end;
  // Voxels are cubes, and no two frames may lie in one: a few more than the nodes there are.
  int32_t samples = points > 2 ? points * points * points : 16;
  lbStatus status = hang_frames(bar, frames, "linear", samples, &end, &sampled, err);
  if (status) return status;
  snprintf(note, sizeof note, "%d frames, %d samples, off the fine bar, of its length", (int)frames,
           (int)sampled);
  status =
      add_row(table, "frames.coarse",
              json_pack("{s:i, s:s}", "points", (int)points, "by", "frames"), bar, end, note, err);
  if (!status) table->rows[table->count - 1].paper = paper;
  if (!status) status = make_subject(bar->length, cells, &coarse, err);
  if (!status) status = hang(&coarse, bar->length, bar->g, &end, err);
  snprintf(note, sizeof note, "bricks with %d nodes, off the fine bar, of its length",
           (int)(points * points * points));
  if (!status)
    status =
        add_row(table, "frames.coarse",
                json_pack("{s:i, s:s}", "points", (int)points, "by", "full"), bar, end, note, err);
  if (!status) table->rows[table->count - 1].paper = paper_full;
  bench_subject_release(&coarse);
  return status;
}

lbStatus bench_frame_bars(benchTable *table, lbError *err) {
  Bar bar;
  lbStatus status = bend(2.5, table, err);
  if (!status) status = bend(5, table, err);
  if (!status) status = bend(10, table, err);
  if (status) return status;
  status = make_bar(2.5, 0.3, &bar, err);
  if (!status) status = compare_coarse(&bar, 2, 3, 15, 42, table, err);
  if (!status) status = compare_coarse(&bar, 4, 5, 13, 25, table, err);
  bench_subject_release(&bar.subject);
  return status;
}
