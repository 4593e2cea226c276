// What warped stiffness works out once, of a mesh and its materials: the stiffness of each element,
// of finite elements or of springs along its edges, and the edges of the fast rotation estimate.
//
// Springs: an edge of length l in an element of volume V has the stiffness E V / l². Over many
// directions this has the modulus E and Poisson's ratio 1/4, which networks of springs always have.
#include "warp/warp.h"

#include "warp/coarse.h"
#include "warp/cores.h"
#include "warp/kernels.h"
#include "warp/order.h"
#include "warp/pattern.h"

#include <string.h>

#define CHOICES 16 // neighbours that the fast estimate chooses among

// ---- elements at rest --------------------------------------------------------------------------

typedef struct Element {
  int32_t nodes;
  double corners[3 * LB_ELEMENT_NODES_MAX];
  double points[LB_ELEMENT_POINTS_MAX * LB_POINT_REST];
  double gradients[3 * LB_ELEMENT_NODES_MAX]; // means of ∂N_a/∂X
  double volume;
  double blocks[LB_ELEMENT_PAIRS_MAX * 9]; // K_ab, a < b
  double moduli[2];                        // V λ, V μ
} Element;

// ∂N_a/∂X at a point of rest data.
static void point_gradients_warp_mesh(lbElementKind kind, int32_t point, const double *rest,
                                      double *to) {
  double local[3 * LB_ELEMENT_NODES_MAX], values[LB_ELEMENT_NODES_MAX], weight;
  lb_element_shape(kind, point, local, values, &weight);
  for (int32_t a = 0; a < lb_element_nodes(kind); a++)
    for (int j = 0; j < 3; j++) {
      to[3 * a + j] = 0;
      for (int k = 0; k < 3; k++) to[3 * a + j] += local[3 * a + k] * rest[3 * k + j];
    }
}

// K_ab += w (λ g_a g_bᵀ + μ g_b g_aᵀ + μ g_a·g_b I)
static void add_point_warp_mesh(double lambda, double mu, double w, const double *ga,
                                const double *gb, double *block) {
  double along = ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      block[3 * i + j] +=
          w * (lambda * ga[i] * gb[j] + mu * gb[i] * ga[j] + (i == j ? mu * along : 0));
}

static void fill_fem_warp_mesh(lbElementKind kind, const double *material, Element *element) {
  double young = material[0], poisson = material[1], mu = young / (2 * (1 + poisson));
  double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  element->moduli[0] = element->volume * lambda, element->moduli[1] = element->volume * mu;
  for (int32_t p = 0; p < lb_element_points(kind); p++) {
    const double *rest = element->points + p * LB_POINT_REST;
    double g[3 * LB_ELEMENT_NODES_MAX];
    point_gradients_warp_mesh(kind, p, rest, g);
    int32_t pair = 0;
    for (int32_t b = 1; b < element->nodes; b++)
      for (int32_t a = 0; a < b; a++, pair++)
        add_point_warp_mesh(lambda, mu, rest[9], g + 3 * a, g + 3 * b, element->blocks + 9 * pair);
  }
}

// Of a brick only edges along its sides and diagonals alike: every pair of corners, so that it
// resists shear; its 28 springs share what 6 of a tet have.
static void fill_springs(const double *material, Element *element) {
  int32_t pair = 0;
  element->moduli[0] = element->moduli[1] = element->volume * material[0] / 2.5;
  double share = 6.0 / (element->nodes * (element->nodes - 1) / 2);
  for (int32_t b = 1; b < element->nodes; b++)
    for (int32_t a = 0; a < b; a++, pair++) {
      lbVec3 d =
          lb_sub(lb_vec3_load(element->corners + 3 * b), lb_vec3_load(element->corners + 3 * a));
      double squared = lb_dot(d, d), k = share * material[0] * element->volume / squared;
      lbMat3 block = lb_mat3_scale(-k / squared, lb_mat3_outer(d, d));
      memcpy(element->blocks + 9 * pair, block.m, sizeof block.m);
    }
}

