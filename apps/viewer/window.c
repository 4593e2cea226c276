// The window: events in, frames out, files opened and saved on wish.
#include "window.h"

#include "capture.h"
#include "panel.h"

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOTE_SECONDS 5
#define FRAME_SECONDS (1.0 / 60) // where the display does not hold the frames back

typedef struct Window {
  GLFWwindow *handle;
  vwViewer *viewer;
  vwPanel panel;
  vwCapture *capture;
  const vwWindowDef *def;
  vwWindowReport *report;
  double scale_x, scale_y; // framebuffer pixels in a unit of the pointer
  char note[600];
  double note_until;
  bool stop_work; // Escape during long work
  bool watching;  // a grab is followed for the report
  lbVec3 watched;
} Window;

vwWindowDef vw_window_def(void) {
  return (vwWindowDef){ .width = 1280, .height = 800, .panel = true, .viewer = vw_viewer_def() };
}

static Window *window_of(GLFWwindow *handle) { return glfwGetWindowUserPointer(handle); }

static void say(Window *window, const char *text) {
  snprintf(window->note, sizeof window->note, "%s", text);
  window->note_until = glfwGetTime() + NOTE_SECONDS;
}

// ---- opening -----------------------------------------------------------------------------------

static void draw_frame(Window *window, double seconds);

// Long work: the window stays alive and shows how far it is.
static bool show_progress(const char *stage, double fraction, void *context) {
  Window *window = context;
  window->panel.stage = stage;
  window->panel.fraction = fraction;
  glfwPollEvents();
  draw_frame(window, 0);
  return !window->stop_work && !glfwWindowShouldClose(window->handle);
}

static void set_title(Window *window) {
  char title[256];
  snprintf(title, sizeof title, "%s - limber", vw_stage_title(vw_viewer_stage(window->viewer)));
  glfwSetWindowTitle(window->handle, title);
}

static lbStatus open_path(Window *window, const char *path, lbError *err) {
  lbBundle *bundle = NULL;
  window->stop_work = false;
  lb_set_progress(show_progress, window);
  show_progress("opening", 0, window);
  lbStatus status = vw_open(path, &bundle, err);
  lb_set_progress(NULL, NULL);
  window->panel.stage = NULL;
  if (!status) status = vw_viewer_open(window->viewer, bundle, err);
  if (status) {
    lb_bundle_destroy(bundle);
    window->report->refused++;
    say(window, err->text);
    return status;
  }
  window->report->opened++;
  window->watching = false;
  set_title(window);
  return LB_OK;
}

static lbStatus open_item(Window *window, int32_t item, lbError *err) {
  lbStatus status = open_path(window, window->def->gallery->items[item].path, err);
  if (!status) window->panel.current = item;
  return status;
}

static void open_neighbour(Window *window, int32_t step) {
  int32_t count = window->def->gallery->count;
  lbError err;
  if (count) open_item(window, (window->panel.current + step + count) % count, &err);
}

// ---- events ------------------------------------------------------------------------------------

static int modifiers_of(int glfw) {
  return (glfw & GLFW_MOD_SHIFT ? VW_MOD_SHIFT : 0) |
         (glfw & GLFW_MOD_CONTROL ? VW_MOD_CONTROL : 0) | (glfw & GLFW_MOD_ALT ? VW_MOD_ALT : 0);
}

static void on_button(GLFWwindow *handle, int button, int action, int glfw_modifiers) {
  Window *window = window_of(handle);
  int modifiers = modifiers_of(glfw_modifiers);
  if (action == GLFW_RELEASE) {
    vw_viewer_release(window->viewer, button, modifiers);
    return;
  }
  if (vw_panel_takes_pointer()) return;
  vwButton kind = button == GLFW_MOUSE_BUTTON_RIGHT    ? VW_BUTTON_RIGHT
                  : button == GLFW_MOUSE_BUTTON_MIDDLE ? VW_BUTTON_MIDDLE
                                                       : VW_BUTTON_LEFT;
  double x, y;
  glfwGetCursorPos(handle, &x, &y);
  vw_viewer_press(window->viewer, button, kind, modifiers, x * window->scale_x,
                  y * window->scale_y);
}

