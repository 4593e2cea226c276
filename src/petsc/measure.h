// What the work of the ranks takes.
#ifndef LB_PETSC_MEASURE_H
#define LB_PETSC_MEASURE_H

#include "limber/petsc.h"
#include "linalg/eigen.h"
#include "petsc/eigen.h"

// A static solution, with rank 0's modes (NULL elsewhere); memory and processor time. Collective.
lbStatus lb_measure_statics(lbParts *parts, const lbPetscDef *def, const lbEigen *eigen,
                            lbPetscFigures *out, lbError *err);
// Assembles, timed. Collective.
lbStatus lb_measure_assembly(lbParts *parts, lbPetscFigures *out, lbError *err);

#endif
