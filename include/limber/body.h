// limber/body.h: a model in motion: forces in, steps, positions out.
//
// A body has three parts. What follows from its model and method (coefficients, search trees) is
// prepared once, never changes and is shared by all bodies of the model, on any thread. The body
// itself is its frame, its parameters and its state. Working memory is shared: a call borrows it
// and gives it back.
//
// Positions, forces and targets are in world axes; the body's own axes stand at `position`, turned
// by `rotation`: the body's frame. A call that is refused (a missing vertex, a NaN, a force beyond
// 1e100, a NULL that is not said to be legal) returns LB_ERR_ARGUMENT or another status, leaves the
// body as it was, and lb_body_message says why. Different bodies may be used on different threads
// at the same time; one body by one thread at a time, or by any number of threads that only make
// calls that take it as const: those write nothing that another thread can see, no message either,
// so a refused one has its status alone. Calls that have no status do nothing for a NULL, or return
// 0, NULL or LB_STEP_REFUSED.
#ifndef LIMBER_BODY_H
#define LIMBER_BODY_H

#include "limber/material.h"
#include "limber/math.h"
#include "limber/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- points: places on a body that move with it ------------------------------------------------

typedef struct lbPoint {
  lbPointKind kind;
  int32_t index;     // vertex, node, triangle or element
  double weights[8]; // triangle: of its 3 corners; element: of its 3, 4 or 8 nodes; sum 1
} lbPoint;

static inline lbPoint lb_point_vertex(int32_t vertex) {
  lbPoint point = { LB_POINT_VERTEX, vertex, { 1, 0, 0, 0, 0, 0, 0, 0 } };
  return point;
}
static inline lbPoint lb_point_node(int32_t node) {
  lbPoint point = { LB_POINT_NODE, node, { 1, 0, 0, 0, 0, 0, 0, 0 } };
  return point;
}
static inline lbPoint lb_point_triangle(int32_t triangle, double a, double b, double c) {
  lbPoint point = { LB_POINT_TRIANGLE, triangle, { a, b, c, 0, 0, 0, 0, 0 } };
  return point;
}

// ---- bodies ------------------------------------------------------------------------------------

// A model with a recording has a body by LB_METHOD_RECORDED: it plays the motion of the unreduced
// simulation by the body's time and keeps the last shape at the end. Forces, impulses, gravity,
// velocity and damping are accepted and have no effect; constraints, balls and lb_body_set_material
// are refused; lb_body_set_state lasts until the next step, and lb_body_restore_state goes back in
// time. Its elastic energy is not known and reported as 0.
//
// LB_METHOD_FULL is the unreduced simulator (limber/fem.h), for any model with a volume, where the
// build side was started (lb_build_start). Its coordinates are the displacements of all nodes; all
// calls here work, at the cost of a sparse solve for each constrained direction. A driven body
// follows its frame by what is fixed; the frame of a free one is the rigid motion nearest to its
// own.
typedef struct lbBody lbBody;

// How a body's frame moves.
typedef enum lbFrameKind {
  LB_FRAME_DEFAULT, // free where the model has no fixed node, otherwise held
  LB_FRAME_HELD,    // stands where it was placed
  LB_FRAME_DRIVEN,  // goes where lb_body_drive says; the body feels how it gets there: linear and
                    // angular acceleration, centrifugal and Coriolis forces
  LB_FRAME_FREE,    // moves by what acts on the body; linear and angular momentum are kept. Only
                    // for models without fixed nodes
} lbFrameKind;

