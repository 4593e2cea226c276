// What moves the bodies of a run: an unreduced body by itself, or all bodies of one model together.
// run.c takes the steps; each kind of actor knows its own bodies.
#ifndef LB_STUDY_ACTOR_H
#define LB_STUDY_ACTOR_H

#include "limber/run.h"

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
  void (*step)(lbActor *actor, int32_t step); // from step h to (step + 1) h
  // Displacements of those probes that are on its bodies, into a row (probes x 3).
  void (*probe)(const lbActor *actor, double *row);
  lbStatus (*begin_frames)(lbActor *actor, bool volume, lbError *err);
  void (*record)(lbActor *actor, int32_t frame);
  void (*report)(const lbActor *actor); // sizes, energies and momenta at the end
} lbActorKind;

struct lbActor {
  const lbActorKind *kind; // NULL: not made yet
  lbRun *run;
  struct lbRunOwned *owned;
  int32_t count;
  const int32_t *bodies; // (count), ascending
  double *times;         // (step_count) s of wall time
  void *own;             // of the kind
};

// Each fills kind and own; on failure what is there is for `release`.
lbStatus lb_actor_create_full(lbActor *actor, lbError *err);
lbStatus lb_actor_create_reduced(lbActor *actor, lbError *err);

// model_mesh.c: the surface (with looks and textures) and the volume of a model as meshes.
lbStatus lb_model_surface_mesh(const lbModel *model, lbMesh **out, lbError *err);
lbStatus lb_model_volume_mesh(const lbModel *model, lbMesh **out, lbError *err);

#endif
