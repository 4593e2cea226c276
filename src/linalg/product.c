// Picks the kernels of sparse products, and makes those of columns.
#include "linalg/product.h"

typedef struct Product {
  const lbSparse *A;
  const double *X;
  double *Y, *work;
  int32_t width; // columns at a time
} Product;

static void multiply_product_columns(int32_t begin, int32_t end, void *context) {
  const Product *p = context;
  size_t n = (size_t)p->A->size, width = (size_t)p->width, count = (size_t)(end - begin);
  const lbProductKernels *kernels = lb_product_kernels(lb_simd_best());
  const double *from = p->X + (size_t)begin * n;
  double *x = p->work + 2 * n * (size_t)begin, *y = x + width * n, *to = p->Y + (size_t)begin * n;
  if (count == width) {
    kernels->put_together(n, width, from, x);
  } else {
    for (size_t i = 0; i < n; i++)
      for (size_t c = 0; c < width; c++) x[i * width + c] = c < count ? from[c * n + i] : 0;
  }
  (width == LB_PRODUCT_FEW ? kernels->few : kernels->many)(p->A, width, x, y);
  if (count == width) {
    kernels->take_apart(n, width, y, to);
  } else {
    for (size_t i = 0; i < n; i++)
      for (size_t c = 0; c < count; c++) to[c * n + i] = y[i * width + c];
  }
}

void lb_product_multiply(const lbSparse *A, int32_t count, const double *X, double *Y,
                         double *work) {
  int32_t width = count <= LB_PRODUCT_MANY ? LB_PRODUCT_FEW : LB_PRODUCT_MANY;
  Product product = { A, X, Y, work, width };
  lb_parallel_for(count, width, multiply_product_columns, &product);
}

void lb_product_multiply_many(const lbSparse *A, int32_t count, const double *X, double *Y) {
  double *work = lb_alloc(lb_sparse_work_count(A, count), sizeof *work);
  if (work)
    lb_product_multiply(A, count, X, Y, work);
  else
    for (size_t c = 0; c < (size_t)count; c++)
      lb_sparse_multiply(A, X + c * (size_t)A->size, Y + c * (size_t)A->size);
  lb_free(work);
}
