// Displacements, reduced forces and reduced tangents over rows of a basis; see
// method/cubature/cubature_kernels.h. Rows are read from the first to the last for displacements
// and from the last to the first for forces: those that are still in the cache come first.
#include "method/cubature/cubature_kernels.h"

#include "math/eight.h"
#include "math/four.h"

#define INLINE LB_FOUR_INLINE

// Rows at a time; vectors of a tile; rows at a time of rough tangents.
enum { CHUNK = 3 * LB_CUBATURE_NODES, WIDE = 3, ROUGH_CHUNK = 3 * LB_CUBATURE_NODES_ROUGH };

// ---- rows --------------------------------------------------------------------------------------

// Coordinates k to k + 3 of a row, as doubles or as floats: `single` is a constant where this is
// called.
INLINE lbFour load_row(const lbCubatureRows *rows, const bool single, size_t row, size_t k) {
  const size_t at = row * (size_t)rows->stride + k;
  return single ? lb_four_load_single(rows->single + at) : lb_four_load(rows->rows + at);
}

// ---- displacements -----------------------------------------------------------------------------

// Dot products of `some` rows with each of the vectors; some vectors <= 12 sums run side by side.
INLINE void displace_some(const lbCubatureRows *rows, const bool single, size_t row, const int some,
                          const int vectors, const double *q, double *u) {
  const size_t stride = (size_t)rows->stride, apart = 3 * (size_t)rows->node_count;
  lbFour sums[CHUNK];
  LB_FOR (i, 0, some * vectors) sums[i] = lb_four_splat(0);
  for (size_t k = 0; k < stride; k += 4) {
    lbFour Q[2];
    LB_FOR (v, 0, vectors) Q[v] = lb_four_load(q + stride * (size_t)v + k);
    LB_FOR (r, 0, some) {
      const lbFour U = load_row(rows, single, row + (size_t)r, k);
      LB_FOR (v, 0, vectors) sums[some * v + r] = lb_four_multiply_add(U, Q[v], sums[some * v + r]);
    }
  }
  LB_FOR (v, 0, vectors)
    LB_FOR (r, 0, some) u[apart * (size_t)v + row + (size_t)r] = lb_four_sum(sums[some * v + r]);
}

INLINE void displace_rows(const lbCubatureRows *rows, const bool single, int32_t vectors,
                          const double *q, double *u) {
  const size_t count = 3 * (size_t)rows->node_count;
  if (vectors == 1)
    for (size_t row = 0; row < count; row += CHUNK)
      displace_some(rows, single, row, CHUNK, 1, q, u);
  else
    for (size_t row = 0; row < count; row += CHUNK / 2)
      displace_some(rows, single, row, CHUNK / 2, 2, q, u);
}

static void displace_cubature_rows(const lbCubatureRows *rows, int32_t vectors, const double *q,
                                   double *u) {
  if (rows->single)
    displace_rows(rows, true, vectors, q, u);
  else
    displace_rows(rows, false, vectors, q, u);
}

// ---- forces ------------------------------------------------------------------------------------

// R <- R + U^T f over `some` rows; some vectors <= 12.
INLINE void collect_some(const lbCubatureRows *rows, const bool single, size_t row, const int some,
                         const int vectors, const double *f, double *R) {
  const size_t stride = (size_t)rows->stride, apart = 3 * (size_t)rows->node_count;
  lbFour F[CHUNK];
  LB_FOR (v, 0, vectors)
    LB_FOR (r, 0, some) F[some * v + r] = lb_four_splat(f[apart * (size_t)v + row + (size_t)r]);
  for (size_t k = 0; k < stride; k += 4) {
    lbFour sums[2];
    LB_FOR (v, 0, vectors) sums[v] = lb_four_load(R + stride * (size_t)v + k);
    LB_FOR (r, 0, some) {
      const lbFour U = load_row(rows, single, row + (size_t)r, k);
      LB_FOR (v, 0, vectors) sums[v] = lb_four_multiply_add(F[some * v + r], U, sums[v]);
    }
    LB_FOR (v, 0, vectors) lb_four_store(R + stride * (size_t)v + k, sums[v]);
  }
}

INLINE void collect_rows(const lbCubatureRows *rows, const bool single, int32_t vectors,
                         const double *f, double *R) {
  const size_t count = 3 * (size_t)rows->node_count;
  memset(R, 0, (size_t)vectors * (size_t)rows->stride * sizeof *R);
  if (vectors == 1)
    for (size_t row = count; row > 0; row -= CHUNK)
      collect_some(rows, single, row - CHUNK, CHUNK, 1, f, R);
  else
    for (size_t row = count; row > 0; row -= CHUNK / 2)
      collect_some(rows, single, row - CHUNK / 2, CHUNK / 2, 2, f, R);
}

