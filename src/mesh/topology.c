// Welding by position, edges by sorting, patches by walking over edges of two triangles.
#include "mesh/topology.h"

#include <stdlib.h>

typedef struct Place {
  double x[3];
  int32_t vertex;
} Place;

typedef struct HalfEdge {
  int32_t low, high; // welded vertices, low < high
  int32_t triangle;
  int32_t direction; // 1: from low to high
} HalfEdge;

typedef struct Scratch {
  Place *places;       // (vertices)
  HalfEdge *edges;     // (3 x triangles), sorted
  int32_t *neighbours; // (triangles x 3), packed, -1 after the last
  int8_t *agreements;  // (triangles x 3), 1: that neighbour has the same winding, -1: the other
  int32_t *queue;      // (triangles)
} Scratch;

static int compare_places(const void *a, const void *b) {
  const Place *p = a, *q = b;
  for (int i = 0; i < 3; i++) {
    if (p->x[i] < q->x[i]) return -1;
    if (p->x[i] > q->x[i]) return 1;
  }
  return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static void weld(lbTopology *topology, const double *positions, Place *places) {
  for (int32_t v = 0; v < topology->vertex_count; v++) {
    const double *x = positions + 3 * (size_t)v;
    places[v] = (Place){ { x[0], x[1], x[2] }, v };
  }
  if (topology->vertex_count)
    qsort(places, (size_t)topology->vertex_count, sizeof *places, compare_places);
  int32_t first = 0;
  for (int32_t i = 0; i < topology->vertex_count; i++) {
    const double *x = places[i].x, *y = places[first].x;
    if (x[0] != y[0] || x[1] != y[1] || x[2] != y[2]) first = i;
    topology->welded[places[i].vertex] = places[first].vertex;
  }
}

static int compare_edges(const void *a, const void *b) {
  const HalfEdge *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static int32_t gather_edges(const lbTopology *topology, const lbTriangles *surface,
                            HalfEdge *edges) {
  int32_t count = 0;
  for (int32_t t = 0; t < surface->count; t++) {
    int32_t v[3];
    for (int k = 0; k < 3; k++)
      v[k] = topology->welded[surface->triangles[3 * (size_t)t + (size_t)k]];
    topology->patches[t] = -1;
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
    topology->signs[t] = 1;
    for (int k = 0; k < 3; k++) {
      int32_t from = v[k], to = v[(k + 1) % 3];
      edges[count++] = from < to ? (HalfEdge){ from, to, t, 1 } : (HalfEdge){ to, from, t, -1 };
    }
  }
  if (count) qsort(edges, (size_t)count, sizeof *edges, compare_edges);
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
  lb_free(scratch->places);
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
  Scratch scratch = { lb_alloc(vertices, sizeof(Place)), lb_alloc(3 * triangles, sizeof(HalfEdge)),
                      lb_alloc(3 * triangles, sizeof(int32_t)), lb_alloc(3 * triangles, 1),
                      lb_alloc(triangles, sizeof(int32_t)) };
  lbStatus status = LB_OK;
  if (!topology->welded || !topology->patches || !topology->signs || !scratch.places ||
      !scratch.edges || !scratch.neighbours || !scratch.agreements || !scratch.queue ||
      surface->count > INT32_MAX / 3) {
    status = lb_fail_memory(err);
    goto done;
  }
  weld(topology, surface->positions, scratch.places);
  int32_t edge_count = gather_edges(topology, surface, scratch.edges);
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
