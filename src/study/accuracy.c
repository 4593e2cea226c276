// Comparing a model with the full simulator: both play the same motions with the same time step,
// and the difference of their displacements is measured.
//
// The first load is a body force M d in a skew direction d; K u = M d on the linear body gives its
// scale, the node that is watched, and by ω² = uᵀ M d / uᵀ M u the period that the step is cut
// from.
#include "study/accuracy.h"

#include "fem/fem.h"
#include "limber/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PERIOD_STEPS 40    // steps of a period
#define SUBSTEPS_MOST 16   // of each, where the full simulator needs them
#define QUICK_FLOPS 1.0e10 // of factorisations and elements in the quick comparison
#define QUICK_STEPS 7      // at least; then they are longer, to see the first peak
#define QUICK_PERIODS 0.75
#define STEP_FACTORS 2.5  // factorisations a step takes
#define ELEMENT_FLOPS 8e4 // of one element's force and tangent

static const char *const kind_names[LB_ACCURACY_KIND_COUNT] = { "quick", "full", "none" };

const char *lb_accuracy_kind_name(lbAccuracyKind kind) {
  return (unsigned)kind < LB_ACCURACY_KIND_COUNT ? kind_names[kind] : "unknown";
}

bool lb_accuracy_kind_parse(const char *name, lbAccuracyKind *kind) {
  for (int i = 0; i < LB_ACCURACY_KIND_COUNT; i++)
    if (strcmp(name, kind_names[i]) == 0) {
      *kind = (lbAccuracyKind)i;
      return true;
    }
  return false;
}

lbAccuracyDef lb_accuracy_def(void) {
  return (lbAccuracyDef){ .method = LB_METHOD_DEFAULT, .amplitude = 0.1 };
}

static void release_motion(lbAccuracyMotion *m) {
  double *blocks[] = { m->times, m->full, m->reduced, m->mass_errors, m->vertex_errors };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

void lb_accuracy_destroy(lbAccuracy *accuracy) {
  if (!accuracy) return;
  for (int32_t i = 0; i < accuracy->motion_count; i++) release_motion(&accuracy->motions[i]);
  lb_free(accuracy);
}

// ---- the body at rest --------------------------------------------------------------------------

void lb_comparison_close(lbComparison *c) {
  lb_cholesky_destroy(c->factor);
  lb_free(c->response);
  lb_free(c->load);
  lb_free(c->system);
}

static double find_size(const lbFem *fem) {
  double square = 0;
  for (int i = 0; i < 3; i++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t v = 0; v < fem->vertex_count; v++) {
      double x = fem->positions[3 * (size_t)v + (size_t)i];
      if (!(fem->vertex_masses[v] > 0)) continue;
      low = fmin(low, x), high = fmax(high, x);
    }
    square += (high - low) * (high - low);
  }
  return sqrt(square);
}

// The linear response to M d, scaled; also period and probe.
static lbStatus find_response(lbComparison *c, lbError *err) {
  static const double skew[3] = { 0.48, 0.6, 0.64 }; // of length 1, along no axis
  const lbFem *fem = c->fem;
  size_t count = 3 * (size_t)fem->vertex_count, size = 3 * (size_t)fem->node_count;
  double work = 0, mass = 0;
  for (size_t i = 0; i < count; i++)
    c->response[i] = c->load[i] = fem->vertex_masses[i / 3] * skew[i % 3];
  lbStatus status = lb_comparison_respond(c, c->response, err);
  if (status) return status;
  double *u = c->system, *Mu = c->system + size;
  lb_sparse_multiply(fem->mass, u, Mu);
  for (size_t i = 0; i < size; i++) mass += u[i] * Mu[i];
  for (size_t i = 0; i < count; i++) work += c->response[i] * c->load[i];
  double scale = c->wanted / lb_largest_displacement(fem->vertex_count, c->response, &c->probe);
  for (size_t i = 0; i < count; i++) c->response[i] *= scale, c->load[i] *= scale;
  c->period = 2 * LB_PI / sqrt(work / mass);
  return LB_OK;
}

