// Reduced StVK polynomials from the Gram matrix of strains, summed over edges; see polynomial.h.
#include "reduce/polynomial.h"

#include "linalg/blas.h"
#include "linalg/dense.h"
#include "reduce/strain_edges.h"

#include <math.h>
#include <string.h>

enum {
  PATCH_BYTES = 96 << 20, // of the columns of a patch
  EDGES_MAX = 4096,       // of a patch; no more helps
  PANEL = 96,             // pairs of modes that one task works on
};

// ---- the Gram matrix ---------------------------------------------------------------------------

// One sum over elements: all of the body, or one group with one weight.
typedef struct Sum {
  const lbFem *fem;
  lbStrainWeight weight;
  int32_t r, pairs; // pairs = r (r + 1) / 2
  const double *basis;
  int32_t *slots; // element slots, set after set
  int32_t set_begin[LB_ELEMENT_SETS_MAX + 1];
  int32_t edges_max, elements_max; // of a patch
  lbEdgePatch patch;
  // Of the patch; "columns" are of one edge or element and lie together.
  double *D;    // (pairs x edges) d of pairs of modes
  double *X;    // (r + pairs x edges) Lᵀe1 of modes, H d of pairs of modes
  double *U;    // (r x 3 x edges) differences of the modes
  double *S;    // (r x rows x elements) e1 of the modes
  double *T;    // (r x element edges x elements) Lᵀe1 of the modes
  double *H;    // (element edges x element edges x elements) LᵀL
  double *gram; // (r + pairs x r + pairs), upper triangle
} Sum;

static bool in_group(const lbPolynomialDef *def, int32_t group, int32_t element) {
  return group < 0 || (def->element_groups ? def->element_groups[element] : 0) == group;
}

// Lists the elements of a group (-1: all).
static lbStatus list_slots(Sum *sum, const lbPolynomialDef *def, int32_t group, lbError *err) {
  const lbFem *fem = sum->fem;
  int32_t used = 0;
  sum->slots = lb_alloc((size_t)fem->slot_count, sizeof *sum->slots);
  if (!sum->slots) return lb_fail_memory(err);
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    for (int32_t slot = 0; slot < set->element_count; slot++)
      if (in_group(def, group, set->elements[slot])) sum->slots[used++] = slot;
    sum->set_begin[s + 1] = used;
  }
  return LB_OK;
}

static size_t strain_rows(const Sum *sum) { // of an element, at most
  return sum->weight == LB_STRAIN_LAMBDA ? LB_ELEMENT_POINTS_MAX : LB_STRAIN_ROWS_MAX;
}

static lbStatus allocate_patch(Sum *sum, lbError *err) {
  size_t r = (size_t)sum->r, pairs = (size_t)sum->pairs, element_edges = LB_ELEMENT_EDGES_MAX;
  size_t listed = (size_t)sum->set_begin[sum->fem->set_count];
  size_t edges = PATCH_BYTES / ((r + 2 * pairs) * sizeof(double));
  if (edges > EDGES_MAX) edges = EDGES_MAX;
  if (edges > listed * element_edges) edges = listed * element_edges;
  if (edges < element_edges) edges = element_edges;
  size_t elements = edges / 6 < listed ? edges / 6 : listed; // tets have six edges
  sum->edges_max = (int32_t)edges;
  sum->elements_max = (int32_t)elements;
  sum->D = lb_alloc(edges, pairs * sizeof(double));
  sum->X = lb_alloc(edges, (r + pairs) * sizeof(double));
  sum->U = lb_alloc(edges, 3 * r * sizeof(double));
  sum->S = lb_alloc(elements, strain_rows(sum) * r * sizeof(double));
  sum->T = lb_alloc(elements, element_edges * r * sizeof(double));
  sum->H = lb_alloc(elements, element_edges * element_edges * sizeof(double));
  sum->patch.table = lb_hash_table(2 * sizeof(int32_t));
  sum->patch.element_edges = lb_alloc(elements, element_edges * sizeof(int32_t));
  if (!sum->D || !sum->X || !sum->U || !sum->S || !sum->T || !sum->H || !sum->patch.element_edges)
    return lb_fail_memory(err);
  return LB_OK;
}

