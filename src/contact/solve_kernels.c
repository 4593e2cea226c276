// Picks the kernels of a SIMD level.
#include "contact/solve_kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbContactKernels, lb_contact_kernels)
