// Vectors of exactly four doubles at every SIMD level: for kernels whose lanes run along an index
// (rows of a small matrix, one index of a tile) rather than across elements. The width, and with it
// every order of summation, is the same everywhere: levels without fused multiply-add give equal
// bits, and so do those with it. For kernel files only.
#ifndef LB_MATH_FOUR_H
#define LB_MATH_FOUR_H

#include "math/simd.h"

#ifdef LB_SIMD_LEVEL

#define LB_FOUR_INLINE static inline __attribute__((always_inline))

typedef double lbFour __attribute__((vector_size(32)));

LB_FOUR_INLINE lbFour lb_four_load(const double *from) {
  lbFour v;
  memcpy(&v, from, sizeof v);
  return v;
}

LB_FOUR_INLINE void lb_four_store(double *to, lbFour v) { memcpy(to, &v, sizeof v); }

// Four floats; gcc's own conversion goes through memory.
LB_FOUR_INLINE lbFour lb_four_load_single(const float *from) {
#if LB_SIMD_LEVEL >= 2
  return (lbFour)_mm256_cvtps_pd(_mm_loadu_ps(from));
#else
  return (lbFour){ from[0], from[1], from[2], from[3] };
#endif
}

LB_FOUR_INLINE void lb_four_store_single(float *to, lbFour v) {
#if LB_SIMD_LEVEL >= 2
  _mm_storeu_ps(to, _mm256_cvtpd_ps((__m256d)v));
#else
  for (int i = 0; i < 4; i++) to[i] = (float)v[i];
#endif
}

LB_FOUR_INLINE lbFour lb_four_splat(double x) { return (lbFour){ x, x, x, x }; }

// A number from memory, in every lane; gcc may load, work with and spread it one after another.
LB_FOUR_INLINE lbFour lb_four_load_one(const double *from) {
#if LB_SIMD_LEVEL >= 2
  return (lbFour)_mm256_broadcast_sd(from);
#else
  return lb_four_splat(*from);
#endif
}

// a b + c, rounded once where the level has the instruction.
LB_FOUR_INLINE lbFour lb_four_multiply_add(lbFour a, lbFour b, lbFour c) {
#if LB_SIMD_LEVEL >= 2
  return (lbFour)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}

// c - a b
LB_FOUR_INLINE lbFour lb_four_multiply_subtract(lbFour a, lbFour b, lbFour c) {
#if LB_SIMD_LEVEL >= 2
  return (lbFour)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return c - a * b;
#endif
}

// a b + c and c - a b of scalars, rounded like vectors are.
LB_FOUR_INLINE double lb_multiply_add_one(double a, double b, double c) {
#if LB_SIMD_LEVEL >= 2
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

LB_FOUR_INLINE double lb_multiply_subtract_one(double a, double b, double c) {
#if LB_SIMD_LEVEL >= 2
  return __builtin_fma(-a, b, c);
#else
  return c - a * b;
#endif
}

// The sums over the lanes of four vectors: ((v0 + v1) + (v2 + v3)) each.
LB_FOUR_INLINE lbFour lb_four_sums(lbFour a, lbFour b, lbFour c, lbFour d) {
  lbFour ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  lbFour cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

LB_FOUR_INLINE double lb_four_sum(lbFour v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// The transpose of a 4x4 matrix of four rows; `to` may be `from`.
LB_FOUR_INLINE void lb_four_turn(const lbFour from[4], lbFour to[4]) {
  lbFour ab0 = __builtin_shufflevector(from[0], from[1], 0, 4, 2, 6);
  lbFour ab1 = __builtin_shufflevector(from[0], from[1], 1, 5, 3, 7);
  lbFour cd0 = __builtin_shufflevector(from[2], from[3], 0, 4, 2, 6);
  lbFour cd1 = __builtin_shufflevector(from[2], from[3], 1, 5, 3, 7);
  to[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  to[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  to[2] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  to[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

#endif // LB_SIMD_LEVEL
#endif
