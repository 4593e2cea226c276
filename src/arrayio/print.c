// Writing numbers under any locale.
#include "arrayio/print.h"

#include "base/format.h"

void lb_print_number(FILE *stream, double value, int least_digits) {
  char text[LB_NUMBER_TEXT];
  fwrite(text, 1, lb_format_number(text, value, least_digits), stream);
}

void lb_print_single(FILE *stream, float value) {
  char text[LB_NUMBER_TEXT];
  snprintf(text, sizeof text, "%.9g", (double)value);
  lb_use_decimal_point(text);
  fputs(text, stream);
}
