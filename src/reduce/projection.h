// What gravity, rigid velocities and damping are in a basis: arrays of every method that has one.
#ifndef LB_REDUCE_PROJECTION_H
#define LB_REDUCE_PROJECTION_H

#include "limber/reduce.h"

// (count x 3): the reduced force of a unit gravity along x, y, z. The draft has the object.
lbStatus lb_project_gravity(const lbModel *draft, int32_t count, const double *basis,
                            lbArena *arena, double **out, lbError *err);
// The same with other masses of the nodes; adds to `gravity`.
void lb_add_pull(const double *node_masses, int32_t node_count, int32_t count, const double *basis,
                 double *gravity);
// (count x 6): the reduced velocity of a unit rigid velocity of the free nodes.
lbStatus lb_project_rigid(const lbFem *fem, const lbModel *draft, int32_t count,
                          const double *basis, lbArena *arena, double **out, lbError *err);
// (2): alpha, beta.
lbStatus lb_keep_damping(const lbReduceDef *def, lbArena *arena, double **out, lbError *err);

#endif
