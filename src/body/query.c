// Queries of a whole body: ray casts, compliance, energy and momentum.
#include "body/hand_rows.h"
#include "body/point.h"
#include "body/tree.h"

#include <float.h>
#include <string.h>

// ---- picking -----------------------------------------------------------------------------------

// Boxes of the scratch: those of the shared tree, refitted to where the surface is.
static lbStatus make_boxes(const lbBody *body, lbScratch *s) {
  const lbTree *tree = NULL;
  if (s->call->boxes) return LB_OK;
  lbStatus status = lb_prepared_tree(body->prepared, &tree, body->message);
  if (status) return status;
  s->call->boxes = lb_aabb_tree_copy(tree->shape);
  return s->call->boxes ? LB_OK : lb_fail_memory(body->message);
}

lbStatus lb_body_prepare_queries(lbBody *body) {
  if (!body) return LB_ERR_ARGUMENT;
  const lbTree *tree = NULL;
  if (body->prepared->model->size.triangle_count == 0) return LB_OK;
  lbStatus status = lb_prepared_tree(body->prepared, &tree, body->message);
  return status || body->prepared->method->is_recording ? status : lb_contacts_make(body);
}

static lbStatus pick_with(lbBody *body, lbVec3 origin, lbVec3 direction, lbPick *pick, bool *hit,
                          lbScratch *s) {
  const lbModel *model = body->prepared->model;
  lbTriangles surface = { model->size.triangle_count, model->triangles, s->call->positions };
  lbSurfacePoint found;
  lbStatus status = make_boxes(body, s);
  if (status) return status;
  lb_surface_positions(body, s->call->positions, s);
  lb_aabb_tree_refit_triangles(s->call->boxes, &surface, 0);
  if (!lb_surface_ray_cast(s->call->boxes, &surface, origin, direction, INFINITY, &found))
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

lbStatus lb_body_pick(lbBody *body, lbVec3 origin, lbVec3 direction, lbPick *pick, bool *hit) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!pick) return lb_refuse_null(body->message, "pick");
  if (!hit) return lb_refuse_null(body->message, "hit");
  if (!lb_vec3_is_bounded(origin) || !lb_vec3_is_bounded(direction) ||
      (direction.x == 0 && direction.y == 0 && direction.z == 0))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "pick: a ray from (%g, %g, %g) along (%g, %g, %g)", origin.x, origin.y, origin.z,
                   direction.x, direction.y, direction.z);
  *hit = false;
  if (body->prepared->model->size.triangle_count == 0) return LB_OK;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return lb_fail_memory(body->message);
  lbStatus status = pick_with(body, origin, direction, pick, hit, scratch);
  lb_scratch_return(body->prepared, scratch);
  return status;
}

// ---- compliance --------------------------------------------------------------------------------

// Means over the axes of row K⁻¹ row and row M⁻¹ row.
static void soften(const lbBody *body, const lbPoint *point, double *compliance, double *mobility,
                   lbScratch *s) {
  const lbPrepared *p = body->prepared;
  size_t bytes = (size_t)p->padded * sizeof(double);
  *compliance = *mobility = 0;
  for (int axis = 0; axis < 3; axis++) {
    double unit[3] = { 0, 0, 0 };
    unit[axis] = 1;
    memset(s->a, 0, bytes);
    lb_point_add_force(p, point, lb_vec3_load(unit), s->a);
    memcpy(s->b, s->a, bytes);
    p->method->comply(p, s->b, s);
    *compliance += lb_row_dot(p->dimension, s->a, s->b) / 3;
    memcpy(s->b, s->a, bytes);
    lb_body_mobilise(body, s, s->b);
    *mobility += lb_row_dot(p->dimension, s->a, s->b) / 3;
  }
  if (body->frame.kind != LB_FRAME_FREE) return;
  lbVec3 arm = lb_sub(lb_point_rest(p->model, point), p->centre);
  double J =
      (p->model->rigid_inertia[0] + p->model->rigid_inertia[4] + p->model->rigid_inertia[8]) / 3;
  *mobility += 1 / p->mass + (J > 0 ? 2.0 / 3 * lb_dot(arm, arm) / J : 0);
}

lbStatus lb_body_softness(const lbBody *body, lbPoint point, double *compliance, double *mobility) {
  if (!body) return LB_ERR_ARGUMENT;
  double one, other;
  lbStatus status = lb_point_check(body->prepared->model, &point, "softness", NULL);
  if (status) return status;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return LB_ERR_MEMORY;
  soften(body, &point, compliance ? compliance : &one, mobility ? mobility : &other, scratch);
  lb_scratch_return(body->prepared, scratch);
  return LB_OK;
}

// The farthest any node is displaced.
static double reach_of(const lbBody *body, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  double farthest = 0;
  p->method->get(body, s->a, s->b, NULL);
  lb_body_nodes(body, s->a, s->b, 0, p->model->size.node_count, s->call->nodes, NULL);
  for (int32_t n = 0; n < p->model->size.node_count; n++)
    farthest = fmax(farthest, lb_length(lb_vec3_load(s->call->nodes + 3 * (size_t)n)));
  return farthest;
}

double lb_body_reach(const lbBody *body) {
  if (!body) return 0;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return INFINITY;
  double reach = reach_of(body, scratch);
  lb_scratch_return(body->prepared, scratch);
  return reach;
}

