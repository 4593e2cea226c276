// Picks the kernels of a SIMD level.
#include "body/cubature_kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbCubatureKernels, lb_cubature_kernels)
