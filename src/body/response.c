// A body in an open step (touch.h): contact points, their compliance, and constant forces.
#include "body/response.h"

#include "body/hand_rows.h"
#include "body/point.h"
#include "body/reaction.h"
#include "body/response_kernels.h"
#include "body/response_nodes.h"
#include "math/functions.h"

#include <string.h>

// ---- work --------------------------------------------------------------------------------------

bool lb_touch_is_possible(const lbBody *body) {
  const lbPrepared *p = body->prepared;
  return p->model->size.triangle_count > 0 && !p->method->is_recording;
}

// Of a body's contact points: rows, then the same as columns side by side, and what these do.
typedef struct Work {
  double *rows, *columns, *moved;
} Work;

static size_t part_of_work(const lbPrepared *p) {
  return 1 + (size_t)p->padded * (p->basis ? lb_touch_stride(3 * LB_BODY_POINTS) : 0);
}

bool lb_touch_make_work(const lbPrepared *p, lbScratch *s) {
  size_t room = lb_touch_nodal_begin(p) + lb_touch_nodal_room(p);
  if (!s->call->touch_work) s->call->touch_work = lb_alloc(room, sizeof(double));
  return s->call->touch_work != NULL;
}

size_t lb_touch_nodal_begin(const lbPrepared *p) { return 3 * part_of_work(p); }

static Work work_of(const lbPrepared *p, const lbScratch *s) {
  size_t part = part_of_work(p);
  return (Work){ s->call->touch_work, s->call->touch_work + part, s->call->touch_work + 2 * part };
}

static lbVec3 centre_at(const lbBody *body, lbVec3 position, lbMat3 turn) {
  return lb_add(position, lb_mat3_apply(turn, body->prepared->centre));
}

// ---- places ------------------------------------------------------------------------------------

// Displacement (or velocity) in own axes for a row of coordinates (or rates).
static lbVec3 own_motion(const lbPrepared *p, const lbTree *tree, const double *q, int32_t triangle,
                         const double weights[3]) {
  lbPoint point = lb_point_triangle(triangle, weights[0], weights[1], weights[2]);
  if (!tree->rows) return lb_point_apply(p, &point, q);
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (size_t corner = 0; corner < 3; corner++) {
    if (weights[corner] == 0) continue;
    int32_t vertex = tree->model->triangles[3 * (size_t)triangle + corner];
    sum = lb_add_scaled(sum, weights[corner], lb_tree_motion(tree, vertex, q));
  }
  return sum;
}

static lbVec3 own_rest(const lbPrepared *p, int32_t triangle, const double weights[3]) {
  lbPoint point = lb_point_triangle(triangle, weights[0], weights[1], weights[2]);
  return lb_point_rest(p->model, &point);
}

static lbVec3 own_place(const lbPrepared *p, const double *q, const lbContactPoint *contact_point) {
  const lbTree *tree = NULL;
  lb_prepared_tree(p, &tree, NULL);
  return lb_add(own_rest(p, contact_point->triangle, contact_point->weights),
                own_motion(p, tree, q, contact_point->triangle, contact_point->weights));
}

// Of a rigid body. What is round touches at the same height however far it has rolled: its motion
// is taken along a straight line.
static lbVec3 rigid_way(const lbTouching *t, const lbContactPoint *contact_point, lbVec3 *at) {
  const lbFrameStep *to = &t->step.frame;
  lbVec3 turn = lb_quat_log(lb_quat_multiply(to->rotation, lb_quat_conjugate(t->start.rotation)));
  if (contact_point->kind == LB_POINT_TORQUE) {
    *at = t->middle;
    return turn;
  }
  if (contact_point->kind == LB_POINT_OWN) {
    lbVec3 from = lb_body_place(t->body, contact_point->own);
    lbVec3 way = lb_sub(lb_add(to->position, lb_mat3_apply(to->turn, contact_point->own)), from);
    *at = lb_add_scaled(from, 0.5, way);
    return way;
  }
  lbVec3 start = centre_at(t->body, t->start.position, t->start.turn);
  lbVec3 end = centre_at(t->body, to->position, to->turn);
  *at = lb_add(lb_scale(0.5, lb_add(start, end)), contact_point->own);
  return lb_add(lb_sub(end, start), lb_cross(turn, contact_point->own));
}

