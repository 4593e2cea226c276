// limber bench cubature: bases, training, selection and run time of forces by cubature, beside von
// Tycowicz et al. 2013 (tables 1 to 3, figures 10 and 11).
#include "bench/cubature.h"

#include "method/subspace/subspace.h"
#include "reduce/subspace.h"
#include "fem/fem.h"
#include "study/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  PAPER_POSES = 1000,
  SOLID_ELEMENTS = 150, // the paper's dragon
  SHELL_ELEMENTS = 250, // its Chinese dragon
  CURVE_POINTS = 4,
  CURVE_POSES = 100,
  LARGE_POSES = 200,
};

static const double CURVE_SHARES[CURVE_POINTS] = { 0.5, 1, 1.5, 2 }; // elements a vector
static const double LARGE = 2;                                       // amplitude: two diagonals

// A laptop of 2012, four cores. Greedy: the fast setting, which the paper compares with.
static const benchLine paper_solids[] = {
  { "Dragon", 0, 92386, 135, 15, 1000, 150, 10, 182, 0.9, 3.7, 1.5, 63, 8.4 },
  { "Menger", 0, 393216, 135, 15, 1000, 100, 36, 332, 0.5, 2.0, 2.7, 8, 7.0 },
};
static const benchLine paper_shells[] = {
  { "Chinese dragon", 0, 389994, 138, 20, 1000, 250, 110, 243, 1.5, 4.9, 7.4, 69, 17.4 },
  { "Elephant", 0, 75000, 135, 15, 1000, 500, 18, 46, 2.8, 10.1, 3.7, 205, 11.0 },
};

benchRow *bench_cubature_row(CubatureBench *b, const char *name, json_t *parameters,
                             const char *unit, double value, double paper) {
  json_object_set_new(parameters, "mesh", json_string(b->object.name));
  json_object_set_new(parameters, "elements", json_integer(b->components));
  benchRow *row = bench_add(b->table, name, parameters, unit);
  if (!row) return NULL;
  bench_set_value(row, value);
  row->repeats = 1;
  row->paper = paper;
  return row;
}

static const benchLine *paper(const CubatureBench *b) {
  return b->object.is_shell ? &paper_shells[0] : &paper_solids[0];
}

// ---- the basis ---------------------------------------------------------------------------------

static lbStatus bench_basis(CubatureBench *b, lbError *err) {
  lbBasisDef def = lb_basis_def();
  def.kind = LB_BASIS_EXTENDED;
  def.mode_count = BENCH_MODES;
  lbStatus status = lb_basis_make(b->object.fem, &def, &b->basis, err);
  if (status) return status;
  b->line.basis_s = b->basis->seconds;
  benchRow *row = bench_cubature_row(
      b, "cubature.basis",
      json_pack("{s:s, s:i}", "basis", "extended", "d", (int)b->basis->dimension), "s",
      b->basis->pca_seconds, b->object.is_shell ? 8 : 1);
  if (!row) return lb_fail_memory(err);
  snprintf(row->note, sizeof row->note, "beside %d linear modes, which took %.2f s", BENCH_MODES,
           b->basis->mode_seconds);
  return LB_OK;
}

lbStatus bench_cubature_model(const CubatureBench *b, const lbBasis *basis, lbBasisKind kind,
                              const lbCubatureDef *cubature, lbModel **out, lbError *err) {
  lbReduceDef object = lb_reduce_def();
  lbSubspaceDef def = lb_subspace_def();
  def.basis.kind = kind;
  def.basis.mode_count = kind == LB_BASIS_LINEAR ? basis->dimension : BENCH_MODES;
  def.basis.dimension = basis->dimension;
  def.basis.at_most = true;
  def.vectors_max = basis->dimension;
  def.forces = LB_FORCES_CUBATURE;
  def.modal = false;
  def.cubature = *cubature;
  return lb_reduce_basis(b->object.mesh, b->object.fem, basis, NULL, &object, &def, out, err);
}

// ---- training and selection --------------------------------------------------------------------

static lbStatus train(const CubatureBench *b, const lbCubatureDef *def, lbCubatureTrainer **out,
                      lbError *err) {
  return lb_cubature_train(b->object.fem, b->basis->dimension, b->basis->vectors, def, out, err);
}

