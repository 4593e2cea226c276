#include "petsc/indefinite.h"

#include "linalg/cholesky.h"
#include "linalg/room.h"
#include "petsc/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bytes of rank 0 for each entry of a triangle: received, its index, and in the matrix.
static const double ENTRY_BYTES = 48;

// One rank's entries of the lower triangle, by PETSc's numbers of rows.
typedef struct Entries {
  int32_t rows, count;
  int32_t *lengths; // (rows)
  int32_t *columns; // (count)
  double *values;   // (count)
  int32_t *nodes;   // (rows / 3) of the whole body
  double *places;   // (rows)
} Entries;

static void release_indefinite(Entries *e) {
  void *blocks[] = { e->lengths, e->columns, e->values, e->nodes, e->places };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  *e = (Entries){ 0 };
}

static void allocate_indefinite(Entries *e, int32_t rows, int32_t count) {
  *e = (Entries){ .rows = rows, .count = count };
  e->lengths = lb_ranks_alloc((size_t)rows + 1, sizeof *e->lengths);
  e->columns = lb_ranks_alloc((size_t)count + 1, sizeof *e->columns);
  e->values = lb_ranks_alloc((size_t)count + 1, sizeof *e->values);
  e->nodes = lb_ranks_alloc((size_t)rows / 3 + 1, sizeof *e->nodes);
  e->places = lb_ranks_alloc((size_t)rows + 1, sizeof *e->places);
}

// ---- to rank 0 ---------------------------------------------------------------------------------

static int64_t count_entries(const lbParts *parts, Mat A) {
  int64_t count = 0;
  for (int32_t r = 0; r < 3 * parts->own_count; r++) {
    PetscInt row = 3 * parts->own_begin + r, entries;
    const PetscInt *columns;
    LB_PETSC(MatGetRow(A, row, &entries, &columns, NULL));
    for (PetscInt k = 0; k < entries; k++) count += columns[k] <= row;
    LB_PETSC(MatRestoreRow(A, row, &entries, &columns, NULL));
  }
  return count;
}

static void take_own(const lbParts *parts, Mat A, int32_t count, Entries *own) {
  size_t at = 0;
  allocate_indefinite(own, 3 * parts->own_count, count);
  for (int32_t r = 0; r < own->rows; r++) {
    PetscInt row = 3 * parts->own_begin + r, entries;
    const PetscInt *columns;
    const PetscScalar *values;
    LB_PETSC(MatGetRow(A, row, &entries, &columns, &values));
    for (PetscInt k = 0; k < entries; k++)
      if (columns[k] <= row) {
        own->lengths[r]++;
        own->columns[at] = columns[k];
        own->values[at++] = values[k];
      }
    LB_PETSC(MatRestoreRow(A, row, &entries, &columns, &values));
  }
  memcpy(own->nodes, parts->own, (size_t)parts->own_count * sizeof *own->nodes);
  memcpy(own->places, parts->places, (size_t)own->rows * sizeof *own->places);
}

