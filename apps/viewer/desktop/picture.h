// Pictures in files: PNG. They are opaque: what is in the alpha channel is left out.
#ifndef LIMBER_VIEWER_PICTURE_H
#define LIMBER_VIEWER_PICTURE_H

#include "limber/base.h"

// Writes width x height x 4 bytes, top row first, as a PNG of 8 bits a channel without alpha. The
// file is written aside and renamed: it is whole or not there.
lbStatus vw_png_save(const char *path, int32_t width, int32_t height, const uint8_t *rgba,
                     lbError *err);
// Reads a PNG or JPEG file into width x height x 4 bytes, top row first; free with lb_free.
lbStatus vw_picture_load(const char *path, int32_t *width, int32_t *height, uint8_t **rgba,
                         lbError *err);

#endif
