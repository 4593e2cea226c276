// The tree of fronts: rows, places in parents, and the cut into tasks.
#include "linalg/fronts.h"

#include <stdlib.h>
#include <string.h>

// No task has more than this part of the work.
static const double TASK_SHARE = 1.0 / 24;
// Contribution blocks up to this total size stay allocated between factorisations.
static const size_t KEPT_BYTES = (size_t)32 << 20;

void lb_fronts_destroy(lbFronts *fronts) {
  if (!fronts) return;
  void *blocks[] = { fronts->fronts, fronts->rows,  fronts->to_parent, fronts->front_of,
                     fronts->order,  fronts->place, fronts->tasks,     fronts->top };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_free(fronts);
}

size_t lb_fronts_bytes(const lbFronts *fronts) {
  const lbFront *last = &fronts->fronts[fronts->count - 1];
  size_t below = (size_t)(last->below_begin + last->below_count);
  return sizeof *fronts + (size_t)fronts->count * sizeof *fronts->fronts +
         (2 * below + 3 * (size_t)fronts->size) * sizeof(int32_t) +
         (size_t)fronts->task_count * sizeof *fronts->tasks;
}

size_t lb_fronts_waiting_count(const lbFronts *fronts) {
  size_t waiting = 0, most = 0;
  for (int32_t s = 0; s < fronts->count; s++) {
    const lbFront *front = &fronts->fronts[s];
    waiting += lb_front_update_begin(front, front->below_count);
    if (waiting > most) most = waiting;
    for (int32_t c = front->first_child; c >= 0; c = fronts->fronts[c].next_sibling)
      waiting -= lb_front_update_begin(&fronts->fronts[c], fronts->fronts[c].below_count);
  }
  return most;
}

// ---- fronts ------------------------------------------------------------------------------------

static size_t front_values(const lbFront *front) {
  lbFrontBlock last = lb_front_block(front, lb_front_blocks(front) - 1);
  return last.at + (size_t)(lb_front_rows(front) - last.begin) * (size_t)last.columns;
}

static double front_flops(const lbFront *front) {
  double sum = 0;
  for (double rows = lb_front_rows(front), c = 0; c < front->column_count; c++, rows--)
    sum += rows * rows;
  return sum;
}

static void fill_fronts(lbFronts *f, const int32_t *super, const int32_t *rows_begin,
                        const int32_t *rows) {
  int32_t used = 0;
  for (int32_t s = 0; s < f->count; s++) {
    lbFront *front = &f->fronts[s];
    int32_t columns = super[s + 1] - super[s], below = rows_begin[s + 1] - rows_begin[s] - columns;
    *front = (lbFront){ .column_begin = super[s],
                        .column_count = columns,
                        .below_count = below,
                        .below_begin = used,
                        .parent = -1,
                        .first_child = -1,
                        .next_sibling = -1,
                        .task = -1,
                        .value_begin = f->value_count,
                        .update_begin = f->update_count };
    memcpy(f->rows + used, rows + rows_begin[s] + columns, (size_t)below * sizeof *rows);
    used += below;
    f->value_count += front_values(front);
    f->update_count += lb_front_update_begin(front, below);
    f->flops += front_flops(front);
    for (int32_t j = super[s]; j < super[s + 1]; j++) f->front_of[j] = s;
  }
}

// Parents, children and the places of rows in the parents' rows.
static void link_fronts(lbFronts *f) {
  for (int32_t s = f->count - 1; s >= 0; s--) { // children come out ascending
    lbFront *front = &f->fronts[s];
    if (!front->below_count) continue;
    const int32_t *rows = f->rows + front->below_begin;
    front->parent = f->front_of[rows[0]];
    lbFront *parent = &f->fronts[front->parent];
    front->next_sibling = parent->first_child;
    parent->first_child = s;
    const int32_t *above = f->rows + parent->below_begin;
    int32_t end = parent->column_begin + parent->column_count, at = 0;
    for (int32_t i = 0; i < front->below_count; i++) {
      bool own = rows[i] < end;
      while (!own && above[at] < rows[i]) at++;
      f->to_parent[front->below_begin + i] =
          own ? rows[i] - parent->column_begin : parent->column_count + at;
    }
  }
}

// ---- tasks -------------------------------------------------------------------------------------

// Rows that a front's children leave for it on the stack, of those children that are marked alike.
static int32_t waiting_rows(const lbFronts *f, const lbFront *front, const bool *top, bool is_top) {
  int32_t rows = 0;
  for (int32_t c = front->first_child; c >= 0; c = f->fronts[c].next_sibling)
    if (top[c] == is_top) rows += f->fronts[c].below_count;
  return rows;
}

// After front s its contribution block replaces those of its children on the stack.
static void measure_stack(const lbFronts *f, const bool *top, int32_t s, int32_t *height,
                          lbFrontTask *task) {
  const lbFront *front = &f->fronts[s];
  *height += front->below_count - waiting_rows(f, front, top, top[s]);
  if (*height > task->stack_rows) task->stack_rows = *height;
  if (lb_front_rows(front) > task->front_rows) task->front_rows = lb_front_rows(front);
}

static int compare_tasks(const void *a, const void *b) {
  const lbFrontTask *p = a, *q = b;
  if (p->flops != q->flops) return p->flops > q->flops ? -1 : 1;
  return p->begin < q->begin ? -1 : 1;
}

