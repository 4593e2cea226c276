// Finite-element bodies for matrices: of a scene's mesh, or of the arrays of a model.
#include "study/matrix_body.h"

#include "full/full.h"

lbStatus lb_model_free_fem(const lbModel *model, lbFem **out, lbError *err) {
  lbModel loose = *model;
  uint8_t *none = lb_alloc((size_t)model->size.node_count, sizeof *none);
  if (!none) return lb_fail_memory(err);
  loose.node_fixed = none;
  lbStatus status = lb_model_fem(&loose, NULL, out, err);
  lb_free(none);
  return status;
}

lbStatus lb_matrix_fem(const lbSceneBody *body, bool free, lbFem **out, lbError *err) {
  if (body->model && free) return lb_model_free_fem(body->model, out, err);
  if (body->model) return lb_model_fem(body->model, NULL, out, err);
  lbSceneBody own = *body;
  if (free) own.fixed = NULL;
  return lb_scene_own_fem(&own, out, err);
}
