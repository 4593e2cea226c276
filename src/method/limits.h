// Bounds and roundings that the methods share.
#ifndef LB_METHOD_LIMITS_H
#define LB_METHOD_LIMITS_H

// Loops that end by themselves, but for bodies that make no sense, so that a step has a bounded
// time. None of these is tuned: results are the same with twice as many.
enum {
  LB_HALVINGS_MAX = 12,       // of a way in a line search
  LB_FACTORINGS_MAX = 12,     // of a matrix that has to be made definite
  LB_NEWTON_MAX = 40,         // of Newton's iterations that must not fail
  LB_LINEARISATIONS_MAX = 20, // of nodes about frames
  LB_SPINS_MAX = 8,           // of iterations for a rotation
  LB_POWERS_MAX = 100,        // of products in search of the largest eigenvalue
  LB_GRADIENTS_MAX = 1000,    // of conjugate gradients
};

// 1: relative rounding of a number that a few operations make. Doubled, steps end at residuals
// twice as large where forces are nothing but rounding.
#define LB_ROUNDING 1e-15
// 1: the same of sums over a body: residuals, energies, systems. Doubled, iterations end where they
// are twice as far from their solution.
#define LB_SUM_ROUNDING 1e-13
// of a whole: what stands where there would be nothing to divide by (nodes without mass, the
// stiffness of a rigid motion). Doubled, such bodies differ by 1e-9 of their size.
#define LB_NEGLIGIBLE 1e-9

#endif
