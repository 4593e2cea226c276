// Modal derivatives: how the modes change along each other.
#ifndef LB_REDUCE_DERIVATIVES_H
#define LB_REDUCE_DERIVATIVES_H

#include "reduce/columns.h"
#include "reduce/rest.h"

// Pairs i ≤ j of `count` modes, row by row: (0,0) (0,1) ... (1,1) (1,2) ...
static inline int32_t lb_pair_count(int32_t count) { return count * (count + 1) / 2; }
static inline size_t lb_pair_index(int32_t count, int32_t i, int32_t j) {
  return (size_t)i * (size_t)count - (size_t)i * ((size_t)i - (i > 0)) / 2 + (size_t)(j - i);
}

// forces (system size x pairs) = (H:Ψ_i)Ψ_j, the second derivative of the internal force at rest
// under the StVK law with each element's Lamé constants, of a shell that of its own law; modes
// (system size x count).
lbStatus lb_hessian_forces(const lbFem *fem, int32_t count, const double *modes, double *forces,
                           lbError *err);
// The same for columns that may lie in a file, those of a shell excepted.
lbStatus lb_hessian_force_columns(const lbFem *fem, int32_t count, const double *modes,
                                  const lbColumns *forces, lbError *err);
// derivatives_shell.c: the same for a body whose elements are the flaps of a shell.
lbStatus lb_shell_hessian_forces(const lbFem *fem, int32_t count, const double *modes,
                                 double *forces, lbError *err);

// Modes and derivatives that a basis is chosen from, as far as their rows lie here.
typedef struct lbCandidates {
  size_t size; // rows
  int32_t mode_count, derivative_count;
  const double *values, *modes; // (mode_count) eigenvalues; (size x mode_count)
  const double *derivatives;    // (size x derivative_count), row by row of pairs; those of A that
                                // they become, too
  bool all_pairs;               // (i, j) for all i and j; otherwise for i ≤ j
} lbCandidates;

// basis_modes.c: the candidates, scaled, in A (size x mode_count + derivative_count). norms: of the
// derivatives, in the mass metric; those that vanish are left out. *count remain.
lbStatus lb_candidates_scale(const lbCandidates *candidates, const double *norms, double *A,
                             int32_t *count, lbError *err);

// B holds (H:Ψ_i)Ψ_j for pairs i ≤ j and becomes Φ_ij: K Φ_ij = −(H:Ψ_i)Ψ_j.
lbStatus lb_derivatives_solve(lbRest *rest, int32_t pair_count, const lbColumns *B, lbError *err);

// (K − λ_i M) Φ_ij = (M Ψ_C Ψ_Cᵀ − 1)(H:Ψ_i)Ψ_j without Ψ_C and rigid motion in Φ_ij, for i, j <
// count, C all modes whose eigenvalues equal λ_i; result (size x count x count), column i count +
// j. rest->eigen has `count` modes or more: the more, the faster. forces as from lb_hessian_forces.
lbStatus lb_derivatives_deflate(lbRest *rest, int32_t count, const double *forces, double *result,
                                lbError *err);

#endif
