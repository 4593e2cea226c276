// Picks the kernels of a SIMD level.
#include "body/modal_kernels.h"

extern const lbModalKernels lb_modal_kernels_portable, lb_modal_kernels_base, lb_modal_kernels_avx2,
    lb_modal_kernels_avx512;

static const lbModalKernels *const tables[LB_SIMD_LEVEL_COUNT] = {
  [LB_SIMD_PORTABLE] = &lb_modal_kernels_portable,
#ifdef LB_HAVE_BASE
  [LB_SIMD_BASE] = &lb_modal_kernels_base,
#endif
#ifdef LB_HAVE_AVX2
  [LB_SIMD_AVX2] = &lb_modal_kernels_avx2,
#endif
#ifdef LB_HAVE_AVX512
  [LB_SIMD_AVX512] = &lb_modal_kernels_avx512,
#endif
};

const lbModalKernels *lb_modal_kernels(lbSimdLevel level) {
  LB_ASSERT(lb_simd_has(level));
  return tables[level];
}

void lb_basis_add_row_transposed(const double *U, size_t stride, int32_t column_count, int32_t row,
                                 double value, double *g) {
  for (int32_t j = 0; j < column_count; j++) g[j] += value * U[(size_t)row + stride * (size_t)j];
}
