// x <- x + (L L')^-1 (b - A x), the residual in double precision, until it is as small as a direct
// solution in double precision leaves it.
//
// Rounding errors of L matter in the softest shapes, where A^-1 is largest. So some soft shapes S
// are found first, by inverse iteration with L itself, and solved for in double precision: with
// Q = S (S' A S)^-1 S' a correction is Q r + (1 - Q A) (L L')^-1 (1 - A Q) r.
#include "linalg/refine.h"

#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/product.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  MOST_SWEEPS = 25, // a good factor needs four or five
  SOFT_LEAST_SIZE = 40 * LB_REFINE_SOFT,
  ROWS = 8192 // of one task of a copy
};

// A residual of one unit in the last place of norm(A) |x| is rounding; one that does not shrink any
// more may be this many.
static const double ROUNDING_MOST = 16;

void lb_refine_release_work(lbRefine *refine) {
  void *blocks[] = { refine->Y, refine->work, refine->x, refine->r, refine->parts };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  refine->Y = refine->work = NULL;
  refine->x = refine->r = refine->parts = NULL;
  refine->width = 0;
}

void lb_refine_drop_soft(lbRefine *refine) {
  lb_free(refine->S);
  lb_free(refine->AS);
  refine->S = refine->AS = NULL;
  refine->soft_count = 0;
  refine->softened = false;
}

void lb_refine_release(lbRefine *refine) {
  lb_refine_release_work(refine);
  lb_refine_drop_soft(refine);
}

static lbStatus reserve_panel(lbRefine *refine, int32_t width, lbError *err) {
  if (width <= refine->width) return LB_OK;
  lb_refine_release_work(refine);
  size_t tasks = (size_t)(refine->fronts->size - 1) / ROWS + 1;
  size_t values = (size_t)refine->fronts->size * (size_t)width;
  refine->Y = lb_alloc(values, sizeof(float));
  refine->work = lb_alloc(lb_fronts_work_count(refine->fronts, width), sizeof(float));
  refine->x = lb_alloc(values, sizeof(double));
  refine->r = lb_alloc(values, sizeof(double));
  refine->parts =
      lb_alloc(tasks * LB_REFINE_SOFT, (size_t)(width < 2 ? 2 : width) * sizeof(double));
  if (!refine->Y || !refine->work || !refine->x || !refine->r || !refine->parts) {
    lb_refine_release_work(refine);
    return lb_fail_memory(err);
  }
  refine->width = width;
  return LB_OK;
}

size_t lb_refine_bytes(const lbRefine *refine) {
  size_t width = (size_t)refine->width, soft = 2 * (size_t)refine->soft_count * sizeof(double);
  return (size_t)refine->fronts->size * soft +
         (size_t)refine->fronts->size * width * (sizeof(float) + 2 * sizeof(double)) +
         lb_fronts_work_count(refine->fronts, refine->width) * sizeof(float);
}

double lb_refine_norm(const lbSparse *A, double *sums) {
  double most = 0;
  memset(sums, 0, (size_t)A->size * sizeof *sums);
  for (int32_t j = 0; j < A->size; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++) {
      double value = fabs(A->values[k]);
      sums[j] += value;
      if (A->rows[k] < j) sums[A->rows[k]] += value;
    }
  for (int32_t j = 0; j < A->size; j++) most = fmax(most, sums[j]);
  return most;
}

// ---- one panel of right-hand sides -------------------------------------------------------------

typedef struct Panel {
  lbRefine *refine;
  int32_t width, count;
  double *B;   // (size x count), X in the end
  double near; // tolerated relative error; 0: refine until the residual is rounding
  double x_largest[LB_FRONT_WIDTH_MANY], r_largest[LB_FRONT_WIDTH_MANY];
  double correction[LB_FRONT_WIDTH_MANY];                    // the largest value of the last one
  double coefficients[LB_REFINE_SOFT * LB_FRONT_WIDTH_MANY]; // (soft_count x width) by rows
} Panel;

