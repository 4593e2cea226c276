// Columns, Gram matrix and weights of chosen components; see cubature_fit.h.
#include "reduce/cubature_fit.h"

#include "linalg/dense.h"
#include "linalg/fnnls.h"
#include "linalg/room.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PANEL = 32 }; // columns that one task multiplies

lbStatus lb_fit_create(const lbColumns *columns, const double *b, int32_t capacity, lbFit **out,
                       lbError *err) {
  lbFit *fit = lb_alloc(1, sizeof *fit);
  if (!fit) return lb_fail_memory(err);
  size_t most = (size_t)capacity;
  fit->columns = columns;
  fit->b = b;
  fit->capacity = capacity;
  fit->list = lb_alloc(most, sizeof *fit->list);
  fit->c = lb_alloc(most, sizeof(double));
  fit->weights = lb_alloc(most, sizeof(double));
  fit->r = lb_duplicate(b, lb_columns_rows(columns), sizeof(double));
  fit->error = 1;
  if (!fit->list || !fit->c || !fit->weights || !fit->r) {
    lb_fit_destroy(fit);
    return lb_fail_memory(err);
  }
  *out = fit;
  return LB_OK;
}

void lb_fit_destroy(lbFit *fit) {
  if (!fit) return;
  lb_free(fit->list);
  lb_free(fit->A);
  lb_free(fit->G);
  lb_free(fit->c);
  lb_free(fit->weights);
  lb_free(fit->r);
  lb_free(fit);
}

// ---- the choice --------------------------------------------------------------------------------

// Memory for `count` columns.
static lbStatus reserve_fit_columns(lbFit *fit, int32_t count, lbError *err) {
  LB_ASSERT(count <= fit->capacity);
  if (count <= fit->room) return LB_OK;
  int64_t larger = fit->room + fit->room / 2;
  int32_t room = larger < count ? count : larger < fit->capacity ? (int32_t)larger : fit->capacity;
  size_t rows = lb_columns_rows(fit->columns), to = (size_t)room, from = (size_t)fit->room;
  char what[80];
  snprintf(what, sizeof what, "%d elements over %d poses", (int)room,
           (int)fit->columns->pose_count);
  lbStatus status = lb_room_check_or(what, (double)(rows + to) * (double)to * sizeof(double),
                                     "use fewer of either", err);
  if (status) return status;
  double *A = lb_alloc(rows * to, sizeof(double)), *G = lb_alloc(to * to, sizeof(double));
  if (!A || !G) {
    lb_free(A);
    lb_free(G);
    return lb_fail(err, LB_ERR_MEMORY,
                   "no memory for %d elements over %d poses (%.1f GB): use fewer of either",
                   (int)room, (int)fit->columns->pose_count, (double)(rows * to) * 8e-9);
  }
  if (fit->count) memcpy(A, fit->A, rows * (size_t)fit->count * sizeof(double));
  for (size_t j = 0; j < (size_t)fit->count; j++)
    memcpy(G + j * to, fit->G + j * from, (size_t)fit->count * sizeof(double));
  lb_free(fit->A);
  lb_free(fit->G);
  fit->A = A;
  fit->G = G;
  fit->room = room;
  return LB_OK;
}

// Moves what belongs to column `from` to column `to` <= from, a place that is free.
static void move_fit_column(lbFit *fit, size_t from, size_t to) {
  size_t rows = lb_columns_rows(fit->columns), stride = (size_t)fit->room;
  size_t count = (size_t)fit->count;
  if (from == to) return;
  fit->list[to] = fit->list[from];
  fit->c[to] = fit->c[from];
  fit->weights[to] = fit->weights[from];
  memcpy(fit->A + to * rows, fit->A + from * rows, rows * sizeof(double));
  memcpy(fit->G + to * stride, fit->G + from * stride, count * sizeof(double));
  for (size_t j = 0; j < count; j++) fit->G[j * stride + to] = fit->G[j * stride + from];
}

// Columns of the Gram matrix from `first` on, a panel at a time.
typedef struct Panels {
  lbFit *fit;
  int32_t first;
} Panels;

