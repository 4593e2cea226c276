// The kernels of our own dense algebra at every SIMD level: the same to rounding, and to the bit
// where neither level, or both, fuse multiply and add.
#include "check.h"

#include "linalg/own/kernels.h"

#include <float.h>

enum { ROOM = 1 << 13 };

typedef struct Outcome {
  double sums[ROOM], forward[ROOM], backward[ROOM], root[ROOM], product[ROOM], turned[ROOM];
  double symmetric[ROOM], up[ROOM], down[ROOM];
  float single_sums[ROOM], single_root[ROOM];
  int32_t failed_at, single_failed_at;
} Outcome;

static double numbers[4][ROOM];
static float singles[4][ROOM];

static void fill(void) {
  uint64_t seed = 5;
  for (int m = 0; m < 4; m++)
    for (int i = 0; i < ROOM; i++) singles[m][i] = (float)(numbers[m][i] = check_random(&seed));
}

// All of C = A' B by tiles, whose shape is the level's own: panels are packed here, value by value.
#define DEFINE_MULTIPLY(Real, real, kernels_type)                                                  \
  static void multiply_##real(const kernels_type *k, int32_t size, int32_t inner, const Real *A,   \
                              const Real *B, Real *C) {                                            \
    Real a[48 * 64], b[8 * 64], tile[384];                                                         \
    for (int32_t j = 0; j < size; j += k->columns)                                                 \
      for (int32_t i = 0; i < size; i += k->rows) {                                                \
        int32_t rows = size - i < k->rows ? size - i : k->rows;                                    \
        int32_t columns = size - j < k->columns ? size - j : k->columns;                           \
        k->pack_turned(k->rows, rows, inner, A + i * inner, (size_t)inner, a);                     \
        k->pack_turned(k->columns, columns, inner, B + j * inner, (size_t)inner, b);               \
        memset(tile, 0, sizeof tile);                                                              \
        k->tile(inner, a, b, -1, tile, (size_t)k->rows);                                           \
        for (int32_t c = 0; c < columns; c++)                                                      \
          for (int32_t r = 0; r < rows; r++) C[(j + c) * size + i + r] = tile[c * k->rows + r];    \
      }                                                                                            \
  }
DEFINE_MULTIPLY(double, double, lbOwnDouble)
DEFINE_MULTIPLY(float, single, lbOwnSingle)

// X <- op(R)^-1 X, columns in panels as wide as the level's tiles are tall.
static void divide(const lbOwnDouble *k, bool forward, int32_t size, int32_t count, const double *R,
                   double *X) {
  double T[48 * 64];
  for (int32_t j = 0; j < count; j += k->rows) {
    int32_t columns = count - j < k->rows ? count - j : k->rows;
    k->pack_turned(k->rows, columns, size, X + j * size, (size_t)size, T);
    (forward ? k->forward : k->backward)(size, R, (size_t)size, T);
    k->unpack_turned(k->rows, columns, size, T, X + j * size, (size_t)size);
  }
}

static void run(lbSimdLevel level, int32_t n, Outcome *to) {
  const lbOwnKernels *k = lb_own_kernels(level);
  const lbOwnDouble *d = &k->doubles;
  size_t s = (size_t)n, count = s * s;
  double R[64 * 64];
  memset(to, 0, sizeof *to);
  multiply_double(d, n, n, numbers[0], numbers[1], to->sums);
  multiply_single(&k->singles, n, n, singles[0], singles[1], to->single_sums);
  for (size_t i = 0; i < count; i++) R[i] = numbers[0][i] / (double)n + (i % (s + 1) ? 0 : 2);
  memcpy(to->forward, numbers[1], count * 8);
  memcpy(to->backward, numbers[1], count * 8);
  divide(d, true, n, n, R, to->forward);
  divide(d, false, n, n, R, to->backward);
  int32_t small = n < LB_OWN_CHOLESKY ? n : LB_OWN_CHOLESKY;
  memcpy(to->root, R, count * 8);
  for (size_t i = 0; i < count; i++) to->single_root[i] = (float)R[i];
  to->failed_at = d->cholesky(small, to->root, s);
  to->single_failed_at = k->singles.cholesky(small, to->single_root, s);
  k->add_product(n, n, -1, numbers[0], s, numbers[1], to->product);
  k->add_turned_product(n, n, -1, numbers[0], s, numbers[1], to->turned);
  k->add_symmetric_product(n, -1, numbers[0], s, numbers[1], to->symmetric);
  lbOwnRotation rotations[64];
  for (int32_t i = 0; i + 1 < n; i++)
    rotations[i] = (lbOwnRotation){ cos(numbers[2][i]), sin(numbers[2][i]) };
  memcpy(to->up, numbers[1], count * 8);
  memcpy(to->down, numbers[1], count * 8);
  k->rotate_up(n, n - 1, rotations, to->up, s);
  k->rotate_down(n, n - 1, rotations, to->down, s);
}

