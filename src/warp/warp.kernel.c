// The kernels of warped stiffness (kernels.h). Lanes are elements of a batch or nodes of a group.
#include "warp/kernels.h"

#include "math/polar_lanes.h"

#define INLINE static inline __attribute__((always_inline))
#define STIFFER 10.0 // beyond the limit of stretching, this times the stiffness

INLINE lbLanes gather(const double *x, const int32_t *at) {
#if LB_LANES == 8
  return (
      lbLanes){ x[at[0]], x[at[1]], x[at[2]], x[at[3]], x[at[4]], x[at[5]], x[at[6]], x[at[7]] };
#elif LB_LANES == 4
  return (lbLanes){ x[at[0]], x[at[1]], x[at[2]], x[at[3]] };
#elif LB_LANES == 2
  return (lbLanes){ x[at[0]], x[at[1]] };
#else
  return x[at[0]];
#endif
}

INLINE void gather3(const double *x, const int32_t *at, lbLanes v[3]) {
  LB_FOR_ALL(k, 0, 3) v[k] = gather(x + k * LB_BATCH, at);
}

INLINE void load3(const double *from, lbLanes v[3]) {
  LB_FOR_ALL(k, 0, 3) v[k] = lb_load(from + k * LB_BATCH);
}

INLINE void load9(const double *from, lbLanes m[9]) {
  LB_FOR_ALL(k, 0, 9) m[k] = lb_load(from + k * LB_BATCH);
}

