// How a body feels to a hand: compliance and mobility of its points, from the reduced model.
//
//   compliance(p) = mean over axes of w^T K^-1 w,   mobility(p) = mean of w^T w,   w = U(p)^T e
//
// with K the reduced stiffness at rest and a mass-orthonormal basis U. The unreduced method borrows
// the modes or the basis that the model has.
#include "stage/actor.h"

#include <string.h>

enum { SAMPLES = 64, SWEEPS = 12 };

// K = sum over parts of P; parts of several materials are weighted by their Lame constants.
static void fill_stiffness(const lbModel *m, double *K) {
  size_t r = (size_t)m->size.subspace_dimension, packed = (size_t)m->size.packed2_count;
  for (int32_t part = 0; part < m->size.subspace_part_count; part++) {
    double factor = 1;
    if (m->size.subspace_part_count > 1) {
      const double *values = m->material_values + 6 * (size_t)(part / 2);
      double shear = values[0] / (2 * (1 + values[1]));
      factor = part % 2 ? shear : 2 * shear * values[1] / (1 - 2 * values[1]);
    }
    const double *P = m->subspace_linear + packed * (size_t)part;
    for (size_t j = 0; j < r; j++)
      for (size_t i = 0; i <= j; i++) K[r * j + i] += factor * P[j * (j + 1) / 2 + i];
  }
}

// K = L L^T in place, the lower half by rows. A pivot that is not positive is replaced by a large
// one: that direction then counts as stiff.
static void factor_stiffness(size_t r, double *K) {
  for (size_t j = 0; j < r; j++)
    for (size_t i = 0; i <= j; i++) {
      double sum = K[r * j + i];
      for (size_t k = 0; k < i; k++) sum -= K[r * j + k] * K[r * i + k];
      if (i < j)
        K[r * j + i] = sum / K[r * i + i];
      else
        K[r * j + j] = sum > 0 ? sqrt(sum) : 1e30;
    }
}

// y = L^-1 x; then w^T K^-1 w = |y|^2
static void solve_lower(size_t r, const double *L, const double *x, double *y) {
  for (size_t j = 0; j < r; j++) {
    double sum = x[j];
    for (size_t k = 0; k < j; k++) sum -= L[r * j + k] * y[k];
    y[j] = sum / L[r * j + j];
  }
}

static void solve_upper(size_t r, const double *L, double *y) { // y <- L^-T y
  for (size_t j = r; j-- > 0;) {
    for (size_t k = j + 1; k < r; k++) y[j] -= L[r * k + j] * y[k];
    y[j] /= L[r * j + j];
  }
}

static double square(size_t r, const double *x) {
  double sum = 0;
  for (size_t i = 0; i < r; i++) sum += x[i] * x[i];
  return sum;
}

// The lowest frequency: inverse iteration, sqrt of the Rayleigh quotient.
static double lowest_frequency(const vwFeel *feel) {
  size_t r = (size_t)feel->dimension;
  double *x = feel->work, *y = feel->work + r, growth = 0;
  if (feel->eigenvalues) return sqrt(fmax(feel->eigenvalues[0], 0));
  for (size_t i = 0; i < r; i++) x[i] = 1 / sqrt((double)r);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    solve_lower(r, feel->factor, x, y);
    solve_upper(r, feel->factor, y);
    growth = sqrt(square(r, y));
    if (!(growth > 0)) return 0;
    for (size_t i = 0; i < r; i++) x[i] = y[i] / growth;
  }
  return 1 / sqrt(growth);
}

void vw_feel_point(const vwFeel *feel, const lbModel *model, const lbPoint *point,
                   double *compliance, double *mobility) {
  size_t r = (size_t)feel->dimension, values = 3 * (size_t)model->size.node_count;
  double *w = feel->work, *y = feel->work + r;
  int32_t nodes[VW_POINT_NODES];
  double weights[VW_POINT_NODES];
  int32_t count = vw_point_nodes(model, point, nodes, weights);
  *compliance = *mobility = 0;
  for (size_t axis = 0; axis < 3 && r > 0; axis++) {
    memset(w, 0, r * sizeof(double));
    for (size_t i = 0; i < r; i++)
      for (int32_t k = 0; k < count; k++)
        w[i] += weights[k] * feel->basis[values * i + 3 * (size_t)nodes[k] + axis];
    *mobility += square(r, w) / 3;
    if (feel->factor) {
      solve_lower(r, feel->factor, w, y);
      *compliance += square(r, y) / 3;
    } else {
      for (size_t i = 0; i < r; i++)
        if (feel->eigenvalues[i] > 0) *compliance += w[i] * w[i] / feel->eigenvalues[i] / 3;
    }
  }
}

void vw_feel_measure(vwFeel *feel, const lbModel *m) {
  int32_t stride = m->size.vertex_count / SAMPLES + 1;
  if (feel->dimension == 0) return;
  for (int32_t v = 0; v < m->size.vertex_count; v += stride) {
    lbPoint point = lb_point_vertex(v);
    double compliance, mobility;
    vw_feel_point(feel, m, &point, &compliance, &mobility);
    feel->compliance = fmax(feel->compliance, compliance);
    feel->mobility = fmax(feel->mobility, mobility);
  }
  feel->frequency = lowest_frequency(feel);
}

lbStatus vw_feel_create(const lbModel *m, lbMethod method, vwFeel *out, lbError *err) {
  lbModelMethod view = { 0 };
  if (method != LB_METHOD_SUBSPACE || !lb_model_method(m, method, &view))
    if (!lb_model_method(m, LB_METHOD_MODAL, &view)) lb_model_method(m, LB_METHOD_SUBSPACE, &view);
  vwFeel feel = { .dimension = view.dimension,
                  .basis = view.basis,
                  .eigenvalues = view.eigenvalues };
  bool modal = view.eigenvalues != NULL;
  size_t r = (size_t)feel.dimension;
  feel.work = lb_alloc(2 * r, sizeof(double));
  if (!modal && r > 0) feel.factor = lb_alloc(r * r, sizeof(double));
  if (!feel.work || (!modal && r > 0 && !feel.factor)) {
    vw_feel_release(&feel);
    return lb_fail_memory(err);
  }
  if (!modal && r > 0) {
    fill_stiffness(m, feel.factor);
    factor_stiffness(r, feel.factor);
  }
  vw_feel_measure(&feel, m);
  *out = feel;
  return LB_OK;
}

void vw_feel_release(vwFeel *feel) {
  lb_free(feel->factor);
  lb_free(feel->work);
  *feel = (vwFeel){ 0 };
}
