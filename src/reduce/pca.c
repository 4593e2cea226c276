// Mass-PCA, and Gram–Schmidt in the mass metric.
//
// The candidates' lengths span many orders (their scales are products of eigenvalue ratios), and a
// Gram matrix would square them: below 1e-8 of the largest singular value it knows nothing. So
//   D^½ A = Q C,  C = U S Vᵀ,        D the row-sum lumped mass; C small, from blocks of rows,
//   B = A V S⁻¹,  Bᵀ M B = Rᵀ R,     well conditioned, for M and D bound each other,
//   R S Vᵀ = U₂ S₂ V₂ᵀ               small,
// and B R⁻¹ U₂ are the principal vectors, M-orthonormal, to rounding of the largest singular value
// rather than of its square. B takes the place of A, and nothing else is as large. Blocks of rows
// and of columns are cut alike for any number of threads, and summed in one order.
#include "reduce/pca.h"

#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/product.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  BLOCK_ROWS = 4096, // of A that are factored together, or 4 columns' worth
  BLOCK_COLUMNS = 16 // of M B that are there at a time
};

typedef struct Pca {
  int32_t size, count;
  int32_t least;           // columns of B; at first min(size, count)
  double *A;               // (size x count), then B (size x least)
  const double *lumped;    // (size) D
  const lbSparse *M;       // NULL: D
  const lbPcaRanks *ranks; // NULL: all rows are here
  int64_t all;             // rows of all processes
  double *triangles;       // (blocks x count x count) of blocks of rows
  double *to_B;            // (count x least) V S⁻¹
  double *S, *Vt;          // (least), (least x count)
  double *R;               // (least x least)
  double *U2, *Vt2;        // (least x least), (least x count)
  int32_t block_rows, block_count;
  bool *failed; // (block_count) no memory
} Pca;

static void release_pca(Pca *p) {
  double *blocks[] = { p->triangles, p->to_B, p->S, p->Vt, p->R, p->U2, p->Vt2 };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_free(p->failed);
}

static lbStatus check_tasks(const Pca *p, int32_t count, lbError *err) {
  for (int32_t i = 0; i < count; i++)
    if (p->failed[i]) return lb_fail_memory(err);
  return LB_OK;
}

static lbStatus agree_on_pca_status(const Pca *p, lbStatus status, lbError *err) {
  return p->ranks ? p->ranks->agree(p->ranks->context, status, err) : status;
}

// What the first process has found, for all: rounding of others may differ.
static void spread_from_first_process(const Pca *p, size_t count, double *values) {
  if (p->ranks) p->ranks->spread(p->ranks->context, count, values);
}

// ---- the metric of D ---------------------------------------------------------------------------

// Copies rows of A, which are `rows` after `begin`, into a block (rows x count); NULL: no memory.
static double *copy_pca_rows(const Pca *p, int32_t begin, int32_t rows) {
  double *block = lb_alloc((size_t)rows * (size_t)p->count, sizeof *block);
  for (size_t c = 0; block && c < (size_t)p->count; c++)
    memcpy(block + c * (size_t)rows, p->A + c * (size_t)p->size + begin,
           (size_t)rows * sizeof *block);
  return block;
}

static int32_t rows_of_block(const Pca *p, int32_t block) {
  int32_t left = p->size - block * p->block_rows;
  return left < p->block_rows ? left : p->block_rows;
}

// The triangle of a block of rows of D^½ A; missing rows (fewer than `count`) are zero.
static void factor_blocks(int32_t begin, int32_t end, void *context) {
  const Pca *p = context;
  size_t count = (size_t)p->count;
  for (int32_t b = begin; b < end; b++) {
    int32_t first = b * p->block_rows, rows = rows_of_block(p, b);
    size_t least = (size_t)(rows < p->count ? rows : p->count);
    double *block = copy_pca_rows(p, first, rows), *to = p->triangles + (size_t)b * count * count;
    for (size_t c = 0; block && c < count; c++)
      for (size_t i = 0; i < (size_t)rows; i++)
        block[c * (size_t)rows + i] *= sqrt(p->lumped[(size_t)first + i]);
    p->failed[b] = !block || lb_dense_triangle(rows, p->count, block, to, NULL) == LB_ERR_MEMORY;
    for (size_t c = count; c-- > 0 && least < count;) { // (least x count) to (count x count)
      memmove(to + c * count, to + c * least, least * sizeof *to);
      memset(to + c * count + least, 0, (count - least) * sizeof *to);
    }
    lb_free(block);
  }
}

