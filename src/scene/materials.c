// Materials of a body: one for all, one for each region, or those that the mesh file carries.
#include "scene/paint.h"

#include <stdio.h>
#include <string.h>

static const char *const keys[] = { "model", "young", "poisson", "density", "c10",       "c01",
                                    "v1",    "group", "box",     "color",   "thickness", "stretch",
                                    "area",  "bend",  "image",   NULL };
static const char *const elastic_keys[] = { "young", "poisson", NULL };
static const char *const mooney_keys[] = { "c10", "c01", "v1", NULL };
static const char *const sheet_keys[] = { "stretch", "area", "bend", NULL };
static const char *const thickness_keys[] = { "thickness", NULL };

static lbStatus read_material_model(const lbField *json, lbMaterialModel *model, lbError *err) {
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

static bool has_keys(const lbField *json, const char *const *wanted) {
  for (; *wanted; wanted++) {
    lbField member = lb_field_member(json, *wanted);
    if (lb_field_here(&member)) return true;
  }
  return false;
}

// A shell is given by Young's modulus or by its stiffnesses, not by both.
static lbStatus check_shell_keys(const lbField *json, lbError *err) {
  lbField thickness = lb_field_member(json, "thickness");
  if (!lb_field_here(&thickness)) return lb_field_fail(json, err, "a shell needs a \"thickness\"");
  if (!has_keys(json, sheet_keys)) return LB_OK;
  for (int i = 0; elastic_keys[i]; i++) {
    lbField member = lb_field_member(json, elastic_keys[i]);
    if (lb_field_here(&member))
      return lb_field_fail(&member, err, "does not go with stiffnesses, remove one or the other");
  }
  for (int i = 0; sheet_keys[i]; i++) {
    lbField member = lb_field_member(json, sheet_keys[i]);
    if (!lb_field_here(&member) && i != 1)
      return lb_field_fail(json, err, "has no \"%s\"; stretch and bend go together", sheet_keys[i]);
  }
  return LB_OK;
}

static lbStatus check_material_keys(const lbField *json, lbMaterialModel model, lbError *err) {
  bool mooney = model == LB_MATERIAL_MOONEYRIVLIN, shell = model == LB_MATERIAL_SHELL;
  lbStatus status = refuse_keys(json, mooney ? elastic_keys : mooney_keys, model, err);
  if (!status && shell) return check_shell_keys(json, err);
  if (!status) status = refuse_keys(json, sheet_keys, model, err);
  return status ? status : refuse_keys(json, thickness_keys, model, err);
}

static lbStatus read_material(const lbField *json, lbMaterial *material, lbError *err) {
  lbMaterial m = lb_material();
  lbStatus status = lb_field_keys(json, keys, err);
  if (!status) status = read_material_model(json, &m.model, err);
  if (!status) status = check_material_keys(json, m.model, err);
  const struct {
    const char *key;
    double *value;
  } fields[] = { { "young", &m.young },     { "poisson", &m.poisson },
                 { "density", &m.density }, { "c10", &m.c10 },
                 { "c01", &m.c01 },         { "v1", &m.v1 },
                 { "stretch", &m.stretch }, { "thickness", &m.thickness },
                 { "area", &m.area },       { "bend", &m.bend } };
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

// What a colour or an image says twice.
static lbStatus check_map(const lbField *json, const char *key, const lbMaterial *material,
                          lbError *err) {
  lbField young = lb_field_member(json, "young"), map = lb_field_member(json, key);
  if (!lb_field_here(&map)) return LB_OK;
  if (lb_field_here(&young))
    return lb_field_fail(&young, err, "the \"%s\" gives Young's modulus, remove this", key);
  if (material->model == LB_MATERIAL_MOONEYRIVLIN || material->stretch > 0)
    return lb_field_fail(&map, err, "does not apply to this \"%s\", which has no \"young\"",
                         lb_material_model_name(material->model));
  return LB_OK;
}

static lbStatus paint_material_entry(lbBodyPaint *paint, const lbField *json, lbError *err) {
  lbMaterial material;
  lbRegion region;
  double young[2];
  lbStatus status = read_material(json, &material, err);
  if (!status) status = lb_scene_read_region(json, &region, young, err);
  if (!status) status = check_map(json, "color", &material, err);
  if (!status) status = check_map(json, "image", &material, err);
  if (status) return status;
  lbField image = lb_field_member(json, "image");
  if (lb_field_here(&image)) return lb_scene_paint_image(paint, json, &region, &material, err);
  status = lb_scene_paint(paint, &region, &material, young, err);
  return lb_scene_region_fail(json, status, err);
}

static lbStatus check_single(const lbField *json, lbError *err) {
  static const char *const refused[] = { "group", "box", NULL };
  for (int i = 0; refused[i]; i++) {
    lbField member = lb_field_member(json, refused[i]);
    if (lb_field_here(&member))
      return lb_field_fail(&member, err, "only a list of materials can have a \"%s\"", refused[i]);
  }
  return LB_OK;
}

static lbStatus check_painted(const lbField *json, const lbSceneBody *body, lbError *err) {
  int32_t element = lb_scene_unpainted(body);
  if (element < 0) return LB_OK;
  return lb_field_fail(json, err,
                       "element %d is in none of the regions, add a material without \"group\", "
                       "\"box\" and \"color\" first in the list",
                       (int)element);
}

static void warn_of_law(const lbField *json) {
  lbField model = lb_field_member(json, "model");
  if (lb_field_here(&model))
    lb_log(LB_LOG_WARNING, "%s: %s: is ignored by the method \"warp\", whose \"strain\" decides",
           json->file, model.path);
}

lbStatus lb_scene_read_materials(const lbField *json, lbSceneBody *body, lbError *err) {
  lbBodyPaint paint;
  bool list = json_is_array(json->value), warns = body->method == LB_METHOD_WARP;
  lbStatus status = list ? LB_OK : check_single(json, err);
  if (status) return status;
  status = lb_scene_paint_begin(&paint, body, err);
  if (!status && !list) status = paint_material_entry(&paint, json, err);
  if (!status && !list && warns) warn_of_law(json);
  for (size_t i = 0; list && i < json_array_size(json->value) && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = paint_material_entry(&paint, &item, err);
    if (!status && warns) warn_of_law(&item);
  }
  lb_scene_paint_end(&paint);
  return status ? status : check_painted(json, body, err);
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
