// How a body takes a step, whatever its method.
//
//   predict the frame -> linearise: free motion -> correct for the frame -> constraints -> end
//                        \__________________________________________________________/  again?
//   -> commit -> frame -> velocities along constraints
//
// All forces that are found on the way are held over the step. Contact forces are found between the
// linearisation and the constraints, in a step that stays open (open_step.c). The guard (guard.h)
// takes steps again that fail.
#include "body/body.h"
#include "body/constraints.h"
#include "body/hand_rows.h"
#include "body/energy.h"
#include "body/guard.h"
#include "body/response.h"

#include <string.h>

// Times the lowest natural frequency: beyond, spin and shape do not feel each other. Doubled,
// bodies that spin fast may fly apart.
#define SPIN_MOST 2

lbStatus lb_time_step_refuse(double dt, lbError *err) {
  return lb_fail(err, LB_ERR_ARGUMENT, "the time step is %g s; it must be above 0, at most %g", dt,
                 LB_TIME_STEP_MOST);
}

bool lb_body_is_handled(const lbBody *body) {
  return lb_body_is_constrained(body) || lb_body_is_touched(body) || body->open;
}

// ---- one part ----------------------------------------------------------------------------------

static void hold_known_forces(lbBody *body, lbStep *step, lbScratch *s) {
  size_t shape = (size_t)body->prepared->padded * sizeof(double);
  size_t all = (size_t)lb_body_width(body) * sizeof(double);
  memcpy(s->held, s->inertial, shape);
  memset(s->pull, 0, all);
  memset(s->late, 0, shape);
  memset(s->moved, 0, shape);
  s->corrected = false;
  lb_contacts_sum(body, s->joined);
  for (int32_t i = 0; i < body->prepared->dimension; i++) s->held[i] += s->joined[i];
  if (body->frame.kind != LB_FRAME_FREE) return;
  step->frame.force = lb_add(step->frame.force, lb_vec3_load(s->joined + body->prepared->padded));
  step->frame.torque =
      lb_add(step->frame.torque, lb_vec3_load(s->joined + body->prepared->padded + 3));
}

int32_t lb_part_prepare(lbBody *body, lbStep *step, lbScratch *s) {
  body->prepared->method->get(body, s->q0, s->v0, s->force);
  int32_t flags = lb_frame_begin(body, step, s);
  if (body->frame.kind == LB_FRAME_FREE) step->frame.energy = lb_frame_energy(body, step, s);
  hold_known_forces(body, step, s);
  step->iteration = 0;
  return flags;
}

static int32_t linearise(lbBody *body, lbStep *step, lbScratch *s) {
  body->counts.factorings++;
  if (body->constraints) lb_constraints_forget(body);
  return body->prepared->method->begin(body, step, s);
}

int32_t lb_part_open(lbBody *body, lbStep *step, lbScratch *s) {
  int32_t flags = lb_part_prepare(body, step, s);
  return flags & LB_STEP_NONFINITE ? flags : flags | linearise(body, step, s);
}

void lb_part_correct(lbBody *body, lbStep *step, lbScratch *s) {
  if (lb_frame_is_felt(body) && !s->corrected) lb_frame_correct(body, step, s);
  s->corrected = true;
}

// From a linearisation to the end, with as many more of them as it takes.
static int32_t solve(lbBody *body, lbStep *step, lbScratch *s, int32_t flags) {
  const lbBodyMethod *method = body->prepared->method;
  while (!(flags & LB_STEP_NONFINITE)) {
    lb_part_correct(body, step, s);
    if (lb_body_is_constrained(body)) flags |= lb_constraints_solve(body, step, s);
    if (flags & LB_STEP_NONFINITE) break;
    flags |= method->end(body, step, s);
    if (!(flags & LB_STEP_AGAIN)) break;
    step->iteration++;
    s->corrected = false;
    flags = (flags & ~LB_STEP_AGAIN) | linearise(body, step, s);
  }
  return flags;
}

