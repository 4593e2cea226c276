// Sums over edges and vertices of patches; see polynomial.h.
//
// Of four modes i <= j <= k <= l the sums Σ X_al d_bc over edges are wanted, a, b, c being i, j, k
// in each order and X = H d. With d_bc = (u_b − u_b')·(u_c − u_c') over the ends of an edge they
// are
//   Σ_edges X_al d_bc = Σ_vertices Y_alb · u_c,   Y_alb = Σ_edges at the vertex X_al (u_b − u_b'),
// which has three rows a vertex, where there are some 12 edges to each. As all orders are summed,
// Z_ab = Y_alb + Y_bla is made, half as large. The Y of a patch sum up to zero, so that u may be
// taken from any of its points: no figures are lost by it.
#include "reduce/strain_sums.h"

#include "linalg/blas.h"
#include "linalg/dense.h"
#include "threads/threads.h"

#include <string.h>

enum {
  EDGES_MAX = 4096,     // of a patch; no more helps
  LANE_BYTES = 8 << 20, // of d and X, of Z
  CHUNK = 32,           // stars whose Z is multiplied together
  BLOCK_PAIRS = 64,     // at least, of a block
};

// ---- life --------------------------------------------------------------------------------------

static size_t triple_begin(int32_t l) { // Σ_{m<l} of n² (n + 1) / 2, n = m + 1
  size_t n = (size_t)l, sum = n * (n + 1) / 2;
  return (sum * sum + sum * (2 * n + 1) / 3) / 2;
}

static size_t pair_by_first(int32_t n, int32_t a, int32_t b) { // among pairs a <= b < n, by a
  return (size_t)a * (size_t)(2 * n - a + 1) / 2 + (size_t)(b - a);
}

static lbStatus cut_pairs(lbStrainSums *sums, lbError *err) {
  sums->blocks = lb_alloc((size_t)sums->r, sizeof *sums->blocks);
  if (!sums->blocks) return lb_fail_memory(err);
  for (int32_t l = 0; l < sums->r;) {
    lbPairBlock *block = &sums->blocks[sums->block_count++];
    *block = (lbPairBlock){ .mode_begin = l, .pair_begin = (int32_t)lb_packed2(0, l) };
    block->pair_end = block->pair_begin;
    while (l < sums->r && block->pair_end - block->pair_begin < BLOCK_PAIRS) block->pair_end += ++l;
    block->mode_end = l;
  }
  return LB_OK;
}

// Values of a column of d, of X and of Y.
static size_t block_width(const lbPairBlock *block) {
  return lb_strain_width((size_t)(block->pair_end - block->pair_begin));
}

static size_t widest_block(const lbStrainSums *sums) {
  size_t most = 0;
  for (int32_t b = 0; b < sums->block_count; b++)
    if (block_width(&sums->blocks[b]) > most) most = block_width(&sums->blocks[b]);
  return most;
}

// Rows of Z of all modes of a block, at most.
static size_t most_rows(const lbStrainSums *sums) {
  size_t most = 0;
  for (int32_t b = 0; b < sums->block_count; b++) {
    size_t rows = 0;
    for (int32_t l = sums->blocks[b].mode_begin; l < sums->blocks[b].mode_end; l++)
      rows += lb_packed2_count(l + 1);
    if (rows > most) most = rows;
  }
  return most;
}

static void choose_sizes(lbStrainSums *sums, size_t element_count) {
  size_t element_edges = LB_ELEMENT_EDGES_MAX;
  size_t edges = LANE_BYTES / (2 * widest_block(sums) * sizeof(double));
  if (edges > EDGES_MAX) edges = EDGES_MAX;
  if (edges > element_count * element_edges) edges = element_count * element_edges;
  if (edges < element_edges) edges = element_edges;
  size_t elements = edges / 6 < element_count ? edges / 6 : element_count; // tets have six edges
  size_t chunk = LANE_BYTES / (3 * most_rows(sums) * sizeof(double));
  sums->edges_max = (int32_t)edges;
  sums->elements_max = (int32_t)(elements > 0 ? elements : 1);
  sums->chunk = chunk < 1 ? 1 : chunk > CHUNK ? CHUNK : (int32_t)chunk;
}

