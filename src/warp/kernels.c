// The choice of the kernels.
#include "warp/kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbWarpKernels, lb_warp_kernels)
