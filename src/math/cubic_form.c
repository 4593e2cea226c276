// Packed and tiled storage of symmetric coefficients; see cubic_form.h.
#include "math/cubic_form.h"

#include <string.h>

enum { GROUP = LB_CUBIC_GROUP, TILE3 = 64, TILE4 = 256 };

size_t lb_packed2_count(int32_t r) { return lb_packed2(0, r); }
size_t lb_packed3_count(int32_t r) { return lb_packed3(0, 0, r); }
size_t lb_packed4_count(int32_t r) { return lb_packed4(0, 0, 0, r); }

size_t lb_cubic_linear_size(int32_t r) {
  return (size_t)lb_cubic_padded(r) * (size_t)lb_cubic_padded(r);
}
size_t lb_cubic_quadratic_size(int32_t r) { return TILE3 * lb_packed3_count(lb_cubic_groups(r)); }
size_t lb_cubic_cubic_size(int32_t r) { return TILE4 * lb_packed4_count(lb_cubic_groups(r)); }

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

// Product of the factorials of how often each of the sorted groups occurs. All are 2^a + 2^b or
// powers of two, by which a number is divided and multiplied again without loss.
static double repeats(const int32_t *groups, int count) {
  double product = 1, run = 1;
  for (int i = 1; i < count; i++) {
    run = groups[i] == groups[i - 1] ? run + 1 : 1;
    product *= run;
  }
  return product;
}

static size_t place3(const int32_t t[3]) { // t sorted
  return TILE3 * lb_packed3(t[0] / GROUP, t[1] / GROUP, t[2] / GROUP) +
         (size_t)((t[0] % GROUP * GROUP + t[2] % GROUP) * GROUP + t[1] % GROUP);
}

static size_t place4(const int32_t t[4]) { // t sorted
  return TILE4 * lb_packed4(t[0] / GROUP, t[1] / GROUP, t[2] / GROUP, t[3] / GROUP) +
         (size_t)(((t[0] % GROUP * GROUP + t[2] % GROUP) * GROUP + t[3] % GROUP) * GROUP +
                  t[1] % GROUP);
}

double lb_cubic_coefficient2(const lbCubic *cubic, int32_t i, int32_t j) {
  return cubic->linear[(size_t)i * (size_t)lb_cubic_padded(cubic->count) + (size_t)j];
}

double lb_cubic_coefficient3(const lbCubic *cubic, int32_t i, int32_t j, int32_t k) {
  int32_t t[3] = { i, j, k };
  sort3(t);
  int32_t groups[3] = { t[0] / GROUP, t[1] / GROUP, t[2] / GROUP };
  return cubic->quadratic[place3(t)] * repeats(groups, 3);
}

double lb_cubic_coefficient4(const lbCubic *cubic, int32_t i, int32_t j, int32_t k, int32_t l) {
  int32_t t[4] = { i, j, k, l };
  sort4(t);
  int32_t groups[4] = { t[0] / GROUP, t[1] / GROUP, t[2] / GROUP, t[3] / GROUP };
  return cubic->cubic[place4(t)] * repeats(groups, 4);
}

// ---- packing -----------------------------------------------------------------------------------

// Where tiles come from: packed arrays, or another lbCubic with some of its modes.
typedef struct Source {
  const double *packed2, *packed3, *packed4;
  const lbCubic *cubic;
  const int32_t *kept;
} Source;

static double source2(const Source *s, int32_t i, int32_t j) {
  if (s->cubic) return lb_cubic_coefficient2(s->cubic, s->kept[i], s->kept[j]);
  order_two(&i, &j);
  return s->packed2[lb_packed2(i, j)];
}

static double source3(const Source *s, int32_t i, int32_t j, int32_t k) {
  if (s->cubic) return lb_cubic_coefficient3(s->cubic, s->kept[i], s->kept[j], s->kept[k]);
  int32_t t[3] = { i, j, k };
  sort3(t);
  return s->packed3[lb_packed3(t[0], t[1], t[2])];
}

static double source4(const Source *s, int32_t i, int32_t j, int32_t k, int32_t l) {
  if (s->cubic)
    return lb_cubic_coefficient4(s->cubic, s->kept[i], s->kept[j], s->kept[k], s->kept[l]);
  int32_t t[4] = { i, j, k, l };
  sort4(t);
  return s->packed4[lb_packed4(t[0], t[1], t[2], t[3])];
}

