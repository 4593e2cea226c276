// From vectors to modes.
//
// Zero eigenvalues are recognised by rounding: with e = |w|' |K| |w| the sum of absolute terms of
// w' K w, a w' K w of exactly zero comes out as some 1e-16 e, while the softest elastic modes have
// 1e-9 e and more. Below ZERO_ENERGY * e a mode is rigid.
#include "linalg/eigen_modes.h"

#include "linalg/polish.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double ZERO_ENERGY = 1e-13;

typedef struct Energy {
  double value;    // w' K w
  double absolute; // |w|' |K| |w|
} Energy;

// The sum of two doubles, or of many products, to twice the digits of one.
typedef struct Twofold {
  double sum, rest; // rest: what rounding took from sum
} Twofold;

// The 26 leading bits: products of such are exact.
static double leading_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= ~((UINT64_C(1) << 27) - 1);
  memcpy(&x, &bits, sizeof x);
  return x;
}

// to += a b: Ogita, Rump and Oishi's dot product, without fused multiply-add. The same bits on
// every machine, which long double has not.
static void add_product(Twofold *to, double a, double b) {
  double product = a * b, sum = to->sum + product, part = sum - to->sum;
  double lost = (to->sum - (sum - part)) + (product - part); // exactly, as in Knuth's sum
  double a_high = leading_bits(a), a_low = a - a_high;
  double b_high = leading_bits(b), b_low = b - b_high;
  double rounding = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  to->sum = sum;
  to->rest += lost + rounding;
}

// To twice the digits: the terms of a soft mode's energy cancel to 1e-6 of their size and less,
// and eigenvalues should be good to 1e-10 nevertheless.
static Energy measure_energy(const lbSparse *K, const double *w) {
  Twofold value = { 0 };
  double absolute = 0;
  for (int32_t j = 0; j < K->size; j++) {
    Twofold force = { 0 };
    double terms = 0;
    for (int32_t k = K->column_begin[j]; k < K->column_begin[j + 1]; k++) {
      double weight = K->rows[k] < j ? 2 * w[K->rows[k]] : w[j];
      add_product(&force, K->values[k], weight);
      terms += fabs(K->values[k] * weight);
    }
    add_product(&value, force.sum, w[j]);
    value.rest += force.rest * w[j];
    absolute += terms * fabs(w[j]);
  }
  return (Energy){ value.sum + value.rest, absolute };
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

typedef struct Mode {
  int32_t column; // in X
  bool rigid;
  bool failed; // it has no mass, or a negative eigenvalue
  double value, residual;
} Mode;

static int compare_modes(const void *a, const void *b) {
  const Mode *p = a, *q = b;
  if (p->value != q->value) return p->value < q->value ? -1 : 1;
  return p->column < q->column ? -1 : 1;
}

// Length, eigenvalue (Rayleigh's quotient), residual and kind of one vector.
static lbStatus examine(const lbEigenProblem *problem, double *w, double *Kw, double *Mw,
                        Mode *mode, lbError *err) {
  int32_t size = problem->K->size;
  lb_sparse_multiply(problem->M, w, Mw);
  double length = sqrt(dot(size, w, Mw));
  if (!(length > 0)) return lb_fail(err, LB_ERR_NUMERIC, "modes: a mode has no mass");
  for (int32_t i = 0; i < size; i++) w[i] /= length, Mw[i] /= length;
  lb_sparse_multiply(problem->K, w, Kw);
  double force = sqrt(dot(size, Kw, Kw));
  Energy energy = measure_energy(problem->K, w);
  double zero = ZERO_ENERGY * energy.absolute;
  mode->value = energy.value;
  mode->rigid = fabs(energy.value) <= zero;
  if (energy.value < -zero)
    return lb_fail(err, LB_ERR_NUMERIC,
                   "modes: the stiffness matrix has the negative eigenvalue %g, the body is not "
                   "stable",
                   energy.value);
  for (int32_t i = 0; i < size; i++) Kw[i] -= energy.value * Mw[i];
  mode->residual = force > 0 ? sqrt(dot(size, Kw, Kw)) / force : 0;
  return LB_OK;
}

typedef struct Examination {
  const lbEigenProblem *problem;
  double *X;
  Mode *modes;
} Examination;

static lbStatus examine_column(const Examination *e, int32_t column, lbError *err) {
  size_t n = (size_t)e->problem->K->size;
  double *work = lb_alloc(2 * n, sizeof *work);
  if (!work) return lb_fail_memory(err);
  e->modes[column].column = column;
  lbStatus status =
      examine(e->problem, e->X + (size_t)column * n, work, work + n, &e->modes[column], err);
  lb_free(work);
  return status;
}

static void examine_some(int32_t begin, int32_t end, void *context) {
  const Examination *e = context;
  for (int32_t i = begin; i < end; i++) e->modes[i].failed = examine_column(e, i, NULL) != LB_OK;
}

static lbStatus examine_all(const lbEigenProblem *problem, int32_t total, double *X, Mode *modes,
                            lbError *err) {
  Examination examination = { problem, X, modes };
  lbStatus status = LB_OK;
  lb_parallel_for(total, 1, examine_some, &examination);
  for (int32_t i = 0; i < total && !status; i++) // once more, for the message
    if (modes[i].failed) status = examine_column(&examination, i, err);
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

lbStatus lb_eigen_sort(const lbEigenProblem *problem, int32_t total, double *X,
                       int32_t *rigid_count, lbEigen **out, lbError *err) {
  Mode *modes = lb_alloc((size_t)total, sizeof *modes);
  if (!modes) return lb_fail_memory(err);
  lbStatus status = examine_all(problem, total, X, modes, err);
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
  if (!status) status = examine_all(problem, eigen->count, elastic, modes, err);
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