typedef struct lbBodyDef {
  lbMethod method;          // default LB_METHOD_DEFAULT: the best that the model has
  lbFrameKind frame;        // default LB_FRAME_DEFAULT
  bool decoupled;           // a free frame: rotation and deformation do not feel each other, as in
                            // Hauser et al. 2003; default false
  lbVec3 position;          // m, default 0
  lbQuat rotation;          // default the identity; it is normalised
  lbVec3 gravity;           // m/s², default 0
  int32_t mode_count;       // use the first so many; default 0: all
  int32_t kept_count;       // or use those of the list `kept`; default 0: no list
  const int32_t *kept;      // (kept_count): modes or basis vectors, each once, in any order
  double damping_mass;      // α, 1/s, >= 0; default NAN: the model's
  double damping_stiffness; // β, s, >= 0; default NAN: the model's
  int32_t constrained_points; // room for so many constrained points (and as many force points) at
                              // a time, 0 to 256; default 16. Memory is taken by the first
                              // constraint
  void *user_data;            // lb_body_user_data gives it back; default NULL
  bool recover; // a body that is stuck (LB_STEP_STUCK) returns to rest, smoothly, within a period
                // of its lowest frequency (LB_STEP_RECOVERING); forces move only its free frame
                // until it is there. A cubature body that is bent by more than its size, beyond its
                // trained poses, returns too. Constraints, balls and impulses end the return.
                // Structures that are truly bistable would return too; default false

  // The subspace and the full method only; warped bodies have the integrator alone of these, bodies
  // of frames have implicit Euler, whatever is set here.
  lbIntegrator integrator;   // default LB_INTEGRATOR_NEWMARK
  int32_t newton_iterations; // 1 to 100; default 1: one linear solve a step. A step that is still
                             // far off, or creates energy, takes more. Forces by cubature: 1
                             // stands for a residual of 1e-3 of the largest force, more for
                             // newton_tolerance. Full: at most so many, and 1
                             // stands for the simulator's own 20
  double newton_tolerance;   // of |residual| against the largest of the forces in it, from the
                             // second iteration on; 0 to 1; default 1e-10
  bool single_precision;     // coefficients of forces, or rows of the basis where they come by
                             // cubature, as 32-bit numbers (arithmetic stays 64-bit): half the
                             // memory, faster where they leave the cache (60 vectors and more);
                             // relative error of a force about 1e-7; by cubature forces have an
                             // energy all the same; default false
  double factor_reuse;       // the full method: as in lbSimulatorDef; 0 to 0.999; default 0
} lbBodyDef;

lbBodyDef lb_body_def(void);
// The model must outlive the body. The second body of a model (by the same method, modes and
// precision) shares what was prepared for the first and costs its state alone.
lbStatus lb_body_create(const lbModel *model, const lbBodyDef *def, lbBody **out, lbError *err);
void lb_body_destroy(lbBody *body); // NULL is legal
// What the first pick, push or haptics would make: search trees over the surface, shared by all
// bodies of the model, and the body's room for contacts. For calling ahead of time.
lbStatus lb_body_prepare_queries(lbBody *body);

const lbModel *lb_body_model(const lbBody *body);
lbMethod lb_body_method(const lbBody *body);
int32_t lb_body_dimension(const lbBody *body); // reduced coordinates
double lb_body_time(const lbBody *body);       // s, the sum of the steps
// Of the last refused call that may change the body; "" when there was none.
const char *lb_body_message(const lbBody *body);
// s: the longest stable step of central differences at rest (undamped); infinite otherwise.
double lb_body_stable_step(const lbBody *body);
int32_t lb_body_flags(const lbBody *body); // lbStepFlags of its last step
void *lb_body_user_data(const lbBody *body);
void lb_body_set_user_data(lbBody *body, void *data);
// lbBodyDef.recover, while it runs.
lbStatus lb_body_set_recover(lbBody *body, bool recover);
size_t lb_body_bytes(const lbBody *body); // of its own memory, without what bodies share

// ---- what acts on it ---------------------------------------------------------------------------

