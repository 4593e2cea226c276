// Finite-element bodies for matrices: of a scene's mesh, or of the arrays of a model.
#include "study/matrix_body.h"

#include "study/actor.h"

static lbMaterial material_of(const lbModel *model, size_t index) {
  const double *v = model->material_values + 6 * index;
  return (lbMaterial){
    (lbMaterialModel)model->material_laws[index], v[0], v[1], v[2], v[3], v[4], v[5]
  };
}

static lbStatus fem_of_model(const lbSceneBody *body, bool free, lbFem **out, lbError *err) {
  const lbModel *m = body->model;
  size_t materials = (size_t)m->size.material_count, nodes = (size_t)m->size.node_count;
  lbMesh *mesh = NULL;
  lbFemDef def = lb_fem_def();
  lbMaterial *list = lb_alloc(materials, sizeof *list);
  bool *fixed = lb_alloc(nodes, sizeof *fixed);
  lbStatus status = list && fixed ? lb_model_volume_mesh(m, &mesh, err) : lb_fail_memory(err);
  for (size_t i = 0; i < materials && !status; i++) list[i] = material_of(m, i);
  for (size_t v = 0; v < nodes && !status; v++) fixed[v] = m->node_fixed[v] != 0;
  def.name = body->name;
  def.materials = list;
  def.material_count = m->size.material_count;
  def.element_materials = m->element_materials;
  def.fixed = free ? NULL : fixed;
  if (!status) status = lb_fem_create(mesh, &def, out, err);
  lb_mesh_destroy(mesh);
  lb_free(list);
  lb_free(fixed);
  return status;
}

lbStatus lb_matrix_fem(const lbSceneBody *body, bool free, lbFem **out, lbError *err) {
  if (body->model) return fem_of_model(body, free, out, err);
  lbSceneBody own = *body;
  if (free) own.fixed = NULL;
  return lb_scene_own_fem(&own, out, err);
}
