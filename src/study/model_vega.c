// A model's basis and polynomials in the files of Vega.
#include "limber/cook.h"

#include "limber/file.h"
#include "limber/material.h"
#include "arrayio/cub.h"
#include "arrayio/vega_matrix.h"

#include <string.h>

static lbStatus check_model(const lbModel *model, const char *path, lbError *err) {
  if (lb_model_has(model, LB_METHOD_SUBSPACE)) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "%s: the model has no subspace, build it with --method subspace", path);
}

// λ and μ of every material, in the order of the parts.
static double *lame_constants(const lbModel *model) {
  double *weights = lb_alloc((size_t)model->size.subspace_part_count, sizeof *weights);
  if (weights) weights[0] = 1;
  for (int32_t g = 0; weights && 2 * g < model->size.subspace_part_count - 1; g++) {
    const double *values = model->material_values + 6 * (size_t)g;
    double young = values[0], poisson = values[1];
    weights[2 * g] = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    weights[2 * g + 1] = young / (2 * (1 + poisson));
  }
  return weights;
}

static void add_weighted(size_t count, double weight, const double *from, double *to) {
  for (size_t i = 0; i < count; i++) to[i] += weight * from[i];
}

static lbStatus write_cub(const lbModel *model, const char *path, lbError *err) {
  const lbModelSizes *s = &model->size;
  lbPolynomial *whole = NULL;
  double *weights = lame_constants(model);
  lbStatus status = weights ? LB_OK : lb_fail_memory(err);
  if (!status) status = lb_polynomial_create(s->subspace_dimension, &whole, err);
  for (int32_t p = 0; p < s->subspace_part_count && !status; p++) {
    size_t n2 = (size_t)s->packed2_count, n3 = (size_t)s->packed3_count;
    size_t n4 = (size_t)s->packed4_count, part = (size_t)p;
    add_weighted(n2, weights[p], model->subspace_linear + part * n2, whole->linear);
    add_weighted(n3, weights[p], model->subspace_quadratic + part * n3, whole->quadratic);
    add_weighted(n4, weights[p], model->subspace_cubic + part * n4, whole->cubic);
  }
  if (!status) status = lb_cub_save(whole, path, err);
  lb_polynomial_destroy(whole);
  lb_free(weights);
  return status;
}

lbStatus lb_model_write_vega(const lbModel *model, const char *path, lbError *err) {
  lbStatus status = check_model(model, path, err);
  if (status) return status;
  if (lb_path_has_extension(path, ".cub")) return write_cub(model, path, err);
  if (lb_path_has_extension(path, ".u") || lb_path_has_extension(path, ".float"))
    return lb_vega_matrix_save(3 * model->size.node_count, model->size.subspace_dimension,
                               model->subspace_basis, path, err);
  return lb_fail(err, LB_ERR_ARGUMENT, "%s: must end in .cub, .U or .float", path);
}
