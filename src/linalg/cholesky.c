// Sparse Cholesky: the interface over analysis (analyse.c), numbers by fronts (fronts.h) and
// refinement (refine.c).
#include "linalg/cholesky.h"

#include "linalg/blas.h"
#include "linalg/fronts.h"
#include "linalg/refine.h"
#include "linalg/room.h"

#include "limber/rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct lbCholesky {
  lbFronts *fronts;
  bool compact;    // single precision where that suffices
  float *single;   // L, or NULL
  double *full;    // L in double precision, or NULL
  lbRefine refine; // of the single one
  lbFrontScratch scratch;
  double *Y, *work; // of solves with the other: (size x width), lb_fronts_work_count
  int32_t width;
  int32_t size;
  int32_t *column_begin; // (size + 1), of the pattern that was analysed
  bool factored;
  double beside_bytes; // of other data of the same solves
  double reciprocal_condition, analyse_seconds, factor_seconds;
};

// ---- life --------------------------------------------------------------------------------------

lbStatus lb_cholesky_create(const lbSparse *A, lbCholesky **out, lbError *err) {
  const lbAnalysis *analyses;
  lb_fronts_analyses(&analyses);
  bool own = A->positions || lb_is_repeatable();
  return lb_cholesky_create_by(own ? lb_fronts_analyse_own : analyses[0].run, A, out, err);
}

lbStatus lb_cholesky_create_by(lbAnalyse *analyse, const lbSparse *A, lbCholesky **out,
                               lbError *err) {
  double start = lb_seconds();
  lbStatus status = lb_linalg_reserve(err);
  if (!status) status = lb_sparse_validate(A, err);
  if (status) return status;
  lbCholesky *factor = lb_alloc(1, sizeof *factor);
  if (!factor) return lb_fail_memory(err);
  factor->size = A->size;
  factor->column_begin =
      lb_duplicate(A->column_begin, (size_t)A->size + 1, sizeof *A->column_begin);
  status = factor->column_begin ? analyse(A, &factor->fronts, err) : lb_fail_memory(err);
  if (status) {
    lb_cholesky_destroy(factor);
    return status;
  }
  factor->analyse_seconds = lb_seconds() - start;
  *out = factor;
  return LB_OK;
}

lbStatus lb_cholesky_create_compact(const lbSparse *A, size_t most_bytes, lbCholesky **out,
                                    lbError *err) {
  lbStatus status = lb_cholesky_create(A, out, err);
  if (!status) (*out)->compact = (*out)->fronts->value_count * sizeof(double) > most_bytes;
  return status;
}

static void drop_single(lbCholesky *factor) {
  lb_refine_release(&factor->refine);
  lb_free(factor->single);
  factor->single = NULL;
}

static void drop_work(lbCholesky *factor) { // of solves with L in double precision
  lb_free(factor->Y);
  lb_free(factor->work);
  factor->Y = factor->work = NULL;
  factor->width = 0;
}

static void drop_full(lbCholesky *factor) {
  drop_work(factor);
  lb_free(factor->full);
  factor->full = NULL;
}

void lb_cholesky_release_work(lbCholesky *factor) {
  if (!factor) return;
  lb_refine_release_work(&factor->refine);
  drop_work(factor);
}

void lb_cholesky_destroy(lbCholesky *factor) {
  if (!factor) return;
  drop_single(factor);
  drop_full(factor);
  lb_front_scratch_release(&factor->scratch);
  lb_fronts_destroy(factor->fronts);
  lb_free(factor->column_begin);
  lb_free(factor);
}

void lb_cholesky_keep_room(lbCholesky *factor, double bytes) { factor->beside_bytes = bytes; }

// ---- factorisation -----------------------------------------------------------------------------

static lbStatus check_cholesky_matrix(const lbCholesky *factor, const lbSparse *A, lbError *err) {
  if (A->size != factor->size || memcmp(A->column_begin, factor->column_begin,
                                        ((size_t)A->size + 1) * sizeof *A->column_begin))
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "sparse Cholesky: the matrix of %d rows does not have the pattern that was analysed",
        A->size);
  return LB_OK;
}

