// The edges of a shell, and what the kernel knows of each: see shell.h.
#include "elastic/shell.h"

#include "limber/math.h"
#include "math/functions.h"

#include <stdlib.h>

// ---- edges -------------------------------------------------------------------------------------

typedef struct Corner { // an edge a < b as one triangle has it
  int32_t a, b, triangle, opposite;
  bool turned; // the triangle runs from b to a
} Corner;

static int compare_flap_numbers(int32_t x, int32_t y) { return (x > y) - (x < y); }

static int compare_flap_corners(const void *left, const void *right) {
  const Corner *x = left, *y = right;
  int order = compare_flap_numbers(x->a, y->a);
  if (!order) order = compare_flap_numbers(x->b, y->b);
  return order ? order : compare_flap_numbers(x->triangle, y->triangle);
}

static lbVec3 load_node_position(const double *positions, int32_t node) {
  return lb_vec3_load(positions + 3 * (size_t)node);
}

// A triangle is flat when its least height is negligible against its longest edge.
static bool has_area(const double *positions, const int32_t *nodes) {
  lbVec3 corners[3];
  double longest = 0;
  for (int i = 0; i < 3; i++) corners[i] = load_node_position(positions, nodes[i]);
  for (int i = 0; i < 3; i++)
    longest = fmax(longest, lb_length(lb_sub(corners[(i + 1) % 3], corners[i])));
  double area = lb_length(lb_cross(lb_sub(corners[1], corners[0]), lb_sub(corners[2], corners[0])));
  return isfinite(longest) && area > 1e-12 * longest * longest && isfinite(1 / area);
}

static lbStatus check_flap_triangles(int32_t vertex_count, const double *positions,
                                     int32_t triangle_count, const int32_t *triangles,
                                     const char *name, lbError *err) {
  for (int32_t t = 0; t < triangle_count; t++) {
    const int32_t *nodes = triangles + 3 * (size_t)t;
    for (int i = 0; i < 3; i++)
      if (nodes[i] < 0 || nodes[i] >= vertex_count)
        return lb_fail(err, LB_ERR_MESH, "%s: triangle %d uses vertex %d, the mesh has %d", name,
                       (int)t, (int)nodes[i], (int)vertex_count);
    if (!has_area(positions, nodes))
      return lb_fail(err, LB_ERR_MESH,
                     "%s: triangle %d (vertices %d %d %d) has no area; see `limber mesh` for a "
                     "report, remove it",
                     name, (int)t, (int)nodes[0], (int)nodes[1], (int)nodes[2]);
  }
  return LB_OK;
}

static void list_flap_corners(int32_t triangle_count, const int32_t *triangles, Corner *corners) {
  for (int32_t t = 0; t < triangle_count; t++)
    for (int i = 0; i < 3; i++) {
      const int32_t *nodes = triangles + 3 * (size_t)t;
      int32_t from = nodes[i], to = nodes[(i + 1) % 3];
      *corners++ = (Corner){ .a = from < to ? from : to,
                             .b = from < to ? to : from,
                             .triangle = t,
                             .opposite = nodes[(i + 2) % 3],
                             .turned = from > to };
    }
  qsort(corners - 3 * (size_t)triangle_count, 3 * (size_t)triangle_count, sizeof *corners,
        compare_flap_corners);
}

static bool same_edge(const Corner *x, const Corner *y) { return x->a == y->a && x->b == y->b; }

// `sharers` corners of one edge.
static lbStatus check_edge(const Corner *corners, size_t sharers, const char *name, lbError *err) {
  for (size_t i = 0; i < sharers && i < 3; i++)
    for (size_t j = 0; j < i; j++)
      if (corners[i].opposite == corners[j].opposite)
        return lb_fail(err, LB_ERR_MESH,
                       "%s: triangles %d and %d have the same vertices (%d %d %d), remove one",
                       name, (int)corners[j].triangle, (int)corners[i].triangle, (int)corners[i].a,
                       (int)corners[i].b, (int)corners[i].opposite);
  if (sharers > 2)
    return lb_fail(err, LB_ERR_MESH,
                   "%s: the edge between vertices %d and %d has more than two triangles (%d, %d, "
                   "%d, ...); a shell is a surface without branches, remove some",
                   name, (int)corners[0].a, (int)corners[0].b, (int)corners[0].triangle,
                   (int)corners[1].triangle, (int)corners[2].triangle);
  return LB_OK;
}

static lbFlap make_flap(const Corner *corners, size_t sharers) {
  // The triangle that runs from a to b is the first; where both do or none, the lower number.
  bool swapped = sharers > 1 && corners[0].turned && !corners[1].turned;
  const Corner *first = &corners[swapped], *second = sharers > 1 ? &corners[!swapped] : NULL;
  return (lbFlap){ .nodes = { first->a, first->b, first->opposite,
                              second ? second->opposite : first->opposite },
                   .triangles = { first->triangle, second ? second->triangle : -1 } };
}

