// S(q,q,.,.) of halves of matrices, for many modes; see cubic.kernel.c for the formulas. A block of
// groups J <= I, four vectors B_j along i, is read once for D, for V of the rows I (Σ_j q_j B_j)
// and, where I > J, for V of the rows J (Σ_i q_i B_ij: sums over lanes, taken once for all I).
#ifndef LB_METHOD_SUBSPACE_CUBIC_HALF_H
#define LB_METHOD_SUBSPACE_CUBIC_HALF_H

#include "method/subspace/cubic_work.h"

#ifdef LB_SIMD_LEVEL

// Four columns, with D (unless weight is NULL) and Σ_j q_j B_j; T <- T + q_i B_j unless q_i is
// NULL.
LB_FOUR_INLINE void add_tile(const Work *w, const int forms, const bool narrow,
                             const lbFour *weight, Coefficients *from, lbFour q_j[2][4],
                             const lbFour *q_i, double *D, lbFour T[2][4], lbFour sums[2]) {
  LB_FOR (j, 0, 4) {
    const lbFour B = read_four(from, narrow, j);
    LB_FOR (f, 0, forms) {
      sums[f] = j == 0 ? B * q_j[f][j] : lb_four_multiply_add(B, q_j[f][j], sums[f]);
      if (q_i) T[f][j] = lb_four_multiply_add(B, q_i[f], T[f][j]);
    }
    if (weight) add_to(D + (size_t)j * w->padded, *weight, B);
  }
  skip(from, narrow, 16);
}

// V <- B q of each form; D <- D + weight B
LB_FOUR_INLINE void add_matrix(const Work *w, const int forms, const bool narrow, size_t groups,
                               const lbFour *weight, Coefficients *from) {
  LB_FOR (f, 0, forms)
    for (size_t I = 0; I < groups; I++) lb_four_store(w->V[f] + 4 * I, zero());
  for (size_t J = 0; J < groups; J++) {
    double *D = w->D + 4 * J * w->padded + 4 * J;
    lbFour q_j[2][4], T[2][4], sums[2], at_J[2];
    LB_FOR (f, 0, forms) {
      LB_FOR (j, 0, 4) q_j[f][j] = lb_four_splat(w->q[f][4 * J + (size_t)j]);
      LB_FOR (j, 0, 4) T[f][j] = zero();
      at_J[f] = lb_four_load(w->V[f] + 4 * J);
    }
    add_tile(w, forms, narrow, weight, from, q_j, NULL, D, T, sums);
    LB_FOR (f, 0, forms) at_J[f] += sums[f];
    for (size_t I = J + 1; I < groups; I++) {
      lbFour q_i[2];
      LB_FOR (f, 0, forms) q_i[f] = lb_four_load(w->q[f] + 4 * I);
      add_tile(w, forms, narrow, weight, from, q_j, q_i, D + 4 * (I - J), T, sums);
      LB_FOR (f, 0, forms) lb_four_store(w->V[f] + 4 * I, lb_four_load(w->V[f] + 4 * I) + sums[f]);
    }
    LB_FOR (f, 0, forms)
      lb_four_store(w->V[f] + 4 * J, at_J[f] + lb_four_sums(T[f][0], T[f][1], T[f][2], T[f][3]));
  }
}

// X and s of the matrix k, l: V of the other form goes with the coordinates of a form.
LB_FOUR_INLINE void add_matrix_outer(const Work *w, const int forms, size_t groups, int32_t k,
                                     int32_t l) {
  double *at_k = w->X + (size_t)k * w->padded, *at_l = w->X + (size_t)l * w->padded;
  const double share = forms == 1 ? 1 : 0.5;
  lbFour q_k[2], q_l[2], s = zero();
  LB_FOR (f, 0, forms) {
    q_k[f] = lb_four_splat(share * w->q[f][k]);
    q_l[f] = lb_four_splat(share * w->q[f][l]);
  }
  for (size_t i = 0; i < 4 * groups; i += 4) {
    lbFour V[2];
    LB_FOR (f, 0, forms) {
      V[f] = lb_four_load(w->V[forms - 1 - f] + i);
      add_to(at_k + i, q_l[f], V[f]);
    }
    LB_FOR (f, 0, forms) add_to(at_l + i, q_k[f], V[f]);
    s = lb_four_multiply_add(lb_four_load(w->q[0] + i), V[0], s);
  }
  double *D = w->D + (size_t)k * w->padded + l, sum = lb_four_sum(s);
  *D = k == l ? *D + sum : 0.5 * sum; // l > k: the first term there
}

// D and X, which are zero before.
LB_FOUR_INLINE void contract_half(const Work *work, const int forms, const bool narrow,
                                  Coefficients from) {
  const Work copy = *work, *const w = &copy; // that no store can change: kept in registers
  for (int32_t k = 0; k < w->count; k++) {
    const size_t groups = (size_t)k / LB_CUBIC_GROUP + 1;
    for (int32_t l = k; l < w->count; l++) {
      lbFour weight = lb_four_splat(w->q[0][k]) * lb_four_splat(w->q[forms - 1][l]);
      if (forms == 2)
        weight = 0.5 *
                 lb_four_multiply_add(lb_four_splat(w->q[1][k]), lb_four_splat(w->q[0][l]), weight);
      add_matrix(w, forms, narrow, groups, &weight, &from);
      add_matrix_outer(w, forms, groups, k, l);
    }
  }
}

// R <- S(q,q,q,.)
LB_FOUR_INLINE void force_half(const Work *work, const bool narrow, Coefficients from, double *R) {
  const Work copy = *work, *const w = &copy;
  const double *q = w->q[0];
  memset(R, 0, w->padded * sizeof *R);
  for (int32_t k = 0; k < w->count; k++) {
    const size_t groups = (size_t)k / LB_CUBIC_GROUP + 1;
    for (int32_t l = k; l < w->count; l++) {
      const lbFour factor = lb_four_splat(3 * (q[k] * q[l]));
      lbFour s = zero();
      add_matrix(w, 1, narrow, groups, NULL, &from);
      for (size_t i = 0; i < 4 * groups; i += 4) {
        const lbFour V = lb_four_load(w->V[0] + i);
        add_to(R + i, factor, V);
        s = lb_four_multiply_add(lb_four_load(q + i), V, s);
      }
      double sum = 1.5 * lb_four_sum(s);
      R[k] += sum * q[l];
      R[l] += sum * q[k];
    }
  }
}

#endif // LB_SIMD_LEVEL
#endif
