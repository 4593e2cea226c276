// The structure of L by limber's own ordering: nested dissection (dissect.c) of the graph of A, or
// of its 3x3 blocks where it consists of them, and the supernodes that follow (supernodes.c).
#include "linalg/fronts.h"

#include "linalg/own/graph.h"
#include "linalg/own/supernodes.h"

enum { NODE = 3 }; // unknowns of a vertex

// From nodes to unknowns.
static lbStatus create_fronts(int32_t size, int32_t node, const lbSupernodes *supernodes,
                              const int32_t *node_order, lbFronts **out, lbError *err) {
  int64_t rows = supernodes->rows_begin[supernodes->count];
  if (rows > INT32_MAX / node)
    return lb_fail(err, LB_ERR_MEMORY,
                   "sparse Cholesky of %d rows: its structure has more than 2^31 entries, use a "
                   "coarser mesh",
                   size);
  size_t count = (size_t)supernodes->count, width = (size_t)node;
  int32_t *super = lb_alloc(count + 1, sizeof *super), *begin = lb_alloc(count + 1, sizeof *begin);
  int32_t *all = lb_alloc((size_t)rows * width + 1, sizeof *all);
  int32_t *order = lb_alloc((size_t)size + 1, sizeof *order);
  lbStatus status = super && begin && all && order ? LB_OK : lb_fail_memory(err);
  if (!status) {
    for (size_t s = 0; s <= count; s++) {
      super[s] = node * supernodes->column_begin[s];
      begin[s] = node * (int32_t)supernodes->rows_begin[s];
    }
    for (size_t k = 0; k < (size_t)rows; k++)
      for (size_t c = 0; c < width; c++)
        all[k * width + c] = node * supernodes->rows[k] + (int32_t)c;
    for (size_t v = 0; v < (size_t)size / width; v++)
      for (size_t c = 0; c < width; c++) order[v * width + c] = node * node_order[v] + (int32_t)c;
    status = lb_fronts_create(size, supernodes->count, super, begin, all, order, out, err);
  }
  lb_free(super);
  lb_free(begin);
  lb_free(all);
  lb_free(order);
  return status;
}

lbStatus lb_fronts_analyse_own(const lbSparse *A, lbFronts **out, lbError *err) {
  int32_t node = lb_sparse_has_blocks(A, NODE) ? NODE : 1;
  size_t n = (size_t)(A->size / node);
  lbGraph graph = { 0 };
  lbSupernodes supernodes = { 0 };
  int32_t *order = lb_alloc(n + 1, sizeof *order), *parent = lb_alloc(n + 1, sizeof *parent);
  int32_t *rows = lb_alloc(n + 1, sizeof *rows);
  bool made = order && parent && rows && lb_graph_of_sparse(A, node, &graph) &&
              lb_graph_dissect(&graph, order) && lb_graph_eliminate(&graph, order, parent, rows) &&
              lb_supernodes_find(&graph, node, parent, rows, order, &supernodes);
  lb_graph_release(&graph);
  lb_free(parent);
  lb_free(rows);
  lbStatus status = made ? create_fronts(A->size, node, &supernodes, order, out, err)
                         : lb_fail_memory(err);
  lb_supernodes_release(&supernodes);
  lb_free(order);
  return status;
}
