// A prepared surface as a glTF mesh, with a material for each part.
#ifndef LB_EXPORT_GLTF_MESH_H
#define LB_EXPORT_GLTF_MESH_H

#include "export/appearances.h"
#include "export/surface.h"

// `gltf_mesh` has its name, positions and normals (both of the surface's sources), targets and
// weights; vertices, triangles and parts are filled in here.
lbStatus lb_gltf_mesh_add(lbAppearances *appearances, const lbMesh *mesh, const lbSurface *surface,
                          lbGltfMesh gltf_mesh, int32_t *id, lbError *err);

#endif
