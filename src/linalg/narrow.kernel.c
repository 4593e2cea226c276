// Products with LB_NARROW columns: vectors across these, or along the rows.
#include "linalg/narrow.h"

#include "math/four.h"

#define LB_INLINE static inline __attribute__((always_inline))

enum {
  WIDTH = LB_NARROW,
  PIECES = WIDTH / LB_LANES,
  GROUP = LB_LANES, // columns of A that are summed up in registers
  STRETCH = 128,    // of a sum
  BLOCK = 512,      // rows that stay in the cache while columns of A are gone through
  STRIP = 256,      // the same where B changes
  LINES = 8         // columns of A at a time there
};

static void pack_narrow_rows(int32_t rows, size_t stride, const double *B, double *P) {
  size_t i = 0, n = (size_t)rows;
  for (; i + 4 <= n; i += 4)
    LB_FOR (half, 0, WIDTH / 4) {
      lbFour lines[4];
      LB_FOR (c, 0, 4) lines[c] = lb_four_load(B + (size_t)(4 * half + c) * stride + i);
      lb_four_turn(lines, lines);
      LB_FOR (k, 0, 4) lb_four_store(P + (i + (size_t)k) * WIDTH + 4 * half, lines[k]);
    }
  for (; i < n; i++)
    for (size_t c = 0; c < WIDTH; c++) P[i * WIDTH + c] = B[c * stride + i];
}

// One stretch of `count` columns of A.
LB_INLINE void gather_stretch(int count, size_t rows, size_t stride, const double *A,
                              const double *P, double *C) {
  lbLanes sums[GROUP][PIECES];
  LB_FOR_ALL(j, 0, GROUP)
  LB_FOR_ALL(p, 0, PIECES) sums[j][p] = lb_splat(0);
  for (size_t i = 0; i < rows; i++) {
    lbLanes row[PIECES];
    LB_FOR_ALL(p, 0, PIECES) row[p] = lb_load(P + i * WIDTH + (size_t)(p * LB_LANES));
    LB_FOR (j, 0, count) {
      lbLanes a = lb_splat(A[(size_t)j * stride + i]);
      LB_FOR_ALL(p, 0, PIECES) sums[j][p] = lb_multiply_add(a, row[p], sums[j][p]);
    }
  }
  LB_FOR (j, 0, count) LB_FOR_ALL(p, 0, PIECES) {
      double *c = C + (size_t)(j * WIDTH + p * LB_LANES);
      lb_store(c, lb_load(c) + sums[j][p]);
    }
}

static void gather_narrow_group(size_t rows, size_t stride, const double *A, const double *P,
                                double *C) {
  for (size_t i = 0; i < rows; i += STRETCH)
    gather_stretch(GROUP, rows - i < STRETCH ? rows - i : STRETCH, stride, A + i, P + i * WIDTH, C);
}

static void gather_one(size_t rows, size_t stride, const double *A, const double *P, double *C) {
  for (size_t i = 0; i < rows; i += STRETCH)
    gather_stretch(1, rows - i < STRETCH ? rows - i : STRETCH, stride, A + i, P + i * WIDTH, C);
}

static void gather_products(int32_t rows, int32_t columns, size_t stride, const double *A,
                            const double *P, double *C) {
  for (size_t begin = 0; begin < (size_t)rows; begin += BLOCK) {
    size_t here = (size_t)rows - begin < BLOCK ? (size_t)rows - begin : BLOCK;
    const double *from = A + begin, *with = P + begin * WIDTH;
    int32_t j = 0;
    for (; j + GROUP <= columns; j += GROUP)
      gather_narrow_group(here, stride, from + (size_t)j * stride, with, C + (size_t)j * WIDTH);
    for (; j < columns; j++)
      gather_one(here, stride, from + (size_t)j * stride, with, C + (size_t)j * WIDTH);
  }
}

// S += A C over some columns of A; S (WIDTH x STRIP).
LB_INLINE void add_lines(size_t lines, size_t rows, size_t stride, const double *A, const double *C,
                         double *S) {
  size_t i = 0;
  for (; i + LB_LANES <= rows; i += LB_LANES) {
    lbLanes sums[WIDTH];
    LB_FOR_ALL(c, 0, WIDTH) sums[c] = lb_load(S + (size_t)(c * STRIP) + i);
    for (size_t l = 0; l < lines; l++) {
      lbLanes a = lb_load(A + l * stride + i);
      LB_FOR_ALL(c, 0, WIDTH)
      sums[c] = lb_multiply_add(a, lb_splat(C[l * WIDTH + (size_t)c]), sums[c]);
    }
    LB_FOR_ALL(c, 0, WIDTH) lb_store(S + (size_t)(c * STRIP) + i, sums[c]);
  }
  for (; i < rows; i++)
    for (size_t l = 0; l < lines; l++)
      for (size_t c = 0; c < WIDTH; c++)
        S[c * STRIP + i] =
            lb_multiply_add_one(A[l * stride + i], C[l * WIDTH + c], S[c * STRIP + i]);
}

static void subtract_strip(size_t rows, size_t columns, size_t stride, const double *A,
                           const double *C, double *B) {
  _Alignas(64) double S[WIDTH * STRIP];
  memset(S, 0, sizeof S);
  size_t l = 0;
  for (; l + LINES <= columns; l += LINES)
    add_lines(LINES, rows, stride, A + l * stride, C + l * WIDTH, S);
  add_lines(columns - l, rows, stride, A + l * stride, C + l * WIDTH, S);
  for (size_t c = 0; c < WIDTH; c++)
    for (size_t i = 0; i < rows; i++) B[c * stride + i] -= S[c * STRIP + i];
}

static void subtract_narrow_products(int32_t rows, int32_t columns, size_t stride, const double *A,
                                     const double *C, double *B) {
  for (size_t begin = 0; begin < (size_t)rows; begin += STRIP) {
    size_t here = (size_t)rows - begin < STRIP ? (size_t)rows - begin : STRIP;
    for (size_t l = 0; l < (size_t)columns; l += STRETCH)
      subtract_strip(here, (size_t)columns - l < STRETCH ? (size_t)columns - l : STRETCH, stride,
                     A + l * stride + begin, C + l * WIDTH, B + begin);
  }
}

LB_KERNEL_TABLE(lbNarrowKernels, lb_narrow_kernels) = { pack_narrow_rows, gather_products,
                                                        subtract_narrow_products };
