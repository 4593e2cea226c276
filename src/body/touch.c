// A body in an open step (touch.h): places, how spots give way, and what was found.
#include "body/touch.h"

#include "body/contacts.h"
#include "body/point.h"
#include "math/functions.h"

#include <string.h>

// ---- opening -----------------------------------------------------------------------------------

bool lb_touch_is_possible(const lbBody *body) {
  const lbPrepared *p = body->prepared;
  return p->model->size.triangle_count > 0 && !p->method->is_recording;
}

lbStatus lb_touch_make(lbBody *body, lbError *err) {
  const lbTree *tree = NULL;
  lbStatus status = lb_prepared_tree(body->prepared, &tree, err);
  if (!status && lb_contacts_make_force(body)) status = lb_fail_memory(err);
  return status;
}

static lbVec3 centre_at(const lbBody *body, lbVec3 position, lbMat3 turn) {
  return lb_add(position, lb_mat3_apply(turn, body->prepared->centre));
}

// Forces along which the centre itself is shifted have no moment by that: it is looked for where
// it is without them, and momentum is kept.
static void find_middle(lbTouching *t) {
  const lbBody *body = t->body;
  const lbFrameStep *to = &t->step.frame;
  lbVec3 start = centre_at(body, t->start.position, t->start.turn);
  lbVec3 end = centre_at(body, to->position, to->turn);
  t->middle = lb_scale(0.5, lb_add(start, end));
  if (body->frame.kind != LB_FRAME_FREE) return;
  lbQuat half = lb_quat_slerp(t->start.rotation, to->rotation, 0.5);
  t->mobility = lb_frame_mobility(body, lb_quat_to_mat3(half));
  if (!body->contacts->acts) return;
  double alpha = body->damping_mass, h = t->step.h;
  double passed = alpha > 0 ? -lb_expm1(-alpha * h) / alpha : h;
  lbVec3 held = lb_vec3_load(body->contacts->force + body->prepared->padded);
  t->middle = lb_add_scaled(t->middle, -0.25 * h * passed / body->prepared->mass, held);
}

bool lb_touch_open(lbTouching *t, lbBody *body, double h) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  *t = (lbTouching){ .body = body, .scratch = s, .start = body->frame };
  if (!s || !body->contacts || !body->contacts->force || lb_search_make(body->prepared, s, NULL))
    return false;
  t->step = (lbStep){ .h = h, .share = 1, .whole = &t->start };
  if (lb_part_open(body, &t->step, s) & LB_STEP_NONFINITE) return false;
  if (lb_frame_is_felt(body)) lb_frame_correct(body, &t->step, s);
  if (body->frame.kind == LB_FRAME_FREE && body->contacts->acts) lb_frame_try(body, &t->step, s);
  find_middle(t);
  return true;
}

void lb_touch_close(lbTouching *t) {
  if (t->scratch) lb_scratch_return(t->body->prepared, t->scratch);
  t->scratch = NULL;
}

// ---- bounds ------------------------------------------------------------------------------------

// By the root of the tree: the mean motion of the surface, and how far others are from it.
static double bound_of(const lbTree *tree, const double *by, lbVec3 *mean) {
  double way[4] = { 0, 0, 0, 0 }, farthest = 0;
  *mean = lb_vec3(0, 0, 0);
  if (tree->rows) {
    for (int32_t i = 0; i < tree->dimension; i++)
      for (int k = 0; k < 4; k++)
        way[k] += (k < 3 ? by[i] : fabs(by[i])) * tree->motions[4 * (size_t)i + (size_t)k];
    *mean = lb_vec3_load(way);
    return way[3];
  }
  for (int32_t i = 0; i + 2 < tree->dimension; i += 3) {
    lbVec3 own = lb_vec3_load(by + i);
    farthest = fmax(farthest, lb_dot(own, own));
  }
  return sqrt(farthest);
}

// Of the rest shape, own axes.
static double rest_sphere(const lbTree *tree, lbVec3 *centre) {
  if (tree->rows) {
    *centre = lb_vec3_load(tree->spheres);
    return tree->spheres[3];
  }
  const lbBox *box = &tree->shape->nodes[0].box;
  lbVec3 low = lb_vec3_load(box->low), high = lb_vec3_load(box->high);
  *centre = lb_scale(0.5, lb_add(low, high));
  return 0.5 * lb_length(lb_sub(high, low));
}

bool lb_touch_visit(const lbBody *body, lbTreeReaches *reaches, lbTreeLook *look, void *context) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  bool ready = s && lb_search_make(body->prepared, s, NULL) == LB_OK;
  if (ready) {
    body->prepared->method->get(body, s->q0, NULL, NULL);
    lb_tree_visit(s->search, s->q0, reaches, look, context);
  }
  lb_scratch_return(body->prepared, s);
  return ready;
}

