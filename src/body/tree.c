// Building the bounded deformation tree, and searching it best first.
#include "body/tree.h"

#include "body/point.h"
#include "body/response_kernels.h"

#include <string.h>

// ---- building ----------------------------------------------------------------------------------

// Of one coordinate: how it moves a vertex.
static lbVec3 motion_of(const lbTree *tree, int32_t vertex, int32_t i) {
  const double *x = lb_tree_rows(tree, vertex) + i, *y = x + tree->width, *z = y + tree->width;
  return lb_vec3(*x, *y, *z);
}

static void fill_rows(lbTree *tree, const lbPrepared *prepared, int32_t vertex, double *line) {
  lbPoint point = lb_point_vertex(vertex);
  double *row = tree->rows + 3 * (size_t)vertex * (size_t)tree->width;
  lb_point_rows(prepared, &point, line);
  for (int axis = 0; axis < 3; axis++, row += tree->width, line += prepared->padded) {
    memset(row, 0, (size_t)tree->width * sizeof *row);
    memcpy(row, line, (size_t)tree->dimension * sizeof *row);
  }
}

// Vertices side by side; the last one again where the last batch is not full.
static void fill_batches(lbTree *tree) {
  int32_t vertices = tree->model->size.vertex_count, r = tree->dimension;
  for (int32_t i = 0; i < (vertices + LB_BATCH - 1) / LB_BATCH * LB_BATCH; i++) {
    int32_t v = i < vertices ? i : vertices - 1;
    const double *rest = tree->model->vertex_positions + 3 * (size_t)v;
    double *to = tree->batches + 3 * (size_t)(i / LB_BATCH * LB_BATCH) * (size_t)r + i % LB_BATCH;
    for (int32_t k = 0; k < r; k++, to += 3 * LB_BATCH) {
      lbVec3 by = motion_of(tree, v, k);
      to[0] = by.x, to[LB_BATCH] = by.y, to[2 * LB_BATCH] = by.z;
    }
    to = tree->rests + 3 * (size_t)(i / LB_BATCH * LB_BATCH) + i % LB_BATCH;
    for (int32_t k = 0; k < 3; k++) to[LB_BATCH * k] = rest[k];
  }
}

// The items below a node are a stretch of shape->items.
static void find_items(const lbAabbTree *shape, int32_t node, int32_t *begin, int32_t *end) {
  int32_t left = node, right = node;
  while (shape->nodes[left].count == 0) left++;
  while (shape->nodes[right].count == 0) right = shape->nodes[right].first;
  *begin = shape->nodes[left].first;
  *end = shape->nodes[right].first + shape->nodes[right].count;
}

// Mean of rest positions and rows over all corners below the node.
static void fill_means(lbTree *tree, const int32_t *items, int32_t count, double *sphere,
                       double *motion) {
  double share = 1.0 / (3.0 * count);
  for (int32_t k = 0; k < 3 * count; k++) {
    int32_t vertex = tree->model->triangles[3 * (size_t)items[k / 3] + (size_t)(k % 3)];
    const double *rest = tree->model->vertex_positions + 3 * (size_t)vertex;
    const double *rows = lb_tree_rows(tree, vertex);
    for (int axis = 0; axis < 3; axis++) sphere[axis] += share * rest[axis];
    for (int32_t i = 0; i < tree->dimension; i++)
      for (int32_t axis = 0; axis < 3; axis++)
        motion[4 * i + axis] += share * rows[axis * tree->width + i];
  }
}

static double distance_of(lbVec3 a, const double *b) {
  return lb_length(lb_sub(a, lb_vec3_load(b)));
}

