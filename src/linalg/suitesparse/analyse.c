// The structure of L: ordering and supernodes by CHOLMOD and METIS, all of which stays in here.
//
// OpenMP is held to one thread while CHOLMOD works: its loops cost more there than they gain.
#include "linalg/fronts.h"

#include <dlfcn.h>
#include <string.h>
#include <suitesparse/cholmod.h>

enum { NODE = 3 }; // unknowns of a vertex

// ---- OpenMP held to one thread -----------------------------------------------------------------

// Looked up at run time: which OpenMP library CHOLMOD was built with, if any, is its own affair.
typedef struct OpenMP {
  void (*set_levels)(int);
  int levels; // to restore
} OpenMP;

static OpenMP silence_openmp(void) {
  OpenMP openmp = { 0 };
  int (*get_levels)(void) = NULL;
  void *get = dlsym(RTLD_DEFAULT, "omp_get_max_active_levels");
  void *set = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
  if (!get || !set) return openmp;
  memcpy(&get_levels, &get, sizeof get);
  memcpy(&openmp.set_levels, &set, sizeof set);
  openmp.levels = get_levels();
  openmp.set_levels(0);
  return openmp;
}

static void restore_openmp(OpenMP openmp) {
  if (openmp.set_levels) openmp.set_levels(openmp.levels);
}

// ---- CHOLMOD -----------------------------------------------------------------------------------

static cholmod_sparse sparse_view(const lbSparse *A) {
  return (cholmod_sparse){ .nrow = (size_t)A->size,
                           .ncol = (size_t)A->size,
                           .nzmax = (size_t)lb_sparse_nonzero_count(A),
                           .p = A->column_begin,
                           .i = A->rows,
                           .stype = 1,
                           .itype = CHOLMOD_INT,
                           .xtype = CHOLMOD_PATTERN,
                           .dtype = CHOLMOD_DOUBLE,
                           .sorted = true,
                           .packed = true };
}

static lbStatus fail_cholmod(const cholmod_common *common, int32_t size, lbError *err) {
  switch (common->status) {
  case CHOLMOD_OUT_OF_MEMORY: return lb_fail_memory(err);
  case CHOLMOD_TOO_LARGE:
    return lb_fail(err, LB_ERR_MEMORY,
                   "sparse Cholesky of %d rows: the factor has more than 2^31 entries, use a "
                   "coarser mesh",
                   size);
  default:
    return lb_fail(err, LB_ERR_NUMERIC, "sparse Cholesky of %d rows failed (code %d)", size,
                   common->status);
  }
}

// ---- ordering ----------------------------------------------------------------------------------

// The graph of the 3x3 blocks.
static lbStatus make_block_graph(const lbSparse *A, lbSparse **out, lbError *err) {
  int32_t nodes = A->size / NODE, count = 0;
  lbStatus status = LB_OK;
  int32_t *begin = lb_alloc((size_t)nodes + 1, sizeof *begin);
  int32_t *rows = lb_alloc((size_t)lb_sparse_nonzero_count(A) / NODE + 1, sizeof *rows);
  if (!begin || !rows) {
    status = lb_fail_memory(err);
    goto done;
  }
  for (int32_t v = 0; v < nodes; v++) {
    int32_t column = NODE * v;
    for (int32_t k = A->column_begin[column]; k < A->column_begin[column + 1]; k += NODE)
      rows[count++] = A->rows[k] / NODE;
    begin[v + 1] = count;
  }
  status = lb_sparse_create(nodes, begin, rows, out, err);
done:
  lb_free(begin);
  lb_free(rows);
  return status;
}

// order (size): a METIS ordering of the blocks, three unknowns each.
static lbStatus order_blocks(cholmod_common *common, const lbSparse *A, int32_t *order,
                             lbError *err) {
  lbSparse *graph = NULL;
  lbStatus status = make_block_graph(A, &graph, err);
  if (status) return status;
  cholmod_sparse view = sparse_view(graph);
  int32_t *nodes = order + A->size - graph->size; // expanded in place, front to back
  if (!cholmod_metis(&view, NULL, 0, true, nodes, common))
    status = fail_cholmod(common, A->size, err);
  for (int32_t v = 0; !status && v < graph->size; v++) {
    int32_t node = nodes[v];
    for (int32_t c = 0; c < NODE; c++) order[NODE * v + c] = NODE * node + c;
  }
  lb_sparse_destroy(graph);
  return status;
}

static void set_options(cholmod_common *common) {
  common->print = 0;
  common->supernodal = CHOLMOD_SUPERNODAL;
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_METIS;
  common->postorder = true;
  common->useGPU = 0;
  // Fewer zeros in supernodes that are joined than CHOLMOD has of its own, by measurement: a
  // twentieth of the work, a fiftieth of L.
  common->zrelax[0] = 0.3;
  common->zrelax[1] = 0.05;
  common->zrelax[2] = 0.02;
}

// ---- public ------------------------------------------------------------------------------------

static lbStatus analyse(cholmod_common *common, const lbSparse *A, lbFronts **out, lbError *err) {
  int32_t *order = NULL;
  lbStatus status = LB_OK;
  if (lb_sparse_has_blocks(A, NODE)) {
    order = lb_alloc((size_t)A->size, sizeof *order);
    status = order ? order_blocks(common, A, order, err) : lb_fail_memory(err);
    common->method[0].ordering = CHOLMOD_GIVEN;
  }
  cholmod_sparse view = sparse_view(A);
  cholmod_factor *L = status ? NULL : cholmod_analyze_p(&view, order, NULL, 0, common);
  lb_free(order);
  if (!status && !L) status = fail_cholmod(common, A->size, err);
  if (!status)
    status =
        lb_fronts_create(A->size, (int32_t)L->nsuper, L->super, L->pi, L->s, L->Perm, out, err);
  cholmod_free_factor(&L, common);
  return status;
}

lbStatus lb_fronts_analyse_suitesparse(const lbSparse *A, lbFronts **out, lbError *err) {
  cholmod_common common;
  OpenMP openmp = silence_openmp();
  cholmod_start(&common);
  set_options(&common);
  lbStatus status = analyse(&common, A, out, err);
  cholmod_finish(&common);
  restore_openmp(openmp);
  return status;
}
