// What the unreduced simulator needs on a stage: bodies of the world like all others, but a step of
// them can take longer than it should, and can fail.
#ifndef LIMBER_VIEWER_UNREDUCED_H
#define LIMBER_VIEWER_UNREDUCED_H

#include "stage/actor.h"

typedef struct vwUnreduced { // of an actor
  double *good;      // (count x nodes x 3): displacements after the last step that converged
  int32_t *failures; // (count): steps in a row that did not
  lbVec3 *pushed;    // (count): force of balls in the last step
  double *work;      // (nodes x 6)
} vwUnreduced;

// How bodies are made: iterations and tolerance for the eye.
void vw_unreduced_def(lbBodyDef *def);
lbStatus vw_unreduced_create(vwActor *actor, lbError *err);
void vw_unreduced_release(vwActor *actor);
// Before a step of dt of the world: large bodies take longer ones.
void vw_unreduced_pace(const vwActor *actor, lbWorld *world, double dt);
// After a step: bodies that fail repeatedly continue from their last good shape. lbStepFlags.
int32_t vw_unreduced_watch(const vwActor *actor, const lbWorld *world);
// The struck place and what is around it get the velocity, less and less with the distance.
void vw_unreduced_strike(const vwActor *actor, int32_t body, lbPoint point, lbVec3 velocity);

#endif
