// One level of coarsening: vertices are joined in pairs across heavy edges.
#include "linalg/own/graph.h"

#include <string.h>

// Vertices by ascending degree: those with few choices choose first. Among equals chance decides,
// or their numbers where there is none.
static void sort_by_degree(const lbGraph *graph, uint64_t *random, int32_t *mixed,
                           int32_t *sorted) {
  enum { MOST = 256 }; // all that is above is alike
  int32_t begin[MOST + 2] = { 0 };
  for (int32_t v = 0; v < graph->count; v++) {
    mixed[v] = v;
    if (!random) continue;
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    int32_t other = (int32_t)((*random >> 33) % (uint64_t)(v + 1));
    mixed[v] = mixed[other];
    mixed[other] = v;
  }
  for (int32_t v = 0; v < graph->count; v++) {
    int64_t degree = graph->begin[v + 1] - graph->begin[v];
    begin[(degree < MOST ? degree : MOST) + 1]++;
  }
  for (int32_t d = 0; d <= MOST; d++) begin[d + 1] += begin[d];
  for (int32_t i = 0; i < graph->count; i++) {
    int32_t v = mixed[i];
    int64_t degree = graph->begin[v + 1] - graph->begin[v];
    sorted[begin[degree < MOST ? degree : MOST]++] = v;
  }
}

// The free neighbour across the heaviest edge, the lightest of those; -1: none.
static int32_t choose_partner(const lbGraph *graph, int32_t v, int32_t most_weight,
                              const int32_t *partner) {
  int32_t best = -1, heaviest = 0;
  for (int64_t e = graph->begin[v]; e < graph->begin[v + 1]; e++) {
    int32_t u = graph->to[e], edge = graph->edge_weight[e];
    if (edge < heaviest || partner[u] >= 0 || graph->weight[u] > most_weight - graph->weight[v])
      continue;
    if (edge > heaviest || graph->weight[u] < graph->weight[best]) {
      best = u;
      heaviest = edge;
    }
  }
  return best;
}

// Vertices that found none, all of whose neighbours are taken, join each other where they share a
// neighbour: many of them hang on few vertices.
static void pair_strays(const lbGraph *graph, int32_t most_weight, int32_t *partner) {
  for (int32_t v = 0; v < graph->count; v++) {
    int32_t waiting = -1;
    for (int64_t e = graph->begin[v]; e < graph->begin[v + 1]; e++) {
      int32_t u = graph->to[e];
      if (partner[u] != u) continue;
      if (waiting < 0 || graph->weight[u] > most_weight - graph->weight[waiting]) {
        waiting = u;
        continue;
      }
      partner[u] = waiting;
      partner[waiting] = u;
      waiting = -1;
    }
  }
}

// partner (count): itself for a vertex that stays alone. Returns how many pairs and singles.
static int32_t find_graph_pairs(const lbGraph *graph, int32_t most_weight, const int32_t *sorted,
                                int32_t *partner) {
  int32_t alone = 0, count = 0;
  memset(partner, -1, (size_t)graph->count * sizeof *partner);
  for (int32_t i = 0; i < graph->count; i++) {
    int32_t v = sorted[i];
    if (partner[v] >= 0) continue;
    int32_t u = choose_partner(graph, v, most_weight, partner);
    partner[v] = u < 0 ? v : u;
    partner[u < 0 ? v : u] = v;
    alone += u < 0;
  }
  if (alone > graph->count / 8) pair_strays(graph, most_weight, partner);
  for (int32_t v = 0; v < graph->count; v++) count += partner[v] >= v;
  return count;
}

// The edges of one vertex go to its pair's; at (coarse count): where an edge to a pair is, if from
// this pair.
static int64_t add_graph_edges(const lbGraph *fine, int32_t v, const int32_t *to_coarse,
                               int32_t pair, int64_t used, int64_t *at, lbGraph *coarse) {
  for (int64_t e = fine->begin[v]; e < fine->begin[v + 1]; e++) {
    int32_t u = to_coarse[fine->to[e]];
    if (u == pair) continue;
    if (at[u] < coarse->begin[pair]) {
      at[u] = used;
      coarse->to[used] = u;
      coarse->edge_weight[used++] = fine->edge_weight[e];
    } else {
      coarse->edge_weight[at[u]] += fine->edge_weight[e];
    }
  }
  return used;
}

static void join_pairs(const lbGraph *fine, const int32_t *partner, const int32_t *to_coarse,
                       int64_t *at, lbGraph *coarse) {
  int32_t pair = 0;
  int64_t used = 0;
  for (int32_t p = 0; p < coarse->count; p++) at[p] = -1;
  for (int32_t v = 0; v < fine->count; v++) {
    int32_t u = partner[v];
    if (u < v) continue;
    coarse->weight[pair] = fine->weight[v] + (u > v ? fine->weight[u] : 0);
    used = add_graph_edges(fine, v, to_coarse, pair, used, at, coarse);
    if (u > v) used = add_graph_edges(fine, u, to_coarse, pair, used, at, coarse);
    coarse->begin[++pair] = used;
  }
}

bool lb_graph_coarsen(const lbGraph *fine, int32_t most_weight, uint64_t *random,
                      int32_t *to_coarse, lbGraph *coarse) {
  size_t n = (size_t)fine->count;
  int32_t *partner = lb_alloc(n, sizeof *partner);
  int64_t *at = lb_alloc(n, sizeof *at);
  bool made = partner && at;
  int32_t pairs = 0, next = 0;
  if (made) {
    sort_by_degree(fine, random, partner, to_coarse);
    pairs = find_graph_pairs(fine, most_weight, to_coarse, partner);
    made = lb_graph_open(pairs, fine->begin[n], coarse);
  }
  if (made) {
    for (int32_t v = 0; v < fine->count; v++)
      to_coarse[v] = partner[v] < v ? to_coarse[partner[v]] : next++;
    join_pairs(fine, partner, to_coarse, at, coarse);
  }
  lb_free(partner);
  lb_free(at);
  return made;
}
