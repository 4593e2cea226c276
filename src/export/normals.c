// With A the sum of (x1 - x0) x (x2 - x0) over the triangles of a vertex, n = A / |A| and
//   dn = (dA - n (n . dA)) / |A|,   dA = sum of (u1 - u0) x (x2 - x0) + (x1 - x0) x (u2 - u0).
#include "export/normals.h"

#include "limber/math.h"

#include <string.h>

static void take_sources(const lbSurface *surface, const double *values, lbVec3 *points) {
  for (int32_t i = 0; i < surface->source_count; i++)
    points[i] = lb_vec3_load(values + 3 * (size_t)surface->sources[i]);
}

static const int32_t *corners(const lbSurface *surface, int32_t triangle) {
  return surface->triangles + 3 * (size_t)triangle;
}

// Adds twice the area times the normal of every triangle to its corners.
static void add_areas(const lbSurface *surface, const lbVec3 *points, lbVec3 *sums) {
  memset(sums, 0, (size_t)surface->source_count * sizeof *sums);
  for (int32_t i = 0; i < surface->triangle_count; i++) {
    const int32_t *c = corners(surface, i), *o = surface->origins;
    lbVec3 x0 = points[o[c[0]]];
    lbVec3 area = lb_cross(lb_sub(points[o[c[1]]], x0), lb_sub(points[o[c[2]]], x0));
    for (int k = 0; k < 3; k++) sums[o[c[k]]] = lb_add(sums[o[c[k]]], area);
  }
}

// Adds dA of every triangle to its corners.
static void add_changes(const lbSurface *surface, const lbVec3 *x, const lbVec3 *u, lbVec3 *sums) {
  for (int32_t i = 0; i < surface->triangle_count; i++) {
    const int32_t *c = corners(surface, i), *o = surface->origins;
    int32_t a = o[c[0]], b = o[c[1]], d = o[c[2]];
    lbVec3 change = lb_add(lb_cross(lb_sub(u[b], u[a]), lb_sub(x[d], x[a])),
                           lb_cross(lb_sub(x[b], x[a]), lb_sub(u[d], u[a])));
    for (int k = 0; k < 3; k++) sums[o[c[k]]] = lb_add(sums[o[c[k]]], change);
  }
}

static void put(lbVec3 v, float *to) { to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z; }

static void put_normals(size_t count, const lbVec3 *sums, float *normals) {
  for (size_t i = 0; i < count; i++) {
    lbVec3 normal = lb_normalise(sums[i]);
    if (!(fabs(lb_length(normal) - 1) < 1e-6)) normal = lb_vec3(0, 0, 1);
    put(normal, normals + 3 * i);
  }
}

float *lb_normals_of_shape(const lbSurface *surface, const double *positions) {
  size_t count = (size_t)surface->source_count;
  lbVec3 *points = lb_alloc(count, sizeof *points), *areas = lb_alloc(count, sizeof *areas);
  float *normals = points && areas ? lb_alloc(count, 3 * sizeof *normals) : NULL;
  if (normals) {
    take_sources(surface, positions, points);
    add_areas(surface, points, areas);
    put_normals(count, areas, normals);
  }
  lb_free(points);
  lb_free(areas);
  return normals;
}

float *lb_normals_change(const lbSurface *surface, const double *positions,
                         const double *displacements, double scale) {
  size_t count = (size_t)surface->source_count;
  lbVec3 *block = lb_alloc(4 * count, sizeof *block);
  float *changes = block ? lb_alloc(count, 3 * sizeof *changes) : NULL;
  if (changes) {
    lbVec3 *x = block, *u = x + count, *areas = u + count, *dA = areas + count;
    take_sources(surface, positions, x);
    take_sources(surface, displacements, u);
    add_areas(surface, x, areas);
    add_changes(surface, x, u, dA);
    for (size_t i = 0; i < count; i++) {
      double length = lb_length(areas[i]);
      if (!(length > 0)) continue; // the normal is made up: it stays
      lbVec3 n = lb_scale(1 / length, areas[i]);
      lbVec3 dn = lb_scale(scale / length, lb_add_scaled(dA[i], -lb_dot(n, dA[i]), n));
      if (lb_length(dn) < 1e6) put(dn, changes + 3 * i);
    }
  }
  lb_free(block);
  return changes;
}
