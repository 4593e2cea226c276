// The viewer in a web page: what web/src/viewer.mjs calls. The page owns the canvas, the clock and
// the files; texts go back as JSON in a buffer that the next call overwrites.
#include "page/text.h"
#include "view/animation.h"
#include "view/gltf.h"
#include "view/viewer.h"

#include <emscripten.h>
#include <emscripten/html5.h>
#include <math.h>
#include <string.h>

static vwViewer *viewer;
static vwAnimation *animation; // NULL: none is recorded
static bool ended;             // the animation cannot continue
static bool by_software;       // what draws is a processor, which deforms better outside of shaders
static EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context;

// ---- life --------------------------------------------------------------------------------------

// 0: fine; otherwise page_error_text says why.
EXPORT int vw_page_start(const char *canvas, int software) {
  EmscriptenWebGLContextAttributes wanted;
  emscripten_webgl_init_context_attributes(&wanted);
  wanted.majorVersion = 2;
  wanted.alpha = false;
  wanted.antialias = false; // the renderer has its own
  wanted.depth = false;
  wanted.powerPreference = EM_WEBGL_POWER_PREFERENCE_HIGH_PERFORMANCE;
  context = emscripten_webgl_create_context(canvas, &wanted);
  if (context <= 0 || emscripten_webgl_make_context_current(context) != EMSCRIPTEN_RESULT_SUCCESS)
    return lb_fail(&page_error, LB_ERR_UNSUPPORTED, "this browser gives no WebGL 2");
  vwViewerDef def = vw_viewer_def();
  by_software = software;
  if (software) { // a processor draws: half the work
    def.renderer.samples = 1;
    def.renderer.shadow_size = 1024;
  }
  return vw_viewer_create(&def, &viewer, &page_error);
}

static void drop_animation(void) {
  vw_animation_destroy(animation);
  animation = NULL;
}

EXPORT int vw_page_open(const char *name, const void *bytes, size_t count) {
  lbStatus status = vw_viewer_open_bytes(viewer, name, bytes, count, &page_error);
  if (status) return status;
  drop_animation(); // its models are about to be destroyed
  if (by_software) vw_viewer_set(viewer, vw_control_find("on_gpu"), 0, NULL);
  return LB_OK;
}

EXPORT void vw_page_lose(void) { vw_viewer_context_lost(viewer); }
EXPORT int vw_page_restore(void) {
  emscripten_webgl_make_context_current(context);
  emscripten_webgl_enable_extension(context, "EXT_texture_filter_anisotropic");
  emscripten_webgl_enable_extension(context, "EXT_color_buffer_float");
  emscripten_webgl_enable_extension(context, "OES_texture_float_linear");
  return vw_viewer_context_restored(viewer, &page_error);
}

// ---- frames and input --------------------------------------------------------------------------

EXPORT void vw_page_resize(int width, int height) { vw_viewer_resize(viewer, width, height); }
EXPORT void vw_page_cover(double share) { vw_viewer_cover(viewer, share); }
EXPORT void vw_page_frame(double seconds) {
  vw_viewer_frame(viewer, seconds, 0);
  if (animation && vw_animation_add(animation, vw_viewer_stage(viewer), &page_error)) ended = true;
}
EXPORT void vw_page_draw(void) { vw_viewer_draw(viewer, 0); }
EXPORT void vw_page_press(int pointer, int button, int modifiers, double x, double y) {
  vw_viewer_press(viewer, pointer, (vwButton)button, modifiers, x, y);
}
EXPORT void vw_page_move(int pointer, double x, double y) { vw_viewer_move(viewer, pointer, x, y); }
EXPORT void vw_page_release(int pointer, int modifiers) {
  vw_viewer_release(viewer, pointer, modifiers);
}
EXPORT void vw_page_cancel(void) { vw_viewer_cancel(viewer); }
EXPORT void vw_page_wheel(double notches) { vw_viewer_wheel(viewer, notches); }
EXPORT int vw_page_key(int key, int modifiers) { return vw_viewer_key(viewer, key, modifiers); }
EXPORT int vw_page_wish(void) { return (int)vw_viewer_wish(viewer); }

// ---- controls ----------------------------------------------------------------------------------

static void write_choices(const char *choices) {
  page_write(",\"choices\":[");
  for (const char *c = choices; *c; c += strlen(c) + 1) {
    if (c != choices) page_write(",");
    page_write_string(c);
  }
  page_write("]");
}

static void write_control(int32_t index) {
  static const char *const kinds[] = { "toggle", "slider", "log", "choice", "button" };
  const vwControl *control = vw_control(index);
  const char *const texts[][2] = { { "name", control->name }, { "label", control->label },
                                   { "unit", control->unit }, { "group", control->group },
                                   { "help", control->help }, { "kind", kinds[control->kind] } };
  page_write("{");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    page_write("%s\"%s\":", i ? "," : "", texts[i][0]);
    page_write_string(texts[i][1]);
  }
  page_write(",\"key\":%d,\"whole\":%s}", control->key, control->whole ? "true" : "false");
}

