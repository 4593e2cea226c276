// Exact contact forces of small islands (active_set.h).
#include "solve/active_set.h"

#include "solve/cone.h"
#include "solve/gauss_seidel_kernels.h"
#include "solve/tolerances.h"

#include <math.h>
#include <string.h>

// Bounds of loops that end by themselves.
enum {
  ITERATIONS = 25, // of Newton's method, from one start
  SWEEPS = 40,     // of Gauss-Seidel between restarts
  CHANGES = 8,     // of active rows, times the number of contacts
};

typedef struct Lcp {
  const lbContactProblem *p;
  int32_t contacts;  // blocks that are contacts; bounded rows follow them here
  int32_t blocks, n; // n = 3 blocks, which are numbered from 0 on here
  double tolerance;  // of the largest force: how far off a solution may be
  double *A;         // (n x n)
  double *M;         // (n x n): factors
  double *x;         // (n): forces
  double *best;      // (n): of all that was tried
  double *w;         // (n): moves at x
  double *F;         // (n)
  double *step;      // (n)
  double *partial;   // (n): of a solution with M
  double *free, *friction;
  int32_t states[LB_LCP_CONTACTS];
  int32_t order[3 * LB_LCP_CONTACTS]; // of the rows of M
  bool solved[3 * LB_LCP_CONTACTS];   // whether Newton's method solves for a row's force, or
  double fixed[3 * LB_LCP_CONTACTS];  // it has this one
} Lcp;

size_t lb_lcp_room(int32_t contact_count) {
  size_t n = 3 * (size_t)contact_count;
  return 2 * n * n + 8 * n;
}

static int32_t number_of(const lbContactProblem *p, int32_t contact) {
  return p->list ? p->list[contact] : contact;
}

static Lcp lay_out(const lbContactProblem *p, double *work) {
  size_t n = 3 * (size_t)p->contact_count;
  double *rows = work + 2 * n * n;
  Lcp l = { .p = p,
            .blocks = p->contact_count,
            .n = (int32_t)n,
            .A = work,
            .M = work + n * n,
            .x = rows,
            .best = rows + n,
            .w = rows + 2 * n,
            .F = rows + 3 * n,
            .step = rows + 4 * n,
            .partial = rows + 5 * n,
            .free = rows + 6 * n,
            .friction = rows + 7 * n };
  for (int32_t c = 0; c < l.blocks; c++) {
    int32_t number = number_of(p, c);
    memcpy(l.free + 3 * (size_t)c, p->free + 3 * (size_t)number, 3 * sizeof(double));
    if (lb_block_is_bounded(p, number)) continue;
    l.friction[c] = p->friction[number];
    l.contacts = c + 1;
  }
  return l;
}

static void gather(Lcp *l, const double *x) {
  for (int32_t c = 0; c < l->blocks; c++)
    memcpy(l->x + 3 * (size_t)c, x + 3 * (size_t)number_of(l->p, c), 3 * sizeof(double));
}

static void scatter(const Lcp *l, double *x) {
  for (int32_t c = 0; c < l->blocks; c++)
    memcpy(x + 3 * (size_t)number_of(l->p, c), l->best + 3 * (size_t)c, 3 * sizeof(double));
}

static double at(const Lcp *l, int32_t i, int32_t j) {
  return l->A[(size_t)i * (size_t)l->n + (size_t)j];
}

// ---- the matrix of all contacts ----------------------------------------------------------------

static void add_block(Lcp *l, int32_t row, int32_t column, lbContactSide a, lbContactSide b,
                      double sign) {
  const lbContactPart *part = &l->p->parts[a.body];
  size_t wide = 3 * (size_t)part->count;
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++)
      l->A[(3 * (size_t)row + i) * (size_t)l->n + 3 * (size_t)column + j] +=
          sign * part->matrix[(3 * (size_t)a.place + i) * wide + 3 * (size_t)b.place + j];
}

