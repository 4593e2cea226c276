// Moments of a deformed body in its frame: sums over coordinates j with lanes across i, and sums
// over i in vectors of four.
#include "body/inertia.h"

#include "math/four.h"

enum { ROWS = LB_INERTIA_ROWS, AXIS = LB_INERTIA_AXIS };

// LB_LANES values of i of `rows` rows, beginning with `row`; each sum is kept in a register.
// `second` is where A2 of these i begins.
LB_FOUR_INLINE void moments_of(const lbInertia *n, const double *second, const int rows,
                               const bool both, size_t row, size_t i, const double *q,
                               const double *v, double *A, double *B) {
  const size_t padded = (size_t)n->padded, at = row * padded + i;
  lbLanes a[AXIS], b[AXIS];
  LB_FOR (k, 0, rows) {
    a[k] = lb_load(n->first + at + (size_t)k * padded);
    b[k] = lb_splat(0);
  }
  for (int32_t j = 0; j < n->count; j++, second += LB_BATCH * rows) {
    const lbLanes q_j = lb_splat(q[j]), v_j = lb_splat(both ? v[j] : 0);
    LB_FOR (k, 0, rows) {
      const lbLanes moment = lb_load(second + LB_BATCH * k);
      a[k] = lb_multiply_add(q_j, moment, a[k]);
      if (both) b[k] = lb_multiply_add(v_j, moment, b[k]);
    }
  }
  LB_FOR (k, 0, rows) {
    lb_store(A + at + (size_t)k * padded, a[k]);
    if (both) lb_store(B + at + (size_t)k * padded, b[k]);
  }
}

LB_FOUR_INLINE void all_moments(const lbInertia *n, const bool both, const double *q,
                                const double *v, double *A, double *B) {
  const size_t block = LB_BATCH * (size_t)n->count;
  for (size_t i = 0; i < (size_t)n->padded; i += LB_LANES) {
    const size_t lane = i % LB_BATCH, before = i / LB_BATCH * block;
    moments_of(n, n->second + AXIS * before + lane, AXIS, both, 0, i, q, v, A, B);
    moments_of(n, n->second_axis + 3 * before + lane, 3, both, AXIS, i, q, v, A, B);
  }
}

static void moments(const lbInertia *n, const double *q, const double *v, double *A, double *B) {
  if (B)
    all_moments(n, true, q, v, A, B);
  else
    all_moments(n, false, q, v, A, B);
}

static void spins(const lbInertia *n, const double *v, double *e) {
  const size_t padded = (size_t)n->padded, block = 3 * LB_BATCH * (size_t)n->count;
  for (size_t i = 0; i < padded; i += LB_LANES) {
    const double *from = n->second_axis + i / LB_BATCH * block + i % LB_BATCH;
    lbLanes sums[3] = { lb_splat(0), lb_splat(0), lb_splat(0) };
    for (int32_t j = 0; j < n->count; j++, from += 3 * LB_BATCH) {
      const lbLanes v_j = lb_splat(v[j]);
      LB_FOR (k, 0, 3) sums[k] = lb_multiply_add(v_j, lb_load(from + LB_BATCH * k), sums[k]);
    }
    LB_FOR (k, 0, 3) lb_store(e + (size_t)k * padded + i, sums[k]);
  }
}

static void exert(const lbInertia *n, const double *A, const double *e, const double *weights,
                  double *to) {
  const size_t padded = (size_t)n->padded;
  for (size_t i = 0; i < padded; i += LB_LANES) {
    lbLanes sum = lb_splat(0);
    LB_FOR (k, 0, ROWS)
      sum = lb_multiply_add(lb_splat(weights[k]), lb_load(A + (size_t)k * padded + i), sum);
    LB_FOR (k, 0, 3) {
      const size_t at = (size_t)k * padded + i;
      sum = lb_multiply_add(lb_splat(weights[ROWS + k]), lb_load(e + at), sum);
      sum = lb_multiply_add(lb_splat(weights[ROWS + 3 + k]), lb_load(n->shift + at), sum);
    }
    lb_store(to + i, sum);
  }
}

static void tensor(const lbInertia *n, const double *q, const double *A, double *sums) {
  const size_t padded = (size_t)n->padded;
  lbFour s[AXIS];
  LB_FOR (k, 0, AXIS) s[k] = lb_four_splat(0);
  for (size_t i = 0; i < padded; i += 4) {
    const lbFour q_i = lb_four_load(q + i);
    LB_FOR (k, 0, AXIS) {
      const size_t at = (size_t)k * padded + i;
      s[k] = lb_four_multiply_add(q_i, lb_four_load(A + at) + lb_four_load(n->first + at), s[k]);
    }
  }
  LB_FOR (k, 0, AXIS) sums[k] = lb_four_sum(s[k]);
}

static void relative(const lbInertia *n, const double *v, const double *A, double *sums) {
  const size_t padded = (size_t)n->padded;
  const double *E = A + AXIS * padded;
  lbFour s[3] = { lb_four_splat(0), lb_four_splat(0), lb_four_splat(0) };
  for (size_t i = 0; i < padded; i += 4) {
    const lbFour v_i = lb_four_load(v + i);
    LB_FOR (k, 0, 3)
      s[k] = lb_four_multiply_add(v_i, lb_four_load(E + (size_t)k * padded + i), s[k]);
  }
  LB_FOR (k, 0, 3) sums[k] = lb_four_sum(s[k]);
}

LB_KERNEL_TABLE(lbInertiaKernels, lb_inertia_kernels) = { moments, spins, exert, tensor, relative };
