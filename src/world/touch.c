// Memory, settings and reports of a world's contacts.
#include "world/joint.h"

#include "body/body.h"

#include <string.h>

// ---- memory ------------------------------------------------------------------------------------

void lb_touch_destroy(lbWorldTouch *touch) {
  if (!touch) return;
  void *const blocks[] = {
    touch->contacts,     touch->forces,       touch->impulses,   touch->reports, touch->centres,
    touch->reaches,      touch->margins,      touch->numbers,    touch->sums,    touch->touchers,
    touch->parts,        touch->speed_parts,  touch->sides,      touch->free,    touch->frictions,
    touch->spots,        touch->ways,         touch->struck,     touch->amounts, touch->signs,
    touch->pool,         touch->work,         touch->candidates, touch->places,  touch->remembered,
    touch->triangles[0], touch->triangles[1], touch->stops,      touch->lcp_work
  };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  for (int level = 0; level <= LB_RETRIES; level++) lb_free(touch->saved[level]);
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
  // Of a body's m contacts: two matrices and two rows; the sum is largest where bodies are full.
  size_t side = 3 * LB_BODY_CONTACTS;
  touch->contact_room = room;
  touch->pool_room = 2 * 2 * n * 3 * (side + 1) + 4 * side * (side + 1);
  return make(&touch->contacts, n, sizeof *touch->contacts) &&
         make(&touch->forces, 3 * n, sizeof(double)) &&
         make(&touch->impulses, 3 * n, sizeof(double)) &&
         make(&touch->reports, n, sizeof *touch->reports) &&
         make(&touch->remembered, n, sizeof *touch->remembered) &&
         make(&touch->sides, 2 * n, sizeof *touch->sides) &&
         make(&touch->free, 3 * n, sizeof(double)) && make(&touch->frictions, n, sizeof(double)) &&
         make(&touch->spots, 2 * n, sizeof *touch->spots) &&
         make(&touch->ways, 2 * n, sizeof *touch->ways) &&
         make(&touch->struck, LB_BODY_CONTACTS, sizeof *touch->struck) &&
         make(&touch->amounts, LB_BODY_CONTACTS, sizeof *touch->amounts) &&
         make(&touch->signs, LB_BODY_CONTACTS, sizeof(double)) &&
         make(&touch->pool, touch->pool_room, sizeof(double)) &&
         make(&touch->candidates, LB_PAIR_CANDIDATES, sizeof *touch->candidates) &&
         make(&touch->places, LB_PAIR_CANDIDATES, sizeof *touch->places) &&
         make(&touch->triangles[0], LB_PAIR_TRIANGLES, sizeof *touch->triangles[0]) &&
         make(&touch->triangles[1], LB_PAIR_TRIANGLES, sizeof *touch->triangles[1]);
}

static bool make_slots(lbWorldTouch *touch, int32_t room) {
  size_t n = (size_t)room;
  touch->slot_room = room;
  touch->report_count = touch->contact_count = touch->toucher_count = 0;
  return make(&touch->centres, n, sizeof *touch->centres) &&
         make(&touch->reaches, n, sizeof(double)) && make(&touch->margins, n, sizeof(double)) &&
         make(&touch->numbers, n, sizeof(int32_t)) && make(&touch->sums, n, sizeof *touch->sums) &&
         make(&touch->touchers, n, sizeof *touch->touchers) &&
         make(&touch->parts, n, sizeof *touch->parts) &&
         make(&touch->speed_parts, n, sizeof *touch->speed_parts);
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
  if (reserved) return reserved;
  if (touch->slot_room < world->slot_count && !make_slots(touch, 2 * world->slot_count))
    return lb_fail_memory(err);
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbBody *body = world->slots[i].body;
    bool jointed = lb_joints_hold_any(world) && world->linked->body_of_slot[i] >= 0;
    if (!body || !(world->slots[i].touches || jointed)) continue;
    lbStatus status = lb_touch_make(body, err);
    size_t room = lb_touch_room(body, LB_BODY_CONTACTS);
    if (!status && world->settings.self && !world->slots[i].self && !lb_rigid_solid(body))
      status = lb_self_create(body, &world->slots[i].self, err);
    if (status) return status;
    if (room <= touch->work_room) continue;
    touch->work_room = room;
    if (!make(&touch->work, room, sizeof(double))) return lb_fail_memory(err);
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
  slot->friction = friction;
  slot->touches = touches && world->settings.contact && lb_touch_is_possible(slot->body);
  return lb_touch_reserve(world, err);
}

int32_t lb_world_contact_count(const lbWorld *world) {
  return world && world->touch ? world->touch->report_count : 0;
}

const lbContact *lb_world_contacts(const lbWorld *world) {
  return world && world->touch ? world->touch->reports : NULL;
}

lbVec3 lb_world_contact_force(const lbWorld *world, lbBodyId id) {
  const lbWorldSlot *slot = world ? lb_world_slot(world, id) : NULL;
  if (!slot || !world->touch) return lb_vec3(0, 0, 0);
  return world->touch->sums[slot - world->slots];
}
