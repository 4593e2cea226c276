// Dense algebra over BLAS and LAPACK, with work space from our own allocator.
#include "linalg/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/blas.h"

bool lb_linalg_all_finite(size_t count, const double *values) {
  // x * 0 is 0 for numbers and NaN for infinities and NaN
  double zero = 0;
  for (size_t i = 0; i < count; i++) zero += values[i] * 0;
  return zero == 0;
}

static lbStatus check_finite(const char *what, int32_t rows, int32_t columns, const double *A,
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

static lbStatus fail_lapack(const char *what, lapack_int info, lbError *err) {
  return lb_fail(err, LB_ERR_NUMERIC, "%s did not converge (code %d)", what, (int)info);
}

// ---- products ----------------------------------------------------------------------------------

static CBLAS_TRANSPOSE blas_transpose(lbTranspose transpose) {
  return transpose == LB_TRANSPOSED ? CblasTrans : CblasNoTrans;
}

static int at_least_one(int32_t dimension) { return dimension < 1 ? 1 : dimension; }

typedef struct Product {
  CBLAS_TRANSPOSE transpose_a, transpose_b;
  int rows, columns, inner, a_rows, b_rows;
  double alpha, beta;
  const double *A, *B;
  double *C;
} Product;

// Rows of C.
static void multiply_rows(int32_t begin, int32_t end, void *context) {
  const Product *p = context;
  size_t at = p->transpose_a == CblasTrans ? (size_t)begin * (size_t)p->a_rows : (size_t)begin;
  cblas_dgemm(CblasColMajor, p->transpose_a, p->transpose_b, end - begin, p->columns, p->inner,
              p->alpha, p->A + at, p->a_rows, p->B, p->b_rows, p->beta, p->C + begin,
              at_least_one(p->rows));
}

// Rows of C that a thread makes, where there are long vectors to multiply.
static int32_t rows_at_once(const Product *p) {
  enum { LONG = 16384, MANY_ROWS = 8192, FEW_ROWS = 32 };
  if (p->transpose_a == CblasNoTrans) return p->rows < LONG ? at_least_one(p->rows) : MANY_ROWS;
  return p->inner < LONG ? at_least_one(p->rows) : FEW_ROWS;
}

void lb_dense_multiply(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,
                       int32_t columns, int32_t inner, double alpha, const double *A,
                       const double *B, double beta, double *C) {
  lb_linalg_one_thread();
  Product p = { blas_transpose(transpose_a),
                blas_transpose(transpose_b),
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
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, columns, rows, 1, A, at_least_one(rows), 0, G,
              at_least_one(columns));
  size_t n = (size_t)columns;
  for (size_t j = 0; j < n; j++)
    for (size_t i = j + 1; i < n; i++) G[j * n + i] = G[i * n + j];
}

void lb_dense_multiply_parts(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,
                             int32_t columns, int32_t inner, double alpha, const double *A,
                             size_t a_stride, const double *B, size_t b_stride, double beta,
                             double *C, size_t c_stride) {
  lb_linalg_one_thread();
  cblas_dgemm(CblasColMajor, blas_transpose(transpose_a), blas_transpose(transpose_b), rows,
              columns, inner, alpha, A, (int)a_stride, B, (int)b_stride, beta, C, (int)c_stride);
}

void lb_dense_multiply_vector(lbTranspose transpose, int32_t rows, int32_t columns, double alpha,
                              const double *A, const double *x, double beta, double *y) {
  lb_linalg_one_thread();
  cblas_dgemv(CblasColMajor, blas_transpose(transpose), rows, columns, alpha, A, at_least_one(rows),
              x, 1, beta, y, 1);
}

// ---- eigenvalues and singular values -----------------------------------------------------------

lbStatus lb_dense_eigen(int32_t size, double *A, double *values, lbError *err) {
  lbStatus status = check_upper_finite("symmetric eigenproblem", size, A, err);
  if (status || !size) return status;
  lb_linalg_one_thread();
  double ask = 0;
  lapack_int ask_int = 0;
  LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', size, A, size, values, &ask, -1, &ask_int, -1);
  double *work = lb_alloc((size_t)ask, sizeof *work);
  lapack_int *work_int = lb_alloc((size_t)ask_int, sizeof *work_int);
  lapack_int info = 0;
  if (!work || !work_int)
    status = lb_fail_memory(err);
  else
    info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', size, A, size, values, work,
                               (lapack_int)ask, work_int, ask_int);
  if (info) status = fail_lapack("symmetric eigenproblem", info, err);
  lb_free(work);
  lb_free(work_int);
  return status;
}

lbStatus lb_dense_eigen_general(int32_t size, double *A, double *B, double *values, lbError *err) {
  lbStatus status = check_upper_finite("general eigenproblem", size, A, err);
  if (!status) status = lb_dense_cholesky(size, B, err); // B = R' R
  if (status || !size) return status;
  // R'^-1 A R^-1 y = lambda y, and then v = R^-1 y
  LAPACKE_dsygst_work(LAPACK_COL_MAJOR, 1, 'U', size, A, size, B, size);
  status = lb_dense_eigen(size, A, values, err);
  if (!status)
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, size, size, 1, B,
                size, A, size);
  return status;
}

