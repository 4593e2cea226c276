// FNNLS with an updated Cholesky factor; see fnnls.h.
//
// Unknowns are scaled so that columns have length 1: x = D y, Ĝ = D G D, D = diag(G)^-1/2. The
// passive unknowns (those that may be positive) stand in the order in which they came, and
// RᵀR = Ĝ, Rᵀu = ĉ over them. A new one adds a column to R; one that goes takes its column out, and
// plane rotations make the rest triangular again: both cost the square of their number.
#include "linalg/fnnls.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const double TINY = 1e-12; // relative: a zero gradient, a dependent column

typedef struct Problem {
  size_t size, stride;
  const double *G;
  double *scale;    // (size) D; 0: the column is zero
  double *c, *y;    // (size) scaled
  double *gradient; // (size) c − Ĝ y
  double *z;        // (size) trial of the passive unknowns, in their order
  bool *blocked;    // (size) depends on passive ones, or gave nothing
  size_t count;     // passive unknowns
  size_t *passive;  // (size) their indices
  bool *is_passive; // (size)
  double *R;        // (size x size), upper triangular
  double *u;        // (size) R⁻ᵀ ĉ
  double *turns;    // (2 size) cosines and sines of the rotations of take_out
} Problem;

// out_k += a in_k
static void add_scaled_column(size_t count, double a, const double *in, double *out) {
  for (size_t k = 0; k < count; k++) out[k] += a * in[k];
}

static double entry(const Problem *p, size_t i, size_t j) {
  return p->scale[i] * p->scale[j] * p->G[j * p->stride + i];
}

// Adds unknown j to R; false: its column depends on those there.
static bool append_unknown(Problem *p, size_t j) {
  size_t m = p->count;
  double *column = p->R + m * p->size, rest = 1, u = p->c[j]; // Rᵀ r = ĝ
  for (size_t k = 0; k < m; k++) column[k] = entry(p, p->passive[k], j);
  lb_dense_solve_upper(LB_TRANSPOSED, (int32_t)m, p->R, p->size, column);
  for (size_t k = 0; k < m; k++) {
    rest -= column[k] * column[k];
    u -= column[k] * p->u[k];
  }
  if (!(rest > TINY)) return false;
  column[m] = sqrt(rest);
  p->u[m] = u / column[m];
  p->passive[p->count++] = j;
  p->is_passive[j] = true;
  return true;
}

static void rotate_givens_pair(double c, double s, double *pair) {
  double a = pair[0], b = pair[1];
  pair[0] = c * a + s * b;
  pair[1] = c * b - s * a;
}

// Columns behind the one that goes get an entry below their diagonal, which a rotation of its row
// and the row above removes.
static void take_unknown_out(Problem *p, size_t position) {
  size_t n = p->size, last = p->count - 1;
  double *c = p->turns, *s = p->turns + n;
  p->is_passive[p->passive[position]] = false;
  p->y[p->passive[position]] = 0;
  for (size_t j = position; j < last; j++) {
    double *column = p->R + j * n;
    memcpy(column, column + n, (j + 2) * sizeof(double));
    for (size_t i = position; i < j; i++) rotate_givens_pair(c[i], s[i], column + i);
    double length = hypot(column[j], column[j + 1]);
    c[j] = column[j] / length, s[j] = column[j + 1] / length;
    column[j] = length;
    rotate_givens_pair(c[j], s[j], p->u + j);
    p->passive[j] = p->passive[j + 1];
  }
  p->count = last;
}

// z = Ĝ⁻¹ c over the passive unknowns.
static void solve_passive(Problem *p) {
  memcpy(p->z, p->u, p->count * sizeof(double));
  lb_dense_solve_upper(LB_PLAIN, (int32_t)p->count, p->R, p->size, p->z);
}

// Moves y towards z until all of z is positive; unknowns that reach zero leave the passive set.
static void settle_unknowns(Problem *p) {
  for (;;) {
    double step = 1;
    solve_passive(p);
    for (size_t k = 0; k < p->count; k++) {
      double y = p->y[p->passive[k]];
      if (p->z[k] <= 0 && y - p->z[k] > 0) step = fmin(step, y / (y - p->z[k]));
    }
    bool inside = true;
    for (size_t k = 0; k < p->count; k++) {
      double *y = &p->y[p->passive[k]];
      inside &= p->z[k] > 0;
      *y += step * (p->z[k] - *y);
      if (p->z[k] <= 0 && *y <= TINY * fabs(p->z[k])) *y = 0;
    }
    if (inside) return;
    size_t before = p->count, lowest = 0;
    for (size_t k = 1; k < p->count; k++)
      if (p->z[k] < p->z[lowest]) lowest = k;
    for (size_t k = p->count; k-- > 0;)
      if (p->y[p->passive[k]] <= 0) take_unknown_out(p, k);
    if (p->count == before) take_unknown_out(p, lowest); // rounding kept it above zero
  }
}

