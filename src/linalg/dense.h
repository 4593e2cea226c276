// Dense algebra. All matrices are column-major and packed: the leading dimension is the number of
// rows. Values that are not finite are refused with LB_ERR_NUMERIC.
#ifndef LB_LINALG_DENSE_H
#define LB_LINALG_DENSE_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// By the engine of the build (engine.h). BLAS is held to one thread, so that results do not depend
// on how many there are; parallel work is spread over our own threads instead, cut the same way for
// any number: products of long vectors.

typedef enum lbTranspose { LB_PLAIN, LB_TRANSPOSED } lbTranspose;

// C = alpha op(A) op(B) + beta C; C (rows x columns), op(A) (rows x inner), op(B) (inner x columns)
void lb_dense_multiply(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,
                       int32_t columns, int32_t inner, double alpha, const double *A,
                       const double *B, double beta, double *C);
// G = A' A, all of it, exactly symmetric; A (rows x columns), G (columns x columns)
void lb_dense_gram(int32_t rows, int32_t columns, const double *A, double *G);
// The same product of parts of larger matrices, whose columns are a_stride, b_stride and c_stride
// apart. Several threads may work at a time, after a first call of any of these by one.
void lb_dense_multiply_parts(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,
                             int32_t columns, int32_t inner, double alpha, const double *A,
                             size_t a_stride, const double *B, size_t b_stride, double beta,
                             double *C, size_t c_stride);
// y = alpha op(A) x + beta y; A (rows x columns)
void lb_dense_multiply_vector(lbTranspose transpose, int32_t rows, int32_t columns, double alpha,
                              const double *A, const double *x, double beta, double *y);

// A = V diag(values) V', values ascending; A (size x size), of which the upper triangle is read, is
// replaced by the orthonormal columns V.
lbStatus lb_dense_eigen(int32_t size, double *A, double *values, lbError *err);
// A V = B V diag(values), V' B V = 1, values ascending, B positive definite. A is replaced by V and
// B by R, upper triangular, R' R = B; of both the upper triangle is read, and below it B keeps what
// it had.
lbStatus lb_dense_eigen_general(int32_t size, double *A, double *B, double *values, lbError *err);

// A = U diag(S) V', S descending, k = min(rows, columns): U (rows x k), S (k), V' (k x columns).
// A is destroyed. U and Vt may both be NULL: singular values alone.
lbStatus lb_dense_svd(int32_t rows, int32_t columns, double *A, double *U, double *S, double *Vt,
                      lbError *err);
// A = Q R with orthonormal Q: R (min(rows, columns) x columns), upper trapezoidal. A is destroyed.
lbStatus lb_dense_triangle(int32_t rows, int32_t columns, double *A, double *R, lbError *err);

// A = R' R: the upper triangle of A is read and replaced by R, what is below is set to zero.
// LB_ERR_NUMERIC "not positive definite at row N".
lbStatus lb_dense_cholesky(int32_t size, double *A, lbError *err);
// X <- (R' R)^-1 X; X (size x count)
void lb_dense_cholesky_solve(int32_t size, const double *R, int32_t count, double *X);
// X <- X R^-1; X (rows x size): makes the columns of X orthonormal when R' R = X' X
void lb_dense_divide_by_upper(int32_t rows, int32_t size, const double *R, double *X);
// x <- op(R)^-1 x, R upper triangular, its columns `stride` apart
void lb_dense_solve_upper(lbTranspose transpose, int32_t size, const double *R, size_t stride,
                          double *x);

// A X = B by LU with row exchanges; A (size x size) is destroyed, B (size x count) becomes X.
lbStatus lb_dense_solve(int32_t size, double *A, int32_t count, double *B, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
