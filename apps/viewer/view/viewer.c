// The viewer's life, its settings and its frames.
#include "view/viewer_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_FRAME 3600.0 // s; a clock that jumped

vwViewerDef vw_viewer_def(void) { return (vwViewerDef){ vw_stage_def(), vw_renderer_def() }; }

lbStatus vw_viewer_create(const vwViewerDef *def, vwViewer **out, lbError *err) {
  vwViewer *viewer = lb_alloc(1, sizeof *viewer);
  if (!viewer) return lb_fail_memory(err);
  viewer->def = *def;
  viewer->settings = vw_settings_default();
  viewer->generation = -1;
  viewer->press_time = -1;
  lbStatus status = vw_renderer_create(&def->renderer, &viewer->renderer, err);
  if (status) {
    vw_viewer_destroy(viewer);
    return status;
  }
  *out = viewer;
  return LB_OK;
}

void vw_viewer_destroy(vwViewer *viewer) {
  if (!viewer) return;
  vw_viewer_undress(viewer);
  vw_stage_destroy(viewer->stage);
  vw_renderer_destroy(viewer->renderer, false);
  lb_free(viewer->segments);
  lb_free(viewer->discs);
  lb_free(viewer);
}

void vw_viewer_say(vwViewer *viewer, const char *text) {
  snprintf(viewer->message, sizeof viewer->message, "%s", text);
}

const char *vw_viewer_message(const vwViewer *viewer) { return viewer->message; }
void vw_viewer_clear_message(vwViewer *viewer) { viewer->message[0] = 0; }
const char *vw_viewer_device(const vwViewer *viewer) {
  return viewer->renderer ? vw_renderer_device(viewer->renderer) : "";
}
int64_t vw_viewer_steps(const vwViewer *viewer) { return viewer->steps; }
bool vw_viewer_is_open(const vwViewer *viewer) { return viewer->stage != NULL; }
vwStage *vw_viewer_stage(vwViewer *viewer) { return viewer->stage; }
vwCamera *vw_viewer_camera(vwViewer *viewer) { return &viewer->camera; }
vwView vw_viewer_view(const vwViewer *viewer) {
  return vw_camera_view(&viewer->camera, viewer->width, viewer->height);
}

// The scene's own camera, which may know nothing of the panel, backs off where the panel covers
// much.
// What is framed for the whole picture has to fit what a panel leaves of it.
static void make_viewer_room(vwViewer *viewer) {
  viewer->camera.covered = viewer->covered;
  viewer->camera.distance /= 1 - 0.6 * fabs(viewer->covered);
}

static void aim_camera(vwViewer *viewer) {
  viewer->camera = vw_stage_camera(viewer->stage, viewer->width, viewer->height);
  make_viewer_room(viewer);
}

// ---- opening -----------------------------------------------------------------------------------

lbStatus vw_viewer_open(vwViewer *viewer, lbBundle *bundle, lbError *err) {
  vwSettings settings = vw_settings_default();
  vwStage *stage = NULL;
  lbStatus status = vw_stage_create(bundle, &viewer->def.stage, &settings, &stage, err);
  if (status) return status;
  vw_viewer_cancel(viewer);
  vw_viewer_undress(viewer);
  vw_stage_destroy(viewer->stage);
  viewer->stage = stage;
  viewer->settings = settings;
  viewer->generation = -1;
  viewer->map_high = 0;
  viewer->message[0] = 0;
  aim_camera(viewer);
  return LB_OK;
}

lbStatus vw_viewer_open_bytes(vwViewer *viewer, const char *name, const void *bytes, size_t count,
                              lbError *err) {
  lbBundle *bundle = NULL;
  lbStatus status = lb_bundle_read(name, bytes, count, &bundle, err);
  if (!status) status = vw_viewer_open(viewer, bundle, err);
  if (status) lb_bundle_destroy(bundle);
  return status;
}

