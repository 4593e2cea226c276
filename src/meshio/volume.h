// What the readers of volume formats share: cells of four shapes go into the mesh builder, and
// integer tags become groups.
#ifndef LB_MESHIO_VOLUME_H
#define LB_MESHIO_VOLUME_H

#include "mesh/builder.h"
#include "mesh/hash_table.h"

typedef enum lbCellShape { LB_CELL_TRIANGLE, LB_CELL_QUAD, LB_CELL_TET, LB_CELL_BRICK } lbCellShape;

typedef struct lbCellIds { // what a cell became: a quad is two triangles
  lbGroupKind kind;
  int32_t first, count; // ids as lb_mesh_add_to_group takes them
} lbCellIds;

typedef struct lbVolume {
  lbMeshBuilder builder;
  lbHashTable tag_index; // (kind, tag) -> tags
  struct lbVolumeTag *tags;
  struct lbVolumeMember *members; // of the groups to be
  size_t tag_count, tag_capacity, member_count, member_capacity;
  lbArena arena; // holds the names
} lbVolume;

void lb_volume_begin(lbVolume *volume);
void lb_volume_abort(lbVolume *volume); // frees everything; legal after finish
int32_t lb_volume_vertex_count(const lbVolume *volume);
// Quads are cut along the diagonal from their first corner.
lbCellIds lb_volume_add(lbVolume *volume, lbCellShape shape, const int32_t *vertices);
lbCellIds lb_volume_vertex(int32_t vertex);
// Puts a cell into the group of its kind with this tag; `name` only counts when the group is new.
// Tag 0 means no group (and so does INT32_MIN, so that tags can be negated).
void lb_volume_tag(lbVolume *volume, lbCellIds cell, int32_t tag, const char *name);
const char *lb_cell_name(lbCellShape shape); // for messages
int32_t lb_cell_corners(lbCellShape shape);

// Makes the groups. Where a kind has thousands of different tags (every vertex its own, as some
// programs write), they mean no groups and are left out with a warning. A mesh without any
// triangle, tet or brick is refused.
lbStatus lb_volume_finish(lbVolume *volume, const char *path, lbMesh **out, lbError *err);

#endif