static void gather_to_first_rank(const void *own, int32_t count, MPI_Datatype type, void *whole) {
  int ranks = lb_ranks_count(), here = count;
  int *counts = lb_ranks_alloc((size_t)ranks, sizeof *counts);
  int *begin = lb_ranks_alloc((size_t)ranks, sizeof *begin);
  MPI_Gather(&here, 1, MPI_INT, counts, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  for (int r = 1; r < ranks; r++) begin[r] = begin[r - 1] + counts[r - 1];
  MPI_Gatherv(own, here, type, whole, counts, begin, type, 0, PETSC_COMM_WORLD);
  lb_free(counts);
  lb_free(begin);
}

static void gather_all(const lbParts *parts, const Entries *own, int32_t count, Entries *whole) {
  bool first = lb_ranks_rank() == 0;
  allocate_indefinite(whole, first ? 3 * parts->node_count : 0, first ? count : 0);
  gather_to_first_rank(own->lengths, own->rows, MPI_INT32_T, whole->lengths);
  gather_to_first_rank(own->columns, own->count, MPI_INT32_T, whole->columns);
  gather_to_first_rank(own->values, own->count, MPI_DOUBLE, whole->values);
  gather_to_first_rank(own->nodes, own->rows / 3, MPI_INT32_T, whole->nodes);
  gather_to_first_rank(own->places, own->rows, MPI_DOUBLE, whole->places);
}

// ---- the matrix in limber's numbers ------------------------------------------------------------

// Of an entry in the upper triangle.
typedef struct Place {
  int32_t row, column;
} Place;

static Place place_of(const Entries *e, int32_t row, int32_t column) {
  int32_t r = 3 * e->nodes[row / 3] + row % 3, c = 3 * e->nodes[column / 3] + column % 3;
  return r <= c ? (Place){ r, c } : (Place){ c, r };
}

static int by_size(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static lbStatus make_shifted_pattern(const Entries *e, lbSparse **out, lbError *err) {
  size_t n = (size_t)e->rows;
  int32_t *begin = lb_ranks_alloc(n + 2, sizeof *begin); // moved by one while it is filled
  int32_t *rows = lb_ranks_alloc((size_t)e->count + 1, sizeof *rows);
  for (int32_t r = 0, k = 0; r < e->rows; r++)
    for (int32_t end = k + e->lengths[r]; k < end; k++)
      begin[place_of(e, r, e->columns[k]).column + 2]++;
  for (size_t c = 2; c < n + 2; c++) begin[c] += begin[c - 1];
  for (int32_t r = 0, k = 0; r < e->rows; r++)
    for (int32_t end = k + e->lengths[r]; k < end; k++) {
      Place place = place_of(e, r, e->columns[k]);
      rows[begin[place.column + 1]++] = place.row;
    }
  for (size_t c = 0; c < n; c++)
    qsort(rows + begin[c], (size_t)(begin[c + 1] - begin[c]), sizeof *rows, by_size);
  lbStatus status = lb_sparse_create(e->rows, begin, rows, out, err);
  lb_free(begin);
  lb_free(rows);
  return status;
}

static lbStatus make_shifted_matrix(const Entries *e, lbSparse **out, lbError *err) {
  lbStatus status = make_shifted_pattern(e, out, err);
  for (int32_t r = 0, k = 0; r < e->rows && !status; r++)
    for (int32_t end = k + e->lengths[r]; k < end; k++) {
      Place place = place_of(e, r, e->columns[k]);
      (*out)->values[lb_sparse_find(*out, place.row, place.column)] = e->values[k];
    }
  double *places = lb_ranks_alloc((size_t)e->rows + 1, sizeof *places);
  for (size_t i = 0; i < (size_t)e->rows; i++)
    places[3 * (size_t)e->nodes[i / 3] + i % 3] = e->places[i];
  if (!status) status = lb_sparse_set_positions(*out, places, err);
  lb_free(places);
  return status;
}

// Rank 0: the message of limber where its factor fails, too, and else none.
static void factor_whole(const Entries *whole, lbError *cause) {
  lbSparse *A = NULL;
  lbCholesky *factor = NULL;
  lbStatus status = make_shifted_matrix(whole, &A, cause);
  if (!status) status = lb_cholesky_create(A, &factor, cause);
  if (!status) status = lb_cholesky_factor(factor, A, cause);
  lb_cholesky_destroy(factor);
  lb_sparse_destroy(A);
  if (status != LB_ERR_NUMERIC) *cause = (lbError){ 0 };
}

// Whether rank 0 has memory for it, on all ranks.
static bool has_room(const lbParts *parts, int64_t count) {
  double rows = 3.0 * parts->node_count, room = lb_room_free();
  if (parts->memory > 0) room = fmin(room, parts->memory);
  double need = ENTRY_BYTES * (double)count + lb_memory_factor(rows);
  int32_t fits = need <= room && count < INT32_MAX;
  lb_ranks_broadcast(&fits, sizeof fits);
  return fits;
}

void lb_indefinite_tell(const lbParts *parts, Mat A, lbError *err) {
  int64_t here = count_entries(parts, A), count = 0;
  MPI_Allreduce(&here, &count, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  if (!has_room(parts, count)) return;
  Entries own, whole;
  lbError cause = { 0 };
  take_own(parts, A, (int32_t)here, &own);
  gather_all(parts, &own, (int32_t)count, &whole);
  release_indefinite(&own);
  if (lb_ranks_rank() == 0) factor_whole(&whole, &cause);
  release_indefinite(&whole);
  lb_ranks_broadcast(&cause, sizeof cause);
  if (err && cause.text[0]) *err = cause;
}
