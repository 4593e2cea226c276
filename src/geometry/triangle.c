// Closest point on a triangle, and the separating axis test of a triangle and a box.
#include "geometry/triangle.h"

lbBox lb_triangle_box(const lbTriangles *surface, int32_t triangle) {
  lbBox box = lb_box_empty();
  for (int i = 0; i < 3; i++) {
    int32_t vertex = surface->triangles[3 * (size_t)triangle + (size_t)i];
    lb_box_add_point(&box, surface->positions + 3 * (size_t)vertex);
  }
  return box;
}

// ---- closest point -----------------------------------------------------------------------------

// Where on the segment a b, from 0 to 1, the point nearest to p lies.
static double segment_parameter(lbVec3 p, lbVec3 a, lbVec3 b) {
  lbVec3 ab = lb_sub(b, a);
  double length2 = lb_dot(ab, ab);
  double along = lb_dot(lb_sub(p, a), ab);
  if (!(along > 0)) return 0; // also a segment without length
  return along < length2 ? along / length2 : 1;
}

static double weights_distance2(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c, const double w[3]) {
  lbVec3 ab = lb_sub(b, a), ac = lb_sub(c, a), ap = lb_sub(p, a);
  lbVec3 gap = lb_sub(ap, lb_add(lb_scale(w[1], ab), lb_scale(w[2], ac)));
  return lb_dot(gap, gap);
}

// The foot of the perpendicular, when it falls into the triangle.
static bool perpendicular_foot(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c, double weights[3]) {
  lbVec3 ab = lb_sub(b, a), ac = lb_sub(c, a), ap = lb_sub(p, a);
  lbVec3 normal = lb_cross(ab, ac);
  double normal2 = lb_dot(normal, normal);
  if (!(normal2 > 0)) return false;
  weights[1] = lb_dot(lb_cross(ap, ac), normal) / normal2;
  weights[2] = lb_dot(lb_cross(ab, ap), normal) / normal2;
  weights[0] = 1 - weights[1] - weights[2];
  return weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0;
}

// The best of the foot and the three edges: for a sliver the foot is inaccurate and an edge wins.
double lb_triangle_closest_point(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c, double weights[3]) {
  double ab = segment_parameter(p, a, b);
  double bc = segment_parameter(p, b, c);
  double ca = segment_parameter(p, c, a);
  double candidates[4][3] = { { 1 - ab, ab, 0 }, { 0, 1 - bc, bc }, { ca, 0, 1 - ca } };
  int candidate_count = perpendicular_foot(p, a, b, c, candidates[3]) ? 4 : 3;
  double best = INFINITY;
  for (int k = 0; k < candidate_count; k++) {
    double distance2 = weights_distance2(p, a, b, c, candidates[k]);
    if (!(distance2 < best)) continue;
    best = distance2;
    for (int i = 0; i < 3; i++) weights[i] = candidates[k][i];
  }
  if (best == INFINITY) weights[0] = 1, weights[1] = 0, weights[2] = 0;
  return best;
}

// ---- separating axis test ----------------------------------------------------------------------

// Corners relative to the box's centre, and half its sides.
typedef struct Centred {
  double corner[3][3];
  double half[3];
  double rounding; // bound on the error of a corner's coordinate
  double reach;    // greatest magnitude of a centred coordinate
} Centred;

// Is there a gap between the projections on `axis`? The box spans [-r, r], r = Σ half_i |axis_i|.
// `error` bounds the rounding of a projection.
static bool separates(const Centred *t, const double axis[3], double error) {
  double radius = 0, low = INFINITY, high = -INFINITY;
  for (int i = 0; i < 3; i++) radius += t->half[i] * fabs(axis[i]);
  for (int k = 0; k < 3; k++) {
    const double *x = t->corner[k];
    double along = x[0] * axis[0] + x[1] * axis[1] + x[2] * axis[2];
    if (along < low) low = along;
    if (along > high) high = along;
  }
  return low > radius + error || high < -radius - error;
}

static Centred centre(lbVec3 a, lbVec3 b, lbVec3 c, const lbBox *box) {
  Centred t = { { { a.x, a.y, a.z }, { b.x, b.y, b.z }, { c.x, c.y, c.z } }, { 0 }, 0, 0 };
  double scale = 0; // of absolute coordinates: subtracting the centre rounds at their size
  for (int i = 0; i < 3; i++) {
    double middle = 0.5 * (box->low[i] + box->high[i]);
    t.half[i] = 0.5 * (box->high[i] - box->low[i]);
    scale = fmax(scale, fmax(fabs(box->low[i]), fabs(box->high[i])));
    t.reach = fmax(t.reach, t.half[i]);
    for (int k = 0; k < 3; k++) {
      scale = fmax(scale, fabs(t.corner[k][i]));
      t.corner[k][i] -= middle;
      t.reach = fmax(t.reach, fabs(t.corner[k][i]));
    }
  }
  t.rounding = 4e-16 * scale;
  return t;
}

// The 13 axes: the box's three, the triangle's normal, each edge crossed with each box axis. An
// axis is a product of up to two edges, each as long as the reach: its error grows with it.
bool lb_triangle_touches_box(lbVec3 a, lbVec3 b, lbVec3 c, const lbBox *box) {
  if (lb_box_is_empty(box)) return false;
  Centred t = centre(a, b, c, box);
  double error = t.rounding;
  for (int i = 0; i < 3; i++) {
    double axis[3] = { 0 };
    axis[i] = 1;
    if (separates(&t, axis, error)) return false;
  }
  double edge[3][3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) edge[k][i] = t.corner[(k + 1) % 3][i] - t.corner[k][i];
  lbVec3 n = lb_cross(lb_vec3_load(edge[0]), lb_vec3_load(edge[1]));
  error = 64 * t.rounding * t.reach * t.reach;
  if (separates(&t, (double[3]){ n.x, n.y, n.z }, error)) return false;
  error = 16 * t.rounding * t.reach;
  for (int k = 0; k < 3; k++) {
    const double *e = edge[k];
    if (separates(&t, (double[3]){ 0, -e[2], e[1] }, error)) return false;
    if (separates(&t, (double[3]){ e[2], 0, -e[0] }, error)) return false;
    if (separates(&t, (double[3]){ -e[1], e[0], 0 }, error)) return false;
  }
  return true;
}

// tan(Ω/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|) (Van Oosterom, Strackee 1983).
double lb_triangle_solid_angle(lbVec3 a, lbVec3 b, lbVec3 c) {
  double la = lb_length(a), lb = lb_length(b), lc = lb_length(c);
  double top = lb_dot(a, lb_cross(b, c));
  double bottom = la * lb * lc + lb_dot(a, b) * lc + lb_dot(b, c) * la + lb_dot(c, a) * lb;
  return top == 0 && bottom == 0 ? 0 : 2 * atan2(top, bottom);
}
