// The subspace method: a St. Venant-Kirchhoff body in a few shapes, after Barbič & James 2005 (see
// subspace.h). A step that ends far from a solution, or nowhere, is made again in two halves, then
// in four quarters by implicit Euler steps, which only lose energy; then the last state is kept.
#include "body/subspace_step.h"

#include <string.h>

#define LEVELS 3           // whole, halves, quarters
#define ABSURD_SIZES 1e6   // displacements of so many times the body's size
#define DUST 1e-150        // smaller numbers become zero: subnormal ones are slow
#define STUCK_FORCE 1e-3   // of the linear force, is an equilibrium
#define STUCK_KINETIC 1e-6 // of the elastic energy, is rest

// ---- vectors -----------------------------------------------------------------------------------

void lb_subspace_multiply(const lbSubspace *s, const double *A, const double *x, double *y) {
  size_t n = (size_t)s->stride, r = (size_t)s->cubic.count;
  memset(y, 0, n * sizeof *y);
  for (size_t j = 0; j < r; j++) {
    const double *column = A + n * j;
    for (size_t i = 0; i < n; i++) y[i] += x[j] * column[i];
  }
}

void lb_subspace_mass_multiply(const lbSubspace *s, const double *x, double *y) {
  if (s->unit_mass)
    memcpy(y, x, (size_t)s->cubic.count * sizeof *y);
  else
    lb_subspace_multiply(s, s->mass, x, y);
}

void lb_subspace_mobilise(const lbSubspace *s, double *x) {
  if (!s->unit_mass) s->ldlt->solve(s->cubic.count, s->mass_ldlt, x);
}

double lb_subspace_dot(int32_t count, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

// ---- evaluation --------------------------------------------------------------------------------

const lbEvaluated *lb_subspace_evaluate(lbBody *body, const double *q) {
  const lbSubspace *s = &body->common->subspace;
  lbEvaluated *e = &body->instances->work.evaluated[body->lane];
  size_t bytes = (size_t)s->cubic.count * sizeof *q;
  if (e->edition == s->edition && memcmp(e->q, q, bytes) == 0) return e;
  memcpy(e->q, q, bytes);
  e->energy = s->kernels->evaluate(&s->cubic, q, e->R, e->K, body->instances->work.cubic);
  e->edition = s->edition;
  return e;
}

void lb_subspace_accelerate(lbBody *body, const lbEvaluated *e, const double *v, double *a) {
  const lbBodyCommon *common = body->common;
  const lbSubspace *s = &common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  lb_subspace_mass_multiply(s, v, w->Ma);
  lb_subspace_multiply(s, e->K, v, w->Cv);
  for (int32_t i = 0; i < common->dimension; i++)
    a[i] =
        w->f[i] - common->damping_mass * w->Ma[i] - common->damping_stiffness * w->Cv[i] - e->R[i];
  lb_subspace_mobilise(s, a);
  if (lb_body_is_constrained(body)) lb_hard_project_acceleration(body, a);
}

// ---- creation ----------------------------------------------------------------------------------

static lbStatus open_subspace(lbBodyCommon *common, const lbBodyDef *def, lbError *err) {
  const lbModel *model = common->model;
  lbSubspace *s = &common->subspace;
  if ((int)def->integrator < 0 || def->integrator > LB_INTEGRATE_CENTRAL)
    return lb_fail(err, LB_ERR_ARGUMENT, "integrator is %d; it must be an lbIntegrate",
                   (int)def->integrator);
  if (def->newton_iterations < 1 || def->newton_iterations > 100)
    return lb_fail(err, LB_ERR_ARGUMENT, "newton_iterations is %d; it must be from 1 to 100",
                   (int)def->newton_iterations);
  if (!(def->newton_tolerance >= 0 && def->newton_tolerance <= 1))
    return lb_fail(err, LB_ERR_ARGUMENT, "newton_tolerance is %g; it must be from 0 to 1",
                   def->newton_tolerance);
  common->dimension = model->size.subspace_dimension;
  if (common->dimension > LB_CUBIC_MODES_MAX)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "model \"%s\" has %d basis vectors; at most %d can run",
                   model->name, (int)common->dimension, LB_CUBIC_MODES_MAX);
  common->basis = model->subspace_basis;
  common->gravity = model->subspace_gravity;
  common->launch = model->subspace_rigid;
  common->damping_mass = model->subspace_damping[0];
  common->damping_stiffness = model->subspace_damping[1];
  s->integrator = def->integrator;
  s->newton_iterations = def->newton_iterations;
  s->newton_tolerance = def->newton_tolerance;
  s->kernels = lb_cubic_kernels(common->level);
  s->ldlt = lb_ldlt_kernels(common->level);
  return LB_OK;
}

static void place_evaluated(lbEvaluated *e, size_t n, lbCarver *carver) {
  e->q = lb_carve(carver, n, sizeof(double));
  e->R = lb_carve(carver, n, sizeof(double));
  e->K = lb_carve(carver, n * n, sizeof(double));
}

