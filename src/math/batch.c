// Picks the kernel of a SIMD level.
#include "math/batch.h"

typedef void PolarKernel(int32_t count, const lbMat3 *f, lbMat3 *rotations);
typedef void MapKernel(int32_t count, const double *x, double *y);
typedef void AngleKernel(int32_t count, const double *y, const double *x, double *angles);

typedef struct Kernels {
  PolarKernel *polar;
  MapKernel *log, *inverse_cbrt_squared;
  AngleKernel *atan2;
} Kernels;

#define DECLARE(level)                                                                             \
  PolarKernel lb_polar_batch_##level;                                                              \
  MapKernel lb_log_batch_##level, lb_inverse_cbrt_squared_batch_##level;                           \
  AngleKernel lb_atan2_batch_##level
#define ENTRY(level)                                                                               \
  {                                                                                                \
    lb_polar_batch_##level, lb_log_batch_##level, lb_inverse_cbrt_squared_batch_##level,           \
        lb_atan2_batch_##level                                                                     \
  }

DECLARE(portable);
#ifdef LB_HAVE_BASE
DECLARE(base);
#endif
#ifdef LB_HAVE_AVX2
DECLARE(avx2);
#endif
#ifdef LB_HAVE_AVX512
DECLARE(avx512);
#endif

static const Kernels kernels[LB_SIMD_LEVEL_COUNT] = {
  [LB_SIMD_PORTABLE] = ENTRY(portable),
#ifdef LB_HAVE_BASE
  [LB_SIMD_BASE] = ENTRY(base),
#endif
#ifdef LB_HAVE_AVX2
  [LB_SIMD_AVX2] = ENTRY(avx2),
#endif
#ifdef LB_HAVE_AVX512
  [LB_SIMD_AVX512] = ENTRY(avx512),
#endif
};

void lb_polar_batch(lbSimdLevel level, int32_t count, const lbMat3 *f, lbMat3 *rotations) {
  LB_ASSERT(lb_simd_has(level));
  kernels[level].polar(count, f, rotations);
}

void lb_log_batch(lbSimdLevel level, int32_t count, const double *x, double *y) {
  LB_ASSERT(lb_simd_has(level));
  kernels[level].log(count, x, y);
}

void lb_inverse_cbrt_squared_batch(lbSimdLevel level, int32_t count, const double *x, double *y) {
  LB_ASSERT(lb_simd_has(level));
  kernels[level].inverse_cbrt_squared(count, x, y);
}

void lb_atan2_batch(lbSimdLevel level, int32_t count, const double *y, const double *x,
                    double *angles) {
  LB_ASSERT(lb_simd_has(level));
  kernels[level].atan2(count, y, x, angles);
}
