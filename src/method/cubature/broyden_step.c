// Broyden's method in a step (method/subspace/newton_step.h), for force models whose tangent costs
// much more than a force: iterations with the factors of one matrix (factor_at), updated by what
// moves have shown (broyden.c), and when they are done. A step that comes nowhere with the matrix
// of a former place gets one of its own, and after that Newton's method.
#include "method/subspace/newton_step.h"
#include "method/limits.h"

#include "body/constraints.h"

#include <string.h>

// times the least residual: from there on an attempt begins anew. Doubled, attempts last longer.
#define DIVERGED 10

enum { SPENT_MAX = 4 }; // iterations beyond easy ones, until another matrix costs less

// ---- the matrix --------------------------------------------------------------------------------

// What a matrix is made of besides its place.
static void find_key_broyden(const lbBody *body, const lbStepScheme *scheme, double key[4]) {
  key[0] = scheme->c.a_q, key[1] = scheme->c.u_q;
  key[2] = body->damping_mass, key[3] = body->damping_stiffness;
}

// Factors the matrix at q and keeps it. Where that fails, the matrix kept so far stays.
static int32_t factor_at(lbBody *body, const lbStepScheme *scheme, const double *q, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  lbStepMatrix *kept = &((lbSubspaceState *)body->own)->matrix;
  size_t n = (size_t)own->stride;
  own->forces->rough_tangent(own->force_data, q, w->middle_K, w->forces);
  const lbStepForces there = { .K = w->middle_K };
  int32_t flags = lb_step_factor(body, scheme, &there, false, s);
  if (flags & LB_STEP_NONFINITE) return flags;
  memcpy(kept->factors, w->A, n * n * sizeof(double));
  memmove(kept->q, q, (size_t)own->count * sizeof *q);
  find_key_broyden(body, scheme, kept->of);
  kept->version = body->prepared->version;
  return 0;
}

int32_t lb_secants_begin(lbBody *body, const lbStepScheme *scheme, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  lbStepMatrix *kept = &((lbSubspaceState *)body->own)->matrix;
  double key[4];
  find_key_broyden(body, scheme, key);
  bool fits = kept->version == body->prepared->version && !memcmp(key, kept->of, sizeof key);
  bool moves = w->attempt == LB_ATTEMPT_NEW_MATRIX || kept->spent >= SPENT_MAX;
  w->factors = kept->factors;
  w->secants.count = 0;
  if (fits && !moves) return 0;
  if (!moves) return factor_at(body, scheme, kept->q, s);
  memcpy(w->d, s->q, (size_t)body->prepared->padded * sizeof(double));
  if (w->attempt != LB_ATTEMPT_NEW_MATRIX)
    lb_past_move(body, lb_past_order(body, scheme), w->d); // the end is better than the start
  kept->spent = 0;
  return factor_at(body, scheme, w->d, s);
}

// ---- moves -------------------------------------------------------------------------------------

void lb_secants_find_inside(const lbBody *body, const lbStepScheme *scheme, lbScratch *s,
                            double *inside) {
  const lbSubspaceWork *w = s->own;
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    inside[i] = w->G[i] + s->force[i] + scheme->c.held * s->held[i];
}

// s->q <- q - H (G - w p) - A^-1 w p with the forces p of constraints so far, which are found anew
// next and moved by A^-1, so that constraints hold whatever H is. The first move of a step looks
// back (step_history.c).
void lb_secants_move(const lbBody *body, const lbStepScheme *scheme, int32_t order, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  int32_t r = own->count, padded = body->prepared->padded;
  bool pulled = lb_body_is_constrained(body) && w->secants.count > 0;
  for (int32_t i = 0; i < r; i++)
    w->d[i] = pulled ? w->G[i] - scheme->c.held * s->pull[i] : w->G[i];
  lb_past_change(body, order, w->d);
  lb_past_move(body, order, s->q);
  own->newton->alone.negate(r, w->d, w->d);
  lb_broyden_apply(own->ldlt, r, padded, w->factors, &w->secants, w->d);
  own->newton->alone.add(r, w->d, s->q);
  if (!pulled) return;
  for (int32_t i = 0; i < r; i++) w->d[i] = -scheme->c.held * s->pull[i];
  own->ldlt->solve(r, w->factors, w->d);
  own->newton->alone.add(r, w->d, s->q);
}

void lb_secants_learn(const lbBody *body, const lbStepScheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  int32_t r = own->count;
  lb_secants_find_inside(body, scheme, s, w->middle_R); // no middle here
  for (int32_t i = 0; i < r; i++) {
    w->d[i] = s->q[i] - w->before[i];
    double change = w->middle_R[i] - w->inside[i];
    w->inside[i] = w->middle_R[i];
    w->middle_R[i] = change;
  }
  lb_broyden_learn(own->ldlt, r, body->prepared->padded, w->factors, &w->secants, w->d,
                   w->middle_R);
}

// ---- when to stop ------------------------------------------------------------------------------

// One iteration says less than one of Newton's, so the residual counts and not how many there were.
// Where it goes on too slowly there is a new matrix, and then Newton's method. An attempt that
// diverges is known by the size of its residual: the forces at a far place grow with it.
int32_t lb_secants_judge(const lbBody *body, int32_t iteration, const lbStepResidual *G, bool keeps,
                         lbSubspaceWork *w) {
  static const int32_t tries[] = {
    [LB_ATTEMPT_KEPT_MATRIX] = 8, [LB_ATTEMPT_NEW_MATRIX] = LB_SECANTS
  };
  double tight = fmax(body->newton_tolerance, LB_SUM_ROUNDING);
  double tolerance = body->newton_iterations > 1 ? tight : fmax(tight, LB_STEP_RESIDUAL);
  if (G->size <= tolerance * G->scale + G->noise && keeps) return 0;
  if (G->size <= tight * G->scale + G->noise) return LB_STEP_FAR;
  const double *f = w->figures;
  bool sane =
      lb_subspace_is_sane(body->prepared, f[LB_MOST_Q], f[LB_MOST_Q0], f[LB_MOST_V], f[LB_MOST_A]);
  w->starts_anew = !sane || !(G->size <= DIVERGED * w->least);
  w->least = fmin(w->least, G->size);
  if (w->starts_anew || iteration + 1 - w->attempt_from >= tries[w->attempt]) {
    w->attempt++;
    w->attempt_from = iteration + 1;
    w->least = INFINITY;
  }
  return LB_STEP_AGAIN;
}
