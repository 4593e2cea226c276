// Frames that bodies carry along (anchor.h).
#include "body/anchor.h"

#include "body/hand_rows.h"
#include "body/point.h"
#include "body/reaction.h"

#include <string.h>

// Share of the body's size: points so much farther than the nearest lead the anchor. Doubled,
// joints grip a larger part of a soft body and bend it less.
#define REACH 0.12

// ---- vertices ----------------------------------------------------------------------------------

static const lbTree *tree_of(const lbPrepared *p) {
  const lbTree *tree = NULL;
  lb_prepared_tree(p, &tree, NULL); // it was made before
  return tree;
}

// Displacement (or velocity) in own axes for a row of coordinates (or rates).
static lbVec3 vertex_motion(const lbPrepared *p, const lbTree *tree, int32_t vertex,
                            const double *q) {
  lbPoint point = lb_point_vertex(vertex);
  if (!tree->rows) return lb_point_apply(p, &point, q);
  return lb_tree_motion(tree, vertex, q);
}

static void add_vertex_line(const lbPrepared *p, const lbTree *tree, int32_t vertex, lbVec3 own,
                            double *sum) {
  lbPoint point = lb_point_vertex(vertex);
  if (!tree->rows) {
    lb_point_add_force(p, &point, own, sum);
    return;
  }
  lb_tree_add_vertex_line(tree, vertex, own, sum);
}

static lbVec3 vertex_rest(const lbModel *model, int32_t vertex) {
  return lb_vec3_load(model->vertex_positions + 3 * (size_t)vertex);
}

static lbVec3 vertex_place(const lbAnchorView *view, const lbTree *tree, int32_t vertex) {
  const lbPrepared *p = view->body->prepared;
  lbVec3 own = lb_add(vertex_rest(p->model, vertex), vertex_motion(p, tree, vertex, view->q));
  return lb_add(view->position, lb_mat3_apply(view->turn, own));
}

// ---- looking -----------------------------------------------------------------------------------

static lbMat3 spread_of(int32_t count, const lbVec3 *arms) {
  lbMat3 S = lb_mat3_zero();
  for (int32_t i = 0; i < count; i++) {
    S = lb_mat3_sub(S, lb_mat3_outer(arms[i], arms[i]));
    for (int k = 0; k < 9; k += 4) S.m[k] += lb_dot(arms[i], arms[i]);
  }
  return lb_mat3_scale(1.0 / count, S);
}

// Points in a line, too, which nothing turns about it.
static lbMat3 inverse_of(lbMat3 S) {
  double slack = 1e-9 * lb_mat3_trace(S) + 1e-300;
  for (int k = 0; k < 9; k += 4) S.m[k] += slack;
  return lb_mat3_inverse(S);
}

static void look_at_points(lbAnchor *a, const lbAnchorView *view) {
  const lbTree *tree = tree_of(view->body->prepared);
  lbVec3 sum = lb_vec3(0, 0, 0);
  lbMat3 F = lb_mat3_zero();
  for (int32_t i = 0; i < a->count; i++) {
    a->arms[i] = vertex_place(view, tree, a->vertices[i]);
    sum = lb_add(sum, a->arms[i]);
  }
  a->mean = lb_scale(1.0 / a->count, sum);
  for (int32_t i = 0; i < a->count; i++) {
    a->arms[i] = lb_sub(a->arms[i], a->mean);
    F = lb_mat3_add(F, lb_mat3_outer(a->arms[i], a->rest[i]));
  }
  a->rotation = lb_quat(0, 0, 0, 1);
  if (a->count == 1) return;
  lbMat3 R;
  lb_polar3(F, &R, NULL); // nearest to Σ r restᵀ
  a->rotation = lb_quat_from_mat3(R);
  a->inverse = inverse_of(spread_of(a->count, a->arms));
}

void lb_anchor_look(lbAnchor *a, const lbAnchorView *view) {
  if (a->count == 0) {
    a->mean = lb_add(view->position, lb_mat3_apply(view->turn, view->body->prepared->centre));
    a->rotation = lb_quat_multiply(view->rotation, lb_quat_conjugate(a->rest_rotation));
  } else
    look_at_points(a, view);
  a->place = lb_add(a->mean, lb_quat_rotate(a->rotation, a->rest_arm));
}

void lb_anchor_look_at_rates(lbAnchor *a, const lbBody *body, const double *v) {
  const lbPrepared *p = body->prepared;
  if (a->count == 0) {
    a->velocity = body->frame.velocity, a->spin = body->frame.spin;
    return;
  }
  const lbTree *tree = tree_of(p);
  lbVec3 sum = lb_vec3(0, 0, 0), turning = sum;
  for (int32_t i = 0; i < a->count; i++) {
    lbVec3 own = lb_body_unplace(body, lb_add(a->mean, a->arms[i]));
    lbVec3 velocity = lb_frame_velocity(body, own, vertex_motion(p, tree, a->vertices[i], v));
    sum = lb_add(sum, velocity);
    turning = lb_add(turning, lb_cross(a->arms[i], velocity));
  }
  a->velocity = lb_scale(1.0 / a->count, sum);
  a->spin = lb_vec3(0, 0, 0);
  if (a->count > 1) a->spin = lb_mat3_apply(a->inverse, lb_scale(1.0 / a->count, turning));
}

lbVec3 lb_anchor_velocity(const lbAnchor *a, lbVec3 at) {
  return lb_add(a->velocity, lb_cross(a->spin, lb_sub(at, a->mean)));
}

// ---- forces ------------------------------------------------------------------------------------

int lb_anchor_axes(const lbAnchor *a) { return a->count == 0 ? 0 : a->count == 1 ? 3 : 6; }

