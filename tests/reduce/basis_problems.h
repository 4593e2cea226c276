// Small bodies, system vectors and checks for the tests of bases.
#ifndef LB_TESTS_BASIS_PROBLEMS_H
#define LB_TESTS_BASIS_PROBLEMS_H

#include "fem/fem_problems.h"

#include "fem/fem.h"
#include "limber/basis.h"
#include "linalg/sparse.h"

static inline lbBasis *make_basis(const lbFem *fem, const lbBasisDef *def) {
  lbBasis *basis = NULL;
  lbError err;
  check_ok(lb_basis_make(fem, def, &basis, &err), err);
  return basis;
}

static inline double vector_dot(size_t n, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static inline double vector_norm(size_t n, const double *x) { return sqrt(vector_dot(n, x, x)); }

static inline double *random_system(const lbFem *fem, size_t count, uint64_t seed) {
  size_t values = 3 * (size_t)fem->node_count * count;
  double *x = malloc(values * sizeof(double));
  for (size_t i = 0; i < values; i++) x[i] = check_random(&seed);
  return x;
}

// The largest entry of |UᵀMU − 1|, U full.
static inline double orthonormality(const lbFem *fem, const lbSparse *M, int32_t count,
                                    const double *vectors) {
  size_t n = 3 * (size_t)fem->node_count, rows = 3 * (size_t)fem->vertex_count;
  double *U = malloc(n * (size_t)count * sizeof(double)), *Mu = malloc(n * sizeof(double));
  double worst = 0;
  for (int32_t i = 0; i < count; i++)
    lb_fem_compress(fem, vectors + rows * (size_t)i, U + n * (size_t)i);
  for (int32_t i = 0; i < count; i++) {
    lb_sparse_multiply(M, U + n * (size_t)i, Mu);
    for (int32_t j = 0; j < count; j++)
      worst = fmax(worst, fabs(vector_dot(n, U + n * (size_t)j, Mu) - (i == j)));
  }
  free(U);
  free(Mu);
  return worst;
}

// What of a full vector lies outside the span of the basis, relative, in the body's mass.
static inline double outside_span(const lbFem *fem, const lbBasis *basis, const double *full) {
  size_t n = 3 * (size_t)fem->node_count, rows = 3 * (size_t)fem->vertex_count;
  double *x = malloc(n * sizeof(double)), *u = malloc(n * sizeof(double));
  double *Mx = malloc(n * sizeof(double));
  lb_fem_compress(fem, full, x);
  lb_sparse_multiply(fem->mass, x, Mx);
  double length2 = vector_dot(n, x, Mx);
  for (int pass = 0; pass < 2; pass++)
    for (int32_t i = 0; i < basis->dimension; i++) {
      lb_fem_compress(fem, basis->vectors + rows * (size_t)i, u);
      lb_sparse_multiply(fem->mass, x, Mx);
      double part = vector_dot(n, u, Mx);
      for (size_t k = 0; k < n; k++) x[k] -= part * u[k];
    }
  lb_sparse_multiply(fem->mass, x, Mx);
  double left2 = vector_dot(n, x, Mx);
  free(x);
  free(u);
  free(Mx);
  return sqrt(fmax(left2, 0) / length2);
}

static inline lbFem *small_bar(lbElementKind kind, bool held) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  return box_fem(kind, 5, 2, 2, 1, 0.3, 0.2, &material, held);
}

#endif
