// Fixed frames that are led: joints of a rig, handles that follow a path.
#include "body/frames.h"

#include "base/refuse.h"

static lbStatus check_joint(const lbBody *body, int32_t joint, lbVec3 position, lbQuat *rotation) {
  if (body->prepared->method->method != LB_METHOD_FRAMES)
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "joints: the body is not of the method \"frames\"");
  if (joint < 0 || joint >= lb_frames_count(body))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "joint %d: the body has %d frames", (int)joint,
                   (int)lb_frames_count(body));
  if (!lb_frames_shared(body->prepared)->fixed[joint])
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "joint %d: the frame moves by itself, only fixed ones can be led", (int)joint);
  if (!lb_vec3_is_bounded(position) || !lb_rotation_make_unit(rotation))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "joint %d: its pose is not finite", (int)joint);
  return LB_OK;
}

lbStatus lb_body_drive_joint(lbBody *body, int32_t joint, lbVec3 position, lbQuat rotation) {
  if (!body) return LB_ERR_ARGUMENT;
  lbStatus status = check_joint(body, joint, position, &rotation);
  if (status) return status;
  lbFramePose *goal = &lb_frames_state(body)->goals[joint];
  if (lb_quat_dot(goal->rotation, rotation) < 0) rotation = lb_quat_scale(-1, rotation);
  *goal = (lbFramePose){ rotation, position };
  return LB_OK;
}

lbStatus lb_body_set_joint(lbBody *body, int32_t joint, lbVec3 position, lbQuat rotation) {
  lbStatus status = lb_body_drive_joint(body, joint, position, rotation);
  if (status) return status;
  lbFramesState *state = lb_frames_state(body);
  const lbFramePose *goal = &state->goals[joint];
  const lbPlacement *T = &state->T;
  state->reached[joint] = *goal;
  state->poses[joint].position = lb_placement_apply(T, goal->position);
  state->poses[joint].rotation = lb_quat_normalise(lb_quat_multiply(T->rotation, goal->rotation));
  state->version++;
  body->consistent = false;
  return LB_OK;
}
