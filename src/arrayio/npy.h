// NumPy's .npy: arrays of floating-point numbers read, headers of any array written.
#ifndef LB_ARRAYIO_NPY_H
#define LB_ARRAYIO_NPY_H

#include "arrayio/scalar.h"

enum { LB_NPY_AXES = 3 };

typedef struct lbNpy {
  int32_t axis_count;         // 1 to 3
  size_t shape[LB_NPY_AXES];  // 1 beyond axis_count
  size_t stride[LB_NPY_AXES]; // in values, of either order
  size_t count;               // values in all
  bool single;                // came as float32
  double *values;             // (count), in the file's order
} lbNpy;

// Of a file's content; `path` is for messages. Shape and size are checked against each other before
// anything is allocated.
lbStatus lb_npy_parse(const char *path, const char *content, size_t bytes, lbNpy **out,
                      lbError *err);
void lb_npy_destroy(lbNpy *array);

// For writers: magic, version 1.0, and the Python dictionary of an array in this machine's byte
// order, padded with blanks to a multiple of 64 bytes. At most 4 axes. Returns the length.
#define LB_NPY_HEADER_MOST 256
size_t lb_npy_header(lbScalar type, bool fortran_order, int32_t axis_count, const int64_t *shape,
                     char header[LB_NPY_HEADER_MOST]);
// The same for one text of so many bytes.
size_t lb_npy_text_header(size_t text_bytes, char header[LB_NPY_HEADER_MOST]);

#endif
