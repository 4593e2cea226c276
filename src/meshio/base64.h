// Bytes that a file holds as they are or in base64, read one after another; and base64 written.
#ifndef LB_MESHIO_BASE64_H
#define LB_MESHIO_BASE64_H

#include "limber/base.h"

#include <stdio.h>

// Base64 of data URIs: two characters have a second form.
#define LB_BASE64_URI_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"

typedef struct lbByteStream {
  const char *next, *end;
  bool is_base64;
  bool is_uri;      // base64 as data URIs have it: '-' and '_' count too, padding may be missing
  uint8_t ready[3]; // decoded and not yet read
  int ready_at, ready_count;
} lbByteStream;

lbByteStream lb_byte_stream(const char *begin, const char *end, bool is_base64);
// False when there are fewer, or where base64 holds a character that does not belong there. Padding
// in the middle ends a group: encoders put several runs one behind another.
bool lb_byte_stream_read(lbByteStream *stream, void *bytes, size_t count);
size_t lb_byte_stream_left(const lbByteStream *stream); // at most so many

typedef struct lbBase64Writer {
  FILE *stream;
  uint8_t held[3];
  int held_count;
} lbBase64Writer;

void lb_base64_write(lbBase64Writer *writer, const void *bytes, size_t count);
void lb_base64_end(lbBase64Writer *writer); // writes what is held, padded

#endif
