// Bodies of warped stiffness (src/warp): LB_METHOD_WARP. Coordinates are the displacements of the
// nodes; the state lies in the fixed axes of whole.h, with lumped masses.
#ifndef LB_METHOD_WARP_WARP_H
#define LB_METHOD_WARP_WARP_H

#include "body/absolute_coordinates.h"
#include "warp/warp.h"

// ---- what bodies of a model share (warp_shared.c) ----------------------------------------------

typedef struct lbWarpCore lbWarpCore; // warp_cores.h
typedef struct lbWarpCoreStep lbWarpCoreStep;

typedef struct lbWarpShared { // lbPrepared.own
  lbWarp *warp;
  int32_t iterations;
  double *materials;                // (materials x 3)
  double *gravity, *rigid, *masses; // as in lbPrepared
  uint8_t *held;                    // (nodes) 1: fixed, or of no element
  uint8_t *given;                   // (nodes) 1: that, or of a scripted core
  int32_t core_count, *core_nodes;
  int32_t *core_columns; // (cores) unknowns of each
  lbWarpCore *cores;
  lbWhole whole;
} lbWarpShared;

static inline lbWarpShared *lb_warp_shared(const lbPrepared *prepared) { return prepared->own; }
static inline const lbWhole *lb_warp_whole(const lbBody *body) {
  return &lb_warp_shared(body->prepared)->whole;
}

lbStatus lb_warp_prepare(lbPrepared *prepared, const lbBodyDef *def, lbError *err);
lbStatus lb_warp_build(lbPrepared *prepared, lbError *err);
lbStatus lb_warp_rebuild(lbPrepared *prepared, const double *materials, lbError *err);
void lb_warp_release(lbPrepared *prepared);
uint64_t lb_warp_identify(const lbPrepared *prepared, uint64_t hash);

// ---- a body (warp.c) ---------------------------------------------------------------------------

typedef struct lbWarpState { // lbBody.own
  double *u, *v;             // (padded) in the fixed axes, as all rows
  double *force, *weight;    // (padded)
  double *last;              // (padded) force at the last step's end, if lbBody.consistent
  lbPlacement T;
  int32_t iterations; // of the solver in the last step, for measurements: no part of states
} lbWarpState;

static inline lbWarpState *lb_warp_state(const lbBody *body) { return body->own; }

typedef struct lbWarpBodyWork { // lbScratch.own
  lbWarpWork solver;
  const int32_t *ranks; // of lbWarp
  // In lanes: places and velocities at the step's start; elastic and external forces; right side
  // and solution; y of a free body.
  double *x, *v0, *f, *other, *b, *v, *y;
  // (padded), fixed axes: the step's end without forces that are found, and with them; the force
  // at the end.
  double *u1, *v1, *load;
  double *q;     // (padded) own axes: as begin left scratch->q
  double *moved; // (padded) what the forces that were found have moved flesh by; of cores, to
  // Of the step under way.
  lbPlacement end; // T at its end
  double theta;    // h, Newmark: h/2
  bool free;       // momenta are kept
  lbVec3 centre;   // free: of the masses at y,
  lbMat3 inertia;  // and their inertia about it
  int32_t iterations;
  lbFrameRates start_rates; // the frame's, at the start
  lbWarpCoreStep *cores;
  bool hinges_move; // with a driven frame
} lbWarpBodyWork;

static inline size_t lb_warp_lane(const lbWarpBodyWork *w, size_t node) {
  return lb_warp_at(w->ranks[node]);
}
static inline lbVec3 lb_warp_lane_vector(const lbWarpBodyWork *w, const double *lanes,
                                         size_t node) {
  const double *from = lanes + lb_warp_lane(w, node);
  return lb_vec3(from[0], from[LB_BATCH], from[2 * LB_BATCH]);
}

// ---- a step (warp_step.c) ----------------------------------------------------------------------

void lb_warp_accelerate(lbBody *body, lbScratch *scratch);
int32_t lb_warp_begin(lbBody *body, lbStep *step, lbScratch *scratch);
void lb_warp_respond(const lbBody *body, const lbStep *step, lbScratch *scratch,
                     const double *force, double *moved);
void lb_warp_respond_at(const lbBody *body, const lbStep *step, const lbScratch *scratch,
                        int32_t node, double block[9]);
int32_t lb_warp_end(lbBody *body, const lbStep *step, lbScratch *scratch);
int32_t lb_warp_commit(lbBody *body, const lbStep *step, lbScratch *scratch);
// Linear momentum, angular momentum about c, and the inertia about c (or NULL).
void lb_warp_momenta(const lbWhole *whole, const double *u, const double *v, lbVec3 c, lbVec3 *P,
                     lbVec3 *L, lbMat3 *J);
// lbBodyMethod.created (energy.c). Steps that certainly created nothing: 0, without the energy.
double lb_warp_created(const lbBody *body, const lbStep *step, lbScratch *scratch, double *energy);
// The end of a step by implicit Euler <- nearer to its start, where it creates energy.
void lb_warp_search_line(const lbBody *body, const lbStep *step, lbScratch *scratch);
// x <- K⁻¹ x at rest.
void lb_warp_comply(const lbPrepared *prepared, double *x, lbScratch *scratch);

#endif
