// From vectors to modes: eigenvalues, residuals, rigid or elastic, order, signs.
#ifndef LB_LINALG_EIGEN_MODES_H
#define LB_LINALG_EIGEN_MODES_H

#include "linalg/cholesky.h"
#include "linalg/eigen.h"

typedef struct lbEigenProblem {
  const lbSparse *K;
  const lbSparse *M;
  lbSparse *own_M; // NULL, or M, a copy without stored zeros
  lbEigenDef def;
  double scale; // trace K / trace M
  double shift;
  bool refined; // shift is the second one
  bool noisy;   // rounding has left more in the vectors of the search than the tolerance
  double factor_seconds;
  int32_t solve_count;
} lbEigenProblem;

// X (size x total) holds the lowest modes, rigid ones included. When they have too few elastic ones
// among them, *out stays NULL; *rigid_count is set in any case.
lbStatus lb_eigen_sort(const lbEigenProblem *problem, int32_t total, double *X,
                       int32_t *rigid_count, lbEigen **out, lbError *err);
// Sharpens the modes of a result with the factored K + shift M. Rigid ones take part, so that the
// others stay clear of them.
lbStatus lb_eigen_sharpen(const lbEigenProblem *problem, lbCholesky *factor, lbEigen *eigen,
                          lbError *err);

#endif
