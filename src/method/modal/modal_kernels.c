// Picks the kernels of a SIMD level.
#include "method/modal/modal_kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbModalKernels, lb_modal_kernels)
