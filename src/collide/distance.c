// Signed distances of points from solids.
#include "collide/solid_parts.h"

// Times the distance that is asked for: how far a search for the nearest triangle reaches. Doubled,
// fewer searches look at more triangles each.
#define SEARCH_AHEAD 2.0

static const lbVec3 up = { 0, 0, 1 };

static double sphere_distance(const lbSolid *solid, lbVec3 point, lbVec3 *normal) {
  *normal = lb_direction_or(point, up);
  return lb_length(point) - solid->radius;
}

static double capsule_distance(const lbSolid *solid, lbVec3 point, lbVec3 *normal) {
  double along = lb_clamp(point.z, -solid->half[2], solid->half[2]);
  lbVec3 from_axis = lb_vec3(point.x, point.y, point.z - along);
  *normal = lb_direction_or(from_axis, lb_vec3(1, 0, 0));
  return lb_length(from_axis) - solid->radius;
}

static double box_distance(const lbSolid *solid, lbVec3 point, lbVec3 *normal) {
  double p[3], beyond[3], n[3] = { 0 };
  int outside = 0, nearest = 0;
  lb_vec3_store(p, point);
  for (int i = 0; i < 3; i++) {
    beyond[i] = fabs(p[i]) - solid->half[i];
    if (beyond[i] > 0) outside++;
    if (beyond[i] > beyond[nearest]) nearest = i;
  }
  if (outside < 2) { // inside, or beyond one face
    n[nearest] = p[nearest] < 0 ? -1 : 1;
    *normal = lb_vec3_load(n);
    return beyond[nearest];
  }
  for (int i = 0; i < 3; i++)
    if (beyond[i] > 0) n[i] = p[i] < 0 ? -beyond[i] : beyond[i];
  lbVec3 delta = lb_vec3_load(n);
  *normal = lb_direction_or(delta, up);
  return lb_length(delta);
}

// ---- triangle surfaces -------------------------------------------------------------------------

// Normal of the part of the triangle that the weights lie on, and whether that is a border.
static lbVec3 part_normal(const lbPolyhedron *p, const lbSurfacePoint *at, bool *border) {
  const double *w = at->weights;
  const int32_t *corners = p->triangles + 3 * (size_t)at->triangle;
  *border = false;
  for (int k = 0; k < 3; k++)
    if (w[(k + 1) % 3] == 0 && w[(k + 2) % 3] == 0) {
      *border = p->vertex_border[corners[k]];
      return p->vertex_normals[corners[k]];
    }
  for (int k = 0; k < 3; k++)
    if (w[(k + 2) % 3] == 0) {
      const lbSolidEdge *edge = &p->edges[p->triangle_edges[3 * at->triangle + k]];
      *border = edge->border;
      return edge->normal;
    }
  lbVec3 normal = p->normals[at->triangle];
  if (lb_dot(normal, normal) > 0) return normal;
  return p->edges[p->triangle_edges[3 * at->triangle]].normal; // a flat triangle
}

static lbVec3 surface_place(const lbPolyhedron *p, const lbSurfacePoint *at) {
  lbVec3 place = lb_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++)
    place = lb_add_scaled(place, at->weights[k], lb_triangle_corner(&p->surface, at->triangle, k));
  return place;
}

// From inside, the first triangle on any way is seen from behind.
static bool is_inside_mesh(const lbSolid *solid, lbVec3 point) {
  const lbPolyhedron *p = solid->polyhedron;
  lbSurfacePoint hit;
  if (!lb_surface_ray_cast(p->tree, &p->surface, point, up, INFINITY, &hit)) return false;
  return p->normals[hit.triangle].z > 0;
}

// A lower bound of the distance from what is known of an earlier place; more than 0: outside. (The
// sign of an open mesh's distance jumps at borders.) It allows for rounding.
static double hinted_distance(const lbSolid *solid, const lbSolidHint *hint, lbVec3 point) {
  double way = lb_length(lb_sub(point, hint->place));
  if (!solid->polyhedron->closed) return -INFINITY;
  return hint->distance - way - 1e-9 * (solid->reach + way);
}

// The nearest place, where it is not farther than a limit, or the point is inside. What an open
// mesh has inside is no farther than its thickness.
static bool find_nearest_triangle(const lbSolid *solid, const lbSolidHint *hint, lbVec3 point,
                                  double limit, lbSurfacePoint *at) {
  const lbPolyhedron *p = solid->polyhedron;
  double most = p->closed ? limit : lb_greater(limit, solid->thickness);
  if (!(limit > 0)) most = INFINITY;
  if (lb_surface_closest_point_from(p->tree, &p->surface, point, most, hint->triangle, at))
    return true;
  return p->closed && !(hinted_distance(solid, hint, point) > 0) && is_inside_mesh(solid, point) &&
         lb_surface_closest_point_from(p->tree, &p->surface, point, INFINITY, hint->triangle, at);
}

static double signed_distance(const lbSolid *solid, lbVec3 point, const lbSurfacePoint *at,
                              lbVec3 *normal) {
  const lbPolyhedron *p = solid->polyhedron;
  bool border;
  lbVec3 outward = part_normal(p, at, &border);
  lbVec3 away = lb_sub(point, surface_place(p, at));
  double distance = lb_length(away);
  // On the surface, as far as rounding can tell, the direction is noise.
  *normal = outward;
  if (!(distance > 1e-14 * (solid->reach + lb_length(lb_sub(point, solid->centre))))) {
    double height = lb_dot(away, outward);
    return solid->two_sided ? fabs(height) : height;
  }
  double side = lb_dot(away, outward);
  bool inside = side < 0;
  if (!p->closed && (border || solid->two_sided || distance > solid->thickness)) inside = false;
  *normal = lb_direction_or(inside ? lb_scale(-1, away) : away, outward);
  return inside ? -distance : distance;
}

