// Times ascend, lengths are numbers.
#include "export/check.h"

#include <math.h>
#include <stdio.h>

lbStatus lb_check_times(int32_t frame_count, const double *times, bool single, lbError *err) {
  for (int32_t f = 0; f < frame_count; f++) {
    double time = times[f], before = f ? times[f - 1] : -1;
    if (!(time >= 0 && time < 1e30))
      return lb_fail(err, LB_ERR_ARGUMENT, "times[%d] is %g, it must be a number of seconds >= 0",
                     (int)f, time);
    if (!(single ? (float)time > (float)before : time > before))
      return lb_fail(err, LB_ERR_ARGUMENT, "times[%d] is %.9g after %.9g: times must ascend%s",
                     (int)f, time, before, single ? ", also in the single precision of glTF" : "");
  }
  return LB_OK;
}

static lbStatus fail_length(const char *body, const char *row, size_t n, size_t i, double x,
                            lbError *err) {
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "body \"%s\": %s %zu, vertex %zu: %c is %g, it must be a finite length in metres",
                 body, row, i / n, i % n / 3, "xyz"[i % 3], x);
}

lbStatus lb_check_floats(const char *body, const char *row, int32_t row_count, int32_t vertex_count,
                         const float *values, lbError *err) {
  size_t n = 3 * (size_t)vertex_count;
  for (size_t i = 0; i < (size_t)row_count * n; i++)
    if (!(fabs((double)values[i]) <= LB_FARTHEST))
      return fail_length(body, row, n, i, (double)values[i], err);
  return LB_OK;
}

lbStatus lb_check_doubles(const char *body, const char *row, int32_t row_count,
                          int32_t vertex_count, const double *values, lbError *err) {
  size_t n = 3 * (size_t)vertex_count;
  for (size_t i = 0; i < (size_t)row_count * n; i++)
    if (!(fabs(values[i]) <= LB_FARTHEST)) return fail_length(body, row, n, i, values[i], err);
  return LB_OK;
}

lbStatus lb_check_numbers(const char *body, const char *what, int32_t row_count, int32_t width,
                          const double *values, lbError *err) {
  for (size_t i = 0; i < (size_t)row_count * (size_t)width; i++)
    if (!(fabs(values[i]) <= LB_FARTHEST))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "body \"%s\": %s[%zu][%zu] is %g, it must be a finite number", body, what,
                     i / (size_t)width, i % (size_t)width, values[i]);
  return LB_OK;
}

lbStatus lb_check_rotations(const char *body, int32_t count, const double *values, lbError *err) {
  for (size_t i = 0; i < (size_t)count; i++) {
    const double *q = values + 4 * i;
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-100 && length < 1e100))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "body \"%s\": rotations[%zu] is (%g, %g, %g, %g), a quaternion x y z w that "
                     "has zero or non-finite length",
                     body, i, q[0], q[1], q[2], q[3]);
  }
  return LB_OK;
}

lbStatus lb_check_up(char up, lbError *err) {
  if (up == 'z' || up == 'y') return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "up is character %d, it must be 'z' or 'y'", (int)up);
}

const char *lb_body_label(const char *name, int32_t number, char plain[32]) {
  snprintf(plain, 32, "body %d", (int)number);
  return name && *name ? name : plain;
}
