// Giving materials to regions of a body, and reading regions.
#include "scene/paint.h"

#include <string.h>

// ---- materials ---------------------------------------------------------------------------------

lbStatus lb_scene_paint_begin(lbBodyPaint *paint, lbSceneBody *body, lbError *err) {
  size_t elements = (size_t)lb_mesh_body_elements(body->mesh);
  *paint = (lbBodyPaint){ .body = body };
  lb_free(body->materials);
  lb_free(body->element_materials);
  body->materials = NULL;
  body->material_count = 0;
  body->element_materials = lb_alloc(elements, sizeof(int32_t));
  if (!body->element_materials) return lb_fail_memory(err);
  for (size_t e = 0; e < elements; e++) body->element_materials[e] = -1;
  return lb_painter_create(body->mesh, body->surface, &paint->painter, err);
}

void lb_scene_paint_end(lbBodyPaint *paint) { lb_painter_destroy(paint->painter); }

// Its number; -1: no memory.
static int32_t add_paint_material(lbBodyPaint *paint, const lbMaterial *material) {
  lbSceneBody *body = paint->body;
  if (!lb_grow((void **)&body->materials, &paint->capacity, (size_t)body->material_count + 1,
               sizeof *material))
    return -1;
  body->materials[body->material_count] = *material;
  return body->material_count++;
}

// The material of each level that covered elements have; -1: none has it. false: no memory.
static bool add_levels(lbBodyPaint *paint, const lbMaterial *material, const double young[2],
                       const double *density, const bool *covered, const double *values,
                       int32_t ids[LB_COLOR_LEVELS]) {
  bool used[LB_COLOR_LEVELS] = { false };
  for (int32_t e = 0; e < lb_mesh_body_elements(paint->body->mesh); e++)
    if (covered[e]) used[lb_color_level(values[e])] = true;
  for (int32_t level = 0; level < LB_COLOR_LEVELS; level++) {
    lbMaterial graded = *material;
    double part = (double)level / (LB_COLOR_LEVELS - 1);
    graded.young = lb_color_young(young, level);
    if (density) graded.density = (1 - part) * density[0] + part * density[1];
    ids[level] = used[level] ? add_paint_material(paint, &graded) : -1;
    if (used[level] && ids[level] < 0) return false;
  }
  return true;
}

lbStatus lb_scene_paint_values(lbBodyPaint *paint, const bool *covered, const double *values,
                               const lbMaterial *material, const double *young,
                               const double *density, lbError *err) {
  int32_t ids[LB_COLOR_LEVELS];
  if (!add_levels(paint, material, young, density, covered, values, ids))
    return lb_fail_memory(err);
  for (int32_t e = 0; e < lb_mesh_body_elements(paint->body->mesh); e++)
    if (covered[e]) paint->body->element_materials[e] = ids[lb_color_level(values[e])];
  return LB_OK;
}

static lbStatus paint_evenly(lbBodyPaint *paint, const bool *covered, const lbMaterial *material,
                             lbError *err) {
  int32_t id = add_paint_material(paint, material);
  if (id < 0) return lb_fail_memory(err);
  for (int32_t e = 0; e < lb_mesh_body_elements(paint->body->mesh); e++)
    if (covered[e]) paint->body->element_materials[e] = id;
  return LB_OK;
}

lbStatus lb_scene_paint(lbBodyPaint *paint, const lbRegion *region, const lbMaterial *material,
                        const double *young, lbError *err) {
  size_t elements = (size_t)lb_mesh_body_elements(paint->body->mesh);
  bool graded = young && region->has_color;
  bool *covered = lb_alloc(elements, sizeof *covered);
  double *values = lb_alloc(graded ? elements : 0, sizeof *values);
  lbStatus status = covered && values ? LB_OK : lb_fail_memory(err);
  if (!status)
    status = lb_painter_elements(paint->painter, region, covered, graded ? values : NULL, err);
  if (!status && graded)
    status = lb_scene_paint_values(paint, covered, values, material, young, NULL, err);
  if (!status && !graded) status = paint_evenly(paint, covered, material, err);
  lb_free(covered);
  lb_free(values);
  return status;
}

