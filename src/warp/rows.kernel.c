// Kernels of rows (kernels.h): lanes are nodes of a group.
#include "math/four.h"
#include "warp/kernels.h"
#include "warp/lanes.h"

enum { SHARES = LB_BATCH / LB_LANES };

INLINE void store_sums(const lbLanes first[SHARES], const lbLanes second[SHARES], double *sums) {
  LB_FOR (h, 0, SHARES) {
    lb_store(sums + h * LB_LANES, first[h]);
    lb_store(sums + LB_BATCH + h * LB_LANES, second[h]);
  }
}

#define FOR_LANES(group, lane, share)                                                              \
  for (int32_t group = begin; group < end; group++)                                                \
    for (int share = 0, lane = 0; share < SHARES; share++, lane += LB_LANES)

// ---- rows of the matrix ------------------------------------------------------------------------

// Sums over the blocks K of a row, in fours: K d by products of its rows with d, lane by lane, and
// Kᵀ d by its rows times the numbers of d. The fourth lane of d is zero, what follows a block stays
// in the fourth lane.
typedef struct RowSums {
  lbFour along[3], across[3];
} RowSums;

INLINE void add_product(const double *K, lbFour d, RowSums *sums) {
  LB_FOR_ALL(i, 0, 3)
  sums->along[i] = lb_four_multiply_add(lb_four_load(K + 3 * i), d, sums->along[i]);
}

INLINE void add_turned_product(const double *K, const lbFour d[3], RowSums *sums) {
  LB_FOR_ALL(i, 0, 3)
  sums->across[i] = lb_four_multiply_add(lb_four_load(K + 3 * i), d[i], sums->across[i]);
}

INLINE lbFour total(const RowSums *sums) {
  return lb_four_sums(sums->along[0], sums->along[1], sums->along[2], lb_four_splat(0)) +
         (sums->across[0] + sums->across[1] + sums->across[2]);
}

// What products read, so that the compiler need not look for it again in each row.
typedef struct Matrix {
  const int32_t *upper_begin, *upper, *lower_begin, *lower, *lower_block;
  const double *x, *values, *others; // packed; K̂_ij of pairs i < j; K̂_ji, if it is not symmetric
} Matrix;

INLINE Matrix matrix_of(const lbWarpPass *pass) {
  const lbWarp *warp = pass->warp;
  return (Matrix){ .upper_begin = warp->upper_begin,
                   .upper = warp->upper,
                   .lower_begin = warp->lower_begin,
                   .lower = warp->lower,
                   .lower_block = warp->lower_block,
                   .x = pass->packed,
                   .values = pass->values,
                   .others = pass->values + 9 * (size_t)warp->pair_count };
}

// (K̂ x)_i of packed x.
INLINE lbFour row_product(const Matrix *m, bool symmetric, int32_t node) {
  const double *own = m->x + 4 * (size_t)node;
  const lbFour all = lb_four_load(own);
  lbFour each[3];
  RowSums sums;
  LB_FOR_ALL(k, 0, 3) {
    sums.along[k] = sums.across[k] = lb_four_splat(0);
    each[k] = lb_four_load_one(own + k);
  }
  for (int32_t l = m->lower_begin[node], end = m->lower_begin[node + 1]; l < end; l++) {
    const double *other = m->x + m->lower[l];
    if (symmetric) {
      lbFour d[3];
      LB_FOR_ALL(k, 0, 3) d[k] = lb_four_load_one(other + k) - each[k];
      add_turned_product(m->values + m->lower_block[l], d, &sums);
    } else {
      add_product(m->others + 9 * (size_t)l, lb_four_load(other) - all, &sums);
    }
  }
  for (int32_t p = m->upper_begin[node], end = m->upper_begin[node + 1]; p < end; p++)
    add_product(m->values + 9 * (size_t)p, lb_four_load(m->x + m->upper[p]) - all, &sums);
  return total(&sums);
}

// Lane of a group that is a node.
#define FOR_NODES(group, lane, node)                                                               \
  for (int32_t lane = 0, node = (group)*LB_BATCH;                                                  \
       lane < LB_BATCH && node < pass->warp->node_count; lane++, node++)

