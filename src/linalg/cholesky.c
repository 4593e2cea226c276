// Sparse Cholesky over CHOLMOD: supernodal, METIS ordering, everything of CHOLMOD kept inside.
//
// OpenMP is held to one thread while CHOLMOD works: its loops there cost more than they gain. What
// runs in parallel are right-hand sides, on our own threads and with work space of their own each,
// cut in the same way for any number of threads.
#include "linalg/cholesky.h"

#include <dlfcn.h>
#include <suitesparse/cholmod.h>
#include <string.h>

#include "linalg/blas.h"
#include "linalg/dense.h"

enum {
  NODE = 3,           // unknowns of a vertex
  LANES = 2,          // solves at a time: each reads all of L, so more would wait for memory
  LEAST_TOGETHER = 4, // right-hand sides in one pass
  MOST_TOGETHER = 32, // more gain little, and work space grows
};

// Work space of one thread that solves.
typedef struct Lane {
  cholmod_common common;
  double *Y; // (size x width) the permuted right-hand sides, (maxesize x width)
  bool failed;
} Lane;

struct lbCholesky {
  cholmod_common common;
  cholmod_factor *L;
  Lane lanes[LANES];
  int32_t lane_width; // columns that lanes have room for
  int32_t size;
  int32_t *column_begin; // (size + 1), of the pattern that was analysed
  bool factored;
  double reciprocal_condition, analyse_seconds, factor_seconds;
};

// ---- OpenMP held to one thread -----------------------------------------------------------------

// Looked up at run time: which OpenMP library CHOLMOD was built with, if any, is its own affair.
typedef struct OpenMP {
  void (*set_levels)(int);
  int levels; // to restore
} OpenMP;

static OpenMP silence_openmp(void) {
  OpenMP openmp = { 0 };
  int (*get_levels)(void) = NULL;
  void *get = dlsym(RTLD_DEFAULT, "omp_get_max_active_levels");
  void *set = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
  if (!get || !set) return openmp;
  memcpy(&get_levels, &get, sizeof get);
  memcpy(&openmp.set_levels, &set, sizeof set);
  openmp.levels = get_levels();
  openmp.set_levels(0);
  return openmp;
}

static void restore_openmp(OpenMP openmp) {
  if (openmp.set_levels) openmp.set_levels(openmp.levels);
}

// ---- CHOLMOD's types around ours ---------------------------------------------------------------

static cholmod_sparse sparse_view(const lbSparse *A, double *values) {
  return (cholmod_sparse){ .nrow = (size_t)A->size,
                           .ncol = (size_t)A->size,
                           .nzmax = (size_t)lb_sparse_nonzero_count(A),
                           .p = A->column_begin,
                           .i = A->rows,
                           .x = values,
                           .stype = 1,
                           .itype = CHOLMOD_INT,
                           .xtype = values ? CHOLMOD_REAL : CHOLMOD_PATTERN,
                           .dtype = CHOLMOD_DOUBLE,
                           .sorted = true,
                           .packed = true };
}

static cholmod_dense dense_view(int32_t rows, int32_t columns, double *values) {
  return (cholmod_dense){ .nrow = (size_t)rows,
                          .ncol = (size_t)columns,
                          .nzmax = (size_t)rows * (size_t)columns,
                          .d = (size_t)rows,
                          .x = values,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE };
}

static lbStatus fail_cholmod(const lbCholesky *factor, lbError *err) {
  switch (factor->common.status) {
  case CHOLMOD_OUT_OF_MEMORY: return lb_fail_memory(err);
  case CHOLMOD_TOO_LARGE:
    return lb_fail(err, LB_ERR_MEMORY,
                   "sparse Cholesky of %d rows: the factor has more than 2^31 entries, use a "
                   "coarser mesh",
                   factor->size);
  default:
    return lb_fail(err, LB_ERR_NUMERIC, "sparse Cholesky of %d rows failed (code %d)", factor->size,
                   factor->common.status);
  }
}

// ---- analysis ----------------------------------------------------------------------------------

