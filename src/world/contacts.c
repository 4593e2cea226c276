// Memory, settings and reports of a world's contacts.
#include "world/joint.h"

#include "body/body.h"
#include "world/touch_choose.h"

#include <string.h>

#define BLOCKS_MOST (1 << 18) // numbers, 2 MB: blocks of pairs
#define POOL_MOST (4 << 20)   // numbers, 32 MB: how bodies give way. Contacts beyond it are dropped

// ---- memory ------------------------------------------------------------------------------------

void lb_touch_destroy(lbWorldTouch *touch) {
  if (!touch) return;
  void *const blocks[] = {
    touch->contacts,        touch->forces,         touch->impulses,   touch->reports,
    touch->numbers,         touch->sums,           touch->energies,   touch->touchers,
    touch->parts,           touch->parents,        touch->sides,      touch->free,
    touch->frictions,       touch->spots,          touch->ways,       touch->owners,
    touch->amounts,         touch->pool,           touch->remembered, touch->by_island,
    touch->sweeps,          touch->island_begin,   touch->counts,     touch->remembered_first,
    touch->remembered_next, touch->rests,          touch->woken,      touch->solve_work,
    touch->stops,           touch->saved_begin,    touch->lcp_work,   touch->enoughs,
    touch->settled,         touch->solve_integers, touch->blocks,     touch->found,
    touch->shares,          touch->compliances
  };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  for (int level = 0; level <= LB_RETRIES; level++) lb_free(touch->saved[level]);
  lb_choose_release(touch);
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

// More room for what is kept from step to step.
static bool extend(void *block, size_t kept, size_t count, size_t bytes) {
  void **at = block, *more = lb_alloc(count, bytes);
  if (more && kept > 0) memcpy(more, *at, kept * bytes);
  lb_free(*at);
  *at = more;
  return more != NULL;
}

// What depends on the number of contacts.
static bool make_contacts(lbWorldTouch *touch, int32_t room) {
  size_t n = (size_t)room, kept = (size_t)touch->remembered_count;
  // The sum over bodies is largest where they are full.
  size_t most = (2 * n / LB_BODY_CONTACTS + 1) * lb_touch_pool_of(LB_BODY_CONTACTS);
  touch->pool_room = most < POOL_MOST ? most : POOL_MOST;
  touch->block_room = LB_CONTACT_BLOCK * n < BLOCKS_MOST ? LB_CONTACT_BLOCK * n : BLOCKS_MOST;
  lb_free(touch->lcp_work), lb_free(touch->stops);
  touch->lcp_work = touch->stops = NULL; // made anew by their own
  return extend(&touch->reports, kept, n, sizeof *touch->reports) &&
         extend(&touch->remembered, kept, n, sizeof *touch->remembered) &&
         make(&touch->contacts, n, sizeof *touch->contacts) &&
         make(&touch->found, LB_LISTED * n + LB_NEAR_BLOCK * LB_PAIR_CONTACTS,
              sizeof *touch->found) &&
         make(&touch->forces, 3 * n, sizeof(double)) &&
         make(&touch->impulses, 3 * n, sizeof(double)) &&
         make(&touch->remembered_next, n, sizeof(int32_t)) &&
         make(&touch->woken, 2 * n, sizeof(int32_t)) &&
         make(&touch->sides, 2 * n, sizeof *touch->sides) &&
         make(&touch->free, 3 * n, sizeof(double)) && make(&touch->frictions, n, sizeof(double)) &&
         make(&touch->compliances, 3 * n, sizeof(double)) &&
         make(&touch->spots, 2 * n, sizeof *touch->spots) &&
         make(&touch->ways, 2 * n, sizeof *touch->ways) &&
         make(&touch->owners, 2 * n, sizeof(int32_t)) &&
         make(&touch->by_island, n, sizeof(int32_t)) &&
         make(&touch->amounts, 6 * n, sizeof(double)) &&
         make(&touch->solve_work, LB_CONTACT_WORK * n, sizeof(double)) &&
         make(&touch->solve_integers, LB_CONTACT_INTS * n, sizeof(int32_t)) &&
         make(&touch->blocks, touch->block_room, sizeof(double)) &&
         make(&touch->pool, touch->pool_room, sizeof(double)) && lb_choose_reserve(touch, room);
}

// A body has so many contacts at most; worlds get room for twice as many bodies whenever they have
// too little. It depends on the number of bodies alone, as does the size of states.
static int32_t room_for(const lbWorld *world) {
  int32_t most = world->settings.contacts_most, room = LB_BODY_CONTACTS;
  for (int32_t bodies = 1; bodies < world->slot_count && room < most; bodies *= 2) room *= 2;
  return room < most ? room : most;
}

static bool reserve_contacts(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  int32_t room = room_for(world);
  if (room == touch->contact_room) return true;
  touch->contact_count = 0;
  touch->contact_room = 0;
  bool made = make_contacts(touch, room);
  touch->contact_room = made ? room : 0;
  if (!made) touch->remembered_count = touch->staying_count = 0;
  return made;
}

static bool make_slots(lbWorldTouch *touch, int32_t room) {
  size_t n = (size_t)room;
  touch->slot_room = room;
  touch->contact_count = touch->toucher_count = 0;
  return lb_near_reserve(touch, room) && make(&touch->numbers, n, sizeof(int32_t)) &&
         make(&touch->sums, n, sizeof *touch->sums) &&
         make(&touch->energies, n, sizeof *touch->energies) &&
         make(&touch->touchers, n, sizeof *touch->touchers) &&
         make(&touch->parts, n, sizeof *touch->parts) &&
         make(&touch->parents, n, sizeof(int32_t)) && make(&touch->counts, n, sizeof(int32_t)) &&
         make(&touch->remembered_first, n, sizeof(int32_t)) &&
         make(&touch->rests, n, sizeof(double)) &&
         make(&touch->island_begin, n + 1, sizeof(int32_t)) &&
         make(&touch->sweeps, n, sizeof(int32_t)) && make(&touch->enoughs, n, sizeof(double)) &&
         make(&touch->settled, n, sizeof(bool)) && make(&touch->shares, n, sizeof(int32_t));
}

static lbStatus reserve_surface(lbWorldTouch *touch, lbWorldSlot *slot, lbError *err) {
  lbStatus status = slot->placed ? LB_OK : lb_placed_create(slot->body, &slot->placed, err);
  if (status) return status;
  return lb_touch_reserve_works(touch, slot->placed->boxes.room, err);
}

lbStatus lb_touch_reserve(lbWorld *world, lbError *err) {
  lbStatus linked = lb_joints_reserve(world, err);
  if (linked) return linked;
  if (!world->settings.contact && !lb_joints_hold_any(world)) return LB_OK;
  if (!world->touch) world->touch = lb_alloc(1, sizeof *world->touch);
  if (!world->touch || !reserve_contacts(world)) return lb_fail_memory(err);
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
    if (!status && !lb_body_solid(body)) status = reserve_surface(touch, &world->slots[i], err);
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
