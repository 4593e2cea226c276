// Both bodies play a motion: the unreduced simulator and the model, with the same time step, and
// the difference of their displacements is measured, in the axes of the model's frame.
#include "study/accuracy.h"

#include "fem/fem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REACHED 0.25 // of the aim: a motion that stays below is not one of that size

// ---- the two bodies ----------------------------------------------------------------------------

// The two bodies while they move.
typedef struct Players {
  lbSimulator *simulator;
  bool again;    // a step that is not solved ends it; it is repeated with shorter steps
  bool unsolved; // a step of the simulator was not
  lbBody *body;
  double *forces;    // (full)
  double *supports;  // (3 x full) of a driven body
  double *relative;  // (full) displacements of the simulator's body in the model's frame
  double *displaced; // (full) by the model
  double *moved;     // ((steps + 1) x 3) of the probe by the simulator
  double *played;    // ((steps + 1) x 3) by the model
} Players;

static void release_players(Players *p) {
  lb_simulator_destroy(p->simulator);
  lb_body_destroy(p->body);
  lb_free(p->forces);
  lb_free(p->supports);
  lb_free(p->relative);
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

// Velocities of a rigid motion.
static void set_rigid(const lbComparison *c, const lbMotionPlan *plan, double *velocity) {
  for (size_t v = 0; v < (size_t)c->fem->vertex_count; v++) {
    lbVec3 r = lb_sub(lb_vec3_load(c->fem->positions + 3 * v), c->centre);
    lb_vec3_store(velocity + 3 * v, lb_add(plan->velocity, lb_cross(plan->spin, r)));
  }
}

static lbStatus make_simulator(const lbComparison *c, const lbMotionPlan *plan, double tolerance,
                               int32_t substeps, Players *p, lbError *err) {
  lbSimulatorDef def = lb_simulator_def();
  def.step = c->step / substeps;
  def.newton_tolerance = tolerance;
  // Where few digits are wanted a kept factor gets them sooner than Newton's convergence does.
  def.factor_reuse = tolerance >= 1e-3 ? 0.5 : 0;
  def.damping_mass = c->damping[0];
  def.damping_stiffness = c->damping[1];
  set_rigid(c, plan, p->displaced); // which nothing else needs yet
  lbStatus status = lb_simulator_create(c->fem, &def, plan->start, c->free ? p->displaced : NULL,
                                        p->forces, &p->simulator, err);
  if (status || !plan->driven) return status;
  return lb_start_drive(c, plan, p->simulator, p->supports, err);
}

static lbStatus make_played_body(const lbComparison *c, const lbMotionPlan *plan, Players *p,
                                 lbError *err) {
  lbBodyDef def = lb_body_def();
  def.method = c->method;
  if (plan->driven) def.frame = LB_FRAME_DRIVEN;
  def.newton_iterations = 20;
  def.newton_tolerance = 1e-8;
  lbStatus status = lb_body_create(c->model, &def, &p->body, err);
  if (!status && plan->start) status = set_start(c, plan->start, p->body, err);
  if (!status && c->free && lb_body_set_velocity(p->body, plan->velocity, plan->spin))
    status = lb_fail(err, LB_ERR_ARGUMENT, "comparison: %s", lb_body_message(p->body));
  return status;
}

static lbStatus make_players(const lbComparison *c, const lbMotionPlan *plan,
                             const lbEffort *effort, int32_t substeps, Players *p, lbError *err) {
  size_t count = 3 * (size_t)c->fem->vertex_count, rows = (size_t)effort->steps + 1;
  p->forces = lb_alloc(count, sizeof(double));
  p->relative = lb_alloc(count, sizeof(double));
  p->displaced = lb_alloc(count, sizeof(double));
  p->moved = lb_alloc(rows, 3 * sizeof(double));
  p->played = lb_alloc(rows, 3 * sizeof(double));
  if (plan->driven) p->supports = lb_alloc(3 * count, sizeof(double));
  bool short_of_memory = plan->driven && !p->supports;
  if (!p->forces || !p->relative || !p->displaced || !p->moved || !p->played || short_of_memory)
    return lb_fail_memory(err);
  lbStatus status = make_simulator(c, plan, effort->tolerance, substeps, p, err);
  return status ? status : make_played_body(c, plan, p, err);
}

// ---- a motion ----------------------------------------------------------------------------------

static void apply_forces(const lbComparison *c, const double *forces, lbBody *body) {
  for (int32_t n = 0; n < c->fem->node_count; n++) {
    int32_t v = c->fem->vertex_of_node[n];
    const double *f = forces + 3 * (size_t)v;
    if (f[0] != 0 || f[1] != 0 || f[2] != 0)
      (void)lb_body_apply_force(body, lb_point_node(v), lb_vec3(f[0], f[1], f[2]));
  }
}

// Displacements of the simulator's body, seen from the model's frame: Rᵀ (x − p) − X.
static void look_from_frame(const lbComparison *c, Players *p) {
  const double *u = lb_simulator_displacement(p->simulator), *X = c->fem->positions;
  lbFrame frame = lb_body_frame(p->body);
  lbQuat back = lb_quat_conjugate(frame.rotation);
  for (size_t v = 0; v < (size_t)c->fem->vertex_count; v++) {
    lbVec3 rest = lb_vec3_load(X + 3 * v), x = lb_add(rest, lb_vec3_load(u + 3 * v));
    lbVec3 own = lb_quat_rotate(back, lb_sub(x, frame.position));
    lb_vec3_store(p->relative + 3 * v, lb_sub(own, rest));
  }
}

// The difference now, in metres; the amplitude follows when all is known.
static void measure_difference(const lbComparison *c, const lbMotionPlan *plan, Players *p,
                               int32_t step, lbAccuracyMotion *m) {
  const double *u = lb_simulator_displacement(p->simulator), *masses = c->fem->vertex_masses;
  double sum = 0, worst = 0;
  if (c->free || plan->driven) look_from_frame(c, p), u = p->relative;
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

typedef struct StepFlags { // lbStepFlags of both bodies
  int32_t full, reduced;
} StepFlags;

// Both bodies by one substep that ends at t; flags are added.
static lbStatus advance_players(const lbComparison *c, const lbMotionPlan *plan, double t, double h,
                                Players *p, StepFlags *flags, lbError *err) {
  lbStatus status = LB_OK;
  memset(p->forces, 0, 3 * (size_t)c->fem->vertex_count * sizeof(double));
  if (plan->load) {
    plan->load(c, plan, t, p->forces);
    apply_forces(c, p->forces, p->body);
  }
  if (plan->driven) status = lb_drive(c, plan, t, p->simulator, p->supports, p->body, err);
  if (status) return status;
  flags->full |= lb_simulator_step(p->simulator, p->forces);
  flags->reduced |= lb_body_step(p->body, h);
  return LB_OK;
}

// Tells what ended or spoilt a motion; false: it ends here.
static bool look_at_flags(StepFlags flags, double t, Players *p, lbAccuracyMotion *m) {
  if (flags.full & LB_STEP_NONFINITE) {
    snprintf(m->problem, sizeof m->problem,
             "the full simulator found no finite state at t = %.4g s, the comparison ends there",
             t);
    p->unsolved = true;
    return false;
  }
  if (flags.full & LB_STEP_NOT_CONVERGED) {
    snprintf(m->problem, sizeof m->problem,
             "a step of the full simulator did not converge, at t = %.4g s", t);
    p->unsolved = true;
    if (p->again) return false;
  }
  if (flags.reduced & LB_STEP_NONFINITE)
    snprintf(m->problem, sizeof m->problem, "the model found no finite state at t = %.4g s", t);
  return true;
}

static lbStatus play_motion(const lbComparison *c, const lbMotionPlan *plan, const lbEffort *effort,
                            int32_t substeps, Players *p, lbAccuracyMotion *m, lbError *err) {
  double h = c->step / substeps;
  measure_difference(c, plan, p, 0, m);
  for (int32_t step = 1; step <= effort->steps; step++) {
    if (!lb_progress("accuracy", (double)step / effort->steps))
      return lb_fail_interrupted(err, "accuracy");
    StepFlags flags = { 0, 0 };
    for (int32_t i = 1; i <= substeps; i++) {
      lbStatus status = advance_players(c, plan, (step - 1) * c->step + i * h, h, p, &flags, err);
      if (status) return status;
    }
    if (!look_at_flags(flags, step * c->step, p, m)) return LB_OK;
    m->step_count = step;
    measure_difference(c, plan, p, step, m);
    if (effort->factors && lb_simulator_state(p->simulator).factor_count >= effort->factors &&
        step < effort->steps) {
      snprintf(m->problem, sizeof m->problem,
               "the full simulator needed many factorisations, the comparison ends at t = %.4g s",
               step * c->step);
      return LB_OK;
    }
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

static void finish_figures(const lbComparison *c, const lbMotionPlan *plan, const Players *p,
                           lbAccuracyMotion *m) {
  double sum = 0, worst = 0;
  take_signals(p, m);
  m->duration = m->step_count * c->step;
  if (m->step_count < 1) return;
  if (!(m->amplitude >= REACHED * plan->aim)) {
    snprintf(m->problem, sizeof m->problem,
             "the motion reached %.3g m of the %.3g m that its load aims at: too little to compare",
             m->amplitude, plan->aim);
    return;
  }
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

static lbStatus try_motion(const lbComparison *c, const lbMotionPlan *plan, const lbEffort *effort,
                           int32_t substeps, Players *p, lbAccuracyMotion *m, lbError *err) {
  lbError why = { 0 };
  lbStatus status = make_players(c, plan, effort, substeps, p, &why);
  if (status == LB_ERR_NUMERIC) { // the simulator does not start
    snprintf(m->problem, sizeof m->problem, "%.230s", why.text);
    return LB_OK;
  }
  if (status) {
    if (err) *err = why;
    return status;
  }
  status = play_motion(c, plan, effort, substeps, p, m, err);
  if (!status) finish_figures(c, plan, p, m);
  return status;
}

lbStatus lb_play_motion(const lbComparison *c, const lbMotionPlan *plan, const lbEffort *effort,
                        lbAccuracyMotion *m, lbError *err) {
  for (int32_t substeps = 1;; substeps *= 2) {
    Players p = { .again = substeps < effort->substeps };
    lbStatus status = try_motion(c, plan, effort, substeps, &p, m, err);
    bool again = !status && p.unsolved && p.again;
    release_players(&p);
    if (!again) return status;
    m->problem[0] = 0;
    m->amplitude = 0;
    m->step_count = 0;
  }
}