static void assemble(Lcp *l) {
  const lbContactSide *sides = l->p->sides;
  memset(l->A, 0, (size_t)l->n * (size_t)l->n * sizeof(double));
  for (int32_t row = 0; row < l->blocks; row++)
    for (int32_t column = 0; column < l->blocks; column++)
      for (int s = 0; s < 4; s++) {
        lbContactSide a = sides[2 * number_of(l->p, row) + (s & 1)];
        lbContactSide b = sides[2 * number_of(l->p, column) + (s >> 1)];
        if (a.body >= 0 && a.body == b.body)
          add_block(l, row, column, a, b, (s & 1) == (s >> 1) ? 1 : -1);
      }
  for (size_t i = 0; i < (size_t)l->n && l->p->compliance; i++) {
    size_t contact = (size_t)number_of(l->p, (int32_t)(i / 3));
    l->A[i * (size_t)(l->n + 1)] += l->p->compliance[3 * contact + i % 3];
  }
}

// w <- A x + free
static void find_moves(Lcp *l) {
  for (int32_t i = 0; i < l->n; i++) {
    double sum = l->free[i];
    for (int32_t j = 0; j < l->n; j++) sum += at(l, i, j) * l->x[j];
    l->w[i] = sum;
  }
}

// ---- normal forces alone: Baraff's pivoting ----------------------------------------------------

enum { UNSEEN, PARTS, PUSHES };

// M <- the Cholesky factor of the rows and columns of those that push, in `order`; their number.
static int32_t factor(Lcp *l) {
  int32_t count = 0;
  size_t n = (size_t)l->n;
  for (int32_t c = 0; c < l->contacts; c++)
    if (l->states[c] == PUSHES) l->order[count++] = c;
  for (int32_t j = 0; j < count; j++)
    for (int32_t i = j; i < count; i++) {
      int32_t row = 3 * l->order[i], column = 3 * l->order[j];
      double sum = at(l, row, column);
      if (i == j) sum *= 1 + LB_SUM_ROUNDING;
      for (int32_t k = 0; k < j; k++)
        sum -= l->M[(size_t)i * n + (size_t)k] * l->M[(size_t)j * n + (size_t)k];
      if (i == j)
        l->M[(size_t)j * n + (size_t)j] = sqrt(fmax(sum, LB_SUM_ROUNDING * at(l, row, row)));
      else
        l->M[(size_t)i * n + (size_t)j] = sum / l->M[(size_t)j * n + (size_t)j];
    }
  return count;
}

// step (contacts) <- forces that keep those that push at w = 0 while the force of `driven` grows by
// one; F (contacts) <- how w changes.
static void find_direction(Lcp *l, int32_t driven) {
  int32_t count = factor(l), contacts = l->contacts;
  size_t n = (size_t)l->n;
  double *y = l->partial;
  for (int32_t i = 0; i < count; i++) {
    double sum = -at(l, 3 * l->order[i], 3 * driven);
    for (int32_t k = 0; k < i; k++) sum -= l->M[(size_t)i * n + (size_t)k] * y[k];
    y[i] = sum / l->M[(size_t)i * n + (size_t)i];
  }
  memset(l->step, 0, (size_t)contacts * sizeof(double));
  for (int32_t i = count - 1; i >= 0; i--) {
    for (int32_t k = i + 1; k < count; k++) y[i] -= l->M[(size_t)k * n + (size_t)i] * y[k];
    y[i] /= l->M[(size_t)i * n + (size_t)i];
    l->step[l->order[i]] = y[i];
  }
  l->step[driven] = 1;
  for (int32_t i = 0; i < contacts; i++) {
    double sum = 0;
    for (int32_t j = 0; j < contacts; j++) sum += at(l, 3 * i, 3 * j) * l->step[j];
    l->F[i] = sum;
  }
}

// How far the driven force can grow until a contact changes sides, and the first to do so.
static double find_length(const Lcp *l, int32_t driven, int32_t *first) {
  double length = l->F[driven] > 0 ? -l->w[3 * driven] / l->F[driven] : INFINITY;
  *first = driven;
  for (int32_t i = 0; i < driven; i++) {
    double reached = INFINITY;
    if (l->states[i] == PUSHES && l->step[i] < 0) reached = -l->x[3 * i] / l->step[i];
    if (l->states[i] == PARTS && l->F[i] < 0) reached = -l->w[3 * i] / l->F[i];
    if (reached < length) length = reached, *first = i;
  }
  return fmax(length, 0);
}

