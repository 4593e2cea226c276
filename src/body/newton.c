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
// step; for other laws what is missing is added along the way, R + c (q - q0) with c such that
// R (q - q0) = W - W0, a discrete gradient. Newton's method starts from q = q0; the matrix is
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
//
// Laws with a barrier have an infinite energy where an element is inside out. An iteration that
// would come there is shortened: it goes half as far, again and again, and is followed by another
// one; a rule that keeps coming there gives the step up. A body that was put there from outside
// may move through such places. Euler's rule as the last one has a potential, whose gradient is G:
// iterations of such laws that would raise it are shortened too, unless constraints say where to
// go, so that a step always gets somewhere.
#include "body/constraints.h"
#include "body/subspace.h"

#include <string.h>

#define LOOSE 0.1             // of the largest force: a residual above this is not a step
#define MORE_ITERATIONS 10    // to get below it
#define SURE_ITERATIONS 40    // of the rules that must not fail
#define SURE_TOLERANCE 1e-9   // of their residuals
#define TOLERANCE_LEAST 1e-13 // rounding
#define SHIFT_FIRST 1e-4      // of the largest diagonal entry
#define SHIFTS 40
#define ROUNDING 1e-15        // of coordinates
#define FAR_OUT 1e-6          // of what is absurd: beyond, energy is to be lost rather than kept
#define HALVINGS 60           // of an iteration
#define OUTSIDE_MOST 8        // iterations of a step that leave the law
#define DOWNHILL 1e-13        // of the energies: rounding of a potential
#define SECANT_TOLERANCE 1e-3 // where one linear solve a step is asked for
#define DIVERGED 10           // times the least residual
#define EASY 2                // iterations that any matrix may need
#define SPENT_MOST 10         // further ones, until another matrix costs less

typedef enum Rule { NEWMARK, EULER, CONSERVING } Rule;

// What solves a step: Broyden's method with a matrix of a former place, with that of this one,
// Newton's method.
enum { KEPT_MATRIX, NEW_MATRIX, NEWTON };

typedef struct Scheme {
  Rule rule;
  double h;
  lbNewtonScheme c;
  bool calm; // damped by the stiffness at rest, which never adds energy as an indefinite one would
  bool secant; // by Broyden's method
} Scheme;

// A body that was dragged to absurd places is to come back, not to go on.
static bool is_far_out(const lbBody *body, const double *q) {
  double most = FAR_OUT * lb_subspace_of(body->prepared)->most;
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    if (fabs(q[i]) > most) return true;
  return false;
}

lbNewtonScheme lb_newmark_scheme(double h) {
  return (lbNewtonScheme){ 2 / h, -1, 2 / h, -1, 4 / (h * h), 4 / h, 1, 2 };
}

static Scheme scheme_of(const lbBody *body, const lbStep *step, const lbScratch *s) {
  double h = step->h;
  bool euler = body->integrator == LB_INTEGRATOR_EULER ||
               step->rule + 1 == body->prepared->method->rules ||
               (step->rule > 0 && is_far_out(body, s->q0));
  bool calm = step->rule > 0;
  bool secant = !calm && lb_subspace_of(body->prepared)->forces->along &&
                ((const lbSubspaceWork *)s->own)->attempt != NEWTON;
  if (euler)
    return (Scheme){ EULER, h, { 1 / h, 0, 1 / h, 0, 1 / (h * h), 1 / h, 0, 1 }, calm, secant };
  if (calm)
    return (
        Scheme){ CONSERVING, h, { 2 / h, -1, 1 / h, 0, 2 / (h * h), 2 / h, 0, 1 }, calm, false };
  return (Scheme){ NEWMARK, h, lb_newmark_scheme(h), calm, secant };
}

// ---- forces of the present q -------------------------------------------------------------------

// What the residual and the matrix are made of.
typedef struct Forces {
  const lbEvaluated *end; // at q
  const double *R;        // that of the scheme
  const double *K;        // that damping counts with; NULL: K u is in w->Ku
} Forces;

