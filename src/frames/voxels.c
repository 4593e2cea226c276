// The filled cells of a grid, their neighbours, the parts they make, and the cell of a point.
#include "frames/voxels.h"

#include <string.h>

// ---- making ------------------------------------------------------------------------------------

static lbStatus copy_grid(const lbVoxelGrid *grid, lbVoxelGrid **out, lbError *err) {
  lbStatus status = lb_voxel_grid_create(grid->origin, grid->cell, grid->size, out, err);
  if (!status) memcpy((*out)->cells, grid->cells, (size_t)lb_voxel_grid_count(grid));
  return status;
}

static void number_voxels(lbVoxels *voxels) {
  int32_t next = 0;
  for (int32_t cell = 0; cell < lb_voxel_grid_count(voxels->grid); cell++) {
    bool filled = voxels->grid->cells[cell] & LB_VOXEL_FILLED;
    voxels->numbers[cell] = filled ? next : -1;
    if (filled) voxels->cells[next++] = cell;
  }
}

static void find_neighbours_voxels(lbVoxels *voxels) {
  const lbVoxelGrid *grid = voxels->grid;
  int32_t stride[3] = { 1, grid->size[0], grid->size[0] * grid->size[1] };
  for (int32_t i = 0; i < 6 * voxels->count; i++) voxels->neighbours[i] = -1;
  for (int32_t v = 0; v < voxels->count; v++) {
    int32_t cell = voxels->cells[v], at[3];
    lb_voxels_locate(voxels, v, at);
    for (int axis = 0; axis < 3; axis++) {
      if (at[axis] + 1 == grid->size[axis]) continue;
      if (grid->cells[cell] & LB_VOXEL_CLOSED_X << axis) continue;
      int32_t next = voxels->numbers[cell + stride[axis]];
      if (next < 0) continue;
      voxels->neighbours[6 * v + 2 * axis + 1] = next;
      voxels->neighbours[6 * next + 2 * axis] = v;
    }
  }
}

// queue (count)
static void find_parts(lbVoxels *voxels, int32_t *queue) {
  for (int32_t v = 0; v < voxels->count; v++) voxels->parts[v] = -1;
  for (int32_t first = 0; first < voxels->count; first++) {
    if (voxels->parts[first] >= 0) continue;
    int32_t head = 0, tail = 0, part = voxels->part_count++;
    queue[tail++] = first, voxels->parts[first] = part;
    while (head < tail) {
      const int32_t *around = voxels->neighbours + 6 * queue[head++];
      for (int k = 0; k < 6; k++) {
        if (around[k] < 0 || voxels->parts[around[k]] >= 0) continue;
        voxels->parts[around[k]] = part;
        queue[tail++] = around[k];
      }
    }
  }
}

static lbStatus take_memory_voxels(lbVoxels *voxels, lbError *err) {
  size_t count = (size_t)voxels->count;
  voxels->cells = lb_alloc(count, sizeof *voxels->cells);
  voxels->numbers = lb_alloc((size_t)lb_voxel_grid_count(voxels->grid), sizeof *voxels->numbers);
  voxels->neighbours = lb_alloc(6 * count, sizeof *voxels->neighbours);
  voxels->parts = lb_alloc(count, sizeof *voxels->parts);
  if (!voxels->cells || !voxels->numbers || !voxels->neighbours || !voxels->parts)
    return lb_fail_memory(err);
  return LB_OK;
}

lbStatus lb_voxels_create(const lbVoxelGrid *grid, lbVoxels **out, lbError *err) {
  int32_t count = 0;
  for (int32_t i = 0; i < lb_voxel_grid_count(grid); i++) count += grid->cells[i] & LB_VOXEL_FILLED;
  if (count == 0) return lb_fail(err, LB_ERR_ARGUMENT, "voxels: no cell of the grid is filled");
  if (count > INT32_MAX / 6)
    return lb_fail(err, LB_ERR_ARGUMENT, "voxels: %d voxels are too many, use larger ones",
                   (int)count);
  lbVoxels *voxels = lb_alloc(1, sizeof *voxels);
  int32_t *queue = lb_alloc((size_t)count, sizeof *queue);
  lbStatus status = voxels && queue ? LB_OK : lb_fail_memory(err);
  if (!status) {
    *voxels = (lbVoxels){ .count = count };
    status = copy_grid(grid, &voxels->grid, err);
  }
  if (!status) status = take_memory_voxels(voxels, err);
  if (status) {
    lb_voxels_destroy(voxels);
  } else {
    number_voxels(voxels);
    find_neighbours_voxels(voxels);
    find_parts(voxels, queue);
    *out = voxels;
  }
  lb_free(queue);
  return status;
}

