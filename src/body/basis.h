// Products with a basis U, at every SIMD level. At one level a row has the same bits whatever the
// range of rows that is asked for.
#ifndef LB_BODY_BASIS_H
#define LB_BODY_BASIS_H

#include "math/simd.h"

typedef struct lbBasisKernels {
  // u[begin..end) = rows [begin, end) of U q; U column-major with `column_count` columns, `stride`
  // doubles apart, of any alignment. A row's bits do not depend on the range.
  void (*apply)(const double *U, size_t stride, int32_t column_count, int32_t begin, int32_t end,
                const double *q, double *u);
} lbBasisKernels;

// The level must be one that lb_simd_has.
const lbBasisKernels *lb_basis_kernels(lbSimdLevel level);

// g += value U(row, :)^T, what a force on one degree of freedom adds to the modal forces.
void lb_basis_add_row_transposed(const double *U, size_t stride, int32_t column_count, int32_t row,
                                 double value, double *g);

#endif