static double apart(size_t count, const double *a, const double *b) {
  double worst = 0;
  for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

static void every_level_gives_the_same_to_rounding(void **state) {
  (void)state;
  static Outcome plain, other;
  fill();
  for (int level = LB_SIMD_PORTABLE + 1; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    double worst = 0;
    for (int32_t n = 1; n <= LB_OWN_TRIANGLE; n++) {
      run(LB_SIMD_PORTABLE, n, &plain);
      run((lbSimdLevel)level, n, &other);
      if (level == LB_SIMD_BASE) {
        assert_memory_equal(&plain, &other, sizeof plain);
        continue;
      }
      size_t count = (size_t)(n * n);
      assert_int_equal(plain.failed_at, other.failed_at);
      assert_int_equal(plain.single_failed_at, other.single_failed_at);
      double *pairs[][2] = { { plain.sums, other.sums },
                             { plain.forward, other.forward },
                             { plain.backward, other.backward },
                             { plain.root, other.root },
                             { plain.product, other.product },
                             { plain.turned, other.turned },
                             { plain.symmetric, other.symmetric },
                             { plain.up, other.up },
                             { plain.down, other.down } };
      for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        worst = fmax(worst, apart(count, pairs[p][0], pairs[p][1]) / n);
      for (size_t i = 0; i < count; i++) {
        check_near(plain.single_sums[i], other.single_sums[i], n * 2 * FLT_EPSILON);
        check_near(plain.single_root[i], other.single_root[i], n * 2 * FLT_EPSILON);
      }
    }
    printf("  %s: %.2g a row, tolerance %.2g\n", lb_simd_name((lbSimdLevel)level), worst,
           2 * DBL_EPSILON);
    check_small(worst, 2 * DBL_EPSILON);
  }
}

// A value (i, j) that pack or pack_turned should have put there.
static void panels_hold_what_they_should(void **state) {
  (void)state;
  fill();
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    const lbOwnDouble *k = &lb_own_kernels((lbSimdLevel)level)->doubles;
    double panel[48 * 40], back[48 * 40];
    for (int which = 0; which < 2; which++)
      for (int32_t width = which ? k->columns : k->rows, count = 1; count <= width; count++)
        for (int32_t inner = 1; inner < 40; inner += 3) {
          size_t w = (size_t)width;
          k->pack_turned(width, count, inner, numbers[0], 40, panel);
          for (size_t i = 0; i < w * (size_t)inner; i++)
            assert_true(panel[i] == (i % w < (size_t)count ? numbers[0][i % w * 40 + i / w] : 0));
          memset(back, 0, sizeof back);
          k->unpack_turned(width, count, inner, panel, back, 40);
          for (size_t i = 0; i < (size_t)count * 40; i++)
            assert_true(back[i] == (i % 40 < (size_t)inner ? numbers[0][i] : 0));
          k->pack(width, count, inner, numbers[0], 48, panel);
          for (size_t i = 0; i < w * (size_t)inner; i++)
            assert_true(panel[i] == (i % w < (size_t)count ? numbers[0][i / w * 48 + i % w] : 0));
          memset(back, 0, sizeof back);
          k->unpack(width, count, inner, panel, back, 48);
          for (size_t i = 0; i < (size_t)inner * 48; i++)
            assert_true(back[i] == (i % 48 < (size_t)count ? numbers[0][i] : 0));
        }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_level_gives_the_same_to_rounding),
    cmocka_unit_test(panels_hold_what_they_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
