// Numbering and sending what slabs hold.
#include "petsc/spread.h"

#include <stdlib.h>
#include <string.h>

void lb_spread_release(lbSpread *spread) {
  lb_lookup_release(&spread->corners);
  lb_free(spread->nodes);
  lb_free(spread->places);
  lb_free(spread->corner_nodes);
  lb_free(spread->owners);
  lb_free(spread->numbers);
  *spread = (lbSpread){ 0 };
}

// ---- nodes -------------------------------------------------------------------------------------

static void look_up_corners(lbSpread *s) {
  const lbSlab *slab = s->slab;
  size_t count = 0, elements = (size_t)slab->element_count;
  int32_t *ids = lb_ranks_alloc(LB_ELEMENT_NODES_MAX * elements + 1, sizeof *ids);
  for (size_t e = 0; e < elements; e++)
    for (int32_t a = 0; a < slab->elements[e].corners; a++)
      ids[count++] = slab->elements[e].vertices[a];
  lb_lookup_open(&s->corners, slab->vertex_total, count, ids);
  lb_free(ids);
  s->places = lb_ranks_alloc(LB_ELEMENT_NODES_MAX * elements + 1, sizeof *s->places);
  for (size_t e = 0; e < elements; e++)
    for (int32_t a = 0; a < slab->elements[e].corners; a++)
      s->places[LB_ELEMENT_NODES_MAX * e + (size_t)a] =
          lb_lookup_place(&s->corners, slab->elements[e].vertices[a]);
}

// Free nodes are used by an element and not fixed; they are numbered in the order of vertices.
static void number_free(lbSpread *s) {
  size_t count = (size_t)s->slab->vertex_count;
  s->nodes = lb_ranks_alloc(count + 1, sizeof *s->nodes);
  for (int32_t i = 0; i < s->corners.asked_count; i++) s->nodes[s->corners.asked[i]] = 1;
  for (size_t v = 0; v < count; v++) s->slab_nodes += s->nodes[v] && !s->slab->fixed[v];
  MPI_Exscan(&s->slab_nodes, &s->node_begin, 1, MPI_INT32_T, MPI_SUM, PETSC_COMM_WORLD);
  if (lb_ranks_rank() == 0) s->node_begin = 0;
  MPI_Allreduce(&s->slab_nodes, &s->node_count, 1, MPI_INT32_T, MPI_SUM, PETSC_COMM_WORLD);
  int32_t next = s->node_begin;
  for (size_t v = 0; v < count; v++) s->nodes[v] = s->nodes[v] && !s->slab->fixed[v] ? next++ : -1;
}

lbStatus lb_spread_open(lbSpread *s, lbSlab *slab, lbError *err) {
  *s = (lbSpread){ .slab = slab };
  look_up_corners(s);
  number_free(s);
  s->corner_nodes = lb_ranks_alloc((size_t)s->corners.count + 1, sizeof(int32_t));
  lb_lookup_fetch(&s->corners, sizeof(int32_t), s->nodes, s->corner_nodes);
  s->owners = lb_ranks_alloc((size_t)s->slab_nodes + 1, sizeof(int32_t));
  if (s->node_count >= lb_ranks_count()) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "%d nodes are free, use no more ranks than that",
                 (int)s->node_count);
}

// ---- rows --------------------------------------------------------------------------------------

// Where items go, in a stable order by rank: order[i] is the item at place i.
static void sort_by_rank(int32_t count, const int32_t *ranks, int32_t *order, int32_t *sorted) {
  int size = lb_ranks_count();
  int32_t *next = lb_ranks_alloc((size_t)size + 1, sizeof *next);
  for (int32_t i = 0; i < count; i++) next[ranks[i] + 1]++;
  for (int r = 0; r < size; r++) next[r + 1] += next[r];
  for (int32_t i = 0; i < count; i++) {
    int32_t place = next[ranks[i]]++;
    order[place] = i;
    sorted[place] = ranks[i];
  }
  lb_free(next);
}

typedef struct NodeItem {
  int32_t node;
  double position[3];
} NodeItem;

