// The flat faces of a convex polyhedron: neighbouring triangles in one plane, and the polygon
// around them.
#include "collide/solid_parts.h"

static double area_of(const lbPolyhedron *p, int32_t triangle) {
  lbVec3 a = lb_triangle_corner(&p->surface, triangle, 0);
  lbVec3 ab = lb_sub(lb_triangle_corner(&p->surface, triangle, 1), a);
  lbVec3 ac = lb_sub(lb_triangle_corner(&p->surface, triangle, 2), a);
  return lb_length(lb_cross(ab, ac));
}

// The largest triangle that has no face yet; -1: none.
static int32_t next_seed(const lbPolyhedron *p, const int32_t *face_of) {
  int32_t seed = -1;
  double most = -1;
  for (int32_t i = 0; i < p->triangle_count; i++) {
    double area = face_of[i] < 0 ? area_of(p, i) : -1;
    if (area > most) most = area, seed = i;
  }
  return seed;
}

static int32_t neighbour(const lbPolyhedron *p, int32_t triangle, int corner) {
  const int32_t *sides = p->edges[p->triangle_edges[3 * triangle + corner]].triangles;
  return sides[0] == triangle ? sides[1] : sides[0];
}

// At a rim as sharp as a knife's, planes that are off by little meet far off: nothing is gathered.
static bool has_knife_edge(const lbPolyhedron *p) {
  for (int32_t i = 0; i < p->edge_count; i++)
    if (lb_dot(p->edges[i].faces[0], p->edges[i].faces[1]) < -0.99) return true;
  return false;
}

static bool lies_in_plane(const lbPolyhedron *p, int32_t triangle, int32_t seed, double tolerance) {
  lbVec3 n = p->normals[triangle], plane = p->normals[seed];
  lbVec3 origin = lb_triangle_corner(&p->surface, seed, 0);
  if (lb_dot(n, n) > 0 && lb_dot(n, plane) < 1 - 0.5 * LB_FLAT_ANGLE * LB_FLAT_ANGLE) return false;
  for (int k = 0; k < 3; k++) {
    double height = lb_dot(plane, lb_sub(lb_triangle_corner(&p->surface, triangle, k), origin));
    if (fabs(height) > tolerance) return false;
  }
  return true;
}

// Spreads the face from its seed over neighbours in the seed's plane. `stack` holds all triangles.
static void spread_face(const lbPolyhedron *p, int32_t seed, int32_t face, int32_t *face_of,
                        int32_t *stack, double tolerance) {
  int32_t stacked = 0;
  face_of[seed] = face;
  stack[stacked++] = seed;
  while (stacked > 0) {
    int32_t triangle = stack[--stacked];
    for (int k = 0; k < 3; k++) {
      int32_t next = neighbour(p, triangle, k);
      if (next < 0 || face_of[next] >= 0) continue;
      if (!lies_in_plane(p, next, seed, tolerance)) continue;
      face_of[next] = face;
      stack[stacked++] = next;
    }
  }
}

// Writes the polygon around a face; `next` (vertices) is scratch. Returns how many corners.
static int32_t walk_round(const lbPolyhedron *p, int32_t face, const int32_t *face_of,
                          int32_t *next, int32_t *polygon, int32_t room) {
  int32_t start = -1, count = 0;
  for (int32_t i = 0; i < p->vertex_count; i++) next[i] = -1;
  for (int32_t i = 0; i < 3 * p->triangle_count; i++) {
    int32_t triangle = i / 3, corner = i % 3, other = neighbour(p, triangle, corner);
    if (face_of[triangle] != face || (other >= 0 && face_of[other] == face)) continue;
    next[p->triangles[i]] = p->triangles[3 * triangle + (corner + 1) % 3];
    if (start < 0) start = p->triangles[i];
  }
  for (int32_t at = start; at >= 0 && count < room; at = next[at]) {
    if (count > 0 && at == start) break;
    polygon[count++] = at;
  }
  return count;
}

static double extent_of(const lbPolyhedron *p) {
  double most = 0;
  for (int32_t i = 1; i < p->vertex_count; i++) {
    lbVec3 apart = lb_sub(lb_polyhedron_vertex(p, i), lb_polyhedron_vertex(p, 0));
    most = lb_greater(most, lb_length(apart));
  }
  return most;
}

static double support_of_face(const lbPolyhedron *p, lbVec3 normal) {
  double most = -INFINITY;
  for (int32_t i = 0; i < 3 * p->triangle_count; i++)
    most = lb_greater(most, lb_dot(normal, lb_polyhedron_vertex(p, p->triangles[i])));
  return most;
}

lbStatus lb_polyhedron_find_faces(lbPolyhedron *p, lbError *err) {
  size_t triangles = (size_t)p->triangle_count;
  p->face_normals = lb_arena_alloc(&p->arena, triangles, sizeof *p->face_normals);
  p->face_offsets = lb_arena_alloc(&p->arena, triangles, sizeof *p->face_offsets);
  p->face_begin = lb_arena_alloc(&p->arena, triangles + 1, sizeof *p->face_begin);
  p->face_vertices = lb_arena_alloc(&p->arena, 3 * triangles, sizeof *p->face_vertices);
  lbArena scratch = { 0 };
  int32_t *face_of = lb_arena_alloc(&scratch, triangles, sizeof *face_of);
  int32_t *stack = lb_arena_alloc(&scratch, triangles, sizeof *stack);
  int32_t *next = lb_arena_alloc(&scratch, (size_t)p->vertex_count, sizeof *next);
  lbStatus status = LB_OK;
  if (!p->face_normals || !p->face_offsets || !p->face_begin || !p->face_vertices || !face_of ||
      !stack || !next) {
    status = lb_fail_memory(err);
    goto done;
  }
  double tolerance = has_knife_edge(p) ? 0 : LB_SAME_PLACE * extent_of(p);
  for (int32_t i = 0; i < p->triangle_count; i++) face_of[i] = -1;
  for (int32_t seed; (seed = next_seed(p, face_of)) >= 0;) {
    int32_t face = p->face_count;
    spread_face(p, seed, face, face_of, stack, tolerance);
    if (lb_dot(p->normals[seed], p->normals[seed]) == 0) continue; // flat triangles left over
    int32_t begin = p->face_begin[face];
    p->face_normals[face] = p->normals[seed];
    p->face_offsets[face] = support_of_face(p, p->normals[seed]);
    p->face_begin[face + 1] = begin + walk_round(p, face, face_of, next, p->face_vertices + begin,
                                                 3 * p->triangle_count - begin);
    p->face_count++;
  }
  if (p->face_count < 4) status = lb_fail(err, LB_ERR_MESH, "the convex shape is flat");
done:
  lb_arena_release(&scratch);
  return status;
}
