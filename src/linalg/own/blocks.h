// Products, triangles and Cholesky by blocks, over the kernels: what lbEngine asks for, in either
// precision.
#ifndef LB_LINALG_OWN_BLOCKS_H
#define LB_LINALG_OWN_BLOCKS_H

#include "linalg/engine.h"
#include "linalg/own/kernels.h"

static inline const lbOwnKernels *lb_own(void) { return lb_own_kernels(lb_simd_best()); }

#define LB_OWN_BLOCKS(Real, real)                                                                  \
  void lb_own_multiply_##real(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,      \
                              int32_t columns, int32_t inner, Real alpha, const Real *A,           \
                              size_t a_stride, const Real *B, size_t b_stride, Real beta, Real *C, \
                              size_t c_stride);                                                    \
  void lb_own_gram_##real(int32_t size, int32_t inner, Real alpha, const Real *A, size_t a_stride, \
                          Real beta, Real *C, size_t c_stride);                                    \
  void lb_own_divide_##real(lbTranspose transpose, int32_t size, int32_t count, const Real *R,     \
                            size_t r_stride, Real *X, size_t x_stride);                            \
  void lb_own_divide_right_##real(int32_t rows, int32_t size, const Real *R, size_t r_stride,      \
                                  Real *X, size_t x_stride);                                       \
  int32_t lb_own_cholesky_##real(int32_t size, Real *A, size_t stride);
LB_OWN_BLOCKS(float, single)
LB_OWN_BLOCKS(double, double)

void lb_own_multiply_vector(lbTranspose transpose, int32_t rows, int32_t columns, double alpha,
                            const double *A, size_t stride, const double *x, double beta,
                            double *y);
void lb_own_divide_vector(lbTranspose transpose, int32_t size, const double *R, size_t stride,
                          double *x);

#endif
