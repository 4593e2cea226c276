// What the work of the ranks takes.
#ifndef LB_PETSC_MEASURE_H
#define LB_PETSC_MEASURE_H

#include "limber/petsc.h"
#include "linalg/eigen.h"
#include "petsc/eigen.h"

// Assembles again and times it; with rank 0's modes (NULL elsewhere) a static solution; memory.
// Collective.
lbStatus lb_measure_statics(lbParts *parts, const lbPetscDef *def, const lbEigen *eigen,
                            lbPetscFigures *out, lbError *err);
// Frees what was assembled. Collective.
lbStatus lb_measure_assembly(lbParts *parts, lbPetscFigures *out, lbError *err);

#endif
