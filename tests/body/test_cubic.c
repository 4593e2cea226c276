// Reduced cubic polynomials: their storage, and their contraction at every SIMD level against plain
// sums over all indices.
#include "method/subspace/cubic.h"
#include "check.h"

#include <float.h>

enum { MOST = 100, PADDED = 100, SMALL = 20 };

// A polynomial of `count` modes with random coefficients, packed and prepared.
typedef struct Sample {
  int32_t count;
  double *packed2, *packed3, *packed4;
  lbCubicArrays arrays;
  float *quadratic_single, *cubic_single;
  lbCubic tiled, single; // of double and of single precision
} Sample;

static Sample sample, other;
static double *work;

static void *grow(void *block, size_t count, size_t size) {
  block = realloc(block, count * size);
  assert_non_null(block);
  return block;
}

static void bind(Sample *s, int32_t r) {
  size_t size2 = lb_cubic_linear_size(r), size3 = lb_cubic_quadratic_size(r);
  size_t size4 = lb_cubic_cubic_size(r);
  s->count = r;
  s->packed2 = grow(s->packed2, lb_packed2_count(r), sizeof(double));
  s->packed3 = grow(s->packed3, lb_packed3_count(r), sizeof(double));
  s->packed4 = grow(s->packed4, lb_packed4_count(r), sizeof(double));
  s->arrays.linear = grow(s->arrays.linear, size2, sizeof(double));
  s->arrays.quadratic = grow(s->arrays.quadratic, size3, sizeof(double));
  s->arrays.cubic = grow(s->arrays.cubic, size4, sizeof(double));
  s->quadratic_single = grow(s->quadratic_single, size3, sizeof(float));
  s->cubic_single = grow(s->cubic_single, size4, sizeof(float));
  s->tiled = (lbCubic){ r, s->arrays.linear, s->arrays.quadratic, s->arrays.cubic, NULL, NULL };
  s->single = (lbCubic){ r, s->arrays.linear, NULL, NULL, s->quadratic_single, s->cubic_single };
  work = grow(work, lb_cubic_work_size(r), sizeof(double));
}

static void release(Sample *s) {
  free(s->packed2), free(s->packed3), free(s->packed4);
  free(s->arrays.linear), free(s->arrays.quadratic), free(s->arrays.cubic);
  free(s->quadratic_single), free(s->cubic_single);
  *s = (Sample){ 0 };
}

static void make_sample(Sample *s, int32_t count, uint64_t seed) {
  bind(s, count);
  for (size_t i = 0; i < lb_packed2_count(count); i++) s->packed2[i] = check_random(&seed);
  for (size_t i = 0; i < lb_packed3_count(count); i++) s->packed3[i] = check_random(&seed);
  for (size_t i = 0; i < lb_packed4_count(count); i++) s->packed4[i] = check_random(&seed);
  lb_cubic_pack(count, s->packed2, s->packed3, s->packed4, &s->arrays);
  lb_cubic_round(&s->tiled, s->quadratic_single, s->cubic_single);
}

// 1, 2, ..., 44, 60, 100: both storages of S and all tails
static int32_t next_size(int32_t r) { return r < 44 ? r + 1 : r < 60 ? 60 : r < 100 ? 100 : 0; }

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

