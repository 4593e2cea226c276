// Moments of a deformed body in its frame: sums over coordinates j, lanes across i.
#include "body/inertia.h"

extern const lbInertiaKernels LB_KERNEL(lb_inertia_kernels);

// A vector of i's for all nine entries: each sum is kept in a register.
static inline void moments_of(const lbInertia *n, const double *q, int32_t i, double *A) {
  size_t padded = (size_t)n->padded, plane = (size_t)n->count * padded;
  lbLanes sums[9];
  LB_FOR (k, 0, 9) sums[k] = lb_load(n->first + (size_t)k * padded + (size_t)i);
  for (int32_t j = 0; j < n->count; j++) {
    const double *row = n->second + (size_t)j * padded + (size_t)i;
    lbLanes factor = lb_splat(q[j]);
    LB_FOR (k, 0, 9) sums[k] = lb_multiply_add(factor, lb_load(row + (size_t)k * plane), sums[k]);
  }
  LB_FOR (k, 0, 9) lb_store(A + (size_t)k * padded + (size_t)i, sums[k]);
}

static void moments(const lbInertia *n, const double *q, double *A) {
  for (int32_t i = 0; i < n->padded; i += LB_LANES) moments_of(n, q, i, A);
}

static void spins(const lbInertia *n, const double *v, double *e) {
  static const int plus[3] = { 7, 2, 3 }, minus[3] = { 5, 6, 1 };
  size_t padded = (size_t)n->padded, plane = (size_t)n->count * padded;
  for (int32_t i = 0; i < n->padded; i += LB_LANES) {
    lbLanes sums[3] = { lb_splat(0), lb_splat(0), lb_splat(0) };
    for (int32_t j = 0; j < n->count; j++) {
      const double *row = n->second + (size_t)j * padded + (size_t)i;
      lbLanes factor = lb_splat(v[j]);
      LB_FOR (k, 0, 3)
        sums[k] = lb_multiply_add(factor,
                                  lb_load(row + (size_t)plus[k] * plane) -
                                      lb_load(row + (size_t)minus[k] * plane),
                                  sums[k]);
    }
    LB_FOR (k, 0, 3) lb_store(e + (size_t)k * padded + (size_t)i, sums[k]);
  }
}

const lbInertiaKernels LB_KERNEL(lb_inertia_kernels) = { moments, spins };
