// What all kinds of actors share: making them, and the points and surface of a model.
#include "stage/actor.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 64 }; // vertices that tell how a body gives way

// ---- making ------------------------------------------------------------------------------------

// A ball around the rest shape: about the middle of its box.
static void find_ball(vwActor *actor) {
  const lbModel *m = actor->model;
  vwBox box = vw_box_empty();
  for (int32_t v = 0; v < m->size.vertex_count; v++)
    vw_box_add(&box, lb_vec3_load(m->vertex_positions + 3 * (size_t)v));
  if (m->size.vertex_count == 0) return;
  actor->box = box;
  actor->centre = lb_scale(0.5, lb_add(box.low, box.high));
  for (int32_t v = 0; v < m->size.vertex_count; v++) {
    lbVec3 x = lb_vec3_load(m->vertex_positions + 3 * (size_t)v);
    actor->radius = fmax(actor->radius, lb_length(lb_sub(x, actor->centre)));
  }
}

void vw_actor_measure(vwActor *actor) {
  int32_t count = actor->model->size.vertex_count;
  actor->compliance = actor->mobility = 0;
  for (int32_t v = 0; v < count; v += count / SAMPLES + 1) {
    double compliance, mobility;
    actor->kind->softness(actor, 0, lb_point_vertex(v), &compliance, &mobility);
    actor->compliance = fmax(actor->compliance, compliance);
    actor->mobility = fmax(actor->mobility, mobility);
  }
}

static lbStatus fill(vwActor *actor, const vwActorPlan *plan, lbError *err) {
  actor->model = plan->model;
  actor->method = plan->method;
  actor->count = plan->count;
  actor->positions = lb_duplicate(plan->positions, (size_t)plan->count, sizeof(lbVec3));
  actor->rotations = lb_duplicate(plan->rotations, (size_t)plan->count, sizeof(lbQuat));
  if (!actor->positions || !actor->rotations) return lb_fail_memory(err);
  find_ball(actor);
  lbStatus status = actor->kind->create(actor, plan, err);
  if (!status) vw_actor_measure(actor);
  return status;
}

lbStatus vw_actor_create(const vwActorKind *kind, const vwActorPlan *plan, vwActor **out,
                         lbError *err) {
  vwActor *actor = lb_alloc(1, sizeof *actor);
  if (!actor) return lb_fail_memory(err);
  actor->kind = kind;
  lbStatus status = fill(actor, plan, err);
  if (status)
    vw_actor_destroy(actor);
  else
    *out = actor;
  return status;
}

void vw_actor_destroy(vwActor *actor) {
  if (!actor) return;
  if (actor->own) actor->kind->release(actor);
  lb_free(actor->positions);
  lb_free(actor->rotations);
  lb_free(actor);
}

lbVec3 vw_place(const vwActor *actor, int32_t body, lbVec3 own) {
  return lb_add(actor->positions[body], lb_quat_rotate(actor->rotations[body], own));
}

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

void vw_embed(const lbModel *m, int32_t width, const double *nodes, double *vertices) {
  size_t w = (size_t)width;
  for (size_t v = 0; v < (size_t)m->size.vertex_count; v++) {
    double *to = vertices + w * v;
    memset(to, 0, w * sizeof(double));
    for (int32_t k = m->carrier_begin[v]; k < m->carrier_begin[v + 1]; k++)
      for (size_t i = 0; i < w; i++)
        to[i] += m->carrier_weights[k] * nodes[w * (size_t)m->carrier_nodes[k] + i];
  }
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