lbStatus lb_comparison_open(const lbFem *fem, const lbModel *model, const lbAccuracyDef *def,
                            lbComparison *c, lbError *err) {
  lbModelMethod view = { 0 };
  lb_model_method(model, def->method, &view);
  *c = (lbComparison){ .fem = fem,
                       .model = model,
                       .method = view.method,
                       .basis = view.basis,
                       .damping = view.damping,
                       .dimension = view.dimension };
  c->size = find_size(fem);
  c->wanted = def->amplitude * c->size;
  lbSparse *K = NULL;
  c->response = lb_alloc(3 * (size_t)fem->vertex_count, sizeof(double));
  c->load = lb_alloc(3 * (size_t)fem->vertex_count, sizeof(double));
  c->system = lb_alloc(6 * (size_t)fem->node_count, sizeof(double));
  lbStatus status = c->response && c->load && c->system ? LB_OK : lb_fail_memory(err);
  if (!status) status = lb_fem_rest_stiffness(fem, &K, err);
  if (!status) status = lb_cholesky_create(K, &c->factor, err);
  if (!status) status = lb_cholesky_factor(c->factor, K, err);
  if (!status) status = find_response(c, err);
  if (!status) c->factor_flops = lb_cholesky_info(c->factor).factor_flops;
  lb_sparse_destroy(K);
  return status;
}

// ---- one motion --------------------------------------------------------------------------------

// The two bodies while they move.
typedef struct Players {
  lbSimulator *simulator;
  bool again;    // an unsolved step ends it: it is tried again with shorter ones
  bool unsolved; // a step of the simulator was not
  lbBody *body;
  double *forces;    // (full)
  double *displaced; // (full) by the model
  double *moved;     // ((steps + 1) x 3) of the probe by the simulator
  double *played;    // ((steps + 1) x 3) by the model
} Players;

static void release_players(Players *p) {
  lb_simulator_destroy(p->simulator);
  lb_body_destroy(p->body);
  lb_free(p->forces);
  lb_free(p->displaced);
  lb_free(p->moved);
  lb_free(p->played);
}

// q = Uᵀ M u
static lbStatus set_start(const lbComparison *c, const double *u, lbBody *body, lbError *err) {
  const lbFem *fem = c->fem;
  size_t rows = 3 * (size_t)fem->vertex_count, size = 3 * (size_t)fem->node_count;
  double *q = lb_alloc(2 * (size_t)c->dimension, sizeof(double));
  double *Mu = lb_alloc(rows, sizeof(double));
  lbStatus status = q && Mu ? LB_OK : lb_fail_memory(err);
  if (!status) {
    lb_fem_compress(fem, u, c->system);
    lb_sparse_multiply(fem->mass, c->system, c->system + size);
    lb_fem_expand(fem, c->system + size, Mu);
    for (size_t k = 0; k < (size_t)c->dimension; k++)
      for (size_t i = 0; i < rows; i++) q[k] += c->basis[k * rows + i] * Mu[i];
    status = lb_body_set_state(body, q, q + c->dimension);
    if (status) status = lb_fail(err, status, "comparison: %s", lb_body_message(body));
  }
  lb_free(q);
  lb_free(Mu);
  return status;
}

static lbStatus make_players(const lbComparison *c, const lbMotionPlan *plan, double tolerance,
                             int32_t steps, int32_t substeps, Players *p, lbError *err) {
  size_t count = 3 * (size_t)c->fem->vertex_count;
  p->forces = lb_alloc(count, sizeof(double));
  p->displaced = lb_alloc(count, sizeof(double));
  p->moved = lb_alloc((size_t)steps + 1, 3 * sizeof(double));
  p->played = lb_alloc((size_t)steps + 1, 3 * sizeof(double));
  if (!p->forces || !p->displaced || !p->moved || !p->played) return lb_fail_memory(err);
  lbSimulatorDef full = lb_simulator_def();
  full.step = c->step / substeps;
  full.newton_tolerance = tolerance;
  // Where few digits are wanted a kept factor gets them sooner than Newton's convergence does.
  full.factor_reuse = tolerance >= 1e-3 ? 0.5 : 0;
  full.damping_mass = c->damping[0];
  full.damping_stiffness = c->damping[1];
  lbBodyDef reduced = lb_body_def();
  reduced.method = c->method;
  reduced.newton_iterations = 20;
  reduced.newton_tolerance = 1e-8;
  lbStatus status =
      lb_simulator_create(c->fem, &full, plan->start, NULL, p->forces, &p->simulator, err);
  if (!status) status = lb_body_create(c->model, &reduced, &p->body, err);
  if (!status && plan->start) status = set_start(c, plan->start, p->body, err);
  return status;
}

