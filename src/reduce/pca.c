// Mass-PCA, and Gram–Schmidt in the mass metric.
//
// The candidates' lengths span many orders (their scales are products of eigenvalue ratios), and a
// Gram matrix would square them: below 1e-8 of the largest singular value it knows nothing. So
//   D^½ A = U S Vᵀ,                  D the row-sum lumped mass,
//   B = D^-½ U,  Bᵀ M B = Rᵀ R,      well conditioned, for M and D bound each other,
//   R S Vᵀ = U₂ S₂ V₂ᵀ               small,
// and B R⁻¹ U₂ are the principal vectors, M-orthonormal, to rounding of the largest singular value
// rather than of its square. In the lumped metric the first line is all.
#include "reduce/pca.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

double lb_mass_norm(const lbSparse *M, const double *x, double *work) {
  double sum = 0;
  lb_sparse_multiply(M, x, work);
  for (int32_t i = 0; i < M->size; i++) sum += x[i] * work[i];
  return sum > 0 ? sqrt(sum) : 0;
}

typedef struct Pca {
  int32_t size, count, least; // least = min(size, count)
  double *roots;              // (size) D^½
  double *U;                  // (size x least)
  double *S, *Vt;             // (least), (least x count)
  double *MB;                 // (size x least)
  double *R;                  // (least x least)
  double *core;               // (least x count)
  double *U2, *Vt2;           // (least x least), (least x count)
} Pca;

static void release(Pca *p) {
  double *blocks[] = { p->roots, p->U, p->S, p->Vt, p->MB, p->R, p->core, p->U2, p->Vt2 };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

static void multiply_rows(int32_t size, int32_t count, const double *by, double *A) {
  for (size_t c = 0; c < (size_t)count; c++)
    for (size_t i = 0; i < (size_t)size; i++) A[c * (size_t)size + i] *= by[i];
}

static void divide_rows(int32_t size, int32_t count, const double *by, double *A) {
  for (size_t c = 0; c < (size_t)count; c++)
    for (size_t i = 0; i < (size_t)size; i++) A[c * (size_t)size + i] /= by[i];
}

static lbStatus lumped_pca(Pca *p, double *A, const double *lumped, lbError *err) {
  size_t least = (size_t)p->least;
  p->U = lb_alloc((size_t)p->size * least, sizeof(double));
  p->S = lb_alloc(least, sizeof(double));
  p->Vt = lb_alloc(least * (size_t)p->count, sizeof(double));
  p->roots = lb_alloc((size_t)p->size, sizeof(double));
  if (!p->U || !p->S || !p->Vt || !p->roots) return lb_fail_memory(err);
  for (int32_t i = 0; i < p->size; i++) p->roots[i] = sqrt(lumped[i]);
  multiply_rows(p->size, p->count, p->roots, A);
  lbStatus status = lb_dense_svd(p->size, p->count, A, p->U, p->S, p->Vt, err);
  if (!status) divide_rows(p->size, p->least, p->roots, p->U);
  return status;
}

// From the lumped metric to that of M: S becomes that of M, and U U2 the vectors.
static lbStatus refine(Pca *p, const lbSparse *M, lbError *err) {
  size_t least = (size_t)p->least, count = (size_t)p->count;
  p->MB = lb_alloc((size_t)p->size * least, sizeof(double));
  p->R = lb_alloc(least * least, sizeof(double));
  p->core = lb_alloc(least * count, sizeof(double));
  p->U2 = lb_alloc(least * least, sizeof(double));
  p->Vt2 = lb_alloc(least * count, sizeof(double));
  if (!p->MB || !p->R || !p->core || !p->U2 || !p->Vt2) return lb_fail_memory(err);
  lb_sparse_multiply_many(M, p->least, p->U, p->MB);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, p->least, p->least, p->size, 1, p->U, p->MB, 0, p->R);
  lbStatus status = lb_dense_cholesky(p->least, p->R, err);
  if (status) return status;
  lb_dense_divide_by_upper(p->size, p->least, p->R, p->U);
  for (size_t c = 0; c < count; c++)
    for (size_t i = 0; i < least; i++) p->Vt[c * least + i] *= p->S[i];
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, p->least, p->count, p->least, 1, p->R, p->Vt, 0, p->core);
  return lb_dense_svd(p->least, p->count, p->core, p->U2, p->S, p->Vt2, err);
}

static int32_t find_rank(const Pca *p) {
  int32_t most = p->size > p->count ? p->size : p->count, rank = 0;
  while (rank < p->least && p->S[rank] > most * DBL_EPSILON * p->S[0]) rank++;
  return rank;
}

