// The outer surface of a volume mesh as a mesh of its own, with only the vertices it uses.
#include "limber/mesh.h"

#include <string.h>

static lbStatus copy_surface_triangles(const lbMesh *mesh, int32_t **triangles, int32_t *count,
                                       lbError *err) {
  *triangles = lb_duplicate(mesh->triangles, (size_t)mesh->triangle_count, 3 * sizeof(int32_t));
  *count = mesh->triangle_count;
  return *triangles ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_mesh_surface(const lbMesh *mesh, lbMesh **out, int32_t **vertices, lbError *err) {
  int32_t *triangles = NULL, triangle_count = 0;
  lbStatus status = lb_mesh_element_count(mesh) > 0
                        ? lb_mesh_boundary(mesh, &triangles, &triangle_count, err)
                        : copy_surface_triangles(mesh, &triangles, &triangle_count, err);
  if (status) return status;
  size_t corners = 3 * (size_t)triangle_count;
  int32_t *new_id = lb_alloc((size_t)mesh->vertex_count, sizeof(int32_t));
  int32_t *used = lb_alloc((size_t)mesh->vertex_count, sizeof(int32_t));
  lbMesh *surface = lb_alloc(1, sizeof *surface);
  double *positions = lb_alloc((size_t)mesh->vertex_count, 3 * sizeof(double));
  if (!new_id || !used || !surface || !positions) {
    lb_free(triangles);
    lb_free(used);
    lb_free(surface);
    lb_free(positions);
    lb_free(new_id);
    return lb_fail_memory(err);
  }
  for (size_t i = 0; i < corners; i++) new_id[triangles[i]] = 1;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    if (!new_id[v]) continue;
    new_id[v] = surface->vertex_count;
    used[surface->vertex_count] = v;
    memcpy(positions + 3 * (size_t)surface->vertex_count++, mesh->positions + 3 * (size_t)v,
           3 * sizeof(double));
  }
  for (size_t i = 0; i < corners; i++) triangles[i] = new_id[triangles[i]];
  surface->positions = positions;
  surface->triangles = triangles;
  surface->triangle_count = triangle_count;
  lb_free(new_id);
  *out = surface;
  if (vertices)
    *vertices = used;
  else
    lb_free(used);
  return LB_OK;
}
