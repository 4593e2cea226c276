// Models whose numbers fit single precision.
#ifndef LB_STUDY_SINGLE_H
#define LB_STUDY_SINGLE_H

#include "limber/model.h"

// Replaces *model by one whose bases, weights, nonlinear coefficients and recording are values of
// single precision (still stored as doubles): half of their bits are zeros, which packers shrink.
// Positions, masses, eigenvalues and linear stiffness stay as they are: the softest motions are
// small differences of the latter.
lbStatus lb_model_round(lbModel **model, lbError *err);

#endif
