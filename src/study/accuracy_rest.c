// The body at rest, of a comparison: sizes, the linear response in full and in the model's basis.
//
// The bending load f gives its scale, the node that is watched, and by ω² = uᵀ f / uᵀ M u, with
// K u = f, the period that the time step is cut from. K of a free body is shifted by σ M, of which
// loads without a resultant see next to nothing, since their responses have no rigid part.
#include "study/accuracy.h"

#include "fem/fem.h"
#include "linalg/dense.h"

#include <string.h>

#define SHIFT 1e-8 // of the mean of K's diagonal against M's

void lb_comparison_close(lbComparison *c) {
  lb_sparse_destroy(c->K);
  lb_cholesky_destroy(c->factor);
  lb_free(c->reduced);
  lb_free(c->response);
  lb_free(c->load);
  lb_free(c->system);
}

double lb_largest_displacement(int32_t vertex_count, const double *u, int32_t *vertex) {
  double largest = 0;
  int32_t at = 0;
  for (int32_t v = 0; v < vertex_count; v++) {
    const double *x = u + 3 * (size_t)v;
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    if (square > largest) largest = square, at = v;
  }
  if (vertex) *vertex = at;
  return sqrt(largest);
}

// ---- sizes -------------------------------------------------------------------------------------

static double find_rest_size(const lbFem *fem) {
  double square = 0;
  for (int i = 0; i < 3; i++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t v = 0; v < fem->vertex_count; v++) {
      double x = fem->positions[3 * (size_t)v + (size_t)i];
      if (!(fem->vertex_masses[v] > 0)) continue;
      low = fmin(low, x), high = fmax(high, x);
    }
    square += (high - low) * (high - low);
  }
  return sqrt(square);
}

static void find_rest_box(lbComparison *c) {
  const lbFem *fem = c->fem;
  for (int i = 0; i < 3; i++) c->low[i] = INFINITY, c->high[i] = -INFINITY;
  for (int32_t n = 0; n < fem->node_count; n++)
    for (int i = 0; i < 3; i++) {
      double x = fem->positions[3 * (size_t)fem->vertex_of_node[n] + (size_t)i];
      c->low[i] = fmin(c->low[i], x), c->high[i] = fmax(c->high[i], x);
    }
  for (int i = 1; i < 3; i++)
    if (c->high[i] - c->low[i] > c->high[c->axis] - c->low[c->axis]) c->axis = i;
}

// ---- linear responses --------------------------------------------------------------------------

static double sum_matrix_trace(const lbSparse *A) {
  double sum = 0;
  for (int32_t j = 0; j < A->size; j++) {
    int32_t at = lb_sparse_find(A, j, j);
    if (at >= 0) sum += A->values[at];
  }
  return sum;
}

static lbStatus factor_stiffness(lbComparison *c, lbKnownFactor *known, lbError *err) {
  lbStatus status = lb_fem_rest_stiffness(c->fem, &c->K, err);
  if (status) return status;
  if (c->free) c->shift = SHIFT * sum_matrix_trace(c->K) / sum_matrix_trace(c->fem->mass);
  if (c->free && !lb_sparse_add_scaled(c->K, c->shift, c->fem->mass))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "comparison: the mass has entries where the stiffness has none");
  c->stiffness = 1;
  if (known->cholesky && !c->free) {
    c->factor = known->cholesky;
    c->stiffness = known->stiffness;
    known->cholesky = NULL;
  } else {
    status = lb_cholesky_create(c->K, &c->factor, err);
    if (!status) status = lb_cholesky_factor(c->factor, c->K, err);
  }
  if (!status) c->factor_flops = lb_cholesky_info(c->factor).factor_flops;
  return status;
}

lbStatus lb_comparison_respond(const lbComparison *c, double *full, lbError *err) {
  lb_fem_compress(c->fem, full, c->system);
  lbStatus status = lb_cholesky_solve(c->factor, 1, c->system, err);
  for (size_t i = 0; i < 3 * (size_t)c->fem->node_count; i++) c->system[i] /= c->stiffness;
  if (!status) lb_fem_expand(c->fem, c->system, full);
  return status;
}

