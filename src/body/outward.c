// Which way is out at places of a body's surface, corners and edges included.
#include "body/tree.h"

#include <string.h>

// rad: slack of the cone of a vertex's normals. Doubled, more contacts are looked at.
#define MORE 0.05

static lbTriangles rest_surface(const lbTree *tree) {
  const lbModel *m = tree->model;
  return (lbTriangles){ m->size.triangle_count, m->triangles, m->vertex_positions };
}

static void add_angles(const lbTriangles *surface, int32_t triangle, double *sides) {
  for (int k = 0; k < 3; k++) {
    lbVec3 at = lb_triangle_corner(surface, triangle, k);
    lbVec3 a = lb_sub(lb_triangle_corner(surface, triangle, (k + 1) % 3), at);
    lbVec3 b = lb_sub(lb_triangle_corner(surface, triangle, (k + 2) % 3), at);
    lbVec3 across = lb_cross(a, b);
    double sine = lb_length(across);
    if (!(sine > 0)) continue;
    double *to = sides + 4 * (size_t)surface->triangles[3 * (size_t)triangle + (size_t)k];
    lb_vec3_store(to, lb_add_scaled(lb_vec3_load(to), atan2(sine, lb_dot(a, b)) / sine, across));
  }
}

// How far it is from a vertex through the body to its other side.
static double find_thickness(const lbTree *tree, const lbTriangles *surface, int32_t vertex,
                             lbVec3 normal) {
  lbVec3 at = lb_vec3_load(surface->positions + 3 * (size_t)vertex), inward = lb_scale(-1, normal);
  const lbBox *box = &tree->shape->nodes[0].box;
  double size = lb_length(lb_sub(lb_vec3_load(box->high), lb_vec3_load(box->low)));
  lbSurfacePoint hit;
  if (!lb_surface_ray_cast(tree->shape, surface, lb_add_scaled(at, LB_SAME_PLACE * size, inward),
                           inward, size, &hit))
    return 0;
  return hit.distance;
}

static lbVec3 rest_normal(const lbTree *tree, int32_t triangle) {
  lbTriangles surface = rest_surface(tree);
  lbVec3 a = lb_triangle_corner(&surface, triangle, 0);
  return lb_normalise(lb_cross(lb_sub(lb_triangle_corner(&surface, triangle, 1), a),
                               lb_sub(lb_triangle_corner(&surface, triangle, 2), a)));
}

// Of normals at corners and all between them. `MORE` is for faces that have turned over, for which
// lb_body_outward is not exact.
static double find_lean(const lbTree *tree, int32_t triangle) {
  lbVec3 normal = rest_normal(tree, triangle);
  double least = 1;
  for (size_t k = 0; k < 3; k++) {
    size_t vertex = (size_t)tree->model->triangles[3 * (size_t)triangle + k];
    lbVec3 side = lb_vec3_load(tree->sides + 4 * vertex);
    if (lb_dot(side, side) > 0) least = fmin(least, lb_dot(side, normal));
  }
  return least > 0 ? cos(acos(least) + MORE) : 0;
}

// Normals are weighted by the angles of the triangles at a vertex.
void lb_tree_find_sides(lbTree *tree) {
  lbTriangles surface = rest_surface(tree);
  int32_t count = tree->model->size.vertex_count;
  memset(tree->sides, 0, 4 * (size_t)count * sizeof(double));
  for (int32_t t = 0; t < surface.count; t++) add_angles(&surface, t, tree->sides);
  for (int32_t v = 0; v < count; v++) {
    double *side = tree->sides + 4 * (size_t)v;
    lbVec3 normal = lb_vec3_load(side);
    if (!(lb_length(normal) > 0)) continue;
    lb_vec3_store(side, lb_normalise(normal));
    side[3] = find_thickness(tree, &surface, v, lb_normalise(normal));
  }
  for (int32_t t = 0; t < surface.count; t++) tree->leans[t] = find_lean(tree, t);
}

// What turns one unit vector into another, the shortest way, applied to a third.
static lbVec3 turn_along(lbVec3 from, lbVec3 to, lbVec3 x) {
  lbVec3 axis = lb_cross(from, to);
  double cosine = lb_dot(from, to);
  if (cosine < -0.999) return lb_scale(-1, x);
  lbVec3 turned = lb_add(lb_scale(cosine, x), lb_cross(axis, x));
  return lb_add_scaled(turned, lb_dot(axis, x) / (1 + cosine), axis);
}

lbVec3 lb_body_outward(const lbBody *body, int32_t triangle, const double weights[3], lbVec3 now,
                       double *thickness) {
  const lbTree *tree = NULL;
  lbVec3 sum = lb_vec3(0, 0, 0);
  double through = 0;
  if (thickness) *thickness = 0;
  if (lb_prepared_tree(body->prepared, &tree, NULL)) return now;
  for (int k = 0; k < 3; k++) {
    size_t vertex = (size_t)tree->model->triangles[3 * (size_t)triangle + (size_t)k];
    sum = lb_add_scaled(sum, weights[k], lb_vec3_load(tree->sides + 4 * vertex));
    through += weights[k] * tree->sides[4 * vertex + 3];
  }
  if (!(lb_length(sum) > 0.1)) return now; // the rim of a sheet
  if (thickness) *thickness = through;
  lbVec3 own = lb_mat3_apply(body->frame.turn, lb_normalise(sum));
  return turn_along(lb_mat3_apply(body->frame.turn, rest_normal(tree, triangle)), now, own);
}
