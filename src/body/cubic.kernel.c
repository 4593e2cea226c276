// Contraction of tiled symmetric coefficients with reduced coordinates; see body/cubic.h and, for
// the tiles, math/cubic_form.h.
//
// S(q,q,q,q) is 24 times the sum over tiles T of T(q,q,q,q) (a tile of repeated groups is stored
// divided), hence A3 = S(q,q,.,.), a twelfth of its second derivative, is 2 (X + X^T) with X the
// sum over tiles and over the six pairs of slots that stay open. Likewise A2 = X + X^T over three
// pairs. With slots i, j, k, l and lanes along j:
//   Y_kl = Σ_i q_i T   gives the pairs (k,j), (l,j), (k,l), once for all tiles of the same J, K, L;
//   X_il = Σ_k q_k T   gives (i,j), (i,l);   Σ_l q_l q_j T gives (i,k).
// Pairs with j are sums over vectors, into `direct`; the others are sums over lanes too, which are
// put off to the end: `lanes` has a vector for each entry of a pair of groups.
//
// S(q,v,.,.) is the same with one of the contracted slots given to q and the other to v, both ways
// round. `forms` is 1 or 2, a constant: form f of the first slot goes with form OTHER(f) of the
// second.
#include "body/cubic.h"

#include "math/four.h"

extern const lbCubicKernels LB_KERNEL(lb_cubic_kernels);

#define OTHER(f) (forms == 1 ? 0 : 1 - (f))

typedef struct Work {
  int32_t groups;
  size_t padded;
  double *q[2];      // (padded) coordinates of each form, zeros in the padding
  double *splats[2]; // (padded x 4) each of them four times
  double *lanes;     // (pairs of groups x 16 x 4)
  double *direct;    // (padded x padded)
  double *A2, *A3;   // (padded x padded)
} Work;

static Work place_work(int32_t r, double *block) {
  size_t padded = (size_t)lb_cubic_padded(r);
  Work w = { .groups = lb_cubic_groups(r), .padded = padded };
  w.splats[0] = block, block += 4 * padded;
  w.splats[1] = block, block += 4 * padded;
  w.lanes = block, block += 64 * lb_packed2_count(w.groups);
  w.direct = block, block += padded * padded;
  w.A2 = block, block += padded * padded;
  w.A3 = block, block += padded * padded;
  w.q[0] = block, w.q[1] = block + padded;
  return w;
}

static void set_form(const Work *w, int form, int32_t r, const double *q) {
  memset(w->q[form], 0, w->padded * sizeof *q);
  memcpy(w->q[form], q, (size_t)r * sizeof *q);
  for (size_t i = 0; i < w->padded; i++)
    lb_four_store(w->splats[form] + 4 * i, lb_four_splat(w->q[form][i]));
}

static void clear_sums(const Work *w) {
  memset(w->lanes, 0, 64 * lb_packed2_count(w->groups) * sizeof(double));
  memset(w->direct, 0, w->padded * w->padded * sizeof(double));
}

LB_FOUR_INLINE void add_to(double *sum, lbFour a, lbFour b) {
  lb_four_store(sum, lb_four_multiply_add(a, b, lb_four_load(sum)));
}

// The 4x4 vectors of a pair of groups a <= b, and the rows a of the columns b.
LB_FOUR_INLINE double *lanes_of(const Work *w, int32_t a, int32_t b) {
  return w->lanes + 64 * lb_packed2(a, b);
}
LB_FOUR_INLINE double *direct_of(const Work *w, int32_t a, int32_t b) {
  return w->direct + 4 * (size_t)a * w->padded + 4 * (size_t)b;
}
LB_FOUR_INLINE const double *splats_of(const Work *w, int form, int32_t group) {
  return w->splats[form] + 16 * (size_t)group;
}

// ---- S -----------------------------------------------------------------------------------------

// What the tiles of one J, K, L share.
typedef struct Triple {
  lbFour q_j[2];   // of each form, lanes along j
  lbFour q_lj[4];  // q_l q_j, of one form each, both ways round
  lbFour Y[2][16]; // Σ_i q_i T, of each form, [4 k + l]
} Triple;

// `rows` values of i at a time, ROWS where there is one form: two fit the sixteen registers of
// AVX2, but clang 14 spills them. The bits are the same.
#ifdef __clang__
enum { ROWS = 1 };
#else
enum { ROWS = 2 };
#endif

