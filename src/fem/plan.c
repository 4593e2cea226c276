// The plan by which element forces and tangents are summed: which element contributes to which
// vertex and to which block of the matrix; the sum of forces. Blocks are summed in chunks.c.
#include "fem/fem.h"

#include <stdlib.h>
#include <string.h>

// Calls visit for every element: its vertices, node count, and where its forces and blocks begin.
typedef void ElementVisitor(lbFem *fem, const int32_t *vertices, int32_t nodes, int32_t force_begin,
                            int32_t block_begin, void *context);

static void visit_elements(lbFem *fem, ElementVisitor *visit, void *context) {
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    int32_t nodes = lb_element_nodes(set->kind), pairs = lb_element_pairs(set->kind);
    for (int32_t slot = 0; slot < set->element_count; slot++) {
      int32_t vertices[LB_ELEMENT_NODES_MAX];
      size_t batch = (size_t)(slot / LB_BATCH), lane = (size_t)(slot % LB_BATCH);
      for (int32_t a = 0; a < nodes; a++)
        vertices[a] = set->vertices[(batch * (size_t)nodes + (size_t)a) * LB_BATCH + lane];
      visit(fem, vertices, nodes, set->force_begin + slot * nodes, set->block_begin + slot * pairs,
            context);
    }
  }
}

static void running_sums(int32_t *begin, int32_t count) { // counts at [1, count] become offsets
  for (int32_t i = 0; i < count; i++) begin[i + 1] += begin[i];
}

// ---- forces: vertex ← element forces -----------------------------------------------------------

static void count_plan_forces(lbFem *fem, const int32_t *vertices, int32_t nodes,
                              int32_t force_begin, int32_t block_begin, void *context) {
  (void)force_begin, (void)block_begin, (void)context;
  for (int32_t a = 0; a < nodes; a++) fem->forces.begin[vertices[a] + 1]++;
}

static void list_forces(lbFem *fem, const int32_t *vertices, int32_t nodes, int32_t force_begin,
                        int32_t block_begin, void *context) {
  (void)block_begin;
  int32_t *next = context;
  for (int32_t a = 0; a < nodes; a++)
    fem->forces.from[next[vertices[a]]++] = (uint32_t)(force_begin + a);
}

static lbStatus plan_forces(lbFem *fem, lbError *err) {
  size_t vertices = (size_t)fem->vertex_count;
  fem->forces.begin = lb_alloc(vertices + 1, sizeof(int32_t));
  fem->forces.from = lb_alloc((size_t)fem->force_count, sizeof(uint32_t));
  if (!fem->forces.begin || !fem->forces.from) return lb_fail_memory(err);
  visit_elements(fem, count_plan_forces, NULL);
  running_sums(fem->forces.begin, fem->vertex_count);
  int32_t *next = lb_duplicate(fem->forces.begin, vertices, sizeof(int32_t));
  if (!next) return lb_fail_memory(err);
  visit_elements(fem, list_forces, next);
  lb_free(next);
  return LB_OK;
}

// ---- blocks: matrix block ← element blocks -----------------------------------------------------

typedef struct Contribution { // to the matrix column it is listed under
  int32_t row;                // 2 x row node + transposed
  uint32_t element;           // element block
} Contribution;

typedef struct BlockLists {
  int32_t *next; // (node_count), where the next contribution to a column goes
  Contribution *list;
} BlockLists;

static void count_plan_blocks(lbFem *fem, const int32_t *vertices, int32_t nodes,
                              int32_t force_begin, int32_t block_begin, void *context) {
  (void)force_begin, (void)block_begin;
  int32_t *begin = context;
  for (int32_t b = 0; b < nodes; b++)
    for (int32_t a = 0; a <= b; a++) {
      int32_t i = fem->node_of_vertex[vertices[a]], j = fem->node_of_vertex[vertices[b]];
      if (i >= 0 && j >= 0) begin[(i > j ? i : j) + 1]++;
    }
}

