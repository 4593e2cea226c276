// The edges of a triangle surface, sorted so that equal ones stand side by side.
#ifndef LB_COLLIDE_NEIGHBOURS_H
#define LB_COLLIDE_NEIGHBOURS_H

#include "geometry/triangle.h"

typedef struct lbSurfaceEdge {
  int32_t low, high; // vertex ids, low <= high
  int32_t triangle;
  int32_t corner; // where the edge begins in the triangle
  bool forward;   // the triangle runs from low to high
} lbSurfaceEdge;

// Fills edges (count x 3), sorted by vertices, then triangle, then corner.
void lb_surface_edges(const lbTriangles *surface, lbSurfaceEdge *edges);
// Where the run of edges with the same two vertices as the one at `begin` ends.
int32_t lb_surface_edges_run(const lbSurfaceEdge *edges, int32_t count, int32_t begin);

#endif
