// The matrices of a body in parts: every rank adds those of its own elements, made by src/fem, to
// the rows, wherever they lie.
#include "petsc/parts.h"

#include <math.h>

// Blocks of a row that lie in its own rank's columns, and others. What several ranks have along
// their borders is counted several times, so this is a little too many there.
typedef struct Counts {
  PetscInt *own, *other; // (own_count)
} Counts;

static void add_counts(const lbParts *parts, Vec own, Vec other) {
  const lbFem *fem = parts->fem;
  const PetscInt *ranges;
  LB_PETSC(VecGetOwnershipRanges(own, &ranges));
  for (int32_t c = 0; fem && c < fem->node_count; c++)
    for (int32_t b = fem->column_begin[c]; b < fem->column_begin[c + 1]; b++) {
      PetscInt i = parts->numbers[fem->block_rows[b]], j = parts->numbers[c];
      int rank = 0;
      while (i >= ranges[rank + 1]) rank++;
      bool together = j >= ranges[rank] && j < ranges[rank + 1];
      LB_PETSC(VecSetValue(together ? own : other, i, 1, ADD_VALUES));
      if (i != j) LB_PETSC(VecSetValue(together ? own : other, j, 1, ADD_VALUES));
    }
}

static PetscInt *take_counts(const lbParts *parts, Vec sums, PetscInt most) {
  PetscInt *counts = lb_ranks_alloc((size_t)parts->own_count + 1, sizeof *counts);
  const PetscScalar *values;
  LB_PETSC(VecAssemblyBegin(sums));
  LB_PETSC(VecAssemblyEnd(sums));
  LB_PETSC(VecGetArrayRead(sums, &values));
  for (int32_t i = 0; i < parts->own_count; i++)
    counts[i] = values[i] < most ? (PetscInt)values[i] : most;
  LB_PETSC(VecRestoreArrayRead(sums, &values));
  return counts;
}

static Counts count_petsc_blocks(const lbParts *parts) {
  Vec own, other;
  LB_PETSC(VecCreateMPI(PETSC_COMM_WORLD, parts->own_count, PETSC_DECIDE, &own));
  LB_PETSC(VecDuplicate(own, &other));
  add_counts(parts, own, other);
  Counts counts = { take_counts(parts, own, parts->own_count),
                    take_counts(parts, other, parts->node_count - parts->own_count) };
  LB_PETSC(VecDestroy(&own));
  LB_PETSC(VecDestroy(&other));
  return counts;
}

// ---- values ------------------------------------------------------------------------------------

// Block b of column c of the part's stiffness, row-major, both halves of a diagonal one.
static void read_block(const lbFem *fem, const lbSparse *K, int32_t c, int32_t b, double block[9]) {
  size_t place = 3 * (size_t)(b - fem->column_begin[c]);
  bool diagonal = fem->block_rows[b] == c;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) {
      if (diagonal && i > k) continue;
      double value = K->values[(size_t)K->column_begin[3 * c + k] + place + (size_t)i];
      block[3 * i + k] = value;
      if (diagonal) block[3 * k + i] = value;
    }
}

static void add_petsc_stiffness(const lbParts *parts, const lbSparse *K) {
  const lbFem *fem = parts->fem;
  for (int32_t c = 0; c < fem->node_count; c++)
    for (int32_t b = fem->column_begin[c]; b < fem->column_begin[c + 1]; b++) {
      double block[9], turned[9];
      PetscInt i = parts->numbers[fem->block_rows[b]], j = parts->numbers[c];
      read_block(fem, K, c, b, block);
      LB_PETSC(MatSetValuesBlocked(parts->K, 1, &i, 1, &j, block, ADD_VALUES));
      if (i == j) continue;
      for (int k = 0; k < 9; k++) turned[3 * (k % 3) + k / 3] = block[k];
      LB_PETSC(MatSetValuesBlocked(parts->K, 1, &j, 1, &i, turned, ADD_VALUES));
    }
}

static void add_mass(const lbParts *parts) {
  const lbSparse *M = parts->fem->mass;
  for (int32_t c = 0; c < M->size; c++)
    for (int32_t k = M->column_begin[c]; k < M->column_begin[c + 1]; k++) {
      int32_t r = M->rows[k];
      PetscInt i = 3 * parts->numbers[r / 3] + r % 3, j = 3 * parts->numbers[c / 3] + c % 3;
      LB_PETSC(MatSetValue(parts->M, i, j, M->values[k], ADD_VALUES));
      if (i != j) LB_PETSC(MatSetValue(parts->M, j, i, M->values[k], ADD_VALUES));
    }
}

