// The trial of a step of the reference simulator; see trial.h, and simulator.c for the equations.
#include "fem/trial.h"

#include "fem/solve.h"

#include <math.h>
#include <string.h>

// The velocities that damping acts on, at a displacement with s->velocity.
static const double *damped_velocity(lbSimulator *s, const double *displacement) {
  return s->supports ? lb_supports_relative(s->supports, displacement, s->velocity) : s->velocity;
}

// residual = f + springs − M a − α M v − β K v − R, at a displacement with s->velocity,
// s->acceleration, s->force and s->damper.
double lb_trial_residual(lbSimulator *s, const double *displacement) {
  const double *velocity = damped_velocity(s, displacement);
  lb_fem_compress(s->fem, s->force, s->residual);
  for (size_t i = 0; i < s->size; i++) {
    s->residual[i] = s->load[i] - s->residual[i];
    if (s->supports) s->residual[i] -= s->supports->inertia[i];
    s->scratch[i] = s->acceleration[i] + s->def.damping_mass * velocity[i];
  }
  lb_sparse_multiply(s->fem->mass, s->scratch, s->product);
  for (size_t i = 0; i < s->size; i++) s->residual[i] -= s->product[i];
  if (s->def.damping_stiffness > 0) {
    lb_sparse_multiply(s->damper, velocity, s->product);
    for (size_t i = 0; i < s->size; i++) s->residual[i] -= s->def.damping_stiffness * s->product[i];
  }
  s->spring_pull = lb_fem_springs_pull(&s->springs, s->fem, displacement, s->velocity, s->residual);
  return lb_norm(s->size, s->residual);
}

// ---- momenta -----------------------------------------------------------------------------------

// Of external forces: the load, less the damping of masses.
static lbMomenta external(const lbSimulator *s, const double *velocity) {
  return lb_momenta_add_scaled(lb_momentum_resultants(s->momentum, s->load), -s->def.damping_mass,
                               lb_momentum_of(s->momentum, velocity));
}

bool lb_trial_may_conserve(const lbSimulator *s) {
  return s->momentum && !s->supports && s->springs.count == 0;
}

void lb_trial_balance(lbSimulator *s) {
  if (!lb_trial_may_conserve(s)) return;
  lb_fem_compress(s->fem, s->u, s->direction);
  lb_momentum_place(s->momentum, s->direction, s->product);
  lbMomenta missing = lb_momenta_add_scaled(external(s, s->velocity), -1,
                                            lb_momentum_resultants(s->momentum, s->residual));
  lb_momentum_add_force(s->momentum, 1, missing, s->residual);
}

// s->momentum <- arms and the goal of a step from s->start with s->velocity and s->a.
static void begin_momenta(lbSimulator *s) {
  lbMomentum *m = s->momentum;
  bool newmark = s->def.integrator == LB_INTEGRATOR_NEWMARK;
  if (!lb_trial_may_conserve(s)) return;
  lb_momentum_place(m, s->start, s->product);
  m->goal = lb_momentum_of(m, s->velocity);
  if (!newmark) return;
  m->goal = lb_momenta_add_scaled(m->goal, 1 / s->c_v, lb_momentum_of(m, s->a));
  for (size_t i = 0; i < s->size; i++) s->direction[i] = s->start[i] + s->velocity[i] / s->c_v;
  lb_momentum_place(m, s->direction, s->product);
}

// What the momenta at the end of the step shall be.
static lbMomenta goal_of(const lbSimulator *s) {
  const lbMomentum *m = s->momentum;
  double share = 1 / (1 + s->def.damping_mass / s->c_v);
  lbMomenta goal = lb_momenta_add_scaled(m->goal, 1 / s->c_v, lb_momentum_resultants(m, s->load));
  return (lbMomenta){ lb_scale(share, goal.linear), lb_scale(share, goal.angular) };
}

