// Implicit steps of a subspace body: Newmark with beta = 1/4, gamma = 1/2 as in appendix C of
// Barbič & James 2005, and implicit Euler for what Newmark cannot cope with. Velocity and
// acceleration at the step's end are linear in the coordinates q there,
//
//   v = v_q (q - q0) + v_v v0,   a = a_q (q - q0) - a_v v0 - a_a a0,
//
// and Newton's method solves G = M a + C v + R(q) - f = 0, C = alpha M + beta K(q), from q = q0:
//
//   dG/dq = a_q M + v_q C + K + beta dK/dq v,
//
// the last term (the damping's own derivative) only from the second iteration on: v is none before.
//
// Springs act like forces held over the step, which Newmark's rule counts twice (half of it belongs
// to the acceleration at the step's start, and a is kept without it): then energy can only be lost.
// In Newmark's steps they get a damping of k h / 2, without which an infinitely stiff one would
// swing from step to step for ever.
#include "body/subspace_step.h"

#include <string.h>

#define LOOSE 0.1          // of the largest force: a residual above this is not a step
#define MORE_ITERATIONS 10 // to get below it
#define EULER_ITERATIONS 40
#define CREATED 0.02          // of the energy, in a step, is too much
#define TOLERANCE_LEAST 1e-13 // rounding
#define SHIFT_FIRST 1e-4      // of the largest diagonal entry
#define SHIFTS 40
#define SPRING_CAP 1e8 // of the largest diagonal entry
#define ROUNDING 1e-15 // of coordinates

typedef struct Scheme {
  double h, v_q, v_v, a_q, a_v, a_a;
  double spring_factor, spring_delay; // how often a spring counts; its damping is delay k
  double stiffest;                    // how much a residual may change with q, set by begin
} Scheme;

static Scheme make_scheme(double h, lbImplicit kind) {
  if (kind == LB_IMPLICIT_EULER) return (Scheme){ h, 1 / h, 0, 1 / (h * h), 1 / h, 0, 1, 0, 0 };
  return (Scheme){ h, 2 / h, -1, 4 / (h * h), 4 / h, 1, 2, h / 2, 0 };
}

static void set_rates(const lbBody *body, const Scheme *scheme) {
  const lbSubspaceWork *w = &body->instances->work;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    double moved = w->q[i] - w->q0[i];
    w->v[i] = scheme->v_q * moved + scheme->v_v * w->v0[i];
    w->a[i] = scheme->a_q * moved - scheme->a_v * w->v0[i] - scheme->a_a * w->a0[i];
  }
}

// ---- the residual ------------------------------------------------------------------------------

typedef struct Residual {
  double size;  // |G - hard constraints|
  double scale; // the largest of its terms
  double noise; // what rounding of q does to it
} Residual;

// w->G without the forces of hard constraints, w->pull with those of springs.
static Residual form_residual(lbBody *body, const Scheme *scheme, const lbEvaluated *e) {
  const lbBodyCommon *common = body->common;
  const lbSubspace *s = &common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  int32_t r = common->dimension;
  double alpha = common->damping_mass, beta = common->damping_stiffness, sums[6] = { 0 };
  lb_subspace_mass_multiply(s, w->a, w->Ma);
  memset(w->Cv, 0, (size_t)r * sizeof *w->Cv);
  if (beta != 0) lb_subspace_multiply(s, e->K, w->v, w->Cv);
  if (s->unit_mass) memcpy(w->d, w->v, (size_t)r * sizeof *w->d);
  if (!s->unit_mass && alpha != 0) lb_subspace_mass_multiply(s, w->v, w->d);
  memset(w->pull, 0, (size_t)r * sizeof *w->pull);
  if (lb_body_is_constrained(body))
    lb_springs_pull(body, scheme->spring_delay, w->q, w->v, scheme->spring_factor, w->pull);
  for (int32_t i = 0; i < r; i++) {
    w->Cv[i] = beta * w->Cv[i] + (alpha != 0 ? alpha * w->d[i] : 0);
    w->G[i] = w->Ma[i] + w->Cv[i] + e->R[i] - w->f[i] - w->pull[i];
  }
  if (lb_body_is_constrained(body)) lb_hard_pull(body, w->pull);
  for (int32_t i = 0; i < r; i++) {
    double f = w->f[i] + w->pull[i], left = w->Ma[i] + w->Cv[i] + e->R[i] - f;
    sums[0] += left * left, sums[1] += f * f, sums[2] += e->R[i] * e->R[i];
    sums[3] += w->Ma[i] * w->Ma[i], sums[4] += w->Cv[i] * w->Cv[i];
    sums[5] += w->q[i] * w->q[i];
  }
  double most = fmax(fmax(sums[1], sums[2]), fmax(sums[3], sums[4]));
  return (Residual){ sqrt(sums[0]), sqrt(most), ROUNDING * scheme->stiffest * sqrt(sums[5]) };
}

