// What the makers of the different bases share. Each maker fills an empty lbBasis.
#ifndef LB_REDUCE_BASIS_H
#define LB_REDUCE_BASIS_H

#include "limber/basis.h"

#include "linalg/sparse.h"

typedef lbStatus lbBasisMaker(const lbFem *fem, const lbBasisDef *def, lbBasis *basis,
                              lbError *err);

lbBasisMaker lb_basis_linear, lb_basis_derivatives; // basis_modes.c
lbBasisMaker lb_basis_extended;                     // extended.c
lbBasisMaker lb_basis_sketch;                       // sketch_basis.c
lbBasisMaker lb_basis_file;                         // basis_file.c

// basis_modes.c: refuses a dimension beyond the candidates.
lbStatus lb_basis_check_dimension(const lbFem *fem, const lbBasisDef *def, int32_t candidates,
                                  lbError *err);

// Takes `dimension` system vectors and their values over into the basis.
lbStatus lb_basis_store(const lbFem *fem, int32_t dimension, const double *vectors,
                        const double *values, lbBasis *basis, lbError *err);

// Mass-PCA of candidates A (system size x count, destroyed) with the settings of the def; stores
// the basis.
lbStatus lb_basis_pca(const lbFem *fem, const lbBasisDef *def, int32_t count, double *A,
                      lbBasis *basis, lbError *err);

// Orthonormalises A (system size x count, destroyed) in the body's mass, leaving out dependent
// columns, and stores all that remain with their uᵀKu.
lbStatus lb_basis_orthonormal(const lbFem *fem, const lbSparse *K, int32_t count, double *A,
                              double cut, lbBasis *basis, lbError *err);

#endif
