// Cutting a body by the graph of its free nodes: every rank lists the neighbours that its elements
// make, the ranks of the slabs join the lists, and PT-Scotch cuts the graph where it lies.
#include "petsc/spread.h"

#include <petscmat.h>
#include <stdlib.h>
#include <string.h>

typedef struct Pair {
  int32_t node, neighbour;
} Pair;

// Neighbours by row: entries [begin[i], begin[i + 1]), sorted, each once.
typedef struct Rows {
  int32_t count;
  size_t *begin;
  int32_t *neighbours;
} Rows;

static void release_cut_rows(Rows *rows) {
  lb_free(rows->begin);
  lb_free(rows->neighbours);
}

static int order_cut_by_value(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static void open_rows(Rows *rows, int32_t count) {
  rows->count = count;
  rows->begin = lb_ranks_alloc((size_t)count + 2, sizeof(size_t));
}

// Once begin[i + 1] has the count of row i.
static void place_cut_rows(Rows *rows) {
  for (int32_t i = 0; i < rows->count; i++) rows->begin[i + 1] += rows->begin[i];
  rows->neighbours = lb_ranks_alloc(rows->begin[rows->count] + 1, sizeof(int32_t));
}

// After each begin was moved to its row's end.
static void settle_rows(Rows *rows) {
  size_t end = 0, begin = 0;
  for (int32_t i = 0; i < rows->count; i++) {
    size_t stop = rows->begin[i], kept = end;
    qsort(rows->neighbours + begin, stop - begin, sizeof(int32_t), order_cut_by_value);
    for (size_t k = begin; k < stop; k++)
      if (end == kept || rows->neighbours[end - 1] != rows->neighbours[k])
        rows->neighbours[end++] = rows->neighbours[k];
    begin = stop;
    rows->begin[i] = kept;
  }
  rows->begin[rows->count] = end;
}

// Rows of the corners of this rank's elements, neighbours by node.
static void list_own(const lbSpread *s, Rows *rows) {
  open_rows(rows, s->corners.count);
  for (int list = 0; list < 2; list++) {
    for (size_t e = 0; e < (size_t)s->slab->element_count; e++) {
      const int32_t *places = s->places + LB_ELEMENT_NODES_MAX * e;
      int32_t corners = s->slab->elements[e].corners;
      for (int32_t a = 0; a < corners; a++)
        for (int32_t b = 0; b < corners; b++) {
          int32_t other = s->corner_nodes[places[b]];
          if (a == b || other < 0 || s->corner_nodes[places[a]] < 0) continue;
          if (list)
            rows->neighbours[rows->begin[places[a]]++] = other;
          else
            rows->begin[places[a] + 1]++;
        }
    }
    if (!list) place_cut_rows(rows);
  }
  settle_rows(rows);
}

// To the ranks whose slabs have the rows' nodes.
static Pair *send_pairs(const lbSpread *s, const Rows *own, int32_t *received) {
  size_t total = own->begin[own->count], k = 0;
  Pair *pairs = lb_ranks_alloc(total + 1, sizeof *pairs);
  int32_t *ranks = lb_ranks_alloc(total + 1, sizeof *ranks);
  for (int32_t i = 0; i < own->count; i++)
    for (size_t j = own->begin[i]; j < own->begin[i + 1]; j++, k++) {
      pairs[k] = (Pair){ s->corner_nodes[i], own->neighbours[j] };
      ranks[k] = lb_slab_rank(s->slab->vertex_total, s->corners.ids[i]);
    }
  lbExchange exchange;
  lb_exchange_open(&exchange, (int32_t)total, ranks);
  *received = exchange.received;
  Pair *arrived = lb_ranks_alloc((size_t)*received + 1, sizeof *arrived);
  lb_exchange_send(&exchange, sizeof *pairs, pairs, arrived);
  lb_exchange_release(&exchange);
  lb_free(pairs);
  lb_free(ranks);
  return arrived;
}

static void join_rows(const lbSpread *s, int32_t count, const Pair *pairs, Rows *rows) {
  open_rows(rows, s->slab_nodes);
  for (int32_t i = 0; i < count; i++) rows->begin[pairs[i].node - s->node_begin + 1]++;
  place_cut_rows(rows);
  for (int32_t i = 0; i < count; i++)
    rows->neighbours[rows->begin[pairs[i].node - s->node_begin]++] = pairs[i].neighbour;
  settle_rows(rows);
}

// MatCreateMPIAdj frees the arrays that it gets.
static void make_graph(const lbSpread *s, const Rows *rows, Mat *graph) {
  PetscInt *begin, *neighbours;
  LB_PETSC(PetscMalloc1(rows->count + 1, &begin));
  LB_PETSC(PetscMalloc1(rows->begin[rows->count] + 1, &neighbours));
  for (int32_t i = 0; i <= rows->count; i++) begin[i] = (PetscInt)rows->begin[i];
  for (size_t i = 0; i < rows->begin[rows->count]; i++) neighbours[i] = rows->neighbours[i];
  LB_PETSC(MatCreateMPIAdj(PETSC_COMM_WORLD, rows->count, s->node_count, begin, neighbours, NULL,
                           graph));
}

static void cut(lbSpread *s, Mat graph) {
  MatPartitioning partitioning;
  IS owners;
  const PetscInt *values;
  LB_PETSC(MatPartitioningCreate(PETSC_COMM_WORLD, &partitioning));
  LB_PETSC(MatPartitioningSetAdjacency(partitioning, graph));
  LB_PETSC(MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH));
  LB_PETSC(MatPartitioningSetFromOptions(partitioning));
  LB_PETSC(MatPartitioningApply(partitioning, &owners));
  LB_PETSC(ISGetIndices(owners, &values));
  for (int32_t i = 0; i < s->slab_nodes; i++) s->owners[i] = values[i];
  LB_PETSC(ISRestoreIndices(owners, &values));
  LB_PETSC(ISDestroy(&owners));
  LB_PETSC(MatPartitioningDestroy(&partitioning));
}

void lb_spread_cut(lbSpread *s) {
  if (lb_ranks_count() == 1) return; // all zero
  Rows own = { 0 }, rows = { 0 };
  Mat graph;
  int32_t count = 0;
  list_own(s, &own);
  Pair *pairs = send_pairs(s, &own, &count);
  release_cut_rows(&own);
  join_rows(s, count, pairs, &rows);
  lb_free(pairs);
  make_graph(s, &rows, &graph);
  release_cut_rows(&rows);
  cut(s, graph);
  LB_PETSC(MatDestroy(&graph));
}
