// Orders of elimination and the structure of L: against a plain elimination of the pattern, against
// CHOLMOD where it is linked, and solved with.
#include "problems.h"

#include "fem/fem.h"
#include "linalg/cholesky.h"
#include "linalg/fronts.h"
#include "linalg/own/graph.h"
#include "linalg/own/supernodes.h"
#include "threads/threads.h"

// ---- patterns ----------------------------------------------------------------------------------

enum { RANDOM, PATH, STAR, ARROW, DIAGONAL, PIECES, CLIQUE, GRID, PATTERN_KINDS };

static void join(Entries *entries, int32_t i, int32_t j) { add_entry(entries, i, j, -0.01); }

// Positive definite, of so many nodes of `node` unknowns.
static lbSparse *make_pattern(int kind, int32_t count, int32_t node, uint64_t *seed) {
  Entries nodes = { 0 }, entries = { 0 };
  int32_t side = (int32_t)sqrt((double)count);
  for (int32_t i = 0; i < count; i++) join(&nodes, i, i);
  if (kind == RANDOM || kind == PIECES)
    for (int32_t k = 0; k < 2 * count; k++) {
      int32_t i = (int32_t)((check_random(seed) + 1) / 2 * count);
      int32_t j = (int32_t)((check_random(seed) + 1) / 2 * count);
      if (kind == PIECES) j = i / 7 * 7 + j % 7;
      if (j < count) join(&nodes, i, j);
    }
  for (int32_t i = 0; i + 1 < count; i++) {
    if (kind == PATH) join(&nodes, i, i + 1);
    if (kind == STAR || kind == ARROW) join(&nodes, i, count - 1);
    if (kind == ARROW) join(&nodes, i, i + 1);
    for (int32_t j = 0; kind == CLIQUE && j < i; j++) join(&nodes, i, j);
    if (kind == GRID && (i + 1) % side) join(&nodes, i, i + 1);
    if (kind == GRID && i + side < count) join(&nodes, i, i + side);
  }
  for (size_t k = 0; k < nodes.count; k++)
    for (int32_t r = 0; r < node; r++)
      for (int32_t c = 0; c < node; c++) {
        Entry e = nodes.items[k];
        if (e.row == e.column && r > c) continue;
        add_entry(&entries, node * e.row + r, node * e.column + c, e.value);
      }
  lb_free(nodes.items);
  lbSparse *A = make_sparse(node * count, &entries);
  double *sums = calloc((size_t)A->size, sizeof *sums); // the diagonal outweighs its row
  for (int32_t j = 0; j < A->size; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++) {
      sums[j] += fabs(A->values[k]);
      sums[A->rows[k]] += fabs(A->values[k]);
    }
  for (int32_t j = 0; j < A->size; j++) A->values[A->column_begin[j + 1] - 1] = 1 + sums[j];
  free(sums);
  return A;
}

// A box of voxels: corners that share a voxel are neighbours, 3x3 unknowns each.
static lbSparse *make_voxels(int32_t nx, int32_t ny, int32_t nz) {
  lbError err = { 0 };
  lbSparse *A = NULL;
  int32_t count = nx * ny * nz, used = 0;
  int32_t *begin = calloc(3 * (size_t)count + 1, sizeof *begin);
  int32_t *rows = calloc(9 * 14 * (size_t)count, sizeof *rows);
  for (int32_t column = 0; column < 3 * count; column++) {
    int32_t v = column / 3, x = v % nx, y = v / nx % ny, z = v / (nx * ny);
    for (int32_t k = 0; k < 14; k++) { // neighbours before it, and itself
      int32_t u[3] = { x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1 };
      if (u[0] < 0 || u[0] >= nx || u[1] < 0 || u[1] >= ny || u[2] < 0) continue;
      int32_t row = 3 * (u[0] + nx * (u[1] + ny * u[2]));
      for (int32_t r = row; r < row + 3 && r <= column; r++) rows[used++] = r;
    }
    begin[column + 1] = used;
  }
  check_ok(lb_sparse_create(3 * count, begin, rows, &A, &err), err);
  for (int32_t j = 0; j < A->size; j++)
    for (int32_t k = begin[j]; k < begin[j + 1]; k++) A->values[k] = rows[k] == j ? 100 : -1;
  free(begin), free(rows);
  return A;
}

