// The reference simulator: M a + (α M + β K(u)) v + R(u) = f, unreduced, implicit, Newton at every
// step.
//
// Both integrators make velocity and acceleration linear in the unknown u = u(t + h):
//   v = c_v (u − u_n) + v̂,  a = c_a (u − u_n) + â
//   Newmark (β = 1/4, γ = 1/2): c_v = 2/h, v̂ = −v_n, c_a = 4/h², â = −4/h v_n − a_n
//   implicit Euler:             c_v = 1/h, v̂ = 0,    c_a = 1/h², â = −v_n/h
// Newton's matrix is c_a M + c_v (α M + β K) + K + β ∂K/∂u v, and that of the springs. The last
// term, the damping's own derivative, is a difference of tangents along v: third derivatives of the
// energy are symmetric.
//
// A step's solution makes a potential stationary, which sums what the trial u costs beside u_n:
//   Φ(u) − Φ(u_n) = W(u) − W(u_n) + δᵀ(M (a̅ + α v̅) + β K v̅ − f − springs(u̅, v̅)),  δ = u − u_n,
// bars being means of the values at u and at u_n: all but W is quadratic. Of several solutions (a
// body turned inside out has some) those above u_n are not the motion, and a state above u_n is not
// kept. Newton's method is tried in turn
//   from the better of u_n + h v_n + ½h² a_n and u_n,  from u_n,  from u_n with steps that are cut
//   until Φ falls,  as 2, 4, 8 and 16 shorter steps,
// and what remains then is the lowest state of the third, flagged.
//
// Supports that move (supports.h) add M_fc a_c to the left side, and damping then acts on
// velocities relative to their frame. What a trial is measured against is then u_n carried along by
// the frame, and parts of a step lead the supports through their share of it.
#include "fem/simulator.h"

#include "fem/solve.h"
#include "limber/math.h"

#include <math.h>
#include <string.h>

lbSimulatorDef lb_simulator_def(void) {
  return (lbSimulatorDef){ .integrator = LB_INTEGRATOR_NEWMARK,
                           .step = 1e-3,
                           .newton_iterations = 20,
                           .newton_tolerance = 1e-10 };
}

void lb_simulator_destroy(lbSimulator *s) {
  if (!s) return;
  lb_assembler_destroy(s->assembler);
  lb_cholesky_destroy(s->factor);
  lb_sparse_destroy(s->K);
  lb_sparse_destroy(s->system);
  lb_sparse_destroy(s->K_ahead);
  lb_springs_release(&s->springs);
  lb_border_destroy(s->border);
  lb_supports_destroy(s->supports);
  double *blocks[] = { s->u,        s->v,
                       s->a,        s->force,
                       s->trial,    s->load,
                       s->velocity, s->acceleration,
                       s->start,    s->velocity_offset,
                       s->residual, s->acceleration_offset,
                       s->product,  s->direction,
                       s->scratch,  s->best,
                       s->kept_u,   s->kept_v,
                       s->kept_a,   s->lowest,
                       s->along,    s->base,
                       s->factor_u, s->factor_v };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_free(s);
}

static lbStatus check_def(const lbSimulatorDef *def, const char *name, lbError *err) {
  if (!(isfinite(def->step) && def->step > 0))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: time step is %g, it must be positive", name,
                   def->step);
  if (!(isfinite(def->damping_mass) && def->damping_mass >= 0) ||
      !(isfinite(def->damping_stiffness) && def->damping_stiffness >= 0))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: damping is mass %g, stiffness %g; neither may be negative", name,
                   def->damping_mass, def->damping_stiffness);
  if (def->newton_iterations < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: newton_iterations is %d, it must be at least 1", name,
                   (int)def->newton_iterations);
  if (!(def->newton_tolerance > 0 && def->newton_tolerance < 1))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: newton_tolerance is %g, it must lie between 0 and 1",
                   name, def->newton_tolerance);
  if (!(def->factor_reuse >= 0 && def->factor_reuse < 1))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: factor_reuse is %g, it must be from 0 to below 1",
                   name, def->factor_reuse);
  return LB_OK;
}

