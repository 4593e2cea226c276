// The "fixed" entry of a body: vertices by number, box, group or .bou file.
#include "scene/body.h"

#include "limber/file.h"
#include "meshio/formats.h"

#include <stdio.h>
#include <string.h>

static const char *const keys[] = { "vertices", "box", "group", "file", NULL };

// Fixes a vertex in the numbering of the scene. A surface's vertex takes the nodes of the cell that
// carries it with it.
static lbStatus fix_vertex(const lbField *json, lbSceneBody *body, int64_t id, lbError *err) {
  int32_t count = lb_scene_vertex_count(body);
  if (id < 0 || id >= count)
    return lb_field_fail(json, err, "vertex %lld does not exist, the mesh has %d (counted from 0)",
                         (long long)id, (int)count);
  if (!body->surface_ids) {
    body->fixed[id] = true;
    return LB_OK;
  }
  const lbEmbedding *embedding = body->embedding;
  for (int32_t k = embedding->begin[id]; k < embedding->begin[id + 1]; k++)
    body->fixed[embedding->nodes[k]] = true;
  return LB_OK;
}

static lbStatus fix_list(const lbField *json, lbSceneBody *body, lbError *err) {
  if (!json_is_array(json->value))
    return lb_field_fail(json, err, "must be a list of vertex numbers");
  lbStatus status = LB_OK;
  for (size_t i = 0; i < json_array_size(json->value) && !status; i++) {
    lbField item = lb_field_item(json, i);
    int32_t id = 0;
    status = lb_field_integer(&item, 0, INT32_MAX, &id, err);
    if (!status) status = fix_vertex(&item, body, id, err);
  }
  return status;
}

static lbStatus fix_box(const lbField *json, lbSceneBody *body, lbError *err) {
  double box[2][3];
  if (!json_is_array(json->value) || json_array_size(json->value) != 2)
    return lb_field_fail(json, err, "must be [[low x, y, z], [high x, y, z]]");
  for (size_t i = 0; i < 2; i++) {
    lbField item = lb_field_item(json, i);
    lbStatus status = lb_field_vector(&item, 3, box[i], err);
    if (status) return status;
  }
  const lbMesh *mesh = body->mesh;
  int32_t found = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    const double *x = mesh->positions + 3 * (size_t)v;
    bool inside = true;
    for (int i = 0; i < 3; i++) inside = inside && x[i] >= box[0][i] && x[i] <= box[1][i];
    if (inside) body->fixed[v] = true;
    found += inside;
  }
  if (found == 0)
    lb_log(LB_LOG_WARNING, "%s: %s: no vertex lies in this box", json->file, json->path);
  return LB_OK;
}

static void fix_triangle_or_element(lbSceneBody *body, const lbGroup *group, int32_t id) {
  const lbMesh *mesh = body->mesh;
  const int32_t *vertices;
  int32_t count = 3;
  if (group->kind == LB_GROUP_TRIANGLES) {
    vertices = mesh->triangles + 3 * (size_t)id;
  } else {
    bool tet = id < mesh->tet_count;
    count = tet ? 4 : 8;
    vertices =
        tet ? mesh->tets + 4 * (size_t)id : mesh->bricks + 8 * (size_t)(id - mesh->tet_count);
  }
  for (int32_t a = 0; a < count; a++) body->fixed[vertices[a]] = true;
}

static lbStatus fail_group(const lbField *json, const lbMesh *mesh, lbError *err) {
  char known[200] = "";
  for (int32_t i = 0; i < mesh->group_count; i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
             mesh->groups[i].name);
  if (mesh->group_count == 0)
    return lb_field_fail(json, err, "the mesh has no groups, use \"box\" or \"vertices\"");
  return lb_field_fail(json, err, "the mesh has no such group, it has %s", known);
}

static lbStatus fix_group(const lbField *json, lbSceneBody *body, lbError *err) {
  const char *name;
  int32_t tag;
  lbStatus status = lb_field_group(json, &name, &tag, err);
  if (status) return status;
  bool found = false;
  for (int32_t i = 0; i < body->mesh->group_count; i++) {
    const lbGroup *group = &body->mesh->groups[i];
    if (name ? strcmp(group->name, name) != 0 : group->tag != tag) continue;
    found = true;
    for (int32_t k = 0; k < group->count; k++)
      if (group->kind == LB_GROUP_VERTICES)
        body->fixed[group->ids[k]] = true;
      else
        fix_triangle_or_element(body, group, group->ids[k]);
  }
  return found ? LB_OK : fail_group(json, body->mesh, err);
}

static lbStatus fix_file(const lbField *json, lbSceneBody *body, lbError *err) {
  char *content = NULL, *path = NULL;
  size_t bytes;
  int32_t *ids = NULL, count = 0;
  lbStatus status = lb_field_file(json, &path, err);
  if (!status) status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_read_bou(path, content, bytes, &ids, &count, err);
  for (int32_t i = 0; i < count && !status; i++) {
    lbField item = *json;
    status = fix_vertex(&item, body, ids[i], err);
  }
  lb_free(ids);
  lb_free(content);
  lb_free(path);
  return status;
}

static lbStatus fix_entry(const lbField *json, lbSceneBody *body, lbError *err) {
  lbStatus status = lb_field_keys(json, keys, err);
  if (status) return status;
  if (json_object_size(json->value) != 1)
    return lb_field_fail(json, err, "must have exactly one of vertices, box, group, file");
  static lbStatus (*const readers[])(const lbField *, lbSceneBody *,
                                     lbError *) = { fix_list, fix_box, fix_group, fix_file };
  for (int i = 0; keys[i]; i++) {
    lbField member = lb_field_member(json, keys[i]);
    if (lb_field_here(&member)) return readers[i](&member, body, err);
  }
  return LB_OK;
}

lbStatus lb_scene_read_fixed(const lbField *json, lbSceneBody *body, lbError *err) {
  body->fixed = lb_alloc((size_t)body->mesh->vertex_count, sizeof(bool));
  if (!body->fixed) return lb_fail_memory(err);
  if (!json_is_array(json->value)) return fix_entry(json, body, err);
  lbStatus status = LB_OK;
  for (size_t i = 0; i < json_array_size(json->value) && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = fix_entry(&item, body, err);
  }
  return status;
}
