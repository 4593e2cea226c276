// Block Lanczos with full reorthogonalisation in the M inner product and thick restart.
//
// A new block first loses what the Lanczos recurrence knows it to have of the basis, then, against
// rounding, whatever is left of the whole basis; a Cholesky factor of its Gram matrix follows
// either time. All of it is matrix-matrix work. Only a block that is (nearly) linearly dependent
// goes column by column; missing directions are replaced by random vectors.
#include "linalg/lanczos.h"

#include <math.h>
#include <string.h>

#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/narrow.h"
#include "linalg/product.h"

// A column that keeps less than this of its length against the basis counts as inside it.
static const double LOST_LENGTH = 1e-12;
// Smallest pivot of a unit-diagonal Gram matrix that the fast way accepts.
static const double LEAST_PIVOT = 1e-4;

// Relative tolerance of the solves of a search; its modes are refined by exact solves at the end.
static const double SOLVE_ERROR = 1e-10;

static double *column(const lbLanczos *space, double *block, int32_t index) {
  return block + (size_t)index * (size_t)space->size;
}

static double next_random(lbLanczos *space) {
  space->random = space->random * UINT64_C(2862933555777941757) + UINT64_C(3037000493);
  return (double)(space->random >> 11) / 4503599627370496.0 - 1;
}

static double dot_lanczos(int32_t size, const double *a, const double *b) {
  double sum = 0;
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, 1, 1, size, 1, a, b, 0, &sum);
  return sum;
}

static lbStatus fail_mass(lbError *err) {
  return lb_fail(err, LB_ERR_NUMERIC,
                 "modes: the mass matrix is not positive definite; a vertex without mass?");
}

// ---- orthonormal blocks ------------------------------------------------------------------------

// W -= V H with H = V' MW, over the first `basis` columns of V.
static void project_out_basis(lbLanczos *space, int32_t basis, int32_t width, double *W,
                              const double *MW, double *H) {
  lb_narrow_gather(space->size, basis, width, space->V, MW, space->product_work, H);
  lb_narrow_subtract(space->size, basis, width, space->V, H, space->product_work, W);
}

// R' R = W' MW, computed on columns scaled to unit length. False when it is too near to singular,
// or when a column has kept too little of its length.
static bool factor_gram(lbLanczos *space, int32_t width, const double *W, const double *MW,
                        const double *lengths, double *R) {
  size_t n = (size_t)width;
  double scale[2 * LB_LANCZOS_BLOCK];
  LB_ASSERT(width <= 2 * LB_LANCZOS_BLOCK);
  lb_narrow_gather(space->size, width, width, W, MW, space->product_work, R);
  for (size_t j = 0; j < n; j++) {
    scale[j] = sqrt(R[j * n + j]);
    if (!(scale[j] > 100 * LOST_LENGTH * lengths[j])) return false;
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) R[j * n + i] /= scale[i] * scale[j];
  if (lb_dense_cholesky(width, R, NULL)) return false;
  for (size_t j = 0; j < n; j++) {
    if (R[j * n + j] < LEAST_PIVOT) return false;
    for (size_t i = 0; i <= j; i++) R[j * n + i] *= scale[j];
  }
  return true;
}

// One column of the slow way: w against the basis and against the columns of its block before it,
// until its length stays. h (basis) and r (index) add up what was taken away.
static double strip_column(lbLanczos *space, int32_t basis, int32_t index, double *W, double *MW,
                           double *h, double *r, double *work) {
  double *w = column(space, W, index), *mw = column(space, MW, index);
  lb_sparse_multiply(space->M, w, mw);
  double before = sqrt(fmax(dot_lanczos(space->size, w, mw), 0));
  for (int pass = 0; pass < 4; pass++) {
    project_out_basis(space, basis, 1, w, mw, work);
    for (int32_t i = 0; h && i < basis; i++) h[i] += work[i];
    lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, index, 1, space->size, 1, W, mw, 0, work);
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, space->size, 1, index, -1, W, work, 1, w);
    for (int32_t i = 0; r && i < index; i++) r[i] += work[i];
    lb_sparse_multiply(space->M, w, mw);
    double after = sqrt(fmax(dot_lanczos(space->size, w, mw), 0));
    if (after > 0.5 * before) return after;
    before = after;
  }
  return before;
}

