// The rigid motions that a body in parts has.
#ifndef LB_PETSC_LOOSE_H
#define LB_PETSC_LOOSE_H

#include "petsc/parts.h"

// All motions of loose parts that supports do not resist, mass-orthonormal: *motions
// (3 own_count x *count), to be freed; none where the body is held. After lb_parts_assemble.
// Collective.
lbStatus lb_loose_motions(const lbParts *parts, int32_t *count, double **motions, lbError *err);

#endif
