// Joints of a world: adding and reading them, and their memory.
#include "world/joint.h"

#include <string.h>

lbJointDef lb_joint_def(void) {
  return (lbJointDef){ .vertices = { -1, -1 }, .axis = { 0, 0, 1 }, .break_force = INFINITY };
}

// ---- ids ---------------------------------------------------------------------------------------

static lbStatus find(const lbWorld *world, lbJointId id, lbBodyJoint **out, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  uint64_t number = id & UINT32_MAX;
  const lbWorldJoints *joints = world->linked;
  lbBodyJoint *joint =
      joints && number > 0 && number <= (uint64_t)joints->count ? &joints->list[number - 1] : NULL;
  if (!joint || !joint->used || joint->generation != id >> 32)
    return lb_fail(err, LB_ERR_ARGUMENT, "the world has no joint with the id %llu (any more)",
                   (unsigned long long)id);
  *out = joint;
  return LB_OK;
}

// ---- checks ------------------------------------------------------------------------------------

static bool turns_or_slides(lbJointKind kind) {
  return kind == LB_JOINT_HINGE || kind == LB_JOINT_SLIDER;
}

static lbStatus check_body(const lbWorld *world, const lbJointDef *def, int side, lbError *err) {
  if (side == 1 && def->bodies[1] == 0) return LB_OK;
  const lbWorldSlot *slot = lb_world_slot(world, def->bodies[side]);
  if (!slot) return lb_world_refuse_id(def->bodies[side], err);
  if (!lb_touch_is_possible(slot->body))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "joint: body %d plays a recording or has no surface, which nothing holds", side);
  int32_t vertices = lb_body_model(slot->body)->size.vertex_count;
  if (def->vertices[side] >= vertices || def->vertices[side] < -1)
    return lb_fail(err, LB_ERR_ARGUMENT, "joint: vertex %d, the surface of body %d has %d",
                   (int)def->vertices[side], side, (int)vertices);
  for (int32_t i = 0; i < def->region_count && side == 0; i++)
    if (def->region[i] < 0 || def->region[i] >= vertices)
      return lb_fail(err, LB_ERR_ARGUMENT, "joint: region: vertex %d, the surface has %d",
                     (int)def->region[i], (int)vertices);
  return LB_OK;
}

static lbStatus check_numbers(const lbJointDef *def, lbError *err) {
  double length = lb_length(def->axis);
  bool sliding = turns_or_slides(def->kind);
  if (sliding && !(length > 1e-12 && length < LB_BODY_MOST))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "joint: its axis (%g, %g, %g) has zero or non-finite length", def->axis.x,
                   def->axis.y, def->axis.z);
  if (def->limited && !(def->limits[0] <= def->limits[1]))
    return lb_fail(err, LB_ERR_ARGUMENT, "joint: its limits are %g to %g; they must rise",
                   def->limits[0], def->limits[1]);
  if (def->limited && !sliding && def->kind != LB_JOINT_DISTANCE)
    return lb_fail(err, LB_ERR_ARGUMENT, "joint: hinges, sliders and distances have limits alone");
  if (!(def->motor_force >= 0 && def->motor_force <= LB_BODY_MOST) ||
      !lb_is_bounded(def->motor_speed))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "joint: its motor has the speed %g and the force %g, which must be 0 or more",
                   def->motor_speed, def->motor_force);
  if (def->motor_force > 0 && !sliding)
    return lb_fail(err, LB_ERR_ARGUMENT, "joint: hinges and sliders have motors alone");
  if (!(def->break_force > 0))
    return lb_fail(err, LB_ERR_ARGUMENT, "joint: break_force is %g; it must be above 0",
                   def->break_force);
  for (int i = 0; i < 2; i++)
    if (!lb_vec3_is_bounded(def->places[i]))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "joint: its place (%g, %g, %g) is not a number or beyond "
                     "%g",
                     def->places[i].x, def->places[i].y, def->places[i].z, LB_BODY_MOST);
  return LB_OK;
}

static lbStatus check(const lbWorld *world, const lbJointDef *def, lbError *err) {
  if ((int)def->kind < 0 || def->kind >= LB_JOINT_KIND_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "joint: there is no kind %d", (int)def->kind);
  if (def->bodies[0] == def->bodies[1])
    return lb_fail(err, LB_ERR_ARGUMENT, "joint: it joins a body to itself");
  if (def->region_count < 0 || (def->region_count > 0 && !def->region))
    return lb_refuse_null(err, "region");
  if (def->region_count > 0 && def->kind != LB_JOINT_WELD)
    return lb_fail(err, LB_ERR_ARGUMENT, "joint: a region is welded, by no other kind");
  lbStatus status = check_numbers(def, err);
  for (int side = 0; side < 2 && !status; side++) status = check_body(world, def, side, err);
  return status;
}

