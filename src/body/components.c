// Components of a model by their numbers: tets, then bricks.
#include "body/components.h"

#include <string.h>

lbStatus lb_components_open(const lbModel *model, lbComponents *out, lbError *err) {
  if (model->size.shell_count)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "model \"%s\": shells cannot run in this version",
                   model->name);
  *out = (lbComponents){ model };
  return LB_OK;
}

void lb_components_close(lbComponents *components) { *components = (lbComponents){ 0 }; }

lbComponent lb_component(const lbComponents *components, int32_t number) {
  const lbModel *m = components->model;
  bool tet = number < m->size.tet_count;
  lbComponent c = { .kind = tet ? LB_ELEMENT_TET4 : LB_ELEMENT_BRICK8,
                    .material = m->element_materials[number] };
  c.law = (lbMaterialModel)m->material_laws[c.material];
  size_t count = (size_t)lb_element_nodes(c.kind);
  const int32_t *nodes = tet ? m->tets + count * (size_t)number
                             : m->bricks + count * (size_t)(number - m->size.tet_count);
  memcpy(c.nodes, nodes, count * sizeof *nodes);
  return c;
}

bool lb_component_rest(const lbComponents *components, const lbComponent *component, double *rest,
                       int32_t stride) {
  const double *positions = components->model->node_positions;
  double corners[3 * LB_ELEMENT_NODES_MAX];
  for (int32_t a = 0; a < lb_element_nodes(component->kind); a++)
    memcpy(corners + 3 * a, positions + 3 * (size_t)component->nodes[a], 3 * sizeof(double));
  return lb_element_rest(component->kind, corners, rest, stride);
}

void lb_component_parameters(const lbComponents *components, const lbComponent *component,
                             const double *elastic, double *parameters, int32_t stride) {
  const double *values = components->model->material_values + 6 * (size_t)component->material;
  const lbMaterial material = { .model = component->law,
                                .young = elastic[0],
                                .poisson = elastic[1],
                                .c10 = values[3],
                                .c01 = values[4],
                                .v1 = values[5] };
  lb_material_parameters(&material, parameters, stride);
}
