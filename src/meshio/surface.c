// Choosing the triangles that a surface format gets.
#include "meshio/surface.h"

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