static void release_sum(Sum *sum) {
  double *blocks[] = { sum->D, sum->X, sum->U, sum->S, sum->T, sum->H };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_hash_table_release(&sum->patch.table);
  lb_free(sum->patch.element_edges);
  lb_free(sum->slots);
}

// Rows of S that an element of the patch has.
static size_t element_rows(const Sum *sum) {
  size_t points = (size_t)lb_element_points(sum->patch.set->kind);
  return sum->weight == LB_STRAIN_LAMBDA ? points : 6 * points;
}

// e1, Lᵀe1 of all modes and LᵀL of elements.
static void fill_elements(int32_t begin, int32_t end, void *context) {
  const Sum *sum = context;
  const lbElementSet *set = sum->patch.set;
  lbStrainMatrices strains;
  int32_t vertices[LB_ELEMENT_NODES_MAX], r = sum->r;
  int32_t nodes = lb_element_nodes(set->kind), edges = lb_element_edges(set->kind);
  double u[3 * LB_ELEMENT_NODES_MAX * LB_POLYNOMIAL_MODES_MAX]; // (r x 3 nodes)
  size_t basis_rows = 3 * (size_t)sum->fem->vertex_count;
  for (int32_t e = begin; e < end; e++) {
    int32_t slot = sum->patch.slots[e];
    double *S = sum->S + (size_t)e * element_rows(sum) * (size_t)r;
    double *T = sum->T + (size_t)e * (size_t)edges * (size_t)r;
    lb_strain_matrices(set, slot, sum->weight, &strains);
    lb_strain_vertices(set, slot, vertices);
    for (int32_t a = 0; a < 3 * nodes; a++)
      for (int32_t i = 0; i < r; i++)
        u[a * r + i] = sum->basis[(size_t)i * basis_rows + 3 * (size_t)vertices[a / 3] + a % 3];
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, r, strains.rows, 3 * nodes, 1, u, strains.B, 0, S);
    lb_dense_multiply(LB_PLAIN, LB_TRANSPOSED, r, edges, strains.rows, 1, S, strains.L, 0, T);
    lb_dense_multiply(LB_PLAIN, LB_TRANSPOSED, edges, edges, strains.rows, 1, strains.L, strains.L,
                      0, sum->H + (size_t)e * (size_t)(edges * edges));
  }
}

// Differences of all modes along edges; X is emptied where modes are summed.
static void fill_edges(int32_t begin, int32_t end, void *context) {
  const Sum *sum = context;
  size_t r = (size_t)sum->r, basis_rows = 3 * (size_t)sum->fem->vertex_count;
  for (int32_t edge = begin; edge < end; edge++) {
    const int32_t *vertices = lb_edge_vertices(&sum->patch, edge);
    double *difference = sum->U + 3 * r * (size_t)edge;
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < r; i++) {
        const double *mode = sum->basis + i * basis_rows + c;
        difference[c * r + i] = mode[3 * (size_t)vertices[0]] - mode[3 * (size_t)vertices[1]];
      }
    memset(sum->X + (r + (size_t)sum->pairs) * (size_t)edge, 0, r * sizeof(double));
  }
}

static void sum_linear(const Sum *sum) {
  size_t r = (size_t)sum->r, stride = r + (size_t)sum->pairs;
  size_t edges = (size_t)lb_element_edges(sum->patch.set->kind);
  for (size_t k = 0; k < (size_t)sum->patch.element_count * edges; k++) {
    double *to = sum->X + stride * (size_t)sum->patch.element_edges[k];
    for (size_t i = 0; i < r; i++) to[i] += sum->T[k * r + i];
  }
}

