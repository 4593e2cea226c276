// Multilevel separators: the graph is coarsened, the coarsest one separated from several seeds, and
// the best of these refined from level to level.
#include "linalg/own/separator.h"

#include <string.h>

enum {
  COARSEST = 60,     // vertices
  MOST_LEVELS = 64,  //
  SEEDS = 6,         // of the coarsest graph
  COARSE_PASSES = 8, // of refinement
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

static bool coarsen(const lbGraph *graph, Levels *levels) {
  int32_t most_weight = total_weight(graph) / (COARSEST / 3) + 1;
  levels->items[0].graph = *graph;
  levels->count = 1;
  while (levels->count < MOST_LEVELS) {
    Level *fine = &levels->items[levels->count - 1], *coarse = &levels->items[levels->count];
    if (fine->graph.count <= COARSEST) break;
    fine->to_coarse = lb_alloc((size_t)fine->graph.count, sizeof *fine->to_coarse);
    if (!fine->to_coarse ||
        !lb_graph_coarsen(&fine->graph, most_weight, fine->to_coarse, &coarse->graph))
      return false;
    levels->count++;
    if (coarse->graph.count > fine->graph.count - fine->graph.count / 16) break;
  }
  return true;
}

// The best of what grows from several seeds.
static bool separate_coarsest(const lbGraph *graph, uint8_t *part) {
  lbSeparator separator;
  size_t n = (size_t)graph->count;
  uint8_t *trial = lb_alloc(n, sizeof *trial);
  bool made = trial && lb_separator_open(graph, trial, &separator);
  double least = 0;
  for (int32_t i = 0; made && i < SEEDS; i++) {
    lb_separator_grow(&separator, (int32_t)((int64_t)i * (graph->count - 1) / (SEEDS - 1)));
    lb_separator_refine(&separator, COARSE_PASSES);
    double cost = lb_separator_cost(&separator);
    if (i == 0 || cost < least) {
      least = cost;
      memcpy(part, trial, n);
    }
  }
  if (made) lb_separator_release(&separator);
  lb_free(trial);
  return made;
}

// From a level to the one before it, in place.
static bool project(const Level *fine, uint8_t *part) {
  uint8_t *coarse = lb_duplicate(part, (size_t)fine->graph.count, sizeof *part);
  if (!coarse) return false;
  for (int32_t v = 0; v < fine->graph.count; v++) part[v] = coarse[fine->to_coarse[v]];
  lb_free(coarse);
  return true;
}

static bool refine(const lbGraph *graph, uint8_t *part) {
  lbSeparator separator;
  if (!lb_separator_open(graph, part, &separator)) return false;
  lb_separator_refine(&separator, FINE_PASSES);
  lb_separator_release(&separator);
  return true;
}

bool lb_graph_separate(const lbGraph *graph, uint8_t *part) {
  Levels *levels = lb_alloc(1, sizeof *levels);
  if (!levels) return false;
  bool made = coarsen(graph, levels);
  if (made) made = separate_coarsest(&levels->items[levels->count - 1].graph, part);
  for (int32_t l = levels->count - 2; l >= 0 && made; l--) {
    made = project(&levels->items[l], part);
    if (made) made = refine(&levels->items[l].graph, part);
  }
  release_levels(levels);
  lb_free(levels);
  return made;
}