// Bounds are a little larger than computed: rounding must not hide a touching triangle.
static void fill_spreads(lbTree *tree, const int32_t *items, int32_t count, double *sphere,
                         double *motion) {
  const double slack = 1 + 1e-9;
  for (int32_t k = 0; k < 3 * count; k++) {
    int32_t vertex = tree->model->triangles[3 * (size_t)items[k / 3] + (size_t)(k % 3)];
    const double *rest = tree->model->vertex_positions + 3 * (size_t)vertex;
    sphere[3] = fmax(sphere[3], slack * distance_of(lb_vec3_load(rest), sphere));
    for (int32_t i = 0; i < tree->dimension; i++)
      motion[4 * i + 3] =
          fmax(motion[4 * i + 3], slack * distance_of(motion_of(tree, vertex, i), motion + 4 * i));
  }
}

static void build(lbTree *tree, const lbPrepared *prepared, double *line) {
  const lbAabbTree *shape = tree->shape;
  if (!tree->rows) return;
  for (int32_t v = 0; v < tree->model->size.vertex_count; v++) fill_rows(tree, prepared, v, line);
  if (tree->batches) fill_batches(tree);
  for (int32_t node = 0; node < shape->node_count; node++) {
    int32_t begin, end;
    find_items(shape, node, &begin, &end);
    double *sphere = tree->spheres + 4 * (size_t)node;
    double *motion = tree->motions + 4 * (size_t)node * (size_t)tree->dimension;
    fill_means(tree, shape->items + begin, end - begin, sphere, motion);
    fill_spreads(tree, shape->items + begin, end - begin, sphere, motion);
  }
}

static lbTree *lay_out(lbTree *tree, bool spheres, lbCarver *carver) {
  size_t vertices = (size_t)tree->model->size.vertex_count, r = (size_t)tree->dimension;
  size_t nodes = (size_t)tree->shape->node_count;
  lbTree *at = lb_carve(carver, 1, sizeof *tree);
  tree->across = lb_carve(carver, (size_t)tree->model->size.triangle_count, 3 * sizeof(int32_t));
  tree->own = lb_carve(carver, (size_t)tree->model->size.triangle_count, 1);
  tree->sides = lb_carve(carver, vertices, 4 * sizeof(double));
  tree->leans = lb_carve(carver, (size_t)tree->model->size.triangle_count, sizeof(double));
  if (!spheres) return at;
  tree->rows = lb_carve(carver, vertices * (size_t)tree->width, 3 * sizeof(double));
  if (vertices <= LB_TREE_LARGE) {
    size_t batches = (vertices + LB_BATCH - 1) / LB_BATCH;
    tree->batches = lb_carve(carver, batches * r, 3 * LB_BATCH * sizeof(double));
    tree->rests = lb_carve(carver, batches, 3 * LB_BATCH * sizeof(double));
  }
  tree->spheres = lb_carve(carver, nodes, 4 * sizeof(double));
  tree->motions = lb_carve(carver, nodes * r, 4 * sizeof(double));
  return at;
}

lbStatus lb_tree_create(const lbPrepared *prepared, lbTree **out, lbError *err) {
  const lbModel *model = prepared->model;
  lbTree draft = { .model = model,
                   .level = prepared->level,
                   .dimension = prepared->dimension,
                   .width = (prepared->dimension + 3) / 4 * 4 };
  lbTriangles surface = { model->size.triangle_count, model->triangles, model->vertex_positions };
  double *line = lb_alloc((size_t)prepared->padded, 3 * sizeof(double));
  lbStatus status = line ? LB_OK : lb_fail_memory(err);
  if (!status) status = lb_aabb_tree_build_triangles(&surface, &draft.shape, err);
  lbCarver carver = { 0 };
  if (!status) {
    lay_out(&draft, prepared->basis != NULL, &carver);
    carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
    if (!carver.block) status = lb_fail_memory(err);
  }
  if (!status) {
    carver.used = 0;
    lbTree *tree = lay_out(&draft, prepared->basis != NULL, &carver);
    *tree = draft;
    build(tree, prepared, line);
    lb_tree_find_sides(tree);
    status = lb_surface_neighbours(&surface, tree->across, tree->own, err);
    *out = tree;
  }
  if (status) {
    lb_aabb_tree_destroy(draft.shape);
    lb_free(carver.block);
  }
  lb_free(line);
  return status;
}