lbStatus lb_dense_svd(int32_t rows, int32_t columns, double *A, double *U, double *S, double *Vt,
                      lbError *err) {
  lbStatus status = check_finite("singular values", rows, columns, A, err);
  int32_t least = rows < columns ? rows : columns;
  if (status || least < 1) return status;
  lb_linalg_one_thread();
  char job = U && Vt ? 'S' : 'N';
  double ask = 0;
  lapack_int *work_int = lb_alloc(8 * (size_t)least, sizeof *work_int), info = 0;
  LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, rows, columns, A, rows, S, U, rows, Vt, least, &ask,
                      -1, work_int);
  double *work = lb_alloc((size_t)ask, sizeof *work);
  if (!work || !work_int)
    status = lb_fail_memory(err);
  else
    info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, rows, columns, A, rows, S, U, rows, Vt, least,
                               work, (lapack_int)ask, work_int);
  if (info) status = fail_lapack("singular values", info, err);
  lb_free(work);
  lb_free(work_int);
  return status;
}

lbStatus lb_dense_triangle(int32_t rows, int32_t columns, double *A, double *R, lbError *err) {
  lbStatus status = check_finite("QR", rows, columns, A, err);
  size_t least = (size_t)(rows < columns ? rows : columns);
  if (status || least < 1) return status;
  lb_linalg_one_thread();
  double ask = 0;
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, columns, A, rows, NULL, &ask, -1);
  double *work = lb_alloc((size_t)ask + least, sizeof *work);
  if (!work) return lb_fail_memory(err);
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, columns, A, rows, work, work + least,
                      (lapack_int)ask);
  for (size_t j = 0; j < (size_t)columns; j++)
    for (size_t i = 0; i < least; i++) R[j * least + i] = i <= j ? A[j * (size_t)rows + i] : 0;
  lb_free(work);
  return LB_OK;
}

// ---- solves ------------------------------------------------------------------------------------

lbStatus lb_dense_least_squares(int32_t rows, int32_t columns, int32_t count, double *A, double *B,
                                double cut, int32_t *rank, lbError *err) {
  int32_t most = rows > columns ? rows : columns, least = rows < columns ? rows : columns;
  lbStatus status = check_finite("least squares", rows, columns, A, err);
  if (!status) status = check_finite("least squares", most, count, B, err);
  if (status || least < 1) return status;
  lb_linalg_one_thread();
  double ask = 0;
  lapack_int ask_int = 0, found = 0, info = 0;
  double *S = lb_alloc((size_t)least, sizeof *S);
  LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, rows, columns, count, A, rows, B, most, S, cut, &found,
                      &ask, -1, &ask_int);
  double *work = lb_alloc((size_t)ask, sizeof *work);
  lapack_int *work_int = lb_alloc((size_t)ask_int, sizeof *work_int);
  if (!S || !work || !work_int)
    status = lb_fail_memory(err);
  else
    info = LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, rows, columns, count, A, rows, B, most, S, cut,
                               &found, work, (lapack_int)ask, work_int);
  if (info) status = fail_lapack("least squares", info, err);
  if (!status && rank) *rank = found;
  lb_free(S);
  lb_free(work);
  lb_free(work_int);
  return status;
}

lbStatus lb_dense_cholesky(int32_t size, double *A, lbError *err) {
  lbStatus status = check_upper_finite("dense Cholesky", size, A, err);
  if (status || !size) return status;
  lb_linalg_one_thread();
  lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', size, A, size);
  if (info > 0)
    return lb_fail(err, LB_ERR_NUMERIC, "%d x %d dense matrix: not positive definite at row %d",
                   size, size, (int)info - 1);
  size_t n = (size_t)size;
  for (size_t j = 0; j < n; j++) memset(A + j * n + j + 1, 0, (n - j - 1) * sizeof *A);
  return LB_OK;
}

void lb_dense_cholesky_solve(int32_t size, const double *R, int32_t count, double *X) {
  if (size < 1 || count < 1) return;
  lb_linalg_one_thread();
  LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', size, count, R, size, X, size);
}

typedef struct Division {
  int rows, size;
  const double *R;
  double *X;
} Division;

static void divide_rows(int32_t begin, int32_t end, void *context) {
  const Division *d = context;
  cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, end - begin,
              d->size, 1, d->R, d->size, d->X + begin, d->rows);
}

void lb_dense_divide_by_upper(int32_t rows, int32_t size, const double *R, double *X) {
  enum { ROWS = 8192 };
  lb_linalg_one_thread();
  Division division = { at_least_one(rows), at_least_one(size), R, X };
  if (size > 0) lb_parallel_for(rows, ROWS, divide_rows, &division);
}

void lb_dense_solve_upper(lbTranspose transpose, int32_t size, const double *R, size_t stride,
                          double *x) {
  lb_linalg_one_thread();
  cblas_dtrsv(CblasColMajor, CblasUpper, transpose == LB_PLAIN ? CblasNoTrans : CblasTrans,
              CblasNonUnit, size, R, at_least_one((int32_t)stride), x, 1);
}

lbStatus lb_dense_solve(int32_t size, double *A, int32_t count, double *B, lbError *err) {
  lbStatus status = check_finite("dense solve", size, size, A, err);
  if (status || !size) return status;
  lb_linalg_one_thread();
  lapack_int *exchanges = lb_alloc((size_t)size, sizeof *exchanges);
  if (!exchanges) return lb_fail_memory(err);
  lapack_int info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, size, count, A, size, exchanges, B, size);
  lb_free(exchanges);
  if (info)
    return lb_fail(err, LB_ERR_NUMERIC, "%d x %d dense matrix: singular at row %d", size, size,
                   (int)info - 1);
  return LB_OK;
}
