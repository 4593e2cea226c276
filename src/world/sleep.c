// Sleep: an island of bodies that have been at rest for a while is no longer stepped. Its contacts
// and joints keep the forces of its last step. The whole island wakes when one of its bodies is
// changed, loaded, or approached.
//
// A body is at rest while its surface stays where it is but for motion that cannot be seen
// (body/sleep.c). Elastic ringing of a few micrometres is rest, however fast; a slow steady slide
// is not. So neither rates of coordinates nor their damping decide.
#include "world/joint.h"

// Of the load on a body that does not wake it: weight in the axes of a body that turned in its last
// step. Doubled, it sleeps under greater changes.
#define LOAD_CHANGE 5e-4
// Of the speed asked of a motor: slower ones are blocked. Doubled, motors sleep that cannot keep
// their speed.
#define MOTOR_RUNS 0.5

// ---- waking ------------------------------------------------------------------------------------

void lb_sleep_wake(lbWorld *world, int32_t slot, bool moved) {
  lbWorldSlot *at = &world->slots[slot];
  int32_t group = at->sleep_group;
  if (moved) at->rest = 0;
  if (!at->asleep) return;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *other = &world->slots[i];
    if (!other->asleep || other->sleep_group != group) continue;
    other->asleep = false;
    if (other->body) lb_body_set_asleep(other->body, false);
    if (moved) other->rest = 0;
  }
}

void lb_sleep_wake_all(lbWorld *world) {
  for (int32_t i = 0; i < world->slot_count; i++) lb_sleep_wake(world, i, true);
}

static bool is_changed(const lbWorldSlot *slot, lbScratch *scratch) {
  double load = lb_sleep_load(slot->body, scratch);
  return !(fabs(load - slot->push) <= LOAD_CHANGE * slot->push) ||
         slot->print != lb_sleep_hash(slot->body, scratch) ||
         slot->made_of != lb_body_shared(slot->body);
}

// Compares a sleeping body with what it was. Of one that may fall asleep the load is kept.
static void watch_body(lbWorld *world, int32_t i) {
  lbWorldSlot *slot = &world->slots[i];
  if (!slot->body || !lb_slot_goes(world, slot) || !(slot->asleep || slot->rest > 0)) return;
  lbScratch *scratch = lb_body_borrow_scratch(slot->body);
  if (!slot->asleep)
    slot->push = scratch ? lb_sleep_load(slot->body, scratch) : INFINITY;
  else if (!scratch || !lb_sleep_is_possible(slot->body) || is_changed(slot, scratch))
    lb_sleep_wake(world, i, true);
  lb_body_return_scratch(slot->body, scratch);
}

static bool collider_stands(const lbWorldCollider *c) {
  lbVec3 moved = lb_sub(c->end_position, c->position);
  lbQuat turn = lb_quat_multiply(c->end_rotation, lb_quat_conjugate(c->rotation));
  return !c->moves || (lb_length(moved) == 0 && lb_length(lb_quat_log(turn)) == 0);
}

// Colliders that move wake the bodies that they may touch in this step.
static void watch_colliders(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t k = 0; k < world->collider_count; k++) {
    const lbWorldCollider *c = &world->colliders[k];
    if (!lb_collider_pushes(c) || collider_stands(c)) continue;
    for (int32_t i = 0; i < world->slot_count; i++)
      if (world->slots[i].asleep &&
          lb_touch_collider_is_near(c, touch->spheres[i].centre, touch->reaches[i]))
        lb_sleep_wake(world, i, true);
  }
}

static bool wake_joined(lbWorld *world) {
  bool woken = false;
  for (int32_t o = 0; lb_joints_hold_any(world) && o < world->linked->ordered; o++) {
    const lbJointEnd *ends = world->linked->list[world->linked->order[o]].pairs[0];
    if (ends[1].slot < 0 || world->slots[ends[0].slot].asleep == world->slots[ends[1].slot].asleep)
      continue;
    for (int side = 0; side < 2; side++) lb_sleep_wake(world, ends[side].slot, false);
    woken = true;
  }
  return woken;
}

void lb_sleep_watch(lbWorld *world) {
  for (int32_t i = 0; i < world->slot_count; i++) watch_body(world, i);
  watch_colliders(world);
  while (wake_joined(world)) continue; // one pass a joint of the chain
}

// ---- falling asleep ----------------------------------------------------------------------------

