#include "page/text.h"

#include <stdarg.h>
#include <stdio.h>

lbError page_error;
static char text[65536];
static size_t length;

const char *page_text(void) { return text; }

const char *page_begin(const char *start) {
  length = 0;
  page_write("%s", start);
  return text;
}

void page_write(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int added = vsnprintf(text + length, sizeof text - length, format, arguments);
  va_end(arguments);
  if (added > 0 && length + (size_t)added < sizeof text) length += (size_t)added;
}

void page_write_string(const char *string) {
  page_write("\"");
  for (const char *c = string; *c; c++) {
    unsigned char byte = (unsigned char)*c;
    if (byte == '"' || byte == '\\')
      page_write("\\%c", byte);
    else if (byte < 32)
      page_write("\\u%04x", byte);
    else
      page_write("%c", byte);
  }
  page_write("\"");
}

void page_write_value(double value, int digits) {
  char number[LB_NUMBER_TEXT];
  page_write("%s", lb_json_number_text(number, value, digits));
}

void page_write_number(const char *name, double value) {
  page_write("\"%s\":", name);
  page_write_value(value, 9);
}

void page_write_vector(const char *name, lbVec3 v) {
  page_write("\"%s\":[", name);
  for (int i = 0; i < 3; i++) {
    page_write(i ? "," : "");
    page_write_value((&v.x)[i], 9);
  }
  page_write("]");
}

EXPORT const char *page_error_text(void) { return page_error.text; }
EXPORT void *page_allocate(size_t bytes) { return lb_alloc(bytes, 1); }
EXPORT void page_free(void *block) { lb_free(block); }
