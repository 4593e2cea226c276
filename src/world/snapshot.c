// All that a world remembers, as bytes: header, then for each body its id and its own bytes
// (lb_body_save_state), then where colliders are, the contacts of the last step, and joints.
// Numbers are as this machine stores them: for going back in time, not for files that travel.
#include "world/joint.h"

#include <string.h>

#define STATE_VERSION 4

static const char state_magic[8] = { 'l', 'b', 'w', 'o', 'r', 'l', 'd', 0 };

typedef struct SavedWorld {
  char magic[8];
  int32_t version, body_count;
  uint64_t byte_count;
  double begin, h, gravity[3];
  int64_t steps;
} SavedWorld;

typedef struct SavedBody {
  uint64_t id, byte_count;
  int32_t started, flags, asleep, sleep_group;
  double rest, push;
  uint64_t print;
  lbRestPoints rest_points;
} SavedBody;

typedef struct SavedCollider {
  uint64_t id;
  double position[3], rotation[4], end_position[3], end_rotation[4];
  int32_t moves;
} SavedCollider;

typedef struct SavedJoint {
  uint64_t id;
  double position, error, force[3], torque[3];
  int32_t broken, unused;
} SavedJoint;

static int32_t joint_count(const lbWorld *world) {
  int32_t count = 0;
  for (int32_t i = 0; world->linked && i < world->linked->count; i++)
    count += world->linked->list[i].used;
  return count;
}

static size_t touch_bytes(const lbWorld *world) {
  size_t bytes = (size_t)joint_count(world) * sizeof(SavedJoint);
  for (int32_t i = 0; i < world->collider_count; i++)
    if (world->colliders[i].solid) bytes += sizeof(SavedCollider);
  if (world->touch)
    bytes += sizeof(int64_t) +
             (size_t)world->touch->contact_room * (sizeof(lbRememberedContact) + sizeof(lbContact));
  return bytes;
}

size_t lb_world_state_bytes(const lbWorld *world) {
  if (!world) return 0;
  size_t bytes = sizeof(SavedWorld) + touch_bytes(world);
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].body)
      bytes += sizeof(SavedBody) + lb_body_state_bytes(world->slots[i].body);
  return bytes;
}

static lbStatus check_size(const lbWorld *world, size_t byte_count, lbError *err) {
  size_t needed = lb_world_state_bytes(world);
  if (byte_count >= needed) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "state of the world: it needs %llu bytes, there are %llu",
                 (unsigned long long)needed, (unsigned long long)byte_count);
}

static void store_quat(double to[4], lbQuat q) {
  to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
}
static lbQuat quat_at(const double *q) { return lb_quat(q[0], q[1], q[2], q[3]); }

static char *save_joints(const lbWorld *world, char *to) {
  for (int32_t i = 0; world->linked && i < world->linked->count; i++) {
    const lbBodyJoint *j = &world->linked->list[i];
    if (!j->used) continue;
    SavedJoint saved = { .id = lb_world_id(i, j->generation),
                         .position = j->now.position,
                         .error = j->now.error,
                         .broken = j->now.broken };
    lb_vec3_store(saved.force, j->now.force), lb_vec3_store(saved.torque, j->now.torque);
    memcpy(to, &saved, sizeof saved);
    to += sizeof saved;
  }
  return to;
}

static void save_touch(const lbWorld *world, char *to) {
  for (int32_t i = 0; i < world->collider_count; i++) {
    const lbWorldCollider *c = &world->colliders[i];
    if (!c->solid) continue;
    SavedCollider saved = { .id = lb_world_id(i, c->generation), .moves = c->moves };
    lb_vec3_store(saved.position, c->position);
    lb_vec3_store(saved.end_position, c->end_position);
    store_quat(saved.rotation, c->rotation);
    store_quat(saved.end_rotation, c->end_rotation);
    memcpy(to, &saved, sizeof saved);
    to += sizeof saved;
  }
  to = save_joints(world, to);
  if (!world->touch) return;
  int64_t count = world->touch->remembered_count;
  memcpy(to, &count, sizeof count);
  size_t remembered = (size_t)count * sizeof(lbRememberedContact);
  memcpy(to += sizeof count, world->touch->remembered, remembered);
  memcpy(to + remembered, world->touch->reports, (size_t)count * sizeof(lbContact));
}

static const char *restore_joints(lbWorld *world, const char *from) {
  for (int32_t i = 0; world->linked && i < world->linked->count; i++) {
    lbBodyJoint *j = &world->linked->list[i];
    SavedJoint saved;
    if (!j->used) continue;
    memcpy(&saved, from, sizeof saved);
    from += sizeof saved;
    j->now.position = saved.position, j->now.error = saved.error;
    j->now.force = lb_vec3_load(saved.force), j->now.torque = lb_vec3_load(saved.torque);
    j->now.broken = saved.broken != 0;
  }
  return from;
}

