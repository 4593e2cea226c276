// Generalised winding number of a triangle surface: how often the surface goes round a point.
//   w(p) = 1/(4π) Σ solid angle of each triangle seen from p
// 1 inside a closed surface with outward triangles, -1 inside an inside-out one, 0 outside; between
// for surfaces with holes. (Jacobson, Kavan, Sorkine-Hornung 2013; far triangles are taken together
// as one dipole per tree node as in Barill, Dickson, Schmidt, Levin, Jacobson 2018.)
#ifndef LB_MESH_WINDING_H
#define LB_MESH_WINDING_H

#include "geometry/aabb_tree.h"

typedef struct lbWinding {
  const lbAabbTree *tree;      // borrowed
  lbTriangles surface;         // borrowed arrays
  const int8_t *signs;         // (triangles), borrowed: 1, -1 turned round, 0 left out; NULL: all 1
  struct lbWindingNode *nodes; // (tree nodes)
} lbWinding;

lbStatus lb_winding_create(const lbAabbTree *tree, const lbTriangles *surface, const int8_t *signs,
                           lbWinding **out, lbError *err);
void lb_winding_destroy(lbWinding *winding); // NULL is legal

// Off by some hundredths where far triangles are taken together.
double lb_winding_number(const lbWinding *winding, lbVec3 point);

#endif