// Y: the residuals in the order of L, each scaled to a largest value of one.
static void load_panel_rows(int32_t begin, int32_t end, void *context) {
  const Panel *p = context;
  size_t width = (size_t)p->width;
  double scale[LB_FRONT_WIDTH_MANY];
  for (size_t c = 0; c < width; c++) scale[c] = p->r_largest[c] > 0 ? 1 / p->r_largest[c] : 0;
  for (size_t i = (size_t)begin; i < (size_t)end; i++) {
    const double *r = p->refine->r + (size_t)p->refine->fronts->order[i] * width;
    for (size_t c = 0; c < width; c++) p->refine->Y[i * width + c] = (float)(r[c] * scale[c]);
  }
}

// r: the corrections, Y unscaled and in the order of A.
static void unload_rows(int32_t begin, int32_t end, void *context) {
  const Panel *p = context;
  size_t width = (size_t)p->width;
  for (size_t i = (size_t)begin; i < (size_t)end; i++) {
    double *r = p->refine->r + (size_t)p->refine->fronts->order[i] * width;
    for (size_t c = 0; c < width; c++)
      r[c] = p->r_largest[c] * p->refine->scale * (double)p->refine->Y[i * width + c];
  }
}

// The largest values of a task's rows: of r, of x.
static double *task_largest(const Panel *p, int32_t begin) {
  return p->refine->parts + (size_t)(begin / ROWS) * 2 * (size_t)p->width;
}

static void measure_rows(const Panel *p, int32_t begin, int32_t end) {
  size_t width = (size_t)p->width;
  double *largest = task_largest(p, begin);
  memset(largest, 0, 2 * width * sizeof *largest);
  for (size_t i = (size_t)begin; i < (size_t)end; i++)
    for (size_t c = 0; c < width; c++) {
      double r = fabs(p->refine->r[i * width + c]), x = fabs(p->refine->x[i * width + c]);
      largest[c] = r > largest[c] ? r : largest[c];
      largest[width + c] = x > largest[width + c] ? x : largest[width + c];
    }
}

static void gather_largest(const Panel *p, double *r_largest, double *x_largest) {
  memset(r_largest, 0, LB_FRONT_WIDTH_MANY * sizeof(double));
  memset(x_largest, 0, LB_FRONT_WIDTH_MANY * sizeof(double));
  for (int32_t begin = 0; begin < p->refine->fronts->size; begin += ROWS)
    for (int32_t c = 0; c < p->width; c++) {
      r_largest[c] = fmax(r_largest[c], task_largest(p, begin)[c]);
      x_largest[c] = fmax(x_largest[c], task_largest(p, begin)[p->width + c]);
    }
}

static void start_rows(int32_t begin, int32_t end, void *context) {
  const Panel *p = context;
  size_t width = (size_t)p->width, n = (size_t)p->refine->fronts->size;
  for (size_t i = (size_t)begin; i < (size_t)end; i++)
    for (size_t c = 0; c < width; c++) {
      p->refine->x[i * width + c] = 0;
      p->refine->r[i * width + c] = c < (size_t)p->count ? p->B[c * n + i] : 0;
    }
  measure_rows(p, begin, end);
}

static void correct_rows(int32_t begin, int32_t end, void *context) {
  const Panel *p = context;
  size_t width = (size_t)p->width;
  for (size_t i = (size_t)begin * width; i < (size_t)end * width; i++)
    p->refine->x[i] += p->refine->r[i];
  measure_rows(p, begin, end);
}

// r: from A x to B - A x.
static void subtract_panel_rows(int32_t begin, int32_t end, void *context) {
  const Panel *p = context;
  size_t width = (size_t)p->width, n = (size_t)p->refine->fronts->size;
  for (size_t i = (size_t)begin; i < (size_t)end; i++)
    for (size_t c = 0; c < width; c++) {
      double *r = &p->refine->r[i * width + c];
      *r = c < (size_t)p->count ? p->B[c * n + i] - *r : 0;
    }
  measure_rows(p, begin, end);
}

static void store_panel_rows(int32_t begin, int32_t end, void *context) {
  const Panel *p = context;
  size_t width = (size_t)p->width, n = (size_t)p->refine->fronts->size;
  for (size_t i = (size_t)begin; i < (size_t)end; i++)
    for (size_t c = 0; c < (size_t)p->count; c++) p->B[c * n + i] = p->refine->x[i * width + c];
}