// ---- making ------------------------------------------------------------------------------------

static lbStatus make_end(const lbWorld *world, lbBodyId id, lbVec3 place, int32_t vertex,
                         bool alone, lbJointEnd *end, lbError *err) {
  const lbWorldSlot *slot = id ? lb_world_slot(world, id) : NULL;
  end->slot = slot ? (int32_t)(slot - world->slots) : -1;
  end->anchor = (lbAnchor){ .place = place, .rotation = { 0, 0, 0, 1 } };
  lbStatus status = LB_OK;
  if (slot) status = lb_anchor_make(&end->anchor, slot->body, place, vertex, err);
  if (!status && slot && vertex >= 0 && !alone) // about the vertex, with a rotation
    status = lb_anchor_make(&end->anchor, slot->body, end->anchor.place, -1, err);
  end->place_before = end->anchor.place;
  end->rotation_before = end->anchor.rotation;
  return status;
}

static lbStatus make_pair(const lbWorld *world, lbBodyJoint *j, lbError *err) {
  const lbJointDef *def = &j->def;
  bool alone = def->kind == LB_JOINT_POINT || def->kind == LB_JOINT_DISTANCE;
  lbJointEnd *a = &j->pairs[0][0], *b = &j->pairs[0][1];
  lbStatus status =
      make_end(world, def->bodies[0], def->places[0], def->vertices[0], alone, a, err);
  // A weld holds its ends as they are: at one place.
  bool weld = def->kind == LB_JOINT_WELD;
  if (!status)
    status = make_end(world, def->bodies[1], weld ? a->anchor.place : def->places[1],
                      weld ? -1 : def->vertices[1], alone, b, err);
  if (status) return status;
  lbVec3 way = lb_sub(a->anchor.place, b->anchor.place);
  j->offset = way;
  j->length = def->kind == LB_JOINT_DISTANCE ? lb_length(way) : lb_dot(def->axis, way);
  if (def->kind == LB_JOINT_DISTANCE && !(j->length > 0))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "joint: the points of a distance lie together; use the kind \"point\"");
  return LB_OK;
}

// Some of a region's vertices that lie apart, by their places at rest.
static int32_t choose_points(const lbModel *model, const lbJointDef *def, int32_t *chosen) {
  const double *at = model->vertex_positions;
  int32_t count = 0;
  while (count < LB_REGION_POINTS && count < def->region_count) {
    int32_t best = def->region[0];
    double farthest = count ? 0 : -1;
    for (int32_t i = 0; i < def->region_count && count; i++) {
      lbVec3 x = lb_vec3_load(at + 3 * (size_t)def->region[i]);
      double alone = INFINITY;
      for (int32_t k = 0; k < count; k++)
        alone = fmin(alone, lb_length(lb_sub(x, lb_vec3_load(at + 3 * (size_t)chosen[k]))));
      if (alone > farthest) farthest = alone, best = def->region[i];
    }
    if (farthest == 0) break; // they are all there
    chosen[count++] = best;
  }
  return count;
}

static lbStatus make_region(const lbWorld *world, const lbJointDef *def, lbBodyJoint *j,
                            lbError *err) {
  const lbModel *model = lb_body_model(lb_world_body(world, def->bodies[0]));
  int32_t chosen[LB_REGION_POINTS];
  lbStatus status = LB_OK;
  j->pair_count = choose_points(model, def, chosen);
  j->pairs = lb_alloc((size_t)j->pair_count, sizeof *j->pairs);
  if (!j->pairs) return lb_fail_memory(err);
  for (int32_t p = 0; p < j->pair_count && !status; p++) {
    lbJointEnd *ends = j->pairs[p];
    status = make_end(world, def->bodies[0], lb_vec3(0, 0, 0), chosen[p], true, &ends[0], err);
    if (!status)
      status = make_end(world, def->bodies[1], ends[0].anchor.place, -1, false, &ends[1], err);
  }
  return status;
}

