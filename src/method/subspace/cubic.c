// Picks the kernels of a SIMD level; sizes of their work space.
#include "method/subspace/cubic.h"

LB_DEFINE_KERNEL_CHOICE(lbCubicKernels, lb_cubic_kernels)

// See place_work in cubic.kernel.c.
size_t lb_cubic_work_size(int32_t r) {
  size_t padded = (size_t)lb_cubic_padded(r);
  return 4 * padded * padded + 4 * padded;
}
