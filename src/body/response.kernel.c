// Products and solves of many columns; see body/response_kernels.h.
#include "body/response_kernels.h"

#include "math/four.h"
#include "math/ldlt.h"

// s <- sums of rows k to k + 3 and columns l to l + 7
LB_FOUR_INLINE void sum_block(int32_t width, size_t stride, const double *rows, const double *moved,
                              lbFour s[4][2]) {
  LB_FOR (a, 0, 4)
    LB_FOR (b, 0, 2) s[a][b] = lb_four_splat(0);
  for (int32_t i = 0; i < width; i++, rows += stride, moved += stride) {
    const lbFour low = lb_four_load(moved), high = lb_four_load(moved + 4);
    LB_FOR (a, 0, 4) {
      const lbFour row = lb_four_splat(rows[a]);
      s[a][0] = lb_four_multiply_add(row, low, s[a][0]);
      s[a][1] = lb_four_multiply_add(row, high, s[a][1]);
    }
  }
}

LB_FOUR_INLINE void add_four(double *to, lbFour by) { lb_four_store(to, lb_four_load(to) + by); }

// A block that is all above the diagonal, and its mirror image below.
LB_FOUR_INLINE void add_inside(size_t count, size_t k, size_t l, const lbFour s[4][2],
                               double *matrix) {
  LB_FOR (b, 0, 2) {
    lbFour turned[4] = { s[0][b], s[1][b], s[2][b], s[3][b] };
    const size_t column = l + 4 * (size_t)b;
    LB_FOR (a, 0, 4) add_four(matrix + (k + (size_t)a) * count + column, turned[a]);
    lb_four_turn(turned, turned);
    LB_FOR (a, 0, 4) add_four(matrix + (column + (size_t)a) * count + k, turned[a]);
  }
}

// One across the diagonal, or across the end of the matrix.
static void add_across(size_t count, size_t k, size_t l, const lbFour s[4][2], double *matrix) {
  for (size_t i = k; i < k + 4 && i < count; i++)
    for (size_t j = l > i ? l : i; j < l + 8 && j < count; j++) {
      const double by = s[i - k][(j - l) / 4][(j - l) % 4];
      matrix[i * count + j] += by;
      if (i != j) matrix[j * count + i] += by;
    }
}

static void add_product(int32_t width, int32_t n, const double *rows, const double *moved,
                        double *matrix) {
  const size_t count = (size_t)n, stride = lb_touch_stride(n);
  for (size_t k = 0; k < count; k += 4)
    for (size_t l = k / 8 * 8; l < count; l += 8) {
      lbFour s[4][2];
      sum_block(width, stride, rows + k, moved + l, s);
      if (l >= k + 4 && l + 8 <= count)
        add_inside(count, k, l, (const lbFour(*)[2])s, matrix);
      else
        add_across(count, k, l, (const lbFour(*)[2])s, matrix);
    }
}

static void turn(int32_t height, int32_t n, const double *from, size_t width, double *to) {
  const size_t stride = lb_touch_stride(n), rows = (size_t)height, columns = (size_t)n;
  for (size_t k = 0; k < columns; k += 4) {
    const size_t most = columns - k < 4 ? columns - k : 4;
    size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
      lbFour block[4];
      LB_FOR (r, 0, 4) block[r] = lb_four_load(from + (i + (size_t)r) * stride + k);
      lb_four_turn(block, block);
      LB_FOR (r, 0, 4)
        if ((size_t)r < most) lb_four_store(to + (k + (size_t)r) * width + i, block[r]);
    }
    for (; i < rows; i++)
      for (size_t r = 0; r < most; r++) to[(k + r) * width + i] = from[i * stride + k + r];
  }
}

// s <- sums of three rows times three others.
LB_FOUR_INLINE void sum_three(size_t width, const double *rows, const double *moved,
                              double s[3][3]) {
  lbFour sums[3][3];
  LB_FOR (a, 0, 3)
    LB_FOR (b, 0, 3) sums[a][b] = lb_four_splat(0);
  for (size_t i = 0; i < width; i += 4)
    LB_FOR (b, 0, 3) {
      const lbFour by = lb_four_load(moved + (size_t)b * width + i);
      LB_FOR (a, 0, 3)
        sums[a][b] =
            lb_four_multiply_add(lb_four_load(rows + (size_t)a * width + i), by, sums[a][b]);
    }
  LB_FOR (a, 0, 3)
    LB_FOR (b, 0, 3) s[a][b] = lb_four_sum(sums[a][b]);
}

