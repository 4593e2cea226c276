// The kernels of sums over edges, at each level of the processor, against plain loops.
#include "../check.h"
#include "reduce/strain_kernels.h"

#include <stdlib.h>

enum { MOST = 40, EDGES = 33 };

static double *random_values(size_t count, uint64_t *seed) {
  double *values = malloc(count * sizeof *values);
  for (size_t i = 0; i < count; i++) values[i] = check_random(seed);
  return values;
}

// The largest difference from plain sums of `pair`; what lies after the result stays.
static double pair_error(const lbStrainKernels *kernels, int32_t count, int32_t size,
                         uint64_t *seed) {
  size_t n = (size_t)size, pairs = n * (n + 1) / 2, stride = n + LB_BATCH;
  double *x = random_values((size_t)count * stride + LB_BATCH, seed);
  double *y = random_values((size_t)count * stride + LB_BATCH, seed);
  double *Z = malloc((pairs + 1) * sizeof *Z), *strip = malloc(4 * stride * sizeof *strip);
  double error = 0, *next = Z;
  Z[pairs] = 12345;
  kernels->pair(count, size, (lbStrainRows){ x, stride }, (lbStrainRows){ y, stride }, strip, Z);
  for (size_t a = 0; a < n; a++)
    for (size_t b = a; b < n; b++) {
      double sum = 0;
      for (size_t k = 0; k < (size_t)count; k++)
        sum += x[k * stride + a] * y[k * stride + b] + y[k * stride + a] * x[k * stride + b];
      error = fmax(error, fabs(*next++ - sum));
    }
  error = fmax(error, fabs(Z[pairs] - 12345));
  free(x), free(y), free(Z), free(strip);
  return error;
}

static double combine_error(const lbStrainKernels *kernels, int32_t count, int32_t outputs,
                            int32_t width, uint64_t *seed) {
  const double *weights[EDGES], *from[EDGES];
  double *to[MOST], before[MOST][MOST], error = 0;
  for (int32_t k = 0; k < count; k++) {
    weights[k] = random_values((size_t)outputs, seed);
    from[k] = random_values((size_t)width, seed);
  }
  for (int32_t o = 0; o < outputs; o++) {
    to[o] = random_values((size_t)width, seed);
    memcpy(before[o], to[o], (size_t)width * sizeof(double));
  }
  kernels->combine(count, outputs, width, weights, from, to);
  for (int32_t o = 0; o < outputs; o++)
    for (int32_t p = 0; p < width; p++) {
      double sum = before[o][p];
      for (int32_t k = 0; k < count; k++) sum += weights[k][o] * from[k][p];
      error = fmax(error, fabs(to[o][p] - sum));
    }
  for (int32_t k = 0; k < count; k++) free((void *)weights[k]), free((void *)from[k]);
  for (int32_t o = 0; o < outputs; o++) free(to[o]);
  return error;
}

static void kernels_sum_what_plain_loops_sum(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    const lbStrainKernels *kernels = lb_strain_kernels((lbSimdLevel)level);
    double pair = 0, combine = 0;
    for (int32_t size = 1; size < MOST; size++)
      for (int32_t count = 0; count < EDGES; count += 8)
        pair = fmax(pair, pair_error(kernels, count, size, &seed));
    for (int32_t outputs = 1; outputs < 30; outputs += 3)
      for (int32_t width = LB_BATCH; width <= MOST; width += LB_BATCH)
        combine = fmax(combine, combine_error(kernels, 28, outputs, width, &seed));
    printf("  %s: pairs %.2g, combinations %.2g, tolerance 1e-13\n",
           lb_simd_name((lbSimdLevel)level), pair, combine);
    check_small(pair, 1e-13);
    check_small(combine, 1e-13);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernels_sum_what_plain_loops_sum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
