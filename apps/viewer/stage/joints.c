// What holds the bodies of a stage together: the joints of its world, in every cast.
#include "stage/stage_parts.h"

lbStatus vw_joints_read(vwStage *stage, const int32_t *member, lbError *err) {
  const lbWorldDef *world = stage->bundle->world;
  int32_t count = world->size.joint_count;
  stage->joints = lb_arena_alloc(&stage->arena, (size_t)count, sizeof *stage->joints);
  if (!stage->joints) return lb_fail_memory(err);
  stage->joint_count = count;
  for (int32_t i = 0; i < count; i++) {
    vwJoint *to = &stage->joints[i];
    to->def = lb_world_joint_def(world, i);
    for (int k = 0; k < 2; k++) {
      int32_t body = world->joint_bodies[2 * (size_t)i + (size_t)k];
      to->groups[k] = body >= 0 ? member[2 * (size_t)body] : -1;
      to->members[k] = body >= 0 ? member[2 * (size_t)body + 1] : 0;
    }
  }
  return LB_OK;
}

// The id of an end in the copy that is shifted by so much; 0: it is none of the world's.
static lbBodyId find_joint_body(const vwCast *cast, const vwJoint *joint, int end, lbVec3 shift) {
  for (int32_t i = 0; i < cast->count; i++) {
    const vwRole *role = &cast->roles[i];
    if (role->group == joint->groups[end] && role->actor->ids &&
        lb_length(lb_sub(role->shift, shift)) == 0)
      return role->actor->ids[joint->members[end]];
  }
  return 0;
}

lbStatus vw_cast_add_joints(const vwStage *stage, const vwCast *cast, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < stage->joint_count; i++) {
    const vwJoint *joint = &stage->joints[i];
    for (int32_t r = 0; r < cast->count && !status; r++) {
      const vwRole *role = &cast->roles[r];
      if (role->group != joint->groups[0]) continue;
      lbJointDef def = joint->def;
      lbJointId unused;
      for (int k = 0; k < 2; k++) {
        def.places[k] = lb_add(def.places[k], role->shift);
        def.bodies[k] = joint->groups[k] >= 0 ? find_joint_body(cast, joint, k, role->shift) : 0;
      }
      bool complete = def.bodies[0] && (joint->groups[1] < 0 || def.bodies[1]);
      if (complete) status = lb_world_add_joint(cast->world, &def, &unused, err);
    }
  }
  return status;
}