// ---- what is true ------------------------------------------------------------------------------

// The pattern of L for an order, by elimination: full[j * n + i], i >= j.
static bool *eliminate_plainly(const lbSparse *A, const int32_t *order) {
  size_t n = (size_t)A->size;
  bool *full = calloc(n * n, sizeof *full);
  int32_t *place = calloc(n, sizeof *place);
  for (size_t i = 0; i < n; i++) place[order[i]] = (int32_t)i;
  for (size_t j = 0; j < n; j++) {
    full[j * n + j] = true;
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++) {
      size_t a = (size_t)place[j], b = (size_t)place[A->rows[k]];
      full[a < b ? a * n + b : b * n + a] = true;
    }
  }
  for (size_t j = 0; j < n; j++)
    for (size_t a = j + 1; a < n; a++)
      for (size_t b = a; full[j * n + a] && b < n; b++) full[a * n + b] |= full[j * n + b];
  free(place);
  return full;
}

static void check_permutation(int32_t count, const int32_t *order) {
  bool *seen = calloc((size_t)count, sizeof *seen);
  for (int32_t i = 0; i < count; i++) {
    assert_in_range(order[i], 0, count - 1);
    assert_false(seen[order[i]]);
    seen[order[i]] = true;
  }
  free(seen);
}

// Every entry of L has a place, no front a row that none of its columns has, children's rows are
// rows of their parents, children come first.
static void check_fronts(const lbSparse *A, const lbFronts *f) {
  size_t n = (size_t)A->size, places = 0;
  check_permutation(A->size, f->order);
  bool *full = eliminate_plainly(A, f->order);
  int32_t column = 0;
  for (int32_t s = 0; s < f->count; s++) {
    const lbFront *front = &f->fronts[s];
    const int32_t *rows = f->rows + front->below_begin;
    assert_int_equal(front->column_begin, column);
    column += front->column_count;
    assert_true(front->column_count > 0 && (front->parent < 0 || front->parent > s));
    assert_true((front->parent < 0) == (front->below_count == 0));
    for (int32_t k = 0; k < front->below_count; k++) {
      bool used = false;
      assert_true(rows[k] >= column && (k == 0 || rows[k] > rows[k - 1]));
      for (int32_t j = front->column_begin; j < column; j++)
        used |= full[(size_t)j * n + (size_t)rows[k]];
      assert_true(used);
      const lbFront *parent = &f->fronts[front->parent];
      int32_t at = f->to_parent[front->below_begin + k];
      assert_int_equal(at < parent->column_count
                           ? parent->column_begin + at
                           : f->rows[parent->below_begin + at - parent->column_count],
                       rows[k]);
    }
    for (int32_t j = front->column_begin; j < column; j++) {
      size_t own = 0, found = (size_t)(column - j);
      for (size_t i = (size_t)column; i < n; i++) own += full[(size_t)j * n + i];
      for (int32_t k = 0; k < front->below_count; k++)
        found += full[(size_t)j * n + (size_t)rows[k]];
      assert_int_equal(found, own + (size_t)(column - j));
      places += found;
    }
  }
  assert_int_equal(column, A->size);
  assert_true(f->value_count >= places);
  free(full);
}

// Counts without L are those of L.
static void check_counts(const lbSparse *A, int32_t *order) {
  lbGraph graph;
  size_t n = (size_t)A->size;
  int32_t *parent = calloc(n, sizeof *parent), *rows = calloc(n, sizeof *rows);
  assert_true(lb_graph_of_sparse(A, 1, &graph));
  check_permutation(A->size, order);
  assert_true(lb_graph_eliminate(&graph, order, parent, rows));
  bool *full = eliminate_plainly(A, order);
  for (size_t j = 0; j < n; j++) {
    int32_t count = 0, first = -1;
    for (size_t i = n; i-- > j;) {
      count += full[j * n + i];
      if (full[j * n + i] && i > j) first = (int32_t)i;
    }
    assert_int_equal(rows[j], count);
    assert_int_equal(parent[j], first);
  }
  lb_graph_release(&graph);
  free(full), free(parent), free(rows);
}