// Uᵀ K U, column by column.
static lbStatus reduce_stiffness(lbComparison *c, lbError *err) {
  size_t rows = 3 * (size_t)c->fem->vertex_count, size = 3 * (size_t)c->fem->node_count;
  size_t r = (size_t)c->dimension;
  double *KU = lb_alloc(rows, sizeof(double));
  c->reduced = lb_alloc(r * r, sizeof(double));
  if (!KU || !c->reduced) {
    lb_free(KU);
    return lb_fail_memory(err);
  }
  for (size_t k = 0; k < r; k++) {
    lb_fem_compress(c->fem, c->basis + k * rows, c->system);
    lb_sparse_multiply(c->K, c->system, c->system + size);
    lb_fem_expand(c->fem, c->system + size, KU);
    lb_dense_multiply_vector(LB_TRANSPOSED, (int32_t)rows, c->dimension, 1, c->basis, KU, 0,
                             c->reduced + k * r);
  }
  lb_free(KU);
  return lb_dense_cholesky(c->dimension, c->reduced, err);
}

void lb_comparison_respond_reduced(const lbComparison *c, const double *load, double *q) {
  int32_t rows = 3 * c->fem->vertex_count;
  lb_dense_multiply_vector(LB_TRANSPOSED, rows, c->dimension, 1, c->basis, load, 0, q);
  lb_dense_cholesky_solve(c->dimension, c->reduced, 1, q);
}

void lb_comparison_displace(const lbComparison *c, const double *q, double *full) {
  lb_dense_multiply_vector(LB_PLAIN, 3 * c->fem->vertex_count, c->dimension, 1, c->basis, q, 0,
                           full);
}

static double find_period(const lbComparison *c) {
  size_t count = 3 * (size_t)c->fem->vertex_count, size = 3 * (size_t)c->fem->node_count;
  double *u = c->system, *Mu = c->system + size, work = 0, mass = 0;
  lb_fem_compress(c->fem, c->response, u);
  lb_sparse_multiply(c->fem->mass, u, Mu);
  for (size_t i = 0; i < size; i++) mass += u[i] * Mu[i];
  for (size_t i = 0; i < count; i++) work += c->response[i] * c->load[i];
  return 2 * LB_PI / sqrt(work / mass);
}

lbStatus lb_comparison_open(const lbFem *fem, const lbModel *model, const lbAccuracyDef *def,
                            lbKnownFactor *known, lbComparison *c, lbError *err) {
  lbModelMethod view = { 0 };
  lb_model_method(model, def->method, &view);
  *c = (lbComparison){ .fem = fem,
                       .model = model,
                       .method = view.method,
                       .basis = view.basis,
                       .damping = view.damping,
                       .dimension = view.dimension,
                       .free = lb_model_is_free(model),
                       .size = find_rest_size(fem),
                       .centre = lb_vec3_load(model->rigid_centre) };
  c->wanted = def->amplitude * c->size;
  find_rest_box(c);
  c->response = lb_alloc(3 * (size_t)fem->vertex_count, sizeof(double));
  c->load = lb_alloc(3 * (size_t)fem->vertex_count, sizeof(double));
  c->system = lb_alloc(6 * (size_t)fem->node_count, sizeof(double));
  lbStatus status = c->response && c->load && c->system ? LB_OK : lb_fail_memory(err);
  double aim;
  if (!status) status = factor_stiffness(c, known, err);
  if (!status) status = reduce_stiffness(c, err);
  if (!status) status = lb_make_load(c, LB_LOAD_BEND, c->load, c->response, &aim, err);
  if (status) return status;
  lb_largest_displacement(fem->vertex_count, c->response, &c->probe);
  c->period = find_period(c);
  return LB_OK;
}
