// Pushing a subspace body over a step of h (push.c). A step by itself moves q by d and ends at the
// velocity 2 d/h - v: by Newmark's rule, started from the acceleration under the forces of the
// step,
//   A d = 4/h M v + 2 (f - R),   A = 4/h² M + 2/h C + K,
// and by central differences the same with 4/h² M for A, and f - R - C v. It moves by m more, and
// ends s faster, when v changes by 2 m/h - s at its start, and the force by
//   (K/2 + C/h) m + 2/h M (s - m/h),   central: without K and C.
#include "body/push.h"
#include "body/subspace_step.h"

#include <string.h>

// factors <- L D L^T of A; false when it is not positive definite. K NULL: 4/h² M alone.
static bool factor(const lbBodyCommon *common, double h, const double *K) {
  const lbSubspace *s = &common->subspace;
  size_t n = (size_t)s->stride, r = (size_t)common->dimension;
  double *A = common->push->factors, heavy = (4 / h + (K ? 2 * common->damping_mass : 0)) / h;
  double stiff = 1 + 2 * common->damping_stiffness / h;
  for (size_t i = 0; i < n * n; i++)
    A[i] = (K ? stiff * K[i] : 0) + (s->unit_mass ? 0 : heavy * s->mass[i]);
  for (size_t i = 0; i < r && s->unit_mass; i++) A[i * n + i] += heavy;
  return s->ldlt->factor(common->dimension, A) && lb_ldlt_negative_count(common->dimension, A) == 0;
}

void lb_subspace_foresee(lbBody *body, double h, double *ahead, double *rates) {
  const lbBodyCommon *common = body->common;
  const lbSubspace *s = &common->subspace;
  const lbSubspaceWork *w = &body->instances->work;
  const double alpha = common->damping_mass, beta = common->damping_stiffness;
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
  lb_subspace_multiply(s, e->K, w->v0, w->Cv);
  for (int32_t i = 0; i < r; i++) {
    double pull = body->instances->force[lb_body_at(body, i)] - e->R[i];
    if (choice == 2) pull -= alpha * w->Ma[i] + beta * w->Cv[i];
    ahead[i] = 4 / h * w->Ma[i] + 2 * pull;
  }
  s->ldlt->solve(r, common->push->factors, ahead);
  for (int32_t i = 0; i < r; i++) {
    rates[i] = 2 / h * ahead[i] - w->v0[i];
    ahead[i] += w->q0[i];
  }
}

void lb_subspace_answer(const lbBody *body, double h, double *x) {
  (void)h;
  body->common->subspace.ldlt->solve(body->common->dimension, body->common->push->factors, x);
  for (int32_t i = 0; i < body->common->dimension; i++) x[i] *= 4; // M^-1 h² where K is small
}

bool lb_subspace_deliver(lbBody *body, double h, const double *moved, const double *quickened) {
  const lbBodyCommon *common = body->common;
  const lbSubspace *s = &common->subspace;
  const lbSubspaceWork *w = &body->instances->work;
  const double *K = common->push->stiffness;
  const double alpha = K ? common->damping_mass : 0, beta = common->damping_stiffness;
  int32_t r = common->dimension;
  double *force = common->forces, *rates = w->v0;
  for (int32_t i = 0; i < r; i++)
    w->d[i] = 2 / h * (quickened[i] - moved[i] / h) + alpha / h * moved[i];
  lb_subspace_mass_multiply(s, w->d, w->Ma);
  memset(w->Cv, 0, (size_t)common->padded * sizeof *w->Cv);
  if (K) lb_subspace_multiply(s, K, moved, w->Cv);
  for (int32_t i = 0; i < r; i++) {
    force[i] = w->Ma[i] + (0.5 + beta / h) * w->Cv[i];
    rates[i] = body->instances->v[lb_body_at(body, i)] + 2 / h * moved[i] - quickened[i];
    if (!lb_is_bounded(rates[i]) || !lb_is_bounded(force[i])) return false;
  }
  for (int32_t i = 0; i < r; i++) body->instances->v[lb_body_at(body, i)] = rates[i];
  lb_body_add_reduced_force(body, force);
  lb_body_disturb(body);
  return true;
}
