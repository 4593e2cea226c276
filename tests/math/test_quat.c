// Quaternions and dual quaternions: as rotations and rigid motions, at tiny angles and near pi.
#include "math/matrices.h"

static lbVec3 random_vector(uint64_t *state) {
  double x = check_random(state), y = check_random(state), z = check_random(state);
  return lb_vec3(x, y, z);
}

static lbQuat random_quat(uint64_t *state) {
  lbQuat q = lb_quat_from_mat3(random_rotation(state));
  return check_random(state) < 0 ? lb_quat_scale(-1, q) : q;
}

static double vector_distance(lbVec3 a, lbVec3 b) { return lb_length(lb_sub(a, b)); }

// Of the rotations: q and -q are one.
static double quat_distance(lbQuat a, lbQuat b) {
  double side = lb_quat_dot(a, b) < 0 ? 1 : -1;
  lbQuat d = lb_quat_add_scaled(a, side, b);
  return sqrt(lb_quat_dot(d, d));
}

static void quaternions_and_matrices_rotate_alike(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 2000; i++) {
    lbQuat a = random_quat(&seed), b = random_quat(&seed);
    lbMat3 ma = lb_quat_to_mat3(a), mb = lb_quat_to_mat3(b);
    lbVec3 v = random_vector(&seed);
    check_small(rotation_defect(ma), 1e-14);
    check_small(vector_distance(lb_quat_rotate(a, v), lb_mat3_apply(ma, v)), 1e-14);
    check_small(distance(lb_quat_to_mat3(lb_quat_multiply(a, b)), lb_mat3_multiply(ma, mb)), 1e-14);
    check_small(quat_distance(lb_quat_from_mat3(ma), a), 1e-14);
    lbVec3 back = lb_quat_rotate(lb_quat_conjugate(a), lb_quat_rotate(a, v));
    check_small(vector_distance(back, v), 1e-14);
  }
}

// Half turns about every kind of axis: the trace is -1 and w is 0.
static void half_turns_convert_both_ways(void **state) {
  (void)state;
  const double axes[][3] = { { 1, 0, 0 }, { 0, 1, 0 },  { 0, 0, 1 }, { 1, 1, 0 },
                             { 0, 1, 1 }, { 1, 0, -1 }, { 1, 1, 1 }, { 1e-9, 1, 1e-9 } };
  for (int i = 0; i < 8; i++) {
    lbQuat q = lb_quat_from_axis_angle(lb_vec3_load(axes[i]), LB_PI);
    check_small(quat_distance(lb_quat_from_mat3(lb_quat_to_mat3(q)), q), 1e-15);
  }
}

static void axis_angle_turns_x_to_y_about_z(void **state) {
  (void)state;
  lbQuat q = lb_quat_from_axis_angle(lb_vec3(0, 0, 5), LB_PI / 2);
  check_small(vector_distance(lb_quat_rotate(q, lb_vec3(1, 0, 0)), lb_vec3(0, 1, 0)), 1e-15);
  check_small(quat_distance(lb_quat_exp(lb_vec3(0, 0, LB_PI / 2)), q), 1e-15);
}

// |log(exp(v)) - v| relative to |v|, from 1e-300 to just below pi.
static void log_undoes_exp_for_tiny_and_for_large_angles(void **state) {
  (void)state;
  uint64_t seed = 2;
  const double angles[] = { 1e-300, 1e-160, 1e-154,   1e-100,       1e-20,        1e-9,
                            2e-8,   1e-5,   0.999e-3, 1.001e-3,     0.1,          1,
                            2,      3,      3.14,     LB_PI - 1e-6, LB_PI - 1e-9, LB_PI - 1e-13 };
  for (size_t k = 0; k < sizeof angles / sizeof *angles; k++)
    for (int i = 0; i < 100; i++) {
      lbVec3 unit = lb_normalise(random_vector(&seed)), v = lb_scale(angles[k], unit);
      lbQuat q = lb_quat_exp(v);
      check_near(lb_quat_dot(q, q), 1, 1e-15);
      lbVec3 back = lb_quat_log(q), turned = lb_quat_log(lb_quat_scale(-1, q));
      check_small(vector_distance(lb_scale(1 / angles[k], back), unit), 2e-15);
      check_small(vector_distance(turned, back), 0);
    }
}

static void log_angle_never_exceeds_pi(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 1000; i++) {
    lbVec3 v = lb_scale(20, random_vector(&seed));
    lbVec3 w = lb_quat_log(lb_quat_exp(v));
    assert_true(lb_length(w) <= LB_PI + 1e-15);
    check_small(quat_distance(lb_quat_exp(w), lb_quat_exp(v)), 1e-14);
  }
}

static void normalise_gives_unit_length_and_identity_for_zero(void **state) {
  (void)state;
  lbQuat q = lb_quat_normalise(lb_quat(1, -2, 3, 4));
  check_near(lb_quat_dot(q, q), 1, 1e-15);
  q = lb_quat_normalise(lb_quat(0, 0, 0, 0));
  assert_true(q.w == 1 && q.x == 0);
}

