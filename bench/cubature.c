// limber bench cubature: bases, training, selection and run time of forces by cubature, beside von
// Tycowicz et al. 2013 (tables 1 to 3, figures 10 and 11).
#include "bench/bench.h"

#include "body/subspace.h"
#include "reduce/cubature.h"
#include "study/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  MODES = 15, // extended by nine: 135 vectors
  PAPER_POSES = 1000,
  PAPER_ELEMENTS = 150,
  CURVE_POINTS = 4, // 1 to 4 elements a vector
};

// The paper's dragon: 92 386 tets of StVK, d = 135; a laptop of 2012, four cores.
static const double paper_train_s = 182, paper_force_ms = 0.9, paper_step_ms = 3.7;
static const double paper_error[LB_CUBATURE_SELECTION_COUNT] = { 1.5, 0, 8.4 }; // %
static const double paper_select_s[LB_CUBATURE_SELECTION_COUNT] = { 63, 0, 0 };

typedef struct CubatureBench {
  benchObject object;
  lbBasis *basis; // extended
  benchTable *table;
  int32_t threads;
  const char *plot; // file of the curve; NULL: none
} CubatureBench;

static benchRow *add_row(CubatureBench *b, const char *name, json_t *parameters, const char *unit,
                         double value, double paper) {
  json_object_set_new(parameters, "mesh", json_string(b->object.name));
  json_object_set_new(parameters, "elements", json_integer(lb_mesh_element_count(b->object.mesh)));
  benchRow *row = bench_add(b->table, name, parameters, unit);
  if (!row) return NULL;
  row->median = row->min = value;
  row->repeats = 1;
  row->paper = paper;
  return row;
}

// ---- bases -------------------------------------------------------------------------------------

typedef struct BasisCase {
  lbBasisKind kind;
  double paper_s, paper_error; // dragon: table 3, and table 2 in %
} BasisCase;

static const BasisCase basis_cases[] = { { LB_BASIS_EXTENDED, 1, 1.70 },
                                         { LB_BASIS_DERIVATIVES, 28, 2.25 },
                                         { LB_BASIS_LINEAR, 0, 4.40 } };

// The same number of vectors of each kind.
static lbSubspaceDef basis_def(lbBasisKind kind, int32_t dimension) {
  lbSubspaceDef def = lb_subspace_def();
  def.basis.kind = kind;
  def.basis.mode_count = kind == LB_BASIS_LINEAR ? dimension : MODES;
  def.basis.dimension = dimension;
  def.basis.at_most = true;
  def.forces = LB_FORCES_CUBATURE;
  def.modal = false;
  return def;
}

// The mean over what the quick comparison with the full simulator tries at full amplitude.
static double large_error(const lbAccuracy *accuracy) {
  double error = -1;
  for (int32_t i = 0; i < accuracy->motion_count; i++)
    if (strcmp(accuracy->motions[i].name, "sudden load") == 0 ||
        strcmp(accuracy->motions[i].name, "equilibrium") == 0)
      error = fmax(error, 100 * accuracy->motions[i].mass_error);
  return error;
}

