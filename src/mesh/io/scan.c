// Numbers from text or bytes, with the checks that every reader needs.
#include "mesh/io/scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t lb_scan_type_bytes(lbScanType type) {
  static const size_t bytes[LB_SCAN_TYPE_COUNT] = { 1, 1, 2, 2, 4, 4, 8, 8, 4, 8 };
  return bytes[type];
}

bool lb_machine_is_big_endian(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first == 0;
}

lbScan lb_scan(const char *path, const char *content, size_t bytes) {
  return (lbScan){ .text = lb_text(path, content, bytes), .begin = content };
}

static lbStatus fail_at(const lbScan *scan, lbError *err, lbStatus status, const char *format,
                        va_list arguments) {
  char message[400];
  vsnprintf(message, sizeof message, format, arguments);
  if (scan->binary)
    return lb_fail(err, status, "%s: byte %lld: %s", scan->text.path,
                   (long long)(scan->text.next - scan->begin), message);
  return lb_fail(err, status, "%s:%d: %s", scan->text.path, (int)scan->text.line, message);
}

lbStatus lb_scan_fail(const lbScan *scan, lbError *err, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  lbStatus status = fail_at(scan, err, LB_ERR_FORMAT, format, arguments);
  va_end(arguments);
  return status;
}

lbStatus lb_scan_unsupported(const lbScan *scan, lbError *err, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  lbStatus status = fail_at(scan, err, LB_ERR_UNSUPPORTED, format, arguments);
  va_end(arguments);
  return status;
}

// The next `bytes` bytes in this machine's order, as the low bytes of a zeroed block of 8.
static bool take_bytes(lbScan *scan, size_t bytes, uint8_t value[8]) {
  if ((size_t)(scan->text.end - scan->text.next) < bytes) return false;
  memset(value, 0, 8);
  for (size_t i = 0; i < bytes; i++)
    value[scan->swapped ? bytes - 1 - i : i] = (uint8_t)scan->text.next[i];
  scan->text.next += bytes;
  return true;
}

static bool decode_integer(lbScanType type, const uint8_t bytes[8], int64_t *value) {
#define DECODE(c_type)                                                                             \
  {                                                                                                \
    c_type number;                                                                                 \
    memcpy(&number, bytes, sizeof number);                                                         \
    *value = (int64_t)number;                                                                      \
    return true;                                                                                   \
  }
  switch (type) {
  case LB_SCAN_INT8: DECODE(int8_t)
  case LB_SCAN_UINT8: DECODE(uint8_t)
  case LB_SCAN_INT16: DECODE(int16_t)
  case LB_SCAN_UINT16: DECODE(uint16_t)
  case LB_SCAN_INT32: DECODE(int32_t)
  case LB_SCAN_UINT32: DECODE(uint32_t)
  case LB_SCAN_INT64: DECODE(int64_t)
  case LB_SCAN_UINT64: {
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    *value = (int64_t)(number & INT64_MAX);
    return number <= INT64_MAX;
  }
  default: return false;
  }
#undef DECODE
}

static bool decode_real(lbScanType type, const uint8_t bytes[8], double *value) {
  int64_t integer = 0;
  float single;
  switch (type) {
  case LB_SCAN_FLOAT32:
    memcpy(&single, bytes, sizeof single);
    *value = single;
    return true;
  case LB_SCAN_FLOAT64: memcpy(value, bytes, sizeof *value); return true;
  default:
    if (!decode_integer(type, bytes, &integer)) return false;
    *value = (double)integer;
    return true;
  }
}

bool lb_scan_real(lbScan *scan, lbScanType type, double *value) {
  uint8_t bytes[8];
  if (!scan->binary) return lb_text_number(&scan->text, value);
  return take_bytes(scan, lb_scan_type_bytes(type), bytes) && decode_real(type, bytes, value);
}

bool lb_scan_integer(lbScan *scan, lbScanType type, int64_t *value) {
  uint8_t bytes[8];
  if (!scan->binary) return lb_text_integer(&scan->text, value);
  if (!take_bytes(scan, lb_scan_type_bytes(type), bytes)) return false;
  if (type != LB_SCAN_FLOAT32 && type != LB_SCAN_FLOAT64) return decode_integer(type, bytes, value);
  double real = 0;
  if (!decode_real(type, bytes, &real) || !(fabs(real) < 9e15) || real != floor(real)) return false;
  *value = (int64_t)real;
  return true;
}

bool lb_scan_skip(lbScan *scan, lbScanType type, int64_t count) {
  if (scan->binary) {
    size_t left = (size_t)(scan->text.end - scan->text.next), width = lb_scan_type_bytes(type);
    if (count < 0 || (uint64_t)count > left / width) return false;
    scan->text.next += (size_t)count * width;
    return true;
  }
  double ignored = 0;
  for (int64_t i = 0; i < count; i++)
    if (!lb_text_number(&scan->text, &ignored)) return false;
  return count >= 0;
}

lbStatus lb_scan_check_count(const lbScan *scan, int64_t count, size_t text_bytes,
                             size_t binary_bytes, const char *what, lbError *err) {
  if (count < 0)
    return lb_scan_fail(scan, err, "the count of %s is %lld, it cannot be negative", what,
                        (long long)count);
  // The last item of a text needs no space after it.
  uint64_t left = (uint64_t)(scan->text.end - scan->text.next) + (scan->binary ? 0 : 1);
  uint64_t each = scan->binary ? binary_bytes : text_bytes;
  if ((uint64_t)count > left / each)
    return lb_scan_fail(scan, err, "claims %lld %s, the rest of the file can hold %llu at most",
                        (long long)count, what, (unsigned long long)(left / each));
  if (count >= INT32_MAX / 2)
    return lb_scan_fail(scan, err, "claims %lld %s, limber takes fewer than %d", (long long)count,
                        what, INT32_MAX / 2);
  return LB_OK;
}

lbStatus lb_scan_point(lbScan *scan, lbScanType type, int64_t number, double point[3],
                       lbError *err) {
  for (int i = 0; i < 3; i++) {
    if (!lb_scan_real(scan, type, &point[i]))
      return lb_scan_fail(scan, err, "vertex %lld lacks a number for %c", (long long)number,
                          "xyz"[i]);
    if (!isfinite(point[i]))
      return lb_scan_fail(scan, err,
                          "vertex %lld has a coordinate that is not a finite number (%c = %g), "
                          "mend or remove it",
                          (long long)number, "xyz"[i], point[i]);
  }
  return LB_OK;
}

lbStatus lb_scan_vertices(lbScan *scan, lbScanType type, int32_t count, int32_t base,
                          int32_t vertex_count, const char *what, int64_t number, int32_t *ids,
                          lbError *err) {
  for (int32_t i = 0; i < count; i++) {
    int64_t vertex = 0;
    if (!lb_scan_integer(scan, type, &vertex))
      return lb_scan_fail(scan, err, "%s %lld lacks vertex number %d of %d", what,
                          (long long)number, (int)i + 1, (int)count);
    if (vertex < base || vertex - base >= vertex_count)
      return lb_scan_fail(scan, err, "%s %lld uses vertex %lld, the mesh has %d (counted from %d)",
                          what, (long long)number, (long long)vertex, (int)vertex_count, (int)base);
    ids[i] = (int32_t)(vertex - base);
  }
  return LB_OK;
}