static lbVec3 rigid_velocity(const lbBody *body, const lbContactPoint *contact_point,
                             lbVec3 *place) {
  if (contact_point->kind == LB_POINT_TORQUE) {
    *place = lb_frame_centre(body);
    return body->frame.spin;
  }
  if (contact_point->kind == LB_POINT_OWN) {
    *place = lb_body_place(body, contact_point->own);
    return lb_frame_velocity(body, contact_point->own, lb_vec3(0, 0, 0));
  }
  *place = lb_add(lb_frame_centre(body), contact_point->own);
  return lb_add(body->frame.velocity, lb_cross(body->frame.spin, contact_point->own));
}

// rows (3 count x width) <- how coordinates move contact points of a body with a basis, along own
// axes.
static void blend_rows(const lbPrepared *p, int32_t count, const lbContactPoint *contact_points,
                       double *rows) {
  const lbTree *tree = NULL;
  lb_prepared_tree(p, &tree, NULL);
  for (int32_t i = 0; i < count; i++, rows += 3 * tree->width) {
    const double *corners[3];
    double weights[3];
    int used = 0;
    for (size_t corner = 0; corner < 3; corner++) {
      int32_t vertex = tree->model->triangles[3 * (size_t)contact_points[i].triangle + corner];
      if (contact_points[i].weights[corner] == 0) continue;
      corners[used] = lb_tree_rows(tree, vertex);
      weights[used++] = contact_points[i].weights[corner];
    }
    lb_touch_kernels(p->level)->blend((size_t)tree->width, used, corners, weights, rows);
  }
}

static size_t width_of(const lbPrepared *p) { return ((size_t)p->dimension + 3) / 4 * 4; }

static bool has_rows(const lbPrepared *p, int32_t count, const lbContactPoint *contact_points) {
  return p->basis && count > 0 && contact_points[0].kind == LB_POINT_SURFACE; // as all of them are
}

// Those on the surface, which are the first.
static int32_t count_on_surface(int32_t count, const lbContactPoint *contact_points) {
  while (count > 0 && contact_points[count - 1].kind != LB_POINT_SURFACE) count--;
  return count;
}

// Their rows, in the work; of torques, which do nothing to the shape, zeros.
static const double *find_rows(const lbPrepared *p, const lbScratch *s, int32_t count,
                               const lbContactPoint *contact_points) {
  double *rows = work_of(p, s).rows;
  size_t size = 3 * width_of(p), places = (size_t)count_on_surface(count, contact_points);
  blend_rows(p, (int32_t)places, contact_points, rows);
  memset(rows + places * size, 0, ((size_t)count - places) * size * sizeof *rows);
  return rows;
}

// Of a body without a basis, whose points may be many.
static lbVec3 node_way(const lbTouching *t, lbContactPoint *contact_point) {
  const lbPrepared *p = t->body->prepared;
  const lbFrameStep *to = &t->step.frame;
  lbVec3 from = lb_body_place(t->body, own_place(p, t->scratch->q0, contact_point));
  lbVec3 end = lb_mat3_apply(to->turn, own_place(p, t->scratch->q, contact_point));
  lbVec3 way = lb_sub(lb_add(to->position, end), from);
  contact_point->point = lb_add_scaled(from, 0.5, way);
  return way;
}

void lb_touch_ways(const lbTouching *t, int32_t count, lbContactPoint *contact_points,
                   lbVec3 *ways) {
  const lbPrepared *p = t->body->prepared;
  const lbFrameStep *to = &t->step.frame;
  double starts[3 * LB_BODY_POINTS], ends[3 * LB_BODY_POINTS];
  int32_t places = count_on_surface(count, contact_points);
  for (int32_t i = places; i < count; i++)
    ways[i] = rigid_way(t, &contact_points[i], &contact_points[i].point);
  if (places == 0) return;
  if (!p->basis) {
    for (int32_t i = 0; i < places; i++) ways[i] = node_way(t, &contact_points[i]);
    return;
  }
  const double *rows = find_rows(p, t->scratch, count, contact_points);
  lb_touch_kernels(p->level)->displace(places, p->dimension, rows, t->scratch->q0, starts);
  lb_touch_kernels(p->level)->displace(places, p->dimension, rows, t->scratch->q, ends);
  for (int32_t i = 0; i < places; i++) {
    lbVec3 rest = own_rest(p, contact_points[i].triangle, contact_points[i].weights);
    lbVec3 from = lb_body_place(t->body, lb_add(rest, lb_vec3_load(starts + 3 * i)));
    lbVec3 end = lb_mat3_apply(to->turn, lb_add(rest, lb_vec3_load(ends + 3 * i)));
    ways[i] = lb_sub(lb_add(to->position, end), from);
    contact_points[i].point = lb_add_scaled(from, 0.5, ways[i]);
  }
}

