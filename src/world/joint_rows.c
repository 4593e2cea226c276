// The rows of joints: directions along which their ends may not move against each other.
#include "world/joint.h"

#include "math/functions.h"

#define DRAWN 1.0  // m/s: points that are apart come together no faster
#define TURNED 4.0 // rad/s: the same of rotations
#define APART 0.25 // of the smaller body's radius: what is farther apart
#define ASKEW 0.5  // rad: or is turned farther
#define PULL 300.0 // m/s²: is pulled no harder than all bodies of its set would be by this

// ---- ends --------------------------------------------------------------------------------------

typedef struct Ends {
  const lbBodyJoint *joint;
  const lbJointEnd *a, *b;
  int32_t number, pair;
} Ends;

static lbVec3 turned(const lbJointEnd *end, lbVec3 v) {
  return lb_quat_rotate(end->anchor.rotation, v);
}

// What is left of an error when the step is done: it is taken back as fast as `rate` allows.
static lbVec3 remains(lbVec3 error, double rate) {
  double size = lb_length(error);
  return size > rate ? lb_scale(1 - rate / size, error) : lb_vec3(0, 0, 0);
}

static lbVec3 rotation_between(lbQuat a, lbQuat b) {
  return lb_quat_log(lb_quat_multiply(a, lb_quat_conjugate(b)));
}

// Of the axis of a hinge on one end against that on the other.
static lbVec3 tilt_between(lbVec3 axis, lbQuat a, lbQuat b) {
  return lb_cross(lb_quat_rotate(b, axis), lb_quat_rotate(a, axis));
}

static void sides_of(lbVec3 axis, lbVec3 sides[2]) {
  lbVec3 other = fabs(axis.x) < 0.6 ? lb_vec3(1, 0, 0) : lb_vec3(0, 1, 0);
  sides[0] = lb_normalise(lb_cross(other, axis));
  sides[1] = lb_cross(axis, sides[0]);
}

// ---- positions ---------------------------------------------------------------------------------

// The turn of a against b about the hinge's axis, next to the last one.
static double angle_of(const lbBodyJoint *j, lbQuat a, lbQuat b, double last) {
  lbVec3 axis = lb_quat_rotate(b, j->def.axis);
  lbVec3 of_a = lb_quat_rotate(a, j->side), of_b = lb_quat_rotate(b, j->side);
  double angle = lb_atan2(lb_dot(axis, lb_cross(of_b, of_a)), lb_dot(of_b, of_a));
  return angle + 2 * LB_PI * round((last - angle) / (2 * LB_PI));
}

static double position_of(const Ends *e, bool before) {
  const lbBodyJoint *j = e->joint;
  lbQuat a = before ? e->a->rotation_before : e->a->anchor.rotation;
  lbQuat b = before ? e->b->rotation_before : e->b->anchor.rotation;
  lbVec3 from = before ? e->b->place_before : e->b->anchor.place;
  lbVec3 to = before ? e->a->place_before : e->a->anchor.place;
  if (j->def.kind == LB_JOINT_HINGE) return angle_of(j, a, b, j->now.position);
  if (j->def.kind == LB_JOINT_SLIDER)
    return lb_dot(lb_quat_rotate(b, j->def.axis), lb_sub(to, from)) - j->length;
  return lb_length(lb_sub(to, from)) - j->length;
}

// ---- rows --------------------------------------------------------------------------------------

static lbJointRow *add_row(lbWorldJoints *joints, const Ends *e, int32_t *count, lbVec3 axis,
                           bool turns, double free) {
  lbJointRow *row = &joints->rows[(*count)++], before = *row;
  *row = (lbJointRow){ .joint = e->number,
                       .pair = e->pair,
                       .turns = turns,
                       .axis = axis,
                       .points = { e->a->anchor.place, e->a->anchor.place },
                       .free = free,
                       .low = -INFINITY,
                       .high = INFINITY,
                       .force_max = INFINITY };
  if (joints->again) row->force = before.force;
  return row;
}

// m: of the smaller body at a joint. Worlds without contacts do not keep it.
static double radius_at(const lbWorld *world, const Ends *e) {
  double radius = lb_touch_sphere(world->slots[e->a->slot].body).radius;
  if (e->b->slot < 0) return radius;
  return fmin(radius, lb_touch_sphere(world->slots[e->b->slot].body).radius);
}