// A selection that was interrupted has no figures of its own.
static lbStatus refuse_interrupted(lbStatus status, lbCubature **c, lbError *err) {
  if (status || !(*c)->interrupted) return status;
  lb_cubature_destroy(*c);
  *c = NULL;
  return lb_fail_interrupted(err, "cubature");
}

static lbStatus choose(const lbCubatureTrainer *trainer, const lbCubatureDef *def, lbCubature **c,
                       lbError *err) {
  return refuse_interrupted(lb_cubature_select(trainer, def, c, err), c, err);
}

static json_t *selection_parameters(const CubatureBench *b, const lbCubatureDef *def,
                                    const lbCubature *c) {
  return json_pack("{s:s, s:i, s:i, s:i, s:f}", "selection",
                   lb_cubature_selection_name(def->selection), "d", (int)b->basis->dimension, "s",
                   (int)c->count, "poses", (int)c->pose_count, "amplitude", def->amplitude);
}

static lbStatus add_selection(CubatureBench *b, const lbCubatureDef *def, const lbCubature *c,
                              double paper_seconds, double paper_error, lbError *err) {
  benchRow *row = bench_cubature_row(b, "cubature.select", selection_parameters(b, def, c), "s",
                                     c->selection_seconds, paper_seconds);
  if (row)
    snprintf(row->note, sizeof row->note, "%d iterations, %lld columns, %d threads; poses %s",
             (int)c->iterations, (long long)c->columns_made, (int)b->threads,
             def->small_share > 0 ? "as usual here" : "as in the paper");
  row = bench_cubature_row(b, "cubature.error", selection_parameters(b, def, c), "%",
                           100 * c->training_error, paper_error);
  if (row)
    snprintf(row->note, sizeof row->note, "%.3g %% on poses that were held out",
             100 * c->held_out_error);
  return row ? LB_OK : lb_fail_memory(err);
}

// Normal samples alone, as many elements as the paper has, by NN-HTP and the fast greedy setting.
static lbStatus bench_as_paper(CubatureBench *b, int32_t poses, double amplitude, benchLine *line,
                               lbError *err) {
  static const lbCubatureSelection selections[] = { LB_CUBATURE_NNHTP, LB_CUBATURE_GREEDY_FAST };
  const benchLine *theirs = paper(b);
  lbCubatureDef def = lb_cubature_def();
  lbCubatureTrainer *trainer = NULL;
  def.pose_count = poses;
  def.amplitude = amplitude;
  def.error = def.small_share = 0;
  def.element_limit = b->elements;
  lbStatus status = train(b, &def, &trainer, err);
  for (size_t i = 0; i < 2 && !status; i++) {
    lbCubature *c = NULL;
    bool own = i == 0;
    def.selection = selections[i];
    status = choose(trainer, &def, &c, err);
    if (status) break;
    if (own) {
      line->train_s = c->training_seconds;
      line->error = 100 * c->training_error;
      line->select_s = c->selection_seconds;
      benchRow *row =
          bench_cubature_row(b, "cubature.train",
                             json_pack("{s:i, s:i, s:f}", "d", (int)b->basis->dimension, "poses",
                                       (int)poses, "amplitude", amplitude),
                             "s", c->training_seconds, poses == PAPER_POSES ? theirs->train_s : 0);
      if (row)
        snprintf(row->note, sizeof row->note, "and %d held out; %d threads", (int)poses / 4,
                 (int)b->threads);
    }
    if (!own) line->greedy_error = 100 * c->training_error;
    status = add_selection(b, &def, c, own ? theirs->select_s : 0,
                           own ? theirs->error : theirs->greedy_error, err);
    lb_cubature_destroy(c);
  }
  lb_cubature_trainer_destroy(trainer);
  return status;
}