// The trial with the momenta of the step; velocities must be its own.
static void fulfil_momenta(lbSimulator *s) {
  const lbMomentum *m = s->momentum;
  lbMomenta missing = lb_momenta_add_scaled(goal_of(s), -1, lb_momentum_of(m, s->velocity));
  memset(s->direction, 0, s->size * sizeof(double));
  lb_momentum_add_velocity(m, 1 / s->c_v, missing, s->direction);
  for (int32_t n = 0; n < s->fem->node_count; n++)
    for (size_t i = 0; i < 3; i++)
      s->trial[3 * (size_t)s->fem->vertex_of_node[n] + i] += s->direction[3 * (size_t)n + i];
}

// At the end of a step: velocities with its momenta, where the displacements do not have them, and
// accelerations with the resultants of external forces, so that the next step begins with what acts
// on the body as a whole.
static void balance_end(lbSimulator *s) {
  lbMomentum *m = s->momentum;
  if (!lb_trial_may_conserve(s)) return;
  lbMomenta goal = goal_of(s);
  lb_fem_compress(s->fem, s->trial, s->direction);
  lb_momentum_place(m, s->direction, s->product);
  if (!s->conserves) {
    goal = lb_momenta_add_scaled(goal, -1, lb_momentum_of(m, s->velocity));
    lb_momentum_add_velocity(m, 1, goal, s->velocity);
  }
  lbMomenta missing =
      lb_momenta_add_scaled(external(s, s->velocity), -1, lb_momentum_of(m, s->acceleration));
  lb_momentum_add_velocity(m, 1, missing, s->acceleration);
}

// ---- a step ------------------------------------------------------------------------------------

void lb_trial_begin(lbSimulator *s, double h) {
  bool newmark = s->def.integrator == LB_INTEGRATOR_NEWMARK;
  s->h = h;
  s->c_v = newmark ? 2 / h : 1 / h;
  s->c_a = newmark ? 4 / (h * h) : 1 / (h * h);
  lb_fem_compress(s->fem, s->u, s->start);
  lb_fem_compress(s->fem, s->v, s->velocity);
  for (size_t i = 0; i < s->size; i++) {
    double v = s->velocity[i], a = s->a[i];
    s->velocity_offset[i] = newmark ? -v : 0;
    s->acceleration_offset[i] = newmark ? -4 / h * v - a : -v / h;
  }
  begin_momenta(s);
}

// Velocity and acceleration that belong to s->trial.
static void find_trial_rates(lbSimulator *s) {
  for (int32_t n = 0; n < s->fem->node_count; n++)
    for (int i = 0; i < 3; i++) {
      size_t k = 3 * (size_t)n + i;
      double moved = s->trial[3 * (size_t)s->fem->vertex_of_node[n] + i] - s->start[k];
      s->velocity[k] = s->c_v * moved + s->velocity_offset[k];
      s->acceleration[k] = s->c_a * moved + s->acceleration_offset[k];
    }
}

// The trial becomes u_n, carried along by supports or momenta that move it; or where constant
// acceleration would lead from u_n.
static void predict(lbSimulator *s, bool moving) {
  double h = s->h;
  memcpy(s->trial, s->u, s->full_size * sizeof(double));
  if (s->supports) lb_supports_put(s->supports, s->supports->u, s->trial);
  if (s->supports && !moving) lb_supports_follow(s->supports, s->u, s->trial);
  for (int32_t n = 0; n < s->fem->node_count && moving; n++)
    for (int i = 0; i < 3; i++) {
      size_t v = 3 * (size_t)s->fem->vertex_of_node[n] + (size_t)i;
      s->trial[v] += h * s->v[v] + 0.5 * h * h * s->a[3 * (size_t)n + (size_t)i];
    }
  if (!s->conserves) return;
  find_trial_rates(s);
  fulfil_momenta(s);
}

// Assembles at s->trial: residual, its norm (+inf outside a law) and elastic energy.
void lb_trial_examine(lbSimulator *s) {
  find_trial_rates(s);
  s->trial_energy = lb_assemble(s->assembler, s->trial, s->force, s->K);
  s->norm = isfinite(s->trial_energy) ? lb_trial_residual(s, s->trial) : INFINITY;
  if (s->conserves && isfinite(s->norm)) {
    lb_momentum_add_force(s->momentum, -1, lb_momentum_resultants(s->momentum, s->residual),
                          s->residual);
    s->norm = lb_norm(s->size, s->residual);
  }
  if (isnan(s->norm)) s->norm = INFINITY;
}

