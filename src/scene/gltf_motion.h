// The motion of a node in a glTF file, as a path.
#ifndef LB_SCENE_GLTF_MOTION_H
#define LB_SCENE_GLTF_MOTION_H

#include "limber/path.h"
#include "meshio/glb.h"

// `animation`: by name; NULL: the first that moves the node or one of its ancestors. The path is
// the node's own frame in the file's axes, its ancestors counted; scale has no part in it but that
// of ancestors moves the origin.
lbStatus lb_gltf_motion(const char *path, const char *content, size_t bytes, const char *node,
                        const char *animation, bool cycle, lbPath **out, lbError *err);
// The same of a node by number, in a file that is open; without a word in the log where the path is
// sampled.
lbStatus lb_gltf_node_motion(const lbGlbFile *glb, int32_t node, const char *animation, bool cycle,
                             lbPath **out, lbError *err);
// Whether an animation (by name; NULL: any) moves a node or an ancestor of it; parents (nodes):
// lb_glb_parents.
bool lb_gltf_node_moves(const lbGlbFile *glb, const int32_t *parents, int32_t node,
                        const char *animation);

#endif