static double find_sphere(const lbBody *body, lbVec3 *centre, double *speed, lbScratch *s) {
  const lbTree *tree = NULL;
  lbVec3 rest, mean, rate;
  lb_prepared_tree(body->prepared, &tree, NULL);
  body->prepared->method->get(body, s->a, s->b, NULL);
  double radius = rest_sphere(tree, &rest) + bound_of(tree, s->a, &mean);
  double spread = bound_of(tree, s->b, &rate);
  *centre = lb_body_place(body, lb_add(rest, mean));
  *speed = lb_length(rate) + spread;
  if (!lb_frame_moves(body)) return radius;
  double arm = lb_length(lb_sub(*centre, lb_frame_centre(body))) + radius;
  *speed += lb_length(body->frame.velocity) + lb_length(body->frame.spin) * arm;
  return radius;
}

double lb_touch_sphere(const lbBody *body, lbVec3 *centre, double *speed) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  *centre = body->frame.position, *speed = 0;
  if (!s) return 0;
  double radius = find_sphere(body, centre, speed, s);
  lb_scratch_return(body->prepared, s);
  return radius;
}

// ---- places ------------------------------------------------------------------------------------

// Displacement (or velocity) in own axes for a row of coordinates (or rates).
static lbVec3 own_motion(const lbPrepared *p, const lbTree *tree, const double *q, int32_t triangle,
                         const double weights[3]) {
  lbPoint point = lb_point_triangle(triangle, weights[0], weights[1], weights[2]);
  if (!tree->rows) return lb_point_apply(p, &point, q);
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (size_t corner = 0; corner < 3; corner++) {
    size_t vertex = (size_t)tree->model->triangles[3 * (size_t)triangle + corner];
    const double *row = tree->rows + 3 * vertex * (size_t)tree->dimension;
    double x = 0, y = 0, z = 0;
    for (int32_t i = 0; i < tree->dimension; i++, row += 3)
      x += q[i] * row[0], y += q[i] * row[1], z += q[i] * row[2];
    sum = lb_add_scaled(sum, weights[corner], lb_vec3(x, y, z));
  }
  return sum;
}

static lbVec3 own_rest(const lbPrepared *p, int32_t triangle, const double weights[3]) {
  lbPoint point = lb_point_triangle(triangle, weights[0], weights[1], weights[2]);
  return lb_point_rest(p->model, &point);
}

static lbVec3 own_place(const lbTouching *t, const double *q, int32_t triangle,
                        const double weights[3]) {
  const lbPrepared *p = t->body->prepared;
  return lb_add(own_rest(p, triangle, weights),
                own_motion(p, t->scratch->search->tree, q, triangle, weights));
}

// Of a rigid body. What is round touches at the same height however far it has rolled: its motion
// is taken along a straight line.
static lbVec3 rigid_way(const lbTouching *t, const lbSpot *spot, lbVec3 *at) {
  const lbFrameStep *to = &t->step.frame;
  if (spot->kind == LB_SPOT_OWN) {
    lbVec3 from = lb_body_place(t->body, spot->own);
    lbVec3 way = lb_sub(lb_add(to->position, lb_mat3_apply(to->turn, spot->own)), from);
    *at = lb_add_scaled(from, 0.5, way);
    return way;
  }
  lbVec3 start = centre_at(t->body, t->start.position, t->start.turn);
  lbVec3 end = centre_at(t->body, to->position, to->turn);
  lbVec3 turn = lb_quat_log(lb_quat_multiply(to->rotation, lb_quat_conjugate(t->start.rotation)));
  *at = lb_add(lb_scale(0.5, lb_add(start, end)), spot->own);
  return lb_add(lb_sub(end, start), lb_cross(turn, spot->own));
}

static lbVec3 rigid_velocity(const lbBody *body, const lbSpot *spot, lbVec3 *place) {
  if (spot->kind == LB_SPOT_OWN) {
    *place = lb_body_place(body, spot->own);
    return lb_frame_velocity(body, spot->own, lb_vec3(0, 0, 0));
  }
  *place = lb_add(lb_frame_centre(body), spot->own);
  return lb_add(body->frame.velocity, lb_cross(body->frame.spin, spot->own));
}

lbVec3 lb_touch_way(const lbTouching *t, const lbSpot *spot, lbVec3 *at) {
  const lbFrameStep *to = &t->step.frame;
  if (spot->kind != LB_SPOT_SURFACE) return rigid_way(t, spot, at);
  lbVec3 start = own_place(t, t->scratch->q0, spot->triangle, spot->weights);
  lbVec3 end = own_place(t, t->scratch->q, spot->triangle, spot->weights);
  lbVec3 from = lb_body_place(t->body, start);
  lbVec3 way = lb_sub(lb_add(to->position, lb_mat3_apply(to->turn, end)), from);
  *at = lb_add_scaled(from, 0.5, way);
  return way;
}

