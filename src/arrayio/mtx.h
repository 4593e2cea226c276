// Matrix Market files (.mtx): sparse symmetric matrices in coordinates, dense ones as an array;
// text with every bit of a number.
#ifndef LB_ARRAYIO_MTX_H
#define LB_ARRAYIO_MTX_H

#include "limber/base.h"

// A symmetric matrix by its upper triangle: entry (rows[k], j) for k in [column_begin[j],
// column_begin[j + 1]). In the file it is the lower triangle, counted from 1, row by row. `comment`
// may have several lines.
lbStatus lb_mtx_write_symmetric(const char *path, const char *comment, int32_t size,
                                const int32_t *column_begin, const int32_t *rows,
                                const double *values, lbError *err);
// (rows x columns), column-major.
lbStatus lb_mtx_write_dense(const char *path, const char *comment, int32_t rows, int32_t columns,
                            const double *values, lbError *err);

#endif