// d of pairs [begin, end), for all edges; X is emptied there.
static void multiply_differences(const Sum *sum, int32_t begin, int32_t end) {
  size_t r = (size_t)sum->r, pairs = (size_t)sum->pairs;
  int32_t first = 0;
  while ((int32_t)lb_packed2(0, first + 1) <= begin) first++;
  for (size_t edge = 0; edge < (size_t)sum->patch.table.count; edge++) {
    const double *x = sum->U + 3 * r * edge, *y = x + r, *z = y + r;
    double *d = sum->D + pairs * edge;
    memset(sum->X + (r + pairs) * edge + r + begin, 0, (size_t)(end - begin) * sizeof(double));
    for (int32_t j = first, p = begin; p < end; j++) {
      int32_t row = (int32_t)lb_packed2(0, j), stop = row + j + 1 < end ? row + j + 1 : end;
      double xj = x[j], yj = y[j], zj = z[j];
      for (; p < stop; p++) d[p] = x[p - row] * xj + y[p - row] * yj + z[p - row] * zj;
    }
  }
}

// X += H d of pairs [begin, end), element by element.
static void fill_pairs(int32_t begin, int32_t end, void *context) {
  const Sum *sum = context;
  double d[LB_ELEMENT_EDGES_MAX * PANEL], products[LB_ELEMENT_EDGES_MAX * PANEL];
  int32_t edges = lb_element_edges(sum->patch.set->kind);
  size_t r = (size_t)sum->r, pairs = (size_t)sum->pairs, width = (size_t)(end - begin);
  multiply_differences(sum, begin, end);
  for (int32_t e = 0; e < sum->patch.element_count; e++) {
    const int32_t *edge = sum->patch.element_edges + (size_t)e * (size_t)edges;
    for (int32_t k = 0; k < edges; k++)
      memcpy(d + (size_t)k * width, sum->D + pairs * (size_t)edge[k] + begin,
             width * sizeof(double));
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, end - begin, edges, edges, 1, d,
                      sum->H + (size_t)e * (size_t)(edges * edges), 0, products);
    for (int32_t k = 0; k < edges; k++) {
      double *to = sum->X + (r + pairs) * (size_t)edge[k] + r + begin;
      for (size_t p = 0; p < width; p++) to[p] += products[(size_t)k * width + p];
    }
  }
}

// Pairs that one task sums: more of them read X less often, fewer waste less below the diagonal.
static int32_t sum_width(const Sum *sum) {
  int32_t tenth = sum->pairs / 10;
  return tenth < PANEL ? PANEL : tenth > 4 * PANEL ? 4 * PANEL : tenth;
}

// Gram matrix += X Dᵀ above the diagonal, in panels of pairs; the last ones are the largest.
static void sum_panels(int32_t first, int32_t last, void *context) {
  const Sum *sum = context;
  size_t size = (size_t)(sum->r + sum->pairs);
  int32_t width = sum_width(sum), panels = (sum->pairs - 1) / width + 1;
  for (int32_t task = first; task < last; task++) {
    int32_t begin = (panels - 1 - task) * width;
    int32_t end = sum->pairs - begin < width ? sum->pairs : begin + width;
    lb_dense_multiply_parts(
        LB_PLAIN, LB_TRANSPOSED, sum->r + end, end - begin, sum->patch.table.count, 1, sum->X, size,
        sum->D + begin, (size_t)sum->pairs, 1, sum->gram + size * (size_t)(sum->r + begin), size);
  }
}

static void sum_patch(Sum *sum) {
  int32_t elements = sum->patch.element_count, r = sum->r;
  int32_t rows = (int32_t)element_rows(sum) * elements;
  size_t size = (size_t)(r + sum->pairs);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, 0, 0, 0, 1, NULL, NULL, 0, NULL); // see linalg/dense.h
  lb_parallel_for(elements, 4, fill_elements, sum);
  lb_parallel_for(sum->patch.table.count, 64, fill_edges, sum);
  sum_linear(sum);
  lb_dense_multiply_parts(LB_PLAIN, LB_TRANSPOSED, r, r, rows, 1, sum->S, (size_t)r, sum->S,
                          (size_t)r, 1, sum->gram, size);
  lb_parallel_for(sum->pairs, PANEL, fill_pairs, sum);
  lb_parallel_for((sum->pairs - 1) / sum_width(sum) + 1, 1, sum_panels, sum);
}

