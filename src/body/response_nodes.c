// Compliance of unreduced bodies at their contact points (response_nodes.h).
#include "body/response_nodes.h"

#include "body/point.h"
#include "body/response_kernels.h"
#include "body/tree.h"

#include <string.h>

// The neighbours of a node move along with it: its compliance is 1.5 to 1.9 times that of a node
// whose neighbours stand still. Half or twice as much costs one round of compliance.c more.
#define ALONG 2.0

static lbPoint point_of(const lbContactPoint *at) {
  return lb_point_triangle(at->triangle, at->weights[0], at->weights[1], at->weights[2]);
}

// ---- the estimate ------------------------------------------------------------------------------

// Of points, the nodes that carry them: entries in lists, one for each node.
typedef struct Carrier {
  int32_t contact, next; // -1: no more
  double weight;
} Carrier;

typedef struct Carriers {
  int32_t *first; // (nodes) in `all`; -1: none
  Carrier *all;
} Carriers;

enum {
  CARRIERS_MOST = 24, // of a contact point: three corners in elements of eight nodes
  RIGID_STRIDE = 3 * LB_NODAL_POINTS + 8
};

size_t lb_touch_nodal_room(const lbPrepared *p) {
  if (!p->has_node_blocks) return 0;
  size_t bytes = (size_t)p->model->size.node_count * sizeof(int32_t) +
                 LB_NODAL_POINTS * CARRIERS_MOST * sizeof(Carrier);
  return 12 * RIGID_STRIDE + bytes / sizeof(double) + 2;
}

// (2 x 6 x RIGID_STRIDE)
static double *rigid_rows(const lbPrepared *p, const lbScratch *s) {
  return s->call->touch_work + lb_touch_nodal_begin(p);
}

static Carriers carriers_of(const lbPrepared *p, const lbScratch *s) {
  Carrier *all = (Carrier *)(rigid_rows(p, s) + 12 * RIGID_STRIDE);
  return (Carriers){ (int32_t *)(all + LB_NODAL_POINTS * CARRIERS_MOST), all };
}

// matrix += a w B, between points i and j, in world axes
static void add_block(const lbContactPoint *points, int32_t count, int32_t i, int32_t j,
                      lbMat3 block, double *matrix) {
  size_t n = 3 * (size_t)count;
  for (size_t a = 0; a < 3; a++)
    for (size_t b = 0; b < 3; b++) {
      size_t row = 3 * (size_t)i + a, column = 3 * (size_t)j + b;
      double by = lb_dot(points[i].axes[a], lb_mat3_apply(block, points[j].axes[b]));
      matrix[row * n + column] += by;
      if (i != j) matrix[column * n + row] += by;
    }
}

// matrix += factor Σ_n w_n B_n w_nᵀ. Points share few nodes, so each looks only at those before it
// that have one of its own. Carriers for which there is no room count in their own block alone,
// which keeps the matrix positive.
static void add_blocks(const lbBody *body, const lbStep *step, lbMat3 turn, double factor,
                       lbScratch *s, int32_t count, const lbContactPoint *points, double *matrix) {
  const lbModel *model = body->prepared->model;
  Carriers c = carriers_of(body->prepared, s);
  int32_t used = 0;
  for (int32_t n = 0; n < model->size.node_count; n++) c.first[n] = -1;
  for (int32_t i = 0; i < count; i++) {
    lbPoint point = point_of(&points[i]);
    for (lbPointWalk walk = lb_point_walk(model, &point); lb_point_next(&walk);) {
      lbMat3 block;
      if (walk.weight == 0) continue;
      body->prepared->method->respond_at(body, step, s, walk.node, block.m);
      block = lb_mat3_multiply(turn, lb_mat3_multiply(block, lb_mat3_transpose(turn)));
      bool full = used == LB_NODAL_POINTS * CARRIERS_MOST;
      for (int32_t k = full ? -1 : c.first[walk.node]; k >= 0; k = c.all[k].next) {
        bool same = c.all[k].contact == i; // a node that comes twice
        double by = factor * walk.weight * c.all[k].weight * (same ? 2 : 1);
        add_block(points, count, i, c.all[k].contact, lb_mat3_scale(by, block), matrix);
      }
      double own = factor * walk.weight * walk.weight;
      add_block(points, count, i, i, lb_mat3_scale(own, block), matrix);
      if (full) continue;
      c.all[used] = (Carrier){ i, c.first[walk.node], walk.weight };
      c.first[walk.node] = used++;
    }
  }
}

