// Modal derivatives with the inertia terms kept (appendix D of Barbič & James 2005):
//
//   (K − λ_i M) Φ_ij = (M Ψ_C Ψ_Cᵀ − 1)(H:Ψ_i)Ψ_j,   Ψ_Cᵀ M Φ_ij = 0,
//
// C being the whole cluster of modes with the eigenvalue λ_i, so that the result does not depend on
// which vectors of a repeated eigenvalue were found. K − λ_i M is indefinite, but only on modes
// that are known: with W all of these, rigid ones too,
//   Φ = Σ Ψ_l (Ψ_lᵀ b) / (λ_l − λ_i) over known elastic l outside C, plus the part x beyond W,
// b = −(H:Ψ_i)Ψ_j. For x the matrix is positive definite, and conjugate gradients with K⁻¹ before
// it converge quickly: its eigenvalues there are 1 − λ_i / λ, λ beyond the last known one. No
// indefinite factorisation is needed.
#include "reduce/derivatives.h"

#include "linalg/canonical.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 1e-12; // of the residual, in the norm of K⁻¹
enum { MOST_ITERATIONS = 500 };

typedef struct Solver {
  lbRest *rest;
  int32_t count, known;                // right-hand sides; columns of W
  double *W, *MW;                      // (size x known): rigid, then elastic
  double *B, *X, *R, *S, *P, *KP, *MP; // (size x count)
  double *products;                    // (known x count), Wᵀ b
  double *scale, *energy;              // (count): of b; of the residual
} Solver;

