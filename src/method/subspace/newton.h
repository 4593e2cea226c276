// The loops of Newton's method (newton.c) over coordinates, for one body and for a crowd of them
// (batch_lanes.c), at every SIMD level. Each body of a crowd gets the bits that it gets alone: sums
// over coordinates i are four, of i = 0, 1, 2, 3 modulo four, which are added at last.
//
// Alone, number i of a vector is at [i], with zeros up to a multiple of four. In a crowd it is at
// [8 i + m] for body m of LB_BATCH (8); what lanes of bodies that are not there hold changes
// nothing.
#ifndef LB_METHOD_SUBSPACE_NEWTON_H
#define LB_METHOD_SUBSPACE_NEWTON_H

#include "math/simd.h"

// What rates at the end of a step are made of: v = v_q (q - q0) + v_v v0,
// a = a_q (q - q0) - a_v v0 - a_a a0, and u, the rate that is damped, like v. `held`: how often a
// force counts that is held over the step.
typedef struct lbNewtonScheme {
  double v_q, v_v, u_q, u_v, a_q, a_v, a_a, held;
} lbNewtonScheme;

// Vectors; Mu, Mv, Ma are M times u, v, a, or these themselves where M is the identity.
typedef struct lbNewtonNumbers {
  int32_t count;
  const double *q0, *v0, *a0;    // before the step
  const double *force;           // at the step's end
  const double *held, *pull;     // over the step; NULL: none
  const double *R, *R0;          // elastic forces, at the end and before
  const double *Mu, *Mv, *Ma;    //
  const double *alpha, *beta;    // damping: a number, or LB_BATCH of them
  double *q, *v, *u, *a;         // at the end
  double *Ku, *Cu, *Cu0, *G, *d; // Cu0: damping at the step's start; G: residual without `pull`
} lbNewtonNumbers;

// What a residual is judged by: sums and largest magnitudes.
enum {
  LB_SUM_LEFT,  // of the residual, squared
  LB_SUM_FORCE, // its terms, squared
  LB_SUM_ELASTIC,
  LB_SUM_INERTIA,
  LB_SUM_DAMPING,
  LB_SUM_PLACE,   // q²
  LB_SUM_WORK,    // residual times q - q0
  LB_SUM_MEAN,    // (q - q0) (R0 + R) / 2
  LB_SUM_DAMPED,  // (q - q0) (Cu0 + Cu) / 2
  LB_SUM_KINETIC, // v M v / 2
  LB_SUM_LOAD,    // f q
  LB_SUMS,
  LB_MOST_Q = LB_SUMS,
  LB_MOST_Q0,
  LB_MOST_V,
  LB_MOST_A,
  LB_NEWTON_FIGURES
};

typedef struct lbNewtonLoops {
  void (*rates)(const lbNewtonScheme *scheme, const lbNewtonNumbers *x); // v, u, a <- of q
  // y <- K x. Alone K is (padded x padded), padded = lb_cubic_padded(count); of a crowd its lower
  // triangle as lbCubicCrowdKernels.evaluate writes it.
  void (*multiply)(int32_t count, const double *K, const double *x, double *y);
  // C <- beta Ku + alpha Mu
  void (*damp)(const lbNewtonNumbers *x, const double *Ku, const double *Mu, double *C);
  void (*residual)(const lbNewtonScheme *scheme, const lbNewtonNumbers *x); // G
  // G, and figures: LB_NEWTON_FIGURES numbers, or LB_BATCH of each.
  void (*judge)(const lbNewtonScheme *scheme, const lbNewtonNumbers *x, double *figures);
  void (*negate)(int32_t count, const double *x, double *y);               // y <- -x
  void (*scale)(int32_t count, double factor, const double *x, double *y); // y <- factor x
  void (*add)(int32_t count, const double *x, double *y);                  // y <- y + x
  void (*drop)(int32_t count, double least, double *x); // numbers below it become zero
} lbNewtonLoops;

typedef struct lbNewtonKernels {
  lbNewtonLoops alone, crowd;
  // One body: A <- stiff K + heavy 1; A (size) <- A + factor B.
  void (*matrix)(int32_t count, double stiff, double heavy, const double *K, double *A);
  void (*add_matrix)(size_t size, double factor, const double *B, double *A);
  // Crowds: the lower triangle of stiff K + heavy 1, a number of each for each body; the largest
  // magnitudes on the diagonal of K.
  void (*crowd_matrix)(int32_t count, const double *stiff, const double *heavy, const double *K,
                       double *A);
  void (*crowd_diagonal)(int32_t count, const double *K, double *most);
  // Rows of eight bodies, with room up to a multiple of four, to numbers side by side, and back.
  void (*gather)(int32_t count, const double *const *rows, double *lanes);
  void (*scatter)(int32_t count, const double *lanes, double *const *rows);
} lbNewtonKernels;

// The level must be one that lb_simd_has.
const lbNewtonKernels *lb_newton_kernels(lbSimdLevel level);

#endif