void lb_voxels_destroy(lbVoxels *voxels) {
  if (!voxels) return;
  lb_voxel_grid_destroy(voxels->grid);
  lb_free(voxels->cells);
  lb_free(voxels->numbers);
  lb_free(voxels->neighbours);
  lb_free(voxels->parts);
  lb_free(voxels);
}

// ---- places ------------------------------------------------------------------------------------

lbVec3 lb_voxels_centre(const lbVoxels *voxels, int32_t voxel) {
  const lbVoxelGrid *grid = voxels->grid;
  int32_t at[3];
  lb_voxels_locate(voxels, voxel, at);
  return lb_vec3(grid->origin.x + grid->cell * (at[0] + 0.5),
                 grid->origin.y + grid->cell * (at[1] + 0.5),
                 grid->origin.z + grid->cell * (at[2] + 0.5));
}

int32_t lb_voxels_cross(const lbVoxels *voxels, int32_t voxel, unsigned axes, unsigned forward) {
  if (axes == 0) return voxel;
  for (int axis = 0; axis < 3; axis++) {
    if (!(axes >> axis & 1)) continue;
    int32_t next = voxels->neighbours[6 * voxel + 2 * axis + (int)(forward >> axis & 1)];
    if (next < 0) continue;
    next = lb_voxels_cross(voxels, next, axes & ~(1u << axis), forward);
    if (next >= 0) return next;
  }
  return -1;
}

// A point in cells from the grid's origin.
static void in_cells(const lbVoxelGrid *grid, lbVec3 point, double place[3]) {
  lb_vec3_store(place, lb_scale(1 / grid->cell, lb_sub(point, grid->origin)));
}

// Squared distance, in cells, of a place from a cell; 0 inside and on faces.
static double square_distance(const double place[3], const int32_t at[3]) {
  double square = 0;
  for (int i = 0; i < 3; i++) {
    double out = fmax(at[i] - place[i], place[i] - (at[i] + 1));
    if (out > 0) square += out * out;
  }
  return square;
}

// Improves *best by the voxels at `ring` cells from `middle`, along any axis the farthest.
static void search_ring(const lbVoxels *voxels, const double place[3], const int32_t middle[3],
                        int32_t ring, int32_t *best, double *best_square) {
  const int32_t *size = voxels->grid->size;
  int32_t low[3], high[3];
  for (int i = 0; i < 3; i++) {
    low[i] = middle[i] - ring > 0 ? middle[i] - ring : 0;
    high[i] = middle[i] + ring < size[i] - 1 ? middle[i] + ring : size[i] - 1;
  }
  for (int32_t z = low[2]; z <= high[2]; z++)
    for (int32_t y = low[1]; y <= high[1]; y++) {
      bool edge = z == middle[2] - ring || z == middle[2] + ring || y == middle[1] - ring ||
                  y == middle[1] + ring;
      for (int32_t x = low[0]; x <= high[0]; x++) {
        if (!edge && x > middle[0] - ring && x < middle[0] + ring) {
          x = middle[0] + ring - 1; // the inside of the ring has been seen
          continue;
        }
        int32_t at[3] = { x, y, z };
        int32_t voxel = voxels->numbers[lb_voxel_grid_index(voxels->grid, x, y, z)];
        if (voxel < 0) continue;
        double square = square_distance(place, at);
        if (square < *best_square || (square == *best_square && voxel < *best))
          *best = voxel, *best_square = square;
      }
    }
}

int32_t lb_voxels_nearest(const lbVoxels *voxels, lbVec3 point, double *distance) {
  const int32_t *size = voxels->grid->size;
  double place[3], best_square = INFINITY;
  int32_t middle[3], best = 0, most = 0;
  in_cells(voxels->grid, point, place);
  for (int i = 0; i < 3; i++) {
    if (!(place[i] > 0))
      middle[i] = 0;
    else
      middle[i] = place[i] < size[i] ? (int32_t)place[i] : size[i] - 1;
    if (size[i] > most) most = size[i];
  }
  // Ring r is no nearer than r - 1 cells from the middle one, which is the nearest of the grid.
  double outside = square_distance(place, middle);
  for (int32_t ring = 0; ring < most; ring++) {
    if (ring > 0 && (double)(ring - 1) * (ring - 1) > best_square - outside) break;
    search_ring(voxels, place, middle, ring, &best, &best_square);
  }
  if (distance) *distance = voxels->grid->cell * sqrt(best_square);
  return best;
}
