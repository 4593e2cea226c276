// Memory, settings and reports of a world's contacts.
#include "world/joint.h"

#include "body/body.h"

#include <string.h>

// ---- memory ------------------------------------------------------------------------------------

void lb_touch_destroy(lbWorldTouch *touch) {
  if (!touch) return;
  void *const blocks[] = { touch->contacts,
                           touch->forces,
                           touch->impulses,
                           touch->reports,
                           touch->numbers,
                           touch->sums,
                           touch->touchers,
                           touch->parts,
                           touch->parents,
                           touch->sides,
                           touch->free,
                           touch->frictions,
                           touch->spots,
                           touch->ways,
                           touch->owners,
                           touch->amounts,
                           touch->pool,
                           touch->remembered,
                           touch->by_island,
                           touch->sweeps,
                           touch->island_begin,
                           touch->counts,
                           touch->remembered_first,
                           touch->remembered_next,
                           touch->rests,
                           touch->woken,
                           touch->solve_work,
                           touch->stops,
                           touch->lcp_work };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  for (int level = 0; level <= LB_RETRIES; level++) lb_free(touch->saved[level]);
  lb_near_release(touch);
  lb_touch_release_works(touch);
  lb_free(touch);
}

static bool make(void *block, size_t count, size_t bytes) {
  void **at = block;
  lb_free(*at);
  *at = lb_alloc(count, bytes);
  return *at != NULL;
}

// What depends on the number of contacts.
static bool make_contacts(lbWorldTouch *touch, int32_t room) {
  size_t n = (size_t)room;
  // Of a body's m contacts: a matrix and a row; the sum is largest where bodies are full.
  size_t side = 3 * LB_BODY_CONTACTS;
  touch->contact_room = room;
  touch->pool_room = 2 * n * 3 * (side + 1) + 2 * side * (side + 1);
  return make(&touch->contacts, n, sizeof *touch->contacts) &&
         make(&touch->forces, 3 * n, sizeof(double)) &&
         make(&touch->impulses, 3 * n, sizeof(double)) &&
         make(&touch->reports, n, sizeof *touch->reports) &&
         make(&touch->remembered, n, sizeof *touch->remembered) &&
         make(&touch->remembered_next, n, sizeof(int32_t)) &&
         make(&touch->woken, 2 * n, sizeof(int32_t)) &&
         make(&touch->sides, 2 * n, sizeof *touch->sides) &&
         make(&touch->free, 3 * n, sizeof(double)) && make(&touch->frictions, n, sizeof(double)) &&
         make(&touch->spots, 2 * n, sizeof *touch->spots) &&
         make(&touch->ways, 2 * n, sizeof *touch->ways) &&
         make(&touch->owners, 2 * n, sizeof(int32_t)) &&
         make(&touch->by_island, n, sizeof(int32_t)) &&
         make(&touch->amounts, 6 * n, sizeof(double)) &&
         make(&touch->solve_work, 6 * n, sizeof(double)) &&
         make(&touch->pool, touch->pool_room, sizeof(double));
}

static bool make_slots(lbWorldTouch *touch, int32_t room) {
  size_t n = (size_t)room;
  touch->slot_room = room;
  touch->contact_count = touch->toucher_count = 0;
  return lb_near_reserve(touch, room) && make(&touch->numbers, n, sizeof(int32_t)) &&
         make(&touch->sums, n, sizeof *touch->sums) &&
         make(&touch->touchers, n, sizeof *touch->touchers) &&
         make(&touch->parts, n, sizeof *touch->parts) &&
         make(&touch->parents, n, sizeof(int32_t)) && make(&touch->counts, n, sizeof(int32_t)) &&
         make(&touch->remembered_first, n, sizeof(int32_t)) &&
         make(&touch->rests, n, sizeof(double)) &&
         make(&touch->island_begin, n + 1, sizeof(int32_t)) &&
         make(&touch->sweeps, n, sizeof(int32_t));
}

static lbStatus reserve_surface(lbWorldTouch *touch, lbWorldSlot *slot, lbError *err) {
  lbStatus status = slot->placed ? LB_OK : lb_placed_create(slot->body, &slot->placed, err);
  if (status) return status;
  return lb_touch_reserve_works(touch, slot->placed->boxes->node_count, err);
}

lbStatus lb_touch_reserve(lbWorld *world, lbError *err) {
  lbStatus linked = lb_joints_reserve(world, err);
  if (linked) return linked;
  if (!world->settings.contact && !lb_joints_hold_any(world)) return LB_OK;
  if (!world->touch) {
    world->touch = lb_alloc(1, sizeof *world->touch);
    if (!world->touch || !make_contacts(world->touch, world->settings.contacts_most))
      return lb_fail_memory(err);
  }
  lbWorldTouch *touch = world->touch;
  lbStatus reserved = lb_touch_reserve_response(world, err);
  if (!reserved) reserved = lb_retry_reserve(world, err);
  if (!reserved) reserved = lb_touch_reserve_works(touch, 0, err);
  if (reserved) return reserved;
  if (touch->slot_room < world->slot_count && !make_slots(touch, 2 * world->slot_count))
    return lb_fail_memory(err);
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbBody *body = world->slots[i].body;
    bool jointed = lb_joints_hold_any(world) && world->linked->body_of_slot[i] >= 0;
    if (!body || !(world->slots[i].touches || jointed)) continue;
    lbStatus status = lb_touch_make(body, err);
    if (!status && !lb_rigid_solid(body)) status = reserve_surface(touch, &world->slots[i], err);
    if (status) return status;
  }
  return LB_OK;
}

// ---- settings and reports ----------------------------------------------------------------------

lbStatus lb_world_set_touch(lbWorld *world, lbBodyId id, bool touches, double friction,
                            lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  lbStatus status = lb_touch_check_friction(friction, err);
  if (status) return status;
  lb_sleep_wake(world, (int32_t)(slot - world->slots), true);
  slot->friction = friction;
  slot->touches = touches && world->settings.contact && lb_touch_is_possible(slot->body);
  return lb_touch_reserve(world, err);
}

int32_t lb_world_contact_count(const lbWorld *world) {
  return world && world->touch ? world->touch->remembered_count : 0;
}

const lbContact *lb_world_contacts(const lbWorld *world) {
  return world && world->touch ? world->touch->reports : NULL;
}

lbVec3 lb_world_contact_force(const lbWorld *world, lbBodyId id) {
  const lbWorldSlot *slot = world ? lb_world_slot(world, id) : NULL;
  if (!slot || !world->touch) return lb_vec3(0, 0, 0);
  return world->touch->sums[slot - world->slots];
}

lbContactStats lb_world_contact_stats(const lbWorld *world) {
  return world && world->touch ? world->touch->stats : (lbContactStats){ 0 };
}
