// Regions of handles: which vertices of a model's surface a box, a group or a list means.
//
// A group is one of the surface's own where a body was made from a surface (or the name of one of
// its materials), and then its vertices; a group of the volume mesh otherwise: the vertices that
// its nodes alone carry; of a model file, which keeps no groups, the name of a material (look) of
// its surface.
#include "scene/edit.h"

#include "limber/paint.h"

#include <stdio.h>
#include <string.h>

static lbStatus take_marked(const lbField *json, const lbModel *model, const uint8_t *marked,
                            lbEditHandle *handle, lbError *err) {
  int32_t count = 0;
  for (int32_t v = 0; v < model->size.vertex_count; v++) count += marked[v];
  if (count == 0)
    return lb_field_fail(json, err, "handle \"%s\" has no vertices: none of the surface lies there",
                         handle->name);
  handle->points = lb_alloc((size_t)count, sizeof(lbPoint));
  if (!handle->points) return lb_fail_memory(err);
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    if (marked[v]) handle->points[handle->point_count++] = lb_point_vertex(v);
  return LB_OK;
}

// ---- boxes -------------------------------------------------------------------------------------

static lbStatus mark_box(const lbField *json, const lbModel *model, uint8_t *marked, lbError *err) {
  double box[2][3];
  if (!json_is_array(json->value) || json_array_size(json->value) != 2)
    return lb_field_fail(json, err, "must be [[low x, y, z], [high x, y, z]]");
  for (size_t i = 0; i < 2; i++) {
    lbField item = lb_field_item(json, i);
    lbStatus status = lb_field_vector(&item, 3, box[i], err);
    if (status) return status;
  }
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    const double *x = model->vertex_positions + 3 * (size_t)v;
    marked[v] = 1;
    for (int i = 0; i < 3; i++) marked[v] &= x[i] >= box[0][i] && x[i] <= box[1][i];
  }
  return LB_OK;
}

// ---- groups ------------------------------------------------------------------------------------

static bool mark_look(const lbModel *model, const char *name, uint8_t *marked) {
  int32_t look = -1;
  for (int32_t i = 0; i < model->size.appearance_count && look < 0; i++)
    if (strcmp(lb_model_text(model->appearance_names, i), name) == 0) look = i;
  if (look < 0 || !model->triangle_appearances) return false;
  for (int32_t t = 0; t < model->size.triangle_count; t++)
    for (int k = 0; k < 3 && model->triangle_appearances[t] == look; k++)
      marked[model->triangles[3 * (size_t)t + (size_t)k]] = 1;
  return true;
}

// ids (vertices of the surface) of a group of it; false: it has none of that name.
static bool mark_ids(const lbMesh *surface, const char *name, int32_t tag, uint8_t *ids) {
  bool found = false;
  for (int32_t g = 0; g < surface->group_count; g++) {
    const lbGroup *group = &surface->groups[g];
    bool meant = name ? strcmp(group->name, name) == 0 : group->tag == tag;
    if (!meant || group->kind == LB_GROUP_ELEMENTS) continue;
    found = true;
    for (int32_t i = 0; i < group->count; i++)
      if (group->kind == LB_GROUP_VERTICES)
        ids[group->ids[i]] = 1;
      else
        for (int k = 0; k < 3; k++)
          ids[surface->triangles[3 * (size_t)group->ids[i] + (size_t)k]] = 1;
  }
  return found;
}

static lbStatus mark_surface_group(const lbSceneBody *body, const lbModel *model, const char *name,
                                   int32_t tag, bool *found, uint8_t *marked, lbError *err) {
  int32_t count = body->surface->vertex_count;
  uint8_t *ids = lb_alloc((size_t)count, 1);
  if (!ids) return lb_fail_memory(err);
  *found = mark_ids(body->surface, name, tag, ids);
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    int32_t id = model->vertex_sources[v];
    if (id >= 0 && id < count && ids[id]) marked[v] = 1;
  }
  lb_free(ids);
  return LB_OK;
}

static lbStatus mark_volume_group(const lbField *json, const lbSceneBody *body,
                                  const lbModel *model, const lbRegion *region, uint8_t *marked,
                                  lbError *err) {
  lbPainter *painter = NULL;
  bool *covered = lb_alloc((size_t)body->mesh->vertex_count, sizeof *covered);
  lbStatus status =
      covered ? lb_painter_create(body->mesh, body->surface, &painter, err) : lb_fail_memory(err);
  if (!status) status = lb_painter_nodes(painter, region, covered, err);
  if (status == LB_ERR_ARGUMENT && err) {
    lbError why = *err;
    status = lb_field_fail(json, err, "%s", why.text);
  }
  for (int32_t v = 0; v < model->size.vertex_count && !status; v++) {
    double share = 0;
    for (int32_t k = model->carrier_begin[v]; k < model->carrier_begin[v + 1]; k++)
      if (covered[model->carrier_nodes[k]]) share += model->carrier_weights[k];
    if (share > 1 - 1e-6) marked[v] = 1;
  }
  lb_painter_destroy(painter);
  lb_free(covered);
  return status;
}

