// All that a world remembers, as bytes: header, then for each body its id and its own bytes
// (lb_body_save_state). Numbers are as this machine stores them: for going back in time, not for
// files that travel.
#include "world/world.h"

#include "body/body.h"

#include <string.h>

#define STATE_VERSION 1

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
  int32_t started, flags;
} SavedBody;

size_t lb_world_state_bytes(const lbWorld *world) {
  if (!world) return 0;
  size_t bytes = sizeof(SavedWorld);
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
                        .h = world->h,
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
                       .flags = slot->flags };
    memcpy(to, &body, sizeof body);
    to += sizeof body;
    status = lb_body_save_state(slot->body, to, (size_t)body.byte_count);
    if (status) lb_fail_memory(err); // there is room for it
    to += body.byte_count;
  }
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
  return LB_OK;
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
    from += body.byte_count;
  }
  return status;
}

static void restore_clock(lbWorld *world, const SavedWorld *h) {
  world->begin = h->begin;
  world->h = h->h;
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
