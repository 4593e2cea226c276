// The coarse half of the preconditioner: parts of the body, each of which moves rigidly.
//
// Blocks of the diagonal alone carry a force one ring of elements further in an iteration, so that
// a slender body bends as slowly as it has rings. P has for each part its six rigid motions,
// P_i = [I, −[a_i]×] with a_i from the part's centre, and z = D⁻¹ r + P T C⁻¹ Tᵀ Pᵀ r. C = Pᵀ A P
// is that of the rest shape, T turns it with the parts: a stiffness that goes with the material
// does so. C changes with the length of a step alone, and its factors are kept. Of rows whose
// neighbours are all of their own part, K̂ P is −Σ_j K̂_ij [x_j − x_i]× for the turns and zero for
// shifts.
#include "warp/coarse.h"
#include "warp/passes.h"

#include <string.h>

#define PART_NODES 40 // about, of a part
#define PARTS_MOST 32
#define SHARED_NODES 4000 // from which on threads share the parts
#define SOFTEST 1e-9      // added to the diagonal: parts of one node do not turn

// ---- parts -------------------------------------------------------------------------------------

static lbVec3 place_coarse(const double *lanes, int32_t node) {
  const double *from = lanes + lb_warp_at(node);
  return lb_vec3(from[0], from[LB_BATCH], from[2 * LB_BATCH]);
}

static double squared(lbVec3 a) { return lb_dot(a, a); }

static bool is_flesh(const lbWarp *warp, int32_t node) {
  return warp->free[node] > 0 && !(warp->core_count && warp->core_of[node] >= 0);
}

// Seeds as far as can be from those before them; each node of the flesh goes to the nearest.
static void spread_coarse(lbWarp *warp, int32_t count, double *distances) {
  int32_t seed = -1;
  for (int32_t n = 0; n < warp->node_count; n++) {
    warp->part_of[n] = -1;
    distances[n] = is_flesh(warp, n) ? INFINITY : -1;
    if (seed < 0 && is_flesh(warp, n)) seed = n;
  }
  for (int32_t part = 0; part < count; part++) {
    lbVec3 at = place_coarse(warp->rest, seed);
    for (int32_t n = 0; n < warp->node_count; n++) {
      if (distances[n] < 0) continue;
      double d = squared(lb_sub(place_coarse(warp->rest, n), at));
      if (d < distances[n]) distances[n] = d, warp->part_of[n] = part;
    }
    for (int32_t n = 0; n < warp->node_count; n++)
      if (distances[n] > distances[seed]) seed = n;
  }
}

// Rigid cores that move freely are parts of their own, if they are few; their number.
static int32_t join_cores(lbWarp *warp, int32_t first, int32_t most) {
  int32_t count = 0;
  for (int32_t c = 0; c < warp->core_count; c++) {
    if (warp->core_columns[c] != 6 || count == most) continue;
    for (int32_t k = warp->core_begin[c]; k < warp->core_begin[c + 1] && first >= 0; k++)
      warp->part_of[warp->core_nodes[k]] = first + count;
    count++;
  }
  return count;
}

// part_begin and part_nodes from part_of.
static void list_parts(lbWarp *warp) {
  int32_t *begin = warp->part_begin;
  for (int32_t n = 0; n < warp->node_count; n++)
    if (warp->part_of[n] >= 0) begin[warp->part_of[n] + 2]++;
  for (int32_t p = 0; p < warp->part_count; p++) begin[p + 2] += begin[p + 1];
  for (int32_t n = 0; n < warp->node_count; n++)
    if (warp->part_of[n] >= 0) warp->part_nodes[begin[warp->part_of[n] + 1]++] = n;
}

