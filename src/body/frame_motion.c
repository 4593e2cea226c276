// A frame in a step: where it goes, and what the shape feels of that.
#include "body/body.h"

#include "math/functions.h"
#include "body/guard.h"

#include <string.h>

// Sizes of the body that a driven frame moves in a step, and rad that it turns: beyond, it jumps
// and carries the body along. Doubled, fast paths throw bodies instead.
#define JUMP_SIZES 4.0
#define JUMP_TURN (0.5 * LB_PI)
enum {
  TURN_PARTS = 2000, // of the rotation in a step, at most
  PASSES = 2         // to find the spin in a step's middle
};

// ---- a step: where the frame goes --------------------------------------------------------------

static lbQuat between(lbQuat a, lbQuat b, double share) {
  return share == 1 ? b : lb_quat_slerp(a, b, share);
}

static lbVec3 mix(lbVec3 a, lbVec3 b, double share) {
  return share == 1 ? b : lb_add_scaled(a, share, lb_sub(b, a));
}

// Turn from one rotation to another, world axes.
static lbVec3 turn_between(lbQuat from, lbQuat to) {
  return lb_quat_log(lb_quat_multiply(to, lb_quat_conjugate(from)));
}

static bool jumps(const lbBody *body, const lbFrameState *from, const lbFrame *to) {
  return lb_length(lb_sub(to->position, from->position)) > JUMP_SIZES * body->prepared->size ||
         lb_length(turn_between(from->rotation, to->rotation)) > JUMP_TURN;
}

// The velocity of the frame's centre when its origin moves from one place to another in h.
static lbVec3 mean_velocity(const lbBody *body, const lbFrameState *from, const lbFrame *to,
                            double h) {
  lbVec3 c = body->prepared->centre;
  lbVec3 end = lb_add(to->position, lb_quat_rotate(to->rotation, c));
  lbVec3 start = lb_add(from->position, lb_mat3_apply(from->turn, c));
  return lb_scale(1 / h, lb_sub(end, start));
}

// Returns LB_STEP_JUMPED or 0.
static int32_t drive(const lbBody *body, lbStep *step, double whole_h) {
  const lbFrameState *from = step->whole;
  lbFrame goal = { .position = from->position, .rotation = from->rotation };
  if (from->driven) goal = from->goal;
  bool jump = jumps(body, from, &goal);
  if (from->driven == LB_DRIVE_BY_PLACES) {
    goal.linear_velocity = jump ? from->velocity : mean_velocity(body, from, &goal, whole_h);
    goal.angular_velocity =
        jump ? from->spin : lb_scale(1 / whole_h, turn_between(from->rotation, goal.rotation));
  }
  double share = step->share;
  lbFrameStep *to = &step->frame;
  to->position = mix(from->position, goal.position, share);
  to->rotation = between(from->rotation, goal.rotation, share);
  to->velocity = mix(from->velocity, goal.linear_velocity, share);
  to->spin = mix(from->spin, goal.angular_velocity, share);
  to->moves = !jump;
  return jump ? LB_STEP_JUMPED : 0;
}

double lb_frame_passed(const lbBody *body, double h) {
  double alpha = body->damping_mass;
  return alpha > 0 ? -lb_expm1(-alpha * h) / alpha : h;
}

// A momentum after h under a constant force, with damping by mass, which acts on all motion.
static lbVec3 momentum_after(lbVec3 momentum, lbVec3 force, double alpha, double h) {
  if (alpha == 0) return lb_add_scaled(momentum, h, force);
  double lost = -lb_expm1(-alpha * h);
  return lb_add_scaled(lb_scale(1 - lost, momentum), lost / alpha, force);
}

