// Picks the kernels of sparse products.
#include "linalg/product.h"

LB_DEFINE_KERNEL_CHOICE(lbProductKernels, lb_product_kernels)
