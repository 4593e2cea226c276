// What the surface writers share: which triangles to write.
#ifndef LB_MESHIO_SURFACE_H
#define LB_MESHIO_SURFACE_H

#include "limber/mesh.h"

typedef struct lbWrittenSurface {
  const int32_t *triangles; // (triangle_count x 3)
  int32_t triangle_count;
  int32_t *owned; // NULL when they are the mesh's own
} lbWrittenSurface;

// The mesh's triangles or, when it has none, the boundary of its volume elements.
lbStatus lb_surface_begin(lbWrittenSurface *surface, const lbMesh *mesh, const char *path,
                          lbError *err);
void lb_surface_end(lbWrittenSurface *surface);

#endif
