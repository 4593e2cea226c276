// Nested dissection: what separates two parts is eliminated after both, and so on in each part,
// until parts are so small that minimum degree orders them better.
//
// The parts of one depth are independent, so threads share them.
#include "linalg/own/graph.h"

#include <math.h>
#include <string.h>

enum { LEAF = 200 }; // vertices of a part that is not cut further

// What begins at a place of the order.
enum { NOTHING, OPEN, DONE };

typedef struct Range {
  int32_t begin, end; // in the order
} Range;

typedef struct Dissection {
  const lbGraph *graph;
  const double *positions; // (3 x count), or NULL
  int32_t *order;          // (count)
  uint8_t *begins;         // (count), of parts in the order
  int32_t *range_of;       // (count) of a vertex, at this depth; -1: none
  int32_t *local;          // (count), a vertex's number in its range
  Range *ranges;           // of this depth
  int32_t range_count;     //
  bool *failed;            // (range_count)
} Dissection;

// A range as a graph of its own.
typedef struct Part {
  Dissection *all;
  int32_t range, count;
  int32_t *vertices; // (count), in the order
  uint8_t *begins;   // (count)
  lbGraph graph;
} Part;

// ---- a part's graph ----------------------------------------------------------------------------

static bool open_graph(Part *part) {
  const lbGraph *whole = part->all->graph;
  int64_t edges = 0;
  for (int32_t i = 0; i < part->count; i++) {
    int32_t v = part->vertices[i];
    part->all->local[v] = i;
    edges += whole->begin[v + 1] - whole->begin[v];
  }
  if (!lb_graph_open(part->count, edges, &part->graph)) return false;
  int64_t used = 0;
  for (int32_t i = 0; i < part->count; i++) {
    int32_t v = part->vertices[i];
    part->graph.weight[i] = whole->weight[v];
    for (int64_t e = whole->begin[v]; e < whole->begin[v + 1]; e++) {
      int32_t u = whole->to[e];
      if (part->all->range_of[u] != part->range) continue;
      part->graph.edge_weight[used] = 1;
      part->graph.to[used++] = part->all->local[u];
    }
    part->graph.begin[i + 1] = used;
  }
  return true;
}

// The part's vertices in the order of their keys, which are below `key_count`; at (key_count + 1)
// gets where each key begins.
static bool sort_by_key(Part *part, const int32_t *key, int32_t key_count, int32_t *at) {
  int32_t *copy = lb_duplicate(part->vertices, (size_t)part->count, sizeof *copy);
  if (!copy) return false;
  memset(at, 0, ((size_t)key_count + 1) * sizeof *at);
  for (int32_t i = 0; i < part->count; i++) at[key[i] + 1]++;
  for (int32_t k = 0; k < key_count; k++) at[k + 1] += at[k];
  for (int32_t i = 0; i < part->count; i++) part->vertices[at[key[i]]++] = copy[i];
  for (int32_t k = key_count; k > 0; k--) at[k] = at[k - 1];
  at[0] = 0;
  lb_free(copy);
  return true;
}

// ---- pieces that do not touch ------------------------------------------------------------------

// piece (count): the number of each vertex's piece; queue (count). Returns how many.
static int32_t find_pieces(const lbGraph *graph, int32_t *piece, int32_t *queue) {
  int32_t pieces = 0;
  memset(piece, -1, (size_t)graph->count * sizeof *piece);
  for (int32_t v = 0; v < graph->count; v++) {
    if (piece[v] >= 0) continue;
    int32_t end = 0;
    piece[v] = pieces;
    queue[end++] = v;
    for (int32_t at = 0; at < end; at++)
      for (int64_t e = graph->begin[queue[at]]; e < graph->begin[queue[at] + 1]; e++) {
        int32_t u = graph->to[e];
        if (piece[u] >= 0) continue;
        piece[u] = pieces;
        queue[end++] = u;
      }
    pieces++;
  }
  return pieces;
}

// Small pieces that follow each other stay together.
static void mark_pieces(Part *part, int32_t pieces, const int32_t *at) {
  int32_t begin = 0;
  for (int32_t p = 0; p < pieces; p++) {
    if (at[p] > begin && at[p + 1] - begin > LEAF) begin = at[p];
    part->begins[begin] = OPEN;
  }
}

// *split: the part has several pieces, which are parts of their own now.
static bool split_pieces(Part *part, bool *split) {
  size_t n = (size_t)part->count;
  int32_t *piece = lb_alloc(n, sizeof *piece), *queue = lb_alloc(n + 1, sizeof *queue);
  bool made = piece && queue;
  int32_t pieces = made ? find_pieces(&part->graph, piece, queue) : 0;
  *split = pieces > 1;
  if (*split) made = sort_by_key(part, piece, pieces, queue);
  if (*split && made) mark_pieces(part, pieces, queue);
  lb_free(piece);
  lb_free(queue);
  return made;
}

