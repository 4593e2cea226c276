// The skins of a glTF file while its meshes are read.
#ifndef LB_MESHIO_GLB_SKIN_H
#define LB_MESHIO_GLB_SKIN_H

#include "meshio/glb.h"
#include "meshio/rig.h"

typedef struct lbGlbSkins {
  const lbGlbFile *glb; // valid until the meshes are read
  lbRig *rig;
  double *binds;       // (joints x 16) inverse bind matrices
  double *worlds;      // (joints x 16) where the joints stand
  int32_t *parents;    // (nodes)
  int32_t *joint_of;   // (nodes) joint, or -1
  int32_t *skin_begin; // (skins + 1) where a skin's joints begin in
  int32_t *skin_joints;
  bool *skinned; // (vertices) they have weights of their own: the joints place them, not their node
  size_t joint_capacity, bind_capacity, world_capacity;
  size_t begin_capacity, id_capacity, weight_capacity, skinned_capacity;
} lbGlbSkins;

// Joints, checked. Release it also after a failure.
lbStatus lb_glb_skins_begin(lbGlbSkins *skins, const lbGlbFile *glb, lbError *err);
// The weights of the next `count` vertices, of a primitive of the mesh at a node.
lbStatus lb_glb_skin_vertices(lbGlbSkins *skins, int32_t node, const json_t *attributes,
                              int32_t count, lbError *err);
// Moves mesh and rig to where the joints stand; *rig is the caller's (rig may be NULL).
lbStatus lb_glb_skins_finish(lbGlbSkins *skins, const char *path, lbMesh *mesh, lbRig **rig,
                             lbError *err);
void lb_glb_skins_release(lbGlbSkins *skins);

#endif