static lbStatus make(const lbWorld *world, const lbJointDef *def, lbBodyJoint *j, lbError *err) {
  j->def = *def;
  j->def.region = NULL;
  if (turns_or_slides(def->kind)) j->def.axis = lb_normalise(def->axis);
  lbVec3 other = fabs(j->def.axis.x) < 0.6 ? lb_vec3(1, 0, 0) : lb_vec3(0, 1, 0);
  j->side = lb_normalise(lb_cross(other, j->def.axis));
  if (def->region_count > 0) return make_region(world, def, j, err);
  j->pair_count = 1;
  j->pairs = lb_alloc(1, sizeof *j->pairs);
  return j->pairs ? make_pair(world, j, err) : lb_fail_memory(err);
}

static void wake_ends(lbWorld *world, const lbBodyJoint *j) {
  for (int side = 0; side < 2; side++)
    if (j->pairs[0][side].slot >= 0) lb_sleep_wake(world, j->pairs[0][side].slot, true);
}

lbStatus lb_world_add_joint(lbWorld *world, const lbJointDef *def, lbJointId *id, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!def) return lb_refuse_null(err, "def");
  if (!id) return lb_refuse_null(err, "id");
  lbStatus status = check(world, def, err);
  if (status) return status;
  if (!world->linked) world->linked = lb_alloc(1, sizeof *world->linked);
  lbWorldJoints *joints = world->linked;
  if (!joints) return lb_fail_memory(err);
  int32_t at = 0;
  while (at < joints->count && joints->list[at].used) at++;
  if (!lb_grow((void **)&joints->list, &joints->room, (size_t)at + 1, sizeof *joints->list))
    return lb_fail_memory(err);
  if (at == joints->count) joints->list[joints->count++] = (lbBodyJoint){ 0 };
  lbBodyJoint *j = &joints->list[at];
  *j = (lbBodyJoint){ .generation = j->generation + 1 };
  status = make(world, def, j, err);
  j->used = !status;
  if (!status) status = lb_touch_reserve(world, err);
  if (!status) {
    wake_ends(world, j);
    *id = lb_world_id(at, j->generation);
    return LB_OK;
  }
  lb_free(j->pairs);
  *j = (lbBodyJoint){ .generation = j->generation - 1 };
  return status;
}

static bool is_of_body(const lbBodyJoint *j, lbBodyId id) {
  return j->def.bodies[0] == id || j->def.bodies[1] == id;
}

static void release_joint(lbWorld *world, lbBodyJoint *j) {
  wake_ends(world, j);
  lb_free(j->pairs);
  j->pairs = NULL;
}

lbStatus lb_world_remove_joint(lbWorld *world, lbJointId id, lbError *err) {
  lbBodyJoint *j = NULL;
  lbStatus status = find(world, id, &j, err);
  if (status) return status;
  j->used = false;
  status = lb_touch_reserve(world, err);
  j->used = status != LB_OK;
  if (!status) release_joint(world, j);
  return status;
}

lbStatus lb_joints_forget_body(lbWorld *world, lbBodyId id, lbError *err) {
  int32_t count = world->linked ? world->linked->count : 0, found = 0;
  lbBodyJoint *list = count > 0 ? world->linked->list : NULL;
  for (int32_t i = 0; i < count; i++) {
    list[i].leaves = list[i].used && is_of_body(&list[i], id);
    list[i].used = list[i].used && !list[i].leaves;
    found += list[i].leaves;
  }
  lbStatus status = found > 0 ? lb_touch_reserve(world, err) : LB_OK;
  for (int32_t i = 0; i < count; i++) {
    if (list[i].leaves && status) list[i].used = true;
    if (list[i].leaves && !status) release_joint(world, &list[i]);
  }
  return status;
}

lbStatus lb_world_joint(const lbWorld *world, lbJointId id, lbJointReport *out, lbError *err) {
  lbBodyJoint *j = NULL;
  lbStatus status = find(world, id, &j, err);
  if (status) return status;
  if (!out) return lb_refuse_null(err, "out");
  *out = (lbJointReport){ .broken = j->now.broken };
  if (j->now.broken) return LB_OK;
  out->force = j->now.force, out->torque = j->now.torque;
  for (int32_t p = 0; p < j->pair_count; p++)
    out->place = lb_add_scaled(out->place, 1.0 / j->pair_count, j->pairs[p][0].anchor.place);
  out->position = j->now.position, out->error = j->now.error;
  return LB_OK;
}

