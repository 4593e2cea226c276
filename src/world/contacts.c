// Memory, settings and reports of a world's contacts.
#include "world/joint.h"

#include "world/active_contacts.h"

#include <string.h>

#define BLOCKS_MOST (1 << 18) // numbers, 2 MB: blocks of pairs
#define POOL_MOST (4 << 20) // numbers, 32 MB: compliance of bodies. Contacts beyond it are dropped
#define EXACT_MAX 512       // blocks of a step that may be solved exactly
#define POOL_NODAL (12 << 20) // numbers, 96 MB: compliance of unreduced bodies

// ---- memory ------------------------------------------------------------------------------------

void lb_touch_destroy(lbWorldTouch *touch) {
  if (!touch) return;
  void *const blocks[] = {
    touch->contacts,        touch->forces,         touch->impulses,       touch->reports,
    touch->numbers,         touch->sums,           touch->exact_work,     touch->contact_bodies,
    touch->parts,           touch->parents,        touch->sides,          touch->free,
    touch->frictions,       touch->contact_points, touch->ways,           touch->owners,
    touch->amounts,         touch->pool,           touch->remembered,     touch->by_island,
    touch->sweeps,          touch->island_begin,   touch->counts,         touch->remembered_first,
    touch->remembered_next, touch->rests,          touch->woken,          touch->solve_work,
    touch->gap_tolerances,  touch->settled,        touch->solve_integers, touch->blocks,
    touch->found,           touch->shares,         touch->compliances,    touch->inactive,
    touch->solver_sides,    touch->velocities,     touch->approaches,     touch->solver_parts,
    touch->rolling
  };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_guard_release(&touch->guard);
  lb_choose_release(touch);
  lb_near_release(touch);
  lb_touch_release_works(touch);
  lb_free(touch);
}

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

// Numbers: blocks of pairs.
static size_t block_room_for(int32_t room) {
  return least_of(LB_CONTACT_BLOCK * (size_t)room, BLOCKS_MOST);
}

static int32_t exact_room_for(int32_t blocks) { return blocks < EXACT_MAX ? blocks : EXACT_MAX; }

// What depends on the number of blocks that are solved.
static void reserve_blocks(lbReservation *r, lbWorldTouch *touch, int32_t room) {
  size_t n = (size_t)room;
  lb_reserve(r, &touch->forces, 3 * n, sizeof(double));
  lb_reserve(r, &touch->impulses, 3 * n, sizeof(double));
  lb_reserve(r, &touch->sides, 2 * n, sizeof *touch->sides);
  lb_reserve(r, &touch->solver_sides, 2 * n, sizeof *touch->solver_sides);
  lb_reserve(r, &touch->free, 3 * n, sizeof(double));
  lb_reserve(r, &touch->frictions, n, sizeof(double));
  lb_reserve(r, &touch->compliances, 3 * n, sizeof(double));
  lb_reserve(r, &touch->by_island, n, sizeof(int32_t));
  lb_reserve(r, &touch->inactive, n, sizeof *touch->inactive);
  lb_reserve(r, &touch->solve_work, LB_CONTACT_WORK * n, sizeof(double));
  lb_reserve(r, &touch->solve_integers, LB_CONTACT_INTS * n, sizeof(int32_t));
  lb_reserve(r, &touch->blocks, block_room_for(room), sizeof(double));
  lb_reserve(r, &touch->exact_work, (size_t)exact_room_for(room), LB_EXACT_WORK * sizeof(double));
}

