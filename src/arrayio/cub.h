// Vega's .cub files: the cubic polynomials of a reduced StVK body, as force coefficients.
//
//   f_p = Σ_i linear_pi q_i + Σ_{i<=j} quadratic_pij q_i q_j + Σ_{i<=j<=k} cubic_pijk q_i q_j q_k
//
// int32 r, r, r (r + 1) / 2, r (r + 1) (r + 2) / 6; then doubles: r rows of linear, r rows of
// quadratic, r rows of cubic coefficients, the last index fastest; all little-endian. Equal up to
// the number of orders of i, j, k to the symmetric P, Q, S of lbPolynomial.
#ifndef LB_ARRAYIO_CUB_H
#define LB_ARRAYIO_CUB_H

#include "arrayio/polynomial.h"

#ifdef __cplusplus
extern "C" {
#endif

// Refuses files whose coefficients do not belong to an energy (not symmetric within 1e-6 of the
// largest). `name` is for messages.
lbStatus lb_cub_read(const char *name, const void *bytes, size_t byte_count, lbPolynomial **out,
                     lbError *err);
lbStatus lb_cub_load(const char *path, lbPolynomial **out, lbError *err);
// Read and write gives back the bytes of a file that limber wrote.
lbStatus lb_cub_save(const lbPolynomial *polynomial, const char *path, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
