// Actors: bodies of one model that are moved by one method. They are bodies of the cast's world,
// which does all that moves; what no method moves here stands still.
#ifndef LIMBER_VIEWER_ACTOR_H
#define LIMBER_VIEWER_ACTOR_H

#include "render/camera.h"
#include "limber/contact.h"

typedef struct vwActor vwActor;

typedef struct vwActorPlan { // what is to be made
  const lbModel *model;
  lbBatchDef bodies;              // how many, where, by which method
  lbPath *const *paths;           // (count): what the frames follow; NULL: none
  const lbVec3 *linear, *angular; // (count): initial velocities
  const double *const *shapes;    // (count): coordinates of the subspace method; NULL: at rest
  lbVec3 shift;                   // of the paths, in a comparison
  const int32_t *places;          // (count): of the bodies in the world, rising
  const bool *untouchable;        // (count): 1: touches nothing; NULL: none touches anything
  const lbContactMaterial *contact_materials; // (count)
  const lbContactFilter *filters;             // (count): filters of contacts
  const double *contact_frames;               // (count x 2): as lbWorldDef.body_contact_frames
  const double *materials; // (materials x 3): young, poisson, density; NULL: the model's
} vwActorPlan;

// A spring that pulls a point.
typedef struct vwPull {
  lbPoint point;
  lbVec3 target;
  double stiffness, damping; // N/m, N s/m
} vwPull;

struct vwActor {
  const lbModel *model;
  lbMethod method;
  int32_t count, dimension;      // dimension 0: drawn by positions
  lbBody **bodies;               // (count): of the world; NULL: they are none of its
  lbBodyId *ids;                 // (count): theirs
  lbVec3 *positions;             // (count): where they were placed
  lbQuat *rotations;             // (count)
  vwBox box;                     // of the rest shape, own axes
  double radius;                 // of a ball around it
  double compliance, mobility;   // the largest of some vertices of a body, m/N and 1/kg; 0: unknown
  bool moving;                   // frames do not stand still
  bool idle;                     // hands do nothing: recordings, still bodies
  struct vwUnreduced *unreduced; // NULL: by another method
};

// Bodies for a world at time 0; those of the method "full" stand still without `full`.
lbStatus vw_actor_create(lbWorld *world, const vwActorPlan *plan, bool full, vwActor **out,
                         lbError *err);
void vw_actor_destroy(vwActor *actor); // NULL is legal; before the world is destroyed
// All materials at once (materials x 3).
lbStatus vw_actor_set_materials(vwActor *actor, lbWorld *world, const double *values, lbError *err);
// Forces of frames by springs, or by samples; nothing for other methods. What is refused changes
// nothing.
lbStatus vw_actor_set_springs(vwActor *actor, bool springs, lbError *err);
lbStatus vw_actor_set_damping(vwActor *actor, double mass, double stiffness, lbError *err);
// NULL where materials can be changed, otherwise why they cannot.
const char *vw_actor_fixed_material(const vwActor *actor);

// ---- what hands do -----------------------------------------------------------------------------

// How a place gives way, as lb_body_softness; zeros where nothing is known.
void vw_actor_softness(const vwActor *actor, int32_t body, lbPoint point, double *compliance,
                       double *mobility);
lbStatus vw_actor_add_pull(vwActor *actor, int32_t body, const vwPull *pull, int32_t *id,
                           lbError *err);
void vw_actor_move_pull(vwActor *actor, int32_t body, int32_t id, lbVec3 target);
void vw_actor_drop_pull(vwActor *actor, int32_t body, int32_t id);
lbVec3 vw_actor_pull_force(const vwActor *actor, int32_t body, int32_t id);
// Gives the place about `velocity`; the rest of the body follows.
void vw_actor_strike(vwActor *actor, int32_t body, lbPoint point, lbVec3 velocity);
// A ball pushes the surface out of itself in the world's next step, of dt. The force on the body;
// of one that waits, that of its last step.
lbVec3 vw_actor_push(vwActor *actor, int32_t body, const lbWorld *world, const lbBall *ball,
                     double dt);

// ---- what is seen ------------------------------------------------------------------------------

lbFrame vw_actor_frame(const vwActor *actor, int32_t body);
lbVec3 vw_actor_place(const vwActor *actor, int32_t body, lbVec3 own); // of its frame -> the world
lbVec3 vw_actor_point(const vwActor *actor, int32_t body, lbPoint point);
void vw_actor_surface(const vwActor *actor, int32_t body, double *positions); // as lb_body_surface
// Positions of some of its vertices only, (count x 3).
void vw_actor_vertices(const vwActor *actor, int32_t body, int32_t count, const int32_t *vertices,
                       double *positions);
// Displacements and velocities of nodes, own axes; either may be NULL.
void vw_actor_motion(const vwActor *actor, int32_t body, double *displacements, double *velocities);
// At the surface's vertices: velocities (vertices x 3); von Mises stress (vertices), Pa. `nodes`
// (nodes x 3) is working memory.
void vw_actor_velocities(const vwActor *actor, int32_t body, double *nodes, double *velocities);
void vw_actor_stress(const vwActor *actor, int32_t body, double *nodes, double *stresses);
void vw_actor_energy(const vwActor *actor, int32_t body, double *kinetic, double *elastic);

#endif
