// A triangle surface with its edges, corners and normals, made once from vertices and triangles.
//
// Normals of edges and corners are those that tell inside from outside (Baerentzen & Aanaes 2005):
// an edge's is the bisector of its two triangles, a corner's the sum over its triangles, each
// weighted by its angle there.
#include "collide/neighbours.h"
#include "collide/solid_parts.h"
#include "math/functions.h"

#include <stdlib.h>

// ---- vertices and triangles --------------------------------------------------------------------

typedef struct Sorted {
  double x[3];
  int32_t vertex;
} Sorted;

static int compare_vertices(const void *left, const void *right) {
  const Sorted *a = left, *b = right;
  for (int i = 0; i < 3; i++)
    if (a->x[i] != b->x[i]) return a->x[i] < b->x[i] ? -1 : 1;
  return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

// The first vertex at the same place, for each: files often have a vertex once a triangle.
static int32_t *first_at_place(lbArena *scratch, int32_t count, const double *vertices) {
  Sorted *sorted = lb_arena_alloc(scratch, (size_t)count, sizeof *sorted);
  int32_t *first = lb_arena_alloc(scratch, (size_t)count, sizeof *first);
  if (!sorted || !first) return NULL;
  for (int32_t i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) sorted[i].x[k] = vertices[3 * (size_t)i + (size_t)k];
    sorted[i].vertex = i;
  }
  qsort(sorted, (size_t)count, sizeof *sorted, compare_vertices);
  for (int32_t i = 0, begin = 0; i < count; i++) {
    for (int k = 0; k < 3; k++)
      if (sorted[i].x[k] != sorted[begin].x[k]) begin = i;
    first[sorted[i].vertex] = sorted[begin].vertex;
  }
  return first;
}

// Triangles that have three different vertices, by the first vertex at each place.
static lbStatus copy_solid_triangles(lbPolyhedron *p, const double *vertices,
                                     int32_t triangle_count, const int32_t *triangles,
                                     lbError *err) {
  lbArena scratch = { 0 };
  int32_t *first = first_at_place(&scratch, p->vertex_count, vertices);
  if (!first) {
    lb_arena_release(&scratch);
    return lb_fail_memory(err);
  }
  for (int32_t i = 0; i < triangle_count; i++) {
    const int32_t *from = triangles + 3 * (size_t)i;
    int32_t a = first[from[0]], b = first[from[1]], c = first[from[2]];
    if (a == b || b == c || c == a) continue;
    int32_t *to = p->triangles + 3 * (size_t)p->triangle_count++;
    to[0] = a, to[1] = b, to[2] = c;
  }
  lb_arena_release(&scratch);
  if (p->triangle_count == 0)
    return lb_fail(err, LB_ERR_MESH, "every triangle of the surface has corners at one place");
  return LB_OK;
}

// ---- normals -----------------------------------------------------------------------------------

static void corners_of_triangle(const lbPolyhedron *p, int32_t triangle, lbVec3 corners[3]) {
  for (int k = 0; k < 3; k++) corners[k] = lb_triangle_corner(&p->surface, triangle, k);
}

// Flat within rounding: no normal.
static lbVec3 normal_or_zero(const lbVec3 c[3]) {
  lbVec3 ab = lb_sub(c[1], c[0]), ac = lb_sub(c[2], c[0]), bc = lb_sub(c[2], c[1]);
  lbVec3 normal = lb_cross(ab, ac);
  double longest2 = lb_greater(lb_dot(ab, ab), lb_greater(lb_dot(ac, ac), lb_dot(bc, bc)));
  if (!(lb_length(normal) > 1e-13 * longest2)) return lb_vec3(0, 0, 0);
  return lb_normalise(normal);
}

