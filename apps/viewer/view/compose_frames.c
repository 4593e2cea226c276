// Frames in the picture: three axes at each, red along its x, green along y, blue along z, and a
// disc, which is yellow where a frame is chosen.
#include "view/viewer_parts.h"

enum { BODIES_MOST = 8 }; // of a crowd

#define LENGTH 0.09 // of an axis, sizes of the scene

static void add_frame_marks(vwViewer *viewer, vwPicture *picture, const vwFrameView *frame) {
  static const float colors[3][4] = { { 0.90f, 0.22f, 0.20f, 1 },
                                      { 0.20f, 0.68f, 0.25f, 1 },
                                      { 0.22f, 0.42f, 0.95f, 1 } };
  static const float plain[4] = { 0.95f, 0.95f, 0.97f, 1 }, lit[4] = { 1.0f, 0.85f, 0.20f, 1 };
  double length = LENGTH * vw_stage_size(viewer->stage) * (frame->chosen ? 1.4 : 1);
  for (int k = 0; k < 3; k++) {
    lbVec3 axis = lb_quat_rotate(frame->rotation, lb_vec3(k == 0, k == 1, k == 2));
    vw_viewer_add_segment(viewer, picture, frame->position,
                          lb_add_scaled(frame->position, length, axis), colors[k],
                          frame->chosen ? 5 : 3, true);
  }
  vw_viewer_add_disc(viewer, picture, frame->position, frame->chosen ? lit : plain,
                     frame->chosen ? 7 : 5, true);
}

void vw_viewer_add_frames(vwViewer *viewer, vwPicture *picture) {
  for (int32_t a = 0; a < viewer->drawn_count; a++) {
    int32_t bodies = vw_stage_actor(viewer->stage, a).body_count;
    for (int32_t b = 0; b < bodies && b < BODIES_MOST; b++)
      for (int32_t i = 0; i < vw_stage_frame_count(viewer->stage, a, b); i++) {
        vwFrameView frame = vw_stage_frame(viewer->stage, a, b, i);
        add_frame_marks(viewer, picture, &frame);
      }
  }
}