static void on_move(GLFWwindow *handle, double x, double y) {
  Window *window = window_of(handle);
  for (int button = 0; button <= GLFW_MOUSE_BUTTON_LAST; button++)
    vw_viewer_move(window->viewer, button, x * window->scale_x, y * window->scale_y);
}

static void on_wheel(GLFWwindow *handle, double dx, double dy) {
  (void)dx;
  if (!vw_panel_takes_pointer()) vw_viewer_wheel(window_of(handle)->viewer, -dy);
}

static void on_focus(GLFWwindow *handle, int focused) {
  if (!focused) vw_viewer_cancel(window_of(handle)->viewer);
}

static int key_of(int glfw) {
  switch (glfw) {
  case GLFW_KEY_LEFT: return VW_KEY_LEFT;
  case GLFW_KEY_RIGHT: return VW_KEY_RIGHT;
  case GLFW_KEY_UP: return VW_KEY_UP;
  case GLFW_KEY_DOWN: return VW_KEY_DOWN;
  case GLFW_KEY_ESCAPE: return VW_KEY_ESCAPE;
  default: return 0;
  }
}

static void on_key(GLFWwindow *handle, int glfw, int code, int action, int glfw_modifiers) {
  Window *window = window_of(handle);
  (void)code;
  if (action == GLFW_RELEASE) return;
  if (glfw == GLFW_KEY_ESCAPE) {
    window->stop_work = true;
    window->panel.help = false;
  }
  if (glfw == GLFW_KEY_TAB) window->panel.shown = !window->panel.shown;
  int key = key_of(glfw);
  if (key) vw_viewer_key(window->viewer, key, modifiers_of(glfw_modifiers));
}

// Characters, so that '?' and '[' are found on any keyboard.
static void on_character(GLFWwindow *handle, unsigned character) {
  Window *window = window_of(handle);
  if (vw_panel_takes_keys() || character >= 128) return;
  bool upper = character >= 'A' && character <= 'Z';
  vw_viewer_key(window->viewer, (int)character, upper ? VW_MOD_SHIFT : 0);
}

static void on_drop(GLFWwindow *handle, int count, const char **paths) {
  Window *window = window_of(handle);
  lbError err;
  if (count > 0 && !open_path(window, paths[0], &err)) window->panel.current = -1;
}

static void set_callbacks(Window *window) {
  glfwSetWindowUserPointer(window->handle, window);
  glfwSetMouseButtonCallback(window->handle, on_button);
  glfwSetCursorPosCallback(window->handle, on_move);
  glfwSetScrollCallback(window->handle, on_wheel);
  glfwSetWindowFocusCallback(window->handle, on_focus);
  glfwSetKeyCallback(window->handle, on_key);
  glfwSetCharCallback(window->handle, on_character);
  glfwSetDropCallback(window->handle, on_drop);
}

// ---- saving ------------------------------------------------------------------------------------

static void tell_saved(Window *window, lbStatus status, const char *saved, const lbError *err) {
  char text[300];
  if (status)
    say(window, err->text);
  else if (*saved) {
    snprintf(text, sizeof text, "Saved %s", saved);
    say(window, text);
  }
}

// What the framebuffer of the window holds, top row first; NULL when memory is short.
static uint8_t *read_frame(int32_t width, int32_t height) {
  size_t row = 4 * (size_t)width;
  uint8_t *below = lb_alloc((size_t)height, row), *rgba = lb_alloc((size_t)height, row);
  if (below && rgba) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, below);
    for (int32_t y = 0; y < height; y++)
      memcpy(rgba + row * (size_t)y, below + row * (size_t)(height - 1 - y), row);
  }
  lb_free(below);
  return rgba;
}

