// Which SIMD levels this binary carries and this processor runs.
#include "math/simd.h"

#include "limber/rounding.h"

const char *lb_simd_name(lbSimdLevel level) {
  switch (level) {
  case LB_SIMD_PORTABLE: return "portable";
#if defined(__x86_64__)
  case LB_SIMD_BASE: return "sse2";
#elif defined(__wasm__)
  case LB_SIMD_BASE: return "wasm";
#else
  case LB_SIMD_BASE: return "neon";
#endif
  case LB_SIMD_AVX2: return "avx2";
  case LB_SIMD_AVX512: return "avx512";
  default: return "unknown";
  }
}

bool lb_simd_has(lbSimdLevel level) {
  switch (level) {
  case LB_SIMD_PORTABLE: return true;
#ifdef LB_HAVE_BASE
  case LB_SIMD_BASE: return true;
#endif
#ifdef LB_HAVE_AVX2
  case LB_SIMD_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#ifdef LB_HAVE_AVX512
  case LB_SIMD_AVX512:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
#endif
  default: return false;
  }
}

lbSimdLevel lb_simd_best(void) {
  int level = lb_is_repeatable() ? LB_SIMD_BASE : LB_SIMD_LEVEL_COUNT - 1;
  while (level > LB_SIMD_PORTABLE && !lb_simd_has((lbSimdLevel)level)) level--;
  return (lbSimdLevel)level;
}
