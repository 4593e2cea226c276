// The reference simulator for others that take part in its steps: its state from outside, and a
// step in which forces are found. See simulator.h.
#include "fem/trial.h"

#include <math.h>
#include <string.h>

// ---- the state from outside --------------------------------------------------------------------

static void set_lagged(lbSimulator *s, bool lagged) {
  s->lagged = lagged && s->K_ahead;
  s->damper = s->lagged ? s->K_ahead : s->K;
}

static lbSupportMotion without_rows(const lbSupportMotion *motion) {
  lbSupportMotion frame = *motion;
  frame.displacement = frame.velocity = frame.acceleration = NULL;
  return frame;
}

lbStatus lb_simulator_put(lbSimulator *s, const lbSimulatorRows *rows, const lbSupportMotion *now,
                          lbError *err) {
  lbStatus status = LB_OK;
  if (now && !s->supports) status = lb_supports_create(s->fem, &s->supports, err);
  if (status) return status;
  memcpy(s->u, rows->u, s->full_size * sizeof(double));
  memcpy(s->v, rows->v, s->full_size * sizeof(double));
  lb_fem_compress(s->fem, rows->a, s->a);
  s->elastic = rows->elastic;
  if (isnan(s->elastic)) s->elastic = lb_assemble(s->assembler, s->u, NULL, NULL);
  if (!now) return LB_OK;
  s->supports->now = without_rows(now);
  s->supports->next = s->supports->begin = s->supports->end = s->supports->now;
  return LB_OK;
}

void lb_simulator_get(const lbSimulator *s, lbSimulatorRows *rows) {
  memcpy(rows->u, s->u, s->full_size * sizeof(double));
  memcpy(rows->v, s->v, s->full_size * sizeof(double));
  lb_fem_expand(s->fem, s->a, rows->a);
  rows->elastic = s->elastic;
}

lbStatus lb_simulator_restart(lbSimulator *s, const double *displacement, const double *velocity,
                              const double *load, const lbSupportMotion *now, lbCholesky *mass,
                              lbError *err) {
  lbStatus status = LB_OK;
  set_lagged(s, false);
  if (now && !s->supports) status = lb_supports_create(s->fem, &s->supports, err);
  if (status) return status;
  if (now) {
    lb_supports_set(s->supports, s->border, now, now->displacement, now->velocity);
    lb_supports_commit(s->supports);
  }
  return lb_simulator_begin(s, displacement, velocity, load, mass, err);
}

lbStatus lb_simulator_set_damping(lbSimulator *s, double mass, double stiffness, lbError *err) {
  lbSimulatorDef def = s->def;
  def.damping_mass = mass;
  def.damping_stiffness = stiffness;
  lbStatus status = lb_simulator_check(&def, s->fem->name, err);
  if (!status && stiffness > 0 && !s->K_ahead)
    status = lb_sparse_copy_pattern(s->fem->pattern, &s->K_ahead, err);
  if (status) return status;
  if (stiffness == 0) {
    lb_sparse_destroy(s->K_ahead);
    s->K_ahead = NULL;
  }
  if (mass != s->def.damping_mass || stiffness != s->def.damping_stiffness) s->factored = false;
  s->def = def;
  return LB_OK;
}

// ---- a step in which forces are found ----------------------------------------------------------

double lb_simulator_held(const lbSimulator *s) {
  return s->def.integrator == LB_INTEGRATOR_NEWMARK ? 2 : 1;
}

static bool advance_trial(lbSimulator *s, int32_t *flags) {
  if (!isfinite(s->norm) || !lb_trial_solve(s, flags)) return false;
  s->totals.newton_iterations++;
  memcpy(s->best, s->trial, s->full_size * sizeof(double));
  memcpy(s->lowest, s->trial, s->full_size * sizeof(double));
  if (!s->lagged) lb_trial_keep_damper(s);
  lb_trial_move(s, 1);
  return true;
}

