// Implicit steps of a subspace body by Newton's method, over force, tangent and rate of the
// tangent. The velocity v and a mean or final acceleration a are linear in the coordinates q at the
// step's end,
//
//   v = v_q (q - q0) + v_v v0,   a = a_q (q - q0) - a_v v0 - a_a a0,
//
// and what is to vanish is G = M a + C u + R - f - w p, with p all forces that are held over the
// step and, C = alpha M + beta K:
//
//              a            u            R                           w
//   Newmark    at the end   v            R(q)                        2
//   Euler      at the end   v            R(q)                        1
//   conserving mean         (q - q0)/h   (R(q0) + 4 R(qm) + R(q))/6  1     qm = (q0 + q)/2
//
// Newmark (beta = 1/4, gamma = 1/2) is appendix C of Barbič & James 2005. Its rule takes the mean
// of the forces at both ends, so that a force which is held counts twice at one end; the
// acceleration that is kept for the next step is without it. Simpson's rule integrates the cubic
// force exactly, so the conserving rule changes the energy by the work of f and p alone, at any
// step. Newton's method starts from q = q0; the matrix is
//
//   dG/dq = a_q M + v_q C + K (+ beta dK/dt),
//
// the last term, the damping's own derivative, from the second iteration on.
//
// Newmark's rule keeps the energy of linear bodies. In a step of others it creates (or loses)
//   W - W0 - (q - q0)(R + R0)/2 + (q - q0) G/2,
// the second part because iterations end. The body keeps account of what was created and not yet
// taken by damping; a step that would bring it above a share of the energy is iterated further, and
// if that does not help, taken by the conserving rule.
#include "body/subspace.h"

#include <string.h>

#define LOOSE 0.1             // of the largest force: a residual above this is not a step
#define MORE_ITERATIONS 10    // to get below it
#define SURE_ITERATIONS 40    // of the rules that must not fail
#define SURE_TOLERANCE 1e-9   // of their residuals
#define TOLERANCE_LEAST 1e-13 // rounding
#define SHIFT_FIRST 1e-4      // of the largest diagonal entry
#define SHIFTS 40
#define ROUNDING 1e-15 // of coordinates
#define FAR_OUT 1e-6   // of what is absurd: beyond, energy is to be lost rather than kept

typedef enum Rule { NEWMARK, EULER, CONSERVING } Rule;

typedef struct Scheme {
  Rule rule;
  double h, v_q, v_v, a_q, a_v, a_a;
  double held; // w
  bool calm; // damped by the stiffness at rest, which never adds energy as an indefinite one would
} Scheme;

// A body that was dragged to absurd places is to come back, not to go on.
static bool is_far_out(const lbBody *body, const double *q) {
  double most = FAR_OUT * lb_subspace_of(body->prepared)->most;
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    if (fabs(q[i]) > most) return true;
  return false;
}

static Scheme scheme_of(const lbBody *body, const lbStep *step, const lbScratch *s) {
  double h = step->h;
  bool euler = body->integrator == LB_INTEGRATOR_EULER ||
               step->rule + 1 == body->prepared->method->rules ||
               (step->rule > 0 && is_far_out(body, s->q0));
  bool calm = step->rule > 0;
  if (euler) return (Scheme){ EULER, h, 1 / h, 0, 1 / (h * h), 1 / h, 0, 1, calm };
  if (calm) return (Scheme){ CONSERVING, h, 2 / h, -1, 2 / (h * h), 2 / h, 0, 1, calm };
  return (Scheme){ NEWMARK, h, 2 / h, -1, 4 / (h * h), 4 / h, 1, 2, calm };
}

static void set_rates(const lbBody *body, const Scheme *scheme, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    double moved = s->q[i] - s->q0[i];
    s->v[i] = scheme->v_q * moved + scheme->v_v * s->v0[i];
    w->a[i] = scheme->a_q * moved - scheme->a_v * s->v0[i] - scheme->a_a * w->a0[i];
  }
}

