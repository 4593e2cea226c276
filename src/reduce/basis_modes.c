// Bases of linear modes, and of linear modes with their derivatives.
//
// The PCA set {λ₁/λ_j Ψ_j} ∪ {λ₁²/(λ_iλ_j) Φ̄_ij} puts weight on what low modes do; Φ̄ is Φ made of
// unit mass norm. The set depends neither on the stiffness nor on the density as a whole.
#include "reduce/basis.h"

#include "fem/fem.h"
#include "fem/modes.h"
#include "linalg/product.h"
#include "reduce/derivatives.h"
#include "reduce/pca.h"

#include <math.h>
#include <string.h>

enum {
  BLOCK = 16,               // derivatives that are measured together
  KEPT_BYTES = 64 << 20,    // of a factor, at most
  BESIDE_BYTES = 128 << 20, // of candidates that are in memory while the factor is, at most
};

lbStatus lb_basis_linear(const lbFem *fem, const lbBasisDef *def, lbBasis *basis, lbError *err) {
  lbRest *rest = NULL;
  lbStatus status = lb_rest_create(fem, &rest, err);
  if (!status) status = lb_rest_modes(rest, def->mode_count, err);
  if (!status) {
    status = lb_basis_store(fem, rest->eigen->count, rest->eigen->vectors, rest->eigen->values,
                            basis, err);
    basis->candidate_count = rest->eigen->count;
    basis->rigid_count = rest->eigen->rigid_count;
    basis->mode_seconds = rest->eigen->seconds;
    if (def->keep_factor) basis->factor = lb_rest_take_factor(rest, KEPT_BYTES);
  }
  if (!status)
    status = lb_fem_modes_of_eigen(fem, rest->eigen, rest->eigen->count, &basis->modes, err);
  lb_rest_destroy(rest);
  return status;
}

// What candidates are made of, of `size` rows.
typedef struct Candidates {
  lbRest *rest;
  int32_t mode_count, derivative_count;
  double *A;             // (size x mode_count + derivative_count); NULL while they are in a file
  lbColumns derivatives; // the last columns of A, or of the file
  bool all_pairs;        // as lbCandidates
} Candidates;

static lbStatus open_candidates(Candidates *c, lbError *err) {
  size_t n = (size_t)c->rest->size, modes = (size_t)c->mode_count;
  c->A = lb_alloc(n * (modes + (size_t)c->derivative_count), sizeof(double));
  c->derivatives = lb_columns_in_memory(n, c->A ? c->A + n * modes : NULL);
  return c->A ? LB_OK : lb_fail_memory(err);
}

// Many derivatives are kept in a file until the factor is freed.
static lbStatus open_derivatives(Candidates *c, lbError *err) {
  size_t bytes = (size_t)c->rest->size * (size_t)c->derivative_count * sizeof(double);
  bool shell = !c->rest->K || c->rest->fem->sets[0].kind == LB_ELEMENT_FLAP;
  if (bytes > BESIDE_BYTES && !c->all_pairs && !shell &&
      lb_columns_open_file((size_t)c->rest->size, c->derivative_count, &c->derivatives))
    return LB_OK;
  return open_candidates(c, err);
}

static lbStatus fetch_derivatives(Candidates *c, lbError *err) {
  lbColumns file = c->derivatives;
  if (file.values) return LB_OK;
  lbStatus status = open_candidates(c, err);
  if (!status)
    status = lb_columns_read(&file, 0, (size_t)c->derivative_count, c->derivatives.values, err);
  lb_columns_close_file(&file);
  return status;
}

// Spectral deflation converges with the gap between the modes wanted and those beyond all that are
// known, so it gets some more of them.
static lbStatus find_basis_modes(Candidates *c, bool spectral, lbError *err) {
  lbStatus status = lb_rest_modes(c->rest, c->mode_count, err);
  if (status || !spectral) return status;
  int32_t most = c->rest->size - c->rest->eigen->rigid_count;
  int32_t more = c->mode_count + (c->mode_count < 32 ? 8 : c->mode_count / 4);
  return lb_rest_modes(c->rest, more < most ? more : most, err);
}

static lbStatus find_basis_derivatives(Candidates *c, const lbBasisDef *def, lbBasis *basis,
                                       lbError *err) {
  bool spectral = def->spectral_deflation;
  size_t n = (size_t)c->rest->size;
  double *forces = NULL;
  const double *modes = c->rest->eigen->vectors;
  double start = lb_seconds();
  if (!lb_progress("modal derivatives", 0)) return lb_fail_interrupted(err, "modal derivatives");
  if (spectral) {
    forces = lb_alloc(n * (size_t)lb_pair_count(c->mode_count), sizeof(double));
    if (!forces) return lb_fail_memory(err);
  }
  lb_cholesky_release_work(c->rest->kept.cholesky); // the next step takes the most memory
  lb_cholesky_drop_soft_shapes(c->rest->kept.cholesky);
  lbColumns of_forces = forces ? lb_columns_in_memory(n, forces) : c->derivatives;
  lbStatus status = lb_hessian_force_columns(c->rest->fem, c->mode_count, modes, &of_forces, err);
  basis->force_seconds = lb_seconds() - start;
  start = lb_seconds();
  if (!status) status = lb_rest_factor(c->rest, err);
  if (!status)
    status = lb_cholesky_take_soft_shapes(c->rest->kept.cholesky, c->mode_count, modes, err);
  if (!status)
    status = spectral ? lb_derivatives_deflate(c->rest, c->mode_count, forces,
                                               c->derivatives.values, err)
                      : lb_derivatives_solve(c->rest, c->derivative_count, &c->derivatives, err);
  basis->solve_seconds = lb_seconds() - start;
  if (!status && def->keep_factor) basis->factor = lb_rest_take_factor(c->rest, KEPT_BYTES);
  lb_rest_drop_factor(c->rest);
  lb_free(forces);
  return status;
}

