// The inertia of a deformable body in a moving frame. With x = x0 + U q the places of the material
// from the centre of mass of the rest shape, ω the frame's angular velocity, all in the frame's
// axes (Barbič & James's U, the terms of a floating frame):
//
//   S_i = ∫ρ U_i,   A_i = ∫ρ U_i xᵀ = A1_i + Σ_j q_j A2_ij,   E_i = ∫ρ x × U_i = ax(A_i),
//   X = ∫ρ x xᵀ = X0 + Σ q_i (A_i + A1_iᵀ),   J = tr(X) 1 − X,
//
// ax(B) = (B32 − B23, B13 − B31, B21 − B12). The frame's motion exerts on q_i, as the mean over a
// step in which ω goes from ω0 to ω1 and the centre's velocity from v0 to v1,
//
//   −S_i (v1 − v0)/h − E_i (ω1 − ω0)/h + |ω|² tr A_i − ωᵀ A_i ω − 2 Σ_j (E2_ij · ω) q̇_j
//
// with A, E at the middle of the step, q̇ and ω the means over it: the last term then does no work.
#ifndef LB_BODY_INERTIA_H
#define LB_BODY_INERTIA_H

#include "limber/math.h"
#include "limber/model.h"

#include "math/simd.h"

typedef struct lbInertia {
  int32_t count, padded; // 0: not known
  const double *S;       // (count x 3)
  double *first;         // (9 x padded): A1, entry by entry
  double *second;        // (9 x count x padded): A2_ij[k][l] at ((3 k + l) count + j) padded + i
  double X0[9];          // of the rest shape, about the centre of mass
  double scale;          // of the mass matrix: M = scale 1, after a change of density
} lbInertia;

typedef struct lbInertiaKernels {
  // A (9 x padded) <- A1 + Σ_j q_j A2_ij
  void (*moments)(const lbInertia *inertia, const double *q, double *A);
  // e (3 x padded) <- Σ_j ax(A2_ij) v_j
  void (*spins)(const lbInertia *inertia, const double *v, double *e);
} lbInertiaKernels;
const lbInertiaKernels *lb_inertia_kernels(lbSimdLevel level);

size_t lb_inertia_bytes(int32_t count, int32_t padded);
// `memory` has lb_inertia_bytes; kept (count) or NULL. Without the model's own constants (files of
// older versions) the nodes' masses stand for the mass matrix.
void lb_inertia_fill(lbInertia *inertia, const lbModel *model, const lbModelMethod *method,
                     int32_t count, int32_t padded, const int32_t *kept, void *memory);

// What A (9 x padded) says, entry k, l of vector i.
static inline lbVec3 lb_inertia_axis(const double *A, int32_t padded, int32_t i) {
  const double *a = A + i;
  size_t n = (size_t)padded;
  return lb_vec3(a[7 * n] - a[5 * n], a[2 * n] - a[6 * n], a[3 * n] - a[n]);
}
// J for coordinates q and their A.
lbMat3 lb_inertia_tensor(const lbInertia *inertia, const double *q, const double *A);

#endif
