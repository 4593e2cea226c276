// With Y = (K + s M)^-1 M X, the projected problem needs no product with K, whose terms cancel:
//   Y' (K + s M) Y = Y' M X,  Y' M Y.
// Column i of X is scaled by lambda_i + s first, so that Y has about unit length.
#include "linalg/polish.h"

#include "linalg/dense.h"
#include "linalg/product.h"

#include <math.h>
#include <string.h>

// Relative, of the solves: rounding.
static const double SOLVE_ERROR = 1e-14;

// A = (A + A') / 2
static void symmetrise(size_t n, double *A) {
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++)
      A[j * n + i] = A[i * n + j] = 0.5 * (A[j * n + i] + A[i * n + j]);
}

// Y = M X, few columns at a time: these are as long as the factor leaves room for.
static void multiply_few_columns(const lbSparse *M, int32_t count, const double *X, double *Y) {
  enum { TOGETHER = 2 * LB_PRODUCT_MANY };
  for (int32_t done = 0; done < count; done += TOGETHER) {
    int32_t here = count - done < TOGETHER ? count - done : TOGETHER;
    size_t at = (size_t)done * (size_t)M->size;
    lb_product_multiply_many(M, here, X + at, Y + at);
  }
}

lbStatus lb_eigen_polish(lbCholesky *factor, const lbSparse *M, double shift, int32_t count,
                         double *X, double *values, lbError *err) {
  lbArena arena = { 0 };
  size_t n = (size_t)M->size, c = (size_t)count;
  double *MX = lb_arena_alloc(&arena, n * c, sizeof *MX);
  double *A = lb_arena_alloc(&arena, c * c, sizeof *A),
         *B = lb_arena_alloc(&arena, c * c, sizeof *B);
  double *sums = lb_arena_alloc(&arena, c, sizeof *sums); // lambda + s
  lbStatus status = MX && A && B && sums ? LB_OK : lb_fail_memory(err);
  if (status) goto done;
  for (size_t j = 0; j < c; j++)
    for (size_t i = 0; i < n; i++) X[j * n + i] *= values[j] + shift;
  multiply_few_columns(M, count, X, MX);
  memcpy(X, MX, n * c * sizeof *X); // Y from here on
  status = lb_cholesky_solve_near(factor, SOLVE_ERROR, count, X, err);
  lb_cholesky_release_work(factor);
  if (status) goto done;
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, count, count, M->size, 1, X, MX, 0, A);
  multiply_few_columns(M, count, X, MX);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, count, count, M->size, 1, X, MX, 0, B);
  symmetrise(c, A);
  symmetrise(c, B);
  status = lb_dense_eigen_general(count, A, B, sums, err); // A becomes the coordinates
  if (status) goto done;
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, M->size, count, count, 1, X, A, 0, MX);
  memcpy(X, MX, n * c * sizeof *X);
  for (size_t j = 0; j < c; j++) values[j] = sums[j] - shift;
done:
  lb_arena_release(&arena);
  return status;
}
