// Matrices for the tests of decompositions: random rotations and products U diag(s) V^T.
#ifndef LB_TESTS_MATH_MATRICES_H
#define LB_TESTS_MATH_MATRICES_H

#include "check.h"
#include "limber/math.h"

static inline lbMat3 random_rotation(uint64_t *state) {
  double q[4], square = 0;
  while (square < 0.01) {
    square = 0;
    for (int i = 0; i < 4; i++) q[i] = check_random(state), square += q[i] * q[i];
  }
  return lb_quat_to_mat3(lb_quat_normalise(lb_quat(q[0], q[1], q[2], q[3])));
}

static inline lbMat3 random_matrix(uint64_t *state) {
  lbMat3 a;
  for (int i = 0; i < 9; i++) a.m[i] = check_random(state);
  return a;
}

static inline lbMat3 compose(lbMat3 u, double a, double b, double c, lbMat3 v) {
  return lb_mat3_multiply(lb_mat3_multiply(u, lb_mat3_diagonal(a, b, c)), lb_mat3_transpose(v));
}

static inline lbMat3 random_with_values(uint64_t *state, double a, double b, double c) {
  lbMat3 u = random_rotation(state), v = random_rotation(state);
  return compose(u, a, b, c, v);
}

// |A - B|
static inline double distance(lbMat3 a, lbMat3 b) { return lb_mat3_norm(lb_mat3_sub(a, b)); }

// How far from a proper rotation: |R^T R - I| + |det R - 1|.
static inline double rotation_defect(lbMat3 r) {
  return distance(lb_mat3_multiply(lb_mat3_transpose(r), r), lb_mat3_identity()) +
         fabs(lb_mat3_determinant(r) - 1);
}

#endif