// ---- separators --------------------------------------------------------------------------------

static bool separate(const Part *part, uint8_t *side) {
  const double *whole = part->all->positions;
  if (!whole) return lb_graph_separate(&part->graph, side);
  double *positions = lb_alloc(3 * (size_t)part->count, sizeof *positions);
  for (int32_t i = 0; positions && i < part->count; i++)
    memcpy(positions + 3 * (size_t)i, whole + 3 * (size_t)part->vertices[i], 3 * sizeof *whole);
  bool made = positions && lb_graph_separate_by_planes(&part->graph, positions, side);
  lb_free(positions);
  return made;
}

// *split: the part is cut in two, and what is between stands at its end.
static bool split_by_separator(Part *part, bool *split) {
  size_t n = (size_t)part->count;
  uint8_t *side = lb_alloc(n, sizeof *side);
  int32_t *key = lb_alloc(n, sizeof *key), at[4] = { 0 };
  bool made = side && key && separate(part, side);
  int32_t counts[3] = { 0 };
  for (size_t i = 0; made && i < n; i++) {
    key[i] = side[i];
    counts[side[i]]++;
  }
  *split = counts[0] && counts[1] && counts[LB_PART_BETWEEN] < part->count / 2;
  if (*split && made) made = sort_by_key(part, key, 3, at);
  if (*split && made) {
    part->begins[0] = part->begins[at[1]] = OPEN;
    if (at[2] < part->count) part->begins[at[2]] = DONE;
  }
  lb_free(side);
  lb_free(key);
  return made;
}

// ---- leaves ------------------------------------------------------------------------------------

// Vertices outside a part by a table of hashes: their numbers after those of the part.
typedef struct Halo {
  int32_t *vertex, *number; // (mask + 1); vertex -1: free
  size_t mask;
  int32_t count;
} Halo;

static int32_t halo_number(Halo *halo, int32_t vertex, int32_t part_count) {
  size_t at = ((size_t)(uint32_t)vertex * 2654435761u) & halo->mask;
  while (halo->vertex[at] != vertex) {
    if (halo->vertex[at] < 0) {
      halo->vertex[at] = vertex;
      halo->number[at] = part_count + halo->count++;
      break;
    }
    at = (at + 1) & halo->mask;
  }
  return halo->number[at];
}

static bool open_halo(size_t most, Halo *halo) {
  size_t size = 16;
  while (size < 2 * most) size *= 2;
  *halo = (Halo){ .mask = size - 1 };
  halo->vertex = lb_alloc(size, sizeof *halo->vertex);
  halo->number = lb_alloc(size, sizeof *halo->number);
  if (halo->vertex) memset(halo->vertex, -1, size * sizeof *halo->vertex);
  return halo->vertex && halo->number;
}

// Edges to vertices outside, in pairs (number inside, number outside).
static int64_t list_edges_out(const Part *part, Halo *halo, int32_t *pairs) {
  const lbGraph *whole = part->all->graph;
  int64_t used = 0;
  for (int32_t i = 0; i < part->count; i++) {
    int32_t v = part->vertices[i];
    for (int64_t e = whole->begin[v]; e < whole->begin[v + 1]; e++) {
      if (part->all->range_of[whole->to[e]] == part->range) continue;
      pairs[2 * used] = i;
      pairs[2 * used++ + 1] = halo_number(halo, whole->to[e], part->count);
    }
  }
  return used;
}

// The part's graph with the vertices around it, each of which has edges into the part alone.
static bool surround(const lbGraph *inside, const Halo *halo, const int32_t *pairs,
                     int64_t pair_count, lbGraph *graph) {
  int32_t count = inside->count + halo->count;
  if (!lb_graph_open(count, inside->begin[inside->count] + 2 * pair_count, graph)) return false;
  int64_t *begin = graph->begin; // first degrees, then places that end where they should begin
  for (int32_t i = 0; i < inside->count; i++) begin[i] = inside->begin[i + 1] - inside->begin[i];
  for (int64_t k = 0; k < 2 * pair_count; k++) begin[pairs[k]]++;
  for (int32_t i = 0; i < count; i++) {
    begin[i + 1] += begin[i];
    graph->weight[i] = 1;
  }
  for (int64_t k = 0; k < pair_count; k++) {
    graph->to[--begin[pairs[2 * k]]] = pairs[2 * k + 1];
    graph->to[--begin[pairs[2 * k + 1]]] = pairs[2 * k];
  }
  for (int32_t i = 0; i < inside->count; i++)
    for (int64_t e = inside->begin[i]; e < inside->begin[i + 1]; e++)
      graph->to[--begin[i]] = inside->to[e];
  return true;
}