// Products A x of some columns.
static void multiply_panel_columns(int32_t begin, int32_t end, void *context) {
  const Panel *p = context;
  const lbRefine *refine = p->refine;
  size_t width = (size_t)p->width, at = (size_t)begin;
  const lbProductKernels *kernels = lb_product_kernels(lb_simd_best());
  if (width == 1)
    lb_sparse_multiply(refine->A, refine->x, refine->r);
  else
    (end - begin == LB_PRODUCT_FEW ? kernels->few : kernels->many)(refine->A, width, refine->x + at,
                                                                   refine->r + at);
}

// r = B - A x
static void find_panel_residuals(Panel *p) {
  lb_parallel_for(p->width, (p->width + 1) / 2, multiply_panel_columns, p);
  lb_parallel_for(p->refine->fronts->size, ROWS, subtract_panel_rows, p);
  gather_largest(p, p->r_largest, p->x_largest);
}

static void start_panel(Panel *p) { // x = 0, r = B
  lb_parallel_for(p->refine->fronts->size, ROWS, start_rows, p);
  gather_largest(p, p->r_largest, p->x_largest);
}

// ---- soft shapes -------------------------------------------------------------------------------

typedef struct Product {
  const Panel *panel;
  const double *F; // (size x soft_count)
  double *parts;   // (soft_count x width) of each task
} Product;

// Parts of F' r.
static void sum_part(int32_t begin, int32_t end, void *context) {
  const Product *q = context;
  const lbRefine *refine = q->panel->refine;
  int32_t width = q->panel->width, soft = refine->soft_count;
  size_t n = (size_t)refine->fronts->size;
  lb_dense_multiply_parts(LB_PLAIN, LB_PLAIN, width, soft, end - begin, 1,
                          refine->r + (size_t)begin * (size_t)width, (size_t)width, q->F + begin, n,
                          0, q->parts + (size_t)(begin / ROWS) * (size_t)(width * soft),
                          (size_t)width);
}

// coefficients = (S' A S)^-1 F' r
static void find_coefficients(Panel *p, const double *F) {
  lbRefine *refine = p->refine;
  size_t width = (size_t)p->width, soft = (size_t)refine->soft_count, values = width * soft;
  double packed[LB_REFINE_SOFT * LB_FRONT_WIDTH_MANY] = { 0 }; // (soft x width), by columns
  Product product = { p, F, refine->parts };
  lb_parallel_for(refine->fronts->size, ROWS, sum_part, &product);
  for (size_t t = 0; t * ROWS < (size_t)refine->fronts->size; t++)
    for (size_t k = 0; k < values; k++) // the parts are (width x soft)
      packed[k % width * soft + k / width] += refine->parts[t * values + k];
  lb_dense_cholesky_solve((int32_t)soft, refine->E, (int32_t)width, packed);
  for (size_t k = 0; k < values; k++) p->coefficients[k] = packed[k % width * soft + k / width];
}

// r -= A S coefficients
static void subtract_soft(int32_t begin, int32_t end, void *context) {
  const Panel *p = context;
  const lbRefine *refine = p->refine;
  lb_dense_multiply_parts(LB_PLAIN, LB_TRANSPOSED, p->width, end - begin, refine->soft_count, -1,
                          p->coefficients, (size_t)p->width, refine->AS + begin,
                          (size_t)refine->fronts->size, 1,
                          refine->r + (size_t)begin * (size_t)p->width, (size_t)p->width);
}

// r += S coefficients
static void add_soft(int32_t begin, int32_t end, void *context) {
  const Panel *p = context;
  const lbRefine *refine = p->refine;
  lb_dense_multiply_parts(LB_PLAIN, LB_TRANSPOSED, p->width, end - begin, refine->soft_count, 1,
                          p->coefficients, (size_t)p->width, refine->S + begin,
                          (size_t)refine->fronts->size, 1,
                          refine->r + (size_t)begin * (size_t)p->width, (size_t)p->width);
}

