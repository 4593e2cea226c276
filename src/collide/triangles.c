// Two triangles of soft surfaces: corners against faces and edges against edges.
#include "collide/segments.h"

enum { CANDIDATES = 33 }; // corners and faces 3 + 3, edges 9, corners and edges 9 + 9

typedef struct Pair {
  const lbSurfaceTriangle *a, *b;
  lbFacet facet_a, facet_b; // normals turned towards the other triangle for sheets
  double margin, depth;
  int32_t count;
  lbTriangleTouch touches[CANDIDATES];
} Pair;

static void add_triangle_touch(Pair *pair, lbTriangleTouch *touch) {
  touch->on_a = lb_facet_place(&pair->facet_a, touch->weights_a);
  touch->on_b = lb_facet_place(&pair->facet_b, touch->weights_b);
  touch->gap = lb_dot(touch->normal, lb_sub(touch->on_a, touch->on_b));
  if (touch->gap < pair->margin && touch->gap > -pair->depth) pair->touches[pair->count++] = *touch;
}

// ---- corner against face -----------------------------------------------------------------------

static bool above_face(const Pair *pair, const lbFacet *face, lbVec3 corner, double weights[3]) {
  double height = lb_dot(face->normal, lb_sub(corner, face->corners[0]));
  return height < pair->margin && height > -pair->depth && lb_facet_foot(face, corner, weights);
}

// Touches are filled in where there is one: most tests find none.
static void add_corner_a(Pair *pair, int k, const double weights[3]) {
  lbTriangleTouch touch = { .normal = pair->facet_b.normal, .feature = k };
  touch.weights_a[k] = 1;
  for (int i = 0; i < 3; i++) touch.weights_b[i] = weights[i];
  add_triangle_touch(pair, &touch);
}

static void add_corner_b(Pair *pair, int k, const double weights[3]) {
  lbTriangleTouch touch = { .normal = lb_scale(-1, pair->facet_a.normal), .feature = 3 + k };
  touch.weights_b[k] = 1;
  for (int i = 0; i < 3; i++) touch.weights_a[i] = weights[i];
  add_triangle_touch(pair, &touch);
}

static void corners_on_faces(Pair *pair, int k) {
  double weights[3];
  if (pair->a->own & LB_OWN_CORNER(k) &&
      above_face(pair, &pair->facet_b, pair->a->corners[k], weights))
    add_corner_a(pair, k, weights);
  if (pair->b->own & LB_OWN_CORNER(k) &&
      above_face(pair, &pair->facet_a, pair->b->corners[k], weights))
    add_corner_b(pair, k, weights);
}

// ---- edge against edge -------------------------------------------------------------------------

// Out of the surface at edge k: the sum of the normals of its two triangles, less where they lie as
// seen from the edge, which tells even for two that lie back to back.
static lbVec3 edge_outward(const lbSurfaceTriangle *triangle, const lbFacet *facet, int k) {
  const lbVec3 *c = triangle->corners;
  lbVec3 edge = lb_sub(c[(k + 1) % 3], c[k]), far = lb_sub(triangle->across[k], c[k]);
  lbVec3 own = lb_sub(c[(k + 2) % 3], c[k]), zero = lb_vec3(0, 0, 0);
  lbVec3 along = lb_direction_or(edge, zero);
  lbVec3 other = lb_direction_or(lb_cross(far, edge), zero);
  if (lb_dot(lb_cross(edge, own), facet->normal) < 0) other = lb_scale(-1, other); // turned sheet
  own = lb_direction_or(lb_add_scaled(own, -lb_dot(own, along), along), zero);
  far = lb_direction_or(lb_add_scaled(far, -lb_dot(far, along), along), zero);
  if (lb_dot(own, far) > 1 - 1e-12) return lb_sub(facet->normal, own); // a border
  return lb_sub(lb_add(facet->normal, other), lb_add(own, far));
}

static bool apart_along(double a, double b, double c, double d, double margin) {
  return (a < b ? a : b) - (c < d ? d : c) > margin || (c < d ? c : d) - (a < b ? b : a) > margin;
}

// Boxes around two edges, which most pairs of them do not get beyond.
static bool edges_apart(lbVec3 a, lbVec3 b, lbVec3 c, lbVec3 d, double margin) {
  return apart_along(a.x, b.x, c.x, d.x, margin) || apart_along(a.y, b.y, c.y, d.y, margin) ||
         apart_along(a.z, b.z, c.z, d.z, margin);
}

