// What the writers ask of times and numbers before they begin; messages name the place.
#ifndef LB_EXPORT_CHECK_H
#define LB_EXPORT_CHECK_H

#include "limber/base.h"

// Beyond this, in metres, the floats of a file could overflow.
#define LB_FARTHEST 1e30

// Seconds >= 0 that ascend; `single`: also as floats, for glTF.
lbStatus lb_check_times(int32_t frame_count, const double *times, bool single, lbError *err);

// (row_count x vertex_count x 3) lengths; `row` says what a row is: "frame", "shape".
lbStatus lb_check_floats(const char *body, const char *row, int32_t row_count, int32_t vertex_count,
                         const float *values, lbError *err);
lbStatus lb_check_doubles(const char *body, const char *row, int32_t row_count,
                          int32_t vertex_count, const double *values, lbError *err);

// (row_count x width) numbers, called `what`: "positions", "coordinates".
lbStatus lb_check_numbers(const char *body, const char *what, int32_t row_count, int32_t width,
                          const double *values, lbError *err);
// 'z' or 'y'.
lbStatus lb_check_up(char up, lbError *err);
// The name of a body, or "body N" (in `plain`) where it has none.
const char *lb_body_label(const char *name, int32_t number, char plain[32]);

// (count x 4), finite and not zero.
lbStatus lb_check_rotations(const char *body, int32_t count, const double *values, lbError *err);

#endif
