// Reading one body of a scene.
#include "scene/body.h"

#include "limber/file.h"
#include "limber/math.h"
#include "limber/shape.h"
#include "limber/voxelise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const body_keys[] = { "name",     "mesh",     "surface",   "model",
                                         "material", "damping",  "mass",      "fixed",
                                         "method",   "reduce",   "position",  "rotation",
                                         "scale",    "velocity", "instances", NULL };
static const char *const generate_keys[] = { "generate",  "size",  "cells",    "element",
                                             "thickness", "level", "segments", NULL };
static const char *const surface_keys[] = { "surface", "voxelise", "fill", NULL };
static const char *const reduce_keys[] = {
  "basis", "modes", "dimension", "forces", "discard", NULL
};
static const char *const method_names[] = { "full", "modal", "subspace", "warp", "frames", NULL };

void lb_scene_release_body(lbSceneBody *body) {
  lb_free(body->name);
  lb_mesh_destroy(body->mesh);
  lb_mesh_destroy(body->surface);
  lb_embedding_destroy(body->embedding);
  lb_free(body->materials);
  lb_free(body->element_materials);
  lb_free(body->fixed);
}

// ---- mesh --------------------------------------------------------------------------------------

static lbStatus load_beside(const lbField *json, lbMesh **mesh, lbError *err) {
  lbStatus status = LB_OK;
  const char *name = lb_field_text(json, &status, err);
  if (status) return status;
  if (!name || !name[0]) return lb_field_fail(json, err, "is empty, it must be a file's name");
  char *path = lb_path_beside(json->file, name);
  status = path ? lb_mesh_load(path, mesh, err) : lb_fail_memory(err);
  lb_free(path);
  return status;
}

static lbStatus embed_surface(lbSceneBody *body, lbError *err) {
  return lb_mesh_embed(body->mesh, body->surface->positions, body->surface->vertex_count,
                       &body->embedding, err);
}

static lbStatus read_shape(const lbField *json, lbShapeDef *def, lbError *err) {
  lbStatus status = lb_field_keys(json, generate_keys, err);
  const char *names[LB_SHAPE_COUNT + 1] = { 0 };
  const char *elements[LB_ELEMENT_KIND_COUNT + 1] = { 0 };
  for (int i = 0; i < LB_SHAPE_COUNT; i++) names[i] = lb_shape_name((lbShape)i);
  for (int i = 0; i < LB_ELEMENT_KIND_COUNT; i++)
    elements[i] = lb_element_kind_name((lbElementKind)i);
  int shape = 0, element;
  lbField member = lb_field_member(json, "generate");
  if (!status) status = lb_field_choice(&member, names, &shape, err);
  *def = lb_shape_def(names[shape]);
  element = (int)def->element;
  member = lb_field_member(json, "size");
  if (!status) status = lb_field_vector(&member, 3, def->size, err);
  member = lb_field_member(json, "cells");
  if (!status) status = lb_field_integers(&member, 3, 1, def->cells, err);
  member = lb_field_member(json, "element");
  if (!status) status = lb_field_choice(&member, elements, &element, err);
  member = lb_field_member(json, "thickness");
  if (!status) status = lb_field_positive(&member, &def->thickness, err);
  member = lb_field_member(json, "level");
  if (!status) status = lb_field_integer(&member, 0, 5, &def->level, err);
  member = lb_field_member(json, "segments");
  if (!status) status = lb_field_integer(&member, 8, 4096, &def->segments, err);
  def->element = (lbElementKind)element;
  return status;
}

static lbStatus generate_mesh(const lbField *json, lbSceneBody *body, lbError *err) {
  lbShapeDef def;
  lbStatus status = read_shape(json, &def, err);
  if (!status) status = lb_shape_volume(&def, &body->mesh, err);
  if (!status) status = lb_shape_surface(&def, &body->surface, err);
  if (!status) status = embed_surface(body, err);
  return status;
}

static lbStatus mesh_from_surface(const lbField *json, lbSceneBody *body, lbError *err) {
  lbStatus status = lb_field_keys(json, surface_keys, err);
  lbField surface = lb_field_member(json, "surface"), cells = lb_field_member(json, "voxelise");
  lbField fill = lb_field_member(json, "fill");
  if (!status && lb_field_here(&cells) == lb_field_here(&fill))
    status = lb_field_fail(json, err, "must have one of \"voxelise\" and \"fill\"");
  if (!status) status = load_beside(&surface, &body->surface, err);
  lbVoxeliseDef def = lb_voxelise_def();
  if (!status) status = lb_field_integer(&cells, 1, INT32_MAX, &def.cells, err);
  if (status) return status;
  body->surface_ids = true;
  if (lb_field_here(&cells))
    return lb_mesh_voxelise(body->surface, &def, &body->mesh, &body->embedding, err);
  static const char *const meshers[] = { "any", "tetgen", "gmsh", NULL }; // in lbMesher's order
  lbFillDef fill_def = lb_fill_def();
  int mesher = LB_MESHER_ANY;
  status = lb_field_choice(&fill, meshers, &mesher, err);
  if (status) return status;
  fill_def.mesher = (lbMesher)mesher;
  status = lb_mesh_fill(body->surface, &fill_def, &body->mesh, err);
  return status ? status : embed_surface(body, err);
}