static bool drive(Lcp *l, int32_t driven) {
  int32_t contacts = l->contacts;
  for (int32_t change = 0; change < CHANGES * contacts; change++) {
    int32_t first = driven;
    find_direction(l, driven);
    double length = find_length(l, driven, &first);
    if (!isfinite(length)) return false;
    for (int32_t i = 0; i < contacts; i++) {
      l->x[3 * i] += length * l->step[i];
      l->w[3 * i] += length * l->F[i];
    }
    if (first == driven) {
      l->states[driven] = PUSHES;
      l->w[3 * driven] = 0;
      return true;
    }
    bool parts = l->states[first] == PUSHES;
    l->states[first] = parts ? PARTS : PUSHES;
    if (parts)
      l->x[3 * first] = 0;
    else
      l->w[3 * first] = 0;
  }
  return false;
}

// x <- normal forces without friction.
static void pivot(Lcp *l) {
  bool solved = true;
  memset(l->x, 0, (size_t)l->n * sizeof(double));
  memcpy(l->w, l->free, (size_t)l->n * sizeof(double));
  for (int32_t c = 0; c < l->contacts; c++) l->states[c] = UNSEEN;
  for (int32_t c = 0; c < l->contacts && solved; c++) {
    if (l->w[3 * c] >= 0 || !(at(l, 3 * c, 3 * c) > 0))
      l->states[c] = PARTS;
    else
      solved = drive(l, c);
  }
}

// ---- with friction: Newton's method ------------------------------------------------------------

// Of a contact: where it would go, y = x - ρ w, and which part of the cone that is. Forces are
// those of y put back into the cone exactly where all conditions are met.
typedef struct Target {
  bool pushes, slides;
  double rho[2];    // of the normal, of the tangents
  double radius;    // μ y_n
  double way[2];    // of sliding, unit
  double shortened; // radius / |y_t|
} Target;

static Target find_target(const Lcp *l, int32_t c) {
  Target t = { 0 };
  int32_t i = 3 * c;
  double give = fmax(at(l, i + 1, i + 1), at(l, i + 2, i + 2));
  if (!(at(l, i, i) > 0)) return t; // it has no compliance
  t.rho[0] = 1 / at(l, i, i);
  t.rho[1] = give > 0 ? 1 / give : 0;
  double normal = l->x[i] - t.rho[0] * l->w[i], mu = l->friction[c];
  t.pushes = normal > 0;
  t.radius = mu * normal;
  double y[2] = { l->x[i + 1] - t.rho[1] * l->w[i + 1], l->x[i + 2] - t.rho[1] * l->w[i + 2] };
  double length = sqrt(y[0] * y[0] + y[1] * y[1]);
  t.slides = mu == 0 || length > t.radius;
  if (!t.slides || !(length > 0)) return t;
  t.way[0] = y[0] / length, t.way[1] = y[1] / length;
  t.shortened = t.radius / length;
  return t;
}

// F of a contact: x less y put back into the cone.
static void find_residual(const Lcp *l, int32_t c, const Target *t, double F[3]) {
  const double *own = l->x + 3 * (size_t)c, *w = l->w + 3 * (size_t)c;
  for (int k = 0; k < 3; k++) {
    if (!t->pushes)
      F[k] = own[k];
    else if (k == 0)
      F[k] = t->rho[0] * w[0];
    else
      F[k] = t->slides ? own[k] - t->radius * t->way[k - 1] : t->rho[1] * w[k];
  }
}

// The derivative of F of a contact that pushes, by x[j].
static void differentiate(const Lcp *l, int32_t c, const Target *t, int32_t j, double D[3]) {
  int32_t i = 3 * c;
  double e[3], g[3];
  for (int k = 0; k < 3; k++) {
    e[k] = i + k == j;
    g[k] = e[k] - t->rho[k > 0] * at(l, i + k, j);
  }
  D[0] = e[0] * (1 + LB_SUM_ROUNDING) - g[0];
  double along = t->way[0] * g[1] + t->way[1] * g[2];
  for (int k = 1; k < 3; k++) {
    if (t->slides)
      D[k] = e[k] - t->way[k - 1] * l->friction[c] * g[0] -
             t->shortened * (g[k] - t->way[k - 1] * along);
    else
      D[k] = e[k] * (1 + LB_SUM_ROUNDING) - g[k];
  }
}

