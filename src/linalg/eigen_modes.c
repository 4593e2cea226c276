// From vectors to modes.
//
// Zero eigenvalues are recognised by rounding: with e = |w|' |K| |w| the sum of absolute terms of
// w' K w, a w' K w of exactly zero comes out as some 1e-16 e, while the softest elastic modes have
// 1e-9 e and more. Below ZERO_ENERGY * e a mode is rigid.
#include "linalg/eigen_modes.h"

#include "linalg/polish.h"
#include "linalg/product.h"
#include "linalg/refine.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double ZERO_ENERGY = 1e-13;

typedef struct Energy {
  double value;    // w' K w
  double absolute; // |w|' |K| |w|
} Energy;

// Columns whose energies are found together: numbers of one lane belong to one column.
enum { LANES = 2 };
typedef double Lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t Bits __attribute__((vector_size(LANES * sizeof(int64_t))));

// The sum of two doubles, or of many products, to twice the digits of one.
typedef struct Twofold {
  Lanes sum, rest; // rest: what rounding took from sum
} Twofold;

// The 26 leading bits: products of such are exact.
static inline Lanes leading_bits(Lanes x) { return (Lanes)((Bits)x & ~((INT64_C(1) << 27) - 1)); }

// to += a b: Ogita, Rump and Oishi's dot product, without fused multiply-add. The same bits on
// every machine, unlike long double.
static inline void add_mass_product(Twofold *to, Lanes a, Lanes b) {
  Lanes product = a * b, sum = to->sum + product, part = sum - to->sum;
  Lanes lost = (to->sum - (sum - part)) + (product - part); // exactly, as in Knuth's sum
  Lanes a_high = leading_bits(a), a_low = a - a_high;
  Lanes b_high = leading_bits(b), b_low = b - b_high;
  Lanes rounding = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  to->sum = sum;
  to->rest += lost + rounding;
}

static inline Lanes absolute_of(Lanes x) { return (Lanes)((Bits)x & INT64_MAX); }

// To twice the digits: the terms of a soft mode's energy cancel to 1e-6 of their size and less,
// and eigenvalues should be good to 1e-10 nevertheless. w (size) has the values of a row together.
static void measure_energies(const lbSparse *K, const Lanes *w, Energy energies[LANES]) {
  Twofold value = { 0 };
  Lanes absolute = { 0 };
  for (int32_t j = 0; j < K->size; j++) {
    Twofold force = { 0 };
    Lanes terms = { 0 };
    for (int32_t k = K->column_begin[j]; k < K->column_begin[j + 1]; k++) {
      Lanes weight = K->rows[k] < j ? 2 * w[K->rows[k]] : w[j];
      Lanes entry = K->values[k] - (Lanes){ 0 };
      add_mass_product(&force, entry, weight);
      terms += absolute_of(entry * weight);
    }
    add_mass_product(&value, force.sum, w[j]);
    value.rest += force.rest * w[j];
    absolute += terms * absolute_of(w[j]);
  }
  for (int i = 0; i < LANES; i++)
    energies[i] = (Energy){ value.sum[i] + value.rest[i], absolute[i] };
}

static double dot_mode_vectors(int32_t size, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < size; i++) sum += a[i] * b[i];
  return sum;
}

static void fix_mode_sign(int32_t size, double *w) {
  int32_t largest = 0;
  for (int32_t i = 1; i < size; i++)
    if (fabs(w[i]) > fabs(w[largest])) largest = i;
  if (w[largest] >= 0) return;
  for (int32_t i = 0; i < size; i++) w[i] = -w[i];
}

typedef enum Fault { NO_FAULT, NO_MASS, NEGATIVE } Fault;

typedef struct Mode {
  int32_t column; // in X
  bool rigid;
  Fault fault;
  bool measured; // energy is known
  Energy energy;
  double value, residual;
} Mode;

static int compare_modes(const void *a, const void *b) {
  const Mode *p = a, *q = b;
  if (p->value != q->value) return p->value < q->value ? -1 : 1;
  return p->column < q->column ? -1 : 1;
}

enum { TOGETHER = 16 }; // columns that are multiplied at a time

typedef struct Examination {
  const lbEigenProblem *problem;
  bool exact;      // energies in extended precision
  double *X;       // (size x total)
  double *KX, *MX; // (size x TOGETHER) of the columns from `begin` on
  double *work;    // of products with them, and of energies
  int32_t begin;
  const double *row_sums; // (size) of |K|
  Mode *modes;
} Examination;

