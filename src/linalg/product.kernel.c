// Sparse products, vectors across the columns of X.
#include "linalg/product.h"

#include "math/four.h"

// x (n x width) from columns that are n apart, four rows of four columns at a time; and back.
static void put_product_together(size_t n, size_t width, const double *from, double *x) {
  for (size_t begin = 0; begin < width; begin += 4) {
    const double *column = from + begin * n;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      lbFour lines[4];
      LB_FOR (c, 0, 4) lines[c] = lb_four_load(column + (size_t)c * n + i);
      lb_four_turn(lines, lines);
      LB_FOR (k, 0, 4) lb_four_store(x + (i + (size_t)k) * width + begin, lines[k]);
    }
    for (; i < n; i++)
      for (size_t c = 0; c < 4; c++) x[i * width + begin + c] = column[c * n + i];
  }
}

static void take_product_apart(size_t n, size_t width, const double *y, double *to) {
  for (size_t begin = 0; begin < width; begin += 4) {
    double *column = to + begin * n;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      lbFour lines[4];
      LB_FOR (k, 0, 4) lines[k] = lb_four_load(y + (i + (size_t)k) * width + begin);
      lb_four_turn(lines, lines);
      LB_FOR (c, 0, 4) lb_four_store(column + (size_t)c * n + i, lines[c]);
    }
    for (; i < n; i++)
      for (size_t c = 0; c < 4; c++) column[c * n + i] = y[i * width + begin + c];
  }
}

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

LB_KERNEL_TABLE(lbProductKernels, lb_product_kernels) = { put_product_together, take_product_apart,
                                                          multiply_few, multiply_many };
