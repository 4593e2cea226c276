// Inside the body layer: the three parts of a body, and what a method is.
//
//   lbPrepared  what follows from model, method, kept vectors and SIMD level: immutable, counted,
//               shared by bodies and threads (prepared.c)
//   lbBody      frame, parameters, and the method's state (create.c, frame.c)
//   lbScratch   working memory, one for each thread that works at a time: borrowed from the
//               prepared part and passed down (scratch.c)
//
// A method is a table of operations (lbBodyMethod): modal.c, subspace.c, recorded.c, and what the
// build side registers. How a step goes is written once, in step.c, over these operations.
#ifndef LB_BODY_BODY_H
#define LB_BODY_BODY_H

#include "limber/body.h"

#include "base/carver.h"
#include "base/refuse.h"
#include "body/basis.h"
#include "body/inertia.h"
#include "elastic/element.h"
#include "elastic/stress.h"
#include "geometry/aabb_tree.h"

#include <stdatomic.h>

// Forces, impulses, targets and states beyond this are refused: the oscillators' exact steps then
// stay finite for ever.
#define LB_BODY_MOST 1e100
#define LB_TIME_STEP_MOST 1e6 // s

typedef struct lbBodyMethod lbBodyMethod;
typedef struct lbPrepared lbPrepared;
typedef struct lbScratch lbScratch;

// ---- prepared ----------------------------------------------------------------------------------

struct lbPrepared {
  const lbModel *model;
  const lbBodyMethod *method;
  lbSimdLevel level;
  const lbBasisKernels *basis_kernels;
  const lbStressKernels *stress;
  int32_t dimension, padded; // reduced coordinates, and that rounded up to a multiple of LB_BATCH
  int32_t *kept;             // (dimension) vectors of the model that are used; NULL: the first ones
  bool single_precision;
  lbMaterialModel stress_law;      // the method's, or what it has put here
  int32_t state_rows, state_extra; // as lbBodyMethod, or more
  bool stress_by_material;         // stress by the laws of the materials, not by the method's
  bool has_node_blocks;            // lbBodyMethod.respond_at is known for this model,
  bool lumped;                     // and exact without a step

  const double *basis;   // (3 nodes x dimension), column-major: u = U q. NULL: q is u itself, of
                         // 3 nodes coordinates, unless the method has `nodes`
  const double *gravity; // (dimension x 3): reduced force of a unit gravity, Uᵀ M 1
  const double *rigid;   // (dimension x 6): rates of a unit rigid velocity
  const double *eigenvalues; // (dimension); modal
  double damping[2];         // the model's: α in 1/s, β in s
  const double *node_masses; // (nodes) kg
  double mass;               // kg
  lbVec3 centre;             // m, of mass, at rest, own axes
  lbInertia inertia;         // in a moving frame
  double size;               // m, diagonal of the rest shape's box
  double slowest;            // rad/s, about the lowest natural frequency; 0: not known

  // The surface.
  int32_t range_count;
  int32_t *ranges;       // (range_count x 2): begin and end of the nodes that carry the surface
  int32_t *around_begin; // (vertices + 1)
  int32_t *around;       // (3 triangles): triangles around each vertex, ascending

  void *own;        // the method's part
  uint64_t version; // tells prepared objects apart: bodies that have another one begin anew
  uint64_t hash;    // what tells bodies of one model apart, for saved states

  // What follows is of this object alone, not of those derived from it.
  char *block; // of the copies above
  // Made on demand, under `lock`; then as immutable as the rest.
  _Atomic(struct lbTree *) tree;
  atomic_flag lock;
  lbScratch *idle; // scratch that nobody uses, under `lock`

  atomic_int references;
  const lbPrepared *base; // whose copies, tree and scratch this one uses: another material of it
  lbPrepared *next;       // in the model's list
};

// Finds what is prepared for the model, or prepares it; def counts as far as the prepared part
// depends on it. To be given back by lb_prepared_release.
lbStatus lb_prepared_acquire(const lbModel *model, const lbBodyDef *def, lbSimdLevel level,
                             const lbPrepared **out, lbError *err);
const lbPrepared *lb_prepared_retain(const lbPrepared *prepared);
void lb_prepared_release(const lbPrepared *prepared); // NULL is legal
// A copy that differs in what the caller changes (another material), not in the model's list.
lbStatus lb_prepared_derive(const lbPrepared *prepared, lbPrepared **out, lbError *err);
// The search tree over the surface, made by the first call.
lbStatus lb_prepared_tree(const lbPrepared *prepared, const struct lbTree **out, lbError *err);

