// Kernels of elements (kernels.h): lanes are elements of a batch.
#include "math/four.h"
#include "warp/kernels.h"
#include "warp/lanes.h"

#define FLAT 1e-3    // added to sums of two stretches, which vanish in flat elements
#define GAINS 0.01   // of strain, from which on a tet may gain energy that is worth the account
#define STIFFER 10.0 // beyond the limit of stretching, this times the stiffness

// Beyond the limit L of stretching: an energy ½ k Σ (s − L)² of the principal stretches s > L, with
// k of (STIFFER − 1) times the stiffness along an axis, so that stress goes on from where it was
// with STIFFER times the slope. `stress` (V τ, axes of the rest shape) and energy are written, the
// slope of the lanes where there is some.
static void limit_stretch(double limit, lbLanes modulus, const lbLanes F[9], lbLanes stress[9],
                          lbLanes *energy, lbLanes *slope) {
  double in[9][LB_LANES], out[9][LB_LANES], k[LB_LANES], energies[LB_LANES], slopes[LB_LANES];
  for (int i = 0; i < 9; i++) lb_store(in[i], F[i]);
  lb_store(k, (STIFFER - 1) * modulus);
  for (int lane = 0; lane < LB_LANES; lane++) {
    lbMat3 f, sum = lb_mat3_zero();
    for (int i = 0; i < 9; i++) f.m[i] = in[i][lane];
    lbSvd3 svd = lb_svd3(f);
    energies[lane] = 0, slopes[lane] = svd.s[0] > limit ? STIFFER : 1;
    for (int i = 0; i < 3; i++) {
      lbVec3 axis = lb_vec3(svd.v.m[i], svd.v.m[3 + i], svd.v.m[6 + i]);
      double beyond = svd.s[i] - limit;
      if (!(beyond > 0)) continue;
      energies[lane] += 0.5 * k[lane] * beyond * beyond;
      sum = lb_mat3_add(sum, lb_mat3_scale(k[lane] * beyond, lb_mat3_outer(axis, axis)));
    }
    for (int i = 0; i < 9; i++) out[i][lane] = sum.m[i];
  }
  for (int i = 0; i < 9; i++) stress[i] = lb_load(out[i]);
  *energy = lb_load(energies), *slope = lb_load(slopes);
}

// The stiffness of stress: a turn by ω, F changing by [ω]× R, changes the energy by
// ω·G ω where rotations follow, and by nothing where they are held. G has the axes of the stress τ
// and of U = F Rᵀ, and (τ_i + τ_j) / (U_i + U_j) about the third of them, so that
//
//   G = (tr τ I − τ) (tr U I − U)⁻¹.
//
// Tension stiffens a body as it does a string, compression softens it; a step that left this out
// would take it explicitly, which is unstable at long steps. Where K̂ must be positive, softening is
// left out: for every c > 0, (G + c I)² / 4c is above the positive part of G, and nearly equal with
// c = |G| / √2.
INLINE void stress_stiffness(const lbLanes stress[9], const lbLanes U[9], bool positive,
                             lbLanes G[9]) {
  lbLanes P[9], T[9], cofactor[9], full[9];
  lbLanes size = U[0] + U[4] + U[8], sum = stress[0] + stress[4] + stress[8];
  LB_FOR_ALL(k, 0, 9) P[k] = (k % 4 ? lb_splat(0) : size + FLAT) - U[k];
  LB_FOR_ALL(k, 0, 9) T[k] = (k % 4 ? lb_splat(0) : sum) - stress[k];
  lbLanes determinant = lb_cofactor_lanes(P, cofactor);
  lbMask good = lb_less(lb_splat(FLAT * FLAT * FLAT), determinant);
  lbLanes inverse = lb_select(good, 1 / determinant, lb_splat(0));
  lb_multiply_lanes(T, cofactor,
                    full); // symmetric, but for rounding, as P and T have the same axes
  LB_FOR_ALL(i, 0, 3)
  LB_FOR_ALL(j, 0, 3) G[3 * i + j] = 0.5 * inverse * (full[3 * i + j] + full[3 * j + i]);
  if (!positive) return;
  memcpy(full, G, sizeof full);
  lbLanes c = lb_sqrt(0.5 * lb_norm_squared_lanes(full)) + 1e-280;
  LB_FOR_ALL(k, 0, 3) full[4 * k] += c;
  lb_transpose_multiply_lanes(full, full, G);
  inverse = 0.25 / c;
  LB_FOR_ALL(k, 0, 9) G[k] *= inverse;
}