static bool make_element_warp_mesh(const lbWarpDef *def, lbElementKind kind, const int32_t *nodes,
                                   const double *material, Element *element) {
  *element = (Element){ .nodes = lb_element_nodes(kind) };
  for (int32_t a = 0; a < element->nodes; a++)
    memcpy(element->corners + 3 * a, def->positions + 3 * (size_t)nodes[a], 3 * sizeof(double));
  if (!lb_element_rest(kind, element->corners, element->points, 1)) return false;
  for (int32_t p = 0; p < lb_element_points(kind); p++) {
    const double *rest = element->points + p * LB_POINT_REST;
    double g[3 * LB_ELEMENT_NODES_MAX];
    point_gradients_warp_mesh(kind, p, rest, g);
    for (int32_t i = 0; i < 3 * element->nodes; i++) element->gradients[i] += rest[9] * g[i];
    element->volume += rest[9];
  }
  for (int32_t i = 0; i < 3 * element->nodes; i++) element->gradients[i] /= element->volume;
  if (def->stiffness == LB_WARP_SPRINGS)
    fill_springs(material, element);
  else
    fill_fem_warp_mesh(kind, material, element);
  return true;
}

// ---- sets --------------------------------------------------------------------------------------

static void put_lane_warp_mesh(double *to, const double *from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i * LB_BATCH] = from ? from[i] : 0;
}

// Within a rigid core.
static bool is_rigid_warp_mesh(const lbWarpDef *def, const int32_t *nodes, int32_t count) {
  if (def->core_count == 0) return false;
  for (int32_t a = 0; a < count; a++)
    if (def->cores[nodes[a]] < 0 || def->cores[nodes[a]] != def->cores[nodes[0]]) return false;
  return true;
}

// Lanes beyond the last element have its shape and no stiffness, and so have those within a core.
static void put_element(lbWarpSet *set, const Element *element, const int32_t *nodes,
                        const lbMaterial *material, int32_t index, bool real) {
  size_t batch = (size_t)(index / LB_BATCH), lane = (size_t)(index % LB_BATCH);
  size_t n = (size_t)set->nodes, points = (size_t)lb_element_points(set->kind) * LB_POINT_REST;
  int32_t *at = set->at + batch * n * LB_BATCH + lane;
  double *rest = set->rest + batch * set->rest_size * LB_BATCH + lane;
  for (size_t a = 0; a < n; a++) at[a * LB_BATCH] = (int32_t)lb_warp_at(nodes[a]);
  if (set->green) {
    put_lane_warp_mesh(rest, element->points, points);
    for (size_t p = 0; p < points / LB_POINT_REST && !real; p++)
      rest[(p * LB_POINT_REST + 9) * LB_BATCH] = 0;
    lb_material_parameters(
        material, set->parameters + batch * LB_MATERIAL_PARAMETERS * LB_BATCH + lane, LB_BATCH);
    return;
  }
  put_lane_warp_mesh(rest, element->gradients, 3 * n);
  put_lane_warp_mesh(rest + 3 * n * LB_BATCH, element->corners, 3 * n);
  put_lane_warp_mesh(rest + 6 * n * LB_BATCH, real ? element->blocks : NULL,
                     9 * (size_t)set->blocks);
  put_lane_warp_mesh(rest + (6 * n + 9 * (size_t)set->blocks) * LB_BATCH,
                     real ? element->moduli : NULL, 2);
}

static lbStatus fill_set_warp_mesh(lbWarpSet *set, const lbWarpDef *def, lbError *err) {
  bool tets = set->kind == LB_ELEMENT_TET4;
  for (int32_t i = 0; i < set->batch_count * LB_BATCH; i++) {
    int32_t e = i < set->count ? i : set->count - 1;
    size_t index = (size_t)e + (tets ? 0 : (size_t)def->tet_count);
    const int32_t *nodes = tets ? def->tets + 4 * (size_t)e : def->bricks + 8 * (size_t)e;
    const double *values = def->materials + 3 * (size_t)def->element_materials[index];
    lbMaterial material = {
      .model = LB_MATERIAL_STVK, .young = values[0], .poisson = values[1], .density = values[2]
    };
    Element element;
    if (!make_element_warp_mesh(def, set->kind, nodes, values, &element))
      return lb_fail(err, LB_ERR_ARGUMENT, "%s %d is flat or inverted at rest",
                     tets ? "tet" : "brick",
                     (int)(def->element_numbers ? def->element_numbers[index] : e));
    for (int32_t a = 0; a < set->nodes; a++)
      set->steepest = fmax(set->steepest, lb_length(lb_vec3_load(element.gradients + 3 * a)));
    put_element(set, &element, nodes, &material, i,
                i < set->count && !is_rigid_warp_mesh(def, nodes, set->nodes));
  }
  return LB_OK;
}