// Whether columns 3v..3v+2 consist of full 3x3 blocks, for every v.
static bool has_full_blocks(const lbSparse *A) {
  if (A->size % NODE) return false;
  for (int32_t j = 0; j < A->size; j++) {
    int32_t within = j % NODE, diagonal = j - within;
    const int32_t *rows = A->rows + A->column_begin[j];
    int32_t count = A->column_begin[j + 1] - A->column_begin[j];
    int32_t above = count - (within + 1); // rows of blocks above the diagonal one
    if (above < 0 || above % NODE || rows[above] != diagonal || rows[count - 1] != j) return false;
    for (int32_t k = 0; k < above; k += NODE)
      if (rows[k] % NODE || rows[k + 2] != rows[k] + 2) return false;
    const int32_t *first = A->rows + A->column_begin[diagonal];
    if (memcmp(rows, first, (size_t)above * sizeof *rows)) return false;
    if (A->column_begin[diagonal + 1] - A->column_begin[diagonal] != above + 1) return false;
  }
  return true;
}

// The graph of the 3x3 blocks.
static lbStatus make_block_graph(const lbSparse *A, lbSparse **out, lbError *err) {
  int32_t nodes = A->size / NODE, count = 0;
  lbStatus status = LB_OK;
  int32_t *begin = lb_alloc((size_t)nodes + 1, sizeof *begin);
  int32_t *rows = lb_alloc((size_t)lb_sparse_nonzero_count(A) / NODE + 1, sizeof *rows);
  if (!begin || !rows) {
    status = lb_fail_memory(err);
    goto done;
  }
  for (int32_t v = 0; v < nodes; v++) {
    int32_t column = NODE * v;
    for (int32_t k = A->column_begin[column]; k < A->column_begin[column + 1]; k += NODE)
      rows[count++] = A->rows[k] / NODE;
    begin[v + 1] = count;
  }
  status = lb_sparse_create(nodes, begin, rows, out, err);
done:
  lb_free(begin);
  lb_free(rows);
  return status;
}

// order (size): a METIS ordering of the blocks, three unknowns each.
static lbStatus order_blocks(lbCholesky *factor, const lbSparse *A, int32_t *order, lbError *err) {
  lbSparse *graph = NULL;
  lbStatus status = make_block_graph(A, &graph, err);
  if (status) return status;
  cholmod_sparse view = sparse_view(graph, NULL);
  int32_t *nodes = order + A->size - graph->size; // expanded in place, front to back
  if (!cholmod_metis(&view, NULL, 0, true, nodes, &factor->common))
    status = fail_cholmod(factor, err);
  for (int32_t v = 0; !status && v < graph->size; v++) {
    int32_t node = nodes[v];
    for (int32_t c = 0; c < NODE; c++) order[NODE * v + c] = NODE * node + c;
  }
  lb_sparse_destroy(graph);
  return status;
}

static void set_options(cholmod_common *common) {
  common->print = 0;
  common->supernodal = CHOLMOD_SUPERNODAL;
  common->final_ll = true;
  common->quick_return_if_not_posdef = true;
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_METIS;
  common->postorder = true;
  common->useGPU = 0;
}

static lbStatus analyse(lbCholesky *factor, const lbSparse *A, lbError *err) {
  int32_t *order = NULL;
  lbStatus status = LB_OK;
  if (has_full_blocks(A)) {
    order = lb_alloc((size_t)A->size, sizeof *order);
    status = order ? order_blocks(factor, A, order, err) : lb_fail_memory(err);
    if (status) goto done;
    factor->common.method[0].ordering = CHOLMOD_GIVEN;
  }
  cholmod_sparse view = sparse_view(A, NULL);
  factor->L = cholmod_analyze_p(&view, order, NULL, 0, &factor->common);
  if (!factor->L) status = fail_cholmod(factor, err);
done:
  lb_free(order);
  return status;
}

lbStatus lb_cholesky_create(const lbSparse *A, lbCholesky **out, lbError *err) {
  double start = lb_seconds();
  lbStatus status = lb_linalg_reserve(err);
  if (!status) status = lb_sparse_validate(A, err);
  if (status) return status;
  lbCholesky *factor = lb_alloc(1, sizeof *factor);
  if (!factor) return lb_fail_memory(err);
  factor->size = A->size;
  cholmod_start(&factor->common);
  set_options(&factor->common);
  for (int i = 0; i < LANES; i++) {
    cholmod_start(&factor->lanes[i].common);
    factor->lanes[i].common.print = 0;
  }
  factor->column_begin =
      lb_duplicate(A->column_begin, (size_t)A->size + 1, sizeof *A->column_begin);
  OpenMP openmp = silence_openmp();
  status = factor->column_begin ? analyse(factor, A, err) : lb_fail_memory(err);
  restore_openmp(openmp);
  if (status) {
    lb_cholesky_destroy(factor);
    return status;
  }
  factor->analyse_seconds = lb_seconds() - start;
  *out = factor;
  return LB_OK;
}

