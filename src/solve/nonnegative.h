// Rows with a lower bound that all act on one body,
//
//   w = A x - right:   x >= least, w >= 0, and w = 0 where x is above that bound,
//
// by projected Gauss-Seidel over single rows. For a dozen rows of one body and a hand it takes a
// third of the time of the solver of islands (gauss_seidel.h), which has blocks, bodies and
// friction to look after. A may be singular: rows may depend on others.
#ifndef LB_SOLVE_NONNEGATIVE_H
#define LB_SOLVE_NONNEGATIVE_H

#include <stddef.h>
#include <stdint.h>

// x (count): where it starts, and the result; A (count x count), symmetric and not negative. A
// least of -INFINITY: no bound.
void lb_nonnegative_solve(int32_t count, const double *A, const double *right, double least,
                          double *x);

#endif
