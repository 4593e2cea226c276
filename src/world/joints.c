// Joints of bodies of frames that follow paths.
#include "world/world.h"

static void pose_of(const lbWorldJoint *joint, double time, lbVec3 *position, lbQuat *rotation) {
  lbPathState at;
  lb_path_at(joint->path, time, &at);
  *rotation = lb_quat(at.rotation[0], at.rotation[1], at.rotation[2], at.rotation[3]);
  *position = lb_add(lb_vec3_load(at.position), lb_quat_rotate(*rotation, joint->arm));
}

void lb_world_lead_joint(const lbWorld *world, const lbWorldJoint *joint, double time,
                         bool at_once) {
  lbBody *body = lb_world_body(world, joint->body);
  lbVec3 position;
  lbQuat rotation;
  if (!body) return; // removed
  pose_of(joint, time, &position, &rotation);
  // What was checked when it was added is not refused.
  if (at_once)
    (void)lb_body_set_joint(body, joint->joint, position, rotation);
  else
    (void)lb_body_drive_joint(body, joint->joint, position, rotation);
}

static int32_t find_joint(const lbWorld *world, lbBodyId id, int32_t joint) {
  int32_t i = 0;
  while (i < world->joint_count && (world->joints[i].body != id || world->joints[i].joint != joint))
    i++;
  return i;
}

lbStatus lb_world_drive_joint(lbWorld *world, lbBodyId id, int32_t joint, const lbPath *path,
                              lbVec3 arm, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  lbBody *body = lb_world_body(world, id);
  if (!body) return lb_world_refuse_id(id, err);
  int32_t at = find_joint(world, id, joint);
  if (!path) {
    if (at < world->joint_count) world->joints[at] = world->joints[--world->joint_count];
    return LB_OK;
  }
  lbWorldJoint made = { id, joint, path, arm };
  lbVec3 position;
  lbQuat rotation;
  pose_of(&made, lb_world_time(world), &position, &rotation);
  lbStatus status = lb_body_set_joint(body, joint, position, rotation);
  if (status) return lb_fail(err, status, "%s", lb_body_message(body));
  if (!lb_grow((void **)&world->joints, &world->joint_room, (size_t)world->joint_count + 1,
               sizeof *world->joints))
    return lb_fail_memory(err);
  world->joints[at] = made;
  if (at == world->joint_count) world->joint_count++;
  return LB_OK;
}
