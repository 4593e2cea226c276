// The window: events in, frames out, files opened on wish.
#include "desktop/window.h"

#include "view/amount.h"
#include "view/assign.h"
#include "desktop/panel.h"
#include "desktop/window_save.h"

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOTE_SECONDS 4           // a message is shown, and
#define NOTE_READING (1.0 / 15)  // for each of its letters
#define FRAME_SECONDS (1.0 / 60) // where the display does not hold the frames back
#define WORK_SECONDS 0.1         // between frames during long work, at least, and
#define WORK_SHARE 9             // times as long as a frame takes, so that the work gets on

typedef struct Window {
  GLFWwindow *handle;
  vwViewer *viewer;
  vwPanel panel;
  vwSaver saver;
  const vwWindowDef *def;
  vwWindowReport *report;
  double scale_x, scale_y; // framebuffer pixels in a unit of the pointer
  double x, y;  // the pointer by the events so far: GLFW's present position differs from that of
                // a press after a slow picture
  double begin; // of the clock
  vwRate rate;  // of pictures
  double note_until;
  double work_next; // when the next frame of long work is to be drawn
  bool stop_work;   // Escape during long work
  int32_t tried;    // item of the gallery that was last chosen
  bool watching;    // a grab is followed for the report
  lbVec3 watched;
} Window;

vwWindowDef vw_window_def(void) {
  return (vwWindowDef){ .width = 1280, .height = 800, .panel = true, .viewer = vw_viewer_def() };
}

static Window *window_of(GLFWwindow *handle) { return glfwGetWindowUserPointer(handle); }

static void say(Window *window, const char *text) {
  snprintf(window->report->note, sizeof window->report->note, "%s", text);
  window->note_until = glfwGetTime() + NOTE_SECONDS + NOTE_READING * (double)strlen(text);
}

static bool is_over(const Window *window) {
  const vwWindowDef *def = window->def;
  return glfwWindowShouldClose(window->handle) || (def->stopped && def->stopped(def->context)) ||
         (def->seconds > 0 && glfwGetTime() - window->begin > def->seconds);
}

// ---- opening -----------------------------------------------------------------------------------

static void draw_frame(Window *window, double seconds);

// Long work: the window stays alive and shows how far it is.
static bool show_window_progress(const char *stage, double fraction, void *context) {
  Window *window = context;
  window->panel.stage = stage;
  window->panel.fraction = fraction;
  glfwPollEvents();
  double begin = glfwGetTime();
  if (begin >= window->work_next) {
    draw_frame(window, 0);
    double now = glfwGetTime();
    window->work_next = now + fmax(WORK_SECONDS, WORK_SHARE * (now - begin));
  }
  return !window->stop_work && !is_over(window);
}

static void set_title(Window *window) {
  char title[256];
  const char *shown = vw_stage_title(vw_viewer_stage(window->viewer));
  snprintf(title, sizeof title, "%s - limber", shown);
  snprintf(window->report->title, sizeof window->report->title, "%s", shown);
  glfwSetWindowTitle(window->handle, title);
}

static lbStatus open_path(Window *window, const char *path, lbError *err) {
  lbBundle *bundle = NULL;
  vw_viewer_cancel(window->viewer);
  window->stop_work = false;
  window->work_next = 0;
  window->report->working = true;
  lb_set_progress(show_window_progress, window);
  show_window_progress("opening", 0, window);
  lbStatus status = vw_open(path, &bundle, err);
  lb_set_progress(NULL, NULL);
  lbError ended;
  if (!status && vw_saver_end_animation(&window->saver, window->viewer, &ended))
    say(window, ended.text);
  if (!status) status = vw_viewer_open(window->viewer, bundle, err);
  window->panel.stage = NULL;
  window->report->working = false;
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
  window->tried = item;
  lbStatus status = open_path(window, window->def->gallery->items[item].path, err);
  if (!status) window->panel.current = item;
  return status;
}

