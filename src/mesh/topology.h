// How the triangles of a surface are connected: coinciding vertices taken as one, patches joined by
// edges, which triangles must be turned so that neighbours agree, edges left open.
#ifndef LB_MESH_TOPOLOGY_H
#define LB_MESH_TOPOLOGY_H

#include "geometry/triangle.h"

typedef struct lbTopology {
  int32_t vertex_count, triangle_count;
  int32_t *welded; // (vertex_count), the smallest vertex at the same position
  int32_t patch_count;
  int32_t *patches;   // (triangle_count), -1: a triangle with a repeated corner
  int8_t *signs;      // (triangle_count), -1: turn it to agree with its patch's first; 0: patch -1
  int32_t open_edges; // with an odd number of triangles
  int32_t open_edge[2];     // the first of them
  int32_t unbalanced_edges; // that the turned triangles do not pass equally often both ways
} lbTopology;

// Two triangles at an edge are neighbours; edges with more or fewer join nothing.
lbStatus lb_topology_create(const lbTriangles *surface, int32_t vertex_count, lbTopology **out,
                            lbError *err);
void lb_topology_destroy(lbTopology *topology); // NULL is legal

#endif
