// S(q,q,.,.) of whole matrices, for few modes; see cubic.kernel.c for the formulas. B is read four
// values of l at a time: then D, which lies in memory, is loaded and stored once for four matrices,
// and four sums V run side by side.
#ifndef LB_METHOD_SUBSPACE_CUBIC_WHOLE_H
#define LB_METHOD_SUBSPACE_CUBIC_WHOLE_H

#include "method/subspace/cubic_work.h"

#ifdef LB_SIMD_LEVEL

enum { GROUP = LB_CUBIC_GROUP, WIDTH = LB_CUBIC_WIDTH };

// The matrices of one k and `width` values of l, from l on. Inner loops use w alone; what is used
// between them lies in memory, so that compilers do not fill registers with it.
typedef struct Block {
  int32_t k, l;
  lbFour w[WIDTH];    // q_k q_l
  double s[WIDTH][4]; // q.V, to be summed over lanes
} Block;

// Coordinate i of a form: half of it where there are two.
LB_FOUR_INLINE lbFour share_of(const Work *w, const int forms, int f, int32_t i) {
  const lbFour q_i = lb_four_splat(w->q[f][i]);
  return forms == 1 ? q_i : 0.5 * q_i;
}

LB_FOUR_INLINE void begin_block(const Work *w, const int forms, const int width, Block *b) {
  LB_FOR_ALL(a, 0, width) {
    b->w[a] = share_of(w, forms, 0, b->k) * lb_four_splat(w->q[forms - 1][b->l + a]);
    if (forms == 2)
      b->w[a] = lb_four_multiply_add(share_of(w, forms, 1, b->k), lb_four_splat(w->q[0][b->l + a]),
                                     b->w[a]);
    lb_four_store(b->s[a], zero());
  }
}

// V of a group of rows: columns [begin, end).
LB_FOUR_INLINE void add_columns(const Work *w, const int forms, const int width, const bool narrow,
                                Coefficients *from, size_t begin, size_t end, lbFour V[2][WIDTH]) {
  for (size_t j = begin; j < end; j++) {
    LB_FOR_ALL(f, 0, forms) {
      const lbFour q_j = lb_four_splat(w->q[f][j]);
      LB_FOR_ALL(a, 0, width)
      V[f][a] = lb_four_multiply_add(read_four(from, narrow, a), q_j, V[f][a]);
    }
    skip(from, narrow, 4 * (size_t)width);
  }
}

// And D.
LB_FOUR_INLINE void add_columns_and_D(const Work *w, const int forms, const int width,
                                      const bool narrow, const Block *b, Coefficients *from,
                                      size_t row, size_t end, lbFour V[2][WIDTH]) {
  double *D = w->D + row;
  for (size_t j = 0; j < end; j++, D += w->padded) {
    lbFour sum = lb_four_load(D), q_j[2];
    LB_FOR_ALL(f, 0, forms) q_j[f] = lb_four_splat(w->q[f][j]);
    LB_FOR_ALL(a, 0, width) {
      const lbFour B = read_four(from, narrow, a);
      LB_FOR_ALL(f, 0, forms) V[f][a] = lb_four_multiply_add(B, q_j[f], V[f][a]);
      sum = lb_four_multiply_add(b->w[a], B, sum);
    }
    lb_four_store(D, sum);
    skip(from, narrow, 4 * (size_t)width);
  }
}

// X of a group of rows, and s: V of the other form goes with the coordinates of a form.
LB_FOUR_INLINE void add_outer(const Work *w, const int forms, const int width, Block *b, size_t row,
                              lbFour V[2][WIDTH]) {
  double *at_k = w->X + (size_t)b->k * w->padded + row;
  const lbFour q_i = lb_four_load(w->q[0] + row);
  lbFour sum = lb_four_load(at_k);
  LB_FOR_ALL(a, 0, width)
  LB_FOR_ALL(f, 0, forms)
  sum = lb_four_multiply_add(share_of(w, forms, f, b->l + a), V[forms - 1 - f][a], sum);
  lb_four_store(at_k, sum);
  LB_FOR_ALL(a, 0, width) {
    double *at_l = w->X + (size_t)(b->l + a) * w->padded + row;
    sum = lb_four_load(at_l);
    LB_FOR_ALL(f, 0, forms)
    sum = lb_four_multiply_add(share_of(w, forms, f, b->k), V[forms - 1 - f][a], sum);
    lb_four_store(at_l, sum);
    add_to(b->s[a], q_i, V[forms - 1][a]);
  }
}

LB_FOUR_INLINE lbFour block_sums(const int width, const Block *b) {
  return lb_four_sums(lb_four_load(b->s[0]), width > 1 ? lb_four_load(b->s[1]) : zero(),
                      width > 2 ? lb_four_load(b->s[2]) : zero(),
                      width > 3 ? lb_four_load(b->s[3]) : zero());
}