lbStatus lb_world_set_motor(lbWorld *world, lbJointId id, double speed, double force,
                            lbError *err) {
  lbBodyJoint *j = NULL;
  lbStatus status = find(world, id, &j, err);
  if (status) return status;
  lbJointDef def = j->def;
  def.motor_speed = speed, def.motor_force = force;
  status = check_numbers(&def, err);
  if (status) return status;
  bool more = (j->def.motor_force > 0) != (force > 0);
  lbJointDef before = j->def;
  j->def = def;
  status = more ? lb_touch_reserve(world, err) : LB_OK;
  if (status)
    j->def = before;
  else if (speed != before.motor_speed || force != before.motor_force)
    wake_ends(world, j);
  return status;
}

bool lb_joints_part(const lbWorld *world, int32_t a, int32_t b) {
  const lbWorldJoints *joints = world->linked;
  for (int32_t o = 0; joints && o < joints->ordered; o++) {
    const lbBodyJoint *j = &joints->list[joints->order[o]];
    int32_t one = j->pairs[0][0].slot, other = j->pairs[0][1].slot;
    if (!j->def.collide && !j->now.broken && ((one == a && other == b) || (one == b && other == a)))
      return true;
  }
  return false;
}

void lb_joints_save(lbWorld *world) {
  for (int32_t i = 0; world->linked && i < world->linked->count; i++)
    world->linked->list[i].start = world->linked->list[i].now;
}

void lb_joints_restore(lbWorld *world) {
  for (int32_t i = 0; world->linked && i < world->linked->count; i++) {
    lbBodyJoint *j = &world->linked->list[i];
    if (j->used && !lb_joint_stays(world, j)) j->now = j->start;
  }
}

// ---- memory ------------------------------------------------------------------------------------

static void release_memory(lbWorldJoints *joints) {
  void *const blocks[] = {
    joints->bodies,        joints->body_of_slot,  joints->order,        joints->row_begin,
    joints->most_rows,     joints->rows,          joints->numbers,      joints->A,
    joints->factor_memory, joints->factor_order,  joints->right,        joints->x,
    joints->other,         joints->used,          joints->coupling,     joints->sides,
    joints->parts,         joints->merged,        joints->place_counts, joints->merged_memory,
    joints->free_before,   joints->forces_before, joints->spare,        joints->ends,
    joints->struck
  };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  *joints = (lbWorldJoints){ .count = joints->count, .room = joints->room, .list = joints->list };
}

void lb_joints_destroy(lbWorldJoints *joints) {
  if (!joints) return;
  for (int32_t i = 0; i < joints->count; i++) lb_free(joints->list[i].pairs);
  release_memory(joints);
  lb_free(joints->list);
  lb_free(joints);
}

static int32_t rows_of(const lbBodyJoint *j) {
  const lbJointDef *def = &j->def;
  int32_t extra = (def->limited ? 2 : 0) + 1; // a motor may come later
  switch (def->kind) {
  case LB_JOINT_HINGE:
  case LB_JOINT_SLIDER: return 5 + extra;
  case LB_JOINT_WELD: return j->pair_count > 1 ? 3 * j->pair_count : 6;
  case LB_JOINT_DISTANCE: return def->limited ? 2 : 1;
  default: return 3;
  }
}

static int32_t root_of(const int32_t *parents, int32_t body) {
  while (parents[body] != body) body = parents[body];
  return body;
}

static bool is_held(const lbBodyJoint *j) { return j->used; } // a broken one may be restored

// Numbers the jointed bodies in the order of their slots, and their components likewise.
static bool number_bodies(const lbWorld *world, lbWorldJoints *joints) {
  size_t slots = (size_t)world->slot_count;
  int32_t *parents = lb_alloc(slots, sizeof *parents), *numbers = lb_alloc(slots, sizeof *numbers);
  joints->body_of_slot = lb_alloc(slots, sizeof *joints->body_of_slot);
  joints->bodies = lb_alloc(slots, sizeof *joints->bodies);
  bool made = parents && numbers && joints->body_of_slot && joints->bodies;
  for (int32_t i = 0; made && i < world->slot_count; i++) {
    parents[i] = i;
    joints->body_of_slot[i] = numbers[i] = -1;
  }
  for (int32_t i = 0; made && i < joints->count; i++) {
    const lbBodyJoint *j = &joints->list[i];
    if (!is_held(j)) continue;
    int32_t a = j->pairs[0][0].slot, b = j->pairs[0][1].slot;
    joints->body_of_slot[a] = 0;
    if (b < 0) continue;
    joints->body_of_slot[b] = 0;
    a = root_of(parents, a), b = root_of(parents, b);
    parents[a > b ? a : b] = a > b ? b : a;
  }
  for (int32_t i = 0; made && i < world->slot_count; i++) {
    if (joints->body_of_slot[i] < 0) continue;
    int32_t root = root_of(parents, i);
    if (numbers[root] < 0) numbers[root] = joints->component_count++;
    joints->body_of_slot[i] = joints->body_count;
    joints->bodies[joints->body_count++] = (lbJointed){ .slot = i, .component = numbers[root] };
  }
  lb_free(parents);
  lb_free(numbers);
  return made;
}

