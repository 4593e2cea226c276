// Where the iterations of a step by Broyden's method begin (method/subspace/newton_step.h). A
// linear move from where the step begins misses what the forces do beyond their tangent: a body
// that turns is stretched by it, and stiff shapes answer with forces far above all others. Motions
// are smooth, so that is nearly what it was in the steps before. With s_k the moves of these and
// y_k the changes of the residual along them, last one first, the next ones are extrapolated by
// polynomials in time,
//
//   S = sum_k c_k s_k,   Y = sum_k c_k y_k,   c = (1), (2, -1), (3, -3, 1) or (4, -6, 4, -1),
//
// and the first move of a step is S - A^-1 (G + Y): S itself where all goes on like that, and the
// linear move where A is the exact matrix along S. How many steps are looked back to is what would
// have been best for the step before.
#include "method/subspace/newton_step.h"

#include <string.h>

static const double weights[LB_PAST + 1][LB_PAST] = {
  { 0 }, { 1 }, { 2, -1 }, { 3, -3, 1 }, { 4, -6, 4, -1 }
};

static lbStepPast *past_of(const lbBody *body) { return &((lbSubspaceState *)body->own)->past; }

// Coordinate i of S or Y.
static double extrapolate(int32_t order, size_t padded, const double *vectors, size_t i) {
  double sum = 0;
  for (int32_t k = 0; k < order; k++) sum += weights[order][k] * vectors[(size_t)k * padded + i];
  return sum;
}

int32_t lb_past_order(const lbBody *body, const lbStepScheme *scheme) {
  const lbStepPast *past = past_of(body);
  return body->consistent && past->h == scheme->h ? past->order : 0;
}

void lb_past_move(const lbBody *body, int32_t order, double *q) {
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    q[i] += extrapolate(order, (size_t)body->prepared->padded, past_of(body)->moves, (size_t)i);
}

void lb_past_change(const lbBody *body, int32_t order, double *G) {
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    G[i] += extrapolate(order, (size_t)body->prepared->padded, past_of(body)->changes, (size_t)i);
}

void lb_past_forget(lbBody *body) {
  lbStepPast *past = past_of(body);
  past->count = past->order = 0;
}

// By which order the move s would have been foretold best; one more where that was the highest.
static int32_t choose_order_history(const lbStepPast *past, int32_t count, size_t padded,
                                    const double *s) {
  double least = INFINITY;
  int32_t best = 0;
  for (int32_t order = 0; order <= past->count; order++) {
    double sum = 0;
    for (size_t i = 0; i < (size_t)count; i++) {
      double miss = s[i] - extrapolate(order, padded, past->moves, i);
      sum += miss * miss;
    }
    if (sum < least) least = sum, best = order;
  }
  return best == past->count && best < LB_PAST ? best + 1 : best;
}

// A new first row.
static void push_history(double *rows, size_t padded, const double *row, size_t count) {
  memmove(rows + padded, rows, (LB_PAST - 1) * padded * sizeof *rows);
  memcpy(rows, row, count * sizeof *rows);
}

void lb_past_learn(lbBody *body, const lbStep *step, lbScratch *s) {
  lbStepPast *past = past_of(body);
  lbSubspaceWork *w = s->own;
  size_t padded = (size_t)body->prepared->padded, count = (size_t)body->prepared->dimension;
  if (!past->moves) return;
  if (step->integrator != LB_STEP_ASKED || !body->consistent || past->h != step->h)
    lb_past_forget(body);
  if (step->integrator != LB_STEP_ASKED) return;
  for (size_t i = 0; i < count; i++) {
    w->d[i] = s->q[i] - s->q0[i];
    w->middle_R[i] = w->inside[i] - w->inside0[i];
  }
  past->order = choose_order_history(past, body->prepared->dimension, padded, w->d);
  past->h = step->h;
  if (past->count < LB_PAST) past->count++;
  push_history(past->moves, padded, w->d, count);
  push_history(past->changes, padded, w->middle_R, count);
}