// ω in the step's middle (own axes) for J there and mean rates v; s->moments holds A of the middle.
static lbVec3 middle_spin(const lbBody *body, const lbStep *step, const lbMat3 *J, const double *v,
                          const lbScratch *s) {
  const lbFrameState *f = &body->frame;
  lbVec3 end = momentum_after(f->angular, step->frame.torque, body->damping_mass, step->h);
  lbVec3 L = lb_scale(0.5, lb_add(f->angular, end));
  lbVec3 spin = lb_mat3_apply_transpose(f->turn, f->spin);
  lbVec3 relative = lb_frame_relative(body, v, s);
  for (int pass = 0; pass < PASSES; pass++) {
    lbQuat middle = lb_quat_multiply(f->rotation, lb_quat_exp(lb_scale(0.5 * step->h, spin)));
    lbVec3 own = lb_quat_rotate(lb_quat_conjugate(middle), L);
    spin = lb_inertia_solve(*J, lb_sub(own, relative));
  }
  return spin;
}

// The rotation at the step's end. A body that turns far in a step, and does not feel its
// deformation then, is turned in parts, each with the spin of its middle.
static lbQuat turn_to(const lbBody *body, const lbStep *step, lbVec3 spin) {
  const lbFrameState *f = &body->frame;
  double turn = lb_length(spin) * step->h;
  lbQuat rotation = f->rotation;
  if (!(turn > LB_TURN_MAX))
    return lb_quat_normalise(lb_quat_multiply(rotation, lb_quat_exp(lb_scale(step->h, spin))));
  // As fast as the momentum could turn it about any axis.
  const double *J = step->frame.inertia.m;
  double least = fmin(J[0], fmin(J[4], J[8]));
  if (least > 0) turn = fmax(turn, lb_length(f->angular) / least * step->h);
  int32_t count = (int32_t)fmin(ceil(turn / LB_TURN_MAX), TURN_PARTS);
  double h = step->h / count;
  lbVec3 last = momentum_after(f->angular, step->frame.torque, body->damping_mass, step->h);
  spin = lb_mat3_apply_transpose(f->turn, f->spin);
  for (int32_t i = 0; i < count; i++) {
    lbVec3 L = mix(f->angular, last, (i + 0.5) / count);
    for (int pass = 0; pass < 2 * PASSES; pass++) {
      lbQuat middle = lb_quat_multiply(rotation, lb_quat_exp(lb_scale(0.5 * h, spin)));
      lbVec3 own = lb_quat_rotate(lb_quat_conjugate(middle), L);
      spin = lb_inertia_solve(step->frame.inertia, own);
    }
    rotation = lb_quat_normalise(lb_quat_multiply(rotation, lb_quat_exp(lb_scale(h, spin))));
  }
  return rotation;
}

static void fly(const lbBody *body, lbStep *step, lbVec3 spin) {
  const lbFrameState *f = &body->frame;
  const lbPrepared *p = body->prepared;
  lbFrameStep *to = &step->frame;
  double h = step->h;
  lbVec3 momentum = momentum_after(f->momentum, to->force, body->damping_mass, h);
  lbVec3 centre =
      lb_add_scaled(lb_frame_centre(body), 0.5 * h / p->mass, lb_add(f->momentum, momentum));
  to->rotation = turn_to(body, step, spin);
  to->turn = lb_quat_to_mat3(to->rotation);
  to->velocity = lb_scale(1 / p->mass, momentum);
  to->position = lb_sub(centre, lb_mat3_apply(to->turn, p->centre));
}

// ---- inertial forces ---------------------------------------------------------------------------

