// Forces and the matrix K̂ at a shape, and loops over groups of nodes with sums in a fixed order.
#include "warp/coarse.h"
#include "warp/cores.h"
#include "warp/passes.h"

#include <stdatomic.h>
#include <string.h>

#define CHUNK_GRAIN 4  // chunks a task: smaller bodies stay on one thread
#define BATCH_GRAIN 64 // batches of elements a task
#define TURNS 1e-3     // rad and strain in a step that create no energy worth the account

// ---- work --------------------------------------------------------------------------------------

size_t lb_warp_chunks(const lbWarp *warp) {
  return ((size_t)warp->group_count + LB_WARP_CHUNK - 1) / LB_WARP_CHUNK;
}

static size_t element_lanes(const lbWarp *warp) { // with those beyond the last element
  return ((size_t)warp->sets[0].batch_count + (size_t)warp->sets[1].batch_count) * LB_BATCH;
}

static double *take_linearisation(double **room, size_t *used, size_t count) {
  double *at = room ? *room + *used : NULL;
  *used += (count + LB_BATCH - 1) / LB_BATCH * LB_BATCH;
  return at;
}

static size_t place_linearisation(const lbWarp *warp, double **room, lbWarpWork *work) {
  size_t used = 0, blocks = 0, nodes = 0;
  size_t own = (lb_warp_is_by_vertices(warp) ? 2 : 1) * (size_t)warp->pair_count;
  for (int k = 0; k < 2; k++) {
    const lbWarpSet *set = &warp->sets[k];
    blocks += (size_t)set->batch_count * LB_BATCH * (size_t)set->blocks;
    nodes += (size_t)set->batch_count * LB_BATCH * (size_t)set->nodes;
  }
  bool linear = warp->strain == LB_WARP_LINEAR;
  work->own = take_linearisation(room, &used, linear ? 0 : lb_warp_block_doubles(own));
  work->blocks = take_linearisation(room, &used, linear ? 0 : 9 * blocks);
  work->forces = take_linearisation(room, &used, linear ? 0 : 3 * nodes + 1);
  work->energies = take_linearisation(room, &used, element_lanes(warp));
  work->inverse = take_linearisation(room, &used, (size_t)warp->group_count * 9 * LB_BATCH);
  work->sums = take_linearisation(room, &used, lb_warp_chunks(warp) * 2 * LB_BATCH);
  size_t padded = (size_t)lb_ldlt_padded(6 * warp->part_count);
  work->centres = take_linearisation(room, &used, 3 * (size_t)warp->part_count);
  work->arms = take_linearisation(room, &used, warp->part_count ? warp->length : 0);
  work->part_turns = take_linearisation(room, &used, 9 * (size_t)warp->part_count);
  work->part_sums =
      take_linearisation(room, &used, lb_warp_chunks(warp) * 6 * (size_t)warp->part_count);
  work->coarse = take_linearisation(room, &used, padded * padded);
  work->coarse_vector = take_linearisation(room, &used, 2 * padded + 6);
  size_t cores = (size_t)warp->core_count;
  work->core_hinges = take_linearisation(room, &used, 6 * cores);
  work->core_rows =
      take_linearisation(room, &used, cores ? 3 * (size_t)warp->core_begin[cores] : 0);
  work->core_grams = take_linearisation(room, &used, 36 * cores);
  work->core_factors = take_linearisation(room, &used, 36 * cores);
  for (int k = 0; k < LB_WARP_VECTORS; k++)
    work->vectors[k] = take_linearisation(room, &used, warp->length);
  work->packed = take_linearisation(room, &used, 4 * (size_t)warp->node_count);
  work->kept_x = take_linearisation(room, &used, warp->length);
  work->kept_force = take_linearisation(room, &used, warp->length);
  return used;
}

size_t lb_warp_work_doubles(const lbWarp *warp) {
  lbWarpWork unused;
  return place_linearisation(warp, NULL, &unused);
}

void lb_warp_work_place(const lbWarp *warp, double *room, lbWarpWork *work) {
  *work = (lbWarpWork){ 0 };
  place_linearisation(warp, &room, work);
}

// ---- loops over groups -------------------------------------------------------------------------

typedef struct Loop {
  const lbWarpPass *pass;
  lbWarpOperation *operation;
  double *sums;
} Loop;

static void run_chunks_linearisation(int32_t begin, int32_t end, void *context) {
  const Loop *loop = context;
  int32_t groups = loop->pass->warp->group_count;
  for (int32_t c = begin; c < end; c++) {
    int32_t last = LB_WARP_CHUNK * (c + 1) < groups ? LB_WARP_CHUNK * (c + 1) : groups;
    loop->operation(loop->pass, LB_WARP_CHUNK * c, last, loop->sums + (size_t)c * 2 * LB_BATCH);
  }
}

static double add_lanes(const double s[LB_BATCH]) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

