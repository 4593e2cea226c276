// Sums over samples (kernels.h). A lane is a sample; sample.h has the first derivatives of F, and
// those of P : F, P held, are (I, Q₀, W₀n act on real parts)
//   bW_n: s (B(P_n) − 2 (Q₀ k_nᵀ + k_n Q₀ᵀ) − 2 (x·P_n) I) = H(P_n),
//   bb:   s (D(P) − 2 (Q₀ gᵀ + g Q₀ᵀ) − 2 Σ (W₀n k_nᵀ + k_n W₀nᵀ) − 2 (P:F) I − 2 H(Σ c_n P_n)),
// g = Σ A_nᵀ P_n, uᵀ B(p) v = p·C(u) v, uᵀ D(P) v = Σ P_n·R_n(u) v.
//
// What is summed over pairs of frames is most of the work, and writing the sums most of that: the
// samples of two batches go into the lanes of a sum at once, and blocks of 6 x 2 numbers stay in
// registers.
#include "frames/kernels.h"

#include "frames/sample.h"

// Samples of a batch that share a lane of the sums, how many lanes those have, and how many vectors
// of samples are added to them at once.
enum { SHARE = LB_LANES < LB_BATCH ? 2 : 1, WIDTH = LB_BATCH / SHARE, VECTORS = 2 * SHARE };
_Static_assert((int)LB_SUM_WIDTH_MOST >= (int)WIDTH, "sums have room for their lanes");

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

static void add_forces_frame_lanes(const lbFrameSamples *s, const lbFrameBatch *batch, int lane,
                                   const lbLanes g[8], const lbLanes k[3][8], double *sums) {
  for (int32_t i = 0; i < batch->count; i++) {
    const double *w = weights_of(s, batch, i, lane);
    double *to = sums + lb_run_frame(i) * WIDTH;
    const lbLanes weight = lb_load(w), gx = lb_load(w + LB_BATCH), gy = lb_load(w + 2 * LB_BATCH),
                  gz = lb_load(w + 3 * LB_BATCH);
    LB_FOR_ALL(m, 0, 8)
    add_to(to + m * WIDTH, weight * g[m] + gx * k[0][m] + gy * k[1][m] + gz * k[2][m]);
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
    double *to = sums + (lb_run_frame(i) + 8) * WIDTH;
    LB_FOR_ALL(k, 0, 8) add_to(to + k * WIDTH, weight * load[k]);
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

// What a list's frames have at VECTORS vectors of samples, in memory: a frame after another, of
// each a vector after another. Rows of a vector: 9 c + r of D = ∂F/∂Ω_i, column by column, then Z.
enum { COLUMN_ROWS = 54, OWN_ROWS = COLUMN_ROWS + LB_FORM_GEOMETRIC };
enum { OWN = OWN_ROWS * LB_LANES, COLUMNS = COLUMN_ROWS * LB_LANES };
_Static_assert(VECTORS *(int)OWN <= (int)LB_WORK_ROWS * LB_BATCH, "work has room for columns");

static __attribute__((noinline)) void find_column(const Sample *q, const double *weights,
                                                  const lbFrameMotion *motion, double *D) {
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
      double *to = D + (9 * c + 3 * i + n) * LB_LANES;
      lb_store(to, w * (dot4(A, real) + dot4(A + 4, dual)) + grad[n] * Gturn[i]);
      lb_store(to + 27 * LB_LANES, w * dot4(A + 4, real) + grad[n] * Gmove[i]);
    }
  }
}

BLEND_INLINE lbLanes entry(const lbLanes T[45], int row, int column) {
  return row <= column ? T[TANGENT_INDEX(row, column)] : T[TANGENT_INDEX(column, row)];
}

// TD <- T D, blocks of 3 x 3.
static __attribute__((noinline)) void stiffen(const lbLanes T[45], const double *D, double *TD) {
  for (int c = 0; c < 6; c += 3) {
    LB_FOR_ALL(block, 0, 3) {
      lbLanes sum[3][3];
      LB_FOR_ALL(i, 0, 9) sum[i / 3][i % 3] = lb_splat(0);
      LB_FOR_ALL(m, 0, 9) {
        lbLanes x[3];
        LB_FOR_ALL(j, 0, 3) x[j] = lb_load(D + (9 * (c + j) + m) * LB_LANES);
        LB_FOR_ALL(i, 0, 3) {
          const lbLanes t = entry(T, 3 * block + i, m);
          LB_FOR_ALL(j, 0, 3) sum[i][j] += t * x[j];
        }
      }
      LB_FOR_ALL(i, 0, 3)
      LB_FOR_ALL(j, 0, 3)
      lb_store(TD + (9 * (c + j) + 3 * block + i) * LB_LANES, sum[i][j]);
    }
  }
}