LB_FOUR_INLINE void add_rows4(const Work *w, const int forms, const int rows, const double *tile,
                              Triple *triple, const int32_t g[4], int i) {
  double *ik = lanes_of(w, g[0], g[2]) + 16 * i, *il = lanes_of(w, g[0], g[3]) + 16 * i;
  const size_t padded = w->padded;
  double *ij = direct_of(w, g[0], g[1]) + (size_t)i * padded;
  lbFour q_i[2][2], X[2][2][4];
  LB_FOR (f, 0, forms)
    LB_FOR (s, 0, rows) q_i[f][s] = lb_four_load(splats_of(w, f, g[0]) + 4 * (i + s));
  LB_FOR (k, 0, 4) {
    const double *at = tile + 64 * i + 16 * k;
    lbFour q_k[2], Z[2];
    LB_FOR (f, 0, forms) q_k[f] = lb_four_load(splats_of(w, f, g[2]) + 4 * k);
    LB_FOR (s, 0, rows) Z[s] = lb_four_load(ik + 16 * s + 4 * k);
    LB_FOR (l, 0, 4) {
      LB_FOR (s, 0, rows) {
        lbFour T = lb_four_load(at + 64 * s + 4 * l);
        LB_FOR (f, 0, forms) {
          lbFour *Y = &triple->Y[f][4 * k + l];
          *Y = lb_four_multiply_add(q_i[f][s], T, *Y);
          X[f][s][l] = k == 0 ? q_k[f] * T : lb_four_multiply_add(q_k[f], T, X[f][s][l]);
        }
        Z[s] = lb_four_multiply_add(triple->q_lj[l], T, Z[s]);
      }
    }
    LB_FOR (s, 0, rows) lb_four_store(ik + 16 * s + 4 * k, Z[s]);
  }
  LB_FOR (s, 0, rows) {
    lbFour sum = lb_four_load(ij + (size_t)s * padded);
    LB_FOR (f, 0, forms)
      LB_FOR (l, 0, 4) {
        sum = lb_four_multiply_add(lb_four_load(splats_of(w, OTHER(f), g[3]) + 4 * l), X[f][s][l],
                                   sum);
        add_to(il + 16 * s + 4 * l, triple->q_j[OTHER(f)], X[f][s][l]);
      }
    lb_four_store(ij + (size_t)s * padded, sum);
  }
}

// From Y: the pairs (k,j), (l,j), (k,l).
LB_FOUR_INLINE void add_triple(const Work *w, const int forms, const Triple *triple, int32_t J,
                               int32_t K, int32_t L) {
  double *kj = direct_of(w, K, J), *lj = direct_of(w, L, J), *kl = lanes_of(w, K, L);
  const size_t padded = w->padded;
  lbFour at_l[4];
  LB_FOR (l, 0, 4) at_l[l] = lb_four_splat(0);
  for (int k = 0; k < 4; k++) {
    lbFour at_k = lb_four_load(kj + (size_t)k * padded);
    LB_FOR (f, 0, forms) {
      lbFour q_k = lb_four_load(splats_of(w, OTHER(f), K) + 4 * k);
      LB_FOR (l, 0, 4) {
        lbFour Y = triple->Y[f][4 * k + l];
        lbFour q_l = lb_four_load(splats_of(w, OTHER(f), L) + 4 * l);
        at_k = lb_four_multiply_add(q_l, Y, at_k);
        at_l[l] = lb_four_multiply_add(q_k, Y, at_l[l]);
        add_to(kl + 16 * k + 4 * l, triple->q_j[OTHER(f)], Y);
      }
    }
    lb_four_store(kj + (size_t)k * padded, at_k);
  }
  LB_FOR (l, 0, 4) {
    double *row = lj + (size_t)l * padded;
    lb_four_store(row, lb_four_load(row) + at_l[l]);
  }
}

LB_FOUR_INLINE void begin_triple(const Work *w, const int forms, Triple *triple, int32_t J,
                                 int32_t L) {
  LB_FOR (f, 0, forms) {
    triple->q_j[f] = lb_four_load(w->q[f] + 4 * J);
    LB_FOR (i, 0, 16) triple->Y[f][i] = lb_four_splat(0);
  }
  LB_FOR (l, 0, 4) {
    lbFour sum = lb_four_load(splats_of(w, 0, L) + 4 * l) * triple->q_j[OTHER(0)];
    if (forms == 2)
      sum = lb_four_multiply_add(lb_four_load(splats_of(w, 1, L) + 4 * l), triple->q_j[0], sum);
    triple->q_lj[l] = sum;
  }
}