static void create_matrix(const lbParts *parts, Mat *A) {
  PetscInt rows = 3 * parts->own_count, all = 3 * parts->node_count;
  LB_PETSC(MatCreate(PETSC_COMM_WORLD, A));
  LB_PETSC(MatSetSizes(*A, rows, rows, all, all));
  LB_PETSC(MatSetType(*A, MATAIJ));
}

static void create_matrices(lbParts *parts) {
  Counts counts = count_petsc_blocks(parts);
  create_matrix(parts, &parts->K);
  create_matrix(parts, &parts->M);
  LB_PETSC(MatSetBlockSize(parts->K, 3));
  LB_PETSC(MatXAIJSetPreallocation(parts->K, 3, counts.own, counts.other, NULL, NULL));
  PetscInt *own = lb_ranks_alloc(3 * (size_t)parts->own_count + 1, sizeof *own);
  PetscInt *other = lb_ranks_alloc(3 * (size_t)parts->own_count + 1, sizeof *other);
  for (int32_t i = 0; i < 3 * parts->own_count; i++) {
    own[i] = counts.own[i / 3];
    other[i] = counts.other[i / 3];
  }
  LB_PETSC(MatXAIJSetPreallocation(parts->M, 1, own, other, NULL, NULL));
  lb_free(own);
  lb_free(other);
  lb_free(counts.own);
  lb_free(counts.other);
}

static bool is_finite(Mat A) {
  PetscInt begin, end, count;
  const PetscScalar *values;
  int32_t finite = true;
  LB_PETSC(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt row = begin; row < end && finite; row++) {
    LB_PETSC(MatGetRow(A, row, &count, NULL, &values));
    for (PetscInt k = 0; k < count; k++) finite = finite && isfinite(values[k]);
    LB_PETSC(MatRestoreRow(A, row, &count, NULL, &values));
  }
  MPI_Allreduce(MPI_IN_PLACE, &finite, 1, MPI_INT32_T, MPI_MIN, PETSC_COMM_WORLD);
  return finite;
}

// The diagonal of this rank's rows.
static double *take_diagonal(const lbParts *parts, Mat A) {
  Vec diagonal;
  size_t rows = 3 * (size_t)parts->own_count;
  double *values = lb_ranks_alloc(rows + 1, sizeof *values);
  LB_PETSC(VecDuplicate(parts->rows, &diagonal));
  LB_PETSC(VecPlaceArray(diagonal, values));
  LB_PETSC(MatGetDiagonal(A, diagonal));
  LB_PETSC(VecResetArray(diagonal));
  LB_PETSC(VecDestroy(&diagonal));
  return values;
}

static double sum_matrix_diagonal(const lbParts *parts, Mat A) {
  double *diagonal = take_diagonal(parts, A), sum = 0;
  for (int32_t i = 0; i < 3 * parts->own_count; i++) sum += fabs(diagonal[i]);
  lb_ranks_sum(&sum, 1);
  lb_free(diagonal);
  return sum;
}

int32_t lb_parts_negative_row(const lbParts *parts, Mat A, double *value) {
  double *diagonal = take_diagonal(parts, A);
  int32_t mine = INT32_MAX, first = INT32_MAX;
  *value = -HUGE_VAL;
  for (int32_t i = 0; i < 3 * parts->own_count; i++) {
    int32_t row = 3 * parts->own[i / 3] + i % 3;
    if (diagonal[i] > 0 || row > mine) continue;
    mine = row;
    *value = diagonal[i];
  }
  lb_free(diagonal);
  MPI_Allreduce(&mine, &first, 1, MPI_INT32_T, MPI_MIN, PETSC_COMM_WORLD);
  if (mine != first) *value = -HUGE_VAL;
  MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return first < INT32_MAX ? first : -1;
}