// Where a bounded row would go; whether that is inside its bounds. *bound: the force that it has
// otherwise.
static bool is_inside(const Lcp *l, int32_t row, double *bound) {
  double d = at(l, row, row), y = d > 0 ? l->x[row] - l->w[row] / d : l->x[row];
  *bound = lb_row_clamp(l->p, number_of(l->p, row / 3), row % 3, y);
  return d > 0 && *bound == y;
}

// Rows that are solved for, in `order`: those of contacts that push, and bounded rows inside their
// bounds. The others have a force that is known. Returns their number.
static int32_t choose_rows(Lcp *l) {
  int32_t rows = 0;
  for (int32_t i = 0; i < l->n; i++) {
    l->fixed[i] = 0;
    if (i >= 3 * l->contacts)
      l->solved[i] = is_inside(l, i, &l->fixed[i]);
    else
      l->solved[i] = i % 3 ? l->solved[i - 1] : find_target(l, i / 3).pushes;
    if (l->solved[i]) l->order[rows++] = i;
  }
  return rows;
}

// The derivatives of F of the block of a row, by x[j]; count of them.
static int derivatives(const Lcp *l, int32_t row, const Target *t, int32_t j, double D[3]) {
  if (row < 3 * l->contacts) {
    differentiate(l, row / 3, t, j, D);
    return 3;
  }
  D[0] = at(l, row, j) / at(l, row, row) + (row == j ? LB_SUM_ROUNDING : 0);
  return 1;
}

// M <- derivatives among the rows that are solved for, step <- what they should change F by, both
// by the numbers in `order`. Returns the number of rows.
static int32_t linearise(Lcp *l) {
  int32_t rows = choose_rows(l);
  size_t n = (size_t)l->n;
  for (int32_t row = 0, count = 0; row < rows; row += count) {
    int32_t i = l->order[row], column = 0;
    Target t = { 0 };
    double F[3], D[3];
    if (i < 3 * l->contacts) {
      t = find_target(l, i / 3);
      find_residual(l, i / 3, &t, F);
    } else
      F[0] = l->w[i] / at(l, i, i);
    count = derivatives(l, i, &t, 0, D);
    for (int k = 0; k < count; k++) l->step[row + k] = -F[k];
    for (int32_t j = 0; j < l->n; j++) {
      double change = l->fixed[j] - l->x[j];
      if (!l->solved[j] && change == 0) continue;
      derivatives(l, i, &t, j, D);
      for (int k = 0; k < count; k++) {
        if (l->solved[j])
          l->M[(size_t)(row + k) * n + (size_t)column] = D[k];
        else
          l->step[row + k] -= D[k] * change;
      }
      column += l->solved[j];
    }
  }
  return rows;
}

// step <- M⁻¹ step by elimination with row exchanges; false: M is singular.
static bool eliminate(Lcp *l, int32_t rows) {
  size_t n = (size_t)l->n;
  double *M = l->M, *r = l->step;
  const lbContactKernels *kernels = lb_contact_kernels(l->p->level);
  for (int32_t k = 0; k < rows; k++) {
    int32_t pivot_row = k;
    for (int32_t i = k + 1; i < rows; i++)
      if (fabs(M[(size_t)i * n + (size_t)k]) > fabs(M[(size_t)pivot_row * n + (size_t)k]))
        pivot_row = i;
    double *a = M + (size_t)k * n, *b = M + (size_t)pivot_row * n;
    if (!(fabs(b[k]) > 0)) return false;
    for (int32_t j = k; j < rows && pivot_row != k; j++) {
      double kept = a[j];
      a[j] = b[j], b[j] = kept;
    }
    double kept = r[k];
    r[k] = r[pivot_row], r[pivot_row] = kept;
    for (int32_t i = k + 1; i < rows; i++) {
      double *row = M + (size_t)i * n, by = row[k] / a[k];
      if (by == 0) continue;
      kernels->add_multiple((size_t)(rows - k - 1), -by, a + k + 1, row + k + 1);
      r[i] -= by * r[k];
    }
  }
  for (int32_t k = rows - 1; k >= 0; k--) {
    for (int32_t j = k + 1; j < rows; j++) r[k] -= M[(size_t)k * n + (size_t)j] * r[j];
    r[k] /= M[(size_t)k * n + (size_t)k];
  }
  return true;
}

