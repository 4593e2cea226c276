// The structure of L by limber's own ordering of the graph of A, or of its 3x3 blocks where it
// consists of them, and the supernodes that follow (supernodes.c).
//
// Minimum degree (degree.c) costs little and is the better order for slender and for small bodies;
// where it leaves much work, nested dissection (dissect.c) is tried as well and the better one
// taken.
#include "linalg/fronts.h"

#include "linalg/own/graph.h"
#include "linalg/own/supernodes.h"

enum { NODE = 3 }; // unknowns of a vertex

// ---- from nodes to unknowns --------------------------------------------------------------------

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

// ---- the order ---------------------------------------------------------------------------------

// Multiplications of a factorisation, for each node, that take about as long as a dissection.
static const double CHEAP = 1e5;
// Nodes of a graph that minimum degree is tried on several times.
enum { FEW = 20000 };

typedef struct Order {
  int32_t *order, *parent, *rows; // (count of graph), see lb_graph_eliminate
  double flops;
} Order;

static void release_order(Order *order) {
  lb_free(order->order);
  lb_free(order->parent);
  lb_free(order->rows);
}

static bool open_order(size_t count, Order *order) {
  *order = (Order){ .order = lb_alloc(count + 1, sizeof(int32_t)),
                    .parent = lb_alloc(count + 1, sizeof(int32_t)),
                    .rows = lb_alloc(count + 1, sizeof(int32_t)) };
  return order->order && order->parent && order->rows;
}

static bool measure_order(const lbGraph *graph, Order *order) {
  bool made = lb_graph_eliminate(graph, order->order, order->parent, order->rows);
  for (int32_t j = 0; made && j < graph->count; j++)
    order->flops += (double)order->rows[j] * order->rows[j];
  return made;
}

// Keeps the better one of two orders.
static void keep_better(Order *order, Order *other) {
  if (other->flops < order->flops) {
    Order worse = *order;
    *order = *other;
    *other = worse;
  }
  release_order(other);
}

// Minimum degree orders are tried with this many random seeds, which break ties.
enum { TRIALS = 4 };

typedef struct Trials {
  const lbGraph *graph;
  Order orders[TRIALS];
  bool made[TRIALS];
} Trials;

static void try_degrees(int32_t begin, int32_t end, void *context) {
  Trials *t = context;
  for (int32_t i = begin; i < end; i++) {
    Order *order = &t->orders[i];
    t->made[i] = open_order((size_t)t->graph->count, order) &&
                 lb_graph_order_by_degree(t->graph, t->graph->count, (uint64_t)i, order->order) &&
                 measure_order(t->graph, order);
  }
}

// One trial measures the work. Further trials pay off only where it is large.
static bool choose_best_order(const lbGraph *graph, int32_t node, const double *positions,
                              Order *order) {
  Trials trials = { .graph = graph };
  bool more = graph->count <= FEW;
  lb_parallel_for(more ? TRIALS : 1, 1, try_degrees, &trials);
  bool made = trials.made[0];
  *order = trials.orders[0];
  for (int32_t i = 1; more && i < TRIALS; i++) {
    made = made && trials.made[i];
    keep_better(order, &trials.orders[i]);
  }
  if (!made || order->flops * node * node * node <= CHEAP * graph->count) return made;
  Order other;
  made = open_order((size_t)graph->count, &other) &&
         lb_graph_dissect(graph, positions, other.order) && measure_order(graph, &other);
  if (!made) other.flops = order->flops;
  keep_better(order, &other);
  return made;
}

lbStatus lb_fronts_analyse_own(const lbSparse *A, lbFronts **out, lbError *err) {
  int32_t node = lb_sparse_has_blocks(A, NODE) ? NODE : 1;
  lbGraph graph = { 0 };
  lbSupernodes supernodes = { 0 };
  Order order = { 0 };
  bool made = lb_graph_of_sparse(A, node, &graph) &&
              choose_best_order(&graph, node, node == NODE ? A->positions : NULL, &order) &&
              lb_supernodes_find(&graph, node, order.parent, order.rows, order.order, &supernodes);
  lb_graph_release(&graph);
  lbStatus status =
      made ? create_fronts(A->size, node, &supernodes, order.order, out, err) : lb_fail_memory(err);
  lb_supernodes_release(&supernodes);
  release_order(&order);
  return status;
}
