// Checks of a triangle surface: edges by hashing, fans around vertices and closed parts by disjoint
// sets, inside-out parts by signed volume.
#include "mesh/report_parts.h"

#include "limber/math.h"
#include "mesh/hash_table.h"
#include "mesh/quality.h"
#include "mesh/sets.h"

// The most triangles visited in telling cavities from inside-out parts.
#define WINDING_BUDGET 1e8

typedef struct Surface {
  lbReportBuilder *builder;
  const int32_t *triangles;
  int32_t count;
  bool is_file;
  lbHashTable edges; // vertex pairs, the smaller id first
  int32_t *edge_of;  // (count x 3), -1 for triangles that have a vertex twice
  int32_t *uses;     // (edges), triangles at the edge
  int32_t *balance;  // (edges), those that pass it upwards minus the others
  int32_t *first;    // (edges), a corner (3 t + i) at which the edge begins in its first triangle
  int32_t *fans;     // (count x 3), disjoint sets of corners that share a vertex and edges
  int32_t *parts;    // (count), disjoint sets of triangles that share edges
  double *part_size; // (count), signed volume by root triangle; NaN when not closed
} Surface;

static lbVec3 at(const Surface *surface, int32_t vertex) {
  return lb_vec3_load(surface->builder->mesh->positions + 3 * (size_t)vertex);
}

static bool list_surface_edges(Surface *surface) {
  size_t corners = 3 * (size_t)surface->count;
  surface->edges = lb_hash_table(2 * sizeof(int32_t));
  surface->edge_of = lb_alloc(corners, sizeof(int32_t));
  if (!surface->edge_of) return false;
  for (size_t c = 0; c < corners; c++) {
    const int32_t *v = surface->triangles + c / 3 * 3;
    int32_t a = v[c % 3], b = v[(c + 1) % 3];
    bool repeats = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
    int32_t key[2] = { a < b ? a : b, a < b ? b : a };
    int32_t edge = repeats ? -1 : lb_hash_table_add(&surface->edges, key);
    if (edge < 0 && !repeats) return false;
    surface->edge_of[c] = edge;
  }
  size_t edges = (size_t)surface->edges.count;
  surface->uses = lb_alloc(edges, sizeof(int32_t));
  surface->balance = lb_alloc(edges, sizeof(int32_t));
  surface->first = lb_alloc(edges, sizeof(int32_t));
  surface->fans = lb_sets_make(corners);
  surface->parts = lb_sets_make((size_t)surface->count);
  surface->part_size = lb_alloc((size_t)surface->count, sizeof(double));
  return surface->uses && surface->balance && surface->first && surface->fans && surface->parts &&
         surface->part_size;
}

// The corner of the triangle of corner c that lies at this vertex.
static int32_t corner_at(const Surface *surface, int32_t c, int32_t vertex) {
  int32_t base = c / 3 * 3;
  for (int32_t i = 0; i < 2; i++)
    if (surface->triangles[base + i] == vertex) return base + i;
  return base + 2;
}

// Counts the triangles of each edge and joins their corners at both ends.
static void join_at_edges(Surface *surface) {
  for (int32_t c = 0; c < 3 * surface->count; c++) {
    int32_t edge = surface->edge_of[c];
    if (edge < 0) continue;
    const int32_t *ends = (const int32_t *)surface->edges.keys + 2 * (size_t)edge;
    surface->balance[edge] += surface->triangles[c] == ends[0] ? 1 : -1;
    if (surface->uses[edge]++ == 0) {
      surface->first[edge] = c;
      continue;
    }
    int32_t other = surface->first[edge];
    for (int end = 0; end < 2; end++)
      lb_sets_join(surface->fans, corner_at(surface, c, ends[end]),
                   corner_at(surface, other, ends[end]));
    lb_sets_join(surface->parts, c / 3, other / 3);
  }
}

static void report_edges(Surface *surface) {
  lbMeshReport *report = surface->builder->report;
  report->closed = surface->count > 0;
  for (int32_t e = 0; e < surface->edges.count; e++) {
    const int32_t *ends = (const int32_t *)surface->edges.keys + 2 * (size_t)e;
    if (surface->uses[e] != 2) report->closed = false;
    if (surface->uses[e] > 2) lb_report_edge(surface->builder, LB_NON_MANIFOLD_EDGES, ends);
    if (!surface->is_file) continue;
    if (surface->uses[e] == 1) lb_report_edge(surface->builder, LB_OPEN_EDGES, ends);
    if (surface->uses[e] == 2 && surface->balance[e] != 0)
      lb_report_edge(surface->builder, LB_INCONSISTENT_ORIENTATION, ends);
  }
}

// A vertex whose corners are in two sets or more is pinched.
static void report_surface_vertices(Surface *surface) {
  int32_t vertex_count = surface->builder->mesh->vertex_count;
  int32_t *seen = lb_alloc((size_t)vertex_count, sizeof(int32_t)); // root plus one, -1: pinched
  if (!seen) {
    surface->builder->out_of_memory = true;
    return;
  }
  for (int32_t c = 0; c < 3 * surface->count; c++) {
    if (surface->edge_of[c] < 0) continue;
    int32_t vertex = surface->triangles[c], root = lb_sets_root(surface->fans, c) + 1;
    if (seen[vertex] == 0) seen[vertex] = root;
    if (seen[vertex] == root || seen[vertex] < 0) continue;
    seen[vertex] = -1;
    lb_report_item(surface->builder, LB_NON_MANIFOLD_VERTICES, vertex);
  }
  lb_free(seen);
}