// Constant over the next step, then removed. Forces add up. Newmark's rule (subspace, unreduced)
// uses the mean of the forces at both ends of a step: half of a new force acts one step later, on
// the shape and on a free frame.
lbStatus lb_body_apply_force(lbBody *body, lbPoint point, lbVec3 force); // N
// Changes the velocity at once.
lbStatus lb_body_apply_impulse(lbBody *body, lbPoint point, lbVec3 impulse); // N s
// An impulse that pushes away from a place: at each surface vertex within `radius` of the centre
// it is `strength` (N s/m²) times the vertex's share of the area, less with the distance (linear,
// 0 at the radius), along the line from the centre.
lbStatus lb_body_apply_radial_impulse(lbBody *body, lbVec3 centre, double radius, double strength);
lbStatus lb_body_set_gravity(lbBody *body, lbVec3 gravity); // m/s²

typedef struct lbPointForce {
  lbPoint point;
  lbVec3 force; // N, world axes
} lbPointForce;

// Computes the accelerations that a motion starts from, now: of gravity, of the forces applied so
// far, and of these forces, which act only at this moment. Without this call the next step uses the
// forces applied for it at its start, too. Methods whose steps are exact
// have no use for it.
lbStatus lb_body_start(lbBody *body, int32_t count, const lbPointForce *forces);

// ---- its frame ---------------------------------------------------------------------------------

typedef struct lbFrame {
  lbVec3 position; // m, of the own axes' origin
  lbQuat rotation;
  lbVec3 linear_velocity;  // m/s, at the centre of mass of the rest shape
  lbVec3 angular_velocity; // rad/s
} lbFrame;

lbFrameKind lb_body_frame_kind(const lbBody *body);
lbFrame lb_body_frame(const lbBody *body);
// Puts the frame somewhere else; deformation, velocities relative to the frame and a free body's
// momenta (turned with it) stay. No inertial forces result.
lbStatus lb_body_set_placement(lbBody *body, lbVec3 position, lbQuat rotation);
// A driven body is there at once, moving like this; the shape is carried along
// without inertial forces: the start of a motion, or a cut in it.
lbStatus lb_body_set_frame(lbBody *body, const lbFrame *frame);
// A driven body: pose and velocities of the frame at the end of the next step. The change of
// velocity over the step gives inertial forces. Without this call before a step the frame stands
// still. A frame that jumps, by more than 4 sizes of the body or a quarter turn in one step,
// carries the shape along without inertial forces, and the step has LB_STEP_JUMPED.
lbStatus lb_body_drive(lbBody *body, const lbFrame *frame);
// The same; velocities follow from the change of pose over the step.
lbStatus lb_body_drive_to(lbBody *body, lbVec3 position, lbQuat rotation);
// The method "frames": frame `joint` of the model, which must be a fixed one, moves to this pose
// in the body's own axes over the next step and stays there until the next call. At rest it has its
// position of the model and the identity as rotation. LB_ERR_ARGUMENT for other frames and methods.
lbStatus lb_body_drive_joint(lbBody *body, int32_t joint, lbVec3 position, lbQuat rotation);
// The same at once: the start of a motion, or a cut in it. The other frames stay where they are.
lbStatus lb_body_set_joint(lbBody *body, int32_t joint, lbVec3 position, lbQuat rotation);
// Velocity (m/s, at the centre of mass) and angular velocity (rad/s): of a free body's frame; of
// others those of a rigid motion relative to the frame, as far as nodes can move.
lbStatus lb_body_set_velocity(lbBody *body, lbVec3 linear, lbVec3 angular);

// ---- a ball that pushes ------------------------------------------------------------------------

typedef struct lbBall {
  lbVec3 centre;    // m, where it is at the end of the step
  lbVec3 velocity;  // m/s; zero where it is not known
  double radius;    // m, > 0
  double stiffness; // N/m, > 0: of a place that is left in it; INFINITY: hard
} lbBall;

// A ball that keeps the surface out of itself at the end of the next step, of dt seconds: call it
// before each step. It touches up to 16 places some way apart and pushes along the lines from its
// centre, without friction, and by at most a quarter of its radius a step: a ball that goes faster
// goes through. Its forces are held over the next step; stable at any stiffness. `force` (or NULL):
// on the ball, N. Several balls: one call each.
lbStatus lb_body_push_ball(lbBody *body, const lbBall *ball, double dt, lbVec3 *force);

