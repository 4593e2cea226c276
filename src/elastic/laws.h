// Material laws on vectors of elements: energy density W, stress P = ∂W/∂F and tangent A = ∂P/∂F,
// from the displacement gradient H (F = I + H). For kernel files only.
//
// 3x3 matrices are row-major arrays of nine; A is symmetric 9x9 over the index 3 i + k of F_ik and
// only its upper triangle is kept (tangent_index). The laws: limber/material.h.
#ifndef LB_ELASTIC_LAWS_H
#define LB_ELASTIC_LAWS_H

#include "limber/material.h"
#include "math/functions_lanes.h"
#include "math/polar_lanes.h"
#include "math/simd.h"

#ifdef LB_SIMD_LEVEL

#define LB_INLINE static inline __attribute__((always_inline))

typedef struct Law {
  lbLanes energy, stress[9], tangent[45];
} Law;

// Where entry (row, column), row ≤ column, of a symmetric 9x9 matrix lies.
#define TANGENT_INDEX(row, column) ((row) * (17 - (row)) / 2 + (column))

LB_INLINE lbLanes square(lbLanes x) { return x * x; }

LB_INLINE lbLanes trace(const lbLanes M[9]) { return M[0] + M[4] + M[8]; }

LB_INLINE lbLanes dot9(const lbLanes A[9], const lbLanes B[9]) {
  lbLanes sum = A[0] * B[0];
  LB_FOR (i, 1, 9) sum += A[i] * B[i];
  return sum;
}

// C = A Bᵀ
LB_INLINE void multiply_nt(const lbLanes A[9], const lbLanes B[9], lbLanes C[9]) {
  LB_FOR (i, 0, 3)
    LB_FOR (j, 0, 3)
      C[3 * i + j] =
          A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}

LB_INLINE void set_identity(lbLanes I[9]) {
  LB_FOR (i, 0, 9) I[i] = lb_splat(i % 4 == 0 ? 1 : 0);
}

LB_INLINE void add_identity(const lbLanes H[9], lbLanes F[9]) {
  LB_FOR (i, 0, 9) F[i] = H[i] + (i % 4 == 0 ? 1.0 : 0.0);
}

// ---- pieces of tangents ------------------------------------------------------------------------

// A_ik,jl += value for every row_ = 3 i + k ≤ column = 3 j + l; `value` may use all six indices.
#define TANGENT_ADD(A, value)                                                                      \
  LB_FOR (row_, 0, 9)                                                                              \
    LB_FOR (column, row_, 9) {                                                                     \
      const int i_ = row_ / 3, k_ = row_ % 3, j_ = column / 3, l_ = column % 3;                    \
      (void)i_, (void)k_, (void)j_, (void)l_;                                                      \
      (A)[TANGENT_INDEX(row_, column)] += (value);                                                 \
    }

LB_INLINE void tangent_set_identity(lbLanes A[45], lbLanes s) { // s δ_ij δ_kl
  LB_FOR (row, 0, 9)
    LB_FOR (column, row, 9) A[TANGENT_INDEX(row, column)] = row == column ? s : lb_splat(0);
}

// s B_ik B_jl
LB_INLINE void tangent_add_outer(lbLanes A[45], lbLanes s, const lbLanes B[9]) {
  LB_FOR (row, 0, 9) {
    lbLanes scaled = s * B[row];
    LB_FOR (column, row, 9) A[TANGENT_INDEX(row, column)] += scaled * B[column];
  }
}

// s B_il B_jk
LB_INLINE void tangent_add_crossed(lbLanes A[45], lbLanes s, const lbLanes B[9]) {
  TANGENT_ADD(A, s * B[3 * i_ + l_] * B[3 * j_ + k_]);
}

// δ_ij S_kl
LB_INLINE void tangent_add_right(lbLanes A[45], const lbLanes S[9]) {
  LB_FOR (i, 0, 3)
    LB_FOR (k, 0, 3)
      LB_FOR (l, k, 3) A[TANGENT_INDEX(3 * i + k, 3 * i + l)] += S[3 * k + l];
}

