// The reduced polynomials of a St. Venant-Kirchhoff body: its elastic force in a basis U, exactly.
//
//   R(q) = U^T R(U q) = P q + Q(q,q,.) + S(q,q,q,.)
//
// With G = Σ q_i G_i the displacement gradient at a quadrature point, Green strain is
// E = Σ q_i E1_i + Σ q_i q_j E2_ij, E1_i = sym G_i, E2_ij = 1/2 sym(G_i^T G_j), so in Mandel form
// (shears times √2; C = λ 11^T + 2 μ I), V the weight,
//   P_ij = Σ V e1_i C e1_j,   Q_ijk = Σ V (e1_i C e2_jk + e1_j C e2_ik + e1_k C e2_ij),
//   S_ijkl = 2/3 Σ V (e2_ij C e2_kl + e2_ik C e2_jl + e2_il C e2_jk):
// sums of products of strains. (C itself is positive definite for every material, also where
// λ < 0.) They are not summed over strains, of which a brick has 48 at its points, but over edges,
// of which it has some 15 to itself (strain_edges.h): with e2_ij = L d_ij,
//   e2_ij C e2_kl = Σ over edges of (LᵀL d_ij) d_kl,   e1_i C e2_jk = Σ (Lᵀe1_i) d_jk,
// in patches of elements, LᵀL d being summed over the elements around an edge first; and the
// products of four modes over vertices, of which there is about one to a brick (strain_sums.c).
// Memory: r⁴ / 8 doubles (r = 60: 14 MB, r = 100: 103 MB), and up to 130 MB for a patch. The same
// bits for any number of threads.
#ifndef LB_REDUCE_POLYNOMIAL_H
#define LB_REDUCE_POLYNOMIAL_H

#include "limber/fem.h"
#include "arrayio/polynomial.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbPolynomialDef {
  int32_t count;       // modes, 1 to LB_POLYNOMIAL_MODES_MAX
  const double *basis; // (3 vertex_count x count), column-major, full vectors
  // Parts, for materials that change later: P, Q, S of group g are λ_g times part 2 g plus μ_g
  // times part 2 g + 1.
  int32_t group_count;           // 0: no parts
  const int32_t *element_groups; // (elements of the mesh), < group_count; NULL: all 0
} lbPolynomialDef;

// The whole. `fem` may hold StVK elements only (LB_ERR_UNSUPPORTED names another).
lbStatus lb_polynomial_build(const lbFem *fem, const lbPolynomialDef *def, lbPolynomial **out,
                             lbError *err);
// The parts (2 group_count), each for a Lamé constant of 1 Pa; whatever their moduli are in `fem`.
// On failure all are freed.
lbStatus lb_polynomial_build_parts(const lbFem *fem, const lbPolynomialDef *def,
                                   lbPolynomial **parts, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
