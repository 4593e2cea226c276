// The lowest modes of K w = lambda M w, K positive definite, by solves that need not be accurate.
#ifndef LB_LINALG_DAVIDSON_H
#define LB_LINALG_DAVIDSON_H

#include "linalg/cholesky.h"

typedef struct lbDavidson {
  lbCholesky *factor; // of K, compact
  const lbSparse *K, *M;
  int32_t count;       // of modes
  int32_t block;       // right-hand sides of a step, even
  int32_t capacity;    // of the space that is searched, at least 2 count + block
  double tolerance;    // of |x - lambda K^-1 M x| in the norm of M, x of unit length
  int32_t solve_count; // right-hand sides, counted on
} lbDavidson;

// *X (size x count): the modes, M-orthonormal, the softest first; lb_free it. NULL where the search
// did not get there, or where it may have missed members of a cluster. Soft shapes of the factor
// are given up.
lbStatus lb_davidson_search(lbDavidson *search, double **X, lbError *err);

#endif
