// Wavefront material libraries (.mtl).
#ifndef LB_MESHIO_OBJ_MATERIAL_H
#define LB_MESHIO_OBJ_MATERIAL_H

#include "mesh/builder.h"

// Index of the appearance with this name, -1 when there is none (or no memory).
int32_t lb_appearance_find(const lbMeshBuilder *builder, const char *name);

// Adds the materials of a library to the mesh as appearances: Kd, d or Tr, Pm, Pr or Ns, map_Kd
// (pictures from beside `path`). Nothing in it stops a reader: what cannot be read or found is a
// warning in the log. Failing memory sticks to the builder.
void lb_obj_read_materials(lbMeshBuilder *builder, const char *path, const char *content,
                           size_t bytes);

#endif