static lbStatus make_set(lbWarpSet *set, const lbWarpDef *def, lbElementKind kind, int32_t count,
                         lbSimdLevel level, lbError *err) {
  bool green = def->strain == LB_WARP_GREEN;
  int32_t n = lb_element_nodes(kind);
  set->kind = kind;
  set->nodes = n;
  set->blocks = green ? lb_element_pairs(kind) : n * (n - 1) / 2;
  set->count = count;
  set->batch_count = (count + LB_BATCH - 1) / LB_BATCH;
  set->rest_size = green ? (size_t)lb_element_points(kind) * LB_POINT_REST
                         : 6 * (size_t)n + 9 * (size_t)set->blocks + 2;
  set->isotropic = !green && def->stiffness == LB_WARP_FEM && kind == LB_ELEMENT_TET4;
  if (green) set->green = lb_element_kernel(kind, LB_MATERIAL_STVK, level);
  if (count == 0) return LB_OK;
  size_t batches = (size_t)set->batch_count;
  set->at = lb_alloc(batches * (size_t)n, LB_BATCH * sizeof(int32_t));
  set->rest = lb_alloc(batches * set->rest_size, LB_BATCH * sizeof(double));
  if (green)
    set->parameters = lb_alloc(batches, LB_MATERIAL_PARAMETERS * LB_BATCH * sizeof(double));
  if (!set->at || !set->rest || (green && !set->parameters)) return lb_fail_memory(err);
  return fill_set_warp_mesh(set, def, err);
}

// ---- edges of the fast estimate ----------------------------------------------------------------

// How well three edges make a frame: |(e0 + e1 + e2) × e0| over the squares of their lengths.
static double frame_quality(const lbVec3 e[3]) {
  lbVec3 across = lb_cross(lb_add(lb_add(e[0], e[1]), e[2]), e[0]);
  return lb_length(across) / (lb_dot(e[0], e[0]) + lb_dot(e[1], e[1]) + lb_dot(e[2], e[2]));
}

// The first neighbours in the order of the def, so that the choice does not depend on ours.
static int32_t list_neighbours_warp_mesh(const lbWarp *warp, const int32_t *numbers, int32_t node,
                                         int32_t list[CHOICES]) {
  int32_t count = 0;
  for (int32_t s = 0; s < lb_warp_degree(warp, node); s++) {
    int32_t other = lb_warp_neighbour(warp, node, s), k = count < CHOICES ? count++ : CHOICES;
    for (; k > 0 && numbers[list[k - 1]] > numbers[other]; k--)
      if (k < CHOICES) list[k] = list[k - 1];
    if (k < CHOICES) list[k] = other;
  }
  return count;
}

static void choose_edges(lbWarp *warp, const int32_t *numbers, int32_t node) {
  int32_t group = node / LB_BATCH, lane = node % LB_BATCH, at[CHOICES];
  int32_t own = (int32_t)lb_warp_at(node),
          count = list_neighbours_warp_mesh(warp, numbers, node, at);
  int32_t *chosen = warp->chosen + (size_t)group * 3 * LB_BATCH + (size_t)lane;
  lbVec3 edges[CHOICES];
  const double *X = warp->rest;
  for (int32_t s = 0; s < count; s++) {
    int32_t j = at[s] = (int32_t)lb_warp_at(at[s]);
    edges[s] = lb_vec3(X[j] - X[own], X[j + LB_BATCH] - X[own + LB_BATCH],
                       X[j + 2 * LB_BATCH] - X[own + 2 * LB_BATCH]);
  }
  double best = -1;
  for (int k = 0; k < 3; k++) chosen[k * LB_BATCH] = own;
  for (int32_t a = 0; a < count; a++)
    for (int32_t b = 0; b < count; b++)
      for (int32_t c = b + 1; c < count; c++) {
        lbVec3 e[3] = { edges[a], edges[b], edges[c] };
        if (a == b || a == c || frame_quality(e) <= best * (1 + 1e-9)) continue;
        best = frame_quality(e);
        chosen[0] = at[a], chosen[LB_BATCH] = at[b], chosen[2 * LB_BATCH] = at[c];
      }
}

