// Loops of Newton's method, with lanes along the coordinates of a body and across bodies; see
// method/subspace/newton.h.
#include "method/subspace/newton.h"

#include "math/cubic_form.h"
#include "math/four.h"

#define INLINE LB_FOUR_INLINE

enum { ALONE_SPAN = 4, CROWD_SPAN = 1 }; // coordinates at a time

// ---- one body ----------------------------------------------------------------------------------

typedef int64_t FourMask __attribute__((vector_size(32)));

INLINE lbFour select_four(FourMask mask, lbFour yes, lbFour no) {
  return (lbFour)((mask & (FourMask)yes) | (~mask & (FourMask)no));
}

INLINE double largest_of(lbFour v) {
  const double a = v[0] < v[1] ? v[1] : v[0], b = v[2] < v[3] ? v[3] : v[2];
  return a < b ? b : a;
}

static void put_figures_alone(lbFour sums[1][LB_SUMS], const lbFour *most, double *figures) {
  for (int k = 0; k < LB_SUMS; k++) figures[k] = lb_four_sum(sums[0][k]);
  for (int k = LB_SUMS; k < LB_NEWTON_FIGURES; k++) figures[k] = largest_of(most[k - LB_SUMS]);
}

#define NAME(x) x##_alone
#define NUMBER lbFour
#define SPAN ALONE_SPAN
#define LOAD(x, i) lb_four_load((x) + (i))
#define STORE(x, i, number) lb_four_store((x) + (i), number)
#define SPLAT(x) lb_four_splat(x)
#define BODY(x) lb_four_splat(*(x))
#define MULTIPLY_ADD(a, b, c) lb_four_multiply_add(a, b, c)
#define LESS(a, b) ((a) < (b))
#define SELECT(mask, yes, no) select_four(mask, yes, no)
#include "method/subspace/newton_loops.h"
#undef NAME
#undef NUMBER
#undef SPAN
#undef LOAD
#undef STORE
#undef SPLAT
#undef BODY
#undef MULTIPLY_ADD
#undef LESS
#undef SELECT

// Sixteen rows at a time: four sums run side by side.
static void multiply_alone(int32_t count, const double *K, const double *x, double *y) {
  const size_t padded = (size_t)lb_cubic_padded(count);
  for (size_t i = 0; i < padded; i += 16) {
    const size_t last = padded - 4;
    size_t row[4];
    lbFour sums[4];
    LB_FOR (k, 0, 4) {
      row[k] = i + (size_t)(4 * k) < padded ? i + (size_t)(4 * k) : last;
      sums[k] = lb_four_splat(0);
    }
    for (size_t j = 0; j < (size_t)count; j++) {
      const lbFour x_j = lb_four_splat(x[j]);
      LB_FOR (k, 0, 4)
        sums[k] = lb_four_multiply_add(x_j, lb_four_load(K + padded * j + row[k]), sums[k]);
    }
    LB_FOR (k, 0, 4) lb_four_store(y + row[k], sums[k]);
  }
}

static void matrix(int32_t count, double stiff, double heavy, const double *K, double *A) {
  const size_t padded = (size_t)lb_cubic_padded(count);
  for (size_t i = 0; i < padded * padded; i += 4)
    lb_four_store(A + i, lb_four_splat(stiff) * lb_four_load(K + i));
  for (size_t i = 0; i < (size_t)count; i++)
    A[i * (padded + 1)] = lb_multiply_add_one(stiff, K[i * (padded + 1)], heavy);
}

static void add_matrix(size_t size, double factor, const double *B, double *A) {
  for (size_t i = 0; i < size; i += 4)
    lb_four_store(A + i, lb_four_multiply_add(lb_four_splat(factor), lb_four_load(B + i),
                                              lb_four_load(A + i)));
}

// ---- a crowd -----------------------------------------------------------------------------------

// The loops go through the bodies of one vector; `lane` is the first of them.
static void put_figures_crowd(lbLanes sums[4][LB_SUMS], const lbLanes *most, double *figures) {
  for (int k = 0; k < LB_SUMS; k++)
    lb_store(figures + LB_BATCH * k, (sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]));
  for (int k = LB_SUMS; k < LB_NEWTON_FIGURES; k++)
    lb_store(figures + LB_BATCH * k, most[k - LB_SUMS]);
}

#define NAME(x) x##_crowd
#define NUMBER lbLanes
#define SPAN CROWD_SPAN
#define LOAD(x, i) lb_load((x) + LB_BATCH * (i))
#define STORE(x, i, number) lb_store((x) + LB_BATCH * (i), number)
#define SPLAT(x) lb_splat(x)
#define BODY(x) lb_load(x)
#define MULTIPLY_ADD(a, b, c) lb_multiply_add(a, b, c)
#define LESS(a, b) lb_less(a, b)
#define SELECT(mask, yes, no) lb_select(mask, yes, no)
#include "method/subspace/newton_loops.h"

#define ALL_LANES for (int lane = 0; lane < LB_BATCH; lane += LB_LANES)

static const double *shift_newton_lanes(const double *x, int lane) { return x ? x + lane : NULL; }

static lbNewtonNumbers shift_all(const lbNewtonNumbers *x, int lane) {
  return (lbNewtonNumbers){
    .count = x->count,
    .q0 = x->q0 + lane,
    .v0 = x->v0 + lane,
    .a0 = x->a0 + lane,
    .force = x->force + lane,
    .held = shift_newton_lanes(x->held, lane),
    .pull = shift_newton_lanes(x->pull, lane),
    .R = x->R + lane,
    .R0 = x->R0 + lane,
    .Mu = x->Mu + lane,
    .Mv = x->Mv + lane,
    .Ma = x->Ma + lane,
    .alpha = x->alpha + lane,
    .beta = x->beta + lane,
    .q = x->q + lane,
    .v = x->v + lane,
    .u = x->u + lane,
    .a = x->a + lane,
    .Ku = x->Ku + lane,
    .Cu = x->Cu + lane,
    .Cu0 = x->Cu0 + lane,
    .G = x->G + lane,
    .d = x->d + lane,
  };
}

