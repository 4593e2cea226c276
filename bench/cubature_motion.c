// limber bench cubature: a motion of reduced bodies beside the unreduced one (von Tycowicz et al.
// 2013, figure 10, and the dragon's line of table 2). The body starts at rest with velocities along
// its lowest mode that would take it to a tenth of its size if it were linear; no damping, Newmark,
// 40 steps a period. The unreduced motion is made once.
#include "bench/cubature.h"

#include "fem/fem.h"
#include "study/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// LINEAR: as many modes as take about the time of the other bases.
enum { LINEAR = 45, STEPS = 30, STEPS_A_PERIOD = 40, LINES_MOST = 4, POSES = 200 };

static const double SWING = 0.1; // of the diagonal

typedef struct Motion {
  size_t length;    // 3 vertices
  double step;      // s
  double *velocity; // (length) at the start
  double *full;     // (STEPS + 1 x length) displacements
  double *u;        // (length)
  double largest;   // m, of a vertex in the full motion
  int32_t probe;    // the vertex with the largest velocity
  double times[STEPS + 1], lines[LINES_MOST][STEPS + 1];
  const char *names[LINES_MOST];
  int32_t line_count;
} Motion;

static double vertex_square(const double *u, size_t v) {
  return u[3 * v] * u[3 * v] + u[3 * v + 1] * u[3 * v + 1] + u[3 * v + 2] * u[3 * v + 2];
}

// The displacement of the probe along its first velocity.
static double probed(const Motion *m, const double *u) {
  const double *v = m->velocity + 3 * (size_t)m->probe, *x = u + 3 * (size_t)m->probe;
  return (v[0] * x[0] + v[1] * x[1] + v[2] * x[2]) /
         sqrt(vertex_square(m->velocity, (size_t)m->probe));
}

static double size_of(const lbFem *fem) {
  double square = 0;
  for (size_t k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < (size_t)fem->vertex_count; v++) {
      low = fmin(low, fem->positions[3 * v + k]);
      high = fmax(high, fem->positions[3 * v + k]);
    }
    square += (high - low) * (high - low);
  }
  return sqrt(square);
}

static lbStatus open(const CubatureBench *b, Motion *m, lbError *err) {
  const lbFem *fem = b->object.fem;
  const lbModes *modes = b->basis->modes;
  *m = (Motion){ .length = 3 * (size_t)fem->vertex_count };
  m->velocity = lb_duplicate(modes->shapes, m->length, sizeof(double));
  m->full = lb_alloc((STEPS + 1) * m->length, sizeof(double));
  m->u = lb_alloc(m->length, sizeof(double));
  if (!m->velocity || !m->full || !m->u) return lb_fail_memory(err);
  double most = 0;
  for (size_t v = 0; v < m->length / 3; v++)
    if (vertex_square(m->velocity, v) > most)
      most = vertex_square(m->velocity, v), m->probe = (int32_t)v;
  double omega = 2 * LB_PI * modes->frequencies[0],
         scale = SWING * size_of(fem) * omega / sqrt(most);
  for (size_t i = 0; i < m->length; i++) m->velocity[i] *= scale;
  m->step = 1 / (modes->frequencies[0] * STEPS_A_PERIOD);
  for (int i = 0; i <= STEPS; i++) m->times[i] = i * m->step;
  return LB_OK;
}

static void release(Motion *m) {
  lb_free(m->velocity);
  lb_free(m->full);
  lb_free(m->u);
}

static lbStatus play_full(const CubatureBench *b, Motion *m, lbError *err) {
  lbSimulatorDef def = lb_simulator_def();
  lbSimulator *simulator = NULL;
  def.step = m->step;
  def.newton_tolerance = 1e-6;
  def.factor_reuse = 0.2;
  double *none = lb_alloc(m->length, sizeof(double));
  lbStatus status =
      none ? lb_simulator_create(b->object.fem, &def, NULL, m->velocity, none, &simulator, err)
           : lb_fail_memory(err);
  for (int i = 1; i <= STEPS && !status; i++) {
    if (!lb_progress("unreduced motion", (double)i / STEPS)) {
      status = lb_fail_interrupted(err, "unreduced motion");
      break;
    }
    lb_simulator_step(simulator, none);
    double *u = m->full + (size_t)i * m->length;
    memcpy(u, lb_simulator_displacement(simulator), m->length * sizeof(double));
    for (size_t v = 0; v < m->length / 3; v++)
      m->largest = fmax(m->largest, sqrt(vertex_square(u, v)));
    m->lines[0][i] = probed(m, u);
  }
  m->names[0] = "unreduced";
  m->line_count = 1;
  lb_simulator_destroy(simulator);
  lb_free(none);
  return status;
}

// The root of the mean over mass and time of the squared difference, over the amplitude, in %.
static lbStatus play_reduced(const CubatureBench *b, const lbModel *model, Motion *m, double *line,
                             double *error, lbError *err) {
  const lbFem *fem = b->object.fem;
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  double sum = 0;
  def.method = LB_METHOD_SUBSPACE;
  def.newton_iterations = 20;
  def.newton_tolerance = 1e-6;
  def.damping_mass = def.damping_stiffness = 0;
  lbStatus status = lb_body_create(model, &def, &body, err);
  if (status) return status;
  memset(m->u, 0, m->length * sizeof(double));
  if (lb_body_set_displacements(body, m->u, m->velocity))
    status = lb_fail(err, LB_ERR_NUMERIC, "the body cannot have the velocities of its lowest mode");
  for (int i = 1; i <= STEPS && !status; i++) {
    const double *full = m->full + (size_t)i * m->length;
    lb_body_step(body, m->step);
    lb_body_node_displacements(body, m->u);
    if (line) line[i] = probed(m, m->u);
    for (size_t k = 0; k < m->length; k++)
      sum += fem->vertex_masses[k / 3] / fem->total_mass * pow(m->u[k] - full[k], 2) / STEPS;
  }
  *error = 100 * sqrt(sum) / m->largest;
  lb_body_destroy(body);
  return status;
}

