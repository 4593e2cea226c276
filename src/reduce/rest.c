// Stiffness, mass, modes and solves of the body at rest.
//
// A free body's K x = b: with Z the mass-orthonormal rigid motions, b ← b − MZ(Zᵀb) has no
// resultant; then as many single rows are held as there are rigid motions, no reaction arises
// there, and x ← x − Z(ZᵀMx) is the solution without rigid motion, whichever rows were held.
#include "reduce/rest.h"

#include "fem/fem.h"
#include "fem/reference.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// Relative, of solves, at most: what a basis is made of need not be better. Factors in double
// precision do not know about it.
static const double SOLVE_ERROR = 1e-10;

void lb_rest_drop_factor(lbRest *rest) {
  lb_cholesky_destroy(rest->kept.cholesky);
  rest->kept = (lbEigenFactor){ 0 };
  lb_sparse_destroy(rest->held);
  rest->held = NULL;
}

lbCholesky *lb_rest_take_factor(lbRest *rest, size_t most_bytes) {
  lbCholesky *factor = rest->kept.cholesky;
  if (!factor || !rest->kept.ready || rest->kept.shift > 0) return NULL;
  lb_cholesky_release_work(factor);
  lbCholeskyInfo info = lb_cholesky_info(factor);
  if (info.single || info.memory_bytes > most_bytes) return NULL; // a single one needs K beside it
  rest->kept = (lbEigenFactor){ 0 };
  return factor;
}

void lb_rest_destroy(lbRest *rest) {
  if (!rest) return;
  lb_sparse_destroy(rest->K);
  lb_eigen_destroy(rest->eigen);
  lb_rest_drop_factor(rest);
  lb_free(rest->MZ);
  lb_free(rest->pins);
  lb_free(rest);
}

lbStatus lb_rest_create(const lbFem *fem, lbRest **out, lbError *err) {
  lbRest *rest = lb_alloc(1, sizeof *rest);
  if (!rest) return lb_fail_memory(err);
  rest->fem = fem;
  rest->size = 3 * fem->node_count;
  rest->M = fem->mass;
  lbStatus status = fem->engine ? LB_OK : lb_fem_rest_stiffness(fem, &rest->K, err);
  if (status)
    lb_rest_destroy(rest);
  else
    *out = rest;
  return status;
}

bool lb_rest_mass_is_lumped(const lbFem *fem) { return fem->mass_kind == LB_MASS_LUMPED; }

lbStatus lb_rest_modes(lbRest *rest, int32_t count, lbError *err) {
  lbEigen *eigen = NULL;
  lbStatus status = lb_fem_eigen(rest->fem, rest->K, count, &rest->kept, &eigen, err);
  if (status) return status;
  lb_eigen_destroy(rest->eigen);
  rest->eigen = eigen;
  return LB_OK;
}

lbStatus lb_project_out(int32_t size, int32_t rank, const double *Y, const double *W, int32_t count,
                        double *X, lbError *err) {
  if (rank == 0 || count == 0) return LB_OK;
  double *C = lb_alloc((size_t)rank * (size_t)count, sizeof *C);
  if (!C) return lb_fail_memory(err);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, rank, count, size, 1, W, X, 0, C);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, size, count, rank, -1, Y, C, 1, X);
  lb_free(C);
  return LB_OK;
}

// Rows where Z (size x count, destroyed) is largest, each time after what the rows before it hold
// was taken out: elimination with row and column exchanges.
void lb_choose_pins(int32_t size, int32_t count, double *Z, int32_t *pins) {
  size_t n = (size_t)size;
  for (int32_t p = 0; p < count; p++) {
    size_t row = 0, column = (size_t)p;
    for (size_t c = (size_t)p; c < (size_t)count; c++)
      for (size_t r = 0; r < n; r++)
        if (fabs(Z[c * n + r]) > fabs(Z[column * n + row])) row = r, column = c;
    pins[p] = (int32_t)row;
    for (size_t r = 0; r < n; r++) {
      double swap = Z[column * n + r];
      Z[column * n + r] = Z[(size_t)p * n + r];
      Z[(size_t)p * n + r] = swap;
    }
    const double *pivot = Z + (size_t)p * n;
    for (size_t c = (size_t)p + 1; c < (size_t)count; c++) {
      double ratio = Z[c * n + row] / pivot[row];
      for (size_t r = 0; r < n; r++) Z[c * n + r] -= ratio * pivot[r];
    }
  }
}

// K with the coupling of the held rows removed.
static lbStatus hold_rows(const lbRest *rest, lbSparse **out, lbError *err) {
  lbStatus status = lb_sparse_copy(rest->K, out, err);
  bool *held = status ? NULL : lb_alloc((size_t)rest->size, sizeof *held);
  if (!status && !held) status = lb_fail_memory(err);
  for (int32_t i = 0; i < rest->eigen->rigid_count && !status; i++) held[rest->pins[i]] = true;
  for (int32_t j = 0; j < rest->size && !status; j++)
    for (int32_t k = (*out)->column_begin[j]; k < (*out)->column_begin[j + 1]; k++)
      if ((held[j] || held[(*out)->rows[k]]) && (*out)->rows[k] != j) (*out)->values[k] = 0;
  lb_free(held);
  return status;
}

static lbStatus prepare_rigid(lbRest *rest, lbError *err) {
  size_t n = (size_t)rest->size, rigid = (size_t)rest->eigen->rigid_count;
  rest->MZ = lb_alloc(n * rigid, sizeof(double));
  rest->pins = lb_alloc(rigid, sizeof(int32_t));
  double *Z = lb_duplicate(rest->eigen->rigid_vectors, n * rigid, sizeof(double));
  lbStatus status = rest->MZ && rest->pins && Z ? LB_OK : lb_fail_memory(err);
  if (!status) {
    lb_sparse_multiply_many(rest->M, (int32_t)rigid, Z, rest->MZ);
    lb_choose_pins(rest->size, (int32_t)rigid, Z, rest->pins);
  }
  lb_free(Z);
  return status;
}

lbStatus lb_rest_factor(lbRest *rest, lbError *err) {
  const lbSparse *K = rest->K;
  lbStatus status = prepare_rigid(rest, err);
  if (!status && rest->kept.ready && rest->kept.shift == 0) return LB_OK;
  if (!status && rest->eigen->rigid_count > 0) {
    lb_sparse_destroy(rest->held);
    rest->held = NULL;
    status = hold_rows(rest, &rest->held, err);
    K = rest->held;
  }
  if (!status && !rest->kept.cholesky) status = lb_cholesky_create(K, &rest->kept.cholesky, err);
  if (!status) status = lb_cholesky_factor(rest->kept.cholesky, K, err);
  rest->kept.shift = 0;
  rest->kept.ready = !status && K == rest->K;
  return status;
}

lbStatus lb_rest_solve(lbRest *rest, int32_t count, double *X, lbError *err) {
  const double *Z = rest->eigen->rigid_vectors;
  int32_t rigid = rest->eigen->rigid_count;
  lbStatus status = lb_project_out(rest->size, rigid, rest->MZ, Z, count, X, err);
  for (int32_t c = 0; c < count && !status; c++)
    for (int32_t p = 0; p < rigid; p++) X[(size_t)c * (size_t)rest->size + rest->pins[p]] = 0;
  if (!status) status = lb_cholesky_solve_near(rest->kept.cholesky, SOLVE_ERROR, count, X, err);
  if (!status) status = lb_project_out(rest->size, rigid, Z, rest->MZ, count, X, err);
  return status;
}
