// The rows of one island (gauss_seidel.h), by the method that suits their number: a few sweeps from
// the forces of the last step are within the tolerance for most islands. Small islands that need
// more are solved exactly (active_set.h); large ones by more sweeps, and exactly where these do not
// converge. Islands with rolling friction are solved by sweeps alone.
#ifndef LB_SOLVE_ISLAND_SOLVER_H
#define LB_SOLVE_ISLAND_SOLVER_H

#include "solve/gauss_seidel.h"

// Numbers of work for an island of so many blocks, to be solved exactly; 0: it never is.
size_t lb_island_solver_room(int32_t block_count);

typedef struct lbIslandReport {
  int32_t sweeps;
  bool converged; // no row is off by more than a share of what it would be without forces
} lbIslandReport;

// x (blocks x 3): where it starts, and the result. `work`: lb_island_solver_room numbers; NULL:
// only sweeps. `few`: a first look, by few sweeps.
lbIslandReport lb_island_solve(const lbContactProblem *problem, bool few, double *work, double *x);

#endif
