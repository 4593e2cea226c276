// Iterations that go too far (method/subspace/newton_step.h). Laws with a barrier have an infinite
// energy where an element is inside out. An iteration that would come there is shortened: it goes
// half as far, again and again, and is followed by another one; a rule that keeps coming there
// gives the step up. A body that was put there from outside may move through such places. Euler's
// rule as the last one has a potential, whose gradient is G: iterations of such laws that would
// raise it are shortened too, unless constraints say where to go, so that a step always gets
// somewhere.
#include "method/subspace/newton_step.h"
#include "method/limits.h"

#include "body/constraints.h"

#include <string.h>

enum { OUTSIDE_MAX = 8 }; // iterations of a step that leave the law

bool lb_step_stays_inside(const lbBody *body, const lbSubspaceWork *w) {
  return !lb_subspace_of(body->prepared)->forces->is_cubic && isfinite(w->energy0);
}

bool lb_step_goes_downhill(const lbBody *body, const lbStepScheme *scheme,
                           const lbSubspaceWork *w) {
  return scheme->rule == LB_RULE_EULER && scheme->calm && lb_step_stays_inside(body, w) &&
         !lb_body_is_constrained(body);
}

// Of the step at s->q, less that at its start: W - W0 and the integral of the other terms of G,
// which are linear.
static double potential(lbBody *body, const lbStepScheme *scheme, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  const lbEvaluated *e = lb_subspace_force(body, s->q, s);
  const lbNewtonNumbers x = lb_step_numbers(body, e->R, s);
  double sum = e->energy - w->energy0;
  lb_step_find_rates(body, scheme, &x, s);
  lb_step_damp(body, &x, own->rest_stiffness, x.u, x.Mu, x.Cu);
  own->newton->alone.residual(&scheme->c, &x);
  for (int32_t i = 0; i < own->count; i++) {
    double start = w->linear0[i] - scheme->c.held * s->held[i]; // forces may have come since
    sum += 0.5 * (start + x.G[i] - e->R[i]) * (s->q[i] - s->q0[i]);
  }
  return sum;
}

int32_t lb_step_shorten(lbBody *body, const lbStepScheme *scheme, bool downhill, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  bool outside = false;
  for (int i = 0; i < LB_HALVINGS_MAX; i++) {
    double energy = lb_subspace_force(body, s->q, s)->energy;
    double now = downhill ? potential(body, scheme, s) : 0;
    double rounding = LB_SUM_ROUNDING * (energy + w->energy0) + body->prepared->energy_noise;
    if (isfinite(energy) && !(now > w->potential + rounding)) {
      w->potential = now;
      w->outside += outside;
      if (w->outside >= OUTSIDE_MAX && !downhill) return LB_STEP_NONFINITE;
      return outside ? LB_STEP_AGAIN : 0;
    }
    outside |= isinf(energy);
    for (int32_t k = 0; k < body->prepared->dimension; k++)
      s->q[k] = 0.5 * (w->before[k] + s->q[k]);
  }
  memcpy(s->q, w->before, (size_t)body->prepared->dimension * sizeof(double));
  return LB_STEP_FAR;
}
