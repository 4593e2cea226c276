// Hard hits that create energy.
//
// Places that come far in a step are stopped in it, and a soft body follows by its own step, in
// which its shape may go farther than any rule keeps account of (a corner through half of its
// element, say). Where that leaves the bodies of an island with more energy than they had, their
// weight's included, the part is taken again in halves, as for contacts that miss (retry.c). Work
// of loads, motors and moved colliders is not told apart: a part too many is all that it costs.
#include "world/joint.h"

#include "body/body.h"

#define HARD 0.1  // of the smaller radius: how far places would get into each other
#define RISE 0.01 // of what an island's bodies move and are bent with

static double energy_of(const lbWorld *world, int32_t slot, double *scale) {
  lbBodyReport r = lb_body_report(world->slots[slot].body);
  *scale += r.kinetic + r.elastic;
  return r.kinetic + r.elastic - r.mass * lb_dot(world->settings.gravity, r.centre);
}

static bool is_hard(const lbWorld *world, int32_t c) {
  const lbWorldTouch *touch = world->touch;
  const int32_t *slots = touch->contacts[c].slots;
  double radius = lb_touch_radius(touch, slots[0]);
  if (slots[1] >= 0) radius = fmin(radius, lb_touch_radius(touch, slots[1]));
  return -touch->free[3 * c] > HARD * radius;
}

void lb_energy_note(lbWorld *world, bool always) {
  lbWorldTouch *touch = world->touch;
  bool hard = always;
  for (int32_t c = 0; c < touch->contact_count && !hard; c++) hard = is_hard(world, c);
  touch->energy_noted = hard && touch->may_retry;
  for (int32_t t = 0; t < touch->toucher_count && touch->energy_noted; t++) {
    lbEnergy *at = &touch->energies[touch->touchers[t].slot];
    at->scale = 0;
    at->before = energy_of(world, touch->touchers[t].slot, &at->scale);
  }
}

bool lb_energy_rose(const lbWorld *world, int32_t island) {
  const lbWorldTouch *touch = world->touch;
  double more = 0, scale = 0, unused = 0;
  for (int32_t t = 0; t < touch->toucher_count; t++) {
    if (touch->touchers[t].island != island) continue;
    const lbEnergy *at = &touch->energies[touch->touchers[t].slot];
    more += energy_of(world, touch->touchers[t].slot, &unused) - at->before;
    scale += at->scale;
  }
  return more > RISE * scale;
}
