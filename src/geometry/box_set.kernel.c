// Filling and searching a list of boxes; see geometry/box_set.h.
#include "geometry/box_set.h"

#include "math/four.h"

// ---- filling -----------------------------------------------------------------------------------

LB_FOUR_INLINE lbFour lesser(lbFour a, lbFour b) {
#if LB_SIMD_LEVEL >= 2
  return (lbFour)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
  for (int i = 0; i < 4; i++) b[i] = a[i] < b[i] ? a[i] : b[i];
  return b;
#endif
}

LB_FOUR_INLINE lbFour greater(lbFour a, lbFour b) {
#if LB_SIMD_LEVEL >= 2
  return (lbFour)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
  for (int i = 0; i < 4; i++) b[i] = a[i] > b[i] ? a[i] : b[i];
  return b;
#endif
}

// Lanes hold x, y, z and what comes next.
LB_FOUR_INLINE void box_of(const lbTriangles *surface, int32_t triangle, lbFour *low,
                           lbFour *high) {
  const int32_t *corners = surface->triangles + 3 * (size_t)triangle;
  const lbFour a = lb_four_load(surface->positions + 3 * (size_t)corners[0]);
  const lbFour b = lb_four_load(surface->positions + 3 * (size_t)corners[1]);
  const lbFour c = lb_four_load(surface->positions + 3 * (size_t)corners[2]);
  *low = lesser(lesser(a, b), c), *high = greater(greater(a, b), c);
}

// Up to four triangles; *low and *high grow by their boxes.
LB_FOUR_INLINE void fill_four(const lbTriangles *surface, const int32_t *order, int32_t first,
                              lbBoxBlock *block, int at, lbFour *low, lbFour *high) {
  lbFour lows[4], highs[4];
  for (int i = 0; i < 4; i++) {
    lows[i] = lb_four_splat(INFINITY), highs[i] = lb_four_splat(-INFINITY);
    if (first + i < surface->count) box_of(surface, order[first + i], &lows[i], &highs[i]);
    *low = lesser(lows[i], *low), *high = greater(highs[i], *high);
  }
  lb_four_turn(lows, lows);
  lb_four_turn(highs, highs);
  LB_FOR (k, 0, 3) {
    lb_four_store(block->low[k] + at, lows[k]);
    lb_four_store(block->high[k] + at, highs[k]);
  }
}

static void fill_boxes(lbBoxSet *set, const lbTriangles *surface, const int32_t *order) {
  set->count = surface->count;
  for (int32_t i = 0; i < surface->count; i += LB_BATCH) {
    const int32_t number = i / LB_BATCH, at = number % LB_BATCH;
    lbFour low = lb_four_splat(INFINITY), high = lb_four_splat(-INFINITY);
    lbBoxBlock *group = &set->groups[number / LB_BATCH];
    fill_four(surface, order, i, &set->blocks[number], 0, &low, &high);
    fill_four(surface, order, i + 4, &set->blocks[number], 4, &low, &high);
    if (at == 0) lb_box_block_clear(group);
    LB_FOR (k, 0, 3) group->low[k][at] = low[k], group->high[k][at] = high[k];
  }
}

// Lanes as those of box_of.
LB_FOUR_INLINE lbFour load_corner(const double *from, const int32_t *corners, int k) {
  return lb_four_load(from + 3 * (size_t)corners[k]);
}

static void fill_near(lbBoxSet *set, const int32_t *corners, const double *lows,
                      const double *highs, int32_t count, const int32_t *triangles,
                      const lbBox *box, int32_t *kept) {
  set->count = 0;
  for (int32_t i = 0; i < count && set->count < set->room; i++) {
    const int32_t *at = corners + 3 * (size_t)triangles[i];
    lbFour low = lesser(load_corner(lows, at, 0), load_corner(lows, at, 1));
    lbFour high = greater(load_corner(highs, at, 0), load_corner(highs, at, 1));
    lbBox own;
    low = lesser(low, load_corner(lows, at, 2)), high = greater(high, load_corner(highs, at, 2));
    LB_FOR (k, 0, 3) own.low[k] = low[k], own.high[k] = high[k];
    if (!lb_box_overlap(&own, box)) continue;
    kept[set->count] = triangles[i];
    lb_box_set_add(set, &own);
  }
}

// ---- searching ---------------------------------------------------------------------------------

#if LB_LANES < 8
typedef int64_t lbFourMask __attribute__((vector_size(32)));

LB_FOUR_INLINE uint32_t bits_of(lbFourMask mask) {
#if LB_LANES == 4
  return (uint32_t)_mm256_movemask_pd((__m256d)mask);
#else
  return (uint32_t)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}
#endif

// Bit i: box i of the block meets the box.
static inline uint32_t meets_of_block(const lbBoxBlock *block, const lbBox *box) {
#if LB_LANES == 8
  __mmask8 bits = 0xff;
  LB_FOR (k, 0, 3) {
    const __m512d low = _mm512_loadu_pd(block->low[k]), high = _mm512_loadu_pd(block->high[k]);
    bits = _mm512_mask_cmp_pd_mask(bits, low, _mm512_set1_pd(box->high[k]), _CMP_LE_OQ);
    bits = _mm512_mask_cmp_pd_mask(bits, high, _mm512_set1_pd(box->low[k]), _CMP_GE_OQ);
  }
  return bits;
#else
  uint32_t bits = 0;
  LB_FOR (at, 0, LB_BATCH / 4) {
    lbFourMask met = { -1, -1, -1, -1 };
    LB_FOR (k, 0, 3) {
      met &= lb_four_load(block->low[k] + 4 * at) <= lb_four_splat(box->high[k]);
      met &= lb_four_load(block->high[k] + 4 * at) >= lb_four_splat(box->low[k]);
    }
    bits |= bits_of(met) << 4 * at;
  }
  return bits;
#endif
}

static int32_t find_in_group(const lbBoxSet *set, int32_t group, const lbBox *box, int32_t *found) {
  int32_t count = 0;
  for (uint32_t bits = meets_of_block(&set->groups[group], box); bits; bits &= bits - 1) {
    int32_t block = LB_BATCH * group + __builtin_ctz(bits);
    for (uint32_t in = meets_of_block(&set->blocks[block], box); in; in &= in - 1)
      found[count++] = LB_BATCH * block + __builtin_ctz(in);
  }
  return count;
}

static int32_t find_boxes(const lbBoxSet *set, const lbBox *box, int32_t *found) {
  int32_t count = 0, groups = (set->count + LB_BATCH * LB_BATCH - 1) / (LB_BATCH * LB_BATCH);
  for (int32_t i = 0; i < groups; i++) count += find_in_group(set, i, box, found + count);
  return count;
}

static bool mark_boxes(const lbBoxSet *set, const lbBox *box, uint8_t *marks) {
  const int32_t blocks = lb_box_set_blocks(set);
  uint32_t any = 0;
  for (int32_t first = 0; first < blocks; first += LB_BATCH)
    for (uint32_t in = meets_of_block(&set->groups[first / LB_BATCH], box); in; in &= in - 1) {
      const int32_t block = first + __builtin_ctz(in);
      const uint32_t bits = meets_of_block(&set->blocks[block], box);
      marks[block] |= (uint8_t)bits;
      any |= bits;
    }
  return any != 0;
}

LB_KERNEL_TABLE(lbBoxKernels, lb_box_kernels) = { fill_boxes, fill_near, find_boxes, mark_boxes };