static lbStatus bench_basis(CubatureBench *b, const BasisCase *c, lbError *err) {
  int32_t dimension = b->basis ? b->basis->dimension : 9 * MODES;
  lbSubspaceDef def = basis_def(c->kind, dimension);
  lbReduceDef object = lb_reduce_def();
  lbAccuracyDef how = lb_accuracy_def();
  lbAccuracy *accuracy = NULL;
  lbModel *model = NULL;
  lbBasis *basis = NULL;
  lbStatus status = lb_basis_make(b->object.fem, &def.basis, &basis, err);
  if (!status)
    status = lb_reduce_subspace(b->object.mesh, b->object.fem, &object, &def, &model, err);
  if (!status) status = lb_accuracy_measure(b->object.fem, model, &how, &accuracy, err);
  if (!status) {
    const char *kind = lb_basis_kind_name(c->kind);
    double without_modes = basis->force_seconds + basis->solve_seconds + basis->pca_seconds;
    benchRow *row = add_row(b, "cubature.basis",
                            json_pack("{s:s, s:i}", "basis", kind, "d", (int)basis->dimension), "s",
                            without_modes, c->paper_s);
    if (row)
      snprintf(row->note, sizeof row->note, "beside %d linear modes, which took %.2f s",
               (int)def.basis.mode_count, basis->mode_seconds);
    row = add_row(b, "cubature.basis_error",
                  json_pack("{s:s, s:i}", "basis", kind, "d", (int)basis->dimension), "%",
                  large_error(accuracy), c->paper_error);
    if (row)
      snprintf(row->note, sizeof row->note,
               "of the motion against full, mass-weighted, over its amplitude; %d elements; the "
               "paper's: another norm, another motion",
               (int)model->size.cubature_count);
    if (!row) status = lb_fail_memory(err);
  }
  if (!status && c->kind == LB_BASIS_EXTENDED) {
    b->basis = basis;
    basis = NULL;
  }
  lb_basis_destroy(basis);
  lb_accuracy_destroy(accuracy);
  lb_model_destroy(model);
  return status;
}

// ---- training and selection --------------------------------------------------------------------

static lbStatus train(const CubatureBench *b, const lbCubatureDef *def, lbCubatureTrainer **out,
                      lbError *err) {
  return lb_cubature_train(b->object.fem, b->basis->dimension, b->basis->vectors, def, out, err);
}

static json_t *selection_parameters(const CubatureBench *b, const lbCubatureDef *def,
                                    const lbCubature *c) {
  return json_pack("{s:s, s:i, s:i, s:i}", "selection", lb_cubature_selection_name(def->selection),
                   "d", (int)b->basis->dimension, "s", (int)c->count, "poses",
                   (int)def->pose_count);
}

static lbStatus add_selection(CubatureBench *b, const lbCubatureDef *def, const lbCubature *c,
                              bool as_paper, lbError *err) {
  double time = as_paper ? paper_select_s[def->selection] : 0;
  double error = as_paper ? paper_error[def->selection] : 0;
  benchRow *row = add_row(b, "cubature.select", selection_parameters(b, def, c), "s",
                          c->selection_seconds, time);
  if (row)
    snprintf(row->note, sizeof row->note, "%d iterations, %lld columns, %d threads; poses %s",
             (int)c->iterations, (long long)c->columns_made, (int)b->threads,
             def->small_share > 0 ? "as usual here" : "as in the paper");
  row = add_row(b, "cubature.error", selection_parameters(b, def, c), "%", 100 * c->training_error,
                error);
  if (row)
    snprintf(row->note, sizeof row->note, "%.3g %% on poses that were held out",
             100 * c->held_out_error);
  return row ? LB_OK : lb_fail_memory(err);
}

// As many poses and elements as the paper has for its dragon, by all selections.
static lbStatus bench_as_paper(CubatureBench *b, lbError *err) {
  lbCubatureDef def = lb_cubature_def();
  lbCubatureTrainer *trainer = NULL;
  def.pose_count = PAPER_POSES;
  def.error = 0;
  def.small_share = 0;
  def.element_limit = PAPER_ELEMENTS;
  lbStatus status = train(b, &def, &trainer, err);
  for (int i = 0; i < LB_CUBATURE_SELECTION_COUNT && !status; i++) {
    lbCubature *c = NULL;
    def.selection = (lbCubatureSelection)i;
    status = lb_cubature_select(trainer, &def, &c, err);
    if (!status && i == 0) {
      benchRow *row =
          add_row(b, "cubature.train",
                  json_pack("{s:i, s:i}", "d", (int)b->basis->dimension, "poses", PAPER_POSES), "s",
                  c->training_seconds, paper_train_s);
      if (row)
        snprintf(row->note, sizeof row->note, "and 250 held out; %d threads", (int)b->threads);
    }
    if (!status) status = add_selection(b, &def, c, true, err);
    lb_cubature_destroy(c);
  }
  lb_cubature_trainer_destroy(trainer);
  return status;
}