static lbStatus allocate(lbSimulator *s, lbError *err) {
  double **system_sized[] = { &s->a,
                              &s->load,
                              &s->velocity,
                              &s->acceleration,
                              &s->start,
                              &s->residual,
                              &s->direction,
                              &s->velocity_offset,
                              &s->product,
                              &s->scratch,
                              &s->acceleration_offset,
                              &s->kept_a,
                              &s->along };
  double **full_sized[] = { &s->u,      &s->v,      &s->force,  &s->trial, &s->best,
                            &s->kept_u, &s->kept_v, &s->lowest, &s->base };
  bool complete = true;
  for (size_t i = 0; i < sizeof system_sized / sizeof *system_sized; i++)
    complete &= (*system_sized[i] = lb_alloc(s->size, sizeof(double))) != NULL;
  for (size_t i = 0; i < sizeof full_sized / sizeof *full_sized; i++)
    complete &= (*full_sized[i] = lb_alloc(s->full_size, sizeof(double))) != NULL;
  if (s->def.factor_reuse > 0) {
    complete &= (s->factor_u = lb_alloc(s->full_size, sizeof(double))) != NULL;
    complete &= (s->factor_v = lb_alloc(s->size, sizeof(double))) != NULL;
  }
  if (!complete) return lb_fail_memory(err);
  lbStatus status = lb_assembler_create(s->fem, &s->assembler, err);
  if (!status) status = lb_sparse_copy_pattern(s->fem->pattern, &s->K, err);
  if (!status) status = lb_sparse_copy_pattern(s->fem->pattern, &s->system, err);
  if (!status && s->def.damping_stiffness > 0)
    status = lb_sparse_copy_pattern(s->fem->pattern, &s->K_ahead, err);
  if (!status) status = lb_cholesky_create(s->system, &s->factor, err);
  if (!status) status = lb_border_create(s->fem, &s->border, err);
  s->damper = s->K;
  return status;
}

// The velocities that damping acts on, at a displacement with s->velocity.
static const double *damped_velocity(lbSimulator *s, const double *displacement) {
  return s->supports ? lb_supports_relative(s->supports, displacement, s->velocity) : s->velocity;
}

// residual = f + springs − M a − α M v − β K v − R, at a displacement with s->velocity,
// s->acceleration, s->force and s->damper.
static double find_residual(lbSimulator *s, const double *displacement) {
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

// a0 = M⁻¹ (f − (α M + β K) v − R): the residual at a = 0, divided by the mass.
static lbStatus consistent_acceleration(lbSimulator *s, lbCholesky *mass, lbError *err) {
  lb_fem_compress(s->fem, s->v, s->velocity);
  memset(s->acceleration, 0, s->size * sizeof(double));
  find_residual(s, s->u);
  memcpy(s->a, s->residual, s->size * sizeof(double));
  if (mass) return lb_cholesky_solve(mass, 1, s->a, err);
  s->factored = false;
  memset(s->system->values, 0, (size_t)lb_sparse_nonzero_count(s->system) * sizeof(double));
  if (!lb_sparse_add_scaled(s->system, 1, s->fem->mass))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: the mass does not fit the stiffness", s->fem->name);
  lbStatus status = lb_cholesky_factor(s->factor, s->system, err);
  if (!status) status = lb_cholesky_solve(s->factor, 1, s->a, err);
  return status;
}

static lbStatus check_finite(const lbFem *fem, const double *values, const char *what,
                             lbError *err) {
  for (int32_t v = 0; values && v < fem->vertex_count; v++)
    for (int i = 0; i < 3; i++)
      if (!isfinite(values[3 * (size_t)v + i]))
        return lb_fail(err, LB_ERR_ARGUMENT, "%s: the initial %s of vertex %d is %g", fem->name,
                       what, (int)v, values[3 * (size_t)v + i]);
  return LB_OK;
}

// The longest side of the box around the body at rest.
static double find_extent(const lbFem *fem) {
  double longest = 0;
  for (size_t axis = 0; axis < 3; axis++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < (size_t)fem->vertex_count; v++) {
      low = fmin(low, fem->positions[3 * v + axis]);
      high = fmax(high, fem->positions[3 * v + axis]);
    }
    longest = fmax(longest, high - low);
  }
  return longest;
}

