// Picks the kernels of a SIMD level.
#include "math/ldlt.h"

extern const lbLdltKernels lb_ldlt_kernels_portable, lb_ldlt_kernels_base, lb_ldlt_kernels_avx2,
    lb_ldlt_kernels_avx512;

static const lbLdltKernels *const tables[LB_SIMD_LEVEL_COUNT] = {
  [LB_SIMD_PORTABLE] = &lb_ldlt_kernels_portable,
#ifdef LB_HAVE_BASE
  [LB_SIMD_BASE] = &lb_ldlt_kernels_base,
#endif
#ifdef LB_HAVE_AVX2
  [LB_SIMD_AVX2] = &lb_ldlt_kernels_avx2,
#endif
#ifdef LB_HAVE_AVX512
  [LB_SIMD_AVX512] = &lb_ldlt_kernels_avx512,
#endif
};

const lbLdltKernels *lb_ldlt_kernels(lbSimdLevel level) {
  LB_ASSERT(lb_simd_has(level));
  return tables[level];
}

int32_t lb_ldlt_negative_count(int32_t n, const double *factor) {
  int32_t count = 0;
  size_t stride = (size_t)lb_ldlt_padded(n);
  for (size_t j = 0; j < (size_t)n; j++) count += factor[j * stride + j] < 0;
  return count;
}
