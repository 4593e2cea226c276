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
#include "fem/assembler.h"
#include "fem/solve.h"
#include "fem/springs.h"

#include <math.h>
#include <string.h>

lbSimulatorDef lb_simulator_def(void) {
  return (lbSimulatorDef){ .integrator = LB_INTEGRATOR_NEWMARK,
                           .step = 1e-3,
                           .newton_iterations = 20,
                           .newton_tolerance = 1e-10 };
}

struct lbSimulator {
  const lbFem *fem;
  lbSimulatorDef def;
  lbAssembler *assembler;
  lbCholesky *factor;
  lbSparse *K, *system; // tangent; Newton's matrix
  lbSparse *K_ahead;    // tangent a little farther along v; NULL without stiffness damping
  double extent;        // m, of the body at rest
  bool factored;        // the factor is worth another iteration
  lbSprings springs;
  double spring_pull; // N, the sum of their forces' sizes at the last residual
  size_t size, full_size;
  double time;        // s, when the present step length began
  int64_t step_count; // since then

  // state, written by the end of a step
  double *u, *v;  // full
  double *a;      // system
  double elastic; // energy at u
  lbSimulatorState totals;

  // work, system-sized unless said otherwise
  double *force, *trial, *best;                  // full: R(u), u along and before the line search
  double *load;                                  // f
  double *velocity, *acceleration;               // at the trial displacement
  double *velocity_offset, *acceleration_offset; // v̂, â
  double *start, *scratch;                       // u_n; a + α v
  double *residual, *direction, *product;
  double c_v, c_a;
};

void lb_simulator_destroy(lbSimulator *s) {
  if (!s) return;
  lb_assembler_destroy(s->assembler);
  lb_cholesky_destroy(s->factor);
  lb_sparse_destroy(s->K);
  lb_sparse_destroy(s->system);
  lb_sparse_destroy(s->K_ahead);
  lb_springs_release(&s->springs);
  double *blocks[] = { s->u,        s->v,
                       s->a,        s->force,
                       s->trial,    s->load,
                       s->velocity, s->acceleration,
                       s->start,    s->velocity_offset,
                       s->residual, s->acceleration_offset,
                       s->product,  s->direction,
                       s->scratch,  s->best };
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
  double **system_sized[] = {
    &s->a,       &s->load,     &s->velocity,           &s->acceleration,
    &s->start,   &s->residual, &s->direction,          &s->velocity_offset,
    &s->product, &s->scratch,  &s->acceleration_offset
  };
  double **full_sized[] = { &s->u, &s->v, &s->force, &s->trial, &s->best };
  bool complete = true;
  for (size_t i = 0; i < sizeof system_sized / sizeof *system_sized; i++)
    complete &= (*system_sized[i] = lb_alloc(s->size, sizeof(double))) != NULL;
  for (size_t i = 0; i < sizeof full_sized / sizeof *full_sized; i++)
    complete &= (*full_sized[i] = lb_alloc(s->full_size, sizeof(double))) != NULL;
  if (!complete) return lb_fail_memory(err);
  lbStatus status = lb_assembler_create(s->fem, &s->assembler, err);
  if (!status) status = lb_sparse_copy_pattern(s->fem->pattern, &s->K, err);
  if (!status) status = lb_sparse_copy_pattern(s->fem->pattern, &s->system, err);
  if (!status && s->def.damping_stiffness > 0)
    status = lb_sparse_copy_pattern(s->fem->pattern, &s->K_ahead, err);
  if (!status) status = lb_cholesky_create(s->system, &s->factor, err);
  return status;
}

// residual = f + springs − M a − α M v − β K v − R, at a displacement with s->velocity,
// s->acceleration, s->force and s->K.
static double find_residual(lbSimulator *s, const double *displacement) {
  lb_fem_compress(s->fem, s->force, s->residual);
  for (size_t i = 0; i < s->size; i++) {
    s->residual[i] = s->load[i] - s->residual[i];
    s->scratch[i] = s->acceleration[i] + s->def.damping_mass * s->velocity[i];
  }
  lb_sparse_multiply(s->fem->mass, s->scratch, s->product);
  for (size_t i = 0; i < s->size; i++) s->residual[i] -= s->product[i];
  if (s->def.damping_stiffness > 0) {
    lb_sparse_multiply(s->K, s->velocity, s->product);
    for (size_t i = 0; i < s->size; i++) s->residual[i] -= s->def.damping_stiffness * s->product[i];
  }
  s->spring_pull = lb_fem_springs_pull(&s->springs, s->fem, displacement, s->velocity, s->residual);
  return lb_norm(s->size, s->residual);
}

