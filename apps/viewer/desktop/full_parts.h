// Inside the unreduced actor: full.c (making it, settings, what it looks like), full_step.c (a
// step of it).
#ifndef LIMBER_VIEWER_FULL_PARTS_H
#define LIMBER_VIEWER_FULL_PARTS_H

#include "desktop/full.h"

#include "limber/fem.h"

enum { VW_FULL_PULLS = 64, VW_FULL_CONTACTS = 48, VW_FULL_BALLS = 4 };

typedef struct vwFullPull {
  bool used;
  int32_t spring; // of the simulator, -1: not there yet
  lbSpring shape; // target in own axes
} vwFullPull;

enum { VW_POINT_NODES = 64 };
// The nodes that carry a point, with weights; returns how many, 0: no such point.
int32_t vw_point_nodes(const lbModel *model, const lbPoint *point, int32_t nodes[VW_POINT_NODES],
                       double weights[VW_POINT_NODES]);
lbVec3 vw_point_sum(const lbModel *model, const lbPoint *point, const double *nodes); // (nodes x 3)
// The nearest triangle of a surface at `positions` that a ray hits.
bool vw_pick_surface(const lbModel *model, const double *positions, lbVec3 origin, lbVec3 direction,
                     lbPick *pick);

typedef struct vwFullBody {
  lbSimulator *simulator;
  double *forces; // (nodes x 3), own axes: what was applied since the last step
  bool forced;
  vwFullPull pulls[VW_FULL_PULLS];
  lbBall balls[VW_FULL_BALLS];
  int32_t ball_count;
  lbVec3 ball_force; // in the last step
  int32_t failures;  // steps in a row that did not converge
  double *good;      // (nodes x 3): displacement after the last step that did
} vwFullBody;

typedef struct vwFull {
  lbFem *fem;
  lbBody *twin;   // tells how the body gives way; NULL where the model has no basis:
  lbModes *modes; // then these do
  lbSimulatorDef def;
  lbVec3 gravity;           // world axes
  lbVec3 *linear, *angular; // (count): velocities in the beginning
  double *materials;        // (materials x 3)
  vwFullBody *bodies;       // (count)
  double *load, *work;      // (nodes x 3); work: (max(nodes, vertices) x 3)
  lbSpring springs[VW_FULL_PULLS + VW_FULL_CONTACTS];
  int32_t every, waited; // stage steps for one of its own
  double dt;             // s, of a stage step
} vwFull;

static inline lbVec3 vw_full_turn(const vwActor *actor, int32_t body, lbVec3 vector) {
  return lb_quat_rotate(lb_quat_conjugate(actor->rotations[body]), vector);
}

static inline lbVec3 vw_full_place(const vwActor *actor, int32_t body, lbVec3 place) {
  return vw_full_turn(actor, body, lb_sub(place, actor->positions[body]));
}

// Gravity and what was applied, of which `share` counts, into `load`.
void vw_full_load(const vwActor *actor, int32_t body, double share);
// Positions of the surface vertices in the body's own axes.
void vw_full_surface(const vwActor *actor, int32_t body, double *positions);
bool vw_full_spring(const lbModel *model, const lbPoint *point, lbSpring *spring);
int32_t vw_full_step(vwActor *actor, double dt);

#endif
