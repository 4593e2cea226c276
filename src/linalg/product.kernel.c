// Sparse products, vectors across the columns of X.
#include "linalg/product.h"

#define LB_INLINE static inline __attribute__((always_inline))

LB_INLINE void multiply(int count, const lbSparse *A, size_t stride, const double *x, double *y) {
  const int pieces = count / LB_LANES > 0 ? count / LB_LANES : 1;
  for (size_t i = 0; i < (size_t)A->size; i++)
    for (size_t c = 0; c < (size_t)count; c++) y[i * stride + c] = 0;
  for (int32_t j = 0; j < A->size; j++) {
    lbLanes xj[8], sums[8];
    LB_FOR (p, 0, pieces) {
      xj[p] = lb_load(x + (size_t)j * stride + (size_t)(p * LB_LANES));
      sums[p] = lb_splat(0);
    }
    int32_t k = A->column_begin[j], end = A->column_begin[j + 1];
    for (; k < end && A->rows[k] < j; k++) {
      double a = A->values[k];
      const double *xi = x + (size_t)A->rows[k] * stride;
      double *yi = y + (size_t)A->rows[k] * stride;
      LB_FOR (p, 0, pieces) {
        sums[p] += a * lb_load(xi + p * LB_LANES);
        lb_store(yi + p * LB_LANES, lb_load(yi + p * LB_LANES) + a * xj[p]);
      }
    }
    double *yj = y + (size_t)j * stride;
    double diagonal = k < end ? A->values[k] : 0;
    LB_FOR (p, 0, pieces)
      lb_store(yj + p * LB_LANES, lb_load(yj + p * LB_LANES) + sums[p] + diagonal * xj[p]);
  }
}

static void multiply_few(const lbSparse *A, size_t stride, const double *x, double *y) {
#if LB_LANES <= 4
  multiply(LB_PRODUCT_FEW, A, stride, x, y);
#else // half a vector: one by one
  for (size_t i = 0; i < (size_t)A->size; i++)
    for (size_t c = 0; c < LB_PRODUCT_FEW; c++) y[i * stride + c] = 0;
  for (int32_t j = 0; j < A->size; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++) {
      size_t i = (size_t)A->rows[k] * stride, at = (size_t)j * stride;
      for (size_t c = 0; c < LB_PRODUCT_FEW; c++) {
        y[at + c] += A->values[k] * x[i + c];
        if (i != at) y[i + c] += A->values[k] * x[at + c];
      }
    }
#endif
}

static void multiply_many(const lbSparse *A, size_t stride, const double *x, double *y) {
  multiply(LB_PRODUCT_MANY, A, stride, x, y);
}

const lbProductKernels LB_KERNEL(lb_product_kernels) = { multiply_few, multiply_many };
