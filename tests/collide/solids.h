// Solids and random placements for the tests of contacts.
#ifndef LB_COLLIDE_SOLIDS_H
#define LB_COLLIDE_SOLIDS_H

#include "check.h"
#include "collide/solid.h"

static inline lbSolid *make_solid(const lbSolidDef *def) {
  lbSolid *solid = NULL;
  lbError err;
  check_ok(lb_solid_create(def, &solid, &err), err);
  return solid;
}

static inline lbSolid *make_sphere(double radius) {
  lbSolidDef def = lb_solid_def(LB_SOLID_SPHERE);
  def.radius = radius;
  return make_solid(&def);
}

static inline lbSolid *make_box(double x, double y, double z) {
  lbSolidDef def = lb_solid_def(LB_SOLID_BOX);
  def.size[0] = x, def.size[1] = y, def.size[2] = z;
  return make_solid(&def);
}

static inline lbSolid *make_capsule(double radius, double length) {
  lbSolidDef def = lb_solid_def(LB_SOLID_CAPSULE);
  def.radius = radius;
  def.size[2] = length;
  return make_solid(&def);
}

static inline lbSolid *make_hull(int32_t count, const double *points) {
  lbSolidDef def = lb_solid_def(LB_SOLID_HULL);
  def.vertex_count = count;
  def.vertices = points;
  return make_solid(&def);
}

static inline lbSolid *make_mesh(int32_t vertex_count, const double *vertices,
                                 int32_t triangle_count, const int32_t *triangles) {
  lbSolidDef def = lb_solid_def(LB_SOLID_MESH);
  def.vertex_count = vertex_count;
  def.vertices = vertices;
  def.triangle_count = triangle_count;
  def.triangles = triangles;
  return make_solid(&def);
}

// The surface of a solid as a hull or a mesh of its own.
enum { MOST_VERTICES = 4000, MOST_TRIANGLES = 8000 };
static inline lbSolid *make_copy(const lbSolid *solid, int32_t detail, lbSolidKind kind) {
  static double vertices[3 * MOST_VERTICES];
  static int32_t triangles[3 * MOST_TRIANGLES];
  int32_t vertex_count, triangle_count;
  lb_solid_surface_size(solid, detail, &vertex_count, &triangle_count);
  assert_true(vertex_count <= MOST_VERTICES && triangle_count <= MOST_TRIANGLES);
  lb_solid_surface(solid, detail, 1, vertices, triangles);
  return kind == LB_SOLID_HULL ? make_hull(vertex_count, vertices)
                               : make_mesh(vertex_count, vertices, triangle_count, triangles);
}

// A ring of triangles about the z axis: not convex, one hole.
static inline lbSolid *make_torus(double radius, double tube, int32_t around, int32_t along) {
  static double vertices[3 * MOST_VERTICES];
  static int32_t triangles[3 * MOST_TRIANGLES];
  for (int32_t i = 0; i < around; i++)
    for (int32_t k = 0; k < along; k++) {
      double u = 2 * LB_PI * i / around, v = 2 * LB_PI * k / along;
      double r = radius + tube * cos(v);
      lb_vec3_store(vertices + 3 * (i * along + k), lb_vec3(r * cos(u), r * sin(u), tube * sin(v)));
      int32_t a = i * along + k, b = (i + 1) % around * along + k;
      int32_t c = (i + 1) % around * along + (k + 1) % along, d = i * along + (k + 1) % along;
      int32_t both[6] = { a, b, c, a, c, d };
      memcpy(triangles + 6 * (i * along + k), both, sizeof both);
    }
  return make_mesh(around * along, vertices, 2 * around * along, triangles);
}

// A flat floor of cells x cells squares at z = 0, 2 x half m wide, facing up.
static inline lbSolid *make_floor(int32_t cells, double half, bool two_sided) {
  static double vertices[3 * MOST_VERTICES];
  static int32_t triangles[3 * MOST_TRIANGLES];
  for (int32_t i = 0; i <= cells; i++)
    for (int32_t k = 0; k <= cells; k++)
      lb_vec3_store(vertices + 3 * (i * (cells + 1) + k),
                    lb_vec3(half * (2.0 * i / cells - 1), half * (2.0 * k / cells - 1), 0));
  for (int32_t i = 0; i < cells; i++)
    for (int32_t k = 0; k < cells; k++) {
      int32_t a = i * (cells + 1) + k, b = a + cells + 1;
      int32_t both[6] = { a, b, b + 1, a, b + 1, a + 1 };
      memcpy(triangles + 6 * (i * cells + k), both, sizeof both);
    }
  lbSolidDef def = lb_solid_def(LB_SOLID_MESH);
  def.vertex_count = (cells + 1) * (cells + 1);
  def.vertices = vertices;
  def.triangle_count = 2 * cells * cells;
  def.triangles = triangles;
  def.two_sided = two_sided;
  return make_solid(&def);
}

static inline lbVec3 random_vector(uint64_t *seed, double size) {
  double x = size * check_random(seed), y = size * check_random(seed);
  return lb_vec3(x, y, size * check_random(seed));
}

static inline lbQuat random_turn(uint64_t *seed) {
  double x = check_random(seed), y = check_random(seed), z = check_random(seed);
  return lb_quat_normalise(lb_quat(x, y, z, check_random(seed)));
}

static inline lbSolidFrame random_frame(uint64_t *seed, double size) {
  lbVec3 position = random_vector(seed, size);
  return lb_solid_frame(random_turn(seed), position);
}

static inline lbSolid *random_hull(uint64_t *seed, int32_t count, double size) {
  double points[3 * 64];
  for (int32_t i = 0; i < 3 * count; i++) points[i] = size * check_random(seed);
  return make_hull(count, points);
}

#endif
