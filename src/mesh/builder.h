// Grows a mesh item by item; what every reader and generator ends in. The first failure of memory
// sticks, so callers check once, at lb_mesh_builder_finish.
#ifndef LB_MESH_BUILDER_H
#define LB_MESH_BUILDER_H

#include "limber/mesh.h"

typedef struct lbMeshBuilder {
  lbMesh *mesh; // under construction
  bool out_of_memory;
  size_t position_capacity, tet_capacity, brick_capacity, triangle_capacity, uv_capacity;
  size_t element_material_capacity, triangle_appearance_capacity, color_capacity;
  size_t group_capacity, material_capacity, appearance_capacity, texture_capacity;
  size_t *group_id_capacity;
  int32_t color_count;   // rows of vertex_colors that are filled
  int32_t clamped_count; // colours that were outside 0..1
  size_t group_id_capacity_capacity;
} lbMeshBuilder;

void lb_mesh_builder_begin(lbMeshBuilder *builder);
void lb_mesh_builder_abort(lbMeshBuilder *builder); // frees everything

// Each returns the new item's id (-1 without memory). Ids and coordinates are checked at the end.
int32_t lb_mesh_add_vertex(lbMeshBuilder *builder, double x, double y, double z);
int32_t lb_mesh_add_tet(lbMeshBuilder *builder, const int32_t vertices[4]);
int32_t lb_mesh_add_brick(lbMeshBuilder *builder, const int32_t vertices[8]);
int32_t lb_mesh_add_triangle(lbMeshBuilder *builder, const int32_t vertices[3]);

// Finds the group of this kind with this tag (tag != 0) or name, or adds an empty one.
int32_t lb_mesh_add_group(lbMeshBuilder *builder, lbGroupKind kind, int32_t tag, const char *name);
// Element groups take tet ids as they are and brick ids plus LB_BRICK_ID; finish turns the latter
// into element numbers (bricks follow tets).
#define LB_BRICK_ID (1 << 30)
void lb_mesh_add_to_group(lbMeshBuilder *builder, int32_t group, int32_t id);

int32_t lb_mesh_add_material(lbMeshBuilder *builder, const char *name, const lbMaterial *material);
int32_t lb_mesh_add_appearance(lbMeshBuilder *builder, const char *name); // with the defaults
int32_t lb_mesh_add_texture(lbMeshBuilder *builder, const char *name, const char *mime,
                            const void *data, size_t bytes); // copies; data may be NULL
// RGBA; values outside 0..1 are clamped and counted in `clamped_count`. A mesh has colours when any
// vertex has; the others get none.
void lb_mesh_set_vertex_color(lbMeshBuilder *builder, int32_t vertex, const double rgba[4]);
// For the last triangle added. A mesh has UVs when any triangle has; the others get zeros.
void lb_mesh_set_triangle_uvs(lbMeshBuilder *builder, const float uvs[6]);
void lb_mesh_set_triangle_appearance(lbMeshBuilder *builder, int32_t appearance);
// Per element, as in groups (bricks plus LB_BRICK_ID); only once all elements are added.
void lb_mesh_set_element_material(lbMeshBuilder *builder, int32_t element, int32_t material);

// Checks coordinates (finite), indices (in range), sorts groups' ids and drops repeats, repairs the
// winding of tets and bricks, and hands the mesh over. `path` begins the messages. On failure
// everything is freed.
lbStatus lb_mesh_builder_finish(lbMeshBuilder *builder, const char *path, lbMesh **out,
                                lbError *err);

// Turns element e when its winding is the other one; false when it was right. A flat element counts
// as right: the report names it.
bool lb_mesh_mend_element(lbMesh *mesh, int32_t e);

#endif
