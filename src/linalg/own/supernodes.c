// Supernodes: columns of L with the same rows, and what is joined to have fewer and larger ones.
#include "linalg/own/supernodes.h"

#include <stdlib.h>
#include <string.h>

// Joined supernodes of so many columns of L may have such a share of zeros; by measurement.
static const struct {
  double columns, zeros;
} JOINED[] = { { 4, 1 }, { 16, 0.3 }, { 48, 0.05 }, { 1e30, 0.02 } };

typedef struct Child {
  double key;
  int32_t index;
} Child;

typedef struct Tree {
  int32_t count;
  int32_t node;
  int32_t *first;          // (count), column
  int32_t *columns, *rows; // (count); rows with those of its columns
  int32_t *parent;         // (count), -1: a root
  int32_t *joined;         // (count): the supernode that has taken it, itself if none has
  int32_t *child_begin;    // (count + 1)
  int32_t *child_end;      // (count), while supernodes are numbered
  int32_t *children;       // (count)
  double *zeros;           // (count), stored in L
  double *update, *peak;   // (count): values of its contribution; at most at once below it
  int32_t *place;          // (count), of those that are left, in the new order
  Child *sorted;           // (count)
} Tree;

static void release_tree(Tree *t) {
  void *blocks[] = { t->first,       t->columns,  t->rows,     t->parent, t->joined,
                     t->child_begin, t->children, t->zeros,    t->update, t->peak,
                     t->place,       t->sorted,   t->child_end };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

static bool open_tree(int32_t most, int32_t node, Tree *t) {
  size_t n = (size_t)most + 1;
  *t = (Tree){ .node = node };
  int32_t **ints[] = { &t->first,       &t->columns,   &t->rows,     &t->parent, &t->joined,
                       &t->child_begin, &t->child_end, &t->children, &t->place };
  double **doubles[] = { &t->zeros, &t->update, &t->peak };
  t->sorted = lb_alloc(n, sizeof *t->sorted);
  bool made = t->sorted;
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
    made = (*ints[i] = lb_alloc(n, sizeof **ints[i])) && made;
  for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
    made = (*doubles[i] = lb_alloc(n, sizeof **doubles[i])) && made;
  if (!made) release_tree(t);
  return made;
}

// ---- the tree ----------------------------------------------------------------------------------

// Column j follows j - 1 where both have the same rows.
static void find_supernodes(int32_t size, const int32_t *parent, const int32_t *rows, Tree *t) {
  int32_t *of = t->place; // of a column
  for (int32_t j = 0; j < size; j++) {
    bool follows = j > 0 && parent[j - 1] == j && rows[j - 1] == rows[j] + 1;
    if (!follows) {
      t->first[t->count] = j;
      t->rows[t->count] = rows[j];
      t->joined[t->count] = t->count;
      t->count++;
    }
    of[j] = t->count - 1;
    t->columns[t->count - 1]++;
  }
  for (int32_t s = 0; s < t->count; s++) {
    int32_t up = parent[t->first[s] + t->columns[s] - 1];
    t->parent[s] = up < 0 ? -1 : of[up];
  }
}

static void list_children(Tree *t) {
  int32_t *begin = t->child_begin;
  memset(begin, 0, ((size_t)t->count + 1) * sizeof *begin);
  for (int32_t s = 0; s < t->count; s++)
    if (t->joined[s] == s && t->parent[s] >= 0) begin[t->parent[s]]++;
  for (int32_t s = 0; s < t->count; s++) begin[s + 1] += begin[s];
  for (int32_t s = t->count - 1; s >= 0; s--)
    if (t->joined[s] == s && t->parent[s] >= 0) t->children[--begin[t->parent[s]]] = s;
}

static int compare_children(const void *a, const void *b) {
  const Child *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return p->index < q->index ? -1 : p->index > q->index;
}

// The children of a supernode by ascending keys, in place.
static void sort_children(Tree *t, int32_t s, double (*key)(const Tree *, int32_t, int32_t)) {
  int32_t *children = t->children + t->child_begin[s];
  size_t count = (size_t)(t->child_begin[s + 1] - t->child_begin[s]);
  for (size_t k = 0; k < count; k++) t->sorted[k] = (Child){ key(t, s, children[k]), children[k] };
  qsort(t->sorted, count, sizeof *t->sorted, compare_children);
  for (size_t k = 0; k < count; k++) children[k] = t->sorted[k].index;
}

// ---- joining -----------------------------------------------------------------------------------

// Zeros that come into L when a supernode takes a child.
static double new_zeros(const Tree *t, int32_t s, int32_t child) {
  double more = (double)t->rows[s] + t->columns[child] - t->rows[child];
  return more * t->columns[child] * t->node * t->node;
}

static bool may_join(const Tree *t, int32_t s, int32_t child) {
  double columns = ((double)t->columns[s] + t->columns[child]) * t->node;
  double rows = ((double)t->rows[s] + t->columns[child]) * t->node;
  double values = columns * rows - columns * (columns - 1) / 2;
  double zeros = t->zeros[s] + t->zeros[child] + new_zeros(t, s, child);
  size_t kind = 0;
  while (columns > JOINED[kind].columns) kind++;
  return zeros <= JOINED[kind].zeros * values;
}

static void join_children(Tree *t) {
  list_children(t);
  for (int32_t s = 0; s < t->count; s++) {
    sort_children(t, s, new_zeros);
    for (int32_t k = t->child_begin[s]; k < t->child_begin[s + 1]; k++) {
      int32_t child = t->children[k];
      if (!may_join(t, s, child)) continue;
      t->zeros[s] += t->zeros[child] + new_zeros(t, s, child);
      t->columns[s] += t->columns[child];
      t->rows[s] += t->columns[child];
      t->joined[child] = s;
    }
  }
  for (int32_t s = t->count - 1; s >= 0; s--) t->joined[s] = t->joined[t->joined[s]];
  for (int32_t s = 0; s < t->count; s++)
    if (t->parent[s] >= 0) t->parent[s] = t->joined[t->parent[s]];
}

// ---- order -------------------------------------------------------------------------------------

// Ascending: the children whose subtrees need much and leave little come first (Liu 1986), so that
// few contributions wait.
static double waiting(const Tree *t, int32_t s, int32_t child) {
  (void)s;
  return t->update[child] - t->peak[child];
}

static void measure_supernode(Tree *t, int32_t s) {
  double below = (double)t->rows[s] - t->columns[s], held = 0, most = 0;
  t->update[s] = below * below / 2;
  for (int32_t k = t->child_begin[s]; k < t->child_begin[s + 1]; k++) {
    int32_t child = t->children[k];
    if (held + t->peak[child] > most) most = held + t->peak[child];
    held += t->update[child];
  }
  t->peak[s] = held + t->update[s] > most ? held + t->update[s] : most;
}

// place of those that are left: children before parents. Returns how many.
static int32_t number(Tree *t) {
  int32_t done = 0, *next = t->children, *at = t->child_begin;
  for (int32_t s = 0; s < t->count; s++) t->place[s] = -1;
  for (int32_t root = 0; root < t->count; root++) {
    if (t->joined[root] != root || t->parent[root] >= 0) continue;
    for (int32_t s = root; s >= 0;) {
      if (at[s] < t->child_end[s]) {
        s = next[at[s]++];
        continue;
      }
      t->place[s] = done++;
      s = s == root ? -1 : t->parent[s];
    }
  }
  return done;
}

static int32_t order_tree(Tree *t) {
  list_children(t);
  for (int32_t s = 0; s < t->count; s++) {
    if (t->joined[s] != s) continue;
    sort_children(t, s, waiting);
    measure_supernode(t, s);
  }
  for (int32_t s = 0; s < t->count; s++) t->child_end[s] = t->child_begin[s + 1];
  return number(t);
}

// ---- the result --------------------------------------------------------------------------------

void lb_supernodes_release(lbSupernodes *supernodes) {
  lb_free(supernodes->column_begin);
  lb_free(supernodes->rows_begin);
  lb_free(supernodes->rows);
  *supernodes = (lbSupernodes){ 0 };
}

static bool open_result(const Tree *t, int32_t count, lbSupernodes *result) {
  int64_t rows = 0;
  for (int32_t s = 0; s < t->count; s++)
    if (t->joined[s] == s) rows += t->rows[s];
  *result = (lbSupernodes){ .count = count };
  result->column_begin = lb_alloc((size_t)count + 1, sizeof *result->column_begin);
  result->rows_begin = lb_alloc((size_t)count + 1, sizeof *result->rows_begin);
  result->rows = lb_alloc((size_t)rows + 1, sizeof *result->rows);
  if (!result->column_begin || !result->rows_begin || !result->rows) return false;
  for (int32_t s = 0; s < t->count; s++) {
    if (t->joined[s] != s) continue;
    result->column_begin[t->place[s] + 1] = t->columns[s];
    result->rows_begin[t->place[s] + 1] = t->rows[s];
  }
  for (int32_t s = 0; s < count; s++) {
    result->column_begin[s + 1] += result->column_begin[s];
    result->rows_begin[s + 1] += result->rows_begin[s];
  }
  return true;
}

// order follows the supernodes; old (size): the order before; at (count): work space.
static void renumber_supernodes(const Tree *t, int32_t size, const lbSupernodes *result,
                                const int32_t *old, int32_t *at, int32_t *order) {
  memcpy(at, result->column_begin, (size_t)result->count * sizeof *at);
  for (int32_t s = 0; s < t->count; s++) {
    int32_t end = s + 1 < t->count ? t->first[s + 1] : size, to = t->place[t->joined[s]];
    for (int32_t j = t->first[s]; j < end; j++) order[at[to]++] = old[j];
  }
}

typedef struct Rows {
  const lbGraph *graph;
  const int32_t *order;
  int32_t *place;          // (size), the inverse of order
  int32_t *mark;           // (size), the last supernode that has a row
  int32_t *head, *sibling; // (count): children; -1: none
  int64_t *at;             // (count)
} Rows;

static void add_supernode_row(const Rows *r, lbSupernodes *result, int32_t s, int32_t row) {
  if (row < result->column_begin[s + 1] || r->mark[row] == s) return;
  r->mark[row] = s;
  result->rows[r->at[s]++] = row;
}

// Rows of the matrix and of the children's, in any order.
static void gather_rows(const Rows *r, lbSupernodes *result, int32_t s, int32_t parent) {
  r->at[s] = result->rows_begin[s];
  for (int32_t j = result->column_begin[s]; j < result->column_begin[s + 1]; j++)
    result->rows[r->at[s]++] = j;
  for (int32_t j = result->column_begin[s]; j < result->column_begin[s + 1]; j++) {
    int32_t v = r->order[j];
    for (int64_t e = r->graph->begin[v]; e < r->graph->begin[v + 1]; e++)
      add_supernode_row(r, result, s, r->place[r->graph->to[e]]);
  }
  for (int32_t c = r->head[s]; c >= 0; c = r->sibling[c])
    for (int64_t k = result->rows_begin[c]; k < result->rows_begin[c + 1]; k++)
      add_supernode_row(r, result, s, result->rows[k]);
  if (parent >= 0) {
    r->sibling[s] = r->head[parent];
    r->head[parent] = s;
  }
}

// Ascending rows by listing them row by row: what each supernode has is written back in turn.
static bool sort_rows(const Rows *r, lbSupernodes *result, int32_t size) {
  int64_t total = result->rows_begin[result->count], sum = 0;
  int64_t *begin = lb_alloc((size_t)size + 1, sizeof *begin);
  int32_t *owner = lb_alloc((size_t)total + 1, sizeof *owner);
  bool made = begin && owner;
  for (int64_t k = 0; made && k < total; k++) begin[result->rows[k]]++;
  for (int32_t i = 0; made && i < size; i++) {
    int64_t count = begin[i];
    begin[i] = sum;
    sum += count;
  }
  for (int32_t s = 0; made && s < result->count; s++) {
    r->at[s] = result->rows_begin[s];
    for (int64_t k = result->rows_begin[s]; k < result->rows_begin[s + 1]; k++)
      owner[begin[result->rows[k]]++] = s;
  }
  int64_t k = 0;
  for (int32_t i = 0; made && i < size; i++)
    for (; k < begin[i]; k++) result->rows[r->at[owner[k]]++] = i;
  lb_free(begin);
  lb_free(owner);
  return made;
}

static bool find_supernode_rows(const lbGraph *graph, const Tree *t, const int32_t *order,
                                lbSupernodes *result) {
  size_t n = (size_t)graph->count, count = (size_t)result->count;
  int32_t *work = lb_alloc(2 * n + 3 * count + 1, sizeof *work);
  int64_t *at = lb_alloc(count + 1, sizeof *at);
  bool made = work && at;
  if (made) {
    Rows r = { graph, order, work, work + n, work + 2 * n, work + 2 * n + count, at };
    int32_t *parent = work + 2 * n + 2 * count;
    for (size_t i = 0; i < n; i++) {
      r.place[order[i]] = (int32_t)i;
      r.mark[i] = -1;
    }
    for (size_t s = 0; s < count; s++) r.head[s] = -1;
    for (int32_t s = 0; s < t->count; s++)
      if (t->joined[s] == s) parent[t->place[s]] = t->parent[s] < 0 ? -1 : t->place[t->parent[s]];
    for (int32_t s = 0; s < result->count; s++) gather_rows(&r, result, s, parent[s]);
    made = sort_rows(&r, result, graph->count);
  }
  lb_free(work);
  lb_free(at);
  return made;
}

bool lb_supernodes_find(const lbGraph *graph, int32_t node, const int32_t *parent,
                        const int32_t *column_rows, int32_t *order, lbSupernodes *result) {
  Tree t;
  *result = (lbSupernodes){ 0 };
  if (!open_tree(graph->count, node, &t)) return false;
  find_supernodes(graph->count, parent, column_rows, &t);
  join_children(&t);
  int32_t count = order_tree(&t);
  int32_t *old = lb_duplicate(order, (size_t)graph->count, sizeof *old);
  bool made = old && open_result(&t, count, result);
  if (made) {
    renumber_supernodes(&t, graph->count, result, old, t.children, order);
    made = find_supernode_rows(graph, &t, order, result);
  }
  if (!made) lb_supernodes_release(result);
  lb_free(old);
  release_tree(&t);
  return made;
}
