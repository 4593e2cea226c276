// L D L^T with a matrix in each lane; see math/ldlt_crowd.h. The algorithm, its order of operations
// and the factors (L below the diagonal, D on it, U = D L^T above) are those of ldlt.kernel.c.
#include "math/ldlt_crowd.h"

#include <float.h>

#define INLINE static inline __attribute__((always_inline))

// The matrices of one vector: from lane `lane` of the arrays on.
typedef struct Matrices {
  size_t n;
  double *f;       // (n x n x LB_BATCH)
  const double *a; // (packed x LB_BATCH)
  double *bad;     // (LB_LANES) 1 where a pivot is refused or negative
} Matrices;

INLINE double *at(const Matrices *m, size_t i, size_t j) {
  return m->f + LB_BATCH * (i + m->n * j);
}

INLINE lbLanes given(const Matrices *m, size_t i, size_t j) {
  return lb_load(m->a + LB_BATCH * (i * (i + 1) / 2 + j));
}

// X[v][c] = a - L(i,<j) U(<j,j), `rows` rows from i on and `columns` columns from j on.
INLINE void update(const Matrices *m, size_t i, size_t j, const int rows, const int columns,
                   lbLanes X[2][4]) {
  LB_FOR (v, 0, rows)
    LB_FOR (c, 0, columns) X[v][c] = given(m, i + (size_t)v, j + (size_t)c);
  for (size_t k = 0; k < j; k++) {
    lbLanes L[2];
    LB_FOR (v, 0, rows) L[v] = lb_load(at(m, i + (size_t)v, k));
    LB_FOR (c, 0, columns) {
      const lbLanes u = lb_load(at(m, k, j + (size_t)c));
      LB_FOR (v, 0, rows) X[v][c] = lb_multiply_subtract(L[v], u, X[v][c]);
    }
  }
}

// Rows and columns j.. of the block on the diagonal: x[c][i], i >= c, as update makes them, and
// |a_cc| + Σ_k |d_k| l_ck².
INLINE void update_diagonal(const Matrices *m, size_t j, const int columns, lbLanes x[4][4],
                            lbLanes size[4]) {
  LB_FOR (c, 0, columns) {
    size[c] = lb_abs(given(m, j + (size_t)c, j + (size_t)c));
    LB_FOR (i, 0, columns)
      if (i >= c) x[c][i] = given(m, j + (size_t)i, j + (size_t)c);
  }
  for (size_t k = 0; k < j; k++) {
    const lbLanes d = lb_abs(lb_load(at(m, k, k)));
    LB_FOR (i, 0, columns) {
      const lbLanes L = lb_load(at(m, j + (size_t)i, k));
      size[i] = lb_multiply_add(L * L, d, size[i]);
      LB_FOR (c, 0, columns)
        if (c <= i) x[c][i] = lb_multiply_subtract(L, lb_load(at(m, k, j + (size_t)c)), x[c][i]);
    }
  }
}

// Factors the block on the diagonal: l_ic for i > c, and the inverse pivots.
INLINE void factor_diagonal(const Matrices *m, size_t j, const int columns, lbLanes l[4][4],
                            lbLanes inverse[4]) {
  const lbLanes one = lb_splat(1), epsilon = lb_splat((double)m->n * DBL_EPSILON);
  lbLanes x[4][4], size[4], bad = lb_load(m->bad);
  update_diagonal(m, j, columns, x, size);
  LB_FOR (c, 0, columns) {
    const size_t column = j + (size_t)c;
    lbLanes pivot = x[c][c];
    LB_FOR (b, 0, columns)
      if (b < c) {
        size[c] += lb_abs(l[c][b] * x[b][c]);
        pivot = lb_multiply_subtract(l[c][b], x[b][c], pivot);
        LB_FOR (i, 0, columns)
          if (i > c) x[c][i] = lb_multiply_subtract(x[b][i], l[c][b], x[c][i]);
      }
    bad = lb_select(lb_less(epsilon * size[c], pivot), bad, one); // false if not a number
    bad = lb_select(lb_less(lb_splat(DBL_MAX), pivot), one, bad);
    inverse[c] = one / pivot;
    lb_store(at(m, column, column), pivot);
    LB_FOR (i, 0, columns)
      if (i > c) {
        l[i][c] = x[c][i] * inverse[c];
        lb_store(at(m, j + (size_t)i, column), l[i][c]);
        lb_store(at(m, column, j + (size_t)i), x[c][i]);
      }
  }
  lb_store(m->bad, bad);
}

INLINE void factor_rows(const Matrices *m, size_t row, size_t j, const int rows, lbLanes l[4][4],
                        const lbLanes inverse[4]) {
  lbLanes X[2][4];
  update(m, row, j, rows, 4, X);
  LB_FOR (v, 0, rows) {
    LB_FOR (c, 1, 4)
      LB_FOR (b, 0, c) X[v][c] = lb_multiply_subtract(X[v][b], l[c][b], X[v][c]);
    LB_FOR (c, 0, 4) {
      lb_store(at(m, row + (size_t)v, j + (size_t)c), X[v][c] * inverse[c]);
      lb_store(at(m, j + (size_t)c, row + (size_t)v), X[v][c]);
    }
  }
}

