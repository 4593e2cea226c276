// Tolerances that the layers of a step share.
#ifndef LB_SOLVE_TOLERANCES_H
#define LB_SOLVE_TOLERANCES_H

// 1: relative rounding of a number that a few operations make. Doubled, steps end at residuals
// twice as large where forces are nothing but rounding.
#define LB_ROUNDING 1e-15
// 1: the same of sums over a body or an island: residuals, energies, factors. Doubled, iterations
// end where they are twice as far from their solution.
#define LB_SUM_ROUNDING 1e-13
// 1: a change, of the largest value, with which an iteration has converged. Doubled, constraints
// and frames are off by twice as much, which is far below the error of a step.
#define LB_CONVERGED 1e-11
// 1: a share of a whole that counts as nothing (nodes without mass, rows that depend on others,
// the inertia of a needle about its axis). Doubled, such bodies differ by 1e-9 of their size.
#define LB_NEGLIGIBLE 1e-9
// 1: error of contact and constraint forces, of the largest. Doubled, contacts and constraints are
// met half as well.
#define LB_FORCE_ERROR 1e-6
// 1: what iterations that are cheap may leave of the residual of a step or of the deepest overlap.
// Doubled, a step is off by twice as much, which is below its own error, and a body may sink twice
// as far into another one in a step.
#define LB_STEP_RESIDUAL 1e-3

#endif