lbStatus lb_warp_make_parts(lbWarp *warp, lbError *err) {
  int32_t flesh = 0, cores = join_cores(warp, -1, PARTS_MOST / 2);
  size_t lanes = (size_t)warp->group_count * LB_BATCH;
  for (int32_t n = 0; n < warp->node_count; n++) flesh += is_flesh(warp, n);
  int32_t parts = flesh / PART_NODES, most = PARTS_MOST - cores;
  if (parts > most) parts = most;
  warp->part_count = parts > 0 && parts + cores > 1 ? parts + cores : 0;
  warp->part_of = lb_alloc(lanes, sizeof(int32_t));
  warp->part_begin = lb_alloc((size_t)warp->part_count + 2, sizeof(int32_t));
  warp->part_nodes = lb_alloc(lanes, sizeof(int32_t));
  double *distances = lb_alloc((size_t)warp->node_count, sizeof(double));
  bool made = warp->part_of && warp->part_begin && warp->part_nodes && distances;
  for (size_t i = (size_t)warp->node_count; made && i < lanes; i++) warp->part_of[i] = -1;
  if (made && warp->part_count) {
    spread_coarse(warp, parts, distances);
    join_cores(warp, parts, cores);
    list_parts(warp);
  }
  lb_free(distances);
  return made ? LB_OK : lb_fail_memory(err);
}

// ---- the matrix of the rest shape --------------------------------------------------------------

typedef struct Coarse { // a matrix that is made: share of K̂, of M
  const lbWarp *warp;
  const double *values, *x, *centres;
  double stiffness, mass;
  size_t stride;
  double *matrix;
} Coarse;

static lbVec3 centre_of_coarse(const Coarse *c, int32_t part) {
  return lb_vec3_load(c->centres + 3 * (size_t)part);
}

static void find_centres_coarse(const lbWarp *warp, const double *x, double *centres) {
  const int32_t *begin = warp->part_begin;
  for (int32_t p = 0; p < warp->part_count; p++) {
    lbVec3 sum = lb_vec3(0, 0, 0);
    for (int32_t i = begin[p]; i < begin[p + 1]; i++)
      sum = lb_add(sum, place_coarse(x, warp->part_nodes[i]));
    lb_vec3_store(centres + 3 * p, lb_scale(1.0 / (begin[p + 1] - begin[p]), sum));
  }
}

// A(I, J) += B_iᵀ [G, H], G and H 3 x 3, row-major; B_iᵀ = [I; [a]×].
static void add_block_coarse(const Coarse *c, int32_t I, int32_t J, lbVec3 a, const double *G,
                             const double *H) {
  size_t size = c->stride;
  for (size_t col = 0; col < 6; col++) {
    const double *from = col < 3 ? G + col : H + (col - 3);
    lbVec3 g = lb_vec3(from[0], from[3], from[6]), t = lb_cross(a, g);
    double *to = c->matrix + (6 * (size_t)J + col) * size + 6 * (size_t)I;
    to[0] += g.x, to[1] += g.y, to[2] += g.z;
    to[3] += t.x, to[4] += t.y, to[5] += t.z;
  }
}

// to (3 x 3) += −K [d]×, whose rows are d × those of K.
static void add_turned_coarse(const double *K, lbVec3 d, double *to) {
  for (int r = 0; r < 3; r++) {
    lbVec3 row = lb_cross(d, lb_vec3_load(K + 3 * r));
    to[3 * r] += row.x, to[3 * r + 1] += row.y, to[3 * r + 2] += row.z;
  }
}

// What the neighbours of a node have in one part: Σ K̂_ij and −Σ K̂_ij [x_j − x_i]×.
typedef struct Neighbours {
  double shift[9], turn[9];
} Neighbours;

// Of each part, the one behind the last being nodes that are held; *touched: which of them.
static void sum_neighbours_coarse(const Coarse *c, int32_t node, Neighbours *sums,
                                  uint64_t *touched) {
  const lbWarp *warp = c->warp;
  lbVec3 at = place_coarse(c->x, node);
  *touched = 0;
  for (int32_t s = 0; s < lb_warp_degree(warp, node); s++) {
    int32_t other = lb_warp_neighbour(warp, node, s), part = warp->part_of[other];
    int32_t index = part < 0 ? warp->part_count : part;
    lbVec3 d = lb_sub(place_coarse(c->x, other), at);
    double from[9];
    lb_warp_block(warp, c->values, true, node, s, from);
    Neighbours *sum = &sums[index];
    if (!(*touched >> index & 1)) *sum = (Neighbours){ 0 };
    *touched |= (uint64_t)1 << index;
    for (size_t k = 0; k < 9; k++) sum->shift[k] += from[k];
    add_turned_coarse(from, d, sum->turn);
  }
}