// ---- sweeps ------------------------------------------------------------------------------------

static void solve_rows(Panel *p) { // r <- (L L')^-1 r
  lbRefine *refine = p->refine;
  lb_parallel_for(refine->fronts->size, ROWS, load_panel_rows, p);
  lb_fronts_solve_single(refine->fronts, refine->L, p->width, refine->Y, refine->work);
  lb_parallel_for(refine->fronts->size, ROWS, unload_rows, p);
}

// One correction of x.
static void correct_panel(Panel *p) {
  lbRefine *refine = p->refine;
  int32_t n = refine->fronts->size;
  double own[LB_REFINE_SOFT * LB_FRONT_WIDTH_MANY] = { 0 };
  size_t values = (size_t)refine->soft_count * (size_t)p->width;
  if (values) { // what soft shapes take of the forces
    find_coefficients(p, refine->S);
    memcpy(own, p->coefficients, values * sizeof *own);
    lb_parallel_for(n, ROWS, subtract_soft, p);
  }
  solve_rows(p);
  if (values) { // the correction has nothing of them but that
    find_coefficients(p, refine->AS);
    for (size_t k = 0; k < values; k++) p->coefficients[k] = own[k] - p->coefficients[k];
    lb_parallel_for(n, ROWS, add_soft, p);
  }
  lb_parallel_for(n, ROWS, correct_rows, p);
  gather_largest(p, p->correction, p->x_largest);
}

typedef enum Progress { CONVERGED, CONVERGING, STALLED } Progress;

// Whether the next corrections will be within the tolerance, if they shrink as the last did.
static bool is_near(const Panel *p, const double *before) {
  for (int32_t c = 0; c < p->count; c++) {
    double ratio = before[c] > 0 ? p->correction[c] / before[c] : 0;
    if (!(ratio < 0.1 && p->correction[c] * ratio <= p->near * p->x_largest[c])) return false;
  }
  return true;
}

static Progress judge_residuals(const Panel *p, const double *before) {
  Progress progress = CONVERGED;
  for (int32_t c = 0; c < p->count; c++) {
    double rounding = DBL_EPSILON * p->refine->norm * p->x_largest[c], r = p->r_largest[c];
    if (r <= rounding) continue;
    if (!(r < 0.25 * before[c] || r <= ROUNDING_MOST * rounding)) return STALLED;
    if (r < 0.25 * before[c]) progress = CONVERGING;
  }
  return progress;
}

static Progress advance_panel(Panel *p, int32_t sweeps) {
  double r_before[LB_FRONT_WIDTH_MANY], correction_before[LB_FRONT_WIDTH_MANY];
  memcpy(r_before, p->r_largest, sizeof r_before);
  memcpy(correction_before, p->correction, sizeof correction_before);
  correct_panel(p);
  if (sweeps > 0 && p->near > 0 && is_near(p, correction_before)) return CONVERGED;
  find_panel_residuals(p);
  return judge_residuals(p, r_before);
}

static lbStatus refine_panel(Panel *p, lbError *err) {
  Progress progress = CONVERGING;
  int32_t sweeps = 0;
  start_panel(p);
  if (p->near > 0 && p->near >= p->refine->contraction) {
    correct_panel(p);
    progress = CONVERGED;
    sweeps = 1;
  }
  while (progress == CONVERGING && sweeps < MOST_SWEEPS) progress = advance_panel(p, sweeps++);
  if (sweeps > p->refine->sweep_count) p->refine->sweep_count = sweeps;
  if (progress != CONVERGED)
    return lb_fail(err, LB_ERR_NUMERIC, "refinement of a solution does not converge");
  lb_parallel_for(p->refine->fronts->size, ROWS, store_panel_rows, p);
  return LB_OK;
}

// ---- one sweep by itself -----------------------------------------------------------------------

typedef struct Once {
  const lbRefine *refine;
  float *Y;
  int32_t width, count;
  double *X; // (size x count)
  double largest[LB_FRONT_WIDTH_MANY];
} Once;