static void place_instances(const lbBodyCommon *common, lbInstances *instances, lbCarver *carver) {
  lbSubspaceWork *w = &instances->work;
  size_t padded = (size_t)common->padded, n = (size_t)lb_cubic_padded(common->dimension);
  double **vectors[] = { &w->start[0], &w->start[1], &w->start[2], &w->q0, &w->v0, &w->a0,
                         &w->q,        &w->v,        &w->a,        &w->f,  &w->G,  &w->d,
                         &w->Ma,       &w->Cv,       &w->pull,     &w->R0 };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = lb_carve(carver, padded, sizeof(double));
  w->A = lb_carve(carver, n * n, sizeof(double));
  w->rate = lb_carve(carver, n * n, sizeof(double));
  w->cubic = lb_carve(carver, lb_cubic_work_size(common->dimension), sizeof(double));
  w->evaluated = lb_carve(carver, (size_t)instances->stride, sizeof *w->evaluated);
  for (int32_t i = 0; i < instances->stride && !carver->overflow; i++) {
    lbEvaluated unused;
    place_evaluated(carver->block ? &w->evaluated[i] : &unused, n, carver);
  }
}

// A coordinate that moves some point by ABSURD_SIZES sizes of the body.
static double absurd_coordinate(const lbBodyCommon *common) {
  const lbModel *model = common->model;
  size_t rows = 3 * (size_t)model->size.node_count;
  double low = INFINITY, high = -INFINITY, reach = 0;
  for (size_t i = 0; i < rows; i++) {
    low = fmin(low, model->node_positions[i]);
    high = fmax(high, model->node_positions[i]);
  }
  for (size_t i = 0; i < rows * (size_t)common->dimension; i++)
    reach = fmax(reach, fabs(common->basis[i]));
  double most = ABSURD_SIZES * (high - low) / reach;
  return most <= LB_BODY_MOST ? most : LB_BODY_MOST;
}

static lbStatus build(lbBodyCommon *common, lbError *err) {
  lbStatus status = lb_material_build(common, err);
  common->subspace.most = absurd_coordinate(common);
  return status;
}

// ---- one step ----------------------------------------------------------------------------------

static void prepare(lbBodyCommon *common, double h) { (void)common, (void)h; }

static void gather(const lbBody *body) {
  const lbInstances *instances = body->instances;
  const lbSubspaceWork *w = &instances->work;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    size_t at = lb_body_at(body, i);
    w->start[0][i] = instances->q[at];
    w->start[1][i] = instances->v[at];
    w->start[2][i] = instances->a[at];
    w->f[i] = instances->force[at];
  }
}

static double without_dust(double x) { return fabs(x) < DUST ? 0 : x; }

static void scatter(lbBody *body) {
  lbInstances *instances = body->instances;
  const lbSubspaceWork *w = &instances->work;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    size_t at = lb_body_at(body, i);
    instances->q[at] = without_dust(w->q[i]);
    instances->v[at] = without_dust(w->v[i]);
    instances->a[at] = without_dust(w->a[i]);
  }
  instances->consistent[body->lane] = body->common->subspace.edition;
}

static double largest(int32_t count, const double *x) {
  double most = 0;
  for (int32_t i = 0; i < count; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]); // keeps a NaN
  return most;
}

// Finite, and not farther out than is sane, unless it comes from there.
static bool is_sane(const lbBody *body) {
  const lbSubspaceWork *w = &body->instances->work;
  int32_t r = body->common->dimension;
  double reach = largest(r, w->q), before = largest(r, w->q0);
  return lb_is_bounded(reach) && lb_is_bounded(largest(r, w->v)) &&
         lb_is_bounded(largest(r, w->a)) &&
         (reach <= body->common->subspace.most || reach <= before);
}

static void start_substep(const lbBody *body, double *const from[3]) {
  const lbSubspaceWork *w = &body->instances->work;
  size_t bytes = (size_t)body->common->dimension * sizeof(double);
  memcpy(w->q0, from[0], bytes);
  memcpy(w->v0, from[1], bytes);
  memcpy(w->a0, from[2], bytes);
}

// The step in 2^level parts.
static int32_t attempt(lbBody *body, int level, bool consistent) {
  const lbSubspace *s = &body->common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  double h = body->common->h / (1 << level);
  int32_t flags = 0;
  start_substep(body, w->start);
  if (!consistent) lb_subspace_accelerate(body, lb_subspace_evaluate(body, w->q0), w->v0, w->a0);
  for (int i = 0; i < 1 << level && !(flags & (LB_STEP_NONFINITE | LB_STEP_FAR)); i++) {
    if (i > 0) start_substep(body, (double *const[3]){ w->q, w->v, w->a });
    if (s->integrator == LB_INTEGRATE_CENTRAL)
      flags |= lb_subspace_central(body, h);
    else
      flags |= lb_subspace_implicit(body, h,
                                    level == LEVELS - 1 ? LB_IMPLICIT_EULER : LB_IMPLICIT_NEWMARK);
    if (!is_sane(body)) flags |= LB_STEP_NONFINITE;
  }
  return flags;
}

