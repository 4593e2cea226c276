// Columns of the training matrix from the element kernels; see cubature_columns.h.
//
// Listed components are cut into groups of up to GROUP_ROWS rows of the basis. For a group and
// POSES poses: displacements X = Qᵀ U_gᵀ by a matrix product; the kernels, eight poses of one
// element at a time; forces F; then U_e F_e (columns), Σ F ∘ (U_gᵀ R) (products) or U_g (F w)
// (sum), matrix products again. No sum depends on the number of threads.
#include "reduce/cubature_columns.h"

#include "linalg/blas.h"
#include "linalg/dense.h"
#include "reduce/engine.h"

#include <stdlib.h>
#include <string.h>

enum {
  POSES = 32,       // that one task works on at a time; a multiple of LB_BATCH
  GROUP_ROWS = 192, // rows of the basis that a group has at most
  PORTION_BYTES = 64 << 20,
};

_Static_assert(POSES % LB_BATCH == 0, "whole batches");
_Static_assert(GROUP_ROWS >= 3 * LB_ELEMENT_NODES_MAX, "a group holds an element");

// ---- components --------------------------------------------------------------------------------

static int order_components_by_number(const void *a, const void *b) {
  int32_t left = ((const lbComponent *)a)->number, right = ((const lbComponent *)b)->number;
  return (left > right) - (left < right);
}

lbStatus lb_components_list(const lbFem *fem, int32_t *count, lbComponent **out, lbError *err) {
  int32_t total = 0, used = 0;
  for (int32_t s = 0; s < fem->set_count; s++) total += fem->sets[s].element_count;
  lbComponent *components = lb_alloc((size_t)total, sizeof *components);
  if (!components) return lb_fail_memory(err);
  for (int32_t s = 0; s < fem->set_count; s++)
    for (int32_t slot = 0; slot < fem->sets[s].element_count; slot++)
      components[used++] = (lbComponent){ fem->sets[s].elements[slot], s, slot };
  qsort(components, (size_t)total, sizeof *components, order_components_by_number);
  *count = total;
  *out = components;
  return LB_OK;
}

// ---- groups ------------------------------------------------------------------------------------

// Components that are worked on together, with their rows of the basis.
typedef struct Group {
  int32_t begin, end; // in the list
  int32_t rows;
  const double *U; // (dimension x rows), one row of the basis after another
} Group;

typedef struct Work {
  const lbColumns *columns;
  const int32_t *list;
  int32_t group_count;
  Group *groups;
  double *U; // rows of the basis of the whole portion
  const double *r, *w;
  double *A, *products, *sum;
} Work;

static const lbElementSet *set_of(const Work *work, int32_t listed) {
  const lbColumns *c = work->columns;
  return &c->fem->sets[c->components[work->list[listed]].set];
}

static int32_t rows_of(const Work *work, int32_t listed) {
  return 3 * lb_element_nodes(set_of(work, listed)->kind);
}

static void gather_cubature_group(const Work *work, const Group *group, double *U) {
  const lbColumns *c = work->columns;
  size_t d = (size_t)c->dimension, length = 3 * (size_t)c->fem->vertex_count;
  for (int32_t e = group->begin; e < group->end; e++) {
    const lbElementSet *set = set_of(work, e);
    int32_t slot = c->components[work->list[e]].slot;
    size_t nodes = (size_t)lb_element_nodes(set->kind);
    const int32_t *vertices =
        set->vertices + (size_t)(slot / LB_BATCH) * nodes * LB_BATCH + slot % LB_BATCH;
    for (size_t a = 0; a < nodes; a++, U += 3 * d) {
      const double *from = c->basis + 3 * (size_t)vertices[a * LB_BATCH];
      for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < 3; k++) U[k * d + i] = from[i * length + k];
    }
  }
}

static void gather_groups(int32_t begin, int32_t end, void *context) {
  const Work *work = context;
  for (int32_t g = begin; g < end; g++)
    gather_cubature_group(work, &work->groups[g], work->U + (work->groups[g].U - work->U));
}

// Groups of the list's components from *next on, as many as fit; *next is the first one after them.
static void cut_groups(Work *work, int32_t count, int32_t *next) {
  size_t d = (size_t)work->columns->dimension, used = 0, most = PORTION_BYTES / sizeof(double);
  work->group_count = 0;
  while (*next < count && (used == 0 || used + GROUP_ROWS * d <= most)) {
    Group *group = &work->groups[work->group_count++];
    *group = (Group){ .begin = *next, .end = *next, .U = work->U + used };
    while (group->end < count && group->rows + rows_of(work, group->end) <= GROUP_ROWS)
      group->rows += rows_of(work, group->end++);
    used += (size_t)group->rows * d;
    *next = group->end;
  }
}

