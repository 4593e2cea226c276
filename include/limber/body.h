// limber/body.h: a model in motion: forces in, steps, positions out.
//
// A body is one block of memory; a step allocates nothing. Positions, forces and targets are in
// world axes; the body's own axes stand at `position`, turned by `rotation`. A call that is refused
// (a missing vertex, a NaN, a force beyond 1e100) returns a status, leaves the body as it was, and
// lb_body_message says why. Different bodies may be used on different threads; one body by one
// thread at a time, also by calls that take it as const (they use its working memory). The bodies
// of a batch count as one.
#ifndef LIMBER_BODY_H
#define LIMBER_BODY_H

#include "limber/math.h"
#include "limber/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- points: places on a body that move with it ------------------------------------------------

typedef struct lbPoint {
  lbPointKind kind;
  int32_t index;     // vertex, node, triangle or element
  double weights[8]; // triangle: of its 3 corners; element: of its 4 or 8 nodes; sum 1
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

// A model with a recording has a body by LB_METHOD_RECORDED, too:
// it plays the motion of the unreduced simulation by the body's time and stays as it is at the end.
// Forces, impulses, gravity, velocity and damping are taken and have no effect; constraints and
// lb_body_set_material are refused; lb_body_set_state lasts until the next step, and
// lb_body_restore_state goes back in time. Its elastic energy is not known and reported as 0.
typedef struct lbBody lbBody;

// How the subspace method goes through time. (The modal method's steps are exact.)
typedef enum lbIntegrate {
  LB_INTEGRATE_NEWMARK, // implicit (β = 1/4, γ = 1/2): stable at any step; forces act at its end
  LB_INTEGRATE_CENTRAL, // explicit central differences: velocities at the middle of steps carry
                        // positions, and are brought to the steps' ends; stable below
                        // lb_body_stable_step, above it every step has LB_STEP_NOT_CONVERGED
} lbIntegrate;

typedef struct lbBodyDef {
  lbMethod method;            // default LB_METHOD_DEFAULT: see lb_model_default_method
  lbVec3 position;            // m, default 0
  lbQuat rotation;            // default the identity; made unit length
  lbVec3 gravity;             // m/s², default 0
  int32_t mode_count;         // use the first so many; default 0: all
  int32_t kept_count;         // or use those of the list `kept`; default 0: no list
  const int32_t *kept;        // (kept_count): modes or basis vectors, each once, in any order
  double damping_mass;        // α, 1/s, >= 0; default NAN: the model's
  double damping_stiffness;   // β, s, >= 0; default NAN: the model's
  int32_t constrained_points; // room for so many constrained points (and as many force points) at
                              // a time, 0 to 256; default 16

  // The subspace method only.
  lbIntegrate integrator;    // default LB_INTEGRATE_NEWMARK
  int32_t newton_iterations; // 1 to 100; default 1: one linear solve a step. A step that is still
                             // far off takes some more, then shorter steps
  double newton_tolerance;   // of |residual| against the largest of the forces in it, from the
                             // second iteration on; 0 to 1; default 1e-10
} lbBodyDef;

lbBodyDef lb_body_def(void);
// The model must outlive the body.
lbStatus lb_body_create(const lbModel *model, const lbBodyDef *def, lbBody **out, lbError *err);
void lb_body_destroy(lbBody *body); // NULL is legal

const lbModel *lb_body_model(const lbBody *body);
lbMethod lb_body_method(const lbBody *body);
int32_t lb_body_dimension(const lbBody *body);   // reduced coordinates
double lb_body_time(const lbBody *body);         // s, the sum of the steps
const char *lb_body_message(const lbBody *body); // of the last refused call; "" when none was
// s: the longest stable step of central differences at rest (undamped); infinite otherwise.
double lb_body_stable_step(const lbBody *body);

// ---- what acts on it ---------------------------------------------------------------------------

// Held over the next step, then gone. Forces add up.
lbStatus lb_body_apply_force(lbBody *body, lbPoint point, lbVec3 force); // N
// Changes the velocity at once.
lbStatus lb_body_apply_impulse(lbBody *body, lbPoint point, lbVec3 impulse); // N s
lbStatus lb_body_set_gravity(lbBody *body, lbVec3 gravity);                  // m/s²
// Moves the body's own axes; the deformation stays.
lbStatus lb_body_set_placement(lbBody *body, lbVec3 position, lbQuat rotation);
// The velocity that a rigid motion about the centre of mass gives to the nodes that can move.
lbStatus lb_body_set_velocity(lbBody *body, lbVec3 linear, lbVec3 angular);

typedef struct lbBall {
  lbVec3 centre;    // m, where it is at the end of the step
  lbVec3 velocity;  // m/s; zero where it is not known
  double radius;    // m, > 0
  double stiffness; // N/m, > 0: of a place that is left in it; INFINITY: hard
} lbBall;

// A ball that keeps the surface out of itself at the end of the next step, of dt seconds: call it
// before each step. It touches up to 16 places some way apart and pushes along the lines from its
// centre, without friction, and by at most a quarter of its radius a step: a ball that goes faster
// goes through. Changes velocities and the forces of the next step; stable at any stiffness.
// `force` (or NULL): on the ball, N. Several balls: one call each. The first push makes a search
// tree.
lbStatus lb_body_push_ball(lbBody *body, const lbBall *ball, double dt, lbVec3 *force);

// Advances by dt seconds. Returns lbStepFlags: LB_STEP_REFUSED for a dt that is not a positive
// number, or above 1e6; LB_STEP_NONFINITE, modal: when what the constraints ask for is absurd: the
// step is then made without them; subspace: no step, however short, gave a sane state: the last
// good one was kept, and only time went on.
int32_t lb_body_step(lbBody *body, double dt);

// ---- what it is made of ------------------------------------------------------------------------

// Another Young's modulus (Pa), Poisson ratio and density (kg/m³) for one of the model's materials,
// while it runs; shape and motion stay. Subspace method, models built with --editable; others are
// refused. The bodies of a batch share their material: it changes for all of them. The shapes that
// the body can take stay those of the original material.
lbStatus lb_body_set_material(lbBody *body, int32_t material, double young, double poisson,
                              double density);
// Rayleigh damping: α in 1/s, β in s; every method. For all bodies of a batch.
lbStatus lb_body_set_damping(lbBody *body, double mass, double stiffness);

// ---- constraints: points that are made to move as told -----------------------------------------

typedef enum lbConstraintKind {
  LB_CONSTRAIN_POSITION,     // the target position is reached at the end of the step
  LB_CONSTRAIN_VELOCITY,     // modal: an impulse at the step's start gives the target velocity;
                             // subspace: it is the velocity at the step's end
  LB_CONSTRAIN_ACCELERATION, // modal: a force held over the step gives the target acceleration at
                             // its start; subspace: at its end
} lbConstraintKind;

typedef struct lbConstraintDef {
  lbConstraintKind kind;       // default position
  int32_t point_count;         // >= 1
  const lbPoint *points;       // (point_count): what is constrained
  const double *targets;       // (point_count x 3): m, m/s or m/s²; NULL: where it is now / zero
  const uint8_t *axes;         // (point_count): 1 = x, 2 = y, 4 = z, added up; world axes; NULL: 7
  int32_t force_point_count;   // default 0: forces act at `points`
  const lbPoint *force_points; // where forces may act instead
  bool held;                   // position: by a held force rather than an impulse; default false;
                               // the subspace method's forces are always held
  double stiffness;            // N/m, >= 0; default INFINITY: hard. Otherwise each point hangs on a
                               // spring from its target: position only, no force_points; stable at
                               // any stiffness
  double damping;              // N s/m, >= 0, of the spring; default 0
} lbConstraintDef;

lbConstraintDef lb_constraint_def(void);
// All constraints are solved together, in the least-squares sense where they cannot all be met.
// Refused when there is no room (lbBodyDef.constrained_points).
lbStatus lb_body_add_constraint(lbBody *body, const lbConstraintDef *def, int32_t *id);
lbStatus lb_body_set_target(lbBody *body, int32_t id, const double *targets);
lbStatus lb_body_remove_constraint(lbBody *body, int32_t id);
int32_t lb_body_constraint_rank(const lbBody *body); // of the system last solved; 0: none yet
// Forces on the body in the last step, world axes, N (an impulse counts as held over the step): one
// for each of the constraint's points, or of its force_points if it has such. For force feedback.
lbStatus lb_body_constraint_force(lbBody *body, int32_t id, double *forces); // (points x 3)

// ---- what it looks like ------------------------------------------------------------------------

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
// Subspace: of the Cauchy stress of St. Venant–Kirchhoff; modal: of small strain, in which the
// method is exact, however far it moves. A node gets the mean over its elements, by volume, of a
// tet's constant stress and of a brick's stress at its Gauss point next to the node: a brick that
// is bent shows it, as its centre would not. Never a NaN: what is beyond 1e30 Pa, a collapsed
// element, counts as 1e30; nodes of no element get 0.
void lb_body_von_mises(const lbBody *body, double *stresses);

typedef struct lbPick {
  lbPoint point;   // on a triangle
  lbVec3 position; // m
  double distance; // along the ray, in units of the direction's length
} lbPick;

// The first place of the surface that the ray hits, from either side. *hit tells whether there is
// one. The first pick makes a search tree; it and the first lb_body_push_ball are the only calls
// after creation that allocate.
lbStatus lb_body_pick(lbBody *body, lbVec3 origin, lbVec3 direction, lbPick *pick, bool *hit);

typedef struct lbBodyReport {
  double kinetic, elastic;                          // J
  lbVec3 centre, linear_momentum, angular_momentum; // m, kg m/s, kg m²/s about the origin
} lbBodyReport;
lbBodyReport lb_body_report(const lbBody *body);

// ---- state -------------------------------------------------------------------------------------

// Reduced coordinates and their rates (dimension).
void lb_body_get_state(const lbBody *body, double *coordinates, double *rates);
lbStatus lb_body_set_state(lbBody *body, const double *coordinates, const double *rates);

// The state whose displacements (nodes x 3, own axes) and velocities (the same; NULL: at rest) are
// nearest to the given ones in the sum over the nodes of mass times the difference squared; exactly
// these, if the body can have them. For going on with another method or dimension: take them from
// one body by lb_body_node_displacements and lb_body_node_velocities, give them to another one of
// the same object.
lbStatus lb_body_set_displacements(lbBody *body, const double *displacements,
                                   const double *velocities);

// All of it: time, coordinates, rates, accelerations, forces of the next step, placement, gravity,
// constraints. What a body does after restoring is what it did after saving, to the last bit. The
// bytes are for bodies of the same model, modes, damping and materials, on the same kind of
// machine; others are refused.
size_t lb_body_state_bytes(const lbBody *body);
void lb_body_save_state(const lbBody *body, void *bytes); // (state_bytes)
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
lbBody *lb_batch_body(lbBatch *batch, int32_t index);
// One step of all of them, through the task hook; flags of all, or-ed.
int32_t lb_batch_step(lbBatch *batch, double dt);

#ifdef __cplusplus
}
#endif
#endif
