// Writing a mesh's appearances as a Wavefront material library, for one OBJ file or many.
#ifndef LB_MESHIO_WRITE_MTL_H
#define LB_MESHIO_WRITE_MTL_H

#include "limber/file.h"
#include "limber/mesh.h"

#include <stdio.h>

// A name without blanks and signs that mean something in an OBJ file; an empty one becomes
// "<otherwise><index>".
void lb_obj_write_name(FILE *stream, const char *name, const char *otherwise, int32_t index);

// A library and its pictures, written in full but not yet renamed: with the OBJ file all of
// them appear, or none does.
typedef struct lbMtlWriter {
  lbFileWriter *files; // (count) sealed; NULL: nothing was begun
  int32_t count;
} lbMtlWriter;

lbStatus lb_mtl_begin(lbMtlWriter *writer, const lbMesh *mesh, const char *path, lbError *err);
lbStatus lb_mtl_commit(lbMtlWriter *writer, lbError *err);
void lb_mtl_abort(lbMtlWriter *writer); // zeros are legal

// Writes the library and, beside it, the pictures that are there.
lbStatus lb_write_mtl(const lbMesh *mesh, const char *path, lbError *err);

// An OBJ that names a library which several files share, and does not write it.
lbStatus lb_write_obj_with(const lbMesh *mesh, const char *library, const char *path, lbError *err);

#endif