static void collect_cubature_rows(const lbCubatureRows *rows, int32_t vectors, const double *f,
                                  double *R) {
  if (rows->single)
    collect_rows(rows, true, vectors, f, R);
  else
    collect_rows(rows, false, vectors, f, R);
}

// ---- tangents ----------------------------------------------------------------------------------

// Y (3 x stride) <- B U, the rows of node i.
INLINE void spread_rows(const lbCubatureRows *rows, const bool single, const lbCubaturePairs *pairs,
                        const double *blocks, int32_t i, double *Y) {
  const size_t stride = (size_t)rows->stride;
  memset(Y, 0, 3 * stride * sizeof *Y);
  for (int32_t e = pairs->begin[i]; e < pairs->begin[i + 1]; e++) {
    const size_t row = 3 * (size_t)pairs->nodes[e];
    const int32_t number = pairs->blocks[e];
    const double *block = blocks + 9 * (size_t)(number < 0 ? ~number : number);
    lbFour B[9];
    LB_FOR (a, 0, 3)
      LB_FOR (b, 0, 3) B[3 * a + b] = lb_four_splat(block[number < 0 ? 3 * b + a : 3 * a + b]);
    for (size_t k = 0; k < stride; k += 4) {
      lbFour x[3];
      LB_FOR (b, 0, 3) x[b] = load_row(rows, single, row + (size_t)b, k);
      LB_FOR (a, 0, 3) {
        lbFour sum = lb_four_load(Y + stride * (size_t)a + k);
        LB_FOR (b, 0, 3) sum = lb_four_multiply_add(B[3 * a + b], x[b], sum);
        lb_four_store(Y + stride * (size_t)a + k, sum);
      }
    }
  }
}

static void spread_cubature_rows(const lbCubatureRows *rows, const lbCubaturePairs *pairs,
                                 const double *blocks, int32_t i, double *Y) {
  if (rows->single)
    spread_rows(rows, true, pairs, blocks, i, Y);
  else
    spread_rows(rows, false, pairs, blocks, i, Y);
}

// Four rows l of K, 4 `wide` entries from k on: K_lk += sum over a chunk of U_l Y_k.
INLINE void add_tile(const double *U, const double *Y, size_t stride, size_t l, size_t k,
                     const int wide, double *K) {
  lbFour sums[4][WIDE];
  LB_FOR (i, 0, 4)
    LB_FOR (w, 0, wide) sums[i][w] = lb_four_load(K + stride * (l + (size_t)i) + k + 4 * w);
  for (size_t r = 0; r < CHUNK; r++) {
    lbFour y[WIDE];
    LB_FOR (w, 0, wide) y[w] = lb_four_load(Y + stride * r + k + 4 * w);
    LB_FOR (i, 0, 4) {
      const lbFour u = lb_four_splat(U[stride * r + l + (size_t)i]);
      LB_FOR (w, 0, wide) sums[i][w] = lb_four_multiply_add(u, y[w], sums[i][w]);
    }
  }
  LB_FOR (i, 0, 4)
    LB_FOR (w, 0, wide) lb_four_store(K + stride * (l + (size_t)i) + k + 4 * w, sums[i][w]);
}

// The lower triangle, with whole tiles on the diagonal.
static void add_chunk(const double *U, const double *Y, size_t stride, double *K) {
  for (size_t l = 0; l < stride; l += 4) {
    size_t k = 0;
    for (; k + 4 * WIDE <= l + 4; k += 4 * WIDE) add_tile(U, Y, stride, l, k, WIDE, K);
    if (k + 8 == l + 4) add_tile(U, Y, stride, l, k, 2, K);
    if (k + 4 == l + 4) add_tile(U, Y, stride, l, k, 1, K);
  }
}

static void mirror(size_t stride, double *K) {
  for (size_t l = 0; l < stride; l++)
    for (size_t k = 0; k < l; k++) K[stride * k + l] = K[stride * l + k];
}

// The rows of a chunk as doubles: those of the basis themselves, or copies in `copy`.
static const double *chunk_rows(const lbCubatureRows *rows, size_t row, double *copy) {
  const size_t stride = (size_t)rows->stride;
  if (!rows->single) return rows->rows + row * stride;
  for (size_t i = 0; i < CHUNK * stride; i += 4)
    lb_four_store(copy + i, lb_four_load_single(rows->single + row * stride + i));
  return copy;
}

