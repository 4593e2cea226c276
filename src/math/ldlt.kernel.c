// L D L^T, left-looking, four columns at a time, lanes along the rows; see math/ldlt.h.
//
// With U = D L^T, kept above the diagonal: for a block of four columns J,
//   X = A(:,J) - L(:,<J) U(<J,J)   (rows from J on, in registers, four or eight of them at a time)
// is L(:,J) D L(J,J)^T: its 4x4 rows J give L(J,J) and D, by which the rows below are divided.
//
// math/ldlt_crowd.kernel.c does the same for several matrices, in the same order of operations:
// what changes here must change there.
#include "math/ldlt.h"

#include "math/four.h"

#include <float.h>

// The 4x4 block on the diagonal: l_ba for b > a, and the inverse pivots.
typedef struct Block {
  double l[4][4], inverse[4];
} Block;

// Padding: rows and columns of the identity.
static void fill_padding(int32_t n, size_t stride, double *a) {
  for (size_t i = (size_t)n; i < stride; i++) {
    for (size_t j = 0; j < i; j++) a[i + stride * j] = 0;
    a[i + stride * i] = 1;
  }
}

// X -= L(rows,<j) U(<j,J) for 4 `vectors` rows; X[v][c], column j + c.
LB_FOUR_INLINE void update(const double *a, size_t stride, size_t row, size_t j, const int vectors,
                           lbFour X[][4]) {
  const double *U = a + stride * j;
  LB_FOR (v, 0, vectors)
    LB_FOR (c, 0, 4) X[v][c] = lb_four_load(a + stride * (j + (size_t)c) + row + 4 * v);
  for (size_t k = 0; k < j; k++) {
    lbFour L[2];
    LB_FOR (v, 0, vectors) L[v] = lb_four_load(a + stride * k + row + 4 * v);
    LB_FOR (c, 0, 4) {
      lbFour u = lb_four_splat(U[stride * (size_t)c + k]);
      LB_FOR (v, 0, vectors) X[v][c] = lb_four_multiply_subtract(L[v], u, X[v][c]);
    }
  }
}

// |a_jj| + Σ_k |d_k| l_jk² for the four rows j: what their pivots are computed from.
LB_FOUR_INLINE lbFour pivot_sizes(const double *a, size_t stride, size_t j) {
  lbFour size;
  for (int c = 0; c < 4; c++) size[c] = fabs(a[(stride + 1) * (j + (size_t)c)]);
  for (size_t k = 0; k < j; k++) {
    lbFour L = lb_four_load(a + stride * k + j), d = lb_four_splat(fabs(a[(stride + 1) * k]));
    size = lb_four_multiply_add(L * L, d, size);
  }
  return size;
}

// Factors the diagonal block and writes it back: L and D as they are, D L^T above.
static bool factor_block(double *a, size_t stride, size_t j, int32_t n, Block *block) {
  double x[4][4]; // x[c][i]: column c
  lbFour X[1][4], sizes = pivot_sizes(a, stride, j);
  update(a, stride, j, j, 1, X);
  LB_FOR (c, 0, 4) lb_four_store(x[c], X[0][c]);
  for (int c = 0; c < 4; c++) {
    double size = sizes[c], pivot = x[c][c];
    for (int b = 0; b < c; b++) {
      size += fabs(block->l[c][b] * x[b][c]);
      pivot = lb_multiply_subtract_one(block->l[c][b], x[b][c], pivot);
      for (int i = c + 1; i < 4; i++)
        x[c][i] = lb_multiply_subtract_one(x[b][i], block->l[c][b], x[c][i]);
    }
    if (!(fabs(pivot) > n * DBL_EPSILON * size) || !(fabs(pivot) <= DBL_MAX)) return false;
    block->inverse[c] = 1 / pivot;
    double *column = a + stride * (j + (size_t)c) + j;
    column[c] = pivot;
    for (int i = c + 1; i < 4; i++) {
      block->l[i][c] = x[c][i] * block->inverse[c];
      column[i] = block->l[i][c];
      a[stride * (j + (size_t)i) + j + (size_t)c] = x[c][i];
    }
  }
  return true;
}