// At rest, nothing acts, but the body is bent.
static bool is_stuck(lbBody *body) {
  const lbSubspace *s = &body->common->subspace;
  const lbSubspaceWork *w = &body->instances->work;
  const lbEvaluated *e = &w->evaluated[body->lane];
  int32_t r = body->common->dimension;
  if (lb_body_is_constrained(body) || largest(r, w->f) > 0) return false;
  if (e->edition != s->edition || memcmp(e->q, w->q, (size_t)r * sizeof *w->q) != 0) return false;
  lb_subspace_mass_multiply(s, w->v, w->Ma);
  double kinetic = 0.5 * lb_subspace_dot(r, w->v, w->Ma);
  if (!(e->energy > 0 && kinetic <= STUCK_KINETIC * e->energy)) return false;
  lb_subspace_multiply(s, s->cubic.linear, w->q, w->G);
  return largest(r, e->R) <= STUCK_FORCE * largest(r, w->G);
}

static int32_t step_one(lbBody *body) {
  const bool consistent = lb_body_is_consistent(body);
  int32_t flags = LB_STEP_NONFINITE;
  gather(body);
  if (lb_body_is_constrained(body) && !lb_rows_prepare(body)) return LB_STEP_NONFINITE;
  for (int level = 0; level < LEVELS; level++) {
    flags = attempt(body, level, consistent);
    if (!(flags & (LB_STEP_NONFINITE | LB_STEP_FAR))) break;
  }
  if (flags & LB_STEP_NONFINITE) {
    lb_body_disturb(body);
    return flags & ~LB_STEP_FAR;
  }
  if (flags & LB_STEP_FAR) flags = (flags & ~LB_STEP_FAR) | LB_STEP_NOT_CONVERGED;
  scatter(body);
  if (lb_body_is_constrained(body)) lb_constraints_report(body, body->constraints->pulls);
  return is_stuck(body) ? flags | LB_STEP_STUCK : flags;
}

static int32_t advance(lbBodyCommon *common, lbInstances *instances) {
  int32_t flags = 0;
  (void)common;
  for (int32_t i = 0; i < instances->count; i++) flags |= step_one(instances->bodies[i]);
  return flags;
}

// ---- questions ---------------------------------------------------------------------------------

static void energy(const lbBody *body, double *kinetic, double *elastic) {
  const lbBodyCommon *common = body->common;
  const lbSubspace *s = &common->subspace;
  const lbSubspaceWork *w = &body->instances->work;
  const double *q = lb_body_coordinates(body), *v = lb_body_rates(body);
  lb_subspace_mass_multiply(s, v, w->Ma);
  *kinetic = 0.5 * lb_subspace_dot(common->dimension, v, w->Ma);
  *elastic = s->kernels->force(&s->cubic, q, w->G, w->cubic);
}

static void mobilise(const lbBodyCommon *common, double *impulses) {
  lb_subspace_mobilise(&common->subspace, impulses);
}

static void damping_changed(lbBodyCommon *common) {
  for (int32_t b = 0; b < common->block_count; b++)
    for (int32_t i = 0; i < common->blocks[b].count; i++)
      lb_body_disturb(common->blocks[b].bodies[i]);
}

static uint64_t identify(const lbBodyCommon *common, uint64_t hash) {
  const lbSubspace *s = &common->subspace;
  const int32_t choices[2] = { (int32_t)s->integrator, s->newton_iterations };
  size_t n = (size_t)s->stride, materials = 3 * (size_t)common->model->size.material_count;
  hash = lb_hash(hash, choices, sizeof choices);
  hash = lb_hash(hash, s->materials, materials * sizeof(double));
  return lb_hash(hash, s->cubic.linear, n * n * sizeof(double));
}

double lb_body_stable_step(const lbBody *body) {
  const lbSubspace *s = &body->common->subspace;
  bool central = body->common->method == &lb_subspace_method &&
                 s->integrator == LB_INTEGRATE_CENTRAL && s->stiffest > 0;
  return central ? 2 / sqrt(s->stiffest) : INFINITY;
}

const lbBodyMethod lb_subspace_method = { .method = LB_METHOD_SUBSPACE,
                                          .keeps_acceleration = true,
                                          .open = open_subspace,
                                          .place = lb_material_place,
                                          .place_instances = place_instances,
                                          .build = build,
                                          .prepare = prepare,
                                          .advance = advance,
                                          .advance_one = step_one,
                                          .energy = energy,
                                          .mobilise = mobilise,
                                          .damping_changed = damping_changed,
                                          .foresee = lb_subspace_foresee,
                                          .answer = lb_subspace_answer,
                                          .deliver = lb_subspace_deliver,
                                          .identify = identify };