// ---- scratch -----------------------------------------------------------------------------------

// Vectors have room for `width` numbers: the padded coordinates, then 8 for the frame of a free
// body (displacement and turn of the frame over the step, world axes).
#define LB_FRAME_ROOM LB_BATCH

// Rows of lbScratch.moments: A of body/inertia.h at the coordinates that are in the last row; after
// lb_frame_begin, until A is found elsewhere, what the rates at the step's start add to it in a
// second (B); the spins of other rates; and six rows for passing use.
enum {
  LB_MOMENTS_A = 0,
  LB_MOMENTS_B = LB_INERTIA_ROWS,
  LB_MOMENTS_SPINS = 2 * LB_INERTIA_ROWS,
  LB_MOMENTS_OTHER = LB_MOMENTS_SPINS + 3,
  LB_MOMENTS_AT = LB_MOMENTS_OTHER + LB_INERTIA_AXIS,
  LB_MOMENT_ROWS
};

struct lbScratch {
  lbScratch *next;
  double *q0, *v0;                  // at the step's start
  double *q, *v;                    // at its end, so far
  double *force;                    // what acts at the end of the step: gravity and applied forces
  double *inertial;                 // what the frame's motion exerts, held over the step
  double *held;                     // that, and the forces of balls
  double *pull;                     // of constraints, held too
  double *start_q, *start_v;        // at the start of all parts of a step
  double *a, *b, *c;                // vectors for anybody's passing use
  double *moments;                  // (LB_MOMENT_ROWS x padded): see below
  uint64_t moments_version;         // of the prepared part that they are of; 0: none
  double *numbers;                  // (lb_method_numbers): the method's own state at the start
  double *nodes, *shares;           // (nodes x 3), (nodes)
  double *moduli;                   // (materials x LB_MATERIAL_PARAMETERS)
  double *positions;                // (vertices x 3)
  lbAabbTree *boxes;                // of `positions`, for rays; made by the first pick
  struct lbSearch *search;          // of lb_tree_search; made on demand
  struct lbVertexWork *vertex_work; // of vertices.c; made on demand
  double *touch_work;               // of touch.c; made on demand
  void *own;                        // the method's
};

static inline int32_t lb_method_numbers(const lbPrepared *prepared);

lbScratch *lb_scratch_borrow(const lbPrepared *prepared); // NULL: no memory
void lb_scratch_return(const lbPrepared *prepared, lbScratch *scratch);
void lb_scratch_destroy(const lbPrepared *prepared, lbScratch *scratch);

// ---- frames ------------------------------------------------------------------------------------

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

// ---- bodies ------------------------------------------------------------------------------------

// A stretch of memory with bodies that were made together: one, or those of a batch.
typedef struct lbBodyGroup {
  int32_t count;
  struct lbBody *bodies; // (count)
  size_t bytes;
  void *own; // the method's
} lbBodyGroup;

struct lbBody {
  // What steps of many bodies look at, and no more, lies in the first cache line.
  _Alignas(64) const lbPrepared *prepared;
  lbBodyGroup *group;
  struct lbConstraints *constraints; // made by the first constraint; NULL: none
  struct lbContacts *contacts;       // made by the first that touches it; NULL: none
  double time;                       // s
  double led;                        // how much of the way back to rest is done, in time; 0: none
  int32_t flags;                     // of the last step
  bool plain;                        // takes part in step_many
  bool in_batch;
  bool consistent;    // the accelerations that the method keeps belong to q, v and the material
  bool recovers;      // is led back to rest when it is stuck
  bool asleep;        // a world leaves it alone: steps pass its time (body/sleep.h)
  bool done;          // a world has others take their step again: steps leave it as it is
  bool pushed;        // a force was applied; until a world has taken its step
  lbFrameState frame; // its kind comes first

  double h; // s, the last step's length
  lbVec3 gravity;
  double damping_mass, damping_stiffness;
  lbIntegrator integrator;
  int32_t newton_iterations;
  double newton_tolerance, factor_reuse;
  int32_t constraint_room;
  void *own; // the method's state
  void *user_data;
  lbError *message;
};

// One step, or a part of one.
typedef struct lbStep {
  double h;
  int32_t rule;               // the method's: 0 is what was asked for
  int32_t iteration;          // 0: the first linearisation
  double share_before, share; // of the whole step, at its start and end: 0 and 1 for the whole
  const lbFrameState *whole;  // the frame at the start of the whole step
  double loose;  // of what a force moves: error of `respond` that is tolerated; 0: the method's own
  bool straight; // opened for contacts: nodes go on straight from the start, where forces act on
                 // them
  lbFrameStep frame;
} lbStep;

