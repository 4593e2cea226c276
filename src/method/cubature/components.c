// Components of a model by their numbers: tets, then bricks; of a shell its edges. And materials.
#include "method/cubature/components.h"

#include "limber/body.h"

#include <string.h>

lbMaterial lb_model_material(const lbModel *model, int32_t index) {
  const double *values = model->material_values + 6 * (size_t)index;
  lbMaterial material = { .model = (lbMaterialModel)model->material_laws[index],
                          .young = values[0],
                          .poisson = values[1],
                          .density = values[2],
                          .c10 = values[3],
                          .c01 = values[4],
                          .v1 = values[5] };
  if (!model->material_shells) return material;
  const double *sheet = model->material_shells + 4 * (size_t)index;
  material.thickness = sheet[0];
  material.stretch = sheet[1];
  material.area = sheet[2];
  material.bend = sheet[3];
  return material;
}

// Triangles have materials of shells, with a thickness.
static lbStatus check_shell(const lbModel *model, lbError *err) {
  for (int32_t i = 0; i < model->size.material_count; i++) {
    const lbMaterial material = lb_model_material(model, i);
    bool used = false;
    for (int32_t t = 0; t < model->size.shell_count && !used; t++)
      used = model->element_materials[t] == i;
    if (used && material.model != LB_MATERIAL_SHELL)
      return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": triangles of a shell have the law \"%s\"",
                     model->name, lb_material_model_name(material.model));
    lbStatus status = used ? lb_material_check(&material, model->name, err) : LB_OK;
    if (status) return status;
  }
  return LB_OK;
}

static lbStatus open_shell(const lbModel *model, lbComponents *out, lbError *err) {
  int32_t count = model->size.cubature_count;
  if (model->size.shell_count < model->size.element_count)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "model \"%s\": has a shell and solids together",
                   model->name);
  lbStatus status = check_shell(model, err);
  if (!status)
    status = lb_shell_flaps(model->size.node_count, model->node_positions, model->size.shell_count,
                            model->shells, model->name, &out->flaps, &out->flap_count, err);
  if (!status && count && model->cubature_elements[count - 1] >= out->flap_count)
    status =
        lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": cubature element %d of a shell of %d edges",
                model->name, (int)model->cubature_elements[count - 1], (int)out->flap_count);
  if (status) lb_components_close(out);
  return status;
}

lbStatus lb_components_open(const lbModel *model, lbComponents *out, lbError *err) {
  *out = (lbComponents){ .model = model };
  return model->size.shell_count ? open_shell(model, out, err) : LB_OK;
}

void lb_components_close(lbComponents *components) {
  lb_free(components->flaps);
  *components = (lbComponents){ 0 };
}

// ---- shells ------------------------------------------------------------------------------------

static lbComponent flap_component(const lbComponents *components, int32_t number) {
  const lbFlap *flap = &components->flaps[number];
  lbComponent c = { .kind = LB_ELEMENT_FLAP, .law = LB_MATERIAL_SHELL, .number = number };
  c.material = components->model->element_materials[flap->triangles[0]];
  memcpy(c.nodes, flap->nodes, sizeof flap->nodes);
  return c;
}

// With other moduli (materials x 3) than the model's; NULL: the model's own.
static lbMaterial triangle_material(const lbModel *model, int32_t triangle,
                                    const double *materials) {
  int32_t index = triangle < 0 ? 0 : model->element_materials[triangle];
  lbMaterial material = lb_model_material(model, index);
  if (!materials) return material;
  material.young = materials[3 * (size_t)index];
  material.poisson = materials[3 * (size_t)index + 1];
  return material;
}

static void fill_flap(const lbComponents *components, int32_t number, const double *materials,
                      double *rest, double *parameters, int32_t stride) {
  const lbModel *model = components->model;
  const lbFlap *flap = &components->flaps[number];
  const lbMaterial first = triangle_material(model, flap->triangles[0], materials);
  const lbMaterial second = triangle_material(model, flap->triangles[1], materials);
  const lbFlapMaterials both = { { &first, &second } };
  if (rest) lb_flap_rest(flap, model->node_positions, &both, rest, stride);
  if (parameters) lb_flap_parameters(flap, model->node_positions, &both, parameters, stride);
}

// ---- all of them -------------------------------------------------------------------------------

int32_t lb_component_count(const lbComponents *components) {
  const lbModelSizes *size = &components->model->size;
  return components->flaps ? components->flap_count : size->tet_count + size->brick_count;
}

lbComponent lb_component(const lbComponents *components, int32_t number) {
  const lbModel *m = components->model;
  if (components->flaps) return flap_component(components, number);
  bool tet = number < m->size.tet_count;
  lbComponent c = { .kind = tet ? LB_ELEMENT_TET4 : LB_ELEMENT_BRICK8,
                    .number = number,
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
  if (components->flaps) {
    fill_flap(components, component->number, NULL, rest, NULL, stride);
    return true;
  }
  double corners[3 * LB_ELEMENT_NODES_MAX];
  for (int32_t a = 0; a < lb_element_nodes(component->kind); a++)
    memcpy(corners + 3 * a, positions + 3 * (size_t)component->nodes[a], 3 * sizeof(double));
  return lb_element_rest(component->kind, corners, rest, stride);
}

void lb_component_parameters(const lbComponents *components, const lbComponent *component,
                             const double *materials, double *parameters, int32_t stride) {
  if (components->flaps) {
    fill_flap(components, component->number, materials, NULL, parameters, stride);
    return;
  }
  lbMaterial material = lb_model_material(components->model, component->material);
  material.young = materials[3 * (size_t)component->material];
  material.poisson = materials[3 * (size_t)component->material + 1];
  lb_material_parameters(&material, parameters, stride);
}
