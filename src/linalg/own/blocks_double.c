// Blocks in double precision, and what there is for vectors.
#define REAL double
#define NAME(x) x##_double
#define OWN lbOwnDouble
#define KERNELS doubles
#include "linalg/own/blocks.inc"

void lb_own_multiply_vector(lbTranspose transpose, int32_t rows, int32_t columns, double alpha,
                            const double *A, size_t stride, const double *x, double beta,
                            double *y) {
  int32_t count = transpose == LB_TRANSPOSED ? columns : rows;
  scale(count, 1, beta, y, 1, false);
  if (rows < 1 || columns < 1 || alpha == 0) return;
  if (transpose == LB_TRANSPOSED)
    lb_own()->add_turned_product(rows, columns, alpha, A, stride, x, y);
  else
    lb_own()->add_product(rows, columns, alpha, A, stride, x, y);
}

void lb_own_divide_vector(lbTranspose transpose, int32_t size, const double *R, size_t stride,
                          double *x) {
  enum { BLOCK = 16 };
  const lbOwnKernels *kernels = lb_own();
  if (transpose == LB_TRANSPOSED) {
    for (int32_t begin = 0; begin < size; begin += BLOCK) {
      int32_t end = least(begin + BLOCK, size);
      const double *columns = R + (size_t)begin * stride;
      kernels->add_turned_product(begin, end - begin, -1, columns, stride, x, x + begin);
      for (int32_t j = begin; j < end; j++, columns += stride) {
        for (int32_t i = begin; i < j; i++) x[j] -= columns[i] * x[i];
        x[j] /= columns[j];
      }
    }
  } else {
    for (int32_t begin, end = size; end > 0; end = begin) {
      begin = (end - 1) / BLOCK * BLOCK;
      for (int32_t j = end - 1; j >= begin; j--) {
        const double *column = R + (size_t)j * stride;
        x[j] /= column[j];
        for (int32_t i = begin; i < j; i++) x[i] -= column[i] * x[j];
      }
      kernels->add_product(begin, end - begin, -1, R + (size_t)begin * stride, stride, x + begin,
                           x);
    }
  }
}