int32_t lb_part_close(lbBody *body, lbStep *step, lbScratch *s, int32_t flags) {
  const lbBodyMethod *method = body->prepared->method;
  body->counts.steps++;
  flags = solve(body, step, s, flags);
  // The last take's step is kept also when it is far from a solution.
  if ((flags & LB_STEP_FAR) && step->integrator == LB_STEP_EULER)
    flags = (flags & ~LB_STEP_FAR) | LB_STEP_NOT_CONVERGED;
  if (flags & (LB_STEP_NONFINITE | LB_STEP_FAR)) return flags;
  double excess = lb_guard_account(body, step, s);
  if (excess > 0 && step->integrator != LB_STEP_EULER) return flags | LB_STEP_FAR;
  bool free = body->frame.kind == LB_FRAME_FREE;
  lbFrameState start = body->frame;
  bool held = lb_body_is_constrained(body);
  lbVec3 drift = free && held ? lb_constraints_drift(body, step) : lb_vec3(0, 0, 0);
  flags |= method->commit(body, step, s);
  lb_frame_end(body, step, s);
  if (held) lb_constraints_settle(body, step, s);
  if (lb_body_is_touched(body)) lb_hand_settle(body, step, s);
  // A rigid body has no shape to take energy from; in a world the guard of islands does this.
  bool guards = free && body->prepared->dimension > 0 && !body->take.guarded;
  if (guards) flags |= lb_guard_energy(body, step, &start, drift, s);
  if (held && step->share == 1 && !(flags & LB_STEP_FAR)) lb_constraints_rest(body);
  bool known = !held || body->constraints->collocated; // otherwise forces act elsewhere
  lbVec3 still = lb_vec3(0, 0, 0);
  if (body->take.guarded)
    body->work = known ? lb_step_work(body, step, &start, still, false, s) : INFINITY;
  if (body->frame.fitted) method->fit_frame(body, s);
  if (excess > 0) flags |= lb_guard_dissipate(body, excess, s);
  return flags;
}

bool lb_part_keep_open(lbBody *body, const lbStep *step) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  lb_touch_abandon(body);
  if (!s) return false;
  body->open = s;
  *s->step = *step;
  s->flags = lb_part_open(body, s->step, s);
  if (s->flags & LB_STEP_NONFINITE) return false;
  lb_part_correct(body, s->step, s);
  memcpy(s->base, s->q, (size_t)body->prepared->padded * sizeof(double));
  return true;
}

static bool is_the_open_one(const lbBody *body, const lbStep *step) {
  const lbStep *open = body->open ? body->open->step : NULL;
  return open && open->h == step->h && open->integrator == step->integrator &&
         open->share_before == step->share_before && open->share == step->share;
}

int32_t lb_part_take(lbBody *body, lbStep *step, lbScratch *s) {
  lbScratch *open = body->open;
  if (!is_the_open_one(body, step) || !lb_scratch_borrow_call(body->prepared, open)) {
    lb_touch_abandon(body);
    return lb_part_close(body, step, s, lb_part_open(body, step, s));
  }
  open->step->whole = step->whole;
  lb_part_join(body, open);
  int32_t flags = lb_part_close(body, open->step, open, open->flags);
  lb_touch_abandon(body);
  return flags;
}

// ---- the whole step ----------------------------------------------------------------------------

// A step of a body in a world that restores it where the step fails: one attempt, and the work done
// on the body.
static int32_t take_guarded(lbBody *body, double h, lbScratch *s) {
  const lbBodyTake *take = &body->take;
  lbFrameState start = body->frame;
  lbStep step = { .h = h,
                  .integrator = take->integrator,
                  .share_before = take->partial ? take->before : 0,
                  .share = take->partial ? take->after : 1,
                  .whole = take->partial ? take->whole : &start };
  body->work = 0;
  int32_t flags = lb_part_take(body, &step, s);
  return flags & (LB_STEP_NONFINITE | LB_STEP_FAR) ? flags | LB_STEP_FAILED : flags;
}

void lb_body_clear_forces(lbBody *body) {
  body->prepared->method->set_weight(body, NULL);
  body->frame.force = body->frame.torque = lb_vec3(0, 0, 0);
  body->frame.driven = 0;
  body->frame.accelerated = false;
  if (lb_body_is_touched(body)) lb_contacts_clear(body);
}

