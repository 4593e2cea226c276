// 3x3 matrices: the small functions against their definitions.
#include "math/matrices.h"

static lbVec3 random_vector(uint64_t *state) {
  double x = check_random(state), y = check_random(state), z = check_random(state);
  return lb_vec3(x, y, z);
}

static void inverse_and_cofactor_satisfy_their_definitions(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 1000; i++) {
    lbMat3 a = random_matrix(&seed), cof = lb_mat3_cofactor(a);
    double det = lb_mat3_determinant(a);
    lbMat3 scaled = lb_mat3_scale(det, lb_mat3_identity());
    check_small(distance(lb_mat3_multiply(lb_mat3_transpose(cof), a), scaled), 1e-14);
    if (fabs(det) < 0.05) continue;
    check_small(distance(lb_mat3_multiply(lb_mat3_inverse(a), a), lb_mat3_identity()), 1e-13);
  }
}

static void determinant_is_multiplicative_and_one_for_a_permutation_of_even_kind(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 1000; i++) {
    lbMat3 a = random_matrix(&seed), b = random_matrix(&seed);
    check_near(lb_mat3_determinant(lb_mat3_multiply(a, b)),
               lb_mat3_determinant(a) * lb_mat3_determinant(b), 1e-14);
  }
  lbMat3 turn = { { 0, 1, 0, 0, 0, 1, 1, 0, 0 } };
  assert_true(lb_mat3_determinant(turn) == 1);
}

static void products_agree_with_each_other(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 1000; i++) {
    lbMat3 a = random_matrix(&seed), b = random_matrix(&seed);
    lbVec3 u = random_vector(&seed), v = random_vector(&seed);
    lbVec3 left = lb_mat3_apply(lb_mat3_multiply(a, b), v);
    lbVec3 right = lb_mat3_apply(a, lb_mat3_apply(b, v));
    check_small(lb_length(lb_sub(left, right)), 1e-14);
    check_near(lb_dot(u, lb_mat3_apply(a, v)), lb_dot(lb_mat3_apply_transpose(a, u), v), 1e-14);
    check_small(lb_length(lb_sub(lb_mat3_apply(lb_mat3_skew(u), v), lb_cross(u, v))), 1e-15);
    lbVec3 projected = lb_mat3_apply(lb_mat3_outer(u, v), v);
    check_small(lb_length(lb_sub(projected, lb_scale(lb_dot(v, v), u))), 1e-14);
    check_near(lb_mat3_trace(lb_mat3_outer(u, v)), lb_dot(u, v), 1e-15);
    check_near(lb_mat3_norm(lb_mat3_outer(u, v)), lb_length(u) * lb_length(v), 1e-14);
  }
}

static void rows_and_columns_are_where_they_belong(void **state) {
  (void)state;
  lbVec3 x = lb_vec3(1, 2, 3), y = lb_vec3(4, 5, 6), z = lb_vec3(7, 8, 9);
  lbMat3 rows = lb_mat3_from_rows(x, y, z), columns = lb_mat3_from_columns(x, y, z);
  for (int i = 0; i < 9; i++) assert_true(rows.m[i] == i + 1);
  assert_true(distance(lb_mat3_transpose(rows), columns) == 0);
  assert_true(lb_mat3_row(rows, 1).z == 6 && lb_mat3_column(rows, 1).z == 8);
  assert_true(lb_mat3_column(columns, 2).x == 7 && lb_mat3_row(columns, 2).x == 3);
  assert_true(lb_mat3_trace(rows) == 15);
  assert_true(distance(lb_mat3_add(rows, rows), lb_mat3_scale(2, rows)) == 0);
}

static void normalising_zero_gives_zero(void **state) {
  (void)state;
  assert_true(lb_length(lb_normalise(lb_vec3(0, 0, 0))) == 0);
  check_near(lb_length(lb_normalise(lb_vec3(3, -4, 12))), 1, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(inverse_and_cofactor_satisfy_their_definitions),
    cmocka_unit_test(determinant_is_multiplicative_and_one_for_a_permutation_of_even_kind),
    cmocka_unit_test(products_agree_with_each_other),
    cmocka_unit_test(rows_and_columns_are_where_they_belong),
    cmocka_unit_test(normalising_zero_gives_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
