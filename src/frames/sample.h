// A vector of samples: blend, deformation gradient with its derivatives, and the laws. For kernel
// files only.
//
// With P = ∂ψ/∂F and k_n = Gᵀ P_n (P_n, F_n, W_n: columns), the derivatives of F(b, W) are
//   ∂F_n/∂b   = A_n = s (R_n + C(W_n) − 2 c_n G − 2 x W₀nᵀ − 2 F_n Q₀ᵀ),  c_n = Q₀·W₀n,
//   ∂F_n/∂W_n = G,
// R_n the derivative of R_h(Q₀) e_n.
#ifndef LB_FRAMES_SAMPLE_H
#define LB_FRAMES_SAMPLE_H

#include "elastic/laws.h"
#include "frames/blend.h"

#ifdef LB_SIMD_LEVEL

// ---- laws --------------------------------------------------------------------------------------

#define DEFINE_LAW(name)                                                                           \
  static __attribute__((noinline)) void evaluate_##name(const lbLanes H[9], const lbLanes p[3],    \
                                                        bool tangent, Law *law) {                  \
    if (tangent)                                                                                   \
      law_##name(H, p, true, law);                                                                 \
    else                                                                                           \
      law_##name(H, p, false, law);                                                                \
  }
DEFINE_LAW(linear)
DEFINE_LAW(stvk)
DEFINE_LAW(corotated)
DEFINE_LAW(neohookean)
DEFINE_LAW(stable_neohookean)
DEFINE_LAW(mooneyrivlin)

typedef void LawFunction(const lbLanes H[9], const lbLanes p[3], bool tangent, Law *law);

static LawFunction *const laws[LB_MATERIAL_SOLID_MODEL_COUNT] = {
  [LB_MATERIAL_LINEAR] = evaluate_linear,
  [LB_MATERIAL_STVK] = evaluate_stvk,
  [LB_MATERIAL_COROTATED] = evaluate_corotated,
  [LB_MATERIAL_NEOHOOKEAN] = evaluate_neohookean,
  [LB_MATERIAL_STABLE_NEOHOOKEAN] = evaluate_stable_neohookean,
  [LB_MATERIAL_MOONEYRIVLIN] = evaluate_mooneyrivlin,
};

// k/2 (J − 1)² beside the law.
static __attribute__((noinline)) void add_volume(const lbLanes F[9], lbLanes bulk, bool tangent,
                                                 Law *law) {
  lbLanes cof[9];
  const lbLanes change = lb_cofactor_lanes(F, cof) - 1.0, pressure = bulk * change;
  law->energy += 0.5 * pressure * change;
  LB_FOR (i, 0, 9) law->stress[i] += pressure * cof[i];
  if (!tangent) return;
  tangent_add_outer(law->tangent, bulk, cof);
  tangent_add_cofactor(law->tangent, pressure, F);
}

// Instead of the true one: the tangent at rest, turned by the blend's R, and stiffer by how much
// the sample is stretched.
static __attribute__((noinline)) void make_tangent_safe(int32_t model, const lbLanes p[3],
                                                        lbLanes bulk, const lbLanes F[9],
                                                        const lbLanes R[9], Law *law) {
  const bool mooney = model == LB_MATERIAL_MOONEYRIVLIN;
  const lbLanes stretch = lb_max(lb_splat(1), 0.5 * dot9(F, F));
  const lbLanes mu = stretch * (mooney ? 2.0 * (p[0] + p[1]) : p[1]);
  const lbLanes lambda = stretch * (bulk + (mooney ? 2.0 * p[2] - 4.0 / 3 * (p[0] + p[1])
                                                   : lb_max(p[0], lb_splat(0))));
  tangent_set_identity(law->tangent, mu);
  tangent_add_crossed(law->tangent, mu, R);
  tangent_add_outer(law->tangent, lambda, R);
}

// ---- a sample ----------------------------------------------------------------------------------