void lb_cholesky_destroy(lbCholesky *factor) {
  if (!factor) return;
  cholmod_free_factor(&factor->L, &factor->common);
  cholmod_finish(&factor->common);
  for (int i = 0; i < LANES; i++) {
    cholmod_finish(&factor->lanes[i].common);
    lb_free(factor->lanes[i].Y);
  }
  lb_free(factor->column_begin);
  lb_free(factor);
}

// ---- factorisation -----------------------------------------------------------------------------

static lbStatus check_matrix(const lbCholesky *factor, const lbSparse *A, lbError *err) {
  if (A->size != factor->size || memcmp(A->column_begin, factor->column_begin,
                                        ((size_t)A->size + 1) * sizeof *A->column_begin))
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "sparse Cholesky: the matrix of %d rows does not have the pattern that was analysed",
        A->size);
  if (lb_linalg_all_finite((size_t)lb_sparse_nonzero_count(A), A->values)) return LB_OK;
  for (int32_t j = 0; j < A->size; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++)
      if (!lb_linalg_all_finite(1, &A->values[k]))
        return lb_fail(err, LB_ERR_NUMERIC, "sparse Cholesky: row %d, column %d holds %g",
                       A->rows[k], j, A->values[k]);
  return LB_OK;
}

// L L' = (pattern of A with these values) + identity_shift I
static lbStatus factor_values(lbCholesky *factor, const lbSparse *A, double *values,
                              double identity_shift, lbError *err) {
  double start = lb_seconds(), beta[2] = { identity_shift, 0 };
  cholmod_sparse view = sparse_view(A, values);
  factor->factored = false;
  lb_linalg_one_thread();
  OpenMP openmp = silence_openmp();
  int succeeded = cholmod_factorize_p(&view, beta, NULL, 0, factor->L, &factor->common);
  restore_openmp(openmp);
  factor->factor_seconds = lb_seconds() - start;
  if (!succeeded) return fail_cholmod(factor, err);
  if (factor->common.status == CHOLMOD_NOT_POSDEF || factor->L->minor < factor->L->n) {
    const int32_t *order = factor->L->Perm;
    return lb_fail(err, LB_ERR_NUMERIC, "sparse matrix: not positive definite at row %d",
                   order[factor->L->minor]);
  }
  factor->reciprocal_condition = cholmod_rcond(factor->L, &factor->common);
  factor->factored = true;
  return LB_OK;
}

lbStatus lb_cholesky_factor(lbCholesky *factor, const lbSparse *A, lbError *err) {
  return lb_cholesky_factor_shifted(factor, A, 0, NULL, err);
}

lbStatus lb_cholesky_factor_shifted(lbCholesky *factor, const lbSparse *A, double shift,
                                    const lbSparse *B, lbError *err) {
  factor->factored = false;
  lbStatus status = check_matrix(factor, A, err);
  if (status) return status;
  if (!B) return factor_values(factor, A, A->values, shift, err);

  size_t count = (size_t)lb_sparse_nonzero_count(A);
  lbSparse sum = *A;
  sum.values = lb_duplicate(A->values, count, sizeof *sum.values);
  if (!sum.values) return lb_fail_memory(err);
  if (!lb_sparse_add_scaled(&sum, shift, B))
    status = lb_fail(err, LB_ERR_ARGUMENT,
                     "sparse Cholesky: the second matrix has entries that the first lacks");
  if (!status) status = check_matrix(factor, &sum, err);
  if (!status) status = factor_values(factor, A, sum.values, 0, err);
  lb_free(sum.values);
  return status;
}

// ---- solves ------------------------------------------------------------------------------------

// Right-hand sides of one task. Fewer together cost more each, and work space grows with them.
static int32_t solve_width(int32_t count) {
  int32_t half = (count + 1) / 2;
  return half < LEAST_TOGETHER ? LEAST_TOGETHER : half > MOST_TOGETHER ? MOST_TOGETHER : half;
}

