// Central differences for subspace bodies: positions are carried by velocities in the middle of
// steps, and one evaluation of the forces a step gives the acceleration at its end,
//
//   v_mid = v0 + h/2 a0,   q = q0 + h v_mid,
//   (M + h/2 C) a = f - R(q) - C v_mid,   v = v_mid + h/2 a,   C = alpha M + beta K(q).
//
// Without damping by stiffness and with M = 1 no system is solved. Hard constraints are impulses on
// v_mid and forces on a. Springs are implicit impulses on v_mid, and stable however stiff they are:
// with p their forces in a step and p0 in the one before,
//
//   v_mid = v0 + h/2 a0 + h M^-1 F (p - p0),
//
// and p belongs to f. What is kept of a is a - 2 M^-1 F p, for the next step's sum.
#include "body/subspace_step.h"

#include <string.h>

// w->pull <- external force and springs
static void sum_forces(lbBody *body) {
  const lbConstraints *c = body->constraints;
  lbSubspaceWork *w = &body->instances->work;
  memcpy(w->pull, w->f, (size_t)body->common->dimension * sizeof *w->pull);
  if (lb_body_is_constrained(body)) lb_springs_add(body, c->F, 1, w->pull);
}

// w->a <- (M + h/2 C)^-1 (f - R - C v) where C is a multiple of M.
static void accelerate_simply(lbBody *body, double h, const double *R) {
  lbConstraints *c = body->constraints;
  lbSubspaceWork *w = &body->instances->work;
  double alpha = body->common->damping_mass, factor = 1 / (1 + 0.5 * h * alpha);
  for (int32_t i = 0; i < body->common->dimension; i++) w->a[i] = w->pull[i] - R[i];
  lb_subspace_mobilise(&body->common->subspace, w->a);
  for (int32_t i = 0; i < body->common->dimension; i++)
    w->a[i] = factor * (w->a[i] - alpha * w->v[i]);
  if (!lb_body_is_constrained(body)) return;
  lb_hard_project_acceleration(body, w->a);
  for (int32_t j = 0; j < c->hard_columns; j++) c->pulls[j] += c->solution[j] / factor;
}

static bool accelerate_damped(lbBody *body, double h, const lbEvaluated *e) {
  const lbBodyCommon *common = body->common;
  const lbSubspace *s = &common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  size_t n = (size_t)s->stride, r = (size_t)common->dimension;
  double alpha = common->damping_mass, beta = common->damping_stiffness;
  lb_subspace_mass_multiply(s, w->v, w->Ma);
  lb_subspace_multiply(s, e->K, w->v, w->Cv);
  for (size_t i = 0; i < r; i++)
    w->a[i] = w->pull[i] - e->R[i] - alpha * w->Ma[i] - beta * w->Cv[i];
  double heavy = 1 + 0.5 * h * alpha, stiff = 0.5 * h * beta;
  for (size_t i = 0; i < n * n; i++)
    w->A[i] = stiff * e->K[i] + (s->unit_mass ? 0 : heavy * s->mass[i]);
  for (size_t i = 0; i < r && s->unit_mass; i++) w->A[i * n + i] += heavy;
  if (!s->ldlt->factor(common->dimension, w->A)) return false;
  s->ldlt->solve(common->dimension, w->A, w->a);
  return !lb_body_is_constrained(body) || lb_hard_accelerate(body, w->A, w->a);
}

static bool accelerate(lbBody *body, double h) {
  const lbSubspace *s = &body->common->subspace;
  lbSubspaceWork *w = &body->instances->work;
  sum_forces(body);
  if (body->common->damping_stiffness != 0)
    return accelerate_damped(body, h, lb_subspace_evaluate(body, w->q));
  s->kernels->force(&s->cubic, w->q, w->G, w->cubic);
  accelerate_simply(body, h, w->G);
  return true;
}

int32_t lb_subspace_central(lbBody *body, double h) {
  lbSubspaceWork *w = &body->instances->work;
  int32_t r = body->common->dimension;
  bool constrained = lb_body_is_constrained(body);
  for (int32_t i = 0; i < r; i++) w->v[i] = w->v0[i] + 0.5 * h * w->a0[i];
  if (constrained && !lb_rows_kick(body, h, w->q0, w->v)) return LB_STEP_NONFINITE;
  for (int32_t i = 0; i < r; i++) {
    w->q[i] = w->q0[i] + h * w->v[i];
    if (!lb_is_bounded(w->q[i])) return LB_STEP_NONFINITE;
  }
  if (!accelerate(body, h)) return LB_STEP_NONFINITE;
  for (int32_t i = 0; i < r; i++) w->v[i] += 0.5 * h * w->a[i];
  if (constrained) {
    lb_hard_project_velocity(body, w->q0, w->q, h, w->v);
    lb_springs_add(body, body->constraints->moved, -2, w->a);
  }
  return h > lb_body_stable_step(body) ? LB_STEP_NOT_CONVERGED : 0;
}
