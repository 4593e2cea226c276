// Equilibria of a comparison: of the linear body under small loads, and of the nonlinear one under
// the bending load.
//
// Newton's method of the full body begins where the model rests, so that a few factorisations tell
// how far that is from the truth.
#include "study/accuracy.h"

#include "fem/assembler.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONVERGED 1e-4 // of the load: the residual at which the full equilibrium counts as found
#define GOOD_ENOUGH 1e-2
#define HOPELESS 10  // times the least residual so far
#define LOAD_PARTS 8 // in which the model's load comes

lbStatus lb_begin_motion(const char *name, int32_t probe, int32_t steps, lbAccuracyMotion *m,
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

// Figures of one pair of displacements.
static void compare_shapes(const lbComparison *c, const double *full, const double *reduced,
                           lbAccuracyMotion *m) {
  double sum = 0, worst = 0;
  m->amplitude = lb_largest_displacement(c->fem->vertex_count, full, &m->probe);
  for (size_t v = 0; v < (size_t)c->fem->vertex_count; v++) {
    lbVec3 d = lb_sub(lb_vec3_load(reduced + 3 * v), lb_vec3_load(full + 3 * v));
    sum += c->fem->vertex_masses[v] * lb_dot(d, d);
    worst = fmax(worst, lb_dot(d, d));
  }
  if (!(m->amplitude > 0)) return;
  m->mass_error = m->mass_errors[0] = sqrt(sum / c->fem->total_mass) / m->amplitude;
  m->vertex_error = m->vertex_errors[0] = sqrt(worst) / m->amplitude;
}

// ---- small loads -------------------------------------------------------------------------------

lbStatus lb_compare_small(const lbComparison *c, lbLoadShape shape, lbAccuracyMotion *m,
                          lbError *err) {
  size_t count = 3 * (size_t)c->fem->vertex_count;
  double *work = lb_alloc(3 * count + (size_t)c->dimension, sizeof(double)), aim;
  if (!work) return lb_fail_memory(err);
  double *load = work, *full = load + count, *reduced = full + count, *q = reduced + count;
  lbStatus status = lb_make_load(c, shape, load, full, &aim, err);
  if (!status) {
    lb_comparison_respond_reduced(c, load, q);
    lb_comparison_displace(c, q, reduced);
    compare_shapes(c, full, reduced, m);
  }
  lb_free(work);
  return status;
}

// ---- the nonlinear equilibrium -----------------------------------------------------------------

static void apply_load(const lbComparison *c, double share, lbBody *body) {
  for (int32_t n = 0; n < c->fem->node_count; n++) {
    int32_t v = c->fem->vertex_of_node[n];
    lbVec3 force = lb_scale(share, lb_vec3_load(c->load + 3 * (size_t)v));
    (void)lb_body_apply_force(body, lb_point_node(v), force);
  }
}

// The model's equilibrium under a share of the load: implicit Euler with steps so long that inertia
// vanishes. False: it has found none.
static lbStatus rest_body(const lbComparison *c, double share, double *displaced, bool *found,
                          lbError *err) {
  lbBody *body = NULL;
  lbBodyDef def = lb_body_def();
  def.method = c->method;
  def.integrator = LB_INTEGRATOR_EULER;
  def.newton_iterations = 30;
  def.newton_tolerance = 1e-9;
  lbStatus status = lb_body_create(c->model, &def, &body, err);
  if (status) return status;
  int32_t flags = 0;
  for (int32_t i = 1; i <= LOAD_PARTS; i++) {
    apply_load(c, share * i / LOAD_PARTS, body);
    flags = lb_body_step(body, fmin(1e4 * c->period, 1e5));
  }
  *found = !(flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED | LB_STEP_REFUSED));
  lb_body_node_displacements(body, displaced);
  lb_body_destroy(body);
  return LB_OK;
}

static lbStatus rest_model(const lbComparison *c, double share, double *displaced, bool *found,
                           lbError *err) {
  if (c->method != LB_METHOD_MODAL) return rest_body(c, share, displaced, found, err);
  double *q = lb_alloc((size_t)c->dimension, sizeof(double)); // the method is linear
  if (!q) return lb_fail_memory(err);
  lb_comparison_respond_reduced(c, c->load, q);
  for (int32_t i = 0; i < c->dimension; i++) q[i] *= share;
  lb_comparison_displace(c, q, displaced);
  lb_free(q);
  *found = true;
  return LB_OK;
}

