// All that a body remembers, as bytes: header, q, v, force, the method's own numbers, slots of
// constraints, constrained points, force points with their last forces, up to the room there is:
// the number of bytes never changes. What follows from these (weights, rows, systems) is worked out
// again, by the same operations. Numbers are as this machine stores them: such bytes are for going
// back in time, not for files that travel.
#include "body/constraints.h"
#include "body/point.h"
#include "body/hand_rows.h"
#include "body/response.h"

#include <string.h>

enum { STATE_VERSION = 6 };

static const char state_magic[8] = { 'l', 'b', 's', 't', 'a', 't', 'e', 0 };

typedef struct SavedHeader {
  char magic[8];
  int32_t version, dimension;
  uint64_t identity; // of model, damping and integrator
  double time, step, created, led, gravity[3];
  double position[3], rotation[4], velocity[3], spin[3], momentum[3], angular[3];
  double force[3], torque[3], last_force[3], last_torque[3];
  double goal[13]; // position, rotation, velocity, spin
  int32_t frame_kind, driven;
  int32_t slot_count, point_count, force_count;
  int32_t consistent; // 1: the accelerations belong to q and v
  int32_t returns_to_rest, unused;
} SavedHeader;

typedef struct SavedSlot {
  int32_t generation, used, kind, point_count, force_count, unused;
  double stiffness, damping;
} SavedSlot;

typedef struct SavedPoint {
  int32_t kind, index, slot, axes;
  double weights[8], target[3]; // of a force point: its last force
  double move[3];               // of the target since the last step
} SavedPoint;

// ---- saving ------------------------------------------------------------------------------------

// Bodies with the same value go the same way from the same state.
static uint64_t identity(const lbBody *body) {
  const double damping[2] = { body->damping_mass, body->damping_stiffness };
  const int32_t choices[3] = { (int32_t)body->integrator, body->newton_iterations,
                               body->frame.decoupled };
  uint64_t hash = lb_hash(body->prepared->hash, damping, sizeof damping);
  return lb_hash(hash, choices, sizeof choices);
}

// q, v, force, and the method's own.
static int64_t number_count(const lbBody *body) {
  return 3 * (int64_t)body->prepared->padded + lb_method_numbers(body->prepared);
}

size_t lb_body_state_bytes(const lbBody *body) {
  if (!body) return 0;
  size_t room = (size_t)body->constraint_room;
  return sizeof(SavedHeader) + (size_t)number_count(body) * sizeof(double) +
         room * sizeof(SavedSlot) + 2 * room * sizeof(SavedPoint);
}

static char *put(char *to, const void *bytes, size_t count) {
  memcpy(to, bytes, count);
  return to + count;
}

static void put_frame(const lbFrame *frame, double goal[13]) {
  const lbQuat *q = &frame->rotation;
  const double rotation[4] = { q->x, q->y, q->z, q->w };
  lb_vec3_store(goal, frame->position);
  memcpy(goal + 3, rotation, sizeof rotation);
  lb_vec3_store(goal + 7, frame->linear_velocity);
  lb_vec3_store(goal + 10, frame->angular_velocity);
}

