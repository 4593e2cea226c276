// Kernels of rows (kernels.h): lanes are nodes of a group.
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

static void multiply(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  const lbWarp *warp = pass->warp;
  lbLanes first[SHARES] = { 0 }, second[SHARES] = { 0 };
  FOR_LANES(group, lane, share) {
    size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    size_t node = (size_t)group * LB_BATCH + (size_t)lane;
    lbLanes x[3], w[3], sum[3] = { lb_splat(0), lb_splat(0), lb_splat(0) };
    load3(pass->x + at, x);
    for (int32_t s = warp->row_begin[group]; s < warp->row_begin[group + 1]; s++) {
      const double *K = pass->values + (size_t)s * 9 * LB_BATCH + lane;
      lbLanes d[3];
      gather3(pass->x, warp->columns + (size_t)s * LB_BATCH + lane, d);
      LB_FOR_ALL(k, 0, 3) d[k] -= x[k];
      LB_FOR_ALL(i, 0, 3)
      LB_FOR_ALL(k, 0, 3) sum[i] += lb_load(K + (3 * i + k) * LB_BATCH) * d[k];
    }
    lbLanes mass = pass->a * lb_load(warp->masses + node), free = lb_load(warp->free + node);
    load3(pass->w + at, w);
    LB_FOR_ALL(k, 0, 3) {
      lbLanes y = free * (mass * x[k] + pass->b * sum[k]);
      lb_store(pass->out + at + k * LB_BATCH, y);
      first[share] += y * w[k];
      second[share] += y * y;
    }
  }
  store_sums(first, second, sums);
}

