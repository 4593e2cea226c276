// Products of a symmetric sparse matrix with several vectors that lie side by side.
#ifndef LB_LINALG_PRODUCT_H
#define LB_LINALG_PRODUCT_H

#include "linalg/sparse.h"
#include "math/simd.h"

enum { LB_PRODUCT_FEW = 4, LB_PRODUCT_MANY = 8 }; // vectors at a time

// y = A x of that many vectors; the values of a row lie together, rows are `stride` apart.
typedef struct lbProductKernels {
  // x (n x width), by rows, from columns that are n apart, and y back to such; width of a product
  void (*put_together)(size_t n, size_t width, const double *from, double *x);
  void (*take_apart)(size_t n, size_t width, const double *y, double *to);
  void (*few)(const lbSparse *A, size_t stride, const double *x, double *y);
  void (*many)(const lbSparse *A, size_t stride, const double *x, double *y);
} lbProductKernels;

const lbProductKernels *lb_product_kernels(lbSimdLevel level);

// Y = A X by them, at the best level of the processor: faster than lb_sparse_multiply_many, rounded
// in another way than lb_sparse_multiply. X, Y (size x count), work as lb_sparse_multiply_many_in.
// Y may be X.
void lb_product_multiply(const lbSparse *A, int32_t count, const double *X, double *Y,
                         double *work);
// The same with work space of its own, or one by one when there is no memory for it.
void lb_product_multiply_many(const lbSparse *A, int32_t count, const double *X, double *Y);

#endif
