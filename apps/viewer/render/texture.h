// Base-colour textures from a model's encoded pictures.
#ifndef LIMBER_VIEWER_TEXTURE_H
#define LIMBER_VIEWER_TEXTURE_H

#include "limber/model.h"

#include "render/gpu.h"

// Texture `index` of the model, with mipmaps; one white pixel, and a warning in the log, where its
// picture cannot be read.
GLuint vw_texture_of_model(const vwGpuLimits *limits, const lbModel *model, int32_t index);
// The same from the bytes of a PNG or JPEG file.
GLuint vw_texture_of_picture(const vwGpuLimits *limits, const char *name, const uint8_t *bytes,
                             size_t count);

#endif
