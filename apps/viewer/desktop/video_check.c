// Whether a video that ffmpeg has written is whole, by the lengths that its container states:
// ffmpeg may end with status 0 though the disk was full.
#include "desktop/video_check.h"

#include <stdio.h>
#include <string.h>

static uint64_t big_endian(const uint8_t *bytes, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; i++) value = value << 8 | bytes[i];
  return value;
}

static bool read_at(FILE *file, uint64_t place, uint8_t *bytes, size_t count) {
  return place <= INT64_MAX && fseeko(file, (off_t)place, SEEK_SET) == 0 &&
         fread(bytes, 1, count, file) == count;
}

// Boxes one after another to the very end; pictures and their index among them.
static bool is_whole_mp4(FILE *file, uint64_t bytes) {
  bool has_index = false, has_pictures = false;
  uint64_t place = 0;
  while (place < bytes) {
    uint8_t box[16];
    if (!read_at(file, place, box, 8)) return false;
    uint64_t length = big_endian(box, 4);
    if (length == 1 && !read_at(file, place, box, 16)) return false;
    if (length == 1) length = big_endian(box + 8, 8);
    if (length < 8 || length > bytes - place) return false;
    has_index |= memcmp(box + 4, "moov", 4) == 0;
    has_pictures |= memcmp(box + 4, "mdat", 4) == 0 && length > 16;
    place += length;
  }
  return has_index && has_pictures;
}

// EBML: a header and one segment, whose length is filled in when all is written.
static bool is_whole_webm(FILE *file, uint64_t bytes) {
  uint8_t head[12];
  if (!read_at(file, 0, head, 5) || big_endian(head, 4) != 0x1a45dfa3 || !(head[4] & 0x80))
    return false;
  uint64_t segment = 5 + (head[4] & 0x7fu);
  if (!read_at(file, segment, head, 12) || big_endian(head, 4) != 0x18538067 || head[4] != 1)
    return false;
  return segment + 12 + big_endian(head + 5, 7) == bytes;
}

static bool is_whole_gif(FILE *file, uint64_t bytes) {
  uint8_t head[6], last;
  return bytes > 14 && read_at(file, 0, head, 6) && memcmp(head, "GIF89a", 6) == 0 &&
         read_at(file, bytes - 1, &last, 1) && last == ';';
}

static bool is_whole_webp(FILE *file, uint64_t bytes) {
  uint8_t head[12];
  if (!read_at(file, 0, head, 12) || memcmp(head, "RIFF", 4) != 0 || memcmp(head + 8, "WEBP", 4))
    return false;
  uint64_t length = 0;
  for (int i = 3; i >= 0; i--) length = length << 8 | head[4 + i];
  return length + 8 == bytes && bytes > 20;
}

lbStatus vw_video_check(const char *path, const char *muxer, lbError *err) {
  FILE *file = fopen(path, "rb");
  uint64_t bytes = 0;
  if (file && fseeko(file, 0, SEEK_END) == 0) bytes = (uint64_t)ftello(file);
  bool whole = file && (strcmp(muxer, "mp4") == 0    ? is_whole_mp4(file, bytes)
                        : strcmp(muxer, "webm") == 0 ? is_whole_webm(file, bytes)
                        : strcmp(muxer, "gif") == 0  ? is_whole_gif(file, bytes)
                                                     : is_whole_webp(file, bytes));
  if (file) fclose(file);
  if (whole) return LB_OK;
  return lb_fail(err, LB_ERR_FILE,
                 "ffmpeg has left a file that cannot be played, is the disk full");
}
