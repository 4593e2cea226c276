// Companion files and picture types.
#include "meshio/companion.h"

#include "limber/file.h"

#include <string.h>

static bool is_absolute(const char *name) {
  return name[0] == '/' || (name[0] && name[1] == ':' && name[2] == '/');
}

lbStatus lb_companion_path(const char *path, const char *name, char **out, lbError *err) {
  char *tidy = lb_duplicate_text(name);
  if (!tidy) return lb_fail_memory(err);
  for (char *c = tidy; *c; c++)
    if (*c == '\\') *c = '/';
  const char *last = is_absolute(tidy) ? lb_path_name(tidy) : tidy;
  lbStatus status = lb_file_named(path, last, LB_REACH_FOLDER, out, err);
  lb_free(tidy);
  return status;
}

lbStatus lb_companion_read(const char *path, const char *name, char **content, size_t *bytes,
                           lbError *err) {
  char *beside = NULL;
  lbStatus status = lb_companion_path(path, name, &beside, err);
  if (!status) status = lb_file_read(beside, content, bytes, err);
  lb_free(beside);
  return status;
}

typedef struct PictureType {
  const char *mime, *extension, *magic;
  size_t offset, magic_bytes;
} PictureType;

static const PictureType picture_types[] = {
  { "image/png", ".png", "\x89PNG\r\n\x1a\n", 0, 8 },
  { "image/jpeg", ".jpg", "\xff\xd8\xff", 0, 3 },
  { "image/webp", ".webp", "WEBP", 8, 4 },
  { "image/ktx2", ".ktx2", "\xabKTX 20\xbb\r\n\x1a\n", 0, 12 },
  { "image/gif", ".gif", "GIF8", 0, 4 },
  { "image/bmp", ".bmp", "BM", 0, 2 },
  { "image/vnd-ms.dds", ".dds", "DDS ", 0, 4 },
};

const char *lb_picture_mime(const void *data, size_t bytes) {
  for (size_t i = 0; i < sizeof picture_types / sizeof *picture_types; i++) {
    const PictureType *type = &picture_types[i];
    if (bytes >= type->offset + type->magic_bytes &&
        memcmp((const char *)data + type->offset, type->magic, type->magic_bytes) == 0)
      return type->mime;
  }
  return NULL;
}

const char *lb_picture_extension(const char *mime) {
  for (size_t i = 0; i < sizeof picture_types / sizeof *picture_types; i++)
    if (strcmp(picture_types[i].mime, mime) == 0) return picture_types[i].extension;
  return "";
}