// The table itself: a list in the order of the panel.
EXPORT const char *vw_page_controls(void) {
  page_begin("[");
  for (int32_t i = 0; i < vw_control_count(); i++) {
    if (i) page_write(",");
    write_control(i);
  }
  page_write("]");
  return page_text();
}

// What the controls are now, in the same order.
EXPORT const char *vw_page_states(void) {
  page_begin("[");
  for (int32_t i = 0; i < vw_control_count(); i++) {
    vwControlState state;
    vw_viewer_control(viewer, i, &state);
    page_write("%s{", i ? "," : "");
    page_write_number("value", state.value);
    page_write(",");
    page_write_number("low", state.low);
    page_write(",");
    page_write_number("high", state.high);
    page_write(",");
    page_write_number("initial", state.initial);
    page_write(",\"enabled\":%s,\"why\":", state.enabled ? "true" : "false");
    page_write_string(state.why);
    write_choices(state.choices);
    page_write("}");
  }
  page_write("]");
  return page_text();
}

// -1: no such control; otherwise an lbStatus.
EXPORT int vw_page_set(const char *name, double value) {
  int32_t control = vw_control_find(name);
  return control < 0 ? -1 : (int)vw_viewer_set(viewer, control, value, &page_error);
}

// Keys that are in no control's entry.
EXPORT const char *vw_page_shortcuts(void) {
  page_begin("[");
  for (int32_t i = 0; i < vw_shortcut_count(); i++) {
    page_write("%s{\"key\":%d,\"what\":", i ? "," : "", vw_shortcut(i)->key);
    page_write_string(vw_shortcut(i)->what);
    page_write("}");
  }
  page_write("]");
  return page_text();
}

EXPORT const char *vw_page_link(void) {
  static char link[8192];
  vw_viewer_link(viewer, link, sizeof link);
  return link;
}
EXPORT void vw_page_follow(const char *link) { vw_viewer_follow_link(viewer, link); }

// ---- what the page reports
// -----------------------------------------------------------------------

static void write_labels(const vwStage *stage) {
  vwCamera *camera = vw_viewer_camera(viewer);
  int32_t width, height;
  vw_viewer_size(viewer, &width, &height);
  if (width <= 0 || height <= 0 || vw_stage_actor_count(stage) < 2) return;
  vwView view = vw_camera_view(camera, width, height);
  bool first = true;
  for (int32_t i = 0; i < vw_stage_actor_count(stage); i++) {
    double x, y;
    if (!vw_view_project(&view, vw_stage_label_place(stage, i), &x, &y)) continue;
    page_write(first ? "{" : ",{");
    page_write_number("x", x);
    page_write(",");
    page_write_number("y", y);
    page_write(",\"text\":");
    page_write_string(vw_stage_actor(stage, i).label);
    page_write("}");
    first = false;
  }
}

static void write_traces(const vwStage *stage) {
  vwTrace traces[VW_TRACE_LENGTH];
  int32_t count = vw_stage_traces(stage, traces);
  page_write(",\"step_us\":[");
  for (int32_t i = 0; i < count; i++) {
    page_write(i ? "," : "");
    page_write_value((double)traces[i].step_us, 3);
  }
  page_write("],\"energy\":[");
  for (int32_t i = 0; i < count; i++) {
    page_write(i ? "," : "");
    page_write_value((double)(traces[i].kinetic + traces[i].elastic), 4);
  }
  page_write("]");
}

// Of bodies with forces by cubature.
static void write_trust(const vwStage *stage) {
  double pose, unfollowed;
  if (!vw_stage_trust(stage, &pose, &unfollowed)) return;
  page_write(",");
  page_write_number("pose_distance", pose);
  page_write(",");
  page_write_number("unfollowed_force", unfollowed);
}

// Title, hint, graphs, legend, labels and messages: asked a few times a second.
EXPORT const char *vw_page_status(void) {
  page_begin("{\"message\":");
  page_write_string(vw_viewer_message(viewer));
  vw_viewer_clear_message(viewer);
  page_write(",\"device\":");
  page_write_string(vw_viewer_device(viewer));
  page_write(",\"steps\":%lld", (long long)vw_viewer_steps(viewer));
  vwStage *stage = vw_viewer_stage(viewer);
  if (stage) {
    page_write(",\"title\":");
    page_write_string(vw_stage_title(stage));
    page_write(",\"hint\":");
    page_write_string(vw_stage_hint(stage));
    page_write(",");
    page_write_number("time", vw_stage_time(stage));
    page_write(
        ",\"behind\":%s,\"sketching\":%s,\"posing\":%s", vw_stage_behind(stage) ? "true" : "false",
        vw_stage_sketching(stage) ? "true" : "false", vw_stage_posing(stage) ? "true" : "false");
    write_traces(stage);
    write_trust(stage);
    page_write(",\"labels\":[");
    write_labels(stage);
    page_write("]");
  }
  vwLegend legend = vw_viewer_legend(viewer);
  page_write(",\"map\":%d,\"map_unit\":\"%s\",\"map_title\":\"%s\",", (int)legend.map, legend.unit,
             legend.title);
  page_write_number("map_high", legend.high);
  page_write("}");
  return page_text();
}