static void save_picture(Window *window, int32_t width, int32_t height) {
  char saved[256] = "";
  lbError err;
  uint8_t *rgba = read_frame(width, height);
  lbStatus status =
      rgba ? vw_capture_picture(window->capture, width, height, rgba, saved, sizeof saved, &err)
           : lb_fail_memory(&err);
  lb_free(rgba);
  tell_saved(window, status, saved, &err);
}

static void grant(Window *window, vwWish wish, int32_t width, int32_t height) {
  vwStage *stage = vw_viewer_stage(window->viewer);
  char saved[256] = "";
  lbError err;
  lbStatus status = LB_OK;
  switch (wish) {
  case VW_WISH_PICTURE: save_picture(window, width, height); return;
  case VW_WISH_VIDEO:
    status = vw_capture_toggle_video(window->capture, width, height, saved, sizeof saved, &err);
    break;
  case VW_WISH_ANIMATION:
    if (stage)
      status = vw_capture_toggle_animation(window->capture, stage, saved, sizeof saved, &err);
    break;
  case VW_WISH_SKETCH:
    if (stage) status = vw_capture_sketch(window->capture, stage, saved, sizeof saved, &err);
    break;
  case VW_WISH_HELP: window->panel.help = !window->panel.help; return;
  case VW_WISH_NEXT: open_neighbour(window, 1); return;
  case VW_WISH_PREVIOUS: open_neighbour(window, -1); return;
  case VW_WISH_QUIT: glfwSetWindowShouldClose(window->handle, GLFW_TRUE); return;
  case VW_WISH_NONE: return;
  }
  tell_saved(window, status, saved, &err);
}

static void record_frame(Window *window, int32_t width, int32_t height) {
  double now = glfwGetTime();
  vwStage *stage = vw_viewer_stage(window->viewer);
  if (!stage || !vw_capture_frame_due(window->capture, now)) return;
  lbError err;
  uint8_t *rgba = vw_capture_has_video(window->capture) ? read_frame(width, height) : NULL;
  if (vw_capture_frame(window->capture, now, stage, width, height, rgba, &err))
    say(window, err.text);
  lb_free(rgba);
}

// ---- frames ------------------------------------------------------------------------------------

// How far hands moved what they hold, for the report.
static void watch_hands(Window *window) {
  vwStage *stage = vw_viewer_stage(window->viewer);
  bool held = false;
  for (int32_t i = 0; stage && i < vw_stage_hold_count(stage) && !held; i++) {
    vwHold hold = vw_stage_hold(stage, i);
    if (hold.kind != VW_HOLD_GRAB) continue;
    held = true;
    if (!window->watching) {
      window->watched = hold.point;
      window->report->grabs++;
    }
    vwWindowReport *report = window->report;
    report->largest_pull =
        fmax(report->largest_pull, lb_length(lb_sub(hold.point, window->watched)));
    report->largest_force = fmax(report->largest_force, lb_length(hold.force));
  }
  window->watching = held;
}

static void draw_frame(Window *window, double seconds) {
  int width, height, outer_width, outer_height;
  glfwGetFramebufferSize(window->handle, &width, &height);
  glfwGetWindowSize(window->handle, &outer_width, &outer_height);
  if (width <= 0 || height <= 0) return; // iconified, or made very small
  window->scale_x = outer_width > 0 ? (double)width / outer_width : 1;
  window->scale_y = outer_height > 0 ? (double)height / outer_height : 1;
  vw_viewer_cover(window->viewer, vw_panel_width() * window->scale_x / width);
  vw_viewer_resize(window->viewer, width, height);
  vw_viewer_frame(window->viewer, seconds, 0);
  record_frame(window, width, height);
  window->panel.video = vw_capture_has_video(window->capture);
  window->panel.animation = vw_capture_has_animation(window->capture);
  window->panel.note = glfwGetTime() < window->note_until ? window->note : NULL;
  vw_panel_draw(&window->panel);
  glfwSwapBuffers(window->handle);
}