#define LB_STEP_FAR (1 << 24)   // finite, but far from a solution: take it again by another rule
#define LB_STEP_AGAIN (1 << 25) // one more iteration is needed
#define LB_STEP_PRIVATE (LB_STEP_FAR | LB_STEP_AGAIN) // never leave the layer

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
  // Between a step that was opened for contacts and the step itself: the end moves by this much
  // (padded), as forces that were found tell. A guess for its solution; may be NULL.
  void (*expect)(lbBody *body, const double *moved);
  // block (3 x 3, own axes at the step's end, symmetric, not negative) <- about what `respond` does
  // to a node by a force at this node; without a step: by an impulse at once. For methods whose
  // coordinates are the nodes' displacements. NULL: not known.
  void (*respond_at)(const lbBody *body, const lbStep *step, const lbScratch *scratch, int32_t node,
                     double block[9]);
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

static inline int32_t lb_method_numbers(const lbPrepared *prepared) {
  return prepared->state_rows * prepared->padded + prepared->state_extra;
}

extern const lbBodyMethod lb_modal_method, lb_subspace_method, lb_recorded_method, lb_warp_method;
extern const lbBodyMethod lb_frames_method, lb_rigid_method;

// The method of a model's body: one of the layer's own, or one that was registered.
const lbBodyMethod *lb_body_method_of(lbMethod method); // NULL: none
// Adds a method from outside of the layer (or replaces one that was added); before bodies are made.
// It must have `view`. NULL with a method's name takes it out again.
void lb_body_register_method(lbMethod method, const lbBodyMethod *table);

// What a density of an element adds to the masses of its nodes, the integral of N; returns the sum.
double lb_element_add_mass(const lbModel *model, lbElementKind kind, const int32_t *nodes,
                           double density, double *node_masses);
uint64_t lb_hash(uint64_t hash, const void *bytes, size_t count);
lbStatus lb_body_refuse_recording(const lbBody *body, const char *what);

// ---- creation (create.c) -----------------------------------------------------------------------

// lb_body_create with the kernels of another level than the best, one that lb_simd_has.
lbStatus lb_body_create_at(const lbModel *model, const lbBodyDef *def, lbSimdLevel level,
                           lbBody **out, lbError *err);
lbStatus lb_batch_create_at(const lbModel *model, const lbBatchDef *def, lbSimdLevel level,
                            lbBatch **out, lbError *err);
// Bodies that lie together; positions and rotations may be NULL: the def's.
lbStatus lb_group_create(const lbPrepared *prepared, const lbBodyDef *def, int32_t count,
                         const lbVec3 *positions, const lbQuat *rotations, lbBodyGroup **out,
                         lbError *err);
void lb_group_destroy(lbBodyGroup *group);

// ---- frames (frame.c, frame_rates.c, frame_step.c) ---------------------------------------------

lbStatus lb_frame_start(lbBody *body, const lbBodyDef *def, lbVec3 position, lbQuat rotation,
                        lbScratch *scratch, lbError *err);
// Weight in the frame's axes, after gravity, rotation or material changed; false: absurd.
bool lb_frame_weigh(lbBody *body, lbVec3 gravity, lbMat3 turn, lbScratch *scratch);
// scratch->force <- with the weight of a frame that moves, at this turn; false: absurd.
bool lb_frame_add_weight(const lbBody *body, lbMat3 turn, lbScratch *scratch);
static inline bool lb_frame_is_still(const lbBody *body) {
  return body->frame.kind == LB_FRAME_HELD;
}
// Whether its motion is felt through inertial forces (rather than being in the coordinates).
static inline bool lb_frame_is_felt(const lbBody *body) {
  return !lb_frame_is_still(body) && !body->prepared->method->fit_frame;
}
// Whether it has a velocity that those of points are relative to.
static inline bool lb_frame_moves(const lbBody *body) {
  return !lb_frame_is_still(body) || body->frame.fitted;
}
// Where it goes in a step of h, and the inertial forces of the prediction (scratch->inertial).
int32_t lb_frame_begin(lbBody *body, lbStep *step, lbScratch *scratch);
// How a driven frame accelerates at the end of the next step or, before lb_body_start, now: for
// methods whose supports move; without it they take means of velocities. Lasts until then.
void lb_frame_accelerate(lbBody *body, lbVec3 linear, lbVec3 angular);
// Inertial forces again with the coordinates that came out; q <- what the difference makes of it.
void lb_frame_correct(lbBody *body, lbStep *step, lbScratch *scratch);
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
// The energy of a free body at the start of a step, after lb_frame_begin, and what a step that
// created some, for an observer who moves with `drift`, is mended by (frame_energy.c); LB_STEP_FAR:
// it is to be taken again, decoupled.
double lb_frame_energy(lbBody *body, const lbStep *step, lbScratch *scratch);
int32_t lb_frame_mend(lbBody *body, const lbStep *step, const lbFrameState *start, lbVec3 drift,
                      lbScratch *scratch);
