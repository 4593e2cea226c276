// The way back for a body that is stuck (LB_STEP_STUCK), or bent by more than its own size by
// forces that were trained on other poses, which say nothing there: rest is led to along the
// straight line in its coordinates, q = s(t) q_stuck with s from 1 to 0 in one period T of the
// lowest natural frequency,
//
//   s = 1 - τ³ (10 - 15 τ + 6 τ²),   τ = t / T,
//
// so that place, velocity and acceleration have no jump at either end. With a the energy that
// linear elasticity has in q_stuck, the energy of St. Venant-Kirchhoff on the way, a s² + b s³ +
// c s⁴ with an extremum at s = 1, is never above that at the start or a/6, and the kinetic one
// stays below a/10. The frame moves on as momenta or paths say. A contact, a constraint or
// an impulse ends it: the body goes on from its state.
#include "body/constraints.h"
#include "body/guard.h"
#include "body/hand_rows.h"
#include "solve/tolerances.h"

#include <string.h>

// Share of the way in one step. Doubled, coarse steps lead bodies back twice as fast.
#define STEP_MOST 0.125

static double share_left(double t) { return 1 - t * t * t * (10 - t * (15 - 6 * t)); }
static double share_rate(double t) { return -30 * t * t * (1 - t) * (1 - t); }

void lb_return_to_rest_begin(lbBody *body, lbScratch *s) {
  if (!body->returns_to_rest || body->led != 0) return;
  bool stuck = body->flags & LB_STEP_STUCK;
  if (!stuck && !lb_guard_is_far_out(body, s)) return;
  if (stuck || body->prepared->method->pose_distance(body, s) > 1) body->led = LB_ROUNDING;
}

bool lb_return_to_rest_goes_on(lbBody *body) {
  if (lb_body_is_constrained(body) || lb_body_is_touched(body)) body->led = 0;
  return body->led > 0;
}

int32_t lb_return_to_rest_step(lbBody *body, double h, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  lbFrameState start = body->frame;
  lbStep step = { .h = h, .share = 1, .whole = &start };
  p->method->get(body, s->q0, s->v0, s->force);
  int32_t flags = lb_frame_begin(body, &step, s);
  memset(s->pull, 0, (size_t)lb_body_width(body) * sizeof(double));
  double rate = p->slowest > 0 ? p->slowest / (2 * LB_PI) : 1; // 1/T
  double from = body->led, to = fmin(1, from + fmin(h * rate, STEP_MOST));
  double left = to < 1 ? share_left(to) / share_left(from) : 0;
  double change = to < 1 ? share_rate(to) * rate / share_left(from) : 0;
  for (int32_t i = 0; i < p->padded; i++) s->q[i] = left * s->q0[i], s->v[i] = change * s->q0[i];
  p->method->put(body, s->q, s->v, NULL);
  lb_frame_end(body, &step, s);
  lb_body_disturb(body);
  body->led = to < 1 ? to : 0;
  return flags | LB_STEP_RECOVERING;
}

lbStatus lb_body_set_recover(lbBody *body, bool recover) {
  if (!body) return LB_ERR_ARGUMENT;
  body->returns_to_rest = recover;
  if (!recover) body->led = 0;
  return LB_OK;
}
