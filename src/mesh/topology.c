// Welding by position, edges by sorting, patches by walking over edges of two triangles. All of it
// takes time in proportion to the triangles.
#include "mesh/topology.h"

#include "mesh/hash_table.h"

#include <stdlib.h>

typedef struct HalfEdge {
  int32_t low, high; // welded vertices, low < high
  int32_t triangle;
  int32_t direction; // 1: from low to high
} HalfEdge;

typedef struct Scratch {
  int32_t *firsts;     // (vertices): of welded ones; then where the edges of a vertex end
  HalfEdge *edges;     // (3 x triangles), sorted
  int32_t *neighbours; // (triangles x 3), packed, -1 after the last
  int8_t *agreements;  // (triangles x 3), 1: that neighbour has the same winding, -1: the other
  int32_t *queue;      // (triangles)
} Scratch;

// firsts: (vertex_count), the first vertex at each place
static lbStatus weld(lbTopology *topology, const double *positions, int32_t *firsts, lbError *err) {
  lbHashTable places = lb_hash_table(3 * sizeof(double));
  lbStatus status = LB_OK;
  for (int32_t v = 0; v < topology->vertex_count && !status; v++) {
    const double *x = positions + 3 * (size_t)v;
    int32_t next = places.count; // + 0: of -0 and 0 one
    int32_t place = lb_hash_table_add(&places, (double[3]){ x[0] + 0, x[1] + 0, x[2] + 0 });
    if (place < 0) status = lb_fail_memory(err);
    if (place == next) firsts[place] = v;
    if (place >= 0) topology->welded[v] = firsts[place];
  }
  lb_hash_table_release(&places);
  return status;
}