static void find_solid_normals(lbPolyhedron *p) {
  for (int32_t i = 0; i < p->triangle_count; i++) {
    lbVec3 c[3];
    corners_of_triangle(p, i, c);
    p->normals[i] = normal_or_zero(c);
    for (int k = 0; k < 3; k++) {
      lbVec3 u = lb_sub(c[(k + 1) % 3], c[k]), v = lb_sub(c[(k + 2) % 3], c[k]);
      double angle = lb_atan2(lb_length(lb_cross(u, v)), lb_dot(u, v));
      lbVec3 *sum = &p->vertex_normals[p->triangles[3 * i + k]];
      *sum = lb_add_scaled(*sum, angle, p->normals[i]);
    }
  }
  for (int32_t i = 0; i < p->vertex_count; i++)
    p->vertex_normals[i] = lb_direction_or(p->vertex_normals[i], lb_vec3(0, 0, 1));
}

static double volume_of_polyhedron(const lbPolyhedron *p) {
  double volume = 0;
  lbVec3 origin = lb_triangle_corner(&p->surface, 0, 0), c[3];
  for (int32_t i = 0; i < p->triangle_count; i++) {
    corners_of_triangle(p, i, c);
    volume += lb_dot(lb_sub(c[0], origin), lb_cross(lb_sub(c[1], origin), lb_sub(c[2], origin)));
  }
  return volume;
}

static void turn_round(lbPolyhedron *p) {
  for (int32_t i = 0; i < p->triangle_count; i++) {
    int32_t *t = p->triangles + 3 * (size_t)i, kept = t[1];
    t[1] = t[2], t[2] = kept;
  }
}

// ---- edges -------------------------------------------------------------------------------------

static void set_side(const lbPolyhedron *p, lbSolidEdge *edge, int side, int32_t triangle,
                     int corner) {
  lbVec3 from = lb_polyhedron_vertex(p, edge->ends[0]);
  lbVec3 far = lb_triangle_corner(&p->surface, triangle, (corner + 2) % 3);
  lbVec3 to_far = lb_sub(far, from);
  to_far = lb_add_scaled(to_far, -lb_dot(to_far, edge->along), edge->along);
  edge->inward[side] = lb_direction_or(to_far, lb_square_to(edge->along));
  edge->faces[side] = p->normals[triangle];
}

// An edge between two triangles, or (right NULL) at the border of one.
static void add_solid_edge(lbPolyhedron *p, const lbSurfaceEdge *left, const lbSurfaceEdge *right) {
  int32_t id = p->edge_count++;
  lbSolidEdge *edge = &p->edges[id];
  const int32_t *t = p->triangles + 3 * (size_t)left->triangle;
  edge->ends[0] = t[left->corner];
  edge->ends[1] = t[(left->corner + 1) % 3];
  edge->border = !right;
  edge->triangles[0] = left->triangle;
  edge->triangles[1] = right ? right->triangle : -1;
  lbVec3 from = lb_polyhedron_vertex(p, edge->ends[0]), to = lb_polyhedron_vertex(p, edge->ends[1]);
  edge->along = lb_direction_or(lb_sub(to, from), lb_vec3(1, 0, 0));
  const lbSurfaceEdge *other = right ? right : left;
  set_side(p, edge, 0, left->triangle, left->corner);
  set_side(p, edge, 1, other->triangle, other->corner);
  if (lb_dot(edge->faces[0], edge->faces[0]) == 0) edge->faces[0] = edge->faces[1];
  if (lb_dot(edge->faces[1], edge->faces[1]) == 0) edge->faces[1] = edge->faces[0];
  edge->normal = lb_direction_or(lb_add(edge->faces[0], edge->faces[1]), edge->faces[0]);
  if (lb_dot(edge->normal, edge->normal) == 0) edge->normal = lb_square_to(edge->along);
  // Convex: each triangle lies behind the other one's plane.
  bool convex = lb_dot(edge->faces[0], edge->inward[1]) < -LB_FLAT_ANGLE ||
                lb_dot(edge->faces[0], edge->faces[1]) < -1 + 1e-12;
  edge->sharp = edge->border || convex;
  p->triangle_edges[3 * left->triangle + left->corner] = id;
  p->across[3 * left->triangle + left->corner] =
      p->triangles[3 * other->triangle + (other->corner + 2) % 3];
  if (!right) return;
  p->triangle_edges[3 * right->triangle + right->corner] = id;
  p->across[3 * right->triangle + right->corner] = t[(left->corner + 2) % 3];
}

