// The energy of a body and the work that is done on it in a step: what a guard compares to find
// steps that create energy.
//
//   created = E(end) - E(start) - work,   E = kinetic + elastic energy
//
// E is that of the body in the world, or in a driven frame the energy relative to the frame, whose
// inertial forces then do work on the shape.
#include "body/constraints.h"
#include "body/hand_rows.h"
#include "body/energy.h"

// ---- energies ----------------------------------------------------------------------------------

// With J at q and h.
static lbFreeEnergy energy_of(lbBody *body, lbMat3 J, lbVec3 h, const double *q, const double *v,
                              lbScratch *s) {
  const lbFrameState *f = &body->frame;
  lbVec3 L = lb_mat3_apply_transpose(f->turn, f->angular);
  lbVec3 of_L = lb_inertia_solve(J, L), of_h = lb_inertia_solve(J, h);
  double linear = 0.5 * lb_dot(f->momentum, f->momentum) / body->prepared->mass;
  return (lbFreeEnergy){ linear + 0.5 * lb_dot(L, of_L) +
                             body->prepared->method->stored(body, q, s),
                         -lb_dot(h, of_L),
                         0.5 * lb_dot(h, of_h) + body->prepared->method->kinetic(body, v, s) };
}

lbFreeEnergy lb_free_energy(lbBody *body, const double *q, const double *v, lbScratch *s) {
  lbMat3 J = lb_frame_inertia(body, q, s);
  return energy_of(body, J, lb_frame_relative(body, v, s), q, v, s);
}

double lb_frame_energy_at(lbBody *body, const double *q, const double *v, lbScratch *s) {
  if (body->frame.kind != LB_FRAME_FREE)
    return body->prepared->method->stored(body, q, s) + body->prepared->method->kinetic(body, v, s);
  lbFreeEnergy e = lb_free_energy(body, q, v, s);
  return lb_free_energy_at(&e, 1);
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
  lbFreeEnergy e = energy_of(body, first_inertia(body, step, s), h, s->q0, s->v0, s);
  return lb_free_energy_at(&e, 1);
}

bool lb_body_energy(lbBody *body, double *energy) {
  const lbBodyMethod *method = body->prepared->method;
  *energy = 0;
  if (method->is_recording) return false;
  bool reduced = !method->fit_frame && method->kinetic && method->elastic;
  if (!reduced && body->frame.kind == LB_FRAME_DRIVEN) return false;
  if (!reduced) {
    lbBodyReport report = lb_body_report(body);
    *energy = report.kinetic + report.elastic;
    return true;
  }
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return false;
  method->get(body, s->q0, s->v0, NULL);
  *energy = lb_frame_energy_at(body, s->q0, s->v0, s);
  lb_scratch_return(body->prepared, s);
  return true;
}

// ---- work --------------------------------------------------------------------------------------

// Of weight and loads, and of the inertial forces of a driven frame. Those of a free frame exchange
// energy between frame and shape. `rows`: of contacts and joints of a world, too.
static double work_on_shape(const lbBody *body, bool rows, const lbScratch *s) {
  const double *omitted =
      !rows && body->contacts && body->contacts->acts ? body->contacts->force : NULL;
  bool driven = body->frame.kind == LB_FRAME_DRIVEN;
  double work = 0;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    double force = s->force[i] + s->held[i];
    if (!driven) force -= s->inertial[i];
    if (omitted) force -= omitted[i];
    work += force * (s->q[i] - s->q0[i]);
  }
  return work;
}

static double work_on_frame(const lbBody *body, const lbStep *step, const lbFrameState *start,
                            lbVec3 drift, bool rows) {
  lbVec3 from = lb_add(start->position, lb_mat3_apply(start->turn, body->prepared->centre));
  lbVec3 moved = lb_add_scaled(lb_sub(lb_frame_centre(body), from), -step->h, drift);
  lbVec3 turned =
      lb_quat_log(lb_quat_multiply(body->frame.rotation, lb_quat_conjugate(start->rotation)));
  lbVec3 force = step->frame.force, torque = step->frame.torque;
  if (!rows && body->contacts && body->contacts->acts) {
    const double *omitted = body->contacts->force + body->prepared->padded;
    force = lb_sub(force, lb_vec3_load(omitted)),
    torque = lb_sub(torque, lb_vec3_load(omitted + 3));
  }
  return lb_dot(force, moved) + lb_dot(torque, turned);
}

double lb_step_work(const lbBody *body, const lbStep *step, const lbFrameState *start, lbVec3 drift,
                    bool rows, const lbScratch *s) {
  double work = work_on_shape(body, rows, s);
  if (body->frame.kind == LB_FRAME_FREE && !body->frame.fitted)
    work += work_on_frame(body, step, start, drift, rows);
  return lb_body_is_constrained(body) ? work + lb_constraints_work(body, step, drift, s) : work;
}
