// Questions about a whole body: what a ray hits, energy, momentum, coordinates.
#include "body/body.h"

// ---- picking -----------------------------------------------------------------------------------

static lbTriangles surface_of(const lbBodyCommon *common) {
  return (lbTriangles){ common->model->size.triangle_count, common->model->triangles,
                        common->tree_positions };
}

static lbStatus make_tree(lbBody *body) {
  lbBodyCommon *common = body->common;
  if (common->tree) return LB_OK;
  lb_free(common->tree_positions); // of a first pick that failed
  common->tree_positions = lb_alloc(3 * (size_t)common->model->size.vertex_count, sizeof(double));
  if (!common->tree_positions) return lb_fail_memory(body->message);
  lb_body_surface(body, common->tree_positions);
  lbTriangles surface = surface_of(common);
  return lb_aabb_tree_build_triangles(&surface, &common->tree, body->message);
}

lbStatus lb_body_pick(lbBody *body, lbVec3 origin, lbVec3 direction, lbPick *pick, bool *hit) {
  lbBodyCommon *common = body->common;
  if (!lb_vec3_is_bounded(origin) || !lb_vec3_is_bounded(direction) ||
      (direction.x == 0 && direction.y == 0 && direction.z == 0))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "pick: a ray from (%g, %g, %g) along (%g, %g, %g)", origin.x, origin.y, origin.z,
                   direction.x, direction.y, direction.z);
  *hit = false;
  if (common->model->size.triangle_count == 0) return LB_OK;
  lbStatus status = make_tree(body);
  if (status) return status;
  lb_body_surface(body, common->tree_positions);
  lbTriangles surface = surface_of(common);
  lb_aabb_tree_refit_triangles(common->tree, &surface, 0);
  lbSurfacePoint found;
  if (!lb_surface_ray_cast(common->tree, &surface, origin, direction, INFINITY, &found))
    return LB_OK;
  lbVec3 place = lb_vec3(0, 0, 0);
  for (int i = 0; i < 3; i++)
    place = lb_add_scaled(place, found.weights[i], lb_triangle_corner(&surface, found.triangle, i));
  *pick = (lbPick){ .point = lb_point_triangle(found.triangle, found.weights[0], found.weights[1],
                                               found.weights[2]),
                    .position = place,
                    .distance = found.distance };
  *hit = true;
  return LB_OK;
}

// ---- energy and momentum -----------------------------------------------------------------------

// The sum over modes of c_i times the reduced unit gravity: (U^T M 1)^T c, own axes.
static lbVec3 weigh(const lbBodyCommon *common, const double *c) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < common->dimension; i++)
    sum = lb_add_scaled(sum, c[i], lb_vec3_load(common->gravity + 3 * (size_t)i));
  return sum;
}

enum { NODES_AT_A_TIME = 128 };

// About the world's origin, with the nodes' masses.
static lbVec3 angular_momentum(const lbBody *body, const double *q, const double *v) {
  const lbBodyCommon *common = body->common;
  const lbModel *model = common->model;
  int32_t node_count = model->size.node_count, r = common->dimension;
  size_t stride = 3 * (size_t)node_count;
  double u[3 * NODES_AT_A_TIME], rates[3 * NODES_AT_A_TIME];
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t begin = 0; begin < node_count; begin += NODES_AT_A_TIME) {
    int32_t count = node_count - begin < NODES_AT_A_TIME ? node_count - begin : NODES_AT_A_TIME;
    const double *basis = common->basis + 3 * (size_t)begin;
    common->kernels->basis_apply(basis, stride, r, 0, 3 * count, q, u);
    common->kernels->basis_apply(basis, stride, r, 0, 3 * count, v, rates);
    for (int32_t i = 0; i < count; i++) {
      lbVec3 rest = lb_vec3_load(model->node_positions + 3 * (size_t)(begin + i));
      lbVec3 x = lb_body_place(body, lb_add(rest, lb_vec3_load(u + 3 * i)));
      lbVec3 velocity = lb_mat3_apply(body->turn, lb_vec3_load(rates + 3 * i));
      sum = lb_add_scaled(sum, common->node_masses[begin + i], lb_cross(x, velocity));
    }
  }
  return sum;
}

lbBodyReport lb_body_report(const lbBody *body) {
  const lbBodyCommon *common = body->common;
  const double *q = lb_body_coordinates(body), *v = lb_body_rates(body);
  lbBodyReport report = { 0 };
  common->method->energy(body, &report.kinetic, &report.elastic);
  lbVec3 shift = lb_scale(1 / common->total_mass, weigh(common, q));
  report.centre = lb_body_place(body, lb_add(common->centre, shift));
  report.linear_momentum = lb_mat3_apply(body->turn, weigh(common, v));
  report.angular_momentum = angular_momentum(body, q, v);
  return report;
}

// ---- coordinates -------------------------------------------------------------------------------

void lb_body_get_state(const lbBody *body, double *coordinates, double *rates) {
  for (int32_t i = 0; i < body->common->dimension; i++) {
    if (coordinates) coordinates[i] = body->instances->q[lb_body_at(body, i)];
    if (rates) rates[i] = body->instances->v[lb_body_at(body, i)];
  }
}

lbStatus lb_body_set_state(lbBody *body, const double *coordinates, const double *rates) {
  for (int32_t i = 0; i < body->common->dimension; i++)
    if (!lb_is_bounded(coordinates[i]) || !lb_is_bounded(rates[i]))
      return lb_fail(body->message, LB_ERR_ARGUMENT,
                     "state: coordinate %d is %g, its rate %g: not a number or beyond %g", (int)i,
                     coordinates[i], rates[i], LB_BODY_MOST);
  for (int32_t i = 0; i < body->common->dimension; i++) {
    body->instances->q[lb_body_at(body, i)] = coordinates[i];
    body->instances->v[lb_body_at(body, i)] = rates[i];
  }
  lb_body_disturb(body);
  return LB_OK;
}
