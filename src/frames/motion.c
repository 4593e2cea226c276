// Poses of frames, and what kernels know of them: frames.h has the formulas.
#include "frames/frames.h"

static lbQuat pure(lbVec3 v) { return lb_quat(v.x, v.y, v.z, 0); }

static void store(double *to, lbQuat q) { to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w; }

static lbDualQuat motion_from_rest(const lbFramePose *rest, const lbFramePose *pose) {
  lbQuat turn = lb_quat_multiply(pose->rotation, lb_quat_conjugate(rest->rotation));
  return lb_dualquat_from_motion(turn,
                                 lb_sub(pose->position, lb_quat_rotate(turn, rest->position)));
}

// At constant Ω: d̈₀ = −¼ |ω|² d₀, d̈_ε = −¼ |ω|² d_ε + ½ v ω d₀.
static void find_rates(lbFrameMotion *m, lbDualQuat d, const double *velocity) {
  lbVec3 w = lb_vec3_load(velocity), v = lb_vec3_load(velocity + 3);
  double quarter = -0.25 * lb_dot(w, w);
  lbQuat turned = lb_quat_multiply(pure(v), lb_quat_multiply(pure(w), d.real));
  lb_frame_rate(m, velocity, m->V);
  store(m->A, lb_quat_scale(quarter, d.real));
  store(m->A + 4, lb_quat_add_scaled(lb_quat_scale(quarter, d.dual), 0.5, turned));
}

lbFrameMotion lb_frame_motion(const lbFramePose *rest, const lbFramePose *pose,
                              const double *velocity) {
  lbFrameMotion m = { .position = pose->position };
  lbDualQuat d = motion_from_rest(rest, pose);
  store(m.d, d.real), store(m.d + 4, d.dual);
  for (int c = 0; c < 3; c++) {
    lbVec3 axis = lb_vec3(c == 0, c == 1, c == 2);
    lbQuat real = lb_quat_multiply(pure(axis), d.real);
    lbQuat dual =
        lb_quat_add_scaled(lb_quat_multiply(pure(axis), d.dual), 1,
                           lb_quat_multiply(pure(lb_cross(pose->position, axis)), d.real));
    double columns[8];
    store(columns, real), store(columns + 4, dual);
    for (int k = 0; k < 4; k++) {
      m.real[3 * k + c] = 0.5 * columns[k];
      m.dual[3 * k + c] = 0.5 * columns[4 + k];
    }
  }
  if (velocity) find_rates(&m, d, velocity);
  return m;
}

void lb_frame_rate(const lbFrameMotion *m, const double *velocity, double V[8]) {
  for (int k = 0; k < 4; k++) {
    V[k] = V[4 + k] = 0;
    for (int c = 0; c < 3; c++) {
      V[k] += m->real[3 * k + c] * velocity[c];
      V[4 + k] += m->dual[3 * k + c] * velocity[c] + m->real[3 * k + c] * velocity[3 + c];
    }
  }
}

void lb_frame_gather(const lbFrameMotion *m, const double f[8], double *force) {
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 4; k++) {
      force[c] += m->real[3 * k + c] * f[k] + m->dual[3 * k + c] * f[4 + k];
      force[3 + c] += m->real[3 * k + c] * f[4 + k];
    }
}

lbFramePose lb_frame_advance(const lbFramePose *pose, const double *velocity, double h) {
  lbQuat turn = lb_quat_exp(lb_scale(h, lb_vec3_load(velocity)));
  return (lbFramePose){ lb_quat_normalise(lb_quat_multiply(turn, pose->rotation)),
                        lb_add_scaled(pose->position, h, lb_vec3_load(velocity + 3)) };
}

void lb_frame_velocity_between(const lbFramePose *from, const lbFramePose *to, double h,
                               double *velocity) {
  lbQuat turn = lb_quat_multiply(to->rotation, lb_quat_conjugate(from->rotation));
  if (turn.w < 0) turn = lb_quat_scale(-1, turn);
  lb_vec3_store(velocity, lb_scale(1 / h, lb_quat_log(turn)));
  lb_vec3_store(velocity + 3, lb_scale(1 / h, lb_sub(to->position, from->position)));
}

void lb_frame_align(const lbFramePose *pivot_rest, const lbFramePose *pivot,
                    const lbFramePose *rest, lbFramePose *pose) {
  lbQuat a = lb_quat_multiply(pivot->rotation, lb_quat_conjugate(pivot_rest->rotation));
  lbQuat b = lb_quat_multiply(pose->rotation, lb_quat_conjugate(rest->rotation));
  if (lb_quat_dot(a, b) < 0) pose->rotation = lb_quat_scale(-1, pose->rotation);
}

lbVec3 lb_frame_rotation_vector(lbQuat q) {
  lbVec3 v = lb_vec3(q.x, q.y, q.z);
  double square = lb_dot(v, v), term = 1, sum = 1;
  if (square > 0.0225) return lb_quat_log(q);
  for (int k = 1; k < 10; k++) {
    term *= square * (2 * k - 1) / (2 * k);
    sum += term / (2 * k + 1);
  }
  return lb_scale(2 * sum, v);
}
