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

// Of a 3x3 matrix nine numbers are kept: B11, B22, B33, B23 + B32, B13 + B31, B12 + B21, which are
// all that X and the centrifugal force need, and ax(B). A row of A has one of them for each i.
enum { LB_INERTIA_ROWS = 9 };
enum { LB_INERTIA_AXIS = 6 }; // where ax(B) begins

typedef struct lbInertiaKernels lbInertiaKernels;

typedef struct lbInertia {
  int32_t count, padded; // 0: not known
  const lbInertiaKernels *kernels;
  double *first; // (9 x padded): A1
  double *shift; // (3 x padded): S
  // A2, for eight values of i at a time: (padded / 8 x count x 6 x 8), [i / 8][j][row][i % 8], and
  // (padded / 8 x count x 3 x 8) for ax.
  double *second, *second_axis;
  double X0[9]; // of the rest shape, about the centre of mass
  double scale; // of the mass matrix: M = scale 1, after a change of density
} lbInertia;

// Rows are (padded); sums over i have the same order at every level.
struct lbInertiaKernels {
  // A (9 x padded) <- A1 + Σ_j q_j A2_ij; B (9 x padded), unless NULL, <- Σ_j v_j A2_ij
  void (*moments)(const lbInertia *inertia, const double *q, const double *v, double *A, double *B);
  // e (3 x padded) <- Σ_j ax(A2_ij) v_j
  void (*spins)(const lbInertia *inertia, const double *v, double *e);
  // to <- Σ weights[k] row k: 9 of A, 3 of e, 3 of S
  void (*exert)(const lbInertia *inertia, const double *A, const double *e, const double *weights,
                double *to);
  // sums (6) <- Σ_i q_i (A_i + A1_i); sums (3) <- Σ_i v_i E_i
  void (*tensor)(const lbInertia *inertia, const double *q, const double *A, double *sums);
  void (*relative)(const lbInertia *inertia, const double *v, const double *A, double *sums);
};
const lbInertiaKernels *lb_inertia_kernels(lbSimdLevel level);

size_t lb_inertia_bytes(int32_t count, int32_t padded);
// `memory` has lb_inertia_bytes; kept (count) or NULL; S (count x 3). Without the model's own
// constants (files of older versions) the nodes' masses stand for the mass matrix.
void lb_inertia_fill(lbInertia *inertia, const lbModel *model, const lbModelMethod *method,
                     int32_t count, int32_t padded, const int32_t *kept, const double *S,
                     void *memory);
// The constants of a density that is `ratio` times as high, in memory of their own.
void lb_inertia_scale(lbInertia *inertia, double ratio, void *memory);

// E_i
static inline lbVec3 lb_inertia_axis(const double *A, int32_t padded, int32_t i) {
  const double *a = A + LB_INERTIA_AXIS * (size_t)padded + i;
  return lb_vec3(a[0], a[padded], a[2 * (size_t)padded]);
}
// J for coordinates q and their A; Σ v_i E_i
lbMat3 lb_inertia_tensor(const lbInertia *inertia, const double *q, const double *A);
lbVec3 lb_inertia_relative(const lbInertia *inertia, const double *v, const double *A);

#endif
