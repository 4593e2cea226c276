// Dual quaternions as rigid motions, and their linear blending (Kavan et al., "Geometric skinning
// with approximate dual quaternion blending", 2008). Conventions: limber/math.h.
#include "limber/math.h"

lbDualQuat lb_dualquat_from_motion(lbQuat rotation, lbVec3 translation) {
  lbQuat t = lb_quat(0.5 * translation.x, 0.5 * translation.y, 0.5 * translation.z, 0);
  lbDualQuat q = { rotation, lb_quat_multiply(t, rotation) };
  return q;
}

// t = 2 dual real*
static lbVec3 translation_of(lbDualQuat q) {
  lbQuat t = lb_quat_multiply(q.dual, lb_quat_conjugate(q.real));
  return lb_vec3(2 * t.x, 2 * t.y, 2 * t.z);
}

void lb_dualquat_to_motion(lbDualQuat q, lbQuat *rotation, lbVec3 *translation) {
  *rotation = q.real;
  *translation = translation_of(q);
}

lbDualQuat lb_dualquat_multiply(lbDualQuat a, lbDualQuat b) {
  lbDualQuat c = { lb_quat_multiply(a.real, b.real),
                   lb_quat_add_scaled(lb_quat_multiply(a.real, b.dual), 1,
                                      lb_quat_multiply(a.dual, b.real)) };
  return c;
}

lbDualQuat lb_dualquat_conjugate(lbDualQuat q) {
  lbDualQuat c = { lb_quat_conjugate(q.real), lb_quat_conjugate(q.dual) };
  return c;
}

// |r + eps d| = |r| + eps (r . d) / |r|, so q / |q| = r/|r| + eps (d/|r| - r (r . d) / |r|^3).
lbDualQuat lb_dualquat_normalise(lbDualQuat q) {
  double length = sqrt(lb_quat_dot(q.real, q.real));
  lbDualQuat n = { lb_quat_identity(), lb_quat(0, 0, 0, 0) };
  if (!(length > 0)) return n;
  n.real = lb_quat_scale(1 / length, q.real);
  n.dual = lb_quat_scale(1 / length, q.dual);
  n.dual = lb_quat_add_scaled(n.dual, -lb_quat_dot(n.real, n.dual), n.real);
  return n;
}

lbVec3 lb_dualquat_transform(lbDualQuat q, lbVec3 point) {
  return lb_add(lb_quat_rotate(q.real, point), translation_of(q));
}

lbDualQuat lb_dualquat_blend(int32_t count, const lbDualQuat *motions, const double *weights,
                             int32_t pivot) {
  LB_ASSERT(pivot >= 0 && pivot < count);
  lbDualQuat sum = { lb_quat(0, 0, 0, 0), lb_quat(0, 0, 0, 0) };
  for (int32_t i = 0; i < count; i++) {
    double side = lb_quat_dot(motions[i].real, motions[pivot].real) < 0 ? -1 : 1;
    sum.real = lb_quat_add_scaled(sum.real, side * weights[i], motions[i].real);
    sum.dual = lb_quat_add_scaled(sum.dual, side * weights[i], motions[i].dual);
  }
  return lb_dualquat_normalise(sum);
}