lbVec3 lb_touch_motion(const lbBody *body, lbMat3 turn, const lbSpot *spot, const double *moved) {
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  if (spot->kind != LB_SPOT_SURFACE) return lb_vec3(0, 0, 0);
  lb_prepared_tree(p, &tree, NULL);
  return lb_mat3_apply(turn, own_motion(p, tree, moved, spot->triangle, spot->weights));
}

// ---- matrices ----------------------------------------------------------------------------------

// From the frame's centre in the step's middle, world.
static lbVec3 arm_of(const lbTouching *t, const lbSpot *spot) {
  return lb_sub(spot->point, t->middle);
}

// sum (padded) <- with the reduced force of a force.
static void add_line(const lbTouching *t, const lbSpot *spot, lbVec3 force, double *sum) {
  const lbTree *tree = NULL;
  if (spot->kind != LB_SPOT_SURFACE) return; // it has no coordinates
  lb_prepared_tree(t->body->prepared, &tree, NULL);
  lb_tree_add_line(tree, spot->triangle, spot->weights,
                   lb_mat3_apply_transpose(t->step.frame.turn, force), sum);
}

// row (padded) <- that of a unit force along a direction.
static void fill_row(const lbTouching *t, const lbSpot *spot, lbVec3 along, double *row) {
  memset(row, 0, (size_t)t->body->prepared->padded * sizeof *row);
  add_line(t, spot, along, row);
}

size_t lb_touch_room(const lbBody *body, int32_t count) {
  const lbPrepared *p = body->prepared;
  size_t rows = p->basis ? 3 * (size_t)count : 1;
  return (rows + 1) * (size_t)p->padded;
}

// column (3 count) <- how the spots move along their axes for moved coordinates.
static void measure(const lbTouching *t, int32_t count, const lbSpot *spots, const double *rows,
                    const double *moved, double *column) {
  const lbPrepared *p = t->body->prepared;
  for (int32_t j = 0; j < count; j++) {
    if (rows) {
      for (size_t k = 3 * (size_t)j; k < 3 * (size_t)j + 3; k++)
        column[k] = lb_row_dot(p->dimension, rows + k * (size_t)p->padded, moved);
      continue;
    }
    lbVec3 own =
        own_motion(p, t->scratch->search->tree, moved, spots[j].triangle, spots[j].weights);
    lbVec3 world = lb_mat3_apply(t->step.frame.turn, own);
    for (int k = 0; k < 3; k++) column[3 * j + k] = lb_dot(spots[j].axes[k], world);
  }
}

// What the frame adds: linear and angular mobility of spots about its centre.
static void add_frame(const lbTouching *t, int32_t count, const lbSpot *spots, double *moves,
                      double *speeds) {
  double mass = t->body->prepared->mass, half = 0.5 * t->step.h * t->step.h;
  size_t n = 3 * (size_t)count;
  for (int32_t k = 0; k < count; k++) {
    for (int axis = 0; axis < 3; axis++) {
      lbVec3 linear = lb_scale(1 / mass, spots[k].axes[axis]);
      lbVec3 angular =
          lb_mat3_apply(t->mobility, lb_cross(arm_of(t, &spots[k]), spots[k].axes[axis]));
      for (int32_t j = 0; j < count; j++) {
        lbVec3 moved = lb_add(linear, lb_cross(angular, arm_of(t, &spots[j])));
        for (size_t i = 0; i < 3; i++) {
          size_t at = (3 * (size_t)j + i) * n + 3 * (size_t)k + (size_t)axis;
          double by = lb_dot(spots[j].axes[i], moved);
          moves[at] += half * by;
          speeds[at] += by;
        }
      }
    }
  }
}

void lb_touch_matrices(const lbTouching *t, int32_t count, const lbSpot *spots, double *work,
                       double *moves, double *speeds) {
  const lbPrepared *p = t->body->prepared;
  lbScratch *s = t->scratch;
  size_t n = 3 * (size_t)count, padded = (size_t)p->padded;
  double *moved = work, *rows = work + padded;
  for (size_t k = 0; k < n && p->basis; k++)
    fill_row(t, &spots[k / 3], spots[k / 3].axes[k % 3], rows + k * padded);
  for (size_t k = 0; k < n; k++) {
    double *row = p->basis ? rows + k * padded : rows;
    if (!p->basis) fill_row(t, &spots[k / 3], spots[k / 3].axes[k % 3], row);
    const double *known = p->basis ? rows : NULL;
    memcpy(s->a, row, padded * sizeof(double)); // a method may write over its force
    p->method->respond(t->body, &t->step, s, s->a, moved);
    measure(t, count, spots, known, moved, moves + k * n); // symmetric: a column is a row
    memcpy(moved, row, padded * sizeof(double));
    lb_body_mobilise(t->body, s, moved);
    measure(t, count, spots, known, moved, speeds + k * n);
  }
  if (t->body->frame.kind == LB_FRAME_FREE) add_frame(t, count, spots, moves, speeds);
}

