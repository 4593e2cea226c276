// Bounds of loops that the methods share.
#ifndef LB_METHOD_LIMITS_H
#define LB_METHOD_LIMITS_H

#include "solve/tolerances.h"

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

// 1: residual, of the largest force, above which a solution is of no use. Doubled, steps with one
// iteration are kept at twice the error, and contacts correct responses of bodies more often.
#define LB_LOOSE_RESIDUAL 0.1

#endif
