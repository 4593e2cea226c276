#include "petsc/factor.h"

#include "petsc/exchange.h"
#include "petsc/order.h"

#include <dmumps_c.h>
#include <stdlib.h>
#include <string.h>

// Jobs of MUMPS, the numbers of its controls less one (ICNTL(1) is icntl[0]), and its failures.
enum { BEGIN = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3 };
enum {
  ERROR_STREAM = 0,
  WARNING_STREAM = 1,
  STREAM = 2,
  VERBOSITY = 3,
  ORDER = 6,
  ROOT = 12,
  ROOM = 13, // beyond what the analysis estimates, per cent
  MATRIX_FORM = 17,
  RIGHT_SIDE_FORM = 19,
  SOLUTION_FORM = 20,
  CONTROLS = 60
};
enum { OUT_OF_ROOM = -9, NO_PIVOT = -10, NO_MEMORY = -13, MEMORY_LIMIT = -19 };
// KEEP(9), of which the manual says nothing: rows of a front that ranks share.
enum { SHARED_FRONT = 8, NO_FRONT = 1 << 30 };
enum { ROOM_MOST = 400 };

struct lbFactor {
  DMUMPS_STRUC_C mumps;
  int32_t rows;         // of this rank
  int32_t first;        // of these rows
  MUMPS_INT *places;    // (rows) of the right-hand sides, from 1 on
  MUMPS_INT *found;     // (found_count) rows of solutions that MUMPS leaves here, from 1 on
  int32_t found_count;  //
  int32_t *found_order; // (found_count) in which they go to their ranks
  lbExchange exchange;  // from there to the ranks of the rows
  int32_t *arriving;    // (rows) where those that arrive belong
  bool exchanges;       // the last four are there
  int32_t width;        // right-hand sides that fit into
  double *solutions, *sent, *arrived;
};

// ---- controls ----------------------------------------------------------------------------------

// As PETSc has them: -mat_mumps_icntl_14 50
static void take_options(DMUMPS_STRUC_C *mumps) {
  for (int i = 1; i <= CONTROLS; i++) {
    char name[40];
    PetscInt value;
    PetscBool given;
    snprintf(name, sizeof name, "-mat_mumps_icntl_%d", i);
    LB_PETSC(PetscOptionsGetInt(NULL, NULL, name, &value, &given));
    if (given) mumps->icntl[i - 1] = value;
  }
}

static void begin_mumps(DMUMPS_STRUC_C *mumps) {
  mumps->comm_fortran = (MUMPS_INT)MPI_Comm_c2f(PETSC_COMM_WORLD);
  mumps->par = 1;
  mumps->sym = 1;
  mumps->job = BEGIN;
  dmumps_c(mumps);
  mumps->icntl[ERROR_STREAM] = mumps->icntl[WARNING_STREAM] = -1;
  mumps->icntl[VERBOSITY] = 0;
  mumps->icntl[ORDER] = 1; // what perm_in says
  mumps->icntl[ROOT] = 1;  // as the other fronts: ScaLAPACK takes longer, and counts no signs
  mumps->icntl[MATRIX_FORM] = 3;
  mumps->icntl[RIGHT_SIDE_FORM] = 10;
  mumps->icntl[SOLUTION_FORM] = 1;
  // With two ranks each has one half of a body to work on; sharing fronts would make them wait for
  // each other.
  if (lb_ranks_count() == 2) mumps->keep[SHARED_FRONT] = NO_FRONT;
  take_options(mumps);
  mumps->icntl[STREAM] = mumps->icntl[VERBOSITY] > 0 ? 6 : -1;
}

// ---- the matrix --------------------------------------------------------------------------------

// This rank's rows of the lower triangle.
static void take_matrix(const lbFactor *f, Mat A, DMUMPS_STRUC_C *mumps) {
  size_t count = 0;
  for (int fill = 0; fill < 2; fill++) {
    count = 0;
    for (int32_t r = 0; r < f->rows; r++) {
      PetscInt row = f->first + r, entries;
      const PetscInt *columns;
      const PetscScalar *values;
      LB_PETSC(MatGetRow(A, row, &entries, &columns, &values));
      for (PetscInt k = 0; k < entries; k++) {
        if (columns[k] > row) continue;
        if (fill) {
          mumps->irn_loc[count] = row + 1;
          mumps->jcn_loc[count] = columns[k] + 1;
          mumps->a_loc[count] = values[k];
        }
        count++;
      }
      LB_PETSC(MatRestoreRow(A, row, &entries, &columns, &values));
    }
    if (fill) continue;
    mumps->irn_loc = lb_ranks_alloc(count + 1, sizeof *mumps->irn_loc);
    mumps->jcn_loc = lb_ranks_alloc(count + 1, sizeof *mumps->jcn_loc);
    mumps->a_loc = lb_ranks_alloc(count + 1, sizeof *mumps->a_loc);
  }
  mumps->nnz_loc = (MUMPS_INT8)count;
}