static void fill_tile3(const Source *source, int32_t r, const int32_t groups[3], double *tile) {
  double divisor = repeats(groups, 3);
  for (int32_t at = 0; at < TILE3; at++) {
    int32_t i = groups[0] * GROUP + at / 16, k = groups[2] * GROUP + at / 4 % 4;
    int32_t j = groups[1] * GROUP + at % 4;
    tile[at] = i < r && j < r && k < r ? source3(source, i, j, k) / divisor : 0;
  }
}

static void fill_tile4(const Source *source, int32_t r, const int32_t groups[4], double *tile) {
  double divisor = repeats(groups, 4);
  for (int32_t at = 0; at < TILE4; at++) {
    int32_t i = groups[0] * GROUP + at / 64, k = groups[2] * GROUP + at / 16 % 4;
    int32_t l = groups[3] * GROUP + at / 4 % 4, j = groups[1] * GROUP + at % 4;
    bool inside = i < r && j < r && k < r && l < r;
    tile[at] = inside ? source4(source, i, j, k, l) / divisor : 0;
  }
}

static void fill(const Source *source, int32_t r, const lbCubicArrays *out) {
  int32_t n = lb_cubic_groups(r);
  size_t padded = (size_t)lb_cubic_padded(r);
  memset(out->linear, 0, padded * padded * sizeof(double));
  for (int32_t i = 0; i < r; i++)
    for (int32_t j = 0; j < r; j++)
      out->linear[(size_t)i * padded + (size_t)j] = source2(source, i, j);
  double *tile3 = out->quadratic, *tile4 = out->cubic;
  for (int32_t K = 0; K < n; K++)
    for (int32_t J = 0; J <= K; J++)
      for (int32_t I = 0; I <= J; I++, tile3 += TILE3)
        fill_tile3(source, r, (int32_t[]){ I, J, K }, tile3);
  for (int32_t L = 0; L < n; L++)
    for (int32_t K = 0; K <= L; K++)
      for (int32_t J = 0; J <= K; J++)
        for (int32_t I = 0; I <= J; I++, tile4 += TILE4)
          fill_tile4(source, r, (int32_t[]){ I, J, K, L }, tile4);
}

void lb_cubic_pack(int32_t r, const double *packed2, const double *packed3, const double *packed4,
                   const lbCubicArrays *out) {
  LB_ASSERT(r >= 1 && r <= LB_CUBIC_MODES_MAX);
  const Source source = { .packed2 = packed2, .packed3 = packed3, .packed4 = packed4 };
  fill(&source, r, out);
}

void lb_cubic_subset(const lbCubic *cubic, int32_t kept_count, const int32_t *kept,
                     const lbCubicArrays *out) {
  LB_ASSERT(kept_count >= 1 && kept_count <= LB_CUBIC_MODES_MAX);
  const Source source = { .cubic = cubic, .kept = kept };
  fill(&source, kept_count, out);
}

void lb_cubic_unpack(const lbCubic *cubic, double *packed2, double *packed3, double *packed4) {
  for (int32_t l = 0; l < cubic->count; l++)
    for (int32_t k = 0; k <= l; k++) {
      if (packed2) packed2[lb_packed2(k, l)] = lb_cubic_coefficient2(cubic, k, l);
      for (int32_t j = 0; j <= k; j++) {
        if (packed3) packed3[lb_packed3(j, k, l)] = lb_cubic_coefficient3(cubic, j, k, l);
        for (int32_t i = 0; i <= j && packed4; i++)
          packed4[lb_packed4(i, j, k, l)] = lb_cubic_coefficient4(cubic, i, j, k, l);
      }
    }
}

// ---- combinations ------------------------------------------------------------------------------

static void add_scaled(size_t count, double weight, const double *restrict from,
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
    add_scaled(size2, weights[p], parts[p].linear, out->linear);
    add_scaled(size3, weights[p], parts[p].quadratic, out->quadratic);
    add_scaled(size4, weights[p], parts[p].cubic, out->cubic);
  }
}