// What the last evaluation gave.
static Forces forces_of(const lbBody *body, const Scheme *scheme, const lbSubspaceWork *w) {
  const lbEvaluated *e = &((const lbSubspaceState *)body->own)->evaluated;
  return (Forces){ e, scheme->rule == CONSERVING ? w->middle_R : e->R,
                   scheme->secant ? NULL
                   : scheme->calm ? lb_subspace_of(body->prepared)->rest_stiffness
                                  : e->K };
}

// w->middle_R <- with what its work lacks to the difference of the energies.
static void complete_work(const lbSubspace *own, double difference, const lbScratch *s) {
  const lbSubspaceWork *w = s->own;
  double way = 0;
  for (int32_t i = 0; i < own->count; i++) {
    w->d[i] = s->q[i] - s->q0[i];
    way += w->d[i] * w->d[i];
  }
  double factor = (difference - lb_row_dot(own->count, w->middle_R, w->d)) / way;
  for (int32_t i = 0; i < own->count && isfinite(factor); i++) w->middle_R[i] += factor * w->d[i];
}

// Forces at q, without a tangent; w->Ku <- K u where that is damped.
static const lbEvaluated *evaluate_along(lbBody *body, const double *q, const double *u,
                                         lbScratch *s) {
  lbSubspaceWork *w = s->own;
  return body->damping_stiffness != 0 ? lb_subspace_along(body, q, u, w->Ku, s)
                                      : lb_subspace_force(body, q, s);
}

// At s->q, with u of there.
static Forces evaluate(lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  if (scheme->secant) {
    evaluate_along(body, s->q, w->u, s);
    return forces_of(body, scheme, w);
  }
  const lbEvaluated *e = lb_subspace_evaluate(body, s->q, s);
  if (scheme->rule != CONSERVING) return forces_of(body, scheme, w);
  for (int32_t i = 0; i < own->count; i++) w->d[i] = 0.5 * (s->q0[i] + s->q[i]);
  own->forces->evaluate(own->force_data, w->d, w->middle_R, w->middle_K, w->forces);
  for (int32_t i = 0; i < own->count; i++)
    w->middle_R[i] = (w->R0[i] + 4 * w->middle_R[i] + e->R[i]) / 6;
  if (!own->forces->is_cubic) complete_work(own, e->energy - w->energy0, s);
  return forces_of(body, scheme, w);
}

// ---- the residual ------------------------------------------------------------------------------

typedef struct Residual {
  double size;  // |G|
  double scale; // the largest of its terms
  double noise; // what rounding of q does to it
} Residual;

static lbNewtonNumbers numbers_of(const lbBody *body, const double *R, const lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbSubspaceWork *w = s->own;
  bool heavy = own->mass;
  return (lbNewtonNumbers){
    .count = own->count,
    .q0 = s->q0,
    .v0 = s->v0,
    .a0 = w->a0,
    .force = s->force,
    .held = s->held,
    .pull = s->pull,
    .R = R,
    .R0 = w->R0,
    .Mu = heavy ? w->Mu : w->u,
    .Mv = heavy ? w->Mv : s->v,
    .Ma = heavy ? w->Ma : w->a,
    .alpha = &body->damping_mass,
    .beta = &body->damping_stiffness,
    .q = s->q,
    .v = s->v,
    .u = w->u,
    .a = w->a,
    .Ku = w->Ku,
    .Cu = w->Cu,
    .Cu0 = w->Cu0,
    .G = w->G,
    .d = w->d,
  };
}

// C <- (alpha M + beta K) u
static void damp(const lbBody *body, const lbNewtonNumbers *x, const double *K, const double *u,
                 const double *Mu, double *C) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  if (body->damping_stiffness == 0)
    memset(x->Ku, 0, (size_t)own->stride * sizeof(double));
  else if (K)
    own->newton->alone.multiply(own->count, K, u, x->Ku);
  own->newton->alone.damp(x, x->Ku, Mu, C);
}