// Columns c and c + 1 of to (6 x 6) += Dᵀ TD, the first rows, over all vectors.
BLEND_INLINE void add_columns(int vectors, const double *D, const double *TD, const int c,
                              const int rows, double *to) {
  lbLanes x[6], y[6];
  LB_FOR (a, 0, rows) {
    x[a] = lb_load(to + (6 * a + c) * WIDTH);
    y[a] = lb_load(to + (6 * a + c + 1) * WIDTH);
  }
  for (int k = 0; k < vectors; k++, D += OWN, TD += COLUMNS)
    for (int r = 0; r < 9; r++) {
      const lbLanes first = lb_load(TD + (9 * c + r) * LB_LANES);
      const lbLanes second = lb_load(TD + (9 * c + 9 + r) * LB_LANES);
      LB_FOR (a, 0, rows) {
        const lbLanes d = lb_load(D + (9 * a + r) * LB_LANES);
        x[a] += d * first;
        y[a] += d * second;
      }
    }
  LB_FOR (a, 0, rows) {
    lb_store(to + (6 * a + c) * WIDTH, x[a]);
    lb_store(to + (6 * a + c + 1) * WIDTH, y[a]);
  }
}

static __attribute__((noinline)) void add_material(int vectors, const double *D, const double *TD,
                                                   double *to) {
  for (int c = 0; c < 6; c += 2) add_columns(vectors, D, TD, c, 6, to);
}

// The same of a frame with itself: rows up to the diagonal.
static __attribute__((noinline)) void add_own_material(int vectors, const double *D,
                                                       const double *TD, double *to) {
  add_columns(vectors, D, TD, 0, 2, to);
  add_columns(vectors, D, TD, 2, 4, to);
  add_columns(vectors, D, TD, 4, 6, to);
}

// What vectors of samples add to pairs of frames.
typedef struct Pairs {
  int32_t count;                       // frames of the list
  const double *weights[VECTORS];      // of the first frame
  lbLanes T[VECTORS][45];              // volume times the law's tangent
  lbLanes mass[VECTORS][LB_FORM_MASS]; // m GᵀG
  bool part[LB_FRAME_LIST_MOST];       // whether mass is summed for a frame
  bool stiff[LB_FRAME_LIST_MOST];      // and stiffness
} Pairs;

BLEND_INLINE lbLanes weight_of(const Pairs *p, int k, int32_t i) {
  return lb_load(p->weights[k] + (size_t)i * 4 * LB_BATCH);
}

BLEND_INLINE void add_geometric(const Pairs *p, const int vectors, int32_t i, int32_t j,
                                const double *Zi, const double *Zj, double *to) {
  lbLanes wi[VECTORS], wj[VECTORS];
  LB_FOR_ALL(k, 0, vectors) wi[k] = weight_of(p, k, i), wj[k] = weight_of(p, k, j);
  for (int m = 0; m < LB_FORM_GEOMETRIC; m++) {
    lbLanes sum = lb_load(to + m * WIDTH);
    LB_FOR_ALL(k, 0, vectors)
    sum +=
        wi[k] * lb_load(Zj + k * OWN + m * LB_LANES) + wj[k] * lb_load(Zi + k * OWN + m * LB_LANES);
    lb_store(to + m * WIDTH, sum);
  }
}

static void find_Z(const lbLanes H[4][LB_FORM_GEOMETRIC], const double *weights, double *Z) {
  lbLanes w[4];
  LB_FOR_ALL(n, 0, 4) w[n] = lb_load(weights + n * LB_BATCH);
  for (int m = 0; m < LB_FORM_GEOMETRIC; m++)
    lb_store(Z + m * LB_LANES, w[0] * H[0][m] + w[1] * H[1][m] + w[2] * H[2][m] + w[3] * H[3][m]);
}