static void rates_of_all(const lbNewtonScheme *c, const lbNewtonNumbers *x) {
  ALL_LANES {
    const lbNewtonNumbers some = shift_all(x, lane);
    rates_crowd(c, &some);
  }
}

static void damp_all(const lbNewtonNumbers *x, const double *Ku, const double *Mu, double *C) {
  ALL_LANES {
    const lbNewtonNumbers some = shift_all(x, lane);
    damp_crowd(&some, Ku + lane, Mu + lane, C + lane);
  }
}

static void residual_of_all(const lbNewtonScheme *c, const lbNewtonNumbers *x) {
  ALL_LANES {
    const lbNewtonNumbers some = shift_all(x, lane);
    residual_crowd(c, &some);
  }
}

static void judge_all(const lbNewtonScheme *c, const lbNewtonNumbers *x, double *figures) {
  ALL_LANES {
    const lbNewtonNumbers some = shift_all(x, lane);
    judge_crowd(c, &some, figures + lane);
  }
}

static void negate_all(int32_t count, const double *x, double *y) {
  ALL_LANES negate_crowd(count, x + lane, y + lane);
}
static void scale_all(int32_t count, double factor, const double *x, double *y) {
  ALL_LANES scale_crowd(count, factor, x + lane, y + lane);
}
static void add_all_newton_lanes(int32_t count, const double *x, double *y) {
  ALL_LANES add_crowd(count, x + lane, y + lane);
}
static void drop_all(int32_t count, double least, double *x) {
  ALL_LANES drop_crowd(count, least, x + lane);
}

static void multiply_all_newton_lanes(int32_t count, const double *K, const double *x, double *y) {
  const size_t n = (size_t)count;
  ALL_LANES {
    for (size_t i = 0; i < n; i++) {
      const double *row = K + LB_BATCH * (i * (i + 1) / 2) + lane;
      lbLanes sum = lb_splat(0);
      for (size_t j = 0; j < n; j++) {
        const double *entry =
            j <= i ? row + LB_BATCH * j : K + LB_BATCH * lb_packed2((int32_t)i, (int32_t)j) + lane;
        sum = lb_multiply_add(lb_load(x + LB_BATCH * j + lane), lb_load(entry), sum);
      }
      lb_store(y + LB_BATCH * i + lane, sum);
    }
  }
}

static void crowd_matrix(int32_t count, const double *stiff, const double *heavy, const double *K,
                         double *A) {
  ALL_LANES {
    const lbLanes factor = lb_load(stiff + lane), mass = lb_load(heavy + lane);
    size_t at = (size_t)lane;
    for (int32_t i = 0; i < count; i++) {
      for (int32_t j = 0; j < i; j++, at += LB_BATCH) lb_store(A + at, factor * lb_load(K + at));
      lb_store(A + at, lb_multiply_add(factor, lb_load(K + at), mass));
      at += LB_BATCH;
    }
  }
}

static void crowd_diagonal(int32_t count, const double *K, double *most) {
  ALL_LANES {
    lbLanes largest = lb_splat(0);
    for (int32_t i = 0; i < count; i++)
      keep_most_crowd(lb_load(K + LB_BATCH * lb_packed2(i, i) + lane), &largest);
    lb_store(most + lane, largest);
  }
}

static void gather_newton_lanes(int32_t count, const double *const *rows, double *lanes) {
  for (int m = 0; m < LB_BATCH; m += 4)
    for (int32_t i = 0; i < count; i += 4) {
      lbFour x[4];
      LB_FOR (k, 0, 4) x[k] = lb_four_load(rows[m + k] + i);
      lb_four_turn(x, x);
      LB_FOR (k, 0, 4) lb_four_store(lanes + LB_BATCH * (i + k) + m, x[k]);
    }
}

static void scatter_newton_lanes(int32_t count, const double *lanes, double *const *rows) {
  const int32_t whole = count / 4 * 4;
  for (int m = 0; m < LB_BATCH; m += 4) {
    for (int32_t i = 0; i < whole; i += 4) {
      lbFour x[4];
      LB_FOR (k, 0, 4) x[k] = lb_four_load(lanes + LB_BATCH * (i + k) + m);
      lb_four_turn(x, x);
      LB_FOR (k, 0, 4) lb_four_store(rows[m + k] + i, x[k]);
    }
    for (int32_t i = whole; i < count; i++)
      LB_FOR (k, 0, 4) rows[m + k][i] = lanes[LB_BATCH * i + m + k];
  }
}

LB_KERNEL_TABLE(lbNewtonKernels, lb_newton_kernels) = {
  .alone = { rates_alone, multiply_alone, damp_alone, residual_alone, judge_alone, negate_alone,
             scale_alone, add_alone, drop_alone },
  .crowd = { rates_of_all, multiply_all_newton_lanes, damp_all, residual_of_all, judge_all,
             negate_all, scale_all, add_all_newton_lanes, drop_all },
  .matrix = matrix,
  .add_matrix = add_matrix,
  .crowd_matrix = crowd_matrix,
  .crowd_diagonal = crowd_diagonal,
  .gather = gather_newton_lanes,
  .scatter = scatter_newton_lanes,
};
