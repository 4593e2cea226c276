// A body (lbBody): its frame, its parameters, its flags, and where the state of its method lies;
// the group of bodies that were made together; and a step while it is taken (lbStep).
#ifndef LB_BODY_STATE_H
#define LB_BODY_STATE_H

#include "body/floating_frame.h"
#include "body/shared.h"

// Forces, impulses, targets and states beyond this are refused: the oscillators' exact steps then
// stay finite for ever.
#define LB_BODY_MOST 1e100
#define LB_TIME_STEP_MOST 1e6 // s

// A stretch of memory with bodies that were made together: one, or those of a batch.
typedef struct lbBodyGroup {
  int32_t count;
  struct lbBody *bodies; // (count)
  size_t bytes;
  void *own; // the method's
} lbBodyGroup;

// How a world has a body take its next step (world/guard.c). Zeros: the whole step, by the body's
// own means.
typedef enum lbStepIntegrator {
  LB_STEP_ASKED, // the one that was asked for
  LB_STEP_SAFE,  // the method's safe one: it keeps or loses energy
  LB_STEP_EULER, // implicit Euler
  LB_STEP_INTEGRATORS
} lbStepIntegrator;

typedef struct lbBodyTake {
  bool guarded;  // a step that fails is reported to the world, which restores the body
  bool unopened; // its rows could not be found: its step fails
  bool unsolved; // the forces of its rows were not found within the tolerance
  bool partial;  // the step is a substep: `before` to `after` of the whole step that began with
                 // `whole`
  lbStepIntegrator integrator;
  double before, after; // 0 to 1
  const lbFrameState *whole;
} lbBodyTake;

// What steps of a body cost, since a world set it to 0 (world/step_counts.h).
typedef struct lbBodyCounts {
  int64_t factorings; // times the method made and factored the matrix of a step
  int64_t responses;  // columns: what a force at a contact point does over a step
  int64_t steps;      // taken, substeps included
} lbBodyCounts;

struct lbBody {
  // What steps of many bodies look at, and no more, lies in the first cache line.
  _Alignas(64) const lbPrepared *prepared;
  lbBodyGroup *group;
  struct lbConstraints *constraints; // made by the first constraint; NULL: none
  struct lbContacts *contacts;       // made by the first that touches it; NULL: none
  lbScratch *open;                   // of the step that stays open; NULL: none
  double time;                       // s
  double led;                        // how much of the way back to rest is done, in time; 0: none
  int32_t flags;                     // of the last step
  bool plain;                        // takes part in step_many
  bool in_batch;
  bool consistent;      // the accelerations that the method keeps belong to q, v and the material
  bool returns_to_rest; // is led back to rest when it is stuck
  bool asleep;          // a world leaves it alone: steps pass its time (body/sleep.h)
  bool done;            // this substep belongs to others: steps leave the body as it is
  bool pushed;          // a force was applied; until a world has taken its step
  lbFrameState frame;   // its kind comes first

  lbBodyTake take;
  double work; // J: of loads, weight, constraints and the frame's drive in the last guarded step
  double h;    // s, the last step's length
  lbVec3 gravity;
  double damping_mass, damping_stiffness;
  lbIntegrator integrator;
  int32_t newton_iterations;
  double newton_tolerance, factor_reuse;
  int32_t constraint_room;
  void *own; // the method's state
  void *user_data;
  lbError *message;
  lbBodyCounts counts;
};

static inline bool lb_frame_is_still(const lbBody *body) {
  return body->frame.kind == LB_FRAME_HELD;
}
// Whether it has a velocity that those of points are relative to.
static inline bool lb_frame_moves(const lbBody *body) {
  return !lb_frame_is_still(body) || body->frame.fitted;
}

// Something constrains or touches it, or may in this step.
bool lb_body_is_handled(const lbBody *body);
// No frame that moves, no constraint, no ball, not led: what lbBodyMethod.step_many takes.
static inline bool lb_body_is_plain(const lbBody *body) {
  if (!lb_frame_is_still(body) || body->led != 0 || body->asleep || body->done) return false;
  return (!body->constraints && !body->contacts) || !lb_body_is_handled(body);
}
// q or v was changed from outside: accelerations are worked out anew, and nothing leads it.
static inline void lb_body_disturb(lbBody *body) {
  body->consistent = false;
  body->led = 0;
}
// The same after a change of v that belongs to the step: central differences keep the acceleration
// that their implicit damping gave, an explicit one would not be stable.
static inline void lb_body_settle(lbBody *body) {
  if (body->integrator != LB_INTEGRATOR_CENTRAL) lb_body_disturb(body);
}

static inline int32_t lb_body_width(const lbBody *body) {
  return body->prepared->padded + (body->frame.kind == LB_FRAME_FREE ? LB_FRAME_ROOM : 0);
}
static inline bool lb_is_bounded(double x) { return fabs(x) <= LB_BODY_MOST; } // false for NaN
static inline bool lb_vec3_is_bounded(lbVec3 a) {
  return lb_is_bounded(a.x) && lb_is_bounded(a.y) && lb_is_bounded(a.z);
}

// world = position + turn (rest + u)
static inline lbVec3 lb_body_place(const lbBody *body, lbVec3 own) {
  return lb_add(body->frame.position, lb_mat3_apply(body->frame.turn, own));
}
static inline lbVec3 lb_body_unplace(const lbBody *body, lbVec3 world) {
  return lb_mat3_apply_transpose(body->frame.turn, lb_sub(world, body->frame.position));
}

// ---- a step ------------------------------------------------------------------------------------

// One step, or a part of one.
typedef struct lbStep {
  double h;
  lbStepIntegrator integrator;
  int32_t iteration;          // 0: the first linearisation
  double share_before, share; // of the whole step, at its start and end: 0 and 1 for the whole
  const lbFrameState *whole;  // the frame at the start of the whole step
  double loose; // of what a force moves: error of `respond` that is tolerated; 0: the method's own
  bool stays_open; // forces of contacts are found between its begin and its end (open_step.c)
  lbFrameStep frame;
} lbStep;

// Flags beside lbStepFlags that never leave the library.
enum {
  LB_STEP_FAR = 1 << 24,    // finite, but far from a solution: the guard takes the step again
  LB_STEP_AGAIN = 1 << 25,  // one more iteration is needed
  LB_STEP_FAILED = 1 << 26, // a guarded step failed: the world restores the body
  LB_STEP_PRIVATE = LB_STEP_FAR | LB_STEP_AGAIN // never leave the layer
};

static inline bool lb_time_step_is_legal(double dt) { return dt > 0 && dt <= LB_TIME_STEP_MOST; }

#endif
