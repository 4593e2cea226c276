// Rigid cores in the solution (cores.h).
#include "warp/cores.h"

#include "math/dense.h"

#include <string.h>

// ---- lists -------------------------------------------------------------------------------------

lbStatus lb_warp_list_cores(lbWarp *warp, const lbWarpDef *def, lbError *err) {
  size_t nodes = (size_t)def->node_count, cores = (size_t)def->core_count;
  if (cores == 0) return LB_OK;
  warp->core_begin = lb_alloc(cores + 1, sizeof(int32_t));
  warp->core_columns = lb_duplicate(def->core_columns, cores, sizeof(int32_t));
  warp->core_nodes = lb_alloc(nodes, sizeof(int32_t));
  warp->core_of = lb_alloc(nodes, sizeof(int32_t));
  if (!warp->core_begin || !warp->core_columns || !warp->core_nodes || !warp->core_of)
    return lb_fail_memory(err);
  int32_t count = 0;
  for (int32_t c = 0; c < def->core_count; c++) {
    for (int32_t n = 0; n < def->node_count && def->core_columns[c] > 0; n++)
      if (def->cores[n] == c) warp->core_nodes[count++] = n;
    warp->core_begin[c + 1] = count;
  }
  for (size_t n = 0; n < nodes; n++) {
    int32_t core = def->cores[n];
    warp->core_of[n] = core >= 0 && def->core_columns[core] > 0 ? core : -1;
  }
  warp->core_count = def->core_count;
  return LB_OK;
}

// ---- columns -----------------------------------------------------------------------------------

static lbVec3 place_core_rows(const double *lanes, int32_t node) {
  const double *from = lanes + lb_warp_at(node);
  return lb_vec3(from[0], from[LB_BATCH], from[2 * LB_BATCH]);
}

static void put_core_rows(double *lanes, int32_t node, lbVec3 a) {
  double *to = lanes + lb_warp_at(node);
  to[0] = a.x, to[LB_BATCH] = a.y, to[2 * LB_BATCH] = a.z;
}

// What is kept of a node: its arm, or how a unit spin about the axis moves it.
static lbVec3 row_of_core_rows(const lbWarpWork *work, int32_t entry) {
  return lb_vec3_load(work->core_rows + 3 * (size_t)entry);
}

// P_i w
static lbVec3 velocity(int32_t columns, lbVec3 row, const double *w) {
  if (columns == 1) return lb_scale(w[0], row);
  return lb_add(lb_vec3_load(w), lb_cross(lb_vec3_load(w + 3), row));
}

// g += P_iᵀ f
static void add_sum(int32_t columns, lbVec3 row, lbVec3 f, double *g) {
  if (columns == 1) {
    g[0] += lb_dot(row, f);
    return;
  }
  lbVec3 t = lb_cross(row, f);
  g[0] += f.x, g[1] += f.y, g[2] += f.z, g[3] += t.x, g[4] += t.y, g[5] += t.z;
}

void lb_warp_core_sum(const lbWarp *warp, const lbWarpWork *work, int32_t core, const double *f,
                      double g[6]) {
  memset(g, 0, 6 * sizeof *g);
  for (int32_t k = warp->core_begin[core]; k < warp->core_begin[core + 1]; k++)
    add_sum(warp->core_columns[core], row_of_core_rows(work, k),
            place_core_rows(f, warp->core_nodes[k]), g);
}

void lb_warp_core_move(const lbWarp *warp, const lbWarpWork *work, int32_t core, const double w[6],
                       double *v) {
  for (int32_t k = warp->core_begin[core]; k < warp->core_begin[core + 1]; k++)
    put_core_rows(v, warp->core_nodes[k],
                  velocity(warp->core_columns[core], row_of_core_rows(work, k), w));
}

static void solve_gram(const lbWarp *warp, const lbWarpWork *work, int32_t core, double *g) {
  lb_small_cholesky_solve(warp->core_columns[core], work->core_grams + 36 * (size_t)core, 1, g);
}

