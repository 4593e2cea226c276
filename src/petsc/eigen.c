// The lowest modes of K w = λ M w in parts.
//
// Directly: block Lanczos (krylov.c) on (K + s M)⁻¹ M, factored by MUMPS; s = 0 for bodies that are
// held; small bodies by SLEPc's Krylov–Schur. The vectors are then sharpened by one step of inverse
// iteration, X = (K + s M)⁻¹ M W, and a small problem that knows eigenvalues without cancellation:
//   (Xᵀ M W) v = (λ + s) (Xᵀ M X) v.
// Iteratively: LOBPCG, preconditioned by multigrid; rigid motions of a free body are known and kept
// apart from the start.
#include "petsc/eigen.h"

#include "linalg/dense.h"
#include "petsc/factor.h"
#include "petsc/indefinite.h"
#include "petsc/krylov.h"
#include "petsc/loose.h"

#include <math.h>
#include <slepceps.h>
#include <string.h>

// As in linalg/eigen.c: the first s, in units of trace K / trace M, and what counts as zero, in s.
static const double FIRST_SHIFT = 1e-8, LAST_SHIFT = 1e-3, ZERO_CANDIDATE = 1e-4;
// Smallest eigenvalue of K at which K counts as definite, in units of trace K / trace M.
static const double LEAST_VALUE = 1e-13;
enum { MORE = 8 }; // vectors of LOBPCG's block beyond those wanted, which converge faster for it
// Of the preconditioner of free bodies, likewise, and what LOBPCG stops at.
static const double GRID_SHIFT = 1e-5, ITERATIVE_RESIDUAL = 1e-7;

void lb_rows_release(lbRows *rows) {
  lb_free(rows->values);
  lb_free(rows->residuals);
  lb_free(rows->vectors);
  lb_free(rows->rigid_vectors);
  *rows = (lbRows){ 0 };
}

// What is found: all vectors that were asked for, rigid ones too, ascending.
typedef struct Found {
  int32_t count;
  size_t rows; // of this rank
  double *W;   // (rows x count)
  double *values;
} Found;

static void release_found(Found *found) {
  lb_free(found->W);
  lb_free(found->values);
  *found = (Found){ 0 };
}

static PetscErrorCode tell_progress(EPS eps, PetscInt step, PetscInt converged, PetscScalar *re,
                                    PetscScalar *im, PetscReal *errors, PetscInt count,
                                    void *context) {
  (void)eps, (void)step, (void)re, (void)im;
  int32_t total = *(int32_t *)context;
  double done = 0; // progress of each vector: the digits of its residual
  for (int32_t i = 0; i < total && i < count; i++)
    done += i < converged ? 1 : fmin(fmax(log(errors[i]) / log(ITERATIVE_RESIDUAL), 0), 1);
  if (lb_ranks_rank() == 0) lb_progress("modes", 0.2 + 0.7 * done / total);
  return 0;
}

static void allocate_found(const lbParts *parts, int32_t total, Found *found) {
  found->count = total;
  found->rows = 3 * (size_t)parts->own_count;
  found->W = lb_ranks_alloc(found->rows * (size_t)total + 1, sizeof(double));
  found->values = lb_ranks_alloc((size_t)total, sizeof(double));
}

// From place `first` on.
static void take_eigen_vectors(EPS eps, const lbParts *parts, int32_t first, int32_t count,
                               Found *found) {
  Vec w;
  LB_PETSC(VecDuplicate(parts->rows, &w));
  for (int32_t i = 0; i < count; i++) {
    LB_PETSC(VecPlaceArray(w, found->W + found->rows * (size_t)(first + i)));
    LB_PETSC(EPSGetEigenpair(eps, i, &found->values[first + i], NULL, w, NULL));
    LB_PETSC(VecResetArray(w));
  }
  LB_PETSC(VecDestroy(&w));
}

// ---- small dense problems ----------------------------------------------------------------------