static void list_plan_blocks(lbFem *fem, const int32_t *vertices, int32_t nodes,
                             int32_t force_begin, int32_t block_begin, void *context) {
  (void)force_begin;
  BlockLists *lists = context;
  for (int32_t b = 0; b < nodes; b++)
    for (int32_t a = 0; a <= b; a++) {
      int32_t i = fem->node_of_vertex[vertices[a]], j = fem->node_of_vertex[vertices[b]];
      if (i < 0 || j < 0) continue;
      int32_t row = i < j ? i : j, column = i < j ? j : i;
      lists->list[lists->next[column]++] =
          (Contribution){ 2 * row + (i > j), (uint32_t)(block_begin + lb_element_pair(a, b)) };
    }
}

static int compare_contributions(const void *a, const void *b) {
  const Contribution *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return (x->element > y->element) - (x->element < y->element);
}

static void sort_columns(int32_t begin, int32_t end, void *context) {
  const BlockLists *lists = context; // after listing, next[j] is the end of column j
  for (int32_t j = begin; j < end; j++) {
    int32_t first = j == 0 ? 0 : lists->next[j - 1];
    qsort(lists->list + first, (size_t)(lists->next[j] - first), sizeof(Contribution),
          compare_contributions);
  }
}

// Turns sorted contributions into the block pattern, and hands them on to be sorted into chunks.
static lbStatus compress_blocks(lbFem *fem, const BlockLists *lists, lbError *err) {
  lbArena arena = { 0 };
  int32_t total = lists->next[fem->node_count - 1], count = 0;
  for (int32_t j = 0, k = 0; j < fem->node_count; j++)
    for (int32_t row = -1; k < lists->next[j]; k++) {
      count += lists->list[k].row / 2 != row;
      row = lists->list[k].row / 2;
    }
  fem->column_begin = lb_alloc((size_t)fem->node_count + 1, sizeof(int32_t));
  fem->block_rows = lb_alloc((size_t)count, sizeof(int32_t));
  fem->block_columns = lb_alloc((size_t)count, sizeof(int32_t));
  int32_t *begin = lb_arena_alloc(&arena, (size_t)count + 1, sizeof(int32_t));
  int32_t *turned_begin = lb_arena_alloc(&arena, (size_t)count, sizeof(int32_t));
  uint32_t *from = lb_arena_alloc(&arena, (size_t)total, sizeof(uint32_t));
  if (!fem->column_begin || !fem->block_rows || !fem->block_columns || !begin || !turned_begin ||
      !from) {
    lb_arena_release(&arena);
    return lb_fail_memory(err);
  }
  int32_t block = -1;
  for (int32_t j = 0, k = 0; j < fem->node_count; j++) {
    for (int32_t row = -1; k < lists->next[j]; k++) {
      bool turned = lists->list[k].row % 2;
      if (lists->list[k].row / 2 != row) {
        row = lists->list[k].row / 2;
        fem->block_rows[++block] = row;
        fem->block_columns[block] = j;
        begin[block] = turned_begin[block] = k;
      }
      turned_begin[block] += !turned;
      from[k] = lists->list[k].element;
    }
    fem->column_begin[j + 1] = block + 1;
  }
  begin[block + 1] = total;
  lbStatus status = lb_fem_plan_chunks(fem, &(lbContributions){ begin, turned_begin, from }, err);
  lb_arena_release(&arena);
  return status;
}

static lbStatus plan_blocks(lbFem *fem, lbError *err) {
  lbStatus status = LB_OK;
  size_t nodes = (size_t)fem->node_count;
  BlockLists lists = { 0 };
  int32_t *begin = lb_alloc(nodes + 1, sizeof(int32_t));
  if (!begin) return lb_fail_memory(err);
  visit_elements(fem, count_plan_blocks, begin);
  running_sums(begin, fem->node_count);
  lists.next = lb_duplicate(begin, nodes, sizeof(int32_t));
  lists.list = lb_alloc((size_t)begin[nodes], sizeof(Contribution));
  if (!lists.next || !lists.list) {
    status = lb_fail_memory(err);
    goto done;
  }
  visit_elements(fem, list_plan_blocks, &lists);
  lb_parallel_for(fem->node_count, 256, sort_columns, &lists);
  status = compress_blocks(fem, &lists, err);
done:
  lb_free(begin);
  lb_free(lists.next);
  lb_free(lists.list);
  return status;
}

