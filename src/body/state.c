// All that a body remembers, as bytes: header, q, v, force (and accelerations, where the method
// has them), slots of constraints, constrained points, force points with their last forces. What
// follows from these (steady forces, rows, the pseudo-inverse) is worked out again, by the same
// operations. Numbers are as this machine stores them: such bytes are for going back in time, not
// for files that travel.
#include "body/constraints.h"
#include "body/point.h"

#include <string.h>

#define STATE_VERSION 2

static const char state_magic[8] = { 'l', 'b', 's', 't', 'a', 't', 'e', 0 };

typedef struct SavedHeader {
  char magic[8];
  int32_t version, dimension;
  uint64_t identity; // of model and damping
  double time, position[3], rotation[4], gravity[3];
  int32_t slot_count, point_count, force_count;
  int32_t consistent; // 1: the accelerations belong to q and v
} SavedHeader;

typedef struct SavedSlot {
  int32_t generation, used, held, kind, point_count, force_count;
  double stiffness, damping;
} SavedSlot;

typedef struct SavedPoint {
  int32_t kind, index, slot, axes;
  double weights[8], target[3]; // of a force point: its last force
} SavedPoint;

// ---- saving ------------------------------------------------------------------------------------

uint64_t lb_hash(uint64_t hash, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) // FNV-1a
    hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

// Bodies with the same value go the same way from the same state.
static uint64_t identity(const lbBodyCommon *common) {
  const lbModelSizes *size = &common->model->size;
  const int32_t counts[] = { (int32_t)common->method->method,
                             size->node_count,
                             size->vertex_count,
                             size->triangle_count,
                             size->tet_count,
                             size->brick_count };
  const double damping[2] = { common->damping_mass, common->damping_stiffness };
  uint64_t hash = lb_hash(UINT64_C(0xcbf29ce484222325), counts, sizeof counts);
  hash = lb_hash(hash, damping, sizeof damping);
  if (common->kept) hash = lb_hash(hash, common->kept, (size_t)common->dimension * sizeof(int32_t));
  return common->method->identify(common, hash);
}

// q, v, force and perhaps a.
static int32_t array_count(const lbBody *body) {
  return body->common->method->keeps_acceleration ? 4 : 3;
}

static size_t bytes_of(int64_t numbers, int64_t slots, int64_t points, int64_t forces) {
  return sizeof(SavedHeader) + (size_t)numbers * sizeof(double) +
         (size_t)slots * sizeof(SavedSlot) + (size_t)(points + forces) * sizeof(SavedPoint);
}

size_t lb_body_state_bytes(const lbBody *body) {
  const lbConstraints *c = body->constraints;
  return bytes_of((int64_t)array_count(body) * body->common->dimension, c->room, c->point_count,
                  c->force_count);
}

static char *put(char *to, const void *bytes, size_t count) {
  memcpy(to, bytes, count);
  return to + count;
}

static SavedHeader make_header(const lbBody *body) {
  const lbConstraints *c = body->constraints;
  SavedHeader header = { .version = STATE_VERSION,
                         .dimension = body->common->dimension,
                         .identity = identity(body->common),
                         .time = lb_body_time(body),
                         .rotation = { body->rotation.x, body->rotation.y, body->rotation.z,
                                       body->rotation.w },
                         .slot_count = c->room,
                         .point_count = c->point_count,
                         .force_count = c->force_count,
                         .consistent = lb_body_is_consistent(body) };
  memcpy(header.magic, state_magic, sizeof header.magic);
  lb_vec3_store(header.position, body->position);
  lb_vec3_store(header.gravity, body->gravity);
  return header;
}

static SavedPoint make_point(const lbPoint *point, int32_t slot, int32_t axes,
                             const double *target) {
  SavedPoint saved = {
    .kind = (int32_t)point->kind, .index = point->index, .slot = slot, .axes = axes
  };
  memcpy(saved.weights, point->weights, sizeof saved.weights);
  memcpy(saved.target, target, sizeof saved.target);
  return saved;
}

static char *put_constraints(char *to, const lbConstraints *c) {
  for (int32_t i = 0; i < c->room; i++) {
    const lbConstraintSlot *slot = &c->slots[i];
    SavedSlot saved = { slot->generation,  slot->used,        slot->held,      (int32_t)slot->kind,
                        slot->point_count, slot->force_count, slot->stiffness, slot->damping };
    to = put(to, &saved, sizeof saved);
  }
  for (int32_t i = 0; i < c->point_count; i++) {
    SavedPoint saved =
        make_point(&c->points[i], c->point_slots[i], c->axes[i], c->targets + 3 * (size_t)i);
    to = put(to, &saved, sizeof saved);
  }
  for (int32_t i = 0; i < c->force_count; i++) {
    SavedPoint saved = make_point(&c->force_points[i], c->force_slots[i], c->force_axes[i],
                                  c->forces + 3 * (size_t)i);
    to = put(to, &saved, sizeof saved);
  }
  return to;
}