static double find_element_length(const lbFem *fem) {
  double volume = 0;
  for (int32_t k = 0; k < fem->set_count; k++) {
    const lbElementSet *set = &fem->sets[k];
    size_t points = (size_t)set->batch_count * (size_t)lb_element_points(set->kind);
    for (size_t p = 0; p < points; p++)
      for (size_t lane = 0; lane < LB_BATCH; lane++)
        volume += set->rest[(p * LB_POINT_REST + 9) * LB_BATCH + lane];
  }
  return cbrt(volume / fem->element_count);
}

// The state from full vectors (NULL: zeros) and the acceleration that belongs to it.
static lbStatus start(lbSimulator *s, const double *displacement, const double *velocity,
                      const double *load, lbCholesky *mass, lbError *err) {
  const lbFem *fem = s->fem;
  memset(s->load, 0, s->size * sizeof(double));
  memset(s->start, 0, s->size * sizeof(double));
  memset(s->velocity, 0, s->size * sizeof(double));
  if (load) lb_fem_compress(fem, load, s->load);
  // Fixed vertices are where their supports are: only what the system holds is taken over.
  if (displacement) lb_fem_compress(fem, displacement, s->start);
  if (velocity) lb_fem_compress(fem, velocity, s->velocity);
  lb_fem_expand(fem, s->start, s->trial);
  if (s->supports) lb_supports_put(s->supports, s->supports->u, s->trial);
  double elastic = lb_assemble(s->assembler, s->trial, s->force, s->K);
  if (!isfinite(elastic))
    return lb_fail(err, LB_ERR_MESH, "%s: element %d is inverted in the initial state", fem->name,
                   (int)lb_assembler_invalid_element(s->assembler));
  s->elastic = elastic;
  s->factored = false;
  memcpy(s->u, s->trial, s->full_size * sizeof(double));
  lb_fem_expand(fem, s->velocity, s->v);
  if (s->supports) lb_supports_put(s->supports, s->supports->v, s->v);
  return consistent_acceleration(s, mass, err);
}

static lbStatus check_motion(const lbFem *fem, const double *displacement, const double *velocity,
                             const double *load, lbError *err) {
  lbStatus status = check_finite(fem, displacement, "displacement", err);
  if (!status) status = check_finite(fem, velocity, "velocity", err);
  return status ? status : check_finite(fem, load, "load", err);
}

lbStatus lb_simulator_create(const lbFem *fem, const lbSimulatorDef *def,
                             const double *displacement, const double *velocity, const double *load,
                             lbSimulator **out, lbError *err) {
  lbStatus status = check_def(def, fem->name, err);
  if (!status) status = check_motion(fem, displacement, velocity, load, err);
  if (status) return status;
  lbSimulator *s = lb_alloc(1, sizeof *s);
  if (!s) return lb_fail_memory(err);
  s->fem = fem;
  s->def = *def;
  s->size = 3 * (size_t)fem->node_count;
  s->full_size = 3 * (size_t)fem->vertex_count;
  s->extent = find_extent(fem);
  s->element_length = find_element_length(fem);
  status = allocate(s, err);
  if (!status) status = start(s, displacement, velocity, load, NULL, err);
  if (status) {
    lb_simulator_destroy(s);
    return status;
  }
  *out = s;
  return LB_OK;
}

lbStatus lb_simulator_set_motion(lbSimulator *s, const double *displacement, const double *velocity,
                                 const double *load, lbError *err) {
  lbStatus status = check_motion(s->fem, displacement, velocity, load, err);
  return status ? status : start(s, displacement, velocity, load, NULL, err);
}

