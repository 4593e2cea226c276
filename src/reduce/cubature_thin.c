// Taking components away; see lb_fit_thin in cubature_fit.h.
//
// With H = (AᵀA)⁻¹ and the weights w of least squares, the loss of component k raises |A w − b|² by
// w_k²/H_kk and changes the other weights by −H_jk w_k/H_kk; H of those that are left is
// H − h_k h_kᵀ/H_kk. So a component costs the square of their number, and no least squares are
// solved on the way. A weight that becomes negative is the next to go: while all are positive they
// are the nonnegative least squares over the others.
#include "reduce/cubature_fit.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// On a diagonal of ones: what columns that depend on each other but for rounding need.
static const double RIDGE_LEAST = 1e-12, RIDGE_MOST = 1e-6;

typedef struct Thinning {
  size_t stride, count; // those left come first
  int32_t *list;        // (stride) components
  double *scale;        // (stride) lengths of columns
  double *y;            // (stride) weight times length
  double *H;            // (stride x stride) of columns of length 1
  double square;        // |A w − b|²
} Thinning;

static void release_thinning(Thinning *t) {
  lb_free(t->list);
  lb_free(t->scale);
  lb_free(t->y);
  lb_free(t->H);
}

// The inverse of the Gram matrix of the columns at these places of the fit, scaled to length 1.
static lbStatus invert_gram(const lbFit *fit, const int32_t *places, double ridge, Thinning *t,
                            lbError *err) {
  size_t n = t->count, stride = (size_t)fit->room;
  double *R = lb_alloc(n * n, sizeof *R);
  if (!R) return lb_fail_memory(err);
  for (size_t j = 0; j < n; j++) {
    const double *column = fit->G + (size_t)places[j] * stride;
    for (size_t i = 0; i < n; i++) {
      R[j * n + i] = column[places[i]] / (t->scale[j] * t->scale[i]);
      t->H[j * n + i] = 0;
    }
    R[j * n + j] = 1 + ridge;
    t->H[j * n + j] = 1;
  }
  lbStatus status = lb_dense_cholesky((int32_t)n, R, err);
  if (!status) lb_dense_cholesky_solve((int32_t)n, R, (int32_t)n, t->H);
  lb_free(R);
  return status;
}

static lbStatus open_thinning(const lbFit *fit, Thinning *t, lbError *err) {
  size_t n = 0;
  for (int32_t k = 0; k < fit->count; k++) n += fit->weights[k] > 0;
  *t = (Thinning){ .stride = n, .count = n };
  t->list = lb_alloc(n, sizeof *t->list);
  t->scale = lb_alloc(n, sizeof(double));
  t->y = lb_alloc(n, sizeof(double));
  t->H = lb_alloc(n * n, sizeof(double));
  int32_t *places = lb_alloc(n, sizeof *places);
  lbStatus status = t->list && t->scale && t->y && t->H && places ? LB_OK : lb_fail_memory(err);
  n = 0;
  for (int32_t k = 0; k < fit->count && !status; k++) {
    if (!(fit->weights[k] > 0)) continue;
    places[n] = k;
    t->list[n] = fit->list[k];
    t->scale[n] = sqrt(fit->G[(size_t)k * ((size_t)fit->room + 1)]);
    t->y[n] = fit->weights[k] * t->scale[n];
    n++;
  }
  double ridge = RIDGE_LEAST;
  if (!status) status = invert_gram(fit, places, ridge, t, err);
  while (status == LB_ERR_NUMERIC && (ridge *= 100) <= RIDGE_MOST)
    status = invert_gram(fit, places, ridge, t, err);
  lb_free(places);
  t->square = fit->error * fit->error * fit->columns->pose_count;
  return status;
}

static double loss(const Thinning *t, size_t k) {
  return t->y[k] * t->y[k] / t->H[k * (t->stride + 1)];
}

// The next to go: the most negative weight, or the least loss where none is.
static size_t least(const Thinning *t) {
  size_t best = 0;
  for (size_t k = 1; k < t->count; k++)
    if (t->y[best] <= 0 ? t->y[k] < t->y[best] : t->y[k] <= 0 || loss(t, k) < loss(t, best))
      best = k;
  return best;
}

static void exchange_components(Thinning *t, size_t i, size_t j) {
  size_t n = t->stride;
  int32_t component = t->list[i];
  double scale = t->scale[i], y = t->y[i];
  t->list[i] = t->list[j], t->list[j] = component;
  t->scale[i] = t->scale[j], t->scale[j] = scale;
  t->y[i] = t->y[j], t->y[j] = y;
  for (size_t k = 0; k < t->count; k++) { // columns, then rows
    double h = t->H[i * n + k];
    t->H[i * n + k] = t->H[j * n + k], t->H[j * n + k] = h;
  }
  for (size_t k = 0; k < t->count; k++) {
    double h = t->H[k * n + i];
    t->H[k * n + i] = t->H[k * n + j], t->H[k * n + j] = h;
  }
}

static void take_away(Thinning *t, size_t k) {
  size_t n = t->stride, last = t->count - 1;
  t->square += loss(t, k);
  exchange_components(t, k, last);
  const double *h = t->H + last * n;
  for (size_t j = 0; j < last; j++) {
    double factor = h[j] / h[last], *column = t->H + j * n;
    for (size_t i = 0; i < last; i++) column[i] -= factor * h[i];
    t->y[j] -= factor * t->y[last];
  }
  t->count = last;
}

lbStatus lb_fit_thin(lbFit *fit, int32_t most, double goal, lbError *err) {
  Thinning t;
  double square = goal * goal * fit->columns->pose_count;
  lbStatus status = open_thinning(fit, &t, err);
  while (!status && t.count > 1) {
    size_t k = least(&t);
    bool keep = t.y[k] > 0 && t.count <= (size_t)most && !(t.square + loss(&t, k) <= square);
    if (keep) break;
    take_away(&t, k);
  }
  if (!status) status = lb_fit_choose(fit, (int32_t)t.count, t.list, err);
  for (size_t k = 0; k < t.count && !status; k++) // the order of the fit is its own
    for (size_t i = 0; i < t.count; i++)
      if (t.list[i] == fit->list[k]) fit->weights[k] = fmax(t.y[i], 0) / t.scale[i];
  release_thinning(&t);
  return status ? status : lb_fit_solve(fit, err);
}
