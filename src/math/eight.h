// Vectors of exactly eight floats at every SIMD level, as four.h has four doubles: for kernels
// whose results need few digits. For kernel files only.
#ifndef LB_MATH_EIGHT_H
#define LB_MATH_EIGHT_H

#include "math/simd.h"

#ifdef LB_SIMD_LEVEL

#define LB_EIGHT_INLINE static inline __attribute__((always_inline))

typedef float lbEight __attribute__((vector_size(32)));

LB_EIGHT_INLINE lbEight lb_eight_load(const float *from) {
  lbEight v;
  memcpy(&v, from, sizeof v);
  return v;
}

LB_EIGHT_INLINE void lb_eight_store(float *to, lbEight v) { memcpy(to, &v, sizeof v); }

LB_EIGHT_INLINE lbEight lb_eight_splat(float x) { return (lbEight){ x, x, x, x, x, x, x, x }; }

// a b + c, rounded once where the level has the instruction.
LB_EIGHT_INLINE lbEight lb_eight_multiply_add(lbEight a, lbEight b, lbEight c) {
#if LB_SIMD_LEVEL >= 2
  return (lbEight)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  return a * b + c;
#endif
}

#endif // LB_SIMD_LEVEL
#endif
