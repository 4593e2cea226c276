// What a body looks like: x_vertex = position + R (rest + sum of weight u_node), u = U q; normals.
#include "body/point.h"

#include <string.h>

// ---- all of it ---------------------------------------------------------------------------------

// common->nodes <- U c at the nodes that carry the surface.
static void apply_basis(const lbBodyCommon *common, const double *c) {
  size_t stride = 3 * (size_t)common->model->size.node_count;
  for (int32_t i = 0; i < common->range_count; i++)
    common->kernels->basis_apply(common->basis, stride, common->dimension,
                                 3 * common->ranges[2 * i], 3 * common->ranges[2 * i + 1], c,
                                 common->nodes);
}

static lbVec3 carried(const lbBodyCommon *common, int32_t vertex) {
  const lbModel *model = common->model;
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t k = model->carrier_begin[vertex]; k < model->carrier_begin[vertex + 1]; k++)
    sum = lb_add_scaled(sum, model->carrier_weights[k],
                        lb_vec3_load(common->nodes + 3 * (size_t)model->carrier_nodes[k]));
  return sum;
}

void lb_body_surface(const lbBody *body, double *positions) {
  const lbModel *model = body->common->model;
  apply_basis(body->common, lb_body_coordinates(body));
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lbVec3 rest = lb_vec3_load(model->vertex_positions + 3 * (size_t)v);
    lb_vec3_store(positions + 3 * (size_t)v,
                  lb_body_place(body, lb_add(rest, carried(body->common, v))));
  }
}

void lb_body_surface_velocities(const lbBody *body, double *velocities) {
  apply_basis(body->common, lb_body_rates(body));
  for (int32_t v = 0; v < body->common->model->size.vertex_count; v++)
    lb_vec3_store(velocities + 3 * (size_t)v, lb_mat3_apply(body->turn, carried(body->common, v)));
}

// Twice the area times the normal.
static lbVec3 area_vector(lbVec3 a, lbVec3 b, lbVec3 c) {
  return lb_cross(lb_sub(b, a), lb_sub(c, a));
}

void lb_body_surface_normals(const lbBody *body, const double *positions, double *normals) {
  const lbModel *model = body->common->model;
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

static void apply_to_nodes(const lbBodyCommon *common, const double *c, double *nodes) {
  int32_t row_count = 3 * common->model->size.node_count;
  common->kernels->basis_apply(common->basis, (size_t)row_count, common->dimension, 0, row_count, c,
                               nodes);
}

void lb_body_node_displacements(const lbBody *body, double *displacements) {
  apply_to_nodes(body->common, lb_body_coordinates(body), displacements);
}

void lb_body_node_velocities(const lbBody *body, double *velocities) {
  apply_to_nodes(body->common, lb_body_rates(body), velocities);
}

// ---- parts of it -------------------------------------------------------------------------------

static lbVec3 vertex_position(const lbBody *body, const double *coordinates, int32_t vertex) {
  lbPoint point = lb_point_vertex(vertex);
  lbVec3 u = lb_point_apply(body->common, &point, coordinates);
  return lb_body_place(body, lb_add(lb_point_rest(body->common->model, &point), u));
}

static lbVec3 vertex_velocity(const lbBody *body, const double *rates, int32_t vertex) {
  lbPoint point = lb_point_vertex(vertex);
  return lb_mat3_apply(body->turn, lb_point_apply(body->common, &point, rates));
}

static lbVec3 vertex_normal(const lbBody *body, const double *coordinates, int32_t vertex) {
  const lbBodyCommon *common = body->common;
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = common->around_begin[vertex]; i < common->around_begin[vertex + 1]; i++) {
    const int32_t *corners = common->model->triangles + 3 * (size_t)common->around[i];
    sum = lb_add(sum, area_vector(vertex_position(body, coordinates, corners[0]),
                                  vertex_position(body, coordinates, corners[1]),
                                  vertex_position(body, coordinates, corners[2])));
  }
  return lb_normalise(sum);
}

lbStatus lb_body_vertices(const lbBody *body, int32_t count, const int32_t *vertices,
                          double *positions, double *velocities, double *normals) {
  int32_t vertex_count = body->common->model->size.vertex_count;
  if (count < 0)
    return lb_fail(body->message, LB_ERR_ARGUMENT, "vertices: count is %d", (int)count);
  for (int32_t i = 0; i < count; i++)
    if (vertices[i] < 0 || vertices[i] >= vertex_count)
      return lb_fail(body->message, LB_ERR_ARGUMENT,
                     "vertices: number %d is not among the model's %d vertices", (int)vertices[i],
                     (int)vertex_count);
  const double *coordinates = lb_body_coordinates(body), *rates = lb_body_rates(body);
  for (int32_t i = 0; i < count; i++) {
    size_t at = 3 * (size_t)i;
    if (positions) lb_vec3_store(positions + at, vertex_position(body, coordinates, vertices[i]));
    if (velocities) lb_vec3_store(velocities + at, vertex_velocity(body, rates, vertices[i]));
    if (normals) lb_vec3_store(normals + at, vertex_normal(body, coordinates, vertices[i]));
  }
  return LB_OK;
}

lbStatus lb_body_point(const lbBody *body, lbPoint point, lbVec3 *position, lbVec3 *velocity) {
  const lbBodyCommon *common = body->common;
  lbStatus status = lb_point_check(common->model, &point, "point", body->message);
  if (status) return status;
  if (position) {
    lbVec3 u = lb_point_apply(common, &point, lb_body_coordinates(body));
    *position = lb_body_place(body, lb_add(lb_point_rest(common->model, &point), u));
  }
  if (velocity)
    *velocity = lb_mat3_apply(body->turn, lb_point_apply(common, &point, lb_body_rates(body)));
  return LB_OK;
}