// From the item chosen last, so that one that cannot be opened is skipped.
static void open_neighbour(Window *window, int32_t step) {
  int32_t count = window->def->gallery->count, from = window->tried;
  lbError err;
  if (from < 0 && step < 0) from = 0;
  if (count > 1 || (count && window->panel.current < 0))
    open_item(window, (from + step + count) % count, &err);
  else
    say(window, "There is no other scene: limber view without a file shows the gallery");
}

// ---- events ------------------------------------------------------------------------------------

static int modifiers_of(int glfw) {
  return (glfw & GLFW_MOD_SHIFT ? VW_MOD_SHIFT : 0) |
         (glfw & GLFW_MOD_CONTROL ? VW_MOD_CONTROL : 0) | (glfw & GLFW_MOD_ALT ? VW_MOD_ALT : 0);
}

// Whether the panel takes the pointer, or long work ignores it.
static bool is_taken(const Window *window) {
  return window->report->working || vw_panel_takes_pointer(window->x, window->y);
}

static void on_button(GLFWwindow *handle, int button, int action, int glfw_modifiers) {
  Window *window = window_of(handle);
  int modifiers = modifiers_of(glfw_modifiers);
  if (action == GLFW_RELEASE) {
    vw_viewer_release(window->viewer, button, modifiers);
    window->watching = false;
    return;
  }
  if (is_taken(window)) return;
  vwButton kind = button == GLFW_MOUSE_BUTTON_RIGHT    ? VW_BUTTON_RIGHT
                  : button == GLFW_MOUSE_BUTTON_MIDDLE ? VW_BUTTON_MIDDLE
                                                       : VW_BUTTON_LEFT;
  vw_viewer_press(window->viewer, button, kind, modifiers, window->x * window->scale_x,
                  window->y * window->scale_y);
}

static void on_move(GLFWwindow *handle, double x, double y) {
  Window *window = window_of(handle);
  window->x = x;
  window->y = y;
  for (int button = 0; button <= GLFW_MOUSE_BUTTON_LAST; button++)
    vw_viewer_move(window->viewer, button, x * window->scale_x, y * window->scale_y);
}

static void on_wheel(GLFWwindow *handle, double dx, double dy) {
  Window *window = window_of(handle);
  (void)dx;
  if (!is_taken(window)) vw_viewer_wheel(window->viewer, -dy);
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
  bool enters = glfw == GLFW_KEY_ENTER || glfw == GLFW_KEY_KP_ENTER;
  if (window->panel.opening && enters && action == GLFW_PRESS) window->panel.open_path = true;
  if (glfw == GLFW_KEY_ESCAPE) window->panel.opening = false; // also while a path is typed
  if (action == GLFW_RELEASE || vw_panel_takes_keys()) return;
  if (glfw == GLFW_KEY_ESCAPE) {
    window->stop_work = true;
    window->panel.help = false;
  }
  if (glfw == GLFW_KEY_TAB && action == GLFW_PRESS) window->panel.shown = !window->panel.shown;
  int key = key_of(glfw);
  if (key && !window->report->working)
    vw_viewer_key(window->viewer, key, modifiers_of(glfw_modifiers));
}

// Characters, so that '?' and '[' are found on any keyboard. During long work all but the end
// waits for nobody.
static void on_character(GLFWwindow *handle, unsigned character) {
  Window *window = window_of(handle);
  if (vw_panel_takes_keys() || character >= 128) return;
  bool upper = character >= 'A' && character <= 'Z';
  int32_t quit = vw_control_find("quit");
  if (!window->report->working)
    vw_viewer_key(window->viewer, (int)character, upper ? VW_MOD_SHIFT : 0);
  else if (vw_control_by_key((int)character) == quit)
    glfwSetWindowShouldClose(handle, GLFW_TRUE);
}

