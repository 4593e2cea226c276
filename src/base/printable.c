// Text of foreign origin, made fit for a terminal.
#include "limber/base.h"

#include <stdio.h>
#include <string.h>

// Bytes of the UTF-8 character at `text`, and its code; 0: it is none.
static int decode(const unsigned char *text, uint32_t *code) {
  static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
  int length = text[0] < 0x80   ? 1
               : text[0] < 0xc0 ? 0
               : text[0] < 0xe0 ? 2
               : text[0] < 0xf0 ? 3
                                : 4;
  if (length == 0 || text[0] > 0xf4) return 0;
  *code = length == 1 ? text[0] : text[0] & (0x7fu >> length);
  for (int i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80) return 0; // the terminating zero, too
    *code = *code << 6 | (text[i] & 0x3f);
  }
  bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
  return *code < least[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

// Control characters, also those above ASCII, and marks that reorder the text after them.
static bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

char *lb_printable(char *to, size_t size, const char *from) {
  size_t used = 0;
  for (const unsigned char *next = (const unsigned char *)from; *next;) {
    char piece[12];
    uint32_t code = 0;
    int bytes = decode(next, &code), length = bytes;
    if (bytes == 0)
      length = snprintf(piece, sizeof piece, "\\x%02x", (unsigned)*next);
    else if (!is_control(code))
      memcpy(piece, next, (size_t)bytes);
    else if (code == '\n' || code == '\t' || code == '\r')
      length = snprintf(piece, sizeof piece, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    else
      length = snprintf(piece, sizeof piece, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    if (used + (size_t)length >= size) break;
    memcpy(to + used, piece, (size_t)length);
    used += (size_t)length;
    next += bytes ? bytes : 1;
  }
  if (size) to[used] = '\0';
  return to;
}
