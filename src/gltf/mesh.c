// A surface with morph targets: one primitive a part, all of them sharing the vertices, and targets
// relative to the base.
#include "gltf/document.h"

#include <string.h>

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_mesh_targets(const lbGltfMesh *mesh, size_t values, lbError *err) {
  if (mesh->target_count < 0 || (mesh->target_count > 0 && !mesh->targets))
    return lb_fail(err, LB_ERR_ARGUMENT, "target_count is %d, with %s targets",
                   (int)mesh->target_count, mesh->targets ? "its" : "no");
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < mesh->target_count && !status; i++) {
    const lbGltfTarget *target = &mesh->targets[i];
    if (!target->positions || !target->normals != !mesh->targets[0].normals)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "target %d lacks positions, or has normals where others have none", (int)i);
    status = lb_gltf_check_floats(target->positions, values, "target positions", err);
    if (!status && target->normals)
      status = lb_gltf_check_floats(target->normals, values, "target normals", err);
  }
  if (!status && mesh->weights)
    status = lb_gltf_check_floats(mesh->weights, (size_t)mesh->target_count, "weights", err);
  return status;
}

static lbStatus check_part(const lbGltf *gltf, const lbGltfMesh *mesh, int32_t number,
                           lbError *err) {
  const lbGltfPart *part = &mesh->parts[number];
  if (part->triangle_begin < 0 || part->triangle_count < 1 ||
      part->triangle_count > INT32_MAX / 3 - part->triangle_begin)
    return lb_fail(err, LB_ERR_ARGUMENT, "part %d has %d triangles from %d on", (int)number,
                   (int)part->triangle_count, (int)part->triangle_begin);
  if (part->material < -1 || part->material >= gltf->materials.count)
    return lb_fail(err, LB_ERR_ARGUMENT, "part %d uses material %d, there are %d", (int)number,
                   (int)part->material, (int)gltf->materials.count);
  const int32_t *triangles = mesh->triangles + 3 * (size_t)part->triangle_begin;
  for (size_t i = 0; i < 3 * (size_t)part->triangle_count; i++)
    if (triangles[i] < 0 || triangles[i] >= mesh->vertex_count)
      return lb_fail(err, LB_ERR_ARGUMENT, "triangle %llu uses vertex %d, there are %d",
                     (unsigned long long)((size_t)part->triangle_begin + i / 3), (int)triangles[i],
                     (int)mesh->vertex_count);
  return LB_OK;
}

static int32_t point_count_of(const lbGltfMesh *mesh) {
  return mesh->points ? mesh->point_count : mesh->vertex_count;
}

static lbStatus check_mesh(const lbGltf *gltf, const lbGltfMesh *mesh, lbError *err) {
  size_t values = 3 * (size_t)point_count_of(mesh);
  if (mesh->vertex_count < 1 || point_count_of(mesh) < 1 || !mesh->positions || !mesh->triangles ||
      mesh->part_count < 1 || !mesh->parts)
    return lb_fail(err, LB_ERR_ARGUMENT, "a glTF mesh needs vertices, positions, triangles, parts");
  for (int32_t v = 0; v < mesh->vertex_count && mesh->points; v++)
    if (mesh->points[v] < 0 || mesh->points[v] >= mesh->point_count)
      return lb_fail(err, LB_ERR_ARGUMENT, "vertex %d is at point %d, there are %d", (int)v,
                     (int)mesh->points[v], (int)mesh->point_count);
  lbStatus status = lb_gltf_check_floats(mesh->positions, values, "positions", err);
  if (!status && mesh->normals)
    status = lb_gltf_check_floats(mesh->normals, values, "normals", err);
  if (!status && mesh->uvs)
    status = lb_gltf_check_floats(mesh->uvs, 2 * (size_t)mesh->vertex_count, "uvs", err);
  for (int32_t i = 0; i < mesh->part_count && !status; i++) status = check_part(gltf, mesh, i, err);
  if (!status) status = lb_gltf_check_influences(mesh, point_count_of(mesh), err);
  return status ? status : check_mesh_targets(mesh, values, err);
}

// ---- writing -----------------------------------------------------------------------------------

// An accessor of values of points, copied to every vertex of a point.
static int32_t add_spread(lbGltf *gltf, const lbGltfMesh *mesh, const float *values, bool bounds) {
  size_t count = (size_t)mesh->vertex_count;
  float *spread = gltf->status ? NULL : lb_alloc(count, 3 * sizeof(float));
  for (size_t i = 0; i < count && spread; i++)
    memcpy(spread + 3 * i, values + 3 * (mesh->points ? (size_t)mesh->points[i] : i),
           3 * sizeof(float));
  return lb_gltf_add_floats(gltf, spread, count, 3, LB_GLTF_VERTICES, bounds);
}

void lb_gltf_put_attribute(lbJson *json, const char *key, int32_t accessor) {
  lb_json_next(json);
  lb_json_put_string(json, key);
  lb_json_put(json, ":");
  lb_json_put_integer(json, accessor);
}

static void put_attributes(lbGltf *gltf, const lbGltfMesh *mesh, lbJson *json) {
  lb_gltf_put_attribute(json, "POSITION", add_spread(gltf, mesh, mesh->positions, true));
  if (mesh->normals)
    lb_gltf_put_attribute(json, "NORMAL", add_spread(gltf, mesh, mesh->normals, false));
  if (mesh->influence_count > 0) lb_gltf_put_influences(gltf, mesh, json);
  if (!mesh->uvs) return;
  size_t count = (size_t)mesh->vertex_count;
  float *uvs = lb_duplicate(mesh->uvs, count, 2 * sizeof(float));
  lb_gltf_put_attribute(json, "TEXCOORD_0",
                        lb_gltf_add_floats(gltf, uvs, count, 2, LB_GLTF_VERTICES, false));
}

