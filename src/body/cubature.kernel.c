// Displacements, reduced forces and reduced tangents over rows of a basis; see
// body/cubature_kernels.h. Rows are read from the first to the last for displacements and from the
// last to the first for forces: those that are still in the cache come first.
#include "body/cubature_kernels.h"

#include "math/four.h"

extern const lbCubatureKernels LB_KERNEL(lb_cubature_kernels);

#define INLINE LB_FOUR_INLINE

enum { CHUNK = 3 * LB_CUBATURE_NODES, WIDE = 3 }; // rows at a time; vectors of a tile

static const double *row_of(const lbCubatureRows *rows, size_t row) {
  return rows->rows + row * (size_t)rows->stride;
}

// ---- displacements -----------------------------------------------------------------------------

// Dot products of `some` rows with each of the vectors; some vectors <= 12 sums run side by side.
INLINE void displace_some(const double *U, size_t stride, const int some, const int vectors,
                          const double *q, size_t apart, double *u) {
  lbFour sums[CHUNK];
  LB_FOR (i, 0, some * vectors) sums[i] = lb_four_splat(0);
  for (size_t k = 0; k < stride; k += 4) {
    lbFour Q[2];
    LB_FOR (v, 0, vectors) Q[v] = lb_four_load(q + stride * (size_t)v + k);
    LB_FOR (r, 0, some) {
      const lbFour row = lb_four_load(U + stride * (size_t)r + k);
      LB_FOR (v, 0, vectors)
        sums[some * v + r] = lb_four_multiply_add(row, Q[v], sums[some * v + r]);
    }
  }
  LB_FOR (v, 0, vectors)
    LB_FOR (r, 0, some) u[apart * (size_t)v + (size_t)r] = lb_four_sum(sums[some * v + r]);
}

static void displace(const lbCubatureRows *rows, int32_t vectors, const double *q, double *u) {
  const size_t count = 3 * (size_t)rows->node_count, stride = (size_t)rows->stride;
  if (vectors == 1)
    for (size_t r = 0; r < count; r += CHUNK)
      displace_some(row_of(rows, r), stride, CHUNK, 1, q, count, u + r);
  else
    for (size_t r = 0; r < count; r += CHUNK / 2)
      displace_some(row_of(rows, r), stride, CHUNK / 2, 2, q, count, u + r);
}

// ---- forces ------------------------------------------------------------------------------------

INLINE void collect_chunk(const double *U, size_t stride, const int vectors, const double *f,
                          size_t apart, double *R) {
  LB_FOR (v, 0, vectors) {
    lbFour F[CHUNK];
    double *to = R + stride * (size_t)v;
    LB_FOR (r, 0, CHUNK) F[r] = lb_four_splat(f[apart * (size_t)v + (size_t)r]);
    for (size_t k = 0; k < stride; k += 4) {
      lbFour sum = lb_four_load(to + k);
      LB_FOR (r, 0, CHUNK)
        sum = lb_four_multiply_add(F[r], lb_four_load(U + stride * (size_t)r + k), sum);
      lb_four_store(to + k, sum);
    }
  }
}

static void collect(const lbCubatureRows *rows, int32_t vectors, const double *f, double *R) {
  const size_t count = 3 * (size_t)rows->node_count, stride = (size_t)rows->stride;
  memset(R, 0, (size_t)vectors * stride * sizeof *R);
  for (size_t r = count; r > 0;) {
    r -= CHUNK;
    if (vectors == 1)
      collect_chunk(row_of(rows, r), stride, 1, f + r, count, R);
    else
      collect_chunk(row_of(rows, r), stride, 2, f + r, count, R);
  }
}

// ---- tangents ----------------------------------------------------------------------------------

// Y (3 x stride) <- B U, the rows of node i.
static void spread(const lbCubatureRows *rows, const lbCubaturePairs *pairs, const double *blocks,
                   int32_t i, double *Y) {
  const size_t stride = (size_t)rows->stride;
  memset(Y, 0, 3 * stride * sizeof *Y);
  for (int32_t e = pairs->begin[i]; e < pairs->begin[i + 1]; e++) {
    const double *U = row_of(rows, 3 * (size_t)pairs->nodes[e]);
    const int32_t number = pairs->blocks[e];
    const double *block = blocks + 9 * (size_t)(number < 0 ? ~number : number);
    lbFour B[9];
    LB_FOR (a, 0, 3)
      LB_FOR (b, 0, 3) B[3 * a + b] = lb_four_splat(block[number < 0 ? 3 * b + a : 3 * a + b]);
    for (size_t k = 0; k < stride; k += 4) {
      lbFour x[3];
      LB_FOR (b, 0, 3) x[b] = lb_four_load(U + stride * (size_t)b + k);
      LB_FOR (a, 0, 3) {
        lbFour sum = lb_four_load(Y + stride * (size_t)a + k);
        LB_FOR (b, 0, 3) sum = lb_four_multiply_add(B[3 * a + b], x[b], sum);
        lb_four_store(Y + stride * (size_t)a + k, sum);
      }
    }
  }
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
    for (; k < l + 4; k += 4) add_tile(U, Y, stride, l, k, 1, K);
  }
}

static void mirror(size_t stride, double *K) {
  for (size_t l = 0; l < stride; l++)
    for (size_t k = 0; k < l; k++) K[stride * k + l] = K[stride * l + k];
}

static void project(const lbCubatureRows *rows, const lbCubaturePairs *pairs, const double *blocks,
                    double *K, double *work) {
  const size_t stride = (size_t)rows->stride;
  memset(K, 0, stride * stride * sizeof *K);
  for (int32_t i = 0; i < rows->node_count; i += LB_CUBATURE_NODES) {
    for (int32_t n = 0; n < LB_CUBATURE_NODES; n++)
      spread(rows, pairs, blocks, i + n, work + 3 * stride * (size_t)n);
    add_chunk(row_of(rows, 3 * (size_t)i), work, stride, K);
  }
  mirror(stride, K);
}

const lbCubatureKernels LB_KERNEL(lb_cubature_kernels) = { displace, collect, project };