static void find_product(size_t width, const double *rows, const double *moved, int32_t count,
                         const int32_t *places, double *matrix) {
  const size_t n = 3 * (size_t)count, size = 3 * width;
  for (size_t k = 0; k < (size_t)count; k++)
    for (size_t l = k; l < (size_t)count; l++) {
      double s[3][3];
      sum_three(width, rows + (size_t)places[k] * size, moved + (size_t)places[l] * size, s);
      LB_FOR (a, 0, 3)
        LB_FOR (b, 0, 3) {
          matrix[(3 * k + (size_t)a) * n + 3 * l + (size_t)b] = s[a][b];
          matrix[(3 * l + (size_t)b) * n + 3 * k + (size_t)a] = s[a][b];
        }
    }
}

static void sum_moved(size_t width, const double *moved, int32_t count, const int32_t *places,
                      const double *x, double *sum) {
  for (size_t i = 0; i < width; i += 4) lb_four_store(sum + i, lb_four_splat(0));
  for (int32_t j = 0; j < count; j++, x += 3) {
    const double *own = moved + 3 * (size_t)places[j] * width;
    for (size_t i = 0; i < width; i += 4) {
      lbFour now = lb_four_load(sum + i);
      LB_FOR (a, 0, 3)
        now = lb_four_multiply_add(lb_four_splat(x[a]), lb_four_load(own + (size_t)a * width + i),
                                   now);
      lb_four_store(sum + i, now);
    }
  }
}

static void shift(size_t width, int32_t count, const double *rows, const double *sum,
                  double *shifts) {
  for (int32_t j = 0; j < count; j++, rows += 3 * width) {
    lbFour by = lb_four_splat(0);
    for (size_t i = 0; i < width; i += 4)
      by = lb_four_multiply_add(lb_four_load(rows + i), lb_four_load(sum + i), by);
    shifts[j] = lb_four_sum(by);
  }
}

// L D Lᵀ x = b of eight columns.
LB_FOUR_INLINE void solve_eight(int32_t count, const double *factors, size_t stride, double *x) {
  const size_t n = (size_t)count, height = (size_t)lb_ldlt_padded(count);
  for (size_t j = 0; j < n; j++) {
    const double *L = factors + height * j;
    const lbFour low = lb_four_load(x + j * stride), high = lb_four_load(x + j * stride + 4);
    for (size_t i = j + 1; i < n; i++) {
      double *to = x + i * stride;
      const lbFour l = lb_four_splat(L[i]);
      lb_four_store(to, lb_four_multiply_subtract(l, low, lb_four_load(to)));
      lb_four_store(to + 4, lb_four_multiply_subtract(l, high, lb_four_load(to + 4)));
    }
  }
  for (size_t j = n; j-- > 0;) {
    const double *L = factors + height * j;
    const lbFour inverse = lb_four_splat(1 / L[j]);
    lbFour low = inverse * lb_four_load(x + j * stride);
    lbFour high = inverse * lb_four_load(x + j * stride + 4);
    for (size_t i = j + 1; i < n; i++) {
      const lbFour l = lb_four_splat(L[i]);
      low = lb_four_multiply_subtract(l, lb_four_load(x + i * stride), low);
      high = lb_four_multiply_subtract(l, lb_four_load(x + i * stride + 4), high);
    }
    lb_four_store(x + j * stride, low);
    lb_four_store(x + j * stride + 4, high);
  }
}

static void solve(int32_t count, const double *factors, int32_t n, double *x) {
  const size_t stride = lb_touch_stride(n);
  for (size_t k = 0; k < stride; k += 8) solve_eight(count, factors, stride, x + k);
}

static void blend(size_t width, int count, const double *const *corners, const double *weights,
                  double *to) {
  for (size_t i = 0; i < 3 * width; i += 4) {
    lbFour sum = lb_four_splat(0);
    for (int c = 0; c < count; c++)
      sum = lb_four_multiply_add(lb_four_splat(weights[c]), lb_four_load(corners[c] + i), sum);
    lb_four_store(to + i, sum);
  }
}