static lbStatus orthonormalise_columns(lbLanczos *space, int32_t basis, int32_t width, double *W,
                                       double *MW, const double *lengths, double *H, double *R,
                                       lbError *err) {
  size_t rows = (size_t)(basis > width ? basis : width);
  double *work = lb_alloc(rows, sizeof *work);
  if (!work) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  memset(R, 0, (size_t)width * (size_t)width * sizeof *R);
  for (int32_t c = 0; c < width && !status; c++) {
    double *w = column(space, W, c), *mw = column(space, MW, c), *r = R + (size_t)c * (size_t)width;
    double length = strip_column(space, basis, c, W, MW, H + (size_t)c * (size_t)basis, r, work);
    if (length > LOST_LENGTH * lengths[c]) {
      r[c] = length;
    } else { // inside the space: a random vector instead, which OP V does not contain
      for (int32_t i = 0; i < space->size; i++) w[i] = next_random(space);
      length = strip_column(space, basis, c, W, MW, NULL, NULL, work);
    }
    if (!(length > 0)) status = fail_mass(err);
    for (int32_t i = 0; i < space->size && !status; i++) w[i] /= length, mw[i] /= length;
  }
  lb_free(work);
  return status;
}

lbStatus lb_lanczos_orthonormalise(lbLanczos *space, int32_t basis, int32_t width, double *W,
                                   double *MW, double *lengths, double *H, double *R,
                                   lbError *err) {
  size_t n = (size_t)width;
  double *work = lb_alloc((size_t)basis * n + 2 * n * n, sizeof *work);
  if (!work) return lb_fail_memory(err);
  double *first = work, *second = work + n * n, *taken = work + 2 * n * n;
  lbStatus status = LB_OK;
  lb_product_multiply(space->M, width, W, MW, space->product_work);
  bool fast = factor_gram(space, width, W, MW, lengths, first);
  if (fast) { // W = W1 first, then W1 = V taken + Q second
    lb_dense_divide_by_upper(space->size, width, first, W);
    lb_dense_divide_by_upper(space->size, width, first, MW);
    for (size_t c = 0; c < n; c++) lengths[c] = 1;
    project_out_basis(space, basis, width, W, MW, taken);
    lb_product_multiply(space->M, width, W, MW, space->product_work);
    fast = factor_gram(space, width, W, MW, lengths, second);
  } else {
    memset(first, 0, n * n * sizeof *first);
    for (size_t c = 0; c < n; c++) first[c * n + c] = 1;
  }
  if (fast) {
    lb_dense_divide_by_upper(space->size, width, second, W);
    lb_dense_divide_by_upper(space->size, width, second, MW);
  } else {
    status = orthonormalise_columns(space, basis, width, W, MW, lengths, taken, second, err);
  }
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, basis, width, width, 1, taken, first, 1, H);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, width, width, width, 1, second, first, 0, R);
  lb_free(work);
  return status;
}

// ---- life --------------------------------------------------------------------------------------

