// Inside the body layer: what writing vertices needs of a render mesh and of scratch memory.
#ifndef LB_BODY_VERTICES_H
#define LB_BODY_VERTICES_H

#include "limber/render_mesh.h"

#include "body/body.h"

// The direction of growing u over a triangle with corners x0, x1, x2, times its area at rest, is
// a (x1 - x0) + b (x2 - x0): linear in the places, so a and b are worked out once.
struct lbRenderTangents {
  const double *factors; // (surface triangles x 2): a, b; 0: no such direction
  const int32_t *begin;  // (render vertices + 1)
  const int32_t *around; // triangles of each render vertex, ascending
  const int8_t *mirrors; // (render vertices): w, 1 or -1
};

// For finding out what a range of vertices needs. A vertex or node is marked when its stamp is at
// least `stamp`, and a vertex has its place when it is above.
struct lbVertexWork {
  uint32_t stamp;
  uint32_t *vertices, *nodes; // (vertices), (nodes): stamps
  double *normals;            // (vertices x 3)
};

void lb_vertex_work_destroy(struct lbVertexWork *work); // NULL is legal

#endif
