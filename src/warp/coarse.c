// The coarse half of the preconditioner: parts of the body, each of which moves rigidly.
//
// Blocks of the diagonal alone carry a force one ring of elements further in an iteration, so that
// a slender body bends as slowly as it has rings. P has for each part its six rigid motions at the
// present shape, P_i = [I, −[a_i]×] with a_i from the part's centre, and z = D⁻¹ r +
// P (Pᵀ A P)⁻¹ Pᵀ r. Of rows whose neighbours are all of their own part, K̂ P is N_i = −Σ_j K̂_ij
// [x_j − x_i]× for the turns and zero for shifts; products of blocks are needed between parts only.
#include "warp/coarse.h"

#include <string.h>

#define PART_NODES 40 // about, of a part
#define PARTS_MOST 32
#define SOFTEST 1e-9 // added to the diagonal: parts of one node do not turn

// ---- parts -------------------------------------------------------------------------------------

static lbVec3 place(const double *lanes, int32_t node) {
  const double *from = lanes + lb_warp_at(node);
  return lb_vec3(from[0], from[LB_BATCH], from[2 * LB_BATCH]);
}

static double squared(lbVec3 a) { return lb_dot(a, a); }

static bool is_flesh(const lbWarp *warp, int32_t node) {
  return warp->free[node] > 0 && !(warp->core_count && warp->core_of[node] >= 0);
}