// Rates, and products with the mass.
static void find_rates(const lbBody *body, const Scheme *scheme, const lbNewtonNumbers *x,
                       const lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbSubspaceWork *w = s->own;
  own->newton->alone.rates(&scheme->c, x);
  if (!own->mass) return;
  lb_subspace_mass_multiply(own, x->u, w->Mu);
  lb_subspace_mass_multiply(own, x->v, w->Mv);
  lb_subspace_mass_multiply(own, x->a, w->Ma);
}

static Residual residual_of(const double *figures, double stiffest) {
  double most = fmax(fmax(figures[LB_SUM_FORCE], figures[LB_SUM_ELASTIC]),
                     fmax(figures[LB_SUM_INERTIA], figures[LB_SUM_DAMPING]));
  return (Residual){ sqrt(figures[LB_SUM_LEFT]), sqrt(most),
                     ROUNDING * stiffest * sqrt(figures[LB_SUM_PLACE]) };
}

// ---- the matrix --------------------------------------------------------------------------------

// w->A <- dG/dq + shift M
static void form_matrix(const lbBody *body, const Scheme *scheme, const Forces *forces,
                        bool damping_rate, double shift, lbSubspaceWork *w) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbNewtonKernels *kernels = own->newton;
  size_t n = (size_t)own->stride;
  double beta = body->damping_stiffness, u_q = scheme->c.u_q;
  double heavy = scheme->c.a_q + u_q * body->damping_mass + shift;
  double stiff = scheme->calm ? u_q * beta : 1 + u_q * beta;
  kernels->matrix(own->count, stiff, own->mass ? 0 : heavy, forces->K, w->A);
  if (own->mass) kernels->add_matrix(n * n, heavy, own->mass, w->A);
  if (scheme->rule == CONSERVING) {
    kernels->add_matrix(n * n, 1.0 / 3, w->middle_K, w->A);
    kernels->add_matrix(n * n, 1.0 / 6, forces->end->K, w->A);
  } else if (scheme->calm)
    kernels->add_matrix(n * n, 1, forces->end->K, w->A);
  else if (damping_rate)
    kernels->add_matrix(n * n, beta, w->rate, w->A);
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
  const lbEvaluated *e =
      scheme->secant ? evaluate_along(body, s->q0, s->v0, s) : lb_subspace_evaluate(body, s->q0, s);
  memcpy(s->q, s->q0, (size_t)body->prepared->padded * sizeof(double));
  memcpy(w->R0, e->R, (size_t)own->count * sizeof(double));
  w->energy0 = e->energy;
  w->outside = 0;
  w->potential = 0;
  double heaviest = own->mass ? largest_diagonal(own, own->mass) : 1;
  w->stiffest =
      scheme->c.a_q * heaviest + largest_diagonal(own, scheme->secant ? own->rest_stiffness : e->K);
}

// The residual where nothing has moved: its damping is u_v times that of v0.
static void begin_residual(const lbBody *body, const Scheme *scheme, const Forces *forces,
                           lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbSubspaceWork *w = s->own;
  const lbNewtonNumbers x = numbers_of(body, forces->R, s);
  const double *Mv0 = s->v0;
  if (own->mass) {
    lb_subspace_mass_multiply(own, s->v0, w->Mv);
    Mv0 = w->Mv;
  }
  damp(body, &x, scheme->secant ? NULL : forces->end->K, s->v0, Mv0, w->Cu0);
  own->newton->alone.scale(own->count, scheme->c.u_v, w->Cu0, w->Cu);
  find_rates(body, scheme, &x, s);
  own->newton->alone.residual(&scheme->c, &x);
}

