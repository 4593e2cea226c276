// The kernels of modal bodies at every SIMD level: against plain loops, and to the bit where the
// same numbers lie differently.
#include "method/modal/modal_kernels.h"

#include "body/basis.h"
#include "check.h"

#include <float.h>

enum { MODES = 40, BLOCK = LB_INSTANCE_BLOCK };

typedef struct Motion {
  _Alignas(64) double z[MODES * BLOCK], v[MODES * BLOCK], g[MODES * BLOCK];
} Motion;

static _Alignas(64) unsigned char coefficient_block[8192];

static lbOscillators make_oscillators(int32_t count, uint64_t *seed) {
  double eigenvalues[MODES];
  for (int32_t i = 0; i < count; i++) eigenvalues[i] = pow(10, 4 + 4 * check_random(seed));
  assert_true(lb_oscillators_bytes(count) <= sizeof coefficient_block);
  lbOscillators o = lb_oscillators_place(count, coefficient_block);
  lb_oscillators_set(&o, eigenvalues, 0.5, 1e-4, 1.0 / 60);
  return o;
}

static void fill(double *values, int32_t count, uint64_t *seed) {
  for (int32_t i = 0; i < count; i++) values[i] = check_random(seed);
}

// One instance of the block, as a body of its own; padded with zeros.
static void take(const double *block, int32_t count, int instance, double *modes) {
  memset(modes, 0, (MODES + LB_BATCH) * sizeof *modes);
  for (int32_t i = 0; i < count; i++) modes[i] = block[i * BLOCK + instance];
}

static void check_instance(const lbOscillators *o, const lbModalKernels *kernels,
                           const Motion *before, const Motion *after, int instance, bool forced) {
  _Alignas(64) double z[MODES + LB_BATCH], v[MODES + LB_BATCH], g[MODES + LB_BATCH];
  double z_block[MODES + LB_BATCH], v_block[MODES + LB_BATCH];
  take(before->z, o->count, instance, z);
  take(before->v, o->count, instance, v);
  take(before->g, o->count, instance, g);
  kernels->advance_modes(o, z, v, forced ? g : NULL);
  take(after->z, o->count, instance, z_block);
  take(after->v, o->count, instance, v_block);
  assert_memory_equal(z, z_block, sizeof z);
  assert_memory_equal(v, v_block, sizeof v);
}

static void a_block_of_instances_steps_as_each_alone(void **state) {
  (void)state;
  static Motion before, after;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    const lbModalKernels *kernels = lb_modal_kernels((lbSimdLevel)level);
    uint64_t seed = 1;
    for (int32_t count = 1; count <= MODES; count++)
      for (int forced = 0; forced < 2; forced++) {
        lbOscillators o = make_oscillators(count, &seed);
        fill(before.z, MODES * BLOCK, &seed);
        fill(before.v, MODES * BLOCK, &seed);
        fill(before.g, MODES * BLOCK, &seed);
        after = before;
        kernels->advance_instances(&o, after.z, after.v, forced ? after.g : NULL);
        for (int instance = 0; instance < BLOCK; instance++)
          check_instance(&o, kernels, &before, &after, instance, forced);
        size_t used = (size_t)count * BLOCK, rest = (size_t)(MODES - count) * BLOCK;
        assert_memory_equal(after.z + used, before.z + used, rest * sizeof(double));
        assert_memory_equal(after.v + used, before.v + used, rest * sizeof(double));
        assert_memory_equal(after.g, before.g, sizeof after.g);
      }
  }
}

static void no_force_gives_the_bits_of_a_zero_force(void **state) {
  (void)state;
  static Motion a, b;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    const lbModalKernels *kernels = lb_modal_kernels((lbSimdLevel)level);
    uint64_t seed = 2;
    lbOscillators o = make_oscillators(MODES, &seed);
    fill(a.z, MODES * BLOCK, &seed);
    fill(a.v, MODES * BLOCK, &seed);
    memset(a.g, 0, sizeof a.g);
    a.z[0] = -0.0, a.v[0] = 0, a.z[1] = 0, a.v[1] = -0.0; // signs of zero must not differ either
    b = a;
    for (int step = 0; step < 3; step++) {
      kernels->advance_instances(&o, a.z, a.v, a.g);
      kernels->advance_instances(&o, b.z, b.v, NULL);
      kernels->advance_modes(&o, a.z, a.v, a.g);
      kernels->advance_modes(&o, b.z, b.v, NULL);
      assert_memory_equal(&a, &b, sizeof a);
    }
  }
}

static void steps_agree_with_a_plain_loop(void **state) {
  (void)state;
  static Motion motion, first;
  uint64_t seed = 3;
  lbOscillators o = make_oscillators(MODES, &seed);
  fill(first.z, MODES, &seed);
  fill(first.v, MODES, &seed);
  fill(first.g, MODES, &seed);
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    motion = first;
    lb_modal_kernels((lbSimdLevel)level)->advance_modes(&o, motion.z, motion.v, motion.g);
    for (int i = 0; i < MODES; i++) {
      double z = o.zz[i] * first.z[i] + o.zv[i] * first.v[i] + o.zg[i] * first.g[i];
      double v = o.vz[i] * first.z[i] + o.vv[i] * first.v[i] + o.zv[i] * first.g[i];
      check_near(motion.z[i], z, 4 * DBL_EPSILON);
      check_near(motion.v[i], v, 4 * DBL_EPSILON * (1 + fabs(o.vz[i])));
      if (level <= LB_SIMD_BASE) assert_true(motion.z[i] == z && motion.v[i] == v);
    }
  }
}

// ---- u = U q -----------------------------------------------------------------------------------

enum { ROWS = 5000, STRIDE = 5003, COLUMNS = 27 };
static double basis[STRIDE * COLUMNS + 1], factors[COLUMNS];