// ---- forces of the present q -------------------------------------------------------------------

// What the residual and the matrix are made of.
typedef struct Forces {
  const lbEvaluated *end; // at q
  const double *R;        // that of the scheme
  const double *K;        // that damping counts with
} Forces;

// What the last evaluation gave.
static Forces forces_of(const lbBody *body, const Scheme *scheme, const lbSubspaceWork *w) {
  const lbEvaluated *e = &((const lbSubspaceState *)body->own)->evaluated;
  return (Forces){ e, scheme->rule == CONSERVING ? w->middle_R : e->R,
                   scheme->calm ? lb_subspace_of(body->prepared)->rest_stiffness : e->K };
}

static Forces evaluate(lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  const lbEvaluated *e = lb_subspace_evaluate(body, s->q, s);
  if (scheme->rule != CONSERVING) return forces_of(body, scheme, w);
  for (int32_t i = 0; i < own->count; i++) w->d[i] = 0.5 * (s->q0[i] + s->q[i]);
  own->forces->evaluate(own->force_data, w->d, w->middle_R, w->middle_K, w->forces);
  for (int32_t i = 0; i < own->count; i++)
    w->middle_R[i] = (w->R0[i] + 4 * w->middle_R[i] + e->R[i]) / 6;
  return forces_of(body, scheme, w);
}

// ---- the residual ------------------------------------------------------------------------------

typedef struct Residual {
  double size;  // |G|
  double scale; // the largest of its terms
  double noise; // what rounding of q does to it
  double work;  // G (q - q0)
} Residual;

// The velocity that damping counts with.
static double damped_rate(const Scheme *scheme, const lbScratch *s, int32_t i) {
  return scheme->rule == CONSERVING ? (s->q[i] - s->q0[i]) / scheme->h : s->v[i];
}

// Cv <- (alpha M + beta K) v
static void damp(const lbBody *body, const double *K, const double *v, double *Cv, double *Mv) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  double alpha = body->damping_mass, beta = body->damping_stiffness;
  int32_t r = own->count;
  memset(Cv, 0, (size_t)r * sizeof *Cv);
  if (beta != 0) lb_subspace_multiply(own, K, v, Cv);
  if (alpha != 0) lb_subspace_mass_multiply(own, v, Mv);
  for (int32_t i = 0; i < r; i++) Cv[i] = beta * Cv[i] + (alpha != 0 ? alpha * Mv[i] : 0);
}

// w->G <- without the forces of constraints (scratch->pull); the rest counts them.
static Residual form_residual(const lbBody *body, const Scheme *scheme, const Forces *forces,
                              lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  int32_t r = own->count;
  double sums[7] = { 0 };
  lb_subspace_mass_multiply(own, w->a, w->Ma);
  for (int32_t i = 0; i < r; i++) w->G[i] = damped_rate(scheme, s, i);
  damp(body, forces->K, w->G, w->Cv, w->d);
  for (int32_t i = 0; i < r; i++) {
    double inside = w->Ma[i] + w->Cv[i] + forces->R[i],
           known = s->force[i] + scheme->held * s->held[i];
    double f = known + scheme->held * s->pull[i], left = inside - f;
    w->G[i] = inside - known;
    sums[0] += left * left, sums[1] += f * f, sums[2] += forces->R[i] * forces->R[i];
    sums[3] += w->Ma[i] * w->Ma[i], sums[4] += w->Cv[i] * w->Cv[i];
    sums[5] += s->q[i] * s->q[i], sums[6] += left * (s->q[i] - s->q0[i]);
  }
  double most = fmax(fmax(sums[1], sums[2]), fmax(sums[3], sums[4]));
  return (Residual){ sqrt(sums[0]), sqrt(most), ROUNDING * w->stiffest * sqrt(sums[5]), sums[6] };
}

// ---- the matrix --------------------------------------------------------------------------------

