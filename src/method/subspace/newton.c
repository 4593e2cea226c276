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
// the second part because iterations end. The guard keeps account of it (body/guard.h); a step that
// the account does not bear is iterated further.
//
// Where a tangent costs much more than a force, Broyden's method takes Newton's place
// (cubature/broyden_step.c); iterations that would turn elements inside out are shortened
// (line_search.c).
#include "method/subspace/newton_step.h"
#include "method/limits.h"
#include "body/guard.h"
#include "body/response_kernels.h"

#include <string.h>

// of the largest diagonal entry: the first shift of an indefinite tangent; each further one is four
// times as large. Doubled, such steps are held back twice as much.
#define SHIFT_FIRST 1e-4

enum {
  LOOSE_ITERATIONS = 10, // to get below LB_LOOSE_RESIDUAL
  EASY_ITERATIONS = 2,   // that any matrix may need
};

lbNewtonScheme lb_newmark_scheme(double h) {
  return (lbNewtonScheme){ 2 / h, -1, 2 / h, -1, 4 / (h * h), 4 / h, 1, 2 };
}

static lbStepScheme scheme_of(const lbBody *body, const lbStep *step, const lbScratch *s) {
  double h = step->h;
  bool euler = body->integrator == LB_INTEGRATOR_EULER || step->integrator == LB_STEP_EULER;
  bool calm = step->integrator != LB_STEP_ASKED;
  bool secant = !calm && lb_subspace_of(body->prepared)->forces->along &&
                ((const lbSubspaceWork *)s->own)->attempt != LB_ATTEMPT_NEWTON;
  if (euler)
    return (lbStepScheme){
      LB_RULE_EULER, h, { 1 / h, 0, 1 / h, 0, 1 / (h * h), 1 / h, 0, 1 }, calm, secant
    };
  if (calm)
    return (lbStepScheme){
      LB_RULE_CONSERVING, h, { 2 / h, -1, 1 / h, 0, 2 / (h * h), 2 / h, 0, 1 }, calm, false
    };
  return (lbStepScheme){ LB_RULE_NEWMARK, h, lb_newmark_scheme(h), calm, secant };
}

// ---- forces of the present q -------------------------------------------------------------------

// What the last evaluation gave.
static lbStepForces forces_of(const lbBody *body, const lbStepScheme *scheme,
                              const lbSubspaceWork *w) {
  const lbEvaluated *e = &((const lbSubspaceState *)body->own)->evaluated;
  return (lbStepForces){ e, scheme->rule == LB_RULE_CONSERVING ? w->middle_R : e->R,
                         scheme->secant ? NULL
                         : scheme->calm ? lb_subspace_of(body->prepared)->rest_stiffness
                                        : e->K };
}

// w->middle_R <- with what its work lacks to the difference of the energies. Near rest both are
// rounding, which a short move would turn into a force.
static void complete_work(const lbBody *body, double difference, const lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbSubspaceWork *w = s->own;
  double way = 0;
  for (int32_t i = 0; i < own->count; i++) {
    w->d[i] = s->q[i] - s->q0[i];
    way += w->d[i] * w->d[i];
  }
  double missing = difference - lb_row_dot(own->count, w->middle_R, w->d), factor = missing / way;
  if (fabs(missing) <= body->prepared->energy_noise || !isfinite(factor)) return;
  for (int32_t i = 0; i < own->count; i++) w->middle_R[i] += factor * w->d[i];
}

// Forces at q, without a tangent; w->Ku <- K u where that is damped.
static const lbEvaluated *evaluate_along(lbBody *body, const double *q, const double *u,
                                         lbScratch *s) {
  lbSubspaceWork *w = s->own;
  return body->damping_stiffness != 0 ? lb_subspace_along(body, q, u, w->Ku, s)
                                      : lb_subspace_force(body, q, s);
}

