// Writing a mesh's appearances as a Wavefront material library, for one OBJ file or many.
#ifndef LB_MESHIO_WRITE_MTL_H
#define LB_MESHIO_WRITE_MTL_H

#include "limber/mesh.h"

#include <stdio.h>

// A name without blanks and signs that mean something in an OBJ file; an empty one becomes
// "<otherwise><index>".
void lb_obj_write_name(FILE *stream, const char *name, const char *otherwise, int32_t index);

// Writes the library and, beside it, the pictures that are there.
lbStatus lb_write_mtl(const lbMesh *mesh, const char *path, lbError *err);

// An OBJ that names a library which several files share, and does not write it.
lbStatus lb_write_obj_with(const lbMesh *mesh, const char *library, const char *path, lbError *err);

#endif
