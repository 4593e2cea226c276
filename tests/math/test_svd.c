// The 3x3 singular value and polar decompositions on every kind of matrix.
#include "math/matrices.h"

#include <float.h>

// Everything that lb_svd3 promises, relative to |A| = `size`.
static void check_svd(lbMat3 a, double size) {
  lbSvd3 d = lb_svd3(a);
  check_small(rotation_defect(d.u), 1e-14);
  check_small(rotation_defect(d.v), 1e-14);
  assert_true(d.s[0] >= d.s[1] && d.s[1] >= fabs(d.s[2]));
  // scaled first: |A|^2 may not fit a double
  lbMat3 product = compose(d.u, d.s[0] / size, d.s[1] / size, d.s[2] / size, d.v);
  for (int i = 0; i < 9; i++) a.m[i] /= size;
  check_small(distance(product, a), 1e-14);
}

static void check_values(lbMat3 a, double s0, double s1, double s2, double scale) {
  lbSvd3 d = lb_svd3(a);
  check_svd(a, scale);
  check_small((d.s[0] - s0) / scale, 1e-14);
  check_small((d.s[1] - s1) / scale, 1e-14);
  check_small((d.s[2] - s2) / scale, 1e-14);
}

static void values_that_were_put_in_come_out(void **state) {
  (void)state;
  uint64_t seed = 1;
  const double values[][3] = { { 3, 2, 1 },          { 3, 2, -1 },       { 1, 1, 1 },
                               { 1, 1, -1 },         { 2, 1, 0 },        { 1, 0, 0 },
                               { 1, 1, 0 },          { 2, 1, 1 },        { 2, 1, -1 },
                               { 1, 1e-8, 0 },       { 1, 1e-8, 1e-16 }, { 0, 0, 0 },
                               { 1, 1e-14, -1e-14 }, { 1, 1, 1e-9 },     { 1, 1e-200, 0 } };
  for (size_t k = 0; k < sizeof values / sizeof *values; k++)
    for (int i = 0; i < 200; i++) {
      const double *s = values[k];
      check_values(random_with_values(&seed, s[0], s[1], s[2]), s[0], s[1], s[2],
                   s[0] > 0 ? s[0] : 1);
    }
}

static void last_value_has_the_sign_of_the_determinant(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 5000; i++) {
    lbMat3 a = random_matrix(&seed);
    lbSvd3 d = lb_svd3(a);
    check_svd(a, lb_mat3_norm(a));
    assert_true(d.s[2] * lb_mat3_determinant(a) > 0 || fabs(d.s[2]) < 1e-14);
  }
}

static void exact_special_matrices(void **state) {
  (void)state;
  check_values(lb_mat3_zero(), 0, 0, 0, 1);
  check_values(lb_mat3_identity(), 1, 1, 1, 1);
  check_values(lb_mat3_diagonal(-1, -1, -1), 1, 1, -1, 1);
  check_values(lb_mat3_diagonal(1, 2, 3), 3, 2, 1, 3);
  check_values(lb_mat3_diagonal(0, 0, -5), 5, 0, 0, 5);
  check_values(lb_mat3_outer(lb_vec3(1, 2, 2), lb_vec3(2, 3, 6)), 21, 0, 0, 21);
  lbMat3 ones = { { 1, 1, 1, 1, 1, 1, 1, 1, 1 } };
  check_values(ones, 3, 0, 0, 3);
  lbMat3 shear = { { 1, 1e16, 0, 0, 1, 0, 0, 0, 1 } };
  check_svd(shear, 1e16);
}

static void badly_scaled_matrices(void **state) {
  (void)state;
  uint64_t seed = 3;
  const double scales[] = { 1e-150, 1e150, 1e-300, 1e300, 1e-307, 1e8, 1e-8 };
  for (size_t k = 0; k < sizeof scales / sizeof *scales; k++)
    for (int i = 0; i < 100; i++) {
      lbMat3 a = random_with_values(&seed, 3 * scales[k], 2 * scales[k], -scales[k]);
      check_values(a, 3 * scales[k], 2 * scales[k], -scales[k], scales[k]);
    }
  for (int i = 0; i < 1000; i++) { // every entry of its own size
    lbMat3 a = random_matrix(&seed);
    double size = 0;
    for (int k = 0; k < 9; k++) {
      a.m[k] *= pow(10, 150 * check_random(&seed));
      size = fmax(size, fabs(a.m[k]));
    }
    check_svd(a, size);
  }
}

static void not_a_number_gives_not_a_number(void **state) {
  (void)state;
  for (int i = 0; i < 9; i++) {
    lbMat3 a = lb_mat3_identity(), r, s;
    a.m[i] = i % 2 ? NAN : -INFINITY;
    lbSvd3 d = lb_svd3(a);
    lb_polar3(a, &r, &s);
    for (int k = 0; k < 9; k++) {
      assert_true(isnan(d.u.m[k]) && isnan(d.v.m[k]));
      assert_true(isnan(r.m[k]) && isnan(s.m[k]));
    }
    for (int k = 0; k < 3; k++) assert_true(isnan(d.s[k]));
  }
}

static void check_polar(lbMat3 a) {
  lbMat3 r, s;
  lb_polar3(a, &r, &s);
  check_small(rotation_defect(r), 1e-14);
  assert_true(s.m[1] == s.m[3] && s.m[2] == s.m[6] && s.m[5] == s.m[7]);
  check_small(distance(lb_mat3_multiply(r, s), a), 1e-14 * fmax(lb_mat3_norm(a), 1e-300));
}

static void polar_factors_multiply_back(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (int i = 0; i < 2000; i++) {
    check_polar(random_matrix(&seed));
    check_polar(random_with_values(&seed, 1, 0.5, 0));
    check_polar(random_with_values(&seed, 1, 0, 0));
    check_polar(random_with_values(&seed, 1, 0.5, -0.5));
  }
  check_polar(lb_mat3_zero());
}

// No rotation nearby, nor any random one, has a larger tr(R^T A).
static void polar_rotation_is_the_nearest(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < 500; i++) {
    lbMat3 a = random_matrix(&seed), r;
    lb_polar3(a, &r, NULL);
    double best = distance(a, r);
    for (int k = 0; k < 20; k++) {
      lbMat3 turn = random_rotation(&seed);
      lbVec3 small = lb_scale(1e-3, lb_vec3_load(turn.m));
      lbMat3 near = lb_mat3_multiply(r, lb_quat_to_mat3(lb_quat_exp(small)));
      assert_true(distance(a, turn) >= best - 1e-14);
      assert_true(distance(a, near) >= best - 1e-14);
    }
  }
}

static void polar_of_a_rotated_stretch_finds_the_rotation(void **state) {
  (void)state;
  uint64_t seed = 6;
  for (int i = 0; i < 1000; i++) {
    lbMat3 q = random_rotation(&seed), v = random_rotation(&seed), r, s;
    lbMat3 stretch = compose(v, 3, 1, 0.2, v);
    lb_polar3(lb_mat3_multiply(q, stretch), &r, &s);
    check_small(distance(r, q), 1e-14);
    check_small(distance(s, stretch), 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_that_were_put_in_come_out),
    cmocka_unit_test(last_value_has_the_sign_of_the_determinant),
    cmocka_unit_test(exact_special_matrices),
    cmocka_unit_test(badly_scaled_matrices),
    cmocka_unit_test(not_a_number_gives_not_a_number),
    cmocka_unit_test(polar_factors_multiply_back),
    cmocka_unit_test(polar_rotation_is_the_nearest),
    cmocka_unit_test(polar_of_a_rotated_stretch_finds_the_rotation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