// At s->q, with u of there.
static lbStepForces evaluate_newton(lbBody *body, const lbStepScheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  if (scheme->secant) {
    evaluate_along(body, s->q, w->u, s);
    return forces_of(body, scheme, w);
  }
  const lbEvaluated *e = lb_subspace_evaluate(body, s->q, s);
  if (scheme->rule != LB_RULE_CONSERVING) return forces_of(body, scheme, w);
  for (int32_t i = 0; i < own->count; i++) w->d[i] = 0.5 * (s->q0[i] + s->q[i]);
  own->forces->evaluate(own->force_data, w->d, w->middle_R, w->middle_K, w->forces);
  for (int32_t i = 0; i < own->count; i++)
    w->middle_R[i] = (w->R0[i] + 4 * w->middle_R[i] + e->R[i]) / 6;
  if (!own->forces->is_cubic) complete_work(body, e->energy - w->energy0, s);
  return forces_of(body, scheme, w);
}

// ---- the residual ------------------------------------------------------------------------------

lbNewtonNumbers lb_step_numbers(const lbBody *body, const double *R, const lbScratch *s) {
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

void lb_step_damp(const lbBody *body, const lbNewtonNumbers *x, const double *K, const double *u,
                  const double *Mu, double *C) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  if (body->damping_stiffness == 0)
    memset(x->Ku, 0, (size_t)own->stride * sizeof(double));
  else if (K)
    own->newton->alone.multiply(own->count, K, u, x->Ku);
  own->newton->alone.damp(x, x->Ku, Mu, C);
}

void lb_step_find_rates(const lbBody *body, const lbStepScheme *scheme, const lbNewtonNumbers *x,
                        const lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbSubspaceWork *w = s->own;
  own->newton->alone.rates(&scheme->c, x);
  if (!own->mass) return;
  lb_subspace_mass_multiply(own, x->u, w->Mu);
  lb_subspace_mass_multiply(own, x->v, w->Mv);
  lb_subspace_mass_multiply(own, x->a, w->Ma);
}

// Its terms are rounded by as much as coordinates times the stiffest of the matrix, and the elastic
// force by no less than at rest. Where all else cancels, as in a body that falls freely, this is
// the only scale there is.
static lbStepResidual residual_of(const lbBody *body, const double *figures, double stiffest) {
  double most = fmax(fmax(figures[LB_SUM_FORCE], figures[LB_SUM_ELASTIC]),
                     fmax(figures[LB_SUM_INERTIA], figures[LB_SUM_DAMPING]));
  return (lbStepResidual){ sqrt(figures[LB_SUM_LEFT]), sqrt(most),
                           LB_ROUNDING * stiffest * sqrt(figures[LB_SUM_PLACE]) +
                               lb_subspace_of(body->prepared)->force_noise };
}

// ---- the matrix --------------------------------------------------------------------------------

// w->A <- dG/dq + shift M
static void form_matrix(const lbBody *body, const lbStepScheme *scheme, const lbStepForces *forces,
                        bool damping_rate, double shift, lbSubspaceWork *w) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbNewtonKernels *kernels = own->newton;
  size_t n = (size_t)own->stride;
  double beta = body->damping_stiffness, u_q = scheme->c.u_q;
  double heavy = scheme->c.a_q + u_q * body->damping_mass + shift;
  double stiff = scheme->calm ? u_q * beta : 1 + u_q * beta;
  kernels->matrix(own->count, stiff, own->mass ? 0 : heavy, forces->K, w->A);
  if (own->mass) kernels->add_matrix(n * n, heavy, own->mass, w->A);
  if (scheme->rule == LB_RULE_CONSERVING) {
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
  for (size_t i = 0; i < (size_t)own->count; i++)
    if (!(fabs(A[i * (n + 1)]) <= most)) most = fabs(A[i * (n + 1)]); // keeps a NaN
  return most;
}

