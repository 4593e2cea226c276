// Sums of rows, and sweeps over the contacts of a pair; see solve/gauss_seidel_kernels.h.
#include "solve/gauss_seidel_kernels.h"

#include "solve/cone.h"
#include "math/four.h"

static void add_rows(int32_t count, const double *rows, const double x[3], double *to) {
  const double *a = rows, *b = a + count, *c = b + count;
  const lbFour x0 = lb_four_splat(x[0]), x1 = lb_four_splat(x[1]), x2 = lb_four_splat(x[2]);
  int32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    lbFour sum = lb_four_multiply_add(x0, lb_four_load(a + i), lb_four_load(to + i));
    sum = lb_four_multiply_add(x1, lb_four_load(b + i), sum);
    lb_four_store(to + i, lb_four_multiply_add(x2, lb_four_load(c + i), sum));
  }
  for (; i < count; i++) {
    double sum = lb_multiply_add_one(x[0], a[i], to[i]);
    sum = lb_multiply_add_one(x[1], b[i], sum);
    to[i] = lb_multiply_add_one(x[2], c[i], sum);
  }
}

// ---- one contact -------------------------------------------------------------------------------

LB_FOUR_INLINE double greater(double a, double b) { return a > b ? a : b; }

// from + M x
LB_FOUR_INLINE lbFour add_columns(const double columns[12], const double x[3], lbFour from) {
  LB_FOR (k, 0, 3)
    from = lb_four_multiply_add(lb_four_splat(x[k]), lb_four_load(columns + 4 * k), from);
  return from;
}

// x <- the force of a contact whose moves without it are r: sticking where the cone allows that.
// What slides comes nearer by one round of normal, then tangents along the steepest way, projected:
// sweeps come again. Whether it need not.
LB_FOUR_INLINE bool solve_one(const double B[12], const double inverse[12], double friction,
                              lbFour r, double x[3]) {
  const double rest[3] = { -r[0], -r[1], -r[2] };
  if (friction == 0) {
    x[0] = greater(0, rest[0] / B[0]), x[1] = x[2] = 0;
    return true;
  }
  const lbFour stick = add_columns(inverse, rest, lb_four_splat(0));
  const double most = friction * stick[0];
  if (stick[0] > 0 && stick[1] * stick[1] + stick[2] * stick[2] <= most * most) {
    LB_FOR (k, 0, 3) x[k] = stick[k];
    return true;
  }
  const double stiff = greater(B[5], B[10]) + fabs(B[6]), tangent = stiff > 0 ? 1 / stiff : 0;
  x[0] = greater(0, (rest[0] - (B[4] * x[1] + B[8] * x[2])) / B[0]);
  const lbFour w = add_columns(B, x, r);
  x[1] -= w[1] * tangent, x[2] -= w[2] * tangent;
  lb_cone_keep(friction, x);
  return false;
}

// ---- alone -------------------------------------------------------------------------------------

// Whether all is done; *force, *move: what it changes.
LB_FOUR_INLINE bool visit_alone(const lbContactOwn *own, double friction, const lbContactLeft *left,
                                double w[4], double x[3], double *force, double *move) {
  const double *B = own->block, opposite[3] = { -x[0], -x[1], -x[2] };
  double y[3] = { x[0], x[1], x[2] }, size = 0, way = 0;
  const lbFour rest = add_columns(B, opposite, lb_four_load(w));
  bool done = solve_one(B, own->inverse, friction, rest, y);
  if (!isfinite(y[0] + y[1] + y[2])) y[0] = y[1] = y[2] = 0;
  LB_FOR (k, 0, 3) {
    const double by = fabs(y[k] - x[k]);
    size = greater(size, by), way = greater(way, B[5 * k] * by);
  }
  *force = size, *move = way;
  if (!(size > left->force) || way < left->move) return true;
  LB_FOR (k, 0, 3) x[k] = y[k];
  lb_four_store(w, add_columns(B, x, rest));
  return done || way <= left->tolerance;
}

static void solve_alone(const lbContactOwn *own, double friction, const lbContactLeft *left,
                        double w[4], double x[3], double *force, double *move) {
  double again, way;
  *force = *move = 0;
  if (!(own->block[0] > 0)) return; // it has no compliance
  bool done = visit_alone(own, friction, left, w, x, force, move);
  for (int32_t round = 2; !done && round <= left->rounds; round++)
    done = visit_alone(own, friction, left, w, x, &again, &way);
}

