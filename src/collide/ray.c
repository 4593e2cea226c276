// Rays against solids.
#include "collide/solid_parts.h"

typedef struct Ray {
  lbVec3 origin, direction;
  double t_max;
  double t;
  lbVec3 normal;
} Ray;

static bool keep_nearest_hit(Ray *ray, double t, lbVec3 normal) {
  if (!(t >= 0 && t <= ray->t_max)) return false;
  ray->t = t;
  ray->normal = normal;
  return true;
}

static bool hit_plane(Ray *ray) {
  if (!(ray->direction.z < 0)) return false;
  return keep_nearest_hit(ray, -ray->origin.z / ray->direction.z, lb_vec3(0, 0, 1));
}

// A ball about `centre`: the smaller root of |o + t d - c|² = r².
static bool hit_ball(Ray *ray, lbVec3 centre, double radius) {
  lbVec3 from = lb_sub(ray->origin, centre);
  double a = lb_dot(ray->direction, ray->direction), b = lb_dot(from, ray->direction);
  if (!(a > 0)) return false;
  lbVec3 nearest =
      lb_add_scaled(from, -b / a, ray->direction); // square to the ray: no cancellation
  double under = radius * radius - lb_dot(nearest, nearest);
  if (!(under >= 0)) return false;
  double t = -b / a - sqrt(under / a);
  lbVec3 normal = lb_direction_or(lb_add_scaled(from, t, ray->direction), lb_vec3(0, 0, 1));
  return keep_nearest_hit(ray, t, normal);
}

// The wall of a capsule, then its ends.
static bool hit_capsule(Ray *ray, double radius, double half) {
  lbVec3 o = ray->origin, d = ray->direction;
  double a = d.x * d.x + d.y * d.y;
  if (a > 0) {
    double middle = -(o.x * d.x + o.y * d.y) / a;
    double x = o.x + middle * d.x, y = o.y + middle * d.y, under = radius * radius - x * x - y * y;
    if (under >= 0) {
      double t = middle - sqrt(under / a);
      lbVec3 at = lb_add_scaled(o, t, d);
      if (fabs(at.z) <= half)
        return keep_nearest_hit(ray, t, lb_direction_or(lb_vec3(at.x, at.y, 0), lb_vec3(1, 0, 0)));
    }
  }
  Ray low = *ray, high = *ray;
  bool first = hit_ball(&low, lb_vec3(0, 0, -half), radius);
  bool second = hit_ball(&high, lb_vec3(0, 0, half), radius);
  if (!first && !second) return false;
  *ray = first && (!second || low.t <= high.t) ? low : high;
  return true;
}

// Behind all planes at once: from the last that is entered to the first that is left.
static bool hit_convex(Ray *ray, const lbPolyhedron *p) {
  double enter = -INFINITY, leave = INFINITY;
  int32_t face = -1;
  for (int32_t i = 0; i < p->face_count; i++) {
    double height = lb_dot(p->face_normals[i], ray->origin) - p->face_offsets[i];
    double rate = lb_dot(p->face_normals[i], ray->direction);
    if (rate < 0 && -height / rate > enter) enter = -height / rate, face = i;
    if (rate > 0) leave = lb_lesser(leave, -height / rate);
    if (rate == 0 && height > 0) return false;
  }
  return face >= 0 && enter <= leave && keep_nearest_hit(ray, enter, p->face_normals[face]);
}

static bool hit_mesh(Ray *ray, const lbPolyhedron *p) {
  lbSurfacePoint hit;
  if (!lb_surface_ray_cast(p->tree, &p->surface, ray->origin, ray->direction, ray->t_max, &hit))
    return false;
  lbVec3 normal = p->normals[hit.triangle];
  if (lb_dot(normal, ray->direction) > 0) normal = lb_scale(-1, normal);
  return keep_nearest_hit(ray, hit.distance, lb_direction_or(normal, lb_vec3(0, 0, 1)));
}

static bool hit(Ray *ray, const lbSolid *solid) {
  switch (solid->kind) {
  case LB_SOLID_PLANE: return hit_plane(ray);
  case LB_SOLID_SPHERE: return hit_ball(ray, lb_vec3(0, 0, 0), solid->radius);
  case LB_SOLID_CAPSULE: return hit_capsule(ray, solid->radius, solid->half[2]);
  case LB_SOLID_MESH: return hit_mesh(ray, solid->polyhedron);
  default: return hit_convex(ray, solid->polyhedron);
  }
}

// Does it start inside, with a surface to speak of behind it?
static bool starts_inside(const lbSolid *solid, lbVec3 origin) {
  lbVec3 normal;
  if (solid->kind != LB_SOLID_PLANE && !lb_solid_is_closed(solid)) return false;
  return lb_solid_distance_within(solid, origin, 0, &normal) < 0;
}

bool lb_solid_ray_cast(const lbSolid *solid, lbVec3 origin, lbVec3 direction, double t_max,
                       double *t, lbVec3 *normal) {
  Ray ray = { origin, direction, t_max, 0, { 0, 0, 1 } };
  if (!(t_max >= 0) || !(fabs(direction.x) + fabs(direction.y) + fabs(direction.z) < INFINITY))
    return false;
  if (starts_inside(solid, origin))
    ray.normal = lb_direction_or(lb_scale(-1, direction), lb_vec3(0, 0, 1));
  else if (!hit(&ray, solid))
    return false;
  *t = ray.t;
  *normal = ray.normal;
  return true;
}
