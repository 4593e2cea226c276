// What the processor can do at most: reading from its caches, multiplying and adding in registers.
#include "bench/bench.h"

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>

// The sums must stay in registers.
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

enum { SUMS = 12 }; // independent chains: more than latency times width of any processor

static __attribute__((target("avx2,fma"))) double read_wide(const double *data, size_t count) {
  __m256d sums[8];
  UNROLLED
  for (int k = 0; k < 8; k++) sums[k] = _mm256_setzero_pd();
  for (size_t i = 0; i + 32 <= count; i += 32) {
    UNROLLED
    for (size_t k = 0; k < 8; k++)
      sums[k] = _mm256_add_pd(sums[k], _mm256_load_pd(data + i + 4 * k));
  }
  UNROLLED
  for (int k = 1; k < 8; k++) sums[0] = _mm256_add_pd(sums[0], sums[k]);
  return sums[0][0] + sums[0][1] + sums[0][2] + sums[0][3];
}

static __attribute__((target("avx512f"))) double multiply_widest(int64_t rounds) {
  __m512d sums[SUMS], a = _mm512_set1_pd(0.999), b = _mm512_set1_pd(1e-3);
  UNROLLED
  for (int k = 0; k < SUMS; k++) sums[k] = _mm512_set1_pd(k);
  for (int64_t i = 0; i < rounds; i++) {
    UNROLLED
    for (int k = 0; k < SUMS; k++) sums[k] = _mm512_fmadd_pd(sums[k], a, b);
  }
  UNROLLED
  for (int k = 1; k < SUMS; k++) sums[0] = _mm512_add_pd(sums[0], sums[k]);
  return sums[0][0];
}

static __attribute__((target("avx2,fma"))) double multiply_wide(int64_t rounds) {
  __m256d sums[SUMS], a = _mm256_set1_pd(0.999), b = _mm256_set1_pd(1e-3);
  UNROLLED
  for (int k = 0; k < SUMS; k++) sums[k] = _mm256_set1_pd(k);
  for (int64_t i = 0; i < rounds; i++) {
    UNROLLED
    for (int k = 0; k < SUMS; k++) sums[k] = _mm256_fmadd_pd(sums[k], a, b);
  }
  UNROLLED
  for (int k = 1; k < SUMS; k++) sums[0] = _mm256_add_pd(sums[0], sums[k]);
  return sums[0][0];
}
#endif

double bench_cache_bandwidth(size_t bytes) {
#if defined(__x86_64__)
  size_t count = bytes / 256 * 32, rounds = 1 + (size_t)20e6 / (bytes + 1);
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || count == 0) return 0;
  double *data = lb_alloc(count, sizeof(double)), best = INFINITY;
  volatile double kept = 0; // the sums must be made
  if (!data) return 0;
  for (size_t i = 0; i < count; i++) data[i] = 1e-3; // pages of its own
  for (int repeat = 0; repeat < 20; repeat++) {
    double start = bench_seconds();
    for (size_t i = 0; i < rounds; i++) kept = kept + read_wide(data, count);
    best = fmin(best, bench_seconds() - start);
  }
  lb_free(data);
  return (double)(rounds * count * sizeof(double)) / best;
#else
  (void)bytes;
  return 0;
#endif
}

double bench_flops(void) {
#if defined(__x86_64__)
  enum { ROUNDS = 1000000 };
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
  bool widest = __builtin_cpu_supports("avx512f");
  double best = 0;
  volatile double kept = 0;
  for (int repeat = 0; repeat < 20; repeat++) {
    double start = bench_seconds();
    kept = kept + multiply_wide(ROUNDS);
    double middle = bench_seconds();
    best = fmax(best, 2.0 * 4 * SUMS * ROUNDS / (middle - start));
    if (!widest) continue;
    kept = kept + multiply_widest(ROUNDS);
    best = fmax(best, 2.0 * 8 * SUMS * ROUNDS / (bench_seconds() - middle));
  }
  return best;
#else
  return 0;
#endif
}
