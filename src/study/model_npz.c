// A model's arrays as an .npz archive.
#include "limber/cook.h"

#include "arrayio/npz.h"

#include <math.h>

static lbScalar npz_type(lbArrayType type) {
  switch (type) {
  case LB_F64: return LB_SCALAR_FLOAT64;
  case LB_F32: return LB_SCALAR_FLOAT32;
  case LB_I32: return LB_SCALAR_INT32;
  case LB_I64: return LB_SCALAR_INT64;
  default: return LB_SCALAR_UINT8;
  }
}

static lbStatus add_table(lbNpzWriter *writer, const lbModel *model, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < lb_model_array_count() && !status; i++) {
    lbArrayView view = lb_model_array(model, i);
    if (!view.data) continue;
    lbNpzArray array = { .name = view.name,
                         .type = npz_type(view.type),
                         .dimension_count = view.rank,
                         .data = view.data };
    for (int32_t k = 0; k < view.rank; k++) array.shape[k] = view.shape[k];
    status = lb_npz_add(writer, &array, err);
  }
  return status;
}

// ω = √λ, f = ω / 2π, ξ = (α/ω + β ω) / 2
static lbStatus add_plain(lbNpzWriter *writer, const lbModel *model, lbError *err) {
  int64_t modes = model->size.mode_count, nodes = model->size.node_count;
  double *values = lb_alloc(2 * (size_t)modes, sizeof(double));
  if (!values) {
    lb_npz_abort(writer);
    return lb_fail_memory(err);
  }
  for (int64_t i = 0; i < modes; i++) {
    double w = fmax(sqrt(model->modal_eigenvalues[i]), 1e-300);
    values[i] = w / (2 * LB_PI);
    values[modes + i] = (model->modal_damping[0] / w + model->modal_damping[1] * w) / 2;
  }
  const lbNpzArray arrays[] = {
    { "masses", LB_SCALAR_FLOAT64, 1, { nodes }, false, model->node_masses },
    { "basis", LB_SCALAR_FLOAT64, 2, { 3 * nodes, modes }, true, model->modal_basis },
    { "frequencies_hz", LB_SCALAR_FLOAT64, 1, { modes }, false, values },
    { "damping_ratios", LB_SCALAR_FLOAT64, 1, { modes }, false, values + modes },
  };
  lbStatus status = LB_OK;
  for (size_t i = 0; i < (modes > 0 ? 4 : 1) && !status; i++)
    status = lb_npz_add(writer, &arrays[i], err);
  const lbNpzArray subspace = { modes > 0 ? "subspace_basis" : "basis",
                                LB_SCALAR_FLOAT64,
                                2,
                                { 3 * nodes, model->size.subspace_dimension },
                                true,
                                model->subspace_basis };
  if (!status && model->subspace_basis) status = lb_npz_add(writer, &subspace, err);
  lb_free(values);
  return status;
}

lbStatus lb_model_write_npz(const lbModel *model, const char *path, lbError *err) {
  lbNpzWriter writer;
  lbStatus status = lb_npz_begin(&writer, path, err);
  if (!status) status = add_table(&writer, model, err);
  if (!status) status = add_plain(&writer, model, err);
  return status ? status : lb_npz_commit(&writer, err);
}