// D and Z of all frames at vector k.
static void find_columns(const Sample *q, const lbLanes H[4][LB_FORM_GEOMETRIC], bool geometric,
                         const int32_t *list, const lbFrameMotion *motions, const Pairs *p, int k,
                         double *columns) {
  for (int32_t j = 0; j < p->count; j++) {
    double *D = columns + (j * VECTORS + k) * OWN;
    const double *w = p->weights[k] + (size_t)j * 4 * LB_BATCH;
    if (!p->stiff[j]) continue;
    find_column(q, w, &motions[list[j]], D);
    if (geometric) find_Z(H, w, D + COLUMNS);
  }
}

BLEND_INLINE void add_stiffness(const Pairs *p, const int vectors, bool geometric,
                                const double *columns, double *TD, double *sums) {
  for (int32_t j = 0; j < p->count; j++) {
    const double *Dj = columns + j * VECTORS * OWN;
    if (!p->stiff[j]) continue;
    for (int k = 0; k < vectors; k++) stiffen(p->T[k], Dj + k * OWN, TD + k * COLUMNS);
    for (int32_t i = 0; i <= j; i++) {
      const double *Di = columns + i * VECTORS * OWN;
      double *to = sums + lb_run_pair(p->count, i, j) * WIDTH;
      if (!p->stiff[i]) continue;
      if (i < j)
        add_material(vectors, Di, TD, to);
      else
        add_own_material(vectors, Di, TD, to);
      if (geometric)
        add_geometric(p, vectors, i, j, Di + COLUMNS, Dj + COLUMNS, to + LB_FORM_MATERIAL * WIDTH);
    }
  }
}

static __attribute__((noinline)) void find_mass(const Sample *q, lbLanes form[LB_FORM_MASS]) {
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
}

BLEND_INLINE void add_mass(const Pairs *p, const int vectors, double *sums) {
  for (int32_t j = 0; j < p->count; j++)
    for (int32_t i = 0; i <= j; i++) {
      if (!p->part[i] || !p->part[j]) continue;
      lbLanes w[VECTORS];
      LB_FOR_ALL(k, 0, vectors) w[k] = weight_of(p, k, i) * weight_of(p, k, j);
      double *to = sums + (lb_run_pair(p->count, i, j) + LB_FORM_PAIR - LB_FORM_MASS) * WIDTH;
      for (int m = 0; m < LB_FORM_MASS; m++) {
        lbLanes sum = lb_load(to + m * WIDTH);
        LB_FOR_ALL(k, 0, vectors) sum += w[k] * p->mass[k][m];
        lb_store(to + m * WIDTH, sum);
      }
    }
}

// ---- batches -----------------------------------------------------------------------------------

// Energy, forces and the tangent of a vector of samples; T and H are written where they are asked
// for.
static void add_elastic(const lbFrameSamples *s, const lbFrameBatch *batch, const double *rest,
                        int lane, int32_t options, Sample *q, lbLanes T[45],
                        lbLanes H[4][LB_FORM_GEOMETRIC], double *sums) {
  const bool tangent = options & LB_FRAMES_TANGENT, safe = options & LB_FRAMES_SAFE;
  lbLanes strain[9], p[LB_MATERIAL_PARAMETERS], g[8], k[3][8], bulk = lb_splat(0);
  Law law;
  find_gradient(q, options & (LB_FRAMES_FORCE | LB_FRAMES_TANGENT));
  LB_FOR (i, 0, 9) strain[i] = q->F[i] - (i % 4 == 0 ? 1.0 : 0.0);
  LB_FOR (i, 0, LB_MATERIAL_PARAMETERS)
    p[i] = lb_load(rest + (LB_SAMPLE_PARAMETERS + i) * LB_BATCH);
  laws[batch->law](strain, p, tangent && !safe, &law);
  if (s->has_bulk) {
    bulk = lb_load(rest + LB_SAMPLE_BULK * LB_BATCH);
    add_volume(q->F, bulk, tangent && !safe, &law);
  }
  // A lane without a volume has no energy, be it that of a state beyond a barrier.
  const lbMask empty = lb_less(q->volume, lb_splat(1e-300));
  add_to(sums, lb_select(empty, lb_splat(0), q->volume * law.energy));
  if (!(options & LB_FRAMES_FORCE)) return;
  LB_FOR (i, 0, 9) law.stress[i] = q->volume * law.stress[i];
  pull_back(q, law.stress, g, k);
  add_forces_frame_lanes(s, batch, lane, g, (const lbLanes(*)[8])k, sums);
  if (!tangent) return;
  if (safe)
    make_tangent_safe(batch->law, p, bulk, q->F, q->R, &law);
  else
    find_forms(q, law.stress, g, (const lbLanes(*)[8])k, H);
  LB_FOR (i, 0, 45) T[i] = q->volume * law.tangent[i];
}