// Nothing of it can do harm: numbers that match no candidate are never used.
static void restore_touch(lbWorld *world, const char *from) {
  for (int32_t i = 0; i < world->collider_count; i++) {
    lbWorldCollider *c = &world->colliders[i];
    SavedCollider saved;
    if (!c->solid) continue;
    memcpy(&saved, from, sizeof saved);
    from += sizeof saved;
    c->position = lb_vec3_load(saved.position), c->rotation = quat_at(saved.rotation);
    c->end_position = lb_vec3_load(saved.end_position);
    c->end_rotation = quat_at(saved.end_rotation);
    c->moves = saved.moves != 0;
  }
  from = restore_joints(world, from);
  if (!world->touch) return;
  int64_t count;
  memcpy(&count, from, sizeof count);
  size_t remembered = (size_t)count * sizeof(lbRememberedContact);
  world->touch->remembered_count = (int32_t)count;
  memcpy(world->touch->remembered, from += sizeof count, remembered);
  memcpy(world->touch->reports, from + remembered, (size_t)count * sizeof(lbContact));
  for (int32_t i = 0; i < world->slot_count; i++) world->touch->reaches[i] = 0; // found anew
  lb_touch_sum_up(world);
}

static bool is_placed(const double position[3], const double rotation[4]) {
  lbQuat turn = quat_at(rotation);
  return lb_check_placement(lb_vec3_load(position), &turn, NULL) == LB_OK;
}

lbStatus lb_world_save_state(const lbWorld *world, void *bytes, size_t byte_count, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!bytes) return lb_refuse_null(err, "bytes");
  lbStatus status = check_size(world, byte_count, err);
  if (status) return status;
  char *to = bytes;
  SavedWorld header = { .version = STATE_VERSION,
                        .body_count = world->living,
                        .byte_count = lb_world_state_bytes(world),
                        .begin = world->begin,
                        .h = world->length,
                        .steps = world->steps };
  memcpy(header.magic, state_magic, sizeof header.magic);
  lb_vec3_store(header.gravity, world->settings.gravity);
  memcpy(to, &header, sizeof header);
  to += sizeof header;
  for (int32_t i = 0; i < world->slot_count && !status; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    if (!slot->body) continue;
    SavedBody body = { .id = lb_world_id(i, slot->generation),
                       .byte_count = lb_body_state_bytes(slot->body),
                       .started = slot->started,
                       .flags = slot->flags,
                       .asleep = slot->asleep,
                       .sleep_group = slot->sleep_group,
                       .rest = slot->rest,
                       .push = slot->push,
                       .print = slot->print,
                       .rest_points = slot->rest_points };
    memcpy(to, &body, sizeof body);
    to += sizeof body;
    status = lb_body_save_state(slot->body, to, (size_t)body.byte_count);
    if (status) lb_fail_memory(err); // there is room for it
    to += body.byte_count;
  }
  if (!status) save_touch(world, to);
  return status;
}

// ---- restoring ---------------------------------------------------------------------------------

static lbStatus refuse(const char *why, lbError *err) {
  return lb_fail(err, LB_ERR_ARGUMENT, "state of the world: %s", why);
}

static lbStatus check_header(const lbWorld *world, const SavedWorld *h, lbError *err) {
  if (memcmp(h->magic, state_magic, sizeof state_magic) != 0)
    return refuse("these bytes are not one", err);
  if (h->version != STATE_VERSION)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "state of the world: it has version %d, this library has %d", (int)h->version,
                   STATE_VERSION);
  if (h->byte_count != lb_world_state_bytes(world) || h->body_count != world->living)
    return refuse("it is of a world with other bodies", err);
  bool sane = lb_is_bounded(h->begin) && h->steps >= 0 &&
              (h->h == 0 ? h->steps == 0 : lb_time_step_is_legal(h->h));
  if (!sane || !lb_vec3_is_bounded(lb_vec3_load(h->gravity)))
    return refuse("its time or gravity is not a number or absurd", err);
  return LB_OK;
}

static lbStatus check_joints(const lbWorld *world, const char **from, lbError *err) {
  for (int32_t i = 0; world->linked && i < world->linked->count; i++) {
    const lbBodyJoint *j = &world->linked->list[i];
    SavedJoint saved;
    if (!j->used) continue;
    memcpy(&saved, *from, sizeof saved);
    *from += sizeof saved;
    if (saved.id != lb_world_id(i, j->generation))
      return refuse("it is of a world with other joints", err);
    if (!lb_is_bounded(saved.position)) return refuse("a joint's position is absurd", err);
  }
  return LB_OK;
}