static void drop_matrix(DMUMPS_STRUC_C *mumps) {
  lb_free(mumps->irn_loc);
  lb_free(mumps->jcn_loc);
  lb_free(mumps->a_loc);
  lb_free(mumps->perm_in);
  mumps->irn_loc = mumps->jcn_loc = mumps->perm_in = NULL;
  mumps->a_loc = NULL;
}

static void take_order(const lbParts *parts, DMUMPS_STRUC_C *mumps) {
  int32_t *place = lb_order_nodes(parts);
  if (!place) return;
  mumps->perm_in = lb_ranks_alloc(3 * (size_t)parts->node_count, sizeof *mumps->perm_in);
  for (int32_t i = 0; i < 3 * parts->node_count; i++)
    mumps->perm_in[i] = 3 * place[i / 3] + i % 3 + 1;
  lb_free(place);
}

static lbStatus check_mumps_result(const DMUMPS_STRUC_C *mumps, lbError *err) {
  int code = mumps->infog[0], negative = mumps->infog[11];
  if (code == OUT_OF_ROOM || code == NO_MEMORY || code == MEMORY_LIMIT)
    return lb_fail(err, LB_ERR_MEMORY,
                   "the factor needs about %d MB over all ranks, more than is free: use more "
                   "machines, a coarser mesh, or --solver iterative",
                   (int)mumps->infog[16]);
  if (code == NO_PIVOT || (code >= 0 && negative > 0))
    return lb_fail(err, LB_ERR_NUMERIC,
                   "sparse matrix: not positive definite (%d pivots are negative or zero)",
                   code == NO_PIVOT ? mumps->n - (int)mumps->infog[1] : negative);
  if (code < 0) lb_petsc_check(PETSC_ERR_LIB, "MUMPS");
  return LB_OK;
}

// Once more with more room where there was too little.
static void run_factor(DMUMPS_STRUC_C *mumps) {
  mumps->job = FACTOR;
  dmumps_c(mumps);
  while (mumps->infog[0] == OUT_OF_ROOM && mumps->icntl[ROOM] < ROOM_MOST) {
    mumps->icntl[ROOM] = 2 * mumps->icntl[ROOM] + 20;
    mumps->job = FACTOR;
    dmumps_c(mumps);
  }
}

lbStatus lb_factor_create(const lbParts *parts, Mat A, lbFactor **out, lbError *err) {
  lbFactor *f = lb_ranks_alloc(1, sizeof *f);
  DMUMPS_STRUC_C *mumps = &f->mumps;
  f->rows = 3 * parts->own_count;
  f->first = 3 * parts->own_begin;
  f->places = lb_ranks_alloc((size_t)f->rows + 1, sizeof *f->places);
  for (int32_t r = 0; r < f->rows; r++) f->places[r] = f->first + r + 1;
  begin_mumps(mumps);
  mumps->n = 3 * parts->node_count;
  take_matrix(f, A, mumps);
  take_order(parts, mumps);
  mumps->job = ANALYSE;
  dmumps_c(mumps);
  if (mumps->infog[0] >= 0) run_factor(mumps);
  lbStatus status = check_mumps_result(mumps, err);
  drop_matrix(mumps);
  if (status)
    lb_factor_destroy(f);
  else
    *out = f;
  return status;
}

static void drop_room(lbFactor *f) {
  lb_free(f->solutions);
  lb_free(f->sent);
  lb_free(f->arrived);
}

void lb_factor_destroy(lbFactor *f) {
  if (!f) return;
  f->mumps.job = END;
  dmumps_c(&f->mumps);
  if (f->exchanges) lb_exchange_release(&f->exchange);
  lb_free(f->places);
  lb_free(f->found);
  lb_free(f->found_order);
  lb_free(f->arriving);
  drop_room(f);
  lb_free(f);
}

