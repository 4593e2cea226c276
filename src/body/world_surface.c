// Placing a surface in the world (placed.h).
#include "body/world_surface.h"

#include "body/world_surface_kernels.h"
#include "body/response_kernels.h"

#include <string.h>

// ---- memory ------------------------------------------------------------------------------------

void lb_placed_destroy(lbPlaced *placed) {
  if (!placed) return;
  lb_aabb_tree_destroy(placed->nodes);
  lb_box_set_release(&placed->boxes);
  lb_free(placed->triangles);
  lb_free(placed->positions);
  lb_free(placed->velocities);
  lb_free(placed->places);
  lb_free(placed->rates);
  lb_free(placed->factors);
  lb_free(placed->coordinates);
  lb_free(placed->stamps);
  lb_free(placed->hints);
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
  placed->level = body->prepared->level;
  placed->nodes = lb_aabb_tree_copy(tree->shape);
  placed->triangles = lb_alloc((size_t)tree->model->size.triangle_count, sizeof(int32_t));
  placed->positions = lb_alloc(3 * vertices + 1, sizeof(double)); // one more to be read
  placed->velocities = lb_alloc(3 * vertices, sizeof(double));
  placed->places = lb_alloc(vertices / LB_BATCH + 1, 3 * LB_BATCH * sizeof(double));
  placed->rates = lb_alloc(vertices / LB_BATCH + 1, 3 * LB_BATCH * sizeof(double));
  placed->factors = lb_alloc(4 * dimension + 1, sizeof(double)); // none for a rigid body
  placed->coordinates = lb_alloc(2 * dimension + 1, sizeof(double));
  placed->stamps = lb_alloc(vertices, sizeof(uint32_t));
  size_t blocks = (size_t)tree->model->size.triangle_count / LB_BATCH + 1;
  placed->hint_count = (int32_t)(vertices + blocks + blocks / LB_BATCH + 1);
  placed->hints = lb_alloc((size_t)placed->hint_count, sizeof *placed->hints);
  bool boxes = lb_box_set_create(&placed->boxes, tree->model->size.triangle_count);
  if (!boxes || !placed->nodes || !placed->triangles || !placed->positions || !placed->velocities ||
      !placed->places || !placed->rates || !placed->factors || !placed->coordinates ||
      !placed->stamps || !placed->hints) {
    lb_placed_destroy(placed);
    return lb_fail_memory(err);
  }
  *out = placed;
  return LB_OK;
}

bool lb_placed_is_large(const lbPlaced *placed) {
  return placed->tree->rows && placed->tree->model->size.vertex_count > LB_TREE_LARGE;
}

// ---- boxes -------------------------------------------------------------------------------------

static void list_triangle(lbPlaced *placed, int32_t triangle) {
  const int32_t *corners = placed->tree->model->triangles + 3 * (size_t)triangle;
  const double *a = placed->positions + 3 * (size_t)corners[0];
  const double *b = placed->positions + 3 * (size_t)corners[1];
  const double *c = placed->positions + 3 * (size_t)corners[2];
  lbBox box;
  for (int k = 0; k < 3; k++) {
    double low = a[k] < b[k] ? a[k] : b[k], high = a[k] < b[k] ? b[k] : a[k];
    box.low[k] = c[k] < low ? c[k] : low, box.high[k] = c[k] > high ? c[k] : high;
  }
  placed->triangles[placed->boxes.count] = triangle;
  lb_box_set_add(&placed->boxes, &box);
}

static void list_all(lbPlaced *placed) {
  const lbAabbTree *shape = placed->tree->shape;
  memcpy(placed->triangles, shape->items, (size_t)shape->item_count * sizeof(int32_t));
  lbTriangles surface = lb_placed_surface(placed);
  lb_box_kernels(placed->level)->fill(&placed->boxes, &surface, shape->items);
  placed->box = lb_box_set_box(&placed->boxes);
}

void lb_placed_refit(lbPlaced *placed) {
  lbTriangles surface = lb_placed_surface(placed);
  lb_aabb_tree_refit_triangles(placed->nodes, &surface, 0);
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
  int32_t n = tree->dimension;
  size_t at = 3 * (size_t)first;
  const double *rows = lb_tree_rows(tree, first), *q = placed->coordinates;
  const lbTouchKernels *kernels = lb_touch_kernels(body->prepared->level);
  kernels->displace(count, n, rows, q, placed->positions + at);
  kernels->displace(count, n, rows, q + n, placed->velocities + at);
  settle(placed, body, first, count);
}

static void list_place(lbPlaced *placed, int32_t vertex) {
  int32_t at = placed->place_count++;
  const double *from = placed->positions + 3 * (size_t)vertex;
  double *to = placed->places + 3 * (size_t)(at / LB_BATCH * LB_BATCH);
  for (int k = 0; k < 3; k++) // those that are to come are like it until then
    for (int i = at % LB_BATCH; i < LB_BATCH; i++) to[LB_BATCH * k + i] = from[k];
}