static void on_drop(GLFWwindow *handle, int count, const char **paths) {
  Window *window = window_of(handle);
  lbError err;
  if (count < 1 || window->report->working) return;
  if (!open_path(window, paths[0], &err)) window->panel.current = window->tried = -1;
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

// ---- wishes ------------------------------------------------------------------------------------

static void save_window(Window *window, vwWish wish) {
  char text[400];
  lbError err;
  if (vw_saver_grant(&window->saver, window->viewer, wish, text, sizeof text, &err))
    say(window, err.text);
  else if (*text)
    say(window, text);
}

static void grant(Window *window, vwWish wish) {
  switch (wish) {
  case VW_WISH_OPEN: window->panel.opening = !window->panel.opening; break;
  case VW_WISH_HELP: window->panel.help = !window->panel.help; break;
  case VW_WISH_NEXT: open_neighbour(window, 1); break;
  case VW_WISH_PREVIOUS: open_neighbour(window, -1); break;
  case VW_WISH_QUIT: glfwSetWindowShouldClose(window->handle, GLFW_TRUE); break;
  case VW_WISH_NONE: break;
  default: save_window(window, wish);
  }
}

// Wishes of the keys and of the panel. Opening draws frames of its own, in which nothing is wished.
static void grant_all(Window *window) {
  lbError err;
  for (vwWish wish; (wish = vw_viewer_wish(window->viewer)) != VW_WISH_NONE;) grant(window, wish);
  int32_t wanted = window->panel.wanted;
  window->panel.wanted = -1;
  if (wanted >= 0) open_item(window, wanted, &err);
  char path[sizeof window->panel.path];
  memcpy(path, window->panel.path, sizeof path);
  if (window->panel.open_path && path[0] && !open_path(window, path, &err)) {
    window->panel.current = window->tried = -1;
    window->panel.opening = false;
  }
  window->panel.open_path = false;
}

// ---- frames ------------------------------------------------------------------------------------

// How far hands moved the points that they hold, for the report.
static void watch_hands(Window *window) {
  vwStage *stage = vw_viewer_stage(window->viewer);
  vwWindowReport *report = window->report;
  report->holding = report->pins = 0;
  bool grabbed = false;
  for (int32_t i = 0; stage && i < vw_stage_hold_count(stage); i++) {
    vwHold hold = vw_stage_hold(stage, i);
    if (hold.kind == VW_HOLD_PIN) report->pins++;
    if (hold.kind != VW_HOLD_PIN) report->holding++;
    report->largest_force = fmax(report->largest_force, lb_length(hold.force));
    if (hold.kind != VW_HOLD_GRAB || grabbed) continue;
    grabbed = true;
    if (!window->watching) {
      window->watched = hold.point;
      report->grabs++;
    }
    report->largest_pull =
        fmax(report->largest_pull, lb_length(lb_sub(hold.point, window->watched)));
  }
  window->watching = grabbed;
}

static void draw_panel(Window *window) {
  vwPanel *panel = &window->panel;
  panel->video = vw_capture_has_video(window->saver.capture);
  panel->animation = vw_capture_has_animation(window->saver.capture);
  panel->note = glfwGetTime() < window->note_until ? window->report->note : NULL;
  vw_panel_draw(panel);
}

static void record(Window *window) {
  char text[400];
  lbError err;
  if (vw_saver_record(&window->saver, window->viewer, glfwGetTime(), text, sizeof text, &err))
    say(window, err.text);
  else if (*text)
    say(window, text);
}

static void draw_frame(Window *window, double seconds) {
  int width, height, outer_width, outer_height;
  glfwGetFramebufferSize(window->handle, &width, &height);
  glfwGetWindowSize(window->handle, &outer_width, &outer_height);
  window->report->width = width;
  window->report->height = height;
  if (width <= 0 || height <= 0 || outer_width <= 0 || outer_height <= 0) return; // hidden
  window->scale_x = (double)width / outer_width;
  window->scale_y = (double)height / outer_height;
  vw_viewer_cover(window->viewer, vw_panel_width(&window->panel, outer_width, outer_height));
  vw_viewer_resize(window->viewer, width, height);
  vw_viewer_frame(window->viewer, seconds, 0);
  if (!window->report->working) record(window);
  draw_panel(window);
  glfwSwapBuffers(window->handle);
}

static void pass_messages(Window *window) {
  const char *message = vw_viewer_message(window->viewer);
  if (!*message) return;
  say(window, message);
  vw_viewer_clear_message(window->viewer);
}

static void report_window(Window *window) {
  vwWindowReport *report = window->report;
  report->seconds = glfwGetTime() - window->begin;
  report->steps = vw_viewer_steps(window->viewer);
  report->saved = window->saver.saved;
  report->panel = window->panel.shown;
  report->help = window->panel.help;
  vw_viewer_link(window->viewer, report->link, sizeof report->link);
  if (window->def->tell) window->def->tell(report, window->def->context);
}

static void run_window(Window *window) {
  double last = glfwGetTime();
  while (!is_over(window)) {
    double now = glfwGetTime(), passed = now - last;
    last = now;
    window->panel.frame_rate = vw_rate_tick(&window->rate, now);
    draw_frame(window, passed);
    window->report->frames++;
    watch_hands(window);
    pass_messages(window);
    grant_all(window);
    report_window(window);
    double left = FRAME_SECONDS - (glfwGetTime() - now);
    if (left > 0.001)
      glfwWaitEventsTimeout(left);
    else
      glfwPollEvents();
  }
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
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "limber");
  window->handle = glfwCreateWindow(window->def->width, window->def->height, "limber", NULL, NULL);
  if (!window->handle) return no_window(err);
  glfwMakeContextCurrent(window->handle);
  glfwSwapInterval(1);
  window->begin = glfwGetTime();
  return LB_OK;
}