// Back to packed coefficients.
static void unpack(const lbCubic *cubic, double *packed2, double *packed3, double *packed4) {
  for (int32_t l = 0; l < cubic->count; l++)
    for (int32_t k = 0; k <= l; k++) {
      packed2[lb_packed2(k, l)] = lb_cubic_coefficient2(cubic, k, l);
      for (int32_t j = 0; j <= k; j++) {
        packed3[lb_packed3(j, k, l)] = lb_cubic_coefficient3(cubic, j, k, l);
        for (int32_t i = 0; i <= j; i++)
          packed4[lb_packed4(i, j, k, l)] = lb_cubic_coefficient4(cubic, i, j, k, l);
      }
    }
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

static void storage_gives_back_what_was_packed_to_the_bit(void **state) {
  (void)state;
  for (int32_t r = 1; r <= 44; r++) {
    make_sample(&sample, r, (uint64_t)r);
    bind(&other, r);
    unpack(&sample.tiled, other.packed2, other.packed3, other.packed4);
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

static void combined_parts_are_weighted_sums(void **state) {
  (void)state;
  enum { R = 7 };
  static Sample sum;
  make_sample(&sample, R, 5);
  make_sample(&other, R, 6);
  bind(&sum, R);
  lbCubic parts[2] = { sample.tiled, other.tiled };
  lb_cubic_combine(2, parts, (double[]){ 3, -0.5 }, &sum.arrays);
  unpack(&sum.tiled, sum.packed2, sum.packed3, sum.packed4);
  for (size_t i = 0; i < lb_packed2_count(R); i++)
    check_near(sum.packed2[i], 3 * sample.packed2[i] - 0.5 * other.packed2[i], 1e-14);
  for (size_t i = 0; i < lb_packed3_count(R); i++)
    check_near(sum.packed3[i], 3 * sample.packed3[i] - 0.5 * other.packed3[i], 1e-14);
  for (size_t i = 0; i < lb_packed4_count(R); i++)
    check_near(sum.packed4[i], 3 * sample.packed4[i] - 0.5 * other.packed4[i], 1e-14);
  release(&sum);
}

// ---- contraction -------------------------------------------------------------------------------

// A packed coefficient of four indices in any order.
static double packed_at(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32_t t[4] = { a, b, c, d };
  for (int i = 0; i < 3; i++)
    for (int j = 3; j > i; j--)
      if (t[j] < t[j - 1]) {
        int32_t swap = t[j];
        t[j] = t[j - 1], t[j - 1] = swap;
      }
  return sample.packed4[lb_packed4(t[0], t[1], t[2], t[3])];
}

// Plain sums over packed coefficients: A2 = Q(v,.,.), A3 = S(q,v,.,.), and the largest sum of
// absolute values.
static double plain_contraction(const double *q, const double *v, double A2[MOST][MOST],
                                double A3[MOST][MOST]) {
  int32_t r = sample.count;
  double size = 0;
  for (int32_t a = 0; a < r; a++)
    for (int32_t b = 0; b <= a; b++) {
      double sum2 = 0, sum3 = 0, absolute = 0;
      for (int32_t c = 0; c < r; c++) {
        sum2 += Q(a, b, c) * v[c];
        for (int32_t d = 0; d <= c; d++) {
          double S_abcd = packed_at(a, b, d, c);
          double products = d == c ? q[c] * v[c] : q[c] * v[d] + q[d] * v[c];
          sum3 += S_abcd * products;
          absolute += fabs(S_abcd * products);
        }
      }
      A2[a][b] = A2[b][a] = sum2;
      A3[a][b] = A3[b][a] = sum3;
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
  for (int32_t r = 1; r > 0; r = next_size(r)) {
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
  for (int32_t r = 1; r > 0; r = next_size(r)) {
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
  for (int32_t r = 1; r <= 44; r += r < SMALL ? 1 : 4) {
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

// Rounding of coefficients alone: 6e-8 of each, of either sign.
static void single_precision_changes_forces_by_its_rounding(void **state) {
  (void)state;
  static double K[PADDED * PADDED], K_single[PADDED * PADDED];
  double q[MOST], R[MOST], R_single[MOST], alone[MOST], worst = 0;
  const int32_t sizes[] = { 3, 15, 30, 41, 60 };
  for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
    int32_t r = sizes[n];
    make_sample(&sample, r, (uint64_t)(70 + r));
    for (uint64_t seed = 1; seed < 20; seed++) {
      fill(q, r, seed);
      for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
        if (!lb_simd_has((lbSimdLevel)level)) continue;
        const lbCubicKernels *kernels = lb_cubic_kernels((lbSimdLevel)level);
        double W = kernels->evaluate(&sample.tiled, q, R, K, work), error = 0, size = 0;
        double W_single = kernels->evaluate(&sample.single, q, R_single, K_single, work);
        kernels->force(&sample.single, q, alone, work);
        for (int32_t i = 0; i < r; i++) {
          error += (R[i] - R_single[i]) * (R[i] - R_single[i]);
          size += R[i] * R[i];
          check_near(alone[i], R_single[i], 1e-11 * r * r);
        }
        worst = fmax(worst, sqrt(error / size));
        check_near(W_single, W, 1e-6 * r);
        for (size_t i = 0; i < lb_cubic_linear_size(r); i++)
          check_near(K_single[i], K[i], 1e-6 * r);
      }
    }
  }
  print_message("largest relative error of a force: %.2g\n", worst);
  check_small(worst, 1e-7);
}

static void coefficients_of_single_precision_are_read_back_rounded(void **state) {
  (void)state;
  for (int32_t r = 5; r <= 45; r += 40) {
    make_sample(&sample, r, 3);
    for (int32_t l = 0; l < r; l++)
      for (int32_t i = 0; i <= l; i++) {
        double S_wide = S(i, l / 2, l, l), Q_wide = Q(i, l / 2, l);
        check_near(lb_cubic_coefficient4(&sample.single, i, l / 2, l, l), S_wide, 1e-7);
        check_near(lb_cubic_coefficient3(&sample.single, i, l / 2, l), Q_wide, 1e-7);
      }
  }
}

// No fused operations and no libm in it.
static void portable_bits_are_the_same_under_every_compiler(void **state) {
  (void)state;
  static double q[45], force[45], K[48 * 48];
  uint64_t hash = 0;
  const int32_t sizes[] = { 14, 30, 45 }; // of each storage
  for (int k = 0; k < 3; k++) {
    int32_t r = sizes[k];
    make_sample(&sample, r, 9);
    fill(q, r, 2);
    const lbCubic *precisions[2] = { &sample.tiled, &sample.single };
    for (int p = 0; p < 2; p++) {
      double W = lb_cubic_kernels(LB_SIMD_PORTABLE)->evaluate(precisions[p], q, force, K, work);
      hash = check_hash(hash, &W, sizeof W);
      hash = check_hash(hash, force, (size_t)r * sizeof(double));
      hash = check_hash(hash, K, lb_cubic_linear_size(r) * sizeof(double));
      W = lb_cubic_kernels(LB_SIMD_PORTABLE)->force(precisions[p], q, force, work);
      hash = check_hash(hash, &W, sizeof W);
      hash = check_hash(hash, force, (size_t)r * sizeof(double));
    }
  }
  print_message("hash %016llx\n", (unsigned long long)hash);
  assert_true(hash == UINT64_C(0x5db7fa48cd1f7a8c));
}

static int release_all(void **state) {
  (void)state;
  release(&sample), release(&other);
  free(work);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(packed_places_count_up_without_gaps),
    cmocka_unit_test(storage_gives_back_what_was_packed_to_the_bit),
    cmocka_unit_test(coefficients_do_not_depend_on_the_order_of_indices),
    cmocka_unit_test(combined_parts_are_weighted_sums),
    cmocka_unit_test(contraction_agrees_with_plain_sums_at_every_level),
    cmocka_unit_test(force_stiffness_and_energy_belong_to_the_contraction),
    cmocka_unit_test(force_is_the_slope_of_the_energy_and_stiffness_that_of_the_force),
    cmocka_unit_test(stiffness_rate_is_the_bilinear_form_and_the_slope_along_a_velocity),
    cmocka_unit_test(what_is_not_a_number_comes_through),
    cmocka_unit_test(single_precision_changes_forces_by_its_rounding),
    cmocka_unit_test(coefficients_of_single_precision_are_read_back_rounded),
    cmocka_unit_test(portable_bits_are_the_same_under_every_compiler),
  };
  return cmocka_run_group_tests(tests, NULL, release_all);
}
