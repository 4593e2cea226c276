// Materials of a body: one for all, one per group, or those that the mesh file carries.
#include "scene/body.h"

#include <stdio.h>
#include <string.h>

static const char *const keys[] = { "model", "young", "poisson", "density", "c10",
                                    "c01",   "v1",    "group",   NULL };
static const char *const elastic_keys[] = { "young", "poisson", NULL };
static const char *const mooney_keys[] = { "c10", "c01", "v1", NULL };

static lbStatus read_model(const lbField *json, lbMaterialModel *model, lbError *err) {
  const char *names[LB_MATERIAL_MODEL_COUNT + 1] = { 0 };
  for (int i = 0; i < LB_MATERIAL_MODEL_COUNT; i++)
    names[i] = lb_material_model_name((lbMaterialModel)i);
  int chosen = *model;
  lbField member = lb_field_member(json, "model");
  lbStatus status = lb_field_choice(&member, names, &chosen, err);
  *model = (lbMaterialModel)chosen;
  return status;
}

static lbStatus refuse_keys(const lbField *json, const char *const *unwanted, lbMaterialModel model,
                            lbError *err) {
  for (; *unwanted; unwanted++) {
    lbField member = lb_field_member(json, *unwanted);
    if (lb_field_here(&member))
      return lb_field_fail(&member, err, "does not apply to the model \"%s\", remove it",
                           lb_material_model_name(model));
  }
  return LB_OK;
}

static lbStatus read_material(const lbField *json, lbMaterial *material, lbError *err) {
  lbMaterial m = lb_material();
  lbStatus status = lb_field_keys(json, keys, err);
  if (!status) status = read_model(json, &m.model, err);
  bool mooney = m.model == LB_MATERIAL_MOONEYRIVLIN;
  if (!status) status = refuse_keys(json, mooney ? elastic_keys : mooney_keys, m.model, err);
  const struct {
    const char *key;
    double *value;
  } fields[] = { { "young", &m.young }, { "poisson", &m.poisson }, { "density", &m.density },
                 { "c10", &m.c10 },     { "c01", &m.c01 },         { "v1", &m.v1 } };
  for (size_t i = 0; i < sizeof fields / sizeof *fields && !status; i++) {
    lbField member = lb_field_member(json, fields[i].key);
    status = lb_field_number(&member, fields[i].value, err);
  }
  char what[256];
  snprintf(what, sizeof what, "%s: %s", json->file, json->path);
  if (!status) status = lb_material_check(&m, what, err);
  if (!status) *material = m;
  return status;
}

static lbStatus find_group(const lbField *json, const lbMesh *mesh, const lbGroup **group,
                           lbError *err) {
  const char *name;
  int32_t tag;
  lbStatus status = lb_field_group(json, &name, &tag, err);
  if (status) return status;
  *group = name ? lb_mesh_group_by_name(mesh, LB_GROUP_ELEMENTS, name)
                : lb_mesh_group_by_tag(mesh, LB_GROUP_ELEMENTS, tag);
  if (*group) return LB_OK;
  char known[160] = "";
  for (int32_t i = 0; i < mesh->group_count; i++)
    if (mesh->groups[i].kind == LB_GROUP_ELEMENTS)
      snprintf(known + strlen(known), sizeof known - strlen(known), " %s(%d)", mesh->groups[i].name,
               (int)mesh->groups[i].tag);
  return lb_field_fail(json, err, "the mesh has no such group of elements, it has%s",
                       known[0] ? known : " none");
}

static lbStatus read_list(const lbField *json, lbSceneBody *body, lbError *err) {
  size_t count = json_array_size(json->value), elements = (size_t)lb_mesh_element_count(body->mesh);
  body->materials = lb_alloc(count, sizeof(lbMaterial));
  body->element_materials = lb_alloc(elements, sizeof(int32_t));
  if (!body->materials || !body->element_materials) return lb_fail_memory(err);
  for (size_t e = 0; e < elements; e++) body->element_materials[e] = -1;
  body->material_count = (int32_t)count;
  for (size_t i = 0; i < count; i++) {
    lbField item = lb_field_item(json, i), group_json = lb_field_member(&item, "group");
    const lbGroup *group = NULL;
    lbStatus status = read_material(&item, &body->materials[i], err);
    if (!status && lb_field_here(&group_json))
      status = find_group(&group_json, body->mesh, &group, err);
    if (status) return status;
    for (size_t e = 0; !group && e < elements; e++) body->element_materials[e] = (int32_t)i;
    for (int32_t k = 0; group && k < group->count; k++)
      body->element_materials[group->ids[k]] = (int32_t)i;
  }
  for (size_t e = 0; e < elements; e++)
    if (body->element_materials[e] < 0)
      return lb_field_fail(json, err,
                           "element %zu is in none of the groups, add a material without "
                           "\"group\" first in the list",
                           e);
  return LB_OK;
}

lbStatus lb_scene_read_materials(const lbField *json, lbSceneBody *body, lbError *err) {
  if (json_is_array(json->value)) return read_list(json, body, err);
  lbField group = lb_field_member(json, "group");
  if (lb_field_here(&group))
    return lb_field_fail(&group, err, "only a list of materials can have groups");
  body->materials = lb_alloc(1, sizeof(lbMaterial));
  if (!body->materials) return lb_fail_memory(err);
  body->material_count = 1;
  return read_material(json, body->materials, err);
}

lbStatus lb_scene_mesh_materials(lbSceneBody *body, const char *path, lbError *err) {
  const lbMesh *mesh = body->mesh;
  if (mesh->material_count == 0 || !mesh->element_materials)
    return lb_fail(err, LB_ERR_FORMAT, "%s: body \"%s\" has no material and its mesh carries none",
                   path, body->name);
  size_t elements = (size_t)lb_mesh_element_count(mesh);
  body->materials = lb_alloc((size_t)mesh->material_count, sizeof(lbMaterial));
  body->element_materials = lb_duplicate(mesh->element_materials, elements, sizeof(int32_t));
  if (!body->materials || !body->element_materials) return lb_fail_memory(err);
  body->material_count = mesh->material_count;
  for (int32_t i = 0; i < mesh->material_count; i++) {
    char what[256];
    snprintf(what, sizeof what, "%s: material \"%s\"", path, mesh->materials[i].name);
    body->materials[i] = mesh->materials[i].material;
    lbStatus status = lb_material_check(&body->materials[i], what, err);
    if (status) return status;
  }
  return LB_OK;
}