int32_t lb_scene_unpainted(const lbSceneBody *body) {
  for (int32_t e = 0; e < lb_mesh_body_elements(body->mesh); e++)
    if (body->element_materials[e] < 0) return e;
  return -1;
}

// ---- regions -----------------------------------------------------------------------------------

lbStatus lb_scene_region_fail(const lbField *json, lbStatus status, lbError *err) {
  if (status != LB_ERR_ARGUMENT || !err) return status;
  static const char *const keys[] = { "group", "color", "box", NULL };
  lbError why = *err;
  lbField culprit = *json;
  for (int i = 0; keys[i] && culprit.value == json->value; i++) {
    lbField member = lb_field_member(json, keys[i]);
    if (lb_field_here(&member)) culprit = member;
  }
  return lb_field_fail(&culprit, err, "%s", why.text);
}

static lbStatus read_box(const lbField *json, lbRegion *region, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_array(json->value) || json_array_size(json->value) != 2)
    return lb_field_fail(json, err, "must be [[low x, y, z], [high x, y, z]]");
  for (size_t i = 0; i < 2; i++) {
    lbField item = lb_field_item(json, i);
    lbStatus status = lb_field_vector(&item, 3, region->box[i], err);
    if (status) return status;
  }
  region->has_box = true;
  return LB_OK;
}

static lbStatus read_paint_channel(const lbField *json, lbRegion *region, lbError *err) {
  const char *names[LB_CHANNEL_COUNT + 1] = { 0 };
  for (int i = 0; i < LB_CHANNEL_COUNT; i++) names[i] = lb_color_channel_name((lbColorChannel)i);
  int channel = -1;
  lbField member = lb_field_member(json, "channel");
  lbStatus status = lb_field_choice(&member, names, &channel, err);
  if (!status && channel < 0)
    status = lb_field_fail(json, err, "has no \"channel\", name red, green, blue or alpha");
  if (!status) region->channel = (lbColorChannel)channel;
  return status;
}

static lbStatus read_paint_color(const lbField *json, lbRegion *region, double *young,
                                 lbError *err) {
  static const char *const graded[] = { "channel", "young", NULL };
  static const char *const limited[] = { "channel", "above", NULL };
  if (!lb_field_here(json)) return LB_OK;
  lbStatus status = lb_field_keys(json, young ? graded : limited, err);
  if (!status) status = read_paint_channel(json, region, err);
  region->has_color = true;
  region->above = young ? -1 : 0.5;
  lbField member = lb_field_member(json, young ? "young" : "above");
  if (!status && !young) status = lb_field_number(&member, &region->above, err);
  if (!status && !young && !(region->above >= 0 && region->above < 1))
    status = lb_field_fail(&member, err, "is %g, it must be at least 0 and below 1", region->above);
  if (!status && young && !lb_field_here(&member))
    status = lb_field_fail(json, err, "has no \"young\", give the moduli of the values 0 and 1");
  if (!status && young) status = lb_field_vector(&member, 2, young, err);
  for (int i = 0; i < 2 && young && !status; i++)
    if (!(young[i] > 0))
      status = lb_field_fail(&member, err, "is %g, Young's modulus must be positive", young[i]);
  return status;
}

lbStatus lb_scene_read_region(const lbField *json, lbRegion *region, double *young, lbError *err) {
  *region = lb_region();
  lbField group = lb_field_member(json, "group"), box = lb_field_member(json, "box");
  lbField color = lb_field_member(json, "color");
  lbStatus status = LB_OK;
  if (lb_field_here(&group)) status = lb_field_group(&group, &region->group, &region->tag, err);
  if (!status) status = read_box(&box, region, err);
  if (!status) status = read_paint_color(&color, region, young, err);
  return status;
}
