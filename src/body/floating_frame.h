// The floating frame of a body: the rigid motion that its own axes make in the world. A held frame
// stands, a driven one follows its targets, a free one moves by forces and carries the momenta of
// the whole body. The shape deforms relative to it: world = position + turn (rest + u).
//
// floating_frame.c sets it up, frame_motion.c moves it through a step, frame_momentum.c keeps its
// momenta.
#ifndef LB_BODY_FLOATING_FRAME_H
#define LB_BODY_FLOATING_FRAME_H

#include "body/shared.h"

typedef struct lbStep lbStep; // body/state.h

enum { LB_DRIVE_WITH_VELOCITIES = 1, LB_DRIVE_BY_PLACES };

typedef struct lbFrameState {
  lbFrameKind kind; // never LB_FRAME_DEFAULT
  bool fitted; // a free body whose method moves as a whole: to a step the frame stands (`kind` is
               // held), and lbBodyMethod.fit_frame brings it along when the step is done
  bool decoupled;
  int32_t driven;  // how `goal` was given; 0: it was not
  lbVec3 position; // m, world = position + turn own
  lbQuat rotation;
  lbMat3 turn;                    // of `rotation`
  lbVec3 velocity, spin;          // world: of the rest shape's centre of mass; angular
  lbVec3 momentum, angular;       // free: P, and L about the centre, world axes
  lbVec3 force, torque;           // free: applied, of the next step, world axes, about the centre
  lbVec3 last_force, last_torque; // free: those that the kept accelerations belong to
  double created;                 // free: J that steps have added to the body
  lbFrame goal;                   // driven: at the end of the next step
  bool accelerated; // driven: lb_frame_accelerate gave these, of the goal or of a start
  lbVec3 linear_acceleration, angular_acceleration; // world, as the velocities
} lbFrameState;

// Where the frame goes in a step, worked out at its start (lb_frame_begin).
typedef struct lbFrameStep {
  lbVec3 position; // at the end; free: without constraints
  lbQuat rotation;
  lbMat3 turn;
  lbVec3 velocity, spin; // at the end, world
  lbVec3 force, torque;  // free: on the frame, world, about the centre
  lbMat3 inertia;        // free: J in the step's middle, own axes
  double energy;         // free: J, at the start
  // Driven, own axes in the middle: mean spin, and changes over the step.
  lbVec3 mean_spin, spin_change, velocity_change;
  bool moves; // inertial forces act
} lbFrameStep;

// ---- operations --------------------------------------------------------------------------------

lbStatus lb_frame_start(lbBody *body, const lbBodyDef *def, lbVec3 position, lbQuat rotation,
                        lbScratch *scratch, lbError *err);
// Weight in the frame's axes, after gravity, rotation or material changed; false: absurd.
bool lb_frame_weigh(lbBody *body, lbVec3 gravity, lbMat3 turn, lbScratch *scratch);
// scratch->force <- with the weight of a frame that moves, at this turn; false: absurd.
bool lb_frame_add_weight(const lbBody *body, lbMat3 turn, lbScratch *scratch);
// Where it goes in a step of h, and the inertial forces of the prediction (scratch->inertial).
int32_t lb_frame_begin(lbBody *body, lbStep *step, lbScratch *scratch);
// How a driven frame accelerates at the end of the next step or, before lb_body_start, now: for
// methods whose supports move; without it they take means of velocities. Lasts until then.
void lb_frame_accelerate(lbBody *body, lbVec3 linear, lbVec3 angular);
// Inertial forces again with the coordinates that came out; q <- what the difference makes of it.
void lb_frame_correct(lbBody *body, lbStep *step, lbScratch *scratch);
// s: what a constant force has made of momentum after h, divided by the force (damping by mass).
double lb_frame_passed(const lbBody *body, double h);
// The frame at the step's end; forces on it that were found meanwhile are in step->frame.
void lb_frame_end(lbBody *body, const lbStep *step, lbScratch *scratch);
// The frame of a step, of a free body, with the forces of constraints (scratch->pull) too.
void lb_frame_try(const lbBody *body, lbStep *step, lbScratch *scratch);
// scratch->moments <- A at q, and, unless v is NULL, B: how A changes with rates v.
void lb_find_both_moments(const lbBody *body, const double *q, const double *v, lbScratch *scratch);
// The same of A alone, unless it is there.
void lb_find_moments(const lbBody *body, const double *q, lbScratch *scratch);
// J at q, with A in scratch->moments where spin and deformation feel each other; Σ v_i E_i; J⁻¹ b,
// of flat and needle-like bodies too.
lbMat3 lb_frame_inertia(const lbBody *body, const double *q, lbScratch *scratch);
lbVec3 lb_frame_relative(const lbBody *body, const double *v, const lbScratch *scratch);
lbVec3 lb_inertia_solve(lbMat3 J, lbVec3 b);
// J: of a free body at the start of a step, after lb_frame_begin.
double lb_frame_energy(lbBody *body, const lbStep *step, lbScratch *scratch);
// J: of a body at a state, in the frame where that is held or driven.
double lb_frame_energy_at(lbBody *body, const double *q, const double *v, lbScratch *scratch);
// Velocity and spin of a free frame from its momenta and the state.
void lb_frame_update_rates(lbBody *body, const double *q, const double *v, lbScratch *scratch);
// A free body moves `factor` times as fast against what drifts along.
void lb_body_slow(lbBody *body, double factor, lbVec3 drift);
// Changes rates v (padded) and the frame by an impulse (world, about the centre) with its reduced
// share.
void lb_frame_apply_impulse(lbBody *body, lbVec3 impulse, lbVec3 moment, const double *reduced,
                            const double *q, double *v, lbScratch *scratch);
// The inverse inertia of the rest shape at a turn, world axes; flat and needle-like bodies have
// one, too.
lbMat3 lb_frame_mobility(const lbBody *body, lbMat3 turn);
lbMat3 lb_frame_mobility_of(lbMat3 inertia, lbMat3 turn); // of another inertia, own axes
lbVec3 lb_frame_centre(const lbBody *body);               // world
// The turn from now to the middle of the next step, if that is as long as the last: a force is held
// in world axes while the frame turns.
lbQuat lb_frame_ahead(const lbBody *body);
// Velocity in the world of a place that has this displacement and velocity in the frame.
lbVec3 lb_frame_velocity(const lbBody *body, lbVec3 own_place, lbVec3 own_velocity);

#endif
