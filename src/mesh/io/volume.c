// Cells and tags on their way into the mesh builder.
#include "mesh/io/volume.h"

// A file in which every element has its own tag does not mean groups.
#define GROUP_LIMIT 65536

void lb_volume_begin(lbVolume *volume) {
  *volume = (lbVolume){ .too_many_groups = false };
  lb_mesh_builder_begin(&volume->builder);
}

void lb_volume_abort(lbVolume *volume) {
  lb_id_map_release(&volume->groups);
  lb_mesh_builder_abort(&volume->builder);
}

int32_t lb_volume_vertex_count(const lbVolume *volume) {
  return volume->builder.mesh ? volume->builder.mesh->vertex_count : 0;
}

const char *lb_cell_name(lbCellShape shape) {
  static const char *const names[] = { "triangle", "quad", "tet", "brick" };
  return names[shape];
}

int32_t lb_cell_corners(lbCellShape shape) {
  static const int32_t corners[] = { 3, 4, 4, 8 };
  return corners[shape];
}

lbCellIds lb_volume_add(lbVolume *volume, lbCellShape shape, const int32_t *vertices) {
  lbMeshBuilder *builder = &volume->builder;
  lbCellIds cell = { LB_GROUP_TRIANGLES, -1, 1 };
  switch (shape) {
  case LB_CELL_TRIANGLE: cell.first = lb_mesh_add_triangle(builder, vertices); break;
  case LB_CELL_QUAD: {
    int32_t second[3] = { vertices[0], vertices[2], vertices[3] };
    cell.first = lb_mesh_add_triangle(builder, vertices);
    lb_mesh_add_triangle(builder, second);
    cell.count = 2;
    break;
  }
  case LB_CELL_TET:
    cell.kind = LB_GROUP_ELEMENTS;
    cell.first = lb_mesh_add_tet(builder, vertices);
    break;
  case LB_CELL_BRICK:
    cell.kind = LB_GROUP_ELEMENTS;
    cell.first = lb_mesh_add_brick(builder, vertices);
    if (cell.first >= 0) cell.first += LB_BRICK_ID;
    break;
  }
  return cell;
}

lbCellIds lb_volume_vertex(int32_t vertex) { return (lbCellIds){ LB_GROUP_VERTICES, vertex, 1 }; }

void lb_volume_tag(lbVolume *volume, lbCellIds cell, int32_t tag, const char *name) {
  lbMeshBuilder *builder = &volume->builder;
  if (tag == 0 || tag == INT32_MIN || cell.count == 0) return;
  if (builder->out_of_memory || volume->too_many_groups) return;
  int64_t key = (int64_t)cell.kind * (INT64_C(1) << 32) + (uint32_t)tag;
  int32_t group = lb_id_map_get(&volume->groups, key);
  if (group < 0) {
    volume->too_many_groups = volume->groups.count >= GROUP_LIMIT;
    if (volume->too_many_groups) return;
    group = lb_mesh_add_group(builder, cell.kind, tag, name);
    if (group < 0) return;
    if (!lb_id_map_put(&volume->groups, key, group)) builder->out_of_memory = true;
  }
  for (int32_t i = 0; i < cell.count; i++) lb_mesh_add_to_group(builder, group, cell.first + i);
}

lbStatus lb_volume_finish(lbVolume *volume, const char *path, lbMesh **out, lbError *err) {
  lbStatus status = LB_OK;
  const lbMesh *mesh = volume->builder.mesh;
  if (volume->builder.out_of_memory)
    status = lb_fail_memory(err);
  else if (volume->too_many_groups)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: more than %d different tags, too many to be groups",
                     path, GROUP_LIMIT);
  else if (mesh->triangle_count == 0 && lb_mesh_element_count(mesh) == 0)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: has no triangles, quads, tets or bricks", path);
  else
    status = lb_mesh_builder_finish(&volume->builder, path, out, err);
  lb_volume_abort(volume);
  return status;
}
