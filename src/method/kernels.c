// Picks the kernels of the methods for a SIMD level.
#include "method/cubature/cubature_kernels.h"
#include "method/modal/modal_kernels.h"
#include "method/subspace/cubic.h"
#include "method/subspace/cubic_lanes.h"
#include "method/subspace/newton.h"

LB_DEFINE_KERNEL_CHOICE(lbModalKernels, lb_modal_kernels)
LB_DEFINE_KERNEL_CHOICE(lbNewtonKernels, lb_newton_kernels)
LB_DEFINE_KERNEL_CHOICE(lbCubicKernels, lb_cubic_kernels)
LB_DEFINE_KERNEL_CHOICE(lbCubicCrowdKernels, lb_cubic_crowd_kernels)
LB_DEFINE_KERNEL_CHOICE(lbCubatureKernels, lb_cubature_kernels)