static double stiffest_row(lbSimulator *s) {
  double stiffest = 0;
  lb_sparse_diagonal(s->K, s->product);
  for (size_t i = 0; i < s->size; i++) stiffest = fmax(stiffest, s->product[i]);
  return stiffest;
}

// The trial becomes u_n, carried along by the supports: what other trials are measured against.
void lb_trial_stay(lbSimulator *s) {
  predict(s, false);
  lb_trial_examine(s);
  memcpy(s->base, s->trial, s->full_size * sizeof(double));
  s->base_energy = s->supports || s->conserves ? s->trial_energy : s->elastic;
}

// Φ(trial) − Φ(base) after examine_trial, and its rounding: that of its terms, and of the strains
// that W is made from. Uses s->best, and leaves the residual for another examine_trial to make.
double lb_trial_potential(lbSimulator *s, double *rounding) {
  if (!isfinite(s->trial_energy)) return INFINITY;
  for (size_t i = 0; i < s->full_size; i++) s->best[i] = 0.5 * (s->trial[i] + s->base[i]);
  for (size_t n = 0; n < (size_t)s->fem->node_count; n++)
    for (size_t i = 0; i < 3; i++) {
      size_t k = 3 * n + i, full = 3 * (size_t)s->fem->vertex_of_node[n] + i;
      double moved = s->best[full] - s->start[k];
      s->direction[k] = s->trial[full] - s->base[full];
      s->velocity[k] = s->c_v * moved + s->velocity_offset[k];
      s->acceleration[k] = s->c_a * moved + s->acceleration_offset[k];
    }
  memset(s->force, 0, s->full_size * sizeof(double));
  lb_trial_residual(s, s->best);
  double work = lb_dot_product(s->size, s->direction, s->residual);
  double strains = 1e-15 * stiffest_row(s) * s->element_length * s->element_length;
  *rounding = 1e-10 * (fabs(s->trial_energy) + fabs(s->base_energy) + fabs(work)) +
              strains * s->fem->node_count;
  find_trial_rates(s);
  return s->trial_energy - s->base_energy - work;
}

// system += β ∂K/∂u v ≈ β (K(u + ε v) − K(u)) / ε, ε v a millionth of the body. Uses s->best.
static void add_damping_rate(lbSimulator *s, const double *u, const double *velocity) {
  double fastest = 0;
  if (!s->K_ahead) return;
  for (size_t i = 0; i < s->size; i++) fastest = fmax(fastest, fabs(velocity[i]));
  double step = 1e-6 * s->extent / fastest;
  if (!isfinite(step) || step == 0) return;
  lb_fem_expand(s->fem, velocity, s->best);
  for (size_t i = 0; i < s->full_size; i++) s->best[i] = u[i] + step * s->best[i];
  if (!isfinite(lb_assemble(s->assembler, s->best, NULL, s->K_ahead))) return; // outside a law
  size_t count = (size_t)lb_sparse_nonzero_count(s->system);
  double scale = s->def.damping_stiffness / step;
  for (size_t i = 0; i < count; i++)
    s->system->values[i] += scale * (s->K_ahead->values[i] - s->K->values[i]);
}

// The matrix at a displacement with s->K, and the velocity that damping counts.
bool lb_trial_factor_at(lbSimulator *s, const double *u, const double *velocity, int32_t *flags) {
  double mass_scale = s->c_a + s->c_v * s->def.damping_mass;
  double stiffness_scale = 1 + s->c_v * s->def.damping_stiffness;
  size_t count = (size_t)lb_sparse_nonzero_count(s->system);
  for (size_t i = 0; i < count; i++)
    s->system->values[i] = s->lagged
                               ? s->K->values[i] + (stiffness_scale - 1) * s->damper->values[i]
                               : stiffness_scale * s->K->values[i];
  lb_sparse_add_scaled(s->system, mass_scale, s->fem->mass);
  if (!s->lagged) add_damping_rate(s, u, velocity);
  lb_fem_springs_stiffen(&s->springs, s->fem, s->c_v, s->system);
  bool shifted = false;
  lbStatus status = lb_factor_or_shift(s->factor, s->system, s->fem->mass, &shifted, NULL);
  s->totals.factor_count++;
  if (shifted) {
    *flags |= LB_STEP_SHIFTED;
    s->totals.shift_count++;
  }
  if (s->momentum) s->momentum->bordered = false;
  return !status;
}

