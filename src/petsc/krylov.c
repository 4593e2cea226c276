// OP V = V T + Q B, Vᵀ M V = 1, Vᵀ M Q = 0: Q is what the next step multiplies. Every new block is
// projected on all of V explicitly, so that T needs no recurrence and a restart keeps Ritz vectors
// alone. |B y| is the residual of a Ritz pair (θ, V y).
#include "petsc/krylov.h"

#include "linalg/dense.h"
#include "petsc/factor.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 10, RESTARTS_MOST = 60 };
static const double TOLERANCE = 1e-9; // of θ
// A column that keeps less of its length is in the basis; a direction of a block of unit columns
// with less of a square is in the others.
static const double LOST_LENGTH = 1e-13, DEPENDENT = 1e-12;

typedef struct Space {
  lbParts *parts;
  size_t rows; // of this rank
  int32_t capacity, m, pending, wanted;
  double *V;      // (rows x capacity + BLOCK): the basis, then Q
  double *W, *MW; // (rows x BLOCK); between steps MW = M Q
  double *T;      // (capacity x capacity)
  double *B;      // (BLOCK x BLOCK): of the last block of V
  double *theta, *Y, *residuals;
} Space;

static int32_t choose_capacity(int32_t count) { return 3 * count + 12 * BLOCK; }

bool lb_krylov_fits(const lbParts *parts, int32_t count) {
  return 3 * (int64_t)parts->node_count >= 4 * (int64_t)choose_capacity(count);
}

void lb_rows_product(size_t rows, int32_t m, int32_t n, const double *X, const double *Y,
                     double *G) {
  size_t count = (size_t)m * (size_t)n;
  memset(G, 0, count * sizeof *G);
  if (rows > 0) lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, m, n, (int32_t)rows, 1, X, Y, 0, G);
  lb_ranks_sum(G, count);
}

void lb_rows_add(size_t rows, int32_t n, int32_t m, double a, const double *Y, const double *C,
                 double *X) {
  if (rows > 0) lb_dense_multiply(LB_PLAIN, LB_PLAIN, (int32_t)rows, n, m, a, Y, C, 1, X);
}

// X (rows x n) <- X C; C (n x kept).
static void combine_krylov_vectors(size_t rows, int32_t n, int32_t kept, const double *C,
                                   double *X) {
  double *copy = lb_ranks_alloc(rows * (size_t)n + 1, sizeof *copy);
  memcpy(copy, X, rows * (size_t)n * sizeof *copy);
  memset(X, 0, rows * (size_t)kept * sizeof *X);
  lb_rows_add(rows, kept, n, 1, copy, C, X);
  lb_free(copy);
}

// ---- blocks ------------------------------------------------------------------------------------

// The same numbers for any number of ranks.
static double random_of(uint64_t row, uint64_t column) {
  uint64_t x =
      (row + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (column + 1) * UINT64_C(0xD1B54A32D192ED03);
  x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
  return (double)((x ^ x >> 31) >> 11) / 4503599627370496.0 - 1;
}

// Subtracts from W its projection on the first `basis` columns of V, adding it to C (basis x
// width). MW = M W before and after.
static void project_out_krylov(Space *s, int32_t basis, int32_t width, double *C) {
  size_t count = (size_t)basis * (size_t)width;
  if (basis == 0) return;
  double *taken = lb_ranks_alloc(count, sizeof *taken);
  lb_rows_product(s->rows, basis, width, s->V, s->MW, taken);
  lb_rows_add(s->rows, width, basis, -1, s->V, taken, s->W);
  for (size_t i = 0; i < count && C; i++) C[i] += taken[i];
  lb_parts_multiply(s->parts, s->parts->M, width, s->W, s->MW);
  lb_free(taken);
}

static void column_lengths(const Space *s, int32_t width, double *lengths) {
  for (int32_t c = 0; c < width; c++) {
    const double *w = s->W + s->rows * (size_t)c, *mw = s->MW + s->rows * (size_t)c;
    lengths[c] = 0;
    for (size_t i = 0; i < s->rows; i++) lengths[c] += w[i] * mw[i];
  }
  lb_ranks_sum(lengths, (size_t)width);
  for (int32_t c = 0; c < width; c++) lengths[c] = sqrt(fmax(lengths[c], 0));
}

// W = Q R with R (width x width; the first rows, as many as Q has columns): directions that depend
// on others are left out. lengths: what columns had before the basis was taken out. *kept: the
// width of Q, which W begins with.
static lbStatus orthonormalise_block(Space *s, int32_t width, const double *lengths, double *R,
                                     int32_t *kept, lbError *err) {
  size_t n = (size_t)width;
  double G[BLOCK * BLOCK], values[BLOCK], turn[BLOCK * BLOCK] = { 0 }, left[BLOCK], scale[BLOCK];
  lbStatus status = LB_OK;
  column_lengths(s, width, left);
  lb_rows_product(s->rows, width, width, s->W, s->MW, G);
  for (size_t i = 0; i < n; i++) scale[i] = left[i] > LOST_LENGTH * lengths[i] ? 1 / left[i] : 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i <= j; i++)
      G[n * j + i] = G[n * i + j] = 0.5 * (G[n * j + i] + G[n * i + j]) * scale[i] * scale[j];
  if (lb_ranks_rank() == 0) status = lb_dense_eigen(width, G, values, err);
  status = lb_ranks_agree(status, err);
  lb_ranks_broadcast(G, sizeof G);
  lb_ranks_broadcast(values, sizeof values);
  *kept = 0;
  for (size_t k = n; k-- > 0 && !status;) { // W D U Λ^-1/2 is orthonormal, and W = Q Λ^1/2 Uᵀ D⁻¹
    if (!(values[k] > DEPENDENT)) continue;
    double length = sqrt(values[k]);
    for (size_t i = 0; i < n; i++) {
      turn[n * (size_t)*kept + i] = scale[i] * G[n * k + i] / length;
      R[n * i + (size_t)*kept] = scale[i] > 0 ? length * G[n * k + i] * left[i] : 0;
    }
    ++*kept;
  }
  combine_krylov_vectors(s->rows, width, *kept, turn, s->W);
  combine_krylov_vectors(s->rows, width, *kept, turn, s->MW);
  return status;
}

