// The table of our own engine.
#include "linalg/own/decompose.h"

// One column, or one row that lies together, is a product with a vector.
static void multiply_dense(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,
                           int32_t columns, int32_t inner, double alpha, const double *A,
                           size_t a_stride, const double *B, size_t b_stride, double beta,
                           double *C, size_t c_stride) {
  if (columns == 1 && transpose_b == LB_PLAIN) {
    bool plain = transpose_a == LB_PLAIN;
    lb_own_multiply_vector(transpose_a, plain ? rows : inner, plain ? inner : rows, alpha, A,
                           a_stride, B, beta, C);
  } else if (rows == 1 && transpose_a == LB_TRANSPOSED && c_stride == 1) {
    bool plain = transpose_b == LB_PLAIN;
    lb_own_multiply_vector(plain ? LB_TRANSPOSED : LB_PLAIN, plain ? inner : columns,
                           plain ? columns : inner, alpha, B, b_stride, A, beta, C);
  } else {
    lb_own_multiply_double(transpose_a, transpose_b, rows, columns, inner, alpha, A, a_stride, B,
                           b_stride, beta, C, c_stride);
  }
}

// The upper triangle of A, mirrored and divided from both sides.
static void reduce_generalised(int32_t size, double *A, const double *R) {
  size_t n = (size_t)size;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++) A[i * n + j] = A[j * n + i];
  lb_own_divide_double(LB_TRANSPOSED, size, size, R, n, A, n);
  lb_own_divide_right_double(size, size, R, n, A, n);
}

static lbStatus triangle(int32_t rows, int32_t columns, double *A, lbError *err) {
  size_t m = (size_t)rows, least = rows < columns ? m : (size_t)columns;
  double *work = lb_alloc(least + lb_own_reflect_work(columns) + m * LB_OWN_PANEL, sizeof *work);
  if (!work) return lb_fail_memory(err);
  lb_own_qr(rows, columns, A, work, work + least);
  lb_free(work);
  return LB_OK;
}

const lbEngine lb_engine_own = {
  .name = "own",
  .singles = { lb_own_multiply_single, lb_own_gram_single, lb_own_divide_single,
               lb_own_cholesky_single },
  .doubles = { multiply_dense, lb_own_gram_double, lb_own_divide_double, lb_own_cholesky_double },
  .divide_right = lb_own_divide_right_double,
  .multiply_vector = lb_own_multiply_vector,
  .divide_vector = lb_own_divide_vector,
  .reduce = reduce_generalised,
  .eigen = lb_own_eigen,
  .svd = lb_own_svd,
  .triangle = triangle,
};