// scratch->inertial <- with A of the middle in scratch->moments, the spins `e` of the mean rates,
// mean spin and the change of spin and of velocity over the step, in own axes.
static void exert(const lbBody *body, lbVec3 spin, lbVec3 spin_change, lbVec3 velocity_change,
                  double h, const double *e, lbScratch *s) {
  const lbInertia *inertia = &body->prepared->inertia;
  double x = spin.x, y = spin.y, z = spin.z;
  lbVec3 a = lb_scale(1 / h, velocity_change), alpha = lb_scale(1 / h, spin_change);
  // Of a free body, damping by mass acts on E ω too.
  if (body->frame.kind == LB_FRAME_FREE) alpha = lb_add_scaled(alpha, body->damping_mass, spin);
  const double weights[LB_INERTIA_ROWS + 6] = {
    y * y + z * z, x * x + z * z, x * x + y * y, -y * z, -x * z, -x * y, -alpha.x, -alpha.y,
    -alpha.z,      -2 * x,        -2 * y,        -2 * z, -a.x,   -a.y,   -a.z
  };
  inertia->kernels->exert(inertia, s->moments, e, weights, s->inertial);
}

// How the frame of a driven body moves in a step.
static void find_motion(const lbBody *body, lbStep *step) {
  const lbFrameState *f = &body->frame;
  lbFrameStep *to = &step->frame;
  lbVec3 turn = turn_between(f->rotation, to->rotation);
  lbQuat middle = lb_quat_multiply(lb_quat_exp(lb_scale(0.5, turn)), f->rotation);
  lbQuat back = lb_quat_conjugate(middle);
  to->mean_spin = lb_quat_rotate(back, lb_scale(1 / step->h, turn));
  to->spin_change = lb_sub(lb_quat_rotate(lb_quat_conjugate(to->rotation), to->spin),
                           lb_quat_rotate(lb_quat_conjugate(f->rotation), f->spin));
  to->velocity_change = lb_quat_rotate(back, lb_sub(to->velocity, f->velocity));
}

// The spin at the step's end is what the middle and the start make of it.
static void feel_free(const lbBody *body, lbStep *step, const double *v, const double *e,
                      lbScratch *s) {
  lbVec3 start = lb_mat3_apply_transpose(body->frame.turn, body->frame.spin);
  lbVec3 spin = middle_spin(body, step, &step->frame.inertia, v, s);
  fly(body, step, spin);
  if (body->frame.decoupled) return;
  exert(body, spin, lb_scale(2, lb_sub(spin, start)), lb_vec3(0, 0, 0), step->h, e, s);
}

// With mean rates v and their spins e.
static void feel(lbBody *body, lbStep *step, const double *v, const double *e, lbScratch *s) {
  const lbFrameStep *to = &step->frame;
  if (body->frame.kind == LB_FRAME_FREE)
    feel_free(body, step, v, e, s);
  else if (body->prepared->inertia.count)
    exert(body, to->mean_spin, to->spin_change, to->velocity_change, step->h, e, s);
}

// A and J in the middle of the step, where the rates at its start lead to.
static void find_middle(const lbBody *body, lbStep *step, lbScratch *s) {
  bool free = body->frame.kind == LB_FRAME_FREE;
  for (int32_t i = 0; i < body->prepared->padded; i++)
    s->a[i] = s->q0[i] + 0.5 * step->h * s->v0[i];
  if (body->prepared->inertia.count && !(free && body->frame.decoupled))
    lb_find_both_moments(body, s->a, s->v0, s);
  if (free)
    step->frame.inertia = lb_frame_inertia(body, s->a, s);
  else
    find_motion(body, step);
}

// b <- mean rates over the step
static void find_mean_rates(const lbBody *body, double h, lbScratch *s) {
  for (int32_t i = 0; i < body->prepared->padded; i++) s->b[i] = (s->q[i] - s->q0[i]) / h;
}

// What is applied to a free body over the step, as its method counts it: where accelerations at the
// start belong to other forces, by Newmark's rule the mean with those.
static void add_applied(const lbBody *body, lbStep *step) {
  const lbFrameState *f = &body->frame;
  lbFrameStep *to = &step->frame;
  bool mean = body->prepared->method->takes_means && body->consistent &&
              step->integrator == LB_STEP_ASKED && body->integrator == LB_INTEGRATOR_NEWMARK;
  lbVec3 force = mean ? lb_scale(0.5, lb_add(f->last_force, f->force)) : f->force;
  to->force = lb_add(force, lb_scale(body->prepared->mass, body->gravity));
  to->torque = mean ? lb_scale(0.5, lb_add(f->last_torque, f->torque)) : f->torque;
}

