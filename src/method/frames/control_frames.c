// Poses and weights of the control frames of a body, and what its elastic forces are by
// (limber/frames.h).
#include "method/frames/frames.h"

int32_t lb_body_frames_count(const lbBody *body) {
  return body && lb_body_method(body) == LB_METHOD_FRAMES ? lb_frames_count(body) : 0;
}

static lbStatus refuse_others(const lbBody *body, int32_t frame) {
  int32_t count = lb_body_frames_count(body);
  if (!body) return LB_ERR_ARGUMENT;
  if (frame >= 0 && frame < count) return LB_OK;
  return lb_fail(body->message, LB_ERR_ARGUMENT, "frame %d: the body has %d frames", (int)frame,
                 (int)count);
}

lbStatus lb_body_frames_pose(const lbBody *body, int32_t frame, lbVec3 *position,
                             lbQuat *rotation) {
  lbStatus status = refuse_others(body, frame);
  if (status) return status;
  const lbFramesState *state = lb_frames_state(body);
  lbPlacement base = lb_whole_base(body, &state->T);
  if (position) *position = lb_placement_apply(&base, state->poses[frame].position);
  if (rotation)
    *rotation = lb_quat_normalise(lb_quat_multiply(base.rotation, state->poses[frame].rotation));
  return LB_OK;
}

lbStatus lb_body_frames_weights(const lbBody *body, int32_t frame, double *weights) {
  lbStatus status = refuse_others(body, frame);
  if (status) return status;
  const lbFrameLists *lists = &lb_frames_shared(body->prepared)->set.nodes;
  for (int32_t n = 0; n < lists->point_count; n++) {
    double own = 0, sum = 0;
    for (int32_t e = lists->begin[n]; e < lists->begin[n + 1]; e++) {
      sum += lists->values[e];
      if (lists->frames[e] == frame) own = lists->values[e];
    }
    weights[n] = own / sum;
  }
  return LB_OK;
}

lbStatus lb_body_frames_set_forces(lbBody *body, lbFrameForces forces) {
  lbStatus status = refuse_others(body, 0);
  if (status) return status;
  if ((int)forces < 0 || forces >= LB_FRAME_FORCES_COUNT)
    return lb_fail(body->message, LB_ERR_ARGUMENT, "forces is %d; it must be an lbFrameForces",
                   (int)forces);
  if (forces == LB_FRAME_SPRINGS && lb_frames_count(body) > LB_FRAMES_DENSE)
    return lb_fail(body->message, LB_ERR_ARGUMENT, "springs are for up to %d frames, there are %d",
                   LB_FRAMES_DENSE, (int)lb_frames_count(body));
  lbFramesState *state = lb_frames_state(body);
  state->forces = forces;
  state->version++;
  return LB_OK;
}

lbFrameForces lb_body_frames_forces(const lbBody *body) {
  return lb_body_frames_count(body) ? lb_frames_state(body)->forces : LB_FRAME_SAMPLES;
}
