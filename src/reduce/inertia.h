// What a basis adds to the inertia of a body in a moving frame: arrays of every method that has
// one.
#ifndef LB_REDUCE_INERTIA_H
#define LB_REDUCE_INERTIA_H

#include "limber/reduce.h"

// *first (count x 3 x 3) and *second (count x count x 9) of a basis (count x 3 vertices) that is 0
// at fixed vertices. The draft has the object.
lbStatus lb_project_inertia(const lbFem *fem, const lbModel *draft, int32_t count,
                            const double *basis, lbArena *arena, double **first, double **second,
                            lbError *err);

#endif