static void put_targets(lbGltf *gltf, const lbGltfMesh *mesh, lbJson *json) {
  for (int32_t i = 0; i < mesh->target_count && !gltf->status; i++) {
    lbJson target = { 0 };
    lb_gltf_put_attribute(&target, "POSITION",
                          add_spread(gltf, mesh, mesh->targets[i].positions, true));
    if (mesh->targets[i].normals)
      lb_gltf_put_attribute(&target, "NORMAL",
                            add_spread(gltf, mesh, mesh->targets[i].normals, false));
    if (target.failed) json->failed = true;
    lb_json_next(json);
    lb_json_put(json, "{");
    if (!target.failed) lb_json_put(json, target.text);
    lb_json_put(json, "}");
    lb_json_release(&target);
  }
}

static void put_primitive(lbGltf *gltf, const lbGltfMesh *mesh, const lbGltfPart *part,
                          const lbJson *attributes, const lbJson *targets, lbJson *json) {
  const int32_t *triangles = mesh->triangles + 3 * (size_t)part->triangle_begin;
  int32_t indices =
      lb_gltf_add_indices(gltf, triangles, 3 * (size_t)part->triangle_count, mesh->vertex_count);
  lb_json_next(json);
  lb_json_put(json, "{\"attributes\":{");
  lb_json_put(json, attributes->text);
  lb_json_put(json, "},\"indices\":");
  lb_json_put_integer(json, indices);
  if (part->material >= 0) {
    lb_json_put(json, ",\"material\":");
    lb_json_put_integer(json, part->material);
  }
  if (mesh->target_count) {
    lb_json_put(json, ",\"targets\":[");
    lb_json_put(json, targets->text);
    lb_json_put(json, "]");
  }
  lb_json_put(json, "}");
}

static void put_target_names(const lbGltfMesh *mesh, lbJson *json) {
  lb_json_put(json, "\"targetNames\":[");
  for (int32_t i = 0; i < mesh->target_count; i++) {
    const char *name = mesh->targets[i].name;
    if (i) lb_json_put(json, ",");
    if (name) {
      lb_json_put_string(json, name);
    } else {
      lb_json_put(json, "\"target ");
      lb_json_put_integer(json, i + 1);
      lb_json_put(json, "\"");
    }
  }
  lb_json_put(json, "]");
}

static void put_extras(const lbGltfMesh *mesh, lbJson *json) {
  if (!mesh->target_count && !mesh->max_error) return;
  lb_json_put(json, ",\"extras\":{");
  if (mesh->target_count) put_target_names(mesh, json);
  if (mesh->max_error) {
    lb_json_put(json, mesh->target_count ? ",\"max_error_m\":" : "\"max_error_m\":");
    lb_json_put_number(json, *mesh->max_error);
  }
  lb_json_put(json, "}");
}

static void put_weights(const lbGltfMesh *mesh, lbJson *json) {
  if (mesh->weights) {
    lb_json_put(json, ",");
    lb_json_put_floats(json, "weights", mesh->weights, (size_t)mesh->target_count);
    return;
  }
  lb_json_put(json, ",\"weights\":[0");
  for (int32_t i = 1; i < mesh->target_count; i++) lb_json_put(json, ",0");
  lb_json_put(json, "]");
}

lbStatus lb_gltf_add_mesh(lbGltf *gltf, const lbGltfMesh *mesh, int32_t *id, lbError *err) {
  lbStatus status = lb_gltf_check(gltf, err);
  if (!status) status = check_mesh(gltf, mesh, err);
  if (status) return status;
  lbJson attributes = { 0 }, targets = { 0 }, primitives = { 0 }, *list = &gltf->meshes;
  int32_t number = list->count;
  if (!lb_grow((void **)&gltf->target_counts, &gltf->target_capacity, (size_t)number + 1,
               sizeof *gltf->target_counts) ||
      !lb_grow((void **)&gltf->joints_most, &gltf->joints_capacity, (size_t)number + 1,
               sizeof *gltf->joints_most))
    lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  put_attributes(gltf, mesh, &attributes);
  put_targets(gltf, mesh, &targets);
  if (attributes.failed || targets.failed) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  for (int32_t i = 0; i < mesh->part_count && !gltf->status; i++)
    put_primitive(gltf, mesh, &mesh->parts[i], &attributes, &targets, &primitives);
  if (primitives.failed) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  if (!gltf->status) {
    lb_json_next(list);
    lb_json_put(list, lb_gltf_open(list, mesh->name));
    lb_json_put(list, "\"primitives\":[");
    lb_json_put(list, primitives.text);
    lb_json_put(list, "]");
    if (mesh->target_count) put_weights(mesh, list);
    put_extras(mesh, list);
    lb_json_put(list, "}");
    gltf->target_counts[number] = mesh->target_count;
    gltf->joints_most[number] = lb_gltf_joints_most(mesh, point_count_of(mesh));
  }
  lb_json_release(&attributes);
  lb_json_release(&targets);
  lb_json_release(&primitives);
  status = lb_gltf_check(gltf, err);
  if (!status) *id = number;
  return status;
}