// The rows of a node in its part's.
static void add_row_coarse(const Coarse *c, int32_t node) {
  Neighbours sums[PARTS_MOST + 1];
  uint64_t touched;
  double kappa = c->stiffness, mass = c->mass * c->warp->masses[node];
  int32_t I = c->warp->part_of[node];
  lbVec3 at = place_coarse(c->x, node), a = lb_sub(at, centre_of_coarse(c, I));
  Neighbours own = { 0 };
  sum_neighbours_coarse(c, node, sums, &touched);
  for (int32_t J = 0; J <= c->warp->part_count; J++) {
    if (!(touched >> J & 1)) continue;
    Neighbours *sum = &sums[J];
    for (int k = 0; k < 9; k++) {
      sum->shift[k] *= kappa, sum->turn[k] *= kappa;
      if (J == I)
        own.turn[k] += sum->turn[k];
      else
        own.shift[k] -= sum->shift[k];
    }
    if (J >= I) continue; // lower triangle only
    add_turned_coarse(sum->shift, lb_sub(at, centre_of_coarse(c, J)), sum->turn);
    add_block_coarse(c, I, J, a, sum->shift, sum->turn);
  }
  for (int k = 0; k < 3; k++) own.shift[4 * k] += mass;
  add_turned_coarse(own.shift, a, own.turn);
  add_block_coarse(c, I, I, a, own.shift, own.turn);
}

static void make_matrix_coarse(const lbWarp *warp, const double *values, double stiffness,
                               double mass, double *matrix) {
  Coarse c = { warp, values, warp->rest, warp->part_centres, stiffness, mass, 0, matrix };
  c.stride = (size_t)lb_ldlt_padded(6 * warp->part_count);
  for (int32_t i = 0; i < warp->part_begin[warp->part_count]; i++)
    add_row_coarse(&c, warp->part_nodes[i]);
}

lbStatus lb_warp_make_coarse(lbWarp *warp, lbError *err) {
  if (!warp->part_count) return LB_OK;
  size_t padded = (size_t)lb_ldlt_padded(6 * warp->part_count), size = padded * padded;
  lbWarpWork work;
  double *room = lb_alloc(lb_warp_work_doubles(warp), sizeof(double));
  double *force = lb_alloc(warp->length, sizeof(double));
  warp->part_centres = lb_alloc((size_t)warp->part_count, 3 * sizeof(double));
  warp->coarse_stiffness = lb_alloc(size, sizeof(double));
  warp->coarse_mass = lb_alloc(size, sizeof(double));
  bool made = room && force && warp->part_centres && warp->coarse_stiffness && warp->coarse_mass;
  if (made) {
    lb_warp_work_place(warp, room, &work);
    lb_warp_linearise(warp, &work, warp->rest, true, force);
    find_centres_coarse(warp, warp->rest, warp->part_centres);
    make_matrix_coarse(warp, work.values, 1, 0, warp->coarse_stiffness);
    make_matrix_coarse(warp, work.values, 0, 1, warp->coarse_mass);
    for (size_t i = 0; i < size; i++)
      warp->coarse_sum += fabs(warp->coarse_stiffness[i]) + fabs(warp->coarse_mass[i]);
  }
  lb_free(room), lb_free(force);
  return made ? LB_OK : lb_fail_memory(err);
}

// ---- at a shape --------------------------------------------------------------------------------

