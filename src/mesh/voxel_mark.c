// Finds and marks the cells of a voxel grid that points and triangles touch.
#include "mesh/voxel_mark.h"

bool lb_voxel_grid_find(const lbVoxelGrid *grid, lbVec3 point, int32_t cell[3]) {
  double offset[3] = { point.x - grid->origin.x, point.y - grid->origin.y,
                       point.z - grid->origin.z };
  for (int i = 0; i < 3; i++) {
    double place = offset[i] / grid->cell;
    if (!(place >= 0 && place <= grid->size[i])) return false;
    cell[i] = place < grid->size[i] ? (int32_t)place : grid->size[i] - 1;
  }
  return true;
}

// A block of cells, low corner included, high corner not.
typedef struct Block {
  int32_t low[3], high[3];
} Block;

static lbBox block_box(const lbVoxelGrid *grid, const Block *block) {
  lbBox box;
  lb_vec3_store(box.low, lb_voxel_grid_corner(grid, block->low[0], block->low[1], block->low[2]));
  lb_vec3_store(box.high,
                lb_voxel_grid_corner(grid, block->high[0], block->high[1], block->high[2]));
  return box;
}

static int32_t clamp_cell(double place, int32_t size) {
  if (!(place > 0)) return 0;
  return place < size ? (int32_t)place : size - 1;
}

// The cells of the triangle's box, one more on each side against rounding.
static Block triangle_block(const lbVoxelGrid *grid, const lbBox *box) {
  Block block;
  double origin[3] = { grid->origin.x, grid->origin.y, grid->origin.z };
  for (int i = 0; i < 3; i++) {
    double low = (box->low[i] - origin[i]) / grid->cell;
    double high = (box->high[i] - origin[i]) / grid->cell;
    block.low[i] = clamp_cell(low - 1e-6, grid->size[i]);
    block.high[i] = clamp_cell(high + 1e-6, grid->size[i]) + 1;
  }
  return block;
}

// Halves the block of cells along its longest side until single cells are left, and drops the
// halves that the triangle does not touch: a large triangle costs as much as the cells it touches.
void lb_voxel_grid_mark_triangle(lbVoxelGrid *grid, lbVec3 a, lbVec3 b, lbVec3 c, uint8_t value) {
  Block stack[3 * 32 + 1]; // each level halves one side, and leaves one block waiting
  lbBox box = lb_box_empty();
  for (int k = 0; k < 3; k++) {
    double corner[3];
    lb_vec3_store(corner, k == 0 ? a : k == 1 ? b : c);
    lb_box_add_point(&box, corner);
  }
  if (lb_box_is_empty(&box)) return;
  int stacked = 0;
  stack[stacked++] = triangle_block(grid, &box);
  while (stacked > 0) {
    Block block = stack[--stacked];
    lbBox space = block_box(grid, &block);
    if (!lb_triangle_touches_box(a, b, c, &space)) continue;
    int longest = 0;
    for (int i = 1; i < 3; i++)
      if (block.high[i] - block.low[i] > block.high[longest] - block.low[longest]) longest = i;
    int32_t length = block.high[longest] - block.low[longest];
    if (length == 1) {
      grid->cells[lb_voxel_grid_index(grid, block.low[0], block.low[1], block.low[2])] = value;
      continue;
    }
    Block half = block;
    half.low[longest] = block.high[longest] = block.low[longest] + length / 2;
    stack[stacked++] = half;
    stack[stacked++] = block;
  }
}