// G = Xᵀ Y over all rows; X, Y (rows x count).
static void multiply_eigenvectors(size_t rows, int32_t count, const double *X, const double *Y,
                                  double *G) {
  size_t n = (size_t)count;
  lb_rows_product(rows, count, count, X, Y, G);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) G[n * i + j] = G[n * j + i] = (G[n * i + j] + G[n * j + i]) / 2;
}

// A V = B V diag(values), found by rank 0 for all.
static lbStatus solve_small(int32_t count, double *A, double *B, double *values, lbError *err) {
  size_t n = (size_t)count;
  lbStatus status = LB_OK;
  if (lb_ranks_rank() == 0) status = lb_dense_eigen_general(count, A, B, values, err);
  status = lb_ranks_agree(status, err);
  lb_ranks_broadcast(A, n * n * sizeof *A);
  lb_ranks_broadcast(values, n * sizeof *values);
  return status;
}

// ---- shift and invert --------------------------------------------------------------------------

static lbStatus sharpen(const lbParts *parts, Found *found, lbError *err) {
  size_t n = (size_t)found->count, rows = found->rows;
  double *MW = lb_ranks_alloc(rows * n + 1, sizeof(double));
  double *X = lb_ranks_alloc(rows * n + 1, sizeof(double));
  double *A = lb_ranks_alloc(n * n, sizeof(double)), *B = lb_ranks_alloc(n * n, sizeof(double));
  lb_parts_multiply(parts, parts->M, found->count, found->W, MW);
  lb_factor_solve(parts->factor, found->count, MW, X);
  multiply_eigenvectors(rows, found->count, X, MW, A);
  lb_parts_multiply(parts, parts->M, found->count, X, MW);
  multiply_eigenvectors(rows, found->count, X, MW, B);
  lbStatus status = solve_small(found->count, A, B, found->values, err);
  if (!status && rows > 0)
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, (int32_t)rows, found->count, found->count, 1, X, A, 0,
                      found->W);
  for (size_t i = 0; i < n; i++) found->values[i] -= parts->shift;
  lb_free(MW);
  lb_free(X);
  lb_free(A);
  lb_free(B);
  return status;
}

static void open_eigen_search(const lbParts *parts, int32_t *total, EPS *eps) {
  LB_PETSC(EPSCreate(PETSC_COMM_WORLD, eps));
  LB_PETSC(EPSSetOperators(*eps, parts->K, parts->M));
  LB_PETSC(EPSSetProblemType(*eps, EPS_GHEP));
  LB_PETSC(EPSMonitorSet(*eps, tell_progress, total, NULL));
}

static void add_shift(const lbParts *parts, double shift, Mat *A) {
  LB_PETSC(MatDuplicate(parts->K, MAT_COPY_VALUES, A));
  LB_PETSC(MatAXPY(*A, shift, parts->M, SUBSET_NONZERO_PATTERN));
}

static lbStatus fail_eigen_negative(const char *cause, lbError *err) {
  return lb_fail(err, LB_ERR_NUMERIC,
                 "modes: the stiffness or the mass matrix has a negative eigenvalue (K + s M: %s)",
                 cause);
}

// K + s M has no factor: at which row, if that can be found.
static lbStatus fail_factor(const lbParts *parts, Mat A, lbError *err) {
  lbError cause = *err;
  lb_indefinite_tell(parts, A, &cause);
  return fail_eigen_negative(cause.text, err);
}

// K + shift M, factored; `last`: no other is tried.
static lbStatus factor_eigen_shifted(lbParts *parts, double shift, bool last, lbError *err) {
  Mat A = parts->K;
  lb_parts_drop_factor(parts);
  if (shift > 0) add_shift(parts, shift, &A);
  lbStatus status = lb_factor_create(parts, A, &parts->factor, err);
  if (status == LB_ERR_NUMERIC && last) status = fail_factor(parts, A, err);
  if (shift > 0) LB_PETSC(MatDestroy(&A));
  parts->shift = shift;
  return status;
}

