// Parts by appearance.
#include "export/gltf_mesh.h"

lbStatus lb_gltf_mesh_add(lbAppearances *appearances, const lbMesh *mesh, const lbSurface *surface,
                          lbGltfMesh gltf_mesh, int32_t *id, lbError *err) {
  lbGltfPart *parts = lb_alloc((size_t)surface->part_count, sizeof *parts);
  lbStatus status = parts ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < surface->part_count && !status; i++) {
    const lbSurfacePart *part = &surface->parts[i];
    parts[i] = (lbGltfPart){ part->triangle_begin, part->triangle_count, -1 };
    status = lb_appearances_material(appearances, mesh, part->appearance, surface->open,
                                     &parts[i].material, err);
  }
  gltf_mesh.vertex_count = surface->vertex_count;
  gltf_mesh.point_count = surface->source_count;
  gltf_mesh.points = surface->origins;
  gltf_mesh.uvs = surface->uvs;
  gltf_mesh.triangles = surface->triangles;
  gltf_mesh.part_count = surface->part_count;
  gltf_mesh.parts = parts;
  if (!status) status = lb_gltf_add_mesh(appearances->gltf, &gltf_mesh, id, err);
  lb_free(parts);
  return status;
}
