// Forces of a crowd, a body in each lane: the bits of a body alone, for every number of bodies, at
// every SIMD level, whatever the other lanes hold.
#include "method/subspace/cubic_lanes.h"
#include "check.h"

enum { MOST = LB_CUBIC_WHOLE, MATRIX = MOST * MOST, TRIANGLE = MOST * (MOST + 1) / 2 };

typedef struct Sample {
  double *linear, *quadratic, *cubic, *work, *crowd_work;
  float *quadratic_single, *cubic_single;
  lbCubic wide, narrow;
} Sample;

static Sample s;

static void *take(size_t count, size_t size) {
  void *block = test_calloc(count, size);
  assert_non_null(block);
  return block;
}

static double *random_numbers(size_t count, uint64_t *seed) {
  double *values = take(count, sizeof(double));
  for (size_t i = 0; i < count; i++) values[i] = check_random(seed);
  return values;
}

static void make_sample(int32_t r, uint64_t seed) {
  double *packed2 = random_numbers(lb_packed2_count(r), &seed);
  double *packed3 = random_numbers(lb_packed3_count(r), &seed);
  double *packed4 = random_numbers(lb_packed4_count(r), &seed);
  size_t size3 = lb_cubic_quadratic_size(r), size4 = lb_cubic_cubic_size(r);
  s.linear = take(lb_cubic_linear_size(r), sizeof(double));
  s.quadratic = take(size3, sizeof(double)), s.cubic = take(size4, sizeof(double));
  s.quadratic_single = take(size3, sizeof(float)), s.cubic_single = take(size4, sizeof(float));
  s.work = take(lb_cubic_work_size(r), sizeof(double));
  s.crowd_work = take(lb_cubic_crowd_work_size(r), sizeof(double));
  lb_cubic_pack(r, packed2, packed3, packed4, &(lbCubicArrays){ s.linear, s.quadratic, s.cubic });
  s.wide = (lbCubic){ r, s.linear, s.quadratic, s.cubic, NULL, NULL };
  lb_cubic_round(&s.wide, s.quadratic_single, s.cubic_single);
  s.narrow = (lbCubic){ r, s.linear, NULL, NULL, s.quadratic_single, s.cubic_single };
  test_free(packed2), test_free(packed3), test_free(packed4);
}

static void release_sample(void) {
  test_free(s.linear), test_free(s.quadratic), test_free(s.cubic), test_free(s.work);
  test_free(s.crowd_work), test_free(s.quadratic_single), test_free(s.cubic_single);
}

// One block of `count` bodies against each of them alone. Lanes that are not there hold `rest`.
static void check_block(lbSimdLevel level, const lbCubic *cubic, int32_t count, double rest,
                        uint64_t seed) {
  static double q[8 * MOST], force[8 * MOST], K[8 * TRIANGLE];
  static double q_alone[MOST], force_alone[MOST], K_alone[MATRIX];
  double energy[8];
  const lbCubicKernels *kernels = lb_cubic_kernels(level);
  const lbCubicCrowdKernels *crowd = lb_cubic_crowd_kernels(level);
  int32_t r = cubic->count, padded = lb_cubic_padded(r);
  for (int32_t i = 0; i < 8 * r; i++) q[i] = i % 8 < count ? check_random(&seed) : rest;
  for (size_t i = 0; i < lb_cubic_crowd_work_size(r); i++) s.crowd_work[i] = NAN; // nothing counts
  crowd->evaluate(cubic, count, q, force, K, energy, s.crowd_work);
  for (int32_t m = 0; m < count; m++) {
    for (int32_t i = 0; i < r; i++) q_alone[i] = q[8 * i + m];
    double W = kernels->evaluate(cubic, q_alone, force_alone, K_alone, s.work);
    assert_true(W == energy[m]);
    for (int32_t i = 0; i < r; i++) {
      assert_true(force[8 * i + m] == force_alone[i]);
      for (int32_t j = 0; j <= i; j++)
        assert_true(K[8 * lb_packed2(j, i) + (size_t)m] == K_alone[i * padded + j]);
    }
  }
}

static void a_body_of_a_crowd_has_the_bits_of_a_body_alone(void **state) {
  (void)state;
  for (int32_t r = 1; r <= LB_CUBIC_WHOLE; r++) {
    make_sample(r, (uint64_t)r);
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++)
      if (lb_simd_has((lbSimdLevel)level)) {
        check_block((lbSimdLevel)level, &s.wide, 8, 0, (uint64_t)(r + level));
        check_block((lbSimdLevel)level, &s.narrow, 8, 0, (uint64_t)(r + level));
      }
    release_sample();
  }
}

static void neither_the_number_of_bodies_nor_the_other_lanes_change_a_bit(void **state) {
  (void)state;
  make_sample(7, 3);
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++)
    if (lb_simd_has((lbSimdLevel)level))
      for (int32_t count = 1; count <= 8; count++) {
        check_block((lbSimdLevel)level, &s.wide, count, 0, 1);
        check_block((lbSimdLevel)level, &s.wide, count, 1e200, 2);
        check_block((lbSimdLevel)level, &s.wide, count, NAN, 3);
      }
  release_sample();
}

// Crowds of 1 to 70 bodies in blocks of eight: a body's bits do not depend on its place.
static void a_place_in_the_crowd_changes_nothing(void **state) {
  (void)state;
  enum { R = 6, BODIES = 70, BLOCKS = (BODIES + 7) / 8 };
  static double q[BLOCKS][8 * R], force[BLOCKS][8 * R], K[8 * TRIANGLE];
  double body[R], expected[R], K_alone[MATRIX], energy[8];
  uint64_t seed = 4;
  const lbSimdLevel level = lb_simd_best();
  make_sample(R, 5);
  for (int i = 0; i < R; i++) body[i] = check_random(&seed);
  double W = lb_cubic_kernels(level)->evaluate(&s.wide, body, expected, K_alone, s.work);
  for (int32_t count = 1; count <= BODIES; count++)
    for (int32_t place = 0; place < count; place++) {
      for (int32_t n = 0; n < count; n++)
        for (int i = 0; i < R; i++)
          q[n / 8][8 * i + n % 8] = n == place ? body[i] : check_random(&seed);
      int32_t block = place / 8, filled = count - 8 * block < 8 ? count - 8 * block : 8;
      lb_cubic_crowd_kernels(level)->evaluate(&s.wide, filled, q[block], force[block], K, energy,
                                              s.crowd_work);
      assert_true(energy[place % 8] == W);
      for (int i = 0; i < R; i++) assert_true(force[block][8 * i + place % 8] == expected[i]);
    }
  release_sample();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_body_of_a_crowd_has_the_bits_of_a_body_alone),
    cmocka_unit_test(neither_the_number_of_bodies_nor_the_other_lanes_change_a_bit),
    cmocka_unit_test(a_place_in_the_crowd_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
