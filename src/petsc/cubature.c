// Reduced forces and training columns of this rank's elements, added up over the ranks.
#include "petsc/cubature.h"

#include "fem/assembler.h"
#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

struct lbPartCubature {
  int32_t dimension, component_count;
  double *U;               // (3 vertices x dimension)
  lbComponent *components; // by number in the whole mesh
  lbAssembler *assembler;
};

static int order_elements_by_number(const void *a, const void *b) {
  int32_t left = ((const lbComponent *)a)->number, right = ((const lbComponent *)b)->number;
  return (left > right) - (left < right);
}

static lbStatus list_components(lbParts *parts, lbError *err) {
  struct lbPartCubature *c = parts->cubature;
  lbStatus status = lb_components_list(parts->fem, &c->component_count, &c->components, err);
  for (int32_t i = 0; i < c->component_count && !status; i++)
    c->components[i].number = parts->elements[c->components[i].number];
  if (!status)
    qsort(c->components, (size_t)c->component_count, sizeof *c->components,
          order_elements_by_number);
  return status;
}

lbStatus lb_part_cubature_begin(lbParts *parts, int32_t dimension, const double *basis,
                                lbError *err) {
  lb_part_cubature_end(parts);
  struct lbPartCubature *c = lb_ranks_alloc(1, sizeof *c);
  size_t own = 3 * (size_t)parts->vertices.count;
  size_t size = parts->whole ? 3 * (size_t)parts->whole->vertex_count : 0;
  parts->cubature = c;
  c->dimension = dimension;
  c->U = lb_ranks_alloc(own * (size_t)dimension + 1, sizeof(double));
  for (size_t i = 0; i < (size_t)dimension; i++)
    lb_share_scatter(&parts->vertices, basis ? basis + size * i : NULL, c->U + own * i);
  lbStatus status = parts->fem ? list_components(parts, err) : LB_OK;
  if (!status && parts->fem) status = lb_assembler_create(parts->fem, &c->assembler, err);
  status = lb_ranks_agree(status, err);
  if (status) lb_part_cubature_end(parts);
  return status;
}

void lb_part_cubature_end(lbParts *parts) {
  struct lbPartCubature *c = parts->cubature;
  if (!c) return;
  lb_assembler_destroy(c->assembler);
  lb_free(c->components);
  lb_free(c->U);
  lb_free(c);
  parts->cubature = NULL;
}

// A copy of rank 0's numbers for all.
static double *share_numbers(const double *from, size_t count) {
  double *all = lb_ranks_alloc(count + 1, sizeof *all);
  if (from) memcpy(all, from, count * sizeof *all);
  lb_ranks_broadcast(all, count * sizeof *all);
  return all;
}

// ---- forces ------------------------------------------------------------------------------------

lbStatus lb_part_forces(lbParts *parts, int32_t count, const double *poses, double *forces,
                        double *energies, lbError *err) {
  (void)err;
  const struct lbPartCubature *c = parts->cubature;
  size_t d = (size_t)c->dimension, n = (size_t)count;
  int32_t rows = 3 * parts->vertices.count;
  double *q = share_numbers(poses, n * d), *sums = lb_ranks_alloc(n * (d + 1), sizeof *sums);
  double *u = lb_ranks_alloc((size_t)rows + 1, sizeof *u);
  double *f = lb_ranks_alloc((size_t)rows + 1, sizeof *f);
  for (size_t t = 0; t < n && parts->fem; t++) {
    double *force = sums + t * (d + 1);
    lb_dense_multiply_vector(LB_PLAIN, rows, c->dimension, 1, c->U, q + t * d, 0, u);
    force[d] = lb_assemble(c->assembler, u, f, NULL);
    lb_dense_multiply_vector(LB_TRANSPOSED, rows, c->dimension, 1, c->U, f, 0, force);
  }
  lb_ranks_sum(sums, n * (d + 1));
  for (size_t t = 0; t < n && forces; t++) {
    memcpy(forces + t * d, sums + t * (d + 1), d * sizeof *sums);
    energies[t] = sums[t * (d + 1) + d];
  }
  lb_free(q);
  lb_free(sums);
  lb_free(u);
  lb_free(f);
  return LB_OK;
}