// Lengths of the derivatives in the mass metric; MX (size x BLOCK) and work are work space.
static void measure_derivatives(const Candidates *c, double *norms, double *MX, double *work) {
  size_t n = (size_t)c->rest->size;
  for (int32_t done = 0; done < c->derivative_count; done += BLOCK) {
    int32_t count = c->derivative_count - done < BLOCK ? c->derivative_count - done : BLOCK;
    const double *X = c->derivatives.values + n * (size_t)done;
    lb_product_multiply(c->rest->M, count, X, MX, work);
    for (int32_t d = 0; d < count; d++) {
      double sum = 0;
      for (size_t i = 0; i < n; i++) sum += X[n * (size_t)d + i] * MX[n * (size_t)d + i];
      norms[done + d] = sum > 0 ? sqrt(sum) : 0;
    }
  }
}

// The candidates, scaled, in A. Derivatives that vanish (by symmetry) are rounding alone: they are
// left out rather than blown up to unit length.
lbStatus lb_candidates_scale(const lbCandidates *c, const double *norms, double *A, int32_t *count,
                             lbError *err) {
  size_t n = c->size;
  const double *value = c->values;
  int32_t modes = c->mode_count, kept = modes, d = 0;
  double *largest = lb_alloc((size_t)modes, sizeof(double));
  if (!largest) return lb_fail_memory(err);
  for (int32_t j = 0; j < modes; j++)
    for (size_t k = n * (size_t)j; k < n * (size_t)(j + 1); k++)
      A[k] = c->modes[k] * (value[0] / value[j]);
  for (int32_t i = 0; i < modes; i++)
    for (int32_t j = c->all_pairs ? 0 : i; j < modes; j++, d++) {
      largest[i] = fmax(largest[i], norms[d]);
      largest[j] = fmax(largest[j], norms[d]);
    }
  d = 0;
  for (int32_t i = 0; i < modes; i++)
    for (int32_t j = c->all_pairs ? 0 : i; j < modes; j++, d++) {
      if (!(norms[d] > 1e-9 * sqrt(largest[i] * largest[j]))) continue;
      double scale = value[0] / value[i] * (value[0] / value[j]) / norms[d];
      const double *from = c->derivatives + n * (size_t)d;
      double *to = A + n * (size_t)kept++;
      for (size_t k = 0; k < n; k++) to[k] = scale * from[k];
    }
  *count = kept;
  lb_free(largest);
  return LB_OK;
}

static lbStatus reduce_candidates(Candidates *c, const lbBasisDef *def, lbBasis *basis,
                                  lbError *err) {
  double *norms = lb_alloc((size_t)c->derivative_count, sizeof(double));
  double *MX = lb_alloc((size_t)c->rest->size * BLOCK, sizeof(double));
  double *work = lb_alloc(lb_sparse_work_count(c->rest->M, BLOCK), sizeof(double));
  lbStatus status = norms && MX && work ? LB_OK : lb_fail_memory(err);
  if (!status) status = fetch_derivatives(c, err);
  if (!status) measure_derivatives(c, norms, MX, work);
  lb_free(MX);
  lb_free(work);
  if (!status) {
    int32_t count = 0;
    lbCandidates scaled = { .size = (size_t)c->rest->size,
                            .mode_count = c->mode_count,
                            .derivative_count = c->derivative_count,
                            .values = c->rest->eigen->values,
                            .modes = c->rest->eigen->vectors,
                            .derivatives = c->derivatives.values,
                            .all_pairs = c->all_pairs };
    status = lb_candidates_scale(&scaled, norms, c->A, &count, err);
    if (!status) status = lb_basis_pca(c->rest->fem, def, count, c->A, basis, err);
  }
  lb_free(norms);
  return status;
}

lbStatus lb_basis_check_dimension(const lbFem *fem, const lbBasisDef *def, int32_t candidates,
                                  lbError *err) {
  if (def->dimension <= candidates || def->at_most) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "%s: dimension of the basis is %d, but %d modes have only %d candidates; ask for "
                 "more modes or at most that dimension",
                 fem->name, (int)def->dimension, (int)def->mode_count, (int)candidates);
}

lbStatus lb_basis_derivatives(const lbFem *fem, const lbBasisDef *def, lbBasis *basis,
                              lbError *err) {
  bool spectral = def->spectral_deflation;
  int32_t k = def->mode_count;
  Candidates c = { .derivatives = lb_columns_in_memory(0, NULL),
                   .mode_count = k,
                   .derivative_count = spectral ? k * k : lb_pair_count(k),
                   .all_pairs = spectral };
  int32_t total = k + c.derivative_count;
  lbStatus status = lb_basis_check_dimension(fem, def, total, err);
  if (!status) status = lb_rest_create(fem, &c.rest, err);
  if (!status) status = find_basis_modes(&c, spectral, err);
  if (status) goto done;
  basis->mode_seconds = c.rest->eigen->seconds;
  basis->rigid_count = c.rest->eigen->rigid_count;
  status = open_derivatives(&c, err);
  if (!status) status = find_basis_derivatives(&c, def, basis, err);
  if (!status) status = lb_fem_modes_of_eigen(fem, c.rest->eigen, k, &basis->modes, err);
  if (!status) status = reduce_candidates(&c, def, basis, err);
done:
  lb_rest_destroy(c.rest);
  lb_columns_close_file(&c.derivatives);
  lb_free(c.A);
  return status;
}
