// NumPy's .npy: a magic, a version, the length of a header in Python's syntax, the header
// {'descr': '<f8', 'fortran_order': False, 'shape': (30, 4), }, the values.
#include "arrayio/npy.h"

#include <stdio.h>
#include <string.h>

void lb_npy_destroy(lbNpy *array) {
  if (!array) return;
  lb_free(array->values);
  lb_free(array);
}

typedef struct Header {
  char type[8]; // "<f8"
  bool fortran;
  int32_t axis_count;
  size_t shape[LB_NPY_AXES];
  size_t begin; // of the values
} Header;

typedef struct Text { // the header's own text
  const char *next, *end;
} Text;

static void skip_npy_blanks(Text *t) {
  while (t->next < t->end && (*t->next == ' ' || *t->next == '\n')) t->next++;
}

static bool take_character(Text *t, char c) {
  skip_npy_blanks(t);
  if (t->next == t->end || *t->next != c) return false;
  t->next++;
  return true;
}

// 'text' or "text", cut to the room there is.
static bool take_literal(Text *t, char *out, size_t room) {
  skip_npy_blanks(t);
  if (t->next == t->end || (*t->next != '\'' && *t->next != '"')) return false;
  char quote = *t->next++;
  size_t length = 0;
  for (; t->next < t->end && *t->next != quote; t->next++)
    if (length + 1 < room) out[length++] = *t->next;
  out[length] = '\0';
  return take_character(t, quote);
}

static bool take_word(Text *t, const char *word) {
  size_t length = strlen(word);
  skip_npy_blanks(t);
  if ((size_t)(t->end - t->next) < length || memcmp(t->next, word, length)) return false;
  t->next += length;
  return true;
}

static bool take_shape(Text *t, Header *header) {
  if (!take_character(t, '(')) return false;
  while (!take_character(t, ')')) {
    size_t value = 0;
    skip_npy_blanks(t);
    const char *first = t->next;
    for (; t->next < t->end && *t->next >= '0' && *t->next <= '9'; t->next++) {
      if (value > (SIZE_MAX - 9) / 10) return false;
      value = 10 * value + (size_t)(*t->next - '0');
    }
    if (t->next == first) return false;
    if (header->axis_count < LB_NPY_AXES) header->shape[header->axis_count] = value;
    header->axis_count++;
    if (header->axis_count > 32) return false;
    if (!take_character(t, ',') && !(t->next < t->end && *t->next == ')')) return false;
  }
  return true;
}

static bool parse_dictionary(Text t, Header *header) {
  bool type = false, order = false, shape = false;
  if (!take_character(&t, '{')) return false;
  while (!take_character(&t, '}')) {
    char key[32];
    if (!take_literal(&t, key, sizeof key) || !take_character(&t, ':')) return false;
    if (strcmp(key, "descr") == 0) {
      type = take_literal(&t, header->type, sizeof header->type);
      if (!type) return false;
    } else if (strcmp(key, "fortran_order") == 0) {
      header->fortran = take_word(&t, "True");
      order = header->fortran || take_word(&t, "False");
      if (!order) return false;
    } else if (strcmp(key, "shape") == 0) {
      header->axis_count = 0;
      shape = take_shape(&t, header);
      if (!shape) return false;
    } else {
      return false;
    }
    take_character(&t, ',');
  }
  return type && order && shape;
}

static lbStatus parse_header(const char *path, const char *content, size_t bytes, Header *header,
                             lbError *err) {
  const unsigned char *b = (const unsigned char *)content;
  if (bytes < 10 || memcmp(content, "\x93NUMPY", 6))
    return lb_fail(err, LB_ERR_FORMAT, "%s: is not a NumPy array, write it with numpy.save", path);
  if (b[6] < 1 || b[6] > 3)
    return lb_fail(err, LB_ERR_FORMAT, "%s: NumPy format version %d is unknown, use 1 to 3", path,
                   (int)b[6]);
  size_t first = b[6] == 1 ? 10 : 12, length = (size_t)b[8] | (size_t)b[9] << 8;
  if (b[6] > 1 && bytes >= 12) length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
  if (bytes < first || length > bytes - first)
    return lb_fail(err, LB_ERR_FORMAT, "%s: ends within its header", path);
  header->begin = first + length;
  if (!parse_dictionary((Text){ content + first, content + first + length }, header))
    return lb_fail(err, LB_ERR_FORMAT, "%s: the header of the NumPy array cannot be read", path);
  if (header->axis_count < 1 || header->axis_count > LB_NPY_AXES)
    return lb_fail(err, LB_ERR_FORMAT, "%s: the array has %d axes, it must have 1 to %d", path,
                   (int)header->axis_count, (int)LB_NPY_AXES);
  return LB_OK;
}