static void a_motion_that_dies_out_ends_at_zero_and_never_in_subnormal_numbers(void **state) {
  (void)state;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    uint64_t seed = 7;
    lbOscillators o = make_oscillators(8, &seed);
    _Alignas(64) double z[8], v[8];
    fill(z, 8, &seed);
    fill(v, 8, &seed);
    for (int step = 0; step < 200000; step++) {
      lb_modal_kernels((lbSimdLevel)level)->advance_modes(&o, z, v, NULL);
      for (int i = 0; i < 8; i++)
        assert_true((z[i] == 0 || fabs(z[i]) >= DBL_MIN) && (v[i] == 0 || fabs(v[i]) >= DBL_MIN));
    }
    for (int i = 0; i < 8; i++) assert_true(z[i] == 0 && v[i] == 0);
  }
}

static void make_basis(void) {
  uint64_t seed = 4;
  fill(basis, STRIDE * COLUMNS + 1, &seed);
  fill(factors, COLUMNS, &seed);
}

static void basis_times_factors_agrees_with_a_plain_loop(void **state) {
  (void)state;
  static double u[ROWS];
  make_basis();
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    for (int32_t columns = 0; columns <= COLUMNS; columns++) {
      lb_basis_kernels((lbSimdLevel)level)->apply(basis + 1, STRIDE, columns, 0, ROWS, factors, u);
      for (int32_t i = 0; i < ROWS; i += 1 + i / 100) {
        double sum = 0;
        for (int32_t j = 0; j < columns; j++) sum += basis[1 + i + STRIDE * j] * factors[j];
        check_near(u[i], sum, COLUMNS * DBL_EPSILON);
        if (level <= LB_SIMD_BASE) assert_true(u[i] == sum);
      }
    }
  }
}

static void check_range(const lbBasisKernels *kernels, int32_t columns, int32_t begin, int32_t end,
                        const double *whole) {
  static double u[ROWS];
  for (int32_t i = 0; i < ROWS; i++) u[i] = 777;
  kernels->apply(basis, STRIDE, columns, begin, end, factors, u);
  for (int32_t i = 0; i < begin; i++) assert_true(u[i] == 777);
  for (int32_t i = end; i < ROWS; i++) assert_true(u[i] == 777);
  if (end > begin) assert_memory_equal(u + begin, whole + begin, (size_t)(end - begin) * sizeof *u);
}

static void a_row_has_the_same_bits_in_any_range(void **state) {
  (void)state;
  static double whole[ROWS];
  make_basis();
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    const lbBasisKernels *kernels = lb_basis_kernels((lbSimdLevel)level);
    for (int32_t columns = 0; columns <= COLUMNS; columns += columns < 12 ? 1 : 5) {
      kernels->apply(basis, STRIDE, columns, 0, ROWS, factors, whole);
      for (int32_t length = 0; length < 20; length++)
        check_range(kernels, columns, 3 + length * 7, 3 + length * 8, whole);
      for (int32_t length = 24; length <= 136; length += 8) // few rows go another way than many
        check_range(kernels, columns, 5, 5 + length, whole);
      check_range(kernels, columns, 1, ROWS, whole);
      check_range(kernels, columns, 2047, 4099, whole);
      check_range(kernels, columns, ROWS - 1, ROWS, whole);
    }
  }
}

static void a_point_force_is_the_transpose_of_its_displacement(void **state) {
  (void)state;
  make_basis();
  double g[COLUMNS], u[20], sum = 0;
  for (int j = 0; j < COLUMNS; j++) g[j] = 100 + j;
  lb_basis_add_row_transposed(basis, STRIDE, COLUMNS, 17, 2.5, g);
  lb_basis_kernels(LB_SIMD_PORTABLE)->apply(basis, STRIDE, COLUMNS, 17, 18, factors, u);
  for (int j = 0; j < COLUMNS; j++) sum += (g[j] - (100 + j)) * factors[j];
  check_near(sum, 2.5 * u[17], 1e-12);
}

// No fused operations and no libm in it.
static void portable_bits_are_the_same_under_every_compiler(void **state) {
  (void)state;
  static Motion motion;
  double eigenvalues[MODES];
  uint64_t seed = 5, hash = 0;
  fill(motion.z, MODES * BLOCK, &seed);
  fill(motion.v, MODES * BLOCK, &seed);
  fill(motion.g, MODES * BLOCK, &seed);
  for (int i = 0; i < MODES; i++) eigenvalues[i] = i * i * i * i;
  lbOscillators o = lb_oscillators_place(MODES, coefficient_block);
  for (int step = 1; step < 20; step++) {
    lb_oscillators_set(&o, eigenvalues, 0.2 * step, 1e-4 * step, 0.01 * step);
    lb_modal_kernels(LB_SIMD_PORTABLE)->advance_instances(&o, motion.z, motion.v, motion.g);
    hash = check_hash(hash, &motion, sizeof motion);
  }
  print_message("hash %016llx\n", (unsigned long long)hash);
  assert_true(hash == UINT64_C(0xc9fa92e63f97ad2d));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_of_instances_steps_as_each_alone),
    cmocka_unit_test(no_force_gives_the_bits_of_a_zero_force),
    cmocka_unit_test(steps_agree_with_a_plain_loop),
    cmocka_unit_test(a_motion_that_dies_out_ends_at_zero_and_never_in_subnormal_numbers),
    cmocka_unit_test(basis_times_factors_agrees_with_a_plain_loop),
    cmocka_unit_test(a_row_has_the_same_bits_in_any_range),
    cmocka_unit_test(a_point_force_is_the_transpose_of_its_displacement),
    cmocka_unit_test(portable_bits_are_the_same_under_every_compiler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
