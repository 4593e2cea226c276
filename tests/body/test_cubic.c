// Reduced cubic polynomials: storage in tiles, and their contraction at every SIMD level against
// plain sums over all indices.
#include "body/cubic.h"
#include "check.h"

#include <float.h>

enum { MOST = 20, PADDED = 20, PACKED4 = MOST * (MOST + 1) * (MOST + 2) * (MOST + 3) / 24 };

// A polynomial of `count` modes with random coefficients, packed and tiled.
typedef struct Sample {
  int32_t count;
  double packed2[PACKED4], packed3[PACKED4], packed4[PACKED4];
  _Alignas(64) double linear[PADDED * PADDED];
  _Alignas(64) double quadratic[64 * 35], cubic[256 * 70];
  lbCubic tiled;
} Sample;

static Sample sample, other;
static _Alignas(64) double work[5000];

static lbCubicArrays arrays_of(Sample *s) {
  return (lbCubicArrays){ s->linear, s->quadratic, s->cubic };
}

static void bind(Sample *s, int32_t count) {
  assert_true(lb_cubic_work_size(count) <= sizeof work / sizeof *work);
  assert_true(lb_cubic_cubic_size(count) <= sizeof s->cubic / sizeof(double));
  assert_true(lb_cubic_quadratic_size(count) <= sizeof s->quadratic / sizeof(double));
  s->count = count;
  s->tiled = (lbCubic){ count, s->linear, s->quadratic, s->cubic };
}

static void make_sample(Sample *s, int32_t count, uint64_t seed) {
  bind(s, count);
  for (size_t i = 0; i < lb_packed2_count(count); i++) s->packed2[i] = check_random(&seed);
  for (size_t i = 0; i < lb_packed3_count(count); i++) s->packed3[i] = check_random(&seed);
  for (size_t i = 0; i < lb_packed4_count(count); i++) s->packed4[i] = check_random(&seed);
  lbCubicArrays arrays = arrays_of(s);
  lb_cubic_pack(count, s->packed2, s->packed3, s->packed4, &arrays);
}

static void fill(double *values, int32_t count, uint64_t seed) {
  for (int32_t i = 0; i < count; i++) values[i] = check_random(&seed);
}

static double P(int32_t i, int32_t j) { return lb_cubic_coefficient2(&sample.tiled, i, j); }
static double Q(int32_t i, int32_t j, int32_t k) {
  return lb_cubic_coefficient3(&sample.tiled, i, j, k);
}
static double S(int32_t i, int32_t j, int32_t k, int32_t l) {
  return lb_cubic_coefficient4(&sample.tiled, i, j, k, l);
}

// ---- storage -----------------------------------------------------------------------------------

static void packed_places_count_up_without_gaps(void **state) {
  (void)state;
  size_t at2 = 0, at3 = 0, at4 = 0;
  for (int32_t l = 0; l < 12; l++) {
    assert_int_equal(lb_packed2_count(l), at2);
    assert_int_equal(lb_packed3_count(l), at3);
    assert_int_equal(lb_packed4_count(l), at4);
    for (int32_t k = 0; k <= l; k++) {
      assert_int_equal(lb_packed2(k, l), at2++);
      for (int32_t j = 0; j <= k; j++) {
        assert_int_equal(lb_packed3(j, k, l), at3++);
        for (int32_t i = 0; i <= j; i++) assert_int_equal(lb_packed4(i, j, k, l), at4++);
      }
    }
  }
  assert_int_equal(lb_packed4_count(1024), UINT64_C(46081900800)); // 1024*1025*1026*1027/24
}

static void tiles_give_back_what_was_packed_to_the_bit(void **state) {
  (void)state;
  for (int32_t r = 1; r <= MOST; r++) {
    make_sample(&sample, r, (uint64_t)r);
    lb_cubic_unpack(&sample.tiled, other.packed2, other.packed3, other.packed4);
    assert_memory_equal(other.packed2, sample.packed2, lb_packed2_count(r) * sizeof(double));
    assert_memory_equal(other.packed3, sample.packed3, lb_packed3_count(r) * sizeof(double));
    assert_memory_equal(other.packed4, sample.packed4, lb_packed4_count(r) * sizeof(double));
  }
}