void lb_tree_destroy(lbTree *tree) {
  if (!tree) return;
  lb_aabb_tree_destroy(tree->shape);
  lb_free(tree);
}

// ---- a search's memory -------------------------------------------------------------------------

static lbSearch *lay_out_search(lbSearch *search, lbCarver *carver) {
  size_t vertices = (size_t)search->tree->model->size.vertex_count;
  lbSearch *at = lb_carve(carver, 1, sizeof *search);
  search->factors = lb_carve(carver, (size_t)search->tree->dimension, 4 * sizeof(double));
  search->positions = lb_carve(carver, vertices, 3 * sizeof(double));
  search->stamps = lb_carve(carver, vertices, sizeof(uint32_t));
  search->queue = lb_carve(carver, (size_t)search->node_limit + 2, sizeof(lbSearchNode));
  search->near = lb_carve(carver, (size_t)search->triangle_limit, sizeof(lbNearTriangle));
  return at;
}

lbStatus lb_search_create(const lbTree *tree, int32_t node_limit, int32_t triangle_limit,
                          lbSearch **out, lbError *err) {
  lbSearch draft = { .tree = tree, .node_limit = node_limit, .triangle_limit = triangle_limit };
  lbCarver carver = { 0 };
  lay_out_search(&draft, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (carver.block && !tree->rows) draft.boxes = lb_aabb_tree_copy(tree->shape);
  if (!carver.block || (!tree->rows && !draft.boxes)) {
    lb_free(carver.block);
    return lb_fail_memory(err);
  }
  carver.used = 0;
  lbSearch *search = lay_out_search(&draft, &carver);
  *search = draft;
  *out = search;
  return LB_OK;
}

lbStatus lb_search_make(const lbPrepared *prepared, lbScratch *scratch, lbError *err) {
  enum { NODES = 4096, TRIANGLES = 1024 };
  const lbTree *tree = NULL;
  if (scratch->call->search) return LB_OK;
  lbStatus status = lb_prepared_tree(prepared, &tree, err);
  return status ? status : lb_search_create(tree, NODES, TRIANGLES, &scratch->call->search, err);
}

void lb_search_destroy(lbSearch *search) {
  if (!search) return;
  lb_aabb_tree_destroy(search->boxes);
  lb_free(search);
}

// ---- the queue: a heap with the smallest bound on top ------------------------------------------

static void push(lbSearch *search, lbSearchNode item) {
  int32_t at = search->queue_count++;
  for (; at > 0 && search->queue[(at - 1) / 2].bound > item.bound; at = (at - 1) / 2)
    search->queue[at] = search->queue[(at - 1) / 2];
  search->queue[at] = item;
}

static lbSearchNode pop(lbSearch *search) {
  lbSearchNode top = search->queue[0], last = search->queue[--search->queue_count];
  int32_t at = 0, count = search->queue_count;
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && search->queue[child + 1].bound < search->queue[child].bound) child++;
    if (search->queue[child].bound >= last.bound) break;
    search->queue[at] = search->queue[child];
    at = child;
  }
  search->queue[at] = last;
  return top;
}

// ---- searching ---------------------------------------------------------------------------------

static double box_bound(const lbBox *box, lbVec3 point) {
  const double at[3] = { point.x, point.y, point.z };
  return sqrt(lb_box_distance2(box, at));
}

double lb_tree_sphere(const lbTree *tree, int32_t node, const double *factors, lbVec3 *centre) {
  const double *sphere = tree->spheres + 4 * (size_t)node;
  const double *motion = tree->motions + 4 * (size_t)node * (size_t)tree->dimension;
  double at[4] = { sphere[0], sphere[1], sphere[2], sphere[3] };
  for (int32_t i = 0; i < 4 * tree->dimension; i += 4)
    for (int k = 0; k < 4; k++) at[k] += factors[i + k] * motion[i + k];
  *centre = lb_vec3_load(at);
  return at[3];
}

