// limber bench warp: steps of warped stiffness beside linear and nonlinear ones on the same mesh,
// both forms and both estimates of rotations, the volume of a sagging bar, and the largest stable
// steps of a tube that is let go.
#include "bench/bench.h"
#include "bench/subject.h"

#include "method/warp/warp.h"
#include "study/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 20 };

typedef struct Form {
  const char *name, *strain, *rotation;
  lbWarpSettings settings;
} Form;

static const Form forms[] = {
  { "linear", "linear", NULL, { .strain = LB_WARP_LINEAR, .iterations = LB_WARP_ITERATIONS } },
  { "warped by elements", "warped", "element", { .iterations = LB_WARP_ITERATIONS } },
  { "warped by vertices, best fit",
    "warped",
    "fit",
    { .rotation = LB_WARP_FIT, .iterations = LB_WARP_ITERATIONS } },
  { "warped by vertices, three edges",
    "warped",
    "edges",
    { .rotation = LB_WARP_EDGES, .iterations = LB_WARP_ITERATIONS } },
  { "green", "green", NULL, { .strain = LB_WARP_GREEN, .iterations = LB_WARP_ITERATIONS } },
};
enum { FORMS = sizeof forms / sizeof *forms, LINEAR = 0, ELEMENT = 1, GREEN = 4 };

// ---- objects -----------------------------------------------------------------------------------

static lbStatus make_body(const lbMesh *mesh, const lbFem *fem, const lbWarpSettings *settings,
                          lbVec3 gravity, lbModel **model, lbBody **body, lbError *err) {
  lbReduceDef reduce = lb_reduce_def();
  lbBodyDef def = lb_body_def();
  def.integrator = LB_INTEGRATOR_EULER;
  def.gravity = gravity;
  lbStatus status = lb_reduce_warp(mesh, fem, &reduce, settings, model, err);
  return status ? status : lb_body_create(*model, &def, body, err);
}

static lbShapeDef bar_def(double length) {
  lbShapeDef def = lb_shape_def("bar");
  const double size[3] = { length, 0.1, 0.1 };
  const int32_t cells[3] = { (int32_t)(20 * length + 0.5), 3, 3 };
  memcpy(def.size, size, sizeof size);
  memcpy(def.cells, cells, sizeof cells);
  def.element = LB_ELEMENT_TET4;
  return def;
}

// ---- steps -------------------------------------------------------------------------------------

typedef struct Steps {
  lbBody *body;
  int32_t count, adapted;
  int64_t iterations;
} Steps;

static void step_body(void *context) {
  Steps *steps = context;
  for (int i = 0; i < STEPS; i++) {
    steps->adapted += lb_body_step(steps->body, 0.01) != 0;
    steps->iterations += lb_warp_state(steps->body)->iterations;
  }
  steps->count += STEPS;
}

static lbStatus bench_form(const char *name, const lbMesh *mesh, const lbFem *fem, int up,
                           const Form *form, double limit, benchTable *table, lbError *err) {
  lbModel *model = NULL;
  lbBody *body = NULL;
  lbVec3 gravity = lb_vec3(0, up == 1 ? -9.81 : 0, up == 2 ? -9.81 : 0);
  lbStatus status = make_body(mesh, fem, &form->settings, gravity, &model, &body, err);
  benchRow *row = NULL;
  if (!status) {
    json_t *parameters = json_pack("{s:s, s:s}", "mesh", name, "strain", form->strain);
    if (form->rotation) json_object_set_new(parameters, "rotation", json_string(form->rotation));
    row = bench_add(table, "warp.step", parameters, "us");
    if (!row) status = lb_fail_memory(err);
  }
  if (row) {
    Steps steps = { .body = body };
    bench_time(row, 1e6 / STEPS, step_body, &steps);
    row->limit = limit;
    snprintf(row->note, sizeof row->note,
             "%s, %d tets, implicit Euler, 10 ms, %.1f iterations of %d at most; %.0f %% adapted",
             form->name, (int)model->size.tet_count, (double)steps.iterations / steps.count,
             LB_WARP_ITERATIONS, 100.0 * steps.adapted / steps.count);
  }
  lb_body_destroy(body);
  lb_model_destroy(model);
  return status;
}

// ---- beside the unreduced body -----------------------------------------------------------------