static void factor_vector(const Matrices *m) {
  lbLanes l[4][4], inverse[4];
  size_t j = 0;
  for (; j + 4 <= m->n; j += 4) {
    factor_diagonal(m, j, 4, l, inverse);
    size_t row = j + 4;
    for (; row + 2 <= m->n; row += 2) factor_rows(m, row, j, 2, l, inverse);
    if (row < m->n) factor_rows(m, row, j, 1, l, inverse);
  }
  if (m->n - j == 3) factor_diagonal(m, j, 3, l, inverse);
  if (m->n - j == 2) factor_diagonal(m, j, 2, l, inverse);
  if (m->n - j == 1) factor_diagonal(m, j, 1, l, inverse);
}

static uint32_t factor_ldlt_batch(int32_t n, int32_t count, const double *a, double *factors) {
  uint32_t refused = 0;
  LB_ASSERT(count >= 1 && count <= LB_BATCH);
  for (int32_t lane = 0; lane < count; lane += LB_LANES) {
    double bad[LB_LANES] = { 0 };
    const Matrices m = { (size_t)n, factors + lane, a + lane, bad };
    factor_vector(&m);
    for (int32_t i = 0; i < LB_LANES && lane + i < count; i++)
      if (bad[i] != 0) refused |= UINT32_C(1) << (lane + i);
  }
  return refused;
}

// b[begin..end) -= M(begin..end, j..j+columns) x
INLINE void subtract_columns(const double *f, size_t n, size_t j, const int columns,
                             const lbLanes x[4], size_t begin, size_t end, double *b) {
  for (size_t i = begin; i < end; i++) {
    lbLanes sum = lb_load(b + LB_BATCH * i);
    LB_FOR (c, 0, columns)
      sum = lb_multiply_subtract(lb_load(f + LB_BATCH * (i + n * (j + (size_t)c))), x[c], sum);
    lb_store(b + LB_BATCH * i, sum);
  }
}

// Columns j.. of L y = b.
INLINE void solve_down(const double *f, size_t n, size_t j, const int columns, double *b) {
  const double *diagonal = f + LB_BATCH * (n + 1) * j;
  lbLanes x[4];
  LB_FOR (c, 0, columns) x[c] = lb_load(b + LB_BATCH * (j + (size_t)c));
  LB_FOR (c, 0, columns)
    LB_FOR (i, c + 1, columns)
      x[i] = lb_multiply_subtract(lb_load(diagonal + LB_BATCH * (n * (size_t)c + (size_t)i)), x[c],
                                  x[i]);
  LB_FOR (c, 0, columns) lb_store(b + LB_BATCH * (j + (size_t)c), x[c]);
  subtract_columns(f, n, j, columns, x, j + (size_t)columns, n, b);
}

// Columns j.. of D L^T x = y, those after them done.
INLINE void solve_up(const double *f, size_t n, size_t j, const int columns, double *b) {
  const double *diagonal = f + LB_BATCH * (n + 1) * j;
  lbLanes x[4];
  LB_FOR (c, 0, columns) x[c] = lb_load(b + LB_BATCH * (j + (size_t)c));
  LB_FOR (step, 0, columns) {
    const int c = columns - 1 - step;
    const double *column = diagonal + LB_BATCH * n * (size_t)c;
    x[c] *= lb_splat(1) / lb_load(column + LB_BATCH * c);
    LB_FOR (i, 0, c) x[i] = lb_multiply_subtract(lb_load(column + LB_BATCH * i), x[c], x[i]);
  }
  LB_FOR (c, 0, columns) lb_store(b + LB_BATCH * (j + (size_t)c), x[c]);
  subtract_columns(f, n, j, columns, x, 0, j, b);
}

static void solve_ldlt_batch(int32_t unknowns, int32_t count, const double *factors,
                             double *right) {
  const size_t n = (size_t)unknowns, whole = n / 4 * 4, rest = n - whole;
  LB_ASSERT(count >= 1 && count <= LB_BATCH);
  for (int32_t lane = 0; lane < count; lane += LB_LANES) {
    const double *f = factors + lane;
    double *b = right + lane;
    for (size_t j = 0; j < whole; j += 4) solve_down(f, n, j, 4, b);
    if (rest == 3) solve_down(f, n, whole, 3, b), solve_up(f, n, whole, 3, b);
    if (rest == 2) solve_down(f, n, whole, 2, b), solve_up(f, n, whole, 2, b);
    if (rest == 1) solve_down(f, n, whole, 1, b), solve_up(f, n, whole, 1, b);
    for (size_t j = whole; j > 0; j -= 4) solve_up(f, n, j - 4, 4, b);
  }
}

LB_KERNEL_TABLE(lbLdltCrowdKernels, lb_ldlt_crowd_kernels) = { factor_ldlt_batch,
                                                               solve_ldlt_batch };
