// Inside the body layer: what a body is made of.
//
// Every method that moves a body by u = U q shares this: reduced coordinates q and rates v, reduced
// forces, placement, points, constraints' bookkeeping, surface, state, batches. What differs is in
// a table of operations (lbBodyMethod): modal.c, subspace.c, recorded.c.
//
// A body of its own and a body of a batch are the same type. Their numbers lie in an lbInstances:
// q[i * stride + lane], with stride 1 for a body of its own and LB_INSTANCE_BLOCK in a batch. What
// one body needs in a row is gathered into working memory first, so the arithmetic, and with it
// every bit, is the same.
#ifndef LB_BODY_BODY_H
#define LB_BODY_BODY_H

#include "limber/body.h"

#include "body/carver.h"
#include "body/modal_kernels.h"
#include "body/subspace.h"
#include "elastic/stress.h"
#include "geometry/aabb_tree.h"

// Forces, impulses, targets and states beyond this are refused: the oscillators' exact steps then
// stay finite for ever.
#define LB_BODY_MOST 1e100
#define LB_TIME_STEP_MOST 1e6 // s

typedef struct lbBodyMethod lbBodyMethod;
typedef struct lbInstances lbInstances;

// What the bodies of a batch have in common; a body of its own has one to itself.
typedef struct lbBodyCommon {
  const lbModel *model;
  const lbBodyMethod *method;
  int32_t dimension, padded; // r, and r rounded up to a multiple of LB_BATCH
  double damping_mass, damping_stiffness;
  double h;                  // s, the last step's length
  const double *basis;       // (3 nodes x r), column-major
  const double *gravity;     // (r x 3): reduced force of a unit gravity
  const double *launch;      // (r x 6): rates of a unit rigid velocity
  const double *node_masses; // (nodes) kg
  double total_mass;         // kg
  lbVec3 centre;             // m, of mass, at rest
  lbSimdLevel level;         // of the kernels
  const lbModalKernels *kernels;
  const lbStressKernels *stress;
  const double *eigenvalues; // (r); modal
  lbOscillators oscillators; // of the last step length; modal
  lbSubspace subspace;       // subspace

  // A choice of modes: lists of the caller's until lb_common_build copies them.
  const int32_t *kept; // (r); NULL: the first ones
  int32_t *own_kept;   // (r), and copies of what belongs to the modes kept
  double *own_basis, *own_gravity, *own_launch, *own_eigenvalues;

  // All blocks of bodies, for what changes all of them.
  lbInstances *blocks;
  int32_t block_count;

  // The surface, found at creation.
  int32_t range_count;
  int32_t *ranges;       // (range_count x 2): begin and end of the nodes that carry the surface
  int32_t *around_begin; // (vertices + 1)
  int32_t *around;       // (3 triangles): triangles around each vertex, ascending

  // Working memory of one call: the reason why bodies of one batch do not run concurrently.
  double *coordinates, *rates, *forces; // (padded)
  double *nodes;                        // (nodes x 3)
  double *lines;                        // (5 x padded)
  double *shares;                       // (nodes)
  double *moduli;                       // (materials x 2): λ, μ

  // Made by the first pick.
  lbAabbTree *tree;
  double *tree_positions; // (vertices x 3)
  struct lbPush *push;    // made by the first push
} lbBodyCommon;

// The moving numbers of one body, or of a block of a batch.
struct lbInstances {
  int32_t count;          // bodies in use
  int32_t stride;         // 1 or LB_INSTANCE_BLOCK
  double *q, *v;          // (padded x stride)
  double *a;              // accelerations; methods with keeps_acceleration
  int32_t *consistent;    // (stride): the edition of the material that `a` belongs to; 0: to none,
                          // because q or v was changed from outside
  lbSubspaceWork work;    // subspace
  double *force;          // of the next step; always `steady` plus what was applied; never -0
  double *steady;         // of gravity, in the bodies' own axes
  double *times;          // (stride) s
  bool forced;            // `force` may hold something else than zeros
  bool touched;           // `force` may differ from `steady`
  bool steadied;          // `steady` may hold something else than zeros
  int32_t constrained;    // constraints of all its bodies
  int32_t flags;          // of the last step
  struct lbBody **bodies; // (count)
};

struct lbBody {
  lbBodyCommon *common;
  lbInstances *instances;
  int32_t lane;
  bool in_batch;
  lbVec3 position, gravity;
  lbQuat rotation;
  lbMat3 turn;                       // of `rotation`: world = turn own
  struct lbConstraints *constraints; // room may be 0
  lbError *message;
};

