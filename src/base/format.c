// Numbers by printf, then a point for the locale's decimal separator, which may have several bytes.
#include "base/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lb_use_decimal_point(char *number) {
  char *to = number;
  for (const char *from = number; *from;) {
    bool separator = !strchr("0123456789+-einfa", *from);
    *to++ = separator ? '.' : *from;
    from++;
    while (separator && *from && !strchr("0123456789", *from)) from++;
  }
  *to = '\0';
}

size_t lb_format_number(char text[LB_NUMBER_TEXT], double value, int least_digits) {
  snprintf(text, LB_NUMBER_TEXT, "%.*g", least_digits, value);
  if (strtod(text, NULL) != value) snprintf(text, LB_NUMBER_TEXT, "%.17g", value);
  lb_use_decimal_point(text);
  return strlen(text);
}

const char *lb_json_number_text(char text[LB_NUMBER_TEXT], double value, int digits) {
  if (!isfinite(value)) return strcpy(text, "null");
  snprintf(text, LB_NUMBER_TEXT, "%.*g", digits < 17 ? digits : 17, value);
  lb_use_decimal_point(text);
  return text;
}
