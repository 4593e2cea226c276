// Frames that follow paths, and going on at another time.
#include "world/touch.h"

lbFrame lb_world_frame(const lbWorldSlot *slot, const lbPathState *at) {
  const double *q = at->rotation;
  lbFrame frame = { .position = lb_add(lb_vec3_load(at->position), slot->shift),
                    .rotation = lb_quat(q[0], q[1], q[2], q[3]),
                    .angular_velocity = lb_vec3_load(at->angular_velocity) };
  lbVec3 arm = lb_quat_rotate(frame.rotation, lb_body_rest_centre(slot->body));
  frame.linear_velocity =
      lb_add(lb_vec3_load(at->linear_velocity), lb_cross(frame.angular_velocity, arm));
  return frame;
}

lbStatus lb_world_follow(const lbWorldSlot *slot, double time) {
  lbPathState at;
  lb_path_at(slot->path, time, &at);
  lbFrame frame = lb_world_frame(slot, &at);
  return lb_body_set_frame(slot->body, &frame);
}

static lbStatus stop(const lbWorldSlot *slot) {
  lbFrame frame = lb_body_frame(slot->body);
  frame.linear_velocity = frame.angular_velocity = lb_vec3(0, 0, 0);
  return lb_body_set_frame(slot->body, &frame);
}

lbStatus lb_world_drive_beside(lbWorld *world, lbBodyId id, const lbPath *path, lbVec3 shift,
                               lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  lbWorldSlot driven = *slot;
  driven.path = path;
  driven.shift = shift;
  lbStatus status = path ? lb_world_follow(&driven, lb_world_time(world)) : stop(&driven);
  if (status) return lb_fail(err, status, "%s", lb_body_message(slot->body));
  *slot = driven;
  return LB_OK;
}

lbStatus lb_world_drive(lbWorld *world, lbBodyId id, const lbPath *path, lbError *err) {
  return lb_world_drive_beside(world, id, path, lb_vec3(0, 0, 0), err);
}

lbStatus lb_world_set_time(lbWorld *world, double seconds, lbError *err) {
  lbStatus status = LB_OK;
  if (!lb_is_bounded(seconds) || !(seconds >= 0))
    return lb_fail(err, LB_ERR_ARGUMENT, "time is %g s; it must be a number of seconds from 0 on",
                   seconds);
  for (int32_t i = 0; i < world->slot_count && !status; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    if (!slot->body) continue;
    status = lb_body_set_time(slot->body, seconds);
    if (!status && slot->path) status = lb_world_follow(slot, seconds);
    if (status) lb_fail(err, status, "%s", lb_body_message(slot->body));
  }
  for (int32_t i = 0; i < world->joint_count && !status; i++)
    lb_world_lead_joint(world, &world->joints[i], seconds, true);
  if (status) return status;
  lb_colliders_go_to(world, seconds);
  world->begin = seconds;
  world->steps = 0;
  return LB_OK;
}
