// What Gauss-Seidel over contacts spends its time with, at every SIMD level.
#ifndef LB_CONTACT_SOLVE_KERNELS_H
#define LB_CONTACT_SOLVE_KERNELS_H

#include "math/simd.h"

typedef struct lbContactKernels {
  // to (count) <- to + x[0] a + x[1] b + x[2] c, of three rows one after another: a, b, c (count)
  void (*add_rows)(int32_t count, const double *rows, const double x[3], double *to);
} lbContactKernels;

// The level must be one that lb_simd_has.
const lbContactKernels *lb_contact_kernels(lbSimdLevel level);

#endif