// Whether K, which has been factored, has an eigenvalue that rounding alone keeps from zero, as
// parts have that hang on others by a vertex or an edge. Two steps of inverse iteration find it.
static bool is_singular(const lbParts *parts) {
  size_t rows = 3 * (size_t)parts->own_count;
  double *x = lb_ranks_alloc(rows + 1, sizeof *x), *y = lb_ranks_alloc(rows + 1, sizeof *y);
  double value = HUGE_VAL;
  for (size_t i = 0; i < rows; i++) x[i] = sin(1 + 7.0 * (double)i + parts->own_begin);
  for (int32_t pass = 0; pass < 2; pass++) {
    double sums[2] = { 0 };
    lb_parts_multiply(parts, parts->M, 1, x, y);
    lb_factor_solve(parts->factor, 1, y, x);
    for (size_t i = 0; i < rows; i++) sums[0] += x[i] * y[i]; // x A x, as y = A x
    lb_parts_multiply(parts, parts->M, 1, x, y);
    for (size_t i = 0; i < rows; i++) sums[1] += x[i] * y[i];
    lb_ranks_sum(sums, 2);
    value = sums[0] / sums[1];
    for (size_t i = 0; i < rows; i++) x[i] /= sqrt(sums[1]);
  }
  lb_free(x);
  lb_free(y);
  return !(value > LEAST_VALUE * parts->scale);
}

static PetscErrorCode apply_factor(PC pc, Vec x, Vec y) {
  lbFactor *factor = NULL;
  const PetscScalar *from;
  PetscScalar *to;
  LB_PETSC(PCShellGetContext(pc, &factor));
  LB_PETSC(VecGetArrayRead(x, &from));
  LB_PETSC(VecGetArray(y, &to));
  lb_factor_solve(factor, 1, from, to);
  LB_PETSC(VecRestoreArray(y, &to));
  LB_PETSC(VecRestoreArrayRead(x, &from));
  return 0;
}

// K + shift M is inverted by the factor that is there.
static void use_factor(const lbParts *parts, EPS eps) {
  ST st;
  KSP solver;
  PC pc;
  LB_PETSC(EPSGetST(eps, &st));
  LB_PETSC(STSetType(st, STSINVERT));
  LB_PETSC(STGetKSP(st, &solver));
  LB_PETSC(KSPSetType(solver, KSPPREONLY));
  LB_PETSC(KSPGetPC(solver, &pc));
  LB_PETSC(PCSetType(pc, PCSHELL));
  LB_PETSC(PCShellSetContext(pc, parts->factor));
  LB_PETSC(PCShellSetApply(pc, apply_factor));
}