LB_FOUR_INLINE void contract4(const Work *work, const int forms, const double *tile) {
  const int rows = forms == 1 ? ROWS : 1;
  const Work copy = *work, *const w = &copy; // that no store can change: kept in registers
  for (int32_t L = 0; L < w->groups; L++)
    for (int32_t K = 0; K <= L; K++)
      for (int32_t J = 0; J <= K; J++) {
        Triple triple;
        begin_triple(w, forms, &triple, J, L);
        for (int32_t I = 0; I <= J; I++, tile += 256) {
          const int32_t g[4] = { I, J, K, L };
          for (int i = 0; i < 4; i += rows) add_rows4(w, forms, rows, tile, &triple, g, i);
        }
        add_triple(w, forms, &triple, J, K, L);
      }
}

// ---- Q -----------------------------------------------------------------------------------------

// Form `form` alone: pairs (k,j), (i,j), (i,k); [4 i + k], lanes along j.
static void contract3(const Work *work, int form, const double *tile) {
  const Work copy = *work, *const w = &copy;
  for (int32_t K = 0; K < w->groups; K++)
    for (int32_t J = 0; J <= K; J++) {
      const double *q_k = splats_of(w, form, K);
      double *kj = direct_of(w, K, J);
      const lbFour q_j = lb_four_load(w->q[form] + 4 * J);
      lbFour Y[4];
      LB_FOR (k, 0, 4) Y[k] = lb_four_splat(0);
      for (int32_t I = 0; I <= J; I++) {
        double *ik = lanes_of(w, I, K), *ij = direct_of(w, I, J);
        for (int i = 0; i < 4; i++, tile += 16) {
          const lbFour q_i = lb_four_load(splats_of(w, form, I) + 4 * i);
          lbFour X = lb_four_load(ij + (size_t)i * w->padded);
          LB_FOR (k, 0, 4) {
            lbFour T = lb_four_load(tile + 4 * k);
            Y[k] = lb_four_multiply_add(q_i, T, Y[k]);
            X = lb_four_multiply_add(lb_four_load(q_k + 4 * k), T, X);
            add_to(ik + 16 * i + 4 * k, q_j, T);
          }
          lb_four_store(ij + (size_t)i * w->padded, X);
        }
      }
      LB_FOR (k, 0, 4) {
        double *row = kj + (size_t)k * w->padded;
        lb_four_store(row, lb_four_load(row) + Y[k]);
      }
    }
}

// ---- the matrices ------------------------------------------------------------------------------

// A = factor (X + X^T), X = direct + sums over lanes.
static void finish(const Work *w, double factor, double *A) {
  const lbFour scale = lb_four_splat(factor);
  const size_t padded = w->padded;
  for (int32_t b = 0; b < w->groups; b++)
    for (int32_t a = 0; a <= b; a++) {
      const double *lanes = lanes_of(w, a, b), *ab = direct_of(w, a, b), *ba = direct_of(w, b, a);
      double *upper = A + (ab - w->direct), *lower = A + (ba - w->direct);
      lbFour X[4], turned[4];
      LB_FOR (i, 0, 4) {
        const double *row = lanes + 16 * i;
        X[i] = lb_four_load(ab + (size_t)i * padded) +
               lb_four_sums(lb_four_load(row), lb_four_load(row + 4), lb_four_load(row + 8),
                            lb_four_load(row + 12));
        turned[i] = a == b ? X[i] : lb_four_load(ba + (size_t)i * padded);
      }
      lb_four_turn(turned, turned);
      LB_FOR (i, 0, 4) X[i] = scale * (X[i] + turned[i]);
      LB_FOR (i, 0, 4) lb_four_store(upper + (size_t)i * padded, X[i]);
      if (a == b) continue;
      lb_four_turn(X, X);
      LB_FOR (i, 0, 4) lb_four_store(lower + (size_t)i * padded, X[i]);
    }
}

static void contract_placed(const Work *w, const lbCubic *cubic, double *A2, double *A3) {
  clear_sums(w);
  contract3(w, 0, cubic->quadratic);
  finish(w, 1, A2);
  clear_sums(w);
  contract4(w, 1, cubic->cubic);
  finish(w, 2, A3);
}

static void contract(const lbCubic *cubic, const double *q, double *A2, double *A3, double *work) {
  const Work w = place_work(cubic->count, work);
  set_form(&w, 0, cubic->count, q);
  contract_placed(&w, cubic, A2, A3);
}