// Where the lines of the ends of the joints in `order` are among those of the bodies.
static void number_ends(lbWorldJoints *joints) {
  for (int32_t i = 0; i < joints->body_count; i++) joints->bodies[i].basis_count = 0;
  for (int32_t o = 0; o < joints->ordered; o++) {
    lbBodyJoint *j = &joints->list[joints->order[o]];
    for (int32_t e = 0; e < 2 * j->pair_count; e++) {
      lbJointEnd *end = &j->pairs[e / 2][e % 2];
      end->joint = joints->order[o];
      end->body = end->slot < 0 ? -1 : joints->body_of_slot[end->slot];
      if (end->body < 0) continue;
      end->basis = joints->bodies[end->body].basis_count;
      joints->bodies[end->body].basis_count += lb_anchor_axes(&end->anchor);
    }
  }
}

// Joints by component, and how many rows they have.
static lbStatus order_joints(lbWorldJoints *joints, lbError *err) {
  joints->order = lb_alloc((size_t)joints->count, sizeof *joints->order);
  joints->most_rows = lb_alloc((size_t)joints->component_count, sizeof *joints->most_rows);
  joints->row_begin = lb_alloc((size_t)joints->component_count + 1, sizeof *joints->row_begin);
  if (!joints->order || !joints->most_rows || !joints->row_begin) return lb_fail_memory(err);
  for (int32_t c = 0; c < joints->component_count; c++)
    for (int32_t i = 0; i < joints->count; i++) {
      lbBodyJoint *j = &joints->list[i];
      if (!is_held(j)) continue;
      int32_t first = joints->body_of_slot[j->pairs[0][0].slot];
      if (joints->bodies[first].component != c) continue;
      joints->order[joints->ordered++] = i;
      joints->most_rows[c] += rows_of(j);
    }
  number_ends(joints);
  return LB_OK;
}

// The ends of each body, one after another.
static bool list_ends(lbWorldJoints *joints) {
  int32_t count = 0;
  for (int32_t o = 0; o < joints->ordered; o++)
    count += 2 * joints->list[joints->order[o]].pair_count;
  joints->ends = lb_alloc((size_t)count, sizeof *joints->ends);
  count = 0;
  for (int32_t i = 0; joints->ends && i < joints->body_count; i++) {
    joints->bodies[i].first_end = count;
    for (int32_t o = 0; o < joints->ordered; o++) {
      lbBodyJoint *j = &joints->list[joints->order[o]];
      for (int32_t e = 0; e < 2 * j->pair_count; e++)
        if (j->pairs[e / 2][e % 2].body == i) joints->ends[count++] = &j->pairs[e / 2][e % 2];
    }
    joints->bodies[i].end_count = count - joints->bodies[i].first_end;
  }
  return joints->ends != NULL;
}

static lbStatus count_rows(lbWorldJoints *joints, lbError *err) {
  for (int32_t c = 0; c < joints->component_count; c++) {
    joints->row_room += joints->most_rows[c];
    if (joints->most_rows[c] > joints->row_most) joints->row_most = joints->most_rows[c];
    if (joints->most_rows[c] > LB_JOINT_ROWS)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "joint: more than %d rows of joints hang together (a point has 3, a hinge 5, "
                     "a weld 6)",
                     LB_JOINT_ROWS);
  }
  return LB_OK;
}

static size_t place_numbers(const lbWorld *world, lbWorldJoints *joints, double *at) {
  size_t used = 0;
  for (int32_t i = 0; i < joints->body_count; i++) {
    lbJointed *body = &joints->bodies[i];
    size_t n = (size_t)body->basis_count;
    size_t padded = (size_t)lb_body_row_length(world->slots[body->slot].body);
    double **blocks[] = { &body->lines, &body->moved, &body->G, &body->C };
    const size_t sizes[] = { n * padded, n * padded, n * n, 3 * LB_BODY_CONTACTS * n };
    for (int k = 0; k < 4; k++) {
      if (at) *blocks[k] = at + used;
      used += (sizes[k] + 7) / 8 * 8;
    }
  }
  return used;
}