static void measure_columns(int32_t begin, int32_t end, void *context) {
  Once *once = context;
  size_t n = (size_t)once->refine->fronts->size;
  for (size_t c = (size_t)begin; c < (size_t)end; c++) {
    double largest = 0;
    for (size_t i = c * n; i < (c + 1) * n; i++) largest = fmax(largest, fabs(once->X[i]));
    once->largest[c] = largest;
  }
}

static void load_columns(int32_t begin, int32_t end, void *context) {
  const Once *once = context;
  size_t n = (size_t)once->refine->fronts->size, width = (size_t)once->width;
  double scale[LB_FRONT_WIDTH_MANY];
  for (size_t c = 0; c < width; c++) scale[c] = once->largest[c] > 0 ? 1 / once->largest[c] : 0;
  for (size_t i = (size_t)begin; i < (size_t)end; i++) {
    const double *from = once->X + once->refine->fronts->order[i];
    for (size_t c = 0; c < width; c++)
      once->Y[i * width + c] = c < (size_t)once->count ? (float)(from[c * n] * scale[c]) : 0;
  }
}

static void store_panel_columns(int32_t begin, int32_t end, void *context) {
  const Once *once = context;
  size_t n = (size_t)once->refine->fronts->size, width = (size_t)once->width;
  for (size_t i = (size_t)begin; i < (size_t)end; i++) {
    double *to = once->X + once->refine->fronts->order[i];
    for (size_t c = 0; c < (size_t)once->count; c++)
      to[c * n] = once->largest[c] * once->refine->scale * (double)once->Y[i * width + c];
  }
}

// ---- public ------------------------------------------------------------------------------------

static lbStatus fail_finite(lbError *err) {
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "sparse Cholesky: a right-hand side holds a value that is not finite");
}

lbStatus lb_refine_solve_once(lbRefine *refine, int32_t count, double *X, size_t work_count,
                              double *work, lbError *err) {
  int32_t n = refine->fronts->size, width = lb_front_width(count);
  size_t values = (size_t)n * (size_t)width;
  size_t needed = values + lb_fronts_work_count(refine->fronts, width);
  bool fits = needed * sizeof(float) <= work_count * sizeof(double);
  float *own = fits ? NULL : lb_alloc(needed, sizeof *own);
  float *Y = fits ? (float *)work : own;
  lbStatus status = Y ? LB_OK : lb_fail_memory(err);
  if (!status && !lb_linalg_all_finite((size_t)n * (size_t)count, X)) status = fail_finite(err);
  for (int32_t done = 0; done < count && !status; done += width) {
    Once once = { .refine = refine, .Y = Y, .X = X + (size_t)done * (size_t)n };
    once.count = count - done < width ? count - done : width;
    once.width = lb_front_width(once.count);
    lb_parallel_for(once.count, 1, measure_columns, &once);
    lb_parallel_for(n, ROWS, load_columns, &once);
    lb_fronts_solve_single(refine->fronts, refine->L, once.width, Y, Y + values);
    lb_parallel_for(n, ROWS, store_panel_columns, &once);
  }
  lb_free(own);
  return status;
}

lbStatus lb_refine_solve(lbRefine *refine, double near, int32_t count, double *X, lbError *err) {
  size_t n = (size_t)refine->fronts->size;
  int32_t width = lb_front_width(count);
  lbStatus status = refine->softened ? LB_OK : lb_refine_soften(refine, err);
  if (!status) status = reserve_panel(refine, width, err);
  if (!status && !lb_linalg_all_finite(n * (size_t)count, X)) return fail_finite(err);
  refine->sweep_count = 0;
  for (int32_t done = 0; done < count && !status; done += width) {
    Panel panel = { .refine = refine, .near = near, .B = X + (size_t)done * n };
    panel.count = count - done < width ? count - done : width;
    panel.width = lb_front_width(panel.count);
    status = refine_panel(&panel, err);
  }
  return status;
}

// Columns of S (size x soft_count) become orthonormal; false: they are dependent.
static bool orthonormalise_soft_columns(int32_t size, int32_t count, double *S) {
  double G[LB_REFINE_SOFT * LB_REFINE_SOFT];
  lb_dense_gram(size, count, S, G);
  if (lb_dense_cholesky(count, G, NULL)) return false;
  lb_dense_divide_by_upper(size, count, G, S);
  return true;
}