// What depends on the number of contacts.
static void reserve_contacts(lbReservation *r, lbWorldTouch *touch, int32_t room, size_t pool) {
  size_t n = (size_t)room, kept = (size_t)touch->remembered_count;
  lb_reserve_kept(r, &touch->reports, kept, n, sizeof *touch->reports);
  lb_reserve_kept(r, &touch->remembered, kept, n, sizeof *touch->remembered);
  lb_reserve(r, &touch->contacts, n, sizeof *touch->contacts);
  lb_reserve(r, &touch->found, LB_LISTED * n + LB_NEAR_FOUND, sizeof *touch->found);
  lb_reserve(r, &touch->remembered_next, n, sizeof(int32_t));
  lb_reserve(r, &touch->woken, 2 * n, sizeof(int32_t));
  lb_reserve(r, &touch->contact_points, 2 * n, sizeof *touch->contact_points);
  lb_reserve(r, &touch->ways, 2 * n, sizeof *touch->ways);
  lb_reserve(r, &touch->velocities, 2 * n, sizeof *touch->velocities);
  lb_reserve(r, &touch->approaches, n, sizeof(double));
  lb_reserve(r, &touch->rolling, n, sizeof *touch->rolling);
  lb_reserve(r, &touch->owners, 2 * n, sizeof(int32_t));
  lb_reserve(r, &touch->amounts, 6 * n, sizeof(double));
  lb_reserve(r, &touch->pool, pool, sizeof(double));
  lb_choose_reserve(r, touch, room, pool);
}

static void set_block_room(lbWorldTouch *touch, int32_t blocks) {
  touch->block_max = blocks, touch->block_room = block_room_for(blocks);
  touch->exact_room = exact_room_for(blocks);
}

static void set_contact_room(lbWorldTouch *touch, int32_t room, size_t pool) {
  touch->contact_room = room, touch->contact_count = touch->rolling_count = 0;
  touch->pool_room = pool;
  touch->products_room = lb_choose_room(touch->pool_room);
}

// Worlds get room for twice as many contacts whenever their bodies may have more than there is room
// for. It depends on the bodies alone, as does the size of states.
static int32_t room_for(const lbWorld *world) {
  int32_t most = world->settings.contacts_most, room = LB_BODY_CONTACTS;
  int64_t needed = 0;
  for (int32_t i = 0; i < world->slot_count; i++) {
    int32_t own = lb_touch_body_most(world, i);
    needed += own > LB_BODY_CONTACTS ? own : LB_BODY_CONTACTS;
  }
  while (room < needed && room < most) room *= 2;
  return room < most ? room : most;
}

// Numbers of the compliance of bodies with so many contacts, most where bodies are full.
static size_t pool_for(const lbWorld *world, int32_t room) {
  size_t sum = (2 * (size_t)room / LB_BODY_CONTACTS + 1) * lb_touch_pool_of(LB_BODY_CONTACTS);
  size_t nodal = 0;
  for (int32_t i = 0; i < world->slot_count && nodal < POOL_NODAL; i++) {
    int32_t own = lb_touch_body_most(world, i);
    if (own > LB_BODY_CONTACTS) nodal += lb_touch_pool_of(own < room ? own : room);
  }
  return (sum < POOL_MOST ? sum : POOL_MOST) + (nodal < POOL_NODAL ? nodal : POOL_NODAL);
}

static void reserve_slots(lbReservation *r, lbWorldTouch *touch, int32_t room) {
  size_t n = (size_t)room;
  lb_near_reserve(r, touch, room);
  lb_reserve(r, &touch->numbers, n, sizeof(int32_t));
  lb_reserve_kept(r, &touch->sums, (size_t)touch->slot_room, n, sizeof *touch->sums);
  lb_reserve(r, &touch->contact_bodies, n, sizeof *touch->contact_bodies);
  lb_reserve(r, &touch->parts, n, sizeof *touch->parts);
  lb_reserve(r, &touch->solver_parts, n, sizeof *touch->solver_parts);
  lb_reserve(r, &touch->parents, n, sizeof(int32_t));
  lb_reserve(r, &touch->counts, n, sizeof(int32_t));
  lb_reserve(r, &touch->remembered_first, n, sizeof(int32_t));
  lb_reserve(r, &touch->rests, n, sizeof(double));
  lb_reserve(r, &touch->island_begin, n + 1, sizeof(int32_t));
  lb_reserve(r, &touch->sweeps, n, sizeof(int32_t));
  lb_reserve(r, &touch->gap_tolerances, n, sizeof(double));
  lb_reserve(r, &touch->settled, n, sizeof(bool));
  lb_reserve(r, &touch->shares, n, sizeof(int32_t));
}

