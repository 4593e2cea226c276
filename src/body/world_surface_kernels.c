// Picks the kernels of a SIMD level.
#include "body/world_surface_kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbPlacedKernels, lb_placed_kernels)