static lbStatus read_mesh(const lbField *json, lbSceneBody *body, lbError *err) {
  lbField mesh = lb_field_member(json, "mesh"), model = lb_field_member(json, "model");
  lbField surface = lb_field_member(json, "surface");
  if (lb_field_here(&model))
    return lb_field_fail(&model, err, "this version reads no model files, name a \"mesh\"");
  if (!lb_field_here(&mesh)) return lb_field_fail(json, err, "has no \"mesh\"");
  lbStatus status;
  if (json_is_string(mesh.value)) {
    status = load_beside(&mesh, &body->mesh, err);
  } else if (json_object_get(mesh.value, "generate")) {
    status = generate_mesh(&mesh, body, err);
  } else if (json_object_get(mesh.value, "surface")) {
    status = mesh_from_surface(&mesh, body, err);
  } else {
    return lb_field_fail(&mesh, err,
                         "must be a file's name, {\"generate\": ...} or {\"surface\": ..., "
                         "\"voxelise\": ...}");
  }
  if (status || !lb_field_here(&surface)) return status;
  if (body->surface_ids) return lb_field_fail(&surface, err, "the mesh has a surface already");
  lb_mesh_destroy(body->surface);
  lb_embedding_destroy(body->embedding);
  body->surface = NULL;
  body->embedding = NULL;
  status = load_beside(&surface, &body->surface, err);
  return status ? status : embed_surface(body, err);
}

// ---- placement ---------------------------------------------------------------------------------

typedef struct Placement {
  double position[3], scale[3];
  double rotation[4]; // quaternion x y z w
} Placement;

// A value for all instances, or a list with one for each.
static lbField instance_value(const lbField *json, const char *key, int32_t instance,
                              int32_t instance_count) {
  lbField member = lb_field_member(json, key);
  bool list = json_is_array(member.value) && json_is_array(json_array_get(member.value, 0));
  if (!list || (int32_t)json_array_size(member.value) != instance_count) return member;
  return lb_field_item(&member, (size_t)instance);
}

static lbStatus read_placement(const lbField *json, int32_t instance, int32_t count, Placement *p,
                               lbError *err) {
  *p = (Placement){ .scale = { 1, 1, 1 }, .rotation = { 0, 0, 0, 1 } };
  lbField member = instance_value(json, "position", instance, count);
  lbStatus status = lb_field_vector(&member, 3, p->position, err);
  member = instance_value(json, "rotation", instance, count);
  if (!status) status = lb_field_vector(&member, 4, p->rotation, err);
  double norm = 0;
  for (int i = 0; i < 4; i++) norm += p->rotation[i] * p->rotation[i];
  if (!status && !(norm > 1e-20 && norm < 1e20))
    status = lb_field_fail(&member, err, "is not a rotation");
  for (int i = 0; i < 4; i++) p->rotation[i] /= sqrt(norm);
  member = instance_value(json, "scale", instance, count);
  if (status) return status;
  if (json_is_array(member.value)) {
    status = lb_field_vector(&member, 3, p->scale, err);
  } else {
    status = lb_field_number(&member, &p->scale[0], err);
    p->scale[1] = p->scale[2] = p->scale[0];
  }
  if (!status && !(p->scale[0] > 0 && p->scale[1] > 0 && p->scale[2] > 0))
    status = lb_field_fail(&member, err, "must be positive");
  return status;
}

static void place_mesh(const Placement *p, lbMesh *mesh) {
  lbQuat q = { p->rotation[0], p->rotation[1], p->rotation[2], p->rotation[3] };
  lbVec3 position = lb_vec3_load(p->position);
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    double *x = mesh->positions + 3 * (size_t)v;
    lbVec3 scaled = lb_vec3(p->scale[0] * x[0], p->scale[1] * x[1], p->scale[2] * x[2]);
    lb_vec3_store(x, lb_add(position, lb_quat_rotate(q, scaled)));
  }
}

static void warn_of_size(const lbSceneBody *body) {
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (size_t i = 0; i < 3 * (size_t)body->mesh->vertex_count; i++) {
    low[i % 3] = fmin(low[i % 3], body->mesh->positions[i]);
    high[i % 3] = fmax(high[i % 3], body->mesh->positions[i]);
  }
  double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  if (size > 100 || size < 1e-3)
    lb_log(LB_LOG_WARNING, "body \"%s\" is %.3g m long, is the unit metres? (see \"scale\")",
           body->name, size);
}