static void pack_warp_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  lbLanes none[SHARES] = { 0 };
  for (int32_t group = begin; group < end; group++) FOR_NODES(group, lane, node) {
      const double *x = pass->x + (size_t)group * 3 * LB_BATCH + lane;
      lbFour packed = { x[0], x[LB_BATCH], x[2 * LB_BATCH], 0 };
      if (pass->y) packed -= lb_four_load(pass->y + 4 * (size_t)node);
      lb_four_store(pass->packed + 4 * (size_t)node, packed);
    }
  store_sums(none, none, sums);
}

INLINE void multiply_rows(const lbWarpPass *pass, bool symmetric, int32_t begin, int32_t end,
                          double *sums) {
  const lbWarp *warp = pass->warp;
  const Matrix matrix = matrix_of(pass);
  lbLanes first[SHARES] = { 0 }, second[SHARES] = { 0 };
  double products[3 * LB_BATCH] = { 0 };
  for (int32_t group = begin; group < end; group++) {
    FOR_NODES(group, lane, node) {
      lbFour product =
          warp->free[node] > 0 ? row_product(&matrix, symmetric, node) : lb_four_splat(0);
      LB_FOR_ALL(k, 0, 3) products[k * LB_BATCH + lane] = product[k];
    }
    for (int share = 0, lane = 0; share < SHARES; share++, lane += LB_LANES) {
      size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
      size_t node = (size_t)group * LB_BATCH + (size_t)lane;
      lbLanes x[3], w[3];
      load3(pass->x + at, x);
      load3(pass->w + at, w);
      lbLanes mass = pass->a * lb_load(warp->masses + node), free = lb_load(warp->free + node);
      LB_FOR_ALL(k, 0, 3) {
        lbLanes y = free * (mass * x[k] + pass->b * lb_load(products + k * LB_BATCH + lane));
        lb_store(pass->out + at + k * LB_BATCH, y);
        first[share] += y * w[k];
        second[share] += y * y;
      }
    }
  }
  store_sums(first, second, sums);
}

static void multiply_warp_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  if (pass->symmetric)
    multiply_rows(pass, true, begin, end, sums);
  else
    multiply_rows(pass, false, begin, end, sums);
}

typedef struct BlockSum { // in fours: 4, 4 and 1 number
  lbFour first, second;
  double last;
} BlockSum;

INLINE void add_block(const double *K, BlockSum *sum) {
  sum->first += lb_four_load(K), sum->second += lb_four_load(K + 4);
  sum->last += K[8];
}

INLINE void take_sum(const BlockSum *sum, double block[9]) {
  lb_four_store(block, sum->first), lb_four_store(block + 4, sum->second);
  block[8] = sum->last;
}

// D (9 x LB_BATCH) <- −Σ_j K̂_ij of a node in its lane.
INLINE void sum_row(const lbWarpPass *pass, int32_t node, double *D) {
  const lbWarp *warp = pass->warp;
  const BlockSum none = { lb_four_splat(0), lb_four_splat(0), 0 };
  BlockSum upper = none, lower = none;
  double own[9], turned[9];
  for (int32_t l = warp->lower_begin[node]; l < warp->lower_begin[node + 1]; l++)
    if (pass->symmetric)
      add_block(pass->values + warp->lower_block[l], &lower);
    else
      add_block(pass->values + 9 * ((size_t)warp->pair_count + (size_t)l), &upper);
  for (int32_t p = warp->upper_begin[node]; p < warp->upper_begin[node + 1]; p++)
    add_block(pass->values + 9 * (size_t)p, &upper);
  take_sum(&upper, own), take_sum(&lower, turned);
  LB_FOR_ALL(i, 0, 3)
  LB_FOR_ALL(j, 0, 3) D[(3 * i + j) * LB_BATCH] = -(own[3 * i + j] + turned[3 * j + i]);
}