// ---- the step ----------------------------------------------------------------------------------

// Advances by dt seconds. Returns lbStepFlags: LB_STEP_REFUSED for a dt that is not a positive
// number, or above 1e6; LB_STEP_ADAPTED when the integrator of the def could not take the
// step (no solution near, or it would have created energy) and another rule did: one that keeps the
// elastic energy exactly, that in two halves (neither of warped bodies), then implicit Euler in
// four quarters; or when a free body turns by more than 3.2 rad in the step: spin and deformation
// then do not feel each other; LB_STEP_NONFINITE when no step, however short, gave a sane state:
// the last good one was kept, and only time went on. (Constraints that would turn elements inside
// out, under a law that forbids it, do that.)
int32_t lb_body_step(lbBody *body, double dt);

// ---- material ----------------------------------------------------------------------------------

lbMaterial lb_model_material(const lbModel *model, int32_t index); // one of the model's own
// Another Young's modulus (Pa), Poisson ratio and density (kg/m³) for one of the model's materials,
// while it runs; shape and motion stay. Warp and frames; subspace where the model was built with
// --editable or with forces by cubature; others are refused. Of a Mooney-Rivlin material the
// density alone may change, and young and poisson must be given as they are; bodies in moving
// frames that have several materials refuse another density. The shapes that a subspace can take
// stay those of the original material, and frames that were inserted are taken away. Bodies of a
// batch: see lb_batch_set_material.
lbStatus lb_body_set_material(lbBody *body, int32_t material, double young, double poisson,
                              double density);
// Rayleigh damping: α in 1/s, β in s; every method. For all bodies of a batch.
lbStatus lb_body_set_damping(lbBody *body, double mass, double stiffness);

// ---- constraints: prescribed motion of points --------------------------------------------------
//
// One rule for all of them and for every method: the force of a constraint is constant over a step,
// and all forces of a body are found together, inside its step. With x0 and x1 where a point is at
// the step's start and end, along one axis, and v0 its velocity at the start,
//
//   position      x1 = target             spring   f = k (target - x1) - b (x1 - x0) / h
//   velocity      x1 = x0 + h target
//   acceleration  x1 = x0 + h v0 + h² target / 2
//
// and the velocity at the step's end is brought to the mean velocity over the step (acceleration:
// to v0 + h target), stiff springs nearly, soft ones hardly. With targets that do not move, no set
// of positions, velocities and springs, however stiff or contradictory, can add energy to a body
// whose frame is held. That holds for forces at the constrained points; where force_points are
// given the targets are met, but energy may grow.
//
// The frame of a free body turns by what holds it, which is not linear: constraints that turn it
// far in one step can add energy. The body keeps account of that in the frame that moves with
// the targets, where hard constraints do no work. A step that adds too much is taken again
// without the coupling of spin and shape, then mended by slowing the body down, or taken back, and
// has LB_STEP_ADAPTED; what a point lags behind its target by then is made up for by a twentieth of
// the body's size in each step.

typedef enum lbConstraintKind {
  LB_CONSTRAIN_POSITION,
  LB_CONSTRAIN_VELOCITY,
  LB_CONSTRAIN_ACCELERATION,
} lbConstraintKind;

typedef struct lbConstraintDef {
  lbConstraintKind kind;       // default position
  int32_t point_count;         // >= 1
  const lbPoint *points;       // (point_count): what is constrained
  const double *targets;       // (point_count x 3): m, m/s or m/s²; NULL: where it is now / zero
  const uint8_t *axes;         // (point_count): 1 = x, 2 = y, 4 = z, added up; world axes; NULL: 7
  int32_t force_point_count;   // default 0: forces act at `points`, along the same axes
  const lbPoint *force_points; // where forces may act instead, in all directions
  double stiffness;            // N/m, >= 0; default INFINITY: hard. Otherwise each point hangs on a
                               // spring from its target: position only, no force_points
  double damping;              // N s/m, >= 0, of the spring; default 0
} lbConstraintDef;