// The state of Newton's method.
typedef struct Newton {
  lbAssembler *assembler;
  double share;            // of the load
  double *u, *forces;      // full
  double *reduced;         // full: where the model rests
  double *residual, *load; // system
  double relative;         // the residual against the load
  int32_t left;            // iterations
} Newton;

static double find_static_accuracy_residual(const lbComparison *c, Newton *n) {
  size_t size = 3 * (size_t)c->fem->node_count;
  double energy = lb_assemble(n->assembler, n->u, n->forces, c->K), square = 0, of = 0;
  if (!isfinite(energy)) return INFINITY;
  lb_fem_compress(c->fem, n->forces, n->residual);
  lb_fem_compress(c->fem, c->load, n->load);
  for (size_t i = 0; i < size; i++) {
    double load = n->share * n->load[i];
    n->residual[i] = load - n->residual[i];
    square += n->residual[i] * n->residual[i], of += load * load;
  }
  return sqrt(square / of);
}

// Ends at the equilibrium, on divergence, or at the iteration limit.
static lbStatus iterate_static_newton(lbComparison *c, Newton *n, lbError *err) {
  size_t count = 3 * (size_t)c->fem->vertex_count;
  n->relative = find_static_accuracy_residual(c, n);
  for (double least = INFINITY; n->left > 0; n->left--) {
    if (!lb_progress("accuracy", n->relative < 1 ? 0.8 : 0.6))
      return lb_fail_interrupted(err, "accuracy");
    if (n->relative <= CONVERGED || !(n->relative < HOPELESS * least)) return LB_OK;
    least = fmin(least, n->relative);
    lbStatus status = lb_cholesky_factor(c->factor, c->K, err);
    c->stiffness = 1;
    if (!status) status = lb_cholesky_solve(c->factor, 1, n->residual, err);
    if (status) return status;
    lb_fem_expand(c->fem, n->residual, n->forces);
    for (size_t k = 0; k < count; k++) n->u[k] += n->forces[k];
    n->relative = find_static_accuracy_residual(c, n);
  }
  return LB_OK;
}

// Under the share of the load; *found: both equilibria are.
static lbStatus attempt(lbComparison *c, Newton *n, bool *found, lbError *err) {
  size_t count = 3 * (size_t)c->fem->vertex_count;
  lbStatus status = rest_model(c, n->share, n->reduced, found, err);
  if (status || !*found) return status;
  memcpy(n->u, n->reduced, count * sizeof(double));
  status = iterate_static_newton(c, n, err);
  if (status == LB_ERR_NUMERIC) { // a tangent that is not positive definite
    n->left--;
    n->relative = INFINITY;
    status = LB_OK;
  }
  *found = n->relative <= GOOD_ENOUGH;
  return status;
}

lbStatus lb_compare_equilibrium(lbComparison *c, int32_t iterations, lbAccuracyMotion *m,
                                lbError *err) {
  size_t count = 3 * (size_t)c->fem->vertex_count, size = 3 * (size_t)c->fem->node_count;
  double *work = lb_alloc(3 * count + 2 * size, sizeof(double));
  if (!work) return lb_fail_memory(err);
  Newton n = { .share = 1, .left = iterations, .u = work, .forces = work + count };
  n.reduced = n.forces + count, n.residual = n.reduced + count, n.load = n.residual + size;
  bool found = false;
  lbStatus status = lb_assembler_create(c->fem, &n.assembler, err);
  for (; n.left > 0 && !found && !status; n.share *= found ? 1 : 0.5)
    status = attempt(c, &n, &found, err);
  if (!status && found)
    compare_shapes(c, n.u, n.reduced, m);
  else if (!status)
    snprintf(m->problem, sizeof m->problem,
             "in %d iterations no equilibrium of the full body was found near the model's",
             (int)iterations);
  lb_assembler_destroy(n.assembler);
  lb_free(work);
  return status;
}
