// Multilevel separators: the graph is coarsened, the coarsest one separated from several seeds, and
// the best of these refined from level to level. From a graph in the middle on all of that is tried
// several times, with other pairs, and the best result is used.
#include "linalg/own/separator.h"

#include <string.h>

enum {
  COARSEST = 50,     // vertices
  MIDDLE = 8,        // times fewer vertices than the whole
  MOST_LEVELS = 64,  //
  TRIALS = 6,        // from the middle on
  SEEDS = 4,         // of the coarsest graph
  COARSE_PASSES = 6, // of refinement
  FINE_PASSES = 4,
};

typedef struct Level {
  lbGraph graph;      // of the first level: borrowed
  int32_t *to_coarse; // (count), to the next
} Level;

typedef struct Levels {
  Level items[MOST_LEVELS];
  int32_t count;
} Levels;

static void release_levels(Levels *levels) {
  for (int32_t l = 0; l < levels->count; l++) {
    if (l > 0) lb_graph_release(&levels->items[l].graph);
    lb_free(levels->items[l].to_coarse);
  }
}

static int32_t total_weight(const lbGraph *graph) {
  int32_t total = 0;
  for (int32_t v = 0; v < graph->count; v++) total += graph->weight[v];
  return total;
}

// Coarsens until at most vertices_max vertices are left, or few vertices can be paired.
static bool coarsen(const lbGraph *graph, int32_t vertices_max, uint64_t *random, Levels *levels) {
  int32_t most_weight = total_weight(graph) / (COARSEST / 3) + 1;
  *levels = (Levels){ .count = 1 };
  levels->items[0].graph = *graph;
  while (levels->count < MOST_LEVELS) {
    Level *fine = &levels->items[levels->count - 1], *coarse = &levels->items[levels->count];
    if (fine->graph.count <= vertices_max) break;
    fine->to_coarse = lb_alloc((size_t)fine->graph.count, sizeof *fine->to_coarse);
    if (!fine->to_coarse ||
        !lb_graph_coarsen(&fine->graph, most_weight, random, fine->to_coarse, &coarse->graph))
      return false;
    levels->count++;
    if (coarse->graph.count > fine->graph.count - fine->graph.count / 16) break;
  }
  return true;
}

// Grows parts from several seeds, the first different in each trial, and keeps the best.
static bool separate_coarsest(const lbGraph *graph, int32_t trial, uint8_t *part) {
  lbSeparator separator;
  size_t n = (size_t)graph->count;
  uint8_t *own = lb_alloc(n, sizeof *own);
  bool made = own && lb_separator_open(graph, own, &separator);
  double least = 0;
  for (int32_t i = 0; made && i < SEEDS; i++) {
    int64_t step = (int64_t)i * TRIALS + trial;
    lb_separator_grow(&separator, (int32_t)(step * (graph->count - 1) / (SEEDS * TRIALS - 1)));
    lb_separator_refine(&separator, COARSE_PASSES);
    double cost = lb_separator_cost(&separator);
    if (i == 0 || cost < least) {
      least = cost;
      memcpy(part, own, n);
    }
  }
  if (made) lb_separator_release(&separator);
  lb_free(own);
  return made;
}

// From the coarsest level to the first.
static bool refine_levels(const Levels *levels, uint8_t *part, double *cost) {
  for (int32_t l = levels->count - 1; l >= 0; l--) {
    const Level *level = &levels->items[l];
    lbSeparator separator;
    if (l < levels->count - 1) {
      uint8_t *coarse = lb_duplicate(part, (size_t)level->graph.count, sizeof *part);
      if (!coarse) return false;
      for (int32_t v = 0; v < level->graph.count; v++) part[v] = coarse[level->to_coarse[v]];
      lb_free(coarse);
    }
    if (!lb_separator_open(&level->graph, part, &separator)) return false;
    lb_separator_refine(&separator, FINE_PASSES);
    *cost = lb_separator_cost(&separator);
    lb_separator_release(&separator);
  }
  return true;
}

// One way through levels that depend on chance; levels: work space.
static bool try_levels(const lbGraph *graph, int32_t trial, uint64_t *random, Levels *levels,
                       uint8_t *part, double *cost) {
  bool made = coarsen(graph, COARSEST, random, levels);
  made = made && separate_coarsest(&levels->items[levels->count - 1].graph, trial, part);
  made = made && refine_levels(levels, part, cost);
  release_levels(levels);
  return made;
}

static bool separate_middle(const lbGraph *graph, uint8_t *part) {
  size_t n = (size_t)graph->count;
  Levels *levels = lb_alloc(1, sizeof *levels);
  uint8_t *own = lb_alloc(n, sizeof *own);
  uint64_t random = (uint64_t)n;
  bool made = levels && own;
  double least = 0, cost = 0;
  for (int32_t trial = 0; made && trial < TRIALS; trial++) {
    made = try_levels(graph, trial, trial ? &random : NULL, levels, own, &cost);
    if (!made || (trial > 0 && cost >= least)) continue;
    least = cost;
    memcpy(part, own, n);
  }
  lb_free(levels);
  lb_free(own);
  return made;
}

bool lb_graph_separate(const lbGraph *graph, uint8_t *part) {
  Levels *levels = lb_alloc(1, sizeof *levels);
  double cost = 0;
  if (!levels) return false;
  bool made = coarsen(graph, graph->count / MIDDLE, NULL, levels);
  made = made && separate_middle(&levels->items[levels->count - 1].graph, part);
  made = made && refine_levels(levels, part, &cost);
  release_levels(levels);
  lb_free(levels);
  return made;
}