// The dimension at which the cluster that holds vector `dimension` - 1 ends.
static int32_t whole_dimension(const Pca *p, int32_t rank, int32_t dimension) {
  int32_t end = 0;
  while (end < dimension) end = lb_cluster_end(rank, p->S, LB_SINGULAR_GAP, end);
  return end;
}

// Vectors of whole clusters are made canonical before the last of them is cut.
static lbStatus take_vectors(const Pca *p, bool refined, const lbReferenceFields *fields,
                             int32_t whole, int32_t dimension, double *vectors, lbError *err) {
  size_t n = (size_t)p->size;
  double *all = lb_alloc(n * (size_t)whole, sizeof *all);
  if (!all) return lb_fail_memory(err);
  if (refined)
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, p->size, whole, p->least, 1, p->U, p->U2, 0, all);
  else
    memcpy(all, p->U, n * (size_t)whole * sizeof *all);
  lbStatus status = lb_canonical_vectors(fields, whole, p->S, LB_SINGULAR_GAP, all, err);
  if (!status) memcpy(vectors, all, n * (size_t)dimension * sizeof *all);
  lb_free(all);
  return status;
}

lbStatus lb_mass_pca_sized(int32_t size, int32_t count, double *A, const lbSparse *M,
                           const double *lumped, const lbReferenceFields *fields, lbPcaSize *sizes,
                           const char *what, double *vectors, double *singular, lbError *err) {
  Pca p = { .size = size, .count = count, .least = size < count ? size : count };
  lbStatus status = lumped_pca(&p, A, lumped, err);
  if (!status && M) status = refine(&p, M, err);
  int32_t rank = status ? 0 : find_rank(&p);
  if (sizes->at_most && rank > 0 && rank < sizes->dimension) sizes->dimension = rank;
  int32_t dimension = sizes->dimension;
  if (!status && rank < dimension)
    status = lb_fail(err, LB_ERR_ARGUMENT,
                     "%s: dimension is %d, but only %d of the %d vectors are independent; ask for "
                     "at most that many",
                     what, (int)dimension, (int)rank, (int)count);
  if (!status) {
    sizes->whole = whole_dimension(&p, rank, dimension);
    memcpy(singular, p.S, (size_t)dimension * sizeof(double));
    status = take_vectors(&p, M != NULL, fields, sizes->whole, dimension, vectors, err);
  }
  release(&p);
  return status;
}

lbStatus lb_mass_pca(int32_t size, int32_t count, double *A, const lbSparse *M,
                     const double *lumped, const lbReferenceFields *fields, int32_t dimension,
                     const char *what, double *vectors, double *singular, lbError *err) {
  lbPcaSize sizes = { .dimension = dimension };
  return lb_mass_pca_sized(size, count, A, M, lumped, fields, &sizes, what, vectors, singular, err);
}

// x <- x − Q (MQ)ᵀ x
static void subtract(int32_t size, int32_t rank, const double *Q, const double *MQ, double *x,
                     double *products) {
  lb_dense_multiply_vector(LB_TRANSPOSED, size, rank, 1, MQ, x, 0, products);
  lb_dense_multiply_vector(LB_PLAIN, size, rank, -1, Q, products, 1, x);
}

lbStatus lb_mass_orthonormalise(int32_t size, int32_t count, double *A, const lbSparse *M,
                                double cut, int32_t *rank, lbError *err) {
  size_t n = (size_t)size;
  int32_t kept = 0;
  double *MQ = lb_alloc(n * (size_t)(size < count ? size : count), sizeof(double));
  double *work = lb_alloc(n + (size_t)count, sizeof(double));
  if (!MQ || !work) {
    lb_free(MQ);
    lb_free(work);
    return lb_fail_memory(err);
  }
  for (int32_t c = 0; c < count && kept < size; c++) {
    double *x = A + n * (size_t)kept;
    if (c > kept) memcpy(x, A + n * (size_t)c, n * sizeof(double));
    double length = lb_mass_norm(M, x, work), left = length;
    for (int pass = 0; pass < 2 && left > cut * length; pass++) {
      if (kept > 0) subtract(size, kept, A, MQ, x, work + n);
      left = lb_mass_norm(M, x, work);
    }
    if (!(left > cut * length)) continue;
    for (size_t i = 0; i < n; i++) {
      x[i] /= left;
      MQ[n * (size_t)kept + i] = work[i] / left;
    }
    kept++;
  }
  lb_free(MQ);
  lb_free(work);
  *rank = kept;
  return LB_OK;
}
