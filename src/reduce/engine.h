// What is made of bodies whose elements lie elsewhere (fem/engine.h).
#ifndef LB_REDUCE_ENGINE_H
#define LB_REDUCE_ENGINE_H

#include "fem/engine.h"
#include "reduce/basis.h"
#include "reduce/cubature_columns.h"
#include "reduce/polynomial.h"

typedef struct lbReduceEngine {
  lbBasisMaker *derivatives;
  // As lb_polynomial_build (whole: one part), or as lb_polynomial_build_parts, where groups are the
  // materials.
  lbStatus (*polynomials)(const lbFem *fem, const lbPolynomialDef *def, bool whole, int32_t count,
                          lbPolynomial **parts, lbError *err);
  // Cubature in a basis (dimension x 3 vertices): what follows is between these two.
  lbStatus (*cubature_begin)(const lbFem *fem, int32_t dimension, const double *basis,
                             lbError *err);
  void (*cubature_end)(const lbFem *fem);
  // UᵀR(Uq) and the energy, +inf where a law is left, of poses (count x dimension).
  lbStatus (*reduced_forces)(const lbFem *fem, int32_t count, const double *poses, double *forces,
                             double *energies, lbError *err);
  // As lb_columns_make, lb_columns_products, lb_columns_sum.
  lbStatus (*columns)(const lbColumns *columns, lbColumnsTask task, int32_t count,
                      const int32_t *list, const double *in, double *out, lbError *err);
} lbReduceEngine;

// Beside lb_fem_set_engine.
void lb_reduce_set_engine(const lbReduceEngine *engine);
const lbReduceEngine *lb_reduce_engine(const lbFem *fem); // NULL: the elements are here

// basis.c: stores what a mass-PCA of `count` candidates has found, system vectors and singular
// values.
lbStatus lb_basis_store_pca(const lbFem *fem, int32_t count, int32_t dimension, int32_t whole,
                            const double *vectors, const double *values, lbBasis *basis,
                            lbError *err);

#endif
