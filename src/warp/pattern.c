// Neighbours of nodes, and the plan by which the blocks of elements are summed (pattern.h). Sums
// are gathered in the order of the elements, not scattered, so that threads do not change them.
#include "warp/pattern.h"

#include "warp/kernels.h"

#include <stdlib.h>
#include <string.h>

#define PAIR_GRAIN 2048 // pairs a task
#define NODE_GRAIN 1024

static const int32_t *nodes_of(const lbWarpDef *def, int set, int32_t element) {
  return set == 0 ? def->tets + 4 * (size_t)element : def->bricks + 8 * (size_t)element;
}

// Blocks of an element are numbered column by column, with the diagonal for green strain.
static int32_t block_of_pattern(const lbWarpSet *set, int32_t a, int32_t b) {
  return set->green ? lb_element_pair(a, b) : b * (b - 1) / 2 + a;
}

// ---- pairs -------------------------------------------------------------------------------------

typedef struct Share { // of an element in the pair i < j
  int32_t i, j, block; // block: of an element, ~ of it where it is K_ji
} Share;

static int compare_shares(const void *one, const void *other) {
  const Share *a = one, *b = other;
  if (a->i != b->i) return a->i < b->i ? -1 : 1;
  if (a->j != b->j) return a->j < b->j ? -1 : 1;
  bool turned_a = a->block < 0, turned_b = b->block < 0;
  if (turned_a != turned_b) return turned_a ? 1 : -1;
  int32_t at_a = turned_a ? ~a->block : a->block, at_b = turned_b ? ~b->block : b->block;
  return (at_a > at_b) - (at_a < at_b);
}

static size_t count_shares_pattern(const lbWarp *warp) {
  size_t count = 0;
  for (int k = 0; k < 2; k++) {
    size_t n = (size_t)warp->sets[k].nodes;
    count += (size_t)warp->sets[k].count * (n * (n - 1) / 2);
  }
  return count;
}

static void list_shares(const lbWarp *warp, const lbWarpDef *def, Share *shares) {
  size_t count = 0;
  for (int k = 0; k < 2; k++) {
    const lbWarpSet *set = &warp->sets[k];
    for (int32_t e = 0; e < set->count; e++) {
      const int32_t *nodes = nodes_of(def, k, e);
      for (int32_t b = 1; b < set->nodes; b++)
        for (int32_t a = 0; a < b; a++) {
          int32_t i = nodes[a], j = nodes[b];
          int32_t at =
              (int32_t)(set->first + (size_t)e * (size_t)set->blocks) + block_of_pattern(set, a, b);
          shares[count++] = i < j ? (Share){ i, j, at } : (Share){ j, i, ~at };
        }
    }
  }
  qsort(shares, count, sizeof *shares, compare_shares);
}

static bool is_same_pair(const Share *a, const Share *b) { return a->i == b->i && a->j == b->j; }

static void fill_pairs_pattern(lbWarp *warp, const Share *shares, size_t count) {
  int32_t pair = -1;
  for (size_t s = 0; s < count; s++) {
    bool turned = shares[s].block < 0;
    if (s == 0 || !is_same_pair(&shares[s], &shares[s - 1])) {
      warp->pair_begin[++pair] = (int32_t)s;
      warp->pair_turned[pair] = -1;
    }
    if (turned && warp->pair_turned[pair] < 0) warp->pair_turned[pair] = (int32_t)s;
    warp->pair_blocks[s] = turned ? ~shares[s].block : shares[s].block;
  }
  warp->pair_begin[warp->pair_count] = (int32_t)count;
  for (int32_t p = 0; p < warp->pair_count; p++)
    if (warp->pair_turned[p] < 0) warp->pair_turned[p] = warp->pair_begin[p + 1];
}

// ---- rows --------------------------------------------------------------------------------------

static lbStatus make_rows_pattern(lbWarp *warp, const Share *shares, lbError *err) {
  size_t nodes = (size_t)warp->node_count, pairs = (size_t)warp->pair_count;
  int32_t *upper = warp->upper_begin = lb_alloc(nodes + 1, sizeof(int32_t));
  int32_t *lower = warp->lower_begin = lb_alloc(nodes + 2, sizeof(int32_t));
  warp->upper = lb_alloc(pairs + 1, sizeof(int32_t));
  warp->lower = lb_alloc(pairs + 1, sizeof(int32_t));
  warp->lower_block = lb_alloc(pairs + 1, sizeof(int32_t));
  if (!upper || !lower || !warp->upper || !warp->lower || !warp->lower_block)
    return lb_fail_memory(err);
  for (int32_t p = 0; p < warp->pair_count; p++) {
    const Share *share = &shares[warp->pair_begin[p]];
    upper[share->i + 1]++, lower[share->j + 2]++;
    warp->upper[p] = 4 * share->j;
  }
  for (size_t n = 0; n < nodes; n++) upper[n + 1] += upper[n], lower[n + 2] += lower[n + 1];
  for (int32_t p = 0; p < warp->pair_count; p++) {
    const Share *share = &shares[warp->pair_begin[p]];
    int32_t at = lower[share->j + 1]++;
    warp->lower[at] = 4 * share->i, warp->lower_block[at] = 9 * p;
  }
  return LB_OK;
}

