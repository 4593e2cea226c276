// The tables of element kernels, one per SIMD level, and the kernel of shells.
#ifndef LB_ELASTIC_KERNELS_H
#define LB_ELASTIC_KERNELS_H

#include "elastic/element.h"

typedef lbElementKernel *lbElementKernelTable[LB_ELEMENT_KIND_COUNT][LB_MATERIAL_MODEL_COUNT];

const lbElementKernelTable *lb_element_kernels(lbSimdLevel level); // of element.kernel.c

#ifdef LB_SIMD_LEVEL
lbElementKernel LB_KERNEL(lb_flap_kernel); // of shell.kernel.c
#endif

#endif