INLINE void apply(const lbLanes m[9], const lbLanes v[3], lbLanes to[3]) {
  LB_FOR_ALL(i, 0, 3) to[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

INLINE void apply_transpose(const lbLanes m[9], const lbLanes v[3], lbLanes to[3]) {
  LB_FOR_ALL(i, 0, 3) to[i] = m[i] * v[0] + m[3 + i] * v[1] + m[6 + i] * v[2];
}

INLINE lbLanes dot3(const lbLanes a[3], const lbLanes b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// to <- R K Rᵀ
INLINE void turn_block(const lbLanes R[9], const lbLanes K[9], lbLanes to[9]) {
  lbLanes RK[9];
  lb_multiply_lanes(R, K, RK);
  LB_FOR_ALL(i, 0, 3)
  LB_FOR_ALL(j, 0, 3)
  to[3 * i + j] =
      RK[3 * i] * R[3 * j] + RK[3 * i + 1] * R[3 * j + 1] + RK[3 * i + 2] * R[3 * j + 2];
}

// ---- elements ----------------------------------------------------------------------------------

// Beyond the limit: the stress goes on with STIFFER times the slope from where it was. By how much
// force and stiffness of each lane are multiplied.
static void limit_stretch(double limit, const lbLanes F[9], lbLanes *force, lbLanes *stiffness) {
  double in[9][LB_LANES], forces[LB_LANES], slopes[LB_LANES];
  for (int k = 0; k < 9; k++) lb_store(in[k], F[k]);
  for (int lane = 0; lane < LB_LANES; lane++) {
    lbMat3 f;
    for (int k = 0; k < 9; k++) f.m[k] = in[k][lane];
    double most = lb_svd3(f).s[0] - 1, allowed = limit - 1;
    bool beyond = most > allowed;
    forces[lane] = beyond ? 1 + (STIFFER - 1) * (1 - allowed / most) : 1;
    slopes[lane] = beyond ? STIFFER : 1;
  }
  *force = lb_load(forces), *stiffness = lb_load(slopes);
}

// With y = Rᵀ x − X (from the first node on): f_a = R Σ_b K_ab (y_b − y_a).
INLINE void element_lanes(int n, const lbWarpSet *set, int32_t batch, int lane, double limit,
                          const double *x, double *blocks, double *forces, double *energies) {
  const int32_t *at = set->at + (size_t)batch * (size_t)n * LB_BATCH + lane;
  const double *g = set->rest + (size_t)batch * set->rest_size * LB_BATCH + lane;
  const double *X = g + 3 * n * LB_BATCH, *K = X + 3 * n * LB_BATCH;
  lbLanes y[8][3], f[8][3], F[9], R[9], first[3], X0[3], energy = lb_splat(0);
  lbLanes strength = lb_splat(1), slope = lb_splat(1);
  gather3(x, at, first);
  load3(X, X0);
  LB_FOR_ALL(k, 0, 9) F[k] = lb_splat(0);
  LB_FOR (a, 0, n) LB_FOR_ALL(k, 0, 3) y[a][k] = f[a][k] = lb_splat(0);
  LB_FOR (a, 1, n) {
    lbLanes G[3];
    gather3(x, at + a * LB_BATCH, y[a]);
    load3(g + 3 * a * LB_BATCH, G);
    LB_FOR_ALL(i, 0, 3) {
      y[a][i] -= first[i];
      LB_FOR_ALL(j, 0, 3) F[3 * i + j] += y[a][i] * G[j];
    }
  }
  lb_polar_lanes(F, R);
  if (limit > 0) limit_stretch(limit, F, &strength, &slope);
  LB_FOR (a, 1, n) {
    lbLanes turned[3], own[3];
    apply_transpose(R, y[a], turned);
    load3(X + 3 * a * LB_BATCH, own);
    LB_FOR_ALL(k, 0, 3) y[a][k] = turned[k] - (own[k] - X0[k]);
  }
  int pair = 0;
  LB_FOR (b, 1, n)
    LB_FOR (a, 0, b) {
      lbLanes block[9], turned[9], d[3], fa[3], fb[3];
      load9(K + 9 * pair * LB_BATCH, block);
      LB_FOR_ALL(k, 0, 3) d[k] = y[b][k] - y[a][k];
      apply(block, d, fa);
      apply_transpose(block, d, fb);
      LB_FOR_ALL(k, 0, 3) f[a][k] += fa[k], f[b][k] -= fb[k];
      if (limit > 0) LB_FOR_ALL(k, 0, 9) block[k] *= slope;
      turn_block(R, block, turned);
      lb_store_turned(blocks + ((size_t)lane * (size_t)set->blocks + (size_t)pair) * 9,
                      (size_t)set->blocks * 9, turned, 9);
      pair++;
    }
  lbLanes out[24];
  LB_FOR (a, 0, n) {
    energy += dot3(y[a], f[a]);
    apply(R, f[a], out + 3 * a);
    if (limit > 0) LB_FOR_ALL(k, 0, 3) out[3 * a + k] *= strength;
  }
  lb_store_turned(forces + (size_t)lane * (size_t)n * 3, (size_t)n * 3, out, 3 * n);
  lb_store(energies + lane, 0.5 * strength * energy);
}

// The same of a tet of finite elements, whose blocks are made anew of its turned gradients: with
// h = R g, K̂_ab = V (λ h_a h_bᵀ + μ h_b h_aᵀ + μ h_a·h_b I), and f_a = V τ h_a with the stress
// τ = λ tr(ε) I + 2μ ε, ε = F Rᵀ − I, which is symmetric.
INLINE void tet_lanes(const lbWarpSet *set, int32_t batch, int lane, double limit, const double *x,
                      double *blocks, double *forces, double *energies) {
  const int32_t *at = set->at + (size_t)batch * 4 * LB_BATCH + lane;
  const double *g = set->rest + (size_t)batch * set->rest_size * LB_BATCH + lane;
  const lbLanes lambda = lb_load(g + 78 * LB_BATCH), mu = lb_load(g + 79 * LB_BATCH);
  lbLanes first[3], F[9], R[9], h[4][3], strain[9], stress[9], out[12];
  lbLanes strength = lb_splat(1), slope = lb_splat(1);
  gather3(x, at, first);
  LB_FOR_ALL(k, 0, 9) F[k] = lb_splat(0);
  LB_FOR_ALL(a, 1, 4) {
    lbLanes e[3];
    gather3(x, at + a * LB_BATCH, e);
    load3(g + 3 * a * LB_BATCH, h[a]);
    LB_FOR_ALL(i, 0, 3)
    LB_FOR_ALL(j, 0, 3) F[3 * i + j] += (e[i] - first[i]) * h[a][j];
  }
  lb_polar_lanes(F, R);
  if (limit > 0) limit_stretch(limit, F, &strength, &slope);
  LB_FOR_ALL(k, 0, 3) h[0][k] = lb_splat(0);
  LB_FOR_ALL(a, 1, 4) {
    lbLanes turned[3];
    apply(R, h[a], turned);
    LB_FOR_ALL(k, 0, 3) h[a][k] = turned[k], h[0][k] -= turned[k];
  }
  LB_FOR_ALL(i, 0, 3)
  LB_FOR_ALL(j, 0, 3)
  strain[3 * i + j] = F[3 * i] * R[3 * j] + F[3 * i + 1] * R[3 * j + 1] +
                      F[3 * i + 2] * R[3 * j + 2] - (i == j ? 1.0 : 0.0);
  lbLanes trace = lambda * (strain[0] + strain[4] + strain[8]), energy = lb_splat(0);
  LB_FOR_ALL(i, 0, 3)
  LB_FOR_ALL(j, 0, 3) {
    stress[3 * i + j] = strength * mu * (strain[3 * i + j] + strain[3 * j + i]);
    if (i == j) stress[4 * i] += strength * trace;
  }
  LB_FOR_ALL(k, 0, 9) energy += stress[k] * strain[k];
  LB_FOR_ALL(k, 0, 3) out[k] = lb_splat(0);
  LB_FOR_ALL(a, 1, 4) {
    apply(stress, h[a], out + 3 * a);
    LB_FOR_ALL(k, 0, 3) out[k] -= out[3 * a + k];
  }
  lb_store_turned(forces + (size_t)lane * 12, 12, out, 12);
  lb_store(energies + lane, 0.5 * energy);
  const lbLanes l = slope * lambda, m = slope * mu;
  LB_FOR_ALL(b, 1, 4)
  LB_FOR_ALL(a, 0, 3) {
    if (a >= b) continue;
    lbLanes block[9], along = m * dot3(h[a], h[b]);
    LB_FOR_ALL(i, 0, 3)
    LB_FOR_ALL(j, 0, 3) {
      block[3 * i + j] = l * h[a][i] * h[b][j] + m * h[b][i] * h[a][j];
      if (i == j) block[4 * i] += along;
    }
    lb_store_turned(blocks + ((size_t)lane * 6 + (size_t)(b * (b - 1) / 2 + a)) * 9, 54, block, 9);
  }
}

static void elements(const lbWarpSet *set, int32_t batch, double limit, const double *x,
                     double *blocks, double *forces, double *energies) {
  for (int lane = 0; lane < LB_BATCH; lane += LB_LANES)
    if (set->isotropic)
      tet_lanes(set, batch, lane, limit, x, blocks, forces, energies);
    else if (set->nodes == 4)
      element_lanes(4, set, batch, lane, limit, x, blocks, forces, energies);
    else
      element_lanes(8, set, batch, lane, limit, x, blocks, forces, energies);
}

// ---- sums of blocks ----------------------------------------------------------------------------

INLINE void add_blocks(const double *blocks, const int32_t *list, int32_t begin, int32_t end,
                       double sum[9]) {
  lbLanes lanes[LB_BATCH / LB_LANES];
  double last = 0;
  LB_FOR_ALL(h, 0, LB_BATCH / LB_LANES) lanes[h] = lb_splat(0);
  for (int32_t s = begin; s < end; s++) {
    const double *block = blocks + 9 * (size_t)list[s];
    LB_FOR_ALL(h, 0, LB_BATCH / LB_LANES) lanes[h] += lb_load(block + h * LB_LANES);
    last += block[8];
  }
  LB_FOR_ALL(h, 0, LB_BATCH / LB_LANES) lb_store(sum + h * LB_LANES, lanes[h]);
  sum[8] = last;
}

static void assemble(const lbWarp *warp, int32_t begin, int32_t end, const double *blocks,
                     double *values) {
  for (int32_t p = begin; p < end; p++) {
    double sum[9], turned[9];
    int32_t middle = warp->pair_turned[p], last = warp->pair_begin[p + 1];
    add_blocks(blocks, warp->pair_blocks, warp->pair_begin[p], middle, sum);
    if (middle < last) {
      add_blocks(blocks, warp->pair_blocks, middle, last, turned);
      LB_FOR_ALL(r, 0, 3) LB_FOR_ALL(c, 0, 3) sum[3 * r + c] += turned[3 * c + r];
    }
    double *ij = values + warp->pair_at[2 * (size_t)p];
    double *ji = values + warp->pair_at[2 * (size_t)p + 1];
    LB_FOR_ALL(r, 0, 3)
    LB_FOR_ALL(c, 0, 3) {
      ij[(3 * r + c) * LB_BATCH] = sum[3 * r + c];
      ji[(3 * c + r) * LB_BATCH] = sum[3 * r + c];
    }
  }
}

// ---- rows of nodes -----------------------------------------------------------------------------

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
  lb_polar_lanes(A, R);
}

INLINE void cross3(const lbLanes a[3], const lbLanes b[3], lbLanes c[3]) {
  LB_FOR_ALL(k, 0, 3)
  c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
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

extern const lbWarpKernels LB_KERNEL(lb_warp_kernels);
const lbWarpKernels LB_KERNEL(lb_warp_kernels) = { elements, assemble, multiply, invert,
                                                   smooth,   advance,  combine,  rows };