// Triangles that run along an edge in opposite directions are paired, in order; the rest has a
// border there.
static void pair_run(lbPolyhedron *p, const lbSurfaceEdge *edges, int32_t begin, int32_t end) {
  int32_t back = begin;
  for (int32_t i = begin; i < end; i++) {
    if (!edges[i].forward) continue;
    while (back < end && edges[back].forward) back++;
    add_solid_edge(p, &edges[i], back < end ? &edges[back++] : NULL);
  }
  for (; back < end; back++)
    if (!edges[back].forward) add_solid_edge(p, &edges[back], NULL);
}

static bool is_closed(const lbSurfaceEdge *edges, int32_t count) {
  for (int32_t begin = 0, end; begin < count; begin = end) {
    int32_t balance = 0;
    end = lb_surface_edges_run(edges, count, begin);
    for (int32_t i = begin; i < end; i++) balance += edges[i].forward ? 1 : -1;
    if (balance != 0) return false;
  }
  return true;
}

static lbStatus find_solid_edges(lbPolyhedron *p, lbError *err) {
  int32_t count = 3 * p->triangle_count;
  lbSurfaceEdge *edges = lb_alloc((size_t)count, sizeof *edges);
  if (!edges) return lb_fail_memory(err);
  lb_surface_edges(&p->surface, edges);
  p->closed = is_closed(edges, count);
  if (p->closed && volume_of_polyhedron(p) < 0) {
    turn_round(p);
    lb_surface_edges(&p->surface, edges);
  }
  find_solid_normals(p);
  for (int32_t begin = 0, end; begin < count; begin = end) {
    end = lb_surface_edges_run(edges, count, begin);
    pair_run(p, edges, begin, end);
  }
  lb_free(edges);
  return LB_OK;
}

// Edges of each vertex, what is sharp, and which triangle owns what is.
static void find_vertex_edges(lbPolyhedron *p) {
  for (int32_t i = 0; i < 2 * p->edge_count; i++)
    p->vertex_begin[p->edges[i / 2].ends[i % 2] + 1]++;
  for (int32_t i = 0; i < p->vertex_count; i++) p->vertex_begin[i + 1] += p->vertex_begin[i];
  for (int32_t i = 2 * p->edge_count - 1; i >= 0; i--) { // backwards: each count ends as a begin
    const lbSolidEdge *edge = &p->edges[i / 2];
    int32_t vertex = edge->ends[i % 2];
    p->vertex_edges[--p->vertex_begin[vertex + 1]] = i / 2;
    p->vertex_sharp[vertex] |= edge->sharp;
    p->vertex_border[vertex] |= edge->border;
    if (i % 2 == 0 && edge->sharp) {
      int32_t triangle = edge->triangles[0];
      for (int k = 0; k < 3; k++)
        if (p->triangle_edges[3 * triangle + k] == i / 2)
          p->own[triangle] |= (uint8_t)LB_OWN_EDGE(k);
    }
  }
  // vertex_begin[v + 1] now holds the begin of v.
  for (int32_t i = 0; i < p->vertex_count; i++) p->vertex_begin[i] = p->vertex_begin[i + 1];
  p->vertex_begin[p->vertex_count] = 2 * p->edge_count;
}

static lbStatus own_vertices(lbPolyhedron *p, lbError *err) {
  bool *seen = lb_alloc((size_t)p->vertex_count, sizeof *seen);
  if (!seen) return lb_fail_memory(err);
  for (int32_t i = 0; i < 3 * p->triangle_count; i++) {
    int32_t vertex = p->triangles[i];
    if (p->vertex_sharp[vertex] && !seen[vertex]) p->own[i / 3] |= (uint8_t)LB_OWN_CORNER(i % 3);
    seen[vertex] = true;
  }
  lb_free(seen);
  return LB_OK;
}

// ---- life --------------------------------------------------------------------------------------