// A sphere around a node at the search's coordinates.
static double sphere_of(const lbSearch *search, int32_t node, lbVec3 *centre) {
  if (!search->boxes) return lb_tree_sphere(search->tree, node, search->factors, centre);
  const lbBox *box = &search->boxes->nodes[node].box;
  lbVec3 low = lb_vec3_load(box->low), high = lb_vec3_load(box->high);
  *centre = lb_scale(0.5, lb_add(low, high));
  return 0.5 * lb_length(lb_sub(high, low));
}

// No part of a node is nearer to the point.
static double bound_of(const lbSearch *search, lbVec3 point, int32_t node) {
  lbVec3 centre;
  if (search->boxes) return box_bound(&search->boxes->nodes[node].box, point);
  double radius = sphere_of(search, node, &centre),
         bound = lb_length(lb_sub(point, centre)) - radius;
  return bound > 0 ? bound : 0;
}

static lbVec3 vertex_position(lbSearch *search, const double *q, int32_t vertex) {
  const lbTree *tree = search->tree;
  double *position = search->positions + 3 * (size_t)vertex;
  if (search->stamps[vertex] == search->stamp) return lb_vec3_load(position);
  const double *rest = tree->model->vertex_positions + 3 * (size_t)vertex;
  lbVec3 place = lb_add(lb_vec3_load(rest), lb_tree_motion(tree, vertex, q));
  search->stamps[vertex] = search->stamp;
  lb_vec3_store(position, place);
  return place;
}

static void look_at(lbSearch *search, const double *q, lbVec3 point, double distance,
                    int32_t triangle) {
  const lbModel *model = search->tree->model;
  lbNearTriangle *found = &search->near[search->near_count];
  found->triangle = triangle;
  for (int corner = 0; corner < 3; corner++)
    found->corners[corner] =
        vertex_position(search, q, model->triangles[3 * (size_t)triangle + (size_t)corner]);
  found->distance = sqrt(lb_triangle_closest_point(point, found->corners[0], found->corners[1],
                                                   found->corners[2], found->weights));
  if (found->distance < distance) search->near_count++;
}

// All vertices, where q is the displacements of the nodes.
static void place_surface(lbSearch *search, const double *q) {
  const lbModel *model = search->tree->model;
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lbVec3 at = lb_vec3_load(model->vertex_positions + 3 * (size_t)v);
    for (int32_t k = model->carrier_begin[v]; k < model->carrier_begin[v + 1]; k++)
      at = lb_add_scaled(at, model->carrier_weights[k],
                         lb_vec3_load(q + 3 * (size_t)model->carrier_nodes[k]));
    lb_vec3_store(search->positions + 3 * (size_t)v, at);
    search->stamps[v] = search->stamp;
  }
  lbTriangles surface = { model->size.triangle_count, model->triangles, search->positions };
  lb_aabb_tree_refit_triangles(search->boxes, &surface, 0);
}

static void start_search(lbSearch *search, const double *q) {
  const lbTree *tree = search->tree;
  if (++search->stamp == 0) { // once in 49 days of 1 kHz
    memset(search->stamps, 0, (size_t)tree->model->size.vertex_count * sizeof *search->stamps);
    search->stamp = 1;
  }
  for (int32_t i = 0; i < tree->dimension; i++)
    for (int k = 0; k < 4; k++) search->factors[4 * i + k] = k < 3 ? q[i] : fabs(q[i]);
  search->queue_count = search->near_count = 0;
  if (search->boxes) place_surface(search, q);
}

