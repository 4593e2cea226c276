// Every mesh format: one reader from memory each, one writer each, and the table of them.
#ifndef LB_MESHIO_FORMATS_H
#define LB_MESHIO_FORMATS_H

#include "limber/mesh.h"

// `content` is the file (terminated by a zero byte that `bytes` does not count); `path` is for
// messages and for finding companion files beside it.
typedef lbStatus lbMeshReader(const char *path, const char *content, size_t bytes, lbMesh **out,
                              lbError *err);
typedef lbStatus lbMeshWriter(const lbMesh *mesh, const char *path, lbError *err);

lbMeshReader lb_read_msh, lb_read_ele, lb_read_medit, lb_read_veg, lb_read_vtk, lb_read_vtu;
lbMeshReader lb_read_obj, lb_read_stl, lb_read_ply, lb_read_off, lb_read_glb;
lbMeshReader lb_read_assimp; // any other surface format; LB_ERR_UNSUPPORTED when built without
lbMeshWriter lb_write_msh, lb_write_vtu, lb_write_obj, lb_write_stl, lb_write_ply;

// A list of 1-based vertex numbers separated by commas (Vega .bou), turned into 0-based ids.
lbStatus lb_read_bou(const char *path, const char *content, size_t bytes, int32_t **ids,
                     int32_t *count, lbError *err);

#endif