static bool order_leaf(Part *part) {
  const lbGraph *whole = part->all->graph;
  int64_t most = 0;
  for (int32_t i = 0; i < part->count; i++)
    most += whole->begin[part->vertices[i] + 1] - whole->begin[part->vertices[i]];
  most -= part->graph.begin[part->count];
  Halo halo;
  lbGraph graph = { 0 };
  int32_t *pairs = lb_alloc(2 * (size_t)most + 1, sizeof *pairs);
  int32_t *order = lb_alloc((size_t)part->count, sizeof *order);
  bool made = open_halo((size_t)most, &halo) && pairs && order;
  if (made) {
    int64_t pair_count = list_edges_out(part, &halo, pairs);
    made = surround(&part->graph, &halo, pairs, pair_count, &graph);
  }
  made = made && lb_graph_order_by_degree(&graph, part->count, 0, order);
  for (int32_t i = 0; made && i < part->count; i++) order[i] = part->vertices[order[i]];
  if (made) {
    memcpy(part->vertices, order, (size_t)part->count * sizeof *order);
    part->begins[0] = DONE;
  }
  lb_graph_release(&graph);
  lb_free(halo.vertex);
  lb_free(halo.number);
  lb_free(pairs);
  lb_free(order);
  return made;
}

// ---- all parts ---------------------------------------------------------------------------------

static void split_ranges(int32_t begin, int32_t end, void *context) {
  Dissection *all = context;
  for (int32_t r = begin; r < end; r++) {
    Range range = all->ranges[r];
    Part part = { .all = all, .range = r, .count = range.end - range.begin };
    part.vertices = all->order + range.begin;
    part.begins = all->begins + range.begin;
    bool split = false, made = open_graph(&part);
    if (made && part.count > LEAF) made = split_pieces(&part, &split);
    if (made && part.count > LEAF && !split) made = split_by_separator(&part, &split);
    if (made && !split) made = order_leaf(&part);
    lb_graph_release(&part.graph);
    all->failed[r] = !made;
  }
}

// The open parts of the ranges are the ranges of the next depth.
static void list_open(Dissection *all, Range *next, int32_t *next_count) {
  *next_count = 0;
  for (int32_t r = 0; r < all->range_count; r++) {
    int32_t now = -1;
    for (int32_t i = all->ranges[r].begin; i < all->ranges[r].end; i++) {
      uint8_t mark = all->begins[i];
      all->begins[i] = NOTHING;
      if (mark == OPEN) {
        now = (*next_count)++;
        next[now].begin = i;
      } else if (mark == DONE) {
        now = -1;
      }
      all->range_of[all->order[i]] = now;
      if (now >= 0) next[now].end = i + 1;
    }
  }
}

// Vertices that touch so many others that no cut avoids them come last. Returns how many do not.
static int32_t put_dense_last(const lbGraph *graph, int32_t *order) {
  double most = fmax(64, 10 * sqrt((double)graph->count));
  int32_t sparse = 0, dense = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t v = 0; v < graph->count; v++) {
      bool many = (double)(graph->begin[v + 1] - graph->begin[v]) > most;
      if (pass == 0 && !many) order[sparse++] = v;
      if (pass == 1 && many) order[sparse + dense++] = v;
    }
  return sparse;
}

static bool run_dissection(Dissection *all, Range *other) {
  int32_t sparse = put_dense_last(all->graph, all->order);
  for (int32_t i = sparse; i < all->graph->count; i++) all->range_of[all->order[i]] = -1;
  all->ranges[0] = (Range){ 0, sparse };
  all->range_count = sparse > 0;
  while (all->range_count) {
    int32_t next_count = 0;
    lb_parallel_for(all->range_count, 1, split_ranges, all);
    for (int32_t r = 0; r < all->range_count; r++)
      if (all->failed[r]) return false;
    list_open(all, other, &next_count);
    Range *spent = all->ranges;
    all->ranges = other;
    all->range_count = next_count;
    other = spent;
  }
  return true;
}

bool lb_graph_dissect(const lbGraph *graph, const double *positions, int32_t *order) {
  size_t n = (size_t)graph->count;
  Dissection all = { .graph = graph, .positions = positions, .order = order };
  Range *first = lb_alloc(n + 1, sizeof *first), *second = lb_alloc(n + 1, sizeof *second);
  all.begins = lb_alloc(n, sizeof *all.begins);
  all.range_of = lb_alloc(n, sizeof *all.range_of);
  all.local = lb_alloc(n, sizeof *all.local);
  all.failed = lb_alloc(n + 1, sizeof *all.failed);
  all.ranges = first;
  bool made = first && second && all.begins && all.range_of && all.local && all.failed;
  made = made && run_dissection(&all, second);
  lb_free(first);
  lb_free(second);
  lb_free(all.begins);
  lb_free(all.range_of);
  lb_free(all.local);
  lb_free(all.failed);
  return made;
}
