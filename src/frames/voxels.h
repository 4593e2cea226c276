// The object of a frame-based model as voxels: the cells of a grid that it fills, and through which
// of their faces one gets from one to the next.
//
// Two cells that lie beside each other without belonging together (legs that touch, a slit) have
// their common face closed; nothing that is computed on voxels passes a closed face.
#ifndef LB_FRAMES_VOXELS_H
#define LB_FRAMES_VOXELS_H

#include "geometry/voxel_grid.h"

// What a cell of the grid says.
enum {
  LB_VOXEL_FILLED = 1,
  LB_VOXEL_CLOSED_X = 2, // its face towards +x is closed (that towards -x: see the neighbour there)
  LB_VOXEL_CLOSED_Y = 4,
  LB_VOXEL_CLOSED_Z = 8
};

typedef struct lbVoxels {
  lbVoxelGrid *grid;   // own copy; its cells are as above
  int32_t count;       // filled cells, at least 1
  int32_t *cells;      // (count) cell of each voxel, ascending
  int32_t *numbers;    // (cells of the grid) voxel, or -1
  int32_t *neighbours; // (count x 6) voxel through the face -x +x -y +y -z +z, or -1
  int32_t part_count;  // pieces that no open face joins
  int32_t *parts;      // (count) piece, numbered by their first voxels
} lbVoxels;

// Refuses a grid without filled cells.
lbStatus lb_voxels_create(const lbVoxelGrid *grid, lbVoxels **out, lbError *err);
void lb_voxels_destroy(lbVoxels *voxels); // NULL is legal

// Where a voxel lies in the grid: x, y, z.
static inline void lb_voxels_locate(const lbVoxels *voxels, int32_t voxel, int32_t at[3]) {
  int32_t cell = voxels->cells[voxel];
  const int32_t *size = voxels->grid->size;
  at[0] = cell % size[0], at[1] = cell / size[0] % size[1], at[2] = cell / size[0] / size[1];
}
// From a voxel across one open face of each axis in the set `axes` (bit 0: x), in whatever order
// works; `forward` has the bits of the axes that go up. -1: there is no way.
int32_t lb_voxels_cross(const lbVoxels *voxels, int32_t voxel, unsigned axes, unsigned forward);

lbVec3 lb_voxels_centre(const lbVoxels *voxels, int32_t voxel);
// The voxel nearest to a point, itself if it holds it; of equally near ones the first.
// *distance: m, 0 inside; may be NULL.
int32_t lb_voxels_nearest(const lbVoxels *voxels, lbVec3 point, double *distance);

// ---- distances ---------------------------------------------------------------------------------

// Lengths of the shortest paths inside the voxels from `point`, which voxel `home` holds, to the
// centres of all voxels: straight where the straight line stays inside (then the distance is
// exact), else round corners at centres of voxels (too long by less than a voxel's side for each
// corner). INFINITY in other parts, and beyond `limit` (m, INFINITY: none; work grows with what is
// reached). distances (count). Memory is taken and given back.
lbStatus lb_voxels_distances(const lbVoxels *voxels, lbVec3 point, int32_t home, double limit,
                             double *distances, lbError *err);
// The same from the nearest centre of the voxels v with owners[v] == owner (owners: (count)).
lbStatus lb_voxels_region_distances(const lbVoxels *voxels, const int32_t *owners, int32_t owner,
                                    double *distances, lbError *err);

#endif