void lb_warp_core_fit(const lbWarp *warp, const lbWarpWork *work, int32_t core, const double *v,
                      double w[6]) {
  lb_warp_core_sum(warp, work, core, v, w);
  if (warp->core_columns[core] > 0) solve_gram(warp, work, core, w);
}

void lb_warp_core_push(const lbWarp *warp, const lbWarpWork *work, int32_t core, const double g[6],
                       double *f) {
  double w[6];
  memcpy(w, g, sizeof w);
  if (warp->core_columns[core] > 0) solve_gram(warp, work, core, w);
  lb_warp_core_move(warp, work, core, w, f);
}

void lb_warp_make_rigid(const lbWarp *warp, const lbWarpWork *work, double *v) {
  for (int32_t c = 0; c < warp->core_count; c++) {
    double w[6];
    lb_warp_core_fit(warp, work, c, v, w);
    lb_warp_core_move(warp, work, c, w, v);
  }
}

// ---- matrices ----------------------------------------------------------------------------------

// How a place moves with a core; also for neighbours.
static lbVec3 arm_of_core_rows(const lbWarp *warp, const lbWarpWork *work, int32_t core,
                               lbVec3 at) {
  const double *frame = work->core_hinges + 6 * (size_t)core;
  lbVec3 from = lb_sub(at, lb_vec3_load(frame));
  return warp->core_columns[core] == 1 ? lb_cross(lb_vec3_load(frame + 3), from) : from;
}

// The centre of the masses takes the place of a hinge.
static void find_centre(const lbWarp *warp, lbWarpWork *work, int32_t core, const double *x) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  double mass = 0;
  for (int32_t k = warp->core_begin[core]; k < warp->core_begin[core + 1]; k++) {
    int32_t n = warp->core_nodes[k];
    sum = lb_add_scaled(sum, warp->masses[n], place_core_rows(x, n));
    mass += warp->masses[n];
  }
  lb_vec3_store(work->core_hinges + 6 * (size_t)core, lb_scale(1 / mass, sum));
}

// (K̂ P w)_i for a node of the core
static lbVec3 pull_core_rows(const lbWarp *warp, const lbWarpWork *work, int32_t core, int32_t node,
                             const double *x, const double *w) {
  int32_t columns = warp->core_columns[core];
  lbVec3 here = velocity(columns, arm_of_core_rows(warp, work, core, place_core_rows(x, node)), w);
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t s = 0; s < lb_warp_degree(warp, node); s++) {
    int32_t other = lb_warp_neighbour(warp, node, s);
    lbMat3 K;
    lb_warp_block(warp, work->values, work->symmetric, node, s, K.m);
    lbVec3 d = lb_scale(-1, here);
    if (warp->core_of[other] == core)
      d = lb_add(
          d, velocity(columns, arm_of_core_rows(warp, work, core, place_core_rows(x, other)), w));
    sum = lb_add(sum, lb_mat3_apply(K, d));
  }
  return sum;
}

// Pᵀ (c M + κ K̂) P; kappa 0 leaves K̂ out.
static void fill_matrix(const lbWarp *warp, const lbWarpWork *work, int32_t core, const double *x,
                        double c, double kappa, double *matrix) {
  int32_t n = warp->core_columns[core];
  for (int32_t col = 0; col < n; col++) {
    double w[6] = { 0 }, g[6] = { 0 };
    w[col] = 1;
    for (int32_t k = warp->core_begin[core]; k < warp->core_begin[core + 1]; k++) {
      int32_t node = warp->core_nodes[k];
      lbVec3 row = row_of_core_rows(work, k),
             f = lb_scale(c * warp->masses[node], velocity(n, row, w));
      if (kappa != 0) f = lb_add_scaled(f, kappa, pull_core_rows(warp, work, core, node, x, w));
      add_sum(n, row, f, g);
    }
    memcpy(matrix + n * col, g, (size_t)n * sizeof *g);
  }
}