static lbStatus find_edges_warp_mesh(lbWarp *warp, lbError *err) {
  int32_t *numbers = lb_alloc((size_t)warp->node_count, sizeof(int32_t));
  warp->chosen = lb_alloc((size_t)warp->group_count * 3 * LB_BATCH, sizeof(int32_t));
  bool made = numbers && warp->chosen;
  for (int32_t n = 0; n < warp->node_count && made; n++) numbers[warp->ranks[n]] = n;
  for (int32_t n = 0; n < warp->node_count && made; n++) choose_edges(warp, numbers, n);
  lb_free(numbers);
  return made ? LB_OK : lb_fail_memory(err);
}

// ---- all of it ---------------------------------------------------------------------------------

static lbStatus fill_nodes(lbWarp *warp, const lbWarpDef *def, lbError *err) {
  size_t lanes = (size_t)warp->group_count * LB_BATCH;
  warp->rest = lb_alloc(warp->length, sizeof(double));
  warp->masses = lb_alloc(lanes, sizeof(double));
  warp->free = lb_alloc(lanes, sizeof(double));
  if (!warp->rest || !warp->masses || !warp->free) return lb_fail_memory(err);
  for (int32_t n = 0; n < warp->node_count; n++) {
    for (size_t k = 0; k < 3; k++)
      warp->rest[lb_warp_at(n) + k * LB_BATCH] = def->positions[3 * (size_t)n + k];
    warp->masses[n] = def->masses[n];
    warp->free[n] = !def->held[n];
  }
  return LB_OK;
}

// The matrix of the rest shape, from the blocks of elements as they are.
static lbStatus fill_rest_values(lbWarp *warp, lbError *err) {
  size_t count = 0;
  for (int k = 0; k < 2; k++)
    count += (size_t)warp->sets[k].batch_count * LB_BATCH * (size_t)warp->sets[k].blocks;
  double *blocks = lb_alloc(count ? count : 1, 9 * sizeof(double));
  warp->packed_rest = lb_alloc((size_t)warp->node_count, 4 * sizeof(double));
  warp->rest_values = lb_alloc(lb_warp_block_doubles((size_t)warp->pair_count), sizeof(double));
  lbStatus status = blocks && warp->rest_values && warp->packed_rest ? LB_OK : lb_fail_memory(err);
  for (int k = 0; k < 2 && !status; k++) {
    const lbWarpSet *set = &warp->sets[k];
    size_t size = 9 * (size_t)set->blocks;
    for (int32_t e = 0; e < set->count; e++) {
      const double *from = set->rest + (size_t)(e / LB_BATCH) * set->rest_size * LB_BATCH +
                           6 * (size_t)set->nodes * LB_BATCH + (size_t)(e % LB_BATCH);
      double *to = blocks + 9 * set->first + (size_t)e * size;
      for (size_t i = 0; i < size; i++) to[i] = from[i * LB_BATCH];
    }
  }
  if (!status) lb_warp_assemble(warp, blocks, warp->rest_values);
  for (size_t n = 0; n < (size_t)warp->node_count && !status; n++)
    for (size_t k = 0; k < 3; k++)
      warp->packed_rest[4 * n + k] = warp->rest[lb_warp_at((int32_t)n) + k * LB_BATCH];
  lb_free(blocks);
  return status;
}

