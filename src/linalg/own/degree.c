// Approximate minimum degree (Amestoy, Davis and Duff 1996) on a quotient graph.
//
// An eliminated vertex is an element: the list of variables that its elimination made neighbours of
// each other. A variable's list has the elements it belongs to first, then the variables that it
// touches and that are not implied by elements. Indistinguishable variables are merged. Vertices
// beyond `eliminated` count in degrees but stay.
#include "linalg/own/graph.h"

#include <string.h>

enum { NONE = -1 };

typedef enum State { VARIABLE, ELEMENT, GONE } State;

typedef struct Quotient {
  int32_t count, eliminated;
  int32_t *lists; // (capacity)
  int64_t capacity, used;
  int64_t *begin; // (count), in lists
  int32_t *length, *element_count;
  int32_t *weight; // vertices that a variable stands for; 0: none; negative: of the pivot's list
  int32_t *degree; // of a variable: approximate; of an element: weight of its list
  int32_t *owner;  // of a merged variable: its representative
  uint8_t *state;
  int32_t *head, *next, *previous; // lists of variables of a degree
  int32_t *bucket, *hash;          // (count): variables of a hash, linked by next; of a variable
  int32_t *outside;                // (count) of an element: mark + weight outside the pivot's list
  int32_t mark;
  int32_t least; // no variable has a lower degree
  int32_t left;  // weight of all variables
} Quotient;

// ---- life --------------------------------------------------------------------------------------

static void release_quotient_graph(Quotient *q) {
  void *blocks[] = { q->lists,    q->begin,  q->length, q->element_count, q->weight,
                     q->degree,   q->owner,  q->state,  q->head,          q->next,
                     q->previous, q->bucket, q->hash,   q->outside };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

static bool open_quotient_graph(const lbGraph *graph, int32_t eliminated, Quotient *q) {
  size_t n = (size_t)graph->count + 1;
  int64_t edges = graph->begin[graph->count];
  *q = (Quotient){ .count = graph->count, .eliminated = eliminated, .mark = 1 };
  q->capacity = edges + edges / 4 + graph->count + 1;
  q->lists = lb_alloc((size_t)q->capacity, sizeof *q->lists);
  q->begin = lb_alloc(n, sizeof *q->begin);
  q->state = lb_alloc(n, sizeof *q->state);
  int32_t **arrays[] = { &q->length, &q->element_count, &q->weight, &q->degree,
                         &q->owner,  &q->head,          &q->next,   &q->previous,
                         &q->bucket, &q->hash,          &q->outside };
  bool made = q->lists && q->begin && q->state;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = lb_alloc(n, sizeof **arrays[i]);
    made = made && *arrays[i];
  }
  if (!made) release_quotient_graph(q);
  return made;
}

// ---- lists of degrees --------------------------------------------------------------------------

static void list_insert(Quotient *q, int32_t v) {
  int32_t d = q->degree[v], first = q->head[d];
  q->next[v] = first;
  q->previous[v] = NONE;
  if (first != NONE) q->previous[first] = v;
  q->head[d] = v;
  if (d < q->least) q->least = d;
}

static void list_remove(Quotient *q, int32_t v) {
  if (v >= q->eliminated) return;
  if (q->previous[v] != NONE)
    q->next[q->previous[v]] = q->next[v];
  else
    q->head[q->degree[v]] = q->next[v];
  if (q->next[v] != NONE) q->previous[q->next[v]] = q->previous[v];
}

// Numbers below count, shuffled unless the seed is 0; their order breaks ties between degrees.
static void shuffle_numbers(int32_t count, uint64_t seed, int32_t *list) {
  uint64_t random = seed;
  for (int32_t v = 0; v < count; v++) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    int32_t other = seed ? (int32_t)((random >> 33) % (uint64_t)(v + 1)) : v;
    list[v] = list[other];
    list[other] = v;
  }
}

static void fill_quotient_graph(const lbGraph *graph, uint64_t seed, Quotient *q) {
  memcpy(q->lists, graph->to, (size_t)graph->begin[graph->count] * sizeof *q->lists);
  q->used = graph->begin[graph->count];
  for (int32_t v = 0; v < q->count; v++) {
    q->begin[v] = graph->begin[v];
    q->length[v] = (int32_t)(graph->begin[v + 1] - graph->begin[v]);
    q->weight[v] = graph->weight[v];
    q->left += graph->weight[v];
    q->owner[v] = q->head[v] = q->bucket[v] = NONE;
  }
  q->least = q->count;
  for (int32_t v = 0; v < q->count; v++) {
    for (int64_t e = graph->begin[v]; e < graph->begin[v + 1]; e++)
      q->degree[v] += graph->weight[graph->to[e]];
    if (q->degree[v] > q->count - 1) q->degree[v] = q->count - 1;
  }
  shuffle_numbers(q->eliminated, seed, q->hash);
  for (int32_t k = q->eliminated - 1; k >= 0; k--) list_insert(q, q->hash[k]);
}

// ---- one pivot ---------------------------------------------------------------------------------