static lbStatus furnish_window(Window *window, lbError *err) {
  const vwWindowDef *def = window->def;
  lbStatus status = vw_viewer_create(&def->viewer, &window->viewer, err);
  if (!status) status = vw_capture_create(&window->saver.capture, err);
  if (status) return status;
  set_callbacks(window);
  glfwGetCursorPos(window->handle, &window->x, &window->y);
  float scale_x = 1, scale_y = 1;
  glfwGetWindowContentScale(window->handle, &scale_x, &scale_y);
  if (!vw_panel_start(window->handle, scale_x > 0 ? scale_x : 1))
    return lb_fail(err, LB_ERR_UNSUPPORTED, "the window's panel could not be started");
  window->panel = (vwPanel){ .viewer = window->viewer,
                             .gallery = def->gallery,
                             .current = -1,
                             .wanted = -1,
                             .shown = def->panel,
                             .device = vw_viewer_device(window->viewer) };
  snprintf(window->report->device, sizeof window->report->device, "%s", window->panel.device);
  return LB_OK;
}

static lbStatus open_first(Window *window, lbError *err) {
  const vwWindowDef *def = window->def;
  lbStatus status = def->gallery->count ? open_item(window, 0, err) : LB_OK;
  if (status) return def->gallery->count == 1 ? status : LB_OK;
  return def->settings ? vw_assign(window->viewer, def->settings, err) : LB_OK;
}

static void close_window(Window *window) {
  lbError err;
  if (window->viewer && window->saver.capture) {
    if (vw_saver_end(&window->saver, window->viewer, &err)) lb_log(LB_LOG_WARNING, "%s", err.text);
    report_window(window);
  }
  vw_saver_destroy(&window->saver);
  if (window->panel.viewer) vw_panel_stop();
  vw_viewer_destroy(window->viewer);
  if (window->handle) glfwDestroyWindow(window->handle);
  glfwTerminate();
}

lbStatus vw_window_run(const vwWindowDef *def, vwWindowReport *report, lbError *err) {
  Window window = { .def = def, .report = report, .scale_x = 1, .scale_y = 1, .tried = -1 };
  *report = (vwWindowReport){ 0 };
  lbStatus status = make_window(&window, err);
  if (!status) status = furnish_window(&window, err);
  if (!status) status = open_first(&window, err);
  if (!status) run_window(&window);
  if (status == LB_ERR_INTERRUPTED && is_over(&window)) status = LB_OK; // closed while it opened
  close_window(&window);
  return status;
}
