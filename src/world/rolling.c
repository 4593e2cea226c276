// Torques of rolling friction: of two that touch, one block of three, which resists that they turn
// against each other. Contacts of a pair have the same rolling friction, so the sum of their normal
// forces bounds the torque.
//
// Torques act on the frames of free bodies. Frames that are held or driven, and colliders, turn as
// they do. A body that moves as a whole in its coordinates (absolute_coordinates.h) has no frame
// that a torque could act on: what touches it has no rolling friction.
#include "world/joint.h"

#include <string.h>

bool lb_rolling_turns(const lbWorld *world, int32_t slot) {
  return lb_touch_gives_way(world, slot) && world->slots[slot].body->frame.kind == LB_FRAME_FREE;
}

static bool is_whole(const lbWorld *world, int32_t slot) {
  return slot >= 0 && world->slots[slot].body->frame.fitted;
}

static bool may_roll(const lbWorld *world, const int32_t *slots) {
  if (slots[0] == slots[1] || is_whole(world, slots[0]) || is_whole(world, slots[1])) return false;
  return lb_rolling_turns(world, slots[0]) || lb_rolling_turns(world, slots[1]);
}

// Room for its torques beside the contacts; false: there is none.
static bool take_room(const lbWorld *world, const int32_t *slots) {
  lbWorldTouch *touch = world->touch;
  int32_t blocks = lb_touch_pair_blocks(touch) + touch->staying_count;
  for (int side = 0; side < 2; side++)
    if (slots[side] >= 0 && touch->counts[slots[side]] >= LB_BODY_POINTS) return false;
  if (blocks >= touch->contact_room || !lb_touch_use_pool(touch, slots[0], slots[1])) return false;
  for (int side = 0; side < 2; side++)
    if (slots[side] >= 0) touch->counts[slots[side]]++;
  return true;
}

// The number of contacts of the same two, from one on.
static int32_t count_pair(const lbWorldTouch *touch, int32_t first) {
  const lbWorldContact *a = &touch->contacts[first];
  int32_t end = first + 1;
  for (; end < touch->contact_count; end++) {
    const lbWorldContact *b = &touch->contacts[end];
    if (b->slots[0] != a->slots[0] || b->slots[1] != a->slots[1] || b->collider != a->collider ||
        b->rolling_friction != a->rolling_friction)
      break;
  }
  return end - first;
}

void lb_rolling_find(const lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t c = 0, count; c < touch->contact_count; c += count) {
    const lbWorldContact *contact = &touch->contacts[c];
    count = 1;
    if (!(contact->rolling_friction > 0)) continue;
    count = count_pair(touch, c);
    if (!may_roll(world, contact->slots) || !take_room(world, contact->slots)) continue;
    for (int32_t i = c; i < c + count; i++) touch->contacts[i].rolling = touch->rolling_count;
    touch->rolling[touch->rolling_count++] =
        (lbRollingBlock){ c, count, contact->rolling_friction };
  }
}

void lb_rolling_keep_pushing(const lbWorld *world, int32_t contacts_before) {
  lbWorldTouch *touch = world->touch;
  int32_t kept = 0;
  for (int32_t c = 0, count; c < touch->contact_count && touch->rolling_count > 0; c += count) {
    int32_t before = touch->contacts[c].rolling;
    for (count = 1; before >= 0 && c + count < touch->contact_count; count++)
      if (touch->contacts[c + count].rolling != before) break;
    bool rolls = before >= 0 && may_roll(world, touch->contacts[c].slots);
    for (int32_t i = c; i < c + count; i++) touch->contacts[i].rolling = rolls ? kept : -1;
    if (!rolls) continue;
    memmove(touch->forces + 3 * (size_t)(touch->contact_count + kept),
            touch->forces + 3 * (size_t)(contacts_before + before), 3 * sizeof(double));
    touch->rolling[kept] = (lbRollingBlock){ c, count, touch->rolling[before].radius };
    kept++;
  }
  touch->rolling_count = kept;
}

void lb_rolling_recall(lbWorldTouch *touch) {
  for (int32_t r = 0; r < touch->rolling_count; r++) {
    double *torque = touch->forces + 3 * (size_t)(touch->contact_count + r);
    const lbRollingBlock *of = &touch->rolling[r];
    torque[0] = torque[1] = torque[2] = 0;
    for (int32_t c = of->first; c < of->first + of->count; c++) {
      int32_t known = touch->contacts[c].at.known;
      for (int k = 0; k < 3 && known >= 0; k++) torque[k] += touch->remembered[known].torque[k];
    }
  }
}

lbVec3 lb_rolling_collider_turn(const lbWorldCollider *c) {
  if (!c->moves) return lb_vec3(0, 0, 0);
  return lb_quat_log(lb_quat_multiply(c->end_rotation, lb_quat_conjugate(c->rotation)));
}

// How a side turns in the step; at its spin.
static lbVec3 turn_of(const lbWorld *world, int32_t block, int32_t slot, int side, bool speeds) {
  const lbWorldTouch *touch = world->touch;
  lbContactSide at = touch->sides[2 * block + side];
  if (at.body >= 0) return touch->ways[touch->contact_bodies[at.body].first + at.place];
  const lbBody *body = world->slots[slot].body;
  if (!lb_touch_gives_way(world, slot) || body->frame.kind != LB_FRAME_DRIVEN)
    return lb_vec3(0, 0, 0);
  if (speeds) return body->frame.spin;
  const lbContactBody *contact_body = &touch->contact_bodies[touch->numbers[slot]];
  if (!contact_body->open) return lb_vec3(0, 0, 0);
  return lb_quat_log(lb_quat_multiply(contact_body->touching.step.frame.rotation,
                                      lb_quat_conjugate(contact_body->touching.start.rotation)));
}

void lb_rolling_measure(const lbWorld *world, bool speeds) {
  lbWorldTouch *touch = world->touch;
  for (int32_t r = 0; r < touch->rolling_count; r++) {
    const lbWorldContact *contact = &touch->contacts[touch->rolling[r].first];
    int32_t block = touch->contact_count + r;
    lbVec3 turn = turn_of(world, block, contact->slots[0], 0, speeds), other;
    if (contact->slots[1] >= 0)
      other = turn_of(world, block, contact->slots[1], 1, speeds);
    else
      other = lb_scale(speeds ? 1 / world->h : 1,
                       lb_rolling_collider_turn(&world->colliders[contact->collider]));
    lb_vec3_store(touch->free + 3 * (size_t)block, lb_sub(turn, other));
  }
}