// Makes W an orthonormal block Q behind the basis; before: W = V C + Q B.
static lbStatus take_krylov_block(Space *s, int32_t basis, int32_t width, double *C, lbError *err) {
  double lengths[BLOCK], R[BLOCK * BLOCK] = { 0 }, again[BLOCK * BLOCK] = { 0 };
  int32_t first = 0, kept = 0;
  lb_parts_multiply(s->parts, s->parts->M, width, s->W, s->MW);
  column_lengths(s, width, lengths);
  project_out_krylov(s, basis, width, C);
  lbStatus status = orthonormalise_block(s, width, lengths, R, &first, err);
  if (!status && first > 0) { // a second time, against rounding
    for (int32_t c = 0; c < first; c++) lengths[c] = 1;
    project_out_krylov(s, basis, first, NULL);
    status = orthonormalise_block(s, first, lengths, again, &kept, err);
  }
  memset(s->B, 0, sizeof(double) * BLOCK * BLOCK);
  for (size_t c = 0; c < (size_t)width; c++)
    for (size_t k = 0; k < (size_t)kept; k++)
      for (size_t j = 0; j < (size_t)first; j++)
        s->B[BLOCK * c + k] += again[(size_t)first * j + k] * R[(size_t)width * c + j];
  memcpy(s->V + s->rows * (size_t)basis, s->W, s->rows * (size_t)kept * sizeof(double));
  s->pending = kept;
  return status;
}

// ---- the iteration -----------------------------------------------------------------------------

static lbStatus begin_krylov_space(Space *s, uint64_t first, lbError *err) {
  for (size_t c = 0; c < BLOCK; c++)
    for (size_t i = 0; i < s->rows; i++) {
      // rows are numbered by rank, so a node's position seeds it alike on any number of ranks
      const double *x = s->parts->places + 3 * (i / 3);
      uint64_t bits[3];
      memcpy(bits, x, sizeof bits);
      uint64_t key = bits[0] * 31 + bits[1] * 1009 + bits[2] * 100003 + i % 3;
      s->W[s->rows * c + i] = random_of(key, first + c);
    }
  return take_krylov_block(s, s->m, BLOCK, NULL, err);
}

static lbStatus take_krylov_step(Space *s, lbError *err) {
  int32_t width = s->pending, basis = s->m + width;
  size_t n = (size_t)basis, ld = (size_t)s->capacity;
  double *C = lb_ranks_alloc(n * (size_t)width + 1, sizeof *C);
  lb_factor_solve(s->parts->factor, width, s->MW, s->W);
  lbStatus status = take_krylov_block(s, basis, width, C, err);
  for (size_t c = 0; c < (size_t)width && !status; c++)
    for (size_t i = 0; i < n; i++) {
      size_t j = (size_t)s->m + c;
      double value = C[n * c + i];
      if (i >= (size_t)s->m) value = 0.5 * (value + C[n * (i - (size_t)s->m) + j]);
      s->T[ld * j + i] = s->T[ld * i + j] = value;
    }
  s->m = basis;
  lb_free(C);
  return status;
}