static void set_slot_room(lbWorldTouch *touch, int32_t room) {
  touch->slot_room = room, touch->near_room = lb_near_room(room);
  touch->contact_count = touch->rolling_count = touch->contact_body_count = touch->swept_count = 0;
}

static lbStatus reserve_surface(lbWorldTouch *touch, lbWorldSlot *slot, lbError *err) {
  lbStatus status = slot->placed ? LB_OK : lb_placed_create(slot->body, &slot->placed, err);
  if (status) return status;
  return lb_touch_reserve_works(touch, slot->placed->boxes.room, err);
}

// What bodies need of their own; they keep it where the rest is refused.
static lbStatus reserve_bodies(lbWorld *world, lbWorldTouch *touch, const lbWorldJoints *joints,
                               lbError *err) {
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbBody *body = world->slots[i].body;
    bool jointed = joints && joints->ordered > 0 && joints->body_of_slot[i] >= 0;
    if (!body || !(world->slots[i].touches || jointed)) continue;
    lbStatus status = lb_touch_make(body, err);
    if (!status && !lb_body_solid(body)) status = reserve_surface(touch, &world->slots[i], err);
    if (status) return status;
  }
  return LB_OK;
}

// The rest is in place only if there is memory for all of it.
static lbStatus reserve_touch(lbWorld *world, lbWorldTouch *touch, const lbWorldJoints *joints,
                              lbError *err) {
  lbReservation r = { 0 };
  int32_t contacts = room_for(world), slots = 2 * world->slot_count;
  if (contacts < touch->contact_room) contacts = touch->contact_room; // what is remembered stays
  size_t pool = pool_for(world, contacts);
  bool more_contacts = contacts > touch->contact_room || pool > touch->pool_room;
  bool more_slots = touch->slot_room < world->slot_count;
  int32_t blocks = contacts + (joints ? joints->block_room : 0);
  bool more_blocks = blocks > touch->block_max;
  lbStatus status = lb_touch_reserve_works(touch, 0, err);
  if (!status) status = reserve_bodies(world, touch, joints, err);
  if (status) return status;
  if (more_contacts) reserve_contacts(&r, touch, contacts, pool);
  if (more_blocks) reserve_blocks(&r, touch, blocks);
  if (more_slots) reserve_slots(&r, touch, slots);
  lb_guard_reserve(&r, world, &touch->guard, more_slots ? slots : 0, more_contacts ? contacts : 0);
  if (!lb_reservation_end(&r, true)) return lb_fail_memory(err);
  if (more_contacts) set_contact_room(touch, contacts, pool);
  if (more_blocks) set_block_room(touch, blocks);
  if (more_slots) set_slot_room(touch, slots);
  lb_guard_set_room(world, &touch->guard, contacts);
  touch->level = world->level;
  return LB_OK;
}

lbStatus lb_touch_reserve(lbWorld *world, lbError *err) {
  lbWorldJoints joints = { 0 };
  lbWorldTouch *touch = world->touch;
  lbStatus status = lb_joints_prepare(world, &joints, err);
  bool needed = touch || world->settings.contact || joints.ordered > 0;
  if (!status && needed) {
    if (!touch) touch = lb_alloc(1, sizeof *touch);
    status = touch ? reserve_touch(world, touch, world->linked ? &joints : NULL, err)
                   : lb_fail_memory(err);
    if (status && !world->touch)
      lb_touch_destroy(touch);
    else
      world->touch = touch;
  }
  lb_joints_adopt(world, &joints, !status);
  return status;
}

// ---- settings and reports ----------------------------------------------------------------------

lbStatus lb_world_set_touch(lbWorld *world, lbBodyId id, bool touches, double friction,
                            lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  lbContactMaterial material = slot->material;
  material.friction = friction;
  lbStatus status = lb_check_contact_material(&material, err);
  if (status) return status;
  lb_sleep_wake(world, (int32_t)(slot - world->slots), true);
  bool before = slot->touches;
  slot->touches = touches && world->settings.contact && lb_touch_is_possible(slot->body);
  status = lb_touch_reserve(world, err);
  if (status)
    slot->touches = before;
  else
    slot->material = material;
  return status;
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
