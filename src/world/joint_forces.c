// What joints do to bodies (joint.h): forces over the step, impulses, reports, and how many
// substeps jointed bodies need.
#include "world/joint.h"

#define TURN_AGAIN 0.03 // rad that a body turns by in a step: its rows are measured again
#define SWING_MAX                                                                                  \
  1.0 // rad of phase of a body that swings under the pull of a joint: beyond, substeps

static lbAnchorForce force_of(const lbJointAct *act, double amount) {
  return (lbAnchorForce){ &act->end->anchor, lb_scale(amount, act->force),
                          lb_scale(amount, act->torque), lb_scale(amount, act->force),
                          lb_scale(amount, act->frame_torque) };
}

void lb_joints_hold(lbWorld *world) {
  const lbWorldJoints *joints = world->linked;
  int32_t count = joints->row_count;
  for (int32_t i = 0; i < count; i++) {
    const lbJointRow *row = &joints->rows[i];
    for (int side = 0; side < 2 && row->force != 0; side++) {
      lbJointAct act = lb_joint_act(joints, row, side);
      if (!act.body || !world->touch->contact_bodies[act.body->contact_body].open) continue;
      lbAnchorForce by = force_of(&act, row->force);
      lb_anchor_hold(world->slots[act.body->slot].body, act.body->turn, &by);
    }
  }
}

static void apply_joint_impulses(lbWorld *world, const lbJointed *b) {
  lbWorldJoints *joints = world->linked;
  lbBody *body = world->slots[b->slot].body;
  const lbJointComponent *k = &joints->components[b->component];
  int32_t first = k->row_begin, end = first + k->row_count, count = 0;
  for (int32_t i = first; i < end; i++)
    for (int side = 0; side < 2; side++) {
      const lbJointRow *row = &joints->rows[i];
      lbJointAct act = lb_joint_act(joints, row, side);
      if (act.body != b) continue;
      joints->impulses[count++] = force_of(&act, row->impulse - world->h * row->force);
    }
  lbScratch *scratch = count > 0 ? lb_scratch_borrow(body->prepared) : NULL;
  if (!scratch) return;
  lb_anchors_apply_impulses(body, count, joints->impulses, scratch);
  lb_scratch_return(body->prepared, scratch);
}

static lbVec3 middle_of(const lbBodyJoint *j) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t p = 0; p < j->pair_count; p++)
    sum = lb_add_scaled(sum, 1.0 / j->pair_count, j->pairs[p][0].anchor.place);
  return sum;
}

static void flag(lbWorld *world, const lbBodyJoint *j) {
  for (int side = 0; side < 2; side++)
    if (j->pairs[0][side].slot >= 0)
      world->slots[j->pairs[0][side].slot].flags |= LB_STEP_NOT_CONVERGED;
}

static void report(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  int32_t count = joints->row_count;
  for (int32_t o = 0; o < joints->ordered; o++) {
    lbBodyJoint *j = &joints->list[joints->order[o]];
    if (!lb_joint_stays(world, j)) j->now.force = j->now.torque = lb_vec3(0, 0, 0);
  }
  for (int32_t i = 0; i < count; i++) {
    const lbJointRow *row = &joints->rows[i];
    lbBodyJoint *j = &joints->list[row->joint];
    lbVec3 by = lb_scale(row->impulse / world->h, row->axis);
    if (row->turns)
      j->now.torque = lb_add(j->now.torque, by);
    else {
      j->now.force = lb_add(j->now.force, by);
      j->now.torque = lb_add(j->now.torque, lb_cross(lb_sub(row->points[0], middle_of(j)), by));
    }
    if (row->lost) flag(world, j);
  }
  for (int32_t o = 0; o < joints->ordered; o++) {
    lbBodyJoint *j = &joints->list[joints->order[o]];
    if (!(lb_length(j->now.force) > j->def.break_force)) continue;
    j->now.broken = true;
    j->now.force = j->now.torque = lb_vec3(0, 0, 0);
  }
}

// rad that a jointed body turns by in h.
static double turn_of(const lbWorld *world, int32_t jointed, double h) {
  return h * lb_length(world->slots[world->linked->bodies[jointed].slot].body->frame.spin);
}

bool lb_joints_turn_far(const lbWorld *world) {
  for (int32_t i = 0; lb_joints_hold_any(world) && i < world->linked->body_count; i++)
    if (turn_of(world, i, world->h) > TURN_AGAIN) return true;
  return false;
}

// rad/s: how fast a body swings about its centre by the pull F of a joint at the arm r, F r / J.
static double swing_about(const lbBody *body, const lbJointEnd *end, double pull) {
  lbVec3 arm = lb_sub(end->anchor.place, lb_frame_centre(body));
  double r = lb_length(arm), most = 0;
  if (!(r > 0 && pull > 0) || body->frame.kind != LB_FRAME_FREE) return 0;
  lbMat3 mobility = lb_frame_mobility(body, body->frame.turn);
  lbVec3 other = fabs(arm.x) < 0.6 * r ? lb_vec3(1, 0, 0) : lb_vec3(0, 1, 0);
  lbVec3 one = lb_normalise(lb_cross(arm, other)), two = lb_scale(1 / r, lb_cross(arm, one));
  most = fmax(lb_dot(one, lb_mat3_apply(mobility, one)), lb_dot(two, lb_mat3_apply(mobility, two)));
  return sqrt(pull * r * most);
}

// rad/s: the fastest of the swings of a jointed body.
static double swing_of(const lbWorld *world, const lbJointed *jointed) {
  const lbWorldJoints *joints = world->linked;
  const lbBody *body = world->slots[jointed->slot].body;
  double most = 0;
  for (int32_t e = 0; e < jointed->end_count; e++) {
    const lbJointEnd *end = joints->ends[jointed->first_end + e];
    const lbBodyJoint *j = &joints->list[end->joint];
    if (j->pair_count == 1) most = fmax(most, swing_about(body, end, lb_length(j->now.force)));
  }
  return most;
}

double lb_joints_substeps(const lbWorld *world, int32_t i, double h) {
  double swing = h * swing_of(world, &world->linked->bodies[i]) / SWING_MAX;
  return fmax(turn_of(world, i, h) / LB_TURN_MAX, swing);
}

void lb_joints_finish(lbWorld *world) {
  const lbWorldJoints *joints = world->linked;
  for (int32_t i = 0; i < joints->body_count; i++) apply_joint_impulses(world, &joints->bodies[i]);
  report(world);
}
