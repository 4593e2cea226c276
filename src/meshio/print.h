// Numbers in text files: every bit survives, and the locale's decimal comma does not get in.
#ifndef LB_MESHIO_PRINT_H
#define LB_MESHIO_PRINT_H

#include "limber/mesh.h"

#include <stdio.h>

// So many significant digits (15 read well), or 17 where those do not give back the same double.
void lb_print_number(FILE *stream, double value, int least_digits);

// A tag per group for formats that know groups by number alone: its own, or the smallest one above
// all tags of its kind. (group_count), free with lb_free; NULL without memory.
int32_t *lb_group_tags(const lbMesh *mesh);

#endif
