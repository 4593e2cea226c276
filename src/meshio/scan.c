// Numbers from text or bytes, with the checks that every reader needs.
#include "meshio/scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

lbScan lb_scan(const char *path, const char *content, size_t bytes) {
  return (lbScan){ .text = lb_text(path, content, bytes), .begin = content };
}

size_t lb_scan_left(const lbScan *scan) { return (size_t)(scan->text.end - scan->text.next); }

static lbStatus fail_scan_at(const lbScan *scan, lbError *err, lbStatus status, const char *format,
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
  lbStatus status = fail_scan_at(scan, err, LB_ERR_FORMAT, format, arguments);
  va_end(arguments);
  return status;
}

lbStatus lb_scan_unsupported(const lbScan *scan, lbError *err, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  lbStatus status = fail_scan_at(scan, err, LB_ERR_UNSUPPORTED, format, arguments);
  va_end(arguments);
  return status;
}

// Moves over the bytes of one binary number; NULL, without moving, where they are missing.
static const char *take_bytes(lbScan *scan, lbScalar type) {
  const char *bytes = scan->text.next;
  if (lb_scan_left(scan) < lb_scalar_bytes(type)) return NULL;
  scan->text.next += lb_scalar_bytes(type);
  return bytes;
}

bool lb_scan_real(lbScan *scan, lbScalar type, double *value) {
  if (!scan->binary) return lb_text_number(&scan->text, value);
  const char *bytes = take_bytes(scan, type);
  return bytes && lb_scalar_real(type, bytes, scan->swapped, value);
}

bool lb_scan_integer(lbScan *scan, lbScalar type, int64_t *value) {
  if (!scan->binary) return lb_text_integer(&scan->text, value);
  const char *bytes = take_bytes(scan, type);
  return bytes && lb_scalar_integer(type, bytes, scan->swapped, value);
}

bool lb_scan_skip(lbScan *scan, lbScalar type, int64_t count) {
  if (scan->binary) {
    size_t width = lb_scalar_bytes(type);
    if (count < 0 || (uint64_t)count > lb_scan_left(scan) / width) return false;
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
  uint64_t left = (uint64_t)lb_scan_left(scan) + (scan->binary ? 0 : 1);
  uint64_t each = scan->binary ? binary_bytes : text_bytes;
  if ((uint64_t)count > left / each)
    return lb_scan_fail(scan, err, "claims %lld %s, the rest of the file can hold %llu at most",
                        (long long)count, what, (unsigned long long)(left / each));
  if (count >= INT32_MAX / 2)
    return lb_scan_fail(scan, err, "claims %lld %s, limber accepts fewer than %d", (long long)count,
                        what, INT32_MAX / 2);
  return LB_OK;
}

lbStatus lb_scan_point(lbScan *scan, lbScalar type, int64_t number, double point[3], lbError *err) {
  for (int i = 0; i < 3; i++) {
    if (!lb_scan_real(scan, type, &point[i]))
      return lb_scan_fail(scan, err, "vertex %lld lacks a number for %c", (long long)number,
                          "xyz"[i]);
    if (!isfinite(point[i]))
      return lb_scan_fail(scan, err,
                          "vertex %lld has a coordinate that is not a finite number (%c = %g), "
                          "correct or remove it",
                          (long long)number, "xyz"[i], point[i]);
  }
  return LB_OK;
}

lbStatus lb_scan_vertices(lbScan *scan, lbScalar type, int32_t count, int32_t base,
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