static lbStatus check_values(const lbSparse *A, double scale, lbError *err) {
  if (isfinite(scale) && lb_linalg_all_finite((size_t)lb_sparse_nonzero_count(A), A->values))
    return LB_OK;
  for (int32_t j = 0; j < A->size; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++)
      if (!isfinite(scale * A->values[k]))
        return lb_fail(err, LB_ERR_NUMERIC, "sparse Cholesky: row %d, column %d holds %g",
                       A->rows[k], j, scale * A->values[k]);
  return LB_OK;
}

// The power of two that brings the diagonal of A below 2: single precision has fewer exponents.
static lbStatus find_cholesky_scale(const lbSparse *A, double *scale, lbError *err) {
  double *diagonal = lb_alloc((size_t)A->size, sizeof *diagonal), most = 0;
  if (!diagonal) return lb_fail_memory(err);
  lb_sparse_diagonal(A, diagonal);
  for (int32_t i = 0; i < A->size; i++) most = fmax(most, diagonal[i]);
  *scale = most > 0 ? scalbn(1, -ilogb(most)) : 1;
  lb_free(diagonal);
  return LB_OK;
}

static lbStatus check_pivots(lbCholesky *factor, const lbFrontPivots *pivots, lbError *err) {
  if (pivots->failed < factor->size)
    return lb_fail(err, LB_ERR_NUMERIC, "sparse matrix: not positive definite at row %d",
                   factor->fronts->order[pivots->failed]);
  double ratio = pivots->least / pivots->largest;
  factor->reciprocal_condition = ratio * ratio;
  return LB_OK;
}

// L's values, of so many bytes each, or NULL: `err` says how much the factorisation would take.
static void *take_values(const lbCholesky *factor, size_t bytes, lbError *err) {
  char what[80];
  const lbFronts *fronts = factor->fronts;
  size_t count = fronts->value_count + lb_fronts_waiting_count(fronts);
  snprintf(what, sizeof what, "the factor of %d rows%s", (int)factor->size,
           factor->beside_bytes > 0 ? ", with the vectors beside it" : "");
  if (lb_room_check(what, (double)bytes * (double)count + factor->beside_bytes, err)) return NULL;
  void *values = lb_alloc(fronts->value_count, bytes);
  if (!values) lb_fail_memory(err);
  return values;
}

static lbStatus factor_single(lbCholesky *factor, const lbSparse *A, lbError *err) {
  lbFrontPivots pivots;
  lbFrontMatrix matrix = { .A = A };
  drop_full(factor);
  if (!factor->single) factor->single = take_values(factor, sizeof(float), err);
  if (!factor->single) return LB_ERR_MEMORY;
  double *sums = lb_alloc((size_t)A->size, sizeof *sums);
  lbStatus status = sums ? find_cholesky_scale(A, &matrix.scale, err) : lb_fail_memory(err);
  if (!status)
    status = lb_fronts_factor_single(factor->fronts, &matrix, factor->single, &factor->scratch,
                                     &pivots, err);
  if (!status) status = check_pivots(factor, &pivots, err);
  if (!status) {
    factor->refine.fronts = factor->fronts;
    factor->refine.A = A;
    factor->refine.L = factor->single;
    factor->refine.scale = matrix.scale;
    factor->refine.norm = lb_refine_norm(A, sums);
    status = lb_refine_soften(&factor->refine, err);
  }
  if (!status) status = lb_refine_probe(&factor->refine, err);
  lb_free(sums);
  if (!status && !(factor->refine.contraction <= LB_CHOLESKY_ONE_SWEEP))
    status = lb_fail(err, LB_ERR_NUMERIC,
                     "sparse Cholesky: the matrix is too ill-conditioned for single precision");
  if (status) drop_single(factor);
  return status;
}

static lbStatus factor_full(lbCholesky *factor, const lbFrontMatrix *matrix, lbError *err) {
  lbFrontPivots pivots;
  drop_single(factor);
  if (!factor->full) factor->full = take_values(factor, sizeof(double), err);
  if (!factor->full) return LB_ERR_MEMORY;
  lbStatus status =
      lb_fronts_factor_double(factor->fronts, matrix, factor->full, &factor->scratch, &pivots, err);
  return status ? status : check_pivots(factor, &pivots, err);
}

