// A body in an open step (touch.h): places, rows, responses, and the force that was found.
#include "body/touch.h"

#include "body/contacts.h"
#include "body/point.h"

#include <string.h>

#define NODE_LIMIT 4096
#define TRIANGLE_LIMIT 1024

// ---- opening -----------------------------------------------------------------------------------

lbStatus lb_touch_make(lbBody *body, lbError *err) {
  const lbTree *tree = NULL;
  lbStatus status = lb_prepared_tree(body->prepared, &tree, err);
  return status ? status : lb_contacts_make_force(body) ? lb_fail_memory(err) : LB_OK;
}

// The inverse inertia of the rest shape, world axes; flat and needle-like bodies have one, too.
static lbMat3 find_mobility(const lbBody *body, lbMat3 turn) {
  const lbPrepared *p = body->prepared;
  lbMat3 J;
  memcpy(J.m, p->model->rigid_inertia, sizeof J.m);
  double scale = p->inertia.count ? p->inertia.scale : 1, slack = 1e-9 * lb_mat3_trace(J);
  for (int k = 0; k < 9; k += 4) J.m[k] += slack;
  lbMat3 inverse = lb_mat3_scale(1 / scale, lb_mat3_inverse(J));
  return lb_mat3_multiply(turn, lb_mat3_multiply(inverse, lb_mat3_transpose(turn)));
}

static bool make_search(const lbBody *body, lbScratch *s) {
  const lbTree *tree = NULL;
  if (s->search) return true;
  return lb_prepared_tree(body->prepared, &tree, NULL) == LB_OK &&
         lb_search_create(tree, NODE_LIMIT, TRIANGLE_LIMIT, &s->search, NULL) == LB_OK;
}

bool lb_touch_open(lbTouching *t, lbBody *body, double h) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  *t = (lbTouching){ .body = body, .scratch = s, .start = body->frame };
  if (!s || !body->contacts || !body->contacts->force || !make_search(body, s)) return false;
  t->step = (lbStep){ .h = h, .share = 1, .whole = &t->start };
  if (lb_part_open(body, &t->step, s) & LB_STEP_NONFINITE) return false;
  if (lb_frame_is_felt(body)) lb_frame_correct(body, &t->step, s);
  if (body->frame.kind == LB_FRAME_FREE) t->mobility = find_mobility(body, t->step.frame.turn);
  return true;
}

void lb_touch_close(lbTouching *t) {
  if (t->scratch) lb_scratch_return(t->body->prepared, t->scratch);
  t->scratch = NULL;
}

// ---- places ------------------------------------------------------------------------------------

// Own axes, at coordinates q.
static lbVec3 own_place(const lbTouching *t, const double *q, int32_t triangle,
                        const double weights[3]) {
  const lbPrepared *p = t->body->prepared;
  lbPoint point = lb_point_triangle(triangle, weights[0], weights[1], weights[2]);
  return lb_add(lb_point_rest(p->model, &point), lb_point_apply(p, &point, q));
}

lbVec3 lb_touch_start(const lbTouching *t, int32_t triangle, const double weights[3]) {
  return lb_body_place(t->body, own_place(t, t->scratch->q0, triangle, weights));
}

lbVec3 lb_touch_end(const lbTouching *t, int32_t triangle, const double weights[3]) {
  const lbFrameStep *to = &t->step.frame;
  lbVec3 own = own_place(t, t->scratch->q, triangle, weights);
  return lb_add(to->position, lb_mat3_apply(to->turn, own));
}

// What the shape moves by, by the root of the tree: the mean and how far others are from it.
static double way_of_shape(const lbTouching *t) {
  const lbScratch *s = t->scratch;
  const lbTree *tree = s->search->tree;
  double way[4] = { 0, 0, 0, 0 }, farthest = 0;
  if (tree->rows) {
    for (int32_t i = 0; i < tree->dimension; i++) {
      double by = s->q[i] - s->q0[i];
      for (int k = 0; k < 4; k++) way[k] += (k < 3 ? by : fabs(by)) * tree->motions[4 * i + k];
    }
    return lb_length(lb_vec3_load(way)) + way[3];
  }
  for (int32_t i = 0; i + 2 < tree->dimension; i += 3) {
    lbVec3 by = lb_sub(lb_vec3_load(s->q + i), lb_vec3_load(s->q0 + i));
    farthest = fmax(farthest, lb_dot(by, by));
  }
  return sqrt(farthest);
}