INLINE void invert_lanes(const lbWarpPass *pass, int32_t group, int lane, const double *sum) {
  const lbWarp *warp = pass->warp;
  size_t node = (size_t)group * LB_BATCH + (size_t)lane;
  lbLanes D[9], cofactor[9];
  load9(sum + lane, D);
  LB_FOR_ALL(k, 0, 9) D[k] *= pass->b;
  lbLanes mass = pass->a * lb_load(warp->masses + node);
  lbMask is_free = lb_less(lb_splat(0.5), lb_load(warp->free + node));
  LB_FOR_ALL(k, 0, 3) D[4 * k] += mass;
  lbLanes determinant = lb_cofactor_lanes(D, cofactor);
  lbMask good = is_free & lb_less(lb_splat(0), determinant);
  lbLanes plain = lb_select(is_free & lb_less(lb_splat(0), mass), 1 / mass, lb_splat(0));
  lbLanes inverse = 1 / lb_select(good, determinant, lb_splat(1));
  LB_FOR_ALL(i, 0, 3)
  LB_FOR_ALL(j, 0, 3) // the transposed cofactors; the mass where that is no inverse
  lb_store(pass->out + (size_t)group * 9 * LB_BATCH + (size_t)lane + (3 * i + j) * LB_BATCH,
           lb_select(good, cofactor[3 * j + i] * inverse, i == j ? plain : lb_splat(0)));
}

static void invert_warp_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  lbLanes none[SHARES] = { 0 };
  for (int32_t group = begin; group < end; group++) {
    double sum[9 * LB_BATCH] = { 0 };
    FOR_NODES(group, lane, node) sum_row(pass, node, sum + lane);
    for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) invert_lanes(pass, group, lane, sum);
  }
  store_sums(none, none, sums);
}

// ---- vectors -----------------------------------------------------------------------------------

INLINE void cross3(const lbLanes a[3], const lbLanes b[3], lbLanes c[3]) {
  LB_FOR_ALL(k, 0, 3)
  c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// out (6 a part) += Σ x and Σ arm × x of a group's lanes.
INLINE void collect_lanes(const lbWarp *warp, size_t node, const lbLanes x[3], const double *arms,
                          double *out) {
  const int32_t *parts = warp->part_of + node;
  lbLanes arm[3], turn[3];
  double values[6][LB_LANES];
  load3(arms, arm);
  cross3(arm, x, turn);
  LB_FOR_ALL(k, 0, 3) lb_store(values[k], x[k]);
  LB_FOR_ALL(k, 0, 3) lb_store(values[3 + k], turn[k]);
  LB_FOR_ALL(i, 0, LB_LANES) {
    if (parts[i] < 0) continue;
    double *to = out + 6 * (size_t)parts[i];
    LB_FOR_ALL(k, 0, 6) to[k] += values[k][i];
  }
}

// Where the sums of parts of this chunk go, cleared; NULL: there are no parts.
INLINE double *part_sums(const lbWarpPass *pass, int32_t begin) {
  size_t size = 6 * (size_t)pass->warp->part_count;
  if (!pass->arms) return NULL;
  double *out = pass->collected + (size_t)(begin / LB_WARP_CHUNK) * size;
  memset(out, 0, size * sizeof *out);
  return out;
}

INLINE lbLanes smooth_lanes(const lbWarpPass *pass, int32_t group, int lane, const lbLanes x[3],
                            double *z_out, double *collected) {
  size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
  size_t node = (size_t)group * LB_BATCH + (size_t)lane;
  lbLanes D[9], z[3];
  load9(pass->inverse + (size_t)group * 9 * LB_BATCH + lane, D);
  apply(D, x, z);
  LB_FOR_ALL(k, 0, 3) lb_store(z_out + at + k * LB_BATCH, z[k]);
  if (collected) collect_lanes(pass->warp, node, x, pass->arms + at, collected);
  return dot3(x, z);
}

static void smooth_warp_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  lbLanes first[SHARES] = { 0 }, none[SHARES] = { 0 };
  double *collected = part_sums(pass, begin);
  FOR_LANES(group, lane, share) {
    lbLanes x[3];
    load3(pass->x + (size_t)group * 3 * LB_BATCH + (size_t)lane, x);
    first[share] += smooth_lanes(pass, group, lane, x, pass->out, collected);
  }
  store_sums(first, none, sums);
}