// s B_ij δ_kl
LB_INLINE void tangent_add_left(lbLanes A[45], lbLanes s, const lbLanes B[9]) {
  LB_FOR (i, 0, 3)
    LB_FOR (j, i, 3)
      LB_FOR (k, 0, 3) A[TANGENT_INDEX(3 * i + k, 3 * j + k)] += s * B[3 * i + j];
}

// s ∂cof(F)_ik/∂F_jl = s ε_ija ε_klb F_ab
LB_INLINE void tangent_add_cofactor(lbLanes A[45], lbLanes s, const lbLanes F[9]) {
  LB_FOR (i, 0, 3)
    LB_FOR (j, i + 1, 3) {
      const int a = 3 - i - j;
      const double sign_a = (j - i == 1) ? 1 : -1;
      LB_FOR (k, 0, 3)
        LB_FOR (l, 0, 3) {
          if (k == l) continue;
          const int b = 3 - k - l;
          const double sign_b = (l - k + 3) % 3 == 1 ? 1 : -1;
          A[TANGENT_INDEX(3 * i + k, 3 * j + l)] += (sign_a * sign_b) * s * F[3 * a + b];
        }
    }
}

// B_ik D_jl + D_ik B_jl
LB_INLINE void tangent_add_mixed(lbLanes A[45], const lbLanes B[9], const lbLanes D[9]) {
  TANGENT_ADD(A, B[row_] * D[column] + D[row_] * B[column]);
}

// ---- laws; p: the material's parameters --------------------------------------------------------

LB_INLINE void law_linear(const lbLanes H[9], const lbLanes p[3], bool tangent, Law *law) {
  const lbLanes lambda = p[0], mu = p[1], volume = trace(H);
  lbLanes strain2 = lb_splat(0);
  LB_FOR (i, 0, 3) {
    LB_FOR (k, 0, 3) {
      lbLanes strain = 0.5 * (H[3 * i + k] + H[3 * k + i]);
      strain2 += strain * strain;
      law->stress[3 * i + k] = 2.0 * mu * strain;
    }
    law->stress[4 * i] += lambda * volume;
  }
  law->energy = mu * strain2 + 0.5 * lambda * volume * volume;
  if (!tangent) return;
  lbLanes identity[9];
  set_identity(identity);
  tangent_set_identity(law->tangent, mu);
  tangent_add_crossed(law->tangent, mu, identity);
  tangent_add_outer(law->tangent, lambda, identity);
}

// S = λ tr(E) I + 2 μ E, P = F S. E is formed from H, so that small strains keep their digits.
LB_INLINE void law_stvk(const lbLanes H[9], const lbLanes p[3], bool tangent, Law *law) {
  const lbLanes lambda = p[0], mu = p[1];
  lbLanes F[9], E[9], S[9];
  add_identity(H, F);
  lb_transpose_multiply_lanes(H, H, E);
  LB_FOR (i, 0, 3)
    LB_FOR (k, 0, 3) E[3 * i + k] = 0.5 * (E[3 * i + k] + H[3 * i + k] + H[3 * k + i]);
  const lbLanes volume = trace(E);
  LB_FOR (i, 0, 9) S[i] = 2.0 * mu * E[i];
  LB_FOR (i, 0, 3) S[4 * i] += lambda * volume;
  lb_multiply_lanes(F, S, law->stress);
  law->energy = mu * dot9(E, E) + 0.5 * lambda * volume * volume;
  if (!tangent) return;
  lbLanes FFt[9];
  multiply_nt(F, F, FFt);
  tangent_set_identity(law->tangent, lb_splat(0));
  tangent_add_right(law->tangent, S);
  tangent_add_left(law->tangent, mu, FFt);
  tangent_add_outer(law->tangent, lambda, F);
  tangent_add_crossed(law->tangent, mu, F);
}