typedef struct Case {
  lbBasisKind kind;
  lbCubatureSelection selection;
  bool few;         // the paper's number of elements; otherwise 3 %
  const char *name; // of its line; NULL: none
  double paper;     // %, of another motion in another norm
} Case;

static const Case cases[] = {
  { LB_BASIS_EXTENDED, LB_CUBATURE_NNHTP, false, "nnhtp, 3 %", 1.70 },
  { LB_BASIS_EXTENDED, LB_CUBATURE_NNHTP, true, "nnhtp", 0 },
  { LB_BASIS_EXTENDED, LB_CUBATURE_GREEDY_FAST, true, "greedy_fast", 0 },
  { LB_BASIS_DERIVATIVES, LB_CUBATURE_NNHTP, false, NULL, 2.25 },
  { LB_BASIS_LINEAR, LB_CUBATURE_NNHTP, false, NULL, 4.40 },
};

static lbStatus run_case(CubatureBench *b, const Case *c, Motion *m, lbError *err) {
  const char *basis_name = lb_basis_kind_name(c->kind);
  lbBasisDef basis_def = lb_basis_def();
  lbCubatureDef def = lb_cubature_def();
  lbBasis *made = NULL;
  lbModel *model = NULL;
  double error = 0;
  basis_def.kind = c->kind;
  basis_def.dimension = b->basis->dimension;
  basis_def.mode_count = c->kind == LB_BASIS_LINEAR ? LINEAR : BENCH_MODES;
  basis_def.at_most = true;
  def.selection = c->selection;
  def.pose_count = POSES;
  if (c->few) def.element_limit = b->elements, def.error = 0;
  lbStatus status =
      c->kind == LB_BASIS_EXTENDED ? LB_OK : lb_basis_make(b->object.fem, &basis_def, &made, err);
  const lbBasis *basis = made ? made : b->basis;
  if (!status) status = bench_cubature_model(b, basis, c->kind, &def, &model, err);
  double *line = c->name ? m->lines[m->line_count] : NULL;
  if (!status) status = play_reduced(b, model, m, line, &error, err);
  if (!status && made) {
    double without = made->force_seconds + made->solve_seconds + made->pca_seconds;
    benchRow *row =
        bench_cubature_row(b, "cubature.basis",
                           json_pack("{s:s, s:i}", "basis", basis_name, "d", (int)made->dimension),
                           "s", without, c->kind == LB_BASIS_DERIVATIVES ? 28 : 0);
    if (row)
      snprintf(row->note, sizeof row->note, "beside %d linear modes, which took %.2f s",
               (int)basis_def.mode_count, made->mode_seconds);
  }
  if (!status) {
    benchRow *row = bench_cubature_row(
        b, "cubature.motion_error",
        json_pack("{s:s, s:s, s:i, s:i}", "basis", basis_name, "selection",
                  lb_cubature_selection_name(c->selection), "d",
                  (int)model->size.subspace_dimension, "s", (int)model->size.cubature_count),
        "%", error, c->paper);
    if (row)
      snprintf(row->note, sizeof row->note,
               "of three quarters of a period, over its amplitude; the force is off by %.3g %%%s",
               100 * model->cubature_errors[0],
               c->paper > 0 ? "; the paper's: another norm, another motion" : "");
    else
      status = lb_fail_memory(err);
  }
  if (!status && c->name) m->names[m->line_count++] = c->name;
  lb_basis_destroy(made);
  lb_model_destroy(model);
  return status;
}

// "curve.svg" becomes "curve-motion.svg".
static lbStatus draw(const CubatureBench *b, const Motion *m, lbError *err) {
  char path[4096];
  size_t stem = strlen(b->plot);
  if (stem > 4 && strcmp(b->plot + stem - 4, ".svg") == 0) stem -= 4;
  snprintf(path, sizeof path, "%.*s-motion.svg", (int)stem, b->plot);
  lbPlot plot = { .title = "Displacement of the vertex that starts fastest",
                  .x_name = "time, s",
                  .y_name = "displacement, m",
                  .count = STEPS + 1,
                  .x = m->times,
                  .line_count = m->line_count };
  for (int32_t i = 0; i < m->line_count; i++)
    plot.lines[i] = (lbPlotLine){ m->names[i], m->lines[i] };
  return lb_plot_write(&plot, path, err);
}

lbStatus bench_cubature_motion(CubatureBench *b, lbError *err) {
  Motion motion = { 0 };
  lbStatus status = open(b, &motion, err);
  if (!status) status = play_full(b, &motion, err);
  for (size_t i = 0; i < sizeof cases / sizeof *cases && !status; i++)
    status = run_case(b, &cases[i], &motion, err);
  if (!status && b->plot) status = draw(b, &motion, err);
  release(&motion);
  return status;
}
