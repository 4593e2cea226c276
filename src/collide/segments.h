// Lines, segments and triangles, as far as touches need them.
#ifndef LB_COLLIDE_SEGMENTS_H
#define LB_COLLIDE_SEGMENTS_H

#include "collide/solid_parts.h"

// Where p + s d and q + t e, s and t from 0 to 1, are nearest to each other. Parallel segments: the
// middle of the stretch where they run side by side.
void lb_segments_closest(lbVec3 p, lbVec3 d, lbVec3 q, lbVec3 e, double *s, double *t);

// Where the lines are nearest; false when they are parallel (within a ten-thousandth).
bool lb_lines_closest(lbVec3 p, lbVec3 d, lbVec3 q, lbVec3 e, double *s, double *t);

// A triangle as touches see it.
typedef struct lbFacet {
  const lbVec3 *corners;
  lbVec3 normal;  // unit; zero for a flat triangle
  double longest; // of its edges
} lbFacet;

lbFacet lb_facet(const lbVec3 corners[3]);
// Weights of the foot of a point on the triangle's plane; false outside the triangle, or flat.
bool lb_facet_foot(const lbFacet *facet, lbVec3 point, double weights[3]);
lbVec3 lb_facet_place(const lbFacet *facet, const double weights[3]);
// lb_triangles_touch for those who know the facets, and which parts could touch.
enum {
  LB_PARTS_CORNERS = 1, // against faces
  LB_PARTS_EDGES = 2,   // against edges and corners
  LB_PARTS_ALL = 3
};
int32_t lb_facets_touch(const lbSurfaceTriangle *a, const lbFacet *facet_a,
                        const lbSurfaceTriangle *b, const lbFacet *facet_b, int parts,
                        double margin, double depth, lbTriangleTouch out[LB_TRIANGLE_TOUCHES]);
// Of that, corner k of a against b's face.
bool lb_corner_touches(const lbSurfaceTriangle *a, const lbFacet *facet_a, int k,
                       const lbSurfaceTriangle *b, const lbFacet *facet_b, double margin,
                       double depth, lbTriangleTouch *out);
// Does a surface, of which an edge along `along` goes through `place`, with points `sides` on both
// sides of it, lie on the side of that place to which `normal` points? `slack`: see LB_CONE_SLACK.
bool lb_edge_faces(const lbVec3 *sides, lbVec3 place, lbVec3 along, lbVec3 normal, double slack);

#endif