static double ask(const lbBody *body, double (*question)(const lbBody *, lbScratch *)) {
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return 0;
  double answer = question(body, scratch);
  lb_scratch_return(body->prepared, scratch);
  return answer;
}

double lb_body_pose_distance(const lbBody *body) {
  return body ? ask(body, body->prepared->method->pose_distance) : 0;
}

double lb_body_unfollowed_force(const lbBody *body) {
  return body ? ask(body, body->prepared->method->unfollowed_force) : 0;
}

// ---- energy and momentum -----------------------------------------------------------------------

// Σ c_i S_i = ∫ρ U c, own axes.
static lbVec3 weigh(const lbPrepared *p, const double *c) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < p->dimension && p->gravity; i++)
    sum = lb_add_scaled(sum, c[i], lb_vec3_load(p->gravity + 3 * (size_t)i));
  return sum;
}

// What the motion is made of, world axes: about the centre of the rest shape.
typedef struct Motion {
  lbVec3 shift, rate; // ∫ρ u, ∫ρ u̇
  lbVec3 relative;    // ∫ρ x × u̇
  lbMat3 inertia;     // J
} Motion;

static lbMat3 turned(lbMat3 turn, lbMat3 own) {
  return lb_mat3_multiply(turn, lb_mat3_multiply(own, lb_mat3_transpose(turn)));
}

// By the nodes' masses, where the model does not have the constants.
static void sum_nodes(const lbBody *body, const double *q, const double *v, Motion *m,
                      lbScratch *s) {
  const lbPrepared *p = body->prepared;
  lbMat3 X = lb_mat3_zero();
  lbVec3 sum = lb_vec3(0, 0, 0);
  int32_t count = p->model->size.node_count;
  lb_body_nodes(body, q, v, 0, count, s->call->nodes, NULL);
  for (int32_t begin = 0; begin < count; begin += 64) {
    double rates[3 * 64];
    int32_t used = count - begin < 64 ? count - begin : 64;
    size_t stride = 3 * (size_t)count;
    if (p->basis)
      p->basis_kernels->apply(p->basis + 3 * (size_t)begin, stride, p->dimension, 0, 3 * used, v,
                              rates);
    else
      memcpy(rates, v + 3 * (size_t)begin, 3 * (size_t)used * sizeof *rates);
    for (int32_t i = 0; i < used; i++) {
      size_t at = 3 * (size_t)(begin + i);
      lbVec3 x = lb_sub(
          lb_add(lb_vec3_load(p->model->node_positions + at), lb_vec3_load(s->call->nodes + at)),
          p->centre);
      double mass = p->node_masses[begin + i];
      sum = lb_add_scaled(sum, mass, lb_cross(x, lb_vec3_load(rates + 3 * i)));
      X = lb_mat3_add(X, lb_mat3_scale(mass, lb_mat3_outer(x, x)));
    }
  }
  lbMat3 J = lb_mat3_sub(lb_mat3_scale(lb_mat3_trace(X), lb_mat3_identity()), X);
  m->relative = sum, m->inertia = J;
}

static Motion motion_of(const lbBody *body, const double *q, const double *v, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  Motion m = { .shift = weigh(p, q), .rate = weigh(p, v) };
  if (p->inertia.count) {
    lb_find_moments(body, q, s);
    m.relative = lb_inertia_relative(&p->inertia, v, s->moments);
    m.inertia = lb_inertia_tensor(&p->inertia, q, s->moments);
  } else
    sum_nodes(body, q, v, &m, s);
  lbMat3 turn = body->frame.turn;
  m.shift = lb_mat3_apply(turn, m.shift), m.rate = lb_mat3_apply(turn, m.rate);
  m.relative = lb_mat3_apply(turn, m.relative), m.inertia = turned(turn, m.inertia);
  return m;
}

void lb_default_report(const lbBody *body, lbBodyReport *report, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  lbVec3 v = body->frame.velocity, w = body->frame.spin, centre = lb_frame_centre(body);
  p->method->get(body, s->q, s->v, NULL);
  Motion m = motion_of(body, s->q, s->v, s);
  lbVec3 flow = lb_add(m.rate, lb_cross(w, m.shift)), spun = lb_mat3_apply(m.inertia, w);
  report->elastic = p->method->elastic(body, s->q, s);
  if (!isfinite(report->elastic)) report->elastic = DBL_MAX; // a fourth power of what is absurd
  report->kinetic = p->method->kinetic(body, s->v, s) + 0.5 * p->mass * lb_dot(v, v) +
                    lb_dot(v, flow) + 0.5 * lb_dot(w, spun) + lb_dot(w, m.relative);
  report->centre = lb_add_scaled(centre, 1 / p->mass, m.shift);
  report->linear_momentum = lb_add_scaled(flow, p->mass, v);
  lbVec3 about_centre = lb_add(lb_add(spun, m.relative), lb_cross(m.shift, v));
  if (body->frame.kind == LB_FRAME_FREE) { // what is kept, to the last bit
    report->linear_momentum = body->frame.momentum;
    about_centre = body->frame.angular;
  }
  report->angular_momentum = lb_add(lb_cross(centre, report->linear_momentum), about_centre);
}

lbBodyReport lb_body_report(const lbBody *body) {
  if (!body) return (lbBodyReport){ 0 };
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return (lbBodyReport){ 0 };
  lbBodyReport report = { .mass = body->prepared->mass };
  body->prepared->method->report(body, &report, scratch);
  lb_scratch_return(body->prepared, scratch);
  return report;
}
