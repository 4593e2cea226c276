// Two solids, the simpler one first, in the axes of the first.
#ifndef LB_COLLIDE_PAIR_H
#define LB_COLLIDE_PAIR_H

#include "collide/segments.h"

typedef struct lbSolidPair {
  const lbSolid *a, *b; // plane, sphere, capsule, box or hull, mesh: a is not after b
  lbSolidFrame frame;   // of b in the axes of a
  double margin;
  lbTouchList list; // on_triangle: on a; on_solid: on b; normals from b to a; axes of a
} lbSolidPair;

// Adds what was found in the axes of b: a place on each, the normal from b to a and the gap.
void lb_pair_add_from_b(lbSolidPair *pair, lbVec3 on_b, lbVec3 normal, double gap, int32_t feature);

void lb_pair_plane(lbSolidPair *pair);          // a plane and anything (plane_pair.c)
void lb_pair_capsule_convex(lbSolidPair *pair); // a capsule and a box or hull (capsule_pair.c)
void lb_pair_mesh(lbSolidPair *pair);           // anything but a plane and a mesh (mesh_pair.c)

#endif
