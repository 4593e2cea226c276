// Creates and destroys voxel grids.
#include "geometry/voxel_grid.h"

lbStatus lb_voxel_grid_create(lbVec3 origin, double cell, const int32_t size[3], lbVoxelGrid **out,
                              lbError *err) {
  LB_ASSERT(size[0] > 0 && size[1] > 0 && size[2] > 0 && cell > 0);
  double count = (double)size[0] * size[1] * size[2];
  if (count > INT32_MAX)
    return lb_fail(err, LB_ERR_ARGUMENT, "a grid of %d x %d x %d cells is too large, use fewer",
                   (int)size[0], (int)size[1], (int)size[2]);
  lbVoxelGrid *grid = lb_alloc(1, sizeof *grid);
  if (!grid) return lb_fail_memory(err);
  *grid = (lbVoxelGrid){ origin, cell, { size[0], size[1], size[2] }, NULL };
  grid->cells = lb_alloc((size_t)lb_voxel_grid_count(grid), 1);
  if (!grid->cells) {
    lb_voxel_grid_destroy(grid);
    return lb_fail_memory(err);
  }
  *out = grid;
  return LB_OK;
}

void lb_voxel_grid_destroy(lbVoxelGrid *grid) {
  if (!grid) return;
  lb_free(grid->cells);
  lb_free(grid);
}
