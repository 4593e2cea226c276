// begin -> context, output; run -> open, settings, camera, then a picture or frame after frame.
#include "desktop/render.h"

#include "view/assign.h"
#include "limber/file.h"
#include "desktop/legend.h"
#include "desktop/offscreen.h"
#include "desktop/picture.h"
#include "desktop/video.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double piece = 0.02;     // s, longest advance between checks for interrupts
static const double own_seconds = 4;  // length of a video of a scene without an end
static const double gif_bytes = 4e9;  // ffmpeg holds a GIF's frames in memory
static const double frame_most = 1e6; // of a video

struct vwRender {
  vwRenderDef def;
  vwOffscreen *offscreen;
  bool is_video;
  vwVideo *video; // from the first frame on
  vwViewer *viewer;
  uint8_t *rgba;
};

vwRenderDef vw_render_def(void) {
  return (vwRenderDef){ .width = 1280,
                        .height = 720,
                        .samples = 4,
                        .to = NAN,
                        .fps = 30,
                        .camera = { NAN, NAN, NAN },
                        .at = { NAN, NAN, NAN },
                        .fov = NAN,
                        .azimuth = NAN,
                        .elevation = NAN,
                        .zoom = NAN };
}

static bool is_picture_given(lbVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

// ---- beginning ---------------------------------------------------------------------------------

static lbStatus check_picture_number(const char *name, double value, double low, double high,
                                     lbError *err) {
  if (isnan(value) || (value >= low && value <= high)) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "%s is %g, it must be %g to %g", name, value, low, high);
}

static lbStatus check_picture_def(const vwRenderDef *def, lbError *err) {
  if (!lb_path_has_extension(def->output, ".png") && !vw_video_is_name(def->output))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: unknown kind of output; its name must end with .png, .mp4, .webm, .gif or "
                   ".webp",
                   def->output);
  lbStatus status = check_picture_number("width", def->width, 2, VW_OFFSCREEN_LARGEST, err);
  if (!status) status = check_picture_number("height", def->height, 2, VW_OFFSCREEN_LARGEST, err);
  if (!status) status = check_picture_number("samples", def->samples, 1, 8, err);
  if (!status) status = check_picture_number("from", def->from, 0, 1e6, err);
  if (!status) status = check_picture_number("to", def->to, 0, 1e6, err);
  if (!status) status = check_picture_number("fps", def->fps, 0.1, 240, err);
  if (!status) status = check_picture_number("fov", def->fov, 1, 170, err);
  if (!status) status = check_picture_number("azimuth", def->azimuth, -3600, 3600, err);
  if (!status) status = check_picture_number("elevation", def->elevation, -90, 90, err);
  if (!status) status = check_picture_number("zoom", def->zoom, 1e-3, 1e3, err);
  if (!status && def->to < def->from)
    status =
        lb_fail(err, LB_ERR_ARGUMENT, "to is %g, before from, which is %g", def->to, def->from);
  return status ? status : vw_assign_check(def->settings, err);
}

// Whether it will go, with nothing left: long work may be ended the hard way.
static lbStatus probe_output(const vwRenderDef *def, lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, def->output, err);
  if (status) return status;
  lb_file_abort(&writer);
  if (!vw_video_is_name(def->output)) return LB_OK;
  vwVideo *video = NULL;
  status = vw_video_start(def->output, def->width, def->height, def->fps, &video, err);
  vw_video_abandon(video);
  return status;
}

static lbStatus make_viewer(vwRender *render, lbError *err) {
  vwViewerDef def = vw_viewer_def();
  def.stage.full = render->def.full;
  def.stage.loosen = render->def.loosen;
  def.stage.step_budget = INFINITY; // no limit of time for a frame
  def.renderer.samples = render->def.samples;
  def.renderer.shadow_size = 2048;
  lbStatus status = vw_viewer_create(&def, &render->viewer, err);
  if (!status) vw_viewer_resize(render->viewer, render->def.width, render->def.height);
  return status;
}

lbStatus vw_render_begin(const vwRenderDef *def, vwRender **out, lbError *err) {
  lbStatus status = check_picture_def(def, err);
  if (status) return status;
  vwRender *render = lb_alloc(1, sizeof *render);
  if (!render) return lb_fail_memory(err);
  render->def = *def;
  render->is_video = vw_video_is_name(def->output);
  status = probe_output(def, err);
  if (!status) status = vw_offscreen_create(def->width, def->height, &render->offscreen, err);
  if (!status) status = make_viewer(render, err);
  if (!status) {
    render->rgba = lb_alloc((size_t)def->width * (size_t)def->height, 4);
    if (!render->rgba) status = lb_fail_memory(err);
  }
  if (status)
    vw_render_destroy(render);
  else
    *out = render;
  return status;
}

void vw_render_destroy(vwRender *render) {
  if (!render) return;
  vw_video_abandon(render->video);
  vw_viewer_destroy(render->viewer);
  vw_offscreen_destroy(render->offscreen);
  lb_free(render->rgba);
  lb_free(render);
}

// ---- the camera --------------------------------------------------------------------------------

static void place_camera(const vwRender *render) {
  const vwRenderDef *def = &render->def;
  vwCamera *camera = vw_viewer_camera(render->viewer);
  vwStage *stage = vw_viewer_stage(render->viewer);
  double degree = LB_PI / 180, fov = isnan(def->fov) ? camera->fov : def->fov * degree;
  if (is_picture_given(def->camera)) {
    lbVec3 at = is_picture_given(def->at) ? def->at : camera->at;
    *camera = vw_camera_of_place(def->camera, at, fov, vw_stage_rest_box(stage), camera->up);
  } else {
    if (is_picture_given(def->at)) camera->at = def->at;
    camera->distance *= tan(camera->fov / 2) / tan(fov / 2);
    camera->fov = fov;
  }
  if (!isnan(def->azimuth)) camera->azimuth = def->azimuth * degree;
  if (!isnan(def->elevation)) camera->elevation = fmax(-89.5, fmin(89.5, def->elevation)) * degree;
  if (!isnan(def->zoom)) camera->distance /= def->zoom;
}

