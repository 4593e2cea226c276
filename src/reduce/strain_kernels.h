// Sums over a few edges that lie anywhere: small products without gathering and packing.
#ifndef LB_REDUCE_STRAIN_KERNELS_H
#define LB_REDUCE_STRAIN_KERNELS_H

#include "math/simd.h"

typedef struct lbStrainRows {
  const double *values;
  size_t stride; // from row to row
} lbStrainRows;

typedef struct lbStrainKernels {
  // to[o][p] += Σ_k weights[k][o] from[k][p], o < outputs, p < width, a multiple of LB_BATCH.
  void (*combine)(int32_t count, int32_t outputs, int32_t width, const double *const *weights,
                  const double *const *from, double *const *to);
  // Z = Σ_k x_k y_kᵀ + y_k x_kᵀ: of the pairs a <= b < size, by a. Of x and y LB_BATCH more values
  // than `size` are read. strip (4 x (size + LB_BATCH)): work space.
  void (*pair)(int32_t count, int32_t size, lbStrainRows x, lbStrainRows y, double *strip,
               double *Z);
} lbStrainKernels;

const lbStrainKernels *lb_strain_kernels(lbSimdLevel level);

static inline size_t lb_strain_width(size_t count) { // for so many values
  return (count + LB_BATCH - 1) / LB_BATCH * LB_BATCH;
}

#endif