static void free_blocks(lbLanczos *space) {
  double *blocks[] = { space->V, space->W,         space->MW,          space->T,
                       space->B, space->C,         space->R,           space->theta,
                       space->Y, space->residuals, space->product_work };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

void lb_lanczos_release_work(lbLanczos *space) {
  lb_free(space->W);
  lb_free(space->MW);
  lb_free(space->product_work);
  space->W = space->MW = space->product_work = NULL;
}

void lb_lanczos_destroy(lbLanczos *space) {
  if (!space) return;
  free_blocks(space);
  lb_free(space);
}

static size_t work_count(const lbLanczos *space) {
  size_t sparse = lb_sparse_work_count(space->M, space->most_pending);
  size_t narrow = lb_narrow_work_count(space->size, space->capacity);
  return sparse > narrow ? sparse : narrow;
}

static bool allocate_lanczos(lbLanczos *space) {
  size_t n = (size_t)space->size, capacity = (size_t)space->capacity;
  size_t width = (size_t)space->most_pending;
  space->V = lb_alloc(n * capacity, sizeof(double));
  space->W = lb_alloc(n * width, sizeof(double));
  space->MW = lb_alloc(n * width, sizeof(double));
  space->T = lb_alloc(capacity * capacity, sizeof(double));
  space->B = lb_alloc(width * capacity, sizeof(double));
  space->C = lb_alloc(capacity * width, sizeof(double));
  space->R = lb_alloc(width * width, sizeof(double));
  space->theta = lb_alloc(capacity, sizeof(double));
  space->Y = lb_alloc(capacity * capacity, sizeof(double));
  space->residuals = lb_alloc(capacity, sizeof(double));
  space->product_work = lb_alloc(work_count(space), sizeof(double));
  return space->V && space->product_work && space->W && space->MW && space->T && space->B &&
         space->C && space->R && space->theta && space->Y && space->residuals;
}

lbStatus lb_lanczos_create(lbCholesky *factor, const lbSparse *M, int32_t block, int32_t capacity,
                           lbLanczos **out, lbError *err) {
  LB_ASSERT(block <= LB_LANCZOS_BLOCK && capacity >= 2 * block && capacity + block <= M->size);
  lbLanczos *space = lb_alloc(1, sizeof *space);
  if (!space) return lb_fail_memory(err);
  space->factor = factor;
  space->M = M;
  space->size = M->size;
  space->most_pending = 2 * block;
  space->capacity = capacity;
  space->random = UINT64_C(0x9E3779B97F4A7C15);
  lbStatus status = allocate_lanczos(space) ? LB_OK : lb_fail_memory(err);
  if (!status) status = lb_lanczos_widen(space, block, err);
  if (status) {
    lb_lanczos_destroy(space);
    return status;
  }
  *out = space;
  return LB_OK;
}

lbStatus lb_lanczos_grow(lbLanczos *space, int32_t capacity, lbError *err) {
  if (capacity <= space->capacity) return LB_OK;
  lbLanczos larger = *space;
  larger.capacity = capacity;
  if (!allocate_lanczos(&larger)) {
    free_blocks(&larger);
    return lb_fail_memory(err);
  }
  size_t n = (size_t)space->size, used = (size_t)(space->m + space->pending);
  size_t width = (size_t)space->most_pending, old = (size_t)space->capacity;
  memcpy(larger.V, space->V, n * used * sizeof(double));
  memcpy(larger.MW, space->MW, n * width * sizeof(double));
  memcpy(larger.B, space->B, width * old * sizeof(double));
  memcpy(larger.theta, space->theta, old * sizeof(double));
  memcpy(larger.residuals, space->residuals, old * sizeof(double));
  memcpy(larger.Y, space->Y, old * old * sizeof(double));
  for (size_t j = 0; j < (size_t)space->m; j++)
    memcpy(larger.T + j * (size_t)capacity, space->T + j * old, old * sizeof(double));
  free_blocks(space);
  *space = larger;
  return LB_OK;
}

// ---- the iteration -----------------------------------------------------------------------------

lbStatus lb_lanczos_widen(lbLanczos *space, int32_t count, lbError *err) {
  int32_t before = space->pending, basis = space->m + before;
  LB_ASSERT(before + count <= space->most_pending && basis + count <= space->capacity);
  double *W = column(space, space->W, before), *MW = column(space, space->MW, before);
  size_t values = (size_t)space->size * (size_t)count;
  for (size_t i = 0; i < values; i++) W[i] = next_random(space);
  double lengths[2 * LB_LANCZOS_BLOCK] = { 0 };
  memset(space->C, 0, (size_t)basis * (size_t)count * sizeof *space->C);
  lbStatus status =
      lb_lanczos_orthonormalise(space, basis, count, W, MW, lengths, space->C, space->R, err);
  if (status) return status;
  memcpy(column(space, space->V, basis), W, values * sizeof *W);
  for (int32_t j = 0; j < space->m; j++) // OP V has nothing of the random vectors
    for (int32_t i = before; i < before + count; i++)
      space->B[(size_t)j * (size_t)space->most_pending + (size_t)i] = 0;
  space->pending = before + count;
  return LB_OK;
}

// T and B take the coefficients of OP Q = [V Q] C + Q_new R.
static void store_coefficients(lbLanczos *space) {
  size_t basis = (size_t)(space->m + space->pending), width = (size_t)space->pending;
  size_t ld = (size_t)space->capacity, ldb = (size_t)space->most_pending, m = (size_t)space->m;
  memset(space->B, 0, ldb * basis * sizeof *space->B);
  for (size_t c = 0; c < width; c++) {
    for (size_t i = 0; i < basis; i++) {
      double value = space->C[c * basis + i];
      if (i >= m) value = 0.5 * (value + space->C[(i - m) * basis + m + c]);
      space->T[(m + c) * ld + i] = value;
    }
    for (size_t i = 0; i <= c; i++) space->B[(m + c) * ldb + i] = space->R[c * width + i];
  }
}

// C = [V Q]' M OP Q as far as it is known without a product: B' over V, and (M Q)' OP Q over Q.
// Subtracts [V Q] C from W = OP Q. lengths: approximate lengths of the columns of W before.
static void apply_recurrence(lbLanczos *space, double *lengths) {
  size_t m = (size_t)space->m, width = (size_t)space->pending, basis = m + width;
  size_t begin = (size_t)space->coupled_begin; // of the columns of V that B couples
  double *local = space->R; // (basis - begin x width), packed, in place of C's columns
  double *C = space->C;
  lb_narrow_gather(space->size, space->pending, space->pending, space->MW, space->W,
                   space->product_work, local);
  for (size_t c = 0; c < width; c++)
    for (size_t i = 0; i < width; i++)
      C[c * (basis - begin) + m - begin + i] = 0.5 * (local[c * width + i] + local[i * width + c]);
  for (size_t c = 0; c < width; c++)
    for (size_t j = begin; j < m; j++)
      C[c * (basis - begin) + j - begin] = space->B[j * (size_t)space->most_pending + c];
  lb_narrow_subtract(space->size, (int32_t)(basis - begin), space->pending,
                     space->V + begin * (size_t)space->size, C, space->product_work, space->W);
  for (size_t c = width; c-- > 0;) { // spread to (basis x width), last column first
    double square = 0;
    memmove(C + c * basis + begin, C + c * (basis - begin), (basis - begin) * sizeof *C);
    memset(C + c * basis, 0, begin * sizeof *C);
    for (size_t i = begin; i < basis; i++) square += C[c * basis + i] * C[c * basis + i];
    lengths[c] = sqrt(square);
  }
}

lbStatus lb_lanczos_step(lbLanczos *space, lbError *err) {
  LB_ASSERT(lb_lanczos_has_room(space));
  int32_t width = space->pending, basis = space->m + width;
  size_t block_bytes = (size_t)space->size * (size_t)width * sizeof(double);
  double lengths[2 * LB_LANCZOS_BLOCK];
  memcpy(space->W, space->MW, block_bytes);
  lbStatus status = lb_cholesky_solve_near(space->factor, SOLVE_ERROR, width, space->W, err);
  if (status) return status;
  space->solve_count += width;
  apply_recurrence(space, lengths);
  status = lb_lanczos_orthonormalise(space, basis, width, space->W, space->MW, lengths, space->C,
                                     space->R, err);
  if (status) return status;
  store_coefficients(space);
  memcpy(column(space, space->V, basis), space->W, block_bytes);
  space->coupled_begin = space->m;
  space->m = basis;
  return LB_OK;
}

static void reverse_columns(int32_t size, double *values, double *vectors) {
  size_t n = (size_t)size;
  for (size_t a = 0, b = n - 1; a < b; a++, b--) {
    double value = values[a];
    values[a] = values[b];
    values[b] = value;
    for (size_t i = 0; i < n; i++) {
      double component = vectors[a * n + i];
      vectors[a * n + i] = vectors[b * n + i];
      vectors[b * n + i] = component;
    }
  }
}

// (pending x count) = B Y of the first Ritz pairs
static double *couple_ritz_pairs(const lbLanczos *space, int32_t count) {
  size_t width = (size_t)space->pending, m = (size_t)space->m;
  double *packed = lb_alloc(width * m, sizeof *packed);
  double *coupling = lb_alloc(width * (size_t)count, sizeof *coupling);
  if (packed && coupling) {
    for (size_t j = 0; j < m; j++)
      memcpy(packed + j * width, space->B + j * (size_t)space->most_pending,
             width * sizeof *packed);
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, space->pending, count, space->m, 1, packed, space->Y, 0,
                      coupling);
  } else {
    lb_free(coupling);
    coupling = NULL;
  }
  lb_free(packed);
  return coupling;
}

