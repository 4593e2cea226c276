// Numbers in text files: exact to the last bit, with a decimal point in every locale.
#ifndef LB_ARRAYIO_PRINT_H
#define LB_ARRAYIO_PRINT_H

#include "limber/base.h"

#include <stdio.h>

// As lb_format_number (base/format.h).
void lb_print_number(FILE *stream, double value, int least_digits);

// A float with the nine digits that give it back.
void lb_print_single(FILE *stream, float value);

#endif