static lbStatus place(const lbField *json, int32_t instance, int32_t count, lbSceneBody *body,
                      lbError *err) {
  Placement placement;
  lbStatus status = read_placement(json, instance, count, &placement, err);
  if (status) return status;
  place_mesh(&placement, body->mesh);
  if (body->surface) place_mesh(&placement, body->surface);
  static const char *const velocity_keys[] = { "linear", "angular", NULL };
  lbField velocity = lb_field_member(json, "velocity");
  if (lb_field_here(&velocity)) {
    status = lb_field_keys(&velocity, velocity_keys, err);
    lbField linear = instance_value(&velocity, "linear", instance, count);
    lbField angular = instance_value(&velocity, "angular", instance, count);
    if (!status) status = lb_field_vector(&linear, 3, body->linear_velocity, err);
    if (!status) status = lb_field_vector(&angular, 3, body->angular_velocity, err);
  }
  if (!status) warn_of_size(body);
  return status;
}

// ---- the body ----------------------------------------------------------------------------------

static lbStatus read_name(const lbField *json, int32_t instance, int32_t count, lbSceneBody *body,
                          lbError *err) {
  lbStatus status = LB_OK;
  lbField member = lb_field_member(json, "name");
  const char *name = lb_field_text(&member, &status, err);
  if (status) return status;
  char text[200];
  if (count > 1)
    snprintf(text, sizeof text, "%.150s.%d", name ? name : "body", (int)instance);
  else
    snprintf(text, sizeof text, "%.150s", name ? name : "body");
  body->name = lb_duplicate_text(text);
  return body->name ? LB_OK : lb_fail_memory(err);
}

static lbStatus read_method(const lbField *json, lbSceneBody *body, lbError *err) {
  static const char *const mass_names[] = { "consistent", "lumped", NULL };
  static const char *const damping_keys[] = { "mass", "stiffness", NULL };
  int mass = LB_MASS_CONSISTENT, method = LB_METHOD_FULL;
  lbField member = lb_field_member(json, "mass");
  lbStatus status = lb_field_choice(&member, mass_names, &mass, err);
  member = lb_field_member(json, "method");
  if (!status) status = lb_field_choice(&member, method_names, &method, err);
  body->mass = (lbMassKind)mass;
  body->method = (lbMethod)method;
  member = lb_field_member(json, "reduce");
  if (!status && lb_field_here(&member)) status = lb_field_keys(&member, reduce_keys, err);
  member = lb_field_member(json, "damping");
  if (status || !lb_field_here(&member)) return status;
  status = lb_field_keys(&member, damping_keys, err);
  lbField alpha = lb_field_member(&member, "mass"), beta = lb_field_member(&member, "stiffness");
  if (!status) status = lb_field_number(&alpha, &body->damping_mass, err);
  if (!status) status = lb_field_number(&beta, &body->damping_stiffness, err);
  if (!status && (body->damping_mass < 0 || body->damping_stiffness < 0))
    status = lb_field_fail(&member, err, "must not be negative");
  return status;
}

lbStatus lb_scene_read_body(const lbField *json, int32_t instance, int32_t instance_count,
                            lbSceneBody *body, lbError *err) {
  lbStatus status = lb_field_keys(json, body_keys, err);
  if (!status) status = read_name(json, instance, instance_count, body, err);
  if (!status) status = read_method(json, body, err);
  if (!status) status = read_mesh(json, body, err);
  lbField material = lb_field_member(json, "material"), fixed = lb_field_member(json, "fixed");
  if (!status)
    status = lb_field_here(&material) ? lb_scene_read_materials(&material, body, err)
                                      : lb_scene_mesh_materials(body, json->file, err);
  if (!status && lb_field_here(&fixed)) status = lb_scene_read_fixed(&fixed, body, err);
  if (!status) status = place(json, instance, instance_count, body, err);
  return status;
}

lbStatus lb_scene_mesh_body(const char *path, const lbSceneDefaults *defaults, lbSceneBody *body,
                            lbError *err) {
  body->name = lb_duplicate_text(lb_path_name(path));
  if (!body->name) return lb_fail_memory(err);
  lbStatus status = lb_mesh_load(path, &body->mesh, err);
  if (status) return status;
  warn_of_size(body);
  bool carried = body->mesh->material_count > 0 && body->mesh->element_materials;
  if (carried && !(defaults && defaults->has_material))
    return lb_scene_mesh_materials(body, path, err);
  lbMaterial material = defaults ? defaults->material : lb_material();
  body->materials = lb_duplicate(&material, 1, sizeof material);
  body->material_count = 1;
  return body->materials ? LB_OK : lb_fail_memory(err);
}