static bool allocate_polyhedron(lbPolyhedron *p, int32_t vertex_count, int32_t triangle_count) {
  size_t vertices = (size_t)vertex_count, triangles = (size_t)triangle_count;
  lbArena *arena = &p->arena;
  p->vertices = lb_arena_alloc(arena, 3 * vertices, sizeof *p->vertices);
  p->triangles = lb_arena_alloc(arena, 3 * triangles, sizeof *p->triangles);
  p->normals = lb_arena_alloc(arena, triangles, sizeof *p->normals);
  p->edges = lb_arena_alloc(arena, 3 * triangles, sizeof *p->edges);
  p->triangle_edges = lb_arena_alloc(arena, 3 * triangles, sizeof *p->triangle_edges);
  p->across = lb_arena_alloc(arena, 3 * triangles, sizeof *p->across);
  p->vertex_normals = lb_arena_alloc(arena, vertices, sizeof *p->vertex_normals);
  p->vertex_begin = lb_arena_alloc(arena, vertices + 1, sizeof *p->vertex_begin);
  p->vertex_edges = lb_arena_alloc(arena, 6 * triangles, sizeof *p->vertex_edges);
  p->vertex_sharp = lb_arena_alloc(arena, vertices, sizeof *p->vertex_sharp);
  p->vertex_border = lb_arena_alloc(arena, vertices, sizeof *p->vertex_border);
  p->own = lb_arena_alloc(arena, triangles, sizeof *p->own);
  p->sharp = lb_arena_alloc(arena, triangles, sizeof *p->sharp);
  return p->vertices && p->triangles && p->normals && p->edges && p->triangle_edges && p->across &&
         p->vertex_normals && p->vertex_begin && p->vertex_edges && p->vertex_sharp &&
         p->vertex_border && p->own && p->sharp;
}

static lbStatus build_sharp_tree(lbPolyhedron *p, lbError *err) {
  int32_t count = 0;
  lbBox *boxes = lb_alloc((size_t)p->triangle_count, sizeof *boxes);
  if (!boxes) return lb_fail_memory(err);
  for (int32_t i = 0; i < p->triangle_count; i++) {
    if (p->own[i] == 0) continue;
    boxes[count] = lb_triangle_box(&p->surface, i);
    p->sharp[count++] = i;
  }
  lbStatus status = lb_aabb_tree_build(boxes, count, &p->sharp_tree, err);
  lb_free(boxes);
  return status;
}

static lbStatus fill_polyhedron(lbPolyhedron *p, const double *vertices, int32_t triangle_count,
                                const int32_t *triangles, lbError *err) {
  for (size_t i = 0; i < 3 * (size_t)p->vertex_count; i++) p->vertices[i] = vertices[i];
  lbStatus status = copy_solid_triangles(p, vertices, triangle_count, triangles, err);
  if (status) return status;
  p->surface = (lbTriangles){ p->triangle_count, p->triangles, p->vertices };
  status = find_solid_edges(p, err);
  if (status) return status;
  find_vertex_edges(p);
  status = own_vertices(p, err);
  if (!status) status = build_sharp_tree(p, err);
  return status ? status : lb_aabb_tree_build_triangles(&p->surface, &p->tree, err);
}

lbStatus lb_polyhedron_create(int32_t vertex_count, const double *vertices, int32_t triangle_count,
                              const int32_t *triangles, lbPolyhedron **out, lbError *err) {
  lbPolyhedron *p = lb_alloc(1, sizeof *p);
  if (!p) return lb_fail_memory(err);
  p->vertex_count = vertex_count;
  lbStatus status = allocate_polyhedron(p, vertex_count, triangle_count)
                        ? fill_polyhedron(p, vertices, triangle_count, triangles, err)
                        : lb_fail_memory(err);
  if (status) {
    lb_polyhedron_destroy(p);
    return status;
  }
  *out = p;
  return LB_OK;
}

void lb_polyhedron_destroy(lbPolyhedron *polyhedron) {
  if (!polyhedron) return;
  lb_aabb_tree_destroy(polyhedron->tree);
  lb_aabb_tree_destroy(polyhedron->sharp_tree);
  lb_arena_release(&polyhedron->arena);
  lb_free(polyhedron);
}
