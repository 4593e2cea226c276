// What the work of the ranks takes.
#ifndef LB_PETSC_MEASURE_H
#define LB_PETSC_MEASURE_H

#include "limber/petsc.h"
#include "linalg/eigen.h"
#include "petsc/eigen.h"

// Assembles, finds modes, then, if asked, a static solution, each timed; memory and processor time.
// Collective.
lbStatus lb_measure(lbParts *parts, const lbPetscDef *def, int32_t mode_count, bool solve,
                    lbPetscFigures *out, lbError *err);

#endif
