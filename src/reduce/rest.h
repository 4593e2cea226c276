// The body at rest as the bases need it: stiffness, mass, the lowest modes with the rigid motions
// apart, and solves with a stiffness that may be singular.
#ifndef LB_REDUCE_REST_H
#define LB_REDUCE_REST_H

#include "limber/fem.h"

#include "linalg/cholesky.h"
#include "linalg/eigen.h"

typedef struct lbRest {
  const lbFem *fem;
  int32_t size; // 3 x free nodes
  lbSparse *K;
  const lbSparse *M;  // the body's own mass
  lbEigen *eigen;     // written by lb_rest_modes
  double *MZ;         // (size x rigid_count), M times the rigid motions; written by lb_rest_factor
  int32_t *pins;      // (rigid_count), rows that hold the rigid motions; written by lb_rest_factor
  lbEigenFactor kept; // the factor of modes, then of solves
  lbSparse *held;     // K with those rows held, which the factor of solves may need; or NULL
} lbRest;

lbStatus lb_rest_create(const lbFem *fem, lbRest **out, lbError *err);
void lb_rest_destroy(lbRest *rest);

bool lb_rest_mass_is_lumped(const lbFem *fem);

// The lowest elastic modes; replaces those of an earlier call.
lbStatus lb_rest_modes(lbRest *rest, int32_t count, lbError *err);
// Makes ready to solve, after lb_rest_modes: by the factor that the modes were found with where
// that is K's, else by one of K with the rigid motions held at as many single rows.
lbStatus lb_rest_factor(lbRest *rest, lbError *err);
void lb_rest_drop_factor(lbRest *rest); // after the last solve: it is the largest object
// The factor, where it is K's itself and has no more than so many bytes; else NULL. No solves are
// possible afterwards.
lbCholesky *lb_rest_take_factor(lbRest *rest, size_t most_bytes);
// X <- K⁺ X with no rigid motion in it: forces that would move the body are taken out first.
// X (size x count). After lb_rest_factor.
lbStatus lb_rest_solve(lbRest *rest, int32_t count, double *X, lbError *err);

// Rows (count) that hold the motions Z (size x count, destroyed) against each other.
void lb_choose_pins(int32_t size, int32_t count, double *Z, int32_t *pins);

// X <- X − Y (Wᵀ X); X (size x count), Y and W (size x rank).
lbStatus lb_project_out(int32_t size, int32_t rank, const double *Y, const double *W, int32_t count,
                        double *X, lbError *err);

#endif
