// Rays and closest points on a triangle surface, through its box tree.
//
// The ray test shears space so that the ray becomes the z axis and looks at the signs of three 2D
// areas: neighbours compute the area of their shared edge from the same numbers, so a ray through
// the edge meets at least one of them (Woop, Benthin, Wald 2013, "Watertight ray/triangle
// intersection").
#include "geometry/aabb_tree.h"

enum { STACK_SIZE = 64 };

typedef struct Ray {
  double origin[3], direction[3], inverse[3];
  int axis[3];     // the direction's greatest component is axis[2]
  double shear[3]; // x += shear[0] z, y += shear[1] z, t = shear[2] z
} Ray;

static Ray prepare_ray(lbVec3 origin, lbVec3 direction) {
  Ray ray = {
    { origin.x, origin.y, origin.z }, { direction.x, direction.y, direction.z }, { 0 }, { 0 }, { 0 }
  };
  int z = 0;
  for (int i = 0; i < 3; i++) {
    ray.inverse[i] = 1 / ray.direction[i];
    if (fabs(ray.direction[i]) > fabs(ray.direction[z])) z = i;
  }
  ray.axis[0] = (z + 1) % 3, ray.axis[1] = (z + 2) % 3, ray.axis[2] = z;
  ray.shear[0] = -ray.direction[ray.axis[0]] / ray.direction[z];
  ray.shear[1] = -ray.direction[ray.axis[1]] / ray.direction[z];
  ray.shear[2] = 1 / ray.direction[z];
  return ray;
}

// Whether the ray enters the box before t_max; *enter gets where. Rounding is on the safe side.
static bool ray_meets_box(const Ray *ray, const lbBox *box, double t_max, double *enter) {
  double first = 0, last = t_max;
  for (int i = 0; i < 3; i++) {
    if (ray->direction[i] == 0) {
      if (!(box->low[i] <= ray->origin[i] && ray->origin[i] <= box->high[i])) return false;
      continue;
    }
    double a = (box->low[i] - ray->origin[i]) * ray->inverse[i];
    double b = (box->high[i] - ray->origin[i]) * ray->inverse[i];
    double near = a < b ? a : b, far = a < b ? b : a;
    near -= 1e-15 * fabs(near);
    far += 1e-15 * fabs(far);
    if (near > first) first = near;
    if (far < last) last = far;
  }
  *enter = first;
  return first <= last;
}

static bool ray_meets_triangle(const Ray *ray, const lbTriangles *surface, int32_t triangle,
                               lbSurfacePoint *hit) {
  double x[3], y[3], z[3];
  for (int k = 0; k < 3; k++) {
    size_t vertex = (size_t)surface->triangles[3 * (size_t)triangle + (size_t)k];
    const double *corner = surface->positions + 3 * vertex;
    double local[3];
    for (int i = 0; i < 3; i++) local[i] = corner[ray->axis[i]] - ray->origin[ray->axis[i]];
    x[k] = local[0] + ray->shear[0] * local[2];
    y[k] = local[1] + ray->shear[1] * local[2];
    z[k] = ray->shear[2] * local[2];
  }
  double u = x[2] * y[1] - y[2] * x[1];
  double v = x[0] * y[2] - y[0] * x[2];
  double w = x[1] * y[0] - y[1] * x[0];
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
  double sum = u + v + w;
  if (sum == 0 || !isfinite(sum)) return false;
  double t = (u * z[0] + v * z[1] + w * z[2]) / sum;
  *hit = (lbSurfacePoint){ triangle, { u / sum, v / sum, w / sum }, t };
  return t >= 0;
}

bool lb_surface_ray_cast(const lbAabbTree *tree, const lbTriangles *surface, lbVec3 origin,
                         lbVec3 direction, double t_max, lbSurfacePoint *hit) {
  struct {
    int32_t node;
    double enter;
  } stack[STACK_SIZE] = { { 0, 0 } };
  lbSurfacePoint best = { -1, { 0 }, t_max };
  Ray ray = prepare_ray(origin, direction);
  bool has_direction = isfinite(ray.shear[2]) && isfinite(lb_dot(direction, direction));
  int stacked = tree->node_count > 0 && has_direction ? 1 : 0;
  while (stacked > 0) {
    stacked--;
    int32_t id = stack[stacked].node;
    if (stack[stacked].enter > best.distance) continue;
    const lbAabbNode *node = &tree->nodes[id];
    for (int32_t i = 0; i < node->count; i++) {
      lbSurfacePoint own;
      if (!ray_meets_triangle(&ray, surface, tree->items[node->first + i], &own)) continue;
      bool first =
          own.distance == best.distance && (best.triangle < 0 || own.triangle < best.triangle);
      if (own.distance < best.distance || first) best = own;
    }
    if (node->count) continue;
    double left = 0, right = 0;
    bool in_left = ray_meets_box(&ray, &tree->nodes[id + 1].box, best.distance, &left);
    bool in_right = ray_meets_box(&ray, &tree->nodes[node->first].box, best.distance, &right);
    bool right_first = in_right && in_left && right < left;
    if (right_first) stack[stacked].node = id + 1, stack[stacked++].enter = left;
    if (in_right) stack[stacked].node = node->first, stack[stacked++].enter = right;
    if (in_left && !right_first) stack[stacked].node = id + 1, stack[stacked++].enter = left;
  }
  if (best.triangle >= 0) *hit = best;
  return best.triangle >= 0;
}

