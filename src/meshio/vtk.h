// The state of reading a legacy VTK file, shared by its parts.
#ifndef LB_MESHIO_VTK_H
#define LB_MESHIO_VTK_H

#include "meshio/vtk_cells.h"

typedef struct lbVtk {
  lbScan scan;
  lbVtkCells cells;
  lbVolume volume;
  double version;
  bool is_polydata, has_points, has_cells;
  int64_t tuple_count; // of the CELL_DATA or POINT_DATA at hand
  bool in_cell_data, has_tags;
} lbVtk;

// A type as the file spells it ("float", "vtktypeint64"); false if it is unknown.
bool lb_vtk_type(const char *word, lbScalar *type);
// After a line of text the numbers begin.
void lb_vtk_begin_data(lbVtk *vtk);
// Reads or moves over one attribute (SCALARS, FIELD, ...); false when it is not understood.
// Integer cell arrays whose name means groups become tags.
bool lb_vtk_read_attribute(lbVtk *vtk, const char *keyword);

#endif