lbStatus lb_cholesky_factor(lbCholesky *factor, const lbSparse *A, lbError *err) {
  return lb_cholesky_factor_shifted(factor, A, 0, NULL, err);
}

lbStatus lb_cholesky_factor_shifted(lbCholesky *factor, const lbSparse *A, double shift,
                                    const lbSparse *B, lbError *err) {
  double start = lb_seconds();
  lbFrontMatrix matrix = { A, B, shift, 1 };
  factor->factored = false;
  lbStatus status = check_cholesky_matrix(factor, A, err);
  if (!status) status = check_values(A, 1, err);
  if (!status && B && !lb_sparse_contains(A, B))
    status = lb_fail(err, LB_ERR_ARGUMENT,
                     "sparse Cholesky: the second matrix has entries that the first lacks");
  if (!status && B) status = check_values(B, shift, err);
  if (status) return status;
  bool single = factor->compact && shift == 0;
  if (single) status = factor_single(factor, A, err);
  if (!single || status == LB_ERR_NUMERIC) status = factor_full(factor, &matrix, err);
  factor->factored = !status;
  factor->factor_seconds = lb_seconds() - start;
  return status;
}

// ---- solves ------------------------------------------------------------------------------------

static lbStatus reserve_solve_columns(lbCholesky *factor, int32_t width, lbError *err) {
  if (width <= factor->width) return LB_OK;
  lb_free(factor->Y);
  lb_free(factor->work);
  factor->Y = lb_alloc((size_t)factor->size * (size_t)width, sizeof(double));
  factor->work = lb_alloc(lb_fronts_work_count(factor->fronts, width), sizeof(double));
  factor->width = factor->Y && factor->work ? width : 0;
  return factor->width ? LB_OK : lb_fail_memory(err);
}

typedef struct Panel {
  lbCholesky *factor;
  int32_t width, count;
  double *X; // (size x count)
} Panel;

enum { ROWS = 2048 }; // of one task of a copy

// Constant widths and counts are several times as fast.
static inline __attribute__((always_inline)) void load(const Panel *p, size_t width, size_t count,
                                                       size_t begin, size_t end) {
  size_t n = (size_t)p->factor->size;
  const int32_t *order = p->factor->fronts->order;
  for (size_t i = begin; i < end; i++)
    for (size_t c = 0; c < width; c++)
      p->factor->Y[i * width + c] = c < count ? p->X[c * n + (size_t)order[i]] : 0;
}

static inline __attribute__((always_inline)) void store(const Panel *p, size_t width, size_t count,
                                                        size_t begin, size_t end) {
  size_t n = (size_t)p->factor->size;
  const int32_t *order = p->factor->fronts->order;
  for (size_t i = begin; i < end; i++)
    for (size_t c = 0; c < count; c++) p->X[c * n + (size_t)order[i]] = p->factor->Y[i * width + c];
}

static void load_cholesky_rows(int32_t begin, int32_t end, void *context) {
  enum { FEW = LB_FRONT_WIDTH_FEW };
  const Panel *p = context;
  if (p->width == FEW && p->count == FEW)
    load(p, FEW, FEW, (size_t)begin, (size_t)end);
  else
    load(p, (size_t)p->width, (size_t)p->count, (size_t)begin, (size_t)end);
}

static void store_cholesky_rows(int32_t begin, int32_t end, void *context) {
  enum { FEW = LB_FRONT_WIDTH_FEW };
  const Panel *p = context;
  if (p->width == FEW && p->count == FEW)
    store(p, FEW, FEW, (size_t)begin, (size_t)end);
  else
    store(p, (size_t)p->width, (size_t)p->count, (size_t)begin, (size_t)end);
}

