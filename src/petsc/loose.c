// Loose parts of a body and the rigid motions that its supports leave. Labels spread from node to
// node: within a rank by the graph of its elements, between ranks by the smaller label along
// borders.
#include "petsc/loose.h"

#include "linalg/dense.h"
#include "petsc/krylov.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 100 };
// Of trace K / trace M: a motion of unit mass with less stiffness is rigid.
static const double RIGID = 1e-10;

// ---- labels ------------------------------------------------------------------------------------

static int32_t find_loose_root(int32_t *parent, int32_t n) {
  while (parent[n] != n) n = parent[n] = parent[parent[n]];
  return n;
}

// For each node of this rank's elements: the first node of its connected part.
static int32_t *join_loose_nodes(const lbFem *fem) {
  int32_t count = fem ? fem->node_count : 0;
  int32_t *parent = lb_ranks_alloc((size_t)count + 1, sizeof *parent);
  for (int32_t n = 0; n < count; n++) parent[n] = n;
  for (int32_t c = 0; c < count; c++)
    for (int32_t b = fem->column_begin[c]; b < fem->column_begin[c + 1]; b++) {
      int32_t x = find_loose_root(parent, fem->block_rows[b]), y = find_loose_root(parent, c);
      if (x != y) parent[x > y ? x : y] = x > y ? y : x;
    }
  for (int32_t n = 0; n < count; n++) parent[n] = find_loose_root(parent, n);
  return parent;
}

// rows <- their minimum over the ranks.
static void finish_least(const lbParts *parts, const double *nodes, double *rows) {
  LB_PETSC(VecPlaceArray(parts->rows, rows));
  LB_PETSC(VecPlaceArray(parts->part, nodes));
  LB_PETSC(VecScatterBegin(parts->to_part, parts->part, parts->rows, MIN_VALUES, SCATTER_REVERSE));
  LB_PETSC(VecScatterEnd(parts->to_part, parts->part, parts->rows, MIN_VALUES, SCATTER_REVERSE));
  LB_PETSC(VecResetArray(parts->rows));
  LB_PETSC(VecResetArray(parts->part));
}

// The least number of a node that hangs together with each of this rank's, three times over.
static double *label_nodes(const lbParts *parts) {
  size_t nodes = parts->fem ? (size_t)parts->fem->node_count : 0, own = (size_t)parts->own_count;
  int32_t *root = join_loose_nodes(parts->fem);
  double *labels = lb_ranks_alloc(3 * own + 1, sizeof *labels);
  double *here = lb_ranks_alloc(3 * nodes + 1, sizeof *here);
  for (size_t i = 0; i < 3 * own; i++) labels[i] = (double)(parts->own_begin + (int32_t)(i / 3));
  for (int32_t changed = 1; changed;) {
    double before = 0, after = 0;
    for (size_t i = 0; i < 3 * own; i++) before += labels[i];
    lb_parts_fetch(parts, labels, here);
    for (size_t n = 0; n < nodes; n++) here[3 * root[n]] = fmin(here[3 * root[n]], here[3 * n]);
    for (size_t n = 0; n < nodes; n++)
      for (size_t i = 0; i < 3; i++) here[3 * n + i] = here[3 * root[n]];
    finish_least(parts, here, labels);
    for (size_t i = 0; i < 3 * own; i++) after += labels[i];
    changed = before != after;
    MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT32_T, MPI_MAX, PETSC_COMM_WORLD);
  }
  lb_free(root);
  lb_free(here);
  return labels;
}

// Labels that there are, on all ranks, ascending; -1: more than PARTS_MOST.
static int32_t list_labels(const lbParts *parts, const double *labels, double *list) {
  double own[PARTS_MOST] = { 0 };
  int32_t count = 0, total = 0;
  for (int32_t i = 0; i < parts->own_count; i++)
    if (labels[3 * (size_t)i] == parts->own_begin + i) {
      if (count < PARTS_MOST) own[count] = labels[3 * (size_t)i];
      count++;
    }
  MPI_Allreduce(&count, &total, 1, MPI_INT32_T, MPI_SUM, PETSC_COMM_WORLD);
  if (total > PARTS_MOST) return -1;
  int ranks = lb_ranks_count();
  int *counts = lb_ranks_alloc((size_t)ranks, sizeof *counts);
  int *begin = lb_ranks_alloc((size_t)ranks, sizeof *begin);
  MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, PETSC_COMM_WORLD);
  for (int r = 1; r < ranks; r++) begin[r] = begin[r - 1] + counts[r - 1];
  MPI_Allgatherv(own, count, MPI_DOUBLE, list, counts, begin, MPI_DOUBLE, PETSC_COMM_WORLD);
  lb_free(counts);
  lb_free(begin);
  return total;
}

// ---- motions -----------------------------------------------------------------------------------