// ---- solutions ---------------------------------------------------------------------------------

// A row of a solution, and where MUMPS leaves it.
typedef struct Row {
  MUMPS_INT number;
  int32_t place;
} Row;

static int order_rows_by_number(const void *a, const void *b) {
  const Row *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

// Rows are numbered rank by rank: in their order they go to ranks in theirs.
static void open_exchange(lbFactor *f) {
  size_t count = (size_t)f->found_count, ranks = (size_t)lb_ranks_count();
  Row *rows = lb_ranks_alloc(count + 1, sizeof *rows);
  int32_t *to = lb_ranks_alloc(count + 1, sizeof *to);
  int32_t *begin = lb_ranks_alloc(ranks + 1, sizeof *begin);
  int32_t *numbers = lb_ranks_alloc(count + 1, sizeof *numbers);
  MPI_Allgather(&f->first, 1, MPI_INT32_T, begin, 1, MPI_INT32_T, PETSC_COMM_WORLD);
  begin[ranks] = f->mumps.n;
  for (size_t i = 0; i < count; i++) rows[i] = (Row){ f->found[i], (int32_t)i };
  qsort(rows, count, sizeof *rows, order_rows_by_number);
  f->found_order = lb_ranks_alloc(count + 1, sizeof *f->found_order);
  for (size_t i = 0, r = 0; i < count; i++) {
    while (rows[i].number - 1 >= begin[r + 1]) r++;
    to[i] = (int32_t)r;
    numbers[i] = rows[i].number - 1;
    f->found_order[i] = rows[i].place;
  }
  lb_exchange_open(&f->exchange, f->found_count, to);
  f->arriving = lb_ranks_alloc((size_t)f->rows + 1, sizeof *f->arriving);
  lb_exchange_send(&f->exchange, sizeof *numbers, numbers, f->arriving);
  for (int32_t i = 0; i < f->rows; i++) f->arriving[i] -= f->first;
  f->exchanges = true;
  lb_free(rows);
  lb_free(to);
  lb_free(begin);
  lb_free(numbers);
}

// Copies columns of the solution found here (found_count x count) into those of this rank's rows.
static void deliver(lbFactor *f, int32_t count, double *X) {
  size_t here = (size_t)f->found_count, rows = (size_t)f->rows, n = (size_t)count;
  for (size_t i = 0; i < here; i++)
    for (size_t c = 0; c < n; c++)
      f->sent[n * i + c] = f->solutions[here * c + (size_t)f->found_order[i]];
  lb_exchange_send(&f->exchange, n * sizeof *f->sent, f->sent, f->arrived);
  for (size_t i = 0; i < rows; i++)
    for (size_t c = 0; c < n; c++) X[rows * c + (size_t)f->arriving[i]] = f->arrived[n * i + c];
}

// Kept from one solve to the next: fresh pages take as long as the exchange.
static void make_factor_room(lbFactor *f, int32_t count) {
  size_t here = (size_t)f->found_count, rows = (size_t)f->rows, n = (size_t)count;
  if (count <= f->width) return;
  drop_room(f);
  f->solutions = lb_ranks_alloc(here * n + 1, sizeof(double));
  f->sent = lb_ranks_alloc(here * n + 1, sizeof(double));
  f->arrived = lb_ranks_alloc(rows * n + 1, sizeof(double));
  f->width = count;
}

void lb_factor_solve(lbFactor *f, int32_t count, const double *B, double *X) {
  DMUMPS_STRUC_C *mumps = &f->mumps;
  f->found_count = mumps->info[22];
  if (!f->found) f->found = lb_ranks_alloc((size_t)f->found_count + 1, sizeof *f->found);
  make_factor_room(f, count);
  mumps->nrhs = count;
  mumps->nloc_rhs = mumps->lrhs_loc = f->rows;
  mumps->irhs_loc = f->places;
  mumps->rhs_loc = (double *)B; // which is read
  mumps->lsol_loc = f->found_count;
  mumps->isol_loc = f->found;
  mumps->sol_loc = f->solutions;
  mumps->job = SOLVE;
  dmumps_c(mumps);
  if (mumps->infog[0] < 0) lb_petsc_check(PETSC_ERR_LIB, "MUMPS: solutions");
  if (!f->exchanges) open_exchange(f);
  deliver(f, count, X);
}
