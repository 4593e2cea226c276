// Placing a surface in the world (placed.h).
#include "body/placed.h"

#include "body/touch_kernels.h"

#include <string.h>

#define LARGE 1024 // vertices: fewer are placed faster than it is found out which of them matter

// ---- memory ------------------------------------------------------------------------------------

void lb_placed_destroy(lbPlaced *placed) {
  if (!placed) return;
  lb_aabb_tree_destroy(placed->boxes);
  lb_free(placed->positions);
  lb_free(placed->velocities);
  lb_free(placed->factors);
  lb_free(placed->triples);
  lb_free(placed->stamps);
  lb_free(placed);
}

lbStatus lb_placed_create(const lbBody *body, lbPlaced **out, lbError *err) {
  const lbTree *tree = NULL;
  lbStatus status = lb_prepared_tree(body->prepared, &tree, err);
  if (status) return status;
  size_t vertices = (size_t)tree->model->size.vertex_count, dimension = (size_t)tree->dimension;
  lbPlaced *placed = lb_alloc(1, sizeof *placed);
  if (!placed) return lb_fail_memory(err);
  placed->tree = tree;
  placed->boxes = lb_aabb_tree_copy(tree->shape);
  placed->positions = lb_alloc(3 * vertices, sizeof(double));
  placed->velocities = lb_alloc(3 * vertices, sizeof(double));
  placed->factors = lb_alloc(4 * dimension + 1, sizeof(double)); // none for a rigid body
  placed->triples = lb_alloc(6 * dimension + 1, sizeof(double));
  placed->stamps = lb_alloc(vertices, sizeof(uint32_t));
  if (!placed->boxes || !placed->positions || !placed->velocities || !placed->factors ||
      !placed->triples || !placed->stamps) {
    lb_placed_destroy(placed);
    return lb_fail_memory(err);
  }
  *out = placed;
  return LB_OK;
}

bool lb_placed_is_large(const lbPlaced *placed) {
  return placed->tree->rows && placed->tree->model->size.vertex_count > LARGE;
}

// ---- placing -----------------------------------------------------------------------------------

// By coordinates of nodes (values, of the body's scratch): what its nodes carry a vertex by.
static lbVec3 carried(const lbModel *model, int32_t vertex, const double *values) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t k = model->carrier_begin[vertex]; k < model->carrier_begin[vertex + 1]; k++)
    sum = lb_add_scaled(sum, model->carrier_weights[k],
                        lb_vec3_load(values + 3 * (size_t)model->carrier_nodes[k]));
  return sum;
}

// From displacements and rates in own axes to positions and velocities in the world.
static void settle(lbPlaced *placed, const lbBody *body, int32_t first, int32_t count) {
  const double *rest = placed->tree->model->vertex_positions;
  double most = placed->spread * placed->spread;
  for (size_t v = 3 * (size_t)first; v < 3 * ((size_t)first + (size_t)count); v += 3) {
    double *place = placed->positions + v, *velocity = placed->velocities + v;
    lbVec3 own = lb_add(lb_vec3_load(rest + v), lb_vec3_load(place));
    lbVec3 moving = lb_frame_velocity(body, own, lb_vec3_load(velocity));
    lbVec3 by = lb_sub(moving, placed->velocity);
    if (lb_dot(by, by) > most) most = lb_dot(by, by);
    lb_vec3_store(place, lb_body_place(body, own));
    lb_vec3_store(velocity, moving);
  }
  placed->spread = sqrt(most);
}

static void place(lbPlaced *placed, const lbBody *body, int32_t first, int32_t count) {
  const lbTree *tree = placed->tree;
  int32_t width = 3 * tree->dimension;
  size_t at = 3 * (size_t)first;
  const double *rows = tree->rows + at * (size_t)tree->dimension;
  const lbTouchKernels *kernels = lb_touch_kernels(body->prepared->level);
  kernels->displace(count, width, rows, placed->triples, placed->positions + at);
  kernels->displace(count, width, rows, placed->triples + width, placed->velocities + at);
  settle(placed, body, first, count);
}

static void place_carried(lbPlaced *placed, const lbBody *body, const lbScratch *scratch) {
  const lbModel *model = placed->tree->model;
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lb_vec3_store(placed->positions + 3 * (size_t)v, carried(model, v, scratch->q0));
    lb_vec3_store(placed->velocities + 3 * (size_t)v, carried(model, v, scratch->v0));
  }
  settle(placed, body, 0, model->size.vertex_count);
}

static void start(lbPlaced *placed, const lbBody *body, lbVec3 velocity, lbScratch *scratch) {
  int32_t n = placed->tree->dimension;
  const double *q = scratch->q0, *rates = scratch->v0;
  body->prepared->method->get(body, scratch->q0, scratch->v0, NULL);
  placed->velocity = velocity, placed->spread = 0, placed->current = true;
  for (int32_t i = 0; i < n && placed->tree->rows; i++)
    for (int k = 0; k < 4; k++) {
      placed->factors[4 * i + k] = k < 3 ? q[i] : fabs(q[i]);
      if (k < 3) placed->triples[3 * i + k] = q[i], placed->triples[3 * (n + i) + k] = rates[i];
    }
}