// S and Vᵀ of D^½ A
static lbStatus decompose(Pca *p, lbError *err) {
  size_t count = (size_t)p->count, blocks = (size_t)p->block_count, rows = blocks * count;
  double *stacked = lb_alloc(rows * count, sizeof *stacked);
  double *C = lb_alloc(count * count, sizeof *C), *U = lb_alloc(count * count, sizeof *U);
  lbStatus status = stacked && C && U ? LB_OK : lb_fail_memory(err);
  if (!status && !lb_linalg_all_finite((size_t)p->size * count, p->A))
    status = lb_fail(err, LB_ERR_NUMERIC, "a vector of the basis holds a value that is not finite");
  if (!status) {
    lb_parallel_for(p->block_count, 1, factor_blocks, p);
    status = check_tasks(p, p->block_count, err);
  }
  for (size_t b = 0; b < blocks && !status; b++)
    for (size_t c = 0; c < count; c++)
      memcpy(stacked + c * rows + b * count, p->triangles + (b * count + c) * count,
             count * sizeof *stacked);
  if (!status && rows > 0) status = lb_dense_triangle((int32_t)rows, p->count, stacked, C, err);
  status = agree_on_pca_status(p, status, err);
  if (!status && p->ranks) status = p->ranks->join(p->ranks->context, p->count, C, err);
  if (!status) status = lb_dense_svd(p->count, p->count, C, U, p->S, p->Vt, err);
  if (!status) spread_from_first_process(p, count, p->S);
  if (!status) spread_from_first_process(p, count * count, p->Vt);
  lb_free(stacked);
  lb_free(C);
  lb_free(U);
  return status;
}

static void make_rows_of_B(int32_t begin, int32_t end, void *context) {
  const Pca *p = context;
  for (int32_t b = begin; b < end; b++) {
    int32_t rows = rows_of_block(p, b);
    double *block = copy_pca_rows(p, b * p->block_rows, rows);
    p->failed[b] = !block;
    if (block)
      lb_dense_multiply_parts(LB_PLAIN, LB_PLAIN, rows, p->least, p->count, 1, block, (size_t)rows,
                              p->to_B, (size_t)p->count, 0,
                              p->A + (size_t)b * (size_t)p->block_rows, (size_t)p->size);
    lb_free(block);
  }
}

// A becomes B, of those directions that are more than rounding.
static lbStatus make_B(Pca *p, lbError *err) {
  size_t count = (size_t)p->count, all = count;
  double cut = 0.01 * DBL_EPSILON * (double)(p->all > p->count ? p->all : p->count);
  while (p->least > 1 && !(p->S[p->least - 1] > cut * p->S[0])) p->least--;
  for (size_t k = 0; k < (size_t)p->least; k++)
    for (size_t c = 0; c < count; c++)
      p->to_B[k * count + c] = p->S[k] > 0 ? p->Vt[c * all + k] / p->S[k] : 0;
  lb_parallel_for(p->block_count, 1, make_rows_of_B, p);
  return check_tasks(p, p->block_count, err);
}

// ---- the metric itself -------------------------------------------------------------------------

// Columns [begin, end) of Bᵀ M B; MB (size x BLOCK_COLUMNS) and work are work space.
static void sum_products(const Pca *p, int32_t begin, int32_t end, double *MB, double *work) {
  size_t n = (size_t)p->size, width = (size_t)(end - begin);
  const double *B = p->A + n * (size_t)begin;
  if (p->ranks)
    p->ranks->multiply(p->ranks->context, end - begin, B, MB);
  else if (p->M)
    lb_product_multiply(p->M, end - begin, B, MB, work);
  else
    for (size_t i = 0; i < n * width; i++) MB[i] = p->lumped[i % n] * B[i];
  if (n > 0)
    lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, p->least, end - begin, p->size, 1, p->A, MB, 0,
                      p->R + (size_t)p->least * (size_t)begin);
}

// R = Bᵀ M B, block by block, each on all threads (and processes): what they need is there once.
static lbStatus sum_blocks(Pca *p, lbError *err) {
  size_t work_count = p->M && !p->ranks ? lb_sparse_work_count(p->M, BLOCK_COLUMNS) : 0;
  double *MB = lb_alloc((size_t)p->size * BLOCK_COLUMNS + 1, sizeof *MB);
  double *work = lb_alloc(work_count + 1, sizeof *work);
  lbStatus status = MB && work ? LB_OK : lb_fail_memory(err);
  status = agree_on_pca_status(p, status, err);
  for (int32_t c = 0; c < p->least && !status; c += BLOCK_COLUMNS)
    sum_products(p, c, c + BLOCK_COLUMNS < p->least ? c + BLOCK_COLUMNS : p->least, MB, work);
  lb_free(MB);
  lb_free(work);
  return status;
}

