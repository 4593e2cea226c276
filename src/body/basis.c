// One row of a basis, transposed; see body/basis.h.
#include "body/basis.h"

void lb_basis_add_row_transposed(const double *U, size_t stride, int32_t column_count, int32_t row,
                                 double value, double *g) {
  for (int32_t j = 0; j < column_count; j++) g[j] += value * U[(size_t)row + stride * (size_t)j];
}