static void random_patterns_have_the_structure_of_their_factors(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int32_t round = 0; round < CHECK_CASES(320); round++) {
    lbError err = { 0 };
    lbFronts *fronts = NULL;
    int32_t count = 1 + (int32_t)((check_random(&seed) + 1) * 30), node = round % 3 ? 1 : 3;
    lbSparse *A = make_pattern(round % PATTERN_KINDS, count, node, &seed);
    check_ok(lb_fronts_analyse_own(A, &fronts, &err), err);
    check_fronts(A, fronts);
    int32_t *order = calloc((size_t)A->size, sizeof *order);
    for (int32_t i = 0; i < A->size; i++) order[i] = i * 7919 % A->size;
    if (A->size % 7919) check_counts(A, order);
    free(order);
    lb_fronts_destroy(fronts);
    lb_sparse_destroy(A);
  }
}

// ---- dissection --------------------------------------------------------------------------------

static double order_flops(const lbGraph *graph, int32_t *order) {
  size_t n = (size_t)graph->count;
  int32_t *parent = calloc(n, sizeof *parent), *rows = calloc(n, sizeof *rows);
  double flops = 0;
  assert_true(lb_graph_eliminate(graph, order, parent, rows));
  for (size_t j = 0; j < n; j++) flops += (double)rows[j] * rows[j];
  free(parent), free(rows);
  return flops;
}

static void separators_part_what_they_separate(void **state) {
  (void)state;
  uint64_t seed = 8;
  for (int kind = 0; kind < PATTERN_KINDS; kind++)
    for (int32_t count = 2; count < (kind == CLIQUE ? 300 : 3000); count = 3 * count + 1) {
      lbGraph graph;
      lbSparse *A = make_pattern(kind, count, 1, &seed);
      uint8_t *part = calloc((size_t)count, 1);
      assert_true(lb_graph_of_sparse(A, 1, &graph));
      assert_true(lb_graph_separate(&graph, part));
      int32_t counts[3] = { 0 };
      for (int32_t v = 0; v < count; v++) {
        assert_in_range(part[v], 0, 2);
        counts[part[v]]++;
        for (int64_t e = graph.begin[v]; e < graph.begin[v + 1]; e++)
          assert_false(part[v] != 2 && part[graph.to[e]] == 1 - part[v]);
      }
      if (kind == GRID && count > 100) { // no more than a few of its sides between
        assert_true(counts[2] < 1.5 * sqrt(count));
        assert_true(counts[0] < 0.6 * count && counts[1] < 0.6 * count);
      }
      lb_graph_release(&graph);
      lb_sparse_destroy(A);
      free(part);
    }
}

static void dissection_orders_every_kind_of_graph(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (int kind = 0; kind < PATTERN_KINDS; kind++) {
    int32_t count = kind == CLIQUE ? 450 : 1000;
    lbGraph graph;
    lbSparse *A = make_pattern(kind, count, 1, &seed);
    int32_t *order = calloc((size_t)count, sizeof *order);
    assert_true(lb_graph_of_sparse(A, 1, &graph));
    assert_true(lb_graph_dissect(&graph, NULL, order));
    check_counts(A, order);
    lb_graph_release(&graph);
    lb_sparse_destroy(A);
    free(order);
  }
}

// A cube is where dissection has to win; the bound is what an order by planes takes.
static void dissection_of_a_cube_takes_less_work_than_degrees(void **state) {
  (void)state;
  lbGraph graph;
  lbSparse *A = make_voxels(16, 16, 16);
  int32_t *order = calloc((size_t)A->size, sizeof *order);
  assert_true(lb_graph_of_sparse(A, 3, &graph));
  assert_true(lb_graph_dissect(&graph, NULL, order));
  double dissected = order_flops(&graph, order);
  assert_true(lb_graph_order_by_degree(&graph, graph.count, 0, order));
  double by_degree = order_flops(&graph, order);
  print_message("cube of 4096: %.3g dissected, %.3g by degrees\n", dissected, by_degree);
  assert_true(dissected < by_degree);
  lb_graph_release(&graph);
  lb_sparse_destroy(A);
  free(order);
}