// Rows below the diagonal block.
LB_FOUR_INLINE void factor_rows(double *a, size_t stride, size_t row, size_t j, const int vectors,
                                const Block *block) {
  lbFour X[2][4];
  update(a, stride, row, j, vectors, X);
  LB_FOR (v, 0, vectors) {
    LB_FOR (c, 1, 4)
      LB_FOR (b, 0, c)
        X[v][c] = lb_four_multiply_subtract(X[v][b], lb_four_splat(block->l[c][b]), X[v][c]);
    LB_FOR (c, 0, 4)
      lb_four_store(a + stride * (j + (size_t)c) + row + 4 * v, X[v][c] * block->inverse[c]);
    lb_four_turn(X[v], X[v]);
    LB_FOR (i, 0, 4) lb_four_store(a + stride * (row + (size_t)(4 * v + i)) + j, X[v][i]);
  }
}

static bool factor_ldlt(int32_t n, double *a) {
  const size_t stride = (size_t)lb_ldlt_padded(n);
  fill_padding(n, stride, a);
  for (size_t j = 0; j < stride; j += 4) {
    Block block;
    if (!factor_block(a, stride, j, n, &block)) return false;
    size_t row = j + 4;
    for (; row + 8 <= stride; row += 8) factor_rows(a, stride, row, j, 2, &block);
    if (row < stride) factor_rows(a, stride, row, j, 1, &block);
  }
  return true;
}

// b[begin..end) -= M(begin..end, j..j+4) x; M column-major.
LB_FOUR_INLINE void subtract_columns(const double *M, size_t stride, size_t j, const double x[4],
                                     size_t begin, size_t end, double *b) {
  lbFour X[4];
  LB_FOR (c, 0, 4) X[c] = lb_four_splat(x[c]);
  for (size_t i = begin; i < end; i += 4) {
    lbFour sum = lb_four_load(b + i);
    LB_FOR (c, 0, 4)
      sum = lb_four_multiply_subtract(lb_four_load(M + stride * (j + (size_t)c) + i), X[c], sum);
    lb_four_store(b + i, sum);
  }
}

static void solve_ldlt(int32_t n, const double *a, double *b) {
  const size_t stride = (size_t)lb_ldlt_padded(n);
  for (size_t i = (size_t)n; i < stride; i++) b[i] = 0;
  for (size_t j = 0; j < stride; j += 4) { // L y = b
    const double *diagonal = a + (stride + 1) * j;
    double x[4];
    LB_FOR (c, 0, 4) x[c] = b[j + (size_t)c];
    LB_FOR (c, 0, 4)
      LB_FOR (i, c + 1, 4)
        x[i] = lb_multiply_subtract_one(diagonal[stride * (size_t)c + (size_t)i], x[c], x[i]);
    LB_FOR (c, 0, 4) b[j + (size_t)c] = x[c];
    subtract_columns(a, stride, j, x, j + 4, stride, b);
  }
  for (size_t j = stride; j > 0;) { // D L^T x = y
    j -= 4;
    const double *diagonal = a + (stride + 1) * j;
    double x[4], inverse[4];
    LB_FOR (c, 0, 4)
      inverse[c] =
          1 / diagonal[(stride + 1) * (size_t)c]; // early, since divisions have a long latency
    LB_FOR (c, 0, 4) x[c] = b[j + (size_t)c];
    LB_FOR (back, 0, 4) {
      const int c = 3 - back;
      x[c] *= inverse[c];
      LB_FOR (i, 0, c)
        x[i] = lb_multiply_subtract_one(diagonal[stride * (size_t)c + (size_t)i], x[c], x[i]);
    }
    LB_FOR (c, 0, 4) b[j + (size_t)c] = x[c];
    subtract_columns(a, stride, j, x, 0, j, b);
  }
}

LB_KERNEL_TABLE(lbLdltKernels, lb_ldlt_kernels) = { factor_ldlt, solve_ldlt };