static void fill_gram(const lbWarp *warp, lbWarpWork *work, int32_t core) {
  int32_t n = warp->core_columns[core];
  double *gram = work->core_grams + 36 * (size_t)core;
  memset(gram, 0, 36 * sizeof *gram);
  for (int32_t col = 0; col < n; col++) {
    double w[6] = { 0 }, g[6] = { 0 };
    w[col] = 1;
    for (int32_t k = warp->core_begin[core]; k < warp->core_begin[core + 1]; k++)
      add_sum(n, row_of_core_rows(work, k), velocity(n, row_of_core_rows(work, k), w), g);
    memcpy(gram + n * col, g, (size_t)n * sizeof *g);
  }
  lb_small_cholesky_factor(n, gram);
}

// Unsymmetric matrices are factored by their lower half: it is a preconditioner. Where that is not
// positive definite, masses alone are; where there are none, nothing is done.
static void factor_core_rows(const lbWarp *warp, lbWarpWork *work, int32_t core, const double *x) {
  int32_t n = warp->core_columns[core];
  double *matrix = work->core_factors + 36 * (size_t)core;
  fill_matrix(warp, work, core, x, work->c, work->kappa, matrix);
  if (lb_small_cholesky_factor(n, matrix)) return;
  fill_matrix(warp, work, core, x, work->c, 0, matrix);
  if (!lb_small_cholesky_factor(n, matrix)) matrix[0] = 0;
}

static void clear_block(lbWarpWork *work, int32_t node) {
  double *block = work->inverse + (size_t)(node / LB_BATCH) * 9 * LB_BATCH + node % LB_BATCH;
  for (int k = 0; k < 9; k++) block[k * LB_BATCH] = 0;
}

void lb_warp_ready_cores(const lbWarp *warp, lbWarpWork *work, const double *x) {
  for (int32_t c = 0; c < warp->core_count; c++) {
    int32_t columns = warp->core_columns[c];
    if (columns == 0) continue;
    if (columns == 6) find_centre(warp, work, c, x);
    for (int32_t k = warp->core_begin[c]; k < warp->core_begin[c + 1]; k++) {
      int32_t node = warp->core_nodes[k];
      lb_vec3_store(work->core_rows + 3 * (size_t)k,
                    arm_of_core_rows(warp, work, c, place_core_rows(x, node)));
      clear_block(work, node);
    }
    fill_gram(warp, work, c);
    factor_core_rows(warp, work, c, x);
  }
}

void lb_warp_lock_hinges(const lbWarp *warp, lbWarpWork *work) {
  for (int32_t c = 0; c < warp->core_count; c++)
    if (warp->core_columns[c] == 1) work->core_factors[36 * (size_t)c] = 0;
}

double lb_warp_add_cores(const lbWarp *warp, const lbWarpWork *work, const double *r, double *z) {
  double product = 0;
  for (int32_t c = 0; c < warp->core_count; c++) {
    int32_t n = warp->core_columns[c];
    const double *factors = work->core_factors + 36 * (size_t)c;
    double g[6], w[6];
    if (n == 0 || !(factors[0] > 0)) continue;
    lb_warp_core_sum(warp, work, c, r, g);
    memcpy(w, g, sizeof w);
    lb_small_cholesky_solve(n, factors, 1, w);
    for (int32_t k = 0; k < n; k++) product += g[k] * w[k];
    for (int32_t k = warp->core_begin[c]; k < warp->core_begin[c + 1]; k++) {
      double *to = z + lb_warp_at(warp->core_nodes[k]);
      lbVec3 v = velocity(n, row_of_core_rows(work, k), w);
      to[0] += v.x, to[LB_BATCH] += v.y, to[2 * LB_BATCH] += v.z;
    }
  }
  return product;
}