typedef struct Sample {
  Blend f;
  lbLanes W[3][8], R[9], F[9], volume, mass;
  lbLanes A[9][8]; // row 3 i + n: component i of F_n
} Sample;

static const double *weights_of(const lbFrameSamples *s, const lbFrameBatch *batch, int32_t i,
                                int lane) {
  return s->weights + (size_t)(batch->first + i) * 4 * LB_BATCH + lane;
}

BLEND_INLINE void load_blend(const lbFrameSamples *s, const lbFrameBatch *batch, int lane,
                             const double *rest, const lbFrameMotion *motions, Sample *to) {
  const int32_t *list = s->frames + batch->first;
  LB_FOR_ALL(pair, 0, 4) { // sums that registers have room for
    const double *w = weights_of(s, batch, 0, lane);
    lbLanes sum[2][4];
    LB_FOR_ALL(k, 0, 8) sum[k / 4][k % 4] = lb_splat(0);
    for (int32_t i = 0; i < batch->count; i++, w += 4 * LB_BATCH) {
      const double *d = motions[list[i]].d + 2 * pair;
      LB_FOR_ALL(n, 0, 4) {
        const lbLanes weight = lb_load(w + n * LB_BATCH);
        sum[0][n] += weight * d[0];
        sum[1][n] += weight * d[1];
      }
    }
    LB_FOR_ALL(k, 0, 2) {
      to->f.b[2 * pair + k] = sum[k][0];
      LB_FOR_ALL(n, 0, 3) to->W[n][2 * pair + k] = sum[k][1 + n];
    }
  }
  LB_FOR_ALL(i, 0, 3) to->f.X[i] = lb_load(rest + (LB_SAMPLE_PLACE + i) * LB_BATCH);
  to->volume = lb_load(rest + LB_SAMPLE_VOLUME * LB_BATCH);
  to->mass = lb_load(rest + LB_SAMPLE_MASS * LB_BATCH);
  finish_blend(&to->f);
}

// The four numbers of C for X = e_n and a motion without a dual part.
BLEND_INLINE void turn_alphas(int n, const lbLanes Q[4], lbLanes a[4]) {
  if (n == 0) a[0] = Q[0], a[1] = -Q[1], a[2] = Q[2], a[3] = Q[3];
  if (n == 1) a[0] = Q[1], a[1] = Q[0], a[2] = Q[3], a[3] = -Q[2];
  if (n == 2) a[0] = Q[2], a[1] = Q[3], a[2] = -Q[0], a[3] = Q[1];
}

static __attribute__((noinline)) void find_gradient(Sample *q, bool derivatives) {
  const lbLanes *b = q->f.b, twice = 2.0 * q->f.s;
  LB_FOR_ALL(n, 0, 3) {
    lbLanes a[4], t[4], C[3][8], F[3];
    const lbLanes *W = q->W[n];
    turn_alphas(n, b, t);
    fill_C(t, b, C);
    LB_FOR_ALL(i, 0, 3) {
      q->R[3 * i + n] = q->f.s * dot4(C[i], b);
      F[i] = q->R[3 * i + n] + dot8(q->f.G[i], W);
      q->F[3 * i + n] = F[i];
    }
    if (!derivatives) continue;
    find_alphas(W, q->f.X, a);
    LB_FOR_ALL(k, 0, 4) a[k] += t[k];
    fill_C(a, W, C);
    const lbLanes c = dot4(b, W);
    LB_FOR_ALL(i, 0, 3) {
      lbLanes *A = q->A[3 * i + n];
      LB_FOR_ALL(k, 0, 4)
      A[k] = twice * (C[i][k] - c * q->f.G[i][k] - q->f.x[i] * W[k] - F[i] * b[k]);
      LB_FOR_ALL(k, 4, 8) A[k] = twice * (C[i][k] - c * q->f.G[i][k]);
    }
  }
}

#endif // LB_SIMD_LEVEL
#endif
