// Pointers and keys: who turns the camera, who touches a body.
//
// A pointer that goes down on a body uses the tool; beside all bodies it turns the camera. The
// right and middle buttons, or shift, pan. Two touches that do not hold a body pan and zoom
// together.
#include "view/viewer_parts.h"

#include <math.h>
#include <string.h>

#define DOUBLE_PRESS_SECONDS 0.35
#define DOUBLE_PRESS_PIXELS 8
#define ARROW_PIXELS 40 // what an arrow key turns the camera by

// Far outside is fine, absurd is not: the camera would never find back.
static bool is_place(double x, double y) { return fabs(x) < 1e6 && fabs(y) < 1e6; }

static vwPointerState *find_pointer(vwViewer *viewer, int32_t id) {
  for (int32_t i = 0; i < viewer->pointer_count; i++)
    if (viewer->pointers[i].id == id) return &viewer->pointers[i];
  return NULL;
}

static void forget_pointer(vwViewer *viewer, vwPointerState *pointer) {
  *pointer = viewer->pointers[--viewer->pointer_count];
}

// Also accepts two presses with one picture between them, since slow pictures make the clock
// coarse.
static bool is_double(vwViewer *viewer, double x, double y) {
  bool quick = viewer->now - viewer->press_time < DOUBLE_PRESS_SECONDS ||
               viewer->frame - viewer->press_frame <= 1;
  bool again = viewer->press_time >= 0 && quick &&
               hypot(x - viewer->press_x, y - viewer->press_y) < DOUBLE_PRESS_PIXELS;
  viewer->press_time = again ? -1 : viewer->now; // a third press begins anew
  viewer->press_frame = viewer->frame;
  viewer->press_x = x;
  viewer->press_y = y;
  return again;
}

static bool toggle_pin(vwViewer *viewer, int32_t id, const vwView *view, double x, double y) {
  return vw_stage_unpin(viewer->stage, view, x, y) ||
         vw_stage_press(viewer->stage, id, VW_TOOL_PIN, view, x, y);
}

static vwPointerRole role_of_press(vwViewer *viewer, int32_t id, vwButton button, int modifiers,
                                   double x, double y) {
  if (button == VW_BUTTON_RIGHT || button == VW_BUTTON_MIDDLE || modifiers & VW_MOD_SHIFT)
    return VW_ROLE_PAN;
  bool twice = is_double(viewer, x, y);
  if (!viewer->stage || viewer->width <= 0 || viewer->height <= 0) return VW_ROLE_ORBIT;
  vwView view = vw_viewer_view(viewer);
  vwTool tool = (vwTool)viewer->settings.tool;
  bool pins = tool != VW_TOOL_POSE && tool != VW_TOOL_FRAME; // a double press, too
  if ((twice && pins) || tool == VW_TOOL_PIN)
    return toggle_pin(viewer, id, &view, x, y) ? VW_ROLE_TOOL : VW_ROLE_ORBIT;
  return vw_stage_press(viewer->stage, id, tool, &view, x, y) ? VW_ROLE_TOOL : VW_ROLE_ORBIT;
}

void vw_viewer_press(vwViewer *viewer, int32_t pointer, vwButton button, int modifiers, double x,
                     double y) {
  if (!is_place(x, y)) return;
  if (find_pointer(viewer, pointer)) vw_viewer_release(viewer, pointer, 0); // its release got lost
  if (viewer->pointer_count == VW_POINTERS_MAX) return;
  vwPointerRole role = role_of_press(viewer, pointer, button, modifiers, x, y);
  viewer->pointers[viewer->pointer_count++] =
      (vwPointerState){ pointer, role, button == VW_BUTTON_TOUCH, x, y };
}

// The other of two touches that steer the camera; NULL when there is no such pair.
static vwPointerState *partner(vwViewer *viewer, const vwPointerState *pointer) {
  vwPointerState *other = NULL;
  for (int32_t i = 0; i < viewer->pointer_count; i++) {
    vwPointerState *candidate = &viewer->pointers[i];
    if (candidate != pointer && candidate->touch && candidate->role == VW_ROLE_ORBIT)
      other = candidate;
  }
  return pointer->touch && pointer->role == VW_ROLE_ORBIT ? other : NULL;
}