// ---- time --------------------------------------------------------------------------------------

static double speed_of(const vwRender *render) {
  vwControlState state;
  vw_viewer_control(render->viewer, vw_control_find("speed"), &state);
  return state.value > 0 ? state.value : 1;
}

static double end_of(const vwRender *render) {
  if (!isnan(render->def.to)) return render->def.to;
  if (!render->is_video) return render->def.from;
  const lbWorldDef *world = vw_stage_bundle(vw_viewer_stage(render->viewer))->world;
  double end = world ? world->time_step[0] * world->step_count[0] : 0;
  return render->def.from + (end > render->def.from ? end - render->def.from : own_seconds);
}

// Goes on by `seconds` of the clock, which are the part from `begin` to `end` of a stage of work.
static lbStatus continue_playing(vwRender *render, double seconds, const char *stage, double begin,
                                 double end, vwRenderReport *report, lbError *err) {
  int64_t count = (int64_t)ceil(seconds / piece - 1e-9);
  for (int64_t i = 0; i < count; i++) {
    double part = i + 1 < count ? piece : seconds - (double)i * piece;
    report->steps += vw_stage_advance(vw_viewer_stage(render->viewer), part);
    if (!lb_progress(stage, begin + (end - begin) * (double)(i + 1) / (double)count))
      return lb_fail_interrupted(err, stage);
  }
  return LB_OK;
}

// ---- pictures and frames -----------------------------------------------------------------------

static lbStatus draw_picture(vwRender *render, lbError *err) {
  vw_viewer_clear_message(render->viewer);
  vw_viewer_draw(render->viewer, vw_offscreen_target(render->offscreen));
  if (vw_viewer_message(render->viewer)[0])
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s", vw_viewer_message(render->viewer));
  lbStatus status = vw_offscreen_read(render->offscreen, render->rgba, err);
  vwLegend legend = vw_viewer_legend(render->viewer);
  if (!status) vw_legend_draw(&legend, render->def.width, render->def.height, render->rgba);
  return status;
}

static lbStatus make_picture(vwRender *render, vwRenderReport *report, lbError *err) {
  const vwRenderDef *def = &render->def;
  double to = end_of(render);
  lbStatus status = continue_playing(render, to / speed_of(render), "simulate", 0, 1, report, err);
  if (!status) status = draw_picture(render, err);
  if (!status) status = vw_png_save(def->output, def->width, def->height, render->rgba, err);
  if (!status) report->frames = 1;
  report->seconds = to;
  return status;
}

static lbStatus count_frames(const vwRender *render, double seconds, int64_t *count, lbError *err) {
  const vwRenderDef *def = &render->def;
  double frames = fmax(1, round(seconds * def->fps));
  if (frames > frame_most)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: %.0f frames are too many; choose from, to and fps",
                   def->output, frames);
  if (lb_path_has_extension(def->output, ".gif") &&
      frames * def->width * def->height * 4 > gif_bytes)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: a GIF of %.0f frames of %d x %d pixels is too large; make it smaller or "
                   "shorter, or an .mp4",
                   def->output, frames, (int)def->width, (int)def->height);
  *count = (int64_t)frames;
  return LB_OK;
}

static lbStatus add_picture_frame(vwRender *render, int64_t frame, int64_t count,
                                  vwRenderReport *report, lbError *err) {
  double begin = (double)(frame - 1) / (double)count, end = (double)frame / (double)count;
  lbStatus status = LB_OK;
  if (frame > 0)
    status = continue_playing(render, 1 / render->def.fps, "render", begin, end, report, err);
  if (!status) status = draw_picture(render, err);
  vw_video_set_progress(render->video, end);
  if (!status) status = vw_video_add(render->video, render->rgba, err);
  if (!status) report->frames++;
  return status;
}

static lbStatus make_video(vwRender *render, vwRenderReport *report, lbError *err) {
  const vwRenderDef *def = &render->def;
  double speed = speed_of(render), from = def->from;
  int64_t count = 0;
  lbStatus status = count_frames(render, (end_of(render) - from) / speed, &count, err);
  if (!status) status = continue_playing(render, from / speed, "simulate", 0, 1, report, err);
  if (!status)
    status = vw_video_start(def->output, def->width, def->height, def->fps, &render->video, err);
  for (int64_t i = 0; !status && i < count; i++)
    status = add_picture_frame(render, i, count, report, err);
  if (status) return status;
  report->seconds = from + (double)(count - 1) * speed / def->fps;
  vwVideo *video = render->video;
  render->video = NULL;
  return vw_video_finish(video, err);
}

lbStatus vw_render_run(vwRender *render, lbBundle *bundle, vwRenderReport *report, lbError *err) {
  vwRenderReport made = { 0 };
  lbStatus status = vw_viewer_open(render->viewer, bundle, err);
  if (status) {
    lb_bundle_destroy(bundle);
    return status;
  }
  status = vw_assign(render->viewer, render->def.settings, err);
  if (status) return status;
  place_camera(render);
  status = render->is_video ? make_video(render, &made, err) : make_picture(render, &made, err);
  if (status) return status;
  made.flags = vw_stage_flags(vw_viewer_stage(render->viewer));
  snprintf(made.device, sizeof made.device, "%s", vw_viewer_device(render->viewer));
  *report = made;
  return LB_OK;
}
