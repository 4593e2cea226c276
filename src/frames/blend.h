// The blend of motions at samples and points, in lanes; frames.h has the formulas. For kernel files
// only.
#ifndef LB_FRAMES_BLEND_H
#define LB_FRAMES_BLEND_H

#include "frames/frames.h"

#ifdef LB_SIMD_LEVEL

#define BLEND_INLINE static inline __attribute__((always_inline))
#define LEAST_NORM 1e-12 // of Q₀·Q₀: motions that cancel out stay finite

typedef struct Blend {
  lbLanes X[3], b[8], s, x[3], G[3][8]; // s = 1/n²
} Blend;

// The four numbers that the real part of C consists of.
BLEND_INLINE void find_alphas(const lbLanes b[8], const lbLanes X[3], lbLanes a[4]) {
  a[0] = b[0] * X[0] + b[1] * X[1] + b[2] * X[2] - b[7];
  a[1] = b[6] - b[1] * X[0] + b[0] * X[1] + b[3] * X[2];
  a[2] = b[5] + b[2] * X[0] + b[3] * X[1] - b[0] * X[2];
  a[3] = b[4] + b[3] * X[0] - b[2] * X[1] + b[1] * X[2];
}

// C / 2 from these and the real part of b.
BLEND_INLINE void fill_C(const lbLanes a[4], const lbLanes b[4], lbLanes C[3][8]) {
  C[0][0] = a[0], C[0][1] = a[1], C[0][2] = -a[2], C[0][3] = a[3];
  C[1][0] = -a[1], C[1][1] = a[0], C[1][2] = a[3], C[1][3] = a[2];
  C[2][0] = a[2], C[2][1] = -a[3], C[2][2] = a[0], C[2][3] = a[1];
  C[0][4] = b[3], C[0][5] = -b[2], C[0][6] = b[1], C[0][7] = -b[0];
  C[1][4] = b[2], C[1][5] = b[3], C[1][6] = -b[0], C[1][7] = -b[1];
  C[2][4] = -b[1], C[2][5] = b[0], C[2][6] = b[3], C[2][7] = -b[2];
}

BLEND_INLINE lbLanes dot4(const lbLanes a[4], const lbLanes b[4]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

BLEND_INLINE lbLanes dot8(const lbLanes a[8], const lbLanes b[8]) {
  return dot4(a, b) + dot4(a + 4, b + 4);
}

// With b and X: s, x and G.
BLEND_INLINE void finish_blend(Blend *f) {
  lbLanes a[4], C[3][8];
  find_alphas(f->b, f->X, a);
  fill_C(a, f->b, C);
  f->s = 1.0 / lb_max(dot4(f->b, f->b), lb_splat(LEAST_NORM));
  const lbLanes twice = 2.0 * f->s;
  LB_FOR_ALL(i, 0, 3) {
    f->x[i] = f->s * dot8(C[i], f->b);
    LB_FOR_ALL(k, 0, 4) f->G[i][k] = twice * (C[i][k] - f->x[i] * f->b[k]);
    LB_FOR_ALL(k, 4, 8) f->G[i][k] = twice * C[i][k];
  }
}

// x̂ = G B is a velocity of the point.
BLEND_INLINE void apply_G(const Blend *f, const lbLanes B[8], lbLanes to[3]) {
  LB_FOR_ALL(i, 0, 3) to[i] = dot8(f->G[i], B);
}

// to <- C(B) B, twice x without its denominator
BLEND_INLINE void square_of(const lbLanes B[8], const lbLanes X[3], lbLanes to[3]) {
  lbLanes a[4], C[3][8];
  find_alphas(B, X, a);
  fill_C(a, B, C);
  LB_FOR_ALL(i, 0, 3) to[i] = 2.0 * dot8(C[i], B);
}

#endif // LB_SIMD_LEVEL
#endif