// ∂R/∂F = Σ_ab (G⁻¹)_ab Y_a ⊗ Y_b with G = tr(S) I − S, S = RᵀF, Y_a = R [e_a]×: from W S + S W =
// RᵀdF − dFᵀR, whose axial vectors are G w and Y_a : dF. G is singular where two principal
// stretches cancel; there R itself jumps and no tangent exists, so det G is kept from zero.
LB_INLINE void rotation_tangent(const lbLanes R[9], const lbLanes S[9], lbLanes s, lbLanes A[45]) {
  lbLanes G[9], inverse[9], Y[3][9];
  const lbLanes total = trace(S);
  LB_FOR (i, 0, 3)
    LB_FOR (j, 0, 3)
      G[3 * i + j] = -0.5 * (S[3 * i + j] + S[3 * j + i]) + (i == j ? total : lb_splat(0));
  lbLanes determinant = lb_cofactor_lanes(G, inverse);
  const lbLanes size = dot9(S, S) + 1e-300, least = 1e-12 * size * lb_sqrt(size);
  determinant = lb_select(lb_less(lb_abs(determinant), least), least, determinant);
  LB_FOR (a, 0, 3) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    LB_FOR (i, 0, 3) {
      Y[a][3 * i + a] = lb_splat(0);
      Y[a][3 * i + b] = R[3 * i + c];
      Y[a][3 * i + c] = -R[3 * i + b];
    }
  }
  s = s / determinant;
  LB_FOR (a, 0, 3) {
    lbLanes row[9]; // Σ_b (G⁻¹)_ab Y_b
    LB_FOR (i, 0, 9)
      row[i] = s * (inverse[3 * a] * Y[0][i] + inverse[3 * a + 1] * Y[1][i] +
                    inverse[3 * a + 2] * Y[2][i]);
    TANGENT_ADD(A, Y[a][row_] * row[column]);
  }
}

LB_INLINE void law_corotated(const lbLanes H[9], const lbLanes p[3], bool tangent, Law *law) {
  const lbLanes lambda = p[0], mu = p[1];
  lbLanes F[9], R[9], S[9], stretch2 = lb_splat(0);
  add_identity(H, F);
  lb_polar_lanes(F, R);
  lb_transpose_multiply_lanes(R, F, S);
  const lbLanes volume = trace(S) - 3.0;
  LB_FOR (i, 0, 9) {
    const lbLanes stretch = F[i] - R[i];
    stretch2 += stretch * stretch;
    law->stress[i] = 2.0 * mu * stretch + lambda * volume * R[i];
  }
  law->energy = mu * stretch2 + 0.5 * lambda * volume * volume;
  if (!tangent) return;
  tangent_set_identity(law->tangent, 2.0 * mu);
  tangent_add_outer(law->tangent, lambda, R);
  rotation_tangent(R, S, lambda * volume - 2.0 * mu, law->tangent);
}

// Laws with a barrier at J = 0 are infinite beyond it. Such a lane gets J = 1 for the rest of its
// arithmetic, so that no NaN is made, and energy +inf for the caller to see.
LB_INLINE lbLanes hold_barrier(lbLanes J, lbMask *outside) {
  *outside = lb_less(J, lb_splat(1e-300));
  return lb_select(*outside, lb_splat(1), J);
}

// X = F⁻ᵀ: P = μ F + (λ ln J − μ) X, dX = −X dFᵀ X.
LB_INLINE void law_neohookean(const lbLanes H[9], const lbLanes p[3], bool tangent, Law *law) {
  const lbLanes lambda = p[0], mu = p[1];
  lbLanes F[9], X[9];
  lbMask outside;
  add_identity(H, F);
  const lbLanes J = hold_barrier(lb_cofactor_lanes(F, X), &outside);
  const lbLanes logarithm = lb_log_lanes(J), pressure = lambda * logarithm - mu;
  LB_FOR (i, 0, 9) {
    X[i] = X[i] / J;
    law->stress[i] = mu * F[i] + pressure * X[i];
  }
  law->energy = 0.5 * mu * (2.0 * trace(H) + dot9(H, H)) - mu * logarithm +
                0.5 * lambda * logarithm * logarithm;
  law->energy = lb_select(outside, lb_splat(INFINITY), law->energy);
  if (!tangent) return;
  tangent_set_identity(law->tangent, mu);
  tangent_add_outer(law->tangent, lambda, X);
  tangent_add_crossed(law->tangent, -pressure, X);
}

