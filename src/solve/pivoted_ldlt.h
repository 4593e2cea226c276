// Factors of symmetric matrices that are not negative and whose rows may depend on each other:
// those of joints, which may hold the same thing twice. Rows that depend on others are left out.
#ifndef LB_SOLVE_PIVOTED_LDLT_H
#define LB_SOLVE_PIVOTED_LDLT_H

#include "limber/base.h"

typedef struct lbRowFactor {
  int32_t count;  // rows
  int32_t rank;   // of those that are solved for
  int32_t *order; // (count): these come first, by pivot
  double *L;      // (count x count): by rows in that order, below a diagonal of ones
  double *D;      // (count): inverse pivots
  double *work;   // (2 count)
} lbRowFactor;

size_t lb_row_factor_room(int32_t count); // numbers, beside `order` (count)
lbRowFactor lb_row_factor_place(int32_t count, double *memory, int32_t *order);
// Of the rows of A (count x count) for which `used` is true.
void lb_row_factor_make(lbRowFactor *factor, const double *A, const bool *used);
// x <- that solves A x = right in the rows of the factor, 0 in the others. x may be `right`.
void lb_row_factor_solve(const lbRowFactor *factor, const double *right, double *x);

#endif