lbConstraintDef lb_constraint_def(void);
// All constraints are solved together, in the least-squares sense where they cannot all be met.
// Refused when there is no room (lbBodyDef.constrained_points).
lbStatus lb_body_add_constraint(lbBody *body, const lbConstraintDef *def, int32_t *id);
lbStatus lb_body_set_target(lbBody *body, int32_t id, const double *targets);
lbStatus lb_body_remove_constraint(lbBody *body, int32_t id);
int32_t lb_body_constraint_rank(const lbBody *body); // of the system last solved; 0: none yet
// Forces on the body in the last step, world axes, N: one for each of the constraint's points, or
// of its force_points if it has such. For force feedback.
lbStatus lb_body_constraint_force(const lbBody *body, int32_t id, double *forces); // (points x 3)

// ---- surface -----------------------------------------------------------------------------------

// World positions of all surface vertices (vertices x 3).
void lb_body_surface(const lbBody *body, double *positions);
void lb_body_surface_velocities(const lbBody *body, double *velocities); // m/s
// Unit vertex normals, weighted by area, of a surface at `positions` as lb_body_surface gave them.
void lb_body_surface_normals(const lbBody *body, const double *positions, double *normals);
// The same for some vertices only, at a cost that does not depend on the others. Outputs may be
// NULL; normals come from the triangles around each vertex.
lbStatus lb_body_vertices(const lbBody *body, int32_t count, const int32_t *vertices,
                          double *positions, double *velocities, double *normals);
lbStatus lb_body_point(const lbBody *body, lbPoint point, lbVec3 *position, lbVec3 *velocity);
void lb_body_node_displacements(const lbBody *body, double *displacements); // own axes (nodes x 3)
void lb_body_node_velocities(const lbBody *body, double *velocities);       // own axes (nodes x 3)

// Von Mises stress in Pa at the nodes of the volume mesh (nodes), of the materials as they are now.
// Subspace: of the Cauchy stress of St. Venant–Kirchhoff or, with forces by cubature, of the
// materials' own laws; modal: of small strain, in which the method is exact, however far it moves.
// A node gets the mean over its elements, by volume, of a tet's constant stress and of a brick's
// stress at its Gauss point next to the node: a brick that is bent shows it, as its centre would
// not. Never a NaN: what is beyond 1e30 Pa, a collapsed element, counts as 1e30; nodes of no
// element get 0.
void lb_body_von_mises(const lbBody *body, double *stresses);

typedef struct lbPick {
  lbPoint point;   // on a triangle
  lbVec3 position; // m
  double distance; // along the ray, in units of the direction's length
} lbPick;

// The first surface point on the ray, from either side. *hit: whether there is one.
lbStatus lb_body_pick(lbBody *body, lbVec3 origin, lbVec3 direction, lbPick *pick, bool *hit);

// Compliance and mobility at a point, in the body's present state, as means over the three axes:
// the displacement by a unit force in equilibrium (m/N; a free body's deformation only) and the
// change of velocity by a unit impulse (1/kg).
lbStatus lb_body_softness(const lbBody *body, lbPoint point, double *compliance, double *mobility);
// m: upper bound on the displacement of any surface point from rest, within the frame.
double lb_body_reach(const lbBody *body);
// Distance of the present shape from the poses that the model's cubature was trained with, scaled
// by the spread of these poses: 0 at rest, 1 at the farthest pose. Well beyond 1 the body has left
// the range in which its forces are valid. Costs 1 to 2 microseconds. 0 where forces are exact or
// the model has no poses.
double lb_body_pose_distance(const lbBody *body);
// Relative residual of the full equations of motion, for bodies with forces by cubature: the part
// of the nodal forces that the reduced shapes cannot balance. At 16 free nodes spread over the mesh
// the elastic forces of all adjacent elements, inertia, damping and gravity are summed; the result
// is the root mean square of the sums over that of the summands, from 0 (at rest, or a sufficient
// basis) to 1 (no balance). Other forces are not known for single nodes: a sampled node that such a
// force acts on counts as out of balance; constraints, balls and driven frames count in part. The
// figure shrinks with the mesh size, so compare only states of one model. The cost depends on the
// sample, not on the mesh: 20 to 100 microseconds. 0 for other bodies.
double lb_body_unfollowed_force(const lbBody *body);

