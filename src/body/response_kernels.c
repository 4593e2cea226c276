// Picks the kernels of a SIMD level.
#include "body/response_kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbTouchKernels, lb_touch_kernels)
