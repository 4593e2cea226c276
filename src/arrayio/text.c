// The text cursor and locale-free numbers.
#include "arrayio/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lbText lb_text(const char *path, const char *content, size_t bytes) {
  lbText text = { path, content, content + bytes, 1 };
  if (bytes >= 3 && memcmp(content, "\xef\xbb\xbf", 3) == 0) text.next += 3; // byte-order mark
  return text;
}

lbStatus lb_text_fail(const lbText *text, lbError *err, const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return lb_fail(err, LB_ERR_FORMAT, "%s:%d: %s", text->path, (int)text->line, message);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

void lb_text_skip_blanks(lbText *text) {
  while (text->next < text->end && is_blank(*text->next)) text->next++;
}

void lb_text_skip_space(lbText *text) {
  for (; text->next < text->end; text->next++) {
    if (*text->next == '\n')
      text->line++;
    else if (!is_blank(*text->next))
      return;
  }
}

void lb_text_skip_line(lbText *text) {
  const char *newline =
      text->next < text->end ? memchr(text->next, '\n', (size_t)(text->end - text->next)) : NULL;
  text->next = newline ? newline + 1 : text->end;
  if (newline) text->line++;
}

bool lb_text_at_end(const lbText *text) { return text->next >= text->end; }

bool lb_text_at_line_end(lbText *text) {
  lb_text_skip_blanks(text);
  return text->next >= text->end || *text->next == '\n';
}

static void copy_cut(char *to, size_t size, const char *from, size_t length) {
  if (size == 0) return;
  size_t kept = length < size - 1 ? length : size - 1;
  memcpy(to, from, kept);
  to[kept] = '\0';
}

size_t lb_text_word_in_line(lbText *text, char *word, size_t size) {
  lb_text_skip_blanks(text);
  const char *begin = text->next;
  while (text->next < text->end && *text->next != '\n' && !is_blank(*text->next)) text->next++;
  copy_cut(word, size, begin, (size_t)(text->next - begin));
  return (size_t)(text->next - begin);
}

size_t lb_text_word(lbText *text, char *word, size_t size) {
  lb_text_skip_space(text);
  return lb_text_word_in_line(text, word, size);
}

size_t lb_text_line(lbText *text, char *line, size_t size) {
  lb_text_skip_blanks(text);
  const char *begin = text->next;
  while (text->next < text->end && *text->next != '\n') text->next++;
  const char *last = text->next;
  while (last > begin && is_blank(last[-1])) last--;
  copy_cut(line, size, begin, (size_t)(last - begin));
  lb_text_skip_line(text);
  return (size_t)(last - begin);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

size_t lb_parse_integer(const char *next, const char *end, int64_t *value) {
  const char *p = next;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  const char *digits = p;
  const uint64_t limit = (uint64_t)INT64_MAX + negative;
  uint64_t magnitude = 0;
  for (; p < end && is_digit(*p); p++) {
    uint64_t digit = (uint64_t)(*p - '0');
    if (magnitude > (limit - digit) / 10) return 0;
    magnitude = magnitude * 10 + digit;
  }
  if (p == digits) return 0;
  if (negative && magnitude > 0)
    *value = -(int64_t)(magnitude - 1) - 1; // so that the smallest one fits
  else
    *value = (int64_t)magnitude;
  return (size_t)(p - next);
}

static bool starts_with_word(const char *p, const char *end, const char *word) {
  for (; *word; word++, p++)
    if (p >= end || (*p | 0x20) != *word) return false;
  return true;
}

// A decimal number: digits * 10^exponent. The point half way between two doubles has at most 767
// significant digits; of the digits dropped it only matters whether all are zero.
enum { KEPT_DIGITS = 800 };
typedef struct Decimal {
  char digits[KEPT_DIGITS];
  int digit_count;   // without leading zeros
  int64_t exponent;  // of ten
  uint64_t mantissa; // the digits as an integer when there are at most 19
} Decimal;

// Reads "123.456"; NULL when there is no digit.
static const char *read_digits(const char *p, const char *end, Decimal *decimal) {
  bool any = false, after_point = false, dropped = false;
  decimal->digit_count = 0, decimal->exponent = 0, decimal->mantissa = 0;
  for (; p < end && (is_digit(*p) || (*p == '.' && !after_point)); p++) {
    if (*p == '.') {
      after_point = true;
      continue;
    }
    any = true;
    decimal->exponent -= after_point;
    if (decimal->digit_count == 0 && *p == '0') continue;
    if (decimal->digit_count == KEPT_DIGITS) {
      decimal->exponent++;
      dropped |= *p != '0';
      continue;
    }
    decimal->digits[decimal->digit_count++] = *p;
    if (decimal->digit_count <= 19)
      decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(*p - '0');
  }
  if (dropped) decimal->digits[KEPT_DIGITS - 1] = '1'; // "a little more": never half way
  return any ? p : NULL;
}

// Reads "e-5" (Fortran: "D-05") and adds it; a letter without digits belongs to the next word.
static const char *read_text_exponent(const char *p, const char *end, int64_t *exponent) {
  if (p >= end || ((*p | 0x20) != 'e' && (*p | 0x20) != 'd')) return p;
  const char *q = p + 1;
  bool negative = q < end && *q == '-';
  if (q < end && (*q == '-' || *q == '+')) q++;
  if (q >= end || !is_digit(*q)) return p;
  int64_t written = 0;
  for (; q < end && is_digit(*q); q++)
    if (written < INT64_C(1000000000000000)) written = written * 10 + (*q - '0');
  *exponent += negative ? -written : written;
  return q;
}

static double decimal_value(const Decimal *decimal) {
  static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  int64_t exponent = decimal->exponent;
  if (decimal->digit_count == 0) return 0;
  // Up to 2^53 and 10^22 both numbers are exact: one rounding.
  if (decimal->digit_count <= 19 && decimal->mantissa <= (UINT64_C(1) << 53) && exponent >= -22 &&
      exponent <= 22)
    return exponent < 0 ? (double)decimal->mantissa / powers[-exponent]
                        : (double)decimal->mantissa * powers[exponent];
  // Otherwise the C library, in a form without a decimal point, which is what a locale changes.
  if (exponent > 100000) exponent = 100000;
  if (exponent < -100000) exponent = -100000;
  char canonical[KEPT_DIGITS + 16];
  snprintf(canonical, sizeof canonical, "%.*se%d", decimal->digit_count, decimal->digits,
           (int)exponent);
  return strtod(canonical, NULL);
}

// Reads "nan", "inf" or "infinity"; NULL when none is there.
static const char *read_named(const char *p, const char *end, double *value) {
  if (starts_with_word(p, end, "nan")) {
    *value = NAN;
    return p + 3;
  }
  if (!starts_with_word(p, end, "inf")) return NULL;
  *value = INFINITY;
  return p + (starts_with_word(p, end, "infinity") ? 8 : 3);
}

static const char *read_decimal(const char *p, const char *end, double *value) {
  Decimal decimal;
  p = read_digits(p, end, &decimal);
  if (!p) return NULL;
  p = read_text_exponent(p, end, &decimal.exponent);
  *value = decimal_value(&decimal);
  return p;
}

size_t lb_parse_number(const char *next, const char *end, double *value) {
  const char *p = next;
  double magnitude = 0;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  const char *rest = read_named(p, end, &magnitude);
  if (!rest) rest = read_decimal(p, end, &magnitude);
  if (!rest) return 0;
  *value = negative && !isnan(magnitude) ? -magnitude : magnitude; // "-nan" is NAN
  return (size_t)(rest - next);
}

bool lb_text_integer_in_line(lbText *text, int64_t *value) {
  lb_text_skip_blanks(text);
  size_t length = lb_parse_integer(text->next, text->end, value);
  text->next += length;
  return length > 0;
}

bool lb_text_number_in_line(lbText *text, double *value) {
  lb_text_skip_blanks(text);
  size_t length = lb_parse_number(text->next, text->end, value);
  text->next += length;
  return length > 0;
}

bool lb_text_integer(lbText *text, int64_t *value) {
  lb_text_skip_space(text);
  return lb_text_integer_in_line(text, value);
}

bool lb_text_number(lbText *text, double *value) {
  lb_text_skip_space(text);
  return lb_text_number_in_line(text, value);
}
