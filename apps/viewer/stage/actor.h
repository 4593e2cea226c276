// Actors: bodies of one model that are moved by one method, behind a table of operations, so that
// the stage does not care how they are computed. reduced.c: by lbBatch; still.c: not at all;
// full.c: the unreduced simulator, in programs that have the build side.
//
// Displacements and velocities of nodes are in the bodies' own axes, everything else in the
// world's.
#ifndef LIMBER_VIEWER_ACTOR_H
#define LIMBER_VIEWER_ACTOR_H

#include "render/camera.h"
#include "limber/path.h"
#include "limber/body.h"

typedef struct vwActor vwActor;
typedef struct vwActorKind vwActorKind;

typedef struct vwActorPlan { // what is to be made
  const lbModel *model;
  lbMethod method;
  int32_t count;           // bodies
  const lbVec3 *positions; // (count)
  const lbQuat *rotations; // (count)
  lbPath *const *paths;    // (count): what the frames follow; NULL: none
  lbVec3 shift;            // of the paths, in a comparison
  lbVec3 gravity;
  int32_t dimension;                      // 0: all that there are
  double damping_mass, damping_stiffness; // NAN: the model's
  const double *materials; // (materials x 3): young, poisson, density; NULL: the model's
  double rate;             // steps a second, about
  int32_t newton_iterations, integrator; // as the world says
  double newton_tolerance;
} vwActorPlan;

// Where a spring pulls a point to.
typedef struct vwPull {
  lbPoint point;
  lbVec3 target;
  double stiffness, damping; // N/m, N s/m
} vwPull;

typedef struct vwPush { // a ball in a step
  lbVec3 centre, velocity;
  double radius, stiffness;
  double dt; // s, of the step
} vwPush;

typedef struct vwStep { // of the stage's time
  double from, to;      // s
  double dt;            // s, to - from but for rounding
} vwStep;

struct vwActorKind {
  // Fills own and dimension; what is there on failure is for `release`.
  lbStatus (*create)(vwActor *actor, const vwActorPlan *plan, lbError *err);
  void (*release)(vwActor *actor);

  int32_t (*step)(vwActor *actor, const vwStep *step); // lbStepFlags
  // At rest where it began, at time 0, then with these velocities (linear, angular; each count).
  void (*restart)(vwActor *actor, const lbVec3 *linear, const lbVec3 *angular);
  void (*force)(vwActor *actor, int32_t body, lbPoint point, lbVec3 force); // next step only
  // Gives the place about `velocity`; the rest of the body follows.
  void (*strike)(vwActor *actor, int32_t body, lbPoint point, lbVec3 velocity);
  // A ball pushes the surface out of itself in the next step. Returns whether it touches.
  bool (*push)(vwActor *actor, int32_t body, const vwPush *push, lbVec3 *force);
  lbStatus (*add_pull)(vwActor *actor, int32_t body, const vwPull *pull, int32_t *id, lbError *err);
  void (*move_pull)(vwActor *actor, int32_t body, int32_t id, lbVec3 target);
  void (*drop_pull)(vwActor *actor, int32_t body, int32_t id);
  lbVec3 (*pull_force)(vwActor *actor, int32_t body, int32_t id);

  void (*set_gravity)(vwActor *actor, lbVec3 gravity);
  lbStatus (*set_damping)(vwActor *actor, double mass, double stiffness, lbError *err);
  // All materials at once (materials x 3).
  lbStatus (*set_materials)(vwActor *actor, const double *values, lbError *err);
  // NULL where materials can be changed, otherwise why they cannot.
  const char *(*fixed_material)(const vwActor *actor);

  bool (*pick)(vwActor *actor, int32_t body, lbVec3 origin, lbVec3 direction, lbPick *pick);
  void (*point)(const vwActor *actor, int32_t body, lbPoint point, lbVec3 *position,
                lbVec3 *velocity);
  void (*surface)(const vwActor *actor, int32_t body, double *positions);
  void (*surface_velocities)(const vwActor *actor, int32_t body, double *velocities);
  // Positions of some vertices only, (count x 3).
  void (*vertices)(const vwActor *actor, int32_t body, int32_t count, const int32_t *vertices,
                   double *positions);
  // How a place gives way, as lb_body_softness; zeros where nothing is known.
  void (*softness)(const vwActor *actor, int32_t body, lbPoint point, double *compliance,
                   double *mobility);
  // How far any point may be from where it rests in the body's frame, m.
  double (*reach)(const vwActor *actor, int32_t body);
  void (*motion)(const vwActor *actor, int32_t body, double *displacements, double *velocities);
  lbStatus (*set_motion)(vwActor *actor, int32_t body, const double *displacements,
                         const double *velocities);
  // Where the frame is and how it moves: as it is now; and goes on from there at a time, driven
  // frames along their path.
  lbFrame (*frame)(const vwActor *actor, int32_t body);
  void (*set_frame)(vwActor *actor, int32_t body, const lbFrame *frame, double time);
  void (*stress)(const vwActor *actor, int32_t body, double *nodes); // von Mises, (nodes) Pa
  void (*energy)(const vwActor *actor, int32_t body, double *kinetic, double *elastic);
  // Reduced coordinates; only where dimension > 0.
  void (*state)(const vwActor *actor, int32_t body, double *coordinates, double *rates);
  lbStatus (*set_state)(vwActor *actor, int32_t body, const double *coordinates,
                        const double *rates);
};

struct vwActor {
  const struct vwActorKind *kind;
  const lbModel *model;
  lbMethod method;
  int32_t count, dimension;
  lbVec3 *positions; // (count): of the frames, now
  lbQuat *rotations; // (count)
  vwBox box;         // of the rest shape, own axes
  lbVec3 centre;     // of a ball around it, likewise
  double radius;
  double compliance, mobility; // the largest of some vertices of a body, m/N and 1/kg; 0: unknown
  bool moving;                 // frames do not stand still
  bool idle;                   // hands do nothing: recordings, still bodies
  void *own;
};

lbStatus vw_actor_create(const vwActorKind *kind, const vwActorPlan *plan, vwActor **out,
                         lbError *err);
void vw_actor_destroy(vwActor *actor); // NULL is legal
void vw_actor_measure(vwActor *actor); // compliance and mobility, after a change of material

extern const vwActorKind vw_reduced_kind, vw_still_kind;

// ---- points and surfaces of a model ------------------------------------------------------------

enum { VW_POINT_NODES = 64 };
// The nodes that carry a point, with weights; returns how many, 0: no such point.
int32_t vw_point_nodes(const lbModel *model, const lbPoint *point, int32_t nodes[VW_POINT_NODES],
                       double weights[VW_POINT_NODES]);
lbVec3 vw_point_sum(const lbModel *model, const lbPoint *point, const double *nodes); // (nodes x 3)
// Values of nodes (nodes x width) at the vertices of the surface.
void vw_embed(const lbModel *model, int32_t width, const double *nodes, double *vertices);
lbVec3 vw_place(const vwActor *actor, int32_t body, lbVec3 own);
// The nearest triangle of a surface at `positions` that a ray hits.
bool vw_pick_surface(const lbModel *model, const double *positions, lbVec3 origin, lbVec3 direction,
                     lbPick *pick);

#endif