int32_t lb_warp_neighbour(const lbWarp *warp, int32_t node, int32_t index) {
  int32_t before = warp->lower_begin[node + 1] - warp->lower_begin[node];
  return (index < before ? warp->lower[warp->lower_begin[node] + index]
                         : warp->upper[warp->upper_begin[node] + index - before]) /
         4;
}

void lb_warp_block(const lbWarp *warp, const double *values, bool symmetric, int32_t node,
                   int32_t index, double block[9]) {
  int32_t first = warp->lower_begin[node], before = warp->lower_begin[node + 1] - first;
  bool lower = index < before, turned = symmetric && lower;
  const double *from = values;
  if (turned)
    from += warp->lower_block[first + index];
  else
    from += 9 * ((size_t)index +
                 (size_t)(lower ? warp->pair_count + first : warp->upper_begin[node] - before));
  for (int i = 0; i < 9; i++) block[i] = from[turned ? i % 3 * 3 + i / 3 : i];
}

// ---- forces ------------------------------------------------------------------------------------

static lbStatus make_force_plan(lbWarp *warp, const lbWarpDef *def, lbError *err) {
  size_t count = 0;
  for (int k = 0; k < 2; k++) count += (size_t)warp->sets[k].count * (size_t)warp->sets[k].nodes;
  int32_t *begin = warp->force_begin = lb_alloc((size_t)warp->node_count + 2, sizeof(int32_t));
  warp->force_shares = lb_alloc(count ? count : 1, sizeof(int32_t));
  if (!begin || !warp->force_shares) return lb_fail_memory(err);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < 2; k++) {
      const lbWarpSet *set = &warp->sets[k];
      for (int32_t e = 0; e < set->count; e++)
        for (int32_t a = 0; a < set->nodes; a++) {
          int32_t node = nodes_of(def, k, e)[a];
          int32_t share = (int32_t)(set->first_node + (size_t)e * (size_t)set->nodes) + a;
          if (pass == 0)
            begin[node + 2]++;
          else
            warp->force_shares[begin[node + 1]++] = share;
        }
    }
    for (int32_t n = 0; n < warp->node_count && pass == 0; n++) begin[n + 2] += begin[n + 1];
  }
  return LB_OK;
}

lbStatus lb_warp_make_pattern(lbWarp *warp, const lbWarpDef *def, lbError *err) {
  size_t count = count_shares_pattern(warp);
  if (count > INT32_MAX / 9)
    return lb_fail(err, LB_ERR_ARGUMENT, "the method \"warp\" takes at most %d pairs of nodes",
                   INT32_MAX / 9);
  Share *shares = lb_alloc(count ? count : 1, sizeof *shares);
  lbStatus status = shares ? LB_OK : lb_fail_memory(err);
  if (!status) {
    list_shares(warp, def, shares);
    for (size_t s = 0; s < count; s++)
      if (s == 0 || !is_same_pair(&shares[s], &shares[s - 1])) warp->pair_count++;
    size_t pairs = (size_t)warp->pair_count;
    warp->pair_begin = lb_alloc(pairs + 1, sizeof(int32_t));
    warp->pair_turned = lb_alloc(pairs + 1, sizeof(int32_t));
    warp->pair_blocks = lb_alloc(count ? count : 1, sizeof(int32_t));
    if (!warp->pair_begin || !warp->pair_turned || !warp->pair_blocks) status = lb_fail_memory(err);
  }
  if (!status) {
    fill_pairs_pattern(warp, shares, count);
    status = make_rows_pattern(warp, shares, err);
  }
  if (!status) status = make_force_plan(warp, def, err);
  lb_free(shares);
  return status;
}

// ---- sums --------------------------------------------------------------------------------------

typedef struct Sums {
  const lbWarp *warp;
  const double *from;
  double *to;
} Sums;

static void assemble_range(int32_t begin, int32_t end, void *context) {
  const Sums *sums = context;
  sums->warp->elements->assemble(sums->warp, begin, end, sums->from, sums->to);
}

void lb_warp_assemble(const lbWarp *warp, const double *blocks, double *values) {
  Sums sums = { warp, blocks, values };
  lb_parallel_for(warp->pair_count, PAIR_GRAIN, assemble_range, &sums);
}

static void gather_range(int32_t begin, int32_t end, void *context) {
  const Sums *sums = context;
  sums->warp->elements->gather(sums->warp, begin, end, sums->from, sums->to);
}

void lb_warp_gather(const lbWarp *warp, const double *shares, double *force) {
  Sums sums = { warp, shares, force };
  lb_parallel_for(warp->node_count, NODE_GRAIN, gather_range, &sums);
}