void lb_spread_number(lbSpread *s, int32_t *count, int32_t **own, double **positions) {
  size_t nodes = (size_t)s->slab_nodes;
  int32_t *order = lb_ranks_alloc(nodes + 1, sizeof *order), begin = 0;
  int32_t *ranks = lb_ranks_alloc(nodes + 1, sizeof *ranks);
  int32_t *vertices = lb_ranks_alloc(nodes + 1, sizeof *vertices);
  for (int32_t v = 0; v < s->slab->vertex_count; v++)
    if (s->nodes[v] >= 0) vertices[s->nodes[v] - s->node_begin] = v;
  sort_by_rank(s->slab_nodes, s->owners, order, ranks);
  NodeItem *items = lb_ranks_alloc(nodes + 1, sizeof *items);
  for (size_t i = 0; i < nodes; i++) {
    items[i].node = s->node_begin + order[i];
    memcpy(items[i].position, s->slab->positions + 3 * (size_t)vertices[order[i]],
           sizeof items[i].position);
  }
  lbExchange exchange;
  lb_exchange_open(&exchange, s->slab_nodes, ranks);
  *count = exchange.received;
  NodeItem *mine = lb_ranks_alloc((size_t)*count + 1, sizeof *mine);
  lb_exchange_send(&exchange, sizeof *items, items, mine);
  MPI_Exscan(count, &begin, 1, MPI_INT32_T, MPI_SUM, PETSC_COMM_WORLD);
  if (lb_ranks_rank() == 0) begin = 0;
  *own = lb_ranks_alloc((size_t)*count + 1, sizeof **own);
  *positions = lb_ranks_alloc((size_t)*count + 1, 3 * sizeof(double));
  int32_t *given = lb_ranks_alloc((size_t)*count + 1, sizeof *given);
  int32_t *back = lb_ranks_alloc(nodes + 1, sizeof *back);
  for (int32_t i = 0; i < *count; i++) {
    (*own)[i] = mine[i].node;
    memcpy(*positions + 3 * (size_t)i, mine[i].position, sizeof mine[i].position);
    given[i] = begin + i;
  }
  lb_exchange_answer(&exchange, sizeof *given, given, back);
  s->numbers = lb_ranks_alloc(nodes + 1, sizeof *s->numbers);
  for (size_t i = 0; i < nodes; i++) s->numbers[order[i]] = back[i];
  void *blocks[] = { order, ranks, vertices, items, mine, given, back };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_exchange_release(&exchange);
}

// ---- elements ----------------------------------------------------------------------------------

// The rank that has most of an element's nodes, of several the first; -1: it is fixed all over.
static int32_t rank_of(const lbSpread *s, const int32_t *corner_owners, int32_t element) {
  int32_t corners = s->slab->elements[element].corners, best = -1, most = 0;
  const int32_t *places = s->places + LB_ELEMENT_NODES_MAX * (size_t)element;
  for (int32_t a = 0; a < corners; a++) {
    int32_t count = 0, owner = corner_owners[places[a]];
    for (int32_t b = 0; b < corners; b++) count += corner_owners[places[b]] == owner;
    if (owner < 0 || count < most || (count == most && owner > best)) continue;
    best = owner;
    most = count;
  }
  return best;
}

// Owners of the corners of the slab's elements; -1: fixed.
static int32_t *fetch_owners(const lbSpread *s) {
  size_t count = (size_t)s->slab->vertex_count;
  int32_t *of_slab = lb_ranks_alloc(count + 1, sizeof *of_slab);
  int32_t *owners = lb_ranks_alloc((size_t)s->corners.count + 1, sizeof *owners);
  for (size_t v = 0; v < count; v++)
    of_slab[v] = s->nodes[v] < 0 ? -1 : s->owners[s->nodes[v] - s->node_begin];
  lb_lookup_fetch(&s->corners, sizeof *owners, of_slab, owners);
  lb_free(of_slab);
  return owners;
}

static int order_sets_by_number(const void *a, const void *b) {
  int32_t x = ((const lbSlabElement *)a)->number, y = ((const lbSlabElement *)b)->number;
  return (x > y) - (x < y);
}

void lb_spread_send(lbSpread *s, int32_t *count, lbSlabElement **elements) {
  int32_t here = s->slab->element_count, first = lb_ranks_count(), any = 0;
  int32_t *owners = fetch_owners(s);
  int32_t *ranks = lb_ranks_alloc((size_t)here + 1, sizeof *ranks);
  int32_t *order = lb_ranks_alloc((size_t)here + 1, sizeof *order);
  int32_t *sorted = lb_ranks_alloc((size_t)here + 1, sizeof *sorted);
  for (int32_t e = 0; e < here; e++) {
    ranks[e] = rank_of(s, owners, e);
    if (ranks[e] >= 0 && ranks[e] < first) first = ranks[e];
  }
  // one that has elements with free nodes takes those without any
  MPI_Allreduce(&first, &any, 1, MPI_INT32_T, MPI_MIN, PETSC_COMM_WORLD);
  for (int32_t e = 0; e < here; e++)
    if (ranks[e] < 0) ranks[e] = any;
  sort_by_rank(here, ranks, order, sorted);
  lbSlabElement *items = lb_ranks_alloc((size_t)here + 1, sizeof *items);
  for (int32_t i = 0; i < here; i++) items[i] = s->slab->elements[order[i]];
  lbExchange exchange;
  lb_exchange_open(&exchange, here, sorted);
  *count = exchange.received;
  *elements = lb_ranks_alloc((size_t)*count + 1, sizeof **elements);
  lb_exchange_send(&exchange, sizeof *items, items, *elements);
  qsort(*elements, (size_t)*count, sizeof **elements, order_sets_by_number);
  void *blocks[] = { owners, ranks, order, sorted, items };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_exchange_release(&exchange);
}