// matrix += the rigid motion of a free body by forces that are held over a step of h
static void add_rigid(const lbBody *body, double h, lbScratch *s, int32_t count,
                      const lbContactPoint *points, double *matrix) {
  lbVec3 centre = lb_frame_centre(body);
  lbMat3 mobility = lb_frame_mobility(body, body->frame.turn);
  double factor = 0.5 * h * h;
  size_t n = 3 * (size_t)count, stride = lb_touch_stride(3 * count);
  double *rows = rigid_rows(body->prepared, s), *moved = rows + 6 * RIGID_STRIDE;
  memset(rows, 0, 6 * stride * sizeof *rows);
  memset(moved, 0, 6 * stride * sizeof *moved);
  for (size_t i = 0; i < n; i++) {
    lbVec3 axis = points[i / 3].axes[i % 3];
    lbVec3 moment = lb_cross(lb_sub(points[i / 3].point, centre), axis);
    lbVec3 linear = lb_scale(factor / body->prepared->mass, axis);
    lbVec3 angular = lb_scale(factor, lb_mat3_apply(mobility, moment));
    const lbVec3 of[2] = { axis, moment }, by[2] = { linear, angular };
    for (size_t k = 0; k < 2; k++) {
      double *row = rows + 3 * k * stride + i, *to = moved + 3 * k * stride + i;
      row[0] = of[k].x, row[stride] = of[k].y, row[2 * stride] = of[k].z;
      to[0] = by[k].x, to[stride] = by[k].y, to[2 * stride] = by[k].z;
    }
  }
  lb_touch_kernels(body->prepared->level)->add_product(6, 3 * count, rows, moved, matrix);
}

void lb_touch_estimate_moves(const lbTouching *t, int32_t count, const lbContactPoint *points,
                             double *matrix) {
  add_blocks(t->body, &t->step, t->step.frame.turn, ALONG, t->scratch, count, points, matrix);
  if (t->body->frame.fitted) add_rigid(t->body, t->step.h, t->scratch, count, points, matrix);
}

void lb_touch_estimate_speeds(const lbBody *body, lbScratch *s, int32_t count,
                              const lbContactPoint *points, double *matrix) {
  add_blocks(body, NULL, body->frame.turn, 1, s, count, points, matrix);
}

// ---- exactly -----------------------------------------------------------------------------------

void lb_touch_find_moves(const lbBody *body, const lbStep *step, lbScratch *s, int32_t count,
                         const lbContactPoint *points, const double *forces, double *moves) {
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  lbMat3 turn = step ? step->frame.turn : body->frame.turn;
  lb_prepared_tree(p, &tree, NULL);
  memset(s->a, 0, (size_t)p->padded * sizeof(double));
  for (int32_t i = 0; i < count; i++) {
    lbVec3 force = lb_vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) force = lb_add_scaled(force, forces[3 * i + k], points[i].axes[k]);
    lb_tree_add_line(tree, points[i].triangle, points[i].weights,
                     lb_mat3_apply_transpose(turn, force), s->a);
  }
  if (step) {
    p->method->respond(body, step, s, s->a, s->c);
  } else {
    memcpy(s->c, s->a, (size_t)p->padded * sizeof(double));
    lb_body_mobilise(body, s, s->c);
  }
  for (int32_t i = 0; i < count; i++) {
    lbPoint point = point_of(&points[i]);
    lbVec3 by = lb_mat3_apply(turn, lb_point_apply(p, &point, s->c));
    for (int k = 0; k < 3; k++) moves[3 * i + k] = lb_dot(points[i].axes[k], by);
  }
}

void lb_touch_add_columns(const lbBody *body, const lbStep *step, lbScratch *s, int32_t count,
                          const lbContactPoint *points, double *matrix) {
  double unit[3 * LB_BODY_POINTS] = { 0 }, moves[3 * LB_BODY_POINTS];
  size_t n = 3 * (size_t)count;
  for (size_t k = 0; k < n; k++) {
    unit[k] = 1;
    lb_touch_find_moves(body, step, s, count, points, unit, moves);
    unit[k] = 0;
    for (size_t i = 0; i < n; i++) matrix[k * n + i] += moves[i];
  }
  // It is symmetric but for what a solver leaves, or a form of forces that has no energy.
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < k; i++)
      matrix[k * n + i] = matrix[i * n + k] = 0.5 * (matrix[k * n + i] + matrix[i * n + k]);
}
