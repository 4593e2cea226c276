// The header of an NRRD file: lines "key: value" up to an empty one.
// https://teem.sourceforge.net/nrrd/format.html
#include "arrayio/image.h"
#include "arrayio/text.h"

#include <stdio.h>

typedef struct Reading {
  const char *path;
  lbImageHead *head;
  lbVec3 steps[3]; // of the axes
  double unit;     // m
  bool has_type, has_sizes, has_raw;
} Reading;

static bool find_nrrd_type(const char *name, lbScalar *type) {
  static const struct {
    const char *names;
    lbScalar type;
  } types[] = { { " signed char int8 int8_t ", LB_SCALAR_INT8 },
                { " uchar unsigned char uint8 uint8_t ", LB_SCALAR_UINT8 },
                { " short short int signed short int16 int16_t ", LB_SCALAR_INT16 },
                { " ushort unsigned short uint16 uint16_t ", LB_SCALAR_UINT16 },
                { " int signed int int32 int32_t ", LB_SCALAR_INT32 },
                { " uint unsigned int uint32 uint32_t ", LB_SCALAR_UINT32 },
                { " longlong long long int64 int64_t ", LB_SCALAR_INT64 },
                { " ulonglong unsigned long long uint64 uint64_t ", LB_SCALAR_UINT64 },
                { " float ", LB_SCALAR_FLOAT32 },
                { " double ", LB_SCALAR_FLOAT64 } };
  char wanted[64];
  snprintf(wanted, sizeof wanted, " %s ", name);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strstr(types[i].names, wanted)) {
      *type = types[i].type;
      return true;
    }
  return false;
}

// The next number in a value, past brackets, commas and blanks; NULL: none.
static const char *next_number(const char *from, double *value) {
  while (*from && strchr("(), \t\"", *from)) from++;
  size_t length = lb_parse_number(from, from + strlen(from), value);
  return length > 0 ? from + length : NULL;
}

static lbStatus read_nrrd_numbers(const Reading *r, const char *key, const char *value, int count,
                                  double *out, lbError *err) {
  for (int i = 0; i < count; i++) {
    value = next_number(value, &out[i]);
    if (!value)
      return lb_fail(err, LB_ERR_FORMAT, "%s: \"%s\" must have %d numbers", r->path, key, count);
  }
  return LB_OK;
}

static lbStatus read_nrrd_sizes(Reading *r, const char *value, lbError *err) {
  double sizes[3];
  lbStatus status = read_nrrd_numbers(r, "sizes", value, 3, sizes, err);
  for (int i = 0; i < 3 && !status; i++) {
    if (!(sizes[i] >= 1 && sizes[i] <= INT32_MAX))
      return lb_fail(err, LB_ERR_FORMAT, "%s: the image has %g values along its axis %d", r->path,
                     sizes[i], i);
    r->head->size[i] = (int64_t)sizes[i];
  }
  r->has_sizes = true;
  return status;
}

static lbStatus read_nrrd_field(Reading *r, const char *key, const char *value, lbError *err) {
  double numbers[9];
  lbStatus status = LB_OK;
  if (strcmp(key, "type") == 0) {
    r->has_type = find_nrrd_type(value, &r->head->type);
    if (!r->has_type)
      status = lb_fail(err, LB_ERR_UNSUPPORTED, "%s: numbers of type \"%s\" are not read", r->path,
                       value);
  } else if (strcmp(key, "dimension") == 0) {
    if (strcmp(value, "3") != 0)
      status = lb_fail(err, LB_ERR_UNSUPPORTED, "%s: the image has %s axes, use one with 3",
                       r->path, value);
  } else if (strcmp(key, "sizes") == 0) {
    status = read_nrrd_sizes(r, value, err);
  } else if (strcmp(key, "encoding") == 0) {
    r->has_raw = strcmp(value, "raw") == 0;
    if (!r->has_raw)
      status = lb_fail(err, LB_ERR_UNSUPPORTED, "%s: its encoding is \"%s\", only raw is read",
                       r->path, value);
  } else if (strcmp(key, "endian") == 0) {
    r->head->big_endian = strcmp(value, "big") == 0;
  } else if (strcmp(key, "spacings") == 0) {
    status = read_nrrd_numbers(r, key, value, 3, numbers, err);
    if (!status)
      r->steps[0] = lb_vec3(numbers[0], 0, 0), r->steps[1] = lb_vec3(0, numbers[1], 0),
      r->steps[2] = lb_vec3(0, 0, numbers[2]);
  } else if (strcmp(key, "space directions") == 0) {
    status = read_nrrd_numbers(r, key, value, 9, numbers, err);
    for (int i = 0; i < 3 && !status; i++) r->steps[i] = lb_vec3_load(numbers + 3 * i);
  } else if (strcmp(key, "space origin") == 0) {
    status = read_nrrd_numbers(r, key, value, 3, numbers, err);
    if (!status) r->head->origin = lb_vec3_load(numbers);
  } else if (strcmp(key, "space units") == 0 || strcmp(key, "units") == 0) {
    if (strstr(value, "\"mm\"")) r->unit = 1e-3;
  } else if (strcmp(key, "data file") == 0 || strcmp(key, "datafile") == 0) {
    status = lb_fail(err, LB_ERR_UNSUPPORTED,
                     "%s: its numbers are in another file, use NRRD as one file", r->path);
  }
  return status;
}

static lbStatus finish_nrrd(const Reading *r, lbError *err) {
  const char *missing = !r->has_type    ? "type"
                        : !r->has_sizes ? "sizes"
                        : !r->has_raw   ? "encoding"
                                        : NULL;
  if (missing) return lb_fail(err, LB_ERR_FORMAT, "%s: the header has no \"%s\"", r->path, missing);
  lbMat3 axes = lb_mat3_from_columns(r->steps[0], r->steps[1], r->steps[2]);
  r->head->axes = lb_mat3_scale(r->unit, axes);
  r->head->origin = lb_scale(r->unit, r->head->origin);
  return LB_OK;
}

lbStatus lb_nrrd_head(const char *path, const char *content, size_t bytes, lbImageHead *head,
                      lbError *err) {
  Reading r = { .path = path, .head = head, .unit = 1 };
  r.steps[0] = lb_vec3(1, 0, 0), r.steps[1] = lb_vec3(0, 1, 0), r.steps[2] = lb_vec3(0, 0, 1);
  head->origin = lb_vec3(0, 0, 0);
  lbText text = lb_text(path, content, bytes);
  lb_text_skip_line(&text); // NRRD000n
  while (!lb_text_at_end(&text)) {
    char line[512], *colon;
    size_t length = lb_text_line(&text, line, sizeof line);
    if (length == 0) { // the numbers follow
      head->data = (size_t)(text.next - content);
      return finish_nrrd(&r, err);
    }
    if (line[0] == '#' || !(colon = strstr(line, ": "))) continue;
    *colon = '\0';
    char *value = colon + 2;
    while (*value == ' ') value++;
    lbStatus status = read_nrrd_field(&r, line, value, err);
    if (status) return status;
  }
  return lb_fail(err, LB_ERR_FORMAT, "%s: the header of the image does not end", path);
}