// Runs `task` over `items(work)` items for one portion of the list after another.
static lbStatus run_portions(Work *work, int32_t count, int32_t item_count, lbRangeTask *task,
                             lbError *err) {
  size_t d = (size_t)work->columns->dimension, rows = 0, most = PORTION_BYTES / sizeof(double);
  for (int32_t e = 0; e < count; e++) rows += (size_t)rows_of(work, e);
  size_t room = rows * d < most + GROUP_ROWS * d ? rows * d : most + GROUP_ROWS * d;
  work->U = lb_alloc(room, sizeof(double));
  work->groups = lb_alloc((size_t)count, sizeof *work->groups);
  lbStatus status = work->U && work->groups ? lb_linalg_reserve(err) : lb_fail_memory(err);
  lb_linalg_one_thread();
  for (int32_t next = 0; next < count && !status;) {
    cut_groups(work, count, &next);
    lb_parallel_for(work->group_count, 1, gather_groups, work);
    lb_parallel_for(item_count ? item_count : work->group_count, 1, task, work);
  }
  lb_free(work->U);
  lb_free(work->groups);
  return status;
}

// ---- kernels -----------------------------------------------------------------------------------

// Rest data and parameters of one element in every lane.
typedef struct Spread {
  _Alignas(64) double rest[LB_ELEMENT_POINTS_MAX * LB_POINT_REST * LB_BATCH];
  _Alignas(64) double parameters[LB_MATERIAL_PARAMETERS * LB_BATCH];
} Spread;

static void spread_values(const double *from, size_t values, double *to) {
  for (size_t i = 0; i < values; i++)
    for (size_t lane = 0; lane < LB_BATCH; lane++) to[i * LB_BATCH + lane] = from[i * LB_BATCH];
}

static void spread_element(const lbElementSet *set, int32_t slot, Spread *to) {
  size_t batch = (size_t)(slot / LB_BATCH), lane = (size_t)(slot % LB_BATCH);
  size_t rest = (size_t)lb_element_points(set->kind) * LB_POINT_REST;
  spread_values(set->rest + batch * rest * LB_BATCH + lane, rest, to->rest);
  spread_values(set->parameters + batch * LB_MATERIAL_PARAMETERS * LB_BATCH + lane,
                LB_MATERIAL_PARAMETERS, to->parameters);
}

// F (rows x POSES) of a group at poses [first, first + count), scaled as the rows of A.
static void group_forces(const Work *work, const Group *group, int32_t first, int32_t count,
                         double *F) {
  const lbColumns *c = work->columns;
  _Alignas(64) double X[GROUP_ROWS * POSES]; // (POSES x rows)
  _Alignas(64) double u[3 * LB_ELEMENT_NODES_MAX * LB_BATCH], energies[LB_BATCH];
  _Alignas(64) double f[3 * LB_ELEMENT_NODES_MAX * LB_BATCH];
  Spread element;
  size_t d = (size_t)c->dimension, stride = (size_t)group->rows, offset = 0;
  if (count % LB_BATCH) memset(X, 0, sizeof X);
  lb_dense_multiply_parts(LB_TRANSPOSED, LB_PLAIN, count, group->rows, c->dimension, 1,
                          c->poses + (size_t)first * d, d, group->U, d, 0, X, POSES);
  for (int32_t e = group->begin; e < group->end; e++) {
    const lbElementSet *set = set_of(work, e);
    size_t rows = (size_t)rows_of(work, e);
    spread_element(set, c->components[work->list[e]].slot, &element);
    for (int32_t t = 0; t < count; t += LB_BATCH) {
      for (size_t i = 0; i < rows; i++)
        memcpy(u + i * LB_BATCH, X + (offset + i) * POSES + (size_t)t, LB_BATCH * sizeof(double));
      set->kernel(&(lbElementBatch){ .rest = element.rest,
                                     .parameters = element.parameters,
                                     .displacements = u,
                                     .energies = energies,
                                     .forces = f });
      for (int32_t lane = 0; lane < LB_BATCH && t + lane < count; lane++) {
        double *to = F + (size_t)(t + lane) * stride + offset, scale = c->scales[first + t + lane];
        for (size_t i = 0; i < rows; i++) to[i] = scale * f[(size_t)lane * rows + i];
      }
    }
    offset += rows;
  }
}

// ---- what is made of them ----------------------------------------------------------------------

static int32_t block_poses(const lbColumns *c, int32_t first) {
  return c->pose_count - first < POSES ? c->pose_count - first : POSES;
}

static void make_cubature_columns(int32_t begin, int32_t end, void *context) {
  const Work *work = context;
  const lbColumns *c = work->columns;
  size_t d = (size_t)c->dimension, rows = lb_columns_rows(c);
  _Alignas(64) double F[GROUP_ROWS * POSES];
  for (int32_t g = begin; g < end; g++) {
    const Group *group = &work->groups[g];
    for (int32_t first = 0; first < c->pose_count; first += POSES) {
      int32_t count = block_poses(c, first);
      size_t offset = 0;
      group_forces(work, group, first, count, F);
      for (int32_t e = group->begin; e < group->end; e++) {
        lb_dense_multiply_parts(LB_PLAIN, LB_PLAIN, c->dimension, count, rows_of(work, e), 1,
                                group->U + offset * d, d, F + offset, (size_t)group->rows, 0,
                                work->A + (size_t)e * rows + (size_t)first * d, d);
        offset += (size_t)rows_of(work, e);
      }
    }
  }
}

