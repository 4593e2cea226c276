// Pictures (PNG, JPEG) to textures: decoded by stb_image, halved until the context takes them,
// filtered through mipmaps in linear light.
#include "render/texture.h"

#include <string.h>

// stb_image's memory through the library's allocator, so that one place counts and limits it.
static void *resize_block(void *block, size_t old_bytes, size_t bytes) {
  void *fresh = lb_alloc(bytes, 1);
  if (fresh && block) memcpy(fresh, block, old_bytes < bytes ? old_bytes : bytes);
  if (fresh) lb_free(block);
  return fresh;
}

#if defined(__GNUC__) // stb_image declares more than it defines
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS 16384
#define STBI_MALLOC(bytes) lb_alloc((bytes), 1)
#define STBI_REALLOC_SIZED(block, old_bytes, bytes) resize_block((block), (old_bytes), (bytes))
#define STBI_FREE(block) lb_free(block)
#include <stb/stb_image.h>

// Half as wide and high, in place: the mean of four pixels (sRGB values; good enough for pictures
// that are larger than the context can hold).
static void halve(uint8_t *pixels, int *width, int *height) {
  int w = *width > 1 ? *width / 2 : 1, h = *height > 1 ? *height / 2 : 1;
  int dx = *width > 1, dy = *height > 1;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int c = 0; c < 4; c++) {
        const uint8_t *p = pixels + 4 * ((size_t)(y << dy) * *width + (size_t)(x << dx)) + c;
        size_t right = 4 * (size_t)dx, below = 4 * (size_t)*width * dy;
        pixels[4 * ((size_t)y * w + x) + c] =
            (uint8_t)((p[0] + p[right] + p[below] + p[right + below] + 2) / 4);
      }
  *width = w, *height = h;
}

static GLuint upload(const vwGpuLimits *limits, const uint8_t *pixels, int width, int height) {
  GLuint texture = vw_gpu_texture(GL_LINEAR_MIPMAP_LINEAR, GL_REPEAT);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               pixels);
  glGenerateMipmap(GL_TEXTURE_2D);
  if (limits->anisotropy > 1)
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT,
                    limits->anisotropy < 8 ? limits->anisotropy : 8);
  return texture;
}

GLuint vw_texture_of_picture(const vwGpuLimits *limits, const char *name, const uint8_t *bytes,
                             size_t count) {
  static const uint8_t white[4] = { 255, 255, 255, 255 };
  int width = 0, height = 0, channels = 0;
  uint8_t *pixels = NULL;
  if (bytes && count > 0 && count <= INT32_MAX)
    pixels = stbi_load_from_memory(bytes, (int)count, &width, &height, &channels, 4);
  if (!pixels) {
    lb_log(LB_LOG_WARNING, "texture %s cannot be read (%s): drawn white; use PNG or JPEG", name,
           bytes && count > 0 ? stbi_failure_reason() : "no data");
    return upload(limits, white, 1, 1);
  }
  while (width > limits->texture_size || height > limits->texture_size)
    halve(pixels, &width, &height);
  GLuint texture = upload(limits, pixels, width, height);
  lb_free(pixels);
  return texture;
}

GLuint vw_texture_of_model(const vwGpuLimits *limits, const lbModel *model, int32_t index) {
  const char *name = model->texture_names ? lb_model_text(model->texture_names, index) : "";
  const uint8_t *bytes = NULL;
  size_t count = 0;
  if (model->texture_ranges && model->pictures) {
    int64_t begin = model->texture_ranges[2 * index], size = model->texture_ranges[2 * index + 1];
    int64_t all = (int64_t)model->pictures_bytes;
    if (begin >= 0 && size > 0 && begin <= all && size <= all - begin)
      bytes = model->pictures + begin, count = (size_t)size;
  }
  return vw_texture_of_picture(limits, name, bytes, count);
}
