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
//   until Φ falls,  as 2, 4, 8 and 16 shorter steps (but not for a body, whose guard does that),
// and what remains then is the lowest state of the third, flagged.
//
// A body that nothing holds keeps its momenta: the step is a stationary point of Φ among the
// motions with the momenta that external forces leave (momentum.h).
//
// Supports that move (supports.h) add M_fc a_c to the left side, and damping then acts on
// velocities relative to their frame. What a trial is measured against is then u_n carried along by
// the frame, and parts of a step lead the supports through their share of it.
#include "fem/trial.h"

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
  lb_momentum_destroy(s->momentum);
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

lbStatus lb_simulator_check(const lbSimulatorDef *def, const char *name, lbError *err) {
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
  if (!status) status = lb_momentum_create(s->fem, &s->momentum, err);
  s->damper = s->K;
  return status;
}

// a0 = M⁻¹ (f − (α M + β K) v − R): the residual at a = 0, divided by the mass.
static lbStatus consistent_acceleration(lbSimulator *s, lbCholesky *mass, lbError *err) {
  lb_fem_compress(s->fem, s->v, s->velocity);
  memset(s->acceleration, 0, s->size * sizeof(double));
  lb_trial_residual(s, s->u);
  lb_trial_balance(s);
  memcpy(s->a, s->residual, s->size * sizeof(double));
  if (mass) return lb_cholesky_solve(mass, 1, s->a, err);
  s->factored = false;
  memset(s->system->values, 0, (size_t)lb_sparse_nonzero_count(s->system) * sizeof(double));
  if (!lb_sparse_add_scaled(s->system, 1, s->fem->mass))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: the mass has entries where the stiffness has none",
                   s->fem->name);
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
lbStatus lb_simulator_begin(lbSimulator *s, const double *displacement, const double *velocity,
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
  lbStatus status = lb_simulator_check(def, fem->name, err);
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
  if (!status) status = lb_simulator_begin(s, displacement, velocity, load, NULL, err);
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
  return status ? status : lb_simulator_begin(s, displacement, velocity, load, NULL, err);
}

