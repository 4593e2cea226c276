// The "mesh" and "surface" entries of a body: a file, a built-in shape, or a surface to be filled.
#include "scene/body.h"

#include "limber/file.h"
#include "limber/shape.h"
#include "limber/voxelise.h"

static const char *const generate_keys[] = { "generate",  "size",  "cells",    "element",
                                             "thickness", "level", "segments", NULL };
static const char *const surface_keys[] = { "surface", "voxelise", "fill", NULL };

static lbStatus load_beside(const lbField *json, lbMesh **mesh, lbError *err) {
  char *path = NULL;
  lbStatus status = lb_field_file(json, &path, err);
  if (!status) status = lb_mesh_load(path, mesh, err);
  lb_free(path);
  return status;
}

// The axis that is up in files of this kind; shapes are z-up.
char lb_scene_file_up(const char *path) {
  static const char *const y_up[] = { ".obj", ".gltf", ".glb", NULL };
  for (int i = 0; y_up[i]; i++)
    if (lb_path_has_extension(path, y_up[i])) return 'y';
  return 'z';
}

static lbStatus embed_source_surface(lbSceneBody *body, lbError *err) {
  return lb_mesh_embed(body->mesh, body->surface->positions, body->surface->vertex_count,
                       &body->embedding, err);
}

static lbStatus read_shape(const lbField *json, lbShapeDef *def, lbError *err) {
  lbStatus status = lb_field_keys(json, generate_keys, err);
  const char *names[LB_SHAPE_COUNT + 1] = { 0 };
  const char *elements[LB_ELEMENT_VOLUME_KIND_COUNT + 1] = { 0 };
  for (int i = 0; i < LB_SHAPE_COUNT; i++) names[i] = lb_shape_name((lbShape)i);
  for (int i = 0; i < LB_ELEMENT_VOLUME_KIND_COUNT; i++)
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
  if (status || lb_mesh_element_count(body->mesh) == 0) return status; // a shell: its own surface
  status = lb_shape_surface(&def, &body->surface, err);
  if (!status) status = embed_source_surface(body, err);
  return status;
}

static lbStatus mesh_from_surface(const lbField *json, lbSceneBody *body, lbError *err) {
  lbStatus status = lb_field_keys(json, surface_keys, err);
  lbField surface = lb_field_member(json, "surface"), cells = lb_field_member(json, "voxelise");
  lbField fill = lb_field_member(json, "fill");
  if (!status && lb_field_here(&cells) == lb_field_here(&fill))
    status = lb_field_fail(json, err, "must have one of \"voxelise\" and \"fill\"");
  if (!status) status = load_beside(&surface, &body->surface, err);
  if (!status) body->up = lb_scene_file_up(json_string_value(surface.value));
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
  return status ? status : embed_source_surface(body, err);
}

lbStatus lb_scene_read_mesh(const lbField *json, lbSceneBody *body, lbError *err) {
  lbField mesh = lb_field_member(json, "mesh");
  lbField surface = lb_field_member(json, "surface");
  if (!lb_field_here(&mesh)) return lb_field_fail(json, err, "has no \"mesh\" and no \"model\"");
  lbStatus status;
  if (json_is_string(mesh.value)) {
    status = load_beside(&mesh, &body->mesh, err);
    body->up = lb_scene_file_up(json_string_value(mesh.value));
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
  return status ? status : embed_source_surface(body, err);
}