// What limber build does by itself.
static lbStatus bench_usual(CubatureBench *b, lbError *err) {
  lbCubatureDef def = lb_cubature_def();
  lbCubature *c = NULL;
  lbStatus status =
      lb_cubature_make(b->object.fem, b->basis->dimension, b->basis->vectors, &def, &c, err);
  if (!status) status = add_selection(b, &def, c, false, err);
  lb_cubature_destroy(c);
  return status;
}

// Error against the number of elements, by all selections (their figure 11).
static lbStatus bench_curve(CubatureBench *b, lbError *err) {
  double x[CURVE_POINTS], y[LB_CUBATURE_SELECTION_COUNT][CURVE_POINTS];
  lbCubatureDef def = lb_cubature_def();
  lbCubatureTrainer *trainer = NULL;
  def.error = 0;
  def.small_share = 0;
  lbStatus status = train(b, &def, &trainer, err);
  for (int point = 0; point < CURVE_POINTS && !status; point++) {
    int32_t s = b->basis->dimension * (point + 1), most = lb_mesh_element_count(b->object.mesh);
    x[point] = def.element_limit = s < most ? s : most;
    for (int i = 0; i < LB_CUBATURE_SELECTION_COUNT && !status; i++) {
      lbCubature *c = NULL;
      def.selection = (lbCubatureSelection)i;
      status = lb_cubature_select(trainer, &def, &c, err);
      if (status) break;
      y[i][point] = 100 * c->training_error;
      benchRow *row =
          add_row(b, "cubature.curve", selection_parameters(b, &def, c), "%", y[i][point], 0);
      if (!row) status = lb_fail_memory(err);
      lb_cubature_destroy(c);
    }
  }
  lb_cubature_trainer_destroy(trainer);
  if (status || !b->plot) return status;
  lbPlot plot = { .title = "Error of the force against the number of elements",
                  .x_name = "elements",
                  .y_name = "error, %",
                  .count = CURVE_POINTS,
                  .x = x,
                  .line_count = LB_CUBATURE_SELECTION_COUNT };
  for (int i = 0; i < LB_CUBATURE_SELECTION_COUNT; i++)
    plot.lines[i] = (lbPlotLine){ lb_cubature_selection_name((lbCubatureSelection)i), y[i] };
  return lb_plot_write(&plot, b->plot, err);
}

// ---- run time ----------------------------------------------------------------------------------

enum { STEPS = 100 };

typedef struct RunWork {
  lbBody *body;
  const lbSubspace *subspace;
  double *q, *R, *work;
} RunWork;

static void evaluate_force(void *context) {
  const RunWork *w = context;
  for (int i = 0; i < STEPS; i++)
    w->subspace->forces->force(w->subspace->force_data, w->q, w->R, w->work);
}

static void step_body(void *context) {
  const RunWork *w = context;
  for (int i = 0; i < STEPS; i++) lb_body_step(w->body, 1e-3);
}

// A body that a sudden load bends by AMPLITUDE of its diagonal, from its start.
#define AMPLITUDE 0.027

typedef struct Swing {
  lbBody *body;
  void *start; // its state
  size_t bytes;
  double h;
  int32_t steps; // 0.4 s
} Swing;

static void swing(void *context) {
  const Swing *w = context;
  lb_body_restore_state(w->body, w->start, w->bytes);
  for (int32_t i = 0; i < w->steps; i++) lb_body_step(w->body, w->h);
}

static double diagonal_of(const lbModel *model) {
  double square = 0;
  for (int c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t n = 0; n < model->size.node_count; n++) {
      low = fmin(low, model->node_positions[3 * (size_t)n + (size_t)c]);
      high = fmax(high, model->node_positions[3 * (size_t)n + (size_t)c]);
    }
    square += (high - low) * (high - low);
  }
  return sqrt(square);
}

