// Finds and marks the cells of a voxel grid that points and triangles touch.
#ifndef LB_MESH_VOXEL_MARK_H
#define LB_MESH_VOXEL_MARK_H

#include "geometry/triangle.h"
#include "geometry/voxel_grid.h"

static inline bool lb_voxel_grid_holds(const lbVoxelGrid *grid, int32_t x, int32_t y, int32_t z) {
  return x >= 0 && y >= 0 && z >= 0 && x < grid->size[0] && y < grid->size[1] && z < grid->size[2];
}
// The cell that holds a point; false outside the grid. A point on a face belongs to the higher
// cell, except on the grid's own high faces.
bool lb_voxel_grid_find(const lbVoxelGrid *grid, lbVec3 point, int32_t cell[3]);

// Sets to `value` every cell that the triangle touches (see lb_triangle_touches_box).
void lb_voxel_grid_mark_triangle(lbVoxelGrid *grid, lbVec3 a, lbVec3 b, lbVec3 c, uint8_t value);

#endif
