// Picks the kernels of a SIMD level; sizes of their work space.
#include "body/cubic.h"

extern const lbCubicKernels lb_cubic_kernels_portable, lb_cubic_kernels_base, lb_cubic_kernels_avx2,
    lb_cubic_kernels_avx512;

static const lbCubicKernels *const tables[LB_SIMD_LEVEL_COUNT] = {
  [LB_SIMD_PORTABLE] = &lb_cubic_kernels_portable,
#ifdef LB_HAVE_BASE
  [LB_SIMD_BASE] = &lb_cubic_kernels_base,
#endif
#ifdef LB_HAVE_AVX2
  [LB_SIMD_AVX2] = &lb_cubic_kernels_avx2,
#endif
#ifdef LB_HAVE_AVX512
  [LB_SIMD_AVX512] = &lb_cubic_kernels_avx512,
#endif
};

const lbCubicKernels *lb_cubic_kernels(lbSimdLevel level) {
  LB_ASSERT(lb_simd_has(level));
  return tables[level];
}

// See place_work in cubic.kernel.c.
size_t lb_cubic_work_size(int32_t r) {
  size_t padded = (size_t)lb_cubic_padded(r);
  return 10 * padded + 64 * lb_packed2_count(lb_cubic_groups(r)) + 3 * padded * padded;
}