// The matrix that Broyden's iterations start from: that of the place `kept->q`, factored once for a
// step's length, damping and material.
static int32_t find_matrix(lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  lbStepMatrix *kept = &((lbSubspaceState *)body->own)->matrix;
  double numbers[] = { scheme->c.a_q, scheme->c.u_q, body->damping_mass, body->damping_stiffness };
  size_t n = (size_t)own->stride;
  w->factors = kept->factors;
  w->secants.count = 0;
  if (kept->version == body->prepared->version && !memcmp(numbers, kept->of, sizeof numbers))
    return 0;
  own->forces->evaluate(own->force_data, kept->q, w->d, w->middle_K, w->forces);
  const Forces there = { .K = w->middle_K };
  int32_t flags = factor_matrix(body, scheme, &there, false, s);
  if (flags & LB_STEP_NONFINITE) return flags;
  memcpy(kept->factors, w->A, n * n * sizeof(double));
  memcpy(kept->of, numbers, sizeof numbers);
  kept->version = body->prepared->version;
  return 0;
}

// The same at another place, from now on.
static int32_t move_matrix(lbBody *body, const Scheme *scheme, const double *q, lbScratch *s) {
  lbStepMatrix *kept = &((lbSubspaceState *)body->own)->matrix;
  memcpy(kept->q, q, (size_t)body->prepared->dimension * sizeof *q);
  kept->version = 0;
  kept->spent = 0;
  return find_matrix(body, scheme, s);
}

// What is inside the residual: G and the known forces.
static void find_inside(const Scheme *scheme, const lbBody *body, lbScratch *s, double *inside) {
  const lbSubspaceWork *w = s->own;
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    inside[i] = w->G[i] + s->force[i] + scheme->c.held * s->held[i];
}

// s->q <- q - H (G - w p) - A^-1 w p with the forces p of constraints so far, which are found anew
// next and moved by A^-1, so that constraints hold whatever H is.
static void move_by_secants(const lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  int32_t r = own->count, padded = body->prepared->padded;
  bool pulled = lb_body_is_constrained(body) && w->secants.count > 0;
  for (int32_t i = 0; i < r; i++)
    w->d[i] = pulled ? scheme->c.held * s->pull[i] - w->G[i] : -w->G[i];
  lb_broyden_apply(own->ldlt, r, padded, w->factors, &w->secants, w->d);
  own->newton->alone.add(r, w->d, s->q);
  if (!pulled) return;
  for (int32_t i = 0; i < r; i++) w->d[i] = -scheme->c.held * s->pull[i];
  own->ldlt->solve(r, w->factors, w->d);
  own->newton->alone.add(r, w->d, s->q);
}

static void move_by_newton(const lbSubspace *own, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  own->newton->alone.negate(own->count, w->G, w->d);
  own->ldlt->solve(own->count, w->A, w->d);
  own->newton->alone.add(own->count, w->d, s->q);
}

// A new attempt starts with no secants, and with a matrix of this place where the kept one has cost
// too many iterations.
static int32_t begin_secants(lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspaceWork *w = s->own;
  const lbStepMatrix *kept = &((lbSubspaceState *)body->own)->matrix;
  bool old = w->attempt == NEW_MATRIX || kept->spent >= SPENT_MOST;
  return old ? move_matrix(body, scheme, s->q, s) : find_matrix(body, scheme, s);
}

// From where the step begins.
static Forces begin_step(lbBody *body, const Scheme *scheme, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  start(body, scheme, s);
  Forces forces = scheme->secant ? forces_of(body, scheme, w) : evaluate(body, scheme, s);
  begin_residual(body, scheme, &forces, s);
  for (int32_t i = 0; i < body->prepared->dimension; i++) w->linear0[i] = w->G[i] - forces.R[i];
  if (scheme->secant) find_inside(scheme, body, s, w->inside);
  return forces;
}