static void descend_warp_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  lbLanes first[SHARES] = { 0 }, none[SHARES] = { 0 };
  double *collected = part_sums(pass, begin);
  FOR_LANES(group, lane, share) {
    size_t from = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    lbLanes r[3];
    LB_FOR_ALL(k, 0, 3) {
      size_t at = from + (size_t)k * LB_BATCH;
      r[k] = lb_load(pass->other + at) - pass->a * lb_load(pass->y + at);
      lb_store(pass->out + at, lb_load(pass->out + at) + pass->a * lb_load(pass->x + at));
      lb_store(pass->other + at, r[k]);
    }
    first[share] += smooth_lanes(pass, group, lane, r, pass->smoothed, collected);
  }
  store_sums(first, none, sums);
}

// v <- the shift and the turn of the parts of lanes, at their arms.
INLINE void spread_lanes(const lbWarpPass *pass, size_t node, size_t at, lbLanes v[3]) {
  int32_t from[LB_LANES];
  lbLanes motion[6], arm[3], turned[3];
  LB_FOR_ALL(i, 0, LB_LANES) {
    int32_t part = pass->warp->part_of[node + (size_t)i];
    from[i] = 6 * (part < 0 ? pass->warp->part_count : part); // zero behind the last
  }
  LB_FOR_ALL(k, 0, 6) motion[k] = gather(pass->motions + k, from);
  load3(pass->arms + at, arm);
  cross3(motion + 3, arm, turned);
  LB_FOR_ALL(k, 0, 3) v[k] = motion[k] + turned[k];
}

static void spread_warp_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  lbLanes none[SHARES] = { 0 };
  FOR_LANES(group, lane, share) {
    size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    lbLanes v[3];
    spread_lanes(pass, (size_t)group * LB_BATCH + (size_t)lane, at, v);
    LB_FOR_ALL(k, 0, 3) {
      double *to = pass->out + at + k * LB_BATCH;
      lb_store(to, lb_load(to) + v[k]);
    }
  }
  store_sums(none, none, sums);
}

static void redirect_warp_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  FOR_LANES(group, lane, share) {
    size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    lbLanes v[3] = { lb_splat(0), lb_splat(0), lb_splat(0) };
    if (pass->motions) spread_lanes(pass, (size_t)group * LB_BATCH + (size_t)lane, at, v);
    LB_FOR_ALL(k, 0, 3) {
      double *to = pass->out + at + k * LB_BATCH;
      lb_store(to, lb_load(pass->x + at + k * LB_BATCH) + v[k] + pass->b * lb_load(to));
    }
  }
  lbWarpPass packing = *pass;
  packing.x = pass->out, packing.y = NULL;
  pack_warp_rows(&packing, begin, end, sums);
}

static void advance_warp_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  lbLanes first[SHARES] = { 0 }, none[SHARES] = { 0 };
  FOR_LANES(group, lane, share) {
    size_t from = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    LB_FOR_ALL(k, 0, 3) {
      size_t at = from + (size_t)k * LB_BATCH;
      lbLanes r = lb_load(pass->other + at) - pass->a * lb_load(pass->y + at);
      lb_store(pass->out + at, lb_load(pass->out + at) + pass->a * lb_load(pass->x + at));
      lb_store(pass->other + at, r);
      first[share] += r * r;
    }
  }
  store_sums(first, none, sums);
}

static void combine_warp_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  lbLanes first[SHARES] = { 0 }, second[SHARES] = { 0 };
  FOR_LANES(group, lane, share) {
    size_t from = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    LB_FOR_ALL(k, 0, 3) {
      size_t at = from + (size_t)k * LB_BATCH;
      lbLanes z = lb_load(pass->x + at) + pass->a * lb_load(pass->y + at);
      if (pass->w) z += pass->b * lb_load(pass->w + at);
      lb_store(pass->out + at, z);
      first[share] += z * z;
      if (pass->other) second[share] += z * lb_load(pass->other + at);
    }
  }
  store_sums(first, second, sums);
}

// ---- rotations of vertices ---------------------------------------------------------------------

INLINE void edge(const double *x, const int32_t *at, const lbLanes own[3], lbLanes e[3]) {
  gather3(x, at, e);
  LB_FOR_ALL(k, 0, 3) e[k] -= own[k];
}

