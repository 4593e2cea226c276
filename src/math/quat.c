// Quaternions as rotations: conversions, exponential and logarithm, interpolation.
#include "limber/math.h"

#include "math/functions.h"

lbQuat lb_quat_normalise(lbQuat q) {
  double length = sqrt(lb_quat_dot(q, q));
  return length > 0 ? lb_quat_scale(1 / length, q) : lb_quat_identity();
}

lbQuat lb_quat_from_axis_angle(lbVec3 axis, double angle) {
  lbVec3 n = lb_normalise(axis);
  double s, c;
  lb_sin_cos(0.5 * angle, &s, &c);
  return lb_quat(s * n.x, s * n.y, s * n.z, c);
}

// 4 q_i q_j are sums and differences of R's entries; start from the largest of the four squares,
// which is at least 1/4 of |q|^2, so nothing cancels.
lbQuat lb_quat_from_mat3(lbMat3 rotation) {
  const double *r = rotation.m;
  double xx = 1 + r[0] - r[4] - r[8], yy = 1 - r[0] + r[4] - r[8]; // 4 x^2, 4 y^2
  double zz = 1 - r[0] - r[4] + r[8], ww = 1 + r[0] + r[4] + r[8]; // 4 z^2, 4 w^2
  lbQuat q;                                                        // times 4 the largest entry
  if (ww >= xx && ww >= yy && ww >= zz)
    q = lb_quat(r[7] - r[5], r[2] - r[6], r[3] - r[1], ww);
  else if (xx >= yy && xx >= zz)
    q = lb_quat(xx, r[1] + r[3], r[2] + r[6], r[7] - r[5]);
  else if (yy >= zz)
    q = lb_quat(r[1] + r[3], yy, r[5] + r[7], r[2] - r[6]);
  else
    q = lb_quat(r[2] + r[6], r[5] + r[7], zz, r[3] - r[1]);
  return lb_quat_normalise(q.w < 0 ? lb_quat_scale(-1, q) : q);
}

lbMat3 lb_quat_to_mat3(lbQuat q) {
  double x = q.x, y = q.y, z = q.z, w = q.w;
  lbMat3 r = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
  return r;
}

// (v sin(a/2) / a, cos(a/2)) with a = |v|
lbQuat lb_quat_exp(lbVec3 v) {
  double a = lb_length(v);
  // sin(a/2)/a = 1/2 - a^2/48 + a^4/3840 - ...: at 1e-3 the third term is the last that counts
  double s, c;
  lb_sin_cos(0.5 * a, &s, &c);
  double factor = a < 1e-3 ? 0.5 - a * a / 48 + a * a * a * a / 3840 : s / a;
  return lb_quat(factor * v.x, factor * v.y, factor * v.z, c);
}

// The angle by atan2, which is accurate at both ends, near 0 and near pi.
lbVec3 lb_quat_log(lbQuat q) {
  if (q.w < 0) q = lb_quat_scale(-1, q);
  lbVec3 n = lb_vec3(q.x, q.y, q.z);
  double s = lb_length(n);
  // Below 1e-8 atan2(s, w) / s is 1/w to the last bit, and s itself may have underflowed.
  double factor = s < 1e-8 ? 2 / q.w : 2 * lb_atan2(s, q.w) / s;
  return lb_scale(factor, n);
}

// a exp(t log(a* b))
lbQuat lb_quat_slerp(lbQuat a, lbQuat b, double t) {
  lbVec3 v = lb_quat_log(lb_quat_multiply(lb_quat_conjugate(a), b));
  return lb_quat_normalise(lb_quat_multiply(a, lb_quat_exp(lb_scale(t, v))));
}
