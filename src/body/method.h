// A method of simulation as a table of operations (lbBodyMethod): modal, subspace, warp, frames,
// rigid and recorded bodies, and those that the build side registers. step.c writes once how a step
// goes over these operations.
#ifndef LB_BODY_METHOD_H
#define LB_BODY_METHOD_H

#include "base/carver.h"
#include "body/state.h"

// Where contacts press a body, for lbBodyMethod.refine.
#define LB_PRESSES 48
typedef struct lbPresses {
  int32_t count;
  struct lbPress {
    lbVec3 rest;  // m, in the rest shape
    double force; // N
  } all[LB_PRESSES];
} lbPresses;
typedef struct lbPress lbPress;

struct lbBodyMethod {
  lbMethod method;
  bool is_recording;   // moves as time tells, whatever acts on it
  bool responds_alike; // `respond` depends on h and damping alone, and may write over its force
  bool takes_means;    // Newmark's rule, rule 0: forces at both ends of a step count half each
  int32_t rules;       // how many rules a step may be taken by,
  uint8_t parts[4];    // and in how many parts each of them takes it
  lbMaterialModel stress_law; // of bodies whose prepared part says nothing else
  // Coordinates in which the body moves as a whole, too: inertia is in them, and the frame only
  // describes where the body is. Of a free body it is fitted by this, after steps and impulses:
  // frame and state <- another description of the same motion. NULL: frame.c moves frames.
  void (*fit_frame)(lbBody *body, lbScratch *scratch);

  // -- what a model has for it; NULL: as lb_model_method says
  bool (*view)(const lbModel *model, lbModelMethod *out);

  // -- prepared: fills dimension, basis and the like from the model (prepare), then its own part
  // (build; kept vectors and copies are there). release: what build made.
  lbStatus (*prepare)(lbPrepared *prepared, const lbBodyDef *def, lbError *err);
  lbStatus (*build)(lbPrepared *prepared, lbError *err);
  void (*release)(lbPrepared *prepared);
  // A derived prepared with other materials (materials x 3: young, poisson, density).
  lbStatus (*rebuild)(lbPrepared *prepared, const double *materials, lbError *err);
  const double *(*materials)(const lbPrepared *prepared); // (materials x 3) in use

  // -- memory: of a group's state (places `own` of the group and of each body) and of scratch
  void (*place_group)(const lbPrepared *prepared, lbBodyGroup *group, lbCarver *carver);
  void (*place_scratch)(const lbPrepared *prepared, lbScratch *scratch, lbCarver *carver);
  // What a body has beside that; each may be NULL. `forget`: before the body is destroyed, and
  // before it goes on with another prepared part.
  lbStatus (*furnish)(lbBody *body, lbError *err);
  void (*forget)(lbBody *body);

  // -- state: coordinates, rates, and the force of the next step (weight and what was applied), in
  // a row (padded); each may be NULL
  void (*get)(const lbBody *body, double *q, double *v, double *force);
  void (*put)(lbBody *body, const double *q, const double *v, const double *force);
  // The reduced force of gravity (padded) is now this, and part of the force of each step. NULL:
  // as it is, but what was applied for the next step is gone.
  void (*set_weight)(lbBody *body, const double *weight);
  // Numbers beside q, v and applied forces: so many rows (padded), and `extra` more.
  int32_t state_rows, state_extra;
  void (*save)(const lbBody *body, double *numbers);
  // Before `restore`, may be NULL: what a body is made of and steps may change.
  lbStatus (*refit)(lbBody *body, const double *numbers);
  void (*restore)(lbBody *body, const double *numbers);
  bool saves_all;                                  // `save` has coordinates and rates, too
  void (*start)(lbBody *body, lbScratch *scratch); // a new body, at its time; may be NULL
  bool follows_time;                               // `start` is also for going on at another time
  // The accelerations that the next step begins with, from scratch->q0, v0, force; NULL: it needs
  // none.
  void (*accelerate)(lbBody *body, lbScratch *scratch);

  // -- where nodes [begin, end) are: displacements or velocities in own axes for a row of
  // coordinates (and rates, or NULL), at their places in (nodes x 3). NULL: by the basis.
  void (*nodes)(const lbBody *body, int32_t begin, int32_t end, double *displacements,
                double *velocities);
  void (*node)(const lbBody *body, int32_t node, lbVec3 *displacement, lbVec3 *velocity);
  // sum (dimension) <- sum + Jᵀ own: the reduced force of a force (own axes) at a point, at this
  // state. NULL: by the basis.
  void (*add_row)(const lbBody *body, const lbPoint *point, lbVec3 own, double *sum);