// What lb_eigen_lowest refuses, in its words; the traces.
static lbStatus check_matrices(lbParts *parts, lbError *err) {
  if (!is_finite(parts->K))
    return lb_fail(err, LB_ERR_NUMERIC,
                   "modes: the stiffness matrix holds a value that is not finite");
  if (!is_finite(parts->M))
    return lb_fail(err, LB_ERR_NUMERIC, "modes: the mass matrix holds a value that is not finite");
  double mass;
  int32_t row = lb_parts_negative_row(parts, parts->M, &mass);
  if (row >= 0)
    return lb_fail(err, LB_ERR_NUMERIC,
                   "modes: the mass matrix is not positive definite at row %d (%g); a vertex "
                   "without mass?",
                   row, mass);
  double stiffness = sum_matrix_diagonal(parts, parts->K);
  parts->mass_trace = sum_matrix_diagonal(parts, parts->M);
  parts->scale = stiffness / parts->mass_trace;
  if (parts->scale >= 1e-200 && parts->scale <= 1e200) return LB_OK;
  return lb_fail(err, LB_ERR_NUMERIC, "modes: trace of K %g, of M %g: check the units", stiffness,
                 parts->mass_trace); // MUMPS's solutions would be zero
}

static void finish_matrix(Mat A) {
  LB_PETSC(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  LB_PETSC(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  LB_PETSC(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  LB_PETSC(MatSetOption(A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
}

static void open_transfer(lbParts *parts) {
  IS rows;
  int32_t nodes = parts->fem ? parts->fem->node_count : 0;
  LB_PETSC(MatCreateVecs(parts->K, &parts->rows, NULL));
  LB_PETSC(VecCreateSeq(PETSC_COMM_SELF, 3 * nodes, &parts->part));
  LB_PETSC(ISCreateBlock(PETSC_COMM_SELF, 3, nodes, parts->numbers, PETSC_USE_POINTER, &rows));
  LB_PETSC(VecScatterCreate(parts->rows, rows, parts->part, NULL, &parts->to_part));
  LB_PETSC(ISDestroy(&rows));
}

lbStatus lb_parts_assemble(lbParts *parts, lbError *err) {
  if (parts->K) return LB_OK;
  lbSparse *K = NULL;
  lbStatus status = parts->fem ? lb_fem_rest_stiffness(parts->fem, &K, err) : LB_OK;
  status = lb_ranks_agree(status, err);
  if (!status) {
    create_matrices(parts);
    if (parts->fem) add_petsc_stiffness(parts, K);
    finish_matrix(parts->K);
    if (parts->fem) add_mass(parts);
    finish_matrix(parts->M);
    open_transfer(parts);
    status = check_matrices(parts, err);
  }
  lb_sparse_destroy(K);
  return status;
}

// ---- vectors -----------------------------------------------------------------------------------

void lb_parts_fetch(const lbParts *parts, const double *rows, double *nodes) {
  LB_PETSC(VecPlaceArray(parts->rows, rows));
  LB_PETSC(VecPlaceArray(parts->part, nodes));
  LB_PETSC(
      VecScatterBegin(parts->to_part, parts->rows, parts->part, INSERT_VALUES, SCATTER_FORWARD));
  LB_PETSC(VecScatterEnd(parts->to_part, parts->rows, parts->part, INSERT_VALUES, SCATTER_FORWARD));
  LB_PETSC(VecResetArray(parts->rows));
  LB_PETSC(VecResetArray(parts->part));
}

void lb_parts_finish(const lbParts *parts, const double *nodes, double *rows) {
  for (size_t i = 0; i < 3 * (size_t)parts->own_count; i++) rows[i] = 0;
  LB_PETSC(VecPlaceArray(parts->rows, rows));
  LB_PETSC(VecPlaceArray(parts->part, nodes));
  LB_PETSC(VecScatterBegin(parts->to_part, parts->part, parts->rows, ADD_VALUES, SCATTER_REVERSE));
  LB_PETSC(VecScatterEnd(parts->to_part, parts->part, parts->rows, ADD_VALUES, SCATTER_REVERSE));
  LB_PETSC(VecResetArray(parts->rows));
  LB_PETSC(VecResetArray(parts->part));
}

// ---- columns -----------------------------------------------------------------------------------

void lb_parts_multiply(const lbParts *parts, Mat A, int32_t count, const double *X, double *Y) {
  Vec x, y;
  size_t rows = 3 * (size_t)parts->own_count;
  LB_PETSC(VecDuplicate(parts->rows, &x));
  LB_PETSC(VecDuplicate(parts->rows, &y));
  for (size_t c = 0; c < (size_t)count; c++) {
    LB_PETSC(VecPlaceArray(x, X + c * rows));
    LB_PETSC(VecPlaceArray(y, Y + c * rows));
    LB_PETSC(MatMult(A, x, y));
    LB_PETSC(VecResetArray(x));
    LB_PETSC(VecResetArray(y));
  }
  LB_PETSC(VecDestroy(&x));
  LB_PETSC(VecDestroy(&y));
}
