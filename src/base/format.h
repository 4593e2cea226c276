// Numbers as text, whatever the locale: with a decimal point, and so many digits that every bit
// survives.
#ifndef LB_BASE_FORMAT_H
#define LB_BASE_FORMAT_H

#include "limber/base.h"

// So many significant digits (15 read well), or 17 where those do not give back the same double.
// Returns the length.
size_t lb_format_number(char text[LB_NUMBER_TEXT], double value, int least_digits);

// Replaces the decimal separator of the current locale, whatever it is, by a point, in place.
void lb_use_decimal_point(char *number);

#endif
