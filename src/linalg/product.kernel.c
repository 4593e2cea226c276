// Sparse products, vectors across the columns of X.
#include "linalg/product.h"

#include "math/four.h"

static void multiply_few(const lbSparse *A, size_t stride, const double *x, double *y) {
  for (size_t i = 0; i < (size_t)A->size; i++) lb_four_store(y + i * stride, lb_four_splat(0));
  for (int32_t j = 0; j < A->size; j++) {
    lbFour xj = lb_four_load(x + (size_t)j * stride), sums = lb_four_splat(0);
    int32_t k = A->column_begin[j], end = A->column_begin[j + 1];
    for (; k < end && A->rows[k] < j; k++) {
      lbFour a = lb_four_splat(A->values[k]);
      const double *xi = x + (size_t)A->rows[k] * stride;
      double *yi = y + (size_t)A->rows[k] * stride;
      sums = lb_four_multiply_add(a, lb_four_load(xi), sums);
      lb_four_store(yi, lb_four_multiply_add(a, xj, lb_four_load(yi)));
    }
    double *yj = y + (size_t)j * stride;
    lbFour diagonal = lb_four_splat(k < end ? A->values[k] : 0);
    lb_four_store(yj, lb_four_multiply_add(diagonal, xj, lb_four_load(yj) + sums));
  }
}

static void multiply_many(const lbSparse *A, size_t stride, const double *x, double *y) {
  enum { PIECES = LB_PRODUCT_MANY / LB_LANES };
  for (size_t i = 0; i < (size_t)A->size; i++)
    for (size_t c = 0; c < LB_PRODUCT_MANY; c++) y[i * stride + c] = 0;
  for (int32_t j = 0; j < A->size; j++) {
    lbLanes xj[PIECES], sums[PIECES];
    LB_FOR (p, 0, PIECES) {
      xj[p] = lb_load(x + (size_t)j * stride + (size_t)(p * LB_LANES));
      sums[p] = lb_splat(0);
    }
    int32_t k = A->column_begin[j], end = A->column_begin[j + 1];
    for (; k < end && A->rows[k] < j; k++) {
      double a = A->values[k];
      const double *xi = x + (size_t)A->rows[k] * stride;
      double *yi = y + (size_t)A->rows[k] * stride;
      LB_FOR (p, 0, PIECES) {
        sums[p] += a * lb_load(xi + p * LB_LANES);
        lb_store(yi + p * LB_LANES, lb_load(yi + p * LB_LANES) + a * xj[p]);
      }
    }
    double *yj = y + (size_t)j * stride;
    double diagonal = k < end ? A->values[k] : 0;
    LB_FOR (p, 0, PIECES)
      lb_store(yj + p * LB_LANES, lb_load(yj + p * LB_LANES) + sums[p] + diagonal * xj[p]);
  }
}

const lbProductKernels LB_KERNEL(lb_product_kernels) = { multiply_few, multiply_many };