// Of the world: with the motion of the frame; masses as in the model's mass matrix.
typedef struct lbBodyReport {
  double mass;                                      // kg
  double kinetic, elastic;                          // J; never a NaN: elastic energies beyond
                                                    // all numbers are the largest one
  lbVec3 centre, linear_momentum, angular_momentum; // m, kg m/s, kg m²/s about the origin
} lbBodyReport;
lbBodyReport lb_body_report(const lbBody *body);

// ---- state -------------------------------------------------------------------------------------

// Reduced coordinates and their rates (dimension).
void lb_body_get_state(const lbBody *body, double *coordinates, double *rates);
lbStatus lb_body_set_state(lbBody *body, const double *coordinates, const double *rates);
lbStatus lb_body_set_shape(lbBody *body, const double *coordinates); // at rest in it

// The state whose displacements (nodes x 3, own axes) and velocities (the same; NULL: at rest) are
// nearest to the given ones in the sum over the nodes of mass times the difference squared; exactly
// these, if the body can have them. For going on with another method or dimension: take them from
// one body by lb_body_node_displacements and lb_body_node_velocities, give them to another one of
// the same object.
lbStatus lb_body_set_displacements(lbBody *body, const double *displacements,
                                   const double *velocities);

// Goes on from where another body of the same object is, moved by `shift` (m): with its frame,
// shape and velocities, as near as this one can have them (as lb_body_set_displacements), and
// exactly these where both have the same method, vectors and kind of frame. A free body takes the
// frame over; a held or driven one keeps its own and takes the motion relative to that.
lbStatus lb_body_adopt_motion(lbBody *body, const lbBody *from, lbVec3 shift);

// All of it: time, coordinates, rates, accelerations, forces of the next step, frame, gravity,
// constraints. After restoring the body repeats the steps after saving, to the last bit. The
// bytes are for bodies of the same model, method, modes, damping and materials, on the same kind of
// machine; others are refused. Their number is fixed when the body is made.
size_t lb_body_state_bytes(const lbBody *body);
lbStatus lb_body_save_state(const lbBody *body, void *bytes, size_t byte_count);
lbStatus lb_body_restore_state(lbBody *body, const void *bytes, size_t byte_count);

// ---- batches: many bodies of one model, stepped together ---------------------------------------

typedef struct lbBatch lbBatch;

typedef struct lbBatchDef {
  int32_t count;           // bodies; no default
  lbBodyDef body;          // for each; constrained_points is 0 by default here
  const lbVec3 *positions; // (count) or NULL: body.position
  const lbQuat *rotations; // (count) or NULL: body.rotation
} lbBatchDef;

lbBatchDef lb_batch_def(void);
lbStatus lb_batch_create(const lbModel *model, const lbBatchDef *def, lbBatch **out, lbError *err);
void lb_batch_destroy(lbBatch *batch);
int32_t lb_batch_count(const lbBatch *batch);
// An ordinary body, owned by the batch; stepping it alone or with the others gives the same bits.
// NULL where index is not from 0 to count - 1.
lbBody *lb_batch_body(lbBatch *batch, int32_t index);
// One step of all of them, through the task hook; flags of all, or-ed (lb_body_flags has each
// body's own).
int32_t lb_batch_step(lbBatch *batch, double dt);
// lb_body_set_material for all of them, which then share what is worked out. `err` may be NULL.
lbStatus lb_batch_set_material(lbBatch *batch, int32_t material, double young, double poisson,
                               double density, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