lbWarpSums lb_warp_run(lbWarpOperation *operation, const lbWarpPass *pass, lbWarpWork *work) {
  Loop loop = { pass, operation, work->sums };
  size_t chunks = lb_warp_chunks(pass->warp);
  double sums[2 * LB_BATCH] = { 0 };
  lb_parallel_for((int32_t)chunks, CHUNK_GRAIN, run_chunks_linearisation, &loop);
  for (size_t c = 0; c < chunks; c++)
    for (size_t i = 0; i < 2 * LB_BATCH; i++) sums[i] += work->sums[c * 2 * LB_BATCH + i];
  return (lbWarpSums){ add_lanes(sums), add_lanes(sums + LB_BATCH) };
}

// ---- elements ----------------------------------------------------------------------------------

// Blocks (LB_BATCH x blocks x 9), forces (LB_BATCH x nodes x 3) and energies (LB_BATCH) of a batch;
// energies alone, if blocks are NULL.
static void run_batch(const lbWarp *warp, const lbWarpSet *set, int32_t batch, bool positive,
                      const double *x, double *blocks, double *forces, double *energies) {
  double displacements[3 * LB_ELEMENT_NODES_MAX * LB_BATCH];
  const int32_t *at = set->at + (size_t)batch * (size_t)set->nodes * LB_BATCH;
  if (!set->green) {
    if (blocks)
      warp->elements->elements(set, batch, warp->stretch_limit, positive, x, blocks, forces,
                               energies);
    else
      warp->elements->energies(set, batch, warp->stretch_limit, x, energies);
    return;
  }
  for (size_t a = 0; a < (size_t)set->nodes; a++)
    for (size_t k = 0; k < 3; k++)
      for (size_t lane = 0; lane < LB_BATCH; lane++) {
        size_t from = (size_t)at[a * LB_BATCH + lane] + k * LB_BATCH;
        displacements[(3 * a + k) * LB_BATCH + lane] = x[from] - warp->rest[from];
      }
  lbElementBatch work = { .rest = set->rest + (size_t)batch * set->rest_size * LB_BATCH,
                          .parameters =
                              set->parameters + (size_t)batch * LB_MATERIAL_PARAMETERS * LB_BATCH,
                          .displacements = displacements,
                          .energies = energies,
                          .forces = forces,
                          .tangents = blocks };
  set->green(&work);
}

typedef struct Elements {
  const lbWarp *warp;
  const lbWarpSet *set;
  lbWarpWork *work;
  const double *x;
  bool energies; // alone
  bool positive;
  size_t first; // where those of the set begin
} Elements;

static void run_batches(int32_t begin, int32_t end, void *context) {
  const Elements *e = context;
  const lbWarpSet *set = e->set;
  for (int32_t b = begin; b < end; b++) {
    size_t element = (size_t)b * LB_BATCH;
    double *energies = e->work->energies + e->first + element;
    if (e->energies) {
      run_batch(e->warp, set, b, e->positive, e->x, NULL, NULL, energies);
      continue;
    }
    run_batch(e->warp, set, b, e->positive, e->x,
              e->work->blocks + 9 * (set->first + element * (size_t)set->blocks),
              e->work->forces + 3 * (set->first_node + element * (size_t)set->nodes), energies);
  }
}

// All of them; the sum of the energies.
static double run_elements(const lbWarp *warp, lbWarpWork *work, const double *x, bool energies,
                           bool positive) {
  double sums[LB_BATCH] = { 0 };
  for (int k = 0; k < 2; k++) {
    size_t first = k == 0 ? 0 : (size_t)warp->sets[0].batch_count * LB_BATCH;
    Elements elements = { warp, &warp->sets[k], work, x, energies, positive, first };
    lb_parallel_for(warp->sets[k].batch_count, BATCH_GRAIN, run_batches, &elements);
  }
  for (size_t e = 0; e < element_lanes(warp); e++) sums[e % LB_BATCH] += work->energies[e];
  return add_lanes(sums);
}

typedef struct Gains {
  const lbWarp *warp;
  const double *x;
  atomic_bool found;
} Gains;

static void look_for_gains(int32_t begin, int32_t end, void *context) {
  Gains *gains = context;
  const lbWarp *warp = gains->warp;
  for (int32_t b = begin; b < end; b++)
    if (warp->elements->gains(&warp->sets[0], b, gains->x)) {
      gains->found = true;
      return;
    }
}

bool lb_warp_may_gain(const lbWarp *warp, const double *x, double moved) {
  if (warp->strain == LB_WARP_LINEAR) return false;
  bool plain = warp->strain == LB_WARP_WARPED && warp->rotation == LB_WARP_ELEMENT &&
               warp->stretch_limit == 0 && warp->sets[1].count == 0 && warp->sets[0].isotropic;
  if (!plain) return true;
  if (4 * moved * warp->sets[0].steepest < TURNS) return false; // |ΔF| is less
  Gains gains = { .warp = warp, .x = x };
  lb_parallel_for(warp->sets[0].batch_count, BATCH_GRAIN, look_for_gains, &gains);
  return gains.found;
}

