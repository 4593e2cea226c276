// A surface made ready for glTF: only the vertices that triangles use, split where texture
// coordinates differ, triangles sorted by appearance.
#ifndef LB_EXPORT_SURFACE_H
#define LB_EXPORT_SURFACE_H

#include "limber/mesh.h"

typedef struct lbSurfacePart { // triangles of one appearance
  int32_t appearance;          // of the mesh, -1 = none
  int32_t triangle_begin, triangle_count;
} lbSurfacePart;

typedef struct lbSurface {
  int32_t source_count; // vertices of the mesh in use
  int32_t *sources;     // (source_count), ascending
  int32_t vertex_count; // after splitting
  int32_t *origins;     // (vertex_count), index into sources
  float *uvs;           // (vertex_count x 2), finite; NULL: none
  int32_t triangle_count;
  int32_t *triangles; // (triangle_count x 3), vertices after splitting, by part
  int32_t part_count;
  lbSurfacePart *parts;
  bool open;   // some edge has an odd number of triangles
  double size; // diagonal of the rest shape's bounding box
} lbSurface;

// LB_ERR_MESH, with `name` in the message, when there are no triangles or ids are out of range.
lbStatus lb_surface_check(const lbMesh *mesh, const char *name, lbError *err);
lbStatus lb_surface_prepare(const lbMesh *mesh, const char *name, lbSurface *surface, lbError *err);
void lb_surface_release(lbSurface *surface);

#endif