static void project_cubature_rows(const lbCubatureRows *rows, const lbCubaturePairs *pairs,
                                  const double *blocks, double *K, double *work) {
  const size_t stride = (size_t)rows->stride;
  double *copy = work + CHUNK * stride;
  memset(K, 0, stride * stride * sizeof *K);
  for (int32_t i = 0; i < rows->node_count; i += LB_CUBATURE_NODES) {
    for (int32_t n = 0; n < LB_CUBATURE_NODES; n++)
      spread_cubature_rows(rows, pairs, blocks, i + n, work + 3 * stride * (size_t)n);
    add_chunk(chunk_rows(rows, 3 * (size_t)i, copy), work, stride, K);
  }
  mirror(stride, K);
}

// ---- rough tangents ----------------------------------------------------------------------------

// The same in floats but for Y, where large terms cancel: strides are rounded up to eight.

INLINE void add_rough_tile(const float *U, const float *Y, size_t stride, size_t count, size_t l,
                           size_t k, const int wide, float *K) {
  lbEight sums[4][WIDE];
  LB_FOR (i, 0, 4)
    LB_FOR (w, 0, wide) sums[i][w] = lb_eight_load(K + stride * (l + (size_t)i) + k + 8 * w);
  for (size_t r = 0; r < count; r++) {
    lbEight y[WIDE];
    LB_FOR (w, 0, wide) y[w] = lb_eight_load(Y + stride * r + k + 8 * w);
    LB_FOR (i, 0, 4) {
      const lbEight u = lb_eight_splat(U[stride * r + l + (size_t)i]);
      LB_FOR (w, 0, wide) sums[i][w] = lb_eight_multiply_add(u, y[w], sums[i][w]);
    }
  }
  LB_FOR (i, 0, 4)
    LB_FOR (w, 0, wide) lb_eight_store(K + stride * (l + (size_t)i) + k + 8 * w, sums[i][w]);
}

static void add_rough_chunk(const float *U, const float *Y, size_t stride, size_t count, float *K) {
  for (size_t l = 0; l < stride; l += 4) {
    size_t k = 0;
    for (; k + 8 * (WIDE - 1) < l + 4; k += 8 * WIDE)
      add_rough_tile(U, Y, stride, count, l, k, WIDE, K);
    if (k + 8 < l + 4)
      add_rough_tile(U, Y, stride, count, l, k, 2, K);
    else if (k < l + 4)
      add_rough_tile(U, Y, stride, count, l, k, 1, K);
  }
}

// U and Y (3 x `to`) of node i as floats.
static void round_node(const lbCubatureRows *rows, int32_t i, const double *exact, size_t to,
                       float *U, float *Y) {
  const size_t stride = (size_t)rows->stride;
  for (size_t r = 0; r < 3; r++)
    for (size_t k = 0; k < stride; k += 4) {
      const size_t row = 3 * (size_t)i + r;
      const lbFour u = rows->single ? load_row(rows, true, row, k) : load_row(rows, false, row, k);
      lb_four_store_single(U + to * r + k, u);
      lb_four_store_single(Y + to * r + k, lb_four_load(exact + stride * r + k));
    }
}

static void project_rough(const lbCubatureRows *rows, const lbCubaturePairs *pairs,
                          const double *blocks, double *K, double *work) {
  const size_t stride = (size_t)rows->stride, wide = (stride + 7) / 8 * 8;
  float *U = (float *)(work + 3 * stride), *Y = U + ROUGH_CHUNK * wide,
        *sum = Y + ROUGH_CHUNK * wide;
  memset(U, 0, (2 * ROUGH_CHUNK + wide) * wide * sizeof *U);
  for (int32_t i = 0; i < rows->node_count;) {
    size_t count = 0;
    for (; count < ROUGH_CHUNK && i < rows->node_count; count += 3, i++) {
      spread_cubature_rows(rows, pairs, blocks, i, work);
      round_node(rows, i, work, wide, U + count * wide, Y + count * wide);
    }
    add_rough_chunk(U, Y, wide, count, sum);
  }
  for (size_t l = 0; l < stride; l++)
    for (size_t k = 0; k <= l; k++) K[stride * l + k] = (double)sum[wide * l + k];
  mirror(stride, K);
}

LB_KERNEL_TABLE(lbCubatureKernels, lb_cubature_kernels) = { displace_cubature_rows,
                                                            collect_cubature_rows,
                                                            project_cubature_rows, project_rough };
