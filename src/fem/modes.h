// Inside the build side: solved eigenproblems of a body as its modes.
#ifndef LB_FEM_MODES_H
#define LB_FEM_MODES_H

#include "limber/fem.h"

#include "linalg/eigen.h"

// The first `count` of them.
lbStatus lb_fem_modes_of_eigen(const lbFem *fem, const lbEigen *eigen, int32_t count, lbModes **out,
                               lbError *err);

#endif