// Bodies that leave no room for blocks, by SLEPc's Krylov–Schur.
static lbStatus search_small(lbParts *parts, int32_t total, Found *found, lbError *err) {
  EPS eps;
  PetscInt converged = 0, all = 3 * parts->node_count;
  PetscInt space = total + (total > 20 ? total : 20);
  lbStatus status = LB_OK;
  open_eigen_search(parts, &total, &eps);
  LB_PETSC(EPSSetType(eps, EPSKRYLOVSCHUR));
  LB_PETSC(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  LB_PETSC(EPSSetTarget(eps, -parts->shift));
  LB_PETSC(EPSSetDimensions(eps, total, space < all ? space : all, PETSC_DEFAULT));
  LB_PETSC(EPSSetTolerances(eps, 1e-10, 500));
  use_factor(parts, eps);
  LB_PETSC(EPSSetFromOptions(eps));
  LB_PETSC(EPSSolve(eps));
  LB_PETSC(EPSGetConverged(eps, &converged));
  if (converged < total)
    status = lb_fail(err, LB_ERR_NUMERIC, "modes: only %d of %d modes converged", (int)converged,
                     (int)total);
  else
    take_eigen_vectors(eps, parts, 0, total, found);
  LB_PETSC(EPSDestroy(&eps));
  return status;
}

// One search with this s; LB_ERR_NUMERIC: another one may succeed.
static lbStatus search_shifted(lbParts *parts, double shift, int32_t total, Found *found,
                               lbError *err) {
  bool last = shift * 100 > 1.001 * LAST_SHIFT * parts->scale;
  lbStatus status = factor_eigen_shifted(parts, shift, last, err);
  if (!status && shift == 0 && is_singular(parts))
    status = lb_fail(err, LB_ERR_NUMERIC, "the stiffness matrix is singular");
  if (status) return status;
  allocate_found(parts, total, found);
  status = lb_krylov_fits(parts, total) ? lb_krylov_search(parts, total, found->W, err)
                                        : search_small(parts, total, found, err);
  if (!status) status = sharpen(parts, found, err);
  if (status) release_found(found);
  return status;
}

// K itself where it is definite; otherwise, or where rounding breaks that, K + s M.
static lbStatus search_directly(lbParts *parts, int32_t total, Found *found, lbError *err) {
  lbStatus status = LB_ERR_NUMERIC;
  lbError cause = { 0 };
  if (parts->definite) status = search_shifted(parts, 0, total, found, &cause);
  for (double s = FIRST_SHIFT; status == LB_ERR_NUMERIC && s <= 1.001 * LAST_SHIFT; s *= 100)
    status = search_shifted(parts, s * parts->scale, total, found, &cause);
  if (status && err) *err = cause;
  return status;
}

// ---- LOBPCG ------------------------------------------------------------------------------------

// |r| of vectors of unit mass over λ |M w|, which is sqrt(trace M / rows) or so.
static PetscErrorCode relative_residual(EPS eps, PetscScalar re, PetscScalar im, PetscReal residual,
                                        PetscReal *error, void *context) {
  (void)eps, (void)im;
  *error = residual / (fabs(re) * *(const double *)context);
  return 0;
}

// Rigid motions, which the search keeps out of.
static void deflate(const lbParts *parts, EPS eps, int32_t count, const double *motions) {
  Vec *vectors;
  size_t rows = 3 * (size_t)parts->own_count;
  if (count == 0) return;
  LB_PETSC(VecDuplicateVecs(parts->rows, count, &vectors));
  for (int32_t i = 0; i < count; i++) {
    PetscScalar *values;
    LB_PETSC(VecGetArray(vectors[i], &values));
    memcpy(values, motions + rows * (size_t)i, rows * sizeof *values);
    LB_PETSC(VecRestoreArray(vectors[i], &values));
  }
  LB_PETSC(EPSSetDeflationSpace(eps, count, vectors));
  LB_PETSC(VecDestroyVecs(count, &vectors));
}

// Makes the first `count` columns orthonormal in the mass.
static lbStatus orthonormalise_in_mass(const lbParts *parts, Found *found, int32_t count,
                                       lbError *err) {
  size_t n = (size_t)count;
  double *MW = lb_ranks_alloc(found->rows * n + 1, sizeof(double));
  double *G = lb_ranks_alloc(n * n, sizeof(double));
  lb_parts_multiply(parts, parts->M, count, found->W, MW);
  multiply_eigenvectors(found->rows, count, found->W, MW, G);
  lbStatus status = lb_ranks_agree(lb_dense_cholesky(count, G, err), err);
  if (!status && found->rows > 0)
    lb_dense_divide_by_upper((int32_t)found->rows, count, G, found->W);
  lb_free(MW);
  lb_free(G);
  return status;
}

// Multigrid of K, or of K + s M where K is singular.
static void set_preconditioner(const lbParts *parts, EPS eps) {
  ST st;
  KSP solver;
  PC pc;
  Mat shifted;
  LB_PETSC(EPSGetST(eps, &st));
  LB_PETSC(STSetType(st, STPRECOND));
  LB_PETSC(STGetKSP(st, &solver));
  LB_PETSC(KSPSetType(solver, KSPPREONLY));
  LB_PETSC(KSPGetPC(solver, &pc));
  LB_PETSC(PCSetType(pc, PCGAMG));
  if (parts->definite) return;
  add_shift(parts, GRID_SHIFT * parts->scale, &shifted);
  lb_solver_rigid_motions(parts, shifted);
  LB_PETSC(STSetPreconditionerMat(st, shifted));
  LB_PETSC(MatDestroy(&shifted));
}

// Without a factor only a row whose own diagonal is negative can be named.
static lbStatus fail_search(const lbParts *parts, int32_t converged, int32_t wanted, lbError *err) {
  double value;
  char cause[80];
  int32_t row = lb_parts_negative_row(parts, parts->K, &value);
  snprintf(cause, sizeof cause, "sparse matrix: not positive definite at row %d", row);
  if (row >= 0) return fail_eigen_negative(cause, err);
  return lb_fail(err, LB_ERR_NUMERIC, "modes: only %d of %d modes converged, use --solver direct",
                 converged, wanted);
}

// A search beside `rigid` motions that are known: how many vectors converged, which follow those.
static int32_t run_slepc(const lbParts *parts, EPSType type, int32_t wanted, int32_t rigid,
                         Found *found) {
  EPS eps;
  PetscInt converged = 0;
  double unit = sqrt(parts->mass_trace / (3.0 * parts->node_count));
  open_eigen_search(parts, &wanted, &eps);
  deflate(parts, eps, rigid, found->W);
  LB_PETSC(EPSSetType(eps, type));
  LB_PETSC(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_REAL));
  LB_PETSC(EPSSetDimensions(eps, wanted, PETSC_DEFAULT, PETSC_DEFAULT));
  LB_PETSC(EPSLOBPCGSetBlockSize(eps, wanted + MORE));
  LB_PETSC(EPSSetConvergenceTestFunction(eps, relative_residual, &unit, NULL));
  LB_PETSC(EPSSetTolerances(eps, ITERATIVE_RESIDUAL, 1000));
  set_preconditioner(parts, eps);
  LB_PETSC(EPSSetFromOptions(eps));
  LB_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscErrorCode code = EPSSolve(eps); // LOBPCG's vectors may become dependent
  LB_PETSC(PetscPopErrorHandler());
  if (!code) LB_PETSC(EPSGetConverged(eps, &converged));
  if (converged >= wanted) take_eigen_vectors(eps, parts, rigid, wanted, found);
  LB_PETSC(EPSDestroy(&eps));
  return (int32_t)converged;
}