static int compare_half_edges(const void *a, const void *b) {
  const HalfEdge *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

// Edges of one vertex: few, except at tips of large fans.
static void sort_few(HalfEdge *edges, int32_t count) {
  if (count > 32) {
    qsort(edges, (size_t)count, sizeof *edges, compare_half_edges);
    return;
  }
  for (int32_t i = 1; i < count; i++) {
    HalfEdge edge = edges[i];
    int32_t at = i;
    for (; at > 0 && compare_half_edges(&edges[at - 1], &edge) > 0; at--) edges[at] = edges[at - 1];
    edges[at] = edge;
  }
}

static bool welded_corners(const lbTopology *topology, const lbTriangles *surface, int32_t t,
                           int32_t v[3]) {
  for (size_t k = 0; k < 3; k++) v[k] = topology->welded[surface->triangles[3 * (size_t)t + k]];
  return v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
}

// Sorted: by their lower vertices as they are put down, then those of each vertex.
static int32_t gather_edges(const lbTopology *topology, const lbTriangles *surface,
                            Scratch *scratch) {
  int32_t v[3], count = 0, *ends = scratch->firsts;
  for (int32_t i = 0; i < topology->vertex_count; i++) ends[i] = 0;
  for (int32_t t = 0; t < surface->count; t++) {
    topology->patches[t] = -1;
    if (!welded_corners(topology, surface, t, v)) continue;
    topology->signs[t] = 1;
    for (int k = 0; k < 3; k++) ends[v[k] < v[(k + 1) % 3] ? v[k] : v[(k + 1) % 3]]++;
  }
  for (int32_t i = 0; i < topology->vertex_count; i++) {
    int32_t own = ends[i];
    ends[i] = count; // where they begin, until they are there
    count += own;
  }
  for (int32_t t = 0; t < surface->count; t++) {
    if (!welded_corners(topology, surface, t, v)) continue;
    for (int k = 0; k < 3; k++) {
      int32_t from = v[k], to = v[(k + 1) % 3];
      scratch->edges[ends[from < to ? from : to]++] =
          from < to ? (HalfEdge){ from, to, t, 1 } : (HalfEdge){ to, from, t, -1 };
    }
  }
  for (int32_t i = 0, begin = 0; i < topology->vertex_count; begin = ends[i++])
    sort_few(scratch->edges + begin, ends[i] - begin);
  return count;
}

static int32_t edge_end(const HalfEdge *edges, int32_t count, int32_t begin) {
  int32_t end = begin + 1;
  while (end < count && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high)
    end++;
  return end;
}

static void add_neighbour(Scratch *scratch, int32_t triangle, int32_t neighbour, int8_t agreement) {
  for (size_t slot = 3 * (size_t)triangle; slot < 3 * (size_t)triangle + 3; slot++) {
    if (scratch->neighbours[slot] >= 0) continue;
    scratch->neighbours[slot] = neighbour;
    scratch->agreements[slot] = agreement;
    return;
  }
}

static void link_triangles(lbTopology *topology, Scratch *scratch, int32_t edge_count) {
  const HalfEdge *edges = scratch->edges;
  for (size_t i = 0; i < 3 * (size_t)topology->triangle_count; i++) scratch->neighbours[i] = -1;
  for (int32_t begin = 0, end; begin < edge_count; begin = end) {
    end = edge_end(edges, edge_count, begin);
    const HalfEdge *a = &edges[begin], *b = &edges[end - 1];
    if ((end - begin) % 2 && topology->open_edges++ == 0) {
      topology->open_edge[0] = a->low;
      topology->open_edge[1] = a->high;
    }
    if (end - begin != 2) continue;
    int8_t agreement = a->direction == b->direction ? -1 : 1;
    add_neighbour(scratch, a->triangle, b->triangle, agreement);
    add_neighbour(scratch, b->triangle, a->triangle, agreement);
  }
}

// A non-orientable patch keeps some disagreeing neighbours; they show as unbalanced edges.
static void walk_patch(lbTopology *topology, Scratch *scratch, int32_t seed) {
  int32_t head = 0, tail = 0;
  scratch->queue[tail++] = seed;
  topology->patches[seed] = topology->patch_count;
  while (head < tail) {
    int32_t t = scratch->queue[head++];
    for (size_t slot = 3 * (size_t)t; slot < 3 * (size_t)t + 3; slot++) {
      int32_t next = scratch->neighbours[slot];
      if (next < 0 || topology->patches[next] >= 0) continue;
      topology->patches[next] = topology->patch_count;
      topology->signs[next] = (int8_t)(topology->signs[t] * scratch->agreements[slot]);
      scratch->queue[tail++] = next;
    }
  }
  topology->patch_count++;
}

static void count_unbalanced(lbTopology *topology, const HalfEdge *edges, int32_t edge_count) {
  for (int32_t begin = 0, end; begin < edge_count; begin = end) {
    end = edge_end(edges, edge_count, begin);
    int32_t sum = 0;
    for (int32_t i = begin; i < end; i++)
      sum += edges[i].direction * topology->signs[edges[i].triangle];
    topology->unbalanced_edges += sum != 0;
  }
}

static void scratch_free(Scratch *scratch) {
  lb_free(scratch->firsts);
  lb_free(scratch->edges);
  lb_free(scratch->neighbours);
  lb_free(scratch->agreements);
  lb_free(scratch->queue);
}

lbStatus lb_topology_create(const lbTriangles *surface, int32_t vertex_count, lbTopology **out,
                            lbError *err) {
  size_t vertices = (size_t)vertex_count, triangles = (size_t)surface->count;
  lbTopology *topology = lb_alloc(1, sizeof *topology);
  if (!topology) return lb_fail_memory(err);
  *topology = (lbTopology){ .vertex_count = vertex_count,
                            .triangle_count = surface->count,
                            .welded = lb_alloc(vertices, sizeof(int32_t)),
                            .patches = lb_alloc(triangles, sizeof(int32_t)),
                            .signs = lb_alloc(triangles, 1) };
  Scratch scratch = { lb_alloc(vertices, sizeof(int32_t)),
                      lb_alloc(3 * triangles, sizeof(HalfEdge)),
                      lb_alloc(3 * triangles, sizeof(int32_t)), lb_alloc(3 * triangles, 1),
                      lb_alloc(triangles, sizeof(int32_t)) };
  lbStatus status = LB_OK;
  if (!topology->welded || !topology->patches || !topology->signs || !scratch.firsts ||
      !scratch.edges || !scratch.neighbours || !scratch.agreements || !scratch.queue ||
      surface->count > INT32_MAX / 3) {
    status = lb_fail_memory(err);
    goto done;
  }
  if ((status = weld(topology, surface->positions, scratch.firsts, err))) goto done;
  int32_t edge_count = gather_edges(topology, surface, &scratch);
  link_triangles(topology, &scratch, edge_count);
  for (int32_t t = 0; t < surface->count; t++)
    if (topology->signs[t] && topology->patches[t] < 0) walk_patch(topology, &scratch, t);
  count_unbalanced(topology, scratch.edges, edge_count);
  *out = topology;
  topology = NULL;
done:
  scratch_free(&scratch);
  lb_topology_destroy(topology);
  return status;
}

void lb_topology_destroy(lbTopology *topology) {
  if (!topology) return;
  lb_free(topology->welded);
  lb_free(topology->patches);
  lb_free(topology->signs);
  lb_free(topology);
}
