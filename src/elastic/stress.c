// The choice of the stress kernels.
#include "elastic/stress.h"

LB_DEFINE_KERNEL_CHOICE(lbStressKernels, lb_stress_kernels)
