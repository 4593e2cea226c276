// What the subspace method adds to bodies: the reduced St. Venant-Kirchhoff body
//
//   M a + (alpha M + beta K(q)) v + R(q) = f,   R = P q + Q(q,q,.) + S(q,q,q,.),   K = dR/dq,
//
// after Barbič & James 2005. M is the identity until a density is changed.
#ifndef LB_BODY_SUBSPACE_H
#define LB_BODY_SUBSPACE_H

#include "limber/body.h"

#include "body/cubic.h"
#include "math/ldlt.h"

// What bodies share. Matrices are (stride x stride), symmetric.
typedef struct lbSubspace {
  lbIntegrate integrator;
  int32_t newton_iterations;
  double newton_tolerance;
  int32_t stride;  // lb_cubic_padded(r)
  int32_t edition; // of the material: 1, 2, ...; what was worked out under another one is void
  const lbCubicKernels *kernels;
  const lbLdltKernels *ldlt;

  lbCubic cubic; // what is stepped: the tiles below
  lbCubicArrays tiles;
  int32_t part_count; // sets of polynomials that it is a combination of; 1: it is the only one
  lbCubic *parts;
  lbCubicArrays *part_tiles;
  double *weights; // (parts)

  double *materials;        // (materials x 3): young, poisson, density
  double *mass, *mass_ldlt; // M and its factors
  bool unit_mass;           // M is the identity
  double *gravity;          // (r x 3); after a change of density
  double *node_masses;      // (nodes); likewise
  double *gathered;         // (2 x stride): working memory of creation and edits
  double stiffest;          // 1/s², the largest eigenvalue of M^-1 P
  double most;              // a coordinate beyond this is absurd: 1e6 times the body's size
} lbSubspace;

// R, K and W at q, kept from the end of a step to the start of the next.
typedef struct lbEvaluated {
  int32_t edition; // 0: none
  double energy;
  double *q, *R; // (stride)
  double *K;     // (stride x stride)
} lbEvaluated;

// Working memory of a block of bodies, one of which is stepped at a time. Vectors are (padded).
typedef struct lbSubspaceWork {
  double *start[3];       // q, v, a before the step
  double *q0, *v0, *a0;   // before the substep
  double *q, *v, *a;      // after it, so far
  double *f;              // external force
  double *G, *d;          // residual, correction
  double *Ma, *Cv;        // terms of the residual
  double *pull;           // forces of springs and constraints
  double *R0;             // elastic force before the substep
  double *A, *rate;       // (stride x stride)
  double *cubic;          // of the kernels
  lbEvaluated *evaluated; // (lanes)
} lbSubspaceWork;

#endif
