// The skeleton of a shape: bones, and poses of a walk.
#ifndef LB_SHAPES_SKELETON_H
#define LB_SHAPES_SKELETON_H

#include "limber/math.h"
#include "limber/shape.h"

typedef struct lbBone {
  const char *name;
  int32_t parent;    // a bone before it, or -1
  lbVec3 head, tail; // at rest; the joint is at its head
  double radius;     // points nearer to the bone than this move only with it
} lbBone;

#define LB_BONES_MOST 32

typedef struct lbSkeleton {
  int32_t count;
  lbBone bones[LB_BONES_MOST];
} lbSkeleton;

// In the coordinates of the shape's meshes. LB_ERR_UNSUPPORTED: the shape has none (only "figure"
// does).
lbStatus lb_shape_skeleton(const lbShapeDef *def, lbSkeleton *out, lbError *err);

// Poses (bones x 7: position, rotation x y z w) at a phase of the walk, 0 to 1: one step with each
// foot, in place. The axes of all bones are those of the mesh at rest.
void lb_figure_walk(const lbSkeleton *skeleton, double phase, double *poses);

#endif