// The best fit of all edges: the rotation of Σ (x_j − x_i)(X_j − X_i)ᵀ, with determinant +1.
INLINE void fit(const lbWarpPass *pass, int32_t group, int lane, lbLanes R[9]) {
  const lbWarp *warp = pass->warp;
  double products[9 * LB_LANES] = { 0 };
  lbLanes A[9];
  for (int i = 0; i < LB_LANES; i++) {
    int32_t node = group * LB_BATCH + lane + i;
    if (node >= warp->node_count) continue;
    lbFour rows[3] = { lb_four_splat(0), lb_four_splat(0), lb_four_splat(0) };
    const double *x = pass->packed + 4 * (size_t)node;
    lbFour rest = lb_four_load(warp->packed_rest + 4 * (size_t)node);
    for (int32_t s = 0; s < lb_warp_degree(warp, node); s++) {
      size_t at = 4 * (size_t)lb_warp_neighbour(warp, node, s);
      lbFour E = lb_four_load(warp->packed_rest + at) - rest;
      LB_FOR_ALL(k, 0, 3) rows[k] += lb_four_splat(pass->packed[at + k] - x[k]) * E;
    }
    LB_FOR_ALL(r, 0, 3)
    LB_FOR_ALL(c, 0, 3) products[(3 * r + c) * LB_LANES + i] = rows[r][c];
  }
  LB_FOR_ALL(k, 0, 9) A[k] = lb_load(products + k * LB_LANES);
  lb_polar_lanes_quick(A, R);
}

// n1 along the sum of three edges, n2 across it and the first of them, n3 across both: columns of
// N. Lanes where the sum or what is across it nearly vanishes are not in the mask.
INLINE lbMask edge_frame(const double *x, const int32_t *chosen, const lbLanes own[3],
                         lbLanes N[9]) {
  lbLanes e[3][3], sum[3], across[3], n1[3], n2[3], n3[3], size = lb_splat(0);
  LB_FOR_ALL(i, 0, 3) {
    edge(x, chosen + i * LB_BATCH, own, e[i]);
    size += dot3(e[i], e[i]);
  }
  LB_FOR_ALL(k, 0, 3) sum[k] = e[0][k] + e[1][k] + e[2][k];
  cross3(sum, e[0], across);
  lbLanes length = dot3(sum, sum), area = dot3(across, across);
  lbMask good = lb_less(1e-4 * size, length) & lb_less(1e-6 * size * size, area);
  lbLanes scale1 = 1 / lb_sqrt(length), scale2 = 1 / lb_sqrt(area);
  LB_FOR_ALL(k, 0, 3) n1[k] = scale1 * sum[k], n2[k] = scale2 * across[k];
  cross3(n1, n2, n3);
  LB_FOR_ALL(k, 0, 3) N[3 * k] = n1[k], N[3 * k + 1] = n2[k], N[3 * k + 2] = n3[k];
  return good;
}

INLINE void estimate(const lbWarpPass *pass, int32_t group, int lane, lbLanes R[9]) {
  const lbWarp *warp = pass->warp;
  if (warp->rotation == LB_WARP_EDGES) {
    const int32_t *chosen = warp->chosen + (size_t)group * 3 * LB_BATCH + lane;
    size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    lbLanes now[9], before[9], fitted[9], own[3], rest[3];
    load3(pass->x + at, own);
    load3(warp->rest + at, rest);
    lbMask good =
        edge_frame(pass->x, chosen, own, now) & edge_frame(warp->rest, chosen, rest, before);
    LB_FOR_ALL(i, 0, 3)
    LB_FOR_ALL(j, 0, 3)
    R[3 * i + j] = now[3 * i] * before[3 * j] + now[3 * i + 1] * before[3 * j + 1] +
                   now[3 * i + 2] * before[3 * j + 2];
    if (!lb_any(~good)) return;
    fit(pass, group, lane, fitted);
    LB_FOR_ALL(k, 0, 9) R[k] = lb_select(good, R[k], fitted[k]);
    return;
  }
  fit(pass, group, lane, R);
}

// R, by rows and by columns.
typedef struct Rotation {
  lbFour rows[3], columns[3];
} Rotation;