static bool open_lane(const lbStrainSums *sums, lbStrainLane *lane) {
  size_t block = widest_block(sums), edges = (size_t)sums->edges_max, r = (size_t)sums->r;
  size_t columns = 3 * (size_t)sums->chunk, rows = most_rows(sums), degree = LB_STAR_EDGES;
  lane->D = lb_alloc(block * edges, sizeof(double));
  lane->X = lb_alloc(block * edges, sizeof(double));
  lane->Z = lb_alloc(rows * columns, sizeof(double));
  lane->strip = lb_alloc(4 * (r + LB_BATCH), sizeof(double));
  lane->near_X = lb_alloc(block * degree + LB_BATCH, sizeof(double)); // kernels read further
  lane->near_U = lb_alloc(3 * r * degree + LB_BATCH, sizeof(double));
  return lane->D && lane->X && lane->Z && lane->strip && lane->near_X && lane->near_U;
}

static bool open_patch(lbStrainSums *sums) {
  size_t r = (size_t)sums->r, edges = (size_t)sums->edges_max;
  size_t elements = (size_t)sums->elements_max, element_edges = LB_ELEMENT_EDGES_MAX;
  sums->V = lb_alloc(lb_edge_stars_most(sums->edges_max), 3 * r * sizeof(double));
  sums->U = lb_alloc(edges, 3 * r * sizeof(double));
  sums->e1 = lb_alloc(elements, LB_STRAIN_ROWS_MAX * r * sizeof(double));
  sums->T = lb_alloc(elements, element_edges * r * sizeof(double));
  sums->sum_T = lb_alloc(edges, r * sizeof(double));
  sums->H = lb_alloc(elements, element_edges * element_edges * sizeof(double));
  return sums->V && sums->U && sums->e1 && sums->T && sums->sum_T && sums->H;
}

static bool open_sums(lbStrainSums *sums) {
  size_t r = (size_t)sums->r;
  sums->linear = lb_alloc(r * r, sizeof(double));
  sums->mixed = lb_alloc(r, (size_t)sums->pairs * sizeof(double));
  sums->cubic = lb_alloc(triple_begin(sums->r), sizeof(double)); // fits: r <= 256
  return sums->linear && sums->mixed && sums->cubic;
}

lbStatus lb_strain_sums_open(lbStrainSums *sums, const lbFem *fem, int32_t r, const double *basis,
                             size_t element_count, lbError *err) {
  *sums = (lbStrainSums){
    .fem = fem,
    .r = r,
    .pairs = (int32_t)lb_packed2_count(r),
    .basis = basis,
    .kernels = lb_strain_kernels(lb_simd_best()),
  };
  lbStatus status = lb_linalg_reserve(err);
  if (!status) status = cut_pairs(sums, err);
  if (status) return status;
  choose_sizes(sums, element_count);
  bool open = open_patch(sums) && open_sums(sums);
  sums->lane_count = lb_threads_count() < LB_STRAIN_LANES ? lb_threads_count() : LB_STRAIN_LANES;
  if (sums->lane_count > sums->block_count) sums->lane_count = sums->block_count;
  for (int32_t t = 0; t < sums->lane_count && open; t++) open = open_lane(sums, &sums->lanes[t]);
  if (!open) return lb_fail_memory(err);
  return lb_edge_patch_open(&sums->patch, sums->edges_max, sums->elements_max, err);
}

void lb_strain_sums_release(lbStrainSums *sums) {
  double *blocks[] = { sums->V, sums->U,      sums->e1,    sums->T,    sums->sum_T,
                       sums->H, sums->linear, sums->mixed, sums->cubic };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  for (int t = 0; t < LB_STRAIN_LANES; t++) {
    lbStrainLane *lane = &sums->lanes[t];
    void *own[] = { lane->D, lane->X, lane->Z, lane->strip, lane->near_X, lane->near_U };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) lb_free(own[i]);
  }
  lb_edge_patch_release(&sums->patch);
  lb_free(sums->blocks);
}

void lb_strain_sums_clear(lbStrainSums *sums, lbStrainWeight weight) {
  size_t r = (size_t)sums->r;
  sums->weight = weight;
  memset(sums->linear, 0, r * r * sizeof(double));
  memset(sums->mixed, 0, r * (size_t)sums->pairs * sizeof(double));
  memset(sums->cubic, 0, triple_begin(sums->r) * sizeof(double));
}

// ---- elements, edges and vertices of a patch ---------------------------------------------------

