// Cells and tags on their way into the mesh builder.
#include "meshio/volume.h"

#include <string.h>

#define GROUP_LIMIT 10000 // per kind

struct lbVolumeTag {
  lbGroupKind kind;
  int32_t tag;
  const char *name;
  int32_t group; // in the builder, known at the end; -1: left out
};

struct lbVolumeMember {
  int32_t tag, id; // index in tags; id as lb_mesh_add_to_group takes it
};

void lb_volume_begin(lbVolume *volume) {
  *volume = (lbVolume){ .tag_index = lb_hash_table(sizeof(int64_t)) };
  lb_mesh_builder_begin(&volume->builder);
}

void lb_volume_abort(lbVolume *volume) {
  lb_mesh_builder_abort(&volume->builder);
  lb_hash_table_release(&volume->tag_index);
  lb_arena_release(&volume->arena);
  lb_free(volume->tags);
  lb_free(volume->members);
  volume->tags = NULL;
  volume->members = NULL;
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

// The index of (kind, tag), new or not; -1 without memory.
static int32_t find_tag(lbVolume *volume, lbGroupKind kind, int32_t tag, const char *name) {
  int64_t key = (int64_t)kind * (INT64_C(1) << 32) + (uint32_t)tag;
  int32_t found = lb_hash_table_find(&volume->tag_index, &key);
  if (found >= 0) return found;
  char *copy = name[0] ? lb_arena_alloc(&volume->arena, strlen(name) + 1, 1) : NULL;
  if ((name[0] && !copy) ||
      !lb_grow((void **)&volume->tags, &volume->tag_capacity, volume->tag_count + 1,
               sizeof *volume->tags) ||
      lb_hash_table_add(&volume->tag_index, &key) < 0)
    return -1;
  if (copy) strcpy(copy, name);
  volume->tags[volume->tag_count] = (struct lbVolumeTag){ kind, tag, copy ? copy : "", -1 };
  return (int32_t)volume->tag_count++;
}

void lb_volume_tag(lbVolume *volume, lbCellIds cell, int32_t tag, const char *name) {
  lbMeshBuilder *builder = &volume->builder;
  if (tag == 0 || tag == INT32_MIN || cell.count == 0 || builder->out_of_memory) return;
  int32_t index = find_tag(volume, cell.kind, tag, name);
  size_t needed = volume->member_count + (size_t)cell.count;
  if (index < 0 || !lb_grow((void **)&volume->members, &volume->member_capacity, needed,
                            sizeof *volume->members)) {
    builder->out_of_memory = true;
    return;
  }
  for (int32_t i = 0; i < cell.count; i++)
    volume->members[volume->member_count++] = (struct lbVolumeMember){ index, cell.first + i };
}

static void make_groups(lbVolume *volume, const char *path) {
  static const char *const kind_names[3] = { "vertices", "triangles", "elements" };
  size_t counts[3] = { 0 };
  for (size_t i = 0; i < volume->tag_count; i++) counts[volume->tags[i].kind]++;
  for (int kind = 0; kind < 3; kind++)
    if (counts[kind] > GROUP_LIMIT)
      lb_log(LB_LOG_WARNING, "%s: the %s have %zu different tags, too many to be groups, left out",
             path, kind_names[kind], counts[kind]);
  for (size_t i = 0; i < volume->tag_count; i++) {
    struct lbVolumeTag *tag = &volume->tags[i];
    if (counts[tag->kind] <= GROUP_LIMIT)
      tag->group = lb_mesh_add_group(&volume->builder, tag->kind, tag->tag, tag->name);
  }
  for (size_t i = 0; i < volume->member_count; i++) {
    const struct lbVolumeMember *member = &volume->members[i];
    lb_mesh_add_to_group(&volume->builder, volume->tags[member->tag].group, member->id);
  }
}

lbStatus lb_volume_finish(lbVolume *volume, const char *path, lbMesh **out, lbError *err) {
  lbStatus status = LB_OK;
  const lbMesh *mesh = volume->builder.mesh;
  if (!volume->builder.out_of_memory) make_groups(volume, path);
  if (volume->builder.out_of_memory)
    status = lb_fail_memory(err);
  else if (mesh->triangle_count == 0 && lb_mesh_element_count(mesh) == 0)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: has no triangles, quads, tets or bricks", path);
  else
    status = lb_mesh_builder_finish(&volume->builder, path, out, err);
  lb_volume_abort(volume);
  return status;
}