// ---- the scalar pattern ------------------------------------------------------------------------

static lbStatus set_node_positions(lbFem *fem, lbError *err) {
  double *positions = lb_alloc(3 * (size_t)fem->node_count, sizeof *positions);
  if (!positions) return lb_fail_memory(err);
  for (size_t i = 0; i < (size_t)fem->node_count; i++)
    memcpy(positions + 3 * i, fem->positions + 3 * (size_t)fem->vertex_of_node[i],
           3 * sizeof *positions);
  lbStatus status = lb_sparse_set_positions(fem->pattern, positions, err);
  lb_free(positions);
  return status;
}

// Scalar column 3 j + c holds three rows of every block above the diagonal, then c + 1 rows of the
// diagonal block.
static lbStatus make_plan_pattern(lbFem *fem, lbError *err) {
  int32_t size = 3 * fem->node_count;
  int64_t total = 9 * (int64_t)fem->column_begin[fem->node_count] - 3 * (int64_t)fem->node_count;
  if (total > INT32_MAX || fem->node_count > INT32_MAX / 3)
    return lb_fail(err, LB_ERR_MESH, "%s: the mesh is too large (%d vertices)", fem->name,
                   (int)fem->vertex_count);
  int32_t *begin = lb_alloc((size_t)size + 1, sizeof(int32_t));
  int32_t *rows = lb_alloc((size_t)total, sizeof(int32_t));
  lbStatus status = begin && rows ? LB_OK : lb_fail_memory(err);
  for (int32_t j = 0, k = 0; j < fem->node_count && !status; j++)
    for (int32_t c = 0; c < 3; c++) {
      for (int32_t b = fem->column_begin[j]; b < fem->column_begin[j + 1]; b++) {
        int32_t row_count = fem->block_rows[b] == j ? c + 1 : 3;
        for (int32_t r = 0; r < row_count; r++) rows[k++] = 3 * fem->block_rows[b] + r;
      }
      begin[3 * j + c + 1] = k;
    }
  if (!status) status = lb_sparse_create(size, begin, rows, &fem->pattern, err);
  if (!status) {
    lb_free(fem->pattern->values);
    fem->pattern->values = NULL;
    status = set_node_positions(fem, err);
  }
  lb_free(begin);
  lb_free(rows);
  return status;
}

lbStatus lb_fem_plan(lbFem *fem, lbError *err) {
  lbStatus status = plan_forces(fem, err);
  if (!status) status = plan_blocks(fem, err);
  if (!status) status = make_plan_pattern(fem, err);
  return status;
}

// ---- the sums ----------------------------------------------------------------------------------

typedef struct ForceSum {
  const lbFem *fem;
  const double *element_forces;
  double *forces;
} ForceSum;

static void sum_forces(int32_t begin, int32_t end, void *context) {
  const ForceSum *job = context;
  const lbGather *gather = &job->fem->forces;
  for (int32_t v = begin; v < end; v++) {
    double sum[3] = { 0 };
    for (int32_t k = gather->begin[v]; k < gather->begin[v + 1]; k++)
      for (int i = 0; i < 3; i++) sum[i] += job->element_forces[3 * (size_t)gather->from[k] + i];
    memcpy(job->forces + 3 * (size_t)v, sum, sizeof sum);
  }
}

void lb_fem_gather_forces(const lbFem *fem, const double *element_forces, double *forces) {
  ForceSum job = { fem, element_forces, forces };
  lb_parallel_for(fem->vertex_count, 1024, sum_forces, &job);
}