// Seeds as far as can be from those before them; each node of the flesh goes to the nearest.
static void spread(lbWarp *warp, int32_t count, double *distances) {
  int32_t seed = -1;
  for (int32_t n = 0; n < warp->node_count; n++) {
    warp->part_of[n] = -1;
    distances[n] = is_flesh(warp, n) ? INFINITY : -1;
    if (seed < 0 && is_flesh(warp, n)) seed = n;
  }
  for (int32_t part = 0; part < count; part++) {
    lbVec3 at = place(warp->rest, seed);
    for (int32_t n = 0; n < warp->node_count; n++) {
      if (distances[n] < 0) continue;
      double d = squared(lb_sub(place(warp->rest, n), at));
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

lbStatus lb_warp_make_parts(lbWarp *warp, lbError *err) {
  int32_t flesh = 0, cores = join_cores(warp, -1, PARTS_MOST / 2);
  for (int32_t n = 0; n < warp->node_count; n++) flesh += is_flesh(warp, n);
  int32_t parts = flesh / PART_NODES, most = PARTS_MOST - cores;
  if (parts > most) parts = most;
  warp->part_count = parts > 0 && parts + cores > 1 ? parts + cores : 0;
  warp->part_of = lb_alloc((size_t)warp->node_count, sizeof(int32_t));
  double *distances = lb_alloc((size_t)warp->node_count, sizeof(double));
  lbStatus status = warp->part_of && distances ? LB_OK : lb_fail_memory(err);
  if (!status && warp->part_count) {
    spread(warp, parts, distances);
    join_cores(warp, parts, cores);
  }
  lb_free(distances);
  return status;
}

// ---- the matrix --------------------------------------------------------------------------------

typedef struct Coarse {
  const lbWarp *warp;
  lbWarpWork *work;
  const double *x;
  int32_t size;
  size_t stride; // of its matrix
} Coarse;

static Coarse coarse_of(const lbWarp *warp, lbWarpWork *work, const double *x) {
  int32_t size = 6 * warp->part_count;
  return (Coarse){ warp, work, x, size, (size_t)lb_ldlt_padded(size) };
}

static lbVec3 centre_of(const Coarse *c, int32_t part) {
  return lb_vec3_load(c->work->centres + 3 * (size_t)part);
}

static void find_centres(const Coarse *c) {
  double *centres = c->work->centres;
  int32_t counts[PARTS_MOST] = { 0 };
  memset(centres, 0, 3 * (size_t)c->warp->part_count * sizeof *centres);
  for (int32_t n = 0; n < c->warp->node_count; n++) {
    int32_t part = c->warp->part_of[n];
    if (part < 0) continue;
    counts[part]++;
    lb_vec3_store(centres + 3 * part, lb_add(centre_of(c, part), place(c->x, n)));
  }
  for (int32_t p = 0; p < c->warp->part_count; p++)
    lb_vec3_store(centres + 3 * p, lb_scale(1.0 / counts[p], centre_of(c, p)));
}

// A(I, J) += share B_iᵀ [G, H], G and H 3 x 3, row-major; B_iᵀ = [I; [a]×].
static void add_block(const Coarse *c, int32_t I, int32_t J, lbVec3 a, double share,
                      const double *G, const double *H) {
  size_t size = c->stride;
  for (size_t col = 0; col < 6; col++) {
    const double *from = col < 3 ? G + col : H + (col - 3);
    lbVec3 g = lb_vec3(from[0], from[3], from[6]), t = lb_cross(a, g);
    double *to = c->work->coarse + (6 * (size_t)J + col) * size + 6 * (size_t)I;
    to[0] += share * g.x, to[1] += share * g.y, to[2] += share * g.z;
    to[3] += share * t.x, to[4] += share * t.y, to[5] += share * t.z;
  }
}

// to (3 x 3) += −K [d]×, whose rows are d × those of K.
static void add_turned(const double *K, lbVec3 d, double *to) {
  for (int r = 0; r < 3; r++) {
    lbVec3 row = lb_cross(d, lb_vec3_load(K + 3 * r));
    to[3 * r] += row.x, to[3 * r + 1] += row.y, to[3 * r + 2] += row.z;
  }
}

static void add_row(const Coarse *c, int32_t node, double mass, double kappa) {
  static const double none[9] = { 0 }, unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  const lbWarp *warp = c->warp;
  int32_t group = node / LB_BATCH, lane = node % LB_BATCH, I = warp->part_of[node];
  int32_t own = (int32_t)lb_warp_at(node);
  lbVec3 at = place(c->x, node), a = lb_sub(at, centre_of(c, I));
  double N[9] = { 0 }, turns[9] = { 0 };
  for (int32_t s = warp->row_begin[group]; s < warp->row_begin[group + 1]; s++) {
    int32_t column = warp->columns[(size_t)s * LB_BATCH + (size_t)lane];
    if (column == own) continue;
    const double *from = c->work->values + (size_t)s * 9 * LB_BATCH + (size_t)lane;
    int32_t other = column / (3 * LB_BATCH) * LB_BATCH + column % LB_BATCH,
            J = warp->part_of[other];
    double K[9];
    for (size_t k = 0; k < 9; k++) K[k] = from[k * LB_BATCH];
    lbVec3 there = place(c->x, other);
    add_turned(K, lb_sub(there, at), N);
    if (J == I) continue;
    double M[9] = { 0 };
    add_turned(K, lb_sub(there, centre_of(c, I)), M);
    add_block(c, I, I, a, -kappa, K, M);
    if (J < 0 || J > I) continue; // the lower triangle is enough
    memset(M, 0, sizeof M);
    add_turned(K, lb_sub(there, centre_of(c, J)), M);
    add_block(c, I, J, a, kappa, K, M);
  }
  add_block(c, I, I, a, kappa, none, N);
  add_turned(unit, a, turns);
  add_block(c, I, I, a, mass, unit, turns);
}

void lb_warp_ready_parts(const lbWarp *warp, lbWarpWork *work, const double *x) {
  Coarse c = coarse_of(warp, work, x);
  size_t size = c.stride;
  work->parts_ready = false;
  if (!warp->part_count || !work->symmetric) return;
  find_centres(&c);
  memset(work->coarse, 0, size * size * sizeof(double));
  for (int32_t n = 0; n < warp->node_count; n++)
    if (warp->part_of[n] >= 0) add_row(&c, n, work->c * warp->masses[n], work->kappa);
  for (size_t p = 0; p < (size_t)warp->part_count; p++) {
    double trace = 0;
    for (size_t k = 6 * p; k < 6 * p + 6; k++) trace += work->coarse[k * (size + 1)];
    for (size_t k = 6 * p; k < 6 * p + 6; k++) work->coarse[k * (size + 1)] += SOFTEST * trace;
  }
  for (int32_t n = 0; n < warp->node_count; n++)
    if (warp->part_of[n] >= 0) {
      lbVec3 a = lb_sub(place(x, n), centre_of(&c, warp->part_of[n]));
      lb_vec3_store(work->arms + 3 * (size_t)n, a);
    }
  work->parts_ready =
      warp->ldlt->factor(c.size, work->coarse) && lb_ldlt_negative_count(c.size, work->coarse) == 0;
}

double lb_warp_add_parts(const lbWarp *warp, lbWarpWork *work, const double *r, double *z) {
  int32_t size = 6 * warp->part_count;
  double *sums = work->coarse_vector, *given = sums + lb_ldlt_padded(size), product = 0;
  if (!work->parts_ready) return 0;
  memset(sums, 0, (size_t)size * sizeof *sums);
  for (int32_t n = 0; n < warp->node_count; n++) {
    int32_t part = warp->part_of[n];
    if (part < 0) continue;
    double *to = sums + 6 * part;
    lbVec3 f = place(r, n), t = lb_cross(lb_vec3_load(work->arms + 3 * (size_t)n), f);
    to[0] += f.x, to[1] += f.y, to[2] += f.z, to[3] += t.x, to[4] += t.y, to[5] += t.z;
  }
  memcpy(given, sums, (size_t)size * sizeof *sums);
  warp->ldlt->solve(size, work->coarse, sums);
  for (int32_t i = 0; i < size; i++) product += given[i] * sums[i];
  for (int32_t n = 0; n < warp->node_count; n++) {
    int32_t part = warp->part_of[n];
    if (part < 0) continue;
    const double *from = sums + 6 * part;
    lbVec3 a = lb_vec3_load(work->arms + 3 * (size_t)n);
    lbVec3 v = lb_add(lb_vec3_load(from), lb_cross(lb_vec3_load(from + 3), a));
    double *to = z + lb_warp_at(n);
    to[0] += v.x, to[LB_BATCH] += v.y, to[2 * LB_BATCH] += v.z;
  }
  return product;
}