static void edges_on_edges(Pair *pair, int i, int j) {
  if (!(pair->a->own & LB_OWN_EDGE(i) && pair->b->own & LB_OWN_EDGE(j))) return;
  if (edges_apart(pair->a->corners[i], pair->a->corners[(i + 1) % 3], pair->b->corners[j],
                  pair->b->corners[(j + 1) % 3], lb_greater(pair->margin, pair->depth)))
    return;
  const lbVec3 *a = pair->a->corners, *b = pair->b->corners;
  lbVec3 d = lb_sub(a[(i + 1) % 3], a[i]), e = lb_sub(b[(j + 1) % 3], b[j]);
  double s, t;
  if (!lb_lines_closest(a[i], d, b[j], e, &s, &t)) return;
  if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) return;
  lbVec3 on_a = lb_add_scaled(a[i], s, d), on_b = lb_add_scaled(b[j], t, e);
  lbVec3 normal = lb_normalise(lb_cross(d, e));
  lbVec3 out =
      lb_sub(edge_outward(pair->b, &pair->facet_b, j), edge_outward(pair->a, &pair->facet_a, i));
  if (pair->a->own & pair->b->own & LB_TWO_SIDED) out = lb_sub(on_a, on_b);
  if (lb_dot(normal, out) < 0) normal = lb_scale(-1, normal);
  double gap = lb_dot(normal, lb_sub(on_a, on_b));
  if (!(gap < pair->margin && gap > -pair->depth)) return;
  const lbVec3 sides_a[2] = { a[(i + 2) % 3], pair->a->across[i] };
  const lbVec3 sides_b[2] = { b[(j + 2) % 3], pair->b->across[j] };
  if (!lb_edge_faces(sides_a, on_a, d, normal, LB_CONE_SLACK)) return;
  if (!lb_edge_faces(sides_b, on_b, e, lb_scale(-1, normal), LB_CONE_SLACK)) return;
  lbTriangleTouch touch = { .normal = normal, .feature = 6 + 3 * i + j };
  touch.weights_a[i] = 1 - s, touch.weights_a[(i + 1) % 3] = s;
  touch.weights_b[j] = 1 - t, touch.weights_b[(j + 1) % 3] = t;
  add_triangle_touch(pair, &touch);
}

// ---- corner against edge -----------------------------------------------------------------------

// A corner above a ridge, only while they are apart. The normal points from the edge to the corner.
static bool above_edge(const Pair *pair, lbVec3 corner, const lbSurfaceTriangle *of, int k,
                       double *s, lbVec3 *normal) {
  const lbVec3 *c = of->corners;
  if (!(of->own & LB_OWN_EDGE(k))) return false;
  lbVec3 edge = lb_sub(c[(k + 1) % 3], c[k]);
  *s = lb_dot(lb_sub(corner, c[k]), edge) / lb_dot(edge, edge);
  if (!(*s > 0 && *s < 1)) return false;
  lbVec3 place = lb_add_scaled(c[k], *s, edge), apart = lb_sub(corner, place);
  double distance = lb_length(apart);
  if (!(distance < pair->margin && distance > 1e-12 * pair->facet_a.longest)) return false;
  *normal = lb_scale(1 / distance, apart);
  const lbVec3 sides[2] = { c[(k + 2) % 3], of->across[k] };
  return lb_edge_faces(sides, place, edge, lb_scale(-1, *normal), 0);
}

static void touch_corner_edge(Pair *pair, int i, int j) {
  lbVec3 normal;
  double s;
  if (pair->a->own & LB_OWN_CORNER(i) &&
      above_edge(pair, pair->a->corners[i], pair->b, j, &s, &normal)) {
    lbTriangleTouch touch = { .normal = normal, .feature = 15 + 3 * i + j };
    touch.weights_a[i] = 1;
    touch.weights_b[j] = 1 - s, touch.weights_b[(j + 1) % 3] = s;
    add_triangle_touch(pair, &touch);
  }
  if (pair->b->own & LB_OWN_CORNER(j) &&
      above_edge(pair, pair->b->corners[j], pair->a, i, &s, &normal)) {
    lbTriangleTouch touch = { .normal = lb_scale(-1, normal), .feature = 24 + 3 * j + i };
    touch.weights_b[j] = 1;
    touch.weights_a[i] = 1 - s, touch.weights_a[(i + 1) % 3] = s;
    add_triangle_touch(pair, &touch);
  }
}

// ---- all ---------------------------------------------------------------------------------------

static bool triangle_boxes_apart(const lbVec3 a[3], const lbVec3 b[3], double margin) {
  double x[3][3], y[3][3];
  for (int k = 0; k < 3; k++) lb_vec3_store(x[k], a[k]), lb_vec3_store(y[k], b[k]);
  for (int i = 0; i < 3; i++) {
    double low_a = lb_lesser(x[0][i], lb_lesser(x[1][i], x[2][i]));
    double high_a = lb_greater(x[0][i], lb_greater(x[1][i], x[2][i]));
    double low_b = lb_lesser(y[0][i], lb_lesser(y[1][i], y[2][i]));
    double high_b = lb_greater(y[0][i], lb_greater(y[1][i], y[2][i]));
    if (!(low_a < high_b + margin && low_b < high_a + margin)) return true;
  }
  return false;
}

// Is all of a triangle farther from the plane of a facet than any touch?
static bool beyond_plane(const Pair *pair, const lbFacet *facet, const lbVec3 corners[3]) {
  double heights[3], behind = lb_greater(pair->depth, pair->margin);
  if (lb_dot(facet->normal, facet->normal) == 0) return false;
  for (int k = 0; k < 3; k++)
    heights[k] = lb_dot(facet->normal, lb_sub(corners[k], facet->corners[0]));
  double low = lb_lesser(heights[0], lb_lesser(heights[1], heights[2]));
  double high = lb_greater(heights[0], lb_greater(heights[1], heights[2]));
  return low >= pair->margin || high <= -behind;
}