static void pass_messages(Window *window) {
  const char *message = vw_viewer_message(window->viewer);
  if (!*message) return;
  say(window, message);
  vw_viewer_clear_message(window->viewer);
}

static void run(Window *window) {
  double last = glfwGetTime(), start = last;
  while (!glfwWindowShouldClose(window->handle)) {
    double now = glfwGetTime(), passed = now - last;
    last = now;
    if (passed > 0) window->panel.frame_rate += 0.05 * (1 / passed - window->panel.frame_rate);
    if (window->def->seconds > 0 && now - start > window->def->seconds) break;
    int64_t before = vw_viewer_steps(window->viewer);
    draw_frame(window, passed);
    window->report->steps += vw_viewer_steps(window->viewer) - before;
    window->report->frames++;
    watch_hands(window);
    pass_messages(window);
    int width, height;
    glfwGetFramebufferSize(window->handle, &width, &height);
    for (vwWish wish; (wish = vw_viewer_wish(window->viewer)) != VW_WISH_NONE;)
      if (width > 0 && height > 0) grant(window, wish, width, height);
    lbError err;
    if (window->panel.wanted >= 0) open_item(window, window->panel.wanted, &err);
    double left = FRAME_SECONDS - (glfwGetTime() - now);
    if (left > 0.001)
      glfwWaitEventsTimeout(left);
    else
      glfwPollEvents();
  }
  window->report->seconds = glfwGetTime() - start;
}

// ---- life --------------------------------------------------------------------------------------

static lbStatus no_window(lbError *err) {
  const char *why = NULL;
  glfwGetError(&why);
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "no window: %s; try limber view --web, or limber render for pictures",
                 why ? why : "OpenGL 3.3 is not there");
}

static lbStatus make_window(Window *window, lbError *err) {
  if (!glfwInit()) return no_window(err);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "limber");
  window->handle = glfwCreateWindow(window->def->width, window->def->height, "limber", NULL, NULL);
  if (!window->handle) return no_window(err);
  glfwMakeContextCurrent(window->handle);
  glfwSwapInterval(1);
  lbStatus status = vw_viewer_create(&window->def->viewer, &window->viewer, err);
  if (!status) status = vw_capture_create(&window->capture, err);
  if (status) return status;
  set_callbacks(window);
  float scale_x = 1, scale_y = 1;
  glfwGetWindowContentScale(window->handle, &scale_x, &scale_y);
  if (!vw_panel_start(window->handle, scale_x > 0 ? scale_x : 1))
    return lb_fail(err, LB_ERR_UNSUPPORTED, "the window's panel could not be started");
  window->panel = (vwPanel){ .viewer = window->viewer,
                             .gallery = window->def->gallery,
                             .current = -1,
                             .wanted = -1,
                             .shown = window->def->panel,
                             .device = vw_viewer_device(window->viewer) };
  return LB_OK;
}

static void close_window(Window *window) {
  vw_capture_destroy(window->capture);
  if (window->panel.viewer) vw_panel_stop();
  vw_viewer_destroy(window->viewer);
  if (window->handle) glfwDestroyWindow(window->handle);
  glfwTerminate();
}

lbStatus vw_window_run(const vwWindowDef *def, vwWindowReport *report, lbError *err) {
  Window window = { .def = def, .report = report, .scale_x = 1, .scale_y = 1 };
  *report = (vwWindowReport){ 0 };
  lbStatus status = make_window(&window, err);
  if (!status) {
    snprintf(report->device, sizeof report->device, "%s", vw_viewer_device(window.viewer));
    lbStatus opened = def->gallery->count ? open_item(&window, 0, err) : LB_OK;
    if (opened && def->gallery->count == 1) status = opened;
  }
  if (!status) {
    if (def->link) vw_viewer_follow_link(window.viewer, def->link);
    run(&window);
  }
  close_window(&window);
  return status;
}