static void add_line(const lbAnchor *a, const lbBody *body, lbMat3 turn, lbVec3 force,
                     lbVec3 torque, double *sum) {
  const lbPrepared *p = body->prepared;
  if (a->count == 0) return;
  const lbTree *tree = tree_of(p);
  lbVec3 about = a->count > 1 ? lb_mat3_apply(a->inverse, torque) : lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < a->count; i++) {
    lbVec3 f = lb_scale(1.0 / a->count, lb_add(force, lb_cross(about, a->arms[i])));
    add_vertex_line(p, tree, a->vertices[i], lb_mat3_apply_transpose(turn, f), sum);
  }
}

void lb_anchor_line(const lbAnchor *a, const lbBody *body, lbMat3 turn, int k, double *line) {
  lbVec3 none = lb_vec3(0, 0, 0);
  lbVec3 along = lb_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  memset(line, 0, (size_t)body->prepared->padded * sizeof *line);
  add_line(a, body, turn, k < 3 ? along : none, k < 3 ? none : along, line);
}

void lb_anchor_hold(lbBody *body, lbMat3 turn, const lbAnchorForce *by) {
  lbContacts *c = body->contacts;
  if (!c->acts) memset(c->force, 0, (size_t)lb_body_width(body) * sizeof(double));
  c->acts = true;
  add_line(by->anchor, body, turn, by->force, by->torque, c->force);
  if (body->frame.kind != LB_FRAME_FREE) return;
  double *frame = c->force + body->prepared->padded;
  lb_vec3_store(frame, lb_add(lb_vec3_load(frame), by->frame_force));
  lb_vec3_store(frame + 3, lb_add(lb_vec3_load(frame + 3), by->frame_torque));
}

void lb_anchors_apply_impulses(lbBody *body, int32_t count, const lbAnchorForce *by, lbScratch *s) {
  lbVec3 impulse = lb_vec3(0, 0, 0), moment = impulse;
  body->prepared->method->get(body, s->q0, NULL, NULL);
  memset(s->b, 0, (size_t)body->prepared->padded * sizeof(double));
  for (int32_t i = 0; i < count; i++) {
    add_line(by[i].anchor, body, body->frame.turn, by[i].force, by[i].torque, s->b);
    impulse = lb_add(impulse, by[i].frame_force);
    moment = lb_add(moment, by[i].frame_torque);
  }
  lb_reaction_apply_impulse(body, &impulse, &moment, s->b);
  (void)lb_body_add_impulse(body, impulse, moment, s); // one that is absurd is left out
}

// ---- making ------------------------------------------------------------------------------------

// The vertices nearest to a place, spread: the nearest, then each time the one farthest from those
// chosen among all that are about as near.
static void choose_points(lbAnchor *a, const lbAnchorView *view, const double *places,
                          lbVec3 place) {
  int32_t count = view->body->prepared->model->size.vertex_count, nearest = 0;
  double least = INFINITY, size = view->body->prepared->size;
  for (int32_t v = 0; v < count; v++) {
    double distance = lb_length(lb_sub(lb_vec3_load(places + 3 * (size_t)v), place));
    if (distance < least) least = distance, nearest = v;
  }
  a->vertices[a->count++] = nearest;
  for (double reach = REACH; a->count < LB_ANCHOR_POINTS && reach < 4; reach *= 2) {
    for (;;) {
      int32_t chosen = -1;
      double farthest = 1e-9 * size;
      for (int32_t v = 0; v < count; v++) {
        lbVec3 at = lb_vec3_load(places + 3 * (size_t)v);
        double alone = INFINITY;
        if (lb_length(lb_sub(at, place)) > least + reach * size) continue;
        for (int32_t i = 0; i < a->count; i++)
          alone =
              fmin(alone, lb_length(lb_sub(at, lb_vec3_load(places + 3 * (size_t)a->vertices[i]))));
        if (alone > farthest) farthest = alone, chosen = v;
      }
      if (chosen < 0 || a->count == LB_ANCHOR_POINTS) break;
      a->vertices[a->count++] = chosen;
    }
    if (a->count >= 6) break; // they determine any rotation
  }
}

static void settle(lbAnchor *a, const lbAnchorView *view, lbVec3 place, bool alone) {
  lb_anchor_look(a, view);
  memcpy(a->rest, a->arms, sizeof a->rest);
  a->rest_arm = alone ? lb_vec3(0, 0, 0) : lb_sub(place, a->mean);
  a->rest_rotation = view->rotation;
  lb_anchor_look(a, view);
}

lbStatus lb_anchor_make(lbAnchor *a, const lbBody *body, lbVec3 place, int32_t vertex,
                        lbError *err) {
  const lbPrepared *p = body->prepared;
  const lbFrameState *f = &body->frame;
  const lbTree *tree = NULL;
  *a = (lbAnchor){ .rest_rotation = f->rotation };
  lbStatus status = lb_prepared_tree(p, &tree, err);
  lbScratch *s = status ? NULL : lb_scratch_borrow(p);
  if (!s) return status ? status : lb_fail_memory(err);
  p->method->get(body, s->q0, NULL, NULL);
  lbAnchorView view = { body, f->position, f->rotation, f->turn, s->q0 };
  if (lb_body_solid(body)) {
    if (vertex >= 0) place = lb_body_place(body, vertex_rest(p->model, vertex));
  } else if (vertex >= 0)
    a->vertices[a->count++] = vertex;
  else {
    for (int32_t v = 0; v < p->model->size.vertex_count; v++)
      lb_vec3_store(s->call->positions + 3 * (size_t)v, vertex_place(&view, tree, v));
    choose_points(a, &view, s->call->positions, place);
  }
  settle(a, &view, place, vertex >= 0 && a->count == 1);
  lb_scratch_return(p, s);
  return LB_OK;
}
