// A viewer on a small picture without a display, with a bar in it, and what tests do with it.
#ifndef LB_TESTS_VIEWER_FIXTURE_H
#define LB_TESTS_VIEWER_FIXTURE_H

#include "stage_fixture.h"

#include "limber/cook.h"
#include "desktop/offscreen.h"
#include "view/viewer.h"

// The drivers keep memory of their own until the program ends, and are unloaded before leaks are
// looked for.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:_dri.so\nleak:libgallium\nleak:libEGL\nleak:libepoxy\nleak:libLLVM\n"
         "leak:<unknown module>\n";
}

enum { WIDTH = 160, HEIGHT = 120, PIXELS = WIDTH * HEIGHT };

static vwOffscreen *offscreen; // NULL: no driver gives a context here, tests are skipped

static inline int start_offscreen(void **state) {
  (void)state;
  lbError err;
  if (vw_offscreen_create(WIDTH, HEIGHT, &offscreen, &err)) print_message("%s\n", err.text);
  return 0;
}

static inline int stop_offscreen(void **state) {
  (void)state;
  vw_offscreen_destroy(offscreen);
  return 0;
}

static inline vwViewer *empty_viewer(void) {
  if (!offscreen) skip();
  vwViewerDef def = vw_viewer_def();
  vwViewer *viewer = NULL;
  lbError err;
  def.stage.step_budget = INFINITY; // results do not depend on how fast the machine is
  def.renderer.shadow_size = 256;
  def.renderer.samples = 1;
  check_ok(vw_viewer_create(&def, &viewer, &err), err);
  vw_viewer_resize(viewer, WIDTH, HEIGHT);
  return viewer;
}

static inline vwViewer *viewer_of(const char *json) {
  vwViewer *viewer = empty_viewer();
  lbError err;
  check_ok(vw_viewer_open(viewer, bundle_of(json), &err), err);
  return viewer;
}

static inline void frame(vwViewer *viewer, double seconds) {
  vw_viewer_frame(viewer, seconds, vw_offscreen_target(offscreen));
}

static inline void read_picture(vwViewer *viewer, uint8_t rgba[4 * PIXELS]) {
  lbError err;
  vw_viewer_draw(viewer, vw_offscreen_target(offscreen));
  check_ok(vw_offscreen_read(offscreen, rgba, &err), err);
}

static inline double control(const vwViewer *viewer, const char *name) {
  vwControlState state;
  assert_true(vw_control_find(name) >= 0);
  vw_viewer_control(viewer, vw_control_find(name), &state);
  return state.value;
}

static inline void set(vwViewer *viewer, const char *name, double value) {
  lbError err;
  check_ok(vw_viewer_set(viewer, vw_control_find(name), value, &err), err);
}

// The pixel of the bar's middle at rest: a ray to it meets the bar.
static inline void middle_of_bar(vwViewer *viewer, double *x, double *y) {
  vwBox box = vw_stage_rest_box(vw_viewer_stage(viewer));
  vwView view = vw_camera_view(vw_viewer_camera(viewer), WIDTH, HEIGHT);
  assert_true(vw_view_project(&view, lb_scale(0.5, lb_add(box.low, box.high)), x, y));
}

static inline int32_t hold_count(vwViewer *viewer) {
  return vw_stage_hold_count(vw_viewer_stage(viewer));
}

#endif
