// Points: x = sum of weight x_node. A vertex has the nodes that carry it; a triangle those of its
// three corners; an element its own nodes.
#include "body/point.h"

#include <string.h>

// Times 1: weights of a point beyond are refused. Doubled, farther points outside can be used.
#define WEIGHT_MOST 1e6

// The nodes of an element, and how many.
static int32_t element_nodes(const lbModel *model, int32_t element, const int32_t **nodes) {
  int32_t brick = element - model->size.tet_count, triangle = brick - model->size.brick_count;
  if (brick < 0) {
    *nodes = model->tets + 4 * (size_t)element;
    return 4;
  }
  *nodes = triangle < 0 ? model->bricks + 8 * (size_t)brick : model->shells + 3 * (size_t)triangle;
  return triangle < 0 ? 8 : 3;
}

static int32_t weight_count(const lbModel *model, const lbPoint *point) {
  const int32_t *nodes;
  if (point->kind == LB_POINT_TRIANGLE) return 3;
  if (point->kind == LB_POINT_ELEMENT) return element_nodes(model, point->index, &nodes);
  return 0;
}

lbStatus lb_point_check(const lbModel *model, const lbPoint *point, const char *what,
                        lbError *err) {
  static const char *const names[] = { "vertices", "nodes", "triangles", "elements" };
  const lbModelSizes *size = &model->size;
  const int32_t counts[] = { size->vertex_count, size->node_count, size->triangle_count,
                             size->element_count };
  if ((int)point->kind < 0 || point->kind >= LB_POINT_KIND_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: there is no kind of point %d", what,
                   (int)point->kind);
  if (point->index < 0 || point->index >= counts[point->kind])
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: number %d is not among the model's %d %s", what,
                   (int)point->index, (int)counts[point->kind], names[point->kind]);
  int32_t count = weight_count(model, point);
  double sum = 0;
  for (int32_t i = 0; i < count; i++) {
    sum += point->weights[i];
    if (!(fabs(point->weights[i]) <= WEIGHT_MOST))
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: weight %d is %g", what, (int)i, point->weights[i]);
  }
  if (count && !(fabs(sum - 1) <= 1e-6))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: its %d weights sum to %.9g, not 1", what, (int)count,
                   sum);
  return LB_OK;
}

// ---- the walk ----------------------------------------------------------------------------------

static int32_t vertex_of(const lbModel *model, const lbPoint *point, int32_t corner) {
  if (point->kind == LB_POINT_VERTEX) return point->index;
  return model->triangles[3 * (size_t)point->index + (size_t)corner];
}

lbPointWalk lb_point_walk(const lbModel *model, const lbPoint *point) {
  lbPointWalk walk = { .model = model, .point = point, .node = -1 };
  if (point->kind == LB_POINT_VERTEX || point->kind == LB_POINT_TRIANGLE)
    walk.carrier = model->carrier_begin[vertex_of(model, point, 0)];
  return walk;
}

static bool next_of_surface(lbPointWalk *walk) {
  const lbModel *model = walk->model;
  int32_t corner_count = walk->point->kind == LB_POINT_VERTEX ? 1 : 3;
  if (walk->corner == corner_count) return false;
  int32_t vertex = vertex_of(model, walk->point, walk->corner);
  walk->node = model->carrier_nodes[walk->carrier];
  walk->weight = model->carrier_weights[walk->carrier];
  if (corner_count == 3) walk->weight *= walk->point->weights[walk->corner];
  walk->carrier++;
  if (walk->carrier == model->carrier_begin[vertex + 1]) {
    walk->corner++;
    if (walk->corner < corner_count)
      walk->carrier = model->carrier_begin[vertex_of(model, walk->point, walk->corner)];
  }
  return true;
}

bool lb_point_next(lbPointWalk *walk) {
  const lbPoint *point = walk->point;
  if (point->kind == LB_POINT_VERTEX || point->kind == LB_POINT_TRIANGLE)
    return next_of_surface(walk);
  int32_t i = walk->corner++;
  if (point->kind == LB_POINT_NODE) {
    walk->node = point->index, walk->weight = 1;
    return i == 0;
  }
  const int32_t *nodes;
  if (i >= element_nodes(walk->model, point->index, &nodes)) return false;
  walk->node = nodes[i];
  walk->weight = point->weights[i];
  return true;
}

// ---- what points are asked for -----------------------------------------------------------------

lbVec3 lb_point_rest(const lbModel *model, const lbPoint *point) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  if (point->kind == LB_POINT_VERTEX)
    return lb_vec3_load(model->vertex_positions + 3 * (size_t)point->index);
  if (point->kind == LB_POINT_TRIANGLE) { // on the surface at rest, which the embedding only nears
    for (int32_t i = 0; i < 3; i++) {
      size_t vertex = (size_t)vertex_of(model, point, i);
      sum =
          lb_add_scaled(sum, point->weights[i], lb_vec3_load(model->vertex_positions + 3 * vertex));
    }
    return sum;
  }
  for (lbPointWalk walk = lb_point_walk(model, point); lb_point_next(&walk);)
    sum = lb_add_scaled(sum, walk.weight,
                        lb_vec3_load(model->node_positions + 3 * (size_t)walk.node));
  return sum;
}

static void add_row(const lbPrepared *prepared, int32_t row, double value, double *sum) {
  if (!prepared->basis) {
    sum[row] += value;
    return;
  }
  lb_basis_add_row_transposed(prepared->basis, 3 * (size_t)prepared->model->size.node_count,
                              prepared->dimension, row, value, sum);
}

void lb_point_rows(const lbPrepared *prepared, const lbPoint *point, double *rows) {
  memset(rows, 0, 3 * (size_t)prepared->padded * sizeof *rows);
  for (lbPointWalk walk = lb_point_walk(prepared->model, point); lb_point_next(&walk);)
    for (int32_t i = 0; i < 3; i++)
      add_row(prepared, 3 * walk.node + i, walk.weight,
              rows + (size_t)i * (size_t)prepared->padded);
}

void lb_point_add_force(const lbPrepared *prepared, const lbPoint *point, lbVec3 own, double *sum) {
  const double f[3] = { own.x, own.y, own.z };
  for (lbPointWalk walk = lb_point_walk(prepared->model, point); lb_point_next(&walk);)
    for (int32_t i = 0; i < 3; i++) add_row(prepared, 3 * walk.node + i, walk.weight * f[i], sum);
}

// A row's bits do not depend on the range that basis_apply is asked for.
lbVec3 lb_point_apply(const lbPrepared *prepared, const lbPoint *point, const double *coordinates) {
  size_t stride = 3 * (size_t)prepared->model->size.node_count;
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (lbPointWalk walk = lb_point_walk(prepared->model, point); lb_point_next(&walk);) {
    double u[3];
    if (!prepared->basis) {
      sum = lb_add_scaled(sum, walk.weight, lb_vec3_load(coordinates + 3 * (size_t)walk.node));
      continue;
    }
    prepared->basis_kernels->apply(prepared->basis + 3 * (size_t)walk.node, stride,
                                   prepared->dimension, 0, 3, coordinates, u);
    sum = lb_add_scaled(sum, walk.weight, lb_vec3_load(u));
  }
  return sum;
}
