// Bodies of the unreduced simulator: LB_METHOD_FULL, a method like any other (body/method.h), which
// the build side registers. Its coordinates are the displacements of the model's nodes.
//
// The simulator works in the fixed axes of body/absolute_coordinates.h.
#ifndef LB_FULL_FULL_H
#define LB_FULL_FULL_H

#include "body/access.h"
#include "fem/simulator.h"

// The finite-element body of a model, in its own axes, with materials (materials x 3: young,
// poisson, density; NULL: the model's).
lbStatus lb_model_fem(const lbModel *model, const double *materials, lbFem **out, lbError *err);

// Bodies of LB_METHOD_FULL can be made from now on. Calling it again is harmless.
void lb_full_register(void);
// Counts of the simulator since the body was made or got its material: iterations, factors and so
// on. Returns the number of its unknowns.
int32_t lb_full_count(const lbBody *body, lbSimulatorState *counts);

// ---- what bodies of a model share (shared.c) ---------------------------------------------------

typedef struct lbFullShared { // lbPrepared.own
  lbFem *fem;
  double *materials;                     // (materials x 3)
  double *gravity, *rigid, *node_masses; // as in lbPrepared
  uint8_t *held;                         // (nodes) 1: fixed, or of no element
  lbWhole whole;
  // Made on demand under `lock`, with which they are used, too.
  atomic_flag lock;
  lbCholesky *mass, *stiffness; // of M; of K at rest (of a free body K + shift M)
  double *work;                 // system
} lbFullShared;

static inline lbFullShared *lb_full_shared(const lbPrepared *prepared) { return prepared->own; }
static inline const lbWhole *lb_full_whole(const lbBody *body) {
  return &lb_full_shared(body->prepared)->whole;
}

lbStatus lb_full_prepare(lbPrepared *prepared, const lbBodyDef *def, lbError *err);
lbStatus lb_full_rebuild(lbPrepared *prepared, const double *materials, lbError *err);
void lb_full_release(lbPrepared *prepared);
const double *lb_full_materials(const lbPrepared *prepared);
uint64_t lb_full_identify(const lbPrepared *prepared, uint64_t hash);
// x <- M⁻¹ x and x <- K⁻¹ x, full vectors; zero where memory is short. A free body's K⁻¹ x is of
// its deformation alone.
void lb_full_mobilise(const lbPrepared *prepared, double *x);
void lb_full_comply(const lbPrepared *prepared, double *x, lbScratch *scratch);

// ---- a body (axes.c, method.c) -----------------------------------------------------------------

typedef struct lbFullState { // lbBody.own
  lbSimulator *simulator;    // NULL: to be made
  lbSimulatorRows rows;      // (padded) the state, in the simulator's axes
  double *force, *weight;    // (padded) there, too
  double *support;           // (padded) of fixed nodes: acceleration at the last step's end, or its
                             // mean, if
  bool supported;            // there was a step or start since the frame was set
  double *factor_u, *factor_v; // (padded) of a restored state: its factor is to be made again,
  bool refactor;
  double factor_h;
  lbPlacement T;

  // of the step under way
  lbPlacement end; // T at its end
  bool searching;  // forces are being found: by lb_simulator_open
  bool ready;      // the factor is that of the step's own matrix
  bool shifted;    // the last matrix had to be made definite
} lbFullState;

static inline lbFullState *lb_full_state(const lbBody *body) { return body->own; }

typedef struct lbFullWork { // lbScratch.own; (padded) each
  double *load, *place, *back;
} lbFullWork;

void lb_full_fit_frame(lbBody *body, lbScratch *scratch);
void lb_full_report(const lbBody *body, lbBodyReport *report, lbScratch *scratch);

// ---- a step (step.c) ---------------------------------------------------------------------------

lbSimulator *lb_full_simulator(lbBody *body, lbError *err); // NULL: no memory
void lb_full_accelerate(lbBody *body, lbScratch *scratch);
int32_t lb_full_begin(lbBody *body, lbStep *step, lbScratch *scratch);
void lb_full_respond(const lbBody *body, const lbStep *step, lbScratch *scratch,
                     const double *force, double *moved);
void lb_full_respond_at(const lbBody *body, const lbStep *step, const lbScratch *scratch,
                        int32_t node, double block[9]);
int32_t lb_full_end(lbBody *body, const lbStep *step, lbScratch *scratch);
int32_t lb_full_commit(lbBody *body, const lbStep *step, lbScratch *scratch);

#endif