// One finger of two has moved: their middle pans, their distance zooms.
static void pinch_pointers(vwViewer *viewer, const vwPointerState *pointer,
                           const vwPointerState *other, double x, double y) {
  double before = hypot(pointer->x - other->x, pointer->y - other->y);
  double after = hypot(x - other->x, y - other->y);
  if (before > 1 && after > 1) vw_camera_zoom(&viewer->camera, before / after);
  vw_camera_pan(&viewer->camera, (x - pointer->x) / 2, (y - pointer->y) / 2, viewer->height);
}

static void move_tool(vwViewer *viewer, int32_t id, double x, double y) {
  vwView view = vw_viewer_view(viewer);
  vw_stage_move(viewer->stage, id, &view, x, y);
}

void vw_viewer_move(vwViewer *viewer, int32_t id, double x, double y) {
  vwPointerState *pointer = find_pointer(viewer, id);
  if (!pointer || !is_place(x, y) || viewer->height <= 0) return;
  double dx = x - pointer->x, dy = y - pointer->y;
  vwPointerState *other = partner(viewer, pointer);
  if (other)
    pinch_pointers(viewer, pointer, other, x, y);
  else if (pointer->role == VW_ROLE_ORBIT)
    vw_camera_orbit(&viewer->camera, dx, dy, viewer->height);
  else if (pointer->role == VW_ROLE_PAN)
    vw_camera_pan(&viewer->camera, dx, dy, viewer->height);
  else if (pointer->role == VW_ROLE_TOOL && viewer->stage)
    move_tool(viewer, id, x, y);
  pointer->x = x;
  pointer->y = y;
}

// With the control key a grab stays as a pin.
void vw_viewer_release(vwViewer *viewer, int32_t id, int modifiers) {
  vwPointerState *pointer = find_pointer(viewer, id);
  if (!pointer) return;
  if (pointer->role == VW_ROLE_TOOL && viewer->stage)
    vw_stage_release(viewer->stage, id, (modifiers & VW_MOD_CONTROL) != 0);
  forget_pointer(viewer, pointer);
}

void vw_viewer_cancel(vwViewer *viewer) {
  while (viewer->pointer_count) vw_viewer_release(viewer, viewer->pointers[0].id, 0);
}

void vw_viewer_wheel(vwViewer *viewer, double notches) {
  if (isfinite(notches)) vw_camera_zoom(&viewer->camera, exp(0.12 * fmax(-20, fmin(20, notches))));
}

static bool steer_by_key(vwViewer *viewer, int key, int modifiers) {
  double dx = key == VW_KEY_LEFT ? -ARROW_PIXELS : key == VW_KEY_RIGHT ? ARROW_PIXELS : 0;
  double dy = key == VW_KEY_UP ? -ARROW_PIXELS : key == VW_KEY_DOWN ? ARROW_PIXELS : 0;
  double height = viewer->height > 0 ? viewer->height : 720;
  if (key == '+' || key == '=')
    vw_viewer_wheel(viewer, -1);
  else if (key == '-')
    vw_viewer_wheel(viewer, 1);
  else if (!dx && !dy)
    return false;
  else if (modifiers & VW_MOD_SHIFT)
    vw_camera_pan(&viewer->camera, -dx, -dy, height);
  else
    vw_camera_orbit(&viewer->camera, -dx, -dy, height);
  return true;
}

// With shift a choice goes back to the one before.
static void press_control(vwViewer *viewer, int32_t control, int key, bool backwards) {
  vwControlState state;
  lbError err;
  vw_viewer_control(viewer, control, &state);
  double value = vw_key_value(key, &state);
  if (backwards && vw_control(control)->kind == VW_CHOICE)
    value = state.value > state.low ? state.value - 1 : state.high;
  if (vw_viewer_set(viewer, control, value, &err)) vw_viewer_say(viewer, err.text);
}

bool vw_viewer_key(vwViewer *viewer, int key, int modifiers) {
  if (key >= 'A' && key <= 'Z') key += 'a' - 'A';
  if (steer_by_key(viewer, key, modifiers)) return true;
  if (key == VW_KEY_ESCAPE) {
    vw_viewer_cancel(viewer);
    return true;
  }
  int32_t control = vw_control_by_key(key);
  if (control < 0) return false;
  press_control(viewer, control, key, (modifiers & VW_MOD_SHIFT) != 0);
  return true;
}
