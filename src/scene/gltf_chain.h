// A node of a glTF file with its ancestors, and the channels of an animation that move them.
#ifndef LB_SCENE_GLTF_CHAIN_H
#define LB_SCENE_GLTF_CHAIN_H

#include "limber/math.h"
#include "limber/path.h"
#include "meshio/glb.h"

enum { LB_GLTF_TRANSLATION, LB_GLTF_ROTATION, LB_GLTF_SCALE, LB_GLTF_TARGET_COUNT };

typedef struct lbGltfLink {
  int32_t node;
  lbVec3 translation, scale;
  lbQuat rotation;
  lbMat3 linear;                          // where the file gives a matrix
  bool has_matrix;                        //
  lbPath *channels[LB_GLTF_TARGET_COUNT]; // NULL: not animated
} lbGltfLink;

typedef struct lbGltfChain {
  const lbGlbFile *glb;
  int32_t animation;
  lbGltfLink *links; // the node itself first, its root last
  int32_t count;
  int32_t *place;    // (nodes) in the chain; -1: not in it
  int64_t key_count; // read so far
} lbGltfChain;

typedef struct lbGltfFrame { // x -> linear x + shift; rotation is the linear part without its scale
  lbMat3 linear;
  lbVec3 shift;
  lbQuat rotation;
} lbGltfFrame;

// The item of a list ("nodes", "animations") with a name; `what` is for messages.
lbStatus lb_gltf_find_named(const lbGlbFile *glb, const char *list, const char *what,
                            const char *name, int32_t *index, lbError *err);

// animation: by name; NULL: the first that moves one of the nodes. The file must stay open. Release
// it also after a failure.
lbStatus lb_gltf_chain_read(lbGltfChain *chain, const lbGlbFile *glb, int32_t node,
                            const char *animation, lbError *err);
void lb_gltf_chain_release(lbGltfChain *chain);

// All links from `first` on, at a time.
lbGltfFrame lb_gltf_chain_at(const lbGltfChain *chain, int32_t first, double t);

#endif
