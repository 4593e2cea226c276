// Compliance of many contact points of a body at once: columns side by side, lanes across them.
//
// Of n columns, rows and their responses are (width x stride), stride = lb_touch_stride(n): what is
// beyond n is zero.
#ifndef LB_BODY_RESPONSE_KERNELS_H
#define LB_BODY_RESPONSE_KERNELS_H

#include "math/simd.h"

static inline size_t lb_touch_stride(int32_t n) { return ((size_t)n + 7) / 8 * 8; }

typedef struct lbTouchKernels {
  // matrix (n x n, symmetric) <- matrix + rowsᵀ moved
  void (*add_product)(int32_t width, int32_t n, const double *rows, const double *moved,
                      double *matrix);
  // to (n x width) <- the transpose of from (height x stride)
  void (*turn)(int32_t height, int32_t n, const double *from, size_t width, double *to);
  // and back: to (height x stride) <- the transpose of from (n x width), zeros beyond n
  void (*turn_back)(int32_t height, int32_t n, const double *from, size_t width, double *to);
  // matrix (3 count x 3 count) <- rows movedᵀ of some places, with three rows each; a row has
  // `width` numbers, a multiple of four
  void (*find_product)(size_t width, const double *rows, const double *moved, int32_t count,
                       const int32_t *places, double *matrix);
  // sum (width) <- movedᵀ x, with x (3 count) at some places
  void (*sum_moved)(size_t width, const double *moved, int32_t count, const int32_t *places,
                    const double *x, double *sum);
  // shifts (count) <- the first row of each place times that
  void (*shift)(size_t width, int32_t count, const double *rows, const double *sum, double *shifts);
  // Rows of a place are three, along x, y and z: `dimension` numbers each, zeros up to a width that
  // is a multiple of four. to <- those of places by weights, a multiple of four at a time;
  void (*blend)(size_t width, int count, const double *const *places, const double *weights,
                double *to);
  // along three axes, in rows of another width;
  void (*align)(size_t width, const double *rows, const double axes[9], size_t stride, double *to);
  // moves (count x 3) <- what q (dimension) does to places one after another;
  void (*displace)(int32_t count, int32_t dimension, const double *rows, const double *q,
                   double *moves);
  // line (dimension) <- with what a force does to the coordinates.
  void (*add_line)(int32_t dimension, const double *rows, const double force[3], double *line);
  // x (count x stride) <- A⁻¹ x, by factors of math/ldlt.h.
  void (*solve)(int32_t count, const double *factors, int32_t n, double *x);
  // way (4) <- sums of by (dimension) times motions (dimension x 4); of |by| for the last one
  // of each four, which is not negative
  void (*bound)(int32_t dimension, const double *by, const double *motions, double *way);
} lbTouchKernels;

// The level must be one that lb_simd_has.
const lbTouchKernels *lb_touch_kernels(lbSimdLevel level);

#endif
