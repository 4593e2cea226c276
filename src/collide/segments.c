// Nearest places of lines and segments; feet of points on triangles.
#include "collide/segments.h"

void lb_segments_closest(lbVec3 p, lbVec3 d, lbVec3 q, lbVec3 e, double *s, double *t) {
  lbVec3 r = lb_sub(p, q);
  double dd = lb_dot(d, d), ee = lb_dot(e, e), de = lb_dot(d, e);
  double dr = lb_dot(d, r), er = lb_dot(e, r);
  if (!(dd > 0)) {
    *s = 0;
    *t = ee > 0 ? lb_clamp(er / ee, 0, 1) : 0;
    return;
  }
  if (!(ee > 0)) {
    *t = 0;
    *s = lb_clamp(-dr / dd, 0, 1);
    return;
  }
  double square = dd * ee - de * de;
  if (square > 1e-12 * dd * ee) {
    *s = lb_clamp((de * er - dr * ee) / square, 0, 1);
  } else { // parallel: the ends of e on d
    double from = -dr / dd, to = (de - dr) / dd;
    *s = 0.5 * (lb_clamp(from, 0, 1) + lb_clamp(to, 0, 1));
  }
  *t = lb_clamp((de * *s + er) / ee, 0, 1);
  *s = lb_clamp((de * *t - dr) / dd, 0, 1);
}

bool lb_lines_closest(lbVec3 p, lbVec3 d, lbVec3 q, lbVec3 e, double *s, double *t) {
  lbVec3 r = lb_sub(p, q);
  double dd = lb_dot(d, d), ee = lb_dot(e, e), de = lb_dot(d, e);
  double dr = lb_dot(d, r), er = lb_dot(e, r);
  double square = dd * ee - de * de;
  if (!(square > 1e-8 * dd * ee)) return false;
  *s = (de * er - dr * ee) / square;
  *t = (dd * er - de * dr) / square;
  return true;
}

lbFacet lb_facet(const lbVec3 c[3]) {
  lbVec3 ab = lb_sub(c[1], c[0]), ac = lb_sub(c[2], c[0]), bc = lb_sub(c[2], c[1]);
  double longest2 = lb_greater(lb_dot(ab, ab), lb_greater(lb_dot(ac, ac), lb_dot(bc, bc)));
  lbVec3 normal = lb_cross(ab, ac);
  double twice = lb_length(normal);
  bool flat = !(twice > 1e-13 * longest2);
  return (lbFacet){ c, flat ? lb_vec3(0, 0, 0) : lb_scale(1 / twice, normal), sqrt(longest2) };
}

bool lb_facet_foot(const lbFacet *facet, lbVec3 point, double weights[3]) {
  const lbVec3 *c = facet->corners;
  lbVec3 ab = lb_sub(c[1], c[0]), ac = lb_sub(c[2], c[0]), ap = lb_sub(point, c[0]);
  double twice = lb_dot(facet->normal, lb_cross(ab, ac));
  if (!(fabs(twice) > 0)) return false; // the normal may be turned round
  weights[1] = lb_dot(lb_cross(ap, ac), facet->normal) / twice;
  weights[2] = lb_dot(lb_cross(ab, ap), facet->normal) / twice;
  weights[0] = 1 - weights[1] - weights[2];
  const double least = -1e-9; // no gap between neighbours
  return weights[0] >= least && weights[1] >= least && weights[2] >= least;
}

lbVec3 lb_facet_place(const lbFacet *facet, const double weights[3]) {
  const lbVec3 *c = facet->corners; // around a corner: exact at it
  lbVec3 place = lb_add_scaled(c[0], weights[1], lb_sub(c[1], c[0]));
  return lb_add_scaled(place, weights[2], lb_sub(c[2], c[0]));
}

bool lb_edge_faces(const lbVec3 *sides, lbVec3 place, lbVec3 along, lbVec3 normal, double slack) {
  double length2 = lb_dot(along, along);
  for (int i = 0; i < 2; i++) {
    lbVec3 to = lb_sub(sides[i], place);
    if (length2 > 0) to = lb_add_scaled(to, -lb_dot(to, along) / length2, along);
    if (lb_dot(normal, to) < -slack * lb_length(to)) return false;
  }
  return true;
}