int32_t lb_step_factor(const lbBody *body, const lbStepScheme *scheme, const lbStepForces *forces,
                       bool damping_rate, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  double shift = 0;
  if (damping_rate) own->forces->tangent_rate(own->force_data, s->q, s->v, w->rate, w->forces);
  for (int i = 0; i < LB_FACTORINGS_MAX; i++) {
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

static void start_newton(lbBody *body, const lbStepScheme *scheme, lbScratch *s) {
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
static void begin_residual(const lbBody *body, const lbStepScheme *scheme,
                           const lbStepForces *forces, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  const lbSubspaceWork *w = s->own;
  const lbNewtonNumbers x = lb_step_numbers(body, forces->R, s);
  const double *Mv0 = s->v0;
  if (own->mass) {
    lb_subspace_mass_multiply(own, s->v0, w->Mv);
    Mv0 = w->Mv;
  }
  lb_step_damp(body, &x, scheme->secant ? NULL : forces->end->K, s->v0, Mv0, w->Cu0);
  own->newton->alone.scale(own->count, scheme->c.u_v, w->Cu0, w->Cu);
  lb_step_find_rates(body, scheme, &x, s);
  own->newton->alone.residual(&scheme->c, &x);
}

static void move_by_newton(const lbSubspace *own, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  own->newton->alone.negate(own->count, w->G, w->d);
  own->ldlt->solve(own->count, w->A, w->d);
  own->newton->alone.add(own->count, w->d, s->q);
}

// From where the step begins.
static lbStepForces begin_step_newton(lbBody *body, const lbStepScheme *scheme, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  start_newton(body, scheme, s);
  lbStepForces forces =
      scheme->secant ? forces_of(body, scheme, w) : evaluate_newton(body, scheme, s);
  begin_residual(body, scheme, &forces, s);
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    w->linear0[i] = w->G[i] - forces.R[i] + scheme->c.held * s->held[i];
  lb_secants_find_inside(body, scheme, s, w->inside);
  memcpy(w->inside0, w->inside, (size_t)body->prepared->dimension * sizeof(double));
  return forces;
}

int32_t lb_newton_begin(lbBody *body, lbStep *step, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  bool again = step->iteration > 0;
  if (!again) w->attempt = LB_ATTEMPT_KEPT_MATRIX, w->starts_anew = false, w->attempt_from = 0;
  lbStepScheme scheme = scheme_of(body, step, s);
  lbStepForces forces = forces_of(body, &scheme, w);
  if (!again || w->starts_anew)
    forces = begin_step_newton(body, &scheme, s);
  else if (!scheme.secant && forces.end->force_only)
    forces = evaluate_newton(body, &scheme, s);
  w->starts_anew = false;
  memcpy(w->before, s->q, (size_t)body->prepared->dimension * sizeof(double));
  int32_t flags = 0;
  if (scheme.secant) {
    if (step->iteration == w->attempt_from) flags = lb_secants_begin(body, &scheme, s);
    if (flags & LB_STEP_NONFINITE) return flags;
    lb_secants_move(body, &scheme, again ? 0 : lb_past_order(body, &scheme), s);
    return flags;
  }
  bool damping_rate = again && body->damping_stiffness != 0 && !scheme.calm;
  flags = lb_step_factor(body, &scheme, &forces, damping_rate, s);
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

void lb_newton_respond_many(const lbBody *body, const lbStep *step, lbScratch *s, int32_t n,
                            double *x) {
  const lbPrepared *p = body->prepared;
  const lbSubspace *own = lb_subspace_of(p);
  const lbSubspaceWork *w = s->own;
  double held = scheme_of(body, step, s).c.held;
  size_t count = (size_t)own->count * lb_touch_stride(n);
  for (size_t i = 0; i < count; i++) x[i] *= held;
  lb_touch_kernels(p->level)->solve(own->count, w->factors, n, x);
}

// ---- when to stop ------------------------------------------------------------------------------

// What a step by Newmark's rule creates; the others create nothing.
static lbStepEnergy energy_of_newton(lbStepRule rule, const lbNewtonStart *start, double energy,
                                     const double *figures) {
  lbStepEnergy of = { 0, figures[LB_SUM_KINETIC] + fmax(energy, start->energy) };
  if (rule == LB_RULE_NEWMARK)
    of.created = energy - start->energy - figures[LB_SUM_MEAN] + 0.5 * figures[LB_SUM_WORK] -
                 figures[LB_SUM_DAMPED];
  return of;
}

// Whether the iterations have come to an end; lbStepFlags.
static int32_t judge_newton(const lbBody *body, int32_t integrator, int32_t iteration,
                            lbStepRule scheme, const lbStepResidual *G, bool keeps) {
  bool asked = integrator == LB_STEP_ASKED;
  int32_t done = iteration + 1, wanted = body->newton_iterations;
  int32_t most =
      asked && scheme == LB_RULE_NEWMARK ? wanted + LOOSE_ITERATIONS : wanted + LB_NEWTON_MAX;
  double tolerance = fmax(body->newton_tolerance, LB_SUM_ROUNDING);
  if (!asked) tolerance = fmax(tolerance, LB_NEGLIGIBLE);
  bool solved = G->size <= tolerance * G->scale + G->noise;
  bool near = G->size <= LB_LOOSE_RESIDUAL * G->scale;
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

static int32_t judge_end(const lbBody *body, int32_t integrator, int32_t iteration,
                         lbStepRule scheme, const lbNewtonStart *start, double energy,
                         const double *figures, lbStepEnergy *created) {
  lbStepResidual G = residual_of(body, figures, start->stiffest);
  if (!isfinite(G.size) || !isfinite(G.scale)) return LB_STEP_NONFINITE;
  *created = energy_of_newton(scheme, start, energy, figures);
  bool keeps = lb_guard_bears(body, created->created, created->end);
  int32_t flags = judge_newton(body, integrator, iteration, scheme, &G, keeps);
  return flags | check_sanity(body, figures, flags);
}

int32_t lb_newmark_judge(const lbBody *body, const lbNewtonStart *start, double energy,
                         const double *figures, lbStepEnergy *created) {
  return judge_end(body, 0, 0, LB_RULE_NEWMARK, start, energy, figures, created);
}

// The acceleration that the next step begins with: Newmark's without what was held. lbStepFlags.
static int32_t keep_acceleration(lbBody *body, const lbStepScheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  if (scheme->rule != LB_RULE_NEWMARK) {
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

// ---- the end -----------------------------------------------------------------------------------

// Flags of the end, by its figures.
static int32_t conclude(lbBody *body, const lbStep *step, const lbStepScheme *scheme, double energy,
                        lbScratch *s) {
  lbSubspaceWork *w = s->own;
  const lbNewtonStart start = { w->energy0, w->stiffest };
  if (!scheme->secant)
    return judge_end(body, (int32_t)step->integrator, step->iteration - w->attempt_from,
                     scheme->rule, &start, energy, w->figures, &w->created);
  lbStepResidual G = residual_of(body, w->figures, w->stiffest);
  w->created = energy_of_newton(scheme->rule, &start, energy, w->figures);
  bool keeps = lb_guard_bears(body, w->created.created, w->created.end);
  if (step->iteration == 0) w->least = INFINITY;
  int32_t flags = lb_secants_judge(body, step->iteration, &G, keeps, w);
  bool goes_on = flags & LB_STEP_AGAIN && w->attempt_from <= step->iteration;
  if (goes_on) lb_secants_learn(body, scheme, s);
  if (step->iteration > EASY_ITERATIONS) ((lbSubspaceState *)body->own)->matrix.spent++;
  return flags | check_sanity(body, w->figures, flags);
}

int32_t lb_newton_end(lbBody *body, const lbStep *step, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  lbStepScheme scheme = scheme_of(body, step, s);
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    if (!lb_is_bounded(s->q[i])) return LB_STEP_NONFINITE;
  int32_t shortened = 0;
  const lbNewtonNumbers x = lb_step_numbers(body, forces_of(body, &scheme, w).R, s);
  bool downhill = lb_step_goes_downhill(body, &scheme, w);
  if (downhill) shortened = lb_step_shorten(body, &scheme, true, s);
  lb_step_find_rates(body, &scheme, &x, s);
  lbStepForces forces = evaluate_newton(body, &scheme, s);
  if (!downhill && lb_step_stays_inside(body, w) && !isfinite(forces.end->energy)) {
    shortened = lb_step_shorten(body, &scheme, false, s);
    lb_step_find_rates(body, &scheme, &x, s);
    forces = evaluate_newton(body, &scheme, s);
  }
  lb_step_damp(body, &x, forces.K, x.u, x.Mu, x.Cu);
  own->newton->alone.judge(&scheme.c, &x, w->figures);
  int32_t flags = conclude(body, step, &scheme, forces.end->energy, s);
  if (shortened & LB_STEP_AGAIN && !(flags & (LB_STEP_FAR | LB_STEP_NONFINITE)))
    flags = LB_STEP_AGAIN;
  else if (shortened & (LB_STEP_FAR | LB_STEP_NONFINITE))
    flags = shortened;
  if (flags & (LB_STEP_AGAIN | LB_STEP_NONFINITE)) return flags;
  lb_secants_find_inside(body, &scheme, s, w->inside);
  return flags | keep_acceleration(body, &scheme, s);
}
