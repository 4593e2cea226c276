// A grid of cube cells with one byte each.
#ifndef LB_GEOMETRY_VOXEL_GRID_H
#define LB_GEOMETRY_VOXEL_GRID_H

#include "limber/math.h"

typedef struct lbVoxelGrid {
  lbVec3 origin;   // the low corner of cell 0 0 0
  double cell;     // side of a cell
  int32_t size[3]; // cells along x, y, z; each at least 1
  uint8_t *cells; // (size[0] x size[1] x size[2]), x runs fastest; what a value means is the user's
} lbVoxelGrid;

// All cells 0. The product of the sizes must fit into int32_t.
lbStatus lb_voxel_grid_create(lbVec3 origin, double cell, const int32_t size[3], lbVoxelGrid **out,
                              lbError *err);
void lb_voxel_grid_destroy(lbVoxelGrid *grid); // NULL is legal

static inline int32_t lb_voxel_grid_count(const lbVoxelGrid *grid) {
  return grid->size[0] * grid->size[1] * grid->size[2];
}
static inline int32_t lb_voxel_grid_index(const lbVoxelGrid *grid, int32_t x, int32_t y,
                                          int32_t z) {
  return x + grid->size[0] * (y + grid->size[1] * z);
}
// Corner x y z of the grid's lines; cell x y z lies between corners x y z and x+1 y+1 z+1.
static inline lbVec3 lb_voxel_grid_corner(const lbVoxelGrid *grid, int32_t x, int32_t y,
                                          int32_t z) {
  return lb_vec3(grid->origin.x + grid->cell * x, grid->origin.y + grid->cell * y,
                 grid->origin.z + grid->cell * z);
}

#endif
