// The map of one volume element: where a point lies in it and with which weights of its nodes.
#ifndef LB_MESH_ELEMENT_MAP_H
#define LB_MESH_ELEMENT_MAP_H

#include "geometry/box.h"
#include "limber/mesh.h"

typedef struct lbElementMap {
  int32_t node_count; // 4: tet, 8: brick
  lbVec3 nodes[8];
} lbElementMap;

lbElementMap lb_element_map(const lbMesh *mesh, int32_t element);
lbBox lb_element_map_box(const lbElementMap *map);
// Without volume: such an element cannot carry points.
bool lb_element_map_is_flat(const lbElementMap *map);
// Squared distance of a point from the element, 0 inside. For bricks with bent faces each face
// counts as two triangles.
double lb_element_map_distance2(const lbElementMap *map, lbVec3 point);
// Weights of the nodes: Σ w = 1 and Σ w x_node = point, also outside. The element is not flat.
void lb_element_map_weights(const lbElementMap *map, lbVec3 point, double *weights);

#endif
