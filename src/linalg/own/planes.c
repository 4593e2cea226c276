// Separators by planes: where vertices have positions, the best plane across an axis, refined. On
// grids of voxels no search in the graph alone finds straighter ones.
#include "linalg/own/separator.h"

#include <stdlib.h>
#include <string.h>

enum { AXES = 3, PASSES = 4 };

// A part has no less of the vertices before its boundary is taken away, and how much imbalance
// counts beside the size of a separator; by measurement.
static const double LEAST_SHARE = 0.42, IMBALANCE = 0.2;

typedef struct Coordinate {
  double value;
  int32_t vertex;
} Coordinate;

// The cut of the vertices along an axis before number `at` of them.
typedef struct Cut {
  int32_t axis, at;
  bool low; // the vertices below it that touch those above separate; else those above
  double cost;
} Cut;

typedef struct Sweep {
  const lbGraph *graph;
  Coordinate *sorted;     // (count)
  int32_t *rank;          // (count)
  int32_t *above, *below; // (count + 1): vertices on either side that touch the other, of each cut
} Sweep;

static int compare_coordinates(const void *a, const void *b) {
  const Coordinate *p = a, *q = b;
  if (p->value != q->value) return p->value < q->value ? -1 : 1;
  return p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

static void sort_vertices(Sweep *s, const double *positions, int32_t axis) {
  int32_t count = s->graph->count;
  for (int32_t v = 0; v < count; v++)
    s->sorted[v] = (Coordinate){ positions[AXES * (size_t)v + (size_t)axis], v };
  qsort(s->sorted, (size_t)count, sizeof *s->sorted, compare_coordinates);
  for (int32_t k = 0; k < count; k++) s->rank[s->sorted[k].vertex] = k;
}

// A vertex touches the other side of all cuts between itself and its farthest neighbours.
static void count_boundaries(Sweep *s) {
  const lbGraph *g = s->graph;
  size_t bytes = ((size_t)g->count + 2) * sizeof *s->above;
  memset(s->above, 0, bytes);
  memset(s->below, 0, bytes);
  for (int32_t v = 0; v < g->count; v++) {
    int32_t own = s->rank[v], least = own, most = own;
    for (int64_t e = g->begin[v]; e < g->begin[v + 1]; e++) {
      int32_t other = s->rank[g->to[e]];
      if (other < least) least = other;
      if (other > most) most = other;
    }
    s->above[least + 1]++, s->above[own + 1]--;
    s->below[own + 1]++, s->below[most + 1]--;
  }
  for (int32_t k = 0; k < g->count; k++) {
    s->above[k + 1] += s->above[k];
    s->below[k + 1] += s->below[k];
  }
}

static void choose_cut(const Sweep *s, int32_t axis, Cut *best) {
  int32_t count = s->graph->count, begin = (int32_t)(LEAST_SHARE * count);
  for (int32_t at = begin < 1 ? 1 : begin; at <= count - begin && at < count; at++) {
    bool low = s->below[at] < s->above[at];
    double between = low ? s->below[at] : s->above[at];
    double first = at - (low ? between : 0), second = count - at - (low ? 0 : between);
    double apart = first > second ? first - second : second - first;
    double cost = between * (1 + IMBALANCE * apart / (first + second + 1));
    if (best->axis < 0 || cost < best->cost) *best = (Cut){ axis, at, low, cost };
  }
}

static void apply_plane_cut(const Sweep *s, const Cut *cut, uint8_t *part) {
  const lbGraph *g = s->graph;
  for (int32_t v = 0; v < g->count; v++) part[v] = s->rank[v] >= cut->at;
  for (int32_t v = 0; v < g->count; v++) {
    if ((s->rank[v] < cut->at) != cut->low) continue;
    for (int64_t e = g->begin[v]; e < g->begin[v + 1]; e++)
      if ((s->rank[g->to[e]] >= cut->at) == cut->low) part[v] = LB_PART_BETWEEN;
  }
}

static bool open_sweep(const lbGraph *graph, Sweep *s) {
  size_t n = (size_t)graph->count;
  *s = (Sweep){ .graph = graph };
  s->sorted = lb_alloc(n, sizeof *s->sorted);
  s->rank = lb_alloc(n, sizeof *s->rank);
  s->above = lb_alloc(n + 2, sizeof *s->above);
  s->below = lb_alloc(n + 2, sizeof *s->below);
  return s->sorted && s->rank && s->above && s->below;
}

bool lb_graph_separate_by_planes(const lbGraph *graph, const double *positions, uint8_t *part) {
  Sweep s;
  Cut best = { .axis = -1 };
  lbSeparator separator;
  bool made = open_sweep(graph, &s);
  for (int32_t axis = 0; made && axis < AXES; axis++) {
    sort_vertices(&s, positions, axis);
    count_boundaries(&s);
    choose_cut(&s, axis, &best);
  }
  if (made) {
    sort_vertices(&s, positions, best.axis);
    apply_plane_cut(&s, &best, part);
    made = lb_separator_open(graph, part, &separator);
  }
  if (made) {
    lb_separator_refine(&separator, PASSES);
    lb_separator_release(&separator);
  }
  lb_free(s.sorted);
  lb_free(s.rank);
  lb_free(s.above);
  lb_free(s.below);
  return made;
}
