// A method of simulation as a table of operations (lbBodyMethod): modal, subspace, warp, frames,
// rigid and recorded bodies, and those that the build side registers. step.c writes once how a step
// goes over these operations.
//
// With coordinates q, rates v, mass M, damping D and elastic force K(q), a body obeys
//
//   M v' + D v + K(q) = f,   q' = v,
//
// and one linearisation of a step of h is
//
//   q* = step(q0, v0, f)    without the forces λ that rows J hold over the step (begin)
//   q = q* + A⁻¹ Jᵀ λ       A: the matrix of the step (respond)
//   v                       the rates that belong to q (end), then both become the state (commit)
//
// "Default" in a comment tells what a table without the operation gets (lb_method_with_defaults):
// callers do not test for NULL. Only where the comment says NULL, the operation is a capability,
// and callers ask for it by its name (lb_method_can_refine and so on).
#ifndef LB_BODY_METHOD_H
#define LB_BODY_METHOD_H

#include "base/carver.h"
#include "body/state.h"

// Where contacts press a body, for lbBodyMethod.refine.
enum { LB_PRESSES = 48 };
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
  bool takes_means;    // Newmark's rule as asked: forces at both ends of a step count half each
  bool is_linear;      // one integrator is all there is: only shorter substeps help
  lbMaterialModel stress_law; // of bodies whose prepared part says nothing else

  // The model's arrays for this method, where lb_model_method does not know them: true and *out.
  // A method that is registered from outside must have it; NULL for the others.
  bool (*view)(const lbModel *model, lbModelMethod *out);

  // ---- data that bodies share ----

  // Sets dimension, basis and the like where the model's arrays do not say it. Default: nothing.
  lbStatus (*prepare)(lbPrepared *prepared, const lbBodyDef *def, lbError *err);
  // Makes prepared->own, after the kept vectors have been copied. Default: nothing.
  lbStatus (*build)(lbPrepared *prepared, lbError *err);
  // Frees prepared->own. Default: nothing.
  void (*release)(lbPrepared *prepared);
  // Makes prepared->own of a derived object for other materials (materials x 3: young, poisson,
  // density). NULL: materials cannot change.
  lbStatus (*rebuild)(lbPrepared *prepared, const double *materials, lbError *err);
  // The materials in use (materials x 3). Default: NULL, those of the model.
  const double *(*materials)(const lbPrepared *prepared);
  // hash <- hash with the arrays of the model that this method's states depend on.
  uint64_t (*identify)(const lbPrepared *prepared, uint64_t hash);

  // ---- memory ----

  // Carves the state of all bodies of a group: `own` of the group and of each body.
  void (*place_group)(const lbPrepared *prepared, lbBodyGroup *group, lbCarver *carver);
  // Carves scratch->own. Default: nothing.
  void (*place_scratch)(const lbPrepared *prepared, lbScratch *scratch, lbCarver *carver);
  // Carves scratch->call->own, which holds nothing from one call to the next. Default: nothing.
  void (*place_call)(const lbPrepared *prepared, lbCallWork *work, lbCarver *carver);
  // Allocates what a body has beside that. Default: nothing.
  lbStatus (*furnish)(lbBody *body, lbError *err);
  // Frees it, before the body is destroyed and before it changes its shared data. Default: nothing.
  void (*forget)(lbBody *body);

  // ---- state ----

  // q, v, force <- coordinates, rates, and the force of the next step (weight and applied forces),
  // rows of `padded` numbers; each may be NULL.
  void (*get)(const lbBody *body, double *q, double *v, double *force);
  // The inverse: state <- q, v, force; each may be NULL and then stays.
  void (*put)(lbBody *body, const double *q, const double *v, const double *force);
  // weight, force <- Uᵀ M g, the reduced force of gravity (padded), which acts in each step from
  // now on. NULL for `weight`: weight stays, force <- weight, so applied forces are removed.
  void (*set_weight)(lbBody *body, const double *weight);
  // Numbers of the state beside q, v and force: state_rows x padded + state_extra of them.
  int32_t state_rows, state_extra;
  bool saves_all; // the numbers of `save` hold coordinates and rates, too
  // numbers <- those. Default: there are none.
  void (*save)(const lbBody *body, double *numbers);
  // Brings a body to the structure that saved numbers belong to (its set of frames), before
  // `restore`. Default: the structure never changes.
  lbStatus (*refit)(lbBody *body, const double *numbers);
  // State <- numbers. Default: nothing.
  void (*restore)(lbBody *body, const double *numbers);
  // State <- what a new body has at body->time. Default: nothing.
  void (*start)(lbBody *body, lbScratch *scratch);
  bool follows_time; // `start` also takes a body to another time
  // Kept acceleration <- M⁻¹ (f - D v - K(q)) with q0, v0 and force of scratch. NULL: the method
  // keeps none between steps (lb_method_keeps_acceleration).
  void (*accelerate)(lbBody *body, lbScratch *scratch);
  // Coordinates that hold the rigid motion, too: M is in them, the inertia of a frame is not added,
  // and the frame only describes where a free body is. Called after steps and impulses: frame,
  // state <- another description of the same motion, with the frame near the body. NULL: shape and
  // frame are apart (lb_method_holds_rigid_motion).
  void (*fit_frame)(lbBody *body, lbScratch *scratch);

  // ---- a step (step.c) ----

  // q* = step(q0, v0, f): scratch->q <- the coordinates at the end of the step without held forces,
  // from q0, v0 and force of scratch; in a further iteration, one more linearisation about
  // scratch->q. Factors A for `respond`.
  int32_t (*begin)(lbBody *body, lbStep *step, lbScratch *scratch);
  // moved <- A⁻¹ force: how far a force that is held over the step moves the coordinates at its
  // end. A is symmetric and positive definite, about M / h² + D / h + K.
  void (*respond)(const lbBody *body, const lbStep *step, lbScratch *scratch, const double *force,
                  double *moved);
  // X <- A⁻¹ X of the first n columns of X (dimension x lb_touch_stride(n)); false: not done, the
  // caller takes them one by one. Default: false.
  bool (*respond_many)(const lbBody *body, const lbStep *step, lbScratch *scratch, int32_t n,
                       double *x);
  // block (3 x 3, own axes at the step's end, symmetric, not negative) <- about what `respond` does
  // to a node by a force at this node; without a step: by an impulse at once. For methods whose
  // coordinates are the nodes' displacements. NULL: not known.
  void (*respond_at)(const lbBody *body, const lbStep *step, const lbScratch *scratch, int32_t node,
                     double block[9]);
  // scratch->v <- the rates at the end, where scratch->q = q* + A⁻¹ Jᵀ λ holds all held forces λ.
  // Flags, with LB_STEP_AGAIN where another iteration is needed and LB_STEP_FAR where the rule
  // failed.
  int32_t (*end)(lbBody *body, const lbStep *step, lbScratch *scratch);
  // J, what the integrator adds to the energy in the step that `end` found: the energy at its end,
  // less that at its start and the work of all forces, also of what moves supports. *energy <- the
  // elastic energy and the kinetic one in the body's frame at the end. Default: 0 and 0, the step
  // is exact.
  double (*created)(const lbBody *body, const lbStep *step, lbScratch *scratch, double *energy);
  // State <- q, v of scratch; force <- weight. Flags.
  int32_t (*commit)(lbBody *body, const lbStep *step, lbScratch *scratch);
  // One step of those bodies [begin, end) of a group that are marked as plain, many at a time.
  // NULL: bodies are stepped one by one (lb_method_steps_many).
  void (*step_many)(lbBodyGroup *group, int32_t begin, int32_t end, double h, lbScratch *scratch);
  bool alone;   // step_many needs no scratch for a body of its own
  int32_t many; // bodies that step_many takes at a time; ranges of a batch begin at multiples of it
  // Makes what all of a group's calls of step_many share, before several threads call it. Default:
  // nothing.
  void (*ready_group)(lbBodyGroup *group, double h);

  // ---- mass and stiffness ----

  // x <- M⁻¹ x, where M is the same in every state. Default: M is the identity.
  void (*mobilise)(const lbPrepared *prepared, double *x);
  // x <- M(q)⁻¹ x at the body's state. Default: `mobilise`.
  void (*mobilise_at)(const lbBody *body, lbScratch *scratch, double *x);
  // v <- v + M⁻¹ p for an impulse p (padded); the caller puts v into the state. Default: by
  // `mobilise_at`. A method whose state is more than q and v changes that as well.
  void (*apply_impulse)(lbBody *body, lbScratch *scratch, const double *impulse, double *v);
  // x <- K⁻¹ x with the stiffness K at rest.
  void (*comply)(const lbPrepared *prepared, double *x, lbScratch *scratch);
  // s: the longest step that is stable. Default: INFINITY.
  double (*stable_step)(const lbBody *body);

  // ---- questions ----

  // J, kinetic energy ½ vᵀ M v, without the frame's. Not needed with `report`.
  double (*kinetic)(const lbBody *body, const double *v, lbScratch *scratch);
  // J, elastic energy at q. Not needed with `report`.
  double (*elastic)(const lbBody *body, const double *q, lbScratch *scratch);
  // J, the same where q is the end of the last step, which may have kept it. Default: `elastic`.
  double (*stored)(lbBody *body, const double *q, lbScratch *scratch);
  // Energies and momenta; report->mass is set. Default: kinetic and elastic energy with the motion
  // of the frame.
  void (*report)(const lbBody *body, lbBodyReport *report, lbScratch *scratch);
  // Pa, von Mises stress at the nodes, which are 0 before. Default: by stress_law.
  void (*von_mises)(const lbBody *body, double *stresses, lbScratch *scratch);
  // How far the shape is from the poses that the forces were trained on (lb_body_pose_distance).
  // Default: 0, forces are exact.
  double (*pose_distance)(const lbBody *body, lbScratch *scratch);
  // The share of the force that the basis cannot follow (lb_body_unfollowed_force). Default: 0, not
  // known.
  double (*unfollowed_force)(const lbBody *body, lbScratch *scratch);

  // ---- contacts ----

  // The exact shape of a rigid body, own axes. Default: NULL, the body deforms.
  const struct lbSolid *(*solid)(const lbBody *body);
  // Adds coordinates where contacts press the body: at most `most` refinements, no nearer to each
  // other than `spacing` (m). NULL: the method cannot (lb_method_can_refine).
  void (*refine)(lbBody *body, const struct lbPresses *presses, int32_t most, double spacing,
                 double dt);
  // m, the spacing to use where `spacing` was asked for (0: the default). NULL with `refine`.
  double (*refinement_spacing)(const lbBody *body, double spacing);
  int32_t refinements_most; // of a body
};

