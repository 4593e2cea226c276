// What the making of a model takes besides matrices and factors, estimated before there are these.
#ifndef LB_REDUCE_NEED_H
#define LB_REDUCE_NEED_H

#include "limber/basis.h"

// LB_ERR_MEMORY where there is less memory than the candidates of a basis take.
lbStatus lb_basis_check_room(const lbFem *fem, const lbBasisDef *def, lbError *err);
// The same for the coefficients of polynomials in so many parts, and the making of them.
lbStatus lb_polynomial_check_room(const char *name, int32_t dimension, int32_t part_count,
                                  lbError *err);

#endif