// a0 = M⁻¹ (f − (α M + β K) v − R): the residual at a = 0, divided by the mass.
static lbStatus consistent_acceleration(lbSimulator *s, lbError *err) {
  lb_fem_compress(s->fem, s->v, s->velocity);
  memset(s->acceleration, 0, s->size * sizeof(double));
  find_residual(s, s->u);
  memcpy(s->a, s->residual, s->size * sizeof(double));
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

// The state from full vectors (NULL: zeros) and the acceleration that belongs to it.
static lbStatus start(lbSimulator *s, const double *displacement, const double *velocity,
                      const double *load, lbError *err) {
  const lbFem *fem = s->fem;
  memset(s->load, 0, s->size * sizeof(double));
  memset(s->start, 0, s->size * sizeof(double));
  memset(s->velocity, 0, s->size * sizeof(double));
  if (load) lb_fem_compress(fem, load, s->load);
  // Fixed vertices stay where they are: only what the system holds is taken over.
  if (displacement) lb_fem_compress(fem, displacement, s->start);
  if (velocity) lb_fem_compress(fem, velocity, s->velocity);
  lb_fem_expand(fem, s->start, s->trial);
  double elastic = lb_assemble(s->assembler, s->trial, s->force, s->K);
  if (!isfinite(elastic))
    return lb_fail(err, LB_ERR_MESH, "%s: element %d is inverted in the initial state", fem->name,
                   (int)lb_assembler_invalid_element(s->assembler));
  s->elastic = elastic;
  s->factored = false;
  memcpy(s->u, s->trial, s->full_size * sizeof(double));
  lb_fem_expand(fem, s->velocity, s->v);
  return consistent_acceleration(s, err);
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
  status = allocate(s, err);
  if (!status) status = start(s, displacement, velocity, load, err);
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
  return status ? status : start(s, displacement, velocity, load, err);
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

static void begin_step(lbSimulator *s, const double *load) {
  double h = s->def.step;
  bool newmark = s->def.integrator == LB_INTEGRATOR_NEWMARK;
  s->c_v = newmark ? 2 / h : 1 / h;
  s->c_a = newmark ? 4 / (h * h) : 1 / (h * h);
  lb_fem_compress(s->fem, load, s->load);
  lb_fem_compress(s->fem, s->u, s->start);
  lb_fem_compress(s->fem, s->v, s->velocity);
  for (size_t i = 0; i < s->size; i++) {
    double v = s->velocity[i], a = s->a[i];
    s->velocity_offset[i] = newmark ? -v : 0;
    s->acceleration_offset[i] = newmark ? -4 / h * v - a : -v / h;
  }
}

// Newton starts where constant acceleration would lead; from u_n where that leaves a law.
static void predict(lbSimulator *s, bool moving) {
  double h = s->def.step;
  memcpy(s->trial, s->u, s->full_size * sizeof(double));
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

// Assembles at s->trial and returns the residual's norm, +inf outside a law.
static double residual_at_trial(lbSimulator *s, double *energy) {
  find_rates(s);
  *energy = lb_assemble(s->assembler, s->trial, s->force, s->K);
  return isfinite(*energy) ? find_residual(s, s->trial) : INFINITY;
}

// system += β ∂K/∂u v ≈ β (K(u + ε v) − K(u)) / ε, ε v a millionth of the body. Uses s->best.
static void add_damping_rate(lbSimulator *s) {
  double fastest = 0;
  if (!s->K_ahead) return;
  for (size_t i = 0; i < s->size; i++) fastest = fmax(fastest, fabs(s->velocity[i]));
  double step = 1e-6 * s->extent / fastest;
  if (!isfinite(step) || step == 0) return;
  lb_fem_expand(s->fem, s->velocity, s->best);
  for (size_t i = 0; i < s->full_size; i++) s->best[i] = s->trial[i] + step * s->best[i];
  if (!isfinite(lb_assemble(s->assembler, s->best, NULL, s->K_ahead))) return; // outside a law
  size_t count = (size_t)lb_sparse_nonzero_count(s->system);
  double scale = s->def.damping_stiffness / step;
  for (size_t i = 0; i < count; i++)
    s->system->values[i] += scale * (s->K_ahead->values[i] - s->K->values[i]);
}

static bool factor_system(lbSimulator *s, int32_t *flags) {
  double mass_scale = s->c_a + s->c_v * s->def.damping_mass;
  double stiffness_scale = 1 + s->c_v * s->def.damping_stiffness;
  size_t count = (size_t)lb_sparse_nonzero_count(s->system);
  for (size_t i = 0; i < count; i++) s->system->values[i] = stiffness_scale * s->K->values[i];
  lb_sparse_add_scaled(s->system, mass_scale, s->fem->mass);
  add_damping_rate(s);
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

// Halves the step until the residual falls. Returns the new norm, or the old one with the trial put
// back when nothing helps. Every try starts from a copy: taking a huge step back by subtraction
// would leave nothing of the state but rounding.
static double line_search(lbSimulator *s, double norm, double *energy) {
  memcpy(s->best, s->trial, s->full_size * sizeof(double));
  for (double t = 1; t > 1e-4; t *= 0.5) {
    move_trial(s, t);
    double new_norm = residual_at_trial(s, energy);
    if (new_norm < norm) return new_norm;
  }
  memcpy(s->trial, s->best, s->full_size * sizeof(double));
  residual_at_trial(s, energy);
  return norm;
}

// What the residual is measured against, and what rounding leaves of it.
static double residual_scale(lbSimulator *s) {
  double load = lb_norm(s->size, s->load) + s->spring_pull;
  if (load > 0) return load;
  lb_sparse_multiply(s->fem->mass, s->acceleration, s->product);
  return lb_norm(s->size, s->product);
}

// Rounding of the element forces, and of the displacements that they are made from.
static double residual_floor(lbSimulator *s) {
  double stiffest = 0;
  lb_sparse_diagonal(s->K, s->product);
  for (size_t i = 0; i < s->size; i++) stiffest = fmax(stiffest, s->product[i]);
  stiffest *= 1 + s->c_v * s->def.damping_stiffness;
  return 1e-15 * lb_norm(3 * (size_t)s->fem->force_count, s->assembler->element_forces) +
         2e-16 * stiffest * lb_norm(s->full_size, s->trial);
}

// Newton from u_n; leaves the best state found at s->trial.
static int32_t newton(lbSimulator *s, double *energy) {
  int32_t flags = 0;
  predict(s, true);
  double norm = residual_at_trial(s, energy);
  if (!isfinite(norm)) {
    predict(s, false);
    norm = residual_at_trial(s, energy);
  }
  for (int32_t i = 0; i < s->def.newton_iterations; i++) {
    bool reused = s->factored;
    if (!solve_increment(s, &flags)) break;
    s->totals.newton_iterations++;
    double new_norm = line_search(s, norm, energy);
    bool fell = new_norm < norm;
    s->factored = s->def.factor_reuse > 0 && new_norm <= s->def.factor_reuse * norm;
    norm = new_norm;
    // An infinite load makes both sides infinite: that is no convergence.
    if (isfinite(norm) &&
        (norm <= s->def.newton_tolerance * residual_scale(s) || norm <= residual_floor(s)))
      return flags;
    if (!fell && !reused) break; // an old factor may be to blame
  }
  return flags | LB_STEP_NOT_CONVERGED;
}

int32_t lb_simulator_step(lbSimulator *s, const double *load) {
  double energy;
  begin_step(s, load);
  int32_t flags = newton(s, &energy);
  find_rates(s);
  s->step_count++;
  if (!isfinite(lb_norm(s->size, s->acceleration)) || !isfinite(energy))
    return flags | LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED;
  memcpy(s->u, s->trial, s->full_size * sizeof(double));
  lb_fem_expand(s->fem, s->velocity, s->v);
  memcpy(s->a, s->acceleration, s->size * sizeof(double));
  s->elastic = energy;
  return flags;
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
  // Momentum of node n: (M v)_n.
  lb_fem_compress(fem, s->v, s->velocity);
  lb_sparse_multiply(fem->mass, s->velocity, s->product);
  state.kinetic = 0.5 * lb_dot_product(s->size, s->velocity, s->product);
  for (int32_t n = 0; n < fem->node_count; n++) {
    const double *p = s->product + 3 * (size_t)n;
    size_t v = 3 * (size_t)fem->vertex_of_node[n];
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = fem->positions[v + i] + s->u[v + i];
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      state.linear_momentum[i] += p[i];
      state.angular_momentum[i] += x[j] * p[k] - x[k] * p[j];
    }
  }
  return state;
}
