// Sums over samples (kernels.h). A lane is a sample.
//
// With P = ∂ψ/∂F and k_n = Gᵀ P_n (P_n, F_n, W_n: columns), the derivatives of F(b, W) are
//   ∂F_n/∂b   = A_n = s (R_n + C(W_n) − 2 c_n G − 2 x W₀nᵀ − 2 F_n Q₀ᵀ),  c_n = Q₀·W₀n,
//   ∂F_n/∂W_n = G,
// R_n the derivative of R_h(Q₀) e_n, and those of P : F, P held (I, Q₀, W₀n act on real parts),
//   bW_n: s (B(P_n) − 2 (Q₀ k_nᵀ + k_n Q₀ᵀ) − 2 (x·P_n) I) = H(P_n),
//   bb:   s (D(P) − 2 (Q₀ gᵀ + g Q₀ᵀ) − 2 Σ (W₀n k_nᵀ + k_n W₀nᵀ) − 2 (P:F) I − 2 H(Σ c_n P_n)),
// g = Σ A_nᵀ P_n, uᵀ B(p) v = p·C(u) v, uᵀ D(P) v = Σ P_n·R_n(u) v.
#include "frames/kernels.h"

#include "elastic/laws.h"
#include "frames/blend.h"

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
  LB_FOR_ALL(k, 0, 8) {
    to->f.b[k] = lb_splat(0);
    LB_FOR_ALL(n, 0, 3) to->W[n][k] = lb_splat(0);
  }
  for (int32_t i = 0; i < batch->count; i++) {
    const double *w = weights_of(s, batch, i, lane);
    const double *d = motions[s->frames[batch->first + i]].d;
    const lbLanes weight = lb_load(w), gx = lb_load(w + LB_BATCH), gy = lb_load(w + 2 * LB_BATCH),
                  gz = lb_load(w + 3 * LB_BATCH);
    LB_FOR_ALL(k, 0, 8) {
      to->f.b[k] += weight * d[k];
      to->W[0][k] += gx * d[k];
      to->W[1][k] += gy * d[k];
      to->W[2][k] += gz * d[k];
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

BLEND_INLINE void add_to(double *sum, lbLanes value) { lb_store(sum, lb_load(sum) + value); }

// ---- forces ------------------------------------------------------------------------------------

// P (times the volume) -> g, k
static __attribute__((noinline)) void pull_back(const Sample *q, const lbLanes P[9], lbLanes g[8],
                                                lbLanes k[3][8]) {
  for (int m = 0; m < 8; m++) {
    lbLanes sum = P[0] * q->A[0][m];
    LB_FOR_ALL(r, 1, 9) sum += P[r] * q->A[r][m];
    g[m] = sum;
    LB_FOR_ALL(n, 0, 3)
    k[n][m] = q->f.G[0][m] * P[n] + q->f.G[1][m] * P[3 + n] + q->f.G[2][m] * P[6 + n];
  }
}

static void add_forces(const lbFrameSamples *s, const lbFrameBatch *batch, int lane,
                       const lbLanes g[8], const lbLanes k[3][8], double *sums) {
  for (int32_t i = 0; i < batch->count; i++) {
    const double *w = weights_of(s, batch, i, lane);
    double *to = sums + lb_run_frame(i) * LB_BATCH + lane;
    const lbLanes weight = lb_load(w), gx = lb_load(w + LB_BATCH), gy = lb_load(w + 2 * LB_BATCH),
                  gz = lb_load(w + 3 * LB_BATCH);
    LB_FOR_ALL(m, 0, 8)
    add_to(to + m * LB_BATCH, weight * g[m] + gx * k[0][m] + gy * k[1][m] + gz * k[2][m]);
  }
}

// m w Gᵀ (gravity − ẍ at constant Ω), ẍ = G B̈ + s (C(Ḃ) Ḃ − 4 (Q₀·Ḃ₀) ẋ − 2 x |Ḃ₀|²)
static __attribute__((noinline)) void add_loads(const lbFrameSamples *s, const lbFrameBatch *batch,
                                                int lane, const Sample *q,
                                                const lbFrameMotion *motions,
                                                const double gravity[3], double *sums) {
  lbLanes B[8], BB[8], v[3], a[3], turn[3], load[8];
  LB_FOR_ALL(k, 0, 8) B[k] = BB[k] = lb_splat(0);
  for (int32_t i = 0; i < batch->count; i++) {
    const lbFrameMotion *motion = &motions[s->frames[batch->first + i]];
    const lbLanes weight = lb_load(weights_of(s, batch, i, lane));
    LB_FOR_ALL(k, 0, 8) B[k] += weight * motion->V[k];
    LB_FOR_ALL(k, 0, 8) BB[k] += weight * motion->A[k];
  }
  apply_G(&q->f, B, v);
  apply_G(&q->f, BB, a);
  square_of(B, q->f.X, turn);
  const lbLanes along = 4.0 * dot4(q->f.b, B), square_norm = 2.0 * dot4(B, B);
  LB_FOR_ALL(i, 0, 3) {
    a[i] += q->f.s * (turn[i] - along * v[i] - square_norm * q->f.x[i]);
    a[i] = q->mass * (gravity[i] - a[i]);
  }
  LB_FOR_ALL(k, 0, 8) load[k] = q->f.G[0][k] * a[0] + q->f.G[1][k] * a[1] + q->f.G[2][k] * a[2];
  for (int32_t i = 0; i < batch->count; i++) {
    const lbLanes weight = lb_load(weights_of(s, batch, i, lane));
    double *to = sums + (lb_run_frame(i) + 8) * LB_BATCH + lane;
    LB_FOR_ALL(k, 0, 8) add_to(to + k * LB_BATCH, weight * load[k]);
  }
}

// ---- geometric stiffness -----------------------------------------------------------------------

// Rows of the upper triangle of a symmetric 4 x 4 matrix.
#define AT4(u, v) ((u) * (7 - (u)) / 2 + (v))

// form (10) <- 2 B for p Xᵀ = T
BLEND_INLINE void form_of(const lbLanes T[9], lbLanes form[10]) {
  const lbLanes sum = T[0] + T[4] + T[8];
  form[AT4(0, 0)] = 2.0 * (2.0 * T[0] - sum);
  form[AT4(0, 1)] = 2.0 * (T[1] + T[3]);
  form[AT4(0, 2)] = 2.0 * (T[2] + T[6]);
  form[AT4(0, 3)] = 2.0 * (T[7] - T[5]);
  form[AT4(1, 1)] = 2.0 * (2.0 * T[4] - sum);
  form[AT4(1, 2)] = 2.0 * (T[5] + T[7]);
  form[AT4(1, 3)] = 2.0 * (T[2] - T[6]);
  form[AT4(2, 2)] = 2.0 * (2.0 * T[8] - sum);
  form[AT4(2, 3)] = 2.0 * (T[3] - T[1]);
  form[AT4(3, 3)] = 2.0 * sum;
}

// H(p) with k = Gᵀ p
BLEND_INLINE void single_form(const Sample *q, const lbLanes p[3], const lbLanes k[8],
                              lbLanes H[LB_FORM_GEOMETRIC]) {
  const lbLanes *Q = q->f.b, *X = q->f.X, s = q->f.s, twice = 2.0 * s;
  const lbLanes along = twice * (q->f.x[0] * p[0] + q->f.x[1] * p[1] + q->f.x[2] * p[2]);
  lbLanes T[9], form[10];
  LB_FOR_ALL(i, 0, 9) T[i] = p[i / 3] * X[i % 3];
  form_of(T, form);
  LB_FOR_ALL(u, 0, 4)
  LB_FOR (v, u, 4)
    H[AT4(u, v)] =
        s * form[AT4(u, v)] - twice * (Q[u] * k[v] + k[u] * Q[v]) - (u == v ? along : lb_splat(0));
  lbLanes *D = H + 10;
  LB_FOR_ALL(u, 0, 4)
  LB_FOR_ALL(v, 0, 4) D[4 * u + v] = -twice * Q[u] * k[4 + v];
  D[1] += twice * p[2], D[2] -= twice * p[1], D[3] -= twice * p[0];
  D[4] -= twice * p[2], D[6] += twice * p[0], D[7] -= twice * p[1];
  D[8] += twice * p[1], D[9] -= twice * p[0], D[11] -= twice * p[2];
  D[12] += twice * p[0], D[13] += twice * p[1], D[14] += twice * p[2];
}

// H[0]: half of bb; H[1 + n]: bW_n
static __attribute__((noinline)) void find_forms(const Sample *q, const lbLanes P[9],
                                                 const lbLanes g[8], const lbLanes k[3][8],
                                                 lbLanes H[4][LB_FORM_GEOMETRIC]) {
  const lbLanes *Q = q->f.b, s = q->f.s, twice = 2.0 * s;
  lbLanes y[3], ky[8], Hy[LB_FORM_GEOMETRIC], form[10];
  LB_FOR_ALL(i, 0, 3) y[i] = lb_splat(0);
  LB_FOR_ALL(n, 0, 3) {
    const lbLanes p[3] = { P[n], P[3 + n], P[6 + n] }, c = dot4(Q, q->W[n]);
    single_form(q, p, k[n], H[1 + n]);
    LB_FOR_ALL(i, 0, 3) y[i] += c * p[i];
  }
  LB_FOR_ALL(m, 0, 8)
  ky[m] = q->f.G[0][m] * y[0] + q->f.G[1][m] * y[1] + q->f.G[2][m] * y[2];
  single_form(q, y, ky, Hy);
  form_of(P, form);
  const lbLanes work = twice * dot9(P, q->F);
  LB_FOR_ALL(u, 0, 4)
  LB_FOR (v, u, 4) {
    lbLanes sum = Q[u] * g[v] + g[u] * Q[v] + Hy[AT4(u, v)];
    LB_FOR_ALL(n, 0, 3) sum += q->W[n][u] * k[n][v] + k[n][u] * q->W[n][v];
    H[0][AT4(u, v)] = 0.5 * (s * form[AT4(u, v)] - twice * sum - (u == v ? work : lb_splat(0)));
  }
  LB_FOR_ALL(u, 0, 4)
  LB_FOR_ALL(v, 0, 4) {
    lbLanes sum = Q[u] * g[4 + v] + Hy[10 + 4 * u + v];
    LB_FOR_ALL(n, 0, 3) sum += q->W[n][u] * k[n][4 + v];
    H[0][10 + 4 * u + v] = -s * sum;
  }
}

// ---- stiffness and mass ------------------------------------------------------------------------

typedef struct Columns {
  lbLanes D[LB_FRAME_LIST_MOST][6][9]; // ∂F/∂Ω_i, column by column
  lbLanes Z[LB_FRAME_LIST_MOST][LB_FORM_GEOMETRIC];
} Columns;

static __attribute__((noinline)) void find_column(const Sample *q, const double *weights,
                                                  const lbFrameMotion *motion, lbLanes D[6][9]) {
  const lbLanes w = lb_load(weights);
  lbLanes grad[3];
  LB_FOR_ALL(n, 0, 3) grad[n] = lb_load(weights + (1 + n) * LB_BATCH);
  for (int c = 0; c < 3; c++) {
    lbLanes real[4], dual[4], Gturn[3], Gmove[3];
    LB_FOR_ALL(m, 0, 4) {
      real[m] = lb_splat(motion->real[3 * m + c]);
      dual[m] = lb_splat(motion->dual[3 * m + c]);
    }
    LB_FOR_ALL(i, 0, 3) {
      Gturn[i] = dot4(q->f.G[i], real) + dot4(q->f.G[i] + 4, dual);
      Gmove[i] = dot4(q->f.G[i] + 4, real);
    }
    LB_FOR_ALL(i, 0, 3)
    LB_FOR_ALL(n, 0, 3) {
      const lbLanes *A = q->A[3 * i + n];
      D[c][3 * i + n] = w * (dot4(A, real) + dot4(A + 4, dual)) + grad[n] * Gturn[i];
      D[3 + c][3 * i + n] = w * dot4(A + 4, real) + grad[n] * Gmove[i];
    }
  }
}

BLEND_INLINE lbLanes entry(const lbLanes T[45], int row, int column) {
  return row <= column ? T[TANGENT_INDEX(row, column)] : T[TANGENT_INDEX(column, row)];
}

// TD <- T D, a column at a time
static __attribute__((noinline)) void stiffen(const lbLanes T[45], const lbLanes D[6][9],
                                              lbLanes TD[6][9]) {
  for (int c = 0; c < 6; c++) LB_FOR_ALL(r, 0, 9) {
      lbLanes sum = entry(T, r, 0) * D[c][0];
      LB_FOR_ALL(m, 1, 9) sum += entry(T, r, m) * D[c][m];
      TD[c][r] = sum;
    }
}

static __attribute__((noinline)) void add_material(const lbLanes D[6][9], const lbLanes TD[6][9],
                                                   double *to) {
  for (int a = 0; a < 6; a++)
    for (int c = 0; c < 6; c++) {
      lbLanes sum = D[a][0] * TD[c][0];
      LB_FOR_ALL(r, 1, 9) sum += D[a][r] * TD[c][r];
      add_to(to + (6 * a + c) * LB_BATCH, sum);
    }
}

static void add_stiffness(const lbFrameSamples *s, const lbFrameBatch *batch, int lane,
                          const Sample *q, const lbLanes T[45],
                          const lbLanes (*H)[LB_FORM_GEOMETRIC], const lbFrameMotion *motions,
                          double *sums) {
  Columns columns;
  for (int32_t j = 0; j < batch->count; j++) {
    const double *wj = weights_of(s, batch, j, lane);
    const lbLanes w = lb_load(wj);
    lbLanes TD[6][9], grad[3];
    LB_FOR_ALL(n, 0, 3) grad[n] = lb_load(wj + (1 + n) * LB_BATCH);
    find_column(q, wj, &motions[s->frames[batch->first + j]], columns.D[j]);
    stiffen(T, (const lbLanes(*)[9])columns.D[j], TD);
    for (int m = 0; m < LB_FORM_GEOMETRIC && H; m++)
      columns.Z[j][m] = w * H[0][m] + grad[0] * H[1][m] + grad[1] * H[2][m] + grad[2] * H[3][m];
    for (int32_t i = 0; i <= j; i++) {
      double *to = sums + lb_run_pair(batch->count, i, j) * LB_BATCH + lane;
      add_material((const lbLanes(*)[9])columns.D[i], (const lbLanes(*)[9])TD, to);
      if (!H) continue;
      const lbLanes wi = lb_load(weights_of(s, batch, i, lane));
      to += LB_FORM_MATERIAL * LB_BATCH;
      for (int m = 0; m < LB_FORM_GEOMETRIC; m++)
        add_to(to + m * LB_BATCH, wi * columns.Z[j][m] + w * columns.Z[i][m]);
    }
  }
}

static __attribute__((noinline)) void add_mass(const lbFrameSamples *s, const lbFrameBatch *batch,
                                               int lane, const Sample *q, double *sums) {
  lbLanes form[LB_FORM_MASS];
  int at = 0;
#define PRODUCT(u, v)                                                                              \
  form[at++] = q->mass * (q->f.G[0][u] * q->f.G[0][v] + q->f.G[1][u] * q->f.G[1][v] +              \
                          q->f.G[2][u] * q->f.G[2][v])
  for (int u = 0; u < 4; u++)
    for (int v = u; v < 4; v++) PRODUCT(u, v);
  for (int u = 0; u < 4; u++)
    for (int v = 4; v < 8; v++) PRODUCT(u, v);
  for (int u = 4; u < 8; u++)
    for (int v = u; v < 8; v++) PRODUCT(u, v);
#undef PRODUCT
  for (int32_t j = 0; j < batch->count; j++)
    for (int32_t i = 0; i <= j; i++) {
      const lbLanes w =
          lb_load(weights_of(s, batch, i, lane)) * lb_load(weights_of(s, batch, j, lane));
      double *to =
          sums + (lb_run_pair(batch->count, i, j) + LB_FORM_PAIR - LB_FORM_MASS) * LB_BATCH;
      for (int m = 0; m < LB_FORM_MASS; m++) add_to(to + m * LB_BATCH + lane, w * form[m]);
    }
}

// ---- batches -----------------------------------------------------------------------------------

static void sum_lanes(const lbFrameSamples *s, int32_t number, int lane, int32_t options,
                      const lbFrameMotion *motions, const double gravity[3], double *sums) {
  const lbFrameBatch *batch = &s->batches[number];
  const double *rest = s->rest + (size_t)number * LB_SAMPLE_ROWS * LB_BATCH + lane;
  const bool tangent = options & LB_FRAMES_TANGENT, safe = options & LB_FRAMES_SAFE;
  lbLanes H[9], p[LB_MATERIAL_PARAMETERS], bulk = lb_splat(0);
  Sample q;
  Law law;
  load_blend(s, batch, lane, rest, motions, &q);
  find_gradient(&q, options & (LB_FRAMES_FORCE | LB_FRAMES_TANGENT));
  LB_FOR (i, 0, 9) H[i] = q.F[i] - (i % 4 == 0 ? 1.0 : 0.0);
  LB_FOR (i, 0, LB_MATERIAL_PARAMETERS)
    p[i] = lb_load(rest + (LB_SAMPLE_PARAMETERS + i) * LB_BATCH);
  laws[batch->law](H, p, tangent && !safe, &law);
  if (s->has_bulk) {
    bulk = lb_load(rest + LB_SAMPLE_BULK * LB_BATCH);
    add_volume(q.F, bulk, tangent && !safe, &law);
  }
  // A lane without a volume has no energy, be it that of a state beyond a barrier.
  const lbMask empty = lb_less(q.volume, lb_splat(1e-300));
  add_to(sums + lane, lb_select(empty, lb_splat(0), q.volume * law.energy));
  if (options & LB_FRAMES_FORCE) {
    lbLanes g[8], k[3][8], forms[4][LB_FORM_GEOMETRIC];
    LB_FOR (i, 0, 9) law.stress[i] = q.volume * law.stress[i];
    pull_back(&q, law.stress, g, k);
    add_forces(s, batch, lane, g, (const lbLanes(*)[8])k, sums);
    if (tangent) {
      if (safe)
        make_tangent_safe(batch->law, p, bulk, q.F, q.R, &law);
      else
        find_forms(&q, law.stress, g, (const lbLanes(*)[8])k, forms);
      LB_FOR (i, 0, 45) law.tangent[i] = q.volume * law.tangent[i];
      add_stiffness(s, batch, lane, &q, law.tangent,
                    safe ? NULL : (const lbLanes(*)[LB_FORM_GEOMETRIC])forms, motions, sums);
    }
  }
  if (options & LB_FRAMES_LOADS) add_loads(s, batch, lane, &q, motions, gravity, sums);
  if (options & LB_FRAMES_MASS) add_mass(s, batch, lane, &q, sums);
}

static void sum(const lbFrameSamples *samples, int32_t begin, int32_t end, int32_t options,
                const lbFrameMotion *motions, const double gravity[3], double *sums) {
  for (int32_t batch = begin; batch < end; batch++)
    for (int lane = 0; lane < LB_BATCH; lane += LB_LANES)
      sum_lanes(samples, batch, lane, options, motions, gravity, sums);
}

// ---- the body as a whole -----------------------------------------------------------------------

static void survey(const lbFrameSamples *s, int32_t begin, int32_t end,
                   const lbFrameMotion *motions, double *sums) {
  for (int32_t number = begin; number < end; number++)
    for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) {
      const lbFrameBatch *batch = &s->batches[number];
      const double *rest = s->rest + (size_t)number * LB_SAMPLE_ROWS * LB_BATCH + lane;
      Blend f;
      lbLanes B[8], v[3];
      LB_FOR_ALL(k, 0, 8) f.b[k] = B[k] = lb_splat(0);
      for (int32_t i = 0; i < batch->count; i++) {
        const lbFrameMotion *motion = &motions[s->frames[batch->first + i]];
        const lbLanes weight = lb_load(weights_of(s, batch, i, lane));
        LB_FOR_ALL(k, 0, 8) f.b[k] += weight * motion->d[k];
        LB_FOR_ALL(k, 0, 8) B[k] += weight * motion->V[k];
      }
      LB_FOR_ALL(i, 0, 3) f.X[i] = lb_load(rest + (LB_SAMPLE_PLACE + i) * LB_BATCH);
      finish_blend(&f);
      apply_G(&f, B, v);
      const lbLanes mass = lb_load(rest + LB_SAMPLE_MASS * LB_BATCH), *x = f.x;
      double *to = sums + lane;
      LB_FOR_ALL(i, 0, 3) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        add_to(to + i * LB_BATCH, mass * x[i]);
        add_to(to + (3 + i) * LB_BATCH, mass * v[i]);
        add_to(to + (6 + i) * LB_BATCH, mass * (x[j] * v[k] - x[k] * v[j]));
      }
      LB_FOR_ALL(i, 0, 6) {
        const int r = i < 3 ? 0 : i < 5 ? 1 : 2, c = i < 3 ? i : i < 5 ? i - 2 : 2;
        add_to(to + (9 + i) * LB_BATCH, mass * x[r] * x[c]);
      }
      LB_FOR_ALL(i, 0, 9) add_to(to + (15 + i) * LB_BATCH, mass * x[i / 3] * f.X[i % 3]);
      add_to(to + 24 * LB_BATCH, 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
}

// ---- points ------------------------------------------------------------------------------------

static void skin(const lbFrameSkin *s, int32_t number, const lbFrameMotion *motions, double *places,
                 double *velocities) {
  const lbFrameBatch *batch = &s->batches[number];
  for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) {
    const double *X = s->positions + (size_t)number * 3 * LB_BATCH + lane;
    Blend f;
    lbLanes B[8], v[3];
    LB_FOR_ALL(k, 0, 8) f.b[k] = B[k] = lb_splat(0);
    for (int32_t i = 0; i < batch->count; i++) {
      const lbFrameMotion *motion = &motions[s->frames[batch->first + i]];
      const lbLanes weight = lb_load(s->weights + (size_t)(batch->first + i) * LB_BATCH + lane);
      LB_FOR_ALL(k, 0, 8) f.b[k] += weight * motion->d[k];
      if (velocities) LB_FOR_ALL(k, 0, 8) B[k] += weight * motion->V[k];
    }
    LB_FOR_ALL(i, 0, 3) f.X[i] = lb_load(X + i * LB_BATCH);
    finish_blend(&f);
    LB_FOR_ALL(i, 0, 3) lb_store(places + i * LB_BATCH + lane, f.x[i] - f.X[i]);
    if (!velocities) continue;
    apply_G(&f, B, v);
    LB_FOR_ALL(i, 0, 3) lb_store(velocities + i * LB_BATCH + lane, v[i]);
  }
}

const lbFrameKernels LB_KERNEL(lb_frame_kernels) = { .sum = sum, .survey = survey, .skin = skin };