static lbStatus sum_patches(Sum *sum, lbError *err) {
  static const char stage[] = "reduced polynomials";
  const int32_t *set_begin = sum->set_begin;
  lbStatus status = LB_OK;
  for (int32_t s = 0; s < sum->fem->set_count; s++)
    for (int32_t done = set_begin[s]; done < set_begin[s + 1] && !status;) {
      if (!lb_progress(stage, (double)done / set_begin[sum->fem->set_count]))
        return lb_fail_interrupted(err, stage);
      status = lb_edge_patch_fill(&sum->patch, &sum->fem->sets[s], sum->slots + done,
                                  set_begin[s + 1] - done, sum->edges_max, sum->elements_max, err);
      if (!status) sum_patch(sum);
      done += sum->patch.element_count;
    }
  return status;
}

// The Gram matrix of strains over a group (-1: all).
static lbStatus sum_gram(const lbFem *fem, const lbPolynomialDef *def, int32_t group,
                         lbStrainWeight weight, double *gram, lbError *err) {
  Sum sum = { .fem = fem,
              .weight = weight,
              .r = def->count,
              .pairs = (int32_t)lb_packed2_count(def->count),
              .basis = def->basis,
              .gram = gram };
  size_t size = (size_t)(sum.r + sum.pairs);
  memset(gram, 0, size * size * sizeof *gram);
  lbStatus status = list_slots(&sum, def, group, err);
  if (!status) status = allocate_patch(&sum, err);
  if (!status) status = sum_patches(&sum, err);
  release_sum(&sum);
  return status;
}

// ---- symmetric coefficients --------------------------------------------------------------------

typedef struct Gram {
  int32_t r;
  size_t size;
  const double *values;
} Gram;

static double entry(const Gram *g, size_t a, size_t b) { // a, b in any order
  return a < b ? g->values[b * g->size + a] : g->values[a * g->size + b];
}

static size_t pair(const Gram *g, int32_t i, int32_t j) { return (size_t)g->r + lb_packed2(i, j); }

static double symmetric3(const Gram *g, int32_t i, int32_t j, int32_t k) { // i <= j <= k
  return entry(g, (size_t)i, pair(g, j, k)) + entry(g, (size_t)j, pair(g, i, k)) +
         entry(g, (size_t)k, pair(g, i, j));
}

static double symmetric4(const Gram *g, int32_t i, int32_t j, int32_t k, int32_t l) {
  double sum = entry(g, pair(g, i, j), pair(g, k, l)) + entry(g, pair(g, i, k), pair(g, j, l)) +
               entry(g, pair(g, i, l), pair(g, j, k));
  return sum * 2 / 3;
}

static void symmetrise(const Gram *g, lbPolynomial *p) {
  size_t at2 = 0, at3 = 0, at4 = 0; // packed order
  for (int32_t l = 0; l < g->r; l++)
    for (int32_t k = 0; k <= l; k++) {
      p->linear[at2++] = entry(g, (size_t)k, (size_t)l);
      for (int32_t j = 0; j <= k; j++) {
        p->quadratic[at3++] = symmetric3(g, j, k, l);
        for (int32_t i = 0; i <= j; i++) p->cubic[at4++] = symmetric4(g, i, j, k, l);
      }
    }
}

// ---- public ------------------------------------------------------------------------------------

static lbStatus check_law(const lbFem *fem, lbError *err) {
  for (int32_t s = 0; s < fem->set_count; s++)
    if (fem->sets[s].model != LB_MATERIAL_STVK)
      return lb_fail(err, LB_ERR_UNSUPPORTED,
                     "%s: element %d has the law \"%s\"; reduced polynomials need \"%s\"",
                     fem->name, (int)fem->sets[s].elements[0],
                     lb_material_model_name(fem->sets[s].model),
                     lb_material_model_name(LB_MATERIAL_STVK));
  return LB_OK;
}