lbStatus lb_simulator_set_step(lbSimulator *s, double step, lbError *err) {
  lbSimulatorDef def = s->def;
  def.step = step;
  lbStatus status = lb_simulator_check(&def, s->fem->name, err);
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

typedef enum Outcome {
  FAILED,
  STALLED, // above the tolerance, but near the solution or at the end of few iterations
  CONVERGED,
} Outcome;

// One whole Newton step from the trial. False: none could be taken.
static bool take_newton_step(lbSimulator *s, int32_t *flags) {
  bool reused = s->factored;
  double before = s->norm;
  if (!lb_trial_solve(s, flags)) return false;
  s->totals.newton_iterations++;
  memcpy(s->best, s->trial, s->full_size * sizeof(double));
  lb_trial_move(s, 1);
  lb_trial_examine(s);
  bool fell = s->norm < before;
  s->factored = s->def.factor_reuse > 0 && s->norm <= s->def.factor_reuse * before;
  if (fell || !reused) return isfinite(s->norm);
  memcpy(s->trial, s->best, s->full_size * sizeof(double)); // an old factor may be to blame
  lb_trial_examine(s);
  return true;
}

// Newton's method with whole steps. The residual may rise on the way: where forces across a thin
// body become forces along it, the first steps overshoot, and it converges nevertheless.
static Outcome iterate(lbSimulator *s, int32_t *flags) {
  for (int32_t i = 0; i < s->def.newton_iterations; i++) {
    double before = s->norm;
    if (!take_newton_step(s, flags)) return FAILED;
    if (lb_trial_has_converged(s)) return CONVERGED;
    if (s->norm > 0.5 * before && before <= LB_TRIAL_NEARLY * lb_trial_scale(s)) return STALLED;
  }
  bool few = s->def.newton_iterations < LB_TRIAL_FEW;
  return few || s->norm <= LB_TRIAL_NEARLY * lb_trial_scale(s) ? STALLED : FAILED;
}

// Cuts the step along s->direction until the potential falls, damping taken with the K of its
// beginning. False: nothing helps, and the trial is where it was. Every try starts from a copy:
// taking a huge step back by subtraction would leave nothing of the state but rounding.
static bool search_line(lbSimulator *s) {
  double slope = lb_dot_product(s->size, s->direction, s->residual), rounding = 0;
  bool found = false;
  memcpy(s->lowest, s->trial, s->full_size * sizeof(double));
  memcpy(s->along, s->direction, s->size * sizeof(double));
  double before = lb_trial_potential(s, &rounding);
  lb_trial_keep_damper(s);
  if (s->K_ahead) s->damper = s->K_ahead;
  double t = 1;
  for (int k = 0; k <= LB_TRIAL_HALVINGS && !found; k++, t *= 0.5) {
    memcpy(s->best, s->lowest, s->full_size * sizeof(double));
    memcpy(s->direction, s->along, s->size * sizeof(double));
    lb_trial_move(s, t);
    lb_trial_examine(s);
    found = lb_trial_potential(s, &rounding) - 1e-4 * rounding <= before - 1e-4 * t * slope;
  }
  s->damper = s->K;
  if (!found) memcpy(s->trial, s->lowest, s->full_size * sizeof(double));
  lb_trial_examine(s);
  return found;
}

// A trial that costs more than staying at u_n is not the motion.
static bool is_worse(lbSimulator *s) {
  double rounding = 0, cost = lb_trial_potential(s, &rounding);
  return !(cost <= rounding);
}

// Newton's method from u_n by steps that lower the potential; the trial ends no worse than u_n.
static Outcome descend(lbSimulator *s, int32_t *flags) {
  bool found = true, done = false;
  s->factored = false;
  lb_trial_stay(s);
  for (int32_t i = 0; i < 2 * s->def.newton_iterations && found && !done; i++) {
    if (!isfinite(s->norm) || !lb_trial_solve(s, flags)) break;
    s->totals.newton_iterations++;
    found = search_line(s);
    s->factored = false;
    done = lb_trial_has_converged(s);
  }
  bool near = s->norm <= LB_TRIAL_NEARLY * lb_trial_scale(s);
  if (!is_worse(s)) return done ? CONVERGED : near ? STALLED : FAILED;
  lb_trial_stay(s);
  return FAILED;
}

static Outcome iterate_from_better_start(lbSimulator *s, bool *moving, int32_t *flags) {
  *moving = lb_trial_choose_start(s);
  return isfinite(s->norm) ? iterate(s, flags) : FAILED;
}

static Outcome iterate_from_rest(lbSimulator *s, int32_t *flags) {
  s->factored = false;
  lb_trial_stay(s);
  return isfinite(s->norm) ? iterate(s, flags) : FAILED;
}

static Outcome refuse_worse(lbSimulator *s, Outcome outcome) {
  return outcome != FAILED && is_worse(s) ? FAILED : outcome;
}

// One step or part of length h from the state to the trial.
static Outcome solve_step(lbSimulator *s, double h, int32_t *flags) {
  bool moving = false;
  lb_trial_begin(s, h);
  Outcome outcome = refuse_worse(s, iterate_from_better_start(s, &moving, flags));
  if (outcome == FAILED && moving) outcome = refuse_worse(s, iterate_from_rest(s, flags));
  return outcome == FAILED ? descend(s, flags) : outcome;
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
    taken = solve_step(s, s->def.step / parts, flags) == CONVERGED && lb_trial_commit(s);
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
  bool few = s->def.newton_iterations < LB_TRIAL_FEW;
  return !s->guarded && !few && isfinite(lb_norm(s->size, s->load));
}

int32_t lb_simulator_step(lbSimulator *s, const double *load) {
  enum { MOST_PARTS = 16 };
  int32_t flags = 0;
  s->lagged = false;
  s->damper = s->K;
  lb_fem_compress(s->fem, load, s->load);
  s->step_count++;
  s->conserves = lb_trial_may_conserve(s);
  Outcome outcome = solve_step(s, s->def.step, &flags);
  if (outcome == FAILED && may_subdivide(s)) {
    for (int32_t parts = 2; parts <= MOST_PARTS; parts *= 2)
      if (take_parts(s, parts, &flags)) {
        s->totals.subdivided_count++;
        s->failed = false;
        return flags | LB_STEP_ADAPTED;
      }
    lb_trial_begin(s, s->def.step);
    outcome = descend(s, &flags); // once more, for its state
  }
  s->failed = outcome == FAILED;
  if (!lb_trial_commit(s)) return flags | LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED;
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
  return lb_simulator_begin(s, s->u, s->v, load, NULL, err);
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
