// Small dense symmetric systems, up to a hundred unknowns or so: factor in place, solve in place,
// no allocation. Matrices are n x n, column-major (a[i + n * j]); only the lower triangle is read
// and written. The order of summation is fixed, so the same input gives the same bits.
#ifndef LB_MATH_DENSE_H
#define LB_MATH_DENSE_H

#include "limber/base.h"

// A = L L^T. False when A is not (numerically) positive definite or not finite; `a` then holds
// nothing useful.
bool lb_small_cholesky_factor(int32_t n, double *a);
// b <- A^-1 b for each of the columns of b (n x column_count, column-major).
void lb_small_cholesky_solve(int32_t n, const double *l, int32_t column_count, double *b);

// A = L D L^T with unit lower L; D on the diagonal. No pivoting: for positive definite and for
// quasi-definite (saddle point, positive block first) matrices. False when a pivot vanishes next to
// what it was subtracted from, or is not finite; `a` then holds nothing useful.
bool lb_small_ldlt_factor(int32_t n, double *a);
void lb_small_ldlt_solve(int32_t n, const double *ld, int32_t column_count, double *b);
// For factors that serve many right-hand sides, one at a time: A^-1 = upper lower, two triangles of
// n columns of `stride` numbers each (zeros beyond n), lower = L^-1 and upper = L^-T D^-1. Products
// with them are nearly as accurate as solving: the error of L^-1 is the square root of that of
// A^-1.
void lb_small_ldlt_invert(int32_t n, const double *ld, int32_t stride, double *lower,
                          double *upper);

#endif