// Davidson's method keeps its space orthonormal: slower, and good where LOBPCG breaks down.
static lbStatus search_iteratively(lbParts *parts, int32_t wanted, Found *found, lbError *err) {
  int32_t rigid = 0;
  double *motions = NULL;
  lbStatus status = lb_loose_motions(parts, &rigid, &motions, err);
  if (status) return status;
  allocate_found(parts, wanted + rigid, found);
  if (rigid) memcpy(found->W, motions, found->rows * (size_t)rigid * sizeof *motions);
  lb_solver_rigid_motions(parts, parts->K);
  lb_free(motions);
  int32_t converged = run_slepc(parts, EPSLOBPCG, wanted, rigid, found);
  if (converged < wanted) converged = run_slepc(parts, EPSGD, wanted, rigid, found);
  if (converged < wanted) status = fail_search(parts, converged, wanted, err);
  parts->shift = parts->definite ? 0 : FIRST_SHIFT * parts->scale;
  return status ? status : orthonormalise_in_mass(parts, found, wanted + rigid, err);
}

// ---- results -----------------------------------------------------------------------------------

// |K w − λ M w| / |K w| of every vector.
static void find_eigen_residuals(const lbParts *parts, const Found *found, double *residuals) {
  size_t rows = found->rows;
  double *Kw = lb_ranks_alloc(rows + 1, sizeof(double));
  double *Mw = lb_ranks_alloc(rows + 1, sizeof(double));
  for (int32_t i = 0; i < found->count; i++) {
    const double *w = found->W + rows * (size_t)i;
    double sums[2] = { 0 };
    lb_parts_multiply(parts, parts->K, 1, w, Kw);
    lb_parts_multiply(parts, parts->M, 1, w, Mw);
    for (size_t k = 0; k < rows; k++) {
      double left = Kw[k] - found->values[i] * Mw[k];
      sums[0] += Kw[k] * Kw[k];
      sums[1] += left * left;
    }
    lb_ranks_sum(sums, 2);
    residuals[i] = sums[0] > 0 ? sqrt(sums[1] / sums[0]) : 0;
  }
  lb_free(Kw);
  lb_free(Mw);
}

