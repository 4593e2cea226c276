// Tiles of products, small triangles, products with vectors, rotations of columns.
#include "linalg/own/kernels.h"

#include "math/four.h"

#define LB_INLINE static inline __attribute__((always_inline))

// Vectors of a tile: registers hold it, a line of A and a value of B.
#if LB_LANES == 8
enum { PIECES = 3, COLUMNS = 8 };
#elif LB_LANES == 4
enum { PIECES = 3, COLUMNS = 4 };
#elif LB_LANES == 2
enum { PIECES = 2, COLUMNS = 4 };
#else
enum { PIECES = 4, COLUMNS = 4 };
#endif
enum { GROUP = 4 }; // rows of a triangle that are solved together

#define REAL float
#define NAME(x) x##_single
#define VECTOR_REALS (LB_LANES == 1 ? 1 : 2 * LB_LANES)
#define ROOT sqrtf
#include "linalg/own/dense_loops.inc"
#undef REAL
#undef NAME
#undef VECTOR_REALS
#undef ROOT

#define REAL double
#define NAME(x) x##_double
#define VECTOR_REALS LB_LANES
#define ROOT sqrt
#include "linalg/own/dense_loops.inc"

// ---- products with vectors ---------------------------------------------------------------------

static void add_panel_product(int32_t rows, int32_t columns, double alpha, const double *A,
                              size_t stride, const double *x, double *y) {
  int32_t j = 0;
  for (; j + 4 <= columns; j += 4) {
    const double *a = A + (size_t)j * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    double xa = alpha * x[j], xb = alpha * x[j + 1], xc = alpha * x[j + 2], xd = alpha * x[j + 3];
    int32_t i = 0;
    for (; i + 4 <= rows; i += 4) {
      lbFour sum =
          lb_four_multiply_add(lb_four_load(a + i), lb_four_splat(xa), lb_four_load(y + i));
      sum = lb_four_multiply_add(lb_four_load(b + i), lb_four_splat(xb), sum);
      sum = lb_four_multiply_add(lb_four_load(c + i), lb_four_splat(xc), sum);
      lb_four_store(y + i, lb_four_multiply_add(lb_four_load(d + i), lb_four_splat(xd), sum));
    }
    for (; i < rows; i++)
      y[i] = lb_multiply_add_one(
          d[i], xd,
          lb_multiply_add_one(c[i], xc,
                              lb_multiply_add_one(b[i], xb, lb_multiply_add_one(a[i], xa, y[i]))));
  }
  for (; j < columns; j++) {
    const double *a = A + (size_t)j * stride;
    double xa = alpha * x[j];
    int32_t i = 0;
    for (; i + 4 <= rows; i += 4)
      lb_four_store(
          y + i, lb_four_multiply_add(lb_four_load(a + i), lb_four_splat(xa), lb_four_load(y + i)));
    for (; i < rows; i++) y[i] = lb_multiply_add_one(a[i], xa, y[i]);
  }
}

// Products of `count` columns with x.
LB_INLINE void add_dots(int count, int32_t rows, double alpha, const double *A, size_t stride,
                        const double *x, double *y) {
  lbFour even[4], odd[4];
  double rest[4] = { 0 };
  LB_FOR (j, 0, count) even[j] = odd[j] = lb_four_splat(0);
  int32_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    lbFour xe = lb_four_load(x + i), xo = lb_four_load(x + i + 4);
    LB_FOR (j, 0, count) {
      const double *a = A + (size_t)j * stride + i;
      even[j] = lb_four_multiply_add(lb_four_load(a), xe, even[j]);
      odd[j] = lb_four_multiply_add(lb_four_load(a + 4), xo, odd[j]);
    }
  }
  for (; i < rows; i++)
    LB_FOR (j, 0, count)
      rest[j] = lb_multiply_add_one(A[(size_t)j * stride + (size_t)i], x[i], rest[j]);
  LB_FOR (j, 0, count)
    y[j] = lb_multiply_add_one(alpha, lb_four_sum(even[j] + odd[j]) + rest[j], y[j]);
}

static void add_turned_product(int32_t rows, int32_t columns, double alpha, const double *A,
                               size_t stride, const double *x, double *y) {
  int32_t j = 0;
  for (; j + 4 <= columns; j += 4)
    add_dots(4, rows, alpha, A + (size_t)j * stride, stride, x, y + j);
  for (; j < columns; j++) add_dots(1, rows, alpha, A + (size_t)j * stride, stride, x, y + j);
}