// ---- a pair ------------------------------------------------------------------------------------

LB_FOUR_INLINE void add_change(lbContactPair *pair, size_t contact, const double by[3]) {
  const double *rows = pair->K + 3 * contact * pair->stride;
  const lbFour y[3] = { lb_four_splat(by[0]), lb_four_splat(by[1]), lb_four_splat(by[2]) };
  for (size_t i = 0; i < pair->stride; i += 4) {
    lbFour sum = lb_four_load(pair->w + i);
    LB_FOR (k, 0, 3)
      sum = lb_four_multiply_add(y[k], lb_four_load(rows + (size_t)k * pair->stride + i), sum);
    lb_four_store(pair->w + i, sum);
  }
}

// The force of a contact, again; force, move: the greater of what they are and what it changes.
LB_FOUR_INLINE void visit(lbContactPair *pair, size_t i, const lbContactLeft *left, double *force,
                          double *move) {
  const double *B = pair->own[i].block;
  double *own = pair->x + 3 * i, *w = pair->w + 3 * i;
  if (own[0] == 0 && own[1] == 0 && own[2] == 0 && w[0] >= 0) return; // apart
  if (!(B[0] > 0)) return;                                            // it has no compliance
  const double opposite[3] = { -own[0], -own[1], -own[2] };
  double x[3] = { own[0], own[1], own[2] }, by[3], size = 0, way = 0;
  solve_one(B, pair->own[i].inverse, pair->friction[i], add_columns(B, opposite, lb_four_load(w)),
            x);
  if (!isfinite(x[0] + x[1] + x[2])) x[0] = x[1] = x[2] = 0;
  LB_FOR (k, 0, 3) {
    by[k] = x[k] - own[k];
    size = greater(size, fabs(by[k]));
    way = greater(way, B[5 * k] * fabs(by[k]));
  }
  *force = greater(*force, size), *move = greater(*move, way);
  if (!(size > left->force) || way < left->move) return;
  LB_FOR (k, 0, 3) own[k] = x[k];
  add_change(pair, i, by);
}

// Numbers that are no multiple of four are few.
static void go_along(size_t count, double share, const double *before, double *way, double *x) {
  const lbFour part = lb_four_splat(share);
  size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    const lbFour by = part * lb_four_load(way + k), now = lb_four_load(x + k);
    lb_four_store(way + k, by + (now - lb_four_load(before + k)));
    lb_four_store(x + k, now + by);
  }
  for (; k < count; k++) {
    const double by = share * way[k], now = x[k];
    way[k] = by + (now - before[k]), x[k] = now + by;
  }
}

LB_FOUR_INLINE double squared_change(size_t count, const double *x, const double *before) {
  lbFour sum = lb_four_splat(0);
  for (size_t k = 0; k < count; k += 4) {
    const lbFour by = lb_four_load(x + k) - lb_four_load(before + k);
    sum = lb_four_multiply_add(by, by, sum);
  }
  return lb_four_sum(sum);
}

// Sweeps to and fro, and conjugate directions between them.
static void solve_pair(lbContactPair *pair, const lbContactLeft *left, bool back, double *force,
                       double *move) {
  double before_w[LB_CONTACT_PAIR_SIZE], way_w[LB_CONTACT_PAIR_SIZE];
  double before_x[LB_CONTACT_PAIR_SIZE], way_x[LB_CONTACT_PAIR_SIZE], step_before = 0;
  const size_t bytes = pair->stride * sizeof(double), count = (size_t)pair->count;
  memset(way_w, 0, bytes), memset(way_x, 0, bytes);
  for (int32_t round = 1;; round++) {
    const bool backwards = (round % 2 == 0) != back;
    double size = 0, way = 0;
    memcpy(before_w, pair->w, bytes), memcpy(before_x, pair->x, bytes);
    for (size_t i = 0; i < count; i++)
      visit(pair, backwards ? count - 1 - i : i, left, &size, &way);
    if (round == 1) *force = size, *move = way;
    if (size <= left->force || way <= left->tolerance || round >= left->rounds) return;
    const double step = squared_change(pair->stride, pair->x, before_x);
    const double share = step < step_before ? step / step_before : 0;
    go_along(pair->stride, share, before_x, way_x, pair->x);
    go_along(pair->stride, share, before_w, way_w, pair->w);
    step_before = step;
  }
}

LB_KERNEL_TABLE(lbContactKernels, lb_contact_kernels) = { add_rows, go_along, solve_alone,
                                                          solve_pair };
