// Filters: which pairs of bodies and colliders may touch.
#include "world/touch.h"

lbContactFilter lb_contact_filter(void) {
  return (lbContactFilter){ .category = 1, .mask = UINT16_MAX };
}

lbContactFilter lb_world_filter(const int32_t *filters, int32_t index) {
  if (!filters) return lb_contact_filter();
  const int32_t *at = filters + 3 * (size_t)index;
  return (lbContactFilter){ (uint16_t)at[0], (uint16_t)at[1], at[2] };
}

static bool filters_agree(lbContactFilter a, lbContactFilter b) {
  if (a.group != 0 && a.group == b.group) return a.group > 0;
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

static lbContactFilter filter_of_slot(const lbWorld *world, int32_t slot) {
  const lbWorldSlot *at = &world->slots[slot];
  return at->filtered ? at->filter : lb_contact_filter();
}

static lbContactFilter filter_of_collider(const lbWorld *world, int32_t collider) {
  const lbWorldCollider *at = &world->colliders[collider];
  return at->filtered ? at->filter : lb_contact_filter();
}

bool lb_may_collide(const lbWorld *world, int32_t slot, int32_t other) {
  return filters_agree(filter_of_slot(world, slot), filter_of_slot(world, other));
}

bool lb_may_collide_with(const lbWorld *world, int32_t slot, int32_t collider) {
  return filters_agree(filter_of_slot(world, slot), filter_of_collider(world, collider));
}

lbStatus lb_world_set_filter(lbWorld *world, lbBodyId id, const lbContactFilter *filter,
                             lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!filter) return lb_refuse_null(err, "filter");
  lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  lb_sleep_wake(world, (int32_t)(slot - world->slots), true);
  slot->filtered = true;
  slot->filter = *filter;
  return LB_OK;
}

lbStatus lb_world_set_collider_filter(lbWorld *world, lbColliderId id,
                                      const lbContactFilter *filter, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!filter) return lb_refuse_null(err, "filter");
  lbWorldCollider *collider = lb_world_find_collider(world, id);
  if (!collider)
    return lb_fail(err, LB_ERR_ARGUMENT, "the world has no collider with the id %llu (any more)",
                   (unsigned long long)id);
  lb_sleep_wake_all(world);
  collider->filtered = true;
  collider->filter = *filter;
  return LB_OK;
}