static lbStatus check_def(const lbFem *fem, const lbPolynomialDef *def, lbError *err) {
  size_t rows = 3 * (size_t)fem->vertex_count;
  if (def->count < 1 || def->count > LB_POLYNOMIAL_MODES_MAX || !def->basis)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: a basis of %d modes; give 1 to %d", fem->name,
                   (int)def->count, LB_POLYNOMIAL_MODES_MAX);
  for (size_t i = 0; i < rows * (size_t)def->count; i++)
    if (!isfinite(def->basis[i]))
      return lb_fail(err, LB_ERR_NUMERIC, "%s: mode %d of the basis is not finite at vertex %d",
                     fem->name, (int)(i / rows), (int)(i % rows / 3));
  for (int32_t e = 0; def->group_count > 0 && def->element_groups && e < fem->element_count; e++)
    if (def->element_groups[e] < 0 || def->element_groups[e] >= def->group_count)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: element %d is in group %d, there are %d", fem->name,
                     (int)e, (int)def->element_groups[e], (int)def->group_count);
  return check_law(fem, err);
}

static lbStatus allocate_gram(int32_t r, Gram *gram, double **values, lbError *err) {
  lbStatus status = lb_linalg_reserve(err);
  if (status) return status;
  size_t size = (size_t)r + lb_packed2_count(r);
  *values = lb_alloc(size * size, sizeof **values); // fits: r <= 256
  *gram = (Gram){ r, size, *values };
  return *values ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_polynomial_build(const lbFem *fem, const lbPolynomialDef *def, lbPolynomial **out,
                             lbError *err) {
  Gram gram;
  double *values = NULL;
  lbPolynomial *polynomial = NULL;
  lbStatus status = check_def(fem, def, err);
  if (!status) status = allocate_gram(def->count, &gram, &values, err);
  if (!status) status = lb_polynomial_create(def->count, &polynomial, err);
  if (!status) status = sum_gram(fem, def, -1, LB_STRAIN_WHOLE, values, err);
  if (!status) {
    symmetrise(&gram, polynomial);
    *out = polynomial;
    polynomial = NULL;
  }
  lb_free(values);
  lb_polynomial_destroy(polynomial);
  return status;
}

lbStatus lb_polynomial_build_parts(const lbFem *fem, const lbPolynomialDef *def,
                                   lbPolynomial **parts, lbError *err) {
  Gram gram;
  double *values = NULL;
  int32_t made = 0, count = 2 * def->group_count;
  lbStatus status = check_def(fem, def, err);
  if (!status) status = allocate_gram(def->count, &gram, &values, err);
  while (!status && made < count) {
    status = lb_polynomial_create(def->count, &parts[made], err);
    if (status) break;
    lbStrainWeight weight = made % 2 == 0 ? LB_STRAIN_LAMBDA : LB_STRAIN_MU;
    status = sum_gram(fem, def, made / 2, weight, values, err);
    if (!status) symmetrise(&gram, parts[made]);
    made++;
  }
  while (status && made > 0) {
    lb_polynomial_destroy(parts[--made]);
    parts[made] = NULL;
  }
  lb_free(values);
  return status;
}

static void add_scaled(size_t count, double weight, const double *from, double *to) {
  for (size_t i = 0; i < count; i++) to[i] += weight * from[i];
}

lbStatus lb_polynomial_combine(int32_t part_count, lbPolynomial *const *parts,
                               const double *weights, lbPolynomial **out, lbError *err) {
  lbPolynomial *sum = NULL;
  int32_t r = part_count > 0 ? parts[0]->count : 0;
  lbStatus status = lb_polynomial_create(r, &sum, err);
  if (status) return status;
  for (int32_t p = 0; p < part_count; p++) {
    LB_ASSERT(parts[p]->count == r);
    add_scaled(lb_packed2_count(r), weights[p], parts[p]->linear, sum->linear);
    add_scaled(lb_packed3_count(r), weights[p], parts[p]->quadratic, sum->quadratic);
    add_scaled(lb_packed4_count(r), weights[p], parts[p]->cubic, sum->cubic);
  }
  *out = sum;
  return LB_OK;
}
