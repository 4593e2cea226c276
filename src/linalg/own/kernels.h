// The inner loops of our own dense algebra, for each SIMD level.
//
// A panel is a strip of a matrix in the order in which it is worked on: `width` values of its first
// line, then of the next. Sums have the same order at every level, so that levels without fused
// multiply-add give equal bits, and so do those with it.
#ifndef LB_LINALG_OWN_KERNELS_H
#define LB_LINALG_OWN_KERNELS_H

#include "math/simd.h"

enum {
  LB_OWN_TRIANGLE = 64,  // rows of a triangle that is divided by at once
  LB_OWN_CHOLESKY = 32,  // rows of a matrix that is factored at once
  LB_OWN_TILE_ROWS = 48, // the most at any level
  LB_OWN_TILE_VALUES = 384,
};

#define LB_OWN_KERNELS(Real)                                                                       \
  int32_t rows, columns; /* of a tile */                                                           \
  /* A panel of count <= width strips, the rest zero, from a matrix in which each strip lies       \
     together: to[k width + i] = from[i stride + k] */                                             \
  void (*pack_turned)(int32_t width, int32_t count, int32_t inner, const Real *from,               \
                      size_t stride, Real *to);                                                    \
  /* The same where each line does: to[k width + i] = from[k stride + i] */                        \
  void (*pack)(int32_t width, int32_t count, int32_t inner, const Real *from, size_t stride,       \
               Real *to);                                                                          \
  /* What is in a panel goes back to where pack_turned or pack took it. */                         \
  void (*unpack_turned)(int32_t width, int32_t count, int32_t inner, const Real *from, Real *to,   \
                        size_t stride);                                                            \
  void (*unpack)(int32_t width, int32_t count, int32_t inner, const Real *from, Real *to,          \
                 size_t stride);                                                                   \
  /* C += alpha A' B of panels A (inner x rows) and B (inner x columns): a whole tile */           \
  void (*tile)(int32_t inner, const Real *A, const Real *B, Real alpha, Real *C, size_t stride);   \
  /* T <- R'^-1 T, T <- R^-1 T; T a panel (size x rows), R upper, size <= LB_OWN_TRIANGLE */       \
  void (*forward)(int32_t size, const Real *R, size_t stride, Real *T);                            \
  void (*backward)(int32_t size, const Real *R, size_t stride, Real *T);                           \
  /* A = R' R, upper; the first row whose pivot is not positive, or size <= LB_OWN_CHOLESKY */     \
  int32_t (*cholesky)(int32_t size, Real * A, size_t stride);

typedef struct lbOwnSingle {
  LB_OWN_KERNELS(float)
} lbOwnSingle;

typedef struct lbOwnDouble {
  LB_OWN_KERNELS(double)
} lbOwnDouble;

// A rotation of two columns x and y, which become c x + s y and c y - s x.
typedef struct lbOwnRotation {
  double c, s;
} lbOwnRotation;

typedef struct lbOwnKernels {
  lbOwnSingle singles;
  lbOwnDouble doubles;
  // y += alpha A x, y += alpha A' x; A (rows x columns)
  void (*add_product)(int32_t rows, int32_t columns, double alpha, const double *A, size_t stride,
                      const double *x, double *y);
  void (*add_turned_product)(int32_t rows, int32_t columns, double alpha, const double *A,
                             size_t stride, const double *x, double *y);
  // Rotation i, of `count`, is of columns i and i + 1 of Z (rows x count + 1). The first one comes
  // first, or the last one does.
  void (*rotate_up)(int32_t rows, int32_t count, const lbOwnRotation *rotations, double *Z,
                    size_t stride);
  void (*rotate_down)(int32_t rows, int32_t count, const lbOwnRotation *rotations, double *Z,
                      size_t stride);
} lbOwnKernels;

const lbOwnKernels *lb_own_kernels(lbSimdLevel level);

#endif
