// Picks the kernels of a SIMD level.
#include "math/ldlt_crowd.h"

LB_DEFINE_KERNEL_CHOICE(lbLdltCrowdKernels, lb_ldlt_crowd_kernels)