// Length and eigenvalue (Rayleigh's quotient) of one vector, which gets unit mass. In double
// precision w' K w is w' (K w), and e is at most the sum of w_i^2 over the sums of |K|'s rows:
// where that shows it to be elastic, e need not be known.
static void measure_column(const Examination *e, int32_t column) {
  int32_t size = e->problem->K->size;
  size_t n = (size_t)size, at = n * (size_t)(column - e->begin);
  double *w = e->X + n * (size_t)column, *Kw = e->KX + at, *Mw = e->MX + at;
  Mode *mode = &e->modes[column];
  *mode = (Mode){ .column = column };
  double length = sqrt(dot_mode_vectors(size, w, Mw));
  if (!(length > 0)) {
    mode->fault = NO_MASS;
    return;
  }
  for (int32_t i = 0; i < size; i++) w[i] /= length, Mw[i] /= length, Kw[i] /= length;
  if (e->exact) return;
  mode->energy.value = dot_mode_vectors(size, w, Kw);
  for (int32_t i = 0; i < size; i++) mode->energy.absolute += e->row_sums[i] * w[i] * w[i];
  mode->measured = mode->energy.value > ZERO_ENERGY * mode->energy.absolute;
}

static void measure_some(int32_t begin, int32_t end, void *context) {
  for (int32_t i = begin; i < end; i++)
    measure_column(context, ((const Examination *)context)->begin + i);
}

// Energies of up to LANES columns that measure_column has left open.
static void measure_open(int32_t begin, int32_t end, void *context) {
  const Examination *e = context;
  size_t n = (size_t)e->problem->K->size;
  Lanes *w = (Lanes *)e->work + n * (size_t)(begin / LANES);
  Mode *modes = e->modes + e->begin + begin;
  Energy energies[LANES];
  bool open = false;
  for (int32_t i = 0; i < end - begin; i++) open |= !modes[i].measured;
  if (!open) return;
  memset(w, 0, n * sizeof *w);
  for (int32_t i = 0; i < end - begin; i++) {
    const double *from = e->X + n * (size_t)(e->begin + begin + i);
    for (size_t k = 0; k < n; k++) w[k][i] = from[k];
  }
  measure_energies(e->problem->K, w, energies);
  for (int32_t i = 0; i < end - begin; i++)
    if (!modes[i].measured) modes[i].energy = energies[i];
}

// Residual and kind of one vector.
static void judge_column(const Examination *e, int32_t column) {
  int32_t size = e->problem->K->size;
  size_t at = (size_t)size * (size_t)(column - e->begin);
  double *Kw = e->KX + at, *Mw = e->MX + at;
  Mode *mode = &e->modes[column];
  if (mode->fault) return;
  double force = sqrt(dot_mode_vectors(size, Kw, Kw)), zero = ZERO_ENERGY * mode->energy.absolute;
  mode->value = mode->energy.value;
  mode->rigid = fabs(mode->value) <= zero;
  if (mode->value < -zero) mode->fault = NEGATIVE;
  for (int32_t i = 0; i < size; i++) Kw[i] -= mode->value * Mw[i];
  mode->residual = force > 0 ? sqrt(dot_mode_vectors(size, Kw, Kw)) / force : 0;
}

static void judge_some(int32_t begin, int32_t end, void *context) {
  for (int32_t i = begin; i < end; i++)
    judge_column(context, ((const Examination *)context)->begin + i);
}

static lbStatus tell_fault(const Mode *mode, lbError *err) {
  if (mode->fault == NO_MASS) return lb_fail(err, LB_ERR_NUMERIC, "modes: a mode has no mass");
  if (mode->fault == NEGATIVE)
    return lb_fail(err, LB_ERR_NUMERIC,
                   "modes: the stiffness matrix has the negative eigenvalue %g, the body is not "
                   "stable",
                   mode->value);
  return LB_OK;
}

static lbStatus examine_all(const lbEigenProblem *problem, bool exact, int32_t total, double *X,
                            Mode *modes, lbError *err) {
  size_t n = (size_t)problem->K->size, width = (size_t)(total < TOGETHER ? total : TOGETHER);
  size_t work_count = lb_sparse_work_count(problem->K, TOGETHER);
  // In one block: large pages.
  lbArena arena = { .block_bytes = (work_count + (2 * width + 1) * n) * sizeof(double) + 4096 };
  double *row_sums = lb_arena_alloc(&arena, n, sizeof(double));
  Examination e = { .problem = problem, .exact = exact, .X = X, .row_sums = row_sums };
  e.modes = modes;
  e.work = lb_arena_alloc(&arena, work_count, sizeof(double));
  e.KX = lb_arena_alloc(&arena, n * width, sizeof(double));
  e.MX = lb_arena_alloc(&arena, n * width, sizeof(double));
  lbStatus status = row_sums && e.work && e.KX && e.MX ? LB_OK : lb_fail_memory(err);
  if (!status && !exact) lb_refine_norm(problem->K, row_sums);
  for (; e.begin < total && !status; e.begin += TOGETHER) {
    int32_t count = total - e.begin < TOGETHER ? total - e.begin : TOGETHER;
    lb_product_multiply(problem->K, count, X + n * (size_t)e.begin, e.KX, e.work);
    lb_product_multiply(problem->M, count, X + n * (size_t)e.begin, e.MX, e.work);
    lb_parallel_for(count, 1, measure_some, &e);
    lb_parallel_for(count, LANES, measure_open, &e);
    lb_parallel_for(count, 1, judge_some, &e);
  }
  for (int32_t i = 0; i < total && !status; i++) status = tell_fault(&modes[i], err);
  lb_arena_release(&arena);
  return status;
}

