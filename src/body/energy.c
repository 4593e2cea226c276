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

// Of weight and loads, and of the inertial forces of a driven frame. Those of a free frame exchange
// energy between frame and shape; forces of a world's rows (contacts, joints) are counted there.
static double work_on_shape(const lbBody *body, const lbScratch *s) {
  bool driven = body->frame.kind == LB_FRAME_DRIVEN, rows = body->contacts && body->contacts->acts;
  double work = 0;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    double force = s->force[i] + s->held[i];
    if (!driven) force -= s->inertial[i];
    if (rows) force -= body->contacts->force[i];
    work += force * (s->q[i] - s->q0[i]);
  }
  return work;
}

static double work_on_frame(const lbBody *body, const lbStep *step, const lbFrameState *start) {
  lbVec3 from = lb_add(start->position, lb_mat3_apply(start->turn, body->prepared->centre));
  lbVec3 moved = lb_sub(lb_frame_centre(body), from);
  lbVec3 turned =
      lb_quat_log(lb_quat_multiply(body->frame.rotation, lb_quat_conjugate(start->rotation)));
  lbVec3 force = step->frame.force, torque = step->frame.torque;
  if (body->contacts && body->contacts->acts) {
    const double *rows = body->contacts->force + body->prepared->padded;
    force = lb_sub(force, lb_vec3_load(rows)), torque = lb_sub(torque, lb_vec3_load(rows + 3));
  }
  return lb_dot(force, moved) + lb_dot(torque, turned);
}

double lb_step_work(const lbBody *body, const lbStep *step, const lbFrameState *start,
                    const lbScratch *s) {
  double work = work_on_shape(body, s);
  if (body->frame.kind == LB_FRAME_FREE && !body->frame.fitted)
    work += work_on_frame(body, step, start);
  if (!lb_body_is_constrained(body)) return work;
  if (!body->constraints->collocated) return INFINITY; // forces act elsewhere: not known
  return work + lb_constraints_work(body, step, lb_vec3(0, 0, 0), s);
}
