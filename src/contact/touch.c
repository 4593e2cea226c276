// Triangles against solids: which kind is tested how.
#include "contact/segments.h"

// Corners of the triangle, as points of its surface: one feature each, whatever they touch.
static void touch_corner(const lbSolid *solid, const lbSurfaceTriangle *triangle, int corner,
                         double margin, lbTouchList *list) {
  lbSolidTouch touch;
  if (!lb_solid_touch_point(solid, triangle->corners[corner], margin, &touch)) return;
  for (int i = 0; i < 3; i++) touch.weights[i] = i == corner;
  touch.feature = lb_feature(0, LB_PART_CORNER + corner);
  lb_touch_list_add(list, &touch);
}

bool lb_solid_touch_point(const lbSolid *solid, lbVec3 point, double margin, lbSolidTouch *out) {
  lbVec3 normal;
  double gap = lb_solid_distance_within(solid, point, margin, &normal);
  if (!(gap < margin) || !(fabs(point.x) + fabs(point.y) + fabs(point.z) < INFINITY)) return false;
  *out = (lbSolidTouch){ { 1, 0, 0 }, point, lb_add_scaled(point, -gap, normal), normal, gap, 0 };
  return true;
}

static bool boxes_apart(const lbSolid *solid, const lbVec3 corners[3], double margin) {
  lbBox box = lb_box_empty();
  for (int k = 0; k < 3; k++) {
    double corner[3];
    lb_vec3_store(corner, corners[k]);
    lb_box_add_point(&box, corner);
  }
  for (int i = 0; i < 3; i++) box.low[i] -= margin, box.high[i] += margin;
  return !lb_box_overlap(&box, &solid->box);
}

int32_t lb_solid_touch_triangle(const lbSolid *solid, const lbSurfaceTriangle *triangle,
                                double margin, lbSolidTouch out[LB_SOLID_TOUCHES]) {
  if (boxes_apart(solid, triangle->corners, margin)) return 0;
  lbTouchList list;
  list.count = 0;
  list.length = 0;
  for (int k = 0; k < 3; k++) {
    lbVec3 edge = lb_sub(triangle->corners[(k + 1) % 3], triangle->corners[k]);
    list.length = fmax(list.length, 0.5 * lb_length(edge));
    if (triangle->own & LB_OWN_CORNER(k)) touch_corner(solid, triangle, k, margin, &list);
  }
  if (solid->polyhedron)
    lb_touch_triangle_polyhedron(solid, triangle, margin, &list);
  else if (solid->kind != LB_SOLID_PLANE)
    lb_touch_triangle_round(solid, triangle, margin, &list);
  return lb_touch_list_take(&list, LB_SOLID_TOUCHES, out);
}
