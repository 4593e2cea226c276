// Handles and the gizmo in the picture: dots on the vertices of handles; at the chosen one three
// arrows, three rings and a disc, red along x, green along y, blue along z, over everything.
#include "view/viewer_parts.h"

#include <math.h>

enum { DOTS = 300, PIECES = 48 };

static const lbVec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const float colors[3][4] = { { 0.90f, 0.22f, 0.20f, 1 },
                                    { 0.20f, 0.68f, 0.25f, 1 },
                                    { 0.22f, 0.42f, 0.95f, 1 } };
static const float lit[4] = { 1.0f, 0.85f, 0.20f, 1 };

static void add_dots(vwViewer *viewer, vwPicture *picture, int32_t handle, bool chosen) {
  static const float plain[4] = { 0.20f, 0.55f, 0.80f, 1 };
  lbVec3 places[DOTS];
  int32_t count = vw_stage_pose_points(viewer->stage, handle, DOTS, places);
  for (int32_t i = 0; i < count; i++)
    vw_viewer_add_disc(viewer, picture, places[i], chosen ? lit : plain, 3, false);
}

static void add_arrow(vwViewer *viewer, vwPicture *picture, const vwPoseView *pose, int axis) {
  bool held = pose->dragged == axis;
  const float *color = held ? lit : colors[axis];
  lbVec3 from = lb_add_scaled(pose->centre, pose->begin * pose->length, axes[axis]);
  lbVec3 tip = lb_add_scaled(pose->centre, pose->length, axes[axis]);
  vw_viewer_add_segment(viewer, picture, from, tip, color, held ? 5 : 4, true);
  // Its head: lines from the tip back to a small circle.
  for (int i = 0; i < 8; i++) {
    double angle = i * LB_PI / 4, back = 0.16 * pose->length, wide = 0.06 * pose->length;
    lbVec3 at = lb_add_scaled(tip, -back, axes[axis]);
    at = lb_add_scaled(at, wide * cos(angle), axes[(axis + 1) % 3]);
    at = lb_add_scaled(at, wide * sin(angle), axes[(axis + 2) % 3]);
    vw_viewer_add_segment(viewer, picture, tip, at, color, 3, true);
  }
}

// The half that is turned away from the eye is drawn lighter.
static void add_ring(vwViewer *viewer, vwPicture *picture, const vwPoseView *pose, lbVec3 forward,
                     int axis) {
  bool held = pose->dragged == 3 + axis;
  double radius = pose->ring * pose->length;
  lbVec3 before = lb_vec3(0, 0, 0);
  for (int i = 0; i <= PIECES; i++) {
    double angle = i * 2 * LB_PI / PIECES;
    lbVec3 arm =
        lb_add_scaled(lb_scale(cos(angle), axes[(axis + 1) % 3]), sin(angle), axes[(axis + 2) % 3]);
    lbVec3 at = lb_add_scaled(pose->centre, radius, arm);
    float color[4];
    for (int k = 0; k < 4; k++) color[k] = held ? lit[k] : colors[axis][k];
    if (lb_dot(arm, forward) > 0.1) color[3] = 0.3f;
    if (i > 0) vw_viewer_add_segment(viewer, picture, before, at, color, held ? 4 : 3, true);
    before = at;
  }
}

void vw_viewer_add_pose(vwViewer *viewer, vwPicture *picture) {
  static const float middle[4] = { 0.95f, 0.95f, 0.97f, 1 };
  vwView view = vw_viewer_view(viewer);
  vwPoseView pose = vw_stage_pose(viewer->stage, &view);
  if (!pose.on) return;
  for (int32_t i = 0; i < pose.handle_count; i++) add_dots(viewer, picture, i, i == pose.chosen);
  if (pose.chosen < 0) return;
  for (int axis = 0; axis < 3; axis++) add_ring(viewer, picture, &pose, view.forward, axis);
  for (int axis = 0; axis < 3; axis++) add_arrow(viewer, picture, &pose, axis);
  vw_viewer_add_disc(viewer, picture, pose.centre, pose.dragged == 6 ? lit : middle, 8, true);
}
