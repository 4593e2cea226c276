// Sums over edges, a few rows and vectors at a time in registers.
#include "reduce/strain_kernels.h"

#define LB_INLINE static inline __attribute__((always_inline))

enum { ROWS = 4, VECTORS = 3, PAIR_VECTORS = 2 }; // sums and factors fit sixteen registers

// ---- combinations ------------------------------------------------------------------------------

// `group` outputs from `first` on, `vectors` vectors from `at` on.
LB_INLINE void combine_tile(int group, int vectors, int32_t count, size_t first, size_t at,
                            const double *const *weights, const double *const *from,
                            double *const *to) {
  lbLanes sums[ROWS * VECTORS];
  LB_FOR (i, 0, group)
    LB_FOR (v, 0, vectors)
      sums[i * vectors + v] = lb_load(to[first + (size_t)i] + at + v * LB_LANES);
  for (int32_t k = 0; k < count; k++) {
    const double *weight = weights[k] + first, *row = from[k] + at;
    lbLanes x[VECTORS];
    LB_FOR (v, 0, vectors) x[v] = lb_load(row + v * LB_LANES);
    LB_FOR (i, 0, group)
      LB_FOR (v, 0, vectors) sums[i * vectors + v] += weight[i] * x[v];
  }
  LB_FOR (i, 0, group)
    LB_FOR (v, 0, vectors)
      lb_store(to[first + (size_t)i] + at + v * LB_LANES, sums[i * vectors + v]);
}

// All outputs in one pass: values read from `from` stay in the cache.
LB_INLINE void combine_columns(int vectors, int32_t count, size_t outputs, size_t at,
                               const double *const *weights, const double *const *from,
                               double *const *to) {
  size_t first = 0;
  for (; first + ROWS <= outputs; first += ROWS)
    combine_tile(ROWS, vectors, count, first, at, weights, from, to);
  for (; first < outputs; first++) combine_tile(1, vectors, count, first, at, weights, from, to);
}

static void combine_edge_rows(int32_t count, int32_t outputs, int32_t width,
                              const double *const *weights, const double *const *from,
                              double *const *to) {
  size_t at = 0, end = (size_t)width;
  for (; at + VECTORS * LB_LANES <= end; at += VECTORS * LB_LANES)
    combine_columns(VECTORS, count, (size_t)outputs, at, weights, from, to);
  for (; at < end; at += LB_LANES)
    combine_columns(1, count, (size_t)outputs, at, weights, from, to);
}

// ---- symmetric pairs ---------------------------------------------------------------------------

// Rows from `first` on, `vectors` vectors from `at` on, of x yᵀ + y xᵀ, into strip.
LB_INLINE void pair_tile(int group, int vectors, int32_t count, size_t first, size_t at,
                         lbStrainRows x, lbStrainRows y, size_t stride, double *strip) {
  lbLanes sums[ROWS * PAIR_VECTORS];
  LB_FOR (i, 0, group * vectors) sums[i] = lb_splat(0);
  for (int32_t k = 0; k < count; k++) {
    const double *xk = x.values + (size_t)k * x.stride, *yk = y.values + (size_t)k * y.stride;
    lbLanes right_x[PAIR_VECTORS], right_y[PAIR_VECTORS];
    LB_FOR (v, 0, vectors) {
      right_x[v] = lb_load(xk + at + v * LB_LANES);
      right_y[v] = lb_load(yk + at + v * LB_LANES);
    }
    LB_FOR (i, 0, group) {
      double left_x = xk[first + (size_t)i], left_y = yk[first + (size_t)i];
      LB_FOR (v, 0, vectors) sums[i * vectors + v] += left_x * right_y[v];
      LB_FOR (v, 0, vectors) sums[i * vectors + v] += left_y * right_x[v];
    }
  }
  LB_FOR (i, 0, group)
    LB_FOR (v, 0, vectors)
      lb_store(strip + (size_t)i * stride + at + v * LB_LANES, sums[i * vectors + v]);
}

LB_INLINE void pair_rows(int group, int32_t count, size_t first, size_t size, lbStrainRows x,
                         lbStrainRows y, double *strip) {
  size_t stride = size + LB_BATCH, at = first; // the last vector may reach further
  for (; at + LB_LANES < size; at += PAIR_VECTORS * LB_LANES)
    pair_tile(group, PAIR_VECTORS, count, first, at, x, y, stride, strip);
  if (at < size) pair_tile(group, 1, count, first, at, x, y, stride, strip);
}

static void pair_edge_rows(int32_t count, int32_t size, lbStrainRows x, lbStrainRows y,
                           double *strip, double *Z) {
  size_t n = (size_t)size, stride = n + LB_BATCH;
  for (size_t a = 0; a < n;) {
    int rows = n - a < ROWS ? 1 : ROWS;
    if (rows == ROWS)
      pair_rows(ROWS, count, a, n, x, y, strip);
    else
      pair_rows(1, count, a, n, x, y, strip);
    for (int i = 0; i < rows; i++, a++) {
      memcpy(Z, strip + (size_t)i * stride + a, (n - a) * sizeof *Z);
      Z += n - a;
    }
  }
}

LB_KERNEL_TABLE(lbStrainKernels, lb_strain_kernels) = { combine_edge_rows, pair_edge_rows };
