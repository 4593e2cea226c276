// Files with the next free number: limber-001.png, limber-001.mp4, limber-001.glb, ...
#include "desktop/capture.h"

#include "view/animation.h"
#include "limber/file.h"
#include "desktop/picture.h"
#include "desktop/video.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VIDEO_RATE 30

struct vwCapture {
  vwVideo *video; // NULL: none is recorded
  int32_t video_width, video_height;
  double video_begin;
  int64_t video_frames;
  char video_path[64];
  vwAnimation *animation;
};

static lbStatus free_name(const char *extension, char *path, size_t size, lbError *err) {
  for (int number = 1; number < 10000; number++) {
    snprintf(path, size, "limber-%03d.%s", number, extension);
    if (access(path, F_OK)) return LB_OK;
  }
  path[0] = 0;
  return lb_fail(err, LB_ERR_FILE, "no free name: limber-001.%s to limber-9999.%s are all there",
                 extension, extension);
}

lbStatus vw_capture_create(vwCapture **out, lbError *err) {
  *out = lb_alloc(1, sizeof **out);
  return *out ? LB_OK : lb_fail_memory(err);
}

void vw_capture_destroy(vwCapture *capture) {
  if (!capture) return;
  vw_video_abandon(capture->video);
  vw_animation_destroy(capture->animation);
  lb_free(capture);
}

bool vw_capture_has_video(const vwCapture *capture) { return capture->video != NULL; }
bool vw_capture_has_animation(const vwCapture *capture) { return capture->animation != NULL; }

bool vw_capture_video_fits(const vwCapture *capture, int32_t width, int32_t height) {
  return capture->video_width == width && capture->video_height == height;
}

bool vw_capture_animation_fits(const vwCapture *capture, const vwStage *stage) {
  return capture->animation && vw_animation_fits(capture->animation, stage);
}

lbStatus vw_capture_picture(vwCapture *capture, int32_t width, int32_t height, const uint8_t *rgba,
                            char *saved, size_t size, lbError *err) {
  (void)capture;
  lbStatus status = free_name("png", saved, size, err);
  if (!status) status = vw_png_save(saved, width, height, rgba, err);
  if (status) saved[0] = 0;
  return status;
}

// Creates the file before the sketch ends: when none can be written, the sketch continues.
lbStatus vw_capture_sketch(vwCapture *capture, vwStage *stage, char *saved, size_t size,
                           lbError *err) {
  (void)capture;
  lbFileWriter writer;
  char *json = NULL;
  lbStatus status = free_name("sketch.json", saved, size, err);
  if (!status) status = lb_file_begin(&writer, saved, err);
  if (!status) {
    status = vw_stage_sketch_end(stage, &json, err);
    if (!status && fputs(json, writer.stream) < 0)
      status = lb_fail(err, LB_ERR_FILE, "%s: cannot write, is the disk full?", saved);
    if (status)
      lb_file_abort(&writer);
    else
      status = lb_file_commit(&writer, err);
  }
  if (status) saved[0] = 0;
  lb_free(json);
  return status;
}

lbStatus vw_capture_pose(const vwStage *stage, char *saved, size_t size, lbError *err) {
  lbFileWriter writer;
  char *obj = NULL;
  lbStatus status = free_name("obj", saved, size, err);
  if (!status) status = vw_stage_pose_obj(stage, &obj, err);
  if (!status) status = lb_file_begin(&writer, saved, err);
  if (!status && fputs(obj, writer.stream) < 0) {
    lb_file_abort(&writer);
    status = lb_fail(err, LB_ERR_FILE, "%s: cannot write, is the disk full?", saved);
  } else if (!status) {
    status = lb_file_commit(&writer, err);
  }
  if (status) saved[0] = 0;
  lb_free(obj);
  return status;
}

lbStatus vw_capture_toggle_video(vwCapture *capture, int32_t width, int32_t height, char *saved,
                                 size_t size, lbError *err) {
  saved[0] = 0;
  if (capture->video) {
    vwVideo *video = capture->video;
    capture->video = NULL;
    lbStatus status = vw_video_finish(video, err);
    if (!status) snprintf(saved, size, "%s", capture->video_path);
    return status;
  }
  lbStatus status = free_name("mp4", capture->video_path, sizeof capture->video_path, err);
  if (!status)
    status = vw_video_start(capture->video_path, width, height, VIDEO_RATE, &capture->video, err);
  capture->video_width = width;
  capture->video_height = height;
  capture->video_begin = -1;
  capture->video_frames = 0;
  return status;
}

lbStatus vw_capture_toggle_animation(vwCapture *capture, vwStage *stage, char *saved, size_t size,
                                     lbError *err) {
  saved[0] = 0;
  if (!capture->animation) return vw_animation_create(stage, &capture->animation, err);
  vwAnimation *animation = capture->animation;
  capture->animation = NULL;
  lbStatus status = free_name("glb", saved, size, err);
  if (!status) status = vw_animation_save(animation, saved, err);
  vw_animation_destroy(animation);
  if (status) saved[0] = 0;
  return status;
}

// ---- frames ------------------------------------------------------------------------------------

// The video's clock: frame i is due at begin + i / rate.
bool vw_capture_video_due(const vwCapture *capture, double now) {
  if (!capture->video) return false;
  return capture->video_begin < 0 ||
         now - capture->video_begin >= (double)capture->video_frames / VIDEO_RATE;
}

bool vw_capture_frame_due(const vwCapture *capture, double now) {
  return capture->animation || vw_capture_video_due(capture, now);
}

// A slow display repeats frames, so that the video keeps the clock's pace.
static lbStatus add_video_frames(vwCapture *capture, double now, int32_t width, int32_t height,
                                 const uint8_t *rgba, lbError *err) {
  lbStatus status = LB_OK;
  if (!vw_capture_video_fits(capture, width, height))
    status = lb_fail(err, LB_ERR_ARGUMENT, "the video was dropped: the picture's size changed");
  if (capture->video_begin < 0) capture->video_begin = now;
  for (int repeat = 0; !status && vw_capture_video_due(capture, now) && repeat < VIDEO_RATE;
       repeat++) {
    status = vw_video_add(capture->video, rgba, err);
    capture->video_frames++;
  }
  if (!status) return LB_OK;
  vw_video_abandon(capture->video);
  capture->video = NULL;
  return status;
}

lbStatus vw_capture_frame(vwCapture *capture, double now, vwStage *stage, int32_t width,
                          int32_t height, const uint8_t *rgba, lbError *err) {
  lbStatus status = LB_OK;
  if (vw_capture_video_due(capture, now) && rgba)
    status = add_video_frames(capture, now, width, height, rgba, err);
  if (status || !capture->animation) return status;
  status = vw_animation_add(capture->animation, stage, err);
  if (status) {
    vw_animation_destroy(capture->animation);
    capture->animation = NULL;
  }
  return status;
}
