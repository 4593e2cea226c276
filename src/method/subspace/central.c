// Central differences for subspace bodies: positions are carried by velocities in the middle of
// steps, and one evaluation of the forces a step gives the acceleration at its end,
//
//   v_mid = v0 + h/2 (a0 + M^-1 p),   q = q0 + h v_mid,
//   (M + h/2 C) a = f + p - R(q) - C v_mid,   v = v_mid + h/2 a,   C = alpha M + beta K(q),
//
// with p the forces that are held over the step; a - M^-1 p is the next step's a0. Without damping
// by stiffness and with M = 1 no system is solved.
//
// A body that is bent far is stiffer than at rest, and the step may be too long for it. Central
// differences keep, of linear bodies, not the energy E but E - h²/8 R M^-1 R: where much less of E
// is left in that than at rest, a shape grows that is too fast for the step. Of others they create
// W - W0 - (q - q0)(R + R0)/2, which the guard keeps account of. A step fails where R M^-1 R h²/8
// is nearer to E than to the largest share of E that it has at rest.
#include "method/subspace/subspace.h"

#include <string.h>

int32_t lb_central_begin(lbBody *body, lbStep *step, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  double h = step->h;
  const lbEvaluated *e = lb_subspace_force(body, s->q0, s);
  memcpy(w->R0, e->R, (size_t)own->count * sizeof(double));
  w->energy0 = e->energy;
  memset(w->d, 0, (size_t)body->prepared->padded * sizeof(double));
  memcpy(w->d, s->held, (size_t)own->count * sizeof(double));
  lb_subspace_mobilise(own, w->d);
  for (int32_t i = 0; i < own->count; i++)
    s->q[i] = s->q0[i] + h * (s->v0[i] + 0.5 * h * w->a0[i] + 0.5 * h * w->d[i]);
  return 0;
}

void lb_central_respond(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                        double *moved) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  (void)s;
  memset(moved, 0, (size_t)body->prepared->padded * sizeof *moved);
  for (int32_t i = 0; i < own->count; i++) moved[i] = 0.5 * step->h * step->h * force[i];
  lb_subspace_mobilise(own, moved);
}

// w->a <- (M + h/2 C)^-1 (f + p - R - C v) where C is a multiple of M.
static void accelerate_simply(lbBody *body, double h, const double *R, lbScratch *s) {
  lbSubspaceWork *w = s->own;
  double alpha = body->damping_mass, factor = 1 / (1 + 0.5 * h * alpha);
  int32_t r = body->prepared->dimension;
  for (int32_t i = 0; i < r; i++) w->a[i] = s->force[i] + s->held[i] + s->pull[i] - R[i];
  lb_subspace_mobilise(lb_subspace_of(body->prepared), w->a);
  for (int32_t i = 0; i < r; i++) w->a[i] = factor * (w->a[i] - alpha * s->v[i]);
}

static bool accelerate_damped(lbBody *body, double h, const lbEvaluated *e, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  size_t n = (size_t)own->stride, r = (size_t)own->count;
  double alpha = body->damping_mass, beta = body->damping_stiffness;
  lb_subspace_mass_multiply(own, s->v, w->Ma);
  lb_subspace_multiply(own, e->K, s->v, w->Ku);
  for (size_t i = 0; i < r; i++)
    w->a[i] = s->force[i] + s->held[i] + s->pull[i] - e->R[i] - alpha * w->Ma[i] - beta * w->Ku[i];
  double heavy = 1 + 0.5 * h * alpha, stiff = 0.5 * h * beta;
  for (size_t i = 0; i < n * n; i++)
    w->A[i] = stiff * e->K[i] + (own->mass ? heavy * own->mass[i] : 0);
  for (size_t i = 0; i < r && !own->mass; i++) w->A[i * n + i] += heavy;
  if (!own->ldlt->factor(own->count, w->A)) return false;
  own->ldlt->solve(own->count, w->A, w->a);
  return true;
}

static double kinetic_energy(const lbSubspace *own, const double *v, double *Mv) {
  lb_subspace_mass_multiply(own, v, Mv);
  return 0.5 * lb_row_dot(own->count, v, Mv);
}

// What damping takes in the step, with v in its middle.
static double damped(const lbBody *body, double h, const lbEvaluated *e, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  double alpha = body->damping_mass, beta = body->damping_stiffness, sum = 0;
  lb_subspace_mass_multiply(own, s->v, w->Ma);
  for (int32_t i = 0; i < own->count; i++) sum += alpha * s->v[i] * w->Ma[i];
  if (beta == 0) return h * sum;
  lb_subspace_multiply(own, e->K, s->v, w->Ku);
  return h * (sum + beta * lb_row_dot(own->count, s->v, w->Ku));
}

// Whether the step is short enough at one of its ends, where the energy is `stored`.
static bool is_short(const lbBody *body, double h, const double *R, const double *v, double stored,
                     lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  double energy = stored + kinetic_energy(own, v, w->Ma);
  memset(w->G, 0, (size_t)body->prepared->padded * sizeof(double));
  memcpy(w->G, R, (size_t)own->count * sizeof(double));
  lb_subspace_mobilise(own, w->G);
  double softness = 0.125 * h * h * lb_row_dot(own->count, R, w->G);
  double at_rest = 0.25 * h * h * own->stiffest; // the largest share of E that it has there
  return !(softness > 0.5 * (1 + at_rest) * energy);
}

// Whether the step may be kept; `lost`: what damping took.
static bool is_sound_central(const lbBody *body, double h, const lbEvaluated *e, double lost,
                             lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  double mean = 0;
  for (int32_t i = 0; i < own->count; i++)
    mean += 0.5 * (s->q[i] - s->q0[i]) * (w->R0[i] + e->R[i]);
  double energy = kinetic_energy(own, s->v, w->Ma) + fmax(e->energy, w->energy0);
  w->created = (lbStepEnergy){ e->energy - w->energy0 - mean - lost, energy };
  return is_short(body, h, w->R0, s->v0, w->energy0, s) &&
         is_short(body, h, e->R, s->v, e->energy, s);
}

int32_t lb_central_end(lbBody *body, const lbStep *step, lbScratch *s) {
  const lbSubspace *own = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = s->own;
  double h = step->h;
  bool simple = body->damping_stiffness == 0;
  for (int32_t i = 0; i < own->count; i++) {
    if (!lb_is_bounded(s->q[i])) return LB_STEP_NONFINITE;
    w->d[i] = s->held[i] + s->pull[i];
  }
  lb_subspace_mobilise(own, w->d);
  for (int32_t i = 0; i < own->count; i++)
    s->v[i] = s->v0[i] + 0.5 * h * w->a0[i] + 0.5 * h * w->d[i];
  const lbEvaluated *e =
      simple ? lb_subspace_force(body, s->q, s) : lb_subspace_evaluate(body, s->q, s);
  if (isinf(e->energy) && isfinite(w->energy0)) return LB_STEP_FAR; // an element is inside out
  double lost = damped(body, h, e, s);
  if (simple)
    accelerate_simply(body, h, e->R, s);
  else if (!accelerate_damped(body, h, e, s))
    return LB_STEP_NONFINITE;
  for (int32_t i = 0; i < own->count; i++) {
    s->v[i] += 0.5 * h * w->a[i];
    w->a[i] -= w->d[i];
  }
  return is_sound_central(body, h, e, lost, s) ? 0 : LB_STEP_FAR;
}
