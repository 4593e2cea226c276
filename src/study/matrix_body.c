// Finite-element bodies for matrices: of a scene's mesh, or of the arrays of a model.
#include "study/matrix_body.h"

#include "full/full.h"

static lbStatus fem_of_model(const lbModel *model, bool free, lbFem **out, lbError *err) {
  if (!free) return lb_model_fem(model, NULL, out, err);
  lbModel loose = *model;
  uint8_t *none = lb_alloc((size_t)model->size.node_count, sizeof *none);
  if (!none) return lb_fail_memory(err);
  loose.node_fixed = none;
  lbStatus status = lb_model_fem(&loose, NULL, out, err);
  lb_free(none);
  return status;
}

lbStatus lb_matrix_fem(const lbSceneBody *body, bool free, lbFem **out, lbError *err) {
  if (body->model) return fem_of_model(body->model, free, out, err);
  lbSceneBody own = *body;
  if (free) own.fixed = NULL;
  return lb_scene_own_fem(&own, out, err);
}