// Too fast even for that, or so fast that the body would fly apart: the inertial forces between
// spin and deformation would be felt too late and create energy. Without them the momenta are kept,
// and the deformation stays bounded.
static bool spins_too_fast(const lbBody *body, double h) {
  const lbFrameState *f = &body->frame;
  if (f->kind != LB_FRAME_FREE || f->decoupled) return false;
  double spin = lb_length(f->spin);
  return lb_guard_turn_substeps(body, h) > LB_GUARD_SUBSTEPS ||
         spin > SPIN_MOST * body->prepared->slowest;
}

// The whole step is done.
static int32_t finish(lbBody *body, double h, int32_t flags) {
  lb_body_clear_forces(body);
  body->time += h;
  body->h = h;
  return body->flags = flags & ~LB_STEP_PRIVATE;
}

static int32_t finish_and_return_to_rest(lbBody *body, double h, int32_t flags, lbScratch *s) {
  finish(body, h, flags);
  lb_return_to_rest_begin(body, s);
  return body->flags;
}

int32_t lb_body_advance(lbBody *body, double h, lbScratch *scratch) {
  if (body->done) return body->flags;
  if (body->asleep) return finish(body, h, 0);
  if (lb_return_to_rest_goes_on(body))
    return finish(body, h, lb_return_to_rest_step(body, h, scratch));
  bool apart = spins_too_fast(body, h);
  if (apart) body->frame.decoupled = true;
  if (body->take.guarded) {
    int32_t flags = finish(body, h, take_guarded(body, h, scratch));
    if (apart) body->frame.decoupled = false;
    return body->flags = flags | (apart ? LB_STEP_ADAPTED : 0);
  }
  int32_t flags = finish_and_return_to_rest(body, h, lb_guard_step(body, h, scratch), scratch);
  if (!apart) return flags;
  body->frame.decoupled = false;
  return body->flags = flags | LB_STEP_ADAPTED;
}

int32_t lb_body_conclude(lbBody *body, double h, int32_t flags, lbScratch *scratch) {
  return finish_and_return_to_rest(body, h, lb_guard_conclude(body, h, flags, scratch), scratch);
}

static void step_plain(lbBody *body, double dt, lbScratch *scratch) {
  int32_t index = (int32_t)(body - body->group->bodies);
  body->prepared->method->step_many(body->group, index, index + 1, dt, scratch);
}

int32_t lb_body_step_touched(lbBody *body, double h, lbTouch *touch, void *context) {
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  lbFrameState start = body->frame;
  lbStep step = { .h = h, .share = 1, .whole = &start, .stays_open = true };
  int32_t flags = LB_STEP_REFUSED;
  body->led = 0;
  if (scratch && lb_part_keep_open(body, &step)) touch(body, body->open->step, body->open, context);
  if (scratch)
    flags = lb_body_advance(body, h, scratch);
  else
    lb_fail_memory(body->message);
  lb_scratch_return(body->prepared, scratch);
  return flags;
}

int32_t lb_body_step(lbBody *body, double dt) {
  if (!body) return LB_STEP_REFUSED;
  const lbPrepared *p = body->prepared;
  if (!lb_time_step_is_legal(dt)) {
    lb_time_step_refuse(dt, body->message);
    return LB_STEP_REFUSED;
  }
  body->plain = p->method->step_many && lb_body_is_plain(body);
  body->counts.steps += body->plain;
  if (body->plain && body->group->count == 1 && p->method->alone) {
    p->method->step_many(body->group, 0, 1, dt, NULL); // nanoseconds: borrowing would take as long
    return body->flags;
  }
  lbScratch *scratch = lb_scratch_borrow(p);
  if (!scratch) {
    lb_fail_memory(body->message);
    return LB_STEP_REFUSED;
  }
  if (body->plain)
    step_plain(body, dt, scratch);
  else
    lb_body_advance(body, dt, scratch);
  lb_scratch_return(p, scratch);
  return body->flags;
}
