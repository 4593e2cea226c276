// A rig: the joints of a skeleton and how the vertices of a mesh hang on them, from the skins of a
// glTF file.
#ifndef LB_MESHIO_RIG_H
#define LB_MESHIO_RIG_H

#include "limber/math.h"
#include "limber/mesh.h"

#define LB_RIG_SETS_MOST 16 // JOINTS_0 to JOINTS_15: 64 weights a vertex

typedef struct lbRigJoint {
  char *name;     // "" where the file has none; never NULL
  int32_t node;   // of the file
  int32_t parent; // the nearest joint above it, -1: none
  // At rest, in the mesh's coordinates: the inverse of its inverse bind matrix, which must be a
  // rotation, a translation and an even scale (which is dropped).
  lbVec3 position;
  lbQuat rotation;
} lbRigJoint;

typedef struct lbRig {
  int32_t joint_count; // at least 1
  lbRigJoint *joints;  // of all skins, in their order; a node that several use once
  int32_t vertex_count;
  // Vertex v hangs on joints[k] with weights[k], begin[v] <= k < begin[v + 1]: as many as the file
  // has, the largest first; sum 1. None: a vertex of a mesh without a skin that is below no joint.
  int32_t *begin;         // (vertex_count + 1)
  int32_t *vertex_joints; // (begin[vertex_count])
  double *weights;        // (begin[vertex_count]), > 0
} lbRig;

// The mesh as lb_mesh_load gives it, and the rig of its vertices, in the axes of the scene (Y up).
// Where all joints stand, without animation, in one place relative to their bind pose (an armature
// that is turned or scaled), mesh and rig are moved there; else the bind pose is the rest pose.
// Refuses files without a skin; joints that are not nodes, or have no, mirrored or uneven scale;
// nodes that are their own ancestors; skins that disagree on a joint's rest pose; weights that are
// negative, do not belong to a joint, or do not sum to 1 within a hundredth: by name and number.
lbStatus lb_rig_load(const char *path, lbMesh **mesh, lbRig **rig, lbError *err);
lbStatus lb_rig_read(const char *path, const char *content, size_t bytes, lbMesh **mesh,
                     lbRig **rig, lbError *err);
void lb_rig_destroy(lbRig *rig); // NULL is legal

#endif