void lb_touch_speed_matrix(const lbBody *body, int32_t count, const lbSpot *spots, double *work,
                           lbScratch *s, double *speeds) {
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  size_t n = 3 * (size_t)count;
  lbMat3 turn = body->frame.turn, mobility = lb_frame_mobility(body, turn);
  lbVec3 centre = lb_frame_centre(body);
  bool free = body->frame.kind == LB_FRAME_FREE;
  lb_prepared_tree(p, &tree, NULL);
  for (size_t k = 0; k < n; k++) {
    const lbSpot *spot = &spots[k / 3];
    lbVec3 axis = spot->axes[k % 3], linear = lb_scale(1 / p->mass, axis);
    lbVec3 angular = lb_mat3_apply(mobility, lb_cross(lb_sub(spot->point, centre), axis));
    memset(work, 0, (size_t)p->padded * sizeof *work);
    if (spot->kind == LB_SPOT_SURFACE)
      lb_tree_add_line(tree, spot->triangle, spot->weights, lb_mat3_apply_transpose(turn, axis),
                       work);
    lb_body_mobilise(body, s, work);
    for (int32_t j = 0; j < count; j++) {
      lbVec3 moved = lb_touch_motion(body, turn, &spots[j], work);
      if (free) {
        lbVec3 arm = lb_sub(spots[j].point, centre);
        moved = lb_add(moved, lb_add(linear, lb_cross(angular, arm)));
      }
      for (size_t i = 0; i < 3; i++)
        speeds[(3 * (size_t)j + i) * n + k] = lb_dot(spots[j].axes[i], moved);
    }
  }
}

// ---- forces and impulses -----------------------------------------------------------------------

static lbVec3 along_axes(const lbSpot *spot, double sign, const double amounts[3]) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++) sum = lb_add_scaled(sum, sign * amounts[k], spot->axes[k]);
  return sum;
}

void lb_touch_hold(const lbTouching *t, const lbSpot *spot, double sign, const double amounts[3]) {
  lbBody *body = t->body;
  const lbPrepared *p = body->prepared;
  lbContacts *c = body->contacts;
  lbVec3 force = along_axes(spot, sign, amounts);
  if (!c->acts) memset(c->force, 0, (size_t)lb_body_width(body) * sizeof(double));
  c->acts = true;
  add_line(t, spot, force, c->force);
  if (body->frame.kind != LB_FRAME_FREE) return;
  double *frame = c->force + p->padded;
  lb_vec3_store(frame, lb_add(lb_vec3_load(frame), force));
  lb_vec3_store(frame + 3, lb_add(lb_vec3_load(frame + 3), lb_cross(arm_of(t, spot), force)));
}

void lb_touch_release(lbBody *body) { body->contacts->acts = false; }

void lb_touch_look(const lbBody *body, lbScratch *s) {
  body->prepared->method->get(body, s->q0, s->v0, NULL);
}

lbVec3 lb_touch_velocity(const lbBody *body, const lbScratch *s, const lbSpot *spot,
                         lbVec3 *place) {
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  if (spot->kind != LB_SPOT_SURFACE) return rigid_velocity(body, spot, place);
  lb_prepared_tree(p, &tree, NULL);
  lbVec3 own = lb_add(own_rest(p, spot->triangle, spot->weights),
                      own_motion(p, tree, s->q0, spot->triangle, spot->weights));
  *place = lb_body_place(body, own);
  return lb_frame_velocity(body, own, own_motion(p, tree, s->v0, spot->triangle, spot->weights));
}

void lb_touch_strike(lbBody *body, int32_t count, const lbSpot *const *spots, const double *signs,
                     const double *const *amounts, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  lbVec3 impulse = lb_vec3(0, 0, 0), moment = impulse;
  lb_prepared_tree(p, &tree, NULL);
  p->method->get(body, s->q0, NULL, NULL);
  memset(s->b, 0, (size_t)p->padded * sizeof(double));
  for (int32_t i = 0; i < count; i++) {
    lbVec3 by = along_axes(spots[i], signs[i], amounts[i]);
    lbVec3 own = lb_mat3_apply_transpose(body->frame.turn, by);
    lbVec3 arm = lb_sub(spots[i]->point, lb_frame_centre(body));
    if (spots[i]->kind == LB_SPOT_SURFACE)
      lb_tree_add_line(tree, spots[i]->triangle, spots[i]->weights, own, s->b);
    impulse = lb_add(impulse, by);
    moment = lb_add(moment, lb_cross(arm, by));
  }
  (void)lb_body_strike(body, impulse, moment, s); // one that is absurd is left out
}
