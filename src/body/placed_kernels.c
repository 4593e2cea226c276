// Picks the kernels of a SIMD level.
#include "body/placed_kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbPlacedKernels, lb_placed_kernels)