// A turn is ω = ½ Σ_a h_a × u_a: block += ½ [h_a]×ᵀ G [h_b]×.
INLINE void add_stress_stiffness(const lbLanes G[9], const lbLanes ha[3], const lbLanes hb[3],
                                 lbLanes block[9]) {
  lbLanes B[9];
  LB_FOR_ALL(i, 0, 3) {
    const lbLanes *row = G + 3 * i; // row × h_b
    B[3 * i] = row[1] * hb[2] - row[2] * hb[1];
    B[3 * i + 1] = row[2] * hb[0] - row[0] * hb[2];
    B[3 * i + 2] = row[0] * hb[1] - row[1] * hb[0];
  }
  LB_FOR_ALL(j, 0, 3) { // −[h_a]× B, column by column
    block[j] -= 0.5 * (ha[1] * B[6 + j] - ha[2] * B[3 + j]);
    block[3 + j] -= 0.5 * (ha[2] * B[j] - ha[0] * B[6 + j]);
    block[6 + j] -= 0.5 * (ha[0] * B[3 + j] - ha[1] * B[j]);
  }
}

// V τ of forces at nodes that rest at X, both in the axes of the rest shape.
INLINE void mean_stress(int n, const lbLanes f[8][3], const double *X, lbLanes stress[9]) {
  lbLanes X0[3], product[9];
  load3(X, X0);
  LB_FOR_ALL(k, 0, 9) product[k] = lb_splat(0);
  LB_FOR (a, 1, n) {
    lbLanes own[3];
    load3(X + 3 * a * LB_BATCH, own);
    LB_FOR_ALL(i, 0, 3)
    LB_FOR_ALL(j, 0, 3) product[3 * i + j] += f[a][i] * (own[j] - X0[j]);
  }
  LB_FOR_ALL(i, 0, 3)
  LB_FOR_ALL(j, 0, 3) stress[3 * i + j] = 0.5 * (product[3 * i + j] + product[3 * j + i]);
}

// With y = Rᵀ x − X (from the first node on): f_a = R Σ_b K_ab (y_b − y_a). Energies alone, if
// blocks are NULL.
INLINE void element_lanes(int n, const lbWarpSet *set, int32_t batch, int lane, double limit,
                          bool positive, const double *x, double *blocks, double *forces,
                          double *energies) {
  const int32_t *at = set->at + (size_t)batch * (size_t)n * LB_BATCH + lane;
  const double *g = set->rest + (size_t)batch * set->rest_size * LB_BATCH + lane;
  const double *X = g + 3 * n * LB_BATCH, *K = X + 3 * n * LB_BATCH;
  const double *moduli = K + 9 * (size_t)set->blocks * LB_BATCH;
  lbLanes y[8][3], f[8][3], F[9], R[9], first[3], X0[3], energy = lb_splat(0);
  lbLanes more[9], beyond = lb_splat(0), slope = lb_splat(1);
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
  lb_polar_lanes_quick(F, R);
  LB_FOR (a, 1, n) {
    lbLanes turned[3], own[3];
    apply_transpose(R, y[a], turned);
    load3(X + 3 * a * LB_BATCH, own);
    LB_FOR_ALL(k, 0, 3) y[a][k] = turned[k] - (own[k] - X0[k]);
  }
  int pair = 0;
  LB_FOR (b, 1, n)
    LB_FOR (a, 0, b) {
      lbLanes block[9], d[3], fa[3], fb[3];
      load9(K + 9 * pair++ * LB_BATCH, block);
      LB_FOR_ALL(k, 0, 3) d[k] = y[b][k] - y[a][k];
      apply(block, d, fa);
      apply_transpose(block, d, fb);
      LB_FOR_ALL(k, 0, 3) f[a][k] += fa[k], f[b][k] -= fb[k];
    }
  LB_FOR (a, 0, n) energy += dot3(y[a], f[a]);
  if (limit > 0) {
    lbLanes modulus = lb_load(moduli) + 2 * lb_load(moduli + LB_BATCH);
    limit_stretch(limit, modulus, F, more, &beyond, &slope);
    LB_FOR (a, 0, n) {
      lbLanes G[3], force[3];
      load3(g + 3 * a * LB_BATCH, G);
      apply(more, G, force);
      LB_FOR_ALL(k, 0, 3) f[a][k] += force[k];
    }
  }
  lb_store(energies + lane, 0.5 * energy + beyond);
  if (!blocks) return;
  lbLanes out[24];
  LB_FOR (a, 0, n) apply(R, f[a], out + 3 * a);
  lb_store_turned(forces + (size_t)lane * (size_t)n * 3, (size_t)n * 3, out, 3 * n);
  lbLanes stress[9], U[9], G[9];
  mean_stress(n, f, X, stress);
  lb_transpose_multiply_lanes(R, F, U);
  stress_stiffness(stress, U, positive, G);
  pair = 0;
  LB_FOR (b, 1, n)
    LB_FOR (a, 0, b) {
      lbLanes block[9], turned[9], ga[3], gb[3];
      load9(K + 9 * pair * LB_BATCH, block);
      load3(g + 3 * a * LB_BATCH, ga);
      load3(g + 3 * b * LB_BATCH, gb);
      if (limit > 0) LB_FOR_ALL(k, 0, 9) block[k] *= slope;
      add_stress_stiffness(G, ga, gb, block);
      turn_block(R, block, turned);
      lb_store_turned(blocks + ((size_t)lane * (size_t)set->blocks + (size_t)pair++) * 9,
                      (size_t)set->blocks * 9, turned, 9);
    }
}

