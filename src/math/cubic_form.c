// Packed and prepared storage of symmetric coefficients; see cubic_form.h.
#include "math/cubic_form.h"

#include <string.h>

enum { GROUP = LB_CUBIC_GROUP, BLOCK = GROUP * GROUP, WIDTH = LB_CUBIC_WIDTH };

size_t lb_packed2_count(int32_t r) { return lb_packed2(0, r); }
size_t lb_packed3_count(int32_t r) { return lb_packed3(0, 0, r); }
size_t lb_packed4_count(int32_t r) { return lb_packed4(0, 0, 0, r); }

// A matrix over i, j <= k.
static size_t matrix_size(int32_t r, int32_t k) {
  if (r > LB_CUBIC_WHOLE) return BLOCK * lb_packed2(0, k / GROUP + 1);
  return (size_t)lb_cubic_padded(k + 1) * (size_t)(k + 1);
}

// Where those of k begin.
static size_t slab_begin(int32_t r, int32_t k) {
  size_t begin = 0;
  for (int32_t before = 0; before < k; before++)
    begin += matrix_size(r, before) * (size_t)(r - before);
  return begin;
}

size_t lb_cubic_linear_size(int32_t r) {
  return (size_t)lb_cubic_padded(r) * (size_t)lb_cubic_padded(r);
}
size_t lb_cubic_quadratic_size(int32_t r) {
  return BLOCK * lb_packed2_count(lb_cubic_groups(r)) * (size_t)r;
}
size_t lb_cubic_cubic_size(int32_t r) {
  if (r > LB_CUBIC_FEW) return slab_begin(r, r);
  size_t pairs = lb_packed2_count(r);
  return (pairs + LB_CUBIC_ENTRIES - 1) / LB_CUBIC_ENTRIES * LB_CUBIC_ENTRIES * pairs;
}

// ---- places ------------------------------------------------------------------------------------

static void order_two(int32_t *a, int32_t *b) {
  int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *a = low, *b = high;
}

static void sort3(int32_t t[3]) {
  order_two(&t[0], &t[1]), order_two(&t[1], &t[2]), order_two(&t[0], &t[1]);
}

static void sort4(int32_t t[4]) {
  order_two(&t[0], &t[1]), order_two(&t[2], &t[3]), order_two(&t[0], &t[2]);
  order_two(&t[1], &t[3]), order_two(&t[1], &t[2]);
}

static size_t place3(int32_t r, int32_t i, int32_t j, int32_t c) { // group of j <= group of i
  size_t block = lb_packed2(j / GROUP, i / GROUP);
  return BLOCK * (block * (size_t)r + (size_t)c) + (size_t)(j % GROUP * GROUP + i % GROUP);
}

// After the begin of the slab k; i, j <= k <= l, group of j <= group of i where matrices are
// halves.
static size_t place4(int32_t r, int32_t i, int32_t j, int32_t k, int32_t l) {
  size_t I = (size_t)(i / GROUP), J = (size_t)(j / GROUP), columns = (size_t)k + 1;
  if (r > LB_CUBIC_WHOLE) {
    size_t groups = (size_t)k / GROUP + 1;
    size_t block = J * groups - J * (J + 1) / 2 + I; // J (J - 1) / 2 + J are missing before it
    return matrix_size(r, k) * (size_t)(l - k) + BLOCK * block +
           (size_t)(j % GROUP * GROUP + i % GROUP);
  }
  int32_t a = (l - k) % WIDTH, first = l - a;
  size_t column = I * columns + (size_t)j;
  return matrix_size(r, k) * (size_t)(first - k) +
         GROUP * (column * (size_t)lb_cubic_width(r, first) + (size_t)a) + (size_t)(i % GROUP);
}

// Of pairs i <= j and k <= l, where S is a matrix over pairs.
static size_t place_pairs(int32_t r, int32_t i, int32_t j, int32_t k, int32_t l) {
  size_t entry = lb_packed2(i, j), block = entry / LB_CUBIC_ENTRIES;
  return LB_CUBIC_ENTRIES * (block * lb_packed2_count(r) + lb_packed2(k, l)) +
         entry % LB_CUBIC_ENTRIES;
}

// B = S times this: how often a tuple is counted over 24, times 4. Powers of two over 1, 3, 6 or
// 24: a number is multiplied by it and divided again without loss.
typedef struct Factor {
  double times, over;
} Factor;

static Factor factor4(int32_t i, int32_t j, int32_t k, int32_t l) { // i, j <= k <= l
  int32_t t[4] = { i, j, k, l };
  double repeats = 1, run = 1;
  order_two(&t[0], &t[1]);
  for (int n = 1; n < 4; n++) {
    run = t[n] == t[n - 1] ? run + 1 : 1;
    repeats *= run;
  }
  return (Factor){ i == j ? 4 : 2, repeats };
}

static double read3(const lbCubic *cubic, size_t at) {
  return cubic->cubic_single ? (double)cubic->quadratic_single[at] : cubic->quadratic[at];
}
static double read4(const lbCubic *cubic, size_t at) {
  return cubic->cubic_single ? (double)cubic->cubic_single[at] : cubic->cubic[at];
}

double lb_cubic_coefficient2(const lbCubic *cubic, int32_t i, int32_t j) {
  return cubic->linear[(size_t)i * (size_t)lb_cubic_padded(cubic->count) + (size_t)j];
}

double lb_cubic_coefficient3(const lbCubic *cubic, int32_t i, int32_t j, int32_t k) {
  int32_t t[3] = { i, j, k };
  sort3(t);
  return read3(cubic, place3(cubic->count, t[2], t[1], t[0]));
}