// S becomes that of the metric, and B R⁻¹ U2 the vectors.
static lbStatus refine(Pca *p, lbError *err) {
  size_t least = (size_t)p->least, count = (size_t)p->count;
  double *core = lb_alloc(least * count, sizeof *core);
  double *scaled = lb_alloc(least * count, sizeof *scaled);
  lbStatus status = core && scaled ? LB_OK : lb_fail_memory(err);
  status = agree_on_pca_status(p, status, err);
  if (!status) status = sum_blocks(p, err);
  if (!status && p->ranks) p->ranks->sum(p->ranks->context, least * least, p->R);
  if (!status) status = lb_dense_cholesky(p->least, p->R, err);
  if (!status) {
    for (size_t c = 0; c < count; c++)
      for (size_t i = 0; i < least; i++) scaled[c * least + i] = p->Vt[c * count + i] * p->S[i];
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, p->least, p->count, p->least, 1, p->R, scaled, 0, core);
    status = lb_dense_svd(p->least, p->count, core, p->U2, p->S, p->Vt2, err);
  }
  if (!status) spread_from_first_process(p, least * least, p->R);
  if (!status) spread_from_first_process(p, least, p->S);
  if (!status) spread_from_first_process(p, least * least, p->U2);
  lb_free(core);
  lb_free(scaled);
  return status;
}

static lbStatus open_pca(Pca *p, lbError *err) {
  size_t count = (size_t)p->count;
  p->block_rows = BLOCK_ROWS > 4 * p->count ? BLOCK_ROWS : 4 * p->count;
  p->block_count = (p->size + p->block_rows - 1) / p->block_rows;
  p->triangles = lb_alloc((size_t)p->block_count * count * count + 1, sizeof(double));
  p->to_B = lb_alloc(count * count, sizeof(double));
  p->S = lb_alloc(count, sizeof(double));
  p->Vt = lb_alloc(count * count, sizeof(double));
  p->R = lb_alloc(count * count, sizeof(double));
  p->U2 = lb_alloc(count * count, sizeof(double));
  p->Vt2 = lb_alloc(count * count, sizeof(double));
  p->failed = lb_alloc((size_t)p->block_count + 1, sizeof(bool));
  return p->triangles && p->to_B && p->S && p->Vt && p->R && p->U2 && p->Vt2 && p->failed
             ? LB_OK
             : lb_fail_memory(err);
}

static int32_t find_rank(const Pca *p) {
  double most = (double)(p->all > p->count ? p->all : p->count);
  int32_t rank = 0;
  while (rank < p->least && p->S[rank] > most * DBL_EPSILON * p->S[0]) rank++;
  return rank;
}

// The dimension at which the cluster that holds vector `dimension` - 1 ends.
static int32_t whole_dimension(const Pca *p, int32_t rank, int32_t dimension) {
  int32_t end = 0;
  while (end < dimension) end = lb_cluster_end(rank, p->S, LB_SINGULAR_GAP, end);
  return end;
}

// W = R⁻¹ U2
static void divide(const Pca *p, int32_t columns, double *W) {
  size_t least = (size_t)p->least;
  memcpy(W, p->U2, least * (size_t)columns * sizeof *W);
  for (size_t c = 0; c < (size_t)columns; c++)
    for (size_t i = least; i-- > 0;) {
      double sum = W[c * least + i];
      for (size_t k = i + 1; k < least; k++) sum -= p->R[k * least + i] * W[c * least + k];
      W[c * least + i] = sum / p->R[i * least + i];
    }
}

// Vectors of whole clusters are made canonical before the last of them is cut.
static lbStatus take_pca_vectors(const Pca *p, const lbReferenceFields *fields, int32_t whole,
                                 int32_t dimension, double *vectors, lbError *err) {
  size_t n = (size_t)p->size;
  double *all = lb_alloc(n * (size_t)whole + 1, sizeof *all);
  double *W = lb_alloc((size_t)p->least * (size_t)whole, sizeof *W);
  lbStatus status = all && W ? LB_OK : lb_fail_memory(err);
  if (!status) {
    divide(p, whole, W);
    if (n > 0) lb_dense_multiply(LB_PLAIN, LB_PLAIN, p->size, whole, p->least, 1, p->A, W, 0, all);
    status = p->ranks ? p->ranks->finish(p->ranks->context, whole, p->S, all, err)
                      : lb_canonical_vectors(fields, whole, p->S, LB_SINGULAR_GAP, all, err);
  }
  if (!status && vectors) memcpy(vectors, all, n * (size_t)dimension * sizeof *all);
  lb_free(all);
  lb_free(W);
  return status;
}