static void make_products(int32_t begin, int32_t end, void *context) {
  const Work *work = context;
  const lbColumns *c = work->columns;
  size_t d = (size_t)c->dimension;
  _Alignas(64) double F[GROUP_ROWS * POSES], Y[GROUP_ROWS * POSES];
  for (int32_t g = begin; g < end; g++) {
    const Group *group = &work->groups[g];
    size_t stride = (size_t)group->rows;
    for (int32_t e = group->begin; e < group->end; e++) work->products[e] = 0;
    for (int32_t first = 0; first < c->pose_count; first += POSES) {
      int32_t count = block_poses(c, first);
      size_t offset = 0;
      group_forces(work, group, first, count, F);
      lb_dense_multiply_parts(LB_TRANSPOSED, LB_PLAIN, group->rows, count, c->dimension, 1,
                              group->U, d, work->r + (size_t)first * d, d, 0, Y, stride);
      for (int32_t e = group->begin; e < group->end; e++) {
        size_t rows = (size_t)rows_of(work, e);
        double sum = 0;
        for (size_t t = 0; t < (size_t)count; t++)
          for (size_t i = t * stride + offset; i < t * stride + offset + rows; i++)
            sum += F[i] * Y[i];
        work->products[e] += sum;
        offset += rows;
      }
    }
  }
}

// A task is a block of poses; groups come in order.
static void make_sum(int32_t begin, int32_t end, void *context) {
  const Work *work = context;
  const lbColumns *c = work->columns;
  size_t d = (size_t)c->dimension;
  _Alignas(64) double F[GROUP_ROWS * POSES];
  for (int32_t block = begin; block < end; block++) {
    int32_t first = block * POSES, count = block_poses(c, first);
    for (int32_t g = 0; g < work->group_count; g++) {
      const Group *group = &work->groups[g];
      size_t stride = (size_t)group->rows, offset = 0;
      group_forces(work, group, first, count, F);
      for (int32_t e = group->begin; e < group->end; e++) {
        size_t rows = (size_t)rows_of(work, e);
        for (size_t t = 0; t < (size_t)count; t++)
          for (size_t i = 0; i < rows; i++) F[t * stride + offset + i] *= work->w[e];
        offset += rows;
      }
      lb_dense_multiply_parts(LB_PLAIN, LB_PLAIN, c->dimension, count, group->rows, 1, group->U, d,
                              F, stride, 1, work->sum + (size_t)first * d, d);
    }
  }
}

// Done where the elements are.
static lbStatus ask_engine(const lbColumns *columns, lbColumnsTask task, int32_t count,
                           const int32_t *list, const double *in, double *out, lbError *err) {
  return lb_reduce_engine(columns->fem)->columns(columns, task, count, list, in, out, err);
}

static const double *column_of(const lbColumns *columns, int32_t component) {
  return columns->matrix + columns->stride * (size_t)component;
}

lbStatus lb_columns_make(const lbColumns *columns, int32_t count, const int32_t *list, double *A,
                         lbError *err) {
  size_t rows = lb_columns_rows(columns);
  for (int32_t k = 0; k < count && columns->matrix; k++)
    memcpy(A + rows * (size_t)k, column_of(columns, list[k]), rows * sizeof *A);
  if (columns->matrix) return LB_OK;
  if (columns->fem->engine) return ask_engine(columns, LB_COLUMNS_MAKE, count, list, NULL, A, err);
  Work work = { .columns = columns, .list = list, .A = A };
  return run_portions(&work, count, 0, make_cubature_columns, err);
}

lbStatus lb_columns_products(const lbColumns *columns, int32_t count, const int32_t *list,
                             const double *r, double *products, lbError *err) {
  for (int32_t k = 0; k < count && columns->matrix; k++) {
    products[k] = 0;
    for (size_t i = 0; i < lb_columns_rows(columns); i++)
      products[k] += column_of(columns, list[k])[i] * r[i];
  }
  if (columns->matrix) return LB_OK;
  if (columns->fem->engine)
    return ask_engine(columns, LB_COLUMNS_PRODUCTS, count, list, r, products, err);
  Work work = { .columns = columns, .list = list, .r = r, .products = products };
  return run_portions(&work, count, 0, make_products, err);
}

lbStatus lb_columns_sum(const lbColumns *columns, int32_t count, const int32_t *list,
                        const double *w, double *sum, lbError *err) {
  Work work = { .columns = columns, .list = list, .w = w, .sum = sum };
  memset(sum, 0, lb_columns_rows(columns) * sizeof(double));
  for (int32_t k = 0; k < count && columns->matrix; k++)
    for (size_t i = 0; i < lb_columns_rows(columns); i++)
      sum[i] += w[k] * column_of(columns, list[k])[i];
  if (columns->matrix) return LB_OK;
  if (columns->fem->engine) return ask_engine(columns, LB_COLUMNS_SUM, count, list, w, sum, err);
  return run_portions(&work, count, (columns->pose_count - 1) / POSES + 1, make_sum, err);
}
