// The lane functions over plain arrays at a chosen SIMD level: for callers outside kernels, and the
// place where tests hold every level against the scalar code.
#ifndef LB_MATH_BATCH_H
#define LB_MATH_BATCH_H

#include "limber/math.h"
#include "math/simd.h"

// The level must be one that lb_simd_has. Input and output may be the same array.
void lb_polar_batch(lbSimdLevel level, int32_t count, const lbMat3 *f, lbMat3 *rotations);
void lb_log_batch(lbSimdLevel level, int32_t count, const double *x, double *y);
void lb_inverse_cbrt_squared_batch(lbSimdLevel level, int32_t count, const double *x, double *y);
void lb_atan2_batch(lbSimdLevel level, int32_t count, const double *y, const double *x,
                    double *angles);

#endif
