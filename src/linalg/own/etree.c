// Elimination tree, its postorder, and the counts of L's columns without L (Gilbert, Ng and Peyton
// 1994).
#include "linalg/own/supernodes.h"

#include <string.h>

// parent[i]: the first row below the diagonal of column i. place: the inverse of order; ancestor
// (count): shortcuts.
static void find_tree(const lbGraph *graph, const int32_t *order, const int32_t *place,
                      int32_t *ancestor, int32_t *parent) {
  for (int32_t j = 0; j < graph->count; j++) {
    int32_t v = order[j];
    parent[j] = ancestor[j] = -1;
    for (int64_t e = graph->begin[v]; e < graph->begin[v + 1]; e++)
      for (int32_t i = place[graph->to[e]]; i >= 0 && i < j;) {
        int32_t up = ancestor[i];
        ancestor[i] = j;
        if (up < 0) parent[i] = j;
        i = up;
      }
  }
}

// post (count): children before parents, subtrees together. head, next (count): work space.
static void find_postorder(int32_t count, const int32_t *parent, int32_t *head, int32_t *next,
                           int32_t *post) {
  memset(head, -1, (size_t)count * sizeof *head);
  for (int32_t j = count - 1; j >= 0; j--) {
    if (parent[j] < 0) continue;
    next[j] = head[parent[j]];
    head[parent[j]] = j;
  }
  int32_t done = 0;
  for (int32_t root = 0; root < count; root++) {
    if (parent[root] >= 0) continue;
    for (int32_t j = root; j >= 0;) { // down to the first leaf, then on
      if (head[j] >= 0) {
        int32_t child = head[j];
        head[j] = next[child];
        j = child;
        continue;
      }
      post[done++] = j;
      j = j == root ? -1 : parent[j];
    }
  }
}

// order and parent in the numbers of the postorder; place (count): work space.
static void renumber_postorder(int32_t count, const int32_t *post, int32_t *place, int32_t *work,
                               int32_t *order, int32_t *parent) {
  for (int32_t k = 0; k < count; k++) place[post[k]] = k;
  for (int32_t k = 0; k < count; k++) work[k] = order[post[k]];
  memcpy(order, work, (size_t)count * sizeof *order);
  for (int32_t k = 0; k < count; k++) work[k] = parent[post[k]] < 0 ? -1 : place[parent[post[k]]];
  memcpy(parent, work, (size_t)count * sizeof *parent);
}

typedef struct Counting {
  const int32_t *parent;
  int32_t *first;    // (count), the first descendant
  int32_t *seen;     // (count) of a row: first descendant of the last leaf found of its subtree
  int32_t *last;     // (count) of a row: that leaf
  int32_t *ancestor; // (count), sets of the tree that is done
} Counting;

static int32_t find_path_root(Counting *c, int32_t i) {
  int32_t root = i;
  while (root != c->ancestor[root]) root = c->ancestor[root];
  while (i != root) {
    int32_t up = c->ancestor[i];
    c->ancestor[i] = root;
    i = up;
  }
  return root;
}

// Column j has row i. Row i of L is a subtree of the elimination tree below i; where j is a leaf of
// it, j gains an entry and the place where the path from it meets what was known loses one.
static void add_leaf(Counting *c, int32_t i, int32_t j, int32_t *rows) {
  if (c->first[j] <= c->seen[i]) return;
  c->seen[i] = c->first[j];
  rows[j]++;
  if (c->last[i] >= 0) rows[find_path_root(c, c->last[i])]--;
  c->last[i] = j;
}

static void count_factor_rows(const lbGraph *graph, const int32_t *order, const int32_t *place,
                              Counting *c, int32_t *rows) {
  int32_t count = graph->count;
  for (int32_t j = 0; j < count; j++) c->first[j] = c->seen[j] = c->last[j] = -1, rows[j] = 0;
  for (int32_t j = 0; j < count; j++) {
    rows[j] += c->first[j] < 0; // a leaf of the tree
    for (int32_t i = j; i >= 0 && c->first[i] < 0; i = c->parent[i]) c->first[i] = j;
    c->ancestor[j] = j;
  }
  for (int32_t j = 0; j < count; j++) {
    if (c->parent[j] >= 0) rows[c->parent[j]]--;
    for (int64_t e = graph->begin[order[j]]; e < graph->begin[order[j] + 1]; e++)
      if (place[graph->to[e]] > j) add_leaf(c, place[graph->to[e]], j, rows);
    if (c->parent[j] >= 0) c->ancestor[j] = c->parent[j];
  }
  for (int32_t j = 0; j < count; j++)
    if (c->parent[j] >= 0) rows[c->parent[j]] += rows[j];
}

bool lb_graph_eliminate(const lbGraph *graph, int32_t *order, int32_t *parent, int32_t *rows) {
  size_t n = (size_t)graph->count;
  int32_t *work = lb_alloc(5 * n + 1, sizeof *work);
  if (!work) return false;
  int32_t *place = work, *a = work + n, *b = a + n, *c = b + n, *d = c + n;
  for (size_t i = 0; i < n; i++) place[order[i]] = (int32_t)i;
  find_tree(graph, order, place, a, parent);
  find_postorder(graph->count, parent, a, b, c);
  renumber_postorder(graph->count, c, a, b, order, parent);
  for (size_t i = 0; i < n; i++) place[order[i]] = (int32_t)i;
  Counting counting = { parent, a, b, c, d };
  count_factor_rows(graph, order, place, &counting, rows);
  lb_free(work);
  return true;
}