// Notes what it finds in the hint.
static double surface_distance(const lbSolid *solid, lbSolidHint *hint, lbVec3 point, double limit,
                               lbVec3 *normal) {
  lbSurfacePoint at;
  *normal = up;
  bool found = find_nearest_triangle(solid, hint, point, limit, &at);
  hint->place = point;
  hint->exact = found;
  hint->distance = limit > 0 ? limit : INFINITY;
  if (!found) return hint->distance;
  hint->triangle = at.triangle;
  hint->distance = signed_distance(solid, point, &at, normal);
  hint->normal = *normal;
  return hint->distance;
}

// The greatest height above a face: the distance inside and in front of a face.
static double hull_distance(const lbSolid *solid, lbVec3 point, double limit, lbVec3 *normal) {
  const lbPolyhedron *p = solid->polyhedron;
  double most = -INFINITY;
  int32_t highest = 0;
  for (int32_t i = 0; i < p->face_count; i++) {
    double height = lb_dot(p->face_normals[i], point) - p->face_offsets[i];
    if (height > most) most = height, highest = i;
  }
  *normal = p->face_normals[highest];
  if (most == -INFINITY) return NAN; // the point is no number
  if (!(most > 0) || most > limit) return most;
  lbVec3 foot = lb_add_scaled(point, -most, *normal);
  bool in_face = true;
  for (int32_t i = 0; i < p->face_count && in_face; i++)
    in_face = i == highest || lb_dot(p->face_normals[i], foot) <= p->face_offsets[i];
  lbSolidHint hint = lb_solid_hint();
  return in_face ? most : surface_distance(solid, &hint, point, INFINITY, normal);
}

// ---- all kinds ---------------------------------------------------------------------------------

static bool is_hinted_place(const lbSolidHint *hint, lbVec3 point) {
  return hint->place.x == point.x && hint->place.y == point.y && hint->place.z == point.z;
}

// Searches reach farther than the limit, so that what they find is good for several steps.
static double mesh_distance(const lbSolid *solid, lbSolidHint *hint, lbVec3 point, double limit,
                            lbVec3 *normal) {
  bool limited = limit > 0 && limit < INFINITY;
  double p[3];
  *normal = hint->exact ? hint->normal : up;
  if (hint->exact && is_hinted_place(hint, point)) return hint->distance;
  double bound = hinted_distance(solid, hint, point);
  *normal = up;
  if (limited && bound > limit) return bound;
  lb_vec3_store(p, point);
  double outside = sqrt(lb_box_distance2(&solid->box, p));
  if (!limited || !(outside > limit))
    return surface_distance(solid, hint, point, limited ? SEARCH_AHEAD * limit : limit, normal);
  *hint = (lbSolidHint){ hint->triangle, false, point, outside, up };
  return outside;
}

double lb_solid_distance_from(const lbSolid *solid, lbSolidHint *hint, lbVec3 point, double limit,
                              lbVec3 *normal) {
  switch (solid->kind) {
  case LB_SOLID_PLANE: *normal = up; return point.z;
  case LB_SOLID_SPHERE: return sphere_distance(solid, point, normal);
  case LB_SOLID_CAPSULE: return capsule_distance(solid, point, normal);
  case LB_SOLID_BOX: return box_distance(solid, point, normal);
  case LB_SOLID_HULL: return hull_distance(solid, point, limit, normal);
  default: return mesh_distance(solid, hint, point, limit, normal);
  }
}

double lb_solid_distance_within(const lbSolid *solid, lbVec3 point, double limit, lbVec3 *normal) {
  lbSolidHint hint = lb_solid_hint();
  return lb_solid_distance_from(solid, &hint, point, limit, normal);
}

double lb_solid_distance(const lbSolid *solid, lbVec3 point, lbVec3 *normal) {
  lbVec3 own;
  return lb_solid_distance_within(solid, point, INFINITY, normal ? normal : &own);
}

// Of a closed mesh it is enough to know one place that is so near.
static bool mesh_is_within(const lbSolid *solid, lbVec3 point, double limit) {
  const lbPolyhedron *p = solid->polyhedron;
  double at[3];
  lb_vec3_store(at, point);
  if (lb_box_distance2(&solid->box, at) > limit * limit) return false;
  return lb_surface_is_near(p->tree, &p->surface, point, limit) || is_inside_mesh(solid, point);
}

bool lb_solid_is_within_from(const lbSolid *solid, lbSolidHint *hint, lbVec3 point, double limit) {
  lbVec3 normal;
  return lb_solid_distance_from(solid, hint, point, limit, &normal) < limit;
}

bool lb_solid_is_within(const lbSolid *solid, lbVec3 point, double limit) {
  lbVec3 normal;
  if (solid->kind == LB_SOLID_MESH && solid->polyhedron->closed && limit > 0 && limit < INFINITY)
    return mesh_is_within(solid, point, limit);
  return lb_solid_distance_within(solid, point, limit, &normal) < limit;
}

lbVec3 lb_solid_closest_point(const lbSolid *solid, lbVec3 point) {
  lbVec3 normal;
  double distance = lb_solid_distance_within(solid, point, INFINITY, &normal);
  return lb_add_scaled(point, -distance, normal);
}