static lbStatus check_touch(const lbWorld *world, const char *from, lbError *err) {
  for (int32_t i = 0; i < world->collider_count; i++) {
    const lbWorldCollider *c = &world->colliders[i];
    SavedCollider saved;
    if (!c->solid) continue;
    memcpy(&saved, from, sizeof saved);
    from += sizeof saved;
    if (saved.id != lb_world_id(i, c->generation))
      return refuse("it is of a world with other colliders", err);
    if (!is_placed(saved.position, saved.rotation) ||
        !is_placed(saved.end_position, saved.end_rotation))
      return refuse("a collider's placement is not a number or absurd", err);
  }
  lbStatus status = check_joints(world, &from, err);
  if (status || !world->touch) return status;
  int64_t count;
  memcpy(&count, from, sizeof count);
  if (count < 0 || count > world->touch->contact_room)
    return refuse("its number of contacts is absurd", err);
  from += sizeof count;
  for (int64_t i = 0; i < count; i++) {
    lbRememberedContact contact;
    memcpy(&contact, from + (size_t)i * sizeof contact, sizeof contact);
    for (int k = 0; k < 3; k++)
      if (!lb_is_bounded(contact.forces[k]) || !lb_is_bounded(contact.torque[k]))
        return refuse("a contact's force is not a number or absurd", err);
  }
  return LB_OK;
}

static lbStatus check_bodies(const lbWorld *world, const char *from, lbError *err) {
  from += sizeof(SavedWorld);
  for (int32_t i = 0; i < world->slot_count; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    SavedBody body;
    if (!slot->body) continue;
    memcpy(&body, from, sizeof body);
    if (body.id != lb_world_id(i, slot->generation) ||
        body.byte_count != lb_body_state_bytes(slot->body))
      return refuse("it is of a world with other bodies", err);
    from += sizeof body + body.byte_count;
  }
  return check_touch(world, from, err);
}

static lbStatus restore_bodies(lbWorld *world, const char *from, lbError *err) {
  lbStatus status = LB_OK;
  from += sizeof(SavedWorld);
  for (int32_t i = 0; i < world->slot_count && !status; i++) {
    lbWorldSlot *slot = &world->slots[i];
    SavedBody body;
    if (!slot->body) continue;
    memcpy(&body, from, sizeof body);
    from += sizeof body;
    status = lb_body_restore_state(slot->body, from, (size_t)body.byte_count);
    if (status) lb_fail(err, status, "state of the world: %s", lb_body_message(slot->body));
    slot->started = body.started != 0;
    slot->flags = body.flags;
    slot->asleep = body.asleep != 0 && world->touch;
    lb_body_set_asleep(slot->body, slot->asleep);
    bool known = body.sleep_group >= -1 && body.sleep_group < world->slot_count;
    slot->sleep_group = known ? body.sleep_group : i;
    slot->rest = isfinite(body.rest) ? body.rest : 0;
    slot->push = body.push, slot->print = body.print;
    slot->rest_points = body.rest_points;
    if (body.rest_points.count != 0) lb_sleep_choose_points(slot->body, &slot->rest_points);
    slot->made_of = lb_body_shared(slot->body);
    from += body.byte_count;
  }
  if (!status) restore_touch(world, from);
  return status;
}

static void restore_clock(lbWorld *world, const SavedWorld *h) {
  world->begin = h->begin;
  world->length = h->h;
  world->steps = h->steps;
  world->settings.gravity = lb_vec3_load(h->gravity);
}

// A body may refuse its bytes after others have taken theirs: what there was is kept until all
// have.
lbStatus lb_world_restore_state(lbWorld *world, const void *bytes, size_t byte_count,
                                lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!bytes) return lb_refuse_null(err, "bytes");
  SavedWorld header;
  if (byte_count < sizeof header) return check_size(world, byte_count, err);
  memcpy(&header, bytes, sizeof header);
  lbStatus status = check_header(world, &header, err);
  if (!status) status = check_size(world, byte_count, err);
  if (!status) status = check_bodies(world, bytes, err);
  if (status) return status;
  size_t needed = lb_world_state_bytes(world);
  char *before = lb_alloc(needed, 1);
  if (!before) return lb_fail_memory(err);
  status = lb_world_save_state(world, before, needed, err);
  if (!status && (status = restore_bodies(world, bytes, err)) != LB_OK)
    (void)restore_bodies(world, before, NULL);
  else if (!status)
    restore_clock(world, &header);
  lb_free(before);
  return status;
}
