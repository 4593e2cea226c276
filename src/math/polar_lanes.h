// The rotation R of the polar decomposition over lanes, for kernel files (see math/simd.h): the
// proper rotation that maximises tr(R^T F), also for inverted and flat F.
//
// That maximum, lambda = s0 + s1 + s2 (signed singular values of F), is the largest eigenvalue of
// Davenport's symmetric 4x4 matrix (P. Davenport's q-method), whose characteristic polynomial is
//   g(lambda) = (lambda^2 - |F|^2)^2 - 8 lambda det F - 4 |cof F|^2.
// All four roots are real, so Newton's method from an upper bound descends to the largest one. With
// e2 = s0 s1 + s1 s2 + s2 s0 we have lambda^2 = |F|^2 + 2 e2 and e2 <= sqrt(3) |cof F|, which gives
// the bound. Then, with kappa = (lambda^2 - |F|^2) / 2 = e2 and
// zeta = kappa lambda - det F = (s0 + s1)(s1 + s2)(s2 + s0) = g'(lambda) / 8,
//   R = ((kappa + |F|^2) F + lambda cof F - F F^T F) / zeta,
// as F = diag(s) shows: every entry of the numerator's diagonal becomes zeta. When
// zeta is not small R is well determined; where it is (F of rank one, or inverted so that the turn
// is ambiguous) the lane is done by lb_polar3.
#ifndef LB_MATH_POLAR_LANES_H
#define LB_MATH_POLAR_LANES_H

#include "limber/math.h"
#include "math/simd.h"

#ifdef LB_SIMD_LEVEL