static double evaluate(const lbCubic *cubic, const double *q, double *force, double *stiffness,
                       double *work) {
  const Work w = place_work(cubic->count, work);
  const lbFour two = lb_four_splat(2), three = lb_four_splat(3);
  lbFour energy = lb_four_splat(0);
  set_form(&w, 0, cubic->count, q);
  contract_placed(&w, cubic, w.A2, w.A3);
  for (size_t a = 0; a < w.padded; a += 4) { // four rows of symmetric matrices are four columns
    lbFour R1 = lb_four_splat(0), R2 = R1, R3 = R1;
    for (size_t b = 0; b < w.padded; b++) {
      const size_t at = b * w.padded + a;
      const lbFour q_b = lb_four_load(w.splats[0] + 4 * b), P = lb_four_load(cubic->linear + at);
      const lbFour A2 = lb_four_load(w.A2 + at), A3 = lb_four_load(w.A3 + at);
      R1 = lb_four_multiply_add(P, q_b, R1);
      R2 = lb_four_multiply_add(A2, q_b, R2);
      R3 = lb_four_multiply_add(A3, q_b, R3);
      lb_four_store(stiffness + at,
                    lb_four_multiply_add(three, A3, lb_four_multiply_add(two, A2, P)));
    }
    energy = lb_four_multiply_add(lb_four_load(w.q[0] + a), R1 / 2.0 + R2 / 3.0 + R3 / 4.0, energy);
    lb_four_store(w.direct + a, R1 + R2 + R3);
  }
  memcpy(force, w.direct, (size_t)cubic->count * sizeof *force);
  return lb_four_sum(energy);
}

static void stiffness_rate(const lbCubic *cubic, const double *q, const double *v, double *rate,
                           double *work) {
  const Work w = place_work(cubic->count, work);
  set_form(&w, 0, cubic->count, q);
  set_form(&w, 1, cubic->count, v);
  clear_sums(&w);
  contract3(&w, 1, cubic->quadratic);
  finish(&w, 2, w.A2);
  clear_sums(&w);
  contract4(&w, 2, cubic->cubic);
  finish(&w, 6, w.A3); // the sum over both ways round stands for the factor 2 of A3
  for (size_t i = 0; i < w.padded * w.padded; i += 4)
    lb_four_store(rate + i, lb_four_load(w.A2 + i) + lb_four_load(w.A3 + i));
}

// ---- the force alone ---------------------------------------------------------------------------

// Sums over the open slot: lanes along j (direct, padded) or put off (lanes, padded x 4).
typedef struct Open {
  double *direct, *lanes;
} Open;

static void add_tiles4(const Work *w, const Open *open, const double *tile, int32_t J, int32_t K,
                       int32_t L) {
  const double *q_k = splats_of(w, 0, K), *q_l = splats_of(w, 0, L);
  const lbFour q_j = lb_four_load(w->q[0] + 4 * J);
  lbFour q_kl[16], Y[16], at_j = lb_four_splat(0), at_l[4];
  LB_FOR (kl, 0, 16) {
    q_kl[kl] = lb_four_load(q_k + kl / 4 * 4) * lb_four_load(q_l + kl % 4 * 4);
    Y[kl] = lb_four_splat(0);
  }
  for (int32_t I = 0; I <= J; I++, tile += 256) {
    lbFour q_i[4], X[4];
    LB_FOR (i, 0, 4) {
      q_i[i] = lb_four_load(splats_of(w, 0, I) + 4 * i);
      X[i] = lb_four_splat(0);
    }
    for (int kl = 0; kl < 16; kl++) {
      lbFour sum = Y[kl];
      LB_FOR (i, 0, 4) {
        lbFour T = lb_four_load(tile + 64 * i + 4 * kl);
        sum = lb_four_multiply_add(q_i[i], T, sum);
        X[i] = lb_four_multiply_add(q_kl[kl], T, X[i]);
      }
      Y[kl] = sum;
    }
    LB_FOR (i, 0, 4) add_to(open->lanes + 16 * (size_t)I + 4 * i, q_j, X[i]);
  }
  LB_FOR (l, 0, 4) at_l[l] = lb_four_splat(0);
  for (int k = 0; k < 4; k++) {
    lbFour at_k = lb_four_splat(0);
    LB_FOR (l, 0, 4) {
      at_k = lb_four_multiply_add(lb_four_load(q_l + 4 * l), Y[4 * k + l], at_k);
      at_l[l] = lb_four_multiply_add(lb_four_load(q_k + 4 * k), Y[4 * k + l], at_l[l]);
      at_j = lb_four_multiply_add(q_kl[4 * k + l], Y[4 * k + l], at_j);
    }
    add_to(open->lanes + 16 * (size_t)K + 4 * k, q_j, at_k);
  }
  LB_FOR (l, 0, 4) add_to(open->lanes + 16 * (size_t)L + 4 * l, q_j, at_l[l]);
  lb_four_store(open->direct + 4 * J, lb_four_load(open->direct + 4 * J) + at_j);
}