// Closes the gaps between lists.
static void compact(Quotient *q) {
  for (int32_t v = 0; v < q->count; v++) { // the first entry of each list names it
    if (q->state[v] == GONE || !q->length[v]) continue;
    int64_t at = q->begin[v];
    q->begin[v] = q->lists[at];
    q->lists[at] = -v - 1;
  }
  int64_t to = 0;
  for (int64_t from = 0; from < q->used;) {
    if (q->lists[from] >= 0) {
      from++;
      continue;
    }
    int32_t v = -q->lists[from] - 1, first = (int32_t)q->begin[v];
    memmove(q->lists + to, q->lists + from, (size_t)q->length[v] * sizeof *q->lists);
    q->lists[to] = first;
    q->begin[v] = to;
    to += q->length[v];
    from += q->length[v];
  }
  q->used = to;
}

// Variables of a list that are not yet in the pivot's join it.
static void collect_variables(Quotient *q, const int32_t *list, int32_t length, int32_t *weight) {
  for (int32_t k = 0; k < length; k++) {
    int32_t v = list[k], own = q->weight[v];
    if (own <= 0) continue;
    *weight += own;
    q->weight[v] = -own;
    q->lists[q->used++] = v;
    list_remove(q, v);
  }
}

// The pivot becomes an element; elements that it belongs to are absorbed.
static void make_pivot_element(Quotient *q, int32_t pivot) {
  int64_t bound = q->length[pivot];
  const int32_t *own = q->lists + q->begin[pivot];
  for (int32_t k = 0; k < q->element_count[pivot]; k++) bound += q->length[own[k]];
  if (bound > q->count) bound = q->count;
  if (q->used + bound > q->capacity) compact(q);
  own = q->lists + q->begin[pivot];
  int32_t elements = q->element_count[pivot], weight = 0;
  int64_t begin = q->used;
  q->left -= q->weight[pivot];
  q->weight[pivot] = -q->weight[pivot]; // so that it does not collect itself
  for (int32_t k = 0; k < elements; k++) {
    int32_t e = own[k];
    collect_variables(q, q->lists + q->begin[e], q->length[e], &weight);
    q->state[e] = GONE;
  }
  collect_variables(q, own + elements, q->length[pivot] - elements, &weight);
  q->weight[pivot] = 0;
  q->state[pivot] = ELEMENT;
  q->begin[pivot] = begin;
  q->length[pivot] = (int32_t)(q->used - begin);
  q->degree[pivot] = weight;
}

// outside[e] - mark: the weight of e's variables that are not the pivot's.
static void measure_elements(Quotient *q, int32_t pivot) {
  const int32_t *list = q->lists + q->begin[pivot];
  for (int32_t k = 0; k < q->length[pivot]; k++) {
    int32_t v = list[k], weight = -q->weight[v];
    const int32_t *own = q->lists + q->begin[v];
    for (int32_t i = 0; i < q->element_count[v]; i++) {
      int32_t e = own[i];
      if (q->state[e] != ELEMENT) continue;
      q->outside[e] = (q->outside[e] >= q->mark ? q->outside[e] : q->mark + q->degree[e]) - weight;
    }
  }
}

// Drops from a variable's list what the pivot's element says already; its degree without the
// pivot's list, and a hash of what is left.
static void shorten_list(Quotient *q, int32_t v, int32_t pivot) {
  int32_t *list = q->lists + q->begin[v], kept = 0, elements = q->element_count[v];
  int64_t degree = 0;
  uint32_t hash = 0;
  for (int32_t k = 0; k < elements; k++) {
    int32_t e = list[k];
    if (q->state[e] != ELEMENT) continue;
    int32_t outside = q->outside[e] - q->mark;
    if (outside <= 0) { // all of it is the pivot's
      q->state[e] = GONE;
      continue;
    }
    degree += outside;
    hash += (uint32_t)e;
    list[kept++] = e;
  }
  int32_t element_end = kept;
  for (int32_t k = elements; k < q->length[v]; k++) {
    int32_t u = list[k];
    if (q->weight[u] <= 0) continue;
    degree += q->weight[u];
    hash += (uint32_t)u;
    list[kept++] = u;
  }
  // The pivot comes first; there is room, as it or an element of it stood in the list.
  list[kept] = list[element_end];
  list[element_end] = list[0];
  list[0] = pivot;
  q->element_count[v] = element_end + 1;
  q->length[v] = kept + 1;
  if (degree < q->degree[v]) q->degree[v] = (int32_t)degree;
  q->hash[v] = (int32_t)((hash + (uint32_t)pivot) % (uint32_t)q->count);
}

// Eliminated with the pivot: a variable that touches nothing but its element.
static bool joins_pivot(const Quotient *q, int32_t v) {
  return v < q->eliminated && q->length[v] == 1;
}

static void absorb(Quotient *q, int32_t v, int32_t owner) {
  q->state[v] = GONE;
  q->weight[v] = 0;
  q->owner[v] = owner;
}