static void apply_forces(const lbComparison *c, const double *forces, lbBody *body) {
  for (int32_t n = 0; n < c->fem->node_count; n++) {
    int32_t v = c->fem->vertex_of_node[n];
    const double *f = forces + 3 * (size_t)v;
    if (f[0] != 0 || f[1] != 0 || f[2] != 0)
      (void)lb_body_apply_force(body, lb_point_node(v), lb_vec3(f[0], f[1], f[2]));
  }
}

// The difference now, in metres; the amplitude follows when all is known.
static void measure(const lbComparison *c, Players *p, int32_t step, lbAccuracyMotion *m) {
  const double *u = lb_simulator_displacement(p->simulator), *masses = c->fem->vertex_masses;
  double sum = 0, worst = 0;
  lb_body_node_displacements(p->body, p->displaced);
  for (int32_t v = 0; v < c->fem->vertex_count; v++) {
    double square = 0;
    for (size_t i = 3 * (size_t)v; i < 3 * (size_t)v + 3; i++)
      square += (p->displaced[i] - u[i]) * (p->displaced[i] - u[i]);
    sum += masses[v] * square;
    worst = fmax(worst, square);
  }
  m->times[step] = step * c->step;
  m->mass_errors[step] = sqrt(sum / c->fem->total_mass);
  m->vertex_errors[step] = sqrt(worst);
  m->amplitude = fmax(m->amplitude, lb_largest_displacement(c->fem->vertex_count, u, NULL));
  memcpy(p->moved + 3 * (size_t)step, u + 3 * (size_t)m->probe, 3 * sizeof(double));
  memcpy(p->played + 3 * (size_t)step, p->displaced + 3 * (size_t)m->probe, 3 * sizeof(double));
}

// Both bodies by one substep that ends at t; lbStepFlags of each.
typedef struct StepFlags {
  int32_t full, reduced;
} StepFlags;

static StepFlags advance(const lbComparison *c, const lbMotionPlan *plan, double t, double h,
                         Players *p) {
  memset(p->forces, 0, 3 * (size_t)c->fem->vertex_count * sizeof(double));
  if (plan->load) {
    plan->load(c, plan, t, p->forces);
    apply_forces(c, p->forces, p->body);
  }
  return (StepFlags){ lb_simulator_step(p->simulator, p->forces), lb_body_step(p->body, h) };
}

static lbStatus play(const lbComparison *c, const lbMotionPlan *plan, int32_t steps,
                     int32_t substeps, Players *p, lbAccuracyMotion *m, lbError *err) {
  double h = c->step / substeps;
  measure(c, p, 0, m);
  for (int32_t step = 1; step <= steps; step++) {
    if (!lb_progress("accuracy", (double)step / steps)) return lb_fail_interrupted(err, "accuracy");
    StepFlags flags = { 0, 0 };
    for (int32_t i = 1; i <= substeps; i++) {
      StepFlags now = advance(c, plan, (step - 1) * c->step + i * h, h, p);
      flags.full |= now.full, flags.reduced |= now.reduced;
    }
    if (flags.full & LB_STEP_NONFINITE) {
      snprintf(m->problem, sizeof m->problem,
               "the full simulator found no finite state at t = %.4g s, the comparison ends there",
               step * c->step);
      p->unsolved = true;
      return LB_OK;
    }
    if (flags.full & LB_STEP_NOT_CONVERGED) {
      snprintf(m->problem, sizeof m->problem,
               "a step of the full simulator did not converge, at t = %.4g s", step * c->step);
      p->unsolved = true;
      if (p->again) return LB_OK;
    }
    if (flags.reduced & LB_STEP_NONFINITE)
      snprintf(m->problem, sizeof m->problem, "the model found no finite state at t = %.4g s",
               step * c->step);
    m->step_count = step;
    measure(c, p, step, m);
  }
  return LB_OK;
}

// ---- figures -----------------------------------------------------------------------------------

typedef struct Peak {
  double time, value;
} Peak;

enum { PEAKS = 3 };