// s to D. Entries (l,k), l > k, are reached here first.
LB_FOUR_INLINE void end_block(const Work *w, const int width, const Block *b) {
  double sums[4], *D = w->D + (size_t)b->k * w->padded + b->l;
  lb_four_store(sums, block_sums(width, b));
  LB_FOR_ALL(a, 0, width) {
    if (b->l + a == b->k)
      D[a] += sums[a];
    else
      D[a] = 0.5 * sums[a];
  }
}

LB_FOUR_INLINE void add_block(const Work *w, const int forms, const int width, const bool narrow,
                              int32_t k, int32_t l, Coefficients *from) {
  const size_t columns = (size_t)k + 1;
  Block b = { .k = k, .l = l };
  begin_block(w, forms, width, &b);
  for (size_t row = 0; row < columns; row += GROUP) {
    const size_t both = row + GROUP < columns ? row + GROUP : columns;
    lbFour V[2][WIDTH];
    LB_FOR_ALL(f, 0, forms)
    LB_FOR_ALL(a, 0, width) V[f][a] = zero();
    add_columns_and_D(w, forms, width, narrow, &b, from, row, both, V);
    add_columns(w, forms, width, narrow, from, both, columns, V);
    add_outer(w, forms, width, &b, row, V);
  }
  end_block(w, width, &b);
}

// D and X, which are zero before.
LB_FOUR_INLINE void contract_whole(const Work *work, const int forms, const bool narrow,
                                   Coefficients from) {
  const Work copy = *work, *const w = &copy; // that no store can change: kept in registers
  for (int32_t k = 0; k < w->count; k++) {
    int32_t l = k;
    for (; l + WIDTH <= w->count; l += WIDTH) add_block(w, forms, WIDTH, narrow, k, l, &from);
    if (w->count - l == 3) add_block(w, forms, 3, narrow, k, l, &from);
    if (w->count - l == 2) add_block(w, forms, 2, narrow, k, l, &from);
    if (w->count - l == 1) add_block(w, forms, 1, narrow, k, l, &from);
  }
}

// ---- the force alone ---------------------------------------------------------------------------

typedef struct ForceSums {
  double *at_i; // (padded) Σ q_k q_l V
  double *at_l; // (padded + 3) Σ s q_k at l
  lbFour at_k;  // Σ s q_l, to be summed over lanes
} ForceSums;

LB_FOUR_INLINE void add_force_block(const Work *w, const int width, const bool narrow, int32_t k,
                                    int32_t l, Coefficients *from, ForceSums *sums) {
  const size_t columns = (size_t)k + 1;
  Block b = { .k = k, .l = l };
  begin_block(w, 1, width, &b);
  for (size_t row = 0; row < columns; row += GROUP) {
    lbFour V[2][WIDTH] = { { zero(), zero(), zero(), zero() } };
    lbFour sum = lb_four_load(sums->at_i + row);
    const lbFour q_i = lb_four_load(w->q[0] + row);
    add_columns(w, 1, width, narrow, from, 0, columns, V);
    LB_FOR_ALL(a, 0, width) {
      sum = lb_four_multiply_add(b.w[a], V[0][a], sum);
      add_to(b.s[a], q_i, V[0][a]);
    }
    lb_four_store(sums->at_i + row, sum);
  }
  const lbFour s = block_sums(width, &b);
  lbFour q_l = zero();
  LB_FOR_ALL(a, 0, width) q_l[a] = w->q[0][l + a];
  add_to(sums->at_l + l, s, lb_four_splat(w->q[0][k]));
  sums->at_k = lb_four_multiply_add(s, q_l, sums->at_k);
}

// R <- S(q,q,q,.)
LB_FOUR_INLINE void force_whole(const Work *work, const bool narrow, Coefficients from, double *R) {
  const Work copy = *work, *const w = &copy;
  double *at_l = w->X;
  memset(R, 0, w->padded * sizeof *R);
  memset(at_l, 0, (w->padded + 4) * sizeof *at_l);
  for (int32_t k = 0; k < w->count; k++) {
    ForceSums sums = { R, at_l, zero() };
    int32_t l = k;
    for (; l + WIDTH <= w->count; l += WIDTH) add_force_block(w, WIDTH, narrow, k, l, &from, &sums);
    if (w->count - l == 3) add_force_block(w, 3, narrow, k, l, &from, &sums);
    if (w->count - l == 2) add_force_block(w, 2, narrow, k, l, &from, &sums);
    if (w->count - l == 1) add_force_block(w, 1, narrow, k, l, &from, &sums);
    at_l[k] += lb_four_sum(sums.at_k);
  }
  for (size_t i = 0; i < w->padded; i += 4)
    lb_four_store(R + i, lb_four_multiply_add(lb_four_splat(3), lb_four_load(R + i),
                                              lb_four_splat(1.5) * lb_four_load(at_l + i)));
}

#endif // LB_SIMD_LEVEL
#endif