static void shorten_all(Quotient *q, int32_t pivot) {
  for (int32_t k = 0; k < q->length[pivot]; k++) {
    int32_t v = q->lists[q->begin[pivot] + k];
    shorten_list(q, v, pivot);
    if (joins_pivot(q, v)) {
      q->degree[pivot] += q->weight[v];
      q->left += q->weight[v];
      absorb(q, v, pivot);
      continue;
    }
    q->next[v] = q->bucket[q->hash[v]];
    q->bucket[q->hash[v]] = v;
  }
}

// Whether the marked list of a variable is another's, too.
static bool same_lists(const Quotient *q, int32_t v, int32_t u) {
  if (q->length[u] != q->length[v] || q->element_count[u] != q->element_count[v]) return false;
  if ((u < q->eliminated) != (v < q->eliminated)) return false;
  const int32_t *list = q->lists + q->begin[u];
  for (int32_t k = 1; k < q->length[u]; k++)
    if (q->outside[list[k]] != q->mark) return false;
  return true;
}

// Variables of one bucket that have the same lists become one.
static void merge_bucket(Quotient *q, int32_t hash) {
  int32_t v = q->bucket[hash];
  q->bucket[hash] = NONE;
  for (; v != NONE && q->next[v] != NONE; v = q->next[v]) {
    const int32_t *list = q->lists + q->begin[v];
    q->mark++;
    for (int32_t k = 1; k < q->length[v]; k++) q->outside[list[k]] = q->mark;
    for (int32_t before = v, u = q->next[v]; u != NONE; u = q->next[u]) {
      if (!same_lists(q, v, u)) {
        before = u;
        continue;
      }
      q->weight[v] += q->weight[u]; // both negative
      absorb(q, u, v);
      q->next[before] = q->next[u];
    }
  }
}

// The variables of the pivot go back to the lists of degrees.
static void restore_list(Quotient *q, int32_t pivot) {
  int32_t *list = q->lists + q->begin[pivot], kept = 0;
  for (int32_t k = 0; k < q->length[pivot]; k++) {
    int32_t v = list[k], weight = -q->weight[v];
    if (weight <= 0) continue;
    q->weight[v] = weight;
    int64_t degree = (int64_t)q->degree[v] + q->degree[pivot] - weight;
    if (degree > q->left - weight) degree = q->left - weight;
    if (degree > q->count - 1) degree = q->count - 1;
    q->degree[v] = (int32_t)degree;
    if (v < q->eliminated) list_insert(q, v);
    list[kept++] = v;
  }
  q->length[pivot] = kept;
  if (!kept) q->state[pivot] = GONE;
}

// Marks must not run out: they go up by the largest degree a pivot may have.
static void advance_mark(Quotient *q) {
  int32_t step = q->left + 2;
  if (q->mark < INT32_MAX - 2 * step) {
    q->mark += step;
    return;
  }
  memset(q->outside, 0, (size_t)q->count * sizeof *q->outside);
  q->mark = 1;
}

static void eliminate_pivot(Quotient *q, int32_t pivot) {
  list_remove(q, pivot);
  make_pivot_element(q, pivot);
  measure_elements(q, pivot);
  shorten_all(q, pivot);
  advance_mark(q);
  for (int32_t k = 0; k < q->length[pivot]; k++) {
    int32_t v = q->lists[q->begin[pivot] + k];
    if (q->weight[v]) merge_bucket(q, q->hash[v]);
  }
  restore_list(q, pivot);
  advance_mark(q);
}

static int32_t choose_least_degree(Quotient *q) {
  while (q->least < q->count && q->head[q->least] == NONE) q->least++;
  return q->least < q->count ? q->head[q->least] : NONE;
}

// ---- order -------------------------------------------------------------------------------------

// Every vertex comes with the pivot that stands for it; rank (count) of pivots.
static void write_order(Quotient *q, int32_t pivot_count, const int32_t *rank, int32_t *order) {
  int32_t *at = q->head; // (pivot_count + 1)
  memset(at, 0, ((size_t)pivot_count + 1) * sizeof *at);
  for (int32_t v = 0; v < q->eliminated; v++) {
    int32_t pivot = v;
    while (q->owner[pivot] != NONE) pivot = q->owner[pivot];
    for (int32_t u = v; u != pivot;) { // shortens the path for later searches
      int32_t up = q->owner[u];
      q->owner[u] = pivot;
      u = up;
    }
    at[rank[pivot] + 1]++;
  }
  for (int32_t p = 0; p < pivot_count; p++) at[p + 1] += at[p];
  for (int32_t v = 0; v < q->eliminated; v++)
    order[at[rank[q->owner[v] == NONE ? v : q->owner[v]]]++] = v;
}

bool lb_graph_order_by_degree(const lbGraph *graph, int32_t count, uint64_t seed, int32_t *order) {
  Quotient q;
  if (!open_quotient_graph(graph, count, &q)) return false;
  fill_quotient_graph(graph, seed, &q);
  int32_t pivot_count = 0, *rank = q.hash; // a pivot's hash is not asked for
  for (int32_t pivot; (pivot = choose_least_degree(&q)) != NONE;) {
    eliminate_pivot(&q, pivot);
    rank[pivot] = pivot_count++;
  }
  write_order(&q, pivot_count, rank, order);
  release_quotient_graph(&q);
  return true;
}
