// A list of boxes that is searched eight at a time: quicker to fill than a tree, and quicker to
// search as long as there are thousands and not millions of them. Boxes of eight blocks, which are
// neighbours where neighbours are added one after another, are in turn boxes of a block.
#ifndef LB_GEOMETRY_BOX_SET_H
#define LB_GEOMETRY_BOX_SET_H

#include "geometry/triangle.h"
#include "math/simd.h"

typedef struct lbBoxBlock { // lanes without a box are empty
  double low[3][LB_BATCH], high[3][LB_BATCH];
} lbBoxBlock;

typedef struct lbBoxSet {
  int32_t count, room;
  lbBoxBlock *blocks; // of the boxes
  lbBoxBlock *groups; // of the blocks
} lbBoxSet;

bool lb_box_set_create(lbBoxSet *set, int32_t room); // false: no memory
void lb_box_set_release(lbBoxSet *set);
lbBox lb_box_set_box(const lbBoxSet *set); // of all

static inline lbBox lb_box_block_get(const lbBoxBlock *b, int at) {
  return (lbBox){ { b->low[0][at], b->low[1][at], b->low[2][at] },
                  { b->high[0][at], b->high[1][at], b->high[2][at] } };
}

static inline lbBox lb_box_set_get(const lbBoxSet *set, int32_t i) {
  return lb_box_block_get(&set->blocks[i / LB_BATCH], i % LB_BATCH);
}

static inline void lb_box_block_clear(lbBoxBlock *block) {
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < LB_BATCH; i++) block->low[k][i] = INFINITY, block->high[k][i] = -INFINITY;
}

// Of eight boxes.
static inline lbBox lb_box_set_block(const lbBoxSet *set, int32_t block) {
  return lb_box_block_get(&set->groups[block / LB_BATCH], block % LB_BATCH);
}

static inline void lb_box_set_clear(lbBoxSet *set) { set->count = 0; }

static inline int32_t lb_box_set_blocks(const lbBoxSet *set) {
  return (set->count + LB_BATCH - 1) / LB_BATCH;
}

// There must be room.
static inline void lb_box_set_add(lbBoxSet *set, const lbBox *box) {
  int32_t i = set->count++, number = i / LB_BATCH;
  lbBoxBlock *block = &set->blocks[number], *group = &set->groups[number / LB_BATCH];
  int at = i % LB_BATCH, above = number % LB_BATCH;
  if (at == 0) {
    lb_box_block_clear(block);
    if (above == 0) lb_box_block_clear(group);
  }
  for (int k = 0; k < 3; k++) {
    double low = group->low[k][above], high = group->high[k][above];
    block->low[k][at] = box->low[k], block->high[k][at] = box->high[k];
    group->low[k][above] = box->low[k] < low ? box->low[k] : low;
    group->high[k][above] = box->high[k] > high ? box->high[k] : high;
  }
}

typedef struct lbBoxKernels {
  // Boxes of all triangles of a surface, in an order (surface->count), and of nothing else. A
  // number behind the last position may be read.
  void (*fill)(lbBoxSet *set, const lbTriangles *surface, const int32_t *order);
  // Boxes of triangles (`count` numbers; `corners` three of each) whose vertices are between lows
  // and highs (vertices x 3, and a number more to be read), of those that meet a box, as many as
  // there is room for; kept <- their numbers.
  void (*fill_near)(lbBoxSet *set, const int32_t *corners, const double *lows, const double *highs,
                    int32_t count, const int32_t *triangles, const lbBox *box, int32_t *kept);
  // found (set->count) <- the numbers of the boxes that meet one, ascending. Returns how many.
  int32_t (*find)(const lbBoxSet *set, const lbBox *box, int32_t *found);
  // Bits of these are set in marks, a byte for each block. Whether there are any.
  bool (*mark)(const lbBoxSet *set, const lbBox *box, uint8_t *marks);
} lbBoxKernels;

// The level must be one that lb_simd_has. All levels find the same.
const lbBoxKernels *lb_box_kernels(lbSimdLevel level);

#endif