typedef struct Storing {
  lbEigen *eigen;
  const Mode *modes; // elastic ones, in order
  const double *X;
} Storing;

// Elastic modes of the result.
static void store_modes(int32_t begin, int32_t end, void *context) {
  const Storing *s = context;
  size_t n = (size_t)s->eigen->size;
  for (size_t i = (size_t)begin; i < (size_t)end; i++) {
    double *w = s->eigen->vectors + n * i;
    s->eigen->values[i] = s->modes[i].value;
    s->eigen->residuals[i] = s->modes[i].residual;
    memcpy(w, s->X + n * (size_t)s->modes[i].column, n * sizeof *w);
    fix_mode_sign(s->eigen->size, w);
  }
}

// The elastic modes come to the front of `modes`.
static lbStatus make_result(const lbEigenProblem *problem, const double *X, int32_t total,
                            Mode *modes, int32_t rigid_count, lbEigen **out, lbError *err) {
  size_t n = (size_t)problem->K->size, count = (size_t)problem->def.count, elastic = 0, rigid = 0;
  lbEigen *eigen = lb_alloc(1, sizeof *eigen);
  if (!eigen) return lb_fail_memory(err);
  eigen->size = problem->K->size;
  eigen->count = problem->def.count;
  eigen->rigid_count = rigid_count;
  eigen->shift = problem->shift;
  eigen->values = lb_alloc(count, sizeof(double));
  eigen->residuals = lb_alloc(count, sizeof(double));
  eigen->vectors = lb_alloc(n * count, sizeof(double));
  eigen->rigid_vectors = lb_alloc(n * (size_t)rigid_count, sizeof(double));
  if (!eigen->values || !eigen->residuals || !eigen->vectors || !eigen->rigid_vectors) {
    lb_eigen_destroy(eigen);
    return lb_fail_memory(err);
  }
  for (int32_t i = 0; i < total; i++) {
    const double *w = X + (size_t)modes[i].column * n;
    if (modes[i].rigid) memcpy(eigen->rigid_vectors + n * rigid++, w, n * sizeof *w);
    if (!modes[i].rigid && elastic < count) modes[elastic++] = modes[i];
  }
  Storing storing = { eigen, modes, X };
  lb_parallel_for((int32_t)count, 1, store_modes, &storing);
  *out = eigen;
  return LB_OK;
}

lbStatus lb_eigen_sort(const lbEigenProblem *problem, int32_t total, double *X,
                       int32_t *rigid_count, lbEigen **out, lbError *err) {
  Mode *modes = lb_alloc((size_t)total, sizeof *modes);
  if (!modes) return lb_fail_memory(err);
  lbStatus status = examine_all(problem, false, total, X, modes, err);
  if (!status) {
    *rigid_count = 0;
    for (int32_t i = 0; i < total; i++) *rigid_count += modes[i].rigid;
    qsort(modes, (size_t)total, sizeof *modes, compare_modes);
    if (total - *rigid_count >= problem->def.count)
      status = make_result(problem, X, total, modes, *rigid_count, out, err);
  }
  lb_free(modes);
  return status;
}

lbStatus lb_eigen_sharpen(const lbEigenProblem *problem, lbCholesky *factor, lbEigen *eigen,
                          lbError *err) {
  size_t n = (size_t)eigen->size, rigid = (size_t)eigen->rigid_count, count = (size_t)eigen->count;
  int32_t total = eigen->rigid_count + eigen->count;
  double *X = lb_alloc(n * (size_t)total, sizeof *X), *elastic = NULL;
  double *values = lb_alloc((size_t)total, sizeof *values);
  Mode *modes = lb_alloc(count, sizeof *modes);
  lbStatus status = X && values && modes ? LB_OK : lb_fail_memory(err);
  if (!status) {
    elastic = X + n * rigid;
    memcpy(X, eigen->rigid_vectors, n * rigid * sizeof *X);
    memcpy(elastic, eigen->vectors, n * count * sizeof *X);
    lb_free(eigen->vectors); // until there is room again
    eigen->vectors = NULL;
    memcpy(values + rigid, eigen->values, count * sizeof *values);
    status = lb_eigen_polish(factor, problem->M, problem->shift, total, X, values, err);
  }
  if (!status) status = examine_all(problem, true, eigen->count, elastic, modes, err);
  if (!status) eigen->vectors = lb_alloc(n * count, sizeof *eigen->vectors);
  if (!status && !eigen->vectors) status = lb_fail_memory(err);
  if (!status) {
    memcpy(eigen->rigid_vectors, X, n * rigid * sizeof *X);
    qsort(modes, count, sizeof *modes, compare_modes); // rounding may swap members of a cluster
    Storing storing = { eigen, modes, elastic };
    lb_parallel_for(eigen->count, 1, store_modes, &storing);
  }
  lb_free(X);
  lb_free(values);
  lb_free(modes);
  return status;
}