LB_INLINE void law_stable_neohookean(const lbLanes H[9], const lbLanes p[3], bool tangent,
                                     Law *law) {
  const lbLanes mu = p[1], bulk = p[0] + p[1];
  lbLanes F[9], cof[9];
  add_identity(H, F);
  const lbLanes volume = lb_cofactor_lanes(F, cof) - 1.0;
  const lbLanes pressure = bulk * volume - mu;
  LB_FOR (i, 0, 9) law->stress[i] = mu * F[i] + pressure * cof[i];
  law->energy =
      0.5 * mu * (2.0 * trace(H) + dot9(H, H)) - mu * volume + 0.5 * bulk * volume * volume;
  if (!tangent) return;
  tangent_set_identity(law->tangent, mu);
  tangent_add_outer(law->tangent, bulk, cof);
  tangent_add_cofactor(law->tangent, pressure, F);
}

// With a = J^-2/3, b = a²: P = 2 c10 a F + 2 c01 b D + W_J cof F, D = I1 F − F C = ∂I2/∂F / 2.
LB_INLINE void law_mooneyrivlin(const lbLanes H[9], const lbLanes p[3], bool tangent, Law *law) {
  const lbLanes c10 = p[0], c01 = p[1], v1 = p[2];
  lbLanes F[9], C[9], cof[9], FC[9], D[9];
  lbMask outside;
  add_identity(H, F);
  const lbLanes J = hold_barrier(lb_cofactor_lanes(F, cof), &outside);
  lb_transpose_multiply_lanes(F, F, C);
  lb_multiply_lanes(F, C, FC);
  const lbLanes I1 = trace(C), I2 = 0.5 * (I1 * I1 - dot9(C, C));
  const lbLanes a = lb_inverse_cbrt_squared(J), b = a * a;
  const lbLanes W_J = (-2.0 / 3 * c10 * a * I1 - 4.0 / 3 * c01 * b * I2) / J + 2.0 * v1 * (J - 1.0);
  LB_FOR (i, 0, 9) {
    D[i] = I1 * F[i] - FC[i];
    law->stress[i] = 2.0 * c10 * a * F[i] + 2.0 * c01 * b * D[i] + W_J * cof[i];
  }
  law->energy = c10 * (a * I1 - 3.0) + c01 * (b * I2 - 3.0) + v1 * square(J - 1.0);
  law->energy = lb_select(outside, lb_splat(INFINITY), law->energy);
  if (!tangent) return;
  lbLanes FFt[9], minus_C[9], mixed[9];
  multiply_nt(F, F, FFt);
  const lbLanes second = 2.0 * c01 * b; // times ∂D/∂F
  LB_FOR (i, 0, 9) minus_C[i] = -second * C[i];
  tangent_set_identity(law->tangent, 2.0 * c10 * a + second * I1);
  tangent_add_right(law->tangent, minus_C);
  tangent_add_left(law->tangent, -second, FFt);
  tangent_add_outer(law->tangent, 2.0 * second, F);
  tangent_add_crossed(law->tangent, -second, F);
  tangent_add_cofactor(law->tangent, W_J, F);
  const lbLanes W_JJ = (10.0 / 9 * c10 * a * I1 + 28.0 / 9 * c01 * b * I2) / (J * J) + 2.0 * v1;
  tangent_add_outer(law->tangent, W_JJ, cof);
  LB_FOR (i, 0, 9) // ∂W_J/∂F without its cof F part
    mixed[i] = (-4.0 / 3 * c10 * a * F[i] - 8.0 / 3 * c01 * b * D[i]) / J;
  tangent_add_mixed(law->tangent, mixed, cof);
}

#undef TANGENT_ADD
#endif // LB_SIMD_LEVEL
#endif