lbVec3 lb_touch_motion(const lbBody *body, lbMat3 turn, const lbContactPoint *contact_point,
                       const double *moved) {
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  if (contact_point->kind != LB_POINT_SURFACE) return lb_vec3(0, 0, 0);
  lb_prepared_tree(p, &tree, NULL);
  return lb_mat3_apply(turn,
                       own_motion(p, tree, moved, contact_point->triangle, contact_point->weights));
}

// ---- matrices ----------------------------------------------------------------------------------

// sum (padded) <- with the reduced force of a force; `turn` is the frame's.
static void add_line(const lbPrepared *p, lbMat3 turn, const lbContactPoint *contact_point,
                     lbVec3 force, double *sum) {
  const lbTree *tree = NULL;
  if (contact_point->kind != LB_POINT_SURFACE) return; // it has no coordinates
  lb_prepared_tree(p, &tree, NULL);
  lb_tree_add_line(tree, contact_point->triangle, contact_point->weights,
                   lb_mat3_apply_transpose(turn, force), sum);
}

// to (3 count, of a width) <- of unit forces along the axes of all contact points, whose rows are
// known.
static void align_rows(const lbPrepared *p, lbMat3 turn, int32_t count,
                       const lbContactPoint *contact_points, const double *rows, size_t width,
                       double *to) {
  for (int32_t i = 0; i < count; i++) {
    double axes[9];
    for (int k = 0; k < 3; k++)
      lb_vec3_store(axes + 3 * k, lb_mat3_apply_transpose(turn, contact_points[i].axes[k]));
    lb_touch_kernels(p->level)->align(width_of(p), rows + 3 * (size_t)i * width_of(p), axes, width,
                                      to + 3 * (size_t)i * width);
  }
}

// What a force (padded) does to the coordinates: over the step, or, without one, at once.
static void respond(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                    double *moved) {
  const lbPrepared *p = body->prepared;
  size_t bytes = (size_t)p->padded * sizeof(double);
  if (step) {
    memcpy(s->a, force, bytes); // a method may write over its force
    p->method->respond(body, step, s, s->a, moved);
  } else {
    memcpy(moved, force, bytes);
    lb_body_mobilise(body, s, moved);
  }
}

// x (dimension x stride) <- what its first n columns do.
static void respond_columns(const lbBody *body, const lbStep *step, lbScratch *s, int32_t n,
                            double *x) {
  const lbPrepared *p = body->prepared;
  size_t stride = lb_touch_stride(n);
  if (step ? p->method->respond_many(body, step, s, n, x) : lb_method_has_unit_mass(p->method))
    return;
  memset(s->b, 0, (size_t)p->padded * sizeof(double));
  for (int32_t k = 0; k < n; k++) {
    for (int32_t i = 0; i < p->dimension; i++) s->b[i] = x[(size_t)i * stride + (size_t)k];
    respond(body, step, s, s->b, s->c);
    for (int32_t i = 0; i < p->dimension; i++) x[(size_t)i * stride + (size_t)k] = s->c[i];
  }
}

static void add_shape(const lbBody *body, const lbStep *step, lbMat3 turn, lbScratch *s,
                      int32_t count, const lbContactPoint *contact_points, double *matrix) {
  const lbPrepared *p = body->prepared;
  if (count == 0 || contact_points[0].kind != LB_POINT_SURFACE)
    return; // a rigid body has no deformation
  if (!p->basis) {
    lb_touch_add_columns(body, step, s, count, contact_points, matrix);
    return;
  }
  const lbTouchKernels *kernels = lb_touch_kernels(p->level);
  Work w = work_of(p, s);
  align_rows(p, turn, count, contact_points, w.rows, width_of(p), w.rows);
  kernels->turn_back(p->dimension, 3 * count, w.rows, width_of(p), w.columns);
  memcpy(w.moved, w.columns, (size_t)p->dimension * lb_touch_stride(3 * count) * sizeof *w.moved);
  respond_columns(body, step, s, 3 * count, w.moved);
  kernels->add_product(p->dimension, 3 * count, w.columns, w.moved, matrix);
}

void lb_touch_moves(const lbTouching *t, int32_t count, const lbContactPoint *contact_points,
                    double *matrix) {
  t->body->counts.responses += 3 * count;
  add_shape(t->body, &t->step, t->step.frame.turn, t->scratch, count, contact_points, matrix);
}

