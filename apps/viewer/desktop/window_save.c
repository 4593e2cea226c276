// Wishes to files.
#include "desktop/window_save.h"

#include "desktop/legend.h"

#include <stdio.h>
#include <unistd.h>

static lbStatus save_picture(vwSaver *saver, vwViewer *viewer, char *saved, size_t size,
                             lbError *err) {
  uint8_t *rgba = NULL;
  int32_t width, height;
  vw_viewer_size(viewer, &width, &height);
  lbStatus status = vw_shot_take(&saver->shot, viewer, &rgba, err);
  vwLegend legend = vw_viewer_legend(viewer);
  if (!status) vw_legend_draw(&legend, width, height, rgba);
  if (!status) status = vw_capture_picture(saver->capture, width, height, rgba, saved, size, err);
  lb_free(rgba);
  return status;
}

static lbStatus toggle_video(vwSaver *saver, vwViewer *viewer, char *saved, size_t size,
                             lbError *err) {
  int32_t width, height;
  vw_viewer_size(viewer, &width, &height);
  return vw_capture_toggle_video(saver->capture, width, height, saved, size, err);
}

lbStatus vw_saver_grant(vwSaver *saver, vwViewer *viewer, vwWish wish, char *text, size_t size,
                        lbError *err) {
  vwStage *stage = vw_viewer_stage(viewer);
  char saved[256] = "";
  lbStatus status = LB_OK;
  text[0] = 0;
  if (wish == VW_WISH_PICTURE)
    status = save_picture(saver, viewer, saved, sizeof saved, err);
  else if (!stage)
    status = lb_fail(err, LB_ERR_ARGUMENT, "No scene is open: nothing to record");
  else if (wish == VW_WISH_VIDEO)
    status = toggle_video(saver, viewer, saved, sizeof saved, err);
  else if (wish == VW_WISH_ANIMATION)
    status = vw_capture_toggle_animation(saver->capture, stage, saved, sizeof saved, err);
  else if (wish == VW_WISH_SKETCH)
    status = vw_capture_sketch(saver->capture, stage, saved, sizeof saved, err);
  else if (wish == VW_WISH_POSE)
    status = vw_capture_pose(stage, saved, sizeof saved, err);
  if (status || !saved[0]) return status;
  saver->saved++;
  char folder[256];
  bool known = getcwd(folder, sizeof folder) != NULL;
  snprintf(text, size, "Saved %s%s%s", saved, known ? " in " : "", known ? folder : "");
  return LB_OK;
}

// Recordings that cannot continue are saved with the frames that they have.
static lbStatus end_unfit(vwSaver *saver, vwViewer *viewer, char *text, size_t size, lbError *err) {
  int32_t width, height;
  lbStatus status = LB_OK;
  vw_viewer_size(viewer, &width, &height);
  if (vw_capture_has_video(saver->capture) && !vw_capture_video_fits(saver->capture, width, height))
    status = vw_saver_grant(saver, viewer, VW_WISH_VIDEO, text, size, err);
  if (!status && vw_capture_has_animation(saver->capture) &&
      !vw_capture_animation_fits(saver->capture, vw_viewer_stage(viewer)))
    status = vw_saver_grant(saver, viewer, VW_WISH_ANIMATION, text, size, err);
  return status;
}

lbStatus vw_saver_record(vwSaver *saver, vwViewer *viewer, double now, char *text, size_t size,
                         lbError *err) {
  vwStage *stage = vw_viewer_stage(viewer);
  text[0] = 0;
  if (!stage) return LB_OK;
  lbStatus status = end_unfit(saver, viewer, text, size, err);
  if (status || !vw_capture_frame_due(saver->capture, now)) return status;
  uint8_t *rgba = NULL;
  int32_t width, height;
  vw_viewer_size(viewer, &width, &height);
  if (vw_capture_video_due(saver->capture, now))
    status = vw_shot_take(&saver->shot, viewer, &rgba, err);
  if (!status) status = vw_capture_frame(saver->capture, now, stage, width, height, rgba, err);
  lb_free(rgba);
  return status;
}

lbStatus vw_saver_end_animation(vwSaver *saver, vwViewer *viewer, lbError *err) {
  char text[400];
  if (!vw_capture_has_animation(saver->capture)) return LB_OK;
  return vw_saver_grant(saver, viewer, VW_WISH_ANIMATION, text, sizeof text, err);
}

lbStatus vw_saver_end(vwSaver *saver, vwViewer *viewer, lbError *err) {
  char text[400];
  lbStatus status = LB_OK, second;
  if (vw_capture_has_video(saver->capture))
    status = vw_saver_grant(saver, viewer, VW_WISH_VIDEO, text, sizeof text, err);
  second = vw_saver_end_animation(saver, viewer, status ? NULL : err);
  return status ? status : second;
}

void vw_saver_destroy(vwSaver *saver) {
  vw_capture_destroy(saver->capture);
  saver->capture = NULL;
  vw_shot_destroy(&saver->shot);
}
