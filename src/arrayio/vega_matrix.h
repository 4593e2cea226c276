// Vega's files of matrices, used for bases: int32 rows, int32 columns, then the values column after
// column, doubles (.U) or single precision (.float); all little-endian.
#ifndef LB_ARRAYIO_VEGA_MATRIX_H
#define LB_ARRAYIO_VEGA_MATRIX_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbVegaMatrix {
  int32_t rows, columns; // each at least 1
  double *values;        // (rows x columns), column-major, finite; free with lb_free
} lbVegaMatrix;

// The size of the file decides which of the two it is. `name` is for messages.
lbStatus lb_vega_matrix_read(const char *name, const void *bytes, size_t byte_count,
                             lbVegaMatrix *out, lbError *err);
lbStatus lb_vega_matrix_load(const char *path, lbVegaMatrix *out, lbError *err);
// Single precision where the path ends with .float, refused where a value does not fit; else
// doubles.
lbStatus lb_vega_matrix_save(int32_t rows, int32_t columns, const double *values, const char *path,
                             lbError *err);

#ifdef __cplusplus
}
#endif
#endif