// `count` columns from the diagonal down, each also as a row.
LB_INLINE void add_columns_and_rows(int count, size_t size, double alpha, const double *A,
                                    size_t stride, const double *x, double *y) {
  lbFour sums[4];
  double scaled[4], rest[4] = { 0 };
  LB_FOR (c, 0, count) {
    scaled[c] = alpha * x[c];
    sums[c] = lb_four_splat(0);
  }
  LB_FOR (c, 0, count) {
    const double *a = A + (size_t)c * stride;
    y[c] = lb_multiply_add_one(a[c], scaled[c], y[c]);
    LB_FOR (i, c + 1, count) {
      y[i] = lb_multiply_add_one(a[i], scaled[c], y[i]);
      rest[c] = lb_multiply_add_one(a[i], x[i], rest[c]);
    }
  }
  size_t i = (size_t)count;
  for (; i + 4 <= size; i += 4) {
    lbFour xi = lb_four_load(x + i), yi = lb_four_load(y + i);
    LB_FOR (c, 0, count) {
      lbFour a = lb_four_load(A + (size_t)c * stride + i);
      yi = lb_four_multiply_add(a, lb_four_splat(scaled[c]), yi);
      sums[c] = lb_four_multiply_add(a, xi, sums[c]);
    }
    lb_four_store(y + i, yi);
  }
  for (; i < size; i++)
    LB_FOR (c, 0, count) {
      double a = A[(size_t)c * stride + i];
      y[i] = lb_multiply_add_one(a, scaled[c], y[i]);
      rest[c] = lb_multiply_add_one(a, x[i], rest[c]);
    }
  LB_FOR (c, 0, count) y[c] = lb_multiply_add_one(alpha, lb_four_sum(sums[c]) + rest[c], y[c]);
}

static void add_symmetric_product(int32_t size, double alpha, const double *A, size_t stride,
                                  const double *x, double *y) {
  size_t j = 0, n = (size_t)size;
  for (; j + 4 <= n; j += 4)
    add_columns_and_rows(4, n - j, alpha, A + j * stride + j, stride, x + j, y + j);
  for (; j < n; j++)
    add_columns_and_rows(1, n - j, alpha, A + j * stride + j, stride, x + j, y + j);
}

// ---- rotations ---------------------------------------------------------------------------------

// `pieces` vectors of rows through all rotations; the column that two of them share stays in
// registers.
LB_INLINE void rotate_rows(bool up, int pieces, int32_t count, const lbOwnRotation *rotations,
                           double *Z, size_t stride) {
  lbLanes shared[4];
  double *column = Z + (up ? 0 : (size_t)count * stride);
  LB_FOR (p, 0, pieces) shared[p] = lb_load(column + p * LB_LANES);
  for (int32_t n = 0; n < count; n++) {
    int32_t i = up ? n : count - 1 - n;
    lbLanes c = lb_splat(rotations[i].c), s = lb_splat(rotations[i].s);
    double *next = up ? column + stride : column - stride;
    LB_FOR (p, 0, pieces) {
      lbLanes other = lb_load(next + p * LB_LANES);
      if (up) {
        lb_store(column + p * LB_LANES, lb_multiply_add(s, other, c * shared[p]));
        shared[p] = lb_multiply_subtract(s, shared[p], c * other);
      } else {
        lb_store(column + p * LB_LANES, lb_multiply_subtract(s, other, c * shared[p]));
        shared[p] = lb_multiply_add(s, shared[p], c * other);
      }
    }
    column = next;
  }
  LB_FOR (p, 0, pieces) lb_store(column + p * LB_LANES, shared[p]);
}

LB_INLINE void rotate(bool up, int32_t rows, int32_t count, const lbOwnRotation *rotations,
                      double *Z, size_t stride) {
  int32_t r = 0;
  for (; r + 4 * LB_LANES <= rows; r += 4 * LB_LANES)
    rotate_rows(up, 4, count, rotations, Z + r, stride);
  for (; r + LB_LANES <= rows; r += LB_LANES) rotate_rows(up, 1, count, rotations, Z + r, stride);
  for (; r < rows; r++)
    for (int32_t n = 0; n < count; n++) {
      int32_t i = up ? n : count - 1 - n;
      double *low = Z + (size_t)i * stride + r, *high = low + stride, x = *low, y = *high;
      double c = rotations[i].c, s = rotations[i].s;
      *low = lb_multiply_add_one(s, y, c * x);
      *high = lb_multiply_subtract_one(s, x, c * y);
    }
}

static void rotate_up(int32_t rows, int32_t count, const lbOwnRotation *rotations, double *Z,
                      size_t stride) {
  rotate(true, rows, count, rotations, Z, stride);
}

static void rotate_down(int32_t rows, int32_t count, const lbOwnRotation *rotations, double *Z,
                        size_t stride) {
  rotate(false, rows, count, rotations, Z, stride);
}

#define TABLE(real)                                                                                \
  {                                                                                                \
    ROWS_##real, COLUMNS, pack_turned_##real, pack_##real, unpack_turned_##real, unpack_##real,    \
        tile_##real, forward_##real, backward_##real, cholesky_##real                              \
  }

LB_KERNEL_TABLE(lbOwnKernels, lb_own_kernels) = {
  .singles = TABLE(single),
  .doubles = TABLE(double),
  .add_product = add_panel_product,
  .add_turned_product = add_turned_product,
  .add_symmetric_product = add_symmetric_product,
  .rotate_up = rotate_up,
  .rotate_down = rotate_down,
};