void vw_viewer_context_lost(vwViewer *viewer) {
  vw_viewer_undress(viewer);
  vw_renderer_destroy(viewer->renderer, true);
  viewer->renderer = NULL;
}

lbStatus vw_viewer_context_restored(vwViewer *viewer, lbError *err) {
  if (viewer->renderer) return LB_OK;
  return vw_renderer_create(&viewer->def.renderer, &viewer->renderer, err);
}

// ---- settings and commands ---------------------------------------------------------------------

void vw_viewer_control(const vwViewer *viewer, int32_t control, vwControlState *state) {
  if (viewer->stage) {
    vw_stage_control(viewer->stage, &viewer->settings, control, state);
    return;
  }
  const vwControl *entry = vw_control(control);
  *state = (vwControlState){ .low = entry->low, .high = entry->high, .initial = entry->initial };
  snprintf(state->why, sizeof state->why, "nothing is open");
}

void vw_viewer_want(vwViewer *viewer, vwWish wish) {
  if (viewer->wish_count < VW_WISHES_MAX) viewer->wishes[viewer->wish_count++] = wish;
}

vwWish vw_viewer_wish(vwViewer *viewer) {
  if (!viewer->wish_count) return VW_WISH_NONE;
  vwWish wish = viewer->wishes[0];
  viewer->wish_count--;
  memmove(viewer->wishes, viewer->wishes + 1, (size_t)viewer->wish_count * sizeof wish);
  return wish;
}

static void frame_object(vwViewer *viewer) {
  vw_camera_frame(&viewer->camera, vw_stage_box(viewer->stage), viewer->width, viewer->height);
  make_viewer_room(viewer);
}

static void record_sketch(vwViewer *viewer) {
  if (vw_stage_sketching(viewer->stage)) {
    vw_viewer_want(viewer, VW_WISH_SKETCH);
    return;
  }
  vw_stage_sketch_begin(viewer->stage);
  vw_viewer_say(viewer,
                "Recording a sketch: pull the object into the shapes that matter, then press "
                "it again");
}

static void step_once(vwViewer *viewer) {
  lbError err;
  viewer->settings.paused = 1;
  if (vw_stage_apply(viewer->stage, &viewer->settings, &err)) vw_viewer_say(viewer, err.text);
  vw_stage_step(viewer->stage);
  viewer->steps++;
}
static void reset(vwViewer *viewer) { vw_stage_reset(viewer->stage); }
static void undo_pose(vwViewer *viewer) { vw_stage_pose_undo(viewer->stage, false); }
static void redo_pose(vwViewer *viewer) { vw_stage_pose_undo(viewer->stage, true); }
static void remove_handle(vwViewer *viewer) {
  if (viewer->settings.tool == VW_TOOL_FRAME)
    vw_stage_frame_remove(viewer->stage);
  else
    vw_stage_pose_remove(viewer->stage);
}
static void release_all(vwViewer *viewer) { vw_stage_release_all(viewer->stage); }

static const struct Button {
  const char *name;
  vwWish wish; // for the host, or
  void (*press)(vwViewer *viewer);
} buttons[] = {
  { "reset", VW_WISH_NONE, reset },         { "step", VW_WISH_NONE, step_once },
  { "release", VW_WISH_NONE, release_all }, { "undo", VW_WISH_NONE, undo_pose },
  { "redo", VW_WISH_NONE, redo_pose },      { "remove_handle", VW_WISH_NONE, remove_handle },
  { "frame", VW_WISH_NONE, frame_object },  { "sketch", VW_WISH_NONE, record_sketch },
  { "picture", VW_WISH_PICTURE, NULL },     { "video", VW_WISH_VIDEO, NULL },
  { "animation", VW_WISH_ANIMATION, NULL }, { "help", VW_WISH_HELP, NULL },
  { "next", VW_WISH_NEXT, NULL },           { "previous", VW_WISH_PREVIOUS, NULL },
  { "quit", VW_WISH_QUIT, NULL },           { "open", VW_WISH_OPEN, NULL },
  { "pose", VW_WISH_POSE, NULL },
};