static void coefficients_do_not_depend_on_the_order_of_indices(void **state) {
  (void)state;
  make_sample(&sample, 9, 3);
  for (int32_t i = 0; i < 9; i++)
    for (int32_t j = 0; j < 9; j++) {
      assert_true(P(i, j) == P(j, i));
      for (int32_t k = 0; k < 9; k++) {
        assert_true(Q(i, j, k) == Q(j, i, k) && Q(i, j, k) == Q(i, k, j));
        for (int32_t l = 0; l < 9; l++)
          assert_true(S(i, j, k, l) == S(j, i, k, l) && S(i, j, k, l) == S(i, k, j, l) &&
                      S(i, j, k, l) == S(i, j, l, k));
      }
    }
  assert_true(S(8, 0, 3, 0) == sample.packed4[lb_packed4(0, 0, 3, 8)]);
}

static void a_subset_holds_the_coefficients_of_its_modes(void **state) {
  (void)state;
  const int32_t kept[] = { 1, 2, 5, 11, 7, 12 }; // any order
  enum { KEPT = 6 };
  make_sample(&sample, 13, 4);
  bind(&other, KEPT);
  lbCubicArrays arrays = arrays_of(&other);
  lb_cubic_subset(&sample.tiled, KEPT, kept, &arrays);
  for (int32_t i = 0; i < KEPT; i++)
    for (int32_t j = 0; j < KEPT; j++) {
      assert_true(lb_cubic_coefficient2(&other.tiled, i, j) == P(kept[i], kept[j]));
      for (int32_t k = 0; k < KEPT; k++) {
        assert_true(lb_cubic_coefficient3(&other.tiled, i, j, k) == Q(kept[i], kept[j], kept[k]));
        for (int32_t l = 0; l < KEPT; l++)
          assert_true(lb_cubic_coefficient4(&other.tiled, i, j, k, l) ==
                      S(kept[i], kept[j], kept[k], kept[l]));
      }
    }
}

static void combined_parts_are_weighted_sums(void **state) {
  (void)state;
  enum { R = 7 };
  static Sample sum;
  make_sample(&sample, R, 5);
  make_sample(&other, R, 6);
  bind(&sum, R);
  lbCubic parts[2] = { sample.tiled, other.tiled };
  lbCubicArrays arrays = arrays_of(&sum);
  lb_cubic_combine(2, parts, (double[]){ 3, -0.5 }, &arrays);
  lb_cubic_unpack(&sum.tiled, sum.packed2, sum.packed3, sum.packed4);
  for (size_t i = 0; i < lb_packed2_count(R); i++)
    check_near(sum.packed2[i], 3 * sample.packed2[i] - 0.5 * other.packed2[i], 1e-14);
  for (size_t i = 0; i < lb_packed3_count(R); i++)
    check_near(sum.packed3[i], 3 * sample.packed3[i] - 0.5 * other.packed3[i], 1e-14);
  for (size_t i = 0; i < lb_packed4_count(R); i++)
    check_near(sum.packed4[i], 3 * sample.packed4[i] - 0.5 * other.packed4[i], 1e-14);
}

// ---- contraction -------------------------------------------------------------------------------

// Plain sums: A2 = Q(v,.,.), A3 = S(q,v,.,.), and the largest sum of absolute values.
static double plain_contraction(const double *q, const double *v, double A2[MOST][MOST],
                                double A3[MOST][MOST]) {
  int32_t r = sample.count;
  double size = 0;
  for (int32_t a = 0; a < r; a++)
    for (int32_t b = 0; b < r; b++) {
      double sum2 = 0, sum3 = 0, absolute = 0;
      for (int32_t c = 0; c < r; c++) {
        sum2 += Q(a, b, c) * v[c];
        for (int32_t d = 0; d < r; d++) {
          sum3 += S(a, b, c, d) * q[c] * v[d];
          absolute += fabs(S(a, b, c, d) * q[c] * v[d]);
        }
      }
      A2[a][b] = sum2, A3[a][b] = sum3;
      size = fmax(size, absolute);
    }
  return fmax(size, 1);
}

static void check_matrix(const double *A, int32_t r, double expected[MOST][MOST], double scale) {
  int32_t padded = lb_cubic_padded(r);
  for (int32_t a = 0; a < padded; a++)
    for (int32_t b = 0; b < padded; b++) {
      assert_true(A[a * padded + b] == A[b * padded + a]);
      check_near(A[a * padded + b], a < r && b < r ? expected[a][b] : 0, 1e-14 * scale);
    }
}

