// Picks the kernels of a SIMD level; sizes of their work space.
#include "body/cubic.h"

LB_DEFINE_KERNEL_CHOICE(lbCubicKernels, lb_cubic_kernels)

// See place_work in cubic.kernel.c.
size_t lb_cubic_work_size(int32_t r) {
  size_t padded = (size_t)lb_cubic_padded(r);
  return 10 * padded + 64 * lb_packed2_count(lb_cubic_groups(r)) + 3 * padded * padded;
}
