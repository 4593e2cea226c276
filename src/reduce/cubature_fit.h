// The weights of chosen components: nonnegative least squares over the training poses. Columns and
// their products with each other are kept while components come and go; only those of new ones are
// made.
#ifndef LB_REDUCE_CUBATURE_FIT_H
#define LB_REDUCE_CUBATURE_FIT_H

#include "reduce/cubature_columns.h"

typedef struct lbFit {
  const lbColumns *columns;
  const double *b; // (rows) what the columns are to add up to: scaled forces
  int32_t capacity, count;
  int32_t room;    // columns that there is memory for; grows up to the capacity
  int32_t *list;   // (capacity) components, in the order of the columns
  double *A;       // (rows x room)
  double *G;       // (room x room) AᵀA, of which count x count is filled
  double *c;       // (capacity) Aᵀb
  double *weights; // (capacity); written by lb_fit_solve
  double *r;       // (rows) b − A w; written by lb_fit_solve
  double error;    // |r| / sqrt(poses); written by lb_fit_solve
  int64_t made;    // columns that were made, all in all
} lbFit;

// An empty choice, whose error is 1: b has one unit vector a pose.
lbStatus lb_fit_create(const lbColumns *columns, const double *b, int32_t capacity, lbFit **out,
                       lbError *err);
void lb_fit_destroy(lbFit *fit); // NULL is legal

// Makes the choice these components (each once): those that are kept move to the front, weights
// with them; new ones come after them with the weight 0.
lbStatus lb_fit_choose(lbFit *fit, int32_t count, const int32_t *list, lbError *err);
// The same choice and one component more; `column` (rows) may be NULL: it is made.
lbStatus lb_fit_append(lbFit *fit, int32_t component, const double *column, lbError *err);
// Weights, residual and error; starts from the weights that are there.
lbStatus lb_fit_solve(lbFit *fit, lbError *err);
void lb_fit_find_residual(lbFit *fit); // residual and error of the weights that are there

// cubature_thin.c: takes components away, always the one whose loss raises the error least when the
// weights of the others follow, until `most` are left, and then on while the error stays at or
// below `goal` (0: not). Begins with what lb_fit_solve gave, and leaves solved weights, all of them
// positive unless rounding makes one 0.
lbStatus lb_fit_thin(lbFit *fit, int32_t most, double goal, lbError *err);

#endif