// What is asked for of a list's frames.
typedef struct Task {
  const lbFrameSamples *samples;
  int32_t options;
  const lbFrameMotion *motions;
  const double *gravity;
  double *work;
} Task;

static void begin_pairs(const Task *t, int32_t batch, int32_t omitted, Pairs *p) {
  const int32_t *list = t->samples->frames + t->samples->batches[batch].first;
  p->count = t->samples->batches[batch].count;
  for (int32_t i = 0; i < p->count; i++) {
    p->part[i] = !t->motions[list[i]].still;
    p->stiff[i] = p->part[i] && list[i] != omitted;
  }
}

// SHARE vectors of each of some batches, the first of them at `first`.
BLEND_INLINE void sum_lanes(const Task *t, int32_t begin, const int batches, int first, Pairs *p,
                            double *sums) {
  const lbFrameSamples *s = t->samples;
  const int32_t options = t->options;
  const int vectors = batches * SHARE;
  const bool geometric = !(options & LB_FRAMES_SAFE);
  double *TD = t->work, *columns = t->work + VECTORS * COLUMNS;
  // What one frame alone moves is rigid: nothing but the linear law feels that.
  const bool elastic = options != LB_FRAMES_MASS &&
                       (p->count > 1 || s->batches[begin].law == (int32_t)LB_MATERIAL_LINEAR);
  for (int k = 0; k < vectors; k++) {
    const int32_t number = begin + k / SHARE;
    const int lane = first + k % SHARE * WIDTH;
    const lbFrameBatch *batch = &s->batches[number];
    const double *rest = s->rest + (size_t)number * LB_SAMPLE_ROWS * LB_BATCH + lane;
    Sample q;
    lbLanes H[4][LB_FORM_GEOMETRIC];
    p->weights[k] = weights_of(s, batch, 0, lane);
    load_blend(s, batch, lane, rest, t->motions, &q);
    if (elastic) add_elastic(s, batch, rest, lane, options, &q, p->T[k], H, sums);
    if (elastic && (options & LB_FRAMES_TANGENT))
      find_columns(&q, (const lbLanes(*)[LB_FORM_GEOMETRIC])H, geometric, s->frames + batch->first,
                   t->motions, p, k, columns);
    if (options & LB_FRAMES_LOADS) add_loads(s, batch, lane, &q, t->motions, t->gravity, sums);
    if (options & LB_FRAMES_MASS) find_mass(&q, p->mass[k]);
  }
  if (elastic && (options & LB_FRAMES_TANGENT))
    add_stiffness(p, vectors, geometric, columns, TD, sums);
  if (options & LB_FRAMES_MASS) add_mass(p, vectors, sums);
}

static void sum_frame_lanes(const lbFrameSamples *samples, int32_t begin, int32_t end,
                            int32_t options, int32_t omitted, const lbFrameMotion *motions,
                            const double gravity[3], double *work, double *sums) {
  const Task task = { samples, options, motions, gravity, work };
  Pairs pairs;
  begin_pairs(&task, begin, omitted, &pairs);
  int32_t batch = begin;
  for (; batch + 1 < end; batch += 2)
    for (int lane = 0; lane < WIDTH; lane += LB_LANES)
      sum_lanes(&task, batch, 2, lane, &pairs, sums + lane);
  for (int lane = 0; lane < WIDTH && batch < end; lane += LB_LANES)
    sum_lanes(&task, batch, 1, lane, &pairs, sums + lane);
}

LB_KERNEL_TABLE(lbFrameKernels, lb_frame_kernels) = { .sum = sum_frame_lanes, .width = WIDTH };