static lbStatus reduce_snapshots(Pca *p, const lbReferenceFields *fields, lbPcaSize *sizes,
                                 const char *what, double *vectors, double *singular,
                                 lbError *err) {
  p->least = p->all < p->count ? (int32_t)p->all : p->count;
  lbStatus status = lb_linalg_reserve(err);
  if (!status) status = open_pca(p, err);
  status = agree_on_pca_status(p, status, err);
  if (!status) status = decompose(p, err);
  if (!status) status = agree_on_pca_status(p, make_B(p, err), err);
  if (!status) status = refine(p, err);
  int32_t rank = status ? 0 : find_rank(p);
  if (sizes->at_most && rank > 0 && rank < sizes->dimension) sizes->dimension = rank;
  int32_t dimension = sizes->dimension;
  if (!status && rank < dimension)
    status = lb_fail(err, LB_ERR_ARGUMENT,
                     "%s: dimension is %d, but only %d of the %d vectors are independent; ask for "
                     "at most that many",
                     what, (int)dimension, (int)rank, (int)p->count);
  if (!status) {
    sizes->whole = whole_dimension(p, rank, dimension);
    memcpy(singular, p->S, (size_t)dimension * sizeof(double));
    status = take_pca_vectors(p, fields, sizes->whole, dimension, vectors, err);
  }
  release_pca(p);
  return status;
}

lbStatus lb_mass_pca_sized(int32_t size, int32_t count, double *A, const lbSparse *M,
                           const double *lumped, const lbReferenceFields *fields, lbPcaSize *sizes,
                           const char *what, double *vectors, double *singular, lbError *err) {
  Pca p = { .size = size, .all = size, .count = count, .A = A, .lumped = lumped, .M = M };
  return reduce_snapshots(&p, fields, sizes, what, vectors, singular, err);
}

lbStatus lb_mass_pca_ranks(const lbPcaRanks *ranks, int32_t size, int32_t count, double *A,
                           const double *lumped, lbPcaSize *sizes, const char *what,
                           double *singular, lbError *err) {
  Pca p = {
    .size = size, .all = ranks->size, .count = count, .A = A, .lumped = lumped, .ranks = ranks
  };
  return reduce_snapshots(&p, NULL, sizes, what, NULL, singular, err);
}

lbStatus lb_mass_pca(int32_t size, int32_t count, double *A, const lbSparse *M,
                     const double *lumped, const lbReferenceFields *fields, int32_t dimension,
                     const char *what, double *vectors, double *singular, lbError *err) {
  lbPcaSize sizes = { .dimension = dimension };
  return lb_mass_pca_sized(size, count, A, M, lumped, fields, &sizes, what, vectors, singular, err);
}

// x <- x − Q (MQ)ᵀ x
static void subtract_components(int32_t size, int32_t rank, const double *Q, const double *MQ,
                                double *x, double *products) {
  lb_dense_multiply_vector(LB_TRANSPOSED, size, rank, 1, MQ, x, 0, products);
  lb_dense_multiply_vector(LB_PLAIN, size, rank, -1, Q, products, 1, x);
}

static lbStatus find_norm(int32_t size, lbMassProduct *multiply, void *context, const double *x,
                          double *Mx, double *norm, lbError *err) {
  double sum = 0;
  lbStatus status = multiply(context, x, Mx, err);
  for (int32_t i = 0; i < size && !status; i++) sum += x[i] * Mx[i];
  *norm = sqrt(fmax(sum, 0));
  return status;
}

lbStatus lb_mass_orthonormalise_by(int32_t size, int32_t count, double *A, lbMassProduct *multiply,
                                   void *context, double cut, int32_t *rank, lbError *err) {
  size_t n = (size_t)size;
  int32_t kept = 0;
  double *MQ = lb_alloc(n * (size_t)(size < count ? size : count), sizeof(double));
  double *work = lb_alloc(n + (size_t)count, sizeof(double));
  lbStatus status = MQ && work ? LB_OK : lb_fail_memory(err);
  for (int32_t c = 0; c < count && kept < size && !status; c++) {
    double *x = A + n * (size_t)kept, length = 0, left;
    if (c > kept) memcpy(x, A + n * (size_t)c, n * sizeof(double));
    status = find_norm(size, multiply, context, x, work, &length, err);
    left = length;
    for (int pass = 0; pass < 2 && left > cut * length && !status; pass++) {
      if (kept > 0) subtract_components(size, kept, A, MQ, x, work + n);
      status = find_norm(size, multiply, context, x, work, &left, err);
    }
    if (status || !(left > cut * length)) continue;
    for (size_t i = 0; i < n; i++) {
      x[i] /= left;
      MQ[n * (size_t)kept + i] = work[i] / left;
    }
    kept++;
  }
  lb_free(MQ);
  lb_free(work);
  *rank = kept;
  return status;
}

static lbStatus multiply_sparse(void *context, const double *x, double *y, lbError *err) {
  (void)err;
  lb_sparse_multiply(*(const lbSparse **)context, x, y);
  return LB_OK;
}

lbStatus lb_mass_orthonormalise(int32_t size, int32_t count, double *A, const lbSparse *M,
                                double cut, int32_t *rank, lbError *err) {
  return lb_mass_orthonormalise_by(size, count, A, multiply_sparse, &M, cut, rank, err);
}
