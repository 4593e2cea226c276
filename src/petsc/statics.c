// Static solves of bodies in parts; the equations stand in reduce/rest.c.
#include "petsc/basis.h"

#include "linalg/dense.h"
#include "petsc/factor.h"
#include "petsc/indefinite.h"

#include <math.h>
#include <string.h>

// ---- the rigid motions -------------------------------------------------------------------------

// Where the largest entry of column p and those after it is, over all ranks: row among all, column.
typedef struct Entry {
  double size;
  int32_t row, column, rank;
} Entry;

static Entry find_largest(const lbParts *parts, const double *Z, int32_t first, int32_t count) {
  int32_t rows = 3 * parts->own_count;
  Entry best = { .size = -1 };
  for (int32_t c = first; c < count; c++)
    for (int32_t r = 0; r < rows; r++) {
      double size = fabs(Z[(size_t)c * (size_t)rows + (size_t)r]);
      if (size > best.size) best = (Entry){ size, 3 * parts->own_begin + r, c, 0 };
    }
  struct {
    double size;
    int rank;
  } mine = { best.size, lb_ranks_rank() }, most;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, PETSC_COMM_WORLD);
  MPI_Bcast(&best, (int)sizeof best, MPI_BYTE, most.rank, PETSC_COMM_WORLD);
  best.rank = most.rank;
  return best;
}

// Rows that hold the motions, as lb_choose_pins finds them, with Z in parts.
static void choose_pins(lbStatics *s) {
  size_t own = 3 * (size_t)s->parts->own_count, rigid = (size_t)s->rigid_count;
  double *Z = lb_ranks_alloc(own * rigid + 1, sizeof *Z);
  double *row = lb_ranks_alloc(rigid + 1, sizeof *row);
  memcpy(Z, s->Z, own * rigid * sizeof *Z);
  for (size_t p = 0; p < rigid; p++) {
    Entry pivot = find_largest(s->parts, Z, (int32_t)p, s->rigid_count);
    s->pins[p] = pivot.row;
    double *to = Z + own * p, *from = Z + own * (size_t)pivot.column;
    for (size_t r = 0; r < own; r++) {
      double swap = from[r];
      from[r] = to[r];
      to[r] = swap;
    }
    size_t here = (size_t)(pivot.row - 3 * s->parts->own_begin);
    for (size_t c = 0; c < rigid && pivot.rank == lb_ranks_rank(); c++) row[c] = Z[own * c + here];
    MPI_Bcast(row, (int)rigid, MPI_DOUBLE, pivot.rank, PETSC_COMM_WORLD);
    for (size_t c = p + 1; c < rigid; c++)
      for (size_t r = 0; r < own; r++) Z[own * c + r] -= row[c] / row[p] * to[r];
  }
  lb_free(Z);
  lb_free(row);
}

static void keep_rigid_motions(lbStatics *s, int32_t count, const double *Z) {
  size_t own = 3 * (size_t)s->parts->own_count, rigid = (size_t)count;
  s->rigid_count = count;
  s->Z = lb_ranks_alloc(own * rigid + 1, sizeof(double));
  s->MZ = lb_ranks_alloc(own * rigid + 1, sizeof(double));
  s->pins = lb_ranks_alloc(rigid + 1, sizeof *s->pins);
  if (rigid) memcpy(s->Z, Z, own * rigid * sizeof *Z);
  lb_parts_multiply(s->parts, s->parts->M, count, s->Z, s->MZ);
  choose_pins(s);
}

// X <- X − Y (Wᵀ X) over all rows.
static void project_out(const lbStatics *s, const double *Y, const double *W, int32_t count,
                        double *X) {
  int32_t rows = 3 * s->parts->own_count, rigid = s->rigid_count;
  if (rigid == 0) return;
  double *C = lb_ranks_alloc((size_t)rigid * (size_t)count, sizeof *C);
  if (rows > 0) lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, rigid, count, rows, 1, W, X, 0, C);
  lb_ranks_sum(C, (size_t)rigid * (size_t)count);
  if (rows > 0) lb_dense_multiply(LB_PLAIN, LB_PLAIN, rows, count, rigid, -1, Y, C, 1, X);
  lb_free(C);
}