// Ritz pairs, largest first; `last` columns of V came last.
static lbStatus find_krylov_pairs(Space *s, int32_t last, lbError *err) {
  size_t m = (size_t)s->m, ld = (size_t)s->capacity;
  for (size_t j = 0; j < m; j++) memcpy(s->Y + m * j, s->T + ld * j, m * sizeof(double));
  lbStatus status = LB_OK;
  if (lb_ranks_rank() == 0) status = lb_dense_eigen(s->m, s->Y, s->theta, err);
  status = lb_ranks_agree(status, err);
  if (status) return status;
  lb_ranks_broadcast(s->Y, m * m * sizeof(double));
  lb_ranks_broadcast(s->theta, m * sizeof(double));
  for (size_t a = 0, b = m - 1; a < b; a++, b--) { // descending
    double value = s->theta[a];
    s->theta[a] = s->theta[b];
    s->theta[b] = value;
    for (size_t i = 0; i < m; i++) {
      value = s->Y[m * a + i];
      s->Y[m * a + i] = s->Y[m * b + i];
      s->Y[m * b + i] = value;
    }
  }
  for (size_t j = 0; j < m; j++) {
    double square = 0;
    for (size_t k = 0; k < (size_t)s->pending; k++) {
      double sum = 0;
      for (size_t c = 0; c < (size_t)last; c++)
        sum += s->B[BLOCK * c + k] * s->Y[m * j + m - (size_t)last + c];
      square += sum * sum;
    }
    s->residuals[j] = sqrt(square);
  }
  return LB_OK;
}

static int32_t count_krylov_converged(const Space *s) {
  int32_t count = 0;
  while (count < s->wanted && count < s->m && s->residuals[count] <= TOLERANCE * s->theta[count])
    count++;
  return count;
}

// Keeps the first Ritz vectors and Q.
static void restart_krylov(Space *s, int32_t keep) {
  size_t m = (size_t)s->m, ld = (size_t)s->capacity, rows = s->rows;
  double *Q = lb_ranks_alloc(rows * (size_t)s->pending + 1, sizeof *Q);
  memcpy(Q, s->V + rows * m, rows * (size_t)s->pending * sizeof *Q);
  combine_krylov_vectors(rows, s->m, keep, s->Y, s->V);
  memcpy(s->V + rows * (size_t)keep, Q, rows * (size_t)s->pending * sizeof *Q);
  memset(s->T, 0, ld * ld * sizeof *s->T);
  for (size_t i = 0; i < (size_t)keep; i++) s->T[ld * i + i] = s->theta[i];
  s->m = keep;
  lb_free(Q);
}

static lbStatus iterate_krylov(Space *s, lbError *err) {
  lbStatus status = begin_krylov_space(s, 0, err);
  for (int32_t restarts = 0; restarts < RESTARTS_MOST && !status;) {
    int32_t last = s->pending;
    if (last == 0)
      status = begin_krylov_space(s, (uint64_t)s->m, err); // the space is closed: look beside it
    last = s->pending;
    if (!status && last == 0) break; // nor is there anything
    if (!status) status = take_krylov_step(s, err);
    if (!status) status = find_krylov_pairs(s, last, err);
    if (status) return status;
    int32_t converged = count_krylov_converged(s);
    status = lb_ranks_progress("modes", 0.2 + 0.7 * fmin(1, (double)converged / s->wanted), err);
    if (status || converged == s->wanted) return status;
    if (s->m + 2 * BLOCK <= s->capacity) continue;
    restart_krylov(s, s->wanted + BLOCK);
    restarts++;
  }
  return status ? status
                : lb_fail(err, LB_ERR_NUMERIC, "modes: only %d of %d modes converged",
                          (int)count_krylov_converged(s), (int)s->wanted);
}

lbStatus lb_krylov_search(lbParts *parts, int32_t count, double *vectors, lbError *err) {
  Space s = { .parts = parts,
              .rows = 3 * (size_t)parts->own_count,
              .capacity = choose_capacity(count),
              .wanted = count };
  size_t capacity = (size_t)s.capacity;
  s.V = lb_ranks_alloc(s.rows * (capacity + BLOCK) + 1, sizeof(double));
  s.W = lb_ranks_alloc(s.rows * BLOCK + 1, sizeof(double));
  s.MW = lb_ranks_alloc(s.rows * BLOCK + 1, sizeof(double));
  s.T = lb_ranks_alloc(capacity * capacity, sizeof(double));
  s.Y = lb_ranks_alloc(capacity * capacity, sizeof(double));
  s.B = lb_ranks_alloc(BLOCK * BLOCK, sizeof(double));
  s.theta = lb_ranks_alloc(capacity, sizeof(double));
  s.residuals = lb_ranks_alloc(capacity, sizeof(double));
  lbStatus status = iterate_krylov(&s, err);
  memset(vectors, 0, s.rows * (size_t)count * sizeof *vectors);
  if (!status) lb_rows_add(s.rows, count, s.m, 1, s.V, s.Y, vectors);
  double *blocks[] = { s.V, s.W, s.MW, s.T, s.Y, s.B, s.theta, s.residuals };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  return status;
}
