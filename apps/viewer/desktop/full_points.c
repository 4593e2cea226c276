// Points and surfaces of a model whose nodes are where the simulator has them; see full_parts.h.
#include "desktop/full_parts.h"

#include <string.h>

// ---- points ------------------------------------------------------------------------------------

static int32_t add_node(int32_t count, int32_t node, double weight, int32_t *nodes,
                        double *weights) {
  for (int32_t i = 0; i < count; i++)
    if (nodes[i] == node) {
      weights[i] += weight;
      return count;
    }
  if (count == VW_POINT_NODES) return count;
  nodes[count] = node;
  weights[count] = weight;
  return count + 1;
}

static int32_t add_vertex(const lbModel *m, int32_t count, int32_t vertex, double weight,
                          int32_t *nodes, double *weights) {
  for (int32_t k = m->carrier_begin[vertex]; k < m->carrier_begin[vertex + 1]; k++)
    count = add_node(count, m->carrier_nodes[k], weight * m->carrier_weights[k], nodes, weights);
  return count;
}

static int32_t element_nodes(const lbModel *m, const lbPoint *point, int32_t *nodes,
                             double *weights) {
  bool tet = point->index < m->size.tet_count;
  int32_t corners = tet ? 4 : 8, count = 0;
  const int32_t *element = tet ? m->tets + 4 * (size_t)point->index
                               : m->bricks + 8 * (size_t)(point->index - m->size.tet_count);
  for (int32_t i = 0; i < corners; i++)
    count = add_node(count, element[i], point->weights[i], nodes, weights);
  return count;
}

int32_t vw_point_nodes(const lbModel *m, const lbPoint *point, int32_t nodes[VW_POINT_NODES],
                       double weights[VW_POINT_NODES]) {
  const int32_t limits[LB_POINT_KIND_COUNT] = { m->size.vertex_count, m->size.node_count,
                                                m->size.triangle_count, m->size.element_count };
  int32_t count = 0, i = point->index;
  if ((int)point->kind < 0 || point->kind >= LB_POINT_KIND_COUNT) return 0;
  if (i < 0 || i >= limits[point->kind]) return 0;
  switch (point->kind) {
  case LB_POINT_VERTEX: return add_vertex(m, 0, i, 1, nodes, weights);
  case LB_POINT_NODE: return add_node(0, i, 1, nodes, weights);
  case LB_POINT_ELEMENT: return element_nodes(m, point, nodes, weights);
  default:
    for (size_t k = 0; k < 3; k++)
      count =
          add_vertex(m, count, m->triangles[3 * (size_t)i + k], point->weights[k], nodes, weights);
    return count;
  }
}

lbVec3 vw_point_sum(const lbModel *m, const lbPoint *point, const double *values) {
  int32_t nodes[VW_POINT_NODES];
  double weights[VW_POINT_NODES];
  int32_t count = vw_point_nodes(m, point, nodes, weights);
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < count; i++)
    sum = lb_add_scaled(sum, weights[i], lb_vec3_load(values + 3 * (size_t)nodes[i]));
  return sum;
}

// ---- rays --------------------------------------------------------------------------------------

// origin + t direction = a + v (b - a) + w (c - a), by Cramer's rule; from either side.
static bool hit_triangle(lbVec3 origin, lbVec3 direction, lbVec3 a, lbVec3 b, lbVec3 c, double *t,
                         double *v, double *w) {
  lbVec3 ab = lb_sub(b, a), ac = lb_sub(c, a), from = lb_sub(origin, a);
  lbVec3 across = lb_cross(direction, ac), turned = lb_cross(from, ab);
  double determinant = lb_dot(ab, across);
  if (!(fabs(determinant) > 0)) return false;
  *v = lb_dot(from, across) / determinant;
  *w = lb_dot(direction, turned) / determinant;
  *t = lb_dot(ac, turned) / determinant;
  return *v >= 0 && *w >= 0 && *v + *w <= 1 && *t >= 0;
}

bool vw_pick_surface(const lbModel *m, const double *x, lbVec3 origin, lbVec3 direction,
                     lbPick *pick) {
  bool hit = false;
  for (int32_t i = 0; i < m->size.triangle_count; i++) {
    const int32_t *corners = m->triangles + 3 * (size_t)i;
    double t, v, w;
    if (!hit_triangle(origin, direction, lb_vec3_load(x + 3 * (size_t)corners[0]),
                      lb_vec3_load(x + 3 * (size_t)corners[1]),
                      lb_vec3_load(x + 3 * (size_t)corners[2]), &t, &v, &w) ||
        (hit && t >= pick->distance))
      continue;
    hit = true;
    pick->point = lb_point_triangle(i, 1 - v - w, v, w);
    pick->position = lb_add_scaled(origin, t, direction);
    pick->distance = t;
  }
  return hit;
}
