// Steps whose contacts did not end where they were to: islands in which that happened take them
// again in halves, while all others are done with theirs.
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

// ---- who takes its step again ------------------------------------------------------------------

// The island of a body: of all places where bodies could have touched (lb_sleep_group), whether
// these pushed or not, since in shorter parts others may. -1: it does not move in this part.
static int32_t group_of(const lbWorld *world, int32_t slot) {
  const lbWorldSlot *at = &world->slots[slot];
  return lb_slot_stays(world, at) ? -1 : at->sleep_group;
}

// Marks the islands of all jointed bodies; or tells whether one of them is marked.
static bool mark_jointed(const lbWorld *world, int32_t *marks, bool all) {
  bool any = false;
  for (int32_t i = 0; lb_joints_hold_any(world) && i < world->linked->body_count; i++) {
    int32_t group = group_of(world, world->linked->bodies[i].slot);
    if (group >= 0 && all) marks[group] = 1;
    any |= group >= 0 && marks[group];
  }
  return any;
}

// Jointed bodies are taken as one: what joints tell is told of a whole part.
static bool halve_marked(lbWorld *world, int32_t *marks) {
  bool any = false;
  if (mark_jointed(world, marks, false)) mark_jointed(world, marks, true);
  for (int32_t i = 0; i < world->slot_count; i++) {
    int32_t group = group_of(world, i);
    if (group < 0 || !marks[group]) continue;
    world->slots[i].halvings++;
    any = true;
  }
  return any;
}

// In place of the numbers of contacts that were found, which are done with.
static int32_t *clear_marks(const lbWorld *world) {
  int32_t *marks = world->touch->counts;
  memset(marks, 0, (size_t)world->slot_count * sizeof *marks);
  return marks;
}

bool lb_retry_mark(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  int32_t *marks = clear_marks(world);
  if (!touch->may_retry) return false;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    if (!ends_far(world, c)) continue;
    const lbContactSide *sides = touch->sides + 2 * (size_t)c;
    int32_t toucher = sides[0].body >= 0 ? sides[0].body : sides[1].body;
    marks[group_of(world, touch->touchers[toucher].slot)] = 1;
  }
  if (lb_joints_come_apart(world, FAR, TURNED)) mark_jointed(world, marks, true);
  return halve_marked(world, marks);
}

bool lb_retry_mark_risen(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  int32_t *marks = clear_marks(world);
  if (!touch->energy_noted) return false;
  if (!touch->may_retry) { // as short as it gets
    lb_energy_take_back(world);
    return false;
  }
  for (int32_t i = 0; i < touch->island_count; i++) {
    if (!lb_energy_rose(world, i)) continue;
    for (int32_t t = 0; t < touch->toucher_count; t++)
      if (touch->touchers[t].island == i) marks[group_of(world, touch->touchers[t].slot)] = 1;
  }
  return halve_marked(world, marks);
}

// ---- states ------------------------------------------------------------------------------------

static size_t state_bytes(const lbWorldSlot *slot) {
  return slot->body ? lb_body_state_bytes(slot->body) : 0;
}

static size_t all_state_bytes(const lbWorld *world) {
  size_t bytes = 0;
  for (int32_t i = 0; i < world->slot_count; i++) bytes += state_bytes(&world->slots[i]);
  return bytes;
}

void lb_retry_reserve(lbReservation *r, const lbWorld *world, lbWorldTouch *touch) {
  size_t bytes = all_state_bytes(world);
  lb_reserve(r, &touch->saved_begin, (size_t)world->slot_count + 1, sizeof *touch->saved_begin);
  for (int level = 0; level <= LB_RETRIES && bytes > touch->saved_room; level++)
    lb_reserve(r, &touch->saved[level], bytes, 1);
}

void lb_retry_set_room(const lbWorld *world, lbWorldTouch *touch) {
  size_t bytes = 0;
  for (int32_t i = 0; i <= world->slot_count; i++) {
    touch->saved_begin[i] = bytes;
    if (i < world->slot_count) bytes += state_bytes(&world->slots[i]);
  }
  if (bytes > touch->saved_room) touch->saved_room = bytes;
}