// The colours of the legend, as CSS.
EXPORT const char *vw_page_map_colors(void) {
  page_begin("[");
  for (int i = 0; i <= 16; i++) {
    uint8_t rgb[3];
    vw_map_color(i / 16.0, rgb);
    page_write("%s\"rgb(%d,%d,%d)\"", i ? "," : "", rgb[0], rgb[1], rgb[2]);
  }
  page_write("]");
  return page_text();
}

// What hands hold, and the bodies' sizes: the hook of the tests.
EXPORT const char *vw_page_holds(void) {
  static const char *const kinds[] = { "grab", "pin", "ball" };
  vwStage *stage = vw_viewer_stage(viewer);
  page_begin("[");
  for (int32_t i = 0; stage && i < vw_stage_hold_count(stage); i++) {
    vwHold hold = vw_stage_hold(stage, i);
    page_write("%s{\"kind\":\"%s\",", i ? "," : "", kinds[hold.kind]);
    page_write_vector("point", hold.point);
    page_write(",");
    page_write_vector("target", hold.target);
    page_write(",");
    page_write_vector("force", hold.force);
    page_write("}");
  }
  page_write("]");
  return page_text();
}

EXPORT const char *vw_page_actors(void) {
  vwStage *stage = vw_viewer_stage(viewer);
  page_begin("[");
  for (int32_t i = 0; stage && i < vw_stage_actor_count(stage); i++) {
    vwActorView view = vw_stage_actor(stage, i);
    page_write("%s{\"label\":", i ? "," : "");
    page_write_string(view.label);
    page_write(",\"bodies\":%d,\"dimension\":%d,\"vertices\":%d,\"triangles\":%d}",
               (int)view.body_count, (int)view.dimension, (int)view.model->size.vertex_count,
               (int)view.model->size.triangle_count);
  }
  page_write("]");
  return page_text();
}

// A surface vertex of a body, where it is now, and the pixel that it is seen at; null: there is
// none.
EXPORT const char *vw_page_vertex(int actor, int body, int vertex) {
  vwStage *stage = vw_viewer_stage(viewer);
  page_begin("null");
  if (!stage || actor < 0 || actor >= vw_stage_actor_count(stage)) return page_text();
  vwActorView view = vw_stage_actor(stage, actor);
  if (body < 0 || body >= view.body_count || vertex < 0 || vertex >= view.model->size.vertex_count)
    return page_text();
  double *surface = lb_alloc((size_t)view.model->size.vertex_count, 3 * sizeof(double));
  if (!surface) return page_text();
  vw_stage_surface(stage, actor, body, surface);
  lbVec3 at = lb_vec3_load(surface + 3 * (size_t)vertex);
  lb_free(surface);
  double x = -1, y = -1;
  int32_t width, height;
  vw_viewer_size(viewer, &width, &height);
  if (width > 0 && height > 0) {
    vwView seen = vw_camera_view(vw_viewer_camera(viewer), width, height);
    vw_view_project(&seen, at, &x, &y);
  }
  page_begin("{");
  page_write_vector("at", at);
  page_write(",");
  page_write_number("x", x);
  page_write(",");
  page_write_number("y", y);
  page_write("}");
  return page_text();
}

// The sketch that was recorded, as JSON text; NULL with an error. Free with page_free.
EXPORT char *vw_page_sketch(uint32_t *count) {
  char *json = NULL;
  vwStage *stage = vw_viewer_stage(viewer);
  *count = 0;
  if (!stage) lb_fail(&page_error, LB_ERR_ARGUMENT, "nothing is open");
  if (!stage || vw_stage_sketch_end(stage, &json, &page_error)) return NULL;
  *count = (uint32_t)strlen(json);
  return json;
}

// The posed surface as the text of an .obj; NULL with an error. Free with page_free.
EXPORT char *vw_page_pose(uint32_t *count) {
  char *obj = NULL;
  vwStage *stage = vw_viewer_stage(viewer);
  *count = 0;
  if (!stage) lb_fail(&page_error, LB_ERR_ARGUMENT, "nothing is open");
  if (!stage || vw_stage_pose_obj(stage, &obj, &page_error)) return NULL;
  *count = (uint32_t)strlen(obj);
  return obj;
}

EXPORT int vw_page_begin_animation(void) {
  vwStage *stage = vw_viewer_stage(viewer);
  drop_animation();
  ended = false;
  if (!stage) return lb_fail(&page_error, LB_ERR_ARGUMENT, "nothing is open");
  return vw_animation_create(stage, &animation, &page_error);
}

// 1: what was recorded must end here, since method, r or scene changed.
EXPORT int vw_page_animation_ended(void) { return ended; }

// The recording as a .glb; NULL with an error. Free with page_free.
EXPORT uint8_t *vw_page_end_animation(uint32_t *count) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  int32_t left_out = 0;
  lbStatus status = animation ? vw_gltf_write(animation, &bytes, &size, &left_out, &page_error)
                              : lb_fail(&page_error, LB_ERR_ARGUMENT, "no animation was recorded");
  drop_animation();
  ended = false;
  *count = (uint32_t)size;
  return status ? NULL : bytes;
}
