// Encoding and decoding are stb's; reading and writing files are limber's.
#include "desktop/picture.h"

#include "limber/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Only some of their functions are used.
#pragma GCC diagnostic ignored "-Wunused-function"
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#include <stb/stb_image.h>

enum { LARGEST_SIDE = 16384 };

static uint8_t *without_alpha(const uint8_t *rgba, size_t pixels) {
  uint8_t *rgb = lb_alloc(pixels, 3);
  if (!rgb) return NULL;
  for (size_t i = 0; i < pixels; i++) memcpy(rgb + 3 * i, rgba + 4 * i, 3);
  return rgb;
}

static lbStatus write_file(const char *path, const void *bytes, size_t count, lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status != LB_OK) return status;
  if (fwrite(bytes, 1, count, writer.stream) != count) {
    status = lb_fail(err, LB_ERR_FILE, "%s: cannot write: %s", path, strerror(errno));
    lb_file_abort(&writer);
    return status;
  }
  return lb_file_commit(&writer, err);
}

lbStatus vw_png_save(const char *path, int32_t width, int32_t height, const uint8_t *rgba,
                     lbError *err) {
  if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: a picture of %d x %d pixels cannot be written", path,
                   (int)width, (int)height);
  uint8_t *rgb = without_alpha(rgba, (size_t)width * (size_t)height);
  if (!rgb) return lb_fail_memory(err);
  int count = 0;
  unsigned char *bytes = stbi_write_png_to_mem(rgb, 3 * width, width, height, 3, &count);
  lb_free(rgb);
  if (!bytes) return lb_fail_memory(err);
  lbStatus status = write_file(path, bytes, (size_t)count, err);
  free(bytes);
  return status;
}

lbStatus vw_picture_load(const char *path, int32_t *width, int32_t *height, uint8_t **rgba,
                         lbError *err) {
  lbFileMap map;
  lbStatus status = lb_file_hold(path, &map, err);
  if (status != LB_OK) return status;
  stbi_uc *pixels = NULL;
  int columns, rows, channels;
  if (map.byte_count > INT32_MAX ||
      !(pixels =
            stbi_load_from_memory(map.bytes, (int)map.byte_count, &columns, &rows, &channels, 4))) {
    status = lb_fail(err, LB_ERR_FORMAT, "%s: not a picture that can be read: %s", path,
                     map.byte_count > INT32_MAX ? "too large" : stbi_failure_reason());
    goto done;
  }
  uint8_t *copy = lb_duplicate(pixels, (size_t)columns * (size_t)rows, 4);
  if (!copy) {
    status = lb_fail_memory(err);
    goto done;
  }
  *width = columns;
  *height = rows;
  *rgba = copy;
done:
  if (pixels) stbi_image_free(pixels);
  lb_file_unmap(&map);
  return status;
}