static void invert(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  const lbWarp *warp = pass->warp;
  lbLanes none[SHARES] = { 0 };
  FOR_LANES(group, lane, share) {
    size_t node = (size_t)group * LB_BATCH + (size_t)lane;
    lbLanes D[9], cofactor[9];
    LB_FOR_ALL(k, 0, 9) D[k] = lb_splat(0);
    for (int32_t s = warp->row_begin[group]; s < warp->row_begin[group + 1]; s++) {
      const double *K = pass->values + (size_t)s * 9 * LB_BATCH + lane;
      LB_FOR_ALL(k, 0, 9) D[k] -= lb_load(K + k * LB_BATCH);
    }
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
  store_sums(none, none, sums);
}

static void smooth(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  lbLanes first[SHARES] = { 0 }, none[SHARES] = { 0 };
  FOR_LANES(group, lane, share) {
    size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    lbLanes D[9], x[3], z[3];
    load9(pass->inverse + (size_t)group * 9 * LB_BATCH + lane, D);
    load3(pass->x + at, x);
    apply(D, x, z);
    LB_FOR_ALL(k, 0, 3) lb_store(pass->out + at + k * LB_BATCH, z[k]);
    first[share] += dot3(x, z);
  }
  store_sums(first, none, sums);
}

static void advance(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
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

static void combine(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
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

// ---- parts -------------------------------------------------------------------------------------

INLINE void cross3(const lbLanes a[3], const lbLanes b[3], lbLanes c[3]) {
  LB_FOR_ALL(k, 0, 3)
  c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void collect(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  const lbWarp *warp = pass->warp;
  size_t size = 6 * (size_t)warp->part_count;
  double *out = pass->out + (size_t)(begin / LB_WARP_CHUNK) * size;
  lbLanes none[SHARES] = { 0 };
  memset(out, 0, size * sizeof *out);
  FOR_LANES(group, lane, share) {
    size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    const int32_t *parts = warp->part_of + (size_t)group * LB_BATCH + (size_t)lane;
    lbLanes x[6], arm[3];
    double values[6][LB_LANES];
    load3(pass->x + at, x);
    load3(pass->y + at, arm);
    cross3(arm, x, x + 3);
    LB_FOR_ALL(k, 0, 6) lb_store(values[k], x[k]);
    LB_FOR_ALL(i, 0, LB_LANES) {
      if (parts[i] < 0) continue;
      double *to = out + 6 * (size_t)parts[i];
      LB_FOR_ALL(k, 0, 6) to[k] += values[k][i];
    }
  }
  store_sums(none, none, sums);
}

static void spread(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  const lbWarp *warp = pass->warp;
  lbLanes none[SHARES] = { 0 };
  FOR_LANES(group, lane, share) {
    size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    const int32_t *parts = warp->part_of + (size_t)group * LB_BATCH + (size_t)lane;
    lbLanes v[6], arm[3], turned[3];
    double values[6][LB_LANES];
    LB_FOR_ALL(i, 0, LB_LANES) {
      const double *from = pass->x + 6 * (size_t)(parts[i] < 0 ? 0 : parts[i]);
      double is_part = parts[i] < 0 ? 0 : 1;
      LB_FOR_ALL(k, 0, 6) values[k][i] = is_part * from[k];
    }
    LB_FOR_ALL(k, 0, 6) v[k] = lb_load(values[k]);
    load3(pass->y + at, arm);
    cross3(v + 3, arm, turned);
    LB_FOR_ALL(k, 0, 3) {
      double *to = pass->out + at + k * LB_BATCH;
      lb_store(to, lb_load(to) + v[k] + turned[k]);
    }
  }
  store_sums(none, none, sums);
}

// ---- rotations of vertices ---------------------------------------------------------------------

INLINE void edge(const double *x, const int32_t *at, const lbLanes own[3], lbLanes e[3]) {
  gather3(x, at, e);
  LB_FOR_ALL(k, 0, 3) e[k] -= own[k];
}

// The best fit of all edges: the rotation of Σ (x_j − x_i)(X_j − X_i)ᵀ, with determinant +1.
INLINE void fit(const lbWarp *warp, int32_t group, int lane, const double *x, const lbLanes own[3],
                const lbLanes rest[3], lbLanes R[9]) {
  lbLanes A[9];
  LB_FOR_ALL(k, 0, 9) A[k] = lb_splat(0);
  for (int32_t s = warp->row_begin[group]; s < warp->row_begin[group + 1]; s++) {
    const int32_t *at = warp->columns + (size_t)s * LB_BATCH + lane;
    lbLanes e[3], E[3];
    edge(x, at, own, e);
    edge(warp->rest, at, rest, E);
    LB_FOR_ALL(i, 0, 3) LB_FOR_ALL(j, 0, 3) A[3 * i + j] += e[i] * E[j];
  }
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

INLINE void estimate(const lbWarp *warp, int32_t group, int lane, const double *x,
                     const lbLanes own[3], const lbLanes rest[3], lbLanes R[9]) {
  if (warp->rotation == LB_WARP_EDGES) {
    const int32_t *chosen = warp->chosen + (size_t)group * 3 * LB_BATCH + lane;
    lbLanes now[9], before[9], fitted[9];
    lbMask good = edge_frame(x, chosen, own, now) & edge_frame(warp->rest, chosen, rest, before);
    LB_FOR_ALL(i, 0, 3)
    LB_FOR_ALL(j, 0, 3)
    R[3 * i + j] = now[3 * i] * before[3 * j] + now[3 * i + 1] * before[3 * j + 1] +
                   now[3 * i + 2] * before[3 * j + 2];
    if (!lb_any(~good)) return;
    fit(warp, group, lane, x, own, rest, fitted);
    LB_FOR_ALL(k, 0, 9) R[k] = lb_select(good, R[k], fitted[k]);
    return;
  }
  fit(warp, group, lane, x, own, rest, R);
}

// With y_j = Rᵀ (x_j − x_i) − (X_j − X_i): f_i = R Σ_j K_ij y_j.
INLINE void rows_of(bool warped, const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  const lbWarp *warp = pass->warp;
  lbLanes none[SHARES] = { 0 };
  FOR_LANES(group, lane, share) {
    size_t at = (size_t)group * 3 * LB_BATCH + (size_t)lane;
    lbLanes x[3], X[3], R[9], f[3] = { lb_splat(0), lb_splat(0), lb_splat(0) }, force[3];
    load3(pass->x + at, x);
    load3(warp->rest + at, X);
    if (warped) estimate(warp, group, lane, pass->x, x, X, R);
    for (int32_t s = warp->row_begin[group]; s < warp->row_begin[group + 1]; s++) {
      const int32_t *column = warp->columns + (size_t)s * LB_BATCH + lane;
      size_t block = (size_t)s * 9 * LB_BATCH + (size_t)lane;
      lbLanes K[9], e[3], E[3], y[3], Ky[3];
      load9(warp->rest_values + block, K);
      edge(pass->x, column, x, e);
      edge(warp->rest, column, X, E);
      if (warped) {
        lbLanes turned[9];
        apply_transpose(R, e, y);
        turn_block(R, K, turned);
        LB_FOR_ALL(k, 0, 9) lb_store(pass->other + block + k * LB_BATCH, turned[k]);
      } else {
        LB_FOR_ALL(k, 0, 3) y[k] = e[k];
      }
      LB_FOR_ALL(k, 0, 3) y[k] -= E[k];
      apply(K, y, Ky);
      LB_FOR_ALL(k, 0, 3) f[k] += Ky[k];
    }
    if (warped) apply(R, f, force);
    LB_FOR_ALL(k, 0, 3) lb_store(pass->out + at + k * LB_BATCH, warped ? force[k] : f[k]);
  }
  store_sums(none, none, sums);
}

static void rows(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums) {
  if (pass->warp->strain == LB_WARP_WARPED)
    rows_of(true, pass, begin, end, sums);
  else
    rows_of(false, pass, begin, end, sums);
}

extern const lbWarpRows LB_KERNEL(lb_warp_rows);
const lbWarpRows LB_KERNEL(lb_warp_rows) = { multiply, invert,  smooth, advance,
                                             combine,  collect, spread, rows };