static void find_gradient(Problem *p) {
  size_t n = p->size;
  for (size_t i = 0; i < n; i++) p->gradient[i] = 0;
  for (size_t k = 0; k < p->count; k++) {
    size_t j = p->passive[k];
    add_scaled_column(n, -p->y[j] * p->scale[j], p->G + j * p->stride, p->gradient);
  }
  for (size_t i = 0; i < n; i++) p->gradient[i] = p->c[i] + p->scale[i] * p->gradient[i];
}

// The unknown that would lower the sum of squares most steeply; size: none.
static size_t steepest(const Problem *p, double least) {
  size_t best = p->size;
  for (size_t i = 0; i < p->size; i++)
    if (!p->is_passive[i] && !p->blocked[i] && p->gradient[i] > least) {
      least = p->gradient[i];
      best = i;
    }
  return best;
}

// Adds all listed unknowns to an empty R at once; false: they are dependent, and R stays empty.
static bool append_all(Problem *p, size_t count, const size_t *list) {
  double *T = lb_alloc(count * count, sizeof *T);
  for (size_t j = 0; T && j < count; j++)
    for (size_t i = 0; i <= j; i++) T[j * count + i] = entry(p, list[i], list[j]);
  bool regular = T && lb_dense_cholesky((int32_t)count, T, NULL) == LB_OK;
  for (size_t j = 0; regular && j < count; j++) regular = pow(T[j * (count + 1)], 2) > TINY;
  for (size_t j = 0; regular && j < count; j++) {
    memcpy(p->R + j * p->size, T + j * count, (j + 1) * sizeof(double));
    p->u[j] = p->c[list[j]];
    p->passive[j] = list[j];
    p->is_passive[list[j]] = true;
  }
  lb_free(T);
  if (!regular) return false;
  p->count = count;
  lb_dense_solve_upper(LB_TRANSPOSED, (int32_t)count, p->R, p->size, p->u);
  return true;
}

static void start_nnls(Problem *p, const double *c, const double *x) {
  size_t count = 0;
  for (size_t i = 0; i < p->size; i++) {
    double square = p->G[i * p->stride + i];
    p->scale[i] = square > 0 ? 1 / sqrt(square) : 0;
    p->c[i] = p->scale[i] * c[i];
    p->blocked[i] = !(square > 0);
    if (x[i] > 0 && !p->blocked[i]) p->passive[count++] = i;
  }
  if (!append_all(p, count, p->passive))
    for (size_t i = 0; i < p->size; i++)
      if (x[i] > 0 && !p->blocked[i]) append_unknown(p, i);
  for (size_t k = 0; k < p->count; k++)
    p->y[p->passive[k]] = x[p->passive[k]] / p->scale[p->passive[k]];
  settle_unknowns(p);
}

static void improve_residual(Problem *p) {
  double most = 0;
  for (size_t i = 0; i < p->size; i++) most = fmax(most, fabs(p->c[i]));
  for (size_t turn = 0; turn < 3 * p->size + 10; turn++) {
    find_gradient(p);
    size_t next = steepest(p, TINY * most);
    if (next == p->size) return;
    if (!append_unknown(p, next)) {
      p->blocked[next] = true;
      continue;
    }
    solve_passive(p);
    if (p->z[p->count - 1] <= 0) { // rounding made it look useful
      take_unknown_out(p, p->count - 1);
      p->blocked[next] = true;
      continue;
    }
    settle_unknowns(p);
    for (size_t i = 0; i < p->size; i++) p->blocked[i] = !(p->scale[i] > 0);
  }
}

lbStatus lb_fnnls(int32_t size, const double *G, size_t stride, const double *c, double *x,
                  lbError *err) {
  lbArena arena = { 0 };
  size_t n = (size_t)size;
  Problem p = { .size = n, .stride = stride, .G = G };
  double *vectors = lb_arena_alloc(&arena, 8 * n, sizeof *vectors);
  p.R = lb_arena_alloc(&arena, n * n, sizeof(double));
  p.passive = lb_arena_alloc(&arena, n, sizeof *p.passive);
  p.is_passive = lb_arena_alloc(&arena, 2 * n, sizeof(bool));
  bool ready = vectors && p.R && p.passive && p.is_passive;
  if (ready) {
    p.scale = vectors, p.c = vectors + n, p.y = vectors + 2 * n;
    p.gradient = vectors + 3 * n, p.z = vectors + 4 * n;
    p.u = vectors + 5 * n, p.turns = vectors + 6 * n;
    p.blocked = p.is_passive + n;
    start_nnls(&p, c, x);
    improve_residual(&p);
    for (size_t i = 0; i < n; i++) x[i] = p.y[i] * p.scale[i];
  }
  lb_arena_release(&arena);
  return ready ? LB_OK : lb_fail_memory(err);
}
