// The bodies of a run: an unreduced body by itself, or all bodies of one model, which are those of
// the run's world. run.c takes the steps; each kind of actor knows its own bodies.
#ifndef LB_STUDY_ACTOR_H
#define LB_STUDY_ACTOR_H

#include "limber/run.h"
#include "limber/world.h"

// What outlives the actor: the bodies of the run point to it.
struct lbRunOwned {
  lbModel *model;  // made for the run; NULL: the scene's
  lbMesh *surface; // made from the mesh or the model; NULL: the scene's
  lbMesh *volume;  // made from the model; NULL: the scene's or none
  double *shapes;  // of a reduced actor
};

typedef struct lbActor lbActor;

typedef struct lbActorKind {
  void (*release)(lbActor *actor);
  // From step h to (step + 1) h; bodies of the world, which has been stepped, take over the flags.
  void (*step)(lbActor *actor, int32_t step);
  // Displacements of those probes that are on its bodies, into a row (probes x 3).
  void (*probe)(const lbActor *actor, double *row);
  lbStatus (*begin_frames)(lbActor *actor, bool volume, lbError *err);
  void (*record)(lbActor *actor, int32_t frame);
  void (*report)(const lbActor *actor); // sizes, energies and momenta at the end
} lbActorKind;

struct lbActor {
  const lbActorKind *kind; // NULL: not made yet
  lbRun *run;
  lbWorld *world; // of all reduced bodies
  struct lbRunOwned *owned;
  int32_t count;
  const int32_t *bodies; // (count), ascending
  double *times;         // (step_count) s of wall time
  void *own;             // of the kind
};

// Adds what flags of a step say to the body's counts.
void lb_run_count_flags(lbRunBody *body, int32_t flags);

// Each fills kind and own; on failure what is there is for `release`.
lbStatus lb_actor_create_full(lbActor *actor, lbError *err);
lbStatus lb_actor_create_reduced(lbActor *actor, lbError *err);

// Where a point of a reduced body's own axes is in a recorded frame.
void lb_run_place(const lbRunBody *body, int32_t frame, const double own[3], double world[3]);

// model_mesh.c: the surface (with looks and textures) and the volume of a model as meshes.
lbStatus lb_model_surface_mesh(const lbModel *model, lbMesh **out, lbError *err);
lbStatus lb_model_volume_mesh(const lbModel *model, lbMesh **out, lbError *err);

#endif