struct lbBodyMethod {
  lbMethod method;
  bool keeps_acceleration; // a state is q, v and a
  bool is_recording;       // moves as time tells, whatever acts on it
  // Sets dimension, basis, gravity, launch, damping from the model, checks its part of the def.
  lbStatus (*open)(lbBodyCommon *common, const lbBodyDef *def, lbError *err);
  // Memory of its own in the common part and in a block of instances.
  void (*place)(lbBodyCommon *common, lbCarver *carver);
  void (*place_instances)(const lbBodyCommon *common, lbInstances *instances, lbCarver *carver);
  lbStatus (*build)(lbBodyCommon *common, lbError *err); // what is worked out once
  // Coefficients of a step of length h, when they are not there yet.
  void (*prepare)(lbBodyCommon *common, double h);
  // One step of the prepared length for all instances, or for one lane of them; returns
  // lbStepFlags. Does not touch `force`, `times`.
  int32_t (*advance)(lbBodyCommon *common, lbInstances *instances);
  int32_t (*advance_one)(lbBody *body);
  void (*energy)(const lbBody *body, double *kinetic, double *elastic);
  // Rates that reduced impulses give: impulses <- M^-1 impulses; NULL where M is the identity.
  void (*mobilise)(const lbBodyCommon *common, double *impulses);
  void (*damping_changed)(lbBodyCommon *common);
  // Pushes over a step of h (push.h). foresee: coordinates and rates at its end without any.
  // answer: x <- about what a force x over the step moves, symmetric and positive. deliver: changes
  // rates and forces so that the step ends `moved` farther and `quickened` faster; false: that
  // would be absurd.
  void (*foresee)(lbBody *body, double h, double *ahead, double *rates);
  void (*answer)(const lbBody *body, double h, double *x);
  bool (*deliver)(lbBody *body, double h, const double *moved, const double *quickened);
  // Adds what tells bodies of one model apart to a hash (see lb_hash).
  uint64_t (*identify)(const lbBodyCommon *common, uint64_t hash);
};

extern const lbBodyMethod lb_modal_method, lb_subspace_method, lb_recorded_method;

// Why a recording does not do something.
lbStatus lb_body_refuse_recording(lbBody *body, const char *what);

uint64_t lb_hash(uint64_t hash, const void *bytes, size_t count);

// ---- parts of creation (create.c) --------------------------------------------------------------

// lb_body_create with the kernels of another level than the best, one that lb_simd_has.
lbStatus lb_body_create_at(const lbModel *model, const lbBodyDef *def, lbSimdLevel level,
                           lbBody **out, lbError *err);

lbStatus lb_common_open(lbBodyCommon *common, const lbModel *model, const lbBodyDef *def,
                        lbSimdLevel level, lbError *err);
void lb_common_place(lbBodyCommon *common, lbCarver *carver);
lbStatus lb_common_build(lbBodyCommon *common, lbError *err);
void lb_common_close(lbBodyCommon *common); // what the first pick and the first push made
void lb_instances_place(lbInstances *instances, const lbBodyCommon *common, int32_t stride,
                        lbCarver *carver);
// Gravity and placement of a new body; common, instances, lane, message, constraints are set.
lbStatus lb_body_start(lbBody *body, lbVec3 position, lbQuat rotation, lbVec3 gravity,
                       lbError *err);

// ---- shared by the files of the layer ----------------------------------------------------------

bool lb_time_step_is_legal(double dt);
// Force of the next step is the steady one again.
void lb_instances_reset_forces(lbInstances *instances, const lbBodyCommon *common);
// steady <- the reduced force of the body's gravity in its own axes; false, with nothing done, when
// it would be beyond LB_BODY_MOST. What was applied for the next step stays.
bool lb_body_set_steady(lbBody *body, lbVec3 gravity, lbMat3 turn);

static inline size_t lb_body_at(const lbBody *body, int32_t i) {
  return (size_t)i * (size_t)body->instances->stride + (size_t)body->lane;
}

// The body's coordinates or rates in a row: its own memory, or gathered into the common one.
// The acceleration belongs to q, v and the material.
static inline bool lb_body_is_consistent(const lbBody *body) {
  const int32_t *consistent = body->instances->consistent;
  return consistent && consistent[body->lane] == body->common->subspace.edition;
}
// q or v was changed from outside: the acceleration is worked out anew.
static inline void lb_body_disturb(lbBody *body) {
  if (body->instances->consistent) body->instances->consistent[body->lane] = 0;
}
const double *lb_body_coordinates(const lbBody *body);
const double *lb_body_rates(const lbBody *body);

static inline bool lb_is_bounded(double x) { return fabs(x) <= LB_BODY_MOST; } // false for NaN
static inline bool lb_vec3_is_bounded(lbVec3 a) {
  return lb_is_bounded(a.x) && lb_is_bounded(a.y) && lb_is_bounded(a.z);
}
// force of the next step += reduced (dimension), own axes; what is no number is left out.
void lb_body_add_reduced_force(lbBody *body, const double *reduced);
// A rotation of unit length; false when q is zero or not finite.
bool lb_rotation_make_unit(lbQuat *q);

// world = position + turn (rest + u)
static inline lbVec3 lb_body_place(const lbBody *body, lbVec3 own) {
  return lb_add(body->position, lb_mat3_apply(body->turn, own));
}

#endif