static void turn_towards(lbFacet *facet, const lbVec3 other[3]) {
  lbVec3 middle = lb_scale(1.0 / 3, lb_add(other[0], lb_add(other[1], other[2])));
  if (lb_dot(facet->normal, lb_sub(middle, facet->corners[0])) < 0)
    facet->normal = lb_scale(-1, facet->normal);
}

static int32_t take_touches(const Pair *pair, lbTriangleTouch out[LB_TRIANGLE_TOUCHES]) {
  lbTouchPlace places[CANDIDATES];
  int32_t chosen[LB_TRIANGLE_TOUCHES];
  if (pair->count <= LB_TRIANGLE_TOUCHES) {
    for (int32_t i = 0; i < pair->count; i++) out[i] = pair->touches[i];
    return pair->count;
  }
  for (int32_t i = 0; i < pair->count; i++) {
    const lbTriangleTouch *touch = &pair->touches[i];
    places[i] = (lbTouchPlace){ touch->on_a, touch->normal, touch->gap };
  }
  double length = 0.5 * lb_lesser(pair->facet_a.longest, pair->facet_b.longest);
  int32_t kept = lb_touches_choose(pair->count, places, length, LB_TRIANGLE_TOUCHES, chosen);
  for (int32_t i = 0; i < kept; i++) out[i] = pair->touches[chosen[i]];
  return kept;
}

static void start_pair(Pair *pair, const lbSurfaceTriangle *a, const lbFacet *facet_a,
                       const lbSurfaceTriangle *b, const lbFacet *facet_b, double margin,
                       double depth) {
  pair->a = a, pair->b = b;
  pair->facet_a = *facet_a, pair->facet_b = *facet_b;
  pair->margin = margin, pair->depth = depth, pair->count = 0;
  if (a->own & LB_TWO_SIDED) turn_towards(&pair->facet_a, b->corners);
  if (b->own & LB_TWO_SIDED) turn_towards(&pair->facet_b, a->corners);
}

// Surfaces that face the same way do not overlap: one is the far side of a body.
static bool face_same_way(const Pair *pair) {
  bool sheets = (pair->a->own | pair->b->own) & LB_TWO_SIDED;
  return !sheets && lb_dot(pair->facet_a.normal, pair->facet_b.normal) > 0.5;
}

static bool are_apart(const Pair *pair) {
  return beyond_plane(pair, &pair->facet_a, pair->b->corners) ||
         beyond_plane(pair, &pair->facet_b, pair->a->corners);
}

int32_t lb_facets_touch(const lbSurfaceTriangle *a, const lbFacet *facet_a,
                        const lbSurfaceTriangle *b, const lbFacet *facet_b, int parts,
                        double margin, double depth, lbTriangleTouch out[LB_TRIANGLE_TOUCHES]) {
  Pair pair;
  start_pair(&pair, a, facet_a, b, facet_b, margin, depth);
  if (are_apart(&pair)) return 0;
  if (face_same_way(&pair)) pair.depth = 0;
  for (int k = 0; k < 3 && parts & LB_PARTS_CORNERS; k++) corners_on_faces(&pair, k);
  for (int i = 0; i < 3 && parts & LB_PARTS_EDGES; i++)
    for (int j = 0; j < 3; j++) edges_on_edges(&pair, i, j), touch_corner_edge(&pair, i, j);
  return take_touches(&pair, out);
}

bool lb_corner_touches(const lbSurfaceTriangle *a, const lbFacet *facet_a, int k,
                       const lbSurfaceTriangle *b, const lbFacet *facet_b, double margin,
                       double depth, lbTriangleTouch *out) {
  Pair pair;
  double weights[3];
  double height = lb_dot(facet_b->normal, lb_sub(a->corners[k], facet_b->corners[0]));
  if (!(fabs(height) < lb_greater(margin, depth))) return false; // most are not
  start_pair(&pair, a, facet_a, b, facet_b, margin, depth);
  if (!above_face(&pair, &pair.facet_b, a->corners[k], weights)) return false;
  if (are_apart(&pair)) return false;
  if (face_same_way(&pair)) pair.depth = 0;
  add_corner_a(&pair, k, weights);
  *out = pair.touches[0];
  return pair.count > 0;
}

int32_t lb_triangles_touch(const lbSurfaceTriangle *a, const lbSurfaceTriangle *b, double margin,
                           double depth, lbTriangleTouch out[LB_TRIANGLE_TOUCHES]) {
  if (triangle_boxes_apart(a->corners, b->corners, lb_greater(margin, depth))) return 0;
  lbFacet facet_a = lb_facet(a->corners), facet_b = lb_facet(b->corners);
  return lb_facets_touch(a, &facet_a, b, &facet_b, LB_PARTS_ALL, margin, depth, out);
}
