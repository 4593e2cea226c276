// Appending to text; numbers under any locale; strings escaped.
#include "gltf/json.h"

#include "base/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void lb_json_release(lbJson *json) {
  lb_free(json->text);
  *json = (lbJson){ 0 };
}

void lb_json_put_part(lbJson *json, const char *bytes, size_t count) {
  if (json->failed ||
      !lb_grow((void **)&json->text, &json->capacity, json->length + count + 1, 1)) {
    json->failed = true;
    return;
  }
  memcpy(json->text + json->length, bytes, count);
  json->length += count;
  json->text[json->length] = '\0';
}

void lb_json_put(lbJson *json, const char *text) { lb_json_put_part(json, text, strlen(text)); }

int32_t lb_json_next(lbJson *json) {
  if (json->count) lb_json_put(json, ",");
  return json->count++;
}

void lb_json_put_integer(lbJson *json, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  lb_json_put(json, text);
}

void lb_json_put_number(lbJson *json, double value) {
  char text[LB_NUMBER_TEXT];
  if (isfinite(value))
    lb_json_put_part(json, text, lb_format_number(text, value, 9));
  else
    lb_json_put(json, lb_json_number_text(text, value, 9));
}

void lb_json_put_floats(lbJson *json, const char *key, const float *values, size_t count) {
  lb_json_put_string(json, key);
  lb_json_put(json, ":[");
  for (size_t i = 0; i < count; i++) {
    if (i) lb_json_put(json, ",");
    lb_json_put_number(json, (double)values[i]);
  }
  lb_json_put(json, "]");
}

// ---- strings -----------------------------------------------------------------------------------

// Bytes of the character that begins here; 0: it is not UTF-8.
static size_t character_bytes(const unsigned char *c) {
  if (c[0] < 0x80) return 1;
  size_t bytes = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
  if (c[0] < 0xc2 || c[0] > 0xf4) return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((c[i] & 0xc0) != 0x80) return 0;
  uint32_t code = c[0] & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; i++) code = code << 6 | (c[i] & 0x3fu);
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  return code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : bytes;
}

static bool is_utf8(const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c;) {
    size_t bytes = character_bytes(c);
    if (!bytes) return false;
    c += bytes;
  }
  return true;
}

void lb_json_put_string(lbJson *json, const char *text) {
  bool plain = !is_utf8(text);
  lb_json_put(json, "\"");
  for (const char *c = text; *c; c++) {
    unsigned char byte = (unsigned char)*c;
    char escaped[8];
    if (byte == '"' || byte == '\\')
      snprintf(escaped, sizeof escaped, "\\%c", byte);
    else if (byte < 0x20)
      snprintf(escaped, sizeof escaped, "\\u%04x", byte);
    else
      snprintf(escaped, sizeof escaped, "%c", byte >= 0x80 && plain ? '_' : byte);
    lb_json_put(json, escaped);
  }
  lb_json_put(json, "\"");
}
