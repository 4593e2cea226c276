// Small animated glTF texts for the tests: accessors of floats in a base64 buffer.
#ifndef LB_TESTS_GLTF_CLIP_H
#define LB_TESTS_GLTF_CLIP_H

#include "check.h"

typedef struct Clip {
  float data[512];
  int value_count, accessor_count;
  char views[4096], accessors[4096];
} Clip;

// Adds `rows` rows of 1, 3 or 4 numbers; gives the accessor's number.
static inline int clip_add(Clip *clip, const double *values, int rows, int width) {
  static const char *const types[] = { "", "SCALAR", "", "VEC3", "VEC4" };
  const char *comma = clip->accessor_count ? "," : "";
  char text[200];
  snprintf(text, sizeof text, "%s{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}", comma,
           4 * clip->value_count, 4 * rows * width);
  strcat(clip->views, text);
  snprintf(text, sizeof text,
           "%s{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"%s\"}", comma,
           clip->accessor_count, rows, types[width]);
  strcat(clip->accessors, text);
  for (int i = 0; i < rows * width; i++) clip->data[clip->value_count++] = (float)values[i];
  return clip->accessor_count++;
}

// The whole file; nodes and animations are JSON with single quotes. Free it.
static inline char *clip_text(const Clip *clip, const char *nodes, const char *animations) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *bytes = (const unsigned char *)clip->data;
  size_t count = 4 * (size_t)clip->value_count, used = 0;
  char *base64 = calloc(count / 3 * 4 + 8, 1), *text = malloc(65536);
  for (size_t i = 0; i < count; i += 3) {
    unsigned long word = 0;
    for (size_t k = 0; k < 3; k++) word = word << 8 | (i + k < count ? bytes[i + k] : 0);
    for (size_t k = 0; k < 4; k++) base64[used++] = digits[word >> (18 - 6 * k) & 63];
  }
  snprintf(text, 65536,
           "{'asset':{'version':'2.0'},'nodes':[%s],'animations':[%s],'buffers':[{'byteLength':%d,"
           "'uri':'data:application/octet-stream;base64,%s'}],'bufferViews':[%s],'accessors':[%s]}",
           nodes, animations, 4 * clip->value_count, base64, clip->views, clip->accessors);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  free(base64);
  return text;
}

#endif