// What limber build does by itself, and how long all of it takes.
static lbStatus bench_usual(CubatureBench *b, lbError *err) {
  lbCubatureDef def = lb_cubature_def();
  lbCubature *c = NULL;
  lbStatus status =
      lb_cubature_make(b->object.fem, b->basis->dimension, b->basis->vectors, &def, &c, err);
  status = refuse_interrupted(status, &c, err);
  if (!status) status = add_selection(b, &def, c, 0, 0, err);
  if (!status) {
    benchRow *row =
        bench_cubature_row(b, "cubature.build",
                           json_pack("{s:i, s:i, s:i}", "d", (int)b->basis->dimension, "s",
                                     (int)c->count, "poses", (int)c->pose_count),
                           "s", b->basis->seconds + c->training_seconds + c->selection_seconds,
                           paper(b)->basis_s + paper(b)->train_s + paper(b)->select_s);
    if (row)
      snprintf(row->note, sizeof row->note,
               "basis, training and selection to 3 %%: %.1f elements a vector; the paper's: %d "
               "elements",
               (double)c->count / b->basis->dimension, (int)paper(b)->s);
    else
      status = lb_fail_memory(err);
  }
  lb_cubature_destroy(c);
  return status;
}

// Error against the number of elements, by all selections (their figure 11).
static lbStatus bench_curve(CubatureBench *b, lbError *err) {
  double x[CURVE_POINTS], y[LB_CUBATURE_SELECTION_COUNT][CURVE_POINTS];
  lbCubatureDef def = lb_cubature_def();
  lbCubatureTrainer *trainer = NULL;
  def.error = def.small_share = 0;
  def.pose_count = CURVE_POSES;
  lbStatus status = train(b, &def, &trainer, err);
  for (int point = 0; point < CURVE_POINTS && !status; point++) {
    int32_t s = (int32_t)(b->basis->dimension * CURVE_SHARES[point]);
    x[point] = def.element_limit = s < b->components ? s : b->components;
    for (int i = 0; i < LB_CUBATURE_SELECTION_COUNT && !status; i++) {
      lbCubature *c = NULL;
      def.selection = (lbCubatureSelection)i;
      status = choose(trainer, &def, &c, err);
      if (status) break;
      y[i][point] = 100 * c->training_error;
      benchRow *row = bench_cubature_row(b, "cubature.curve", selection_parameters(b, &def, c), "%",
                                         y[i][point], 0);
      if (row)
        snprintf(row->note, sizeof row->note, "%.3g %% on poses that were held out; %.2f s",
                 100 * c->held_out_error, c->selection_seconds);
      else
        status = lb_fail_memory(err);
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
    row = bench_cubature_row(
        b, "cubature.step",
        json_pack("{s:i, s:i, s:f, s:b}", "d", (int)model->size.subspace_dimension, "s",
                  (int)model->size.cubature_count, "h", h, "single", (int)single),
        "ms", 0, paper(b)->step_ms);
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
  lbCubatureDef cubature = lb_cubature_def();
  lbModel *model = NULL;
  RunWork w = { 0 };
  lbArena arena = { 0 };
  cubature.element_limit = b->elements;
  cubature.pose_count = LARGE_POSES;
  cubature.error = 0;
  lbStatus status = bench_cubature_model(b, b->basis, LB_BASIS_EXTENDED, &cubature, &model, err);
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
    benchRow *row = bench_cubature_row(b, "cubature.force", json_incref(parameters), "ms", 0,
                                       paper(b)->force_ms);
    if (row && w.q && w.R && w.work) {
      if (model->size.pose_count) memcpy(w.q, model->cubature_poses, (size_t)d * sizeof(double));
      bench_time(row, 1e3 / STEPS, evaluate_force, &w);
      b->line.force_ms = row->median;
      snprintf(row->note, sizeof row->note, "one thread; in a training pose");
    }
    row = bench_cubature_row(b, "cubature.step", json_deep_copy(parameters), "ms", 0,
                             paper(b)->step_ms);
    if (row) {
      lb_body_apply_impulse(w.body, lb_point_vertex(model->size.vertex_count - 1),
                            lb_vec3(0, 0, 1));
      bench_time(row, 1e3 / STEPS, step_body, &w);
      b->line.step_ms = row->median;
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

// ---- their table -------------------------------------------------------------------------------

static size_t write_line(char *text, size_t room, const char *who, const benchLine *l) {
  char force[24] = "-", step[24] = "-", rate[24] = "-", basis[24], model[80];
  if (l->force_ms > 0) snprintf(force, sizeof force, "%.3g ms", l->force_ms);
  if (l->step_ms > 0) snprintf(step, sizeof step, "%.3g ms", l->step_ms);
  if (l->step_ms > 0) snprintf(rate, sizeof rate, "%.0f", 1e3 / l->step_ms);
  snprintf(basis, sizeof basis, "%d (%d)", (int)l->d, (int)l->r);
  if (l->amplitude > 0)
    snprintf(model, sizeof model, "%s%s, amplitude %g", who, l->model, l->amplitude);
  else
    snprintf(model, sizeof model, "%s%s", who, l->model);
  int length = snprintf(text, room,
                        "%-34s %7d %9s %7.3g s %5d %7.3g s %4d %9s %9s %7s %6.2f %% %7.3g s %6.2f "
                        "%%\n",
                        model, (int)l->components, basis, l->basis_s, (int)l->poses, l->train_s,
                        (int)l->s, force, step, rate, l->error, l->select_s, l->greedy_error);
  return length > 0 && (size_t)length < room ? (size_t)length : 0;
}

// The paper's lines for such bodies, and ours: with the usual amplitude, and with a large one.
static lbStatus write_table(CubatureBench *b, const benchLine *large, lbError *err) {
  enum { ROOM = 4096 };
  char *text = lb_alloc(ROOM, 1);
  if (!text) return lb_fail_memory(err);
  size_t used = (size_t)snprintf(
      text, ROOM, "%-34s %7s %9s %9s %5s %9s %4s %9s %9s %7s %8s %9s %8s\n", "model", "parts",
      "d (r)", "basis", "T", "forces", "s", "force", "step", "steps/s", "nnhtp", "time", "greedy");
  const benchLine *theirs = b->object.is_shell ? paper_shells : paper_solids;
  for (int i = 0; i < 2; i++) used += write_line(text + used, ROOM - used, "paper: ", &theirs[i]);
  used += write_line(text + used, ROOM - used, "", &b->line);
  write_line(text + used, ROOM - used, "", large);
  lb_free(b->table->text);
  b->table->text = text;
  return LB_OK;
}

// ---- all of it ---------------------------------------------------------------------------------

static lbStatus run_parts(CubatureBench *b, lbError *err) {
  benchLine large;
  lbStatus status = bench_basis(b, err);
  if (status) return status;
  b->components = b->object.fem->slot_count;
  b->line = (benchLine){ .model = b->object.name,
                         .amplitude = lb_cubature_def().amplitude,
                         .components = b->components,
                         .d = b->basis->dimension,
                         .r = BENCH_MODES,
                         .poses = PAPER_POSES,
                         .s = b->elements,
                         .basis_s = b->basis->seconds };
  status = bench_as_paper(b, PAPER_POSES, b->line.amplitude, &b->line, err);
  if (!status) status = bench_run(b, err);
  large = b->line;
  large.amplitude = LARGE;
  large.poses = LARGE_POSES;
  if (!status) status = bench_as_paper(b, LARGE_POSES, LARGE, &large, err);
  if (!status) status = bench_usual(b, err);
  if (!status) status = bench_cubature_motion(b, err);
  if (!status) status = bench_curve(b, err);
  return status ? status : write_table(b, &large, err);
}

lbStatus bench_cubature(const char *mesh_path, const char *fixed_path, const char *plot,
                        int32_t threads, benchTable *table, lbError *err) {
  CubatureBench b = { .table = table, .threads = threads ? threads : 2, .plot = plot };
  lbShapeDef shape = lb_shape_def("sponge");
  shape.cells[0] = shape.cells[1] = shape.cells[2] = 3; // 64 800 tets
  lbStatus status = lb_build_start(b.threads, err);
  if (!status) status = bench_object_make(mesh_path, fixed_path, &shape, &b.object, err);
  if (!status) {
    b.components = b.object.fem->slot_count;
    b.elements = b.object.is_shell ? SHELL_ELEMENTS : SOLID_ELEMENTS;
    if (b.elements > b.components) b.elements = b.components;
    status = run_parts(&b, err);
  }
  if (!status && !mesh_path) status = bench_against_greedy(table, err);
  lb_basis_destroy(b.basis);
  bench_object_release(&b.object);
  return status;
}
