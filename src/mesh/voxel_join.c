// Joins cells that touch only by an edge or a corner.
//
// Around a grid point lie 2 x 2 x 2 cells. When the full ones are connected by faces among
// themselves and the empty ones too, the boundary between them is one closed loop round the point:
// no hinge, no pinch. Where it is not so, one of the eight cells is filled, the one that repairs
// most; cells are only ever filled, within the box of the full cells, so this ends.
#include "mesh/voxel_cells.h"

static int bit_count(unsigned bits) {
  int count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

// The face neighbours of one of the eight cells; cell = x + 2y + 4z.
static unsigned face_neighbours(int cell) {
  return 1u << (cell ^ 1) | 1u << (cell ^ 2) | 1u << (cell ^ 4);
}

static bool hangs_together(unsigned set) {
  unsigned reached = set & (~set + 1), before = 0; // the lowest cell
  while (reached != before) {
    before = reached;
    for (int cell = 0; cell < 8; cell++)
      if (before >> cell & 1) reached |= face_neighbours(cell) & set;
  }
  return reached == set;
}

static bool is_sound(unsigned full) {
  return hangs_together(full) && hangs_together(~full & 0xffu);
}

// The cell to fill, -1: none of the allowed is empty.
static int best_filling(unsigned full, unsigned allowed) {
  int best = -1, best_score = -1;
  for (int cell = 0; cell < 8; cell++) {
    if (!((allowed & ~full) >> cell & 1)) continue;
    int score = bit_count(face_neighbours(cell) & full) + (is_sound(full | 1u << cell) ? 8 : 0);
    if (score > best_score) best = cell, best_score = score;
  }
  return best;
}

// The full ones, and those that exist, of the eight cells round grid point x y z.
static unsigned gather_corner_cells(const lbVoxelGrid *grid, int32_t x, int32_t y, int32_t z,
                                    unsigned *allowed) {
  unsigned full = 0;
  *allowed = 0;
  for (int cell = 0; cell < 8; cell++) {
    int32_t cx = x - 1 + (cell & 1), cy = y - 1 + (cell >> 1 & 1), cz = z - 1 + (cell >> 2);
    if (!lb_voxel_grid_holds(grid, cx, cy, cz)) continue;
    *allowed |= 1u << cell;
    if (grid->cells[lb_voxel_grid_index(grid, cx, cy, cz)] != LB_CELL_EMPTY) full |= 1u << cell;
  }
  return full;
}

static bool mend_point(lbVoxelGrid *grid, const bool *sound, int32_t x, int32_t y, int32_t z) {
  bool changed = false;
  for (;;) {
    unsigned allowed, full = gather_corner_cells(grid, x, y, z, &allowed);
    int cell = sound[full] ? -1 : best_filling(full, allowed);
    if (cell < 0) return changed;
    int32_t index =
        lb_voxel_grid_index(grid, x - 1 + (cell & 1), y - 1 + (cell >> 1 & 1), z - 1 + (cell >> 2));
    grid->cells[index] = LB_CELL_JOINING;
    changed = true;
  }
}

void lb_voxel_join(lbVoxelGrid *grid) {
  bool sound[256], changed = true;
  for (unsigned full = 0; full < 256; full++) sound[full] = is_sound(full);
  while (changed) {
    changed = false;
    for (int32_t z = 0; z <= grid->size[2]; z++)
      for (int32_t y = 0; y <= grid->size[1]; y++)
        for (int32_t x = 0; x <= grid->size[0]; x++) changed |= mend_point(grid, sound, x, y, z);
  }
}
