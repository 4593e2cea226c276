// Size and quality of single elements.
#ifndef LB_MESH_QUALITY_H
#define LB_MESH_QUALITY_H

#include "limber/mesh.h"

double lb_triangle_area(const lbMesh *mesh, const int32_t vertices[3]);
double lb_tet_volume(const lbMesh *mesh, const int32_t vertices[4]); // signed
// Mean ratio 12 (3V)^(2/3) / sum of squared edges: 1 for a regular tet, 0 when flat or inverted.
double lb_tet_quality(const lbMesh *mesh, const int32_t vertices[4]);
// Volume of the trilinear brick, and the least det J at its 2x2x2 Gauss points (they weigh 1 each).
double lb_brick_volume(const lbMesh *mesh, const int32_t vertices[8], double *least_jacobian);
// The least det(e1, e2, e3) / |e1||e2||e3| of the edges at a corner: 1 for a box.
double lb_brick_quality(const lbMesh *mesh, const int32_t vertices[8]);
double lb_longest_distance(const lbMesh *mesh, const int32_t *vertices, int32_t count);

#endif
