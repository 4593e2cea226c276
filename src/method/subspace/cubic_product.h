// S(q,q,.,.) of few modes, as a plain product of a matrix with the numbers q_k q_l; see
// math/cubic_form.h for the storage. Lanes run along the entries of the result, of which several
// blocks are summed side by side.
#ifndef LB_METHOD_SUBSPACE_CUBIC_PRODUCT_H
#define LB_METHOD_SUBSPACE_CUBIC_PRODUCT_H

#include "method/subspace/cubic_work.h"

#ifdef LB_SIMD_LEVEL

enum { ENTRIES = LB_CUBIC_ENTRIES };

// z <- q_k q_l, or (q_k v_l + v_k q_l) / 2 of two forms, k <= l, packed
LB_FOUR_INLINE void form_pairs(const Work *w, const int forms, double *z) {
  for (int32_t l = 0; l < w->count; l++)
    for (int32_t k = 0; k <= l; k++) {
      const double *q = w->q[0], *v = w->q[forms - 1];
      *z++ = forms == 1 ? q[k] * q[l] : 0.5 * lb_multiply_add_one(q[k], v[l], v[k] * q[l]);
    }
}

// Entries of `blocks` blocks.
LB_FOUR_INLINE void add_products(const int blocks, const bool narrow, size_t pairs,
                                 Coefficients *from, const double *z, double *entries) {
  lbFour sums[3 * 3];
  LB_FOR (i, 0, 3 * blocks) sums[i] = zero();
  Coefficients at[3];
  LB_FOR (b, 0, blocks) {
    at[b] = *from;
    skip(from, narrow, ENTRIES * pairs);
  }
  for (size_t p = 0; p < pairs; p++) {
    const lbFour z_p = lb_four_splat(z[p]);
    LB_FOR (b, 0, blocks) {
      LB_FOR (i, 0, 3)
        sums[3 * b + i] = lb_four_multiply_add(read_four(&at[b], narrow, i), z_p, sums[3 * b + i]);
      skip(&at[b], narrow, ENTRIES);
    }
  }
  LB_FOR (i, 0, 3 * blocks) lb_four_store(entries + 4 * i, sums[i]);
}

// A <- factor S(.,.,q,q) or of two forms; z and the entries lie in D and X
LB_FOUR_INLINE void contract_product(const Work *w, const int forms, const bool narrow,
                                     Coefficients from, double factor, double *A) {
  const size_t pairs = (size_t)w->count * ((size_t)w->count + 1) / 2;
  size_t blocks = (pairs + ENTRIES - 1) / ENTRIES;
  double *entries = w->X;
  form_pairs(w, forms, w->D);
  for (; blocks >= 3; blocks -= 3, entries += 3 * ENTRIES)
    add_products(3, narrow, pairs, &from, w->D, entries);
  for (; blocks > 0; blocks--, entries += ENTRIES)
    add_products(1, narrow, pairs, &from, w->D, entries);
  const double *entry = w->X;
  memset(A, 0, w->padded * w->padded * sizeof *A);
  for (size_t i = 0; i < (size_t)w->count; i++)
    for (size_t j = 0; j <= i; j++, entry++)
      A[i * w->padded + j] = A[j * w->padded + i] = factor * *entry;
}

// R <- S(q,q,q,.)
LB_FOUR_INLINE void force_product(const Work *w, const bool narrow, Coefficients from, double *R) {
  contract_product(w, 1, narrow, from, 1, w->D); // z is read before A is written
  for (size_t i = 0; i < w->padded; i += 4) {
    lbFour sum = zero();
    for (size_t j = 0; j < w->padded; j++)
      sum = lb_four_multiply_add(lb_four_load(w->D + j * w->padded + i), lb_four_splat(w->q[0][j]),
                                 sum);
    lb_four_store(R + i, sum);
  }
}

#endif // LB_SIMD_LEVEL
#endif
