// Picks the kernels of our own dense algebra.
#include "linalg/own/kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbOwnKernels, lb_own_kernels)
