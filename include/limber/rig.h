// limber/rig.h: characters. A shape with a skeleton, smooth weights and a walk as a skinned glTF.
#ifndef LIMBER_RIG_H
#define LIMBER_RIG_H

#include "limber/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbRigInfo {
  int32_t joint_count, vertex_count, triangle_count;
  int32_t frame_count; // of the walk, the last like the first
  double seconds;      // of the walk
} lbRigInfo;

// The surface of the shape, which must be "figure", with its bones as joints. Weights of vertices
// are harmonic between the bones, at most four each. One animation, "walk", of a second, in place.
// info may be NULL.
lbStatus lb_rig_save(const lbShapeDef *shape, const char *path, lbRigInfo *info, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
