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

// Two numbers, of two modes, side by side.
typedef double Pair __attribute__((vector_size(16)));
typedef uint64_t PairBits __attribute__((vector_size(16)));
enum { PAIR = 2 };

// The sum of two doubles, or of many products, to twice the digits of one.
typedef struct Twofold {
  Pair sum, rest; // rest: what rounding took from sum
} Twofold;

static inline Pair splat(double x) { return (Pair){ x, x }; }

static inline Pair load_pair(const double *x) {
  Pair pair;
  memcpy(&pair, x, sizeof pair);
  return pair;
}

static inline Pair magnitude(Pair x) {
  const PairBits all_but_sign = { ~(UINT64_C(1) << 63), ~(UINT64_C(1) << 63) };
  return (Pair)((PairBits)x & all_but_sign);
}

// The 26 leading bits: products of such are exact.
static inline Pair leading_bits(Pair x) {
  const uint64_t high = ~((UINT64_C(1) << 27) - 1);
  return (Pair)((PairBits)x & (PairBits){ high, high });
}

// to += a b: Ogita, Rump and Oishi's dot product, without fused multiply-add. The same bits on
// every machine, which long double has not.
static inline void add_product(Twofold *to, Pair a, Pair b) {
  Pair product = a * b, sum = to->sum + product, part = sum - to->sum;
  Pair lost = (to->sum - (sum - part)) + (product - part); // exactly, as in Knuth's sum
  Pair a_high = leading_bits(a), a_low = a - a_high;
  Pair b_high = leading_bits(b), b_low = b - b_high;
  Pair rounding = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  to->sum = sum;
  to->rest += lost + rounding;
}

// To twice the digits: the terms of a soft mode's energy cancel to 1e-6 of their size and less,
// and eigenvalues should be good to 1e-10 nevertheless. w (size x 2): the values of a row together.
static void measure_energies(const lbSparse *K, const double *w, Energy energies[PAIR]) {
  Twofold value = { { 0 }, { 0 } };
  Pair absolute = { 0 };
  for (int32_t j = 0; j < K->size; j++) {
    Twofold force = { { 0 }, { 0 } };
    Pair terms = { 0 }, own = load_pair(w + PAIR * (size_t)j);
    for (int32_t k = K->column_begin[j]; k < K->column_begin[j + 1]; k++) {
      Pair other = load_pair(w + PAIR * (size_t)K->rows[k]), entry = splat(K->values[k]);
      Pair weight = K->rows[k] < j ? 2 * other : own;
      add_product(&force, entry, weight);
      terms += magnitude(entry * weight);
    }
    add_product(&value, force.sum, own);
    value.rest += force.rest * own;
    absolute += terms * magnitude(own);
  }
  for (int i = 0; i < PAIR; i++)
    energies[i] = (Energy){ value.sum[i] + value.rest[i], absolute[i] };
}

static double dot(int32_t size, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < size; i++) sum += a[i] * b[i];
  return sum;
}

static void fix_sign(int32_t size, double *w) {
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
  double *pairs;   // (size x TOGETHER) columns in pairs
  int32_t begin;
  const double *row_sums; // (size) of |K|
  Mode *modes;
} Examination;

static double *column_of(const Examination *e, double *block, int32_t column) {
  return block + (size_t)e->problem->K->size * (size_t)column;
}

// Unit mass. False: it has none.
static bool normalise(const Examination *e, int32_t column) {
  int32_t size = e->problem->K->size;
  double *w = column_of(e, e->X, e->begin + column), *Kw = column_of(e, e->KX, column);
  double *Mw = column_of(e, e->MX, column), length = sqrt(dot(size, w, Mw));
  if (!(length > 0)) return false;
  for (int32_t i = 0; i < size; i++) w[i] /= length, Mw[i] /= length, Kw[i] /= length;
  return true;
}

// w' K w of a column of unit mass. In double precision that is w' (K w), and e is at most the sum
// of w_i^2 over the sums of |K|'s rows. False where that does not show it to be elastic, so that e
// must be known.
static bool is_elastic(const Examination *e, int32_t column, Energy *energy) {
  const double *w = column_of(e, e->X, e->begin + column), *Kw = column_of(e, e->KX, column);
  *energy = (Energy){ dot(e->problem->K->size, w, Kw), 0 };
  for (int32_t i = 0; i < e->problem->K->size; i++)
    energy->absolute += e->row_sums[i] * w[i] * w[i];
  return energy->value > ZERO_ENERGY * energy->absolute;
}

// Of the columns [begin, begin + count), at most two.
static void find_energies(const Examination *e, int32_t begin, int32_t count, Energy *energies) {
  bool known = !e->exact;
  bool elastic[PAIR] = { false };
  for (int32_t i = 0; i < count && !e->exact; i++) {
    elastic[i] = is_elastic(e, begin + i, &energies[i]);
    known = known && elastic[i];
  }
  if (known) return;
  Energy measured[PAIR];
  double *w = column_of(e, e->pairs, begin);
  for (int32_t c = 0; c < PAIR; c++) {
    const double *from = column_of(e, e->X, e->begin + begin + (c < count ? c : 0));
    for (size_t i = 0; i < (size_t)e->problem->K->size; i++) w[PAIR * i + (size_t)c] = from[i];
  }
  measure_energies(e->problem->K, w, measured);
  for (int32_t i = 0; i < count; i++)
    if (!elastic[i]) energies[i] = measured[i];
}

