// Sizes of the arrays for the second derivative of the StVK force.
#include "reduce/hessian.h"

size_t lb_hessian_pair_count(int32_t mode_count, int32_t row_begin, int32_t row_end) {
  size_t rows = (size_t)(row_end - row_begin);
  size_t first = (size_t)(mode_count - row_begin); // pairs of the first row
  return rows * first - rows * (rows - (rows > 0)) / 2;
}

size_t lb_hessian_work_count(lbElementKind kind, int32_t mode_count, size_t pair_count) {
  size_t points = (size_t)lb_element_points(kind), nodes = (size_t)lb_element_nodes(kind);
  size_t stride = (size_t)lb_hessian_stride(mode_count);
  return points * 15 * stride + 3 * nodes * (pair_count + LB_BATCH);
}
