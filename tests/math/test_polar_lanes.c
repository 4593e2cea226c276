// The polar decomposition over lanes against the scalar one, at every SIMD level of this machine.
#include "math/matrices.h"
#include "math/batch.h"

enum { COUNT = 2000 };

// Compares all levels with lb_polar3; the condition of R is |F| / (s1 + s2).
static void check_levels(const lbMat3 *f, int32_t count, double tolerance) {
  static lbMat3 r[COUNT];
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    memset(r, 0xff, sizeof r);
    lb_polar_batch((lbSimdLevel)level, count, f, r);
    double worst = 0, defect = 0;
    for (int32_t i = 0; i < count; i++) {
      lbMat3 expected;
      lb_polar3(f[i], &expected, NULL);
      worst = fmax(worst, distance(r[i], expected));
      defect = fmax(defect, rotation_defect(r[i]));
      if (isnan(distance(r[i], expected))) worst = NAN;
    }
    print_message("%s: worst difference %.2e, defect %.2e\n", lb_simd_name((lbSimdLevel)level),
                  worst, defect);
    check_small(worst, tolerance);
    check_small(defect, 1e-14);
  }
}

static void lanes_equal_scalar_for_condition_up_to_a_thousand(void **state) {
  (void)state;
  static lbMat3 f[COUNT];
  uint64_t seed = 1;
  for (int i = 0; i < COUNT; i++) {
    double b = pow(10, -1.5 * (1 + check_random(&seed))),
           c = pow(10, -1.5 * (1 + check_random(&seed)));
    if (i % 10 == 0) b = c = 1e-3; // the worst: a needle
    f[i] = random_with_values(&seed, 1, fmax(b, c), fmin(b, c));
  }
  check_levels(f, COUNT, 1e-12);
}

static void lanes_equal_scalar_near_rotations(void **state) {
  (void)state;
  static lbMat3 f[COUNT];
  uint64_t seed = 2;
  for (int i = 0; i < COUNT; i++) {
    double size = pow(10, -16 * (i % 17) / 16.0);
    f[i] = lb_mat3_multiply(
        random_rotation(&seed),
        lb_mat3_add(lb_mat3_identity(), lb_mat3_scale(0.3 * size, random_matrix(&seed))));
  }
  check_levels(f, COUNT, 1e-14);
}

static void lanes_equal_scalar_for_inverted(void **state) {
  (void)state;
  static lbMat3 f[COUNT];
  uint64_t seed = 3;
  for (int i = 0; i < COUNT; i++) {
    double c = 0.25 * (1 + check_random(&seed)), b = c + 0.01 + 0.25 * (1 + check_random(&seed));
    f[i] = random_with_values(&seed, fmax(b, 1), b, -c);
  }
  check_levels(f, COUNT, 1e-12);
}

static void lanes_equal_scalar_for_flat(void **state) {
  (void)state;
  static lbMat3 f[COUNT];
  uint64_t seed = 4;
  for (int i = 0; i < COUNT; i++)
    f[i] = random_with_values(&seed, 1, 0.01 + 0.49 * (1 + check_random(&seed)), 0);
  check_levels(f, COUNT, 1e-12);
}

// Here the rotation is not unique: the lanes must give what the scalar gives, bit for bit.
static void ambiguous_lanes_are_done_by_the_scalar_function(void **state) {
  (void)state;
  static lbMat3 f[COUNT], r[COUNT];
  uint64_t seed = 5;
  for (int i = 0; i < COUNT; i++) switch (i % 8) {
    case 0: f[i] = random_with_values(&seed, 1, 0, 0); break;
    case 1: f[i] = lb_mat3_zero(); break;
    case 2: f[i] = random_with_values(&seed, 1, 0.5, -0.5); break;
    case 3: f[i] = random_with_values(&seed, 1, 1, -1); break;
    case 4: f[i] = random_with_values(&seed, 1e-160, 1e-160, 1e-160); break;
    case 5: f[i] = random_with_values(&seed, 1e160, 1e160, 1e160); break;
    case 6: f[i] = random_with_values(&seed, 1, 1e-9, 1e-9); break;
    default: f[i] = lb_mat3_outer(lb_vec3(1, 0, 0), lb_vec3(0, 1, 0)); break;
    }
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    lb_polar_batch((lbSimdLevel)level, COUNT, f, r);
    for (int i = 0; i < COUNT; i++) {
      lbMat3 expected;
      lb_polar3(f[i], &expected, NULL);
      assert_memory_equal(&r[i], &expected, sizeof expected);
    }
  }
}