static void contraction_agrees_with_plain_sums_at_every_level(void **state) {
  (void)state;
  static double plain2[MOST][MOST], plain3[MOST][MOST];
  static double A2[PADDED * PADDED], A3[PADDED * PADDED], first[2][PADDED * PADDED];
  double q[MOST];
  for (int32_t r = 1; r <= MOST; r++) {
    size_t bytes = lb_cubic_linear_size(r) * sizeof(double);
    make_sample(&sample, r, (uint64_t)(10 + r));
    fill(q, r, (uint64_t)r);
    double scale = plain_contraction(q, q, plain2, plain3);
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
      if (!lb_simd_has((lbSimdLevel)level)) continue;
      fill(work, (int32_t)lb_cubic_work_size(r), 1); // nothing in it counts
      lb_cubic_kernels((lbSimdLevel)level)->contract(&sample.tiled, q, A2, A3, work);
      check_matrix(A2, r, plain2, scale);
      check_matrix(A3, r, plain3, scale);
      if (level == LB_SIMD_PORTABLE || level == LB_SIMD_AVX2)
        memcpy(first[0], A2, bytes), memcpy(first[1], A3, bytes);
      assert_memory_equal(first[0], A2, bytes); // fused or not: the width changes nothing
      assert_memory_equal(first[1], A3, bytes);
    }
  }
}

static void force_stiffness_and_energy_belong_to_the_contraction(void **state) {
  (void)state;
  static double plain2[MOST][MOST], plain3[MOST][MOST], K[PADDED * PADDED];
  double q[MOST], R[MOST + 1], R_alone[MOST + 1];
  for (int32_t r = 1; r <= MOST; r++) {
    make_sample(&sample, r, (uint64_t)(40 + r));
    fill(q, r, (uint64_t)(80 + r));
    double scale = plain_contraction(q, q, plain2, plain3) * r;
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
      if (!lb_simd_has((lbSimdLevel)level)) continue;
      const lbCubicKernels *kernels = lb_cubic_kernels((lbSimdLevel)level);
      R[r] = R_alone[r] = 777;
      double W = kernels->evaluate(&sample.tiled, q, R, K, work), W_plain = 0;
      double W_alone = kernels->force(&sample.tiled, q, R_alone, work);
      assert_true(R[r] == 777 && R_alone[r] == 777);
      for (int32_t a = 0; a < r; a++) {
        double sum = 0;
        for (int32_t b = 0; b < r; b++) {
          sum += (P(a, b) + plain2[a][b] + plain3[a][b]) * q[b];
          W_plain += q[a] * (P(a, b) / 2 + plain2[a][b] / 3 + plain3[a][b] / 4) * q[b];
          check_near(K[a * lb_cubic_padded(r) + b], P(a, b) + 2 * plain2[a][b] + 3 * plain3[a][b],
                     1e-14 * scale);
        }
        check_near(R[a], sum, 1e-14 * scale);
        check_near(R_alone[a], sum, 1e-14 * scale);
      }
      check_near(W, W_plain, 1e-14 * scale * r);
      check_near(W_alone, W_plain, 1e-14 * scale * r);
    }
  }
}

static void force_is_the_slope_of_the_energy_and_stiffness_that_of_the_force(void **state) {
  (void)state;
  enum { R = 11, STRIDE = 12 };
  const double step = 1e-5;
  const lbCubicKernels *kernels = lb_cubic_kernels(lb_simd_best());
  double q[R], force[R], plus[R], minus[R], K[STRIDE * STRIDE], unused[STRIDE * STRIDE];
  make_sample(&sample, R, 60);
  fill(q, R, 61);
  kernels->evaluate(&sample.tiled, q, force, K, work);
  for (int i = 0; i < R; i++) {
    double before = q[i];
    q[i] = before + step;
    double up = kernels->evaluate(&sample.tiled, q, plus, unused, work);
    q[i] = before - step;
    double down = kernels->evaluate(&sample.tiled, q, minus, unused, work);
    q[i] = before;
    check_near((up - down) / (2 * step), force[i], 1e-7);
    for (int j = 0; j < R; j++)
      check_near((plus[j] - minus[j]) / (2 * step), K[i * STRIDE + j], 1e-7);
  }
}