static void press_button(vwViewer *viewer, const char *name) {
  for (size_t i = 0; i < sizeof buttons / sizeof *buttons; i++) {
    if (strcmp(buttons[i].name, name)) continue;
    if (buttons[i].wish)
      vw_viewer_want(viewer, buttons[i].wish);
    else if (viewer->stage)
      buttons[i].press(viewer);
  }
}

static double clamp_value(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

lbStatus vw_viewer_set(vwViewer *viewer, int32_t control, double value, lbError *err) {
  const vwControl *entry = vw_control(control);
  if (!entry) return lb_fail(err, LB_ERR_ARGUMENT, "there is no control %d", (int)control);
  if (entry->kind == VW_BUTTON) {
    press_button(viewer, entry->name);
    return LB_OK;
  }
  vwControlState state;
  vw_viewer_control(viewer, control, &state);
  if (!state.enabled) return lb_fail(err, LB_ERR_ARGUMENT, "%s: %s", entry->label, state.why);
  if (!(value == value)) return lb_fail(err, LB_ERR_ARGUMENT, "%s: not a number", entry->label);
  value = clamp_value(value, state.low, state.high);
  if (entry->kind == VW_CHOICE || entry->kind == VW_TOGGLE) value = (double)(int64_t)value;
  double compared = viewer->settings.compare;
  *vw_settings_value(&viewer->settings, control) = value;
  int32_t actors = vw_stage_actor_count(viewer->stage);
  vwView view = vw_viewer_view(viewer);
  vw_stage_face(viewer->stage, &view);
  lbStatus status = vw_stage_apply(viewer->stage, &viewer->settings, err);
  if (viewer->settings.compare != compared) frame_object(viewer);
  if (status && err) vw_viewer_say(viewer, err->text);
  // Copies that come side by side would be out of sight.
  if (vw_stage_actor_count(viewer->stage) != actors) frame_object(viewer);
  return status;
}

// ---- frames ------------------------------------------------------------------------------------

void vw_viewer_resize(vwViewer *viewer, int32_t width, int32_t height) {
  bool had_no_size = viewer->width <= 0 || viewer->height <= 0;
  viewer->width = width > 0 ? width : 0;
  viewer->height = height > 0 ? height : 0;
  if (had_no_size && viewer->stage && viewer->width && viewer->height) aim_camera(viewer);
}

void vw_viewer_cover(vwViewer *viewer, double share) {
  viewer->covered = share >= 0 ? clamp_value(share, -0.9, 0.9) : 0;
  viewer->camera.covered = viewer->covered;
}

void vw_viewer_size(const vwViewer *viewer, int32_t *width, int32_t *height) {
  *width = viewer->width;
  *height = viewer->height;
}

void vw_viewer_draw(vwViewer *viewer, unsigned target) {
  if (!viewer->renderer || viewer->width <= 0 || viewer->height <= 0) return;
  lbError err;
  if (viewer->stage && vw_viewer_dress(viewer, &err)) vw_viewer_say(viewer, err.text);
  vwPicture picture = vw_viewer_compose(viewer);
  vw_renderer_draw(viewer->renderer, &picture, target);
}

// What the stage says is for the user too.
static void pass_message(vwViewer *viewer) {
  if (!viewer->stage || !*vw_stage_message(viewer->stage)) return;
  vw_viewer_say(viewer, vw_stage_message(viewer->stage));
  vw_stage_forget_message(viewer->stage);
}

void vw_viewer_frame(vwViewer *viewer, double seconds, unsigned target) {
  if (!(seconds >= 0 && seconds <= LONGEST_FRAME)) seconds = seconds > 0 ? LONGEST_FRAME : 0;
  viewer->now += seconds;
  viewer->frame++;
  if (viewer->stage) viewer->steps += vw_stage_advance(viewer->stage, seconds);
  pass_message(viewer);
  vw_viewer_draw(viewer, target);
}