bool lb_trial_factor(lbSimulator *s, int32_t *flags) {
  const double *velocity = damped_velocity(s, s->trial);
  if (s->factor_u) {
    memcpy(s->factor_u, s->trial, s->full_size * sizeof(double));
    memcpy(s->factor_v, velocity, s->size * sizeof(double));
    s->factor_h = s->h;
  }
  return lb_trial_factor_at(s, s->trial, velocity, flags);
}

bool lb_trial_solve(lbSimulator *s, int32_t *flags) {
  if (!s->factored && !lb_trial_factor(s, flags)) return false;
  memcpy(s->direction, s->residual, s->size * sizeof(double));
  if (lb_cholesky_solve(s->factor, 1, s->direction, NULL)) return false;
  return !s->conserves || lb_momentum_take_out(s->momentum, s->factor, s->direction);
}

// trial = best + t direction
void lb_trial_move(lbSimulator *s, double t) {
  for (int32_t n = 0; n < s->fem->node_count; n++)
    for (int i = 0; i < 3; i++) {
      size_t k = 3 * (size_t)s->fem->vertex_of_node[n] + (size_t)i;
      s->trial[k] = s->best[k] + t * s->direction[3 * (size_t)n + (size_t)i];
    }
}

// What the residual is measured against, and what rounding leaves of it.
double lb_trial_scale(lbSimulator *s) {
  double load = lb_norm(s->size, s->load) + s->spring_pull;
  if (load > 0) return load;
  lb_sparse_multiply(s->fem->mass, s->acceleration, s->product);
  return lb_norm(s->size, s->product);
}

// Rounding of the element forces, of the displacements that they are made from, and of the 1 in
// the deformation gradient 1 + ∂u/∂x.
static double residual_floor(lbSimulator *s) {
  double stiffest = stiffest_row(s) * (1 + s->c_v * s->def.damping_stiffness);
  return 1e-15 * lb_norm(3 * (size_t)s->fem->force_count, s->assembler->element_forces) +
         2e-16 * stiffest * lb_norm(s->full_size, s->trial) +
         4e-16 * stiffest * s->element_length * sqrt((double)s->fem->node_count);
}

bool lb_trial_has_converged(lbSimulator *s) {
  // An infinite load makes both sides infinite: that is no convergence.
  return isfinite(s->norm) &&
         (s->norm <= s->def.newton_tolerance * lb_trial_scale(s) || s->norm <= residual_floor(s));
}

// K_ahead <- K, which damping may count with for a while.
void lb_trial_keep_damper(lbSimulator *s) {
  if (!s->K_ahead) return;
  size_t count = (size_t)lb_sparse_nonzero_count(s->K);
  memcpy(s->K_ahead->values, s->K->values, count * sizeof(double));
}

// The trial becomes the start with the smaller residual; true: the one that moves on.
bool lb_trial_choose_start(lbSimulator *s) {
  lb_trial_stay(s);
  double at_rest = s->norm;
  predict(s, true);
  lb_trial_examine(s);
  bool moving = s->norm < at_rest;
  if (!moving) lb_trial_stay(s);
  return moving;
}

// The trial becomes the state. False: it is not made of numbers, and the state stays.
bool lb_trial_commit(lbSimulator *s) {
  find_trial_rates(s);
  if (!isfinite(lb_norm(s->size, s->acceleration)) || !isfinite(s->trial_energy)) return false;
  balance_end(s);
  memcpy(s->u, s->trial, s->full_size * sizeof(double));
  lb_fem_expand(s->fem, s->velocity, s->v);
  if (s->supports) lb_supports_put(s->supports, s->supports->v, s->v);
  if (s->supports) lb_supports_commit(s->supports);
  memcpy(s->a, s->acceleration, s->size * sizeof(double));
  s->elastic = s->trial_energy;
  return true;
}