// Eigenvalue (Rayleigh's quotient), residual and kind of a vector of unit mass.
static void judge(const Examination *e, int32_t column, Energy energy, Mode *mode) {
  int32_t size = e->problem->K->size;
  double *Kw = column_of(e, e->KX, column), *Mw = column_of(e, e->MX, column);
  double zero = ZERO_ENERGY * energy.absolute, force = sqrt(dot(size, Kw, Kw));
  mode->value = energy.value;
  mode->rigid = fabs(energy.value) <= zero;
  if (energy.value < -zero) mode->fault = NEGATIVE;
  for (int32_t i = 0; i < size; i++) Kw[i] -= energy.value * Mw[i];
  mode->residual = force > 0 ? sqrt(dot(size, Kw, Kw)) / force : 0;
}

static void examine_some(int32_t begin, int32_t end, void *context) {
  const Examination *e = context;
  Energy energies[PAIR];
  bool massive = true;
  for (int32_t i = begin; i < end; i++) {
    Mode *mode = &e->modes[e->begin + i];
    *mode = (Mode){ .column = e->begin + i };
    if (normalise(e, i)) continue;
    mode->fault = NO_MASS;
    massive = false;
  }
  if (!massive) return; // which ends the search
  find_energies(e, begin, end - begin, energies);
  for (int32_t i = begin; i < end; i++) judge(e, i, energies[i - begin], &e->modes[e->begin + i]);
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
  lbArena arena = { 0 };
  size_t n = (size_t)problem->K->size, width = (size_t)(total < TOGETHER ? total : TOGETHER);
  double *row_sums = lb_arena_alloc(&arena, n, sizeof(double));
  double *work =
      lb_arena_alloc(&arena, lb_sparse_work_count(problem->K, (int32_t)width), sizeof(double));
  Examination e = { .problem = problem, .exact = exact, .X = X, .row_sums = row_sums };
  e.modes = modes;
  e.KX = lb_arena_alloc(&arena, n * width, sizeof(double));
  e.MX = lb_arena_alloc(&arena, n * width, sizeof(double));
  e.pairs = lb_arena_alloc(&arena, n * (width + 1), sizeof(double));
  lbStatus status = row_sums && work && e.KX && e.MX && e.pairs ? LB_OK : lb_fail_memory(err);
  if (!status && !exact) lb_refine_norm(problem->K, row_sums);
  for (; e.begin < total && !status; e.begin += TOGETHER) {
    int32_t count = total - e.begin < TOGETHER ? total - e.begin : TOGETHER;
    lb_product_multiply(problem->K, count, X + n * (size_t)e.begin, e.KX, work);
    lb_product_multiply(problem->M, count, X + n * (size_t)e.begin, e.MX, work);
    lb_parallel_for(count, PAIR, examine_some, &e);
  }
  for (int32_t i = 0; i < total && !status; i++) status = tell_fault(&modes[i], err);
  lb_arena_release(&arena);
  return status;
}

// Elastic mode `index` of the result is this one, of these vectors.
static void store_mode(lbEigen *eigen, size_t index, const Mode *mode, const double *X) {
  size_t n = (size_t)eigen->size;
  eigen->values[index] = mode->value;
  eigen->residuals[index] = mode->residual;
  memcpy(eigen->vectors + n * index, X + n * (size_t)mode->column, n * sizeof *X);
  fix_sign(eigen->size, eigen->vectors + n * index);
}

static lbStatus make_result(const lbEigenProblem *problem, const double *X, int32_t total,
                            const Mode *modes, int32_t rigid_count, lbEigen **out, lbError *err) {
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
    if (modes[i].rigid || elastic == count) continue;
    store_mode(eigen, elastic++, &modes[i], X);
  }
  *out = eigen;
  return LB_OK;
}

lbStatus lb_eigen_sort(const lbEigenProblem *problem, bool exact, int32_t total, double *X,
                       int32_t *rigid_count, lbEigen **out, lbError *err) {
  Mode *modes = lb_alloc((size_t)total, sizeof *modes);
  if (!modes) return lb_fail_memory(err);
  lbStatus status = examine_all(problem, exact, total, X, modes, err);
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
    memcpy(values + rigid, eigen->values, count * sizeof *values);
    status = lb_eigen_polish(factor, problem->M, problem->shift, total, X, values, err);
  }
  if (!status) status = examine_all(problem, true, eigen->count, elastic, modes, err);
  if (!status) {
    memcpy(eigen->rigid_vectors, X, n * rigid * sizeof *X);
    qsort(modes, count, sizeof *modes, compare_modes); // rounding may swap members of a cluster
    for (size_t i = 0; i < count; i++) store_mode(eigen, i, &modes[i], elastic);
  }
  lb_free(X);
  lb_free(values);
  lb_free(modes);
  return status;
}
