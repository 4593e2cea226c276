// The stages of voxelising that work on the grid alone.
#ifndef LB_MESH_VOXEL_CELLS_H
#define LB_MESH_VOXEL_CELLS_H

#include "mesh/voxel_mark.h"

// What a cell is. Anything but LB_CELL_EMPTY becomes a brick.
enum { LB_CELL_EMPTY, LB_CELL_TOUCHED, LB_CELL_INSIDE, LB_CELL_JOINING };

// Turns the empty cells inside the surface into LB_CELL_INSIDE; how: voxel_inside.c.
lbStatus lb_voxel_fill_inside(lbVoxelGrid *grid, const lbTriangles *surface, int32_t vertex_count,
                              lbError *err);

// Turns empty cells into LB_CELL_JOINING until no two cells touch only by an edge or a corner.
void lb_voxel_join(lbVoxelGrid *grid);

// How many pieces, joined by faces, the cells that are not empty make.
lbStatus lb_voxel_count_pieces(const lbVoxelGrid *grid, int32_t *piece_count, lbError *err);

#endif