// w->A <- dG/dq + shift M
static void form_matrix(const lbBody *body, const Scheme *scheme, const Forces *forces,
                        bool damping_rate, double shift, lbSubspaceWork *w) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  size_t n = (size_t)own->stride, r = (size_t)own->count;
  const double *end = forces->end->K;
  double beta = body->damping_stiffness, damped = scheme->v_q;
  if (scheme->rule == CONSERVING) {
    damped = 1 / scheme->h;
    for (size_t i = 0; i < n * n; i++)
      w->A[i] = beta * damped * forces->K[i] + w->middle_K[i] / 3 + end[i] / 6;
  } else if (scheme->calm) {
    for (size_t i = 0; i < n * n; i++) w->A[i] = beta * damped * forces->K[i] + end[i];
  } else {
    double stiff = 1 + damped * beta;
    for (size_t i = 0; i < n * n; i++) w->A[i] = stiff * end[i];
    if (damping_rate)
      for (size_t i = 0; i < n * n; i++) w->A[i] += beta * w->rate[i];
  }
  double heavy = scheme->a_q + damped * body->damping_mass + shift;
  if (!own->mass)
    for (size_t i = 0; i < r; i++) w->A[i * n + i] += heavy;
  else
    for (size_t i = 0; i < n * n; i++) w->A[i] += heavy * own->mass[i];
}

static double largest_diagonal(const lbSubspace *own, const double *A) {
  size_t n = (size_t)own->stride;
  double most = 0;
  for (size_t i = 0; i < (size_t)own->count; i++) most = fmax(most, fabs(A[i * n + i]));
  return most;
}

// w->A <- factors of a positive definite matrix; lbStepFlags.
static int32_t factor_matrix(const lbBody *body, const Scheme *scheme, const Forces *forces,
                             bool damping_rate, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  double shift = 0;
  if (damping_rate) own->forces->tangent_rate(own->force_data, s->q, s->v, w->rate, w->forces);
  for (int i = 0; i < SHIFTS; i++) {
    form_matrix(body, scheme, forces, damping_rate, shift, w);
    double most = largest_diagonal(own, w->A);
    if (!isfinite(most)) return LB_STEP_NONFINITE;
    if (own->ldlt->factor(own->count, w->A) && lb_ldlt_negative_count(own->count, w->A) == 0)
      return shift > 0 ? LB_STEP_SHIFTED : 0;
    shift = shift > 0 ? 4 * shift : SHIFT_FIRST * most;
  }
  return LB_STEP_NONFINITE;
}

// ---- one iteration -----------------------------------------------------------------------------

static void start(lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  size_t bytes = (size_t)body->prepared->padded * sizeof(double);
  const lbEvaluated *e = lb_subspace_evaluate(body, s->q0, s);
  memcpy(s->q, s->q0, bytes);
  memcpy(w->R0, e->R, (size_t)own->count * sizeof(double));
  w->energy0 = e->energy;
  damp(body, e->K, s->v0, w->Cv0, w->d);
  double heaviest = own->mass ? largest_diagonal(own, own->mass) : 1;
  w->stiffest = scheme->a_q * heaviest + largest_diagonal(own, e->K);
  set_rates(body, scheme, s);
}

int32_t lb_newton_begin(lbBody *body, lbStep *step, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  Scheme scheme = scheme_of(body, step, s);
  bool again = step->iteration > 0;
  Forces forces = forces_of(body, &scheme, w);
  if (!again) {
    start(body, &scheme, s);
    forces = evaluate(body, &scheme, s);
    form_residual(body, &scheme, &forces, s);
  }
  bool damping_rate = again && body->damping_stiffness != 0 && !scheme.calm;
  int32_t flags = factor_matrix(body, &scheme, &forces, damping_rate, s);
  if (flags & LB_STEP_NONFINITE) return flags;
  for (int32_t i = 0; i < own->count; i++) w->d[i] = -w->G[i];
  own->ldlt->solve(own->count, w->A, w->d);
  for (int32_t i = 0; i < own->count; i++) s->q[i] += w->d[i];
  return flags;
}

