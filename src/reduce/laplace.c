// The matrix of Laplace's equation on voxels, and one right-hand side a column.
#include "reduce/laplace.h"

#include "linalg/cholesky.h"

typedef struct Laplace {
  const lbLaplaceDef *def;
  const lbVoxels *voxels;
  int32_t columns;
  int32_t *unknown; // (voxels) number of a free voxel, or -1
  int32_t unknown_count;
  lbSparse *matrix;
  double *sides; // (unknowns x columns) right-hand sides, then solutions
} Laplace;

// Rows above the diagonal: the neighbours with lower numbers, which are those at -z, -y and -x, in
// this order.
static lbStatus make_laplace_pattern(Laplace *p, lbError *err) {
  size_t count = (size_t)p->unknown_count;
  int32_t *begin = lb_alloc(count + 1, sizeof *begin), *rows = lb_alloc(4 * count, sizeof *rows);
  lbStatus status = begin && rows ? LB_OK : lb_fail_memory(err);
  if (!status) {
    int32_t entries = 0;
    begin[0] = 0;
    for (int32_t v = 0; v < p->voxels->count; v++) {
      if (p->unknown[v] < 0) continue;
      for (int k = 4; k >= 0; k -= 2) {
        int32_t next = p->voxels->neighbours[6 * v + k];
        if (next >= 0 && p->unknown[next] >= 0) rows[entries++] = p->unknown[next];
      }
      rows[entries++] = p->unknown[v];
      begin[p->unknown[v] + 1] = entries;
    }
    status = lb_sparse_create(p->unknown_count, begin, rows, &p->matrix, err);
  }
  lb_free(begin);
  lb_free(rows);
  return status;
}

// What a known voxel gives to the row of a free one beside it.
static void add_laplace_known(Laplace *p, int32_t row, int32_t known, double c,
                              const double *values) {
  size_t voxels = (size_t)p->voxels->count, unknowns = (size_t)p->unknown_count;
  for (size_t k = 0; k < (size_t)p->columns; k++)
    p->sides[k * unknowns + (size_t)row] += c * values[k * voxels + (size_t)known];
}

static void fill_laplace_system(Laplace *p, const double *values) {
  for (int32_t v = 0; v < p->voxels->count; v++) {
    int32_t row = p->unknown[v];
    if (row < 0) continue;
    double sum = 0;
    for (int k = 0; k < 6; k++) {
      int32_t next = p->voxels->neighbours[6 * v + k];
      if (next < 0) continue;
      bool known = p->unknown[next] < 0;
      double c = known && p->def->conductance ? p->def->conductance(p->def->context, v, next) : 1;
      sum += c;
      if (known) add_laplace_known(p, row, next, c, values);
    }
    int32_t end = p->matrix->column_begin[row + 1] - 1;
    for (int32_t e = p->matrix->column_begin[row]; e < end; e++) p->matrix->values[e] = -1;
    p->matrix->values[end] = sum;
  }
}

static lbStatus solve_laplace(Laplace *p, const double *values, lbError *err) {
  lbCholesky *factor = NULL;
  lbStatus status = make_laplace_pattern(p, err);
  if (status) return status;
  fill_laplace_system(p, values);
  status = lb_cholesky_create(p->matrix, &factor, err);
  if (!status) status = lb_cholesky_factor(factor, p->matrix, err);
  if (!status) status = lb_cholesky_solve(factor, p->columns, p->sides, err);
  lb_cholesky_destroy(factor);
  return status;
}

static lbStatus take_laplace_memory(Laplace *p, lbError *err) {
  p->unknown = lb_alloc((size_t)p->voxels->count, sizeof *p->unknown);
  if (!p->unknown) return lb_fail_memory(err);
  for (int32_t v = 0; v < p->voxels->count; v++)
    p->unknown[v] = p->def->known[v] ? -1 : p->unknown_count++;
  if (p->unknown_count == 0) return LB_OK;
  p->sides = lb_alloc((size_t)p->unknown_count * (size_t)p->columns, sizeof *p->sides);
  return p->sides ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_laplace_solve(const lbLaplaceDef *def, int32_t columns, double *values, lbError *err) {
  Laplace p = { .def = def, .voxels = def->voxels, .columns = columns };
  size_t voxels = (size_t)def->voxels->count;
  lbStatus status = take_laplace_memory(&p, err);
  if (!status && p.unknown_count > 0) status = solve_laplace(&p, values, err);
  for (size_t v = 0; v < voxels && !status; v++)
    for (size_t k = 0; k < (size_t)columns && p.unknown[v] >= 0; k++)
      values[k * voxels + v] = p.sides[k * (size_t)p.unknown_count + (size_t)p.unknown[v]];
  lb_sparse_destroy(p.matrix);
  lb_free(p.sides);
  lb_free(p.unknown);
  return status;
}