// Rows of e1 that an element of the patch has.
static size_t element_rows(const lbStrainSums *sums) {
  size_t points = (size_t)lb_element_points(sums->patch.set->kind);
  return sums->weight == LB_STRAIN_LAMBDA ? points : 6 * points;
}

// e1, Lᵀe1 of all modes and LᵀL of elements.
static void fill_strain_elements(int32_t begin, int32_t end, void *context) {
  const lbStrainSums *sums = context;
  const lbElementSet *set = sums->patch.set;
  lbStrainMatrices strains;
  int32_t vertices[LB_ELEMENT_NODES_MAX], r = sums->r;
  int32_t nodes = lb_element_nodes(set->kind), edges = lb_element_edges(set->kind);
  double u[3 * LB_ELEMENT_NODES_MAX * LB_POLYNOMIAL_MODES_MAX]; // (r x 3 nodes)
  size_t basis_rows = 3 * (size_t)sums->fem->vertex_count;
  for (int32_t e = begin; e < end; e++) {
    int32_t slot = sums->patch.slots[e];
    double *e1 = sums->e1 + (size_t)e * element_rows(sums) * (size_t)r;
    double *T = sums->T + (size_t)e * (size_t)edges * (size_t)r;
    lb_strain_matrices(set, slot, sums->weight, &strains);
    lb_strain_vertices(set, slot, vertices);
    for (int32_t a = 0; a < 3 * nodes; a++)
      for (int32_t i = 0; i < r; i++)
        u[a * r + i] = sums->basis[(size_t)i * basis_rows + 3 * (size_t)vertices[a / 3] + a % 3];
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, r, strains.rows, 3 * nodes, 1, u, strains.B, 0, e1);
    lb_dense_multiply(LB_PLAIN, LB_TRANSPOSED, r, edges, strains.rows, 1, e1, strains.L, 0, T);
    lb_dense_multiply(LB_PLAIN, LB_TRANSPOSED, edges, edges, strains.rows, 1, strains.L, strains.L,
                      0, sums->H + (size_t)e * (size_t)(edges * edges));
  }
}

// Modes at the vertices of stars.
static void fill_stars(int32_t begin, int32_t end, void *context) {
  const lbStrainSums *sums = context;
  size_t r = (size_t)sums->r, basis_rows = 3 * (size_t)sums->fem->vertex_count;
  size_t first = 3 * (size_t)sums->patch.stars[0].vertex;
  for (int32_t v = begin; v < end; v++) {
    size_t at = 3 * (size_t)sums->patch.stars[v].vertex;
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < r; i++) {
        const double *mode = sums->basis + i * basis_rows + c;
        sums->V[(3 * (size_t)v + c) * r + i] = mode[at] - mode[first];
      }
  }
}

// Differences of all modes along edges.
static void fill_edges(int32_t begin, int32_t end, void *context) {
  const lbStrainSums *sums = context;
  size_t r = (size_t)sums->r, basis_rows = 3 * (size_t)sums->fem->vertex_count;
  for (int32_t edge = begin; edge < end; edge++) {
    const int32_t *vertices = lb_edge_vertices(&sums->patch, edge);
    double *difference = sums->U + 3 * r * (size_t)edge;
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < r; i++) {
        const double *mode = sums->basis + i * basis_rows + c;
        difference[c * r + i] = mode[3 * (size_t)vertices[0]] - mode[3 * (size_t)vertices[1]];
      }
  }
}

static void add_to_edges(lbStrainSums *sums) {
  size_t r = (size_t)sums->r, edges = (size_t)lb_element_edges(sums->patch.set->kind);
  memset(sums->sum_T, 0, r * (size_t)sums->patch.table.count * sizeof(double));
  for (size_t k = 0; k < (size_t)sums->patch.element_count * edges; k++) {
    double *to = sums->sum_T + r * (size_t)sums->patch.element_edges[k];
    for (size_t i = 0; i < r; i++) to[i] += sums->T[k * r + i];
  }
}

// ---- one block of pairs, one patch -------------------------------------------------------------

