// The bodies of a run that share a model; those of the run's world. run.c takes the steps.
#ifndef LB_STUDY_ACTOR_H
#define LB_STUDY_ACTOR_H

#include "limber/run.h"
#include "limber/world.h"

// What outlives the actor: the bodies of the run point to it.
struct lbRunOwned {
  lbModel *model;  // made for the run; NULL: the scene's
  lbMesh *surface; // made from the model
  lbMesh *volume;  // likewise; NULL: not wanted
  double *shapes;  // of reduced bodies
};

typedef struct lbActor {
  lbRun *run;
  lbWorld *world; // of all bodies
  struct lbRunOwned *owned;
  int32_t count;
  const int32_t *bodies; // (count), ascending
  lbBodyId *ids;         // (bodies of the scene): filled in for these
  double *times;         // (step_count) s of wall time
  void *own;
} lbActor;

// On failure what is there is for lb_actor_release.
lbStatus lb_actor_create(lbActor *actor, lbError *err);
void lb_actor_release(lbActor *actor);
// The world has been stepped from step h to (step + 1) h: takes over flags and times.
void lb_actor_step(lbActor *actor, int32_t step);
// Displacements of those probes that are on its bodies, into a row (probes x 3).
void lb_actor_probe(const lbActor *actor, double *row);
lbStatus lb_actor_begin_frames(lbActor *actor, bool volume, lbError *err);
void lb_actor_record(lbActor *actor, int32_t frame);
void lb_actor_report(const lbActor *actor); // sizes, energies and momenta at the end

// Adds what flags of a step say to the body's counts.
void lb_run_count_flags(lbRunBody *body, int32_t flags);

// Where a point of a body's own axes is in a recorded frame.
void lb_run_place(const lbRunBody *body, int32_t frame, const double own[3], double world[3]);

// model_mesh.c: the surface (with looks and textures) and the volume of a model as meshes.
lbStatus lb_model_surface_mesh(const lbModel *model, lbMesh **out, lbError *err);
lbStatus lb_model_volume_mesh(const lbModel *model, lbMesh **out, lbError *err);

#endif