int32_t lb_newton_begin(lbBody *body, lbStep *step, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  bool again = step->iteration > 0;
  if (!again) w->attempt = KEPT_MATRIX, w->starts_anew = false, w->attempt_from = 0;
  Scheme scheme = scheme_of(body, step, s);
  Forces forces = forces_of(body, &scheme, w);
  if (!again || w->starts_anew)
    forces = begin_step(body, &scheme, s);
  else if (!scheme.secant && forces.end->force_only)
    forces = evaluate(body, &scheme, s);
  w->starts_anew = false;
  memcpy(w->before, s->q, (size_t)body->prepared->dimension * sizeof(double));
  int32_t flags = 0;
  if (scheme.secant) {
    if (step->iteration == w->attempt_from) flags = begin_secants(body, &scheme, s);
    if (!(flags & LB_STEP_NONFINITE)) move_by_secants(body, &scheme, s);
    return flags;
  }
  bool damping_rate = again && body->damping_stiffness != 0 && !scheme.calm;
  flags = factor_matrix(body, &scheme, &forces, damping_rate, s);
  w->factors = w->A;
  if (!(flags & LB_STEP_NONFINITE)) move_by_newton(lb_subspace_of(body->prepared), s);
  return flags;
}

void lb_newton_respond(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                       double *moved) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbSubspaceWork *w = s->own;
  double held = scheme_of(body, step, s).c.held;
  memset(moved, 0, (size_t)body->prepared->padded * sizeof *moved);
  for (int32_t i = 0; i < own->count; i++) moved[i] = held * force[i];
  own->ldlt->solve(own->count, w->factors, moved);
}

// ---- when to stop ------------------------------------------------------------------------------

// Whether the account of created energy stays in its bounds; *account <- what it comes to.
static bool keep_account(const lbBody *body, Rule rule, const lbNewtonStart *start, double energy,
                         const double *figures, double *account) {
  double created = 0;
  if (rule == NEWMARK)
    created = energy - start->energy - figures[LB_SUM_MEAN] + 0.5 * figures[LB_SUM_WORK] -
              figures[LB_SUM_DAMPED];
  double level = figures[LB_SUM_KINETIC] + fmax(energy, start->energy);
  return lb_subspace_account(body, created, level, account);
}

// Whether the iterations have come to an end; lbStepFlags.
static int32_t judge(const lbBody *body, int32_t rule, int32_t iteration, Rule scheme,
                     const Residual *G, bool keeps) {
  bool asked = rule == 0;
  int32_t done = iteration + 1, wanted = body->newton_iterations;
  int32_t most = asked && scheme == NEWMARK ? wanted + MORE_ITERATIONS : wanted + SURE_ITERATIONS;
  double tolerance = fmax(body->newton_tolerance, TOLERANCE_LEAST);
  if (!asked) tolerance = fmax(tolerance, SURE_TOLERANCE);
  bool solved = G->size <= tolerance * G->scale + G->noise;
  bool near = G->size <= LOOSE * G->scale;
  if (solved) return keeps ? 0 : LB_STEP_FAR;
  if (asked && done >= wanted && near && keeps) return wanted > 1 ? LB_STEP_NOT_CONVERGED : 0;
  return done >= most ? LB_STEP_FAR : LB_STEP_AGAIN;
}

// LB_STEP_NONFINITE where a step that is done came to an absurd place.
static int32_t check_sanity(const lbBody *body, const double *figures, int32_t flags) {
  bool sane = lb_subspace_is_sane(body->prepared, figures[LB_MOST_Q], figures[LB_MOST_Q0],
                                  figures[LB_MOST_V], figures[LB_MOST_A]);
  return sane || (flags & LB_STEP_AGAIN) ? 0 : LB_STEP_NONFINITE;
}

