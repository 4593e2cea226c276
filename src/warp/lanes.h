// Inside the kernels of the warp layer: vectors and 3x3 blocks of lanes that lie LB_BATCH apart.
#ifndef LB_WARP_LANES_H
#define LB_WARP_LANES_H

#include "math/polar_lanes.h"

#ifdef LB_SIMD_LEVEL

#define INLINE static inline __attribute__((always_inline))

INLINE lbLanes gather(const double *x, const int32_t *at) {
#if LB_LANES == 8
  return (
      lbLanes){ x[at[0]], x[at[1]], x[at[2]], x[at[3]], x[at[4]], x[at[5]], x[at[6]], x[at[7]] };
#elif LB_LANES == 4
  return (lbLanes){ x[at[0]], x[at[1]], x[at[2]], x[at[3]] };
#elif LB_LANES == 2
  return (lbLanes){ x[at[0]], x[at[1]] };
#else
  return x[at[0]];
#endif
}

INLINE void gather3(const double *x, const int32_t *at, lbLanes v[3]) {
  LB_FOR_ALL(k, 0, 3) v[k] = gather(x + k * LB_BATCH, at);
}

INLINE void load3(const double *from, lbLanes v[3]) {
  LB_FOR_ALL(k, 0, 3) v[k] = lb_load(from + k * LB_BATCH);
}

INLINE void load9(const double *from, lbLanes m[9]) {
  LB_FOR_ALL(k, 0, 9) m[k] = lb_load(from + k * LB_BATCH);
}

INLINE void apply(const lbLanes m[9], const lbLanes v[3], lbLanes to[3]) {
  LB_FOR_ALL(i, 0, 3) to[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

INLINE void apply_transpose(const lbLanes m[9], const lbLanes v[3], lbLanes to[3]) {
  LB_FOR_ALL(i, 0, 3) to[i] = m[i] * v[0] + m[3 + i] * v[1] + m[6 + i] * v[2];
}

INLINE lbLanes dot3(const lbLanes a[3], const lbLanes b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// to <- R K Rᵀ
INLINE void turn_block(const lbLanes R[9], const lbLanes K[9], lbLanes to[9]) {
  lbLanes RK[9];
  lb_multiply_lanes(R, K, RK);
  LB_FOR_ALL(i, 0, 3)
  LB_FOR_ALL(j, 0, 3)
  to[3 * i + j] =
      RK[3 * i] * R[3 * j] + RK[3 * i + 1] * R[3 * j + 1] + RK[3 * i + 2] * R[3 * j + 2];
}

#endif // LB_SIMD_LEVEL

#endif