static lbStatus fill_warp_mesh(lbWarp *warp, const lbWarpDef *def, lbSimdLevel level,
                               lbError *err) {
  lbStatus status = make_set(&warp->sets[0], def, LB_ELEMENT_TET4, def->tet_count, level, err);
  if (!status)
    status = make_set(&warp->sets[1], def, LB_ELEMENT_BRICK8, def->brick_count, level, err);
  if (status) return status;
  const lbWarpSet *tets = &warp->sets[0];
  // Batches write all their lanes.
  warp->sets[1].first = (size_t)tets->batch_count * LB_BATCH * (size_t)tets->blocks;
  warp->sets[1].first_node = (size_t)tets->batch_count * LB_BATCH * (size_t)tets->nodes;
  status = fill_nodes(warp, def, err);
  if (!status) status = lb_warp_list_cores(warp, def, err);
  if (!status) status = lb_warp_make_pattern(warp, def, err);
  if (!status) status = lb_warp_make_parts(warp, err);
  bool by_rows = warp->strain == LB_WARP_LINEAR || lb_warp_is_by_vertices(warp);
  if (!status && by_rows) status = fill_rest_values(warp, err);
  if (!status && by_rows && warp->rotation == LB_WARP_EDGES)
    status = find_edges_warp_mesh(warp, err);
  return status ? status : lb_warp_make_coarse(warp, err);
}

lbStatus lb_warp_create(const lbWarpDef *def, lbSimdLevel level, lbWarp **out, lbError *err) {
  lbWarp *warp = lb_alloc(1, sizeof *warp);
  lbWarpSorted sorted;
  if (!warp) return lb_fail_memory(err);
  warp->rotation = def->rotation;
  warp->strain = def->strain;
  warp->stretch_limit = def->stretch_limit;
  warp->elements = lb_warp_elements(level);
  warp->rows = lb_warp_rows(level);
  warp->ldlt = lb_ldlt_kernels(level);
  warp->node_count = def->node_count;
  warp->group_count = (def->node_count + LB_BATCH - 1) / LB_BATCH;
  warp->length = (size_t)warp->group_count * 3 * LB_BATCH;
  lbStatus status = lb_warp_sort(def, &sorted, err);
  warp->ranks = sorted.ranks, sorted.ranks = NULL;
  if (!status) status = fill_warp_mesh(warp, &sorted.def, level, err);
  lb_warp_sorted_release(&sorted);
  if (status)
    lb_warp_destroy(warp);
  else
    *out = warp;
  return status;
}

void lb_warp_destroy(lbWarp *warp) {
  if (!warp) return;
  for (int k = 0; k < 2; k++) {
    lb_free(warp->sets[k].at);
    lb_free(warp->sets[k].rest);
    lb_free(warp->sets[k].parameters);
  }
  void *arrays[] = { warp->rest,         warp->masses,      warp->free,        warp->packed_rest,
                     warp->upper_begin,  warp->upper,       warp->lower_begin, warp->lower,
                     warp->lower_block,  warp->rest_values, warp->chosen,      warp->pair_begin,
                     warp->pair_turned,  warp->pair_blocks, warp->force_begin, warp->force_shares,
                     warp->core_columns, warp->core_begin,  warp->core_nodes,  warp->core_of };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) lb_free(arrays[i]);
  lb_free(warp->ranks);
  lb_free(warp->part_of);
  lb_free(warp->part_begin);
  lb_free(warp->part_nodes);
  lb_free(warp->part_centres);
  lb_free(warp->coarse_stiffness);
  lb_free(warp->coarse_mass);
  lb_free(warp);
}

// ---- lanes -------------------------------------------------------------------------------------

void lb_warp_to_lanes(const lbWarp *warp, const double *nodes, double *lanes) {
  for (int32_t n = 0; n < warp->node_count; n++) {
    double *to = lanes + lb_warp_at(warp->ranks[n]);
    for (size_t k = 0; k < 3; k++) to[k * LB_BATCH] = nodes[3 * (size_t)n + k];
  }
}

void lb_warp_from_lanes(const lbWarp *warp, const double *lanes, double *nodes) {
  for (int32_t n = 0; n < warp->node_count; n++) {
    const double *from = lanes + lb_warp_at(warp->ranks[n]);
    for (size_t k = 0; k < 3; k++) nodes[3 * (size_t)n + k] = from[k * LB_BATCH];
  }
}
