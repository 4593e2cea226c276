// Least squares with nonnegative unknowns: the x >= 0 that makes |A x − b| least, from AᵀA and Aᵀb
// (Bro & de Jong 1997). An active-set method; the triangular factor of the unknowns that are not
// zero is updated as they come and go.
#ifndef LB_LINALG_FNNLS_H
#define LB_LINALG_FNNLS_H

#include "limber/base.h"

// G = AᵀA (size x size), its columns `stride` apart, symmetric, all of it; c = Aᵀb. x holds a start
// (its positive entries are the first guess of those that are not zero; zeros are legal) and gets
// the solution. At it, with w = c − G x: w_i <= 0 where x_i = 0 and w_i = 0 where x_i > 0, both but
// for rounding. Columns of A that depend on others keep 0.
lbStatus lb_fnnls(int32_t size, const double *G, size_t stride, const double *c, double *x,
                  lbError *err);

#endif
