// Momenta of a body that nothing holds, as equations of the simulator's step (simulator.c).
//
// With arms r = y - c of the nodes about their centre, rigid velocities are the columns of
// R = [1, -r x], and velocities v have the momenta Rᵀ M v. With y = x_n for implicit Euler and
// x_n + h/2 v_n for Newmark's rule these are the momenta at the end of the step about its centre,
// and linear in v. Only external forces f change them:
//
//   (1 + α/c_v) Rᵀ M v = Rᵀ M v_n (+ h/2 Rᵀ M a_n by Newmark's rule) + Rᵀ f / c_v,
//
// which no rule that takes elastic and damping forces at an end of a step fulfils by itself: these
// have torques about y. A step that conserves therefore has six more equations and as many more
// unknowns μ, residual = N μ with N = M R: it is a stationary point of the step's potential among
// the motions with these momenta. Newton's method solves both at once, A being its matrix:
//
//   A d + N μ = residual,   Nᵀ d = 0:   d = A⁻¹ residual − Z S⁻¹ Nᵀ A⁻¹ residual,
//   Z = A⁻¹ N,  S = Nᵀ Z.
#ifndef LB_FEM_MOMENTUM_H
#define LB_FEM_MOMENTUM_H

#include "fem/fem.h"
#include "linalg/cholesky.h"
#include "limber/math.h"

typedef struct lbMomenta {
  lbVec3 linear, angular; // kg m/s and kg m²/s; of forces N and N m
} lbMomenta;

typedef struct lbMomentum {
  const lbFem *fem;
  double *arms;       // (system) r
  double *products;   // (3 x system) M (e_k x r): the last three columns of N
  double *moves;      // (6 x system) Z
  double factors[36]; // S = L Lᵀ, by rows
  bool bordered;      // Z and S belong to the factored matrix and the arms
  lbVec3 centre;      // c
  lbMat3 inertia, inverse;
  lbMomenta goal; // of the step, without external forces
} lbMomentum;

// Only for bodies without fixed vertices and linear elements: *out stays NULL for others.
lbStatus lb_momentum_create(const lbFem *fem, lbMomentum **out, lbError *err);
void lb_momentum_destroy(lbMomentum *momentum);

// Arms and inertia of displacements (system). work: (system).
void lb_momentum_place(lbMomentum *momentum, const double *displacement, double *work);
lbMomenta lb_momentum_of(const lbMomentum *momentum, const double *v); // Rᵀ M v
// Rᵀ f; forces add up to their torque about c.
lbMomenta lb_momentum_resultants(const lbMomentum *momentum, const double *f);
lbMomenta lb_momenta_add_scaled(lbMomenta a, double scale, lbMomenta b);
// x <- x − Z S⁻¹ Nᵀ x, of a matrix that is factored; false: S is not positive.
bool lb_momentum_take_out(lbMomentum *momentum, lbCholesky *factor, double *x);
// v += scale R (Rᵀ M R)⁻¹ momenta
void lb_momentum_add_velocity(const lbMomentum *momentum, double scale, lbMomenta momenta,
                              double *v);
// f += scale M R (Rᵀ M R)⁻¹ resultants
void lb_momentum_add_force(const lbMomentum *momentum, double scale, lbMomenta resultants,
                           double *f);

#endif