static SavedHeader make_header(const lbBody *body) {
  static const lbConstraints nothing;
  const lbConstraints *c = body->constraints ? body->constraints : &nothing;
  const lbFrameState *f = &body->frame;
  SavedHeader header = { .version = STATE_VERSION,
                         .dimension = body->prepared->dimension,
                         .identity = identity(body),
                         .time = body->time,
                         .step = body->h,
                         .created = f->created,
                         .led = body->led,
                         .returns_to_rest = body->returns_to_rest,
                         .rotation = { f->rotation.x, f->rotation.y, f->rotation.z, f->rotation.w },
                         .frame_kind = (int32_t)f->kind,
                         .driven = f->driven,
                         .slot_count = body->constraint_room,
                         .point_count = c->point_count,
                         .force_count = c->force_count,
                         .consistent = body->consistent };
  memcpy(header.magic, state_magic, sizeof header.magic);
  lb_vec3_store(header.gravity, body->gravity);
  lb_vec3_store(header.position, f->position);
  lb_vec3_store(header.velocity, f->velocity);
  lb_vec3_store(header.spin, f->spin);
  lb_vec3_store(header.momentum, f->momentum);
  lb_vec3_store(header.angular, f->angular);
  lb_vec3_store(header.force, f->force);
  lb_vec3_store(header.torque, f->torque);
  lb_vec3_store(header.last_force, f->last_force);
  lb_vec3_store(header.last_torque, f->last_torque);
  if (f->driven) put_frame(&f->goal, header.goal);
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

static void put_constraints(char *to, const lbConstraints *c) {
  for (int32_t i = 0; i < c->room; i++) {
    const lbConstraintSlot *slot = &c->slots[i];
    SavedSlot saved = { .generation = slot->generation,
                        .used = slot->used,
                        .kind = (int32_t)slot->kind,
                        .point_count = slot->point_count,
                        .force_count = slot->force_count,
                        .stiffness = slot->stiffness,
                        .damping = slot->damping };
    to = put(to, &saved, sizeof saved);
  }
  for (int32_t i = 0; i < c->point_count; i++) {
    SavedPoint saved =
        make_point(&c->points[i], c->point_slots[i], c->axes[i], c->targets + 3 * (size_t)i);
    memcpy(saved.move, c->moves + 3 * (size_t)i, sizeof saved.move);
    to = put(to, &saved, sizeof saved);
  }
  for (int32_t i = 0; i < c->force_count; i++) {
    SavedPoint saved = make_point(&c->force_points[i], c->force_slots[i], c->force_axes[i],
                                  c->forces + 3 * (size_t)i);
    to = put(to, &saved, sizeof saved);
  }
}

// What lies behind the last point is not looked at, so it is left as it is.
lbStatus lb_body_keep_state(const lbBody *body, void *bytes) {
  const lbPrepared *p = body->prepared;
  size_t row = (size_t)p->padded * sizeof(double);
  lbScratch *s = lb_scratch_borrow(p);
  if (!s) return LB_ERR_MEMORY;
  SavedHeader header = make_header(body);
  char *to = put(bytes, &header, sizeof header);
  p->method->get(body, s->a, s->b, s->c);
  to = put(put(put(to, s->a, row), s->b, row), s->c, row);
  p->method->save(body, s->numbers);
  to = put(to, s->numbers, (size_t)lb_method_numbers(p) * sizeof(double));
  if (body->constraints)
    put_constraints(to, body->constraints);
  else
    memset(to, 0, (size_t)body->constraint_room * sizeof(SavedSlot));
  lb_scratch_return(p, s);
  return LB_OK;
}

lbStatus lb_body_save_state(const lbBody *body, void *bytes, size_t byte_count) {
  if (!body || !bytes) return LB_ERR_ARGUMENT;
  size_t needed = lb_body_state_bytes(body);
  if (byte_count < needed) return LB_ERR_ARGUMENT;
  memset(bytes, 0, needed);
  return lb_body_keep_state(body, bytes);
}

// Forces that act in the next step, as they were in one state, into another one.
static bool copy_forces(const lbBody *body, const char *from, char *to) {
  size_t row = (size_t)body->prepared->padded * sizeof(double);
  const size_t places[][2] = { { offsetof(SavedHeader, force), 6 * sizeof(double) },
                               { sizeof(SavedHeader) + 2 * row, row } };
  bool other = false;
  for (int i = 0; i < 2; i++) {
    other |= memcmp(to + places[i][0], from + places[i][0], places[i][1]) != 0;
    memcpy(to + places[i][0], from + places[i][0], places[i][1]);
  }
  return other;
}

lbStatus lb_body_add_saved_forces(lbBody *body, const void *saved, void *work) {
  size_t bytes = lb_body_state_bytes(body);
  lbStatus status = lb_body_save_state(body, work, bytes);
  if (status || !copy_forces(body, saved, work)) return status;
  return lb_body_restore_state(body, work, bytes);
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

static double number_at(const Saved *saved, int64_t i) {
  double x;
  memcpy(&x, saved->numbers + (size_t)i * sizeof x, sizeof x);
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
  if (header->dimension != body->prepared->dimension || header->identity != identity(body))
    return refuse(body, "saved by a body of another model, or with other damping or modes");
  if (header->frame_kind != (int32_t)body->frame.kind)
    return refuse(body, "saved by a body with another kind of frame");
  if (header->slot_count != body->constraint_room || count != lb_body_state_bytes(body))
    return refuse(body, "saved with other constrained_points, or its length is wrong");
  if (header->point_count < 0 || header->point_count > header->slot_count ||
      header->force_count < 0 || header->force_count > header->slot_count)
    return refuse(body, "more constraints than constrained_points has room for");
  saved->numbers = bytes + sizeof *header;
  saved->slots = saved->numbers + (size_t)number_count(body) * sizeof(double);
  saved->points = saved->slots + (size_t)header->slot_count * sizeof(SavedSlot);
  return LB_OK;
}

static bool is_unit(const double r[4]) {
  return fabs(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] - 1) <= 1e-12;
}

static bool are_bounded(const double *vectors, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    if (!lb_is_bounded(vectors[i])) return false;
  return true;
}

static lbStatus check_numbers(const lbBody *body, const Saved *saved) {
  const SavedHeader *h = &saved->header;
  if (!(h->time >= 0 && isfinite(h->time) && h->step >= 0 && h->step <= LB_TIME_STEP_MOST) ||
      !lb_is_bounded(h->created) || !(h->led >= 0 && h->led < 1))
    return refuse(body, "its time is not a time");
  if (!is_unit(h->rotation)) return refuse(body, "its rotation is not of unit length");
  if (!are_bounded(h->position, 3)) return refuse(body, "its position is not a number or absurd");
  if (!are_bounded(h->velocity, 3) || !are_bounded(h->spin, 3) || !are_bounded(h->momentum, 3) ||
      !are_bounded(h->angular, 3) || !are_bounded(h->force, 3) || !are_bounded(h->torque, 3) ||
      !are_bounded(h->last_force, 3) || !are_bounded(h->last_torque, 3))
    return refuse(body, "the motion of its frame is not a number or absurd");
  if (h->driven < 0 || h->driven > LB_DRIVE_BY_PLACES ||
      (h->driven && !(are_bounded(h->goal, 13) && is_unit(h->goal + 3))))
    return refuse(body, "where its frame is driven to is not a place");
  // A state may be beyond LB_BODY_MOST, where a force beside it brought it; not at infinity.
  for (int64_t i = 0; i < number_count(body); i++)
    if (!(fabs(number_at(saved, i)) <= LB_BODY_MOST * LB_BODY_MOST))
      return refuse(body, "a coordinate, rate or force is not a number or absurd");
  return LB_OK;
}

static lbStatus check_points(const lbBody *body, const Saved *saved) {
  const SavedHeader *header = &saved->header;
  for (int32_t i = 0; i < header->point_count + header->force_count; i++) {
    SavedPoint at = point_at(saved, i);
    lbPoint point = make_plain(&at);
    lbStatus status =
        lb_point_check(body->prepared->model, &point, "state: constraint", body->message);
    if (status) return status;
    if (at.slot < 0 || at.slot >= header->slot_count || at.axes < 1 || at.axes > 7)
      return refuse(body, "a constrained point is broken");
    if (!lb_vec3_is_bounded(lb_vec3_load(at.target)) || !lb_vec3_is_bounded(lb_vec3_load(at.move)))
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
        slot.generation > INT32_MAX / LB_CONSTRAINED_MOST - 1 || slot.used >> 1 ||
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
  c->count = c->step.rank = 0;
  c->listed = false;
  for (int32_t i = 0; i < c->room; i++) {
    SavedSlot slot = slot_at(saved, i);
    c->slots[i] = (lbConstraintSlot){ .generation = slot.generation,
                                      .used = slot.used,
                                      .kind = (lbConstraintKind)slot.kind,
                                      .point_count = slot.point_count,
                                      .force_count = slot.force_count,
                                      .stiffness = slot.stiffness,
                                      .damping = slot.damping };
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
    lb_constraints_fill_point(c, body, i);
    memcpy(c->moves + 3 * (size_t)i, point.move, sizeof point.move);
  }
  for (int32_t i = 0; i < c->force_count; i++) {
    SavedPoint point = point_at(saved, c->point_count + i);
    c->force_points[i] = make_plain(&point);
    c->force_slots[i] = point.slot;
    c->force_axes[i] = (uint8_t)point.axes;
    memcpy(c->forces + 3 * (size_t)i, point.target, sizeof point.target);
    lb_constraints_fill_force_point(c, body, i);
  }
}

static lbQuat quat_of(const double *r) { return lb_quat(r[0], r[1], r[2], r[3]); }

static void restore_frame(lbBody *body, const SavedHeader *h) {
  lbFrameState *f = &body->frame;
  f->position = lb_vec3_load(h->position);
  f->rotation = quat_of(h->rotation);
  f->turn = lb_quat_to_mat3(f->rotation);
  f->velocity = lb_vec3_load(h->velocity), f->spin = lb_vec3_load(h->spin);
  f->momentum = lb_vec3_load(h->momentum), f->angular = lb_vec3_load(h->angular);
  f->force = lb_vec3_load(h->force), f->torque = lb_vec3_load(h->torque);
  f->last_force = lb_vec3_load(h->last_force), f->last_torque = lb_vec3_load(h->last_torque);
  f->driven = h->driven;
  f->created = h->created;
  f->goal = (lbFrame){ lb_vec3_load(h->goal), quat_of(h->goal + 3), lb_vec3_load(h->goal + 7),
                       lb_vec3_load(h->goal + 10) };
}

// scratch->numbers <- the method's own.
static lbStatus refit(lbBody *body, const Saved *saved, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const char *own = saved->numbers + 3 * (size_t)p->padded * sizeof(double);
  memcpy(s->numbers, own, (size_t)lb_method_numbers(p) * sizeof(double));
  return p->method->refit(body, s->numbers);
}

static void restore_numbers(lbBody *body, const Saved *saved, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  size_t row = (size_t)p->padded * sizeof(double);
  memcpy(s->a, saved->numbers, row);
  memcpy(s->b, saved->numbers + row, row);
  memcpy(s->c, saved->numbers + 2 * row, row);
  p->method->put(body, s->a, s->b, s->c);
  p->method->restore(body, s->numbers);
}

lbStatus lb_body_restore_state(lbBody *body, const void *bytes, size_t byte_count) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!bytes) return lb_refuse_null(body->message, "bytes");
  Saved saved;
  lb_touch_abandon(body);
  lbStatus status = open_saved(body, bytes, byte_count, &saved);
  if (!status) status = check_numbers(body, &saved);
  if (!status) status = check_points(body, &saved);
  if (!status) status = check_slots(body, &saved);
  bool constrained = !status && (saved.header.point_count > 0 || body->constraints);
  if (constrained) status = lb_constraints_make(body);
  if (status) return status;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return lb_fail_memory(body->message);
  lbVec3 gravity = lb_vec3_load(saved.header.gravity);
  lbMat3 turn = lb_quat_to_mat3(quat_of(saved.header.rotation));
  status = refit(body, &saved, scratch);
  if (status) {
    lb_scratch_return(body->prepared, scratch);
    return status;
  }
  if (lb_frame_weigh(body, gravity, turn, scratch)) {
    body->gravity = gravity;
    restore_frame(body, &saved.header);
    restore_numbers(body, &saved, scratch);
    body->consistent = saved.header.consistent != 0;
    body->led = saved.header.led, body->returns_to_rest = saved.header.returns_to_rest != 0;
    body->time = saved.header.time;
    body->h = saved.header.step;
    if (constrained) restore_constraints(body, &saved);
    if (lb_body_is_touched(body)) lb_contacts_clear(body);
  } else
    status = refuse(body, "its gravity is absurd");
  lb_scratch_return(body->prepared, scratch);
  return status;
}
