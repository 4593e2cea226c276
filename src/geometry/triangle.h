// One triangle against a point and against a box. Degenerate triangles (a segment, a point) are
// legal everywhere.
#ifndef LB_GEOMETRY_TRIANGLE_H
#define LB_GEOMETRY_TRIANGLE_H

#include "geometry/box.h"

// A borrowed view of a triangle surface.
typedef struct lbTriangles {
  int32_t count;
  const int32_t *triangles; // (count x 3), vertex ids
  const double *positions;  // (vertices x 3)
} lbTriangles;

static inline lbVec3 lb_triangle_corner(const lbTriangles *surface, int32_t triangle, int corner) {
  size_t vertex = (size_t)surface->triangles[3 * (size_t)triangle + (size_t)corner];
  return lb_vec3_load(surface->positions + 3 * vertex);
}

lbBox lb_triangle_box(const lbTriangles *surface, int32_t triangle);

// The point of the triangle a, b, c nearest to p: barycentric weights (>= 0, sum 1) of the corners.
// Returns the squared distance.
double lb_triangle_closest_point(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c, double weights[3]);

// The solid angle of the triangle a, b, c seen from the origin, 4 pi in sum around what is inside a
// closed surface. Positive where its corners run clockwise as seen.
double lb_triangle_solid_angle(lbVec3 a, lbVec3 b, lbVec3 c);

// Whether the triangle and the closed box share a point. Ties and rounding count as touching: a
// triangle is called separate only if a gap wider than the rounding error is there.
bool lb_triangle_touches_box(lbVec3 a, lbVec3 b, lbVec3 c, const lbBox *box);

#endif
