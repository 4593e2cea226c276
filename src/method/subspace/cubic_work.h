// For the kernels of method/subspace/cubic.h alone: their working memory, coefficients of either
// precision.
#ifndef LB_METHOD_SUBSPACE_CUBIC_WORK_H
#define LB_METHOD_SUBSPACE_CUBIC_WORK_H

#include "method/subspace/cubic.h"

#include "math/four.h"

#ifdef LB_SIMD_LEVEL

typedef struct Work {
  int32_t count, groups;
  size_t padded;
  double *q[2];    // (padded) coordinates of each form, zeros in the padding
  double *V[2];    // (padded) of one matrix, of each form
  double *D, *X;   // (padded x padded), X after D
  double *A2, *A3; // (padded x padded)
} Work;

LB_FOUR_INLINE lbFour zero(void) { return lb_four_splat(0); }

LB_FOUR_INLINE void add_to(double *sum, lbFour a, lbFour b) {
  lb_four_store(sum, lb_four_multiply_add(a, b, lb_four_load(sum)));
}

typedef struct Coefficients {
  const double *wide;
  const float *narrow;
} Coefficients;

typedef float FloatFour __attribute__((vector_size(16)));

LB_FOUR_INLINE lbFour read_four(const Coefficients *from, const bool narrow, int vector) {
  if (!narrow) return lb_four_load(from->wide + 4 * vector);
#if LB_SIMD_LEVEL >= 2
  return (lbFour)_mm256_cvtps_pd(_mm_loadu_ps(from->narrow + 4 * vector));
#else
  FloatFour v;
  memcpy(&v, from->narrow + 4 * vector, sizeof v);
  return __builtin_convertvector(v, lbFour);
#endif
}

LB_FOUR_INLINE void skip(Coefficients *from, const bool narrow, size_t count) {
  if (narrow)
    from->narrow += count;
  else
    from->wide += count;
}

#endif // LB_SIMD_LEVEL
#endif
