// The choice of the kernels.
#include "warp/kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbWarpElements, lb_warp_elements)
LB_DEFINE_KERNEL_CHOICE(lbWarpRows, lb_warp_rows)
