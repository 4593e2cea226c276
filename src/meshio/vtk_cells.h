// The cells of VTK's two formats: kept as they come until types and tags are known, then turned
// into triangles, tets and bricks.
#ifndef LB_MESHIO_VTK_CELLS_H
#define LB_MESHIO_VTK_CELLS_H

#include "meshio/scan.h"
#include "meshio/volume.h"

typedef struct lbVtkCells {
  int32_t *vertices; // of all cells, one after another
  size_t vertex_count, vertex_capacity;
  size_t *ends; // (cell_count): where a cell's vertices end
  size_t cell_count, cell_capacity;
  uint8_t *types; // (type_count)
  size_t type_count, type_capacity;
  int32_t *tags; // (tag_count): 0 = no group
  size_t tag_count, tag_capacity;
} lbVtkCells;

// Each returns false without memory.
bool lb_vtk_add_vertex(lbVtkCells *cells, int32_t vertex); // of the cell that is to come
bool lb_vtk_end_cell(lbVtkCells *cells);
bool lb_vtk_add_type(lbVtkCells *cells, int64_t type);
bool lb_vtk_add_tag(lbVtkCells *cells, int64_t tag);
void lb_vtk_cells_release(lbVtkCells *cells);

// Whether a cell array of this name means groups: "group", "material", "region", ...
bool lb_vtk_is_group_name(const char *name);

// Adds all cells and their tags; points and lines are left out.
lbStatus lb_vtk_add_cells(const lbVtkCells *cells, lbVolume *volume, const char *path,
                          lbError *err);

#endif