// ---- defaults (method_defaults.c) --------------------------------------------------------------

// A table with defaults for the operations that it does not have. Only those are NULL then that say
// above what this means.
lbBodyMethod lb_method_with_defaults(const lbBodyMethod *table);
// The defaults that need more of their file.
void lb_default_report(const lbBody *body, lbBodyReport *report, lbScratch *scratch); // query.c
void lb_default_von_mises(const lbBody *body, double *stresses, lbScratch *scratch);  // stress.c

// ---- capabilities ------------------------------------------------------------------------------

static inline bool lb_method_can_refine(const lbBodyMethod *method) { return method->refine; }
static inline bool lb_method_keeps_acceleration(const lbBodyMethod *method) {
  return method->accelerate;
}
static inline bool lb_method_steps_many(const lbBodyMethod *method) { return method->step_many; }
static inline bool lb_method_holds_rigid_motion(const lbBodyMethod *method) {
  return method->fit_frame;
}
bool lb_method_has_unit_mass(const lbBodyMethod *method); // M is the identity

// The exact shape of a rigid body, own axes; NULL: the body is not rigid.
static inline const struct lbSolid *lb_body_solid(const lbBody *body) {
  return body->prepared->method->solid(body);
}

// x <- M⁻¹ x at the body's state
static inline void lb_body_mobilise(const lbBody *body, lbScratch *scratch, double *x) {
  body->prepared->method->mobilise_at(body, scratch, x);
}

// Whether its motion is felt through inertial forces (rather than being in the coordinates).
static inline bool lb_frame_is_felt(const lbBody *body) {
  return !lb_frame_is_still(body) && !lb_method_holds_rigid_motion(body->prepared->method);
}

// ---- the methods there are (src/method/table.c) ------------------------------------------------

// The table of a model's body, and what the model has for it; `method` may be LB_METHOD_DEFAULT.
lbStatus lb_method_find(const lbModel *model, lbMethod method, const lbBodyMethod **out,
                        lbModelMethod *view, lbError *err);
// Adds a method from outside of the run side (or replaces one that was added), before bodies are
// made. It must have `view`. NULL with a method's name takes it out again.
void lb_body_register_method(lbMethod method, const lbBodyMethod *table);

#endif