double lb_cubic_coefficient4(const lbCubic *cubic, int32_t i, int32_t j, int32_t k, int32_t l) {
  int32_t t[4] = { i, j, k, l }, r = cubic->count;
  sort4(t);
  if (r <= LB_CUBIC_FEW)
    return read4(cubic, place_pairs(r, t[0], t[1], t[2], t[3])) * (t[2] < t[3] ? 0.5 : 1);
  Factor f = factor4(t[0], t[1], t[2], t[3]);
  return read4(cubic, slab_begin(r, t[2]) + place4(r, t[1], t[0], t[2], t[3])) * f.over / f.times;
}

// ---- packing -----------------------------------------------------------------------------------

// Where coefficients come from.
typedef struct Source {
  const double *packed2, *packed3, *packed4;
} Source;

static double source2(const Source *s, int32_t i, int32_t j) {
  order_two(&i, &j);
  return s->packed2[lb_packed2(i, j)];
}

static double source3(const Source *s, int32_t i, int32_t j, int32_t k) {
  int32_t t[3] = { i, j, k };
  sort3(t);
  return s->packed3[lb_packed3(t[0], t[1], t[2])];
}

static double source4(const Source *s, int32_t i, int32_t j, int32_t k, int32_t l) {
  order_two(&i, &j); // i, j <= k <= l
  return s->packed4[lb_packed4(i, j, k, l)];
}

static void fill2(const Source *source, int32_t r, double *linear) {
  size_t padded = (size_t)lb_cubic_padded(r);
  memset(linear, 0, padded * padded * sizeof(double));
  for (int32_t i = 0; i < r; i++)
    for (int32_t j = 0; j < r; j++) linear[(size_t)i * padded + (size_t)j] = source2(source, i, j);
}

static void fill3(const Source *source, int32_t r, double *quadratic) {
  for (int32_t I = 0; I < lb_cubic_groups(r); I++)
    for (int32_t J = 0; J <= I; J++)
      for (int32_t c = 0; c < r; c++)
        for (int32_t at = 0; at < BLOCK; at++) {
          int32_t i = I * GROUP + at % GROUP, j = J * GROUP + at / GROUP;
          *quadratic++ = i < r && j < r ? source3(source, i, j, c) : 0;
        }
}

static void fill_cubic_pairs(const Source *source, int32_t r, double *cubic) {
  for (int32_t j = 0; j < r; j++)
    for (int32_t i = 0; i <= j; i++)
      for (int32_t l = 0; l < r; l++)
        for (int32_t k = 0; k <= l; k++) {
          int32_t t[4] = { i, j, k, l };
          sort4(t);
          cubic[place_pairs(r, i, j, k, l)] =
              source4(source, t[0], t[1], t[2], t[3]) * (k < l ? 2 : 1);
        }
}

static void fill4(const Source *source, int32_t r, double *cubic) {
  memset(cubic, 0, lb_cubic_cubic_size(r) * sizeof(double));
  if (r <= LB_CUBIC_FEW) {
    fill_cubic_pairs(source, r, cubic);
    return;
  }
  for (int32_t k = 0; k < r; cubic += matrix_size(r, k) * (size_t)(r - k), k++)
    for (int32_t l = k; l < r; l++)
      for (int32_t j = 0; j <= k; j++)
        for (int32_t i = r > LB_CUBIC_WHOLE ? j / GROUP * GROUP : 0; i <= k; i++) {
          Factor f = factor4(i, j, k, l);
          cubic[place4(r, i, j, k, l)] = source4(source, i, j, k, l) * f.times / f.over;
        }
}

void lb_cubic_pack(int32_t r, const double *packed2, const double *packed3, const double *packed4,
                   const lbCubicArrays *out) {
  LB_ASSERT(r >= 1 && r <= LB_CUBIC_MODES_MAX);
  const Source source = { packed2, packed3, packed4 };
  fill2(&source, r, out->linear);
  fill3(&source, r, out->quadratic);
  fill4(&source, r, out->cubic);
}

static void round_all(size_t count, const double *from, float *to) {
  for (size_t i = 0; i < count; i++) to[i] = (float)from[i];
}

void lb_cubic_round(const lbCubic *cubic, float *quadratic_single, float *cubic_single) {
  round_all(lb_cubic_quadratic_size(cubic->count), cubic->quadratic, quadratic_single);
  round_all(lb_cubic_cubic_size(cubic->count), cubic->cubic, cubic_single);
}

// ---- combinations ------------------------------------------------------------------------------

static void add_scaled_part(size_t count, double weight, const double *restrict from,
                            double *restrict to) {
  for (size_t i = 0; i < count; i++) to[i] += weight * from[i];
}

void lb_cubic_combine(int32_t part_count, const lbCubic *parts, const double *weights,
                      const lbCubicArrays *out) {
  if (part_count < 1) return;
  int32_t r = parts[0].count;
  size_t size2 = lb_cubic_linear_size(r), size3 = lb_cubic_quadratic_size(r);
  size_t size4 = lb_cubic_cubic_size(r);
  memset(out->linear, 0, size2 * sizeof(double));
  memset(out->quadratic, 0, size3 * sizeof(double));
  memset(out->cubic, 0, size4 * sizeof(double));
  for (int32_t p = 0; p < part_count; p++) {
    LB_ASSERT(parts[p].count == r);
    add_scaled_part(size2, weights[p], parts[p].linear, out->linear);
    add_scaled_part(size3, weights[p], parts[p].quadratic, out->quadratic);
    add_scaled_part(size4, weights[p], parts[p].cubic, out->cubic);
  }
}
