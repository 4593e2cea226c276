// How steps that fail are taken again, by the guard of a single body (guard.c) and by that of a
// world's islands (world/guard.h). Nothing else takes a step again.
//
// How a step is taken is a number, its take:
//
//   take = LB_STEP_INTEGRATORS log2(substeps) + integrator
//
// which rises from attempt to attempt. Where rows (contacts, joints) miss their targets, substeps
// are doubled; where a body's own step fails or creates energy, the safe integrator comes first.
// The last take has the most substeps and implicit Euler; energy that is created there is taken out
// of the motion. With 16 substeps a step is taken in no more than 48 substeps in all. A free body
// that is held goes from the asked integrator to one substep of the safe one, so that it may take
// 15 more.
#ifndef LB_BODY_GUARD_H
#define LB_BODY_GUARD_H

#include "body/body.h"

// rad that a body turns by in a substep: the coupling of spin and shape is explicit. Doubled,
// bodies that spin create energy in more of their steps, and fast rotations are four times less
// accurate.
#define LB_TURN_MAX 0.15
enum { LB_GUARD_SUBSTEPS = 16 }; // of a single body, at most
// Of kinetic and elastic energy and m g size: energy that steps may have created and later ones not
// lost. Doubled, bodies may swing twice as much too far before a step is taken again.
#define LB_ENERGY_TOLERANCE 0.01

typedef enum lbFailure {
  LB_FAIL_NONE,
  LB_FAIL_ROWS, // rows ended elsewhere than their forces were to bring them
  LB_FAIL_BODY, // a body's step failed, or created energy
} lbFailure;

static inline lbStepIntegrator lb_take_integrator(int32_t take) {
  return (lbStepIntegrator)(take % LB_STEP_INTEGRATORS);
}
static inline int32_t lb_take_doublings(int32_t take) { return take / LB_STEP_INTEGRATORS; }
static inline int32_t lb_take_substeps(int32_t take) { return 1 << lb_take_doublings(take); }

// The fewest doublings that make so many substeps, at most `most`.
static inline int32_t lb_take_doublings_for(double substeps, int32_t most) {
  int32_t doublings = 0;
  while (2 << doublings <= most && (double)(1 << doublings) < substeps) doublings++;
  return doublings;
}

static inline int32_t lb_take_last(int32_t substeps_max) {
  return LB_STEP_INTEGRATORS * lb_take_doublings_for(INFINITY, substeps_max) + LB_STEP_EULER;
}

static inline int32_t lb_take_next(int32_t take, lbFailure cause, int32_t substeps_max) {
  int32_t doublings = lb_take_doublings(take), integrator = lb_take_integrator(take);
  bool safer = cause == LB_FAIL_BODY && integrator == LB_STEP_ASKED;
  if (safer) integrator = LB_STEP_SAFE;
  if (!safer || doublings > 0) doublings++;
  if (1 << doublings > substeps_max) return lb_take_last(substeps_max);
  return LB_STEP_INTEGRATORS * doublings + integrator;
}

// ---- the energy account of a body --------------------------------------------------------------

// lbFrameState.created is an account of the energy that integrators created and later steps did not
// lose. Whether it bears as much more, where the body has this energy after the step.
bool lb_guard_bears(const lbBody *body, double created, double energy);
void lb_guard_book(lbBody *body, double created, double energy);
// Books the step that `end` found, of a body whose energy nothing else balances: its world, or the
// balance of a free frame and its shape (frame_energy.c). Returns the excess, J: above 0 where the
// account does not bear it, and then nothing is booked but by the last take.
double lb_guard_account(lbBody *body, const lbStep *step, lbScratch *scratch);
// Takes an excess out of the motion of the shape, after `commit`; momenta stay. Flags.
int32_t lb_guard_dissipate(lbBody *body, double excess, lbScratch *scratch);

// ---- steps -------------------------------------------------------------------------------------

// Whether a reduced shape is bent by more than the body's size, in the mean of its masses.
bool lb_guard_is_far_out(const lbBody *body, lbScratch *s);
// How many substeps a free body needs for its rotation.
double lb_guard_turn_substeps(const lbBody *body, double h);
// A step by a method's own loop over the substeps of a take.
typedef int32_t lbTakeSubsteps(lbBody *body, double h, int32_t take, lbScratch *scratch);
int32_t lb_guard_take(lbBody *body, double h, lbTakeSubsteps *substeps, lbScratch *scratch);
// A step of a body that no world guards. Returns lbStepFlags.
int32_t lb_guard_step(lbBody *body, double h, lbScratch *scratch);
// The same from the second take on, after a first attempt with these flags.
int32_t lb_guard_conclude(lbBody *body, double h, int32_t flags, lbScratch *scratch);
// The account of energy of a free body after a step (flags): LB_STEP_FAR where the step is to be
// taken again; in the last take created energy is taken out of the motion. `drift`: of the targets
// of constraints.
int32_t lb_guard_energy(lbBody *body, const lbStep *step, const lbFrameState *start, lbVec3 drift,
                        lbScratch *scratch);

#endif
