// The kernel tables, one per SIMD level, all from element.kernel.c, and the kernel of shells.
#ifndef LB_ELASTIC_KERNELS_H
#define LB_ELASTIC_KERNELS_H

#include "elastic/element.h"

typedef lbElementKernel *lbElementKernelTable[LB_ELEMENT_KIND_COUNT][LB_MATERIAL_MODEL_COUNT];

extern const lbElementKernelTable lb_element_kernels_portable, lb_element_kernels_base,
    lb_element_kernels_avx2, lb_element_kernels_avx512;
extern lbElementKernel lb_flap_kernel_portable, lb_flap_kernel_base, lb_flap_kernel_avx2,
    lb_flap_kernel_avx512;

#endif