// Six motions of the nodes with this label, about their middle and in its size.
static void move_part(const lbParts *parts, const double *labels, double label, double *Z) {
  size_t own = (size_t)parts->own_count;
  double sums[4] = { 0 }, size = 0;
  for (size_t n = 0; n < own; n++)
    for (size_t i = 0; i < 3 && labels[3 * n] == label; i++) {
      sums[i] += parts->places[3 * n + i];
      sums[3] += i == 0;
    }
  lb_ranks_sum(sums, 4);
  for (size_t n = 0; n < own; n++)
    for (size_t i = 0; i < 3 && labels[3 * n] == label; i++)
      size = fmax(size, fabs(parts->places[3 * n + i] - sums[i] / sums[3]));
  MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  memset(Z, 0, 6 * 3 * own * sizeof *Z);
  for (size_t n = 0; n < own; n++)
    for (size_t i = 0; i < 3 && labels[3 * n] == label; i++) {
      size_t j = (i + 1) % 3, k = (i + 2) % 3;
      double *turn = Z + (3 + i) * 3 * own + 3 * n;
      Z[i * 3 * own + 3 * n + i] = 1;
      if (size > 0) {
        turn[k] = (parts->places[3 * n + j] - sums[j] / sums[3]) / size;
        turn[j] = -(parts->places[3 * n + k] - sums[k] / sums[3]) / size;
      }
    }
}

// A y = θ B y with θ <= most: vectors (6 x *count) in A, B-orthonormal. B may be singular: two
// nodes do not turn about their line.
static lbStatus find_soft(double *A, double *B, double most, int32_t *count, lbError *err) {
  double lengths[6], small[36], values[6], U[36], product[36];
  int32_t rank = 0;
  lbStatus status = lb_dense_eigen(6, B, lengths, err);
  for (size_t k = 0; k < 6 && !status; k++)
    if (lengths[k] > 1e-10 * lengths[5]) {
      for (size_t i = 0; i < 6; i++) U[6 * (size_t)rank + i] = B[6 * k + i] / sqrt(lengths[k]);
      rank++;
    }
  if (status) return status;
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, 6, rank, 6, 1, A, U, 0, product);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, rank, rank, 6, 1, U, product, 0, small);
  status = lb_dense_eigen(rank, small, values, err);
  for (*count = 0; *count < rank && values[*count] <= most && !status;) ++*count;
  if (!status && *count) lb_dense_multiply(LB_PLAIN, LB_PLAIN, 6, *count, rank, 1, U, small, 0, A);
  return status;
}

// Of six motions of one part those that no support resists.
static lbStatus keep_loose_rigid(const lbParts *parts, double *Z, int32_t *count, lbError *err) {
  size_t rows = 3 * (size_t)parts->own_count;
  double *Y = lb_ranks_alloc(6 * rows + 1, sizeof *Y), A[36], B[36];
  lb_parts_multiply(parts, parts->K, 6, Z, Y);
  lb_rows_product(rows, 6, 6, Z, Y, A);
  lb_parts_multiply(parts, parts->M, 6, Z, Y);
  lb_rows_product(rows, 6, 6, Z, Y, B);
  lbStatus status = LB_OK;
  if (lb_ranks_rank() == 0) status = find_soft(A, B, RIGID * parts->scale, count, err);
  status = lb_ranks_agree(status, err);
  lb_ranks_broadcast(A, sizeof A);
  lb_ranks_broadcast(count, sizeof *count);
  memcpy(Y, Z, 6 * rows * sizeof *Y);
  memset(Z, 0, 6 * rows * sizeof *Z);
  if (!status && *count) lb_rows_add(rows, *count, 6, 1, Y, A, Z);
  lb_free(Y);
  return status;
}

lbStatus lb_loose_motions(const lbParts *parts, int32_t *count, double **motions, lbError *err) {
  size_t rows = 3 * (size_t)parts->own_count;
  double list[PARTS_MOST];
  *count = 0;
  *motions = NULL;
  if (parts->definite) return LB_OK;
  double *labels = label_nodes(parts);
  int32_t total = list_labels(parts, labels, list);
  lbStatus status =
      total < 0
          ? lb_fail(err, LB_ERR_UNSUPPORTED,
                    "modes: the body has more than %d loose parts, use --solver direct", PARTS_MOST)
          : LB_OK;
  if (!status) *motions = lb_ranks_alloc(6 * rows * (size_t)total + 1, sizeof(double));
  for (int32_t p = 0; p < total && !status; p++) {
    int32_t kept = 0;
    double *Z = *motions + rows * (size_t)*count;
    move_part(parts, labels, list[p], Z);
    status = keep_loose_rigid(parts, Z, &kept, err);
    *count += kept;
  }
  lb_free(labels);
  return status;
}