// ---- energy ------------------------------------------------------------------------------------

// Of an element: ½ Σ_a u_a Σ_b K_ab (u_b − u_a).
static double linear_energy(const lbWarp *warp, const lbWarpSet *set, int32_t element,
                            const double *x) {
  size_t batch = (size_t)(element / LB_BATCH), lane = (size_t)(element % LB_BATCH);
  size_t n = (size_t)set->nodes;
  const int32_t *at = set->at + batch * n * LB_BATCH + lane;
  const double *K = set->rest + (batch * set->rest_size + 6 * n) * LB_BATCH + lane;
  double u[LB_ELEMENT_NODES_MAX][3], sum = 0;
  for (size_t a = 0; a < n; a++)
    for (size_t k = 0; k < 3; k++) {
      size_t from = (size_t)at[a * LB_BATCH] + k * LB_BATCH;
      u[a][k] = x[from] - warp->rest[from] - (a ? u[0][k] : 0);
    }
  for (size_t k = 0; k < 3; k++) u[0][k] = 0;
  for (size_t b = 1; b < n; b++)
    for (size_t a = 0; a < b; a++, K += 9 * LB_BATCH)
      for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
          double d = u[b][j] - u[a][j], e = u[b][i] - u[a][i], k = K[(3 * i + j) * LB_BATCH];
          sum += 0.5 * k * (u[a][i] * d - u[b][j] * e);
        }
  return sum;
}

double lb_warp_energy(const lbWarp *warp, lbWarpWork *work, const double *x) {
  double sum = 0;
  if (warp->strain != LB_WARP_LINEAR) return run_elements(warp, work, x, true, false);
  for (int k = 0; k < 2; k++)
    for (int32_t e = 0; e < warp->sets[k].count; e++)
      sum += linear_energy(warp, &warp->sets[k], e, x);
  return sum;
}

// ---- what the layer offers ---------------------------------------------------------------------

void lb_warp_linearise(const lbWarp *warp, lbWarpWork *work, const double *x, bool safe,
                       double *force) {
  bool linear = warp->strain == LB_WARP_LINEAR;
  bool rows = linear || (lb_warp_is_by_vertices(warp) && !safe);
  size_t bytes = warp->length * sizeof *x;
  if (!rows && work->kept == warp && work->kept_safe == safe && !memcmp(work->kept_x, x, bytes)) {
    memcpy(force, work->kept_force, bytes);
    return;
  }
  work->kept = NULL;
  work->ready = false;
  work->values = linear ? warp->rest_values : work->own;
  work->symmetric = linear || !rows;
  if (rows) {
    lbWarpPass pass = { .warp = warp,
                        .values = work->values,
                        .symmetric = true,
                        .x = x,
                        .y = linear ? warp->packed_rest : NULL,
                        .out = force,
                        .other = work->own,
                        .packed = work->packed };
    lb_warp_run(warp->rows->pack, &pass, work);
    lb_warp_run(linear ? warp->rows->rows : warp->rows->turned_rows, &pass, work);
    work->energy = -1;
    return;
  }
  work->energy = run_elements(warp, work, x, false, safe);
  lb_warp_assemble(warp, work->blocks, work->own);
  lb_warp_gather(warp, work->forces, force);
  memcpy(work->kept_x, x, bytes);
  memcpy(work->kept_force, force, bytes);
  work->kept = warp, work->kept_safe = safe;
}

void lb_warp_ready(const lbWarp *warp, lbWarpWork *work, const double *x, double c, double kappa) {
  lbWarpPass pass = { .warp = warp,
                      .values = work->values,
                      .symmetric = work->symmetric,
                      .out = work->inverse,
                      .a = c,
                      .b = kappa };
  if (work->ready && work->c == c && work->kappa == kappa) return;
  work->c = c, work->kappa = kappa;
  work->ready = work->kept && warp->core_count == 0; // hinges of cores are not part of the shape
  lb_warp_run(warp->rows->invert, &pass, work);
  lb_warp_ready_cores(warp, work, x);
  lb_warp_ready_parts(warp, work, x);
}

lbVec3 lb_warp_row(const lbWarp *warp, const lbWarpWork *work, int32_t node, const double *d) {
  const double *own = d + lb_warp_at(node);
  double sum[3] = { 0 }, K[9];
  for (int32_t s = 0; s < lb_warp_degree(warp, node); s++) {
    const double *other = d + lb_warp_at(lb_warp_neighbour(warp, node, s));
    lb_warp_block(warp, work->values, work->symmetric, node, s, K);
    for (size_t i = 0; i < 9; i++) {
      size_t k = i % 3 * LB_BATCH;
      sum[i / 3] += K[i] * (other[k] - own[k]);
    }
  }
  return lb_vec3_load(sum);
}