double lb_tree_search(lbSearch *search, const double *q, lbVec3 point, double distance) {
  const lbAabbTree *shape = search->tree->shape;
  int32_t node_count = 1, triangle_count = 0;
  start_search(search, q);
  push(search, (lbSearchNode){ bound_of(search, point, 0), 0 });
  while (search->queue_count > 0) {
    lbSearchNode top = pop(search);
    const lbAabbNode *node = &shape->nodes[top.node];
    if (!(top.bound < distance)) return distance;
    if (node->count > search->triangle_limit - triangle_count) return top.bound;
    triangle_count += node->count;
    for (int32_t k = 0; k < node->count; k++)
      look_at(search, q, point, distance, shape->items[node->first + k]);
    if (node->count) continue;
    if ((node_count += 2) > search->node_limit) return top.bound;
    const int32_t children[2] = { top.node + 1, node->first };
    for (int i = 0; i < 2; i++) {
      double bound = fmax(top.bound, bound_of(search, point, children[i]));
      if (bound < distance) push(search, (lbSearchNode){ bound, children[i] });
    }
  }
  return distance;
}

// A triangle with its neighbours where the search's coordinates put them.
static lbSurfaceTriangle place_triangle(lbSearch *search, const double *q, int32_t triangle) {
  const lbTree *tree = search->tree;
  lbSurfaceTriangle placed = { .own = tree->own[triangle] };
  for (size_t k = 0; k < 3; k++) {
    size_t at = 3 * (size_t)triangle + k;
    placed.corners[k] = vertex_position(search, q, tree->model->triangles[at]);
    placed.across[k] = vertex_position(search, q, tree->across[at]);
  }
  return placed;
}

void lb_tree_visit(lbSearch *search, const double *q, lbTreeReaches *reaches, lbTreeLook *look,
                   void *context) {
  const lbAabbTree *shape = search->tree->shape;
  int32_t stack[128], depth = 0; // trees of 2^31 triangles are 64 deep at most
  start_search(search, q);
  stack[depth++] = 0;
  while (depth > 0) {
    int32_t at = stack[--depth];
    const lbAabbNode *node = &shape->nodes[at];
    lbVec3 centre;
    double radius = sphere_of(search, at, &centre);
    if (!reaches(context, centre, radius)) continue;
    for (int32_t k = 0; k < node->count; k++) {
      int32_t triangle = shape->items[node->first + k];
      lbSurfaceTriangle placed = place_triangle(search, q, triangle);
      if (!look(context, &placed, triangle)) return;
    }
    if (node->count || depth + 2 > 128) continue;
    stack[depth++] = node->first; // the second child, later
    stack[depth++] = at + 1;
  }
}

// The same through the nodes that carry a corner.
static void add_corner(const lbModel *model, int32_t vertex, double weight, lbVec3 along,
                       double *line) {
  for (int32_t k = model->carrier_begin[vertex]; k < model->carrier_begin[vertex + 1]; k++) {
    double *to = line + 3 * (size_t)model->carrier_nodes[k];
    lb_vec3_store(to, lb_add_scaled(lb_vec3_load(to), weight * model->carrier_weights[k], along));
  }
}

void lb_tree_line(const lbTree *tree, int32_t triangle, const double weights[3], lbVec3 along,
                  double *line) {
  memset(line, 0, (size_t)tree->dimension * sizeof *line);
  lb_tree_add_line(tree, triangle, weights, along, line);
}

void lb_tree_add_line(const lbTree *tree, int32_t triangle, const double weights[3], lbVec3 along,
                      double *line) {
  for (int corner = 0; corner < 3; corner++) {
    int32_t vertex = tree->model->triangles[3 * (size_t)triangle + (size_t)corner];
    if (!tree->rows) {
      add_corner(tree->model, vertex, weights[corner], along, line);
      continue;
    }
    lb_tree_add_vertex_line(tree, vertex, lb_scale(weights[corner], along), line);
  }
}

lbVec3 lb_tree_motion(const lbTree *tree, int32_t vertex, const double *q) {
  double by[3];
  lb_touch_kernels(tree->level)->displace(1, tree->dimension, lb_tree_rows(tree, vertex), q, by);
  return lb_vec3_load(by);
}

void lb_tree_add_vertex_line(const lbTree *tree, int32_t vertex, lbVec3 force, double *line) {
  double by[3];
  lb_vec3_store(by, force);
  lb_touch_kernels(tree->level)->add_line(tree->dimension, lb_tree_rows(tree, vertex), by, line);
}
