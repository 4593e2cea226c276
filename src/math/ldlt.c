// Picks the kernels of a SIMD level.
#include "math/ldlt.h"

int32_t lb_ldlt_negative_count(int32_t n, const double *factor) {
  int32_t count = 0;
  size_t stride = (size_t)lb_ldlt_padded(n);
  for (size_t j = 0; j < (size_t)n; j++) count += factor[j * stride + j] < 0;
  return count;
}