static double triangle_distance2(int32_t triangle, lbVec3 point, void *context) {
  const lbTriangles *surface = context;
  double weights[3];
  return lb_triangle_closest_point(point, lb_triangle_corner(surface, triangle, 0),
                                   lb_triangle_corner(surface, triangle, 1),
                                   lb_triangle_corner(surface, triangle, 2), weights);
}

// The nearest triangle so far; of equal distances the one with the smallest id.
typedef struct Closest {
  lbTriangles surface;
  lbVec3 point;
  int32_t triangle; // -1: none is nearer than the limit
  double distance2;
} Closest;

static void try_triangle(Closest *best, int32_t triangle) {
  double own = triangle_distance2(triangle, best->point, &best->surface);
  if (own < best->distance2 || (own == best->distance2 && triangle < best->triangle))
    best->triangle = triangle, best->distance2 = own;
}

// Boxes at equal distance are looked into as well, for the smallest id; rounding must not hide it.
static bool may_be_closer(const Closest *best, double box_distance2) {
  return box_distance2 * (1 - 1e-14) <= best->distance2;
}

static void search_closest(const lbAabbTree *tree, Closest *best) {
  struct {
    int32_t node;
    double distance2;
  } stack[STACK_SIZE] = { { 0, 0 } };
  const double p[3] = { best->point.x, best->point.y, best->point.z };
  int depth = tree->node_count > 0 ? 1 : 0;
  while (depth > 0) {
    depth--;
    int32_t id = stack[depth].node;
    if (!may_be_closer(best, stack[depth].distance2)) continue;
    const lbAabbNode *node = &tree->nodes[id];
    for (int32_t i = 0; i < node->count; i++) try_triangle(best, tree->items[node->first + i]);
    if (node->count > 0) continue;
    double left = lb_box_distance2(&tree->nodes[id + 1].box, p);
    double right = lb_box_distance2(&tree->nodes[node->first].box, p);
    bool right_first = right < left;
    int32_t near = right_first ? node->first : id + 1, far = right_first ? id + 1 : node->first;
    double to_near = right_first ? right : left, to_far = right_first ? left : right;
    if (may_be_closer(best, to_far)) stack[depth].node = far, stack[depth++].distance2 = to_far;
    if (may_be_closer(best, to_near)) stack[depth].node = near, stack[depth++].distance2 = to_near;
  }
}

bool lb_surface_closest_point_from(const lbAabbTree *tree, const lbTriangles *surface, lbVec3 point,
                                   double max_distance, int32_t first, lbSurfacePoint *closest) {
  Closest best = { *surface, point, -1, max_distance * max_distance };
  if (first >= 0 && first < surface->count) try_triangle(&best, first);
  search_closest(tree, &best);
  if (best.triangle < 0) return false;
  closest->triangle = best.triangle;
  closest->distance = sqrt(best.distance2);
  lb_triangle_closest_point(point, lb_triangle_corner(surface, best.triangle, 0),
                            lb_triangle_corner(surface, best.triangle, 1),
                            lb_triangle_corner(surface, best.triangle, 2), closest->weights);
  return true;
}

bool lb_surface_closest_point(const lbAabbTree *tree, const lbTriangles *surface, lbVec3 point,
                              double max_distance, lbSurfacePoint *closest) {
  return lb_surface_closest_point_from(tree, surface, point, max_distance, -1, closest);
}

bool lb_surface_is_near(const lbAabbTree *tree, const lbTriangles *surface, lbVec3 point,
                        double distance) {
  enum { DEEP = 128 };
  lbTriangles view = *surface;
  int32_t stack[DEEP], depth = tree->node_count > 0 ? 1 : 0;
  double p[3] = { point.x, point.y, point.z }, limit = distance * distance;
  stack[0] = 0;
  while (depth > 0) {
    int32_t id = stack[--depth];
    const lbAabbNode *node = &tree->nodes[id];
    for (int32_t i = 0; i < node->count; i++)
      if (triangle_distance2(tree->items[node->first + i], point, &view) < limit) return true;
    if (node->count > 0 || depth + 2 > DEEP) continue;
    double left = lb_box_distance2(&tree->nodes[id + 1].box, p);
    double right = lb_box_distance2(&tree->nodes[node->first].box, p);
    bool right_first = right < left;
    int32_t order[2] = { right_first ? id + 1 : node->first, right_first ? node->first : id + 1 };
    double far = right_first ? left : right, near = right_first ? right : left;
    if (far < limit) stack[depth++] = order[0];
    if (near < limit) stack[depth++] = order[1];
  }
  return false;
}