// The largest displacement of a node in a swing.
static double swing_amplitude(const Swing *w, double *u) {
  double most = 0;
  lb_body_restore_state(w->body, w->start, w->bytes);
  for (int32_t i = 0; i < w->steps; i++) {
    lb_body_step(w->body, w->h);
    lb_body_node_displacements(w->body, u);
    for (int32_t n = 0; n < lb_body_model(w->body)->size.node_count; n++)
      most = fmax(most, lb_length(lb_vec3_load(u + 3 * (size_t)n)));
  }
  return most;
}

static lbStatus bench_swing(CubatureBench *b, const lbModel *model, double h, bool single,
                            lbError *err) {
  lbBodyDef def = lb_body_def();
  lbArena arena = { 0 };
  Swing w = { .h = h, .steps = (int32_t)(0.4 / h) };
  double gravity = 9.81, *u = lb_arena_alloc(&arena, (size_t)model->size.node_count, 24);
  def.method = LB_METHOD_SUBSPACE;
  def.single_precision = single;
  lbStatus status = u ? lb_body_create(model, &def, &w.body, err) : lb_fail_memory(err);
  if (!status) {
    w.bytes = lb_body_state_bytes(w.body);
    w.start = lb_arena_alloc(&arena, w.bytes, 1);
    if (!w.start) status = lb_fail_memory(err);
  }
  for (int pass = 0; pass < 3 && !status; pass++) {
    lb_body_set_gravity(w.body, lb_vec3(0.6 * gravity, 0.5 * gravity, -0.3 * gravity));
    lb_body_save_state(w.body, w.start, w.bytes);
    if (pass < 2) gravity *= AMPLITUDE * diagonal_of(model) / swing_amplitude(&w, u);
    if (pass < 2) lb_body_restore_state(w.body, w.start, w.bytes);
  }
  benchRow *row = NULL;
  if (!status)
    row = add_row(b, "cubature.step",
                  json_pack("{s:i, s:i, s:f, s:b}", "d", (int)model->size.subspace_dimension, "s",
                            (int)model->size.cubature_count, "h", h, "single", (int)single),
                  "ms", 0, paper_step_ms);
  if (row) {
    bench_time(row, 1e3 / w.steps, swing, &w);
    snprintf(row->note, sizeof row->note,
             "one thread; Newmark, a sudden load that bends by %g %% of the diagonal",
             100 * AMPLITUDE);
  } else if (!status) {
    status = lb_fail_memory(err);
  }
  lb_arena_release(&arena);
  lb_body_destroy(w.body);
  return status;
}

static lbStatus bench_run(CubatureBench *b, lbError *err) {
  lbSubspaceDef def = basis_def(LB_BASIS_EXTENDED, b->basis->dimension);
  lbReduceDef object = lb_reduce_def();
  lbModel *model = NULL;
  RunWork w = { 0 };
  lbArena arena = { 0 };
  def.basis.mode_count = MODES;
  def.cubature.element_limit = PAPER_ELEMENTS;
  def.cubature.error = 0;
  lbStatus status = lb_reduce_subspace(b->object.mesh, b->object.fem, &object, &def, &model, err);
  lbBodyDef body = lb_body_def();
  body.method = LB_METHOD_SUBSPACE;
  if (!status) status = lb_body_create(model, &body, &w.body, err);
  if (!status) {
    int32_t d = model->size.subspace_dimension, s = model->size.cubature_count;
    w.subspace = lb_subspace_of(w.body->prepared);
    size_t stride = (size_t)w.subspace->stride;
    w.q = lb_arena_alloc(&arena, stride, sizeof(double));
    w.R = lb_arena_alloc(&arena, stride, sizeof(double));
    w.work = lb_arena_alloc(&arena, w.subspace->forces->work_size(w.subspace->force_data),
                            sizeof(double));
    json_t *parameters = json_pack("{s:i, s:i}", "d", (int)d, "s", (int)s);
    benchRow *row = add_row(b, "cubature.force", json_incref(parameters), "ms", 0, paper_force_ms);
    if (row && w.q && w.R && w.work) {
      if (model->size.pose_count) memcpy(w.q, model->cubature_poses, (size_t)d * sizeof(double));
      bench_time(row, 1e3 / STEPS, evaluate_force, &w);
      snprintf(row->note, sizeof row->note, "one thread; in a training pose");
    }
    row = add_row(b, "cubature.step", json_deep_copy(parameters), "ms", 0, paper_step_ms);
    if (row) {
      lb_body_apply_impulse(w.body, lb_point_vertex(model->size.vertex_count - 1),
                            lb_vec3(0, 0, 1));
      bench_time(row, 1e3 / STEPS, step_body, &w);
      snprintf(row->note, sizeof row->note, "one thread; Newmark, 1 ms, after a push");
    }
    json_decref(parameters);
    if (!row || !w.q || !w.R || !w.work) status = lb_fail_memory(err);
  }
  static const double steps[] = { 1e-3, 1.0 / 240, 1.0 / 60 };
  for (int i = 0; i < 6 && !status; i++) status = bench_swing(b, model, steps[i / 2], i % 2, err);
  lb_arena_release(&arena);
  lb_body_destroy(w.body);
  lb_model_destroy(model);
  return status;
}

