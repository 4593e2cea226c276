// One vector type for every instruction set: lbLanes holds LB_LANES doubles.
//
// Arithmetic is written with the ordinary operators (the compilers' vector extension; a scalar
// operand is spread over the lanes), so a kernel is one source for AVX-512, AVX2, SSE2, NEON, WASM
// and plain C. A kernel file `x.kernel.c` is compiled once per level that the target has (see
// cmake/simd.cmake), its functions named through LB_KERNEL, and picked at run time by
// lb_simd_best(), so one binary runs on any x86-64. Vectors run across elements or instances, never
// along a sum: every lane computes what the scalar code would, and a level without fused
// multiply-add gives the same bits whatever its width.
#ifndef LB_MATH_SIMD_H
#define LB_MATH_SIMD_H

#include "limber/base.h"

#include <math.h>
#include <string.h>

// Levels in ascending order of preference. PORTABLE is always there: no fused multiply-add, same
// bits everywhere.
typedef enum lbSimdLevel {
  LB_SIMD_PORTABLE,
  LB_SIMD_BASE, // what every machine of the target has: SSE2, NEON, WASM SIMD
  LB_SIMD_AVX2, // with FMA
  LB_SIMD_AVX512,
  LB_SIMD_LEVEL_COUNT
} lbSimdLevel;

const char *lb_simd_name(lbSimdLevel level);
bool lb_simd_has(lbSimdLevel level); // built in, and the processor can run it
lbSimdLevel lb_simd_best(void);

// Data for kernels is stored in batches of this many items, whatever the level's own width.
#define LB_BATCH 8

// A kernel file ends in LB_KERNEL_TABLE(Type, name) = { ... }: its table of functions, one for
// every level. Others reach it by `const Type *name(lbSimdLevel level)`, which a header declares;
// the level must be one that lb_simd_has. The file's portable object, which is always built, has
// that function.
#ifdef LB_HAVE_BASE
#define LB_AT_BASE(name) &name##_base
#else
#define LB_AT_BASE(name) NULL
#endif
#ifdef LB_HAVE_AVX2
#define LB_AT_AVX2(name) &name##_avx2
#else
#define LB_AT_AVX2(name) NULL
#endif
#ifdef LB_HAVE_AVX512
#define LB_AT_AVX512(name) &name##_avx512
#else
#define LB_AT_AVX512(name) NULL
#endif
#define LB_DEFINE_KERNEL_CHOICE(Type, name)                                                        \
  extern const Type name##_portable, name##_base, name##_avx2, name##_avx512;                      \
  const Type *name(lbSimdLevel level) {                                                            \
    static const Type *const tables[LB_SIMD_LEVEL_COUNT] = { &name##_portable, LB_AT_BASE(name),   \
                                                             LB_AT_AVX2(name),                     \
                                                             LB_AT_AVX512(name) };                 \
    LB_ASSERT(lb_simd_has(level));                                                                 \
    return tables[level];                                                                          \
  }

// ---- for kernel files only: the level is set by the build --------------------------------------
#ifdef LB_SIMD_LEVEL

#define LB_KERNEL_PASTE(name, level) name##_##level
#define LB_KERNEL_EXPAND(name, level) LB_KERNEL_PASTE(name, level)
#define LB_KERNEL(name) LB_KERNEL_EXPAND(name, LB_SIMD_SUFFIX)
#if LB_SIMD_LEVEL == 0
#define LB_KERNEL_TABLE(Type, name)                                                                \
  LB_DEFINE_KERNEL_CHOICE(Type, name)                                                              \
  const Type LB_KERNEL(name)
#else
#define LB_KERNEL_TABLE(Type, name)                                                                \
  extern const Type LB_KERNEL(name);                                                               \
  const Type LB_KERNEL(name)
#endif

// A loop of constant, small length, written out by the compiler so that indices become constants.
#ifdef __clang__
#define LB_UNROLL _Pragma("unroll")
#else
#define LB_UNROLL _Pragma("GCC unroll 16")
#endif
#define LB_FOR(index, begin, end) LB_UNROLL for (int index = (begin); index < (end); index++)
// clang may leave LB_FOR half unrolled, and arrays in memory. Bounds must be constants by
// themselves.
#ifdef __clang__
#define LB_UNROLL_ALL _Pragma("clang loop unroll(full)")
#else
#define LB_UNROLL_ALL LB_UNROLL
#endif
#define LB_FOR_ALL(index, begin, end)                                                              \
  LB_UNROLL_ALL for (int index = (begin); index < (end); index++)

