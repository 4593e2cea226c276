// A cursor over numbers that a file holds either as text or as bytes in either order. Faults are
// told by line ("path:17: ...") in text and by position ("path: byte 1204: ...") in binary data.
#ifndef LB_MESHIO_SCAN_H
#define LB_MESHIO_SCAN_H

#include "arrayio/scalar.h"
#include "arrayio/text.h"

typedef struct lbScan {
  lbText text;       // the cursor; its line is only kept up in text
  const char *begin; // byte 0 for messages
  bool binary;
  bool swapped; // binary numbers have the other byte order than this machine
} lbScan;

lbScan lb_scan(const char *path, const char *content, size_t bytes);
size_t lb_scan_left(const lbScan *scan); // bytes
lbStatus lb_scan_fail(const lbScan *scan, lbError *err, const char *format, ...) LB_PRINTF(3, 4);
// The same with another status, for what is right but cannot be read.
lbStatus lb_scan_unsupported(const lbScan *scan, lbError *err, const char *format, ...)
    LB_PRINTF(3, 4);

// The next number; text ignores the type. False at the end, if it is not a number or does not fit.
bool lb_scan_integer(lbScan *scan, lbScalar type, int64_t *value);
bool lb_scan_real(lbScan *scan, lbScalar type, double *value);
// Moves over `count` numbers.
bool lb_scan_skip(lbScan *scan, lbScalar type, int64_t count);

// A count that a header gives must not be negative, and what is left must be able to hold that many
// items, each at least this long. `what` names them in the plural.
lbStatus lb_scan_check_count(const lbScan *scan, int64_t count, size_t text_bytes,
                             size_t binary_bytes, const char *what, lbError *err);

// Three finite coordinates; `number` is the vertex's in messages.
lbStatus lb_scan_point(lbScan *scan, lbScalar type, int64_t number, double point[3], lbError *err);
// `count` vertex numbers counted from `base`, turned into ids below vertex_count.
// `what` and `number` name the element in messages.
lbStatus lb_scan_vertices(lbScan *scan, lbScalar type, int32_t count, int32_t base,
                          int32_t vertex_count, const char *what, int64_t number, int32_t *ids,
                          lbError *err);

#endif