// Greatest distance of the tip from where the unreduced corotated body has it, in a second.
static lbStatus bench_error(const benchSubject *s, const Form *form, int32_t iterations,
                            benchTable *table, lbError *err) {
  lbModel *model = NULL;
  lbBody *body = NULL, *full = NULL;
  lbWarpSettings settings = form->settings;
  settings.iterations = iterations;
  lbVec3 gravity = lb_vec3(0, 0, -9.81);
  lbStatus status = make_body(s->mesh, s->fem, &settings, gravity, &model, &body, err);
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_FULL;
  def.integrator = LB_INTEGRATOR_EULER;
  def.gravity = gravity;
  def.newton_iterations = 20;
  if (!status) status = lb_body_create(model, &def, &full, err);
  double apart = 0, bent = 0;
  int adapted = 0;
  for (int i = 0; i < 100 && !status; i++) {
    lbVec3 one = { 0, 0, 0 }, other = one, rest = lb_vec3_load(s->mesh->positions + 3 * 20);
    adapted += lb_body_step(body, 0.01) != 0;
    lb_body_step(full, 0.01);
    status = lb_body_point(body, lb_point_node(20), &one, NULL);
    if (!status) status = lb_body_point(full, lb_point_node(20), &other, NULL);
    apart = fmax(apart, lb_length(lb_sub(one, other)));
    bent = fmax(bent, lb_length(lb_sub(other, rest)));
  }
  benchRow *row = NULL;
  if (!status) {
    json_t *parameters =
        json_pack("{s:s, s:s, s:i}", "strain", form->strain, "rotation",
                  form->rotation ? form->rotation : "none", "iterations", (int)iterations);
    row = bench_add(table, "warp.error", parameters, "%");
    if (!row) status = lb_fail_memory(err);
  }
  if (row) {
    bench_set_value(row, 100 * apart / bent);
    row->repeats = 1;
    row->counts = true;
    snprintf(row->note, sizeof row->note,
             "tip of a sagging bar against full (corotated), of the %.3g m that it moves in 1 s; "
             "%d of 100 steps adapted",
             bent, adapted);
  }
  lb_body_destroy(body), lb_body_destroy(full);
  lb_model_destroy(model);
  return status;
}

// ---- volume ------------------------------------------------------------------------------------

static double volume_of(const lbModel *m, const double *u) {
  double sum = 0;
  for (int32_t e = 0; e < m->size.tet_count; e++) {
    lbVec3 x[4];
    for (int a = 0; a < 4; a++) {
      size_t n = (size_t)m->tets[4 * e + a];
      x[a] = lb_add(lb_vec3_load(m->node_positions + 3 * n), lb_vec3_load(u + 3 * n));
    }
    sum += lb_dot(lb_sub(x[1], x[0]), lb_cross(lb_sub(x[2], x[0]), lb_sub(x[3], x[0]))) / 6;
  }
  return sum;
}

enum { VOLUMES = 40, ROW_EVERY = 5 }; // in two seconds

// Over two seconds, one row every quarter of a second: the curve of the paper's figure 6.
static lbStatus bench_volume(const benchSubject *s, const Form *form, double *volumes,
                             benchTable *table, lbError *err) {
  lbModel *model = NULL;
  lbBody *body = NULL;
  double *u = lb_alloc((size_t)s->mesh->vertex_count, 3 * sizeof *u);
  lbStatus status = u ? LB_OK : lb_fail_memory(err);
  if (!status)
    status = make_body(s->mesh, s->fem, &form->settings, lb_vec3(0, 0, -9.81), &model, &body, err);
  double rest = status ? 1 : volume_of(model, u);
  for (int k = 0; k <= VOLUMES && !status; k++) {
    for (int i = 0; i < 5 && k > 0; i++) lb_body_step(body, 0.01);
    lb_body_node_displacements(body, u);
    volumes[k] = 100 * volume_of(model, u) / rest;
    if (k == 0 || k % ROW_EVERY) continue;
    json_t *parameters = json_pack("{s:s, s:f}", "strain", form->strain, "t", 0.05 * k);
    benchRow *row = bench_add(table, "warp.volume", parameters, "% of rest");
    if (!row) {
      status = lb_fail_memory(err);
      break;
    }
    bench_set_value(row, volumes[k]);
    row->repeats = 1;
    snprintf(row->note, sizeof row->note, "a bar of 2 m, held at one end, sags");
  }
  lb_free(u);
  lb_body_destroy(body);
  lb_model_destroy(model);
  return status;
}

// ---- stable steps ------------------------------------------------------------------------------

// Whether a tube, held at one end and let go across gravity, stays within its size for two seconds
// by the rule itself: no step is adapted.
static bool is_stable(const lbModel *model, double h) {
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  bool stable = true;
  def.integrator = LB_INTEGRATOR_EULER;
  def.gravity = lb_vec3(-9.81, 0, 0);
  if (lb_body_create(model, &def, &body, NULL)) return false;
  for (int i = 0; i * h < 2 && stable; i++) {
    stable = lb_body_step(body, h) == 0;
    stable = stable && lb_body_reach(body) < 3; // the tube is 1 m long
  }
  lb_body_destroy(body);
  return stable;
}