static void multiply_panels(int32_t begin, int32_t end, void *context) {
  const Panels *p = context;
  lbFit *fit = p->fit;
  size_t rows = lb_columns_rows(fit->columns), stride = (size_t)fit->room;
  size_t first = (size_t)(p->first + begin);
  const double *A = fit->A + first * rows;
  lb_dense_multiply_parts(LB_TRANSPOSED, LB_PLAIN, fit->count, end - begin, (int32_t)rows, 1,
                          fit->A, rows, A, rows, 0, fit->G + first * stride, stride);
  lb_dense_multiply_vector(LB_TRANSPOSED, (int32_t)rows, end - begin, 1, A, fit->b, 0,
                           fit->c + first);
}

// G and c of the columns from `first` on.
static void find_fit_products(lbFit *fit, int32_t first) {
  size_t stride = (size_t)fit->room;
  Panels panels = { fit, first };
  lb_parallel_for(fit->count - first, PANEL, multiply_panels, &panels);
  for (size_t j = (size_t)first; j < (size_t)fit->count; j++)
    for (size_t i = 0; i < j; i++) fit->G[i * stride + j] = fit->G[j * stride + i];
}

lbStatus lb_fit_choose(lbFit *fit, int32_t count, const int32_t *list, lbError *err) {
  lbStatus status = reserve_fit_columns(fit, count, err);
  if (status) return status;
  bool *wanted = lb_alloc((size_t)fit->columns->component_count, sizeof *wanted);
  if (!wanted) return lb_fail_memory(err);
  for (int32_t k = 0; k < count; k++) wanted[list[k]] = true;
  size_t kept = 0;
  for (size_t k = 0; k < (size_t)fit->count; k++) {
    if (!wanted[fit->list[k]]) continue;
    wanted[fit->list[k]] = false;
    move_fit_column(fit, k, kept++);
  }
  fit->count = (int32_t)kept;
  for (int32_t k = 0; k < count; k++) {
    if (!wanted[list[k]]) continue;
    fit->weights[fit->count] = 0;
    fit->list[fit->count++] = list[k];
  }
  lb_free(wanted);
  int32_t added = fit->count - (int32_t)kept;
  status = lb_columns_make(fit->columns, added, fit->list + kept,
                           fit->A + kept * lb_columns_rows(fit->columns), err);
  if (status) return status;
  fit->made += added;
  find_fit_products(fit, (int32_t)kept);
  return LB_OK;
}

lbStatus lb_fit_append(lbFit *fit, int32_t component, const double *column, lbError *err) {
  lbStatus status = reserve_fit_columns(fit, fit->count + 1, err);
  if (status) return status;
  size_t rows = lb_columns_rows(fit->columns), at = (size_t)fit->count;
  double *to = fit->A + at * rows;
  if (column)
    memcpy(to, column, rows * sizeof(double));
  else
    status = lb_columns_make(fit->columns, 1, &component, to, err);
  if (status) return status;
  fit->made += !column;
  fit->list[at] = component;
  fit->weights[at] = 0;
  fit->count++;
  find_fit_products(fit, (int32_t)at);
  return LB_OK;
}

// ---- the weights -------------------------------------------------------------------------------

void lb_fit_find_residual(lbFit *fit) {
  size_t rows = lb_columns_rows(fit->columns);
  double square = 0;
  memcpy(fit->r, fit->b, rows * sizeof(double));
  if (fit->count)
    lb_dense_multiply_vector(LB_PLAIN, (int32_t)rows, fit->count, -1, fit->A, fit->weights, 1,
                             fit->r);
  for (size_t i = 0; i < rows; i++) square += fit->r[i] * fit->r[i];
  fit->error = sqrt(square / fit->columns->pose_count);
}

lbStatus lb_fit_solve(lbFit *fit, lbError *err) {
  lbStatus status = lb_fnnls(fit->count, fit->G, (size_t)fit->room, fit->c, fit->weights, err);
  if (!status) lb_fit_find_residual(fit);
  return status;
}