// Turning points of a signal beyond a fifth of its range from zero, by parabolas.
static int32_t find_peaks(int32_t count, const double *x, double step, Peak peaks[PEAKS]) {
  double largest = 0;
  int32_t found = 0;
  for (int32_t i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
  for (int32_t i = 1; i + 1 < count && found < PEAKS; i++) {
    double before = x[i] - x[i - 1], after = x[i + 1] - x[i], bend = after - before;
    if (before * after > 0 || bend == 0 || fabs(x[i]) < 0.2 * largest) continue;
    if (bend * x[i] > 0) continue; // turns on its way out, not at its end
    double shift = -(before + after) / (2 * bend);
    peaks[found++] = (Peak){ (i + shift) * step, x[i] + shift * (before + after) / 4 };
  }
  return found;
}

static void compare_peaks(lbAccuracyMotion *m, double step) {
  Peak full[PEAKS], reduced[PEAKS];
  int32_t a = find_peaks(m->step_count + 1, m->full, step, full);
  int32_t b = find_peaks(m->step_count + 1, m->reduced, step, reduced);
  int32_t count = a < b ? a : b;
  if (count == 0) return;
  m->frequency_error = fabs(1 - full[count - 1].time / reduced[count - 1].time);
  for (int32_t i = 0; i < count; i++)
    m->peak_error = fmax(m->peak_error, fabs(reduced[i].value - full[i].value) / m->amplitude);
}

// The probe's signals lie along its largest displacement.
static void take_signals(const Players *p, lbAccuracyMotion *m) {
  double largest = 0;
  for (int32_t k = 0; k <= m->step_count; k++) {
    const double *u = p->moved + 3 * (size_t)k;
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    if (length <= largest) continue;
    largest = length;
    for (int i = 0; i < 3; i++) m->direction[i] = u[i] / length;
  }
  for (int32_t k = 0; k <= m->step_count; k++)
    for (int i = 0; i < 3; i++) {
      m->full[k] += m->direction[i] * p->moved[3 * (size_t)k + (size_t)i];
      m->reduced[k] += m->direction[i] * p->played[3 * (size_t)k + (size_t)i];
    }
}

static void finish_figures(const lbComparison *c, const Players *p, lbAccuracyMotion *m) {
  double sum = 0, worst = 0;
  take_signals(p, m);
  m->duration = m->step_count * c->step;
  if (m->step_count < 1 || !(m->amplitude > 0)) return;
  for (int32_t k = 0; k <= m->step_count; k++) {
    m->mass_errors[k] /= m->amplitude;
    m->vertex_errors[k] /= m->amplitude;
    sum += m->mass_errors[k] * m->mass_errors[k];
    worst = fmax(worst, m->vertex_errors[k]);
  }
  m->mass_error = sqrt(sum / (m->step_count + 1));
  m->vertex_error = worst;
  compare_peaks(m, c->step);
}

static lbStatus begin_motion(const char *name, int32_t probe, int32_t steps, lbAccuracyMotion *m,
                             lbError *err) {
  size_t rows = (size_t)steps + 1;
  *m = (lbAccuracyMotion){ .name = name,
                           .probe = probe,
                           .mass_error = -1,
                           .vertex_error = -1,
                           .frequency_error = -1,
                           .peak_error = -1 };
  double **arrays[] = { &m->times, &m->full, &m->reduced, &m->mass_errors, &m->vertex_errors };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = lb_alloc(rows, sizeof(double));
    if (!*arrays[i]) return lb_fail_memory(err);
  }
  return LB_OK;
}

static lbStatus try_motion(const lbComparison *c, const lbMotionPlan *plan, double tolerance,
                           int32_t steps, int32_t substeps, Players *p, lbAccuracyMotion *m,
                           lbError *err) {
  lbError why = { 0 };
  lbStatus status = make_players(c, plan, tolerance, steps, substeps, p, &why);
  if (status == LB_ERR_NUMERIC) { // the simulator does not start
    snprintf(m->problem, sizeof m->problem, "%.230s", why.text);
    return LB_OK;
  }
  if (status) {
    if (err) *err = why;
    return status;
  }
  status = play(c, plan, steps, substeps, p, m, err);
  if (!status) finish_figures(c, p, m);
  return status;
}