// Positions that say nothing (all alike, or mixed) give an order all the same; those of a grid a
// better one than the graph.
static void positions_make_dissections_better(void **state) {
  (void)state;
  uint64_t seed = 9;
  int32_t sides[3] = { 24, 16, 12 }, count = 24 * 16 * 12;
  lbGraph graph;
  lbSparse *A = make_voxels(sides[0], sides[1], sides[2]);
  double *positions = calloc(3 * (size_t)count, sizeof *positions), flops[4];
  int32_t *order = calloc((size_t)count, sizeof *order);
  assert_true(lb_graph_of_sparse(A, 3, &graph));
  for (int kind = 0; kind < 4; kind++) {
    for (int32_t v = 0; v < count; v++) {
      double *x = positions + 3 * (size_t)v;
      x[0] = v % 24, x[1] = v / 24 % 16, x[2] = v / (24 * 16);
      for (int c = 0; c < 3 && kind > 1; c++) x[c] = kind == 2 ? 1 : check_random(&seed);
    }
    assert_true(lb_graph_dissect(&graph, kind ? positions : NULL, order));
    check_permutation(count, order);
    flops[kind] = order_flops(&graph, order);
  }
  print_message("24 x 16 x 12: %.3g by the graph, %.3g by planes\n", flops[0], flops[1]);
  assert_true(flops[1] < 1.02 * flops[0]);
  lb_graph_release(&graph);
  lb_sparse_destroy(A);
  free(order), free(positions);
}

// Vertices that stay are neighbours that count, and are not in the order.
static void vertices_around_a_part_are_left_out(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int32_t round = 0; round < CHECK_CASES(100); round++) {
    lbGraph graph;
    lbSparse *A = make_pattern(round % PATTERN_KINDS, 40, 1, &seed);
    int32_t order[40], count = 1 + round % 40;
    assert_true(lb_graph_of_sparse(A, 1, &graph));
    assert_true(lb_graph_order_by_degree(&graph, count, (uint64_t)(round % 3), order));
    check_permutation(count, order);
    lb_graph_release(&graph);
    lb_sparse_destroy(A);
  }
}

// Nothing recurses, nothing is quadratic.
static void long_and_loose_matrices_are_analysed(void **state) {
  (void)state;
  uint64_t seed = 1;
  static const int kinds[] = { PATH, STAR, DIAGONAL, PIECES };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    lbError err = { 0 };
    lbFronts *fronts = NULL;
    lbGraph graph;
    int32_t size = CHECK_SANITIZED ? 5000 : 60000, *order = calloc((size_t)size, sizeof *order);
    lbSparse *A = make_pattern(kinds[k], size, 1, &seed);
    check_ok(lb_fronts_analyse_own(A, &fronts, &err), err);
    check_permutation(size, fronts->order);
    assert_true(fronts->value_count < 12 * (size_t)size);
    assert_true(lb_graph_of_sparse(A, 1, &graph));
    assert_true(lb_graph_dissect(&graph, NULL, order));
    check_permutation(size, order);
    lb_graph_release(&graph);
    lb_fronts_destroy(fronts);
    lb_sparse_destroy(A);
    free(order);
  }
}

// ---- beside CHOLMOD ----------------------------------------------------------------------------

static void compare_fill(const char *name, const lbSparse *A) {
  const lbAnalysis *analyses;
  size_t most = 0;
  int32_t count = lb_fronts_analyses(&analyses);
  for (int32_t i = 0; i < count; i++) {
    lbError err = { 0 };
    lbFronts *fronts = NULL;
    check_ok(analyses[i].run(A, &fronts, &err), err);
    print_message("%s, %d rows, %s: %zu values, %.3g flops\n", name, A->size, analyses[i].name,
                  fronts->value_count, fronts->flops);
    if (i == 0) most = fronts->value_count;
    assert_true((double)fronts->value_count <= 1.3 * (double)most);
    lb_fronts_destroy(fronts);
  }
}