static lbStatus solve_full(lbCholesky *factor, int32_t count, double *X, lbError *err) {
  int32_t width = lb_front_width(count);
  lbStatus status = reserve_solve_columns(factor, width, err);
  for (int32_t done = 0; done < count && !status; done += width) {
    Panel panel = { .factor = factor, .X = X + (size_t)done * (size_t)factor->size };
    panel.count = count - done < width ? count - done : width;
    panel.width = lb_front_width(panel.count);
    lb_parallel_for(factor->size, ROWS, load_cholesky_rows, &panel);
    lb_fronts_solve_double(factor->fronts, factor->full, panel.width, factor->Y, factor->work);
    lb_parallel_for(factor->size, ROWS, store_cholesky_rows, &panel);
  }
  return status;
}

// Refinement leaves columns that it cannot solve unchanged; those before are solved.
static lbStatus solve_single(lbCholesky *factor, double near, int32_t count, double *X,
                             lbError *err) {
  enum { TOGETHER = LB_FRONT_WIDTH_MANY };
  size_t n = (size_t)factor->size;
  lbStatus status = LB_OK;
  int32_t done = 0;
  for (; done < count; done += TOGETHER) {
    int32_t width = count - done < TOGETHER ? count - done : TOGETHER;
    status = lb_refine_solve(&factor->refine, near, width, X + (size_t)done * n, err);
    if (status) break;
  }
  if (status != LB_ERR_NUMERIC) return status;
  lbFrontMatrix matrix = { .A = factor->refine.A, .scale = 1 };
  factor->factored = false;
  status = factor_full(factor, &matrix, err);
  factor->factored = !status;
  return status ? status : solve_full(factor, count - done, X + (size_t)done * n, err);
}

lbStatus lb_cholesky_solve(lbCholesky *factor, int32_t count, double *X, lbError *err) {
  return lb_cholesky_solve_near(factor, 0, count, X, err);
}

lbStatus lb_cholesky_solve_near(lbCholesky *factor, double near, int32_t count, double *X,
                                lbError *err) {
  if (!factor->factored)
    return lb_fail(err, LB_ERR_ARGUMENT, "sparse Cholesky: solve before a successful factor");
  if (count < 1) return LB_OK;
  return factor->single ? solve_single(factor, near, count, X, err)
                        : solve_full(factor, count, X, err);
}

lbStatus lb_cholesky_solve_once(lbCholesky *factor, int32_t count, double *X, size_t work_count,
                                double *work, lbError *err) {
  if (!factor->factored || !factor->single) return lb_cholesky_solve(factor, count, X, err);
  return count < 1 ? LB_OK : lb_refine_solve_once(&factor->refine, count, X, work_count, work, err);
}

void lb_cholesky_drop_soft_shapes(lbCholesky *factor) {
  if (factor) lb_refine_drop_soft(&factor->refine);
}

lbStatus lb_cholesky_take_soft_shapes(lbCholesky *factor, int32_t count, const double *X,
                                      lbError *err) {
  return factor->single ? lb_refine_take_soft(&factor->refine, count, X, err) : LB_OK;
}

const double *lb_cholesky_soft_shapes(const lbCholesky *factor, int32_t *count) {
  *count = factor->single ? factor->refine.soft_count : 0;
  return *count ? factor->refine.S : NULL;
}

lbCholeskyInfo lb_cholesky_info(const lbCholesky *factor) {
  const lbFronts *fronts = factor->fronts;
  size_t own = (factor->single ? sizeof(float) : 0) + (factor->full ? sizeof(double) : 0);
  size_t bytes = lb_fronts_bytes(fronts) + own * fronts->value_count;
  bytes += (factor->width ? (size_t)factor->size * (size_t)factor->width +
                                lb_fronts_work_count(fronts, factor->width)
                          : 0) *
           sizeof(double);
  if (factor->single) bytes += lb_refine_bytes(&factor->refine);
  return (lbCholeskyInfo){ .size = factor->size,
                           .factor_nonzero_count = (int64_t)fronts->value_count,
                           .factor_flops = fronts->flops,
                           .memory_bytes = bytes,
                           .single = factor->single != NULL,
                           .sweep_count = factor->single ? factor->refine.sweep_count : 1,
                           .reciprocal_condition =
                               factor->factored ? factor->reciprocal_condition : 0,
                           .analyse_seconds = factor->analyse_seconds,
                           .factor_seconds = factor->factor_seconds };
}