// Σ u_i E_i/M of the columns that add_shape left in the work; scratch->moments has the E_i.
static void find_swings(const lbBody *body, const lbScratch *s, int32_t count,
                        lbContactPoint *contact_points) {
  const lbPrepared *p = body->prepared;
  const double *column = work_of(p, s).columns;
  double sums[3][3 * LB_BODY_POINTS];
  for (int a = 0; a < 3; a++) memset(sums[a], 0, 3 * (size_t)count * sizeof(double));
  for (int32_t i = 0; i < p->dimension; i++, column += lb_touch_stride(3 * count)) {
    lbVec3 E = lb_scale(1 / p->inertia.scale, lb_inertia_axis(s->moments, p->padded, i));
    for (int32_t k = 0; k < 3 * count; k++) sums[0][k] += E.x * column[k];
    for (int32_t k = 0; k < 3 * count; k++) sums[1][k] += E.y * column[k];
    for (int32_t k = 0; k < 3 * count; k++) sums[2][k] += E.z * column[k];
  }
  for (int32_t k = 0; k < 3 * count; k++)
    contact_points[k / 3].swings[k % 3] =
        lb_mat3_apply(body->frame.turn, lb_vec3(sums[0][k], sums[1][k], sums[2][k]));
}

// An impulse with the reduced share u and the moment t about the centre changes
//
//   ω by B (t − Σ u_i E_i/M),  B = (J − Σ E_i E_iᵀ/M)⁻¹,   and q̇ by (u − E·Δω)/M
//
// (lb_frame_apply_impulse), so that contact points move by
//
//   uᵀu/M + (t − Σ u_i E_i/M)ᵀ B (t − Σ u_i E_i/M).
static lbMat3 couple(const lbBody *body, lbScratch *s, int32_t count,
                     lbContactPoint *contact_points) {
  const lbPrepared *p = body->prepared;
  lbMat3 J = lb_frame_inertia(body, s->q0, s);
  double M = p->inertia.scale;
  for (int32_t i = 0; i < p->dimension; i++) {
    lbVec3 E = lb_inertia_axis(s->moments, p->padded, i);
    J = lb_mat3_sub(J, lb_mat3_scale(1 / M, lb_mat3_outer(E, E)));
  }
  if (has_rows(p, count, contact_points)) find_swings(body, s, count, contact_points);
  return lb_frame_mobility_of(J, body->frame.turn);
}

void lb_touch_speeds(const lbBody *body, lbScratch *s, bool coupled, int32_t count,
                     lbContactPoint *contact_points, double *matrix, lbMat3 *mobility) {
  add_shape(body, NULL, body->frame.turn, s, count, contact_points, matrix);
  bool free = body->frame.kind == LB_FRAME_FREE;
  if (free)
    *mobility = coupled && !body->frame.decoupled ? couple(body, s, count, contact_points)
                                                  : lb_frame_mobility(body, body->frame.turn);
  if (lb_body_is_constrained(body)) lb_reaction_find_speeds(body, *mobility, coupled, s);
}

// ---- the frame's share -------------------------------------------------------------------------

// moment <- about a centre, of a unit force or torque along an axis of a contact point. Returns the
// force.
static lbVec3 unit_load(const lbContactPoint *contact_point, int axis, lbVec3 centre,
                        lbVec3 *moment) {
  lbVec3 along = contact_point->axes[axis];
  bool is_torque = contact_point->kind == LB_POINT_TORQUE;
  *moment = is_torque ? along : lb_cross(lb_sub(contact_point->point, centre), along);
  return is_torque ? lb_vec3(0, 0, 0) : along;
}

static void store_column(size_t stride, lbVec3 v, double *to) {
  to[0] = v.x, to[stride] = v.y, to[2 * stride] = v.z;
}

// rows, moved (6 x stride) <- linear and angular mobility about its centre, times a factor.
static void fill_frame(const lbBody *body, lbMat3 mobility, lbVec3 centre, double factor,
                       bool swings, int32_t count, const lbContactPoint *contact_points,
                       double *rows, double *moved) {
  size_t n = 3 * (size_t)count, stride = lb_touch_stride(3 * count);
  for (size_t i = 0; i < 6; i++) {
    memset(rows + i * stride + n, 0, (stride - n) * sizeof *rows);
    memset(moved + i * stride + n, 0, (stride - n) * sizeof *moved);
  }
  for (size_t k = 0; k < n; k++) {
    lbVec3 moment, axis = unit_load(&contact_points[k / 3], (int)(k % 3), centre, &moment);
    if (swings) moment = lb_sub(moment, contact_points[k / 3].swings[k % 3]);
    store_column(stride, axis, rows + k);
    store_column(stride, moment, rows + 3 * stride + k);
    store_column(stride, lb_scale(factor / body->prepared->mass, axis), moved + k);
    store_column(stride, lb_scale(factor, lb_mat3_apply(mobility, moment)), moved + 3 * stride + k);
  }
}