// ---- motion against full -----------------------------------------------------------------------

// What the motion of a body with the paper's number of elements is off by, for each selection
// (their figure 10).
static lbStatus bench_motion(CubatureBench *b, int selection, lbError *err) {
  lbSubspaceDef def = basis_def(LB_BASIS_EXTENDED, b->basis->dimension);
  lbReduceDef object = lb_reduce_def();
  lbAccuracyDef how = lb_accuracy_def();
  lbAccuracy *accuracy = NULL;
  lbModel *model = NULL;
  def.cubature.selection = (lbCubatureSelection)selection;
  def.cubature.element_limit = PAPER_ELEMENTS;
  def.cubature.error = 0;
  lbStatus status = lb_reduce_subspace(b->object.mesh, b->object.fem, &object, &def, &model, err);
  if (!status) status = lb_accuracy_measure(b->object.fem, model, &how, &accuracy, err);
  if (!status) {
    json_t *parameters = json_pack(
        "{s:s, s:i, s:i}", "selection", lb_cubature_selection_name(def.cubature.selection), "d",
        (int)model->size.subspace_dimension, "s", (int)model->size.cubature_count);
    benchRow *row = add_row(b, "cubature.motion_error", parameters, "%", large_error(accuracy), 0);
    if (row)
      snprintf(row->note, sizeof row->note,
               "against full, mass-weighted, over its amplitude; the force is off by %.3g %%",
               100 * model->cubature_errors[0]);
    else
      status = lb_fail_memory(err);
  }
  lb_accuracy_destroy(accuracy);
  lb_model_destroy(model);
  return status;
}

// ---- all of it ---------------------------------------------------------------------------------

lbStatus bench_cubature(const char *mesh_path, const char *fixed_path, const char *plot,
                        int32_t threads, benchTable *table, lbError *err) {
  CubatureBench b = { .table = table, .threads = threads ? threads : 2, .plot = plot };
  lbShapeDef shape = lb_shape_def("sponge");
  shape.cells[0] = shape.cells[1] = shape.cells[2] = 3; // 64 800 tets
  lbStatus status = lb_build_start(b.threads, err);
  if (!status) status = bench_object_make(mesh_path, fixed_path, &shape, &b.object, err);
  for (size_t i = 0; i < sizeof basis_cases / sizeof *basis_cases && !status; i++)
    status = bench_basis(&b, &basis_cases[i], err);
  if (!status) status = bench_as_paper(&b, err);
  if (!status) status = bench_usual(&b, err);
  if (!status) status = bench_run(&b, err);
  for (int i = 0; i < LB_CUBATURE_SELECTION_COUNT && !status; i++)
    status = bench_motion(&b, i, err);
  if (!status) status = bench_curve(&b, err);
  if (!status && !mesh_path) status = bench_against_greedy(table, err);
  lb_basis_destroy(b.basis);
  bench_object_release(&b.object);
  return status;
}