// A full comparison takes shorter steps where the simulator does not converge.
static lbStatus run_motion(const lbComparison *c, const lbMotionPlan *plan, double tolerance,
                           int32_t steps, int32_t substeps_most, lbAccuracyMotion *m,
                           lbError *err) {
  for (int32_t substeps = 1;; substeps *= 2) {
    Players p = { .again = substeps < substeps_most };
    lbStatus status = try_motion(c, plan, tolerance, steps, substeps, &p, m, err);
    bool again = !status && p.unsolved && p.again;
    release_players(&p);
    if (!again) return status;
    m->problem[0] = 0;
    m->amplitude = 0;
    m->step_count = 0;
  }
}

// ---- the comparison ----------------------------------------------------------------------------

typedef struct Budget {
  int32_t motions, steps, wanted; // steps: of each motion; wanted: without a limit
  double tolerance;               // of the full simulator
} Budget;

// How many steps a large body can afford is worked out from operations, not from the clock: the
// same model is built on every machine.
static Budget make_budget(lbComparison *c, const lbAccuracyDef *def) {
  bool quick = def->kind == LB_ACCURACY_QUICK;
  int32_t wanted = def->step_count > 0 ? def->step_count : quick ? 40 : 80;
  Budget budget = { quick ? 1 : LB_ACCURACY_MOTIONS_MAX, wanted, wanted, quick ? 1e-3 : 1e-8 };
  double step = STEP_FACTORS * (c->factor_flops + ELEMENT_FLOPS * c->fem->element_count);
  double most = QUICK_FLOPS / step;
  if (quick && most < wanted) budget.steps = most < QUICK_STEPS ? QUICK_STEPS : (int32_t)most;
  if (budget.steps > wanted) budget.steps = wanted;
  c->step = c->period / PERIOD_STEPS;
  if (budget.steps < wanted) c->step = fmax(c->step, c->period * QUICK_PERIODS / budget.steps);
  return budget;
}

static lbStatus compare(const lbComparison *c, const Budget *budget, int32_t number,
                        lbAccuracy *accuracy, lbError *err) {
  static const char *const names[] = { "sudden load", "release", "impulse", "moving load" };
  lbAccuracyMotion *m = &accuracy->motions[accuracy->motion_count++];
  lbMotionPlan plan = { 0 };
  lbStatus status = begin_motion(names[number], c->probe, budget->steps, m, err);
  if (!status && number == 0) lb_plan_sudden(&plan);
  if (!status && number == 1) status = lb_plan_release(c, &plan, m->problem, err);
  if (!status && number == 2) status = lb_plan_impulse(c, &plan, err);
  if (!status && number == 3) status = lb_plan_moving(c, &plan, err);
  plan.duration = budget->steps * c->step;
  if (!status && !m->problem[0])
    status = run_motion(c, &plan, budget->tolerance, budget->steps,
                        accuracy->kind == LB_ACCURACY_QUICK ? 1 : SUBSTEPS_MOST, m, err);
  lb_free(plan.start);
  return status;
}

static void tell_coverage(const lbComparison *c, const Budget *budget, lbAccuracy *accuracy) {
  char left_out[160] = "";
  if (accuracy->kind == LB_ACCURACY_QUICK && budget->steps < budget->wanted)
    snprintf(left_out, sizeof left_out,
             "; the body is large, so fewer steps than %d, and longer; other motions not compared",
             (int)budget->wanted);
  else if (accuracy->kind == LB_ACCURACY_QUICK)
    snprintf(left_out, sizeof left_out, "; other motions not compared");
  snprintf(accuracy->coverage, sizeof accuracy->coverage,
           "%s check of the method %s: %d %s of up to %d steps of %.4g s (%.2g periods) at about "
           "%.3g %% of the size%s",
           lb_accuracy_kind_name(accuracy->kind), lb_method_name(c->method),
           (int)accuracy->motion_count, accuracy->motion_count == 1 ? "motion" : "motions",
           (int)budget->steps, c->step, budget->steps * c->step / c->period,
           100 * c->wanted / c->size, left_out);
}

