// Sums of what the bodies and the contacts of a world counted in a step.
#include "world/step_counts.h"

#include "world/touch.h"

void lb_step_counts_clear(lbWorld *world) {
  world->substeps = 0;
  if (world->touch) world->touch->sweep_count = 0;
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].body) world->slots[i].body->counts = (lbBodyCounts){ 0 };
}

lbStepCounts lb_world_step_counts(const lbWorld *world) {
  lbStepCounts sum = { .substeps = world->substeps };
  if (world->touch) sum.sweeps = world->touch->sweep_count;
  for (int32_t i = 0; i < world->slot_count; i++) {
    if (!world->slots[i].body) continue;
    lbBodyCounts counts = world->slots[i].body->counts;
    sum.factorings += counts.factorings;
    sum.responses += counts.responses;
    sum.body_steps += counts.steps;
    sum.bodies += counts.steps > 0;
  }
  return sum;
}
