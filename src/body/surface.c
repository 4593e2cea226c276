// What a body looks like: x_vertex = position + R (rest + sum of weight u_node), u = U q; normals.
#include "body/access.h"

#include <string.h>

// ---- all of it ---------------------------------------------------------------------------------

void lb_body_nodes(const lbBody *body, const double *q, const double *v, int32_t begin, int32_t end,
                   double *displacements, double *velocities) {
  const lbPrepared *p = body->prepared;
  size_t stride = 3 * (size_t)p->model->size.node_count;
  size_t from = 3 * (size_t)begin, bytes = 3 * (size_t)(end - begin) * sizeof(double);
  if (!p->basis) {
    if (displacements) memcpy(displacements + from, q + from, bytes);
    if (velocities) memcpy(velocities + from, v + from, bytes);
    return;
  }
  if (displacements)
    p->basis_kernels->apply(p->basis, stride, p->dimension, 3 * begin, 3 * end, q, displacements);
  if (velocities)
    p->basis_kernels->apply(p->basis, stride, p->dimension, 3 * begin, 3 * end, v, velocities);
}

static lbVec3 carried(const lbModel *model, const double *nodes, int32_t vertex) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t k = model->carrier_begin[vertex]; k < model->carrier_begin[vertex + 1]; k++)
    sum = lb_add_scaled(sum, model->carrier_weights[k],
                        lb_vec3_load(nodes + 3 * (size_t)model->carrier_nodes[k]));
  return sum;
}

static lbVec3 rest_of(const lbModel *model, int32_t vertex) {
  return lb_vec3_load(model->vertex_positions + 3 * (size_t)vertex);
}

lbVec3 lb_surface_vertex(const lbBody *body, const double *nodes, int32_t vertex) {
  const lbModel *model = body->prepared->model;
  return lb_body_place(body, lb_add(rest_of(model, vertex), carried(model, nodes, vertex)));
}

void lb_surface_positions(const lbBody *body, double *positions, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  p->method->get(body, s->a, NULL, NULL);
  for (int32_t i = 0; i < p->range_count; i++)
    lb_body_nodes(body, s->a, NULL, p->ranges[2 * i], p->ranges[2 * i + 1], s->call->nodes, NULL);
  for (int32_t v = 0; v < p->model->size.vertex_count; v++)
    lb_vec3_store(positions + 3 * (size_t)v, lb_surface_vertex(body, s->call->nodes, v));
}

void lb_body_surface(const lbBody *body, double *positions) {
  if (!body || !positions) return;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return;
  lb_surface_positions(body, positions, scratch);
  lb_scratch_return(body->prepared, scratch);
}

// own (vertices x 3) <- what is carried of displacements or velocities.
static void carry(const lbBody *body, bool velocities, double *own, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  p->method->get(body, s->a, s->b, NULL);
  for (int32_t i = 0; i < p->range_count; i++)
    lb_body_nodes(body, s->a, s->b, p->ranges[2 * i], p->ranges[2 * i + 1],
                  velocities ? NULL : s->call->nodes, velocities ? s->call->nodes : NULL);
  for (int32_t v = 0; v < p->model->size.vertex_count; v++)
    lb_vec3_store(own + 3 * (size_t)v, carried(p->model, s->call->nodes, v));
}

void lb_body_surface_velocities(const lbBody *body, double *velocities) {
  if (!body || !velocities) return;
  const lbModel *model = body->prepared->model;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return;
  if (lb_frame_moves(body)) carry(body, false, s->call->positions, s);
  carry(body, true, velocities, s);
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    size_t at = 3 * (size_t)v;
    lbVec3 own = lb_add(rest_of(model, v), lb_vec3_load(s->call->positions + at));
    lb_vec3_store(velocities + at, lb_frame_velocity(body, own, lb_vec3_load(velocities + at)));
  }
  lb_scratch_return(body->prepared, s);
}

// Twice the area times the normal.
static lbVec3 area_vector(lbVec3 a, lbVec3 b, lbVec3 c) {
  return lb_cross(lb_sub(b, a), lb_sub(c, a));
}

void lb_body_surface_normals(const lbBody *body, const double *positions, double *normals) {
  if (!body || !positions || !normals) return;
  const lbModel *model = body->prepared->model;
  lbTriangles surface = { model->size.triangle_count, model->triangles, positions };
  memset(normals, 0, 3 * (size_t)model->size.vertex_count * sizeof *normals);
  for (int32_t t = 0; t < surface.count; t++) {
    lbVec3 n = area_vector(lb_triangle_corner(&surface, t, 0), lb_triangle_corner(&surface, t, 1),
                           lb_triangle_corner(&surface, t, 2));
    for (int corner = 0; corner < 3; corner++) {
      double *sum = normals + 3 * (size_t)surface.triangles[3 * (size_t)t + (size_t)corner];
      lb_vec3_store(sum, lb_add(lb_vec3_load(sum), n));
    }
  }
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    double *normal = normals + 3 * (size_t)v;
    lb_vec3_store(normal, lb_normalise(lb_vec3_load(normal)));
  }
}

