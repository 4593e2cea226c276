// The energy of a free body. Its momenta are kept by construction, its energy by the integrators up
// to their order; spins as fast as the body's own frequencies, and constraints that turn it far in
// one step, can make them create some, which grows. The body keeps account of it; a step that would
// bring the account above a share of the energy is mended: one with constraints is taken again
// without the coupling of spin and shape; then the deformation is slowed down, then taken back, and
// at last the whole step is. All of it is flagged. The account of a body that is dragged is that of
// an observer who goes with the hand: for him the hand does no work.
#include "body/constraints.h"
#include "body/guard.h"

#include <string.h>

#define SLOWER 0.8 // momenta and shape after a step that was taken back

// Kinetic energy for given momenta as a function of a factor s on the rates of deformation,
//   P²/2m + (L - s h)·J⁻¹(L - s h)/2 + s² v·Mv/2,   h = Σ v_i E_i,
// and what is stored: E(s) = a + b s + c s².
typedef struct Energy {
  double a, b, c;
} Energy;

// With J at q and h.
static Energy energy_of(lbBody *body, lbMat3 J, lbVec3 h, const double *q, const double *v,
                        lbScratch *s) {
  const lbFrameState *f = &body->frame;
  lbVec3 L = lb_mat3_apply_transpose(f->turn, f->angular);
  lbVec3 of_L = lb_inertia_solve(J, L), of_h = lb_inertia_solve(J, h);
  double linear = 0.5 * lb_dot(f->momentum, f->momentum) / body->prepared->mass;
  return (Energy){ linear + 0.5 * lb_dot(L, of_L) + body->prepared->method->stored(body, q, s),
                   -lb_dot(h, of_L),
                   0.5 * lb_dot(h, of_h) + body->prepared->method->kinetic(body, v, s) };
}

static double at(const Energy *e, double s) { return e->a + s * (e->b + s * e->c); }

static Energy energy_at(lbBody *body, const double *q, const double *v, lbScratch *s) {
  lbMat3 J = lb_frame_inertia(body, q, s);
  return energy_of(body, J, lb_frame_relative(body, v, s), q, v, s);
}

double lb_frame_energy_at(lbBody *body, const double *q, const double *v, lbScratch *s) {
  if (body->frame.kind != LB_FRAME_FREE)
    return body->prepared->method->stored(body, q, s) + body->prepared->method->kinetic(body, v, s);
  Energy e = energy_at(body, q, v, s);
  return at(&e, 1);
}

// J at the step's start: from there to its middle A has changed by B h/2.
static lbMat3 first_inertia(const lbBody *body, const lbStep *step, const lbScratch *s) {
  const lbPrepared *p = body->prepared;
  size_t n = (size_t)p->padded;
  const double *A = s->moments, *B = A + LB_MOMENTS_B * n;
  double *first = s->moments + LB_MOMENTS_OTHER * n;
  if (body->frame.decoupled) return step->frame.inertia;
  for (size_t i = 0; i < LB_INERTIA_AXIS * n; i++) first[i] = A[i] - 0.5 * step->h * B[i];
  return lb_inertia_tensor(&p->inertia, s->q0, first);
}

// The rates at the start do not change h on their own: Σ v_i v_j E2_ij = 0.
double lb_frame_energy(lbBody *body, const lbStep *step, lbScratch *s) {
  lbVec3 h = lb_frame_relative(body, s->v0, s);
  Energy e = energy_of(body, first_inertia(body, step, s), h, s->q0, s->v0, s);
  return at(&e, 1);
}

