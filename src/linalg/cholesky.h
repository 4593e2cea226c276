// Sparse Cholesky factorisation P A P' = L L' of a symmetric positive definite matrix: analysed
// once, factored as often as the values change, solved for one or many right-hand sides.
//
// One lbCholesky serves one thread at a time. Several may be used at once by several threads.
#ifndef LB_LINALG_CHOLESKY_H
#define LB_LINALG_CHOLESKY_H

#include "linalg/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbCholesky lbCholesky;

// Finds a fill-reducing ordering of the pattern of A and the structure of L. Values are not read.
// Patterns of full 3x3 blocks are recognised and ordered as the graph of their blocks.
lbStatus lb_cholesky_create(const lbSparse *A, lbCholesky **out, lbError *err);
void lb_cholesky_destroy(lbCholesky *factor);

// L L' = A, which has the pattern that was analysed. LB_ERR_NUMERIC "not positive definite at row
// N" otherwise, and on values that are not finite; the factor then holds nothing to solve with
// until the next success.
lbStatus lb_cholesky_factor(lbCholesky *factor, const lbSparse *A, lbError *err);
// L L' = A + shift B, the pattern of B being contained in that of A; B may be NULL: the identity.
lbStatus lb_cholesky_factor_shifted(lbCholesky *factor, const lbSparse *A, double shift,
                                    const lbSparse *B, lbError *err);

// X <- A^-1 X in place; X (size x count), column-major. Work space is kept from call to call, so a
// repeated call with no larger count allocates nothing. Many right-hand sides together cost far
// less than one after another.
lbStatus lb_cholesky_solve(lbCholesky *factor, int32_t count, double *X, lbError *err);

typedef struct lbCholeskyInfo {
  int32_t size;
  int64_t factor_nonzero_count; // of L, stored zeros included
  double factor_flops;
  size_t memory_bytes;         // held now by the factor and its work space
  double reciprocal_condition; // rough: (smallest / largest pivot of L)^2; 0 before factor
  double analyse_seconds, factor_seconds; // the last call's
} lbCholeskyInfo;

lbCholeskyInfo lb_cholesky_info(const lbCholesky *factor);

#ifdef __cplusplus
}
#endif
#endif
