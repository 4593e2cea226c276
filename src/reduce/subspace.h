// Inside the build side: the subspace model of a basis that has been made already.
#ifndef LB_REDUCE_SUBSPACE_H
#define LB_REDUCE_SUBSPACE_H

#include "limber/reduce.h"

// Whether a body's forces come by cubature: it was asked for, or some law has no polynomials.
bool lb_subspace_by_cubature(const lbFem *fem, const lbSubspaceDef *subspace);
// Refuses, before the long work, forces that the body cannot have, and says what to do.
lbStatus lb_subspace_check(const lbFem *fem, const lbReduceDef *def, const lbSubspaceDef *subspace,
                           lbError *err);
// `modes` become the modal method; NULL: none. They and the basis may come from a body that differs
// in the scale of its stiffness alone, with eigenvalues scaled.
lbStatus lb_reduce_basis(const lbMesh *mesh, const lbFem *fem, const lbBasis *basis,
                         const lbModes *modes, const lbReduceDef *def,
                         const lbSubspaceDef *subspace, lbModel **out, lbError *err);

#endif