// What acted from outside has done in the step, on frame and shape.
static double work_of(const lbBody *body, const lbStep *step, const lbFrameState *start,
                      lbVec3 drift, const lbScratch *s) {
  const lbPrepared *p = body->prepared;
  lbVec3 from = lb_add(start->position, lb_mat3_apply(start->turn, p->centre));
  lbVec3 turn =
      lb_quat_log(lb_quat_multiply(body->frame.rotation, lb_quat_conjugate(start->rotation)));
  lbVec3 way = lb_add_scaled(lb_sub(lb_frame_centre(body), from), -step->h, drift);
  double work = lb_dot(step->frame.force, way) + lb_dot(step->frame.torque, turn);
  for (int32_t i = 0; i < p->dimension; i++)
    work += (s->force[i] + s->held[i] - s->inertial[i]) * (s->q[i] - s->q0[i]);
  return lb_body_is_constrained(body) ? work + lb_constraints_work(body, step, drift, s) : work;
}

// The largest factor up to 1 with which the energy is no more than wanted; 0 when none is.
static double slow_down(const Energy *e, double wanted) {
  double low = 0, high = 1;
  if (at(e, 0) > wanted) return 0;
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (low + high);
    *(at(e, middle) <= wanted ? &low : &high) = middle;
  }
  return low;
}

static void set_rates(lbBody *body, double factor, lbScratch *s) {
  for (int32_t i = 0; i < body->prepared->padded; i++) s->v[i] *= factor;
  body->prepared->method->put(body, s->q, s->v, NULL);
  lb_body_disturb(body);
  lb_frame_update_rates(body, s->q, s->v, s);
}

// Energies that the body exchanges in passing count too: an error in the work of gravity is one.
static double level_of(const lbBody *body, double energy) {
  const lbPrepared *p = body->prepared;
  return energy + p->mass * lb_length(body->gravity) * p->size;
}

// What is added to an energy for an observer who moves with u: kinetic energy of P - m u.
static double seen_from(const lbBody *body, lbVec3 P, lbVec3 u) {
  return 0.5 * body->prepared->mass * lb_dot(u, u) - lb_dot(P, u);
}

int32_t lb_frame_mend(lbBody *body, const lbStep *step, const lbFrameState *start, lbVec3 drift,
                      lbScratch *s) {
  lbFrameState *f = &body->frame;
  Energy now = energy_at(body, s->q, s->v, s);
  now.a += seen_from(body, f->momentum, drift);
  double before = step->frame.energy + seen_from(body, start->momentum, drift);
  double energy = at(&now, 1), created = energy - before - work_of(body, step, start, drift, s);
  double noise = body->prepared->energy_noise;
  double limit = LB_ENERGY_TOLERANCE * level_of(body, fmax(energy, before)) + noise;
  double account = f->created + created;
  f->created = fmin(fmax(account, 0), limit);
  if (isfinite(energy) && !(created > 0 && account > limit)) return 0;
  // The guard takes it again; of a body that is held shorter substeps create as much.
  bool last = step->integrator == LB_STEP_EULER || (lb_body_is_constrained(body) && f->decoupled);
  if (!last) return LB_STEP_FAR;
  bool finite = isfinite(now.a);
  double wanted = fmax(finite ? energy - (account - limit) : before, 0);
  set_rates(body, finite ? slow_down(&now, wanted) : 0, s);
  if (finite && now.a <= wanted + limit) return LB_STEP_ADAPTED;
  memcpy(s->q, s->q0, (size_t)body->prepared->padded * sizeof(double));
  set_rates(body, 0, s);
  now = energy_at(body, s->q, s->v, s);
  now.a += seen_from(body, f->momentum, drift);
  if (at(&now, 1) <= wanted + limit) return LB_STEP_ADAPTED;
  *f = *start;
  f->created = 0;
  if (lb_body_is_constrained(body)) { // where it was, and slower: what holds it takes momentum
    lbVec3 along = lb_scale(body->prepared->mass, drift);
    f->momentum = lb_add_scaled(along, SLOWER, lb_sub(f->momentum, along));
    f->angular = lb_scale(SLOWER, f->angular);
    for (int32_t i = 0; i < body->prepared->padded; i++) s->q[i] *= SLOWER; // or it stays for ever
  }
  set_rates(body, 0, s);
  return LB_STEP_ADAPTED | LB_STEP_NOT_CONVERGED;
}