void lb_body_node_displacements(const lbBody *body, double *displacements) {
  if (!body || !displacements) return;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return;
  body->prepared->method->get(body, s->a, s->b, NULL);
  lb_body_nodes(body, s->a, s->b, 0, body->prepared->model->size.node_count, displacements, NULL);
  lb_scratch_return(body->prepared, s);
}

void lb_body_node_velocities(const lbBody *body, double *velocities) {
  if (!body || !velocities) return;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return;
  body->prepared->method->get(body, s->a, s->b, NULL);
  lb_body_nodes(body, s->a, s->b, 0, body->prepared->model->size.node_count, NULL, velocities);
  lb_scratch_return(body->prepared, s);
}

// ---- parts of it -------------------------------------------------------------------------------

// The place and velocity of a point in own axes, for rows of coordinates and rates.
static void point_motion(const lbBody *body, const lbPoint *point, const double *q, const double *v,
                         lbVec3 *own, lbVec3 *rate) {
  const lbPrepared *p = body->prepared;
  *own = lb_add(lb_point_rest(p->model, point), lb_point_apply(p, point, q));
  if (rate) *rate = lb_point_apply(p, point, v);
}

// Uses scratch->c for the coordinates.
lbVec3 lb_point_place(const lbBody *body, const lbPoint *point, lbScratch *s) {
  lbVec3 own;
  body->prepared->method->get(body, s->c, NULL, NULL);
  point_motion(body, point, s->c, NULL, &own, NULL);
  return lb_body_place(body, own);
}

lbStatus lb_body_point_displacement(const lbBody *body, const lbPoint *point, lbVec3 *own) {
  const lbPrepared *p = body->prepared;
  lbScratch *s = lb_scratch_borrow(p);
  if (!s) return LB_ERR_MEMORY;
  p->method->get(body, s->q, NULL, NULL);
  *own = lb_point_apply(p, point, s->q);
  lb_scratch_return(p, s);
  return LB_OK;
}

static lbVec3 vertex_position(const lbBody *body, const lbScratch *s, int32_t vertex) {
  lbPoint point = lb_point_vertex(vertex);
  lbVec3 own;
  point_motion(body, &point, s->a, s->b, &own, NULL);
  return lb_body_place(body, own);
}

static lbVec3 vertex_normal(const lbBody *body, const lbScratch *s, int32_t vertex) {
  const lbPrepared *p = body->prepared;
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = p->around_begin[vertex]; i < p->around_begin[vertex + 1]; i++) {
    const int32_t *corners = p->model->triangles + 3 * (size_t)p->around[i];
    sum = lb_add(sum, area_vector(vertex_position(body, s, corners[0]),
                                  vertex_position(body, s, corners[1]),
                                  vertex_position(body, s, corners[2])));
  }
  return lb_normalise(sum);
}

static bool are_vertices(const lbModel *model, int32_t count, const int32_t *vertices) {
  if (count < 0) return false;
  for (int32_t i = 0; i < count; i++)
    if (vertices[i] < 0 || vertices[i] >= model->size.vertex_count) return false;
  return true;
}

lbStatus lb_body_vertices(const lbBody *body, int32_t count, const int32_t *vertices,
                          double *positions, double *velocities, double *normals) {
  if (!body || (!vertices && count > 0)) return LB_ERR_ARGUMENT;
  if (!are_vertices(body->prepared->model, count, vertices)) return LB_ERR_ARGUMENT;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return LB_ERR_MEMORY;
  body->prepared->method->get(body, s->a, s->b, NULL);
  for (int32_t i = 0; i < count; i++) {
    size_t at = 3 * (size_t)i;
    lbPoint point = lb_point_vertex(vertices[i]);
    lbVec3 own, rate;
    point_motion(body, &point, s->a, s->b, &own, velocities ? &rate : NULL);
    if (positions) lb_vec3_store(positions + at, lb_body_place(body, own));
    if (velocities) lb_vec3_store(velocities + at, lb_frame_velocity(body, own, rate));
    if (normals) lb_vec3_store(normals + at, vertex_normal(body, s, vertices[i]));
  }
  lb_scratch_return(body->prepared, s);
  return LB_OK;
}

lbStatus lb_body_point(const lbBody *body, lbPoint point, lbVec3 *position, lbVec3 *velocity) {
  if (!body) return LB_ERR_ARGUMENT;
  lbStatus status = lb_point_check(body->prepared->model, &point, "point", NULL);
  if (status) return status;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return LB_ERR_MEMORY;
  lbVec3 own, rate;
  body->prepared->method->get(body, s->a, s->b, NULL);
  point_motion(body, &point, s->a, s->b, &own, velocity ? &rate : NULL);
  if (position) *position = lb_body_place(body, own);
  if (velocity) *velocity = lb_frame_velocity(body, own, rate);
  lb_scratch_return(body->prepared, s);
  return LB_OK;
}
