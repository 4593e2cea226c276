// Picks the kernels of a SIMD level.
#include "method/cubature/cubature_kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbCubatureKernels, lb_cubature_kernels)