// ---- the matrix --------------------------------------------------------------------------------

// w->A <- dG/dq + shift M
static void form_matrix(lbBody *body, const Scheme *scheme, const lbEvaluated *e, bool damping_rate,
                        double shift) {
  const lbBodyCommon *common = body->common;
  const lbSubspace *s = &common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  size_t n = (size_t)s->stride, r = (size_t)common->dimension;
  double beta = common->damping_stiffness, stiff = 1 + scheme->v_q * beta;
  double heavy = scheme->a_q + scheme->v_q * common->damping_mass + shift;
  for (size_t i = 0; i < n * n; i++) w->A[i] = stiff * e->K[i];
  if (damping_rate)
    for (size_t i = 0; i < n * n; i++) w->A[i] += beta * w->rate[i];
  if (s->unit_mass)
    for (size_t i = 0; i < r; i++) w->A[i * n + i] += heavy;
  else
    for (size_t i = 0; i < n * n; i++) w->A[i] += heavy * s->mass[i];
  if (lb_body_is_constrained(body))
    lb_springs_stiffen(body, 1 + scheme->v_q * scheme->spring_delay, scheme->v_q,
                       scheme->spring_factor, w->A);
}

static double largest_diagonal(const lbBody *body, const double *A) {
  size_t n = (size_t)body->common->subspace.stride;
  double most = 0;
  for (size_t i = 0; i < (size_t)body->common->dimension; i++)
    most = fmax(most, fabs(A[i * n + i]));
  return most;
}

// w->A <- factors of a positive definite matrix; lbStepFlags.
static int32_t factor_matrix(lbBody *body, const Scheme *scheme, const lbEvaluated *e,
                             bool damping_rate) {
  const lbSubspace *s = &body->common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  int32_t r = body->common->dimension;
  double shift = 0;
  if (damping_rate) s->kernels->stiffness_rate(&s->cubic, w->q, w->v, w->rate, w->cubic);
  for (int i = 0; i < SHIFTS; i++) {
    form_matrix(body, scheme, e, damping_rate, shift);
    double most = largest_diagonal(body, w->A);
    if (!isfinite(most)) return LB_STEP_NONFINITE;
    if (s->ldlt->factor(r, w->A) && lb_ldlt_negative_count(r, w->A) == 0)
      return shift > 0 ? LB_STEP_SHIFTED : 0;
    shift = shift > 0 ? 4 * shift : SHIFT_FIRST * most;
  }
  return LB_STEP_NONFINITE;
}

// ---- Newton's method ---------------------------------------------------------------------------

// q <- q + d; lbStepFlags.
static int32_t correct(lbBody *body, const Scheme *scheme, const lbEvaluated *e, bool again) {
  const lbSubspace *s = &body->common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  int32_t r = body->common->dimension;
  int32_t flags = factor_matrix(body, scheme, e, again && body->common->damping_stiffness != 0);
  if (flags & LB_STEP_NONFINITE) return flags;
  for (int32_t i = 0; i < r; i++) w->d[i] = -w->G[i];
  s->ldlt->solve(r, w->A, w->d);
  if (lb_body_is_constrained(body)) {
    const lbHardRows rows = { w->q, w->v, w->a, scheme->v_q, scheme->a_q };
    if (!lb_hard_correct(body, w->A, &rows, w->d)) return LB_STEP_NONFINITE;
  }
  for (int32_t i = 0; i < r; i++) {
    w->q[i] += w->d[i];
    if (!lb_is_bounded(w->q[i])) return LB_STEP_NONFINITE;
  }
  set_rates(body, scheme);
  return flags;
}

// Springs that would drown the rest are weakened; the same in all iterations.
static double limit_springs(lbBody *body, const Scheme *scheme, double stiffest) {
  return lb_springs_limit(body, scheme->spring_factor * (1 + scheme->v_q * scheme->spring_delay),
                          scheme->spring_factor * scheme->v_q, SPRING_CAP * stiffest);
}

