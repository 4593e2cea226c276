// The "fixed" entry of a body: vertices by number, box, group, colour or .bou file.
#include "scene/paint.h"

#include "limber/file.h"
#include "meshio/formats.h"

static const char *const keys[] = { "vertices", "box", "group", "color", "file", NULL };

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

// The nodes of a region: a group, a box, or what is painted on the surface.
static lbStatus fix_region(const lbField *json, lbSceneBody *body, lbError *err) {
  lbRegion region;
  lbPainter *painter = NULL;
  lbStatus status = lb_scene_read_region(json, &region, NULL, err);
  if (!status) status = lb_painter_create(body->mesh, body->surface, &painter, err);
  if (status) return status;
  status = lb_painter_nodes(painter, &region, body->fixed, err);
  lb_painter_destroy(painter);
  if (status != LB_ERR_ARGUMENT || !region.has_box) return lb_scene_region_fail(json, status, err);
  lb_log(LB_LOG_WARNING, "%s: %s: no vertex lies in this box", json->file, json->path);
  return LB_OK;
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
    return lb_field_fail(json, err, "must have exactly one of vertices, box, group, color, file");
  lbField vertices = lb_field_member(json, "vertices"), file = lb_field_member(json, "file");
  if (lb_field_here(&vertices)) return fix_list(&vertices, body, err);
  if (lb_field_here(&file)) return fix_file(&file, body, err);
  return fix_region(json, body, err);
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