static lbStatus refuse_group(const lbField *json, const lbModel *model, const char *name,
                             lbError *err) {
  char known[200] = "";
  for (int32_t i = 0; i < model->size.appearance_count; i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s\"%.40s\"", i ? ", " : "",
             lb_model_text(model->appearance_names, i));
  if (!known[0])
    return lb_field_fail(json, err,
                         "there is no group \"%.60s\": a model file keeps no groups and this one "
                         "has no materials on its surface; use \"box\" or \"vertices\"",
                         name ? name : "");
  return lb_field_fail(json, err, "there is no group \"%.60s\", the surface has %s",
                       name ? name : "", known);
}

static lbStatus mark_group(const lbField *json, const lbSceneBody *body, const lbModel *model,
                           uint8_t *marked, lbError *err) {
  lbRegion region = lb_region();
  bool found = false;
  lbStatus status = lb_field_group(json, &region.group, &region.tag, err);
  if (status) return status;
  if (body->surface_ids && body->surface)
    status = mark_surface_group(body, model, region.group, region.tag, &found, marked, err);
  if (!status && !found && region.group) found = mark_look(model, region.group, marked);
  if (status || found) return status;
  if (body->mesh && !body->surface_ids)
    return mark_volume_group(json, body, model, &region, marked, err);
  return refuse_group(json, model, region.group, err);
}

// ---- lists -------------------------------------------------------------------------------------

// vertex_of (ids) <- the surface vertex that has an id, or -1; NULL: no memory.
static int32_t *number_ids(const lbModel *model, int32_t *count) {
  *count = 0;
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    if (model->vertex_sources[v] >= *count) *count = model->vertex_sources[v] + 1;
  int32_t *vertex_of = lb_alloc((size_t)*count, sizeof *vertex_of);
  for (int32_t i = 0; vertex_of && i < *count; i++) vertex_of[i] = -1;
  for (int32_t v = model->size.vertex_count - 1; vertex_of && v >= 0; v--)
    if (model->vertex_sources[v] >= 0) vertex_of[model->vertex_sources[v]] = v;
  return vertex_of;
}

static lbStatus take_list(const lbField *json, const lbSceneBody *body, const lbModel *model,
                          lbEditHandle *handle, lbError *err) {
  if (!json_is_array(json->value))
    return lb_field_fail(json, err, "must be a list of vertex numbers");
  size_t count = json_array_size(json->value);
  if (count == 0) return lb_field_fail(json, err, "handle \"%s\" has no vertices", handle->name);
  int32_t id_count = model->size.node_count, *vertex_of = NULL;
  lbStatus status = LB_OK;
  if (body->surface_ids) vertex_of = number_ids(model, &id_count);
  handle->points = lb_alloc(count, sizeof(lbPoint));
  if (!handle->points || (body->surface_ids && !vertex_of)) status = lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    int32_t id = 0;
    status = lb_field_integer(&item, 0, INT32_MAX, &id, err);
    if (!status && (id >= id_count || (vertex_of && vertex_of[id] < 0)))
      status = lb_field_fail(&item, err, "vertex %d does not exist, there are %d (counted from 0)",
                             (int)id, (int)id_count);
    if (!status)
      handle->points[handle->point_count++] =
          vertex_of ? lb_point_vertex(vertex_of[id]) : lb_point_node(id);
  }
  lb_free(vertex_of);
  return status;
}

lbStatus lb_edit_region(const lbField *json, const lbSceneBody *body, const lbModel *model,
                        lbEditHandle *handle, lbError *err) {
  lbField vertices = lb_field_member(json, "vertices"), box = lb_field_member(json, "box");
  lbField group = lb_field_member(json, "group");
  if (lb_field_here(&vertices) + lb_field_here(&box) + lb_field_here(&group) != 1)
    return lb_field_fail(json, err,
                         "handle \"%s\" must have exactly one of \"vertices\", \"box\" and "
                         "\"group\"",
                         handle->name);
  if (lb_field_here(&vertices)) return take_list(&vertices, body, model, handle, err);
  uint8_t *marked = lb_alloc((size_t)model->size.vertex_count, 1);
  if (!marked) return lb_fail_memory(err);
  lbStatus status = lb_field_here(&box) ? mark_box(&box, model, marked, err)
                                        : mark_group(&group, body, model, marked, err);
  if (!status)
    status = take_marked(lb_field_here(&box) ? &box : &group, model, marked, handle, err);
  lb_free(marked);
  return status;
}