INLINE void deformation(const int32_t *at, const double *x, const lbLanes g[4][3], lbLanes F[9]) {
  lbLanes first[3];
  gather3(x, at, first);
  LB_FOR_ALL(k, 0, 9) F[k] = lb_splat(0);
  LB_FOR_ALL(a, 1, 4) {
    lbLanes e[3];
    gather3(x, at + a * LB_BATCH, e);
    LB_FOR_ALL(i, 0, 3)
    LB_FOR_ALL(j, 0, 3) F[3 * i + j] += (e[i] - first[i]) * g[a][j];
  }
}

// The blocks of a tet with its stiffness of stress. By
//
//   [a]×ᵀ G [b]× = t ((a·b) I − b aᵀ) − (a·Gb) I − (a·b) G + b (Ga)ᵀ + (Gb) aᵀ,   t = tr G,
//
// they are λ a bᵀ + b pᵀ + q aᵀ + s I − ½ (a·b) G with p = (μ − t/2) a + ½ Ga, q = ½ Gb and
// s = (μ + t/2) a·b − a·q.
INLINE void tet_blocks(const lbLanes h[4][3], lbLanes lambda, lbLanes mu, const lbLanes G[9],
                       double *blocks) {
  lbLanes half[9], p[3][3], q[4][3], first[3][3];
  LB_FOR_ALL(k, 0, 9) half[k] = 0.5 * G[k];
  const lbLanes t = half[0] + half[4] + half[8], less = mu - t, more = mu + t;
  LB_FOR_ALL(a, 0, 4) apply(half, h[a], q[a]);
  LB_FOR_ALL(a, 0, 3)
  LB_FOR_ALL(k, 0, 3) p[a][k] = less * h[a][k] + q[a][k], first[a][k] = lambda * h[a][k];
  LB_FOR_ALL(b, 1, 4)
  LB_FOR_ALL(a, 0, 3) {
    if (a >= b) continue;
    lbLanes block[9], along = dot3(h[a], h[b]), s = more * along - dot3(h[a], q[b]);
    LB_FOR_ALL(i, 0, 3)
    LB_FOR_ALL(j, 0, 3) {
      block[3 * i + j] =
          first[a][i] * h[b][j] + h[b][i] * p[a][j] + q[b][i] * h[a][j] - along * half[3 * i + j];
      if (i == j) block[4 * i] += s;
    }
    lb_store_turned(blocks + (b * (b - 1) / 2 + a) * 9, 54, block, 9);
  }
}

// The same of a tet of finite elements, whose blocks are made anew of its turned gradients: with
// h = R g,
// K̂_ab = V (λ h_a h_bᵀ + μ h_b h_aᵀ + μ h_a·h_b I), and f_a = V τ h_a with the stress
// τ = λ tr(ε) I + 2μ ε, ε = F Rᵀ − I, which is symmetric.
INLINE void tet_lanes(const lbWarpSet *set, int32_t batch, int lane, double limit, bool positive,
                      const double *x, double *blocks, double *forces, double *energies) {
  const int32_t *at = set->at + (size_t)batch * 4 * LB_BATCH + lane;
  const double *g = set->rest + (size_t)batch * set->rest_size * LB_BATCH + lane;
  const lbLanes lambda = lb_load(g + 78 * LB_BATCH), mu = lb_load(g + 79 * LB_BATCH);
  lbLanes F[9], R[9], h[4][3], strain[9], stress[9], out[12];
  lbLanes beyond = lb_splat(0), slope = lb_splat(1);
  LB_FOR_ALL(a, 1, 4) load3(g + 3 * a * LB_BATCH, h[a]);
  deformation(at, x, h, F);
  lb_polar_lanes_quick(F, R);
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
    stress[3 * i + j] = mu * (strain[3 * i + j] + strain[3 * j + i]);
    if (i == j) stress[4 * i] += trace;
  }
  LB_FOR_ALL(k, 0, 9) energy += stress[k] * strain[k];
  if (limit > 0) {
    lbLanes own[9], more[9];
    limit_stretch(limit, lambda + 2 * mu, F, own, &beyond, &slope);
    turn_block(R, own, more);
    LB_FOR_ALL(k, 0, 9) stress[k] += more[k];
  }
  lb_store(energies + lane, 0.5 * energy + beyond);
  if (!blocks) return;
  LB_FOR_ALL(k, 0, 3) out[k] = lb_splat(0);
  LB_FOR_ALL(a, 1, 4) {
    apply(stress, h[a], out + 3 * a);
    LB_FOR_ALL(k, 0, 3) out[k] -= out[3 * a + k];
  }
  lb_store_turned(forces + (size_t)lane * 12, 12, out, 12);
  const lbLanes l = slope * lambda, m = slope * mu;
  lbLanes G[9];
  LB_FOR_ALL(k, 0, 3) strain[4 * k] += 1.0; // U
  stress_stiffness(stress, strain, positive, G);
  tet_blocks(h, l, m, G, blocks + (size_t)lane * 54);
}