// work->coarse <- the factors of C for this c and κ, unless they are there. Memory for work may
// serve bodies of another material, too.
static void factor_coarse(const lbWarp *warp, lbWarpWork *work) {
  const double key[3] = { work->c, work->kappa, warp->coarse_sum };
  if (memcmp(key, work->coarse_key, sizeof key) == 0) return;
  int32_t size = 6 * warp->part_count;
  size_t stride = (size_t)lb_ldlt_padded(size);
  for (size_t i = 0; i < stride * stride; i++)
    work->coarse[i] = work->kappa * warp->coarse_stiffness[i] + work->c * warp->coarse_mass[i];
  for (size_t p = 0; p < (size_t)warp->part_count; p++) {
    double trace = 0;
    for (size_t k = 6 * p; k < 6 * p + 6; k++) trace += work->coarse[k * (stride + 1)];
    for (size_t k = 6 * p; k < 6 * p + 6; k++) work->coarse[k * (stride + 1)] += SOFTEST * trace;
  }
  work->coarse_good =
      warp->ldlt->factor(size, work->coarse) && lb_ldlt_negative_count(size, work->coarse) == 0;
  memcpy(work->coarse_key, key, sizeof key);
}

// The turn of a part, and where its nodes are from its centre.
static void turn_part(const lbWarp *warp, lbWarpWork *work, const double *x, int32_t p) {
  lbVec3 c = lb_vec3_load(work->centres + 3 * p), C = lb_vec3_load(warp->part_centres + 3 * p);
  lbMat3 A = lb_mat3_zero(), R = lb_mat3_identity();
  for (int32_t i = warp->part_begin[p]; i < warp->part_begin[p + 1]; i++) {
    int32_t n = warp->part_nodes[i];
    lbVec3 a = lb_sub(place_coarse(x, n), c), rest = lb_sub(place_coarse(warp->rest, n), C);
    double *to = work->arms + lb_warp_at(n);
    to[0] = a.x, to[LB_BATCH] = a.y, to[2 * LB_BATCH] = a.z;
    A = lb_mat3_add(A, lb_mat3_outer(a, rest));
  }
  if (warp->strain != LB_WARP_LINEAR) lb_polar3(A, &R, NULL);
  memcpy(work->part_turns + 9 * p, R.m, sizeof R.m);
}

typedef struct Turn {
  const lbWarp *warp;
  lbWarpWork *work;
  const double *x;
} Turn;

static void turn_parts(int32_t begin, int32_t end, void *context) {
  const Turn *t = context;
  for (int32_t p = begin; p < end; p++) turn_part(t->warp, t->work, t->x, p);
}

void lb_warp_ready_parts(const lbWarp *warp, lbWarpWork *work, const double *x) {
  work->parts_ready = false;
  if (!warp->part_count) return;
  Turn turn = { warp, work, x };
  find_centres_coarse(warp, x, work->centres);
  lb_parallel_for(warp->part_count, warp->node_count > SHARED_NODES ? 4 : PARTS_MOST, turn_parts,
                  &turn);
  factor_coarse(warp, work);
  work->parts_ready = work->coarse_good;
}

// ---- its share of a solution -------------------------------------------------------------------

// v (6 a part) <- T v, or Tᵀ v.
static void turn_all_coarse(const lbWarp *warp, const lbWarpWork *work, bool back, double *v) {
  for (int32_t i = 0; i < 2 * warp->part_count; i++) {
    lbMat3 R;
    memcpy(R.m, work->part_turns + 9 * (i / 2), sizeof R.m);
    lbVec3 a = lb_vec3_load(v + 3 * i);
    lb_vec3_store(v + 3 * i, back ? lb_mat3_apply_transpose(R, a) : lb_mat3_apply(R, a));
  }
}

double lb_warp_move_parts(const lbWarp *warp, lbWarpWork *work) {
  int32_t size = 6 * warp->part_count;
  double *sums = work->coarse_vector, *given = sums + lb_ldlt_padded(size) + 6, product = 0;
  if (!work->parts_ready) return 0;
  memset(sums, 0, (size_t)(size + 6) * sizeof *sums);
  for (size_t c = 0; c < lb_warp_chunks(warp); c++)
    for (int32_t i = 0; i < size; i++) sums[i] += work->part_sums[c * (size_t)size + (size_t)i];
  turn_all_coarse(warp, work, true, sums);
  memcpy(given, sums, (size_t)size * sizeof *sums);
  warp->ldlt->solve(size, work->coarse, sums);
  for (int32_t i = 0; i < size; i++) product += given[i] * sums[i];
  turn_all_coarse(warp, work, false, sums);
  memset(sums + size, 0, 6 * sizeof *sums);
  return product;
}