  // -- the step (step.c)
  // begin: the end of the step without held forces (scratch->q), from scratch->q0, v0, force; or,
  // in a further iteration, one more linearisation about scratch->q. Readies `respond`.
  int32_t (*begin)(lbBody *body, lbStep *step, lbScratch *scratch);
  // moved <- by how much a force held over the step moves the coordinates at its end: symmetric
  // and positive.
  void (*respond)(const lbBody *body, const lbStep *step, lbScratch *scratch, const double *force,
                  double *moved);
  // The same of many forces at once: the first n columns of x (dimension x lb_touch_stride(n)) <-
  // what they move; false: one by one. May be NULL.
  bool (*respond_many)(const lbBody *body, const lbStep *step, lbScratch *scratch, int32_t n,
                       double *x);
  // end: scratch->q is the end with all held forces; scratch->v <- the rates there. Flags, with
  // LB_STEP_AGAIN where another iteration is needed and LB_STEP_FAR where the rule failed.
  int32_t (*end)(lbBody *body, const lbStep *step, lbScratch *scratch);
  // commit: the body's state <- scratch->q, v. Flags.
  int32_t (*commit)(lbBody *body, const lbStep *step, lbScratch *scratch);
  // Those of bodies [begin, end) of a group that are marked as plain, by one step; NULL: one after
  // another.
  void (*step_many)(lbBodyGroup *group, int32_t begin, int32_t end, double h, lbScratch *scratch);
  bool alone;   // step_many needs no scratch for a body of its own
  int32_t many; // bodies that step_many wants at a time; ranges of a batch begin at multiples of it
  void (*ready_group)(lbBodyGroup *group,
                      double h); // ahead of step_many on several threads; or NULL

  // The exact shape of a rigid body, own axes; NULL: the surface of the model is all there is.
  const struct lbSolid *(*solid)(const lbBody *body);

  int32_t refinements_most; // of a body
  // Refines the body where contacts press it: at most `most` refinements, no nearer to each other
  // than `spacing` (m); and the spacing to use where `spacing` was asked for (0: the default). Both
  // NULL: the method cannot.
  void (*refine)(lbBody *body, const struct lbPresses *presses, int32_t most, double spacing,
                 double dt);
  double (*refinement_spacing)(const lbBody *body, double spacing);

  // -- questions; with `report`, kinetic and elastic are not needed
  void (*report)(const lbBody *body, lbBodyReport *report, lbScratch *scratch);
  // Von Mises stress at the nodes; NULL: by stress_law.
  void (*von_mises)(const lbBody *body, double *stresses, lbScratch *scratch);
  double (*kinetic)(const lbBody *body, const double *v, lbScratch *scratch); // ½ v M v
  double (*elastic)(const lbBody *body, const double *q, lbScratch *scratch);
  double (*stored)(lbBody *body, const double *q,
                   lbScratch *scratch);                            // the same, kept from the step
  double (*pose_distance)(const lbBody *body, lbScratch *scratch); // NULL: forces are exact
  double (*unfollowed_force)(const lbBody *body, lbScratch *scratch); // NULL: not known
  // x <- M⁻¹ x; both NULL where M is the identity. One of them, or, where M depends on the state,
  // the other.
  void (*mobilise)(const lbPrepared *prepared, double *x);
  void (*mobilise_at)(const lbBody *body, lbScratch *scratch, double *x);
  // State and v <- struck by an impulse (padded). NULL: v += M⁻¹ impulse, which is then put.
  void (*strike)(lbBody *body, lbScratch *scratch, const double *impulse, double *v);
  // x <- K⁻¹ x with the stiffness at rest: compliance
  void (*comply)(const lbPrepared *prepared, double *x, lbScratch *scratch);
  uint64_t (*identify)(const lbPrepared *prepared, uint64_t hash);
  double (*stable_step)(const lbBody *body); // NULL: any
};

// The exact shape of a rigid body, own axes; NULL: the body is not rigid.
static inline const struct lbSolid *lb_body_solid(const lbBody *body) {
  const lbBodyMethod *method = body->prepared->method;
  return method->solid ? method->solid(body) : NULL;
}

// x <- M⁻¹ x at the body's state
static inline void lb_body_mobilise(const lbBody *body, lbScratch *scratch, double *x) {
  const lbBodyMethod *method = body->prepared->method;
  if (method->mobilise_at)
    method->mobilise_at(body, scratch, x);
  else if (method->mobilise)
    method->mobilise(body->prepared, x);
}

// Whether its motion is felt through inertial forces (rather than being in the coordinates).
static inline bool lb_frame_is_felt(const lbBody *body) {
  return !lb_frame_is_still(body) && !body->prepared->method->fit_frame;
}

extern const lbBodyMethod lb_modal_method, lb_subspace_method, lb_recorded_method, lb_warp_method;
extern const lbBodyMethod lb_frames_method, lb_rigid_method;

// The method of a model's body: one of the layer's own, or one that was registered.
const lbBodyMethod *lb_body_method_of(lbMethod method); // NULL: none
// Adds a method from outside of the layer (or replaces one that was added); before bodies are made.
// It must have `view`. NULL with a method's name takes it out again.
void lb_body_register_method(lbMethod method, const lbBodyMethod *table);

#endif