// The most contact points that the bodies of a component can have: those of each body, and two for
// each contact of the world.
static int32_t most_places(const lbWorld *world, const lbWorldJoints *joints, int32_t component) {
  int64_t most = 0, contacts = world->settings.contacts_most;
  for (int32_t i = 0; i < joints->body_count; i++)
    most += joints->bodies[i].component == component ? LB_BODY_CONTACTS : 0;
  if (!world->settings.contact) most = 0;
  return (int32_t)(most < 2 * contacts ? most : 2 * contacts);
}

static bool make_memory(const lbWorld *world, lbWorldJoints *joints) {
  int32_t largest = joints->row_most, contacts = world->settings.contacts_most;
  size_t merged = 0, rows = (size_t)joints->row_room, components = (size_t)joints->component_count;
  for (int32_t c = 0; c < joints->component_count; c++) {
    size_t places = 3 * (size_t)most_places(world, joints, c);
    merged += places * places + 3 * places;
    if (places > joints->coordinate_most) joints->coordinate_most = places;
  }
  size_t n = (size_t)largest;
  joints->contact_room = contacts, joints->part_room = world->slot_count;
  joints->numbers = lb_alloc(place_numbers(world, joints, NULL), sizeof(double));
  joints->rows = lb_alloc(rows, sizeof *joints->rows);
  joints->A = lb_alloc(n * n, sizeof(double));
  joints->factor_memory = lb_alloc(lb_row_factor_room(largest), sizeof(double));
  joints->factor_order = lb_alloc(n, sizeof(int32_t));
  joints->right = lb_alloc(n, sizeof(double));
  joints->x = lb_alloc(n, sizeof(double));
  joints->other = lb_alloc(n, sizeof(double));
  joints->used = lb_alloc(n, sizeof(bool));
  joints->coupling = lb_alloc(2 * joints->coordinate_most * n, sizeof(double));
  joints->sides = lb_alloc(2 * (size_t)contacts, sizeof *joints->sides);
  joints->parts = lb_alloc((size_t)world->slot_count, sizeof *joints->parts);
  joints->merged = lb_alloc(components, sizeof *joints->merged);
  joints->place_counts = lb_alloc(components, sizeof *joints->place_counts);
  joints->struck = lb_alloc(2 * n, sizeof *joints->struck);
  joints->merged_memory = lb_alloc(merged, sizeof(double));
  joints->free_before = lb_alloc(3 * (size_t)contacts, sizeof(double));
  joints->forces_before = lb_alloc(3 * (size_t)contacts, sizeof(double));
  joints->spare = lb_alloc(joints->coordinate_most, sizeof(double));
  bool made = joints->numbers && joints->rows && joints->A && joints->factor_memory &&
              joints->factor_order && joints->right && joints->x && joints->other && joints->used &&
              joints->coupling && joints->sides && joints->parts && joints->merged &&
              joints->place_counts && joints->merged_memory && joints->free_before &&
              joints->forces_before && joints->spare && joints->struck;
  if (!made) return false;
  place_numbers(world, joints, joints->numbers);
  double *at = joints->merged_memory;
  for (int32_t c = 0; c < joints->component_count; c++) {
    size_t places = 3 * (size_t)most_places(world, joints, c);
    joints->merged[c] = at;
    at += places * places + 3 * places;
  }
  return true;
}

lbStatus lb_joints_prepare(const lbWorld *world, lbWorldJoints *next, lbError *err) {
  const lbWorldJoints *now = world->linked;
  if (!now) return LB_OK;
  *next = (lbWorldJoints){ .count = now->count, .room = now->room, .list = now->list };
  if (!number_bodies(world, next)) return lb_fail_memory(err);
  lbStatus status = order_joints(next, err);
  if (!status) status = count_rows(next, err);
  if (!status && !(list_ends(next) && make_memory(world, next))) status = lb_fail_memory(err);
  return status;
}

void lb_joints_adopt(lbWorld *world, lbWorldJoints *next, bool keep) {
  if (!world->linked) return;
  release_memory(keep ? world->linked : next);
  if (keep)
    *world->linked = *next;
  else
    number_ends(world->linked);
}
