// Picks the kernels of a SIMD level.
#include "solve/gauss_seidel_kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbContactKernels, lb_contact_kernels)