static double mass_of(const lbWorld *world, int32_t component) {
  const lbWorldJoints *joints = world->linked;
  double sum = 0;
  for (int32_t i = 0; i < joints->body_count; i++)
    if (joints->bodies[i].component == component)
      sum += world->slots[joints->bodies[i].slot].body->prepared->mass;
  return sum;
}

// Where forces that hold two points together act: half-way between them, so that neither body gains
// angular momentum; on the body's own point where the other is the world's, which may be far away.
static lbVec3 point_between(const Ends *e) {
  if (e->b->slot < 0) return e->a->anchor.place;
  return lb_scale(0.5, lb_add(e->a->anchor.place, e->b->anchor.place));
}

// Two points together.
static void hold_points(lbWorldJoints *joints, const Ends *e, double h, int32_t *count) {
  lbVec3 off = lb_sub(e->a->anchor.place, e->b->anchor.place);
  lbVec3 left = remains(lb_sub(e->a->place_before, e->b->place_before), DRAWN * h);
  for (int k = 0; k < 3; k++) {
    lbVec3 axis = lb_vec3(k == 0, k == 1, k == 2);
    lbJointRow *row = add_row(joints, e, count, axis, false, lb_dot(axis, lb_sub(off, left)));
    row->points[0] = row->points[1] = point_between(e);
  }
}

static void hold_rotation(lbWorldJoints *joints, const Ends *e, double h, int32_t *count) {
  lbVec3 off = rotation_between(e->a->anchor.rotation, e->b->anchor.rotation);
  lbVec3 before = rotation_between(e->a->rotation_before, e->b->rotation_before);
  off = lb_sub(off, remains(before, TURNED * h));
  for (int k = 0; k < 3; k++) {
    lbVec3 axis = lb_vec3(k == 0, k == 1, k == 2);
    add_row(joints, e, count, axis, true, lb_dot(axis, off));
  }
}

static void hold_axis(lbWorldJoints *joints, const Ends *e, double h, int32_t *count) {
  lbVec3 axis = e->joint->def.axis, sides[2];
  lbVec3 off = tilt_between(axis, e->a->anchor.rotation, e->b->anchor.rotation);
  lbVec3 before = tilt_between(axis, e->a->rotation_before, e->b->rotation_before);
  off = lb_sub(off, remains(before, TURNED * h));
  sides_of(turned(e->b, axis), sides);
  for (int k = 0; k < 2; k++) add_row(joints, e, count, sides[k], true, lb_dot(sides[k], off));
}

// A slider's end stays on its line, seen from the second.
static void hold_line(lbWorldJoints *joints, const Ends *e, double h, int32_t *count) {
  const lbBodyJoint *j = e->joint;
  lbVec3 sides[2],
      off = lb_sub(lb_sub(e->a->anchor.place, e->b->anchor.place), turned(e->b, j->offset));
  lbVec3 before = lb_sub(lb_sub(e->a->place_before, e->b->place_before),
                         lb_quat_rotate(e->b->rotation_before, j->offset));
  lbVec3 along = lb_quat_rotate(e->b->rotation_before, j->def.axis);
  before = lb_add_scaled(before, -lb_dot(along, before), along);
  off = lb_sub(off, remains(before, DRAWN * h));
  sides_of(turned(e->b, j->def.axis), sides);
  for (int k = 0; k < 2; k++) add_row(joints, e, count, sides[k], false, lb_dot(sides[k], off));
}

// A limit of a position: beyond it a force pushes back, `sign` 1 from below and -1 from above. The
// way back takes as many steps as `rate` asks for.
static void add_limit(lbWorldJoints *joints, const Ends *e, double h, lbVec3 axis, bool turns,
                      double limit, double sign, int32_t *count) {
  double before = sign * (position_of(e, true) - limit);
  double step = h * (turns ? TURNED : DRAWN), left = sign * fmin(before + step, 0);
  if (!isfinite(limit)) return;
  lbJointRow *row = add_row(joints, e, count, axis, turns, position_of(e, false) - limit - left);
  *(sign > 0 ? &row->low : &row->high) = 0;
}

