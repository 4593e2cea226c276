// Which triangles of a surface are neighbours, and which of them owns a shared edge or corner.
#include "collide/neighbours.h"

#include "collide/solid.h"

#include <stdlib.h>

static int compare_surface_edges(const void *left, const void *right) {
  const lbSurfaceEdge *a = left, *b = right;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  if (a->triangle != b->triangle) return a->triangle < b->triangle ? -1 : 1;
  return a->corner < b->corner ? -1 : a->corner > b->corner;
}

void lb_surface_edges(const lbTriangles *surface, lbSurfaceEdge *edges) {
  for (int32_t i = 0; i < 3 * surface->count; i++) {
    int32_t triangle = i / 3, corner = i % 3;
    int32_t from = surface->triangles[i];
    int32_t to = surface->triangles[3 * triangle + (corner + 1) % 3];
    bool forward = from <= to;
    edges[i] =
        (lbSurfaceEdge){ forward ? from : to, forward ? to : from, triangle, corner, forward };
  }
  qsort(edges, 3 * (size_t)surface->count, sizeof *edges, compare_surface_edges);
}

int32_t lb_surface_edges_run(const lbSurfaceEdge *edges, int32_t count, int32_t begin) {
  int32_t end = begin + 1;
  while (end < count && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high)
    end++;
  return end;
}

// The third corner of an edge's triangle.
static int32_t opposite(const lbTriangles *surface, const lbSurfaceEdge *edge) {
  return surface->triangles[3 * edge->triangle + (edge->corner + 2) % 3];
}

static int32_t vertex_count(const lbTriangles *surface) {
  int32_t count = 0;
  for (int32_t i = 0; i < 3 * surface->count; i++)
    if (surface->triangles[i] >= count) count = surface->triangles[i] + 1;
  return count;
}

lbStatus lb_surface_neighbours(const lbTriangles *surface, int32_t *across, uint8_t *own,
                               lbError *err) {
  int32_t corner_count = 3 * surface->count;
  lbSurfaceEdge *edges = lb_alloc((size_t)corner_count, sizeof *edges);
  bool *seen = lb_alloc((size_t)vertex_count(surface), sizeof *seen);
  lbStatus status = edges && seen ? LB_OK : lb_fail_memory(err);
  if (status) goto done;
  for (int32_t i = 0; i < surface->count; i++) own[i] = 0;
  for (int32_t i = 0; i < corner_count; i++) {
    bool *taken = &seen[surface->triangles[i]];
    if (!*taken) own[i / 3] |= (uint8_t)LB_OWN_CORNER(i % 3);
    *taken = true;
  }
  lb_surface_edges(surface, edges);
  for (int32_t begin = 0, end; begin < corner_count; begin = end) {
    end = lb_surface_edges_run(edges, corner_count, begin);
    own[edges[begin].triangle] |= (uint8_t)LB_OWN_EDGE(edges[begin].corner);
    for (int32_t i = begin; i < end; i++) {
      const lbSurfaceEdge *other = end - begin == 2 ? &edges[begin + end - 1 - i] : &edges[i];
      across[3 * edges[i].triangle + edges[i].corner] = opposite(surface, other);
    }
  }
done:
  lb_free(edges);
  lb_free(seen);
  return status;
}

lbSurfaceTriangle lb_surface_triangle(const lbTriangles *surface, const int32_t *across,
                                      const uint8_t *own, int32_t triangle) {
  lbSurfaceTriangle result;
  for (int k = 0; k < 3; k++) {
    size_t far = (size_t)across[3 * (size_t)triangle + (size_t)k];
    result.corners[k] = lb_triangle_corner(surface, triangle, k);
    result.across[k] = lb_vec3_load(surface->positions + 3 * far);
  }
  result.own = own[triangle];
  return result;
}
