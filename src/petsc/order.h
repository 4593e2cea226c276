// The order of elimination of a body in parts.
#ifndef LB_PETSC_ORDER_H
#define LB_PETSC_ORDER_H

#include "petsc/parts.h"

// Rank 0 (NULL elsewhere): the place of each of all nodes, by its number, in the order of
// elimination. Collective.
int32_t *lb_order_nodes(const lbParts *parts);

#endif