// ---- a step ------------------------------------------------------------------------------------

int32_t lb_frame_begin(lbBody *body, lbStep *step, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const lbFrameState *f = &body->frame;
  lbFrameStep *to = &step->frame;
  int32_t flags = 0;
  memset(s->inertial, 0, (size_t)p->padded * sizeof(double));
  *to = (lbFrameStep){ .position = f->position, .rotation = f->rotation, .turn = f->turn };
  if (lb_frame_is_still(body)) return 0;
  if (f->kind == LB_FRAME_FREE) {
    add_applied(body, step);
    to->moves = true;
  } else {
    flags = drive(body, step, step->h / (step->share - step->share_before));
    to->turn = lb_quat_to_mat3(to->rotation);
  }
  if (!lb_frame_is_felt(body)) // forces are in the axes of the step's start, carried where it jumps
    return lb_frame_add_weight(body, to->moves ? f->turn : to->turn, s) ? flags
                                                                        : flags | LB_STEP_NONFINITE;
  if (to->moves) {
    find_middle(body, step, s);
    feel(body, step, s->v0, s->moments + (LB_MOMENTS_B + LB_INERTIA_AXIS) * (size_t)p->padded, s);
  }
  return lb_frame_add_weight(body, to->turn, s) ? flags : flags | LB_STEP_NONFINITE;
}

void lb_frame_correct(lbBody *body, lbStep *step, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  double *before = s->c, *spins = s->moments + LB_MOMENTS_SPINS * (size_t)p->padded;
  if (!step->frame.moves || (body->frame.kind == LB_FRAME_FREE && body->frame.decoupled)) return;
  memcpy(before, s->inertial, (size_t)p->padded * sizeof(double));
  find_mean_rates(body, step->h, s);
  if (p->inertia.count) p->inertia.kernels->spins(&p->inertia, s->b, spins);
  feel(body, step, s->b, spins, s);
  for (int32_t i = 0; i < p->padded; i++) {
    s->a[i] = s->inertial[i] - before[i];
    s->held[i] += s->a[i];
  }
  p->method->respond(body, step, s, s->a, s->b);
  for (int32_t i = 0; i < p->padded; i++) s->q[i] += s->b[i];
}

void lb_frame_try(const lbBody *body, lbStep *step, lbScratch *s) {
  const double *pull = s->pull + body->prepared->padded;
  step->frame.force = lb_add(step->frame.force, lb_vec3_load(pull));
  step->frame.torque = lb_add(step->frame.torque, lb_vec3_load(pull + 3));
  find_mean_rates(body, step->h, s);
  fly(body, step, middle_spin(body, step, &step->frame.inertia, s->b, s));
}

void lb_frame_end(lbBody *body, const lbStep *step, lbScratch *s) {
  lbFrameState *f = &body->frame;
  lbStep last = *step;
  if (lb_frame_is_still(body)) return;
  if (f->kind == LB_FRAME_FREE) {
    lb_frame_try(body, &last, s);
    double alpha = body->damping_mass;
    f->momentum = momentum_after(f->momentum, last.frame.force, alpha, step->h);
    f->angular = momentum_after(f->angular, last.frame.torque, alpha, step->h);
    f->last_force = f->force, f->last_torque = f->torque;
  }
  f->position = last.frame.position;
  f->rotation = last.frame.rotation;
  f->turn = lb_quat_to_mat3(last.frame.rotation);
  f->velocity = last.frame.velocity;
  f->spin = last.frame.spin;
  if (f->kind == LB_FRAME_FREE) lb_frame_update_rates(body, s->q, s->v, s);
}
