// Steps whose contacts did not end where they were to: they are taken again in halves.
//
// Forces of contacts are found with each body's own step matrix, about where the step begins. A
// soft body that is hit hard gives way otherwise than that says, and forces that are right for the
// one would feed energy into the other. How far places ended from where they were to end tells it;
// so does what a joint holds together, when a hit turns its bodies by much.
#include "world/joint.h"

#include "body/body.h"

#include <string.h>

#define FAR 0.02    // of a body's radius: how far from there a place may end
#define TURNED 0.02 // rad: the same of what a joint does not let turn

// ---- whether it went well ----------------------------------------------------------------------

static bool ends_far(const lbWorld *world, int32_t c) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  double radius = lb_touch_radius(touch, contact->slots[0]);
  lbVec3 other;
  if (!(touch->forces[3 * c] > 0)) return false;
  if (contact->slots[1] >= 0) {
    other = lb_touch_place(touch, c, 1);
    radius = fmin(radius, lb_touch_radius(touch, contact->slots[1]));
  } else {
    const lbWorldCollider *collider = &world->colliders[contact->collider];
    other = lb_add(contact->at.point, lb_collider_way(collider, contact->at.point));
  }
  double gap = lb_dot(contact->at.normal, lb_sub(lb_touch_place(touch, c, 0), other));
  double least = fmin(contact->at.gap, 0), most = fmax(least, 0);
  return gap < least - FAR * radius || gap > most + FAR * radius;
}

bool lb_retry_is_better(const lbWorld *world) {
  for (int32_t c = 0; c < world->touch->contact_count; c++)
    if (ends_far(world, c)) return true;
  return lb_joints_come_apart(world, FAR, TURNED);
}

// ---- going back --------------------------------------------------------------------------------

lbStatus lb_retry_reserve(lbWorld *world, lbError *err) {
  lbWorldTouch *touch = world->touch;
  size_t bytes = 0;
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].body) bytes += lb_body_state_bytes(world->slots[i].body);
  if (bytes <= touch->saved_room) return LB_OK;
  for (int level = 0; level <= LB_RETRIES; level++) {
    lb_free(touch->saved[level]);
    touch->saved[level] = lb_alloc(bytes, 1);
    if (!touch->saved[level]) {
      touch->saved_room = 0;
      return lb_fail_memory(err);
    }
  }
  touch->saved_room = bytes;
  return LB_OK;
}

// All bodies move in each part, and there is room for their states.
static bool is_possible(const lbWorld *world) {
  size_t bytes = 0;
  for (int32_t i = 0; i < world->group_count; i++)
    if (world->groups[i].every > 1) return false;
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].body) bytes += lb_body_state_bytes(world->slots[i].body);
  return bytes <= world->touch->saved_room;
}

typedef enum Going { SAVE, RESTORE, ADD_FORCES } Going;

static bool go(lbWorld *world, int level, Going what) {
  char *at = world->touch->saved[level], *spare = world->touch->saved[level + 1];
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < world->slot_count && !status; i++) {
    lbBody *body = world->slots[i].body;
    if (!body) continue;
    size_t bytes = lb_body_state_bytes(body);
    if (what == SAVE) status = lb_body_save_state(body, at, bytes);
    if (what == RESTORE) status = lb_body_restore_state(body, at, bytes);
    if (what == ADD_FORCES) status = lb_body_add_saved_forces(body, at, spare);
    at += bytes;
  }
  return status == LB_OK;
}

static void keep_colliders(lbWorld *world, int level) {
  for (int32_t i = 0; i < world->collider_count; i++) {
    lbWorldCollider *c = &world->colliders[i];
    c->kept[level] =
        (lbColliderMove){ c->position, c->end_position, c->rotation, c->end_rotation, c->moves };
  }
}

// Those that the caller moves go half of their way; paths lead the others.
static void lead_colliders(lbWorld *world, int level, bool second) {
  for (int32_t i = 0; i < world->collider_count; i++) {
    lbWorldCollider *c = &world->colliders[i];
    const lbColliderMove *kept = &c->kept[level];
    lbVec3 middle = lb_scale(0.5, lb_add(kept->position, kept->end_position));
    lbQuat turn = lb_quat_multiply(kept->end_rotation, lb_quat_conjugate(kept->rotation));
    turn = lb_quat_exp(lb_scale(0.5, lb_quat_log(turn)));
    if (!second) c->position = kept->position, c->rotation = kept->rotation;
    c->moves = kept->moves;
    c->end_position = second ? kept->end_position : middle;
    c->end_rotation = second ? kept->end_rotation : lb_quat_multiply(turn, kept->rotation);
  }
}

// ---- halves ------------------------------------------------------------------------------------

static bool prepare(lbWorld *world, int level) {
  if (!world->touch || level == LB_RETRIES || !is_possible(world)) return false;
  keep_colliders(world, level);
  lb_joints_save(world, level);
  return go(world, level, SAVE);
}

// Two parts of half the length, from what was kept before the whole one.
static int32_t take_halves(lbWorld *world, int level, lbWorldPart *take) {
  double begin = world->begin, h = world->h;
  int64_t steps = world->steps;
  if (!go(world, level, RESTORE)) return LB_STEP_NONFINITE;
  world->begin = begin + (double)(steps - 1) * h;
  world->steps = 0, world->h = 0.5 * h;
  world->touch->remembered_count = world->touch->asleep_count;
  lb_joints_restore(world, level);
  lead_colliders(world, level, false);
  int32_t flags = lb_retry_part(world, level + 1, take);
  (void)go(world, level, ADD_FORCES);
  lead_colliders(world, level, true);
  flags |= lb_retry_part(world, level + 1, take);
  world->begin = begin, world->steps = steps, world->h = h;
  for (int32_t i = 0; i < world->slot_count; i++) world->slots[i].flags |= LB_STEP_ADAPTED;
  return flags | LB_STEP_ADAPTED;
}

int32_t lb_retry_part(lbWorld *world, int level, lbWorldPart *take) {
  bool kept = prepare(world, level);
  if (world->touch) world->touch->may_retry = kept;
  int32_t flags = take(world);
  return kept && world->touch->missed ? take_halves(world, level, take) : flags;
}