// Velocity and spin of a free frame from its momenta and the state.
void lb_frame_update_rates(lbBody *body, const double *q, const double *v, lbScratch *scratch);
// A free body moves `factor` times as fast against what drifts along.
void lb_body_slow(lbBody *body, double factor, lbVec3 drift);
// Changes rates v (padded) and the frame by an impulse (world, about the centre) with its reduced
// share.
void lb_frame_strike(lbBody *body, lbVec3 impulse, lbVec3 moment, const double *reduced,
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

// ---- shared by the files of the layer ----------------------------------------------------------

static inline bool lb_time_step_is_legal(double dt) { return dt > 0 && dt <= LB_TIME_STEP_MOST; }
// Another time, which recordings follow at once.
lbStatus lb_body_set_time(lbBody *body, double time);
lbStatus lb_time_step_refuse(double dt, lbError *err);
// One step of a body, whatever its method (step.c), and its pieces: what comes before the first
// linearisation of a part, what comes after it, and the whole step after an attempt by the first
// rule.
int32_t lb_body_advance(lbBody *body, double h, lbScratch *scratch);
int32_t lb_part_prepare(lbBody *body, lbStep *step, lbScratch *scratch);
int32_t lb_part_open(lbBody *body, lbStep *step, lbScratch *scratch); // and the linearisation
int32_t lb_part_close(lbBody *body, lbStep *step, lbScratch *scratch, int32_t flags);
int32_t lb_body_conclude(lbBody *body, double h, int32_t flags, lbScratch *scratch);
// The way back to rest (recover.c): begins after a step that ended stuck, goes on unless something
// holds or touches the body, and is a step of its own.
void lb_recover_begin(lbBody *body);
bool lb_recover_goes_on(lbBody *body);
int32_t lb_recover_step(lbBody *body, double h, lbScratch *scratch);
// Something constrains or touches it.
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
// In four sums, which do not wait for each other.
static inline double lb_row_dot(int32_t count, const double *a, const double *b) {
  double sums[4] = { 0, 0, 0, 0 };
  int32_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; k++) sums[k] += a[i + k] * b[i + k];
  for (; i < count; i++) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
// Adds an impulse whose reduced share is scratch->b; moment about the frame's centre.
lbStatus lb_body_strike(lbBody *body, lbVec3 impulse, lbVec3 moment, lbScratch *scratch);
// lb_body_set_state with scratch; spoils its a and b.
lbStatus lb_body_put_state(lbBody *body, const double *coordinates, const double *rates,
                           lbScratch *scratch);
// A rotation of unit length; false when q has zero or non-finite length.
bool lb_rotation_make_unit(lbQuat *q);
lbStatus lb_check_placement(lbVec3 position, lbQuat *rotation, lbError *err);
// lb_body_save_state, into bytes that only lb_body_restore_state is to read.
lbStatus lb_body_keep_state(const lbBody *body, void *bytes);
// Forces on the next step are those that a saved state has; work (lb_body_state_bytes).
lbStatus lb_body_add_saved_forces(lbBody *body, const void *saved, void *work);

// Displacements (and velocities; either may be NULL) of nodes [begin, end), own axes, at their
// places in (nodes x 3), for rows of coordinates and rates.
void lb_body_nodes(const lbBody *body, const double *q, const double *v, int32_t begin, int32_t end,
                   double *displacements, double *velocities);

// World position of a surface vertex, from the displacements of its nodes (nodes x 3).
lbVec3 lb_surface_vertex(const lbBody *body, const double *nodes, int32_t vertex);
void lb_surface_positions(const lbBody *body, double *positions, lbScratch *scratch);
// World position of a point that was checked.
lbVec3 lb_point_place(const lbBody *body, const lbPoint *point, lbScratch *scratch);

// world = position + turn (rest + u)
static inline lbVec3 lb_body_place(const lbBody *body, lbVec3 own) {
  return lb_add(body->frame.position, lb_mat3_apply(body->frame.turn, own));
}
static inline lbVec3 lb_body_unplace(const lbBody *body, lbVec3 world) {
  return lb_mat3_apply_transpose(body->frame.turn, lb_sub(world, body->frame.position));
}

#endif