// The first `rigid` vectors apart from `count` others.
static void store_eigenvectors(const lbParts *parts, const Found *found, int32_t rigid,
                               int32_t count, lbRows *out) {
  size_t rows = found->rows, zero = (size_t)rigid, elastic = (size_t)count;
  double *residuals = lb_ranks_alloc((size_t)found->count, sizeof(double));
  find_eigen_residuals(parts, found, residuals);
  out->count = count;
  out->rigid_count = rigid;
  out->values = lb_ranks_alloc(elastic, sizeof(double));
  out->residuals = lb_ranks_alloc(elastic, sizeof(double));
  out->vectors = lb_ranks_alloc(rows * elastic + 1, sizeof(double));
  out->rigid_vectors = lb_ranks_alloc(rows * zero + 1, sizeof(double));
  memcpy(out->values, found->values + zero, elastic * sizeof(double));
  memcpy(out->residuals, residuals + zero, elastic * sizeof(double));
  memcpy(out->rigid_vectors, found->W, rows * zero * sizeof(double));
  memcpy(out->vectors, found->W + rows * zero, rows * elastic * sizeof(double));
  lb_free(residuals);
}

static int32_t count_rigid(const lbParts *parts, const Found *found) {
  int32_t rigid = 0;
  while (rigid < found->count && found->values[rigid] <= ZERO_CANDIDATE * parts->shift) rigid++;
  return rigid;
}

// Values are zero to rounding, or positive.
static lbStatus check_stable(const lbParts *parts, const Found *found, lbError *err) {
  double zero = ZERO_CANDIDATE * fmax(parts->shift, FIRST_SHIFT * parts->scale), least = 0;
  for (int32_t i = 0; i < found->count; i++) least = fmin(least, found->values[i]);
  if (least >= -zero) return LB_OK;
  return lb_fail(err, LB_ERR_NUMERIC,
                 "modes: the stiffness matrix has the negative eigenvalue %g, the body is not "
                 "stable",
                 least);
}

lbStatus lb_rows_modes(lbParts *parts, const lbPetscDef *def, int32_t count, lbRows *out,
                       lbError *err) {
  double start = MPI_Wtime();
  int32_t rigid = parts->definite ? 0 : 6;
  if (count > 3 * (int64_t)parts->node_count)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%d modes requested: the system has %d unknowns, ask for fewer", (int)count,
                   (int)(3 * parts->node_count));
  lbStatus status = lb_ranks_progress("modes", 0, err);
  // LOBPCG wants some rows for each vector of its block
  bool direct = lb_is_direct(parts, def, count) || 3 * parts->node_count < 12 * (count + MORE);
  while (!status) {
    Found found = { 0 };
    int64_t size = 3 * (int64_t)parts->node_count;
    if ((int64_t)count + rigid > size)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "%d modes requested: the system has %d unknowns and %d rigid motions, ask for "
                     "at most %d",
                     (int)count, (int)size, (int)rigid, (int)(size - rigid));
    status = direct ? search_directly(parts, count + rigid, &found, err)
                    : search_iteratively(parts, count, &found, err);
    if (!status) status = check_stable(parts, &found, err);
    int32_t zeros = status ? 0 : count_rigid(parts, &found);
    bool complete = !status && found.count - zeros >= count;
    if (complete) store_eigenvectors(parts, &found, zeros, count, out);
    release_found(&found);
    if (complete) break;
    rigid = zeros + 6; // some of those may not have been seen
  }
  out->seconds = MPI_Wtime() - start;
  return status;
}