// ---- solver ------------------------------------------------------------------------------------

static lbStatus factor_held(lbStatics *s, bool direct, lbError *err) {
  Mat A = s->parts->K;
  if (s->rigid_count > 0) {
    LB_PETSC(MatDuplicate(A, MAT_COPY_VALUES, &s->held));
    A = s->held;
    LB_PETSC(MatZeroRowsColumns(A, s->rigid_count, s->pins, s->parts->scale, NULL, NULL));
  }
  LB_PETSC(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  if (direct) {
    s->own_factor = true;
    lbStatus status = lb_factor_create(s->parts, A, &s->factor, err);
    if (status == LB_ERR_NUMERIC) lb_indefinite_tell(s->parts, A, err);
    return status;
  }
  lb_solver_rigid_motions(s->parts, A);
  LB_PETSC(KSPCreate(PETSC_COMM_WORLD, &s->solver));
  lb_solver_set_up(s->solver);
  LB_PETSC(KSPSetOperators(s->solver, A, A));
  LB_PETSC(KSPSetOptionsPrefix(s->solver, "static_"));
  LB_PETSC(KSPSetFromOptions(s->solver));
  LB_PETSC(KSPSetUp(s->solver));
  return LB_OK;
}

lbStatus lb_statics_open(lbStatics *s, lbParts *parts, const lbPetscDef *def, int32_t rigid_count,
                         const double *Z, lbError *err) {
  *s = (lbStatics){ .parts = parts };
  keep_rigid_motions(s, rigid_count, Z);
  bool direct = lb_is_direct(parts, def, 20);
  if (direct && parts->factor && parts->shift == 0 && s->rigid_count == 0) {
    s->factor = parts->factor; // that of the modes
    return LB_OK;
  }
  lb_parts_drop_factor(parts); // there is no room for two factors
  return factor_held(s, direct, err);
}

void lb_statics_close(lbStatics *s) {
  if (s->own_factor) lb_factor_destroy(s->factor);
  LB_PETSC(KSPDestroy(&s->solver));
  LB_PETSC(MatDestroy(&s->held));
  lb_free(s->Z);
  lb_free(s->MZ);
  lb_free(s->pins);
  *s = (lbStatics){ 0 };
}

static void clear_pins(const lbStatics *s, int32_t count, double *X) {
  PetscInt begin = 3 * s->parts->own_begin, rows = 3 * s->parts->own_count;
  for (int32_t p = 0; p < s->rigid_count; p++)
    for (int32_t c = 0; c < count; c++)
      if (s->pins[p] >= begin && s->pins[p] < begin + rows)
        X[(size_t)c * (size_t)rows + (size_t)(s->pins[p] - begin)] = 0;
}

void lb_statics_balance(const lbStatics *s, int32_t count, double *X) {
  project_out(s, s->MZ, s->Z, count, X);
}

// X <- A⁻¹ X by conjugate gradients.
static lbStatus iterate_petsc_statics(lbStatics *s, int32_t count, double *X, lbError *err) {
  size_t rows = 3 * (size_t)s->parts->own_count;
  KSPConvergedReason reason;
  double *B = lb_ranks_alloc(rows * (size_t)count + 1, sizeof *B);
  memcpy(B, X, rows * (size_t)count * sizeof *B);
  lb_solver_solve(s->solver, s->parts, count, B, X);
  lb_free(B);
  LB_PETSC(KSPGetConvergedReason(s->solver, &reason));
  if (reason < 0)
    return lb_fail(err, LB_ERR_NUMERIC, "static solutions do not converge (PETSc's reason %d)",
                   (int)reason);
  return LB_OK;
}

lbStatus lb_statics_solve(lbStatics *s, int32_t count, double *X, lbError *err) {
  lb_statics_balance(s, count, X);
  clear_pins(s, count, X);
  if (s->factor) lb_factor_solve(s->factor, count, X, X);
  lbStatus status = s->factor ? LB_OK : iterate_petsc_statics(s, count, X, err);
  if (!status) project_out(s, s->Z, s->MZ, count, X);
  return status;
}