// Motor and limits of a position along (or about) an axis. Each limit has its own row, which keeps
// its place among the rows from one measurement to the next.
static void bound_position(lbWorldJoints *joints, const Ends *e, double h, lbVec3 axis, bool turns,
                           int32_t *count) {
  const lbJointDef *def = &e->joint->def;
  double before = position_of(e, true), now = position_of(e, false);
  double least = def->limited ? def->limits[0] : -INFINITY;
  double most = def->limited ? def->limits[1] : INFINITY;
  if (def->motor_force > 0) {
    double wanted = fmin(fmax(before + h * def->motor_speed, least), most);
    lbJointRow *row = add_row(joints, e, count, axis, turns, now - wanted);
    row->low = -def->motor_force, row->high = def->motor_force;
    row->speed = (wanted - before) / h;
  }
  if (!def->limited) return;
  if (least < most) {
    add_limit(joints, e, h, axis, turns, least, 1, count);
    add_limit(joints, e, h, axis, turns, most, -1, count);
    return;
  }
  double rate = turns ? TURNED : DRAWN, beyond = before - least; // it cannot move
  double left = beyond - fmin(fmax(beyond, -rate * h), rate * h);
  add_row(joints, e, count, axis, turns, now - least - left);
}

static lbVec3 line_of(const Ends *e) {
  lbVec3 way = lb_sub(e->a->anchor.place, e->b->anchor.place);
  double length = lb_length(way);
  return length > 1e-12 * (1 + e->joint->length) ? lb_scale(1 / length, way) : lb_vec3(1, 0, 0);
}

static void hold_distance(lbWorldJoints *joints, const Ends *e, double h, int32_t *count) {
  lbVec3 line = line_of(e);
  int32_t first = *count;
  if (e->joint->def.limited)
    bound_position(joints, e, h, line, false, count);
  else {
    double before = position_of(e, true);
    double left = before - fmin(fmax(before, -DRAWN * h), DRAWN * h);
    add_row(joints, e, count, line, false, position_of(e, false) - left);
  }
  for (int32_t i = first; i < *count; i++) {
    joints->rows[i].points[0] = e->a->anchor.place;
    joints->rows[i].points[1] = e->b->anchor.place;
  }
}

static void hold(lbWorldJoints *joints, const Ends *e, double h, int32_t *count) {
  const lbJointDef *def = &e->joint->def;
  switch (def->kind) {
  case LB_JOINT_HINGE:
    hold_points(joints, e, h, count);
    hold_axis(joints, e, h, count);
    bound_position(joints, e, h, turned(e->b, def->axis), true, count);
    break;
  case LB_JOINT_SLIDER:
    hold_line(joints, e, h, count);
    hold_rotation(joints, e, h, count);
    bound_position(joints, e, h, turned(e->b, def->axis), false, count);
    break;
  case LB_JOINT_WELD:
    hold_points(joints, e, h, count);
    if (e->joint->pair_count == 1) hold_rotation(joints, e, h, count);
    break;
  case LB_JOINT_DISTANCE: hold_distance(joints, e, h, count); break;
  default: hold_points(joints, e, h, count);
  }
}

// ---- how far joints are off
// ----------------------------------------------------------------------

static lbVec3 places_apart(const Ends *e, bool before) {
  return before ? lb_sub(e->a->place_before, e->b->place_before)
                : lb_sub(e->a->anchor.place, e->b->anchor.place);
}

// m: how far its places are from where it holds them.
static double off_by(const Ends *e, bool before) {
  const lbBodyJoint *j = e->joint;
  lbVec3 off = places_apart(e, before);
  if (j->def.kind == LB_JOINT_DISTANCE) {
    double position = position_of(e, before);
    if (!j->def.limited) return fabs(position);
    return fmax(0, fmax(j->def.limits[0] - position, position - j->def.limits[1]));
  }
  if (j->def.kind != LB_JOINT_SLIDER) return lb_length(off);
  lbQuat rotation = before ? e->b->rotation_before : e->b->anchor.rotation;
  lbVec3 axis = lb_quat_rotate(rotation, j->def.axis);
  off = lb_sub(off, lb_quat_rotate(rotation, j->offset));
  return lb_length(lb_add_scaled(off, -lb_dot(axis, off), axis));
}

// rad: the same of what it does not let turn.
static double turned_by(const Ends *e, bool before) {
  const lbBodyJoint *j = e->joint;
  lbQuat a = before ? e->a->rotation_before : e->a->anchor.rotation;
  lbQuat b = before ? e->b->rotation_before : e->b->anchor.rotation;
  if (j->def.kind == LB_JOINT_HINGE) return lb_length(tilt_between(j->def.axis, a, b));
  bool held =
      j->def.kind == LB_JOINT_SLIDER || (j->def.kind == LB_JOINT_WELD && j->pair_count == 1);
  return held ? lb_length(rotation_between(a, b)) : 0;
}

// ---- all rows
// ------------------------------------------------------------------------------------

