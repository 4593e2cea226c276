// The choice of the kernels.
#include "frames/kernels.h"

LB_DEFINE_KERNEL_CHOICE(lbFrameKernels, lb_frame_kernels)
LB_DEFINE_KERNEL_CHOICE(lbFramePointKernels, lb_frame_point_kernels)
LB_DEFINE_KERNEL_CHOICE(lbFrameSpringKernels, lb_frame_spring_kernels)