// The same for Broyden's method: one iteration of it says less than one of Newton's, so the
// residual counts and not how many there were. Where it goes on too slowly there is a new matrix,
// and then Newton's method.
static int32_t judge_secants(const lbBody *body, int32_t iteration, const Residual *G, bool keeps,
                             lbSubspaceWork *w) {
  static const int32_t tries[] = { [KEPT_MATRIX] = 8, [NEW_MATRIX] = LB_SECANTS };
  double tight = fmax(body->newton_tolerance, TOLERANCE_LEAST);
  double enough = body->newton_iterations > 1 ? tight : fmax(tight, SECANT_TOLERANCE);
  if (G->size <= enough * G->scale + G->noise && keeps) return 0;
  if (G->size <= tight * G->scale + G->noise) return LB_STEP_FAR;
  double relative = G->size / G->scale;
  w->starts_anew = !(relative <= DIVERGED * w->least);
  w->least = fmin(w->least, relative);
  if (w->starts_anew || iteration + 1 - w->attempt_from >= tries[w->attempt]) {
    w->attempt++;
    w->attempt_from = iteration + 1;
    w->least = INFINITY;
  }
  return LB_STEP_AGAIN;
}

static int32_t judge_end(const lbBody *body, int32_t rule, int32_t iteration, Rule scheme,
                         const lbNewtonStart *start, double energy, const double *figures,
                         double *created) {
  Residual G = residual_of(figures, start->stiffest);
  if (!isfinite(G.size) || !isfinite(G.scale)) return LB_STEP_NONFINITE;
  bool keeps = keep_account(body, scheme, start, energy, figures, created);
  int32_t flags = judge(body, rule, iteration, scheme, &G, keeps);
  return flags | check_sanity(body, figures, flags);
}

int32_t lb_newmark_judge(const lbBody *body, const lbNewtonStart *start, double energy,
                         const double *figures, double *created) {
  return judge_end(body, 0, 0, NEWMARK, start, energy, figures, created);
}

// The acceleration that the next step begins with: Newmark's without what was held. lbStepFlags.
static int32_t keep_acceleration(lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  if (scheme->rule != NEWMARK) {
    lb_subspace_accelerate(body, s->q, s->force, s->v, w->a, s);
    for (int32_t i = 0; i < own->count; i++)
      if (!lb_is_bounded(w->a[i])) return LB_STEP_NONFINITE;
    return 0;
  }
  bool any = false;
  for (int32_t i = 0; i < own->count; i++) {
    w->d[i] = scheme->c.held * (s->held[i] + s->pull[i]);
    any |= w->d[i] != 0;
  }
  if (!any) return 0;
  lb_subspace_mobilise(own, w->d);
  for (int32_t i = 0; i < own->count; i++) w->a[i] -= w->d[i];
  return 0;
}

// ---- iterations that go too far ----------------------------------------------------------------

// Whether elements may not be inside out: they were not before the step.
static bool is_inside(const lbBody *body, const lbSubspaceWork *w) {
  return !lb_subspace_of(body->prepared)->forces->is_cubic && isfinite(w->energy0);
}

static bool goes_downhill(const lbBody *body, const Scheme *scheme, const lbSubspaceWork *w) {
  return scheme->rule == EULER && scheme->calm && is_inside(body, w) &&
         !lb_body_is_constrained(body);
}

// Of the step at s->q, less that at its start: W - W0 and the integral of the other terms of G,
// which are linear.
static double potential(lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  const lbEvaluated *e = lb_subspace_force(body, s->q, s);
  const lbNewtonNumbers x = numbers_of(body, e->R, s);
  double sum = e->energy - w->energy0;
  find_rates(body, scheme, &x, s);
  damp(body, &x, own->rest_stiffness, x.u, x.Mu, x.Cu);
  own->newton->alone.residual(&scheme->c, &x);
  for (int32_t i = 0; i < own->count; i++)
    sum += 0.5 * (w->linear0[i] + x.G[i] - e->R[i]) * (s->q[i] - s->q0[i]);
  return sum;
}