double lb_touch_way(const lbTouching *t) {
  const lbFrameState *f = &t->body->frame;
  const lbFrameStep *to = &t->step.frame;
  const lbPrepared *p = t->body->prepared;
  double way = way_of_shape(t);
  if (!lb_frame_is_still(t->body)) {
    lbVec3 from = lb_body_place(t->body, p->centre);
    lbVec3 goal = lb_add(to->position, lb_mat3_apply(to->turn, p->centre));
    lbQuat turned = lb_quat_multiply(to->rotation, lb_quat_conjugate(f->rotation));
    way += lb_length(lb_sub(goal, from)) + p->size * lb_length(lb_quat_log(turned));
  }
  return way;
}

lbVec3 lb_touch_velocity(const lbBody *body, const double *q, const double *v, int32_t triangle,
                         const double weights[3]) {
  const lbPrepared *p = body->prepared;
  lbPoint point = lb_point_triangle(triangle, weights[0], weights[1], weights[2]);
  lbVec3 own = lb_add(lb_point_rest(p->model, &point), lb_point_apply(p, &point, q));
  return lb_frame_velocity(body, own, lb_point_apply(p, &point, v));
}

// ---- rows --------------------------------------------------------------------------------------

void lb_touch_row(const lbTouching *t, int32_t triangle, const double weights[3], lbVec3 along,
                  double *row) {
  const lbBody *body = t->body;
  const lbPrepared *p = body->prepared;
  lbMat3 turn = t->step.frame.turn;
  memset(row, 0, (size_t)lb_body_width(body) * sizeof *row);
  lb_tree_line(t->scratch->search->tree, triangle, weights, lb_mat3_apply_transpose(turn, along),
               row);
  if (body->frame.kind != LB_FRAME_FREE) return;
  lbVec3 arm =
      lb_mat3_apply(turn, lb_sub(own_place(t, t->scratch->q, triangle, weights), p->centre));
  lb_vec3_store(row + p->padded, along);
  lb_vec3_store(row + p->padded + 3, lb_cross(arm, along));
}

static void move_frame(const lbTouching *t, double factor, const double *force, double *moved) {
  const lbPrepared *p = t->body->prepared;
  if (t->body->frame.kind != LB_FRAME_FREE) return;
  const double *from = force + p->padded;
  double *to = moved + p->padded;
  memset(to, 0, LB_FRAME_ROOM * sizeof *to);
  lb_vec3_store(to, lb_scale(factor / p->mass, lb_vec3_load(from)));
  lb_vec3_store(to + 3, lb_scale(factor, lb_mat3_apply(t->mobility, lb_vec3_load(from + 3))));
}

void lb_touch_move(const lbTouching *t, const double *force, double *moved) {
  const lbPrepared *p = t->body->prepared;
  lbScratch *s = t->scratch;
  memcpy(s->a, force, (size_t)p->padded * sizeof(double)); // a method may write over its force
  p->method->respond(t->body, &t->step, s, s->a, moved);
  move_frame(t, 0.5 * t->step.h * t->step.h, force, moved);
}

void lb_touch_speed(const lbTouching *t, const double *impulse, double *sped) {
  const lbPrepared *p = t->body->prepared;
  memcpy(sped, impulse, (size_t)p->padded * sizeof(double));
  if (p->method->mobilise) p->method->mobilise(p, sped);
  move_frame(t, 1, impulse, sped);
}

void lb_touch_hold(lbBody *body, const double *force) {
  memcpy(body->contacts->force, force, (size_t)lb_body_width(body) * sizeof *force);
  body->contacts->acts = true;
}
