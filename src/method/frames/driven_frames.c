// Frames that are led: fixed ones (joints of a rig, handles that follow a path), and others while
// they are dragged.
#include "method/frames/frames.h"

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

static lbStatus check_frame_driven_frames(const lbBody *body, int32_t frame) {
  if (lb_body_frames_count(body) == 0)
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frames: the body's method is \"%s\"",
                   lb_method_name(lb_body_method(body)));
  if (frame < 0 || frame >= lb_frames_count(body))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frame %d: the body has %d frames", (int)frame,
                   (int)lb_frames_count(body));
  if (lb_frames_shared(body->prepared)->fixed[frame])
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frame %d is fixed: lb_body_drive_joint",
                   (int)frame);
  return LB_OK;
}

lbStatus lb_body_frames_drag(lbBody *body, int32_t frame, lbVec3 position, lbQuat rotation) {
  if (!body) return LB_ERR_ARGUMENT;
  lbStatus status = check_frame_driven_frames(body, frame);
  if (status) return status;
  if (!lb_vec3_is_bounded(position) || !lb_rotation_make_unit(&rotation))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frame %d: its pose is not finite", (int)frame);
  lbFramesState *state = lb_frames_state(body);
  lbPlacement base = lb_whole_base(body, &state->T);
  lbQuat turn = lb_quat_multiply(lb_quat_conjugate(base.rotation), rotation);
  if (lb_quat_dot(state->poses[frame].rotation, turn) < 0) turn = lb_quat_scale(-1, turn);
  state->goals[frame] = (lbFramePose){ turn, lb_placement_unapply(&base, position) };
  if (!state->held[frame]) state->reached[frame] = state->poses[frame];
  state->held[frame] = 1;
  lb_body_disturb(body);
  return LB_OK;
}

lbStatus lb_body_frames_release(lbBody *body, int32_t frame) {
  if (!body) return LB_ERR_ARGUMENT;
  lbStatus status = check_frame_driven_frames(body, frame);
  if (status) return status;
  lb_frames_state(body)->held[frame] = 0;
  lb_body_disturb(body);
  return LB_OK;
}

bool lb_frames_any_held(const lbBody *body) {
  const lbFramesState *state = lb_frames_state(body);
  bool any = false;
  for (int32_t i = 0; i < lb_frames_count(body); i++) any |= state->held[i];
  return any;
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