lbStatus lb_simulator_set_step(lbSimulator *s, double step, lbError *err) {
  lbSimulatorDef def = s->def;
  def.step = step;
  lbStatus status = check_def(&def, s->fem->name, err);
  if (status || step == s->def.step) return status;
  s->time = lb_simulator_time(s);
  s->step_count = 0;
  s->def.step = step;
  s->factored = false;
  return LB_OK;
}

lbStatus lb_simulator_set_springs(lbSimulator *s, const lbSpring *springs, int32_t count,
                                  lbError *err) {
  bool alike = false;
  lbStatus status = lb_springs_set(&s->springs, s->fem, springs, count, &alike, err);
  if (!status && !alike) s->factored = false;
  return status;
}

// ---- one step ----------------------------------------------------------------------------------

static void begin_step(lbSimulator *s, double h) {
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
}

// The trial becomes u_n, carried along by supports that move; or where constant acceleration would
// lead from u_n.
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
}

// Velocity and acceleration that belong to s->trial.
static void find_rates(lbSimulator *s) {
  for (int32_t n = 0; n < s->fem->node_count; n++)
    for (int i = 0; i < 3; i++) {
      size_t k = 3 * (size_t)n + i;
      double moved = s->trial[3 * (size_t)s->fem->vertex_of_node[n] + i] - s->start[k];
      s->velocity[k] = s->c_v * moved + s->velocity_offset[k];
      s->acceleration[k] = s->c_a * moved + s->acceleration_offset[k];
    }
}

// Assembles at s->trial: residual, its norm (+inf outside a law) and elastic energy.
static void examine_trial(lbSimulator *s) {
  find_rates(s);
  s->trial_energy = lb_assemble(s->assembler, s->trial, s->force, s->K);
  s->norm = isfinite(s->trial_energy) ? find_residual(s, s->trial) : INFINITY;
  if (isnan(s->norm)) s->norm = INFINITY;
}

static double stiffest_row(lbSimulator *s) {
  double stiffest = 0;
  lb_sparse_diagonal(s->K, s->product);
  for (size_t i = 0; i < s->size; i++) stiffest = fmax(stiffest, s->product[i]);
  return stiffest;
}

// The trial becomes u_n, carried along by the supports: what other trials are measured against.
static void stay(lbSimulator *s) {
  predict(s, false);
  examine_trial(s);
  memcpy(s->base, s->trial, s->full_size * sizeof(double));
  s->base_energy = s->supports ? s->trial_energy : s->elastic;
}

