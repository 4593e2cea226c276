// Factoring with a shift where needed; sums over vectors.
#include "fem/solve.h"

#include <math.h>

enum { FACTORINGS_MAX = 12 }; // the last with 105 times the ratio of traces

#define SHIFT_FIRST 1e-4 // of the ratio of traces; doubled, indefinite steps are twice as damped

static double sum_stiffness_diagonal(const lbSparse *A) {
  double sum = 0;
  for (int32_t j = 0; j < A->size; j++)
    if (A->column_begin[j + 1] > A->column_begin[j]) {
      int32_t last = A->column_begin[j + 1] - 1; // the diagonal ends an upper column
      if (A->rows[last] == j) sum += fabs(A->values[last]);
    }
  return sum;
}

lbStatus lb_factor_or_shift(lbCholesky *factor, const lbSparse *A, const lbSparse *B, bool *shifted,
                            lbError *err) {
  lbStatus status = lb_cholesky_factor(factor, A, err);
  *shifted = status == LB_ERR_NUMERIC;
  double ratio = status ? sum_stiffness_diagonal(A) / sum_stiffness_diagonal(B) : 0;
  if (!isfinite(ratio)) return status;
  double shift = SHIFT_FIRST;
  for (int k = 1; status == LB_ERR_NUMERIC && k < FACTORINGS_MAX; k++, shift *= 4)
    status = lb_cholesky_factor_shifted(factor, A, shift * ratio, B, err);
  return status;
}

double lb_dot_product(size_t count, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i] * y[i];
  return sum;
}

double lb_norm(size_t count, const double *x) { return sqrt(lb_dot_product(count, x, x)); }