// d of the block's pairs for all edges; X is emptied.
static void multiply_differences(const lbStrainSums *sums, const lbPairBlock *block,
                                 const lbStrainLane *lane) {
  size_t r = (size_t)sums->r, width = block_width(block), edges = (size_t)sums->patch.table.count;
  for (size_t edge = 0; edge < edges; edge++) {
    const double *x = sums->U + 3 * r * edge, *y = x + r, *z = y + r;
    double *d = lane->D + width * edge, *end = d + width;
    for (int32_t l = block->mode_begin; l < block->mode_end; l++) {
      double xl = x[l], yl = y[l], zl = z[l];
      for (int32_t k = 0; k <= l; k++) d[k] = x[k] * xl + y[k] * yl + z[k] * zl;
      d += l + 1;
    }
    while (d < end) *d++ = 0;
  }
  memset(lane->X, 0, width * edges * sizeof(double));
}

// X += H d, element by element.
static void multiply_elements(const lbStrainSums *sums, const lbPairBlock *block,
                              const lbStrainLane *lane) {
  const double *weights[LB_ELEMENT_EDGES_MAX], *from[LB_ELEMENT_EDGES_MAX];
  double *to[LB_ELEMENT_EDGES_MAX];
  int32_t edges = lb_element_edges(sums->patch.set->kind);
  size_t width = block_width(block);
  for (int32_t e = 0; e < sums->patch.element_count; e++) {
    const int32_t *edge = sums->patch.element_edges + (size_t)e * (size_t)edges;
    for (int32_t k = 0; k < edges; k++) {
      weights[k] = sums->H + ((size_t)e * (size_t)edges + (size_t)k) * (size_t)edges;
      from[k] = lane->D + width * (size_t)edge[k];
      to[k] = lane->X + width * (size_t)edge[k];
    }
    sums->kernels->combine(edges, edges, (int32_t)width, weights, from, to);
  }
}

// Gathers X of the block and the differences of the edges of a star; how many there are.
static int32_t gather_star(const lbStrainSums *sums, const lbPairBlock *block,
                           const lbStrainLane *lane, int32_t star) {
  const lbEdgePatch *patch = &sums->patch;
  size_t r = (size_t)sums->r, width = block_width(block), modes = (size_t)block->mode_end;
  int32_t begin = patch->stars[star].begin, count = patch->stars[star].end - begin;
  for (int32_t n = 0; n < count; n++) {
    int32_t near = patch->near[begin + n];
    size_t edge = (size_t)(near < 0 ? ~near : near);
    const double *difference = sums->U + 3 * r * edge;
    double sign = near < 0 ? -1 : 1;
    memcpy(lane->near_X + width * (size_t)n, lane->X + width * edge, width * sizeof(double));
    for (size_t c = 0; c < 3; c++) {
      double *to = lane->near_U + (c * (size_t)count + (size_t)n) * modes;
      for (size_t i = 0; i < modes; i++) to[i] = sign * difference[c * r + i];
    }
  }
  return count;
}

// Z of one star for all l of the block: three columns from `column` on.
static void sum_star(const lbStrainSums *sums, const lbPairBlock *block, const lbStrainLane *lane,
                     int32_t star, size_t column) {
  size_t width = block_width(block), modes = (size_t)block->mode_end;
  int32_t count = gather_star(sums, block, lane, star);
  for (size_t c = 0; c < 3; c++) {
    lbStrainRows X = { lane->near_X, width };
    lbStrainRows U = { lane->near_U + c * (size_t)count * modes, modes };
    double *Z = lane->Z;
    for (int32_t l = block->mode_begin; l < block->mode_end; l++) {
      size_t rows = lb_packed2_count(l + 1);
      sums->kernels->pair(count, l + 1, X, U, lane->strip, Z + rows * (column + c));
      X.values += l + 1;
      Z += rows * 3 * (size_t)sums->chunk;
    }
  }
}

// Stars [begin, begin + count) of the patch.
static void add_stars(lbStrainSums *sums, const lbPairBlock *block, const lbStrainLane *lane,
                      int32_t begin, int32_t count) {
  size_t r = (size_t)sums->r;
  const double *Z = lane->Z;
  for (int32_t v = 0; v < count; v++) sum_star(sums, block, lane, begin + v, 3 * (size_t)v);
  for (int32_t l = block->mode_begin; l < block->mode_end; l++) {
    size_t rows = lb_packed2_count(l + 1);
    lb_dense_multiply_parts(LB_PLAIN, LB_TRANSPOSED, (int32_t)rows, l + 1, 3 * count, 1, Z, rows,
                            sums->V + 3 * (size_t)begin * r, r, 1, sums->cubic + triple_begin(l),
                            rows);
    Z += rows * 3 * (size_t)sums->chunk;
  }
}