static void align(size_t width, const double *rows, const double axes[9], size_t stride,
                  double *to) {
  for (size_t i = 0; i < width; i += 4) {
    const lbFour x = lb_four_load(rows + i), y = lb_four_load(rows + width + i);
    const lbFour z = lb_four_load(rows + 2 * width + i);
    LB_FOR (k, 0, 3) {
      lbFour sum = lb_four_splat(axes[3 * k]) * x;
      sum = lb_four_multiply_add(lb_four_splat(axes[3 * k + 1]), y, sum);
      sum = lb_four_multiply_add(lb_four_splat(axes[3 * k + 2]), z, sum);
      lb_four_store(to + (size_t)k * stride + i, sum);
    }
  }
}

static void turn_back(int32_t height, int32_t n, const double *from, size_t width, double *to) {
  const size_t stride = lb_touch_stride(n), rows = (size_t)height, columns = (size_t)n;
  for (size_t k = 0; k < stride; k += 4)
    for (size_t i = 0; i < rows; i += 4) {
      lbFour block[4];
      LB_FOR (r, 0, 4)
        block[r] = k + (size_t)r < columns ? lb_four_load(from + (k + (size_t)r) * width + i)
                                           : lb_four_splat(0);
      lb_four_turn(block, block);
      LB_FOR (r, 0, 4)
        if (i + (size_t)r < rows) lb_four_store(to + (i + (size_t)r) * stride + k, block[r]);
    }
}

static void displace(int32_t count, int32_t dimension, const double *rows, const double *q,
                     double *moves) {
  const size_t n = (size_t)dimension, width = (n + 3) / 4 * 4;
  for (int32_t v = 0; v < count; v++, rows += 3 * width, moves += 3) {
    const double *x = rows, *y = x + width, *z = y + width;
    lbFour sums[3] = { lb_four_splat(0), lb_four_splat(0), lb_four_splat(0) };
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      const lbFour by = lb_four_load(q + i);
      sums[0] = lb_four_multiply_add(by, lb_four_load(x + i), sums[0]);
      sums[1] = lb_four_multiply_add(by, lb_four_load(y + i), sums[1]);
      sums[2] = lb_four_multiply_add(by, lb_four_load(z + i), sums[2]);
    }
    LB_FOR (k, 0, 3) moves[k] = lb_four_sum(sums[k]);
    for (; i < n; i++) {
      moves[0] = lb_multiply_add_one(q[i], x[i], moves[0]);
      moves[1] = lb_multiply_add_one(q[i], y[i], moves[1]);
      moves[2] = lb_multiply_add_one(q[i], z[i], moves[2]);
    }
  }
}

static void add_line(int32_t dimension, const double *rows, const double force[3], double *line) {
  const size_t n = (size_t)dimension, width = (n + 3) / 4 * 4;
  const double *x = rows, *y = x + width, *z = y + width;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    lbFour sum =
        lb_four_multiply_add(lb_four_splat(force[0]), lb_four_load(x + i), lb_four_load(line + i));
    sum = lb_four_multiply_add(lb_four_splat(force[1]), lb_four_load(y + i), sum);
    sum = lb_four_multiply_add(lb_four_splat(force[2]), lb_four_load(z + i), sum);
    lb_four_store(line + i, sum);
  }
  for (; i < n; i++) {
    line[i] = lb_multiply_add_one(force[0], x[i], line[i]);
    line[i] = lb_multiply_add_one(force[1], y[i], line[i]);
    line[i] = lb_multiply_add_one(force[2], z[i], line[i]);
  }
}

static void bound(int32_t dimension, const double *by, const double *motions, double *way) {
  lbFour sum = lb_four_splat(0), other = sum;
  double last = 0, last_other = 0;
  int32_t i = 0;
  for (; i + 2 <= dimension; i += 2, motions += 8) {
    sum = lb_four_multiply_add(lb_four_load_one(by + i), lb_four_load(motions), sum);
    other = lb_four_multiply_add(lb_four_load_one(by + i + 1), lb_four_load(motions + 4), other);
    last += fabs(by[i]) * motions[3];
    last_other += fabs(by[i + 1]) * motions[7];
  }
  if (i < dimension) {
    sum = lb_four_multiply_add(lb_four_load_one(by + i), lb_four_load(motions), sum);
    last += fabs(by[i]) * motions[3];
  }
  lb_four_store(way, sum + other);
  way[3] = last + last_other;
}

LB_KERNEL_TABLE(lbTouchKernels, lb_touch_kernels) = { add_product,  turn,      turn_back,
                                                      find_product, sum_moved, shift,
                                                      blend,        align,     displace,
                                                      add_line,     solve,     bound };
