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
