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
struct lbFronts;

// Finds a fill-reducing ordering of the pattern of A and the structure of L. Values are not read.
// Patterns of full 3x3 blocks are recognised and ordered as the graph of their blocks. Where nodes
// have positions, limber's own analysis is taken: its factors are smaller.
lbStatus lb_cholesky_create(const lbSparse *A, lbCholesky **out, lbError *err);
// The same by an analysis of choice (fronts.h).
typedef lbStatus lbAnalyse(const lbSparse *A, struct lbFronts **out, lbError *err);
lbStatus lb_cholesky_create_by(lbAnalyse *analyse, const lbSparse *A, lbCholesky **out,
                               lbError *err);
// The same for a factor that is kept in single precision where it would take more than most_bytes
// in double and the matrix is conditioned well: half the memory, more than twice as fast. Solves
// are refined to double accuracy, which takes a little longer and needs the matrix: the argument of
// lb_cholesky_factor must stay unchanged until the last solve. Ill-conditioned matrices, and
// A + shift B, are factored in double precision.
lbStatus lb_cholesky_create_compact(const lbSparse *A, size_t most_bytes, lbCholesky **out,
                                    lbError *err);
void lb_cholesky_destroy(lbCholesky *factor);
// Where a factor does not leave so many bytes for what is solved with it, it is not begun.
void lb_cholesky_keep_room(lbCholesky *factor, double bytes);

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

// The same to relative errors of about `near`, which is less work for a compact factor: residuals
// may be some hundred times what rounding leaves. LB_CHOLESKY_ONE_SWEEP and more: by one sweep.
#define LB_CHOLESKY_ONE_SWEEP 0.02 // factors in single precision that are worse are not kept
lbStatus lb_cholesky_solve_near(lbCholesky *factor, double near, int32_t count, double *X,
                                lbError *err);

// X <- B X with B close to A^-1: a solve by the single-precision factor without refinement, whose
// errors are largest in the softest shapes. A factor in double solves as above. work (work_count)
// is used unless it is too small.
lbStatus lb_cholesky_solve_once(lbCholesky *factor, int32_t count, double *X, size_t work_count,
                                double *work, lbError *err);

// Orthonormal columns (size x count) that span about the softest shapes of A, for which a compact
// factor solves in double precision; NULL, and none, where the factor is not in single precision.
const double *lb_cholesky_soft_shapes(const lbCholesky *factor, int32_t *count);
// Gives their memory back; the next solve of refined accuracy looks for them again.
void lb_cholesky_drop_soft_shapes(lbCholesky *factor); // NULL is legal
// Takes the first columns of X (size x count) instead, such as modes, unless there are too few.
lbStatus lb_cholesky_take_soft_shapes(lbCholesky *factor, int32_t count, const double *X,
                                      lbError *err);

// Gives back the work space of solves, until the next one.
void lb_cholesky_release_work(lbCholesky *factor); // NULL is legal

typedef struct lbCholeskyInfo {
  int32_t size;
  int64_t factor_nonzero_count; // of L, stored zeros included
  double factor_flops;
  size_t memory_bytes;         // held now by the factor and its work space
  bool single;                 // L is in single precision
  int32_t sweep_count;         // of the last solve, through L and L', with refinement
  double reciprocal_condition; // rough: (smallest / largest pivot of L)^2; 0 before factor
  double analyse_seconds, factor_seconds; // the last call's
} lbCholeskyInfo;

lbCholeskyInfo lb_cholesky_info(const lbCholesky *factor);

#ifdef __cplusplus
}
#endif
#endif
