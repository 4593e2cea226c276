// Writing numbers under any locale.
#include "numbers/print.h"

#include "base/format.h"

void lb_print_number(FILE *stream, double value, int least_digits) {
  char text[LB_NUMBER_TEXT];
  fwrite(text, 1, lb_format_number(text, value, least_digits), stream);
}
