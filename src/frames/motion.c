// Poses of frames, and what kernels know of them: frames.h has the formulas.
#include "frames/frames.h"

static lbQuat pure(lbVec3 v) { return lb_quat(v.x, v.y, v.z, 0); }

static void store_motion(double *to, lbQuat q) {
  to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
}

static lbDualQuat motion_from_rest(const lbFramePose *rest, const lbFramePose *pose) {
  lbQuat turn = lb_quat_multiply(pose->rotation, lb_quat_conjugate(rest->rotation));
  return lb_dualquat_from_motion(turn,
                                 lb_sub(pose->position, lb_quat_rotate(turn, rest->position)));
}

// At constant Ω: d̈₀ = −¼ |ω|² d₀, d̈_ε = −¼ |ω|² d_ε + ½ v ω d₀.
static void find_rates_motion(lbFrameMotion *m, lbDualQuat d, const double *velocity) {
  lbVec3 w = lb_vec3_load(velocity), v = lb_vec3_load(velocity + 3);
  double quarter = -0.25 * lb_dot(w, w);
  lbQuat turned = lb_quat_multiply(pure(v), lb_quat_multiply(pure(w), d.real));
  lb_frame_rate(m, velocity, m->V);
  store_motion(m->A, lb_quat_scale(quarter, d.real));
  store_motion(m->A + 4, lb_quat_add_scaled(lb_quat_scale(quarter, d.dual), 0.5, turned));
}

// M (4 x 3) <- half of the axes times q, a column each.
static void fill_left(lbQuat q, double M[12]) {
  const double left[12] = { q.w, q.z, -q.y, -q.z, q.w, q.x, q.y, -q.x, q.w, -q.x, -q.y, -q.z };
  for (int k = 0; k < 12; k++) M[k] = 0.5 * left[k];
}

lbFrameMotion lb_frame_motion(const lbFramePose *rest, const lbFramePose *pose,
                              const double *velocity) {
  lbFrameMotion m = { .position = pose->position };
  lbDualQuat d = motion_from_rest(rest, pose);
  lbVec3 p = pose->position;
  store_motion(m.d, d.real), store_motion(m.d + 4, d.dual);
  fill_left(d.real, m.real), fill_left(d.dual, m.dual);
  for (int k = 0; k < 4; k++) { // and p x axis, times the real part
    const double *real = m.real + 3 * k;
    m.dual[3 * k] += p.z * real[1] - p.y * real[2];
    m.dual[3 * k + 1] += p.x * real[2] - p.z * real[0];
    m.dual[3 * k + 2] += p.y * real[0] - p.x * real[1];
  }
  if (velocity) find_rates_motion(&m, d, velocity);
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

// (2k)! / (4^k k!² (2k + 1))
const double lb_frame_vector_series[LB_FRAME_VECTOR_TERMS] = {
  1,           1.0 / 6,       3.0 / 40,      5.0 / 112,       35.0 / 1152,
  63.0 / 2816, 231.0 / 13312, 143.0 / 10240, 6435.0 / 557056, 12155.0 / 1245184
};

lbVec3 lb_frame_rotation_vector(lbQuat q) {
  lbVec3 v = lb_vec3(q.x, q.y, q.z);
  double square = lb_dot(v, v), sum = lb_frame_vector_series[LB_FRAME_VECTOR_TERMS - 1];
  if (square > LB_FRAME_VECTOR_SHORT) return lb_quat_log(q);
  for (int k = LB_FRAME_VECTOR_TERMS - 2; k >= 0; k--)
    sum = lb_frame_vector_series[k] + square * sum;
  return lb_scale(2 * sum, v);
}