// ---- columns -----------------------------------------------------------------------------------

// What of a list is here: components of this rank, and their places in the list.
typedef struct Mine {
  int32_t count;
  int32_t *list, *places;
} Mine;

static Mine find_mine(const struct lbPartCubature *c, int32_t count, const int32_t *numbers) {
  Mine mine = { 0, lb_ranks_alloc((size_t)count + 1, sizeof(int32_t)),
                lb_ranks_alloc((size_t)count + 1, sizeof(int32_t)) };
  for (int32_t k = 0; k < count && c->component_count > 0; k++) {
    lbComponent key = { .number = numbers[k] };
    const lbComponent *found = bsearch(&key, c->components, (size_t)c->component_count, sizeof key,
                                       order_elements_by_number);
    if (!found) continue;
    mine.list[mine.count] = (int32_t)(found - c->components);
    mine.places[mine.count++] = k;
  }
  return mine;
}

// The share of this rank's components in the result (zeros elsewhere).
static lbStatus run_task(const lbColumns *own, lbColumnsTask task, const Mine *mine,
                         const double *in, double *out, lbError *err) {
  size_t rows = lb_columns_rows(own), n = (size_t)mine->count;
  size_t width = task == LB_COLUMNS_MAKE ? rows : 1;
  if (mine->count == 0) return LB_OK;
  double *work = lb_alloc(n * width, sizeof *work);
  if (!work) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  if (task == LB_COLUMNS_SUM) {
    for (size_t k = 0; k < n; k++) work[k] = in[mine->places[k]];
    status = lb_columns_sum(own, mine->count, mine->list, work, out, err);
  } else if (task == LB_COLUMNS_PRODUCTS) {
    status = lb_columns_products(own, mine->count, mine->list, in, work, err);
  } else {
    status = lb_columns_make(own, mine->count, mine->list, work, err);
  }
  for (size_t k = 0; k < n && task != LB_COLUMNS_SUM && !status; k++)
    memcpy(out + width * (size_t)mine->places[k], work + width * k, width * sizeof *work);
  lb_free(work);
  return status;
}

// Numbers of the listed components in the whole mesh, for all.
static int32_t *share_list(const lbColumns *columns, int32_t count, const int32_t *list) {
  int32_t *numbers = lb_ranks_alloc((size_t)count + 1, sizeof *numbers);
  for (int32_t k = 0; k < count && columns; k++) numbers[k] = columns->components[list[k]].number;
  lb_ranks_broadcast(numbers, (size_t)count * sizeof *numbers);
  return numbers;
}

lbStatus lb_part_columns(lbParts *parts, const lbColumns *columns, lbColumnsTask task,
                         int32_t count, int32_t pose_count, const int32_t *list, const double *in,
                         double *out, lbError *err) {
  const struct lbPartCubature *c = parts->cubature;
  size_t poses = (size_t)pose_count, rows = poses * (size_t)c->dimension, n = (size_t)count;
  size_t in_count = task == LB_COLUMNS_PRODUCTS ? rows : task == LB_COLUMNS_SUM ? n : 0;
  size_t out_count = task == LB_COLUMNS_MAKE ? rows * n : task == LB_COLUMNS_SUM ? rows : n;
  int32_t *numbers = share_list(columns, count, list);
  double *q = share_numbers(columns ? columns->poses : NULL, rows);
  double *scales = share_numbers(columns ? columns->scales : NULL, poses);
  double *given = share_numbers(in, in_count);
  double *result = lb_ranks_alloc(out_count + 1, sizeof *result);
  Mine mine = find_mine(c, count, numbers);
  lbColumns own = { .fem = parts->fem,
                    .dimension = c->dimension,
                    .basis = c->U,
                    .component_count = c->component_count,
                    .components = c->components,
                    .pose_count = pose_count,
                    .poses = q,
                    .scales = scales };
  lbStatus status = lb_ranks_agree(run_task(&own, task, &mine, given, result, err), err);
  if (!status) lb_ranks_sum(result, out_count);
  if (!status && out) memcpy(out, result, out_count * sizeof *out);
  void *blocks[] = { numbers, q, scales, given, result, mine.list, mine.places };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  return status;
}
