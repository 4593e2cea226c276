// How deep bodies are in each other and in colliders, for tests: worked out from places of vertices
// alone, by nothing that finds contacts.
#ifndef LB_TESTS_OVERLAPS_H
#define LB_TESTS_OVERLAPS_H

#include "geometry/triangle.h"

#include "limber/contact.h"

#include <math.h>
#include <stdlib.h>

// The surface of a body as it is now, in the world.
typedef struct Shell {
  int32_t vertex_count;
  lbTriangles surface;
  double *positions;
  lbBox box;
} Shell;

static inline Shell shell_of(const lbModel *model, const lbBody *body) {
  Shell shell = { .vertex_count = model->size.vertex_count, .box = lb_box_empty() };
  shell.positions = calloc((size_t)shell.vertex_count, 3 * sizeof(double));
  assert_non_null(shell.positions);
  lb_body_surface(body, shell.positions);
  shell.surface = (lbTriangles){ model->size.triangle_count, model->triangles, shell.positions };
  for (int32_t v = 0; v < shell.vertex_count; v++)
    lb_box_add_point(&shell.box, shell.positions + 3 * (size_t)v);
  return shell;
}

// Solid angle of a triangle (van Oosterom & Strackee 1983).
static inline double solid_angle(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c) {
  a = lb_sub(a, p), b = lb_sub(b, p), c = lb_sub(c, p);
  double la = lb_length(a), lb = lb_length(b), lc = lb_length(c);
  return 2 * atan2(lb_dot(a, lb_cross(b, c)),
                   la * lb * lc + lb_dot(a, b) * lc + lb_dot(b, c) * la + lb_dot(c, a) * lb);
}

// m: how far a place is below a closed surface; 0 outside.
static inline double depth_below(const Shell *shell, lbVec3 place) {
  double angle = 0, nearest = INFINITY, weights[3];
  for (int32_t t = 0; t < shell->surface.count; t++) {
    lbVec3 at[3];
    for (int k = 0; k < 3; k++) at[k] = lb_triangle_corner(&shell->surface, t, k);
    angle += solid_angle(place, at[0], at[1], at[2]);
    nearest = fmin(nearest, lb_triangle_closest_point(place, at[0], at[1], at[2], weights));
  }
  return angle > 2 * LB_PI ? sqrt(nearest) : 0;
}

// Of the vertices of each below the surface of the other.
static inline double depth_of_two(const Shell *a, const Shell *b) {
  double deepest = 0;
  if (!lb_box_overlap(&a->box, &b->box)) return 0;
  for (int side = 0; side < 2; side++) {
    const Shell *one = side ? b : a, *other = side ? a : b;
    for (int32_t v = 0; v < one->vertex_count; v++) {
      const double *at = one->positions + 3 * (size_t)v;
      bool inside = true;
      for (int k = 0; k < 3; k++)
        inside = inside && at[k] > other->box.low[k] && at[k] < other->box.high[k];
      if (inside) deepest = fmax(deepest, depth_below(other, lb_vec3_load(at)));
    }
  }
  return deepest;
}

// m: how far a place is below the surface of a plane, sphere, box or capsule; below 0 outside.
static inline double depth_in_collider(const lbColliderDef *def, lbVec3 place) {
  lbVec3 p = lb_quat_rotate(lb_quat_conjugate(def->rotation), lb_sub(place, def->position));
  double half = 0.5 * def->size[2];
  switch (def->shape) {
  case LB_COLLIDER_PLANE: return -p.z;
  case LB_COLLIDER_BOX:
    return fmin(fmin(0.5 * def->size[0] - fabs(p.x), 0.5 * def->size[1] - fabs(p.y)),
                half - fabs(p.z));
  case LB_COLLIDER_CAPSULE:
    p.z -= fmin(fmax(p.z, -half), half); // to the nearest place of its axis
    return def->radius - lb_length(p);
  default: return def->radius - lb_length(p);
  }
}

static inline double depth_of_shell(const lbColliderDef *def, const Shell *shell) {
  double deepest = 0;
  for (int32_t v = 0; v < shell->vertex_count; v++)
    deepest = fmax(deepest, depth_in_collider(def, lb_vec3_load(shell->positions + 3 * (size_t)v)));
  return deepest;
}

#endif