// Brings s->q back towards where the iteration came from; lbStepFlags.
static int32_t shorten(lbBody *body, const Scheme *scheme, bool downhill, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  bool outside = false;
  for (int i = 0; i < HALVINGS; i++) {
    double energy = lb_subspace_force(body, s->q, s)->energy;
    double now = downhill ? potential(body, scheme, s) : 0;
    double rounding =
        DOWNHILL * (energy + w->energy0) + lb_subspace_of(body->prepared)->energy_noise;
    if (isfinite(energy) && !(now > w->potential + rounding)) {
      w->potential = now;
      w->outside += outside;
      if (w->outside >= OUTSIDE_MOST && !downhill) return LB_STEP_NONFINITE;
      return outside ? LB_STEP_AGAIN : 0;
    }
    outside |= isinf(energy);
    for (int32_t k = 0; k < body->prepared->dimension; k++)
      s->q[k] = 0.5 * (w->before[k] + s->q[k]);
  }
  memcpy(s->q, w->before, (size_t)body->prepared->dimension * sizeof(double));
  return LB_STEP_FAR;
}

// ---- the end -----------------------------------------------------------------------------------

// What was seen along the last move.
static void learn(const lbBody *body, const Scheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  int32_t r = own->count;
  find_inside(scheme, body, s, w->middle_R); // no middle here
  for (int32_t i = 0; i < r; i++) {
    w->d[i] = s->q[i] - w->before[i];
    double change = w->middle_R[i] - w->inside[i];
    w->inside[i] = w->middle_R[i];
    w->middle_R[i] = change;
  }
  lb_broyden_learn(own->ldlt, r, body->prepared->padded, w->factors, &w->secants, w->d,
                   w->middle_R);
}

// Flags of the end, by its figures.
static int32_t conclude(lbBody *body, const lbStep *step, const Scheme *scheme, double energy,
                        lbScratch *s) {
  lbSubspaceWork *w = s->own;
  const lbNewtonStart start = { w->energy0, w->stiffest };
  if (!scheme->secant)
    return judge_end(body, step->rule, step->iteration - w->attempt_from, scheme->rule, &start,
                     energy, w->figures, &w->created);
  Residual G = residual_of(w->figures, w->stiffest);
  bool keeps = keep_account(body, scheme->rule, &start, energy, w->figures, &w->created);
  if (step->iteration == 0) w->least = INFINITY;
  int32_t flags = judge_secants(body, step->iteration, &G, keeps, w);
  bool goes_on = flags & LB_STEP_AGAIN && w->attempt_from <= step->iteration;
  if (goes_on) learn(body, scheme, s);
  if (step->iteration > EASY) ((lbSubspaceState *)body->own)->matrix.spent++;
  return flags | check_sanity(body, w->figures, flags);
}

int32_t lb_newton_end(lbBody *body, const lbStep *step, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  Scheme scheme = scheme_of(body, step, s);
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    if (!lb_is_bounded(s->q[i])) return LB_STEP_NONFINITE;
  int32_t shortened = 0;
  const lbNewtonNumbers x = numbers_of(body, forces_of(body, &scheme, w).R, s);
  bool downhill = goes_downhill(body, &scheme, w);
  if (downhill) shortened = shorten(body, &scheme, true, s);
  find_rates(body, &scheme, &x, s);
  Forces forces = evaluate(body, &scheme, s);
  if (!downhill && is_inside(body, w) && !isfinite(forces.end->energy)) {
    shortened = shorten(body, &scheme, false, s);
    find_rates(body, &scheme, &x, s);
    forces = evaluate(body, &scheme, s);
  }
  damp(body, &x, forces.K, x.u, x.Mu, x.Cu);
  own->newton->alone.judge(&scheme.c, &x, w->figures);
  int32_t flags = conclude(body, step, &scheme, forces.end->energy, s);
  if (shortened & LB_STEP_AGAIN && !(flags & (LB_STEP_FAR | LB_STEP_NONFINITE)))
    flags = LB_STEP_AGAIN;
  else if (shortened & (LB_STEP_FAR | LB_STEP_NONFINITE))
    flags = shortened;
  if (flags & (LB_STEP_AGAIN | LB_STEP_NONFINITE)) return flags;
  return flags | keep_acceleration(body, &scheme, s);
}