static lbStatus bench_stable(const Form *form, double young, benchTable *table, lbError *err) {
  static const double steps[] = { 50, 40, 30, 20, 15, 10, 7, 5, 3, 2, 1, 0.5 }; // ms
  benchSubject s = { 0 };
  lbShapeDef shape = lb_shape_def("tube");
  lbMaterial material = lb_material();
  lbReduceDef reduce = lb_reduce_def();
  lbModel *model = NULL;
  lbWarpSettings settings = form->settings;
  shape.size[0] = shape.size[1] = 0.3, shape.size[2] = 1;
  shape.element = LB_ELEMENT_TET4;
  material.young = young;
  material.poisson = 0.33;
  settings.iterations = 100;
  lbStatus status = bench_subject_make(&shape, material, LB_MASS_LUMPED, 2, &s, err);
  if (!status) status = lb_reduce_warp(s.mesh, s.fem, &reduce, &settings, &model, err);
  benchRow *row = NULL;
  if (!status) {
    json_t *parameters = json_pack("{s:s, s:f}", "strain", form->strain, "young", young);
    row = bench_add(table, "warp.largest_step", parameters, "ms");
    if (!row) status = lb_fail_memory(err);
  }
  if (row) {
    size_t i = 0, count = sizeof steps / sizeof *steps;
    while (i < count && !is_stable(model, 1e-3 * steps[i])) i++;
    bench_set_value(row, i < count ? steps[i] : 0);
    row->repeats = 1;
    row->counts = true;
    snprintf(row->note, sizeof row->note,
             "a tube of %d tets, let go: the longest of 0.5 to 50 ms of which no step is adapted",
             (int)model->size.tet_count);
  }
  lb_model_destroy(model);
  bench_subject_release(&s);
  return status;
}

// ---- all of it ---------------------------------------------------------------------------------

static lbStatus bench_bar(benchTable *table, lbError *err) {
  benchSubject s = { 0 };
  lbShapeDef shape = bar_def(1);
  lbMaterial material = lb_material();
  material.model = LB_MATERIAL_COROTATED;
  material.young = 2e6;
  lbStatus status = bench_subject_make(&shape, material, LB_MASS_LUMPED, 0, &s, err);
  for (int i = 0; i < FORMS && !status; i++)
    status = bench_form("bar", s.mesh, s.fem, 2, &forms[i], i == ELEMENT ? 300 : 0, table, err);
  for (int i = 0; i < FORMS && !status; i++)
    status = bench_error(&s, &forms[i], LB_WARP_ITERATIONS, table, err);
  for (int i = ELEMENT; i < GREEN && !status; i++)
    status = bench_error(&s, &forms[i], 200, table, err);
  bench_subject_release(&s);
  return status;
}

static lbStatus bench_sagging(const char *path, benchTable *table, lbError *err) {
  static const int shown[] = { LINEAR, ELEMENT, GREEN };
  benchSubject s = { 0 };
  lbShapeDef shape = bar_def(2);
  lbMaterial material = lb_material();
  double t[VOLUMES + 1], volumes[3][VOLUMES + 1];
  lbPlot plot = { .title = "Volume of a sagging bar",
                  .x_name = "time, s",
                  .y_name = "volume, % of rest",
                  .count = VOLUMES + 1,
                  .x = t,
                  .line_count = 3 };
  material.young = 2e7;
  material.poisson = 0.3;
  lbStatus status = bench_subject_make(&shape, material, LB_MASS_LUMPED, 0, &s, err);
  for (int k = 0; k <= VOLUMES; k++) t[k] = 0.05 * k;
  for (int i = 0; i < 3 && !status; i++) {
    status = bench_volume(&s, &forms[shown[i]], volumes[i], table, err);
    plot.lines[i] = (lbPlotLine){ forms[shown[i]].strain, volumes[i] };
  }
  if (!status && path) status = lb_plot_write(&plot, path, err);
  bench_subject_release(&s);
  return status;
}

lbStatus bench_warp(const char *mesh_path, const char *fixed_path, const char *plot,
                    int32_t threads, benchTable *table, lbError *err) {
  lbStatus status = lb_build_start(threads > 0 ? threads : 1, err);
  if (!status) status = bench_bar(table, err);
  if (!status && mesh_path) {
    benchObject object = { 0 };
    status = bench_object_make(mesh_path, fixed_path, NULL, &object, err);
    for (int i = 0; i < FORMS && !status; i++)
      status =
          bench_form(object.name, object.mesh, object.fem, object.up, &forms[i], 0, table, err);
    bench_object_release(&object);
  }
  if (!status) status = bench_sagging(plot, table, err);
  static const double youngs[] = { 1e4, 1e5, 1e6, 1e7 };
  for (int i = 0; i < 4 && !status; i++) {
    status = bench_stable(&forms[ELEMENT], youngs[i], table, err);
    if (!status) status = bench_stable(&forms[GREEN], youngs[i], table, err);
  }
  return status;
}