static void fill_is_within_a_third_of_cholmod(void **state) {
  (void)state;
  static const int32_t boxes[][3] = { { 60, 5, 5 }, { 30, 20, 4 }, { 14, 14, 14 }, { 200, 3, 3 } };
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
    lbSparse *A = make_voxels(boxes[i][0], boxes[i][1], boxes[i][2]);
    compare_fill("voxels", A);
    lb_sparse_destroy(A);
  }
}

static void fill_on_meshes_is_within_a_third_of_cholmod(void **state) {
  (void)state;
  static const char *const paths[] = { "../shared/meshes/tet/simpleBridge_tet.veg",
                                       "../shared/meshes/tet/Armadillo13K.msh",
                                       "../shared/meshes/tet/asianDragon.veg" };
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    lbError err = { 0 };
    lbMesh *mesh = NULL;
    lbFem *fem = NULL;
    lbFemDef def = lb_fem_def();
    lbMaterial material = lb_material();
    def.materials = &material;
    def.material_count = 1;
    if (!check_shared(paths[i])) skip();
    check_ok(lb_mesh_load(paths[i], &mesh, &err), err);
    check_ok(lb_fem_create(mesh, &def, &fem, &err), err);
    compare_fill(paths[i], fem->pattern);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

// ---- solves ------------------------------------------------------------------------------------

static void solves_leave_no_residual_by_any_analysis(void **state) {
  (void)state;
  uint64_t seed = 6;
  const lbAnalysis *analyses;
  int32_t count = lb_fronts_analyses(&analyses);
  for (int32_t i = 0; i < count; i++)
    for (int kind = 0; kind < PATTERN_KINDS; kind++) {
      lbError err = { 0 };
      lbCholesky *factor = NULL;
      lbSparse *A = make_pattern(kind, 80, kind % 2 ? 3 : 1, &seed);
      double *x = calloc((size_t)A->size, sizeof *x), *r = calloc((size_t)A->size, sizeof *r);
      check_ok(lb_cholesky_create_by(analyses[i].run, A, &factor, &err), err);
      check_ok(lb_cholesky_factor(factor, A, &err), err);
      for (int32_t k = 0; k < A->size; k++) x[k] = k % 5 - 2;
      check_ok(lb_cholesky_solve(factor, 1, x, &err), err);
      lb_sparse_multiply(A, x, r);
      for (int32_t k = 0; k < A->size; k++) check_near(r[k], k % 5 - 2, 1e-12);
      lb_cholesky_destroy(factor);
      lb_sparse_destroy(A);
      free(x), free(r);
    }
}

// The text but for the row, which depends on the order.
static void fail_to_factor(lbAnalyse *analyse, const lbSparse *A, lbError *err) {
  lbCholesky *factor = NULL;
  check_ok(lb_cholesky_create_by(analyse, A, &factor, err), *err);
  assert_int_equal(lb_cholesky_factor(factor, A, err), LB_ERR_NUMERIC);
  lb_cholesky_destroy(factor);
  char *row = strstr(err->text, "row ");
  if (row) row[4] = 0;
}

static void what_cannot_be_factored_is_refused_alike(void **state) {
  (void)state;
  uint64_t seed = 7;
  const lbAnalysis *analyses;
  int32_t count = lb_fronts_analyses(&analyses);
  for (int fault = 0; fault < 4; fault++) {
    lbSparse *A = make_pattern(fault == 2 ? PIECES : GRID, 60, 1, &seed);
    int32_t diagonal = lb_sparse_find(A, 33, 33);
    if (fault == 0) A->values[diagonal] = -1; // indefinite
    if (fault == 1)                           // singular
      for (int32_t k = 0; k < lb_sparse_nonzero_count(A); k++) A->values[k] = 0;
    if (fault == 2) A->values[diagonal] = 0; // one piece of several
    if (fault == 3) A->values[diagonal] = NAN;
    lbError first = { 0 };
    fail_to_factor(analyses[0].run, A, &first);
    for (int32_t i = 1; i < count; i++) {
      lbError err = { 0 };
      fail_to_factor(analyses[i].run, A, &err);
      assert_string_equal(err.text, first.text);
    }
    lb_sparse_destroy(A);
  }
}

static lbFronts *analyse_with(int32_t threads, const lbSparse *A) {
  lbError err = { 0 };
  lbFronts *fronts = NULL;
  check_ok(lb_threads_start(threads, &err), err);
  check_ok(lb_fronts_analyse_own(A, &fronts, &err), err);
  lb_threads_stop();
  return fronts;
}

static void the_order_does_not_depend_on_the_threads(void **state) {
  (void)state;
  lbSparse *A = make_voxels(14, 14, 14);
  lbFronts *one = analyse_with(1, A), *two = analyse_with(2, A);
  assert_memory_equal(one->order, two->order, (size_t)A->size * sizeof *one->order);
  assert_int_equal(one->count, two->count);
  assert_int_equal(one->value_count, two->value_count);
  lb_fronts_destroy(one);
  lb_fronts_destroy(two);
  lb_sparse_destroy(A);
}

// What is decided is decided in whole numbers and plain sums, so that the order, and with it the
// rounding of a model, does not depend on the machine: these are the bits of all three orders.
static void the_order_is_the_same_on_every_machine(void **state) {
  (void)state;
  lbGraph graph;
  lbSparse *A = make_voxels(11, 10, 9);
  size_t count = 11 * 10 * 9;
  int32_t order[11 * 10 * 9];
  double *positions = calloc(3 * count, sizeof *positions);
  for (size_t v = 0; v < count; v++) {
    positions[3 * v] = (double)(v % 11);
    positions[3 * v + 1] = (double)(v / 11 % 10);
    positions[3 * v + 2] = (double)(v / 110);
  }
  assert_true(lb_graph_of_sparse(A, 3, &graph));
  assert_true(lb_graph_dissect(&graph, NULL, order));
  uint64_t hash = check_hash(0, order, sizeof order);
  assert_true(lb_graph_dissect(&graph, positions, order));
  hash = check_hash(hash, order, sizeof order);
  assert_true(lb_graph_order_by_degree(&graph, graph.count, 1, order));
  hash = check_hash(hash, order, sizeof order);
  print_message("hash of the orders: %016llx\n", (unsigned long long)hash);
  assert_true(hash == UINT64_C(0x2723b7b8230a1564));
  lb_graph_release(&graph);
  lb_sparse_destroy(A);
  free(positions);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  lbGraph graph;
  lbSparse *A = make_voxels(8, 8, 5);
  int32_t order[320];
  assert_true(lb_graph_of_sparse(A, 3, &graph));
  for (int dissect = 0; dissect < 2; dissect++)
    for (int64_t n = 0;; n += CHECK_SANITIZED ? 7 : 1) {
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lbError err = { 0 };
      lbFronts *fronts = NULL;
      lb_set_allocator(&allocator);
      bool made = dissect ? lb_graph_dissect(&graph, NULL, order)
                          : lb_fronts_analyse_own(A, &fronts, &err) == LB_OK;
      lb_fronts_destroy(fronts);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
      assert_true(made == (heap.count <= n));
      assert_true(made || dissect || strstr(err.text, "memory"));
      if (made) break;
    }
  lb_graph_release(&graph);
  lb_sparse_destroy(A);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_patterns_have_the_structure_of_their_factors),
    cmocka_unit_test(separators_part_what_they_separate),
    cmocka_unit_test(dissection_orders_every_kind_of_graph),
    cmocka_unit_test(dissection_of_a_cube_takes_less_work_than_degrees),
    cmocka_unit_test(positions_make_dissections_better),
    cmocka_unit_test(vertices_around_a_part_are_left_out),
    cmocka_unit_test(long_and_loose_matrices_are_analysed),
    cmocka_unit_test(fill_is_within_a_third_of_cholmod),
    cmocka_unit_test(fill_on_meshes_is_within_a_third_of_cholmod),
    cmocka_unit_test(solves_leave_no_residual_by_any_analysis),
    cmocka_unit_test(what_cannot_be_factored_is_refused_alike),
    cmocka_unit_test(the_order_does_not_depend_on_the_threads),
    cmocka_unit_test(the_order_is_the_same_on_every_machine),
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
