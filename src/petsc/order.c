// Nested dissection of the graph of all nodes (linalg/own/dissect.c), by rank 0: some 70 bytes a
// node are little beside the factor that they are for.
#include "petsc/order.h"

#include "linalg/own/graph.h"

// Neighbours of this rank's nodes, row by row: K consists of full 3x3 blocks.
static int32_t *list_order_neighbours(const lbParts *parts, int32_t *counts, int32_t *total) {
  int32_t *list = NULL;
  for (int fill = 0; fill < 2; fill++) {
    *total = 0;
    for (int32_t n = 0; n < parts->own_count; n++) {
      const PetscInt *columns;
      PetscInt row = 3 * (parts->own_begin + n), count;
      int32_t before = *total;
      LB_PETSC(MatGetRow(parts->K, row, &count, &columns, NULL));
      for (PetscInt k = 0; k < count; k++) {
        if (columns[k] % 3 != 0 || columns[k] == row) continue;
        if (fill) list[*total] = columns[k] / 3;
        ++*total;
      }
      LB_PETSC(MatRestoreRow(parts->K, row, &count, &columns, NULL));
      counts[n] = *total - before;
    }
    if (!fill) list = lb_ranks_alloc((size_t)*total + 1, sizeof *list);
  }
  return list;
}

// What the ranks have, one after another, on rank 0.
static void gather_rank_lists(MPI_Datatype type, int count, const void *own, void *all) {
  int ranks = lb_ranks_count();
  int *counts = lb_ranks_alloc((size_t)ranks, sizeof *counts);
  int *begin = lb_ranks_alloc((size_t)ranks, sizeof *begin);
  MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  for (int r = 1; r < ranks; r++) begin[r] = begin[r - 1] + counts[r - 1];
  MPI_Gatherv(own, count, type, all, counts, begin, type, 0, PETSC_COMM_WORLD);
  lb_free(counts);
  lb_free(begin);
}

static void finish_graph(lbGraph *graph, const int32_t *degrees, int64_t edges) {
  for (int32_t n = 0; n < graph->count; n++) {
    graph->begin[n + 1] = graph->begin[n] + degrees[n];
    graph->weight[n] = 1;
  }
  for (int64_t e = 0; e < edges; e++) graph->edge_weight[e] = 1;
}

int32_t *lb_order_nodes(const lbParts *parts) {
  bool first = lb_ranks_rank() == 0;
  size_t nodes = (size_t)parts->node_count;
  int32_t own_edges = 0, *place = NULL;
  int64_t edges = 0, mine;
  int32_t *own_degrees = lb_ranks_alloc((size_t)parts->own_count + 1, sizeof *own_degrees);
  int32_t *own = list_order_neighbours(parts, own_degrees, &own_edges);
  int32_t *degrees = first ? lb_ranks_alloc(nodes, sizeof *degrees) : NULL;
  double *places = first ? lb_ranks_alloc(3 * nodes, sizeof *places) : NULL;
  lbGraph graph = { 0 };
  mine = own_edges;
  MPI_Allreduce(&mine, &edges, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  if (first && !lb_graph_open(parts->node_count, edges, &graph))
    lb_petsc_check(PETSC_ERR_MEM, "the graph of the nodes");
  gather_rank_lists(MPI_INT32_T, parts->own_count, own_degrees, degrees);
  gather_rank_lists(MPI_INT32_T, own_edges, own, graph.to);
  gather_rank_lists(MPI_DOUBLE, 3 * parts->own_count, parts->places, places);
  if (first) {
    int32_t *order = lb_ranks_alloc(nodes, sizeof *order);
    finish_graph(&graph, degrees, edges);
    if (!lb_graph_dissect(&graph, places, order))
      lb_petsc_check(PETSC_ERR_MEM, "the order of the nodes");
    place = lb_ranks_alloc(nodes, sizeof *place);
    for (size_t i = 0; i < nodes; i++) place[order[i]] = (int32_t)i;
    lb_free(order);
  }
  lb_graph_release(&graph);
  lb_free(degrees);
  lb_free(places);
  lb_free(own);
  lb_free(own_degrees);
  return place;
}
