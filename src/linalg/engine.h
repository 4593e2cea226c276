// What dense algebra and fronts are made of: one table for each engine. `own` is ours, needs no
// library and is in every build; `suitesparse` goes through CBLAS, LAPACK and CHOLMOD. A build
// works with one of them (LIMBER_ENGINE, docs/engines.md).
//
// Matrices are column-major, columns `stride` values apart, strides at least 1. Sizes may be zero.
// Results do not depend on the number of threads.
#ifndef LB_LINALG_ENGINE_H
#define LB_LINALG_ENGINE_H

#include "linalg/dense.h"

// What fronts need, in either precision.
#define LB_ENGINE_KERNELS(Real)                                                                    \
  /* C = alpha op(A) op(B) + beta C; C (rows x columns), op(A) (rows x inner); C may hold anything \
     where beta is zero */                                                                         \
  void (*multiply)(lbTranspose transpose_a, lbTranspose transpose_b, int32_t rows,                 \
                   int32_t columns, int32_t inner, Real alpha, const Real *A, size_t a_stride,     \
                   const Real *B, size_t b_stride, Real beta, Real *C, size_t c_stride);           \
  /* C = alpha A' A + beta C, the upper triangle alone; A (inner x size), C (size x size) */       \
  void (*gram)(int32_t size, int32_t inner, Real alpha, const Real *A, size_t a_stride, Real beta, \
               Real *C, size_t c_stride);                                                          \
  /* X <- op(R)^-1 X; R (size x size) upper triangular, X (size x count) */                        \
  void (*divide)(lbTranspose transpose, int32_t size, int32_t count, const Real *R,                \
                 size_t r_stride, Real *X, size_t x_stride);                                       \
  /* A = R' R in the upper triangle; the first row whose pivot is not positive, or `size` */       \
  int32_t (*cholesky)(int32_t size, Real * A, size_t stride);

typedef struct lbEngineSingle {
  LB_ENGINE_KERNELS(float)
} lbEngineSingle;

typedef struct lbEngineDouble {
  LB_ENGINE_KERNELS(double)
} lbEngineDouble;

typedef struct lbEngine {
  const char *name;
  lbEngineSingle singles;
  lbEngineDouble doubles;
  // X <- X R^-1; X (rows x size)
  void (*divide_right)(int32_t rows, int32_t size, const double *R, size_t r_stride, double *X,
                       size_t x_stride);
  // y = alpha op(A) x + beta y; A (rows x columns), of at least one row and column
  void (*multiply_vector)(lbTranspose transpose, int32_t rows, int32_t columns, double alpha,
                          const double *A, size_t stride, const double *x, double beta, double *y);
  // x <- op(R)^-1 x
  void (*divide_vector)(lbTranspose transpose, int32_t size, const double *R, size_t stride,
                        double *x);
  // A <- R'^-1 A R^-1 of a symmetric A: its upper triangle is read and written, the lower may be
  void (*reduce)(int32_t size, double *A, const double *R);
  // The functions of dense.h of these names, with at least one row and column, all values finite.
  lbStatus (*eigen)(int32_t size, double *A, double *values, lbError *err);
  lbStatus (*svd)(int32_t rows, int32_t columns, double *A, double *U, double *S, double *Vt,
                  lbError *err);
  // A = Q R: R replaces the upper triangle of A, what is below means nothing
  lbStatus (*triangle)(int32_t rows, int32_t columns, double *A, lbError *err);
} lbEngine;

extern const lbEngine lb_engine_own;
const lbEngine *lb_engine(void); // the one that this build works with
// Another one that is compiled in, for comparisons; NULL: the build's again. Not while others work.
void lb_engine_choose(const char *name);
// Those that are compiled in, that one first.
int32_t lb_engines(const lbEngine *const **all);

#endif
