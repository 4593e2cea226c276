// limber/math.h: vectors and matrices of three, quaternions, dual quaternions, polar and singular
// value decompositions. Small values, passed and returned by copy; everything in double precision.
#ifndef LIMBER_MATH_H
#define LIMBER_MATH_H

#include "limber/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbVec3 {
  double x, y, z;
} lbVec3;

typedef struct lbMat3 {
  double m[9]; // row-major: m[3 * row + column]
} lbMat3;

typedef struct lbQuat {
  double x, y, z, w; // x i + y j + z k + w; unit length when it stands for a rotation
} lbQuat;

// real + eps dual. A rigid motion x -> R x + t is the unit dual quaternion with `real` the rotation
// and dual = (1/2) t real, t taken as the quaternion (t, 0).
typedef struct lbDualQuat {
  lbQuat real, dual;
} lbDualQuat;

// ---- vectors -----------------------------------------------------------------------------------

static inline lbVec3 lb_vec3(double x, double y, double z) {
  lbVec3 v = { x, y, z };
  return v;
}
static inline lbVec3 lb_vec3_load(const double *p) { return lb_vec3(p[0], p[1], p[2]); }
static inline void lb_vec3_store(double *p, lbVec3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline lbVec3 lb_add(lbVec3 a, lbVec3 b) { return lb_vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline lbVec3 lb_sub(lbVec3 a, lbVec3 b) { return lb_vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline lbVec3 lb_scale(double s, lbVec3 a) { return lb_vec3(s * a.x, s * a.y, s * a.z); }
// a + s b
static inline lbVec3 lb_add_scaled(lbVec3 a, double s, lbVec3 b) {
  return lb_vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double lb_dot(lbVec3 a, lbVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline lbVec3 lb_cross(lbVec3 a, lbVec3 b) {
  return lb_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double lb_length(lbVec3 a) { return sqrt(lb_dot(a, a)); }
// a / |a|; zero when a is zero or so short (1e-154) that its square underflows.
static inline lbVec3 lb_normalise(lbVec3 a) {
  double length = lb_length(a);
  return length > 0 ? lb_scale(1 / length, a) : lb_vec3(0, 0, 0);
}

// ---- matrices ----------------------------------------------------------------------------------

static inline lbMat3 lb_mat3_zero(void) {
  lbMat3 a = { { 0, 0, 0, 0, 0, 0, 0, 0, 0 } };
  return a;
}
static inline lbMat3 lb_mat3_diagonal(double a, double b, double c) {
  lbMat3 d = { { a, 0, 0, 0, b, 0, 0, 0, c } };
  return d;
}
static inline lbMat3 lb_mat3_identity(void) { return lb_mat3_diagonal(1, 1, 1); }
static inline lbMat3 lb_mat3_from_rows(lbVec3 a, lbVec3 b, lbVec3 c) {
  lbMat3 m = { { a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z } };
  return m;
}
static inline lbMat3 lb_mat3_from_columns(lbVec3 a, lbVec3 b, lbVec3 c) {
  lbMat3 m = { { a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z } };
  return m;
}
static inline lbVec3 lb_mat3_row(lbMat3 a, int i) { return lb_vec3_load(a.m + 3 * i); }
static inline lbVec3 lb_mat3_column(lbMat3 a, int j) {
  return lb_vec3(a.m[j], a.m[3 + j], a.m[6 + j]);
}
static inline lbMat3 lb_mat3_transpose(lbMat3 a) {
  return lb_mat3_from_columns(lb_mat3_row(a, 0), lb_mat3_row(a, 1), lb_mat3_row(a, 2));
}
static inline lbMat3 lb_mat3_add(lbMat3 a, lbMat3 b) {
  for (int i = 0; i < 9; i++) a.m[i] += b.m[i];
  return a;
}
static inline lbMat3 lb_mat3_sub(lbMat3 a, lbMat3 b) {
  for (int i = 0; i < 9; i++) a.m[i] -= b.m[i];
  return a;
}
static inline lbMat3 lb_mat3_scale(double s, lbMat3 a) {
  for (int i = 0; i < 9; i++) a.m[i] *= s;
  return a;
}
// A B
static inline lbMat3 lb_mat3_multiply(lbMat3 a, lbMat3 b) {
  lbMat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[3 * i + j] =
          a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
  return c;
}
// A v
static inline lbVec3 lb_mat3_apply(lbMat3 a, lbVec3 v) {
  return lb_vec3(lb_dot(lb_mat3_row(a, 0), v), lb_dot(lb_mat3_row(a, 1), v),
                 lb_dot(lb_mat3_row(a, 2), v));
}
// A^T v
static inline lbVec3 lb_mat3_apply_transpose(lbMat3 a, lbVec3 v) {
  return lb_vec3(lb_dot(lb_mat3_column(a, 0), v), lb_dot(lb_mat3_column(a, 1), v),
                 lb_dot(lb_mat3_column(a, 2), v));
}
static inline double lb_mat3_trace(lbMat3 a) { return a.m[0] + a.m[4] + a.m[8]; }
static inline double lb_mat3_determinant(lbMat3 a) {
  return lb_dot(lb_mat3_row(a, 0), lb_cross(lb_mat3_row(a, 1), lb_mat3_row(a, 2)));
}
// cof A = det(A) A^-T, which exists also when A has no inverse; its rows are the cross products of
// A's rows.
static inline lbMat3 lb_mat3_cofactor(lbMat3 a) {
  lbVec3 r0 = lb_mat3_row(a, 0), r1 = lb_mat3_row(a, 1), r2 = lb_mat3_row(a, 2);
  return lb_mat3_from_rows(lb_cross(r1, r2), lb_cross(r2, r0), lb_cross(r0, r1));
}
// cof(A)^T / det A; infinities or NaN when A is singular.
static inline lbMat3 lb_mat3_inverse(lbMat3 a) {
  return lb_mat3_scale(1 / lb_mat3_determinant(a), lb_mat3_transpose(lb_mat3_cofactor(a)));
}
// a b^T
static inline lbMat3 lb_mat3_outer(lbVec3 a, lbVec3 b) {
  return lb_mat3_from_rows(lb_scale(a.x, b), lb_scale(a.y, b), lb_scale(a.z, b));
}
// The matrix of v ->  a x v
static inline lbMat3 lb_mat3_skew(lbVec3 a) {
  lbMat3 m = { { 0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0 } };
  return m;
}
// Frobenius norm: the root of the sum of squares.
static inline double lb_mat3_norm(lbMat3 a) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += a.m[i] * a.m[i];
  return sqrt(sum);
}

// A = U diag(s) V^T with U and V proper rotations (det +1), s[0] >= s[1] >= |s[2]|, and s[2] of the
// sign of det A. Errors are about 1e-15 |A| for any finite A; otherwise everything is NaN.
typedef struct lbSvd3 {
  lbMat3 u;
  double s[3];
  lbMat3 v;
} lbSvd3;
lbSvd3 lb_svd3(lbMat3 a);

// A = R S with R the proper rotation nearest to A, also when A is inverted or flat, and S symmetric
// (with a negative eigenvalue when A is inverted). Either output may be NULL.
void lb_polar3(lbMat3 a, lbMat3 *rotation, lbMat3 *stretch);

// ---- quaternions -------------------------------------------------------------------------------

static inline lbQuat lb_quat(double x, double y, double z, double w) {
  lbQuat q = { x, y, z, w };
  return q;
}
static inline lbQuat lb_quat_identity(void) { return lb_quat(0, 0, 0, 1); }
static inline lbQuat lb_quat_add_scaled(lbQuat a, double s, lbQuat b) { // a + s b
  return lb_quat(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w);
}
static inline lbQuat lb_quat_scale(double s, lbQuat q) {
  return lb_quat(s * q.x, s * q.y, s * q.z, s * q.w);
}
static inline double lb_quat_dot(lbQuat a, lbQuat b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static inline lbQuat lb_quat_conjugate(lbQuat q) { return lb_quat(-q.x, -q.y, -q.z, q.w); }
// The rotation b first, then a.
static inline lbQuat lb_quat_multiply(lbQuat a, lbQuat b) {
  return lb_quat(
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}
// q v q* for unit q: v + 2 w (n x v) + 2 n x (n x v) with n the vector part.
static inline lbVec3 lb_quat_rotate(lbQuat q, lbVec3 v) {
  lbVec3 n = lb_vec3(q.x, q.y, q.z), t = lb_cross(n, v);
  return lb_add_scaled(lb_add_scaled(v, 2 * q.w, t), 2, lb_cross(n, t));
}
// q / |q|; the identity when q is zero.
lbQuat lb_quat_normalise(lbQuat q);
lbQuat lb_quat_from_axis_angle(lbVec3 axis, double angle); // radians; any axis length but zero
lbQuat lb_quat_from_mat3(lbMat3 rotation);                 // w >= 0
lbMat3 lb_quat_to_mat3(lbQuat q);                          // q of unit length
// Rotation vectors: axis times angle in radians. exp takes any; log gives the angle in [0, pi].
lbQuat lb_quat_exp(lbVec3 rotation_vector);
lbVec3 lb_quat_log(lbQuat q); // q of unit length
// From a (t = 0) to b (t = 1) the short way round at constant angular speed.
lbQuat lb_quat_slerp(lbQuat a, lbQuat b, double t);

// ---- dual quaternions --------------------------------------------------------------------------

lbDualQuat lb_dualquat_from_motion(lbQuat rotation, lbVec3 translation);
void lb_dualquat_to_motion(lbDualQuat q, lbQuat *rotation, lbVec3 *translation); // unit q
// The motion b first, then a.
lbDualQuat lb_dualquat_multiply(lbDualQuat a, lbDualQuat b);
// Conjugates both parts: the inverse motion of a unit dual quaternion.
lbDualQuat lb_dualquat_conjugate(lbDualQuat q);
// q / |q|: |real| = 1 and real . dual = 0. The identity when the real part is zero.
lbDualQuat lb_dualquat_normalise(lbDualQuat q);
lbVec3 lb_dualquat_transform(lbDualQuat q, lbVec3 point); // unit q: R x + t
// sum of weight_i q_i, normalised; q and -q are one motion, so each is first turned to the side of
// motions[pivot].
lbDualQuat lb_dualquat_blend(int32_t count, const lbDualQuat *motions, const double *weights,
                             int32_t pivot);

#ifdef __cplusplus
}
#endif
#endif