#if LB_SIMD_LEVEL == 3
#include <immintrin.h>
#define LB_LANES 8
#elif LB_SIMD_LEVEL == 2
#include <immintrin.h>
#define LB_LANES 4
#elif LB_SIMD_LEVEL == 1
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#define LB_LANES 2
#else
#define LB_LANES 1
#endif

#if LB_LANES == 1
typedef double lbLanes;
typedef int64_t lbMask; // 0 or -1
#else
typedef double lbLanes __attribute__((vector_size(8 * LB_LANES)));
typedef int64_t lbMask __attribute__((vector_size(8 * LB_LANES)));
#endif

static inline lbLanes lb_load(const double *from) {
  lbLanes v;
  memcpy(&v, from, sizeof v);
  return v;
}

static inline void lb_store(double *to, lbLanes v) { memcpy(to, &v, sizeof v); }

static inline lbLanes lb_splat(double x) {
#if LB_LANES == 1
  return x;
#else
  return x - (lbLanes){ 0 };
#endif
}

static inline lbMask lb_less(lbLanes a, lbLanes b) {
#if LB_LANES == 1
  return -(int64_t)(a < b);
#else
  return a < b;
#endif
}

static inline lbLanes lb_select(lbMask mask, lbLanes yes, lbLanes no) {
#if LB_LANES == 1
  return mask ? yes : no;
#else
  return (lbLanes)((mask & (lbMask)yes) | (~mask & (lbMask)no));
#endif
}

static inline bool lb_any(lbMask mask) {
#if LB_LANES == 1
  return mask != 0;
#else
  int64_t any = 0;
  for (int i = 0; i < LB_LANES; i++) any |= mask[i];
  return any != 0;
#endif
}

static inline double lb_lane(lbLanes v, int i) {
#if LB_LANES == 1
  (void)i;
  return v;
#else
  return v[i];
#endif
}

static inline lbLanes lb_sqrt(lbLanes v) {
#if LB_LANES == 8
  return (lbLanes)_mm512_sqrt_pd((__m512d)v);
#elif LB_LANES == 4
  return (lbLanes)_mm256_sqrt_pd((__m256d)v);
#elif LB_LANES == 2 && defined(__SSE2__)
  return (lbLanes)_mm_sqrt_pd((__m128d)v);
#elif LB_LANES == 1
  return sqrt(v);
#else
  for (int i = 0; i < LB_LANES; i++) v[i] = sqrt(v[i]);
  return v;
#endif
}

// a b + c: rounded once at AVX2 and AVX-512, twice elsewhere. Unlike an expression, which the
// compiler may fuse or not at those levels, this leaves nothing open: the same operands give the
// same bits in every kernel of a level.
static inline lbLanes lb_multiply_add(lbLanes a, lbLanes b, lbLanes c) {
#if LB_LANES == 8
  return (lbLanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif LB_LANES == 4
  return (lbLanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}

// c - a b, likewise
static inline lbLanes lb_multiply_subtract(lbLanes a, lbLanes b, lbLanes c) {
#if LB_LANES == 8
  return (lbLanes)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif LB_LANES == 4
  return (lbLanes)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return c - a * b;
#endif
}

static inline lbLanes lb_abs(lbLanes v) { return lb_select(lb_less(v, lb_splat(0)), -v, v); }
static inline lbLanes lb_max(lbLanes a, lbLanes b) { return lb_select(lb_less(a, b), b, a); }
static inline lbLanes lb_min(lbLanes a, lbLanes b) { return lb_select(lb_less(b, a), b, a); }

// Writes `count` vectors so that lane l's values lie together: to[l * stride + i] = v[i][l].
static inline void lb_store_turned(double *to, size_t stride, const lbLanes *v, int count) {
  int i = 0;
#if LB_LANES == 4 && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
  for (; i + 4 <= count; i += 4) { // a 4x4 transpose in registers
    lbLanes ab0 = __builtin_shufflevector(v[i], v[i + 1], 0, 4, 2, 6);
    lbLanes ab1 = __builtin_shufflevector(v[i], v[i + 1], 1, 5, 3, 7);
    lbLanes cd0 = __builtin_shufflevector(v[i + 2], v[i + 3], 0, 4, 2, 6);
    lbLanes cd1 = __builtin_shufflevector(v[i + 2], v[i + 3], 1, 5, 3, 7);
    lb_store(to + i, __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5));
    lb_store(to + stride + i, __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5));
    lb_store(to + 2 * stride + i, __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7));
    lb_store(to + 3 * stride + i, __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7));
  }
#endif
#endif
  for (; i < count; i++)
    for (int lane = 0; lane < LB_LANES; lane++)
      to[(size_t)lane * stride + (size_t)i] = lb_lane(v[i], lane);
}

#endif // LB_SIMD_LEVEL
#endif
