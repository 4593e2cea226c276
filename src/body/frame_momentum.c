// How a frame and the shape in it share momenta: inertia at a state, velocities from momenta,
// impulses.
#include "body/body.h"
#include "solve/tolerances.h"

#include <string.h>

// ---- inertia -----------------------------------------------------------------------------------

// J⁻¹ b; flat and needle-like bodies too.
lbVec3 lb_inertia_solve(lbMat3 J, lbVec3 b) {
  double slack = LB_SUM_ROUNDING * lb_mat3_trace(J);
  for (int k = 0; k < 9; k += 4) J.m[k] += slack;
  lbVec3 x = lb_mat3_apply(lb_mat3_inverse(J), b);
  return lb_vec3_is_bounded(x) ? x : lb_vec3(0, 0, 0);
}

// scratch->moments <- A at q, and B of rates v.
void lb_find_both_moments(const lbBody *body, const double *q, const double *v, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  size_t n = (size_t)p->padded;
  p->inertia.kernels->moments(&p->inertia, q, v, s->moments,
                              v ? s->moments + LB_MOMENTS_B * n : NULL);
  memcpy(s->moments + LB_MOMENTS_AT * n, q, n * sizeof *q);
  s->moments_version = p->version;
}

void lb_find_moments(const lbBody *body, const double *q, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  size_t n = (size_t)p->padded;
  if (s->moments_version != p->version ||
      memcmp(s->moments + LB_MOMENTS_AT * n, q, n * sizeof *q) != 0)
    lb_find_both_moments(body, q, NULL, s);
}

// Decoupled bodies have the inertia of their rest shape.
lbMat3 lb_frame_inertia(const lbBody *body, const double *q, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  if (body->frame.decoupled) {
    lbMat3 J;
    memcpy(J.m, p->model->rigid_inertia, sizeof J.m);
    return lb_mat3_scale(p->inertia.count ? p->inertia.scale : 1, J);
  }
  lb_find_moments(body, q, s);
  return lb_inertia_tensor(&p->inertia, q, s->moments);
}

// Σ q̇_i E_i
lbVec3 lb_frame_relative(const lbBody *body, const double *v, const lbScratch *s) {
  if (body->frame.decoupled) return lb_vec3(0, 0, 0);
  return lb_inertia_relative(&body->prepared->inertia, v, s->moments);
}

// ω in own axes, of angular momentum `own` in own axes.
static lbVec3 spin_of(const lbBody *body, lbVec3 own, const double *q, const double *v,
                      lbScratch *s) {
  lbMat3 J = lb_frame_inertia(body, q, s);
  return lb_inertia_solve(J, lb_sub(own, lb_frame_relative(body, v, s)));
}

void lb_frame_update_rates(lbBody *body, const double *q, const double *v, lbScratch *s) {
  lbFrameState *f = &body->frame;
  lbVec3 own = lb_mat3_apply_transpose(f->turn, f->angular);
  f->velocity = lb_scale(1 / body->prepared->mass, f->momentum);
  f->spin = lb_mat3_apply(f->turn, spin_of(body, own, q, v, s));
}

// With p_i = M q̇_i + E_i·ω the momenta that belong to q: p and L change by the impulse, and then
//   (J − Σ E_i E_iᵀ/M) ω = L − Σ p_i E_i/M.
static void add_impulse_to_free_frame(lbBody *body, lbVec3 moment, const double *reduced,
                                      const double *q, double *v, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  lbFrameState *f = &body->frame;
  double M = p->inertia.scale;
  lbVec3 before = lb_mat3_apply_transpose(f->turn, f->spin);
  f->angular = lb_add(f->angular, moment);
  lbMat3 J = lb_frame_inertia(body, q, s);
  lbVec3 left = lb_mat3_apply_transpose(f->turn, f->angular);
  for (int32_t i = 0; i < p->dimension; i++) {
    lbVec3 E = lb_inertia_axis(s->moments, p->padded, i);
    v[i] = M * v[i] + lb_dot(E, before) + reduced[i];
    J = lb_mat3_sub(J, lb_mat3_scale(1 / M, lb_mat3_outer(E, E)));
    left = lb_add_scaled(left, -v[i] / M, E);
  }
  lbVec3 spin = lb_inertia_solve(J, left);
  for (int32_t i = 0; i < p->dimension; i++)
    v[i] = (v[i] - lb_dot(lb_inertia_axis(s->moments, p->padded, i), spin)) / M;
  f->spin = lb_mat3_apply(f->turn, spin);
}