// top: fronts whose subtree is too much for one task. first: the first front of each subtree.
static void cut_tree(lbFronts *f, const double *flops, const int32_t *first, bool *top) {
  int32_t top_height = 0;
  lbFrontTask of_top = { 0 };
  for (int32_t s = 0; s < f->count; s++) top[s] = flops[s] > TASK_SHARE * f->flops;
  for (int32_t s = 0; s < f->count; s++) {
    int32_t parent = f->fronts[s].parent, height = 0;
    if (top[s]) {
      f->top[f->top_count++] = s;
      measure_stack(f, top, s, &top_height, &of_top);
    } else if (parent < 0 || top[parent]) {
      lbFrontTask task = { .begin = first[s], .end = s + 1, .flops = flops[s] };
      for (int32_t t = first[s]; t <= s; t++) measure_stack(f, top, t, &height, &task);
      f->tasks[f->task_count++] = task;
    }
  }
  qsort(f->tasks, (size_t)f->task_count, sizeof *f->tasks, compare_tasks);
  f->tasks[f->task_count] = of_top;
}

// Where each task works in a sweep, and which fronts are roots of tasks.
static void place_tasks(lbFronts *f) {
  for (int32_t t = 0; t <= f->task_count; t++) {
    lbFrontTask *task = &f->tasks[t];
    task->work_begin = f->work_rows;
    f->work_rows += (size_t)task->stack_rows + (size_t)task->front_rows;
    if (t < f->task_count) f->fronts[task->end - 1].task = t;
  }
}

static lbStatus make_tasks(lbFronts *f, lbError *err) {
  size_t count = (size_t)f->count;
  double *flops = lb_alloc(count, sizeof *flops);
  int32_t *first = lb_alloc(count, sizeof *first);
  bool *top = lb_alloc(count, sizeof *top);
  f->tasks = lb_alloc(count + 1, sizeof *f->tasks);
  f->top = lb_alloc(count, sizeof *f->top);
  bool made = flops && first && top && f->tasks && f->top;
  for (int32_t s = 0; made && s < f->count; s++) first[s] = s;
  for (int32_t s = 0; made && s < f->count; s++) { // children come before their parents
    int32_t parent = f->fronts[s].parent;
    flops[s] += front_flops(&f->fronts[s]);
    if (parent < 0) continue;
    flops[parent] += flops[s];
    if (first[s] < first[parent]) first[parent] = first[s];
  }
  if (made) {
    cut_tree(f, flops, first, top);
    place_tasks(f);
  }
  lb_free(flops);
  lb_free(first);
  lb_free(top);
  return made ? LB_OK : lb_fail_memory(err);
}

// ---- public ------------------------------------------------------------------------------------

lbStatus lb_fronts_create(int32_t size, int32_t count, const int32_t *super,
                          const int32_t *rows_begin, const int32_t *rows, const int32_t *order,
                          lbFronts **out, lbError *err) {
  lbFronts *f = lb_alloc(1, sizeof *f);
  if (!f) return lb_fail_memory(err);
  size_t n = (size_t)size, row_count = (size_t)rows_begin[count];
  f->size = size;
  f->count = count;
  f->fronts = lb_alloc((size_t)count, sizeof *f->fronts);
  f->rows = lb_alloc(row_count - n, sizeof *f->rows);
  f->to_parent = lb_alloc(row_count - n, sizeof *f->to_parent);
  f->front_of = lb_alloc(n, sizeof *f->front_of);
  f->order = lb_duplicate(order, n, sizeof *order);
  f->place = lb_alloc(n, sizeof *f->place);
  lbStatus status = f->fronts && f->rows && f->to_parent && f->front_of && f->order && f->place
                        ? LB_OK
                        : lb_fail_memory(err);
  if (!status) {
    for (int32_t i = 0; i < size; i++) f->place[order[i]] = i;
    fill_fronts(f, super, rows_begin, rows);
    link_fronts(f);
    status = make_tasks(f, err);
  }
  if (status)
    lb_fronts_destroy(f);
  else
    *out = f;
  return status;
}

size_t lb_fronts_work_count(const lbFronts *fronts, int32_t width) {
  return fronts->work_rows * (size_t)width;
}

lbStatus lb_front_scratch_open(const lbFronts *fronts, lbFrontScratch *scratch, lbError *err) {
  size_t slots = (size_t)fronts->task_count + 1;
  if (scratch->updates) return LB_OK;
  scratch->pivots = lb_alloc(slots, sizeof *scratch->pivots);
  scratch->short_of_memory = lb_alloc(slots, sizeof *scratch->short_of_memory);
  scratch->list = lb_alloc(slots, sizeof *scratch->list);
  scratch->updates = lb_alloc((size_t)fronts->count, sizeof *scratch->updates);
  bool made = scratch->pivots && scratch->short_of_memory && scratch->list && scratch->updates;
  if (made && fronts->update_count * sizeof(double) <= KEPT_BYTES) {
    scratch->kept = lb_alloc(fronts->update_count, sizeof(double));
    made = scratch->kept;
  }
  if (made) return LB_OK;
  lb_front_scratch_release(scratch);
  return lb_fail_memory(err);
}

void lb_front_scratch_release(lbFrontScratch *scratch) {
  void *blocks[] = { scratch->updates, scratch->pivots, scratch->short_of_memory, scratch->list,
                     scratch->kept };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  *scratch = (lbFrontScratch){ 0 };
}
