// What is told of contacts when a step is done, and remembered for the next one.
#include "world/touch.h"

#include <string.h>

static lbRememberedContact remember(const lbWorldTouch *touch, int32_t c) {
  const lbWorldContact *contact = &touch->contacts[c];
  lbRememberedContact to = { .collider = contact->collider, .feature = contact->at.feature };
  for (int side = 0; side < 2; side++) {
    to.slots[side] = contact->slots[side];
    to.triangles[side] = contact->at.triangles[side];
  }
  memcpy(to.forces, touch->forces + 3 * (size_t)c, sizeof to.forces);
  if (contact->rolling < 0) return to;
  const double *torque = touch->forces + 3 * (size_t)(touch->contact_count + contact->rolling);
  for (int k = 0; k < 3; k++) to.torque[k] = torque[k] / touch->rolling[contact->rolling].count;
  return to;
}

// Of a rigid body, which has no triangles that touch.
static lbPoint nearest_vertex(const lbBody *body, lbVec3 place) {
  const lbModel *model = lb_body_model(body);
  lbVec3 own = lb_body_unplace(body, place);
  int32_t nearest = 0;
  double least = INFINITY;
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lbVec3 from = lb_sub(lb_vec3_load(model->vertex_positions + 3 * (size_t)v), own);
    if (lb_dot(from, from) < least) least = lb_dot(from, from), nearest = v;
  }
  return lb_point_vertex(nearest);
}

static lbContact report(const lbWorld *world, int32_t c) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  const double *J = touch->impulses + 3 * (size_t)c;
  lbContact to = { .point = contact->at.point,
                   .normal = contact->at.normal,
                   .gap = contact->at.gap,
                   .sliding = hypot(J[1], J[2]) >= (1 - 1e-6) * contact->friction * J[0] };
  for (int k = 0; k < 3; k++) to.force = lb_add_scaled(to.force, J[k] / world->h, contact->axes[k]);
  for (int side = 0; side < 2; side++) {
    int32_t slot = contact->slots[side];
    const double *w = contact->at.weights[side];
    if (slot < 0) {
      to.collider = lb_world_id(contact->collider, world->colliders[contact->collider].generation);
      continue;
    }
    to.bodies[side] = lb_world_id(slot, world->slots[slot].generation);
    bool rigid = contact->at.triangles[side] < 0;
    to.points[side] = rigid ? nearest_vertex(world->slots[slot].body, contact->at.point)
                            : lb_point_triangle(contact->at.triangles[side], w[0], w[1], w[2]);
  }
  return to;
}

void lb_touch_sum_up(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < world->slot_count; i++) touch->sums[i] = lb_vec3(0, 0, 0);
  for (int32_t k = 0; k < touch->remembered_count; k++)
    for (int side = 0; side < 2; side++) {
      int32_t slot = touch->remembered[k].slots[side];
      if (slot >= 0 && slot < world->slot_count)
        touch->sums[slot] =
            lb_add_scaled(touch->sums[slot], side ? -1 : 1, touch->reports[k].force);
    }
}

void lb_touch_tell(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->remembered_count = touch->staying_count;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const int32_t *slots = touch->contacts[c].slots;
    if (!(touch->impulses[3 * c] > 0)) continue;
    if (!lb_touch_gives_way(world, slots[0]) && !lb_touch_gives_way(world, slots[1])) continue;
    touch->remembered[touch->remembered_count] = remember(touch, c);
    touch->reports[touch->remembered_count++] = report(world, c);
  }
  lb_touch_sum_up(world);
}