// c = a b
static inline void lb_multiply_lanes(const lbLanes a[9], const lbLanes b[9], lbLanes c[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

// c = a^T b
static inline void lb_transpose_multiply_lanes(const lbLanes a[9], const lbLanes b[9],
                                               lbLanes c[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

static inline lbLanes lb_norm_squared_lanes(const lbLanes a[9]) {
  lbLanes sum = a[0] * a[0];
  for (int i = 1; i < 9; i++) sum += a[i] * a[i];
  return sum;
}

// cof F = det(F) F^-T; returns det F.
static inline lbLanes lb_cofactor_lanes(const lbLanes f[9], lbLanes cofactor[9]) {
  for (int i = 0; i < 3; i++) {
    const lbLanes *p = f + 3 * ((i + 1) % 3), *q = f + 3 * ((i + 2) % 3);
    for (int j = 0; j < 3; j++) {
      int k = (j + 1) % 3, l = (j + 2) % 3;
      cofactor[3 * i + j] = p[k] * q[l] - p[l] * q[k];
    }
  }
  return f[0] * cofactor[0] + f[1] * cofactor[1] + f[2] * cofactor[2];
}

// The largest root of g for |F| = 1. A lane keeps its value once it has converged, so its result
// does not depend on its neighbours.
static inline lbLanes lb_davenport_root_lanes(lbLanes det, lbLanes cofactor_norm_squared) {
  lbLanes lambda = lb_sqrt(1 + 2 * lb_sqrt(3 * cofactor_norm_squared));
  for (int iteration = 0; iteration < 20; iteration++) {
    lbLanes shifted = lambda * lambda - 1;
    lbLanes g = shifted * shifted - 8 * lambda * det - 4 * cofactor_norm_squared;
    lbLanes slope = 4 * lambda * shifted - 8 * det;
    // A vanishing slope, 8 zeta, means a multiple root: stop before g / slope becomes
    // unbounded.
    lbMask active = lb_less(1e-15 * lambda * slope, g) & lb_less(lb_splat(1e-4), slope);
    if (!lb_any(active)) break;
    lambda = lb_select(active, lambda - g / slope, lambda);
  }
  return lambda;
}

// R (3 I - R^T R) / 2: orthogonal to second order in R's defect.
static inline void lb_orthogonalise_lanes(lbLanes r[9]) {
  lbLanes gram[9], half[9];
  lb_transpose_multiply_lanes(r, r, gram);
  for (int i = 0; i < 9; i++) gram[i] = (i % 4 == 0 ? 1.5 : 0) - 0.5 * gram[i];
  lb_multiply_lanes(r, gram, half);
  memcpy(r, half, sizeof half);
}

// One Newton step for an orthogonal R: with S = R^T F, R (I + [w]) makes S symmetric to first order
// when (tr(S) I - S) w = the axial vector of S - S^T. What is left is rounding, whatever the error
// in lambda was.
static inline void lb_polish_rotation_lanes(const lbLanes f[9], lbLanes r[9]) {
  lbLanes s[9], c[9], w[3], turned[9];
  lb_transpose_multiply_lanes(r, f, s);
  lbLanes trace = s[0] + s[4] + s[8];
  lbLanes xy = -0.5 * (s[1] + s[3]), yz = -0.5 * (s[5] + s[7]), zx = -0.5 * (s[2] + s[6]);
  const lbLanes k[9] = { trace - s[0], xy, zx, xy, trace - s[4], yz, zx, yz, trace - s[8] };
  const lbLanes axial[3] = { s[7] - s[5], s[2] - s[6], s[3] - s[1] };
  lbLanes inverse_det = 1 / lb_cofactor_lanes(k, c);
  for (int i = 0; i < 3; i++)
    w[i] = (c[3 * i] * axial[0] + c[3 * i + 1] * axial[1] + c[3 * i + 2] * axial[2]) * inverse_det;
  for (int i = 0; i < 3; i++) { // R + R [w]
    const lbLanes *row = r + 3 * i;
    turned[3 * i] = row[0] + (row[1] * w[2] - row[2] * w[1]);
    turned[3 * i + 1] = row[1] + (row[2] * w[0] - row[0] * w[2]);
    turned[3 * i + 2] = row[2] + (row[0] * w[1] - row[1] * w[0]);
  }
  memcpy(r, turned, sizeof turned);
}

// Lanes of `mask` by the scalar function, one after another.
static inline void lb_polar_lane_by_lane(lbMask mask, const lbLanes f[9], lbLanes r[9]) {
  double in[9][LB_LANES], out[9][LB_LANES], chosen[LB_LANES];
  for (int k = 0; k < 9; k++) lb_store(in[k], f[k]), lb_store(out[k], r[k]);
  lb_store(chosen, lb_select(mask, lb_splat(1), lb_splat(0)));
  for (int lane = 0; lane < LB_LANES; lane++) {
    if (chosen[lane] == 0) continue;
    lbMat3 a, rotation;
    for (int k = 0; k < 9; k++) a.m[k] = in[k][lane];
    lb_polar3(a, &rotation, NULL);
    for (int k = 0; k < 9; k++) out[k][lane] = rotation.m[k];
  }
  for (int k = 0; k < 9; k++) r[k] = lb_load(out[k]);
}

// Lanes whose zeta is below `rough`, for |F| = 1, are polished.
static inline void lb_polar_lanes_polished(const lbLanes F[9], double rough, lbLanes R[9]) {
  lbLanes f[9], cofactor[9], gram[9], cubed[9];
  lbLanes norm_squared = lb_norm_squared_lanes(F);
  lbLanes inverse_norm = 1 / lb_sqrt(norm_squared);
  for (int i = 0; i < 9; i++) f[i] = F[i] * inverse_norm;
  lbLanes det = lb_cofactor_lanes(f, cofactor);
  lbLanes lambda = lb_davenport_root_lanes(det, lb_norm_squared_lanes(cofactor));
  lbLanes kappa = 0.5 * (lambda * lambda - 1), zeta = kappa * lambda - det;
  lb_transpose_multiply_lanes(f, f, gram);
  lb_multiply_lanes(f, gram, cubed);
  lbLanes inverse_zeta = 1 / zeta;
  for (int i = 0; i < 9; i++)
    R[i] = ((kappa + 1) * f[i] + lambda * cofactor[i] - cubed[i]) * inverse_zeta;
  lbMask fine = lb_less(lb_splat(rough), zeta);
  if (lb_any(~fine)) {
    lbLanes polished[9];
    memcpy(polished, R, sizeof polished);
    lb_orthogonalise_lanes(polished);
    lb_polish_rotation_lanes(f, polished);
    for (int i = 0; i < 9; i++) R[i] = lb_select(fine, R[i], polished[i]);
  }
  // NaN fails every comparison, so what overflowed or was NaN ends in the scalar function too.
  lbMask good = lb_less(lb_splat(1e-4), zeta) & lb_less(lb_splat(1e-280), norm_squared) &
                lb_less(norm_squared, lb_splat(1e300));
  if (lb_any(~good)) lb_polar_lane_by_lane(~good, F, R);
}

// F, R row-major: F[3 * row + column], two separate arrays. NaN or infinite F gives NaN.
static inline void lb_polar_lanes(const lbLanes F[9], lbLanes R[9]) {
  lb_polar_lanes_polished(F, INFINITY, R);
}

// The same to 1e-13 in place of 1e-15, without most of the polishing; zeta of a rotation is 1.5.
static inline void lb_polar_lanes_quick(const lbLanes F[9], lbLanes R[9]) {
  lb_polar_lanes_polished(F, 0.25, R);
}

#endif // LB_SIMD_LEVEL
#endif