// Joints that contradict each other would tear bodies to any length: rows of one whose ends are far
// apart have forces that draw its bodies together, and no more.
static void limit_pull(lbWorld *world, const Ends *e, int32_t first, int32_t end) {
  lbWorldJoints *joints = world->linked;
  double radius = radius_at(world, e);
  if (!(off_by(e, true) > APART * radius) && !(turned_by(e, true) > ASKEW)) return;
  double most = PULL * mass_of(world, joints->bodies[e->a->body].component);
  for (int32_t i = first; i < end; i++)
    joints->rows[i].force_max = joints->rows[i].turns ? most * radius : most;
}

void lb_joints_make_rows(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  int32_t count = 0;
  for (int32_t c = 0; c < joints->component_count; c++) joints->components[c].row_count = 0;
  for (int32_t o = 0; o < joints->ordered; o++) {
    lbBodyJoint *j = &joints->list[joints->order[o]];
    for (int32_t p = 0; p < j->pair_count && !j->now.broken && !lb_joint_stays(world, j); p++) {
      Ends e = { j, &j->pairs[p][0], &j->pairs[p][1], joints->order[o], p };
      lbJointComponent *k = &joints->components[joints->bodies[e.a->body].component];
      int32_t first = count;
      if (k->row_count == 0) k->row_begin = count;
      hold(joints, &e, world->h, &count);
      limit_pull(world, &e, first, count);
      k->row_count += count - first;
    }
  }
  joints->row_count = count;
}

void lb_joints_drop_waiting(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  int32_t kept = 0;
  for (int32_t c = 0; lb_joints_hold_any(world) && c < joints->component_count; c++) {
    lbJointComponent *k = &joints->components[c];
    int32_t begin = k->row_begin, end = begin + k->row_count;
    k->row_begin = kept;
    for (int32_t i = begin; i < end; i++)
      if (!lb_joint_stays(world, &joints->list[joints->rows[i].joint]))
        joints->rows[kept++] = joints->rows[i];
    k->row_count = kept - k->row_begin;
  }
  if (lb_joints_hold_any(world)) joints->row_count = kept;
}

// ---- when the step is done ---------------------------------------------------------------------

static lbVec3 end_velocity(const lbJointEnd *end, const lbJointRow *row, int side) {
  if (end->slot < 0) return lb_vec3(0, 0, 0);
  return row->turns ? end->anchor.spin : lb_anchor_velocity(&end->anchor, row->points[side]);
}

bool lb_joint_comes_apart(const lbWorld *world, const lbBodyJoint *j, double share, double angle) {
  for (int32_t p = 0; p < j->pair_count && !j->now.broken && !lb_joint_stays(world, j); p++) {
    Ends e = { j, &j->pairs[p][0], &j->pairs[p][1], 0, p };
    double more = off_by(&e, false) - off_by(&e, true);
    if (more > 0 && more > share * radius_at(world, &e)) return true;
    if (turned_by(&e, false) - turned_by(&e, true) > angle) return true;
  }
  return false;
}

// Axes follow the second end; forces act where the first one is now.
void lb_joints_measure_speeds(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  int32_t count = joints->row_count;
  for (int32_t i = 0; i < count; i++) {
    lbJointRow *row = &joints->rows[i];
    lbBodyJoint *j = &joints->list[row->joint];
    Ends e = { j, &j->pairs[row->pair][0], &j->pairs[row->pair][1], row->joint, row->pair };
    if (j->def.kind == LB_JOINT_DISTANCE) {
      row->axis = line_of(&e);
      row->points[0] = e.a->anchor.place, row->points[1] = e.b->anchor.place;
    } else {
      bool line = j->def.kind == LB_JOINT_SLIDER;
      row->points[0] = row->points[1] = line ? e.a->anchor.place : point_between(&e);
    }
    lbVec3 relative = lb_sub(end_velocity(e.a, row, 0), end_velocity(e.b, row, 1));
    row->free = lb_dot(row->axis, relative) - row->speed;
  }
  for (int32_t o = 0; o < joints->ordered; o++) {
    lbBodyJoint *j = &joints->list[joints->order[o]];
    if (lb_joint_stays(world, j)) continue;
    j->now.error = 0;
    for (int32_t p = 0; p < j->pair_count; p++) {
      Ends e = { j, &j->pairs[p][0], &j->pairs[p][1], joints->order[o], p };
      j->now.error = fmax(j->now.error, off_by(&e, false));
      if (p == 0 && j->def.kind != LB_JOINT_POINT && j->def.kind != LB_JOINT_WELD)
        j->now.position = position_of(&e, false);
    }
  }
}
