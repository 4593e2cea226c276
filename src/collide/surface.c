// Surfaces of solids as triangles.
#include "collide/solid_parts.h"
#include "math/functions.h"

static const int32_t square[6] = { 0, 1, 2, 0, 2, 3 };

static int32_t pieces(int32_t detail) { return detail < 1 ? 1 : detail > 64 ? 64 : detail; }

// Rings of a sphere or capsule between its two poles; a capsule has its widest ring twice.
static int32_t sphere_ring_count(const lbSolid *solid, int32_t detail) {
  return 2 * pieces(detail) - 1 + (solid->half[2] > 0);
}

void lb_solid_surface_size(const lbSolid *solid, int32_t detail, int32_t *vertex_count,
                           int32_t *triangle_count) {
  if (solid->polyhedron) {
    *vertex_count = solid->polyhedron->vertex_count;
    *triangle_count = solid->polyhedron->triangle_count;
  } else if (solid->kind == LB_SOLID_PLANE) {
    *vertex_count = 4;
    *triangle_count = 2;
  } else {
    int32_t around = 4 * pieces(detail), rings = sphere_ring_count(solid, detail);
    *vertex_count = 2 + rings * around;
    *triangle_count = 2 * rings * around;
  }
}

// From the pole at the top down.
static void round_vertices(const lbSolid *solid, int32_t detail, double *vertices) {
  int32_t quarter = pieces(detail), around = 4 * quarter, rings = sphere_ring_count(solid, detail);
  double half = solid->half[2], r = solid->radius;
  double *to = vertices;
  lb_vec3_store(to, lb_vec3(0, 0, half + r)), to += 3;
  for (int32_t i = 0; i < rings; i++) {
    bool upper = i < quarter; // of a capsule; a sphere's rings are all about one centre
    int32_t step = half > 0 && !upper ? i : i + 1;
    double sine, cosine;
    lb_sin_cos(0.5 * LB_PI * step / quarter, &sine, &cosine);
    double z = step == quarter ? 0 : r * cosine;
    for (int32_t k = 0; k < around; k++, to += 3) {
      double x, y;
      lb_sin_cos(2 * LB_PI * k / around, &y, &x);
      lb_vec3_store(to, lb_vec3(r * sine * x, r * sine * y, z + (upper ? half : -half)));
    }
  }
  lb_vec3_store(to, lb_vec3(0, 0, -half - r));
}

static void round_triangles(const lbSolid *solid, int32_t detail, int32_t *triangles) {
  int32_t around = 4 * pieces(detail), rings = sphere_ring_count(solid, detail);
  int32_t last = 1 + rings * around;
  for (int32_t i = -1; i < rings; i++)
    for (int32_t k = 0; k < around; k++) {
      int32_t next = (k + 1) % around, above = 1 + i * around, below = above + around;
      int32_t a = above + k, b = above + next, c = below + k, d = below + next;
      int32_t top[3] = { 0, c, d }, bottom[3] = { a, last, b };
      int32_t both[6] = { a, c, d, a, d, b };
      int32_t *from = i < 0 ? top : i == rings - 1 ? bottom : both;
      int32_t count = i < 0 || i == rings - 1 ? 3 : 6;
      for (int32_t n = 0; n < count; n++) *triangles++ = from[n];
    }
}

void lb_solid_surface(const lbSolid *solid, int32_t detail, double extent, double *vertices,
                      int32_t *triangles) {
  const lbPolyhedron *p = solid->polyhedron;
  if (p) {
    for (size_t i = 0; i < 3 * (size_t)p->vertex_count; i++) vertices[i] = p->vertices[i];
    for (size_t i = 0; i < 3 * (size_t)p->triangle_count; i++) triangles[i] = p->triangles[i];
  } else if (solid->kind == LB_SOLID_PLANE) {
    for (int k = 0; k < 4; k++) {
      double x = k == 0 || k == 3 ? -extent : extent, y = k < 2 ? -extent : extent;
      lb_vec3_store(vertices + 3 * k, lb_vec3(x, y, 0));
    }
    for (int i = 0; i < 6; i++) triangles[i] = square[i];
  } else {
    round_vertices(solid, detail, vertices);
    round_triangles(solid, detail, triangles);
  }
}