// A step whose bodies cannot all be brought back is not taken again.
static void keep(lbWorld *world, int32_t i) {
  lbWorldTouch *touch = world->touch;
  lbWorldSlot *slot = &world->slots[i];
  if (slot->kept || lb_slot_stays(world, slot)) return;
  size_t bytes = lb_body_state_bytes(slot->body), begin = touch->saved_begin[i];
  slot->kept = bytes <= touch->saved_begin[i + 1] - begin &&
               lb_body_keep_state(slot->body, touch->saved[world->halvings] + begin) == LB_OK;
  if (!slot->kept) touch->may_retry = false;
}

static void keep_body(lbWorld *world, lbBodyId id) {
  const lbWorldSlot *slot = lb_world_slot(world, id);
  if (slot) keep(world, (int32_t)(slot - world->slots));
}

void lb_retry_keep_led(lbWorld *world) {
  if (!world->touch) return;
  for (int32_t i = 0; i < world->slot_count; i++) world->slots[i].kept = false;
  if (!world->touch->may_retry) return;
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].path) keep(world, i);
  for (int32_t i = 0; i < world->load_count; i++)
    if (world->loads[i].used) keep_body(world, world->loads[i].load.body);
  for (int32_t i = 0; i < world->attachment_count; i++)
    if (world->attachments[i].used) keep_body(world, world->attachments[i].def.body);
  for (int32_t i = 0; i < world->joint_count; i++) keep_body(world, world->joints[i].body);
}

// In the shortest parts too, for what must go back (energy.c).
void lb_retry_keep_touchers(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t t = 0; t < touch->toucher_count; t++) keep(world, touch->touchers[t].slot);
}

// Bodies that take their step again are as they were; or have the forces that they had then.
static bool go_back(lbWorld *world, int level, bool forces) {
  const lbWorldTouch *touch = world->touch;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < world->slot_count && !status; i++) {
    if (world->slots[i].halvings <= level) continue;
    lbBody *body = world->slots[i].body;
    const char *from = touch->saved[level] + touch->saved_begin[i];
    char *spare = touch->saved[level + 1] + touch->saved_begin[i];
    status = forces ? lb_body_add_saved_forces(body, from, spare)
                    : lb_body_restore_state(body, from, lb_body_state_bytes(body));
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

// All bodies move in each part.
static bool is_possible(const lbWorld *world) {
  for (int32_t i = 0; i < world->group_count; i++)
    if (world->groups[i].every > 1) return false;
  return true;
}

static void prepare(lbWorld *world, int level) {
  world->touch->missed = false;
  world->touch->may_retry = level < LB_RETRIES && is_possible(world);
  if (!world->touch->may_retry) return;
  keep_colliders(world, level);
  lb_joints_save(world, level);
}

// From now on parts are of those that were halved so often.
static void set_level(lbWorld *world, int level) {
  world->halvings = level;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (slot->halvings > level) slot->halvings = level, slot->flags |= LB_STEP_ADAPTED;
    if (slot->body) slot->body->done = slot->halvings < level;
  }
}

// Whether jointed bodies are among those that take their step again.
static bool jointed_missed(const lbWorld *world, int level) {
  for (int32_t i = 0; lb_joints_hold_any(world) && i < world->linked->body_count; i++)
    if (world->slots[world->linked->bodies[i].slot].halvings > level) return true;
  return false;
}

// Two parts of half the length for those who missed, from what was kept before the whole one.
static int32_t take_halves(lbWorld *world, int level, lbWorldPart *take) {
  double begin = world->begin, h = world->h;
  int64_t steps = world->steps;
  int32_t flags = LB_STEP_ADAPTED;
  if (jointed_missed(world, level)) lb_joints_restore(world, level);
  if (go_back(world, level, false)) {
    set_level(world, level + 1);
    world->begin = begin + (double)(steps - 1) * h;
    world->steps = 0, world->h = 0.5 * h;
    lead_colliders(world, level, false);
    flags |= lb_retry_part(world, level + 1, take);
    (void)go_back(world, level, true);
    lead_colliders(world, level, true);
    flags |= lb_retry_part(world, level + 1, take);
    world->begin = begin, world->steps = steps, world->h = h;
  } else {
    flags |= LB_STEP_NONFINITE;
  }
  set_level(world, level);
  return flags;
}

int32_t lb_retry_part(lbWorld *world, int level, lbWorldPart *take) {
  if (world->touch) prepare(world, level);
  int32_t flags = take(world);
  return world->touch && world->touch->missed ? flags | take_halves(world, level, take) : flags;
}