// Φ(trial) − Φ(base) after examine_trial, and its rounding: that of its terms, and of the strains
// that W is made from. Uses s->best, and leaves the residual for another examine_trial to make.
static double potential(lbSimulator *s, double *rounding) {
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
  find_residual(s, s->best);
  double work = lb_dot_product(s->size, s->direction, s->residual);
  double strains = 1e-15 * stiffest_row(s) * s->element_length * s->element_length;
  *rounding = 1e-10 * (fabs(s->trial_energy) + fabs(s->base_energy) + fabs(work)) +
              strains * s->fem->node_count;
  find_rates(s);
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
static bool factor_at(lbSimulator *s, const double *u, const double *velocity, int32_t *flags) {
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
  return !status;
}

static bool factor_system(lbSimulator *s, int32_t *flags) {
  const double *velocity = damped_velocity(s, s->trial);
  if (s->factor_u) {
    memcpy(s->factor_u, s->trial, s->full_size * sizeof(double));
    memcpy(s->factor_v, velocity, s->size * sizeof(double));
    s->factor_h = s->h;
  }
  return factor_at(s, s->trial, velocity, flags);
}

static bool solve_increment(lbSimulator *s, int32_t *flags) {
  if (!s->factored && !factor_system(s, flags)) return false;
  memcpy(s->direction, s->residual, s->size * sizeof(double));
  return !lb_cholesky_solve(s->factor, 1, s->direction, NULL);
}

// trial = best + t direction
static void move_trial(lbSimulator *s, double t) {
  for (int32_t n = 0; n < s->fem->node_count; n++)
    for (int i = 0; i < 3; i++) {
      size_t k = 3 * (size_t)s->fem->vertex_of_node[n] + (size_t)i;
      s->trial[k] = s->best[k] + t * s->direction[3 * (size_t)n + (size_t)i];
    }
}

// What the residual is measured against, and what rounding leaves of it.
static double residual_scale(lbSimulator *s) {
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

static bool has_converged(lbSimulator *s) {
  // An infinite load makes both sides infinite: that is no convergence.
  return isfinite(s->norm) &&
         (s->norm <= s->def.newton_tolerance * residual_scale(s) || s->norm <= residual_floor(s));
}

// Nearer than this, relative to the load, rounding is what keeps a residual above its tolerance.
static const double NEARLY = 1e-6;

// Fewer iterations than these are somebody's choice of speed: what they end with is not tried
// again.
enum { FEW_ITERATIONS = 5 };

typedef enum Outcome {
  FAILED,
  STALLED, // above the tolerance, but near the solution or at the end of few iterations
  CONVERGED,
} Outcome;

// One whole Newton step from the trial. False: none could be taken.
static bool take_newton_step(lbSimulator *s, int32_t *flags) {
  bool reused = s->factored;
  double before = s->norm;
  if (!solve_increment(s, flags)) return false;
  s->totals.newton_iterations++;
  memcpy(s->best, s->trial, s->full_size * sizeof(double));
  move_trial(s, 1);
  examine_trial(s);
  bool fell = s->norm < before;
  s->factored = s->def.factor_reuse > 0 && s->norm <= s->def.factor_reuse * before;
  if (fell || !reused) return isfinite(s->norm);
  memcpy(s->trial, s->best, s->full_size * sizeof(double)); // an old factor may be to blame
  examine_trial(s);
  return true;
}

// Newton's method with whole steps. The residual may rise on the way: where forces across a thin
// body become forces along it, the first steps overshoot, and it converges nevertheless.
static Outcome iterate(lbSimulator *s, int32_t *flags) {
  for (int32_t i = 0; i < s->def.newton_iterations; i++) {
    double before = s->norm;
    if (!take_newton_step(s, flags)) return FAILED;
    if (has_converged(s)) return CONVERGED;
    if (s->norm > 0.5 * before && before <= NEARLY * residual_scale(s)) return STALLED;
  }
  bool few = s->def.newton_iterations < FEW_ITERATIONS;
  return few || s->norm <= NEARLY * residual_scale(s) ? STALLED : FAILED;
}

// K_ahead <- K, which damping may count with for a while.
static void keep_damper(lbSimulator *s) {
  if (!s->K_ahead) return;
  size_t count = (size_t)lb_sparse_nonzero_count(s->K);
  memcpy(s->K_ahead->values, s->K->values, count * sizeof(double));
}

// Cuts the step along s->direction until the potential falls, damping taken with the K of its
// beginning. False: nothing helps, and the trial is where it was. Every try starts from a copy:
// taking a huge step back by subtraction would leave nothing of the state but rounding.
static bool search_line(lbSimulator *s) {
  double slope = lb_dot_product(s->size, s->direction, s->residual), rounding = 0;
  bool found = false;
  memcpy(s->lowest, s->trial, s->full_size * sizeof(double));
  memcpy(s->along, s->direction, s->size * sizeof(double));
  double before = potential(s, &rounding);
  keep_damper(s);
  if (s->K_ahead) s->damper = s->K_ahead;
  for (double t = 1; t > 1e-7 && !found; t *= 0.5) {
    memcpy(s->best, s->lowest, s->full_size * sizeof(double));
    memcpy(s->direction, s->along, s->size * sizeof(double));
    move_trial(s, t);
    examine_trial(s);
    found = potential(s, &rounding) - 1e-4 * rounding <= before - 1e-4 * t * slope;
  }
  s->damper = s->K;
  if (!found) memcpy(s->trial, s->lowest, s->full_size * sizeof(double));
  examine_trial(s);
  return found;
}

// A trial that costs more than staying at u_n is not the motion.
static bool is_worse(lbSimulator *s) {
  double rounding = 0, cost = potential(s, &rounding);
  return !(cost <= rounding);
}

// Newton's method from u_n by steps that lower the potential; the trial ends no worse than u_n.
static Outcome descend(lbSimulator *s, int32_t *flags) {
  bool found = true, done = false;
  s->factored = false;
  stay(s);
  for (int32_t i = 0; i < 2 * s->def.newton_iterations && found && !done; i++) {
    if (!isfinite(s->norm) || !solve_increment(s, flags)) break;
    s->totals.newton_iterations++;
    found = search_line(s);
    s->factored = false;
    done = has_converged(s);
  }
  bool near = s->norm <= NEARLY * residual_scale(s);
  if (!is_worse(s)) return done ? CONVERGED : near ? STALLED : FAILED;
  stay(s);
  return FAILED;
}

// The trial becomes the start with the smaller residual; true: the one that moves on.
static bool choose_start(lbSimulator *s) {
  stay(s);
  double at_rest = s->norm;
  predict(s, true);
  examine_trial(s);
  bool moving = s->norm < at_rest;
  if (!moving) stay(s);
  return moving;
}

static Outcome iterate_from_better_start(lbSimulator *s, bool *moving, int32_t *flags) {
  *moving = choose_start(s);
  return isfinite(s->norm) ? iterate(s, flags) : FAILED;
}

static Outcome iterate_from_rest(lbSimulator *s, int32_t *flags) {
  s->factored = false;
  stay(s);
  return isfinite(s->norm) ? iterate(s, flags) : FAILED;
}

static Outcome refuse_worse(lbSimulator *s, Outcome outcome) {
  return outcome != FAILED && is_worse(s) ? FAILED : outcome;
}

// One step or part of length h from the state to the trial.
static Outcome solve_step(lbSimulator *s, double h, int32_t *flags) {
  bool moving = false;
  begin_step(s, h);
  Outcome outcome = refuse_worse(s, iterate_from_better_start(s, &moving, flags));
  if (outcome == FAILED && moving) outcome = refuse_worse(s, iterate_from_rest(s, flags));
  return outcome == FAILED ? descend(s, flags) : outcome;
}

// The trial becomes the state. False: it is not made of numbers, and the state stays.
static bool commit(lbSimulator *s) {
  find_rates(s);
  if (!isfinite(lb_norm(s->size, s->acceleration)) || !isfinite(s->trial_energy)) return false;
  memcpy(s->u, s->trial, s->full_size * sizeof(double));
  lb_fem_expand(s->fem, s->velocity, s->v);
  if (s->supports) lb_supports_put(s->supports, s->supports->v, s->v);
  if (s->supports) lb_supports_commit(s->supports);
  memcpy(s->a, s->acceleration, s->size * sizeof(double));
  s->elastic = s->trial_energy;
  return true;
}

// The step as `parts` shorter ones. False: one of them failed, and the state is as it was.
static bool take_parts(lbSimulator *s, int32_t parts, int32_t *flags) {
  double elastic = s->elastic;
  memcpy(s->kept_u, s->u, s->full_size * sizeof(double));
  memcpy(s->kept_v, s->v, s->full_size * sizeof(double));
  memcpy(s->kept_a, s->a, s->size * sizeof(double));
  bool taken = true;
  for (int32_t i = 0; i < parts && taken; i++) {
    s->factored = false;
    if (s->supports) lb_supports_part(s->supports, s->border, s->def.step, i, parts);
    taken = solve_step(s, s->def.step / parts, flags) == CONVERGED && commit(s);
  }
  s->factored = false;
  if (taken) return true;
  memcpy(s->u, s->kept_u, s->full_size * sizeof(double));
  memcpy(s->v, s->kept_v, s->full_size * sizeof(double));
  memcpy(s->a, s->kept_a, s->size * sizeof(double));
  s->elastic = elastic;
  if (s->supports) lb_supports_whole(s->supports, s->border);
  return false;
}

static bool may_subdivide(const lbSimulator *s) {
  return s->def.newton_iterations >= FEW_ITERATIONS && isfinite(lb_norm(s->size, s->load));
}

int32_t lb_simulator_step(lbSimulator *s, const double *load) {
  enum { MOST_PARTS = 16 };
  int32_t flags = 0;
  s->lagged = false;
  s->damper = s->K;
  lb_fem_compress(s->fem, load, s->load);
  s->step_count++;
  Outcome outcome = solve_step(s, s->def.step, &flags);
  if (outcome == FAILED && may_subdivide(s)) {
    for (int32_t parts = 2; parts <= MOST_PARTS; parts *= 2)
      if (take_parts(s, parts, &flags)) {
        s->totals.subdivided_count++;
        return flags | LB_STEP_ADAPTED;
      }
    begin_step(s, s->def.step);
    outcome = descend(s, &flags); // once more, for its state
  }
  if (!commit(s)) return flags | LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED;
  return outcome == CONVERGED ? flags : flags | LB_STEP_NOT_CONVERGED;
}

// ---- supports that move ------------------------------------------------------------------------

lbStatus lb_simulator_start_supports(lbSimulator *s, const lbSupportMotion *now, const double *load,
                                     lbError *err) {
  lbStatus status = lb_supports_check(s->fem, now, err);
  if (!status) status = check_finite(s->fem, load, "load", err);
  if (!status && !s->supports) status = lb_supports_create(s->fem, &s->supports, err);
  if (status) return status;
  lb_supports_set(s->supports, s->border, now, now->displacement, now->velocity);
  lb_supports_commit(s->supports);
  // `start` reads what it is given before it writes the state.
  return start(s, s->u, s->v, load, NULL, err);
}

lbStatus lb_simulator_move_supports(lbSimulator *s, const lbSupportMotion *end, lbError *err) {
  if (!s->supports)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: its supports have not started to move", s->fem->name);
  lbStatus status = lb_supports_check(s->fem, end, err);
  if (!status) lb_supports_set(s->supports, s->border, end, s->u, s->v);
  return status;
}

void lb_simulator_carry(lbSimulator *s, const double rotation[4], const double shift[3]) {
  lbQuat turn = lb_quat(rotation[0], rotation[1], rotation[2], rotation[3]);
  for (size_t v = 0; v < s->full_size; v += 3) {
    lbVec3 rest = lb_vec3_load(s->fem->positions + v);
    lbVec3 x = lb_quat_rotate(turn, lb_add(rest, lb_vec3_load(s->u + v)));
    lb_vec3_store(s->u + v, lb_sub(lb_add(x, lb_vec3_load(shift)), rest));
    lb_vec3_store(s->v + v, lb_quat_rotate(turn, lb_vec3_load(s->v + v)));
  }
  for (size_t n = 0; n < s->size; n += 3)
    lb_vec3_store(s->a + n, lb_quat_rotate(turn, lb_vec3_load(s->a + n)));
  if (s->supports) lb_supports_carry(s->supports, rotation, shift);
  s->factored = false; // the tangent has turned
}

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
  return start(s, displacement, velocity, load, mass, err);
}

lbStatus lb_simulator_set_damping(lbSimulator *s, double mass, double stiffness, lbError *err) {
  lbSimulatorDef def = s->def;
  def.damping_mass = mass;
  def.damping_stiffness = stiffness;
  lbStatus status = check_def(&def, s->fem->name, err);
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
  if (!isfinite(s->norm) || !solve_increment(s, flags)) return false;
  s->totals.newton_iterations++;
  memcpy(s->best, s->trial, s->full_size * sizeof(double));
  memcpy(s->lowest, s->trial, s->full_size * sizeof(double));
  if (!s->lagged) keep_damper(s);
  move_trial(s, 1);
  return true;
}

bool lb_simulator_open(lbSimulator *s, const double *load, bool lagged, int32_t *flags) {
  lb_fem_compress(s->fem, load, s->load);
  begin_step(s, s->def.step);
  set_lagged(s, lagged);
  if (s->lagged) {
    s->factored = false;
    if (!isfinite(lb_assemble(s->assembler, s->u, NULL, s->K_ahead))) return false;
  }
  choose_start(s);
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
  begin_step(s, s->def.step);
  memcpy(s->trial, s->u, s->full_size * sizeof(double));
  s->factored = false;
  if (!isfinite(lb_assemble(s->assembler, s->trial, NULL, s->K))) return false;
  return factor_system(s, &unused);
}

const double *lb_simulator_origin(const lbSimulator *s) { return s->lowest; }

double lb_simulator_potential(lbSimulator *s, const double *displacement, const double *load,
                              double *rounding) {
  double norm = s->norm;
  memcpy(s->trial, displacement, s->full_size * sizeof(double));
  if (s->supports) lb_supports_put(s->supports, s->supports->u, s->trial);
  lb_fem_compress(s->fem, load, s->load);
  if (s->K_ahead) s->damper = s->K_ahead;
  examine_trial(s);
  double cost = potential(s, rounding);
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
  examine_trial(s);
  s->factored = !s->lagged && s->def.factor_reuse > 0 && s->norm <= s->def.factor_reuse * before;
  if (!isfinite(s->norm)) return LB_VERDICT_FAR;
  if (has_converged(s)) return LB_VERDICT_CONVERGED;
  double nearly = NEARLY * residual_scale(s);
  if (iteration > 0 && s->norm > 0.5 * before && before <= nearly) return LB_VERDICT_NEAR;
  if (iteration + 1 < s->def.newton_iterations) return LB_VERDICT_GO_ON;
  bool few = s->def.newton_iterations < FEW_ITERATIONS;
  return few || s->norm <= nearly ? LB_VERDICT_NEAR : LB_VERDICT_FAR;
}

bool lb_simulator_keep(lbSimulator *s) { return commit(s); }

bool lb_simulator_refactor(lbSimulator *s) {
  int32_t unused = 0;
  set_lagged(s, false);
  if (!isfinite(lb_assemble(s->assembler, s->factor_u, NULL, s->K))) return false;
  begin_step(s, s->factor_h);
  return factor_at(s, s->factor_u, s->factor_v, &unused);
}

// ---- what it tells -----------------------------------------------------------------------------

const double *lb_simulator_displacement(const lbSimulator *s) { return s->u; }
const double *lb_simulator_velocity(const lbSimulator *s) { return s->v; }
double lb_simulator_time(const lbSimulator *s) {
  return s->time + (double)s->step_count * s->def.step;
}

void lb_simulator_spring_force(const lbSimulator *s, int32_t spring, double force[3]) {
  memset(force, 0, 3 * sizeof(double));
  if (spring >= 0 && (size_t)spring < s->springs.count)
    lb_fem_spring_force(&s->springs.list[spring], s->fem, s->u, s->v, force);
}

lbSimulatorState lb_simulator_state(const lbSimulator *s) {
  const lbFem *fem = s->fem;
  lbSimulatorState state = s->totals;
  state.elastic = s->elastic;
  for (int32_t v = 0; v < fem->vertex_count; v++)
    for (int i = 0; i < 3; i++)
      state.centre[i] += fem->vertex_masses[v] / fem->total_mass *
                         (fem->positions[3 * (size_t)v + i] + s->u[3 * (size_t)v + i]);
  // s->force is free between steps.
  lb_fem_compress(fem, s->v, s->velocity);
  lb_sparse_multiply(fem->mass, s->velocity, s->product);
  lb_fem_expand(fem, s->product, s->force);
  lb_border_multiply(s->border, s->v, s->force);
  state.kinetic = 0.5 * lb_dot_product(s->full_size, s->v, s->force);
  lb_fem_momentum(fem, s->u, s->v, state.linear_momentum, state.angular_momentum);
  return state;
}
