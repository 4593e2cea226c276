// Graphs of matrices.
#include "linalg/own/graph.h"

bool lb_graph_open(int32_t count, int64_t edge_count, lbGraph *graph) {
  *graph = (lbGraph){ .count = count };
  graph->begin = lb_alloc((size_t)count + 1, sizeof *graph->begin);
  graph->to = lb_alloc((size_t)edge_count + 1, sizeof *graph->to);
  graph->weight = lb_alloc((size_t)count + 1, sizeof *graph->weight);
  graph->edge_weight = lb_alloc((size_t)edge_count + 1, sizeof *graph->edge_weight);
  if (graph->begin && graph->to && graph->weight && graph->edge_weight) return true;
  lb_graph_release(graph);
  return false;
}

void lb_graph_release(lbGraph *graph) {
  lb_free(graph->begin);
  lb_free(graph->to);
  lb_free(graph->weight);
  lb_free(graph->edge_weight);
  *graph = (lbGraph){ 0 };
}

bool lb_graph_of_sparse(const lbSparse *A, int32_t node, lbGraph *graph) {
  int32_t count = A->size / node;
  int64_t *at = lb_alloc((size_t)count + 1, sizeof *at);
  if (!at) return false;
  for (int32_t v = 0; v < count; v++)
    for (int32_t k = A->column_begin[node * v]; k < A->column_begin[node * v + 1]; k += node) {
      int32_t u = A->rows[k] / node;
      if (u != v) at[u]++, at[v]++;
    }
  int64_t edge_count = 0;
  for (int32_t v = 0; v < count; v++) edge_count += at[v];
  if (!lb_graph_open(count, edge_count, graph)) {
    lb_free(at);
    return false;
  }
  for (int32_t v = 0; v < count; v++) {
    graph->begin[v + 1] = graph->begin[v] + at[v];
    graph->weight[v] = 1;
    at[v] = graph->begin[v];
  }
  for (int64_t e = 0; e < edge_count; e++) graph->edge_weight[e] = 1;
  for (int32_t v = 0; v < count; v++) // neighbours come out ascending
    for (int32_t k = A->column_begin[node * v]; k < A->column_begin[node * v + 1]; k += node) {
      int32_t u = A->rows[k] / node;
      if (u == v) continue;
      graph->to[at[u]++] = v;
      graph->to[at[v]++] = u;
    }
  lb_free(at);
  return true;
}