lbStatus lb_shell_flaps(int32_t vertex_count, const double *positions, int32_t triangle_count,
                        const int32_t *triangles, const char *name, lbFlap **flaps, int32_t *count,
                        lbError *err) {
  if (triangle_count > INT32_MAX / 3)
    return lb_fail(err, LB_ERR_MESH, "%s: the mesh is too large (%d triangles)", name,
                   (int)triangle_count);
  lbStatus status =
      check_flap_triangles(vertex_count, positions, triangle_count, triangles, name, err);
  if (status) return status;
  size_t corner_count = 3 * (size_t)triangle_count, edges = 0;
  Corner *corners = lb_alloc(corner_count, sizeof *corners);
  lbFlap *made = lb_alloc(corner_count, sizeof *made);
  if (!corners || !made) status = lb_fail_memory(err);
  if (!status) list_flap_corners(triangle_count, triangles, corners);
  for (size_t i = 0, end; i < corner_count && !status; i = end) {
    for (end = i + 1; end < corner_count && same_edge(&corners[i], &corners[end]);) end++;
    status = check_edge(corners + i, end - i, name, err);
    if (!status) made[edges++] = make_flap(corners + i, end - i);
  }
  lb_free(corners);
  if (status) {
    lb_free(made);
    return status;
  }
  *flaps = made;
  *count = (int32_t)edges;
  return LB_OK;
}

// ---- rest data ---------------------------------------------------------------------------------

typedef struct Stiffness { // of one material at an edge, all in Pa
  double stretch, bend, area;
} Stiffness;

// `length` of the edge and `area` of all its triangles. Material constants of a whole edge are
// divided by the volume of the material at the edge.
static Stiffness stiffness_of(const lbMaterial *m, double length, double area) {
  double t = m->thickness, volume = t * area / 3;
  double slope = 3 * length * length / area; // of the bend energy: (θ − θ₀)² bend slope
  if (m->stretch > 0)
    return (Stiffness){ m->stretch * length / volume, m->bend * slope / volume, m->area / t };
  double plane = m->young / (1 - m->poisson * m->poisson);
  return (Stiffness){ .stretch = 2 * m->young / (1 + m->poisson),
                      .bend = plane * t * t * t / 72 * slope / volume,
                      .area = fmax(0, plane * (3 * m->poisson - 1) / 4) };
}

static double angle_of(lbVec3 e, lbVec3 p, lbVec3 q) {
  lbVec3 first = lb_cross(e, p), second = lb_cross(q, e);
  return lb_atan2(-lb_length(e) * lb_dot(first, q), lb_dot(first, second));
}

typedef struct Geometry {
  lbVec3 e, p, q;
  double length, areas[2];
  int32_t sides;       // 2; at the boundary 1
  double weights[2];   // a third of the volume of each triangle
  double area, volume; // of all sides: of the triangles, of the weights
} Geometry;

static Geometry measure_flap(const lbFlap *flap, const double *positions,
                             const lbFlapMaterials *materials) {
  lbVec3 origin = load_node_position(positions, flap->nodes[0]);
  Geometry g = { .e = lb_sub(load_node_position(positions, flap->nodes[1]), origin),
                 .p = lb_sub(load_node_position(positions, flap->nodes[2]), origin),
                 .q = lb_sub(load_node_position(positions, flap->nodes[3]), origin),
                 .sides = flap->triangles[1] >= 0 ? 2 : 1 };
  g.length = lb_length(g.e);
  g.areas[0] = lb_length(lb_cross(g.e, g.p)) / 2;
  g.areas[1] = lb_length(lb_cross(g.e, g.q)) / 2;
  for (int i = 0; i < g.sides; i++) {
    g.weights[i] = materials->of[i]->thickness * g.areas[i] / 3;
    g.area += g.areas[i];
    g.volume += g.weights[i];
  }
  return g;
}

void lb_flap_rest(const lbFlap *flap, const double *positions, const lbFlapMaterials *materials,
                  double *rest, int32_t stride) {
  double values[2][LB_POINT_REST] = { { 0 } };
  Geometry g = measure_flap(flap, positions, materials);
  lb_vec3_store(values[0], g.e);
  lb_vec3_store(values[0] + 3, g.p);
  lb_vec3_store(values[1], g.q);
  values[0][6] = g.length;
  values[1][3] = g.sides == 2 ? angle_of(g.e, g.p, g.q) : 0;
  for (int i = 0; i < 2; i++) {
    values[i][8] = g.areas[i];
    values[i][9] = g.weights[i];
  }
  for (int i = 0; i < 2 * LB_POINT_REST; i++)
    rest[i * (size_t)stride] = values[i / LB_POINT_REST][i % LB_POINT_REST];
}

void lb_flap_parameters(const lbFlap *flap, const double *positions,
                        const lbFlapMaterials *materials, double *parameters, int32_t stride) {
  double values[LB_MATERIAL_PARAMETERS] = { 0 };
  Geometry g = measure_flap(flap, positions, materials);
  for (int i = 0; i < g.sides; i++) {
    Stiffness stiffness = stiffness_of(materials->of[i], g.length, g.area);
    double share = g.weights[i] / g.volume;
    values[0] += share * stiffness.stretch;
    values[1] += g.sides == 2 ? share * stiffness.bend : 0; // a boundary has nothing to bend
    values[2 + i] = stiffness.area;
  }
  for (int i = 0; i < LB_MATERIAL_PARAMETERS; i++) parameters[i * (size_t)stride] = values[i];
}