static void add_frame(const lbBody *body, lbMat3 mobility, lbVec3 centre, double factor,
                      bool swings, int32_t count, const lbContactPoint *contact_points,
                      double *matrix) {
  double rows[6 * 3 * LB_BODY_POINTS], moved[6 * 3 * LB_BODY_POINTS];
  fill_frame(body, mobility, centre, factor, swings, count, contact_points, rows, moved);
  lb_touch_kernels(body->prepared->level)->add_product(6, 3 * count, rows, moved, matrix);
}

void lb_touch_add_frame(const lbTouching *t, int32_t count, const lbContactPoint *contact_points,
                        double *matrix) {
  double factor = 0.5 * t->step.h * t->step.h;
  if (t->body->frame.kind == LB_FRAME_FREE)
    add_frame(t->body, t->mobility, t->middle, factor, false, count, contact_points, matrix);
  lb_reaction_subtract(t->body, t->step.frame.turn, t->middle, count, contact_points, matrix);
}

// Of a row: coordinates, six numbers of the frame, and zeros up to a multiple of four.
size_t lb_touch_width(const lbBody *body) {
  return body->prepared->basis ? ((size_t)body->prepared->dimension + 6 + 3) / 4 * 4 : 0;
}

void lb_touch_rows(const lbTouching *t, int32_t count, const lbContactPoint *contact_points,
                   double *rows, double *moved) {
  const lbPrepared *p = t->body->prepared;
  const lbTouchKernels *kernels = lb_touch_kernels(p->level);
  size_t width = lb_touch_width(t->body);
  Work w = work_of(p, t->scratch);
  if (p->dimension == 0) return; // a rigid body has no deformation
  align_rows(p, t->step.frame.turn, count, contact_points, w.rows, width, rows);
  kernels->turn_back(p->dimension, 3 * count, rows, width, w.columns);
  t->body->counts.responses += 3 * count;
  respond_columns(t->body, &t->step, t->scratch, 3 * count, w.columns);
  kernels->turn(p->dimension, 3 * count, w.columns, width, moved);
}

void lb_touch_frame_rows(const lbTouching *t, int32_t count, const lbContactPoint *contact_points,
                         double *rows, double *moved) {
  const lbPrepared *p = t->body->prepared;
  size_t width = lb_touch_width(t->body), first = (size_t)p->dimension;
  double factor = t->body->frame.kind == LB_FRAME_FREE ? 0.5 * t->step.h * t->step.h : 0;
  double *first_moved = moved;
  for (int32_t k = 0; k < 3 * count; k++, rows += width, moved += width) {
    lbVec3 moment, axis = unit_load(&contact_points[k / 3], k % 3, t->middle, &moment);
    memset(rows + first, 0, (width - first) * sizeof *rows);
    memset(moved + first, 0, (width - first) * sizeof *moved);
    lb_vec3_store(rows + first, axis), lb_vec3_store(rows + first + 3, moment);
    lb_vec3_store(moved + first, lb_scale(factor / p->mass, axis));
    lb_vec3_store(moved + first + 3, lb_scale(factor, lb_mat3_apply(t->mobility, moment)));
  }
  lb_reaction_subtract_rows(t->body, t->step.frame.turn, t->middle, count, contact_points,
                            first_moved);
}

void lb_touch_add_frame_speeds(const lbBody *body, lbMat3 mobility, int32_t count,
                               const lbContactPoint *contact_points, double *matrix) {
  lbVec3 centre = lb_frame_centre(body);
  if (body->frame.kind == LB_FRAME_FREE)
    add_frame(body, mobility, centre, 1, true, count, contact_points, matrix);
  lb_reaction_subtract(body, body->frame.turn, centre, count, contact_points, matrix);
}

// ---- forces and impulses -----------------------------------------------------------------------

static lbVec3 along_axes(const lbContactPoint *contact_point, const double amounts[3]) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++) sum = lb_add_scaled(sum, amounts[k], contact_point->axes[k]);
  return sum;
}

