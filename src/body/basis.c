// Picks the kernels of a SIMD level.
#include "body/basis.h"

LB_DEFINE_KERNEL_CHOICE(lbBasisKernels, lb_basis_kernels)

void lb_basis_add_row_transposed(const double *U, size_t stride, int32_t column_count, int32_t row,
                                 double value, double *g) {
  for (int32_t j = 0; j < column_count; j++) g[j] += value * U[(size_t)row + stride * (size_t)j];
}