void lb_newton_respond(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                       double *moved) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbSubspaceWork *w = s->own;
  double held = scheme_of(body, step, s).held;
  memset(moved, 0, (size_t)body->prepared->padded * sizeof *moved);
  for (int32_t i = 0; i < own->count; i++) moved[i] = held * force[i];
  own->ldlt->solve(own->count, w->A, moved);
}

// ---- when to stop ------------------------------------------------------------------------------

static double kinetic(const lbSubspace *own, const double *v, double *Mv) {
  lb_subspace_mass_multiply(own, v, Mv);
  return 0.5 * lb_row_dot(own->count, v, Mv);
}

// Whether the account of created energy stays in its bounds; w->created <- what it comes to.
static bool keep_account(const lbBody *body, const Scheme *scheme, const Forces *forces,
                         const Residual *G, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  double mean = 0, damped = 0, created = 0;
  if (scheme->rule == NEWMARK) {
    for (int32_t i = 0; i < own->count; i++) {
      double moved = s->q[i] - s->q0[i];
      mean += 0.5 * moved * (w->R0[i] + forces->R[i]);
      damped += 0.5 * moved * (w->Cv0[i] + w->Cv[i]);
    }
    created = forces->end->energy - w->energy0 - mean + 0.5 * G->work - damped;
  }
  double now = kinetic(own, s->v, w->Ma);
  return lb_subspace_account(body, created, now + fmax(forces->end->energy, w->energy0), s);
}

// Whether the iterations have come to an end; lbStepFlags.
static int32_t judge(const lbBody *body, const lbStep *step, const Scheme *scheme,
                     const Forces *forces, const Residual *G, lbScratch *s) {
  bool asked = step->rule == 0;
  int32_t done = step->iteration + 1, wanted = body->newton_iterations;
  int32_t most =
      asked && scheme->rule == NEWMARK ? wanted + MORE_ITERATIONS : wanted + SURE_ITERATIONS;
  double tolerance = fmax(body->newton_tolerance, TOLERANCE_LEAST);
  if (!asked) tolerance = fmax(tolerance, SURE_TOLERANCE);
  bool solved = G->size <= tolerance * G->scale + G->noise;
  bool near = G->size <= LOOSE * G->scale;
  bool keeps = keep_account(body, scheme, forces, G, s);
  if (solved) return keeps ? 0 : LB_STEP_FAR;
  if (asked && done >= wanted && near && keeps) return wanted > 1 ? LB_STEP_NOT_CONVERGED : 0;
  return done >= most ? LB_STEP_FAR : LB_STEP_AGAIN;
}

// The acceleration that the next step begins with: Newmark's without what was held.
static void keep_acceleration(lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  if (scheme->rule != NEWMARK) {
    lb_subspace_accelerate(body, lb_subspace_evaluate(body, s->q, s), s->force, s->v, w->a, s);
    return;
  }
  bool any = false;
  for (int32_t i = 0; i < own->count; i++) {
    w->d[i] = scheme->held * (s->held[i] + s->pull[i]);
    any |= w->d[i] != 0;
  }
  if (!any) return;
  lb_subspace_mobilise(own, w->d);
  for (int32_t i = 0; i < own->count; i++) w->a[i] -= w->d[i];
}

int32_t lb_newton_end(lbBody *body, const lbStep *step, lbScratch *s) {
  Scheme scheme = scheme_of(body, step, s);
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    if (!lb_is_bounded(s->q[i])) return LB_STEP_NONFINITE;
  set_rates(body, &scheme, s);
  Forces forces = evaluate(body, &scheme, s);
  Residual G = form_residual(body, &scheme, &forces, s);
  if (!isfinite(G.size) || !isfinite(G.scale)) return LB_STEP_NONFINITE;
  int32_t flags = judge(body, step, &scheme, &forces, &G, s);
  if (!(flags & LB_STEP_AGAIN)) keep_acceleration(body, &scheme, s);
  return flags;
}
