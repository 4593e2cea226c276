// Dense algebra: what is asked of it is checked here, and done by the engine.
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#include "linalg/blas.h"
#include "linalg/engine.h"

bool lb_linalg_all_finite(size_t count, const double *values) {
  // x * 0 is 0 for numbers and NaN for infinities and NaN
  double zero = 0;
  for (size_t i = 0; i < count; i++) zero += values[i] * 0;
  return zero == 0;
}

static lbStatus check_dense_finite(const char *what, int32_t rows, int32_t columns, const double *A,
                                   lbError *err) {
  if (lb_linalg_all_finite((size_t)rows * (size_t)columns, A)) return LB_OK;
  return lb_fail(err, LB_ERR_NUMERIC, "%s: the %d x %d matrix holds a value that is not finite",
                 what, rows, columns);
}

static lbStatus check_upper_finite(const char *what, int32_t size, const double *A, lbError *err) {
  size_t n = (size_t)size;
  for (size_t j = 0; j < n; j++)
    if (!lb_linalg_all_finite(j + 1, A + j * n))
      return lb_fail(err, LB_ERR_NUMERIC,
                     "%s: column %d of the %d x %d matrix holds a value that is not finite", what,
                     (int)j, size, size);
  return LB_OK;
}

// ---- products ----------------------------------------------------------------------------------

static size_t at_least_one(int32_t dimension) { return dimension < 1 ? 1 : (size_t)dimension; }

typedef struct Product {
  lbTranspose transpose_a, transpose_b;
  int32_t rows, columns, inner;
  size_t a_rows, b_rows;
  double alpha, beta;
  const double *A, *B;
  double *C;
} Product;

// Rows of C.
static void multiply_rows(int32_t begin, int32_t end, void *context) {
  const Product *p = context;
  size_t at = p->transpose_a == LB_TRANSPOSED ? (size_t)begin * p->a_rows : (size_t)begin;
  lb_engine()->doubles.multiply(p->transpose_a, p->transpose_b, end - begin, p->columns, p->inner,
                                p->alpha, p->A + at, p->a_rows, p->B, p->b_rows, p->beta,
                                p->C + begin, at_least_one(p->rows));
}

// Rows of C that a thread makes, where there are long vectors to multiply.
static int32_t rows_at_once(const Product *p) {
  enum { LONG = 4096, MANY_ROWS = 2048, FEW_ROWS = 32 };
  bool is_long = (p->transpose_a == LB_PLAIN ? p->rows : p->inner) >= LONG;
  if (!is_long) return p->rows < 1 ? 1 : p->rows;
  return p->transpose_a == LB_PLAIN ? MANY_ROWS : FEW_ROWS;
}

void lb_dense_multiply(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,
                       int32_t columns, int32_t inner, double alpha, const double *A,
                       const double *B, double beta, double *C) {
  lb_linalg_one_thread();
  Product p = { transpose_a,
                transpose_b,
                rows,
                columns,
                inner,
                at_least_one(transpose_a == LB_TRANSPOSED ? inner : rows),
                at_least_one(transpose_b == LB_TRANSPOSED ? columns : inner),
                alpha,
                beta,
                A,
                B,
                C };
  lb_parallel_for(rows, rows_at_once(&p), multiply_rows, &p);
}

void lb_dense_gram(int32_t rows, int32_t columns, const double *A, double *G) {
  lb_linalg_one_thread();
  lb_engine()->doubles.gram(columns, rows, 1, A, at_least_one(rows), 0, G, at_least_one(columns));
  size_t n = (size_t)columns;
  for (size_t j = 0; j < n; j++)
    for (size_t i = j + 1; i < n; i++) G[j * n + i] = G[i * n + j];
}

void lb_dense_multiply_parts(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,
                             int32_t columns, int32_t inner, double alpha, const double *A,
                             size_t a_stride, const double *B, size_t b_stride, double beta,
                             double *C, size_t c_stride) {
  lb_linalg_one_thread();
  lb_engine()->doubles.multiply(transpose_a, transpose_b, rows, columns, inner, alpha, A, a_stride,
                                B, b_stride, beta, C, c_stride);
}

void lb_dense_multiply_vector(lbTranspose transpose, int32_t rows, int32_t columns, double alpha,
                              const double *A, const double *x, double beta, double *y) {
  lb_linalg_one_thread();
  lb_engine()->multiply_vector(transpose, rows, columns, alpha, A, at_least_one(rows), x, beta, y);
}

// ---- eigenvalues and singular values -----------------------------------------------------------

lbStatus lb_dense_eigen(int32_t size, double *A, double *values, lbError *err) {
  lbStatus status = check_upper_finite("symmetric eigenproblem", size, A, err);
  if (status || !size) return status;
  lb_linalg_one_thread();
  return lb_engine()->eigen(size, A, values, err);
}