lbVec3 lb_placed_velocity(const lbPlaced *placed, int32_t triangle, const double weights[3]) {
  const int32_t *corners = placed->tree->model->triangles + 3 * (size_t)triangle;
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++)
    sum = lb_add_scaled(sum, weights[k], lb_vec3_load(placed->velocities + 3 * (size_t)corners[k]));
  return sum;
}

bool lb_placed_update(lbPlaced *placed, const lbBody *body, lbVec3 velocity) {
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return false;
  start(placed, body, velocity, scratch);
  if (placed->tree->rows)
    place(placed, body, 0, placed->tree->model->size.vertex_count);
  else
    place_carried(placed, body, scratch);
  lb_scratch_return(body->prepared, scratch);
  lbTriangles surface = lb_placed_surface(placed);
  lb_aabb_tree_refit_triangles(placed->boxes, &surface, 0);
  return true;
}

// ---- what is near ------------------------------------------------------------------------------

typedef struct Placing {
  lbPlaced *placed;
  const lbBody *body;
  int32_t region_count;
  const lbPlacedRegion *regions;
} Placing;

static bool is_near(const Placing *p, int32_t node) {
  lbVec3 centre;
  double radius = lb_tree_sphere(p->placed->tree, node, p->placed->factors, &centre);
  centre = lb_body_place(p->body, centre);
  for (int32_t i = 0; i < p->region_count; i++) {
    double reach = radius + p->regions[i].radius;
    lbVec3 apart = lb_sub(centre, p->regions[i].centre);
    if (!(lb_dot(apart, apart) > reach * reach)) return true;
  }
  return false;
}

static void place_leaf(const Placing *p, lbAabbNode *leaf) {
  lbPlaced *placed = p->placed;
  lbTriangles surface = lb_placed_surface(placed);
  leaf->box = lb_box_empty();
  for (int32_t i = 0; i < leaf->count; i++) {
    int32_t triangle = placed->boxes->items[leaf->first + i];
    for (size_t k = 0; k < 6; k++) { // corners, and those across the edges
      size_t at = 3 * (size_t)triangle + k % 3;
      int32_t v = k < 3 ? surface.triangles[at] : placed->tree->across[at];
      if (placed->stamps[v] != placed->stamp) place(placed, p->body, v, 1);
      placed->stamps[v] = placed->stamp;
    }
    lbBox box = lb_triangle_box(&surface, triangle);
    lb_box_add_box(&leaf->box, &box);
  }
}

static void place_below(const Placing *p, int32_t id) {
  lbAabbNode *node = &p->placed->boxes->nodes[id];
  node->box = lb_box_empty();
  if (!is_near(p, id)) return;
  if (node->count > 0) {
    place_leaf(p, node);
    return;
  }
  const int32_t children[2] = { id + 1, node->first };
  for (int k = 0; k < 2; k++) {
    place_below(p, children[k]); // as deep as the tree, which is bounded
    lb_box_add_box(&node->box, &p->placed->boxes->nodes[children[k]].box);
  }
}

bool lb_placed_update_near(lbPlaced *placed, const lbBody *body, lbVec3 velocity,
                           int32_t region_count, const lbPlacedRegion *regions) {
  if (!lb_placed_is_large(placed)) return lb_placed_update(placed, body, velocity);
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return false;
  start(placed, body, velocity, scratch);
  lb_scratch_return(body->prepared, scratch);
  if (++placed->stamp == 0) {
    memset(placed->stamps, 0, (size_t)placed->tree->model->size.vertex_count * sizeof(uint32_t));
    placed->stamp = 1;
  }
  Placing p = { placed, body, region_count, regions };
  place_below(&p, 0);
  return true;
}

// ---- extent ------------------------------------------------------------------------------------

static double box_extent(const lbBox *box, lbVec3 along) {
  return lb_box_is_empty(box) ? -INFINITY : lb_box_extent(box, along);
}

static double leaf_extent(const lbPlaced *placed, const lbAabbNode *leaf, lbVec3 along) {
  lbTriangles surface = lb_placed_surface(placed);
  double most = -INFINITY;
  for (int32_t i = 0; i < leaf->count; i++)
    for (int k = 0; k < 3; k++) {
      int32_t triangle = placed->boxes->items[leaf->first + i];
      double extent = lb_dot(along, lb_triangle_corner(&surface, triangle, k));
      if (extent > most) most = extent;
    }
  return most;
}

double lb_placed_extent(const lbPlaced *placed, lbVec3 along) {
  const lbAabbNode *nodes = placed->boxes->nodes;
  int32_t stack[128], depth = 0;
  double most = -INFINITY;
  stack[depth++] = 0;
  while (depth > 0) {
    int32_t id = stack[--depth];
    const lbAabbNode *node = &nodes[id];
    if (!(box_extent(&node->box, along) > most)) continue;
    if (node->count > 0) {
      most = fmax(most, leaf_extent(placed, node, along));
      continue;
    }
    if (depth + 2 > 128) return INFINITY;
    bool left = box_extent(&nodes[id + 1].box, along) > box_extent(&nodes[node->first].box, along);
    stack[depth++] = left ? node->first : id + 1; // the farther one first
    stack[depth++] = left ? id + 1 : node->first;
  }
  return most;
}