static void add_tiles3(const Work *w, const Open *open, const double *tile, int32_t J, int32_t K) {
  const double *q_k = splats_of(w, 0, K);
  const lbFour q_j = lb_four_load(w->q[0] + 4 * J);
  lbFour Y[4], at_j = lb_four_splat(0);
  LB_FOR (k, 0, 4) Y[k] = lb_four_splat(0);
  for (int32_t I = 0; I <= J; I++)
    for (int i = 0; i < 4; i++, tile += 16) {
      const lbFour q_i = lb_four_load(splats_of(w, 0, I) + 4 * i);
      lbFour X = lb_four_splat(0);
      LB_FOR (k, 0, 4) {
        lbFour T = lb_four_load(tile + 4 * k);
        Y[k] = lb_four_multiply_add(q_i, T, Y[k]);
        X = lb_four_multiply_add(lb_four_load(q_k + 4 * k), T, X);
      }
      add_to(open->lanes + 16 * (size_t)I + 4 * i, q_j, X);
    }
  LB_FOR (k, 0, 4) {
    at_j = lb_four_multiply_add(lb_four_load(q_k + 4 * k), Y[k], at_j);
    add_to(open->lanes + 16 * (size_t)K + 4 * k, q_j, Y[k]);
  }
  lb_four_store(open->direct + 4 * J, lb_four_load(open->direct + 4 * J) + at_j);
}

LB_FOUR_INLINE lbFour open_sum(const Open *open, size_t group) {
  const double *lanes = open->lanes + 16 * group;
  return lb_four_load(open->direct + 4 * group) +
         lb_four_sums(lb_four_load(lanes), lb_four_load(lanes + 4), lb_four_load(lanes + 8),
                      lb_four_load(lanes + 12));
}

// Q(q,q,.) is twice the sum over tiles and the slot that stays open, S(q,q,q,.) six times.
static double force_alone(const lbCubic *cubic, const double *q, double *force, double *work) {
  const Work w = place_work(cubic->count, work);
  const Open open3 = { w.lanes, w.lanes + w.padded };
  const Open open4 = { w.lanes + 5 * w.padded, w.lanes + 6 * w.padded };
  const double *tile3 = cubic->quadratic, *tile4 = cubic->cubic;
  lbFour energy = lb_four_splat(0);
  set_form(&w, 0, cubic->count, q);
  memset(w.lanes, 0, 10 * w.padded * sizeof(double)); // lanes has room for 16 an index and more
  for (int32_t L = 0; L < w.groups; L++)
    for (int32_t K = 0; K <= L; K++, tile3 += 64 * (size_t)K) {
      add_tiles3(&w, &open3, tile3, K, L);
      for (int32_t J = 0; J <= K; J++, tile4 += 256 * (size_t)J)
        add_tiles4(&w, &open4, tile4, J, K, L);
    }
  for (size_t group = 0; group < (size_t)w.groups; group++) {
    lbFour R1 = lb_four_splat(0);
    const lbFour X2 = open_sum(&open3, group), X3 = open_sum(&open4, group);
    for (size_t b = 0; b < w.padded; b++)
      R1 = lb_four_multiply_add(lb_four_load(cubic->linear + b * w.padded + 4 * group),
                                lb_four_load(w.splats[0] + 4 * b), R1);
    lbFour R =
        lb_four_multiply_add(lb_four_splat(6), X3, lb_four_multiply_add(lb_four_splat(2), X2, R1));
    lbFour W = lb_four_multiply_add(
        lb_four_splat(1.5), X3,
        lb_four_multiply_add(lb_four_splat(2.0 / 3), X2, lb_four_splat(0.5) * R1));
    energy = lb_four_multiply_add(lb_four_load(w.q[0] + 4 * group), W, energy);
    lb_four_store(w.direct + 4 * group, R);
  }
  memcpy(force, w.direct, (size_t)cubic->count * sizeof *force);
  return lb_four_sum(energy);
}

const lbCubicKernels LB_KERNEL(lb_cubic_kernels) = { evaluate, force_alone, contract,
                                                     stiffness_rate };
