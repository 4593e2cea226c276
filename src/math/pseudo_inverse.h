// The Moore-Penrose inverse of a small dense matrix, up to 200 x 200 or so: the matrix that gives
// the shortest x of least |A x - b|. Any shape and rank; no allocation; the order of operations is
// fixed, so the same input gives the same bits.
#ifndef LB_MATH_PSEUDO_INVERSE_H
#define LB_MATH_PSEUDO_INVERSE_H

#include "limber/base.h"

// How many doubles of scratch lb_pseudo_inverse needs.
size_t lb_pseudo_inverse_scratch(int32_t rows, int32_t columns);

// inverse (columns x rows) = A^+ with A (rows x columns), both column-major and packed; they must
// not overlap. Singular values at or below relative_tolerance times the largest count as zero, and
// so do those below 1e-150 of it; rank (may be NULL) is the number of the others. False when A or
// the inverse is not finite; inverse and rank then hold nothing of use.
bool lb_pseudo_inverse(int32_t rows, int32_t columns, const double *a, double relative_tolerance,
                       double *inverse, double *scratch, int32_t *rank);

#endif
