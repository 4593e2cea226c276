// Where a matrix in parts is not positive definite.
//
// MUMPS continues past pivots that are not positive; it counts them without their positions.
// What is to be said then is what limber says by itself: the matrix goes to rank 0, which factors
// it in limber's order until a pivot fails.
#ifndef LB_PETSC_INDEFINITE_H
#define LB_PETSC_INDEFINITE_H

#include "petsc/parts.h"

// The message of an A that a factor has failed with: `err` gets limber's, with the row of the whole
// system, where rank 0 has memory for A and its factor, and is unchanged elsewhere. Collective.
void lb_indefinite_tell(const lbParts *parts, Mat A, lbError *err);

#endif
