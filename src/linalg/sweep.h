// Dense kernels of triangular solves with several right-hand sides at once, which lie side by side:
// X and Y (rows x width), by rows. L is stored by rows, `stride` values apart.
#ifndef LB_LINALG_SWEEP_H
#define LB_LINALG_SWEEP_H

#include "math/simd.h"

#define LB_SWEEP_KERNELS(Real)                                                                     \
  /* Y -= L X; L (rows x columns) */                                                               \
  void (*subtract)(int32_t rows, int32_t columns, int32_t stride, const Real *L, const Real *X,    \
                   Real *Y);                                                                       \
  /* X -= L' Y */                                                                                  \
  void (*subtract_transposed)(int32_t rows, int32_t columns, int32_t stride, const Real *L,        \
                              const Real *Y, Real *X);                                             \
  /* X <- L^-1 X, X <- L'^-1 X; L (size x size), lower triangle, stride size */                    \
  void (*divide)(int32_t size, const Real *L, Real *X);                                            \
  void (*divide_transposed)(int32_t size, const Real *L, Real *X);

typedef struct lbSweepSingle {
  LB_SWEEP_KERNELS(float)
} lbSweepSingle;

typedef struct lbSweepDouble {
  LB_SWEEP_KERNELS(double)
} lbSweepDouble;

typedef struct lbSweeps { // of widths 1, LB_FRONT_WIDTH_FEW and LB_FRONT_WIDTH_MANY
  lbSweepSingle singles[3];
  lbSweepDouble doubles[3];
} lbSweeps;

const lbSweeps *lb_sweeps(lbSimdLevel level);
// At the best level of the processor.
const lbSweepSingle *lb_sweep_single(int32_t width);
const lbSweepDouble *lb_sweep_double(int32_t width);

#endif