INLINE void any_elements(const lbWarpSet *set, int32_t batch, double limit, bool positive,
                         const double *x, double *blocks, double *forces, double *out) {
  for (int lane = 0; lane < LB_BATCH; lane += LB_LANES)
    if (set->isotropic)
      tet_lanes(set, batch, lane, limit, positive, x, blocks, forces, out);
    else if (set->nodes == 4)
      element_lanes(4, set, batch, lane, limit, positive, x, blocks, forces, out);
    else
      element_lanes(8, set, batch, lane, limit, positive, x, blocks, forces, out);
}

static void elements(const lbWarpSet *set, int32_t batch, double limit, bool positive,
                     const double *x, double *blocks, double *forces, double *out) {
  any_elements(set, batch, limit, positive, x, blocks, forces, out);
}

static void energies(const lbWarpSet *set, int32_t batch, double limit, const double *x,
                     double *out) {
  any_elements(set, batch, limit, true, x, NULL, NULL, out);
}

// Whether |F|² is further from that of rest than a strain of GAINS; also where F is not finite.
static bool gains_warp_elements(const lbWarpSet *set, int32_t batch, const double *x) {
  const int32_t *at = set->at + (size_t)batch * 4 * LB_BATCH;
  const double *rest = set->rest + (size_t)batch * set->rest_size * LB_BATCH;
  for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) {
    lbLanes h[4][3], F[9];
    LB_FOR_ALL(a, 1, 4) load3(rest + 3 * a * LB_BATCH + lane, h[a]);
    deformation(at + lane, x, h, F);
    lbLanes size = lb_norm_squared_lanes(F) - 3;
    lbMask little = lb_less(size * size, lb_splat(4 * GAINS * GAINS));
    if (lb_any(~little)) return true;
  }
  return false;
}

// ---- sums of blocks ----------------------------------------------------------------------------

typedef struct Block {
  lbFour first, second;
  double last;
} Block;

INLINE Block add_blocks(const double *blocks, const int32_t *list, int32_t begin, int32_t end) {
  Block sum = { lb_four_splat(0), lb_four_splat(0), 0 };
  for (int32_t s = begin; s < end; s++) {
    const double *block = blocks + 9 * (size_t)list[s];
    sum.first += lb_four_load(block), sum.second += lb_four_load(block + 4);
    sum.last += block[8];
  }
  return sum;
}

INLINE void store_block(Block block, double *to) {
  lb_four_store(to, block.first), lb_four_store(to + 4, block.second);
  to[8] = block.last;
}

static void assemble_warp_elements(const lbWarp *warp, int32_t begin, int32_t end,
                                   const double *blocks, double *values) {
  for (int32_t p = begin; p < end; p++) {
    int32_t middle = warp->pair_turned[p], last = warp->pair_begin[p + 1];
    double *to = values + 9 * (size_t)p;
    store_block(add_blocks(blocks, warp->pair_blocks, warp->pair_begin[p], middle), to);
    if (middle == last) continue;
    double turned[9];
    store_block(add_blocks(blocks, warp->pair_blocks, middle, last), turned);
    LB_FOR_ALL(r, 0, 3) LB_FOR_ALL(c, 0, 3) to[3 * r + c] += turned[3 * c + r];
  }
}

static void gather_forces_warp_elements(const lbWarp *warp, int32_t begin, int32_t end,
                                        const double *shares, double *force) {
  for (int32_t n = begin; n < end; n++) {
    lbFour sum = lb_four_splat(0);
    for (int32_t s = warp->force_begin[n]; s < warp->force_begin[n + 1]; s++)
      sum += lb_four_load(shares + 3 * (size_t)warp->force_shares[s]);
    LB_FOR_ALL(k, 0, 3) force[lb_warp_at(n) + (size_t)k * LB_BATCH] = sum[k];
  }
}

LB_KERNEL_TABLE(lbWarpElements, lb_warp_elements) = { elements, energies, gains_warp_elements,
                                                      assemble_warp_elements,
                                                      gather_forces_warp_elements };
