// Products of a tall matrix with a few columns, which general ones copy into panels that are used
// once: a new block against the basis of a search.
#ifndef LB_LINALG_NARROW_H
#define LB_LINALG_NARROW_H

#include "math/simd.h"

enum { LB_NARROW = 8 }; // columns at a time

// By rows: the values of a row together. Sums have the order of our own dense products, so that
// they are the same bits: stretches of 128, which are added up.
typedef struct lbNarrowKernels {
  // P (rows x LB_NARROW), by rows, of columns that are `stride` apart
  void (*pack)(int32_t rows, size_t stride, const double *B, double *P);
  // C += A' P; C (columns x LB_NARROW), by rows; columns of A are `stride` apart
  void (*gather)(int32_t rows, int32_t columns, size_t stride, const double *A, const double *P,
                 double *C);
  // B -= A C; C as above; columns of A and B are `stride` apart
  void (*subtract)(int32_t rows, int32_t columns, size_t stride, const double *A, const double *C,
                   double *B);
} lbNarrowKernels;

const lbNarrowKernels *lb_narrow_kernels(lbSimdLevel level);

size_t lb_narrow_work_count(int32_t rows, int32_t columns);
// C = A' B; A (rows x columns), B (rows x count), C (columns x count), column-major. work has
// lb_narrow_work_count values. Threads share it; the bits do not depend on them.
void lb_narrow_gather(int32_t rows, int32_t columns, int32_t count, const double *A,
                      const double *B, double *work, double *C);
// B -= A C
void lb_narrow_subtract(int32_t rows, int32_t columns, int32_t count, const double *A,
                        const double *C, double *work, double *B);

#endif
