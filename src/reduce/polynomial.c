// Reduced StVK polynomials from the Gram matrix of strains; see polynomial.h.
#include "reduce/polynomial.h"

#include "linalg/dense.h"
#include "reduce/strain_rows.h"

#include <math.h>
#include <string.h>

enum {
  ROWS_BYTES = 32 << 20, // of a block
  BLOCK_ROWS = 1536,     // no more helps
  PANEL = 192,           // columns of the Gram matrix that one task sums
};

// ---- the Gram matrix ---------------------------------------------------------------------------

// Elements of a set that are handled together: slots [begin, end) of the list, up to LB_BATCH.
typedef struct Unit {
  const lbElementSet *set;
  int32_t begin, end;
  size_t row; // where its rows begin in its block; written by next_block
} Unit;

// One sum over elements: all of the body, or one group with one weight.
typedef struct Sum {
  const lbFem *fem;
  lbStrainColumns columns;
  int32_t column_count; // r + r (r + 1) / 2
  int32_t *slots;       // element slots, set after set
  Unit *units;          //
  int32_t unit_count;   //
  int32_t block_begin;  // first unit of the current block
  size_t rows_max;      // of a block
  double *work;         // gradients, for each unit of a block
  double *gram;         // (column_count x column_count), upper triangle
} Sum;

// Rows of eight points, one of each of eight elements.
static size_t point_rows(const Sum *sum) {
  return LB_BATCH * (size_t)lb_strain_rows(sum->columns.weight);
}

static size_t unit_rows(const Sum *sum, const Unit *unit) {
  return (size_t)lb_element_points(unit->set->kind) * point_rows(sum);
}

static size_t work_of_rows(const Sum *sum, size_t rows) { // doubles
  return rows / point_rows(sum) * lb_strain_work_size(LB_ELEMENT_TET4, sum->columns.mode_count);
}

static bool in_group(const lbPolynomialDef *def, int32_t group, int32_t element) {
  return group < 0 || (def->element_groups ? def->element_groups[element] : 0) == group;
}

// Lists the elements of a group (-1: all) in units.
static lbStatus list_units(Sum *sum, const lbPolynomialDef *def, int32_t group, lbError *err) {
  const lbFem *fem = sum->fem;
  int32_t used = 0;
  sum->slots = lb_alloc((size_t)fem->slot_count, sizeof *sum->slots);
  sum->units =
      lb_alloc((size_t)fem->slot_count / LB_BATCH + LB_ELEMENT_SETS_MAX, sizeof *sum->units);
  if (!sum->slots || !sum->units) return lb_fail_memory(err);
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    int32_t begin = used;
    for (int32_t slot = 0; slot < set->element_count; slot++)
      if (in_group(def, group, set->elements[slot])) sum->slots[used++] = slot;
    for (; begin < used; begin += LB_BATCH) {
      int32_t end = used - begin < LB_BATCH ? used : begin + LB_BATCH;
      sum->units[sum->unit_count++] = (Unit){ set, begin, end, 0 };
    }
  }
  return LB_OK;
}

static lbStatus allocate_block(Sum *sum, lbError *err) {
  size_t row_bytes = (size_t)sum->column_count * sizeof(double), least = 0, all = 0;
  for (int32_t i = 0; i < sum->unit_count; i++) {
    size_t rows = unit_rows(sum, &sum->units[i]);
    if (rows > least) least = rows;
    all += rows;
  }
  size_t rows = ROWS_BYTES / row_bytes < BLOCK_ROWS ? ROWS_BYTES / row_bytes : BLOCK_ROWS;
  if (rows > all) rows = all;
  if (rows < least) rows = least;
  sum->rows_max = rows;
  sum->columns.A = lb_alloc(rows, row_bytes);
  sum->work = lb_alloc(work_of_rows(sum, rows), sizeof(double));
  if (!sum->columns.A || !sum->work) return lb_fail_memory(err);
  return LB_OK;
}

static void fill_units(int32_t begin, int32_t end, void *context) {
  const Sum *sum = context;
  for (int32_t i = begin; i < end; i++) {
    const Unit *unit = &sum->units[sum->block_begin + i];
    lb_strain_fill(&sum->columns, unit->set, sum->slots + unit->begin, unit->end - unit->begin,
                   unit->row, sum->work + work_of_rows(sum, unit->row));
  }
}

static void sum_panel(int32_t begin, int32_t end, void *context) {
  const Sum *sum = context;
  lb_dense_add_gram((int32_t)sum->columns.row_count, sum->column_count, sum->columns.A, begin, end,
                    sum->gram);
}

// The block of units from `begin` on; returns how many.
static int32_t next_block(Sum *sum, int32_t begin) {
  int32_t end = begin;
  size_t rows = 0;
  for (; end < sum->unit_count; end++) {
    Unit *unit = &sum->units[end];
    if (rows + unit_rows(sum, unit) > sum->rows_max) break;
    unit->row = rows;
    rows += unit_rows(sum, unit);
  }
  sum->block_begin = begin;
  sum->columns.row_count = rows;
  return end - begin;
}

static lbStatus sum_blocks(Sum *sum, lbError *err) {
  static const char stage[] = "reduced polynomials";
  lb_dense_add_gram(0, 0, NULL, 0, 0, NULL); // sets up the dense library on this thread
  for (int32_t begin = 0, count; begin < sum->unit_count; begin += count) {
    if (!lb_progress(stage, (double)begin / sum->unit_count))
      return lb_fail_interrupted(err, stage);
    count = next_block(sum, begin);
    lb_parallel_for(count, 1, fill_units, sum);
    lb_parallel_for(sum->column_count, PANEL, sum_panel, sum);
  }
  return LB_OK;
}

// gram = Σ rows^T rows over a group (-1: all).
static lbStatus sum_gram(const lbFem *fem, const lbPolynomialDef *def, int32_t group,
                         lbStrainWeight weight, double *gram, lbError *err) {
  Sum sum = { .fem = fem,
              .columns = { .weight = weight,
                           .mode_count = def->count,
                           .basis_rows = 3 * (size_t)fem->vertex_count,
                           .basis = def->basis },
              .column_count = def->count + (int32_t)lb_packed2_count(def->count),
              .gram = gram };
  lbStatus status = list_units(&sum, def, group, err);
  memset(gram, 0, (size_t)sum.column_count * (size_t)sum.column_count * sizeof *gram);
  if (!status) status = allocate_block(&sum, err);
  if (!status) status = sum_blocks(&sum, err);
  lb_free(sum.slots);
  lb_free(sum.units);
  lb_free(sum.columns.A);
  lb_free(sum.work);
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
