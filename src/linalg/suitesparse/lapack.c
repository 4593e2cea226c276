// The engine over CBLAS and LAPACK, with work space from our own allocator.
#include "linalg/engine.h"

#include <cblas.h>
#include <lapacke.h>

static lbStatus fail_lapack(const char *what, lapack_int info, lbError *err) {
  return lb_fail(err, LB_ERR_NUMERIC, "%s did not converge (code %d)", what, (int)info);
}

// ---- products and triangles --------------------------------------------------------------------

static CBLAS_TRANSPOSE blas_transpose(lbTranspose transpose) {
  return transpose == LB_TRANSPOSED ? CblasTrans : CblasNoTrans;
}

#define KERNELS(Real, real, blas, potrf)                                                           \
  static void multiply_##real(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,      \
                              int32_t columns, int32_t inner, Real alpha, const Real *A,           \
                              size_t a_stride, const Real *B, size_t b_stride, Real beta, Real *C, \
                              size_t c_stride) {                                                   \
    blas##gemm(CblasColMajor, blas_transpose(transpose_a), blas_transpose(transpose_b), rows,      \
               columns, inner, alpha, A, (int)a_stride, B, (int)b_stride, beta, C, (int)c_stride); \
  }                                                                                                \
  static void gram_##real(int32_t size, int32_t inner, Real alpha, const Real *A, size_t a_stride, \
                          Real beta, Real *C, size_t c_stride) {                                   \
    blas##syrk(CblasColMajor, CblasUpper, CblasTrans, size, inner, alpha, A, (int)a_stride, beta,  \
               C, (int)c_stride);                                                                  \
  }                                                                                                \
  static void divide_##real(lbTranspose transpose, int32_t size, int32_t count, const Real *R,     \
                            size_t r_stride, Real *X, size_t x_stride) {                           \
    blas##trsm(CblasColMajor, CblasLeft, CblasUpper, blas_transpose(transpose), CblasNonUnit,      \
               size, count, 1, R, (int)r_stride, X, (int)x_stride);                                \
  }                                                                                                \
  static int32_t cholesky_##real(int32_t size, Real *A, size_t stride) {                           \
    lapack_int info = potrf(LAPACK_COL_MAJOR, 'U', size, A, (lapack_int)stride);                   \
    return info > 0 ? info - 1 : size;                                                             \
  }

KERNELS(float, single, cblas_s, LAPACKE_spotrf_work)
KERNELS(double, double, cblas_d, LAPACKE_dpotrf_work)

static void divide_right(int32_t rows, int32_t size, const double *R, size_t r_stride, double *X,
                         size_t x_stride) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rows, size, 1, R,
              (int)r_stride, X, (int)x_stride);
}

static void multiply_vector(lbTranspose transpose, int32_t rows, int32_t columns, double alpha,
                            const double *A, size_t stride, const double *x, double beta,
                            double *y) {
  cblas_dgemv(CblasColMajor, blas_transpose(transpose), rows, columns, alpha, A, (int)stride, x, 1,
              beta, y, 1);
}

static void divide_vector(lbTranspose transpose, int32_t size, const double *R, size_t stride,
                          double *x) {
  cblas_dtrsv(CblasColMajor, CblasUpper, blas_transpose(transpose), CblasNonUnit, size, R,
              (int)stride, x, 1);
}

// ---- decompositions ----------------------------------------------------------------------------

static void reduce_by_lapack(int32_t size, double *A, const double *R) {
  LAPACKE_dsygst_work(LAPACK_COL_MAJOR, 1, 'U', size, A, size, R, size);
}

static lbStatus eigen(int32_t size, double *A, double *values, lbError *err) {
  double ask = 0;
  lapack_int ask_int = 0, info = 0;
  lbStatus status = LB_OK;
  LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', size, A, size, values, &ask, -1, &ask_int, -1);
  double *work = lb_alloc((size_t)ask, sizeof *work);
  lapack_int *work_int = lb_alloc((size_t)ask_int, sizeof *work_int);
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

static lbStatus svd(int32_t rows, int32_t columns, double *A, double *U, double *S, double *Vt,
                    lbError *err) {
  int32_t least = rows < columns ? rows : columns;
  lbStatus status = LB_OK;
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

static lbStatus triangle(int32_t rows, int32_t columns, double *A, lbError *err) {
  size_t least = (size_t)(rows < columns ? rows : columns);
  double ask = 0;
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, columns, A, rows, NULL, &ask, -1);
  double *work = lb_alloc((size_t)ask + least, sizeof *work);
  if (!work) return lb_fail_memory(err);
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, columns, A, rows, work, work + least,
                      (lapack_int)ask);
  lb_free(work);
  return LB_OK;
}

extern const lbEngine lb_engine_suitesparse; // for engine.c
const lbEngine lb_engine_suitesparse = {
  .name = "suitesparse",
  .singles = { multiply_single, gram_single, divide_single, cholesky_single },
  .doubles = { multiply_double, gram_double, divide_double, cholesky_double },
  .divide_right = divide_right,
  .multiply_vector = multiply_vector,
  .divide_vector = divide_vector,
  .reduce = reduce_by_lapack,
  .eigen = eigen,
  .svd = svd,
  .triangle = triangle,
};