// How many values the shape has; false where that overflows.
static bool count_values(const Header *header, size_t *count) {
  *count = 1;
  for (int32_t a = 0; a < header->axis_count; a++) {
    if (header->shape[a] != 0 && *count > SIZE_MAX / 8 / header->shape[a]) return false;
    *count *= header->shape[a];
  }
  return true;
}

static void set_layout(const Header *header, lbNpy *array) {
  size_t step = 1;
  array->axis_count = header->axis_count;
  for (int32_t a = 0; a < LB_NPY_AXES; a++) array->shape[a] = 1;
  memcpy(array->shape, header->shape, (size_t)header->axis_count * sizeof *header->shape);
  for (int32_t i = 0; i < LB_NPY_AXES; i++) {
    int32_t a = header->fortran ? i : LB_NPY_AXES - 1 - i;
    array->stride[a] = step;
    step *= array->shape[a];
  }
}

lbStatus lb_npy_parse(const char *path, const char *content, size_t bytes, lbNpy **out,
                      lbError *err) {
  Header header = { 0 };
  lbStatus status = parse_header(path, content, bytes, &header, err);
  if (status) return status;
  bool big = header.type[0] == '>', single = strcmp(header.type + 1, "f4") == 0;
  if ((header.type[0] != '<' && !big) || (!single && strcmp(header.type + 1, "f8")))
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: values are of type \"%s\", they must be float64 or float32", path,
                   header.type);
  size_t count, width = single ? 4 : 8, room = bytes - header.begin;
  if (!count_values(&header, &count) || count > room / width)
    return lb_fail(err, LB_ERR_FORMAT, "%s: ends before the values that its shape declares", path);
  lbNpy *array = lb_alloc(1, sizeof *array);
  if (array) array->values = lb_alloc(count, sizeof(double));
  if (!array || !array->values) {
    lb_npy_destroy(array);
    return lb_fail_memory(err);
  }
  array->count = count;
  array->single = single;
  set_layout(&header, array);
  const char *from = content + header.begin;
  lbScalar type = single ? LB_SCALAR_FLOAT32 : LB_SCALAR_FLOAT64;
  bool swapped = big != lb_machine_is_big_endian();
  for (size_t i = 0; i < count; i++)
    lb_scalar_real(type, from + i * width, swapped, &array->values[i]);
  *out = array;
  return LB_OK;
}

// ---- writing -----------------------------------------------------------------------------------

#define MAGIC "\x93NUMPY\x01\x00" // with the version

// Blanks to a multiple of 64 bytes, and the length.
static size_t pad(char *header, size_t used) {
  while ((used + 1) % 64) header[used++] = ' ';
  header[used++] = '\n';
  lb_put_u16((uint8_t *)header + 8, (uint32_t)used - 10);
  return used;
}

size_t lb_npy_header(lbScalar type, bool fortran_order, int32_t axis_count, const int64_t *shape,
                     char header[LB_NPY_HEADER_MOST]) {
  static const char *const codes[LB_SCALAR_COUNT] = { "i1", "u1", "i2", "u2", "i4",
                                                      "u4", "i8", "u8", "f4", "f8" };
  const size_t most = LB_NPY_HEADER_MOST;
  char order = lb_scalar_bytes(type) == 1 ? '|' : lb_machine_is_big_endian() ? '>' : '<';
  memcpy(header, MAGIC, 8);
  size_t used = 10;
  used += (size_t)snprintf(header + used, most - used,
                           "{'descr': '%c%s', 'fortran_order': %s, 'shape': (", order, codes[type],
                           fortran_order ? "True" : "False");
  for (int32_t i = 0; i < axis_count; i++)
    used += (size_t)snprintf(header + used, most - used, "%lld,%s", (long long)shape[i],
                             i + 1 < axis_count ? " " : "");
  used += (size_t)snprintf(header + used, most - used, "), }");
  return pad(header, used);
}

size_t lb_npy_text_header(size_t text_bytes, char header[LB_NPY_HEADER_MOST]) {
  memcpy(header, MAGIC, 8);
  int used = snprintf(header + 10, LB_NPY_HEADER_MOST - 10,
                      "{'descr': '|S%zu', 'fortran_order': False, 'shape': (), }", text_bytes);
  return pad(header, 10 + (size_t)used);
}
