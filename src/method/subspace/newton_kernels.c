// Picks the kernels of a SIMD level.
#include "method/subspace/newton.h"

LB_DEFINE_KERNEL_CHOICE(lbNewtonKernels, lb_newton_kernels)
