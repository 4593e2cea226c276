// Projected Gauss-Seidel over single rows (nonnegative.h).
#include "solve/nonnegative.h"

#include "solve/tolerances.h"

#include <math.h>

enum { SWEEPS_MAX = 60 };

// One sweep; the largest change and the largest force.
static double sweep_rows(int32_t count, const double *A, const double *right, double least,
                         double *x, double *largest) {
  double change = 0;
  *largest = 0;
  for (int32_t j = 0; j < count; j++) {
    const double *row = A + (size_t)j * (size_t)count;
    double left = right[j], before = x[j];
    for (int32_t k = 0; k < count; k++) left -= row[k] * x[k];
    if (!(row[j] > 0)) continue;
    x[j] += left / row[j];
    if (x[j] < least) x[j] = least;
    double by = fabs(x[j] - before), size = fabs(x[j]);
    if (by > change) change = by;
    if (size > *largest) *largest = size;
  }
  return change;
}

void lb_nonnegative_solve(int32_t count, const double *A, const double *right, double least,
                          double *x) {
  double largest;
  for (int sweep = 0; sweep < SWEEPS_MAX; sweep++)
    if (sweep_rows(count, A, right, least, x, &largest) <= LB_CONVERGED * largest) return;
}