// Bodies that could touch in this step, or are joined, are one island; -1: it has no other body,
// contact or joint.
void lb_sleep_group(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < world->slot_count; i++)
    if (!lb_slot_stays(world, &world->slots[i])) world->slots[i].sleep_group = -1;
  for (int32_t t = 0; t < touch->contact_body_count; t++)
    world->slots[touch->contact_bodies[t].slot].sleep_group =
        touch->contact_bodies[touch->parents[t]].slot;
}

static void fall_asleep(lbWorldSlot *slot) {
  lbScratch *scratch = lb_body_borrow_scratch(slot->body);
  if (!scratch) return;
  slot->print = lb_sleep_hash(slot->body, scratch);
  slot->made_of = lb_body_shared(slot->body);
  slot->asleep = true;
  lb_body_set_asleep(slot->body, true);
  lb_body_return_scratch(slot->body, scratch);
}

// s, written to slot->rest: how long a body has been at rest.
static void count_rest(const lbWorld *world, lbWorldSlot *slot) {
  bool may_rest =
      world->settings.sleep && slot->sleep_group >= 0 && lb_sleep_is_possible(slot->body);
  lbScratch *scratch = may_rest ? lb_body_borrow_scratch(slot->body) : NULL;
  slot->rest =
      scratch ? lb_sleep_rest_time(slot->body, world->h, slot->rest, &slot->rest_points, scratch)
              : 0;
  lb_body_return_scratch(slot->body, scratch);
}

// s: for how long all bodies of an island have been at rest, in `rests` of its first one.
static void find_island_rests(lbWorld *world, double *rests) {
  for (int32_t i = 0; i < world->slot_count; i++) rests[i] = INFINITY;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (!slot->body || lb_slot_stays(world, slot)) continue;
    count_rest(world, slot);
    if (slot->sleep_group >= 0)
      rests[slot->sleep_group] = fmin(rests[slot->sleep_group], slot->rest);
  }
}

static void stay_awake(lbWorld *world, int32_t slot, double *rests) {
  if (slot < 0) return;
  world->slots[slot].rest = 0;
  if (world->slots[slot].sleep_group >= 0) rests[world->slots[slot].sleep_group] = 0;
}

static void keep_joint_awake(lbWorld *world, const lbBodyJoint *j, double *rests) {
  for (int side = 0; side < 2; side++) stay_awake(world, j->pairs[0][side].slot, rests);
}

// A motor that is not blocked moves its bodies, however slowly.
static bool motor_runs(const lbWorld *world, const lbBodyJoint *j) {
  double moved = j->now.position - j->start.position, asked = world->h * j->def.motor_speed;
  return j->def.motor_force > 0 && asked != 0 && moved / asked > MOTOR_RUNS;
}

// Joints that contradict each other report that in each step.
static void keep_joints_awake(lbWorld *world, double *rests) {
  const lbWorldJoints *joints = world->linked;
  if (!lb_joints_hold_any(world)) return;
  for (int32_t o = 0; o < joints->ordered; o++) {
    const lbBodyJoint *j = &joints->list[joints->order[o]];
    if (motor_runs(world, j)) keep_joint_awake(world, j, rests);
  }
  for (int32_t i = 0; i < joints->row_count; i++)
    if (joints->rows[i].lost) keep_joint_awake(world, &joints->list[joints->rows[i].joint], rests);
}

// Sleeping bodies that awake ones could touch in the next step wake; none of the two falls asleep
// before they are one island.
static void wake_touched(lbWorld *world, double *rests) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t k = 0; k < touch->woken_count; k++) {
    const int32_t *pair = touch->woken + 2 * k; // the sleeping and the awake one
    lb_sleep_wake(world, pair[0], false);
    for (int i = 0; i < 2; i++)
      if (world->slots[pair[i]].sleep_group >= 0) rests[world->slots[pair[i]].sleep_group] = 0;
  }
}

void lb_sleep_update(lbWorld *world) {
  double *rests = world->touch->rests;
  find_island_rests(world, rests);
  keep_joints_awake(world, rests);
  wake_touched(world, rests);
  for (int32_t i = 0; i < world->slot_count && world->settings.sleep; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (slot->body && !lb_slot_stays(world, slot) && slot->sleep_group >= 0 &&
        rests[slot->sleep_group] >= LB_TIME_TO_SLEEP)
      fall_asleep(slot);
  }
}

bool lb_world_body_sleeping(const lbWorld *world, lbBodyId id) {
  const lbWorldSlot *slot = world ? lb_world_slot(world, id) : NULL;
  return slot && slot->asleep;
}

lbStatus lb_world_wake(lbWorld *world, lbBodyId id, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  const lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  lb_sleep_wake(world, (int32_t)(slot - world->slots), true);
  return LB_OK;
}