static void slerp_has_constant_speed_and_takes_the_short_way(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (int i = 0; i < 500; i++) {
    lbQuat a = random_quat(&seed), b = random_quat(&seed);
    double angle = lb_length(lb_quat_log(lb_quat_multiply(lb_quat_conjugate(a), b)));
    check_small(quat_distance(lb_quat_slerp(a, b, 0), a), 1e-14);
    check_small(quat_distance(lb_quat_slerp(a, b, 1), b), 1e-14);
    for (double t = 0.125; t < 1; t += 0.125) {
      lbQuat part = lb_quat_multiply(lb_quat_conjugate(a), lb_quat_slerp(a, b, t));
      check_near(lb_length(lb_quat_log(part)), t * angle, 1e-14);
    }
  }
}

typedef struct Motion {
  lbQuat rotation;
  lbVec3 translation;
  lbDualQuat q;
} Motion;

static Motion random_motion(uint64_t *state) {
  Motion m;
  m.rotation = random_quat(state);
  m.translation = lb_scale(3, random_vector(state));
  m.q = lb_dualquat_from_motion(m.rotation, m.translation);
  return m;
}

static void dual_quaternions_move_points_as_rotation_and_translation(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < 1000; i++) {
    Motion a = random_motion(&seed), b = random_motion(&seed);
    lbVec3 p = random_vector(&seed), t;
    lbQuat r;
    lbVec3 moved = lb_add(lb_quat_rotate(a.rotation, p), a.translation);
    check_small(vector_distance(lb_dualquat_transform(a.q, p), moved), 1e-14);
    lbDualQuat ba = lb_dualquat_multiply(b.q, a.q);
    check_small(vector_distance(lb_dualquat_transform(ba, p), lb_dualquat_transform(b.q, moved)),
                1e-14);
    check_small(vector_distance(lb_dualquat_transform(lb_dualquat_conjugate(a.q), moved), p),
                1e-14);
    lb_dualquat_to_motion(a.q, &r, &t);
    check_small(quat_distance(r, a.rotation) + vector_distance(t, a.translation), 1e-14);
  }
}

static void normalising_restores_a_rigid_motion(void **state) {
  (void)state;
  uint64_t seed = 6;
  for (int i = 0; i < 500; i++) {
    Motion a = random_motion(&seed);
    lbDualQuat q = a.q;
    q.dual = lb_quat_add_scaled(q.dual, 0.7, q.real); // real . dual is no longer 0
    q.real = lb_quat_scale(2.5, q.real), q.dual = lb_quat_scale(2.5, q.dual);
    lbDualQuat n = lb_dualquat_normalise(q);
    check_near(lb_quat_dot(n.real, n.real), 1, 1e-15);
    check_small(lb_quat_dot(n.real, n.dual), 1e-15);
    lbVec3 p = random_vector(&seed);
    check_small(vector_distance(lb_dualquat_transform(n, p), lb_dualquat_transform(a.q, p)), 1e-14);
  }
}

static void blend_is_the_same_for_either_sign_of_every_motion(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < 200; i++) {
    lbDualQuat q[3], flipped[3];
    double weights[3] = { 0.2, 0.5, 0.3 };
    for (int k = 0; k < 3; k++) {
      q[k] = flipped[k] = random_motion(&seed).q;
      if (k == 1) continue; // the pivot
      flipped[k].real = lb_quat_scale(-1, q[k].real);
      flipped[k].dual = lb_quat_scale(-1, q[k].dual);
    }
    lbVec3 p = random_vector(&seed);
    lbVec3 one = lb_dualquat_transform(lb_dualquat_blend(3, q, weights, 1), p);
    lbVec3 other = lb_dualquat_transform(lb_dualquat_blend(3, flipped, weights, 1), p);
    check_small(vector_distance(one, other), 0);
  }
}

// Equal motions blend to themselves; two quarter turns about z to the half way between.
static void blend_of_known_motions(void **state) {
  (void)state;
  uint64_t seed = 8;
  Motion a = random_motion(&seed);
  lbDualQuat same[2] = { a.q, a.q };
  double weights[2] = { 0.5, 0.5 };
  lbVec3 p = lb_vec3(0.3, -0.4, 1), z = lb_vec3(0, 0, 1);
  lbVec3 moved = lb_dualquat_transform(lb_dualquat_blend(2, same, weights, 0), p);
  check_small(vector_distance(moved, lb_dualquat_transform(a.q, p)), 1e-14);
  lbDualQuat turns[2] = {
    lb_dualquat_from_motion(lb_quat_from_axis_angle(z, 0.5), lb_vec3(0, 0, 1)),
    lb_dualquat_from_motion(lb_quat_from_axis_angle(z, 1.5), lb_vec3(0, 0, 3)),
  };
  lbVec3 middle = lb_dualquat_transform(lb_dualquat_blend(2, turns, weights, 0), lb_vec3(1, 0, 0));
  check_small(vector_distance(middle, lb_vec3(cos(1), sin(1), 2)), 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(quaternions_and_matrices_rotate_alike),
    cmocka_unit_test(half_turns_convert_both_ways),
    cmocka_unit_test(axis_angle_turns_x_to_y_about_z),
    cmocka_unit_test(log_undoes_exp_for_tiny_and_for_large_angles),
    cmocka_unit_test(log_angle_never_exceeds_pi),
    cmocka_unit_test(normalise_gives_unit_length_and_identity_for_zero),
    cmocka_unit_test(slerp_has_constant_speed_and_takes_the_short_way),
    cmocka_unit_test(dual_quaternions_move_points_as_rotation_and_translation),
    cmocka_unit_test(normalising_restores_a_rigid_motion),
    cmocka_unit_test(blend_is_the_same_for_either_sign_of_every_motion),
    cmocka_unit_test(blend_of_known_motions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
