// Fuzz target: a glTF file as a rig, and the motions of its joints.
#include "fuzz.h"

#include "meshio/rig.h"
#include "scene/gltf_motion.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *copy = malloc(size + 1);
  lbMesh *mesh = NULL;
  lbRig *rig = NULL;
  lbGlbFile glb = { 0 };
  lbError err;
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  copy[size] = '\0';
  if (lb_rig_read("fuzz", copy, size, &mesh, &rig, &err) == LB_OK &&
      lb_glb_open(&glb, "fuzz", copy, size, &err) == LB_OK)
    for (int32_t k = 0; k < rig->joint_count && k < 4; k++) {
      lbPath *path = NULL;
      if (lb_gltf_node_motion(&glb, rig->joints[k].node, NULL, true, &path, &err) == LB_OK)
        lb_path_destroy(path);
    }
  lb_glb_close(&glb);
  lb_mesh_destroy(mesh);
  lb_rig_destroy(rig);
  free(copy);
  return 0;
}