static lbStatus allocate_lanes(lbCholesky *factor, int32_t width, lbError *err) {
  if (width <= factor->lane_width) return LB_OK;
  for (int i = 0; i < LANES; i++) {
    lb_free(factor->lanes[i].Y);
    factor->lanes[i].Y = NULL;
  }
  factor->lane_width = 0;
  size_t rows = (size_t)factor->size + factor->L->maxesize;
  for (int i = 0; i < LANES; i++) {
    factor->lanes[i].Y = lb_alloc(rows * (size_t)width, sizeof(double));
    if (!factor->lanes[i].Y) return lb_fail_memory(err);
  }
  factor->lane_width = width;
  return LB_OK;
}

typedef struct Solve {
  lbCholesky *factor;
  int32_t count, width;
  double *X;
} Solve;

// X <- P' L'^-1 L^-1 P X of some columns, in the work space of a lane.
static bool solve_columns(lbCholesky *factor, Lane *lane, int32_t count, double *X) {
  size_t n = (size_t)factor->size;
  const int32_t *order = factor->L->Perm;
  cholmod_dense Y = dense_view(factor->size, count, lane->Y);
  cholmod_dense E =
      dense_view((int32_t)factor->L->maxesize, count, lane->Y + n * (size_t)factor->lane_width);
  for (size_t c = 0; c < (size_t)count; c++)
    for (size_t i = 0; i < n; i++) lane->Y[c * n + i] = X[c * n + (size_t)order[i]];
  if (!cholmod_super_lsolve(factor->L, &Y, &E, &lane->common) ||
      !cholmod_super_ltsolve(factor->L, &Y, &E, &lane->common))
    return false;
  for (size_t c = 0; c < (size_t)count; c++)
    for (size_t i = 0; i < n; i++) X[c * n + (size_t)order[i]] = lane->Y[c * n + i];
  return true;
}

// Lane `lane` takes every LANES-th task.
static void run_lane(int32_t begin, int32_t end, void *context) {
  const Solve *solve = context;
  silence_openmp(); // of a thread that the caller's call does not reach
  for (int32_t i = begin; i < end; i++) {
    Lane *lane = &solve->factor->lanes[i];
    lane->failed = false;
    for (int32_t done = i * solve->width; done < solve->count && !lane->failed;
         done += LANES * solve->width) {
      int32_t left = solve->count - done, width = left < solve->width ? left : solve->width;
      lane->failed = !solve_columns(solve->factor, lane, width,
                                    solve->X + (size_t)done * (size_t)solve->factor->size);
    }
  }
}

lbStatus lb_cholesky_solve(lbCholesky *factor, int32_t count, double *X, lbError *err) {
  if (!factor->factored)
    return lb_fail(err, LB_ERR_ARGUMENT, "sparse Cholesky: solve before a successful factor");
  if (count < 1) return LB_OK;
  Solve solve = { factor, count, solve_width(count), X };
  lbStatus status = allocate_lanes(factor, solve.width, err);
  if (status) return status;
  lb_linalg_one_thread();
  OpenMP openmp = silence_openmp();
  lb_parallel_for(count <= solve.width ? 1 : LANES, 1, run_lane, &solve);
  restore_openmp(openmp);
  for (int i = 0; i < LANES && !status; i++)
    if (factor->lanes[i].failed)
      status = lb_fail(err, LB_ERR_NUMERIC, "sparse Cholesky of %d rows: solve failed (code %d)",
                       factor->size, factor->lanes[i].common.status);
  return status;
}

lbCholeskyInfo lb_cholesky_info(const lbCholesky *factor) {
  return (lbCholeskyInfo){ .size = factor->size,
                           .factor_nonzero_count = (int64_t)factor->L->xsize,
                           .factor_flops = factor->common.fl,
                           .memory_bytes = factor->common.memory_inuse +
                                           LANES * (size_t)factor->lane_width * sizeof(double) *
                                               ((size_t)factor->size + factor->L->maxesize),
                           .reciprocal_condition =
                               factor->factored ? factor->reciprocal_condition : 0,
                           .analyse_seconds = factor->analyse_seconds,
                           .factor_seconds = factor->factor_seconds };
}