lbStatus lb_dense_eigen_general(int32_t size, double *A, double *B, double *values, lbError *err) {
  lbStatus status = check_upper_finite("general eigenproblem", size, A, err);
  if (!status) status = lb_dense_cholesky(size, B, err); // B = R' R
  if (status || !size) return status;
  // R'^-1 A R^-1 y = lambda y, and then v = R^-1 y
  lb_engine()->reduce(size, A, B);
  status = lb_dense_eigen(size, A, values, err);
  if (!status) lb_engine()->doubles.divide(LB_PLAIN, size, size, B, (size_t)size, A, (size_t)size);
  return status;
}

lbStatus lb_dense_svd(int32_t rows, int32_t columns, double *A, double *U, double *S, double *Vt,
                      lbError *err) {
  lbStatus status = check_dense_finite("singular values", rows, columns, A, err);
  if (status || rows < 1 || columns < 1) return status;
  lb_linalg_one_thread();
  return lb_engine()->svd(rows, columns, A, U, S, Vt, err);
}

lbStatus lb_dense_triangle(int32_t rows, int32_t columns, double *A, double *R, lbError *err) {
  lbStatus status = check_dense_finite("QR", rows, columns, A, err);
  size_t least = (size_t)(rows < columns ? rows : columns);
  if (status || least < 1) return status;
  lb_linalg_one_thread();
  status = lb_engine()->triangle(rows, columns, A, err);
  for (size_t j = 0; !status && j < (size_t)columns; j++)
    for (size_t i = 0; i < least; i++) R[j * least + i] = i <= j ? A[j * (size_t)rows + i] : 0;
  return status;
}

// ---- solves ------------------------------------------------------------------------------------

lbStatus lb_dense_cholesky(int32_t size, double *A, lbError *err) {
  lbStatus status = check_upper_finite("dense Cholesky", size, A, err);
  if (status || !size) return status;
  lb_linalg_one_thread();
  int32_t good = lb_engine()->doubles.cholesky(size, A, (size_t)size);
  if (good < size)
    return lb_fail(err, LB_ERR_NUMERIC, "%d x %d dense matrix: not positive definite at row %d",
                   size, size, (int)good);
  size_t n = (size_t)size;
  for (size_t j = 0; j < n; j++) memset(A + j * n + j + 1, 0, (n - j - 1) * sizeof *A);
  return LB_OK;
}

void lb_dense_cholesky_solve(int32_t size, const double *R, int32_t count, double *X) {
  if (size < 1 || count < 1) return;
  lb_linalg_one_thread();
  const lbEngineDouble *kernels = &lb_engine()->doubles;
  kernels->divide(LB_TRANSPOSED, size, count, R, (size_t)size, X, (size_t)size);
  kernels->divide(LB_PLAIN, size, count, R, (size_t)size, X, (size_t)size);
}

typedef struct Division {
  int32_t size;
  size_t rows;
  const double *R;
  double *X;
} Division;

static void divide_dense_rows(int32_t begin, int32_t end, void *context) {
  const Division *d = context;
  lb_engine()->divide_right(end - begin, d->size, d->R, (size_t)d->size, d->X + begin, d->rows);
}

void lb_dense_divide_by_upper(int32_t rows, int32_t size, const double *R, double *X) {
  enum { ROWS = 2048 };
  lb_linalg_one_thread();
  Division division = { size, at_least_one(rows), R, X };
  if (size > 0) lb_parallel_for(rows, ROWS, divide_dense_rows, &division);
}

void lb_dense_solve_upper(lbTranspose transpose, int32_t size, const double *R, size_t stride,
                          double *x) {
  lb_linalg_one_thread();
  lb_engine()->divide_vector(transpose, size, R, stride < 1 ? 1 : stride, x);
}

static void exchange_rows(size_t count, double *x, double *y, size_t stride) {
  for (size_t i = 0; i < count; i++) {
    double held = x[i * stride];
    x[i * stride] = y[i * stride];
    y[i * stride] = held;
  }
}

// Small systems: column by column.
lbStatus lb_dense_solve(int32_t size, double *A, int32_t count, double *B, lbError *err) {
  lbStatus status = check_dense_finite("dense solve", size, size, A, err);
  size_t n = (size_t)size, many = (size_t)count;
  if (status) return status;
  for (size_t k = 0; k < n; k++) { // P A = L U, and B <- L^-1 P B
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(A[k * n + i]) > fabs(A[k * n + pivot])) pivot = i;
    if (A[k * n + pivot] == 0)
      return lb_fail(err, LB_ERR_NUMERIC, "%d x %d dense matrix: singular at row %d", size, size,
                     (int)k);
    exchange_rows(n - k, A + k * n + k, A + k * n + pivot, n);
    exchange_rows(many, B + k, B + pivot, n);
    for (size_t i = k + 1; i < n; i++) A[k * n + i] /= A[k * n + k];
    for (size_t j = k + 1; j < n + many; j++) {
      double *column = j < n ? A + j * n : B + (j - n) * n;
      for (size_t i = k + 1; i < n; i++) column[i] -= A[k * n + i] * column[k];
    }
  }
  for (size_t j = 0; j < many; j++) lb_dense_solve_upper(LB_PLAIN, size, A, n, B + j * n);
  return LB_OK;
}