// Loops of open edges, counted as sets of vertices that they connect.
static void count_holes(Surface *surface) {
  int32_t vertex_count = surface->builder->mesh->vertex_count;
  int32_t *parent = lb_sets_make((size_t)vertex_count);
  bool *open = lb_alloc((size_t)vertex_count, sizeof(bool));
  if (parent && open) {
    for (int32_t e = 0; e < surface->edges.count; e++) {
      if (surface->uses[e] != 1) continue;
      const int32_t *ends = (const int32_t *)surface->edges.keys + 2 * (size_t)e;
      open[ends[0]] = open[ends[1]] = true;
      lb_sets_join(parent, ends[0], ends[1]);
    }
    for (int32_t i = 0; i < vertex_count; i++)
      if (open[i] && parent[i] == i) surface->builder->report->hole_count++;
  } else {
    surface->builder->out_of_memory = true;
  }
  lb_free(parent);
  lb_free(open);
}

// ---- inside out --------------------------------------------------------------------------------

// Signed volumes of the closed parts; each is measured from a vertex of its own.
static void measure_surface_parts(Surface *surface) {
  for (int32_t t = 0; t < surface->count; t++) {
    int32_t root = lb_sets_root(surface->parts, t);
    const int32_t *v = surface->triangles + 3 * (size_t)t;
    bool sound = true;
    for (size_t i = 0; i < 3; i++) {
      int32_t edge = surface->edge_of[3 * (size_t)t + i];
      sound &= edge >= 0 && surface->uses[edge] == 2 && surface->balance[edge] == 0;
    }
    lbVec3 o = at(surface, surface->triangles[3 * (size_t)root]);
    lbVec3 a = lb_sub(at(surface, v[0]), o), b = lb_sub(at(surface, v[1]), o);
    lbVec3 c = lb_sub(at(surface, v[2]), o);
    surface->part_size[root] += sound ? lb_dot(a, lb_cross(b, c)) / 6 : (double)NAN;
  }
}

// How often the other parts wind around a point: solid angles over 4π, each
// 2 atan2(a·(b×c), |a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
static double winding(Surface *surface, int32_t part, lbVec3 point) {
  double sum = 0;
  for (int32_t t = 0; t < surface->count; t++) {
    if (lb_sets_root(surface->parts, t) == part) continue;
    const int32_t *v = surface->triangles + 3 * (size_t)t;
    lbVec3 a = lb_sub(at(surface, v[0]), point), b = lb_sub(at(surface, v[1]), point);
    lbVec3 c = lb_sub(at(surface, v[2]), point);
    double la = lb_length(a), lb = lb_length(b), lc = lb_length(c);
    sum += 2 * atan2(lb_dot(a, lb_cross(b, c)),
                     la * lb * lc + lb_dot(a, b) * lc + lb_dot(b, c) * la + lb_dot(c, a) * lb);
  }
  return sum / (4 * LB_PI);
}

static void report_inside_out(Surface *surface) {
  double budget = WINDING_BUDGET;
  measure_surface_parts(surface);
  for (int32_t t = 0; t < surface->count; t++) {
    if (surface->parts[t] != t || !(surface->part_size[t] < 0)) continue;
    budget -= surface->count;
    lbVec3 point = at(surface, surface->triangles[3 * (size_t)t]);
    bool cavity = budget > 0 && winding(surface, t, point) > 0.5;
    if (!cavity) lb_report_item(surface->builder, LB_INSIDE_OUT, t);
  }
}

// ------------------------------------------------------------------------------------------------

static void measure_surface(Surface *surface) {
  lbMeshReport *report = surface->builder->report;
  double volume = 0;
  for (int32_t t = 0; t < surface->count; t++) {
    const int32_t *v = surface->triangles + 3 * (size_t)t;
    lbVec3 o = lb_vec3_load(report->bounds[0]);
    lbVec3 a = lb_sub(at(surface, v[0]), o), b = lb_sub(at(surface, v[1]), o);
    report->surface_area += lb_triangle_area(surface->builder->mesh, v);
    volume += lb_dot(a, lb_cross(b, lb_sub(at(surface, v[2]), o))) / 6;
  }
  if (surface->is_file && report->closed) report->volume = volume;
}

void lb_report_surface(lbReportBuilder *builder, const int32_t *triangles, int32_t count,
                       bool is_file) {
  Surface surface = {
    .builder = builder, .triangles = triangles, .count = count, .is_file = is_file
  };
  if (count > INT32_MAX / 3 || !list_surface_edges(&surface)) {
    builder->out_of_memory = true;
  } else {
    join_at_edges(&surface);
    report_edges(&surface);
    report_surface_vertices(&surface);
    if (is_file) count_holes(&surface);
    if (is_file) report_inside_out(&surface);
    measure_surface(&surface);
  }
  lb_hash_table_release(&surface.edges);
  lb_free(surface.edge_of);
  lb_free(surface.uses);
  lb_free(surface.balance);
  lb_free(surface.first);
  lb_free(surface.fans);
  lb_free(surface.parts);
  lb_free(surface.part_size);
}