// to <- R K Rᵀ, K by rows.
INLINE void turn_rows(const Rotation *R, const lbFour K[3], double *to) {
  LB_FOR_ALL(i, 0, 3) {
    lbFour half = lb_four_splat(0), row = lb_four_splat(0);
    LB_FOR_ALL(k, 0, 3) half = lb_four_multiply_add(lb_four_splat(R->rows[i][k]), K[k], half);
    LB_FOR_ALL(k, 0, 3)
    row = lb_four_multiply_add(lb_four_splat(half[k]), R->columns[k], row);
    LB_FOR_ALL(k, 0, 3) to[3 * i + k] = row[k]; // the next block may be another thread's
  }
}

// With y_j = Rᵀ (x_j − x_i) − (X_j − X_i): f_i = R Σ_j K_ij y_j.
INLINE lbFour turned_row_force(const lbWarpPass *pass, int32_t node, const Rotation *R) {
  const lbWarp *warp = pass->warp;
  lbFour own = lb_four_load(pass->packed + 4 * (size_t)node), sum = lb_four_splat(0);
  lbFour rest = lb_four_load(warp->packed_rest + 4 * (size_t)node), force = sum;
  int32_t before = warp->lower_begin[node + 1] - warp->lower_begin[node];
  for (int32_t s = 0; s < lb_warp_degree(warp, node); s++) {
    size_t at = 4 * (size_t)lb_warp_neighbour(warp, node, s);
    size_t to = s < before ? (size_t)(warp->pair_count + warp->lower_begin[node] + s)
                           : (size_t)(warp->upper_begin[node] + s - before);
    double block[12] = { 0 };
    lb_warp_block(warp, warp->rest_values, true, node, s, block);
    lbFour K[3], e = lb_four_load(pass->packed + at) - own, y = lb_four_splat(0);
    LB_FOR_ALL(k, 0, 3) K[k] = lb_four_load(block + 3 * k);
    LB_FOR_ALL(k, 0, 3) y = lb_four_multiply_add(lb_four_splat(e[k]), R->rows[k], y);
    turn_rows(R, K, pass->other + 9 * to);
    y -= lb_four_load(warp->packed_rest + at) - rest; // its fourth lane is zero
    sum += lb_four_sums(K[0] * y, K[1] * y, K[2] * y, lb_four_splat(0));
  }
  LB_FOR_ALL(k, 0, 3) force += lb_four_splat(sum[k]) * R->columns[k];
  return force;
}

static void turned_rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  lbLanes none[SHARES] = { 0 };
  for (int32_t group = begin; group < end; group++) {
    double turns[9 * LB_BATCH];
    for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) {
      lbLanes R[9];
      estimate(pass, group, lane, R);
      LB_FOR_ALL(k, 0, 9) lb_store(turns + k * LB_BATCH + lane, R[k]);
    }
    FOR_NODES(group, lane, node) {
      const double *from = turns + lane;
      Rotation R;
      for (int k = 0; k < 3; k++) {
        R.rows[k] = (lbFour){ from[3 * k * LB_BATCH], from[(3 * k + 1) * LB_BATCH],
                              from[(3 * k + 2) * LB_BATCH], 0 };
        R.columns[k] =
            (lbFour){ from[k * LB_BATCH], from[(3 + k) * LB_BATCH], from[(6 + k) * LB_BATCH], 0 };
      }
      lbFour f = turned_row_force(pass, node, &R);
      double *to = pass->out + lb_warp_at(node);
      LB_FOR_ALL(k, 0, 3) to[k * LB_BATCH] = f[k];
    }
  }
  store_sums(none, none, sums);
}

static void rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  const Matrix matrix = matrix_of(pass);
  lbLanes none[SHARES] = { 0 };
  for (int32_t group = begin; group < end; group++) FOR_NODES(group, lane, node) {
      lbFour f = row_product(&matrix, true, node);
      LB_FOR_ALL(k, 0, 3) pass->out[lb_warp_at(node) + (size_t)(k * LB_BATCH)] = f[k];
    }
  store_sums(none, none, sums);
}

LB_KERNEL_TABLE(lbWarpRows, lb_warp_rows) = {
  pack_warp_rows,    multiply_warp_rows, invert_warp_rows, smooth_warp_rows,   descend_warp_rows,
  advance_warp_rows, combine_warp_rows,  spread_warp_rows, redirect_warp_rows, rows,
  turned_rows
};
