// Islands of bodies that have been at rest for a while sleep: their steps pass time alone, and
// contacts go on telling what they told. They wake together, by whatever changes one of them.
//
// A body counts as at rest while no place of its surface moves faster than a share of its radius a
// second. An awake body that comes near wakes those that sleep for the next step: places where they
// could touch are found a step before they do (touch_find.c).
#include "world/joint.h"

#define SPEED 0.02   // radii a second
#define LONG 0.5     // s
#define OVERLAP 0.05 // of the radius: bodies that overlap farther are on their way out
#define ALIKE 5e-4   // of what is applied to a body: no push, or by how far weight turned in a step

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
  double push = lb_sleep_push(slot->body, scratch);
  return !(fabs(push - slot->push) <= ALIKE * slot->push) ||
         slot->print != lb_sleep_print(slot->body, scratch) ||
         slot->made_of != lb_body_shared(slot->body);
}

// What is applied to bodies that could fall asleep is kept, to be compared.
static void watch(lbWorld *world, int32_t i) {
  lbWorldSlot *slot = &world->slots[i];
  if (!slot->body || !lb_slot_goes(world, slot) || !(slot->asleep || slot->rest > 0)) return;
  lbScratch *scratch = lb_body_borrow_scratch(slot->body);
  if (!slot->asleep)
    slot->push = scratch ? lb_sleep_push(slot->body, scratch) : INFINITY;
  else if (!scratch || !lb_sleep_is_possible(slot->body) || is_changed(slot, scratch))
    lb_sleep_wake(world, i, true);
  lb_body_return_scratch(slot->body, scratch);
}

static bool stands(const lbWorldCollider *c) {
  lbVec3 way = lb_sub(c->end_position, c->position);
  lbQuat turn = lb_quat_multiply(c->end_rotation, lb_quat_conjugate(c->rotation));
  return !c->moves || (lb_length(way) == 0 && lb_length(lb_quat_log(turn)) == 0);
}

// Colliders that move wake those whom they may come to touch.
static void watch_colliders(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t k = 0; k < world->collider_count; k++) {
    const lbWorldCollider *c = &world->colliders[k];
    if (!lb_collider_pushes(c) || stands(c)) continue;
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
  for (int32_t i = 0; i < world->slot_count; i++) watch(world, i);
  watch_colliders(world);
  while (wake_joined(world)) continue; // jointed bodies wake with what they are joined to
}

// ---- falling asleep ----------------------------------------------------------------------------

// Those that could touch in this step belong together; -1: nothing is near.
void lb_sleep_group(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < world->slot_count; i++)
    if (!lb_slot_stays(world, &world->slots[i])) world->slots[i].sleep_group = -1;
  for (int32_t t = 0; t < touch->toucher_count; t++)
    world->slots[touch->touchers[t].slot].sleep_group = touch->touchers[touch->parents[t]].slot;
}

static void fall_asleep(lbWorldSlot *slot) {
  lbScratch *scratch = lb_body_borrow_scratch(slot->body);
  if (!scratch) return;
  slot->print = lb_sleep_print(slot->body, scratch);
  slot->made_of = lb_body_shared(slot->body);
  slot->asleep = true;
  lb_body_set_asleep(slot->body, true);
  lb_body_return_scratch(slot->body, scratch);
}

// Whether no place of a body moves by more than a little. Those that joints hold and that touch
// nothing have no sphere yet.
static bool is_slow(const lbWorld *world, int32_t slot) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldSlot *at = &world->slots[slot];
  if (at->touches) return touch->speeds[slot] < SPEED * touch->reaches[slot];
  if (!lb_jointed_of(world, slot)) return false;
  lbTouchSphere s = lb_touch_sphere(at->body);
  return lb_length(s.velocity) + s.spread < SPEED * s.radius;
}

// s: how long all bodies of an island have been at rest, in `rests` of its first one.
static void find_rests(lbWorld *world, double *rests) {
  for (int32_t i = 0; i < world->slot_count; i++) rests[i] = INFINITY;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (!slot->body || lb_slot_stays(world, slot)) continue;
    bool rests_now = lb_sleep_is_possible(slot->body) && is_slow(world, i);
    slot->rest = rests_now ? slot->rest + world->h : 0;
    if (slot->sleep_group >= 0)
      rests[slot->sleep_group] = fmin(rests[slot->sleep_group], slot->rest);
  }
}

static void stay_awake(lbWorld *world, int32_t slot, double *rests) {
  if (slot < 0) return;
  world->slots[slot].rest = 0;
  if (world->slots[slot].sleep_group >= 0) rests[world->slots[slot].sleep_group] = 0;
}

static void keep_jointed_awake(lbWorld *world, const lbBodyJoint *j, double *rests) {
  for (int side = 0; side < 2; side++) stay_awake(world, j->pairs[0][side].slot, rests);
}

// Bodies that are pushed out of each other move without a velocity; motors that turn start again;
// what joints that contradict each other leave is told in each step.
static void keep_going(lbWorld *world, double *rests) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldJoints *joints = world->linked;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const lbWorldContact *contact = &touch->contacts[c];
    bool parts = -contact->at.gap > OVERLAP * touch->reaches[contact->slots[0]];
    for (int side = 0; side < 2 && parts; side++) stay_awake(world, contact->slots[side], rests);
  }
  if (!lb_joints_hold_any(world)) return;
  for (int32_t o = 0; o < joints->ordered; o++) {
    const lbBodyJoint *j = &joints->list[joints->order[o]];
    if (j->def.motor_force > 0 && j->def.motor_speed != 0) keep_jointed_awake(world, j, rests);
  }
  for (int32_t i = 0; i < joints->row_count; i++)
    if (joints->rows[i].lost)
      keep_jointed_awake(world, &joints->list[joints->rows[i].joint], rests);
}

// Bodies that sleep and that others could touch wake.
static void wake_touched(lbWorld *world, double *rests) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t k = 0; k < touch->woken_count; k++) {
    const int32_t *pair = touch->woken + 2 * k; // who sleeps, who is awake
    lb_sleep_wake(world, pair[0], false);
    for (int i = 0; i < 2; i++) // and stay awake until they are one island
      if (world->slots[pair[i]].sleep_group >= 0) rests[world->slots[pair[i]].sleep_group] = 0;
  }
}

void lb_sleep_update(lbWorld *world) {
  double *rests = world->touch->rests;
  find_rests(world, rests);
  keep_going(world, rests);
  wake_touched(world, rests);
  for (int32_t i = 0; i < world->slot_count && world->settings.sleep; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (slot->body && !lb_slot_stays(world, slot) && slot->sleep_group >= 0 &&
        rests[slot->sleep_group] >= LONG)
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
