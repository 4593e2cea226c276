// Evaluating reduced St. Venant-Kirchhoff forces: cubic polynomials of the reduced coordinates, at
// every SIMD level. With A2 = Q(q,.,.) and A3 = S(q,q,.,.):
//   force R = (P + A2 + A3) q,   stiffness K = P + 2 A2 + 3 A3,
//   energy W = q.(1/2 P + 1/3 A2 + 1/4 A3) q;
// one contraction gives all. Sums have the same order at every level: levels without fused
// multiply-add give equal bits, and so do those with it.
#ifndef LB_METHOD_SUBSPACE_CUBIC_H
#define LB_METHOD_SUBSPACE_CUBIC_H

#include "math/cubic_form.h"
#include "math/simd.h"

// Vectors have cubic->count values. Matrices are (padded x padded), padded = lb_cubic_padded:
// exactly symmetric, zeros in the padding. `work` has lb_cubic_work_size doubles; nothing is
// allocated, and nothing in it is kept from call to call. Arrays may have any alignment (64 bytes
// is best).
typedef struct lbCubicKernels {
  // Returns W; writes force and stiffness.
  double (*evaluate)(const lbCubic *cubic, const double *q, double *force, double *stiffness,
                     double *work);
  // Returns W; writes the force alone, for two thirds of the cost.
  double (*force)(const lbCubic *cubic, const double *q, double *force, double *work);
  // A2 and A3.
  void (*contract)(const lbCubic *cubic, const double *q, double *A2, double *A3, double *work);
  // dK/dt = 2 Q(v,.,.) + 6 S(q,v,.,.) where q moves with velocity v: what stiffness-proportional
  // damping adds to a tangent.
  void (*stiffness_rate)(const lbCubic *cubic, const double *q, const double *v, double *rate,
                         double *work);
} lbCubicKernels;

size_t lb_cubic_work_size(int32_t r); // doubles

// The level must be one that lb_simd_has.
const lbCubicKernels *lb_cubic_kernels(lbSimdLevel level);

#endif