bool lb_simulator_open(lbSimulator *s, const double *load, bool lagged, int32_t *flags) {
  lb_fem_compress(s->fem, load, s->load);
  s->conserves = false;
  lb_trial_begin(s, s->def.step);
  set_lagged(s, lagged);
  if (s->lagged) {
    s->factored = false;
    if (!isfinite(lb_assemble(s->assembler, s->u, NULL, s->K_ahead))) return false;
  }
  lb_trial_choose_start(s);
  return advance_trial(s, flags);
}

bool lb_simulator_again(lbSimulator *s, const double *back, int32_t *flags) {
  lb_fem_compress(s->fem, back, s->product);
  for (size_t i = 0; i < s->size; i++) s->residual[i] -= s->product[i];
  return advance_trial(s, flags);
}

const double *lb_simulator_trial(const lbSimulator *s) { return s->trial; }

bool lb_simulator_respond(lbSimulator *s, const double *force, double *moved) {
  lb_fem_compress(s->fem, force, s->product);
  if (lb_cholesky_solve(s->factor, 1, s->product, NULL)) return false;
  lb_fem_expand(s->fem, s->product, moved);
  return true;
}

bool lb_simulator_ready(lbSimulator *s) {
  int32_t unused = 0;
  set_lagged(s, false);
  s->conserves = false;
  lb_trial_begin(s, s->def.step);
  memcpy(s->trial, s->u, s->full_size * sizeof(double));
  s->factored = false;
  if (!isfinite(lb_assemble(s->assembler, s->trial, NULL, s->K))) return false;
  return lb_trial_factor(s, &unused);
}

const double *lb_simulator_origin(const lbSimulator *s) { return s->lowest; }

double lb_simulator_potential(lbSimulator *s, const double *displacement, const double *load,
                              double *rounding) {
  double norm = s->norm;
  memcpy(s->trial, displacement, s->full_size * sizeof(double));
  if (s->supports) lb_supports_put(s->supports, s->supports->u, s->trial);
  lb_fem_compress(s->fem, load, s->load);
  if (s->K_ahead) s->damper = s->K_ahead;
  lb_trial_examine(s);
  double cost = lb_trial_potential(s, rounding);
  if (!s->lagged) s->damper = s->K;
  s->norm = norm; // what the next verdict compares with
  return cost;
}

lbVerdict lb_simulator_judge(lbSimulator *s, const double *displacement, const double *load,
                             int32_t iteration) {
  double before = s->norm;
  memcpy(s->trial, displacement, s->full_size * sizeof(double));
  if (s->supports) lb_supports_put(s->supports, s->supports->u, s->trial);
  lb_fem_compress(s->fem, load, s->load);
  lb_trial_examine(s);
  s->factored = !s->lagged && s->def.factor_reuse > 0 && s->norm <= s->def.factor_reuse * before;
  if (!isfinite(s->norm)) return LB_VERDICT_FAR;
  if (lb_trial_has_converged(s)) return LB_VERDICT_CONVERGED;
  double nearly = LB_TRIAL_NEARLY * lb_trial_scale(s);
  if (iteration > 0 && s->norm > 0.5 * before && before <= nearly) return LB_VERDICT_NEAR;
  if (iteration + 1 < s->def.newton_iterations) return LB_VERDICT_GO_ON;
  bool few = s->def.newton_iterations < LB_TRIAL_FEW;
  return few || s->norm <= nearly ? LB_VERDICT_NEAR : LB_VERDICT_FAR;
}

bool lb_simulator_keep(lbSimulator *s) { return lb_trial_commit(s); }

bool lb_simulator_refactor(lbSimulator *s) {
  int32_t unused = 0;
  set_lagged(s, false);
  if (!isfinite(lb_assemble(s->assembler, s->factor_u, NULL, s->K))) return false;
  s->conserves = false;
  lb_trial_begin(s, s->factor_h);
  return lb_trial_factor_at(s, s->factor_u, s->factor_v, &unused);
}
