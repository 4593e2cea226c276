// A solid against a mesh: triangle by triangle of the mesh, of which only edges and corners that
// stick out count, and those only in directions in which they are the nearest of their surroundings
// (otherwise a ball would stumble over the edges of a flat floor).
#include "collide/pair.h"

static lbSurfaceTriangle triangle_in_a(const lbSolidPair *pair, int32_t triangle) {
  const lbPolyhedron *p = pair->b->polyhedron;
  lbSurfaceTriangle result;
  for (int k = 0; k < 3; k++) {
    lbVec3 corner = lb_triangle_corner(&p->surface, triangle, k);
    lbVec3 across = lb_polyhedron_vertex(p, p->across[3 * triangle + k]);
    result.corners[k] = lb_solid_to_world(&pair->frame, corner);
    result.across[k] = lb_solid_to_world(&pair->frame, across);
  }
  result.own = p->own[triangle] | LB_OWN_RIGID | (pair->b->two_sided ? LB_TWO_SIDED : 0);
  return result;
}

static bool touch_mesh_triangle(int32_t triangle, void *context) {
  lbSolidPair *pair = context;
  const lbPolyhedron *p = pair->b->polyhedron;
  lbSurfaceTriangle own = triangle_in_a(pair, triangle);
  lbSolidTouch touches[LB_SOLID_TOUCHES];
  int32_t count = lb_solid_touch_triangle(pair->a, &own, pair->margin, touches);
  for (int32_t i = 0; i < count; i++) {
    lbSolidTouch *touch = &touches[i];
    int32_t part = touch->feature & ((1 << LB_PART_BITS) - 1);
    touch->normal = lb_scale(-1, touch->normal);
    if (part < LB_PART_EDGE && touch->gap >= 0) {
      lbVec3 out = lb_mat3_apply_transpose(pair->frame.rotation, touch->normal);
      if (!lb_vertex_cone_holds(p, p->triangles[3 * triangle + part], out)) continue;
    }
    lbVec3 on_a = touch->on_solid; // the mesh's place was the triangle's
    touch->on_solid = touch->on_triangle;
    touch->on_triangle = on_a;
    touch->feature = (int32_t)(((uint32_t)triangle * 4096u + (uint32_t)touch->feature) >> 1);
    lb_touch_list_add(&pair->list, touch);
  }
  return true;
}

// A sphere whose centre is in the mesh: the shortest way out. Returns whether that was so.
static bool sphere_inside(lbSolidPair *pair) {
  lbVec3 centre = lb_solid_to_own(&pair->frame, lb_vec3(0, 0, 0)), normal;
  double distance = lb_solid_distance_within(pair->b, centre, INFINITY, &normal);
  if (!(distance <= 0)) return false;
  lb_pair_add_from_b(pair, lb_add_scaled(centre, -distance, normal), normal,
                     distance - pair->a->radius, 0);
  return true;
}

// Nothing near the surface, but one is wholly inside the other: the shortest way out of its centre.
static void touch_inside_mesh(lbSolidPair *pair) {
  lbVec3 centre = lb_solid_to_own(&pair->frame, pair->a->centre), normal;
  double distance = lb_solid_distance_within(pair->b, centre, 0, &normal);
  if (distance < 0) {
    lb_pair_add_from_b(pair, lb_add_scaled(centre, -distance, normal), normal, distance, 0);
    return;
  }
  centre = lb_solid_to_world(&pair->frame, pair->b->centre);
  distance = lb_solid_distance_within(pair->a, centre, 0, &normal);
  if (!(distance < 0)) return;
  lbSolidTouch touch = { .gap = distance, .feature = 1 };
  touch.on_solid = centre;
  touch.on_triangle = lb_add_scaled(centre, -distance, normal);
  touch.normal = lb_scale(-1, normal);
  lb_touch_list_add(&pair->list, &touch);
}

static void touch_triangles(lbSolidPair *pair, const lbSolidFrame *inverse) {
  lbBox box = lb_solid_world_box(pair->a, inverse);
  for (int i = 0; i < 3; i++) box.low[i] -= pair->margin, box.high[i] += pair->margin;
  lb_aabb_tree_overlap(pair->b->polyhedron->tree, &box, touch_mesh_triangle, pair);
}

// Two meshes: the triangles of a against b as well.
static void touch_triangles_of_a(lbSolidPair *pair, const lbSolidFrame *inverse) {
  lbSolidPair turned;
  turned.a = pair->b, turned.b = pair->a;
  turned.frame = *inverse;
  turned.margin = pair->margin;
  turned.list.count = 0;
  turned.list.length = pair->list.length;
  touch_triangles(&turned, &pair->frame);
  for (int32_t i = 0; i < turned.list.count; i++) {
    lbSolidTouch touch = turned.list.touches[i];
    lbVec3 on_b = touch.on_triangle;
    touch.on_triangle = lb_solid_to_world(&pair->frame, touch.on_solid);
    touch.on_solid = lb_solid_to_world(&pair->frame, on_b);
    touch.normal = lb_mat3_apply(pair->frame.rotation, lb_scale(-1, touch.normal));
    touch.feature ^= 1 << 30;
    lb_touch_list_add(&pair->list, &touch);
  }
}

void lb_pair_mesh(lbSolidPair *pair) {
  if (pair->a->kind == LB_SOLID_SPHERE && sphere_inside(pair)) return;
  lbSolidFrame inverse = { lb_mat3_transpose(pair->frame.rotation),
                           lb_solid_to_own(&pair->frame, lb_vec3(0, 0, 0)) };
  touch_triangles(pair, &inverse);
  if (pair->a->kind == LB_SOLID_MESH) touch_triangles_of_a(pair, &inverse);
  if (pair->list.count == 0) touch_inside_mesh(pair);
}
