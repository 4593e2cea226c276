// Lane functions over arrays; the last group is filled up with copies of its first item.
#include "math/batch.h"

#include "math/functions_lanes.h"
#include "math/polar_lanes.h"

static void polar_batch(int32_t count, const lbMat3 *f, lbMat3 *rotations) {
  for (int32_t begin = 0; begin < count; begin += LB_LANES) {
    int32_t filled = count - begin < LB_LANES ? count - begin : LB_LANES;
    double buffer[9][LB_LANES];
    lbLanes in[9], out[9];
    for (int32_t lane = 0; lane < LB_LANES; lane++)
      for (int k = 0; k < 9; k++) buffer[k][lane] = f[begin + (lane < filled ? lane : 0)].m[k];
    for (int k = 0; k < 9; k++) in[k] = lb_load(buffer[k]);
    lb_polar_lanes(in, out);
    for (int k = 0; k < 9; k++) lb_store(buffer[k], out[k]);
    for (int32_t lane = 0; lane < filled; lane++)
      for (int k = 0; k < 9; k++) rotations[begin + lane].m[k] = buffer[k][lane];
  }
}

static inline void map_lanes(int32_t count, const double *x, double *y, lbLanes function(lbLanes)) {
  int32_t begin = 0;
  for (; count - begin >= LB_LANES; begin += LB_LANES)
    lb_store(y + begin, function(lb_load(x + begin)));
  if (begin >= count) return;
  double buffer[LB_LANES];
  for (int32_t lane = 0; lane < LB_LANES; lane++)
    buffer[lane] = x[begin + lane < count ? begin + lane : begin];
  lb_store(buffer, function(lb_load(buffer)));
  for (int32_t lane = 0; begin + lane < count; lane++) y[begin + lane] = buffer[lane];
}

static void log_batch(int32_t count, const double *x, double *y) {
  map_lanes(count, x, y, lb_log_lanes);
}

static void inverse_cbrt_squared_batch(int32_t count, const double *x, double *y) {
  map_lanes(count, x, y, lb_inverse_cbrt_squared);
}

static void atan2_batch(int32_t count, const double *y, const double *x, double *angles) {
  for (int32_t begin = 0; begin < count; begin += LB_LANES) {
    double buffer[2][LB_LANES];
    for (int32_t lane = 0; lane < LB_LANES; lane++) {
      int32_t from = begin + lane < count ? begin + lane : begin;
      buffer[0][lane] = y[from];
      buffer[1][lane] = x[from];
    }
    lb_store(buffer[0], lb_atan2_lanes(lb_load(buffer[0]), lb_load(buffer[1])));
    for (int32_t lane = 0; lane < LB_LANES && begin + lane < count; lane++)
      angles[begin + lane] = buffer[0][lane];
  }
}

LB_KERNEL_TABLE(lbMathBatch, lb_math_batch) = { polar_batch, log_batch, inverse_cbrt_squared_batch,
                                                atan2_batch };
