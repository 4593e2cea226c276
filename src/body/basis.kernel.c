// u = U q for ranges of rows; see body/basis.h. All sums are written with lb_multiply_add, so that
// a row has the same bits whatever the range.
#include "body/basis.h"

// Rows at a time, so that their u stays in the first cache while columns stream by; and columns at
// a time, each a stream of its own.
enum { ROW_BLOCK = 2048, COLUMN_GROUP = 8, FEW_ROWS = 128, TILE = 8 };

// u + U q of one vector of rows; `columns` is a constant.
static inline lbLanes add_columns(lbLanes u, const double *U, size_t stride, const lbLanes *q,
                                  const int columns) {
  LB_FOR (j, 0, columns) u = lb_multiply_add(lb_load(U + stride * (size_t)j), q[j], u);
  return u;
}

static inline void add_columns_to_rows(const double *U, size_t stride, int32_t rows,
                                       const double *factors, double *u, const int columns) {
  lbLanes q[COLUMN_GROUP];
  LB_FOR (j, 0, columns) q[j] = lb_splat(factors[j]);
  int32_t i = 0;
  for (; i + LB_LANES <= rows; i += LB_LANES)
    lb_store(u + i, add_columns(lb_load(u + i), U + i, stride, q, columns));
  size_t rest = (size_t)(rows - i);
  if (rest == 0) return;
  double from[COLUMN_GROUP * LB_LANES] = { 0 }, to[LB_LANES] = { 0 };
  for (int j = 0; j < columns; j++)
    memcpy(from + j * LB_LANES, U + (size_t)i + stride * (size_t)j, rest * sizeof *U);
  memcpy(to, u + i, rest * sizeof *u);
  lb_store(to, add_columns(lb_load(to), from, LB_LANES, q, columns));
  memcpy(u + i, to, rest * sizeof *u);
}

// u = U q of so many whole vectors of rows, which stay in registers; `vectors` is a constant.
static inline void apply_to_vectors(const double *U, size_t stride, int32_t column_count,
                                    const double *q, double *u, const int vectors) {
  lbLanes sums[TILE];
  LB_FOR (i, 0, vectors) sums[i] = lb_splat(0);
  for (int32_t j = 0; j < column_count; j++, U += stride) {
    lbLanes factor = lb_splat(q[j]);
    LB_FOR (i, 0, vectors) sums[i] = lb_multiply_add(lb_load(U + i * LB_LANES), factor, sums[i]);
  }
  LB_FOR (i, 0, vectors) lb_store(u + i * LB_LANES, sums[i]);
}

// Few rows, in whole vectors; the sums are those of many rows.
static void apply_to_few(const double *U, size_t stride, int32_t column_count, int32_t begin,
                         int32_t end, const double *q, double *u) {
  int32_t i = begin;
  for (; i + TILE * LB_LANES <= end; i += TILE * LB_LANES)
    apply_to_vectors(U + i, stride, column_count, q, u + i, TILE);
  for (; i + 2 * LB_LANES <= end; i += 2 * LB_LANES)
    apply_to_vectors(U + i, stride, column_count, q, u + i, 2);
  for (; i < end; i += LB_LANES) apply_to_vectors(U + i, stride, column_count, q, u + i, 1);
}

static void apply_basis(const double *U, size_t stride, int32_t column_count, int32_t begin,
                        int32_t end, const double *q, double *u) {
  if (end - begin <= FEW_ROWS && (end - begin) % LB_LANES == 0) {
    apply_to_few(U, stride, column_count, begin, end, q, u);
    return;
  }
  for (int32_t row = begin, rows; row < end; row += rows) {
    int32_t j = 0;
    rows = end - row < ROW_BLOCK ? end - row : ROW_BLOCK;
    memset(u + row, 0, (size_t)rows * sizeof *u);
    const double *at = U + row;
    for (; j + COLUMN_GROUP <= column_count; j += COLUMN_GROUP)
      add_columns_to_rows(at + stride * (size_t)j, stride, rows, q + j, u + row, COLUMN_GROUP);
    for (; j + 2 <= column_count; j += 2)
      add_columns_to_rows(at + stride * (size_t)j, stride, rows, q + j, u + row, 2);
    if (j < column_count)
      add_columns_to_rows(at + stride * (size_t)j, stride, rows, q + j, u + row, 1);
  }
}

LB_KERNEL_TABLE(lbBasisKernels, lb_basis_kernels) = { apply_basis };
