// Cubature of bodies in parts: reduced forces and columns of the training matrix, made where the
// elements lie. Rank 0 chooses among them with the code of src/reduce.
#ifndef LB_PETSC_CUBATURE_H
#define LB_PETSC_CUBATURE_H

#include "petsc/parts.h"
#include "reduce/cubature_columns.h"

// basis: rank 0's. Collective, as all of these.
lbStatus lb_part_cubature_begin(lbParts *parts, int32_t dimension, const double *basis,
                                lbError *err);
void lb_part_cubature_end(lbParts *parts); // legal where none was begun; not collective

// As lbReduceEngine has them; the arrays are rank 0's, counts are the same everywhere.
lbStatus lb_part_forces(lbParts *parts, int32_t count, const double *poses, double *forces,
                        double *energies, lbError *err);
lbStatus lb_part_columns(lbParts *parts, const lbColumns *columns, lbColumnsTask task,
                         int32_t count, int32_t pose_count, const int32_t *list, const double *in,
                         double *out, lbError *err);

#endif