static void release_deflation(Solver *s) {
  double *blocks[] = { s->W, s->MW, s->B,  s->X,        s->R,     s->S,
                       s->P, s->KP, s->MP, s->products, s->scale, s->energy };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

static lbStatus prepare_deflation(Solver *s, lbError *err) {
  const lbEigen *eigen = s->rest->eigen;
  size_t n = (size_t)s->rest->size, rigid = (size_t)eigen->rigid_count;
  s->known = eigen->rigid_count + eigen->count;
  size_t known = (size_t)s->known, count = (size_t)s->count;
  double **blocks[] = { &s->B, &s->X, &s->R, &s->S, &s->P, &s->KP, &s->MP };
  bool failed = false;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    failed |= !(*blocks[i] = lb_alloc(n * count, sizeof(double)));
  s->W = lb_alloc(n * known, sizeof(double));
  s->MW = lb_alloc(n * known, sizeof(double));
  s->products = lb_alloc(known * count, sizeof(double));
  s->scale = lb_alloc(count, sizeof(double));
  s->energy = lb_alloc(count, sizeof(double));
  if (failed || !s->W || !s->MW || !s->products || !s->scale || !s->energy)
    return lb_fail_memory(err);
  memcpy(s->W, eigen->rigid_vectors, n * rigid * sizeof(double));
  memcpy(s->W + n * rigid, eigen->vectors, n * (known - rigid) * sizeof(double));
  lb_sparse_multiply_many(s->rest->M, s->known, s->W, s->MW);
  return LB_OK;
}

static double dot_deflated(size_t n, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// S = K⁻¹ R beyond W.
static lbStatus precondition_deflated(Solver *s, lbError *err) {
  size_t n = (size_t)s->rest->size;
  memcpy(s->S, s->R, n * (size_t)s->count * sizeof(double));
  lbStatus status = lb_rest_solve(s->rest, s->count, s->S, err);
  if (!status) status = lb_project_out((int32_t)n, s->known, s->W, s->MW, s->count, s->S, err);
  return status;
}

static bool is_done(const Solver *s, size_t column) {
  return !(s->energy[column] > TOLERANCE * TOLERANCE * s->scale[column]);
}

// One step for every column that is not done yet.
static lbStatus iterate_deflated(Solver *s, double lambda, lbError *err) {
  size_t n = (size_t)s->rest->size;
  lb_sparse_multiply_many(s->rest->K, s->count, s->P, s->KP);
  lb_sparse_multiply_many(s->rest->M, s->count, s->P, s->MP);
  for (size_t j = 0; j < (size_t)s->count; j++) {
    double *x = s->X + n * j, *r = s->R + n * j, *p = s->P + n * j, *Ap = s->KP + n * j;
    if (is_done(s, j)) continue;
    for (size_t i = 0; i < n; i++) Ap[i] -= lambda * s->MP[n * j + i];
    double step = s->energy[j] / dot_deflated(n, p, Ap);
    for (size_t i = 0; i < n; i++) x[i] += step * p[i], r[i] -= step * Ap[i];
  }
  lbStatus status = lb_project_out((int32_t)n, s->known, s->MW, s->W, s->count, s->R, err);
  if (!status) status = precondition_deflated(s, err);
  for (size_t j = 0; j < (size_t)s->count && !status; j++) {
    if (is_done(s, j)) continue;
    double energy = dot_deflated(n, s->R + n * j, s->S + n * j), ratio = energy / s->energy[j];
    for (size_t i = 0; i < n; i++) s->P[n * j + i] = s->S[n * j + i] + ratio * s->P[n * j + i];
    s->energy[j] = energy;
  }
  return status;
}

// X = the part of (K − λ M)⁻¹ B beyond W.
static lbStatus solve_beyond(Solver *s, double lambda, lbError *err) {
  size_t n = (size_t)s->rest->size, all = n * (size_t)s->count;
  memset(s->X, 0, all * sizeof(double));
  memcpy(s->R, s->B, all * sizeof(double));
  memcpy(s->S, s->B, all * sizeof(double));
  lbStatus status = lb_rest_solve(s->rest, s->count, s->S, err);
  for (size_t j = 0; j < (size_t)s->count; j++)
    s->scale[j] = dot_deflated(n, s->B + n * j, s->S + n * j);
  if (!status) status = lb_project_out((int32_t)n, s->known, s->MW, s->W, s->count, s->R, err);
  if (!status) status = precondition_deflated(s, err);
  if (status) return status;
  memcpy(s->P, s->S, all * sizeof(double));
  bool done = true;
  for (size_t j = 0; j < (size_t)s->count; j++) {
    s->energy[j] = dot_deflated(n, s->R + n * j, s->S + n * j);
    done &= is_done(s, j);
  }
  for (int step = 0; !done && !status; step++) {
    if (step == MOST_ITERATIONS)
      return lb_fail(err, LB_ERR_NUMERIC,
                     "modal derivatives: no solution beside the eigenvalue %g after %d iterations; "
                     "ask for one mode more or fewer, or leave spectral deflation off",
                     lambda, MOST_ITERATIONS);
    status = iterate_deflated(s, lambda, err);
    done = true;
    for (size_t j = 0; j < (size_t)s->count; j++) done &= is_done(s, j);
  }
  return status;
}

// The cluster of elastic mode i: modes [*begin, *end).
static void find_cluster(const lbEigen *eigen, int32_t i, int32_t *begin, int32_t *end) {
  for (*begin = 0, *end = 0; *end <= i;) {
    *begin = *end;
    *end = lb_cluster_end(eigen->count, eigen->values, LB_EIGENVALUE_GAP, *begin);
  }
}

// X += Σ Ψ_l (Ψ_lᵀ b) / (λ_l − λ_i) over elastic l outside the cluster.
static void add_deflation_known(Solver *s, int32_t i) {
  const lbEigen *eigen = s->rest->eigen;
  int32_t begin, end, rigid = eigen->rigid_count;
  find_cluster(eigen, i, &begin, &end);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, s->known, s->count, s->rest->size, 1, s->W, s->B, 0,
                    s->products);
  for (int32_t l = 0; l < s->known; l++) {
    bool excluded = l < rigid || (l - rigid >= begin && l - rigid < end);
    double factor = excluded ? 0 : 1 / (eigen->values[l - rigid] - eigen->values[i]);
    for (int32_t j = 0; j < s->count; j++)
      s->products[(size_t)j * (size_t)s->known + (size_t)l] *= factor;
  }
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, s->rest->size, s->count, s->known, 1, s->W, s->products, 1,
                    s->X);
}

lbStatus lb_derivatives_deflate(lbRest *rest, int32_t count, const double *forces, double *result,
                                lbError *err) {
  Solver s = { .rest = rest, .count = count };
  size_t n = (size_t)rest->size, all = n * (size_t)count;
  lbStatus status = prepare_deflation(&s, err);
  for (int32_t i = 0; i < count && !status; i++) {
    if (!lb_progress("modal derivatives", (double)i / count)) {
      status = lb_fail_interrupted(err, "modal derivatives");
      break;
    }
    for (int32_t j = 0; j < count; j++) {
      const double *h = forces + n * lb_pair_index(count, i < j ? i : j, i < j ? j : i);
      for (size_t k = 0; k < n; k++) s.B[n * (size_t)j + k] = -h[k];
    }
    status = solve_beyond(&s, rest->eigen->values[i], err);
    if (!status) status = lb_project_out(rest->size, s.known, s.W, s.MW, count, s.X, err);
    if (!status) add_deflation_known(&s, i);
    if (!status) memcpy(result + all * (size_t)i, s.X, all * sizeof(double));
  }
  release_deflation(&s);
  return status;
}
