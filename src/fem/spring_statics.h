// Static equilibrium of an unreduced body on springs: the least of W(u) + sum of k |target - x|²/2.
#ifndef LB_FEM_SPRING_STATICS_H
#define LB_FEM_SPRING_STATICS_H

#include "fem/springs.h"

typedef struct lbSpringSolver lbSpringSolver; // matrices and vectors, for solving again and again

lbStatus lb_spring_solver_create(const lbFem *fem, lbSpringSolver **out, lbError *err);
void lb_spring_solver_destroy(lbSpringSolver *solver);

typedef struct lbSpringResult {
  double energy;      // J, elastic
  double residual;    // |residual| over the sum of the springs' forces
  int32_t iterations; // of Newton's method
  bool converged;     // to the tolerance, or as near as rounding lets it come
} lbSpringResult;

// From `displacement` (full), which becomes where it ends. An indefinite tangent is shifted.
lbStatus lb_spring_solve(lbSpringSolver *solver, const lbSpring *springs, int32_t count,
                         int32_t iterations, double tolerance, double *displacement,
                         lbSpringResult *result, lbError *err);

#endif
