// Picks the kernels of triangular solves.
#include "linalg/sweep.h"

#include "linalg/fronts.h"

static int index_of_width(int32_t width) {
  LB_ASSERT(width == 1 || width == LB_FRONT_WIDTH_FEW || width == LB_FRONT_WIDTH_MANY);
  return width == 1 ? 0 : width == LB_FRONT_WIDTH_FEW ? 1 : 2;
}

const lbSweepSingle *lb_sweep_single(int32_t width) {
  return &lb_sweeps(lb_simd_best())->singles[index_of_width(width)];
}

const lbSweepDouble *lb_sweep_double(int32_t width) {
  return &lb_sweeps(lb_simd_best())->doubles[index_of_width(width)];
}
