// Growing and refining separators.
#include "linalg/own/separator.h"

#include <string.h>

// A part may have so much of the whole.
static const double MOST_SHARE = 0.58;

// ---- heap --------------------------------------------------------------------------------------

static void put_into_heap(lbSeparatorHeap *heap, int32_t at, lbSeparatorKey key) {
  heap->keys[at] = key;
  heap->place[key.vertex] = at;
}

static void rise_in_heap(lbSeparatorHeap *heap, int32_t at, lbSeparatorKey key) {
  while (at > 0 && heap->keys[(at - 1) / 2].rank < key.rank) {
    put_into_heap(heap, at, heap->keys[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  put_into_heap(heap, at, key);
}

static void sink(lbSeparatorHeap *heap, int32_t at, lbSeparatorKey key) {
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= heap->count) break;
    if (child + 1 < heap->count && heap->keys[child + 1].rank > heap->keys[child].rank) child++;
    if (heap->keys[child].rank <= key.rank) break;
    put_into_heap(heap, at, heap->keys[child]);
    at = child;
  }
  put_into_heap(heap, at, key);
}

static lbSeparatorKey make_key(lbSeparatorHeap *heap, int32_t vertex, int32_t gain) {
  return (lbSeparatorKey){ gain * ((int64_t)1 << 32) + heap->stamp++, vertex };
}

static int32_t best_gain(const lbSeparatorHeap *heap) {
  return (int32_t)((heap->keys[0].rank - (int64_t)(heap->keys[0].rank & UINT32_MAX)) /
                   ((int64_t)1 << 32));
}

static void heap_insert(lbSeparatorHeap *heap, int32_t vertex, int32_t gain) {
  rise_in_heap(heap, heap->count++, make_key(heap, vertex, gain));
}

static void heap_update(lbSeparatorHeap *heap, int32_t vertex, int32_t gain) {
  int32_t at = heap->place[vertex];
  if (at < 0) return;
  lbSeparatorKey key = make_key(heap, vertex, gain);
  if (key.rank > heap->keys[at].rank)
    rise_in_heap(heap, at, key);
  else
    sink(heap, at, key);
}

static void heap_remove(lbSeparatorHeap *heap, int32_t vertex) {
  int32_t at = heap->place[vertex];
  if (at < 0) return;
  heap->place[vertex] = -1;
  lbSeparatorKey last = heap->keys[--heap->count];
  if (at == heap->count) return;
  if (last.rank > heap->keys[at].rank)
    rise_in_heap(heap, at, last);
  else
    sink(heap, at, last);
}

static void heap_clear(lbSeparatorHeap *heap) {
  for (int32_t i = 0; i < heap->count; i++) heap->place[heap->keys[i].vertex] = -1;
  heap->count = 0;
  heap->stamp = 0;
}

// ---- life --------------------------------------------------------------------------------------

bool lb_separator_open(const lbGraph *graph, uint8_t *part, lbSeparator *separator) {
  size_t n = (size_t)graph->count;
  int64_t total = 0;
  for (size_t v = 0; v < n; v++) total += graph->weight[v];
  *separator = (lbSeparator){ .graph = graph, .part = part };
  separator->most = (int64_t)(MOST_SHARE * (double)total);
  separator->sides = lb_alloc(2 * n, sizeof *separator->sides);
  separator->moved = lb_alloc(n, sizeof *separator->moved);
  separator->moves = lb_alloc(n, sizeof *separator->moves);
  separator->pulled = lb_alloc(2 * n, sizeof *separator->pulled);
  bool made = separator->sides && separator->moved && separator->moves && separator->pulled;
  for (int p = 0; p < 2; p++) {
    lbSeparatorHeap *heap = &separator->heaps[p];
    heap->keys = lb_alloc(n, sizeof *heap->keys);
    heap->place = lb_alloc(n, sizeof *heap->place);
    made = made && heap->keys && heap->place;
    if (heap->place) memset(heap->place, -1, n * sizeof *heap->place);
  }
  if (!made) lb_separator_release(separator);
  return made;
}

void lb_separator_release(lbSeparator *separator) {
  lb_free(separator->sides);
  lb_free(separator->moved);
  lb_free(separator->moves);
  lb_free(separator->pulled);
  for (int p = 0; p < 2; p++) {
    lb_free(separator->heaps[p].keys);
    lb_free(separator->heaps[p].place);
  }
  *separator = (lbSeparator){ 0 };
}

// ---- moves -------------------------------------------------------------------------------------

// What the separator loses when a vertex of it moves to a part.
static int32_t gain_of(const lbSeparator *s, int32_t vertex, int part) {
  return s->graph->weight[vertex] - s->sides[2 * (size_t)vertex + (size_t)(1 - part)];
}

static void insert_into_heap(lbSeparator *s, int32_t vertex) {
  for (int p = 0; p < 2; p++) heap_insert(&s->heaps[p], vertex, gain_of(s, vertex, p));
}

static void sum_sides(lbSeparator *s, int32_t vertex) {
  const lbGraph *g = s->graph;
  int32_t *sides = s->sides + 2 * (size_t)vertex;
  sides[0] = sides[1] = 0;
  for (int64_t e = g->begin[vertex]; e < g->begin[vertex + 1]; e++) {
    int part = s->part[g->to[e]];
    if (part != LB_PART_BETWEEN) sides[part] += g->weight[g->to[e]];
  }
}

// A vertex of `part` comes between.
static void pull_into_separator(lbSeparator *s, int32_t vertex, int part) {
  const lbGraph *g = s->graph;
  int32_t weight = g->weight[vertex], *sides = s->sides + 2 * (size_t)vertex;
  s->part[vertex] = LB_PART_BETWEEN;
  s->weight[part] -= weight;
  s->weight[LB_PART_BETWEEN] += weight;
  sides[0] = sides[1] = 0;
  for (int64_t e = g->begin[vertex]; e < g->begin[vertex + 1]; e++) {
    int32_t u = g->to[e];
    if (s->part[u] != LB_PART_BETWEEN) {
      sides[s->part[u]] += g->weight[u];
    } else {
      s->sides[2 * (size_t)u + (size_t)part] -= weight;
      heap_update(&s->heaps[1 - part], u, gain_of(s, u, 1 - part));
    }
  }
  s->pulled[s->pulled_count++] = vertex;
  if (!s->moved[vertex]) insert_into_heap(s, vertex);
}

static void move_to_part(lbSeparator *s, int32_t vertex, int part) {
  const lbGraph *g = s->graph;
  int32_t weight = g->weight[vertex];
  s->moves[s->move_count++] = (lbSeparatorMove){ vertex, s->pulled_count, (uint8_t)part };
  s->part[vertex] = (uint8_t)part;
  s->weight[part] += weight;
  s->weight[LB_PART_BETWEEN] -= weight;
  s->moved[vertex] = true;
  heap_remove(&s->heaps[0], vertex);
  heap_remove(&s->heaps[1], vertex);
  for (int64_t e = g->begin[vertex]; e < g->begin[vertex + 1]; e++) {
    int32_t u = g->to[e];
    if (s->part[u] == LB_PART_BETWEEN) {
      s->sides[2 * (size_t)u + (size_t)part] += weight;
      heap_update(&s->heaps[1 - part], u, gain_of(s, u, 1 - part));
    } else if (s->part[u] == 1 - part) {
      pull_into_separator(s, u, 1 - part);
    }
  }
}

// Takes moves back until `keep` are left; sides are to be summed anew.
static void undo(lbSeparator *s, int32_t keep) {
  while (s->move_count > keep) {
    lbSeparatorMove last = s->moves[--s->move_count];
    while (s->pulled_count > last.pulled_begin) {
      int32_t u = s->pulled[--s->pulled_count];
      s->part[u] = (uint8_t)(1 - last.part);
      s->weight[LB_PART_BETWEEN] -= s->graph->weight[u];
      s->weight[1 - last.part] += s->graph->weight[u];
    }
    s->part[last.vertex] = LB_PART_BETWEEN;
    s->weight[last.part] -= s->graph->weight[last.vertex];
    s->weight[LB_PART_BETWEEN] += s->graph->weight[last.vertex];
  }
}

static void begin_pass(lbSeparator *s) {
  size_t n = (size_t)s->graph->count;
  for (int p = 0; p < 2; p++) heap_clear(&s->heaps[p]);
  s->move_count = s->pulled_count = 0;
  memset(s->moved, 0, n * sizeof *s->moved);
  memset(s->weight, 0, sizeof s->weight);
  for (int32_t v = 0; v < s->graph->count; v++) {
    s->weight[s->part[v]] += s->graph->weight[v];
    if (s->part[v] != LB_PART_BETWEEN) continue;
    sum_sides(s, v);
    insert_into_heap(s, v);
  }
}

// ---- growing -----------------------------------------------------------------------------------

void lb_separator_grow(lbSeparator *s, int32_t seed) {
  int32_t n = s->graph->count, next = 0;
  memset(s->part, 1, (size_t)n);
  begin_pass(s);
  while (s->weight[0] < s->weight[1]) {
    if (s->heaps[0].count) {
      move_to_part(s, s->heaps[0].keys[0].vertex, 0);
      continue;
    }
    while (seed < 0 && s->part[next] != 1) next++; // another piece of the graph
    pull_into_separator(s, seed < 0 ? next : seed, 1);
    seed = -1;
  }
}

// ---- passes ------------------------------------------------------------------------------------

double lb_separator_cost(const lbSeparator *s) {
  int64_t heavier = s->weight[0] > s->weight[1] ? s->weight[0] : s->weight[1];
  int64_t lighter = s->weight[0] + s->weight[1] - heavier;
  int64_t excess = heavier > s->most ? heavier - s->most : 0;
  double between = (double)s->weight[LB_PART_BETWEEN];
  return 1e3 * (double)excess + between +
         0.2 * between * (double)(heavier - lighter) / (double)(heavier + lighter + 1);
}

// The part to which the best move goes that keeps the balance; -1: none.
static int choose_part(const lbSeparator *s) {
  int best = -1;
  int32_t gain = 0;
  for (int p = 0; p < 2; p++) {
    const lbSeparatorHeap *heap = &s->heaps[p];
    if (!heap->count || s->weight[p] + s->graph->weight[heap->keys[0].vertex] > s->most) continue;
    int32_t own = best_gain(heap);
    if (best < 0 || own > gain || (own == gain && s->weight[p] < s->weight[best]))
      best = p, gain = own;
  }
  return best;
}

// True: the separator has become better.
static bool run_pass(lbSeparator *s) {
  begin_pass(s);
  double start = lb_separator_cost(s), least = start;
  int32_t kept = 0, patience = 2 * s->heaps[0].count + 10;
  if (patience > 200) patience = 200;
  while (s->move_count - kept < patience && s->move_count < s->graph->count) {
    int part = choose_part(s);
    if (part < 0) break;
    move_to_part(s, s->heaps[part].keys[0].vertex, part);
    double cost = lb_separator_cost(s);
    if (cost < least) least = cost, kept = s->move_count;
  }
  undo(s, kept);
  return least < start;
}

void lb_separator_refine(lbSeparator *s, int32_t most_passes) {
  for (int32_t pass = 0; pass < most_passes; pass++)
    if (!run_pass(s)) break;
}