void lb_frame_apply_impulse(lbBody *body, lbVec3 impulse, lbVec3 moment, const double *reduced,
                            const double *q, double *v, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  lbFrameState *f = &body->frame;
  bool free = f->kind == LB_FRAME_FREE;
  if (free) {
    f->momentum = lb_add(f->momentum, impulse);
    f->velocity = lb_scale(1 / p->mass, f->momentum);
  }
  if (free && !f->decoupled) {
    add_impulse_to_free_frame(body, moment, reduced, q, v, s);
    return;
  }
  p->method->apply_impulse(body, s, reduced, v);
  if (free) {
    f->angular = lb_add(f->angular, moment);
    lb_frame_update_rates(body, q, v, s);
  }
}

// ---- velocity ----------------------------------------------------------------------------------

static void set_free_velocity(lbBody *body, lbVec3 linear, lbVec3 angular, lbScratch *s) {
  lbFrameState *f = &body->frame;
  body->prepared->method->get(body, s->q, s->v, NULL);
  if (f->fitted) {
    f->velocity = linear, f->spin = angular;
    body->prepared->method->put(body, NULL, s->v, NULL);
    return;
  }
  lbMat3 J = lb_frame_inertia(body, s->q, s);
  lbVec3 own = lb_mat3_apply(J, lb_mat3_apply_transpose(f->turn, angular));
  own = lb_add(own, lb_frame_relative(body, s->v, s));
  f->momentum = lb_scale(body->prepared->mass, linear);
  f->angular = lb_mat3_apply(f->turn, own);
  lb_frame_update_rates(body, s->q, s->v, s);
}

// rates <- of a rigid motion relative to the frame; false: absurd
static bool find_rates(const lbBody *body, lbVec3 linear, lbVec3 angular, double *rates) {
  const lbPrepared *p = body->prepared;
  lbVec3 a = lb_mat3_apply_transpose(body->frame.turn, linear);
  lbVec3 b = lb_mat3_apply_transpose(body->frame.turn, angular);
  memset(rates, 0, (size_t)p->padded * sizeof(double));
  for (int32_t i = 0; i < p->dimension && p->rigid; i++) {
    const double *rigid = p->rigid + 6 * (size_t)i;
    rates[i] = lb_dot(lb_vec3_load(rigid), a) + lb_dot(lb_vec3_load(rigid + 3), b);
    if (!lb_is_bounded(rates[i])) return false;
  }
  return true;
}

lbStatus lb_body_set_velocity(lbBody *body, lbVec3 linear, lbVec3 angular) {
  if (!body) return LB_ERR_ARGUMENT;
  const lbPrepared *p = body->prepared;
  lbScratch *s = lb_scratch_borrow(p);
  if (!s) return lb_fail_memory(body->message);
  bool sane = lb_vec3_is_bounded(linear) && lb_vec3_is_bounded(angular) &&
              find_rates(body, linear, angular, s->v);
  if (sane && lb_body_frame_kind(body) == LB_FRAME_FREE)
    set_free_velocity(body, linear, angular, s);
  else if (sane && !p->method->is_recording)
    p->method->put(body, NULL, s->v, NULL);
  lb_scratch_return(p, s);
  if (!sane)
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "velocity is (%g, %g, %g), (%g, %g, %g): not a number or beyond %g", linear.x,
                   linear.y, linear.z, angular.x, angular.y, angular.z, LB_BODY_MOST);
  lb_body_disturb(body);
  return LB_OK;
}

// Its rates are slowed down first: momenta follow from them.
void lb_body_slow(lbBody *body, double factor, lbVec3 drift) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return;
  const lbFrameState *f = &body->frame;
  body->prepared->method->get(body, s->q, s->v, NULL); // some find rates beside coordinates only
  for (int32_t i = 0; i < body->prepared->dimension; i++) s->v[i] *= factor;
  body->prepared->method->put(body, NULL, s->v, NULL);
  lbVec3 linear = lb_add_scaled(drift, factor, lb_sub(f->velocity, drift));
  if (lb_body_frame_kind(body) == LB_FRAME_FREE)
    set_free_velocity(body, linear, lb_scale(factor, f->spin), s);
  lb_body_disturb(body);
  lb_scratch_return(body->prepared, s);
}