// S <- (L L')^-1 S, in place, one panel.
static void iterate_soft_columns(lbRefine *refine, double *S) {
  Panel panel = { .refine = refine, .width = LB_REFINE_SOFT, .count = LB_REFINE_SOFT, .B = S };
  start_panel(&panel);
  solve_rows(&panel);
  memcpy(refine->x, refine->r, (size_t)refine->fronts->size * LB_REFINE_SOFT * sizeof(double));
  lb_parallel_for(refine->fronts->size, ROWS, store_panel_rows, &panel);
}

static lbStatus open_soft(lbRefine *refine, lbError *err) {
  size_t values = (size_t)refine->fronts->size * LB_REFINE_SOFT;
  refine->soft_count = 0;
  refine->softened = true;
  if (!refine->S) refine->S = lb_alloc(values, sizeof(double));
  if (!refine->AS) refine->AS = lb_alloc(values, sizeof(double));
  return refine->S && refine->AS ? LB_OK : lb_fail_memory(err);
}

// S, orthonormal, is made use of, unless it is degenerate: it goes without.
static void close_soft(lbRefine *refine) {
  lb_product_multiply_many(refine->A, LB_REFINE_SOFT, refine->S, refine->AS);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, LB_REFINE_SOFT, LB_REFINE_SOFT, refine->fronts->size,
                    1, refine->S, refine->AS, 0, refine->E);
  if (!lb_dense_cholesky(LB_REFINE_SOFT, refine->E, NULL)) refine->soft_count = LB_REFINE_SOFT;
}

lbStatus lb_refine_take_soft(lbRefine *refine, int32_t count, const double *X, lbError *err) {
  int32_t size = refine->fronts->size;
  if (count < LB_REFINE_SOFT || size < SOFT_LEAST_SIZE) return LB_OK;
  lbStatus status = open_soft(refine, err);
  if (status) return status;
  memcpy(refine->S, X, (size_t)size * LB_REFINE_SOFT * sizeof *X);
  if (orthonormalise_soft_columns(size, LB_REFINE_SOFT, refine->S)) close_soft(refine);
  return LB_OK;
}

lbStatus lb_refine_soften(lbRefine *refine, lbError *err) {
  enum { ITERATIONS = 3 };
  int32_t size = refine->fronts->size;
  size_t n = (size_t)size, values = n * LB_REFINE_SOFT;
  uint64_t random = 1;
  refine->soft_count = 0;
  refine->softened = true;
  if (size < SOFT_LEAST_SIZE) return LB_OK;
  lbStatus status = reserve_panel(refine, LB_REFINE_SOFT, err);
  if (!status) status = open_soft(refine, err);
  if (status) return status;
  for (size_t i = 0; i < values; i++) {
    random = random * UINT64_C(2862933555777941757) + UINT64_C(3037000493);
    refine->S[i] = (double)(random >> 11) / 4503599627370496.0 - 1;
  }
  for (int i = 0; i < ITERATIONS; i++) {
    iterate_soft_columns(refine, refine->S);
    if (!orthonormalise_soft_columns(size, LB_REFINE_SOFT, refine->S)) return LB_OK;
  }
  close_soft(refine);
  return LB_OK;
}

lbStatus lb_refine_probe(lbRefine *refine, lbError *err) {
  int32_t n = refine->fronts->size;
  lbStatus status = reserve_panel(refine, 1, err);
  double *b = status ? NULL : lb_alloc((size_t)n, sizeof *b);
  if (!b) return status ? status : lb_fail_memory(err);
  for (int32_t i = 0; i < n; i++) b[i] = 1 - (double)(i % 3) - 0.25 * (double)(i % 7);
  Panel panel = { .refine = refine, .width = 1, .count = 1, .B = b };
  start_panel(&panel);
  correct_panel(&panel);
  double first = panel.correction[0];
  find_panel_residuals(&panel);
  correct_panel(&panel);
  refine->contraction = first > 0 ? panel.correction[0] / first : 1;
  lb_free(b);
  return LB_OK;
}