static lbPlacing placing_of(const lbPlaced *placed, const lbBody *body) {
  const lbFrameState *f = &body->frame;
  lbPlacing p = { .velocity = { 0 } };
  memcpy(p.turn, f->turn.m, sizeof p.turn);
  lb_vec3_store(p.position, f->position);
  lb_vec3_store(p.centre, lb_body_place(body, body->prepared->centre));
  lb_vec3_store(p.mean, placed->velocity);
  if (!lb_frame_moves(body)) return p;
  lb_vec3_store(p.velocity, f->velocity);
  lb_vec3_store(p.spin, f->spin);
  return p;
}

// The same, of all vertices, eight at a time.
static void place_batches(lbPlaced *placed, const lbBody *body, const lbScratch *scratch) {
  const lbTree *tree = placed->tree;
  const lbPlacedKernels *kernels = lb_placed_kernels(body->prepared->level);
  int32_t count = placed->place_count = tree->model->size.vertex_count;
  size_t width = 3 * LB_BATCH * (size_t)tree->dimension;
  lbPlacing placing = placing_of(placed, body);
  double most = 0;
  for (int32_t first = 0; first < count; first += LB_BATCH) {
    size_t batch = (size_t)(first / LB_BATCH);
    double *places = placed->places + 3 * LB_BATCH * batch;
    double *velocities = placed->rates + 3 * LB_BATCH * batch;
    double square = kernels->place(tree->dimension, tree->batches + width * batch,
                                   tree->rests + 3 * LB_BATCH * batch, scratch->q0, scratch->v0,
                                   &placing, places, velocities);
    if (square > most) most = square;
    for (int32_t i = 0; i < LB_BATCH && first + i < count; i++)
      for (int32_t k = 0; k < 3; k++) {
        placed->positions[3 * (first + i) + k] = places[LB_BATCH * k + i];
        placed->velocities[3 * (first + i) + k] = velocities[LB_BATCH * k + i];
      }
  }
  placed->spread = sqrt(most);
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
  placed->velocity = velocity, placed->spread = 0, placed->place_count = 0;
  placed->current = true;
  for (int32_t i = 0; i < n && placed->tree->rows; i++) {
    for (int k = 0; k < 4; k++) placed->factors[4 * i + k] = k < 3 ? q[i] : fabs(q[i]);
    placed->coordinates[i] = q[i], placed->coordinates[n + i] = rates[i];
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
  int32_t vertices = placed->tree->model->size.vertex_count;
  if (placed->tree->batches)
    place_batches(placed, body, scratch);
  else if (placed->tree->rows)
    place(placed, body, 0, vertices);
  else
    place_carried(placed, body, scratch);
  lb_scratch_return(body->prepared, scratch);
  while (placed->place_count < vertices) list_place(placed, placed->place_count);
  list_all(placed);
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

static void place_leaf(const Placing *p, const lbAabbNode *leaf) {
  lbPlaced *placed = p->placed;
  const int32_t *corners = placed->tree->model->triangles;
  for (int32_t i = 0; i < leaf->count; i++) {
    int32_t triangle = placed->tree->shape->items[leaf->first + i];
    for (size_t k = 0; k < 6; k++) { // corners, and those across the edges
      size_t at = 3 * (size_t)triangle + k % 3;
      int32_t v = k < 3 ? corners[at] : placed->tree->across[at];
      if (placed->stamps[v] == placed->stamp) continue;
      placed->stamps[v] = placed->stamp;
      place(placed, p->body, v, 1);
      list_place(placed, v);
    }
    list_triangle(placed, triangle);
  }
}

static void place_below(const Placing *p, int32_t id) {
  const lbAabbNode *node = &p->placed->tree->shape->nodes[id];
  if (!is_near(p, id)) return;
  if (node->count > 0) {
    place_leaf(p, node);
    return;
  }
  place_below(p, id + 1); // as deep as the tree, which is bounded
  place_below(p, node->first);
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
  lb_box_set_clear(&placed->boxes);
  place_below(&p, 0);
  placed->box = lb_box_set_box(&placed->boxes);
  return true;
}

// ---- extent ------------------------------------------------------------------------------------

double lb_placed_extent(const lbPlaced *placed, lbVec3 along) {
  const lbPlacedKernels *kernels = lb_placed_kernels(placed->level);
  double to[3];
  lb_vec3_store(to, along);
  return kernels->extent((placed->place_count + LB_BATCH - 1) / LB_BATCH, placed->places, to);
}

bool lb_placed_sweep(const lbPlaced *placed, const lbSweeping *sweeping, double *to, double *lows,
                     double *highs) {
  if (!placed->tree->batches) return false;
  lb_placed_kernels(placed->level)
      ->sweep(placed->place_count, placed->places, placed->rates, sweeping, to, lows, highs);
  return true;
}
