// Triangles against solids: which kind is tested how.
#include "collide/segments.h"

// ---- corners inside polyhedra ------------------------------------------------------------------

static bool same(lbVec3 a, lbVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Out of the surface at a corner: over the triangle and its neighbours there.
static lbVec3 corner_normal(const lbSurfaceTriangle *triangle, int corner) {
  const lbVec3 *c = triangle->corners, zero = { 0, 0, 0 };
  lbVec3 to_next = lb_sub(c[(corner + 1) % 3], c[corner]);
  lbVec3 to_last = lb_sub(c[(corner + 2) % 3], c[corner]);
  lbVec3 right = lb_sub(triangle->across[corner], c[corner]);
  lbVec3 left = lb_sub(triangle->across[(corner + 2) % 3], c[corner]);
  lbVec3 own = lb_direction_or(lb_cross(to_next, to_last), zero), sum = own;
  if (!same(right, to_last)) sum = lb_add(sum, lb_direction_or(lb_cross(right, to_next), zero));
  if (!same(left, to_next)) sum = lb_add(sum, lb_direction_or(lb_cross(to_last, left), zero));
  return lb_direction_or(sum, own);
}

// The first plane of a convex solid, or the first triangle of a mesh, on the way from inside.
static bool first_face(const lbSolid *solid, lbVec3 from, lbVec3 way, double t_max, double *depth,
                       lbVec3 *normal) {
  const lbPolyhedron *p = solid->polyhedron;
  if (solid->kind == LB_SOLID_MESH) {
    lbSurfacePoint hit;
    if (!lb_surface_ray_cast(p->tree, &p->surface, from, way, t_max, &hit)) return false;
    *normal = p->normals[hit.triangle];
    *depth = hit.distance * lb_dot(*normal, way);
    return *depth > 0;
  }
  bool found = false;
  for (int32_t i = 0; i < p->face_count; i++) {
    double rate = lb_dot(p->face_normals[i], way);
    double own = p->face_offsets[i] - lb_dot(p->face_normals[i], from);
    if (!(rate > 0 && own < t_max * rate)) continue;
    t_max = own / rate;
    *depth = own;
    *normal = p->face_normals[i];
    found = true;
  }
  return found;
}

// Near a rim of the solid the nearest face may be one that the surface does not lie on. A corner
// leaves through the face that it meets going back into its own body, unless that is far.
static void leave_backwards(const lbSolid *solid, const lbSurfaceTriangle *triangle, int corner,
                            lbSolidTouch *touch) {
  const double far = 4; // times the least depth
  lbVec3 way = lb_scale(-1, corner_normal(triangle, corner)), normal;
  bool sheet = triangle->own & LB_TWO_SIDED;
  if (sheet && lb_dot(way, lb_sub(touch->on_triangle, solid->centre)) < 0) way = lb_scale(-1, way);
  double depth;
  if (!first_face(solid, touch->on_triangle, way, -2 * far * touch->gap, &depth, &normal)) return;
  if (!(depth < -far * touch->gap && depth > -touch->gap)) return;
  touch->gap = -depth;
  touch->normal = normal;
  touch->on_solid = lb_add_scaled(touch->on_triangle, depth, normal);
}

// ---- all parts ---------------------------------------------------------------------------------

typedef struct TrianglePart { // a triangle, and what is known of its corners
  const lbSolid *solid;
  const lbSurfaceTriangle *triangle;
  lbSolidHint *const *hints; // (3)
  double margin;
  lbTouchList *list;
} TrianglePart;

static bool touch_point(const lbSolid *solid, lbSolidHint *hint, lbVec3 point, double margin,
                        lbSolidTouch *out) {
  lbVec3 normal;
  double gap = lb_solid_distance_from(solid, hint, point, margin, &normal);
  if (!(gap < margin) || !(fabs(point.x) + fabs(point.y) + fabs(point.z) < INFINITY)) return false;
  *out = (lbSolidTouch){ { 1, 0, 0 }, point, lb_add_scaled(point, -gap, normal), normal, gap, 0 };
  return true;
}

bool lb_solid_touch_point(const lbSolid *solid, lbVec3 point, double margin, lbSolidTouch *out) {
  lbSolidHint hint = lb_solid_hint();
  return touch_point(solid, &hint, point, margin, out);
}

// Corners of the triangle, as points of its surface: one feature each, whatever they touch.
static void touch_triangle_corner(const TrianglePart *t, int corner) {
  lbSolidTouch touch;
  if (!touch_point(t->solid, t->hints[corner], t->triangle->corners[corner], t->margin, &touch))
    return;
  bool rigid = t->triangle->own & LB_OWN_RIGID;
  if (touch.gap < 0 && t->solid->polyhedron && !rigid)
    leave_backwards(t->solid, t->triangle, corner, &touch);
  for (int i = 0; i < 3; i++) touch.weights[i] = i == corner;
  touch.feature = lb_feature(0, LB_PART_CORNER + corner);
  lb_touch_list_add(t->list, &touch);
}

static bool box_apart_from_solid(const lbSolid *solid, const lbVec3 corners[3], double margin) {
  lbBox box = lb_box_empty();
  for (int k = 0; k < 3; k++) {
    double corner[3];
    lb_vec3_store(corner, corners[k]);
    lb_box_add_point(&box, corner);
  }
  for (int i = 0; i < 3; i++) box.low[i] -= margin, box.high[i] += margin;
  return !lb_box_overlap(&box, &solid->box);
}

// How deep a point of a triangle can be in a mesh: no point is farther than the longest edge / √3
// from the nearest corner. Corners of a soft surface are points of several triangles, so that
// asking for them takes less time than asking for the middles of triangles.
static double reach_into_mesh(const TrianglePart *t, double longest) {
  double around = longest / sqrt(3), nearest = INFINITY;
  lbVec3 normal;
  for (int k = 0; k < 3; k++)
    nearest = lb_lesser(lb_solid_distance_from(t->solid, t->hints[k], t->triangle->corners[k],
                                               around + t->margin, &normal),
                        nearest);
  return around - nearest;
}

static double longest_edge(const lbSurfaceTriangle *triangle) {
  double longest2 = 0;
  for (int k = 0; k < 3; k++) {
    lbVec3 edge = lb_sub(triangle->corners[(k + 1) % 3], triangle->corners[k]);
    longest2 = lb_greater(longest2, lb_dot(edge, edge));
  }
  return sqrt(longest2);
}

// m: less than minus the margin where they are apart.
static double depth_of(const TrianglePart *t, double longest) {
  const lbSolid *solid = t->solid;
  if (!solid->polyhedron) return INFINITY;
  if (solid->kind == LB_SOLID_MESH && solid->polyhedron->closed) return reach_into_mesh(t, longest);
  return lb_reach_into(solid, t->triangle->corners, t->margin);
}

int32_t lb_solid_touch_triangle_from(const lbSolid *solid, lbSolidHint *const hints[3],
                                     const lbSurfaceTriangle *triangle, double margin,
                                     lbSolidTouch out[LB_SOLID_TOUCHES]) {
  lbTouchList list;
  if (box_apart_from_solid(solid, triangle->corners, margin)) return 0;
  double longest = longest_edge(triangle);
  TrianglePart t = { solid, triangle, hints, margin, &list };
  double deepest = depth_of(&t, longest);
  bool apart = !(deepest > -margin); // by a distance that jumps where an open mesh ends
  if (apart && lb_solid_is_closed(solid)) return 0;
  list.count = 0;
  list.length = 0.5 * longest;
  for (int k = 0; k < 3; k++)
    if (triangle->own & LB_OWN_CORNER(k)) touch_triangle_corner(&t, k);
  if (solid->polyhedron && !apart)
    lb_touch_triangle_polyhedron(solid, triangle, margin, deepest, &list);
  else if (!solid->polyhedron && solid->kind != LB_SOLID_PLANE)
    lb_touch_triangle_round(solid, triangle, margin, &list);
  return lb_touch_list_take(&list, LB_SOLID_TOUCHES, out);
}

int32_t lb_solid_touch_triangle(const lbSolid *solid, const lbSurfaceTriangle *triangle,
                                double margin, lbSolidTouch out[LB_SOLID_TOUCHES]) {
  lbSolidHint hints[3] = { lb_solid_hint(), lb_solid_hint(), lb_solid_hint() };
  lbSolidHint *const at[3] = { &hints[0], &hints[1], &hints[2] };
  return lb_solid_touch_triangle_from(solid, at, triangle, margin, out);
}