static void stiffness_rate_is_the_bilinear_form_and_the_slope_along_a_velocity(void **state) {
  (void)state;
  static double plain2[MOST][MOST], plain3[MOST][MOST];
  static double rate[PADDED * PADDED], plus[PADDED * PADDED], minus[PADDED * PADDED];
  double q[MOST], v[MOST], moved[MOST], unused[MOST];
  for (int32_t r = 1; r <= MOST; r++) {
    make_sample(&sample, r, (uint64_t)(90 + r));
    fill(q, r, (uint64_t)r), fill(v, r, (uint64_t)(r + 1));
    double scale = 6 * plain_contraction(q, v, plain2, plain3);
    for (int32_t a = 0; a < r; a++)
      for (int32_t b = 0; b < r; b++) plain3[a][b] = 2 * plain2[a][b] + 6 * plain3[a][b];
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
      if (!lb_simd_has((lbSimdLevel)level)) continue;
      lb_cubic_kernels((lbSimdLevel)level)->stiffness_rate(&sample.tiled, q, v, rate, work);
      check_matrix(rate, r, plain3, scale);
    }
    // K is quadratic in q: central differences are exact but for rounding.
    const lbCubicKernels *kernels = lb_cubic_kernels(lb_simd_best());
    const double step = 0.1;
    for (int32_t i = 0; i < r; i++) moved[i] = q[i] + step * v[i];
    kernels->evaluate(&sample.tiled, moved, unused, plus, work);
    for (int32_t i = 0; i < r; i++) moved[i] = q[i] - step * v[i];
    kernels->evaluate(&sample.tiled, moved, unused, minus, work);
    for (size_t i = 0; i < lb_cubic_linear_size(r); i++)
      check_near((plus[i] - minus[i]) / (2 * step), rate[i], 1e-12 * scale);
  }
}

static void what_is_not_a_number_comes_through(void **state) {
  (void)state;
  double q[5] = { 0, NAN, 0, 0, 0 }, force[5], K[64];
  make_sample(&sample, 5, 8);
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    const lbCubicKernels *kernels = lb_cubic_kernels((lbSimdLevel)level);
    assert_true(isnan(kernels->evaluate(&sample.tiled, q, force, K, work)));
    assert_true(isnan(force[0]) && isnan(K[0]));
    assert_true(isnan(kernels->force(&sample.tiled, q, force, work)) && isnan(force[4]));
  }
}

// No fused operations and no libm in it.
static void portable_bits_are_the_same_under_every_compiler(void **state) {
  (void)state;
  double q[14], force[14], K[256];
  uint64_t hash = 0;
  make_sample(&sample, 14, 9);
  fill(q, 14, 2);
  double W = lb_cubic_kernels(LB_SIMD_PORTABLE)->evaluate(&sample.tiled, q, force, K, work);
  hash = check_hash(hash, &W, sizeof W);
  hash = check_hash(hash, force, sizeof force);
  hash = check_hash(hash, K, sizeof K);
  W = lb_cubic_kernels(LB_SIMD_PORTABLE)->force(&sample.tiled, q, force, work);
  hash = check_hash(hash, &W, sizeof W);
  hash = check_hash(hash, force, sizeof force);
  print_message("hash %016llx\n", (unsigned long long)hash);
  assert_true(hash == UINT64_C(0xc54bdae904b4ae0a));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(packed_places_count_up_without_gaps),
    cmocka_unit_test(tiles_give_back_what_was_packed_to_the_bit),
    cmocka_unit_test(coefficients_do_not_depend_on_the_order_of_indices),
    cmocka_unit_test(a_subset_holds_the_coefficients_of_its_modes),
    cmocka_unit_test(combined_parts_are_weighted_sums),
    cmocka_unit_test(contraction_agrees_with_plain_sums_at_every_level),
    cmocka_unit_test(force_stiffness_and_energy_belong_to_the_contraction),
    cmocka_unit_test(force_is_the_slope_of_the_energy_and_stiffness_that_of_the_force),
    cmocka_unit_test(stiffness_rate_is_the_bilinear_form_and_the_slope_along_a_velocity),
    cmocka_unit_test(what_is_not_a_number_comes_through),
    cmocka_unit_test(portable_bits_are_the_same_under_every_compiler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
