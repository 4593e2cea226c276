// Picks the kernels of sums over edges.
#include "reduce/strain_kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbStrainKernels, lb_strain_kernels)
