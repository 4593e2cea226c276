// Choosing the triangles that a surface format gets.
#include "mesh/io/surface.h"

#include <stdlib.h>
#include <string.h>

lbStatus lb_surface_begin(lbWrittenSurface *surface, const lbMesh *mesh, const char *path,
                          lbError *err) {
  *surface = (lbWrittenSurface){ mesh->triangles, mesh->triangle_count, NULL };
  if (mesh->triangle_count > 0) return LB_OK;
  if (lb_mesh_element_count(mesh) == 0)
    return lb_fail(err, LB_ERR_MESH,
                   "%s: the mesh has neither triangles nor volume elements, there is no surface to "
                   "write",
                   path);
  lbStatus status = lb_mesh_boundary(mesh, &surface->owned, &surface->triangle_count, err);
  surface->triangles = surface->owned;
  return status;
}

void lb_surface_end(lbWrittenSurface *surface) {
  lb_free(surface->owned);
  *surface = (lbWrittenSurface){ 0 };
}

void lb_write_number(FILE *stream, double value) {
  char text[40];
  snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
  bool separated = false; // the locale's decimal separator may be several bytes
  for (const char *c = text; *c; c++) {
    bool plain = strchr("0123456789+-einfa", *c) != NULL;
    if (plain || !separated) fputc(plain ? *c : '.', stream);
    separated = separated || !plain;
  }
}
