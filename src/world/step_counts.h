// What the last step of a world cost, in operations: the same on every machine and for any number
// of threads, unlike times.
#ifndef LB_WORLD_STEP_COUNTS_H
#define LB_WORLD_STEP_COUNTS_H

#include "limber/world.h"

typedef struct lbStepCounts {
  int64_t factorings; // matrices of bodies' steps, made and factored
  int64_t responses;  // columns: what a force at a contact point does to its body over the step
  int64_t sweeps;     // of Gauss-Seidel, over the contacts of an island
  int64_t substeps;   // parts of the step
  int64_t body_steps; // taken by bodies, parts included
  int32_t bodies;     // that took any
} lbStepCounts;

lbStepCounts lb_world_step_counts(const lbWorld *world);
void lb_step_counts_clear(lbWorld *world); // where a step begins

#endif