static void add_strain_block(lbStrainSums *sums, const lbPairBlock *block,
                             const lbStrainLane *lane) {
  int32_t edges = sums->patch.table.count, stars = sums->patch.star_count;
  size_t r = (size_t)sums->r;
  multiply_differences(sums, block, lane);
  multiply_elements(sums, block, lane);
  lb_dense_multiply_parts(LB_PLAIN, LB_TRANSPOSED, sums->r, block->pair_end - block->pair_begin,
                          edges, 1, sums->sum_T, r, lane->D, block_width(block), 1,
                          sums->mixed + r * (size_t)block->pair_begin, r);
  for (int32_t v = 0; v < stars; v += sums->chunk)
    add_stars(sums, block, lane, v, stars - v < sums->chunk ? stars - v : sums->chunk);
}

// Lanes draw blocks, from the last and dearest on; no sum is that of two blocks.
static void run_lanes(int32_t begin, int32_t end, void *context) {
  lbStrainSums *sums = context;
  for (int32_t t = begin; t < end; t++)
    for (;;) {
      int32_t block = sums->block_count - 1 - atomic_fetch_add(&sums->drawn, 1);
      if (block < 0) break;
      add_strain_block(sums, &sums->blocks[block], &sums->lanes[t]);
    }
}

lbStatus lb_strain_sums_add(lbStrainSums *sums, const lbElementSet *set, const int32_t *slots,
                            int32_t slot_count, int32_t *taken, lbError *err) {
  lbStatus status = lb_edge_patch_fill(&sums->patch, set, slots, slot_count, err);
  if (status) return status;
  int32_t elements = sums->patch.element_count, r = sums->r;
  int32_t rows = (int32_t)element_rows(sums) * elements;
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, 0, 0, 0, 1, NULL, NULL, 0, NULL); // see linalg/dense.h
  lb_parallel_for(elements, 4, fill_strain_elements, sums);
  lb_parallel_for(sums->patch.table.count, 64, fill_edges, sums);
  lb_parallel_for(sums->patch.star_count, 64, fill_stars, sums);
  add_to_edges(sums);
  lb_dense_multiply_parts(LB_PLAIN, LB_TRANSPOSED, r, r, rows, 1, sums->e1, (size_t)r, sums->e1,
                          (size_t)r, 1, sums->linear, (size_t)r);
  atomic_store(&sums->drawn, 0);
  lb_parallel_for(sums->lane_count, 1, run_lanes, sums);
  *taken = elements;
  return LB_OK;
}

// ---- symmetric coefficients --------------------------------------------------------------------

static double symmetric3(const lbStrainSums *sums, int32_t i, int32_t j, int32_t k) {
  size_t r = (size_t)sums->r;
  return sums->mixed[r * lb_packed2(j, k) + (size_t)i] +
         sums->mixed[r * lb_packed2(i, k) + (size_t)j] +
         sums->mixed[r * lb_packed2(i, j) + (size_t)k];
}

// Of Z_jk · u_i = Σ X_jl d_ik + X_kl d_ij each of the three sums is in two.
static double symmetric4(const lbStrainSums *sums, int32_t i, int32_t j, int32_t k, int32_t l) {
  const double *cubic = sums->cubic + triple_begin(l);
  size_t pairs = lb_packed2_count(l + 1);
  return (cubic[pair_by_first(l + 1, j, k) + pairs * (size_t)i] +
          cubic[pair_by_first(l + 1, i, k) + pairs * (size_t)j] +
          cubic[pair_by_first(l + 1, i, j) + pairs * (size_t)k]) /
         3;
}

void lb_strain_sums_store(const lbStrainSums *sums, lbPolynomial *polynomial) {
  size_t at2 = 0, at3 = 0, at4 = 0, r = (size_t)sums->r; // packed order
  for (int32_t l = 0; l < sums->r; l++)
    for (int32_t k = 0; k <= l; k++) {
      polynomial->linear[at2++] = sums->linear[r * (size_t)l + (size_t)k];
      for (int32_t j = 0; j <= k; j++) {
        polynomial->quadratic[at3++] = symmetric3(sums, j, k, l);
        for (int32_t i = 0; i <= j; i++) polynomial->cubic[at4++] = symmetric4(sums, i, j, k, l);
      }
    }
}
