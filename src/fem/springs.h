// Springs between points of an unreduced body and places in space, as Newton's method counts them:
// the force k (target − x) − b v of each at its vertices, and its derivative in the matrix.
#ifndef LB_FEM_SPRINGS_H
#define LB_FEM_SPRINGS_H

#include "fem/fem.h"

typedef struct lbSprings {
  lbSpring *list;
  size_t count, capacity;
} lbSprings;

// Copies them. *alike: nothing but targets has changed, so that a factored matrix still holds.
lbStatus lb_springs_set(lbSprings *springs, const lbFem *fem, const lbSpring *list, int32_t count,
                        bool *alike, lbError *err);
void lb_springs_release(lbSprings *springs);

// residual += the springs' forces; displacement is full, velocity and residual are of the system.
// Returns the sum of their magnitudes (the spring part only), a scale for residuals.
double lb_fem_springs_pull(const lbSprings *springs, const lbFem *fem, const double *displacement,
                           const double *velocity, double *residual);
// A += Σ (k + c_v b) w wᵀ; entries outside the pattern go to the diagonal, which makes A
// stiffer than it is, never softer.
void lb_fem_springs_stiffen(const lbSprings *springs, const lbFem *fem, double c_v, lbSparse *A);
// The force of one on the body; velocity is full.
void lb_fem_spring_force(const lbSpring *spring, const lbFem *fem, const double *displacement,
                         const double *velocity, double force[3]);

#endif
