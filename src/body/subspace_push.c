// Pushing a subspace body over a step of h (push.c). With B = M/h² + C/h + K at the step's start,
// the body by itself comes to q + d, B d = M v/h + f - R, and a force x moves it by B^-1 x.
//
// Newmark's step, started from the acceleration under the new force, moves q by m and v by m/h when
// v changes by m/h at its start and the force by (C/h + K/2) m. Central differences need the first
// alone, and M/h² for B.
#include "body/push.h"
#include "body/subspace_step.h"

#include <string.h>

// factors <- L D L^T of M/h² + C/h + K; false when it is not positive definite. K NULL: none.
static bool factor(const lbBodyCommon *common, double h, const double *K) {
  const lbSubspace *s = &common->subspace;
  size_t n = (size_t)s->stride, r = (size_t)common->dimension;
  double *B = common->push->factors, heavy = (1 / h + (K ? common->damping_mass : 0)) / h;
  double stiff = 1 + common->damping_stiffness / h;
  for (size_t i = 0; i < n * n; i++)
    B[i] = (K ? stiff * K[i] : 0) + (s->unit_mass ? 0 : heavy * s->mass[i]);
  for (size_t i = 0; i < r && s->unit_mass; i++) B[i * n + i] += heavy;
  return s->ldlt->factor(common->dimension, B) && lb_ldlt_negative_count(common->dimension, B) == 0;
}

void lb_subspace_foresee(lbBody *body, double h, double *ahead) {
  const lbBodyCommon *common = body->common;
  const lbSubspace *s = &common->subspace;
  const lbSubspaceWork *w = &body->instances->work;
  int32_t r = common->dimension;
  size_t bytes = (size_t)r * sizeof(double);
  memcpy(w->q0, lb_body_coordinates(body), bytes);
  memcpy(w->v0, lb_body_rates(body), bytes);
  const lbEvaluated *e = lb_subspace_evaluate(body, w->q0);
  const double *choices[3] = { e->K, s->cubic.linear, NULL }; // that at rest where K is indefinite
  int choice = s->integrator == LB_INTEGRATE_CENTRAL ? 2 : 0;
  while (!factor(common, h, choices[choice]) && choice < 2) choice++;
  common->push->stiffness = choices[choice];
  lb_subspace_mass_multiply(s, w->v0, w->Ma);
  for (int32_t i = 0; i < r; i++)
    ahead[i] = w->Ma[i] / h + body->instances->force[lb_body_at(body, i)] - e->R[i];
  lb_subspace_answer(body, h, ahead);
  for (int32_t i = 0; i < r; i++) ahead[i] += w->q0[i];
}

void lb_subspace_answer(const lbBody *body, double h, double *x) {
  (void)h;
  body->common->subspace.ldlt->solve(body->common->dimension, body->common->push->factors, x);
}

bool lb_subspace_deliver(lbBody *body, double h, const double *moved) {
  const lbBodyCommon *common = body->common;
  const lbSubspace *s = &common->subspace;
  const lbSubspaceWork *w = &body->instances->work;
  int32_t r = common->dimension;
  double *force = common->forces;
  memset(force, 0, (size_t)common->padded * sizeof *force);
  if (common->push->stiffness) {
    lb_subspace_mass_multiply(s, moved, w->Ma);
    lb_subspace_multiply(s, common->push->stiffness, moved, w->Cv);
    for (int32_t i = 0; i < r; i++)
      force[i] =
          common->damping_mass / h * w->Ma[i] + (common->damping_stiffness / h + 0.5) * w->Cv[i];
  }
  for (int32_t i = 0; i < r; i++) {
    double rate = body->instances->v[lb_body_at(body, i)] + moved[i] / h;
    if (!lb_is_bounded(rate) || !lb_is_bounded(force[i])) return false;
  }
  for (int32_t i = 0; i < r; i++) body->instances->v[lb_body_at(body, i)] += moved[i] / h;
  lb_body_add_reduced_force(body, force);
  lb_body_disturb(body);
  return true;
}