void lb_body_save_state(const lbBody *body, void *bytes) {
  const lbInstances *instances = body->instances;
  const double *const arrays[4] = { instances->q, instances->v, instances->force, instances->a };
  SavedHeader header = make_header(body);
  char *to = put(bytes, &header, sizeof header);
  for (int a = 0; a < array_count(body); a++)
    for (int32_t i = 0; i < body->common->dimension; i++)
      to = put(to, &arrays[a][lb_body_at(body, i)], sizeof(double));
  put_constraints(to, body->constraints);
}

// ---- checking ----------------------------------------------------------------------------------

// Where the parts lie in the bytes, which need not be aligned.
typedef struct Saved {
  SavedHeader header;
  const char *numbers, *slots, *points; // force points follow the points
} Saved;

static SavedSlot slot_at(const Saved *saved, int32_t i) {
  SavedSlot slot;
  memcpy(&slot, saved->slots + (size_t)i * sizeof slot, sizeof slot);
  return slot;
}

static SavedPoint point_at(const Saved *saved, int32_t i) {
  SavedPoint point;
  memcpy(&point, saved->points + (size_t)i * sizeof point, sizeof point);
  return point;
}

static double number_at(const Saved *saved, int32_t array, int32_t i) {
  double x;
  size_t at = (size_t)array * (size_t)saved->header.dimension + (size_t)i;
  memcpy(&x, saved->numbers + at * sizeof x, sizeof x);
  return x;
}

static lbPoint make_plain(const SavedPoint *saved) {
  lbPoint point = { .kind = (lbPointKind)saved->kind, .index = saved->index };
  memcpy(point.weights, saved->weights, sizeof point.weights);
  return point;
}

static lbStatus refuse(const lbBody *body, const char *why) {
  return lb_fail(body->message, LB_ERR_FORMAT, "state: %s", why);
}

static lbStatus open_saved(const lbBody *body, const char *bytes, size_t count, Saved *saved) {
  SavedHeader *header = &saved->header;
  if (count < sizeof *header) return refuse(body, "too short to be one");
  memcpy(header, bytes, sizeof *header);
  if (memcmp(header->magic, state_magic, sizeof state_magic) != 0)
    return refuse(body, "not made by lb_body_save_state");
  if (header->version != STATE_VERSION)
    return refuse(body, "made by another version of the library");
  if (header->dimension != body->common->dimension || header->identity != identity(body->common))
    return refuse(body, "saved by a body of another model, or with other damping or modes");
  int32_t room = body->constraints->room;
  if (header->slot_count < 0 || header->slot_count > room || header->point_count < 0 ||
      header->point_count > header->slot_count || header->force_count < 0 ||
      header->force_count > header->slot_count)
    return refuse(body, "more constraints than constrained_points has room for");
  int64_t numbers = (int64_t)array_count(body) * header->dimension;
  if (count != bytes_of(numbers, header->slot_count, header->point_count, header->force_count))
    return refuse(body, "its length is wrong");
  saved->numbers = bytes + sizeof *header;
  saved->slots = saved->numbers + (size_t)numbers * sizeof(double);
  saved->points = saved->slots + (size_t)header->slot_count * sizeof(SavedSlot);
  return LB_OK;
}

static lbStatus check_numbers(const lbBody *body, const Saved *saved) {
  const SavedHeader *header = &saved->header;
  const double *r = header->rotation;
  double norm = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
  if (!(header->time >= 0 && isfinite(header->time))) return refuse(body, "its time is none");
  if (!(fabs(norm - 1) <= 1e-12)) return refuse(body, "its rotation is none");
  if (!lb_vec3_is_bounded(lb_vec3_load(header->position)))
    return refuse(body, "its position is none");
  // A state may be beyond LB_BODY_MOST, where a force beside it brought it; not at infinity.
  for (int32_t a = 0; a < array_count(body); a++)
    for (int32_t i = 0; i < header->dimension; i++)
      if (!(fabs(number_at(saved, a, i)) <= LB_BODY_MOST * LB_BODY_MOST))
        return refuse(body, "a coordinate, rate or force is not a number or absurd");
  return LB_OK;
}

static lbStatus check_points(const lbBody *body, const Saved *saved) {
  const SavedHeader *header = &saved->header;
  for (int32_t i = 0; i < header->point_count + header->force_count; i++) {
    SavedPoint at = point_at(saved, i);
    bool constrained = i < header->point_count;
    lbPoint point = make_plain(&at);
    lbStatus status =
        lb_point_check(body->common->model, &point, "state: constraint", body->message);
    if (status) return status;
    if (at.slot < 0 || at.slot >= header->slot_count || at.axes < constrained || at.axes > 7)
      return refuse(body, "a constrained point is broken");
    if (!lb_vec3_is_bounded(lb_vec3_load(at.target)))
      return refuse(body, "a constraint's target is not a number or absurd");
  }
  return LB_OK;
}