// line <- with the reduced share of all amounts; their sum and their moment about a centre.
static void sum_up(const lbPrepared *p, lbMat3 turn, lbVec3 centre, int32_t count,
                   const lbContactPoint *contact_points, const double *amounts, double *line,
                   lbVec3 *sum, lbVec3 *moment) {
  *sum = *moment = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < count; i++, amounts += 3) {
    if (amounts[0] == 0 && amounts[1] == 0 && amounts[2] == 0) continue;
    lbVec3 by = along_axes(&contact_points[i], amounts);
    if (contact_points[i].kind == LB_POINT_TORQUE) {
      *moment = lb_add(*moment, by);
      continue;
    }
    add_line(p, turn, &contact_points[i], by, line);
    *sum = lb_add(*sum, by);
    *moment = lb_add(*moment, lb_cross(lb_sub(contact_points[i].point, centre), by));
  }
}

void lb_touch_hold(const lbTouching *t, int32_t count, const lbContactPoint *contact_points,
                   const double *forces) {
  lbBody *body = t->body;
  lbContacts *c = body->contacts;
  lbVec3 sum, moment;
  if (!c->acts) memset(c->force, 0, (size_t)lb_body_width(body) * sizeof(double));
  c->acts = true;
  sum_up(body->prepared, t->step.frame.turn, t->middle, count, contact_points, forces, c->force,
         &sum, &moment);
  if (body->frame.kind != LB_FRAME_FREE) return;
  double *frame = c->force + body->prepared->padded;
  lb_vec3_store(frame, lb_add(lb_vec3_load(frame), sum));
  lb_vec3_store(frame + 3, lb_add(lb_vec3_load(frame + 3), moment));
}

bool lb_touch_look(const lbBody *body, lbScratch *s) {
  body->prepared->method->get(body, s->q0, s->v0, NULL);
  return lb_touch_make_work(body->prepared, s);
}

lbVec3 lb_touch_velocity(const lbBody *body, const lbScratch *s,
                         const lbContactPoint *contact_point, lbVec3 *place) {
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  if (contact_point->kind != LB_POINT_SURFACE) return rigid_velocity(body, contact_point, place);
  lbVec3 own = own_place(p, s->q0, contact_point);
  lb_prepared_tree(p, &tree, NULL);
  *place = lb_body_place(body, own);
  return lb_frame_velocity(
      body, own, own_motion(p, tree, s->v0, contact_point->triangle, contact_point->weights));
}

void lb_touch_velocities(const lbBody *body, lbScratch *s, int32_t count,
                         lbContactPoint *contact_points, lbVec3 *velocities) {
  const lbPrepared *p = body->prepared;
  double moves[3 * LB_BODY_POINTS], rates[3 * LB_BODY_POINTS];
  int32_t places = count_on_surface(count, contact_points);
  for (int32_t i = places; i < count; i++)
    velocities[i] = rigid_velocity(body, &contact_points[i], &contact_points[i].point);
  if (places == 0) return;
  if (!p->basis) {
    for (int32_t i = 0; i < places; i++)
      velocities[i] = lb_touch_velocity(body, s, &contact_points[i], &contact_points[i].point);
    return;
  }
  const double *rows = find_rows(p, s, count, contact_points);
  lb_touch_kernels(p->level)->displace(places, p->dimension, rows, s->q0, moves);
  lb_touch_kernels(p->level)->displace(places, p->dimension, rows, s->v0, rates);
  for (int32_t i = 0; i < places; i++) {
    lbVec3 rest = own_rest(p, contact_points[i].triangle, contact_points[i].weights);
    lbVec3 own = lb_add(rest, lb_vec3_load(moves + 3 * i));
    contact_points[i].point = lb_body_place(body, own);
    velocities[i] = lb_frame_velocity(body, own, lb_vec3_load(rates + 3 * i));
  }
}

void lb_touch_apply_impulses(lbBody *body, int32_t count, const lbContactPoint *contact_points,
                             const double *impulses, lbScratch *s) {
  lbVec3 sum, moment;
  memset(s->b, 0, (size_t)body->prepared->padded * sizeof(double));
  sum_up(body->prepared, body->frame.turn, lb_frame_centre(body), count, contact_points, impulses,
         s->b, &sum, &moment);
  lb_reaction_apply_impulse(body, &sum, &moment, s->b);
  (void)lb_body_add_impulse(body, sum, moment, s); // one that is absurd is left out
}
