// The lane functions over plain arrays at a chosen SIMD level, to hold every level against the
// scalar code.
#ifndef LB_TEST_MATH_BATCH_H
#define LB_TEST_MATH_BATCH_H

#include "limber/math.h"
#include "math/simd.h"

// Input and output may be the same array.
typedef struct lbMathBatch {
  void (*polar)(int32_t count, const lbMat3 *f, lbMat3 *rotations);
  void (*log)(int32_t count, const double *x, double *y);
  void (*inverse_cbrt_squared)(int32_t count, const double *x, double *y);
  void (*atan2)(int32_t count, const double *y, const double *x, double *angles);
} lbMathBatch;

const lbMathBatch *lb_math_batch(lbSimdLevel level); // of a level that lb_simd_has

static inline void lb_polar_batch(lbSimdLevel level, int32_t count, const lbMat3 *f,
                                  lbMat3 *rotations) {
  lb_math_batch(level)->polar(count, f, rotations);
}
static inline void lb_log_batch(lbSimdLevel level, int32_t count, const double *x, double *y) {
  lb_math_batch(level)->log(count, x, y);
}
static inline void lb_inverse_cbrt_squared_batch(lbSimdLevel level, int32_t count, const double *x,
                                                 double *y) {
  lb_math_batch(level)->inverse_cbrt_squared(count, x, y);
}
static inline void lb_atan2_batch(lbSimdLevel level, int32_t count, const double *y,
                                  const double *x, double *angles) {
  lb_math_batch(level)->atan2(count, y, x, angles);
}

#endif