lbStatus lb_lanczos_ritz(lbLanczos *space, lbError *err) {
  size_t m = (size_t)space->m, width = (size_t)space->pending;
  for (size_t j = 0; j < m; j++)
    memcpy(space->Y + j * m, space->T + j * (size_t)space->capacity, (j + 1) * sizeof *space->Y);
  lbStatus status = lb_dense_eigen(space->m, space->Y, space->theta, err);
  if (status) return status;
  reverse_columns(space->m, space->theta, space->Y);
  double *coupling = couple_ritz_pairs(space, space->m);
  if (!coupling) return lb_fail_memory(err);
  for (size_t i = 0; i < m; i++) {
    double square = 0;
    for (size_t k = 0; k < width; k++) square += coupling[i * width + k] * coupling[i * width + k];
    space->residuals[i] = sqrt(square);
  }
  lb_free(coupling);
  return LB_OK;
}

lbStatus lb_lanczos_restart(lbLanczos *space, int32_t keep, lbError *err) {
  size_t n = (size_t)space->size, k = (size_t)keep, width = (size_t)space->pending;
  double *coupling = couple_ritz_pairs(space, keep);
  double *kept = lb_alloc(n * k, sizeof *kept);
  if (!coupling || !kept) {
    lb_free(coupling);
    lb_free(kept);
    return lb_fail_memory(err);
  }
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, space->size, keep, space->m, 1, space->V, space->Y, 0,
                    kept);
  memmove(space->V + n * k, space->V + n * (size_t)space->m, n * width * sizeof *kept);
  memcpy(space->V, kept, n * k * sizeof *kept);
  memset(space->T, 0, (size_t)space->capacity * (size_t)space->capacity * sizeof *space->T);
  for (size_t j = 0; j < k; j++) {
    space->T[j * (size_t)space->capacity + j] = space->theta[j];
    memcpy(space->B + j * (size_t)space->most_pending, coupling + j * width,
           width * sizeof *coupling);
  }
  space->m = keep;
  space->coupled_begin = 0;
  lb_free(coupling);
  lb_free(kept);
  return LB_OK;
}

lbStatus lb_lanczos_vectors(const lbLanczos *space, int32_t count, double *X, lbError *err) {
  double *coupling = couple_ritz_pairs(space, count);
  if (!coupling) return lb_fail_memory(err);
  for (int32_t i = 0; i < count; i++)
    for (int32_t k = 0; k < space->pending; k++)
      coupling[(size_t)i * (size_t)space->pending + (size_t)k] /= space->theta[i];
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, space->size, count, space->m, 1, space->V, space->Y, 0, X);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, space->size, count, space->pending, 1,
                    space->V + (size_t)space->m * (size_t)space->size, coupling, 1, X);
  lb_free(coupling);
  return LB_OK;
}
