// The data that bodies of one model share (lbPrepared), and the memory that a step works in
// (lbScratch). Both are made in shared.c.
//
// lbPrepared follows from the model, the method, the kept basis vectors and the SIMD level. It is
// immutable and reference-counted; bodies and threads share it. lbScratch is borrowed by one thread
// for the time of a call.
#ifndef LB_BODY_SHARED_H
#define LB_BODY_SHARED_H

#include "limber/body.h"

#include "body/basis.h"
#include "body/inertia.h"
#include "elastic/element.h"
#include "elastic/stress.h"
#include "geometry/aabb_tree.h"

#include <stdatomic.h>

typedef struct lbBodyMethod lbBodyMethod;
typedef struct lbPrepared lbPrepared;
typedef struct lbScratch lbScratch;

// ---- shared data -------------------------------------------------------------------------------

struct lbPrepared {
  const lbModel *model;
  const lbBodyMethod *method; // with defaults for what its table does not have
  const lbBodyMethod *table;  // as the method registered it: tells methods apart
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
                         // 3 nodes coordinates
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
  double energy_noise;       // J, rounding of the stored energy near rest

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
  lbScratch *idle;               // unused scratch, under `lock`
  struct lbCallWork *idle_calls; // likewise

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

// The length of the method's own numbers in a saved state (lbBodyMethod.save).
static inline int32_t lb_method_numbers(const lbPrepared *prepared) {
  return prepared->state_rows * prepared->padded + prepared->state_extra;
}

// What a density of an element adds to the masses of its nodes, the integral of N; returns the sum.
double lb_element_add_mass(const lbModel *model, lbElementKind kind, const int32_t *nodes,
                           double density, double *node_masses);
uint64_t lb_hash(uint64_t hash, const void *bytes, size_t count);

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

// The part of a scratch that holds nothing from one call to the next: a step that stays open
// (body/open_step.h) releases it meanwhile.
typedef struct lbCallWork {
  struct lbCallWork *next;
  double *nodes, *shares;           // (nodes x 3), (nodes)
  double *moduli;                   // (materials x LB_MATERIAL_PARAMETERS)
  double *positions;                // (vertices x 3)
  lbAabbTree *boxes;                // of `positions`, for rays; made by the first pick
  struct lbSearch *search;          // of lb_tree_search; made on demand
  struct lbVertexWork *vertex_work; // of vertices.c; made on demand
  double *touch_work;               // of response.c; made on demand
  void *own;                        // the method's (lbBodyMethod.place_call)
} lbCallWork;

struct lbScratch {
  lbScratch *next;
  lbCallWork *call;
  double *q0, *v0;           // at the step's start
  double *q, *v;             // at its end, so far
  double *force;             // what acts at the end of the step: gravity and applied forces
  double *inertial;          // what the frame's motion exerts, held over the step
  double *held;              // that, and the forces of contacts
  double *pull;              // of constraints, held too
  double *start_q, *start_v; // at the start of all parts of a step
  double *a, *b, *c;         // vectors for anybody's passing use
  // Of a step that stays open: the step; flags so far; the contact forces that are in `held` (with
  // the frame's six numbers), those of them that came after `begin` and what they moved; and q
  // without the forces of constraints.
  struct lbStep *step;
  int32_t flags;
  bool corrected; // lb_frame_correct has seen all of these forces
  double *joined, *late, *moved, *base;
  double *moments;          // (LB_MOMENT_ROWS x padded): see below
  uint64_t moments_version; // of the prepared part that they are of; 0: none
  double *numbers;          // (lb_method_numbers): the method's own state at the start
  void *own;                // the method's
};

lbScratch *lb_scratch_borrow(const lbPrepared *prepared); // NULL: no memory
void lb_scratch_return(const lbPrepared *prepared, lbScratch *scratch);
// Releases scratch->call only, and borrows it again; false: no memory.
void lb_scratch_return_call(const lbPrepared *prepared, lbScratch *scratch);
bool lb_scratch_borrow_call(const lbPrepared *prepared, lbScratch *scratch);

#endif
