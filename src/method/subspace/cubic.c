// Sizes of the work space of the kernels.
#include "method/subspace/cubic.h"

// See place_work in cubic.kernel.c.
size_t lb_cubic_work_size(int32_t r) {
  size_t padded = (size_t)lb_cubic_padded(r);
  return 4 * padded * padded + 4 * padded;
}
