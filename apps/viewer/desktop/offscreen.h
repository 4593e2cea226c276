// A place to draw without a display: an OpenGL 3.3 context from EGL alone and a framebuffer object
// in it. One at a time is current; creating makes it so.
#ifndef LIMBER_VIEWER_OFFSCREEN_H
#define LIMBER_VIEWER_OFFSCREEN_H

#include "limber/base.h"

enum { VW_OFFSCREEN_LARGEST = 16384 }; // pixels a side

typedef struct vwOffscreen vwOffscreen;

// 1 <= width, height <= VW_OFFSCREEN_LARGEST, or what the driver can. LB_ERR_UNSUPPORTED, with what
// to install, where no driver gives such a context.
lbStatus vw_offscreen_create(int32_t width, int32_t height, vwOffscreen **out, lbError *err);
void vw_offscreen_destroy(vwOffscreen *offscreen); // NULL is legal
// Another size; the framebuffer object stays the same, its content is lost. On failure the size
// stays.
lbStatus vw_offscreen_resize(vwOffscreen *offscreen, int32_t width, int32_t height, lbError *err);
void vw_offscreen_make_current(vwOffscreen *offscreen);

// The framebuffer object: an RGBA8 texture, depth and stencil.
unsigned vw_offscreen_target(const vwOffscreen *offscreen);
int32_t vw_offscreen_width(const vwOffscreen *offscreen);
int32_t vw_offscreen_height(const vwOffscreen *offscreen);
const char *vw_offscreen_device(const vwOffscreen *offscreen); // as OpenGL names it

// What was drawn (width x height x 4 bytes), top row first.
lbStatus vw_offscreen_read(vwOffscreen *offscreen, uint8_t *rgba, lbError *err);

#endif