static void random_matrices_attain_the_scalar_trace(void **state) {
  (void)state;
  static lbMat3 f[COUNT], r[COUNT];
  uint64_t seed = 6;
  for (int i = 0; i < COUNT; i++)
    f[i] = lb_mat3_scale(pow(10, 100 * check_random(&seed)), random_matrix(&seed));
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    lb_polar_batch((lbSimdLevel)level, COUNT, f, r);
    for (int i = 0; i < COUNT; i++) {
      lbSvd3 svd = lb_svd3(f[i]);
      double trace = lb_mat3_trace(lb_mat3_multiply(lb_mat3_transpose(r[i]), f[i]));
      check_small((trace - svd.s[0] - svd.s[1] - svd.s[2]) / svd.s[0], 1e-14);
      check_small(rotation_defect(r[i]), 1e-14);
      double gap = (svd.s[1] + svd.s[2]) / svd.s[0];
      check_small(distance(r[i], lb_mat3_multiply(svd.u, lb_mat3_transpose(svd.v))), 1e-14 / gap);
    }
  }
}

static void nan_gives_nan_and_spares_the_neighbours(void **state) {
  (void)state;
  lbMat3 f[8], r[8];
  for (int i = 0; i < 8; i++) f[i] = lb_mat3_identity();
  f[3].m[4] = NAN;
  f[5].m[2] = INFINITY;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    lb_polar_batch((lbSimdLevel)level, 8, f, r);
    for (int i = 0; i < 8; i++) {
      if (i == 3 || i == 5)
        assert_true(isnan(r[i].m[0]));
      else
        check_small(distance(r[i], f[i]), 1e-15);
    }
  }
}

static void every_tail_length_gives_the_same_bits(void **state) {
  (void)state;
  lbMat3 f[20], whole[20], r[21];
  uint64_t seed = 7;
  for (int i = 0; i < 20; i++) f[i] = random_matrix(&seed);
  f[6] = lb_mat3_outer(lb_vec3(1, 2, 3), lb_vec3(3, 1, 1));
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    lb_polar_batch((lbSimdLevel)level, 20, f, whole);
    for (int count = 0; count <= 20; count++) {
      memset(r, 0x5a, sizeof r);
      lbMat3 untouched = r[count];
      lb_polar_batch((lbSimdLevel)level, count, f, r);
      assert_memory_equal(r, whole, (size_t)count * sizeof *r);
      assert_memory_equal(&r[count], &untouched, sizeof untouched);
    }
  }
}

#ifdef LB_HAVE_BASE // the portable build has one level
static void levels_without_fused_multiply_add_give_the_same_bits(void **state) {
  (void)state;
  static lbMat3 f[COUNT], portable[COUNT], base[COUNT];
  uint64_t seed = 8;
  for (int i = 0; i < COUNT; i++)
    f[i] = i % 3 ? random_matrix(&seed)
                 : random_with_values(&seed, 1, pow(10, -4 * (1 + check_random(&seed))), 0);
  lb_polar_batch(LB_SIMD_PORTABLE, COUNT, f, portable);
  lb_polar_batch(LB_SIMD_BASE, COUNT, f, base);
  assert_memory_equal(portable, base, sizeof base);
}
#endif

// No libm in it but the exact square root, so gcc, clang and the page must agree.
static void portable_bits_are_the_same_under_every_compiler(void **state) {
  (void)state;
  static lbMat3 f[COUNT], r[COUNT];
  uint64_t seed = 9;
  for (int i = 0; i < COUNT; i++)
    f[i] = i % 4 ? random_matrix(&seed) : random_with_values(&seed, 1, 1e-3 * (i % 3), 0);
  lb_polar_batch(LB_SIMD_PORTABLE, COUNT, f, r);
  uint64_t hash = check_hash(0, r, sizeof r);
  print_message("hash %016llx\n", (unsigned long long)hash);
  assert_true(hash == UINT64_C(0x0d6e2b5ca829cedd));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lanes_equal_scalar_for_condition_up_to_a_thousand),
    cmocka_unit_test(lanes_equal_scalar_near_rotations),
    cmocka_unit_test(lanes_equal_scalar_for_inverted),
    cmocka_unit_test(lanes_equal_scalar_for_flat),
    cmocka_unit_test(ambiguous_lanes_are_done_by_the_scalar_function),
    cmocka_unit_test(random_matrices_attain_the_scalar_trace),
    cmocka_unit_test(nan_gives_nan_and_spares_the_neighbours),
    cmocka_unit_test(every_tail_length_gives_the_same_bits),
#ifdef LB_HAVE_BASE
    cmocka_unit_test(levels_without_fused_multiply_add_give_the_same_bits),
#endif
    cmocka_unit_test(portable_bits_are_the_same_under_every_compiler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