static void begin(lbBody *body, Scheme *scheme, const lbEvaluated *e) {
  const lbSubspace *s = &body->common->subspace;
  double heaviest = s->unit_mass ? 1 : largest_diagonal(body, s->mass);
  scheme->stiffest = scheme->a_q * heaviest + largest_diagonal(body, e->K);
  if (lb_body_is_constrained(body))
    scheme->stiffest += limit_springs(body, scheme, scheme->stiffest);
}

static int32_t iterate(lbBody *body, Scheme *scheme, int32_t wanted, int32_t most) {
  const lbSubspace *s = &body->common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  double tolerance = fmax(s->newton_tolerance, TOLERANCE_LEAST);
  int32_t flags = 0;
  const lbEvaluated *e = lb_subspace_evaluate(body, w->q);
  begin(body, scheme, e);
  for (int32_t i = 0;; i++) {
    Residual G = form_residual(body, scheme, e);
    if (!isfinite(G.size) || !isfinite(G.scale)) return flags | LB_STEP_NONFINITE;
    if (i > 0 && G.size <= tolerance * G.scale + G.noise) return flags;
    if (i >= wanted && G.size <= LOOSE * G.scale)
      return wanted > 1 ? flags | LB_STEP_NOT_CONVERGED : flags;
    if (i == most) return flags | LB_STEP_FAR;
    flags |= correct(body, scheme, e, i > 0);
    if (flags & LB_STEP_NONFINITE) return flags;
    e = lb_subspace_evaluate(body, w->q);
  }
}

// Accelerations without the springs; velocities and accelerations along hard constraints.
static void finish(lbBody *body, const Scheme *scheme, lbImplicit kind) {
  const lbSubspace *s = &body->common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  int32_t r = body->common->dimension;
  if (kind == LB_IMPLICIT_EULER) {
    lb_subspace_accelerate(body, lb_subspace_evaluate(body, w->q), w->v, w->a);
    return;
  }
  if (!lb_body_is_constrained(body)) return;
  memset(w->pull, 0, (size_t)r * sizeof *w->pull);
  lb_springs_pull(body, scheme->spring_delay, w->q, w->v, scheme->spring_factor, w->pull);
  lb_subspace_mobilise(s, w->pull);
  for (int32_t i = 0; i < r; i++) w->a[i] -= w->pull[i];
  lb_hard_project_velocity(body, w->q0, w->q, scheme->h, w->v);
  lb_hard_project_acceleration(body, w->a);
}

// Newmark's rule keeps the energy of linear bodies; of others it may create some,
// W - W0 - (q - q0) (R + R0) / 2, and what is created again and again blows up.
static bool creates_energy(lbBody *body, double energy0) {
  const lbSubspace *s = &body->common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  const lbEvaluated *e = lb_subspace_evaluate(body, w->q);
  int32_t r = body->common->dimension;
  double work = 0;
  for (int32_t i = 0; i < r; i++) work += 0.5 * (w->q[i] - w->q0[i]) * (w->R0[i] + e->R[i]);
  lb_subspace_mass_multiply(s, w->v, w->Ma);
  double kinetic = 0.5 * lb_subspace_dot(r, w->v, w->Ma);
  lb_subspace_mass_multiply(s, w->v0, w->Ma);
  kinetic = fmax(kinetic, 0.5 * lb_subspace_dot(r, w->v0, w->Ma));
  return e->energy - energy0 - work > CREATED * (kinetic + fmax(e->energy, energy0));
}

int32_t lb_subspace_implicit(lbBody *body, double h, lbImplicit kind) {
  const lbSubspace *s = &body->common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  Scheme scheme = make_scheme(h, kind);
  int32_t wanted = s->newton_iterations, most = wanted + MORE_ITERATIONS;
  if (kind == LB_IMPLICIT_EULER) most = wanted + EULER_ITERATIONS;
  memcpy(w->q, w->q0, (size_t)body->common->dimension * sizeof *w->q);
  set_rates(body, &scheme);
  if (lb_body_is_constrained(body))
    memset(body->constraints->pulls, 0,
           (size_t)body->constraints->column_count * sizeof *body->constraints->pulls);
  const lbEvaluated *e = lb_subspace_evaluate(body, w->q0);
  double energy0 = e->energy;
  memcpy(w->R0, e->R, (size_t)body->common->dimension * sizeof *w->R0);
  int32_t flags = iterate(body, &scheme, wanted, most);
  if (flags & LB_STEP_NONFINITE) return flags;
  if (kind == LB_IMPLICIT_NEWMARK && creates_energy(body, energy0)) flags |= LB_STEP_FAR;
  finish(body, &scheme, kind);
  return flags;
}