static lbStatus check_def(const lbFem *fem, const lbModel *model, lbAccuracyDef *def,
                          lbError *err) {
  if (def->method == LB_METHOD_DEFAULT) def->method = lb_model_default_method(model);
  if (def->method == LB_METHOD_RECORDED || !lb_model_has(model, def->method))
    return lb_fail(err, LB_ERR_ARGUMENT, "comparison: the model does not have the method \"%s\"",
                   lb_method_name(def->method));
  if (fem->vertex_count != model->size.node_count)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "comparison: a body of %d vertices and a model of %d nodes",
                   (int)fem->vertex_count, (int)model->size.node_count);
  if (!(def->amplitude > 0 && def->amplitude <= 1) || def->step_count < 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "comparison: amplitude is %g and step_count %d, choose an amplitude up to 1 and "
                   "0 steps or more",
                   def->amplitude, (int)def->step_count);
  return LB_OK;
}

static lbStatus compare_all(const lbFem *fem, const lbModel *model, const lbAccuracyDef *def,
                            lbAccuracy *accuracy, lbError *err) {
  lbComparison c = { 0 };
  lbError why = { 0 };
  lbStatus status = lb_comparison_open(fem, model, def, &c, &why);
  if (status == LB_ERR_NUMERIC) {
    snprintf(accuracy->coverage, sizeof accuracy->coverage, "nothing was compared: %.300s",
             why.text);
    status = LB_OK;
  } else if (status) {
    if (err) *err = why;
  } else {
    Budget budget = make_budget(&c, def);
    accuracy->size = c.size;
    accuracy->step = c.step;
    accuracy->frequency = 1 / c.period;
    for (int32_t i = 0; i < budget.motions && !status; i++)
      status = compare(&c, &budget, def->kind == LB_ACCURACY_QUICK ? i : i + 1, accuracy, err);
    tell_coverage(&c, &budget, accuracy);
  }
  lb_comparison_close(&c);
  return status;
}

lbStatus lb_accuracy_measure(const lbFem *fem, const lbModel *model, const lbAccuracyDef *given,
                             lbAccuracy **out, lbError *err) {
  double start = lb_seconds();
  lbAccuracyDef def = *given;
  lbStatus status = check_def(fem, model, &def, err);
  if (status) return status;
  lbAccuracy *accuracy = lb_alloc(1, sizeof *accuracy);
  if (!accuracy) return lb_fail_memory(err);
  accuracy->kind = def.kind;
  accuracy->method = def.method;
  lbStatus held = lb_fem_check_held(fem, NULL);
  if (def.kind == LB_ACCURACY_NONE)
    snprintf(accuracy->coverage, sizeof accuracy->coverage, "nothing was compared");
  else if (held == LB_ERR_MEMORY)
    status = lb_fail_memory(err);
  else if (held != LB_OK)
    snprintf(accuracy->coverage, sizeof accuracy->coverage,
             "nothing was compared: the body is free, and free bodies are not compared with the "
             "unreduced simulator in this version");
  else
    status = compare_all(fem, model, &def, accuracy, err);
  accuracy->seconds = lb_seconds() - start;
  if (status)
    lb_accuracy_destroy(accuracy);
  else
    *out = accuracy;
  return status;
}

lbStatus lb_accuracy_store(const lbAccuracy *accuracy, lbModel **model, lbError *err) {
  char names[LB_ACCURACY_MOTIONS_MAX * 32] = "";
  double values[LB_ACCURACY_MOTIONS_MAX][6];
  size_t at = 0;
  lbModel draft = **model, *changed = NULL;
  for (int32_t i = 0; i < accuracy->motion_count; i++) {
    const lbAccuracyMotion *m = &accuracy->motions[i];
    const double row[6] = { m->amplitude,    m->duration,        m->mass_error,
                            m->vertex_error, m->frequency_error, m->peak_error };
    memcpy(values[i], row, sizeof row);
    snprintf(names + at, 32, "%.31s", m->name);
    at += strlen(names + at) + 1;
  }
  draft.size.accuracy_count = accuracy->motion_count;
  draft.accuracy_motions = accuracy->motion_count ? names : NULL;
  draft.accuracy_values = accuracy->motion_count ? values[0] : NULL;
  draft.accuracy_coverage = accuracy->coverage;
  lbStatus status = lb_model_create(&draft, &changed, err);
  if (status) return status;
  lb_model_destroy(*model);
  *model = changed;
  return LB_OK;
}
