// Base64: three bytes in four characters.
#include "meshio/base64.h"

#include <string.h>

static const char letters[] = LB_BASE64_URI_DIGITS; // the first 64 of them

static int value_of(char c, bool is_uri) {
  if (is_uri && c == '-') return 62;
  if (is_uri && c == '_') return 63;
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

lbByteStream lb_byte_stream(const char *begin, const char *end, bool is_base64) {
  return (lbByteStream){ .next = begin, .end = end, .is_base64 = is_base64 };
}

// The next four characters that are not white space, decoded into `ready`.
static bool decode_group(lbByteStream *stream) {
  uint32_t bits = 0;
  int count = 0, padding = 0;
  while (count < 4) {
    bool at_end = stream->next >= stream->end;
    if (at_end && (!stream->is_uri || count < 2)) return false;
    char c = at_end ? '=' : *stream->next++;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    int value = value_of(c, stream->is_uri);
    if (c == '=' && count >= 2)
      padding++, value = 0;
    else if (value < 0 || padding)
      return false;
    bits = bits << 6 | (uint32_t)value;
    count++;
  }
  stream->ready[0] = (uint8_t)(bits >> 16);
  stream->ready[1] = (uint8_t)(bits >> 8);
  stream->ready[2] = (uint8_t)bits;
  stream->ready_at = 0;
  stream->ready_count = 3 - padding;
  return true;
}

bool lb_byte_stream_read(lbByteStream *stream, void *bytes, size_t count) {
  uint8_t *to = bytes;
  if (!stream->is_base64) {
    if ((size_t)(stream->end - stream->next) < count) return false;
    if (count) memcpy(to, stream->next, count);
    stream->next += count;
    return true;
  }
  for (size_t i = 0; i < count; i++) {
    if (stream->ready_at == stream->ready_count && !decode_group(stream)) return false;
    to[i] = stream->ready[stream->ready_at++];
  }
  return true;
}

size_t lb_byte_stream_left(const lbByteStream *stream) {
  size_t left = (size_t)(stream->end - stream->next);
  if (!stream->is_base64) return left;
  return left / 4 * 3 + (size_t)(stream->ready_count - stream->ready_at);
}

static void write_group(lbBase64Writer *writer) {
  const uint8_t *b = writer->held;
  char group[4] = { letters[b[0] >> 2], letters[(b[0] & 3) << 4 | b[1] >> 4],
                    letters[(b[1] & 15) << 2 | b[2] >> 6], letters[b[2] & 63] };
  for (int i = writer->held_count + 1; i < 4; i++) group[i] = '=';
  fwrite(group, 1, 4, writer->stream);
  memset(writer->held, 0, sizeof writer->held);
  writer->held_count = 0;
}

void lb_base64_write(lbBase64Writer *writer, const void *bytes, size_t count) {
  const uint8_t *from = bytes;
  for (size_t i = 0; i < count; i++) {
    writer->held[writer->held_count++] = from[i];
    if (writer->held_count == 3) write_group(writer);
  }
}

void lb_base64_end(lbBase64Writer *writer) {
  if (writer->held_count) write_group(writer);
}