// A spring pulls where and along what it constrains: its points come in pairs.
static bool spring_is_whole(const Saved *saved, int32_t slot) {
  const SavedHeader *header = &saved->header;
  int32_t force = header->point_count, all = header->point_count + header->force_count;
  for (int32_t p = 0; p < header->point_count; p++) {
    if (point_at(saved, p).slot != slot) continue;
    while (force < all && point_at(saved, force).slot != slot) force++;
    if (force == all || point_at(saved, force++).axes != point_at(saved, p).axes) return false;
  }
  return slot_at(saved, slot).kind == LB_CONSTRAIN_POSITION;
}

// Each slot has as many points as it says.
static lbStatus check_slots(const lbBody *body, const Saved *saved) {
  const SavedHeader *header = &saved->header;
  for (int32_t i = 0; i < header->slot_count; i++) {
    SavedSlot slot = slot_at(saved, i);
    int32_t points = 0, forces = 0;
    for (int32_t p = 0; p < header->point_count + header->force_count; p++)
      if (point_at(saved, p).slot == i) *(p < header->point_count ? &points : &forces) += 1;
    bool whole = slot.used ? points >= 1 && forces >= 1 : points == 0 && forces == 0;
    if (slot.used && isfinite(slot.stiffness))
      whole = whole && points == forces && spring_is_whole(saved, i);
    if (!whole || points != slot.point_count || forces != slot.force_count || slot.kind < 0 ||
        slot.kind > LB_CONSTRAIN_ACCELERATION || slot.generation < 0 ||
        slot.generation > INT32_MAX / LB_CONSTRAINED_MOST - 1 || (slot.used | slot.held) >> 1 ||
        !(slot.stiffness >= 0 && slot.damping >= 0 && lb_is_bounded(slot.damping)) ||
        !(isinf(slot.stiffness) || lb_is_bounded(slot.stiffness)))
      return refuse(body, "a constraint is broken");
  }
  return LB_OK;
}

// ---- restoring ---------------------------------------------------------------------------------

static void restore_constraints(lbBody *body, const Saved *saved) {
  lbConstraints *c = body->constraints;
  const SavedHeader *header = &saved->header;
  body->instances->constrained -= c->count;
  c->count = c->rank = 0;
  c->fresh = false;
  for (int32_t i = 0; i < c->room; i++) {
    SavedSlot slot = { 0 };
    if (i < header->slot_count) slot = slot_at(saved, i);
    c->slots[i] =
        (lbConstraintSlot){ slot.generation,  slot.used,        slot.held,      slot.kind,
                            slot.point_count, slot.force_count, slot.stiffness, slot.damping };
    c->count += slot.used;
  }
  c->point_count = header->point_count;
  c->force_count = header->force_count;
  for (int32_t i = 0; i < c->point_count; i++) {
    SavedPoint point = point_at(saved, i);
    c->points[i] = make_plain(&point);
    c->point_slots[i] = point.slot;
    c->axes[i] = (uint8_t)point.axes;
    memcpy(c->targets + 3 * (size_t)i, point.target, sizeof point.target);
    lb_constraints_fill_point(c, body->common, i);
  }
  for (int32_t i = 0; i < c->force_count; i++) {
    SavedPoint point = point_at(saved, c->point_count + i);
    c->force_points[i] = make_plain(&point);
    c->force_slots[i] = point.slot;
    c->force_axes[i] = (uint8_t)point.axes;
    memcpy(c->forces + 3 * (size_t)i, point.target, sizeof point.target);
    lb_constraints_fill_force_point(c, body->common, i);
  }
  body->instances->constrained += c->count;
}

lbStatus lb_body_restore_state(lbBody *body, const void *bytes, size_t byte_count) {
  Saved saved;
  lbInstances *instances = body->instances;
  lbStatus status = open_saved(body, bytes, byte_count, &saved);
  if (!status) status = check_numbers(body, &saved);
  if (!status) status = check_points(body, &saved);
  if (!status) status = check_slots(body, &saved);
  if (status) return status;
  const double *r = saved.header.rotation;
  lbQuat rotation = lb_quat(r[0], r[1], r[2], r[3]);
  lbMat3 turn = lb_quat_to_mat3(rotation);
  lbVec3 gravity = lb_vec3_load(saved.header.gravity);
  if (!lb_body_set_steady(body, gravity, turn)) return refuse(body, "its gravity is absurd");
  body->position = lb_vec3_load(saved.header.position);
  body->rotation = rotation;
  body->turn = turn;
  body->gravity = gravity;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    size_t at = lb_body_at(body, i);
    instances->q[at] = number_at(&saved, 0, i);
    instances->v[at] = number_at(&saved, 1, i);
    instances->force[at] = number_at(&saved, 2, i);
    if (instances->a) instances->a[at] = number_at(&saved, 3, i);
  }
  lb_body_disturb(body);
  if (instances->consistent && saved.header.consistent)
    instances->consistent[body->lane] = body->common->subspace.edition;
  instances->times[body->lane] = saved.header.time;
  instances->forced = instances->touched = true;
  restore_constraints(body, &saved);
  return LB_OK;
}