// Largest |F|, of the largest force.
static double miss_of(Lcp *l) {
  double miss = 0, largest = 0, bound = 0;
  find_moves(l);
  for (int32_t c = 0; c < l->contacts; c++) {
    double F[3];
    Target t = find_target(l, c);
    find_residual(l, c, &t, F);
    for (int k = 0; k < 3; k++) miss = fmax(miss, fabs(F[k]));
    largest = fmax(largest, -t.rho[0] * l->free[3 * c]); // what stops an approach
  }
  for (int32_t i = 3 * l->contacts; i < l->n; i++) {
    bool inside = is_inside(l, i, &bound);
    miss = fmax(miss, fabs(inside ? l->w[i] / at(l, i, i) : l->x[i] - bound));
  }
  for (int32_t i = 0; i < l->n; i++) largest = fmax(largest, fabs(l->x[i]));
  return largest > 0 ? miss / largest : miss > 0 ? INFINITY : 0;
}

static bool take_step(Lcp *l) {
  int32_t rows = linearise(l);
  if (!eliminate(l, rows)) return false;
  for (int32_t i = 0; i < l->n; i++)
    if (!l->solved[i]) l->x[i] = l->fixed[i];
  for (int32_t row = 0; row < rows; row++) l->x[l->order[row]] += l->step[row];
  return true;
}

// From x on. *least: how far off is what is in `best`.
static void iterate(Lcp *l, double *least) {
  for (int iteration = 0; iteration <= ITERATIONS; iteration++) {
    double miss = miss_of(l);
    if (!isfinite(miss)) return;
    if (miss < *least) {
      *least = miss;
      memcpy(l->best, l->x, (size_t)l->n * sizeof(double));
    }
    if (miss <= l->tolerance || !take_step(l)) return;
  }
}

// ---- both --------------------------------------------------------------------------------------

// What rounding leaves outside of the cones.
static void tidy(Lcp *l) {
  for (int32_t c = 0; c < l->contacts; c++) {
    double *own = l->best + 3 * (size_t)c;
    if (!(own[0] > 0)) own[0] = own[1] = own[2] = 0;
    lb_cone_keep(l->friction[c], own);
  }
  for (int32_t i = 3 * l->contacts; i < l->n; i++)
    l->best[i] = lb_row_clamp(l->p, number_of(l->p, i / 3), i % 3, l->best[i]);
}

bool lb_lcp_solve(const lbContactProblem *p, double tolerance, int32_t restarts, double *work,
                  double *x) {
  if (p->contact_count > LB_LCP_CONTACTS) return false;
  Lcp l = lay_out(p, work);
  double least = INFINITY;
  lbContactProblem sweeps = *p;
  l.tolerance = fmax(tolerance, LB_SUM_ROUNDING);
  sweeps.sweeps_most = SWEEPS, sweeps.tolerance = 0;
  assemble(&l);
  gather(&l, x);
  memcpy(l.best, l.x, (size_t)l.n * sizeof(double));
  iterate(&l, &least); // forces that were right a step ago often are nearly so
  if (least > l.tolerance) {
    pivot(&l);
    iterate(&l, &least);
  }
  for (int round = 0; round < restarts && least > l.tolerance; round++) {
    scatter(&l, x);
    lb_contact_solve(&sweeps, x);
    gather(&l, x);
    sweeps.sweeps_most *= 2;
    iterate(&l, &least);
  }
  tidy(&l);
  scatter(&l, x);
  return least <= fmax(tolerance, 1e3 * LB_SUM_ROUNDING);
}
