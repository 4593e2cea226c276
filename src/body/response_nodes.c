#include "body/response_nodes.h"

#include "body/point.h"
#include "body/tree.h"

#include <string.h>

#define ALONG                                                                                      \
  2.0 // neighbours go along with a node: it gives way by 1.5 to 1.9 times as much as if
      // they stood still. Half or twice as much costs one round of compliance.c more

static lbPoint point_of(const lbSpot *spot) {
  return lb_point_triangle(spot->triangle, spot->weights[0], spot->weights[1], spot->weights[2]);
}

// ---- the estimate ------------------------------------------------------------------------------

// share (nodes) += factor times the weights of a spot's nodes
static void add_weights(const lbModel *model, const lbSpot *spot, double factor, double *share) {
  lbPoint point = point_of(spot);
  for (lbPointWalk walk = lb_point_walk(model, &point); lb_point_next(&walk);)
    share[walk.node] += factor * walk.weight;
}

// sum <- Σ_n a_n B_n b_n, a: the weights in `share`, b: those of a spot. Whether they have a node
// in common.
static bool sum_blocks(const lbBody *body, const lbStep *step, const lbScratch *s,
                       const lbSpot *spot, const double *share, lbMat3 *sum) {
  lbPoint point = point_of(spot);
  bool any = false;
  *sum = lb_mat3_zero();
  for (lbPointWalk walk = lb_point_walk(body->prepared->model, &point); lb_point_next(&walk);) {
    lbMat3 block;
    double weight = walk.weight * share[walk.node];
    if (weight == 0) continue;
    body->prepared->method->respond_at(body, step, s, walk.node, block.m);
    *sum = lb_mat3_add(*sum, lb_mat3_scale(weight, block));
    any = true;
  }
  return any;
}

// matrix += blocks of the nodes
static void add_blocks(const lbBody *body, const lbStep *step, lbMat3 turn, lbScratch *s,
                       int32_t count, const lbSpot *spots, double *matrix) {
  const lbModel *model = body->prepared->model;
  size_t n = 3 * (size_t)count;
  double *share = s->shares;
  memset(share, 0, (size_t)model->size.node_count * sizeof *share);
  for (int32_t i = 0; i < count; i++) {
    add_weights(model, &spots[i], 1, share);
    for (int32_t j = 0; j <= i; j++) {
      lbMat3 block;
      if (!sum_blocks(body, step, s, &spots[j], share, &block)) continue;
      block = lb_mat3_multiply(turn, lb_mat3_multiply(block, lb_mat3_transpose(turn)));
      for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++) {
          size_t row = 3 * (size_t)i + a, column = 3 * (size_t)j + b;
          double by = lb_dot(spots[i].axes[a], lb_mat3_apply(block, spots[j].axes[b]));
          matrix[row * n + column] += by;
          if (i != j) matrix[column * n + row] += by;
        }
    }
    lbPoint point = point_of(&spots[i]);
    for (lbPointWalk walk = lb_point_walk(model, &point); lb_point_next(&walk);)
      share[walk.node] = 0;
  }
}

// matrix += the rigid motion of a free body by forces that are held over a step of h
static void add_rigid(const lbBody *body, double h, int32_t count, const lbSpot *spots,
                      double *matrix) {
  lbVec3 centre = lb_frame_centre(body);
  lbMat3 mobility = lb_frame_mobility(body, body->frame.turn);
  double factor = 0.5 * h * h;
  size_t n = 3 * (size_t)count;
  for (size_t i = 0; i < n; i++) {
    lbVec3 axis = spots[i / 3].axes[i % 3];
    lbVec3 linear = lb_scale(factor / body->prepared->mass, axis);
    lbVec3 arm = lb_sub(spots[i / 3].point, centre);
    lbVec3 angular = lb_scale(factor, lb_mat3_apply(mobility, lb_cross(arm, axis)));
    for (size_t k = 0; k <= i; k++) {
      lbVec3 other = spots[k / 3].axes[k % 3], to = lb_sub(spots[k / 3].point, centre);
      double by = lb_dot(linear, other) + lb_dot(angular, lb_cross(to, other));
      matrix[i * n + k] += by;
      if (k != i) matrix[k * n + i] += by;
    }
  }
}

void lb_touch_estimate_moves(const lbTouching *t, int32_t count, const lbSpot *spots,
                             double *matrix) {
  add_blocks(t->body, &t->step, t->step.frame.turn, t->scratch, count, spots, matrix);
  for (size_t i = 0; i < 9 * (size_t)count * (size_t)count; i++) matrix[i] *= ALONG;
  if (t->body->frame.fitted) add_rigid(t->body, t->step.h, count, spots, matrix);
}

void lb_touch_estimate_speeds(const lbBody *body, lbScratch *s, int32_t count, const lbSpot *spots,
                              double *matrix) {
  add_blocks(body, NULL, body->frame.turn, s, count, spots, matrix);
}

// ---- exactly -----------------------------------------------------------------------------------

void lb_touch_find_moves(const lbBody *body, const lbStep *step, lbScratch *s, int32_t count,
                         const lbSpot *spots, const double *forces, double *moves) {
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  lbMat3 turn = step ? step->frame.turn : body->frame.turn;
  lb_prepared_tree(p, &tree, NULL);
  memset(s->a, 0, (size_t)p->padded * sizeof(double));
  for (int32_t i = 0; i < count; i++) {
    lbVec3 force = lb_vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) force = lb_add_scaled(force, forces[3 * i + k], spots[i].axes[k]);
    lb_tree_add_line(tree, spots[i].triangle, spots[i].weights,
                     lb_mat3_apply_transpose(turn, force), s->a);
  }
  if (step) {
    p->method->respond(body, step, s, s->a, s->c);
  } else {
    memcpy(s->c, s->a, (size_t)p->padded * sizeof(double));
    lb_body_mobilise(body, s, s->c);
  }
  for (int32_t i = 0; i < count; i++) {
    lbPoint point = point_of(&spots[i]);
    lbVec3 by = lb_mat3_apply(turn, lb_point_apply(p, &point, s->c));
    for (int k = 0; k < 3; k++) moves[3 * i + k] = lb_dot(spots[i].axes[k], by);
  }
}
