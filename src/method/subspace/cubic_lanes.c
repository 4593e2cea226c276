// Sizes of the work space of the kernels.
#include "method/subspace/cubic_lanes.h"

// See place_work in cubic_crowd.kernel.c.
size_t lb_cubic_crowd_work_size(int32_t r) {
  size_t n = (size_t)r, padded = (size_t)lb_cubic_padded(r), groups = padded / 4;
  size_t together = LB_BATCH * (padded + n * padded + 16 * groups * (groups + 1));
  size_t whole = LB_CUBIC_WIDTH * padded * padded, few = LB_CUBIC_ENTRIES * lb_packed2_count(r);
  return together + (r <= LB_CUBIC_FEW && few > whole ? few : whole);
}
