// The framebuffer for saved pictures and videos, and its reading.
#include "desktop/shot.h"

#include "render/gl.h"

#include <string.h>

void vw_shot_destroy(vwShot *shot) {
  if (shot->target) glDeleteFramebuffers(1, &shot->target);
  if (shot->color) glDeleteRenderbuffers(1, &shot->color);
  *shot = (vwShot){ 0 };
}

static lbStatus fit_shot_size(vwShot *shot, int32_t width, int32_t height, lbError *err) {
  if (shot->target && shot->width == width && shot->height == height) return LB_OK;
  vw_shot_destroy(shot);
  glGenFramebuffers(1, &shot->target);
  glGenRenderbuffers(1, &shot->color);
  glBindRenderbuffer(GL_RENDERBUFFER, shot->color);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, shot->target);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, shot->color);
  bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  shot->width = width;
  shot->height = height;
  if (complete) return LB_OK;
  vw_shot_destroy(shot);
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "no picture of %d x %d pixels: the graphics driver has "
                 "no room for it",
                 (int)width, (int)height);
}

static void draw_uncovered(const vwShot *shot, vwViewer *viewer) {
  double covered = vw_viewer_camera(viewer)->covered;
  vw_viewer_cover(viewer, 0);
  vw_viewer_draw(viewer, shot->target);
  vw_viewer_cover(viewer, covered);
}

// OpenGL's first row is the lowest.
static void turn_over(uint8_t *rgba, size_t row, int32_t height, uint8_t *spare) {
  for (int32_t y = 0; y < height / 2; y++) {
    uint8_t *above = rgba + row * (size_t)y, *below = rgba + row * (size_t)(height - 1 - y);
    memcpy(spare, above, row);
    memcpy(above, below, row);
    memcpy(below, spare, row);
  }
}

lbStatus vw_shot_take(vwShot *shot, vwViewer *viewer, uint8_t **rgba, lbError *err) {
  int32_t width, height;
  vw_viewer_size(viewer, &width, &height);
  if (width < 1 || height < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "no picture: the window has no size");
  lbStatus status = fit_shot_size(shot, width, height, err);
  if (status) return status;
  size_t row = 4 * (size_t)width;
  uint8_t *pixels = lb_alloc((size_t)height + 1, row);
  if (!pixels) return lb_fail_memory(err);
  draw_uncovered(shot, viewer);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, shot->target);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
  turn_over(pixels, row, height, pixels + row * (size_t)height);
  *rgba = pixels;
  return LB_OK;
}
